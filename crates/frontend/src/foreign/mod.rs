//! # Words of other languages
//! Whoever comes from C, Java, Go, Python, Promela, TLA+ or Rust writes `signal(c)`, `m.lock()`, `spawn f()` or `uint8_t x`. None of these
//! words is reserved: a procedure may be called `signal`, an enumeration `cond`. So they are looked up here only where a
//! name means nothing, or where what follows it cannot follow a name; then the answer says what the same thing
//! is called in `.weave`.
//!
//! What is done to locks, threads and channels is in `operations`, words for types and before them are in `types`; here are the words that begin statements, signs, and names
//! of procedures and methods.

mod operations;
mod types;

pub(crate) use operations::{Operation, operation};
pub(crate) use types::{declaration, generic, machine_integer, modifier, same_type, ty};

/// The advice about pointers.
pub(crate) const NO_POINTERS: &str = "there are no pointers: arrays hold what a program works on, and indices say which element; a parameter `ref int x` \
     stands for a shared variable";

/// The advice about *always* and *eventually*.
pub(crate) const NO_TEMPORAL_LOGIC: &str = "there is no temporal logic: `assert e;` says what holds at a place, `invariant e;` what always holds, and \
     `selvedge livelock` looks for runs that never end";

/// The advice about what holds before and after a call.
pub(crate) const NO_CONTRACTS: &str = "write `assert e;`: at the beginning of a body it checks what the caller owes, before `return` what the caller gets";

/// The advice about a statement that names a shared variable.
const GLOBAL: &str = "leave the statement out: procedures know what is declared outside of them";

/// The advice about who is waited for.
pub(crate) const NO_RESULT: &str =
    "a thread gives no result: let it write to a shared variable, and read that after `join t;`";

/// The advice about an `if` that has a value.
pub(crate) const CONDITIONAL: &str = "write `c ? a : b`; `if c { … } else { … }` is a statement";

/// Whether a line that begins with `#` and this word is for a preprocessor.
pub(crate) fn is_directive(word: &str) -> bool {
    matches!(
        word,
        "include"
            | "define"
            | "undef"
            | "if"
            | "ifdef"
            | "ifndef"
            | "elif"
            | "else"
            | "endif"
            | "pragma"
            | "line"
            | "error"
            | "warning"
            | "import"
    )
}

/// What to do about a word that begins a statement or a declaration in other languages, if what follows it fits nothing
/// here.
pub(crate) fn beginning(word: &str) -> Option<&'static str> {
    Some(match word {
        "import" | "package" | "use" | "using" | "namespace" | "from" | "include" | "module"
        | "mod" | "EXTENDS" | "MODULE" | "INSTANCE" => {
            "leave it out: one file is the whole program"
        }
        "struct" | "class" | "union" | "record" | "interface" | "object" | "impl" | "trait" => {
            "write `struct NAME { int x; bool y; }`; then `NAME n;` declares a variable, and `n.x` is a member of it"
        }
        "typedef" | "type" => {
            "types have no second names: write `int`, `u8` to `i64`, `bool`; `enum NAME { A, B }` and `struct NAME { int x; }` declare some"
        }
        "proctype" | "process" | "active" => {
            "a thread is `thread NAME { … }`, two of them `thread NAME * 2 { … }`; `async f();` starts one"
        }
        "init" => {
            "threads are there from the start: `thread NAME { … }`; variables get first values, as in `int x := 0;`"
        }
        "ltl" | "never" | "Spec" | "SPECIFICATION" | "PROPERTY" | "PROPERTIES" | "THEOREM" => {
            NO_TEMPORAL_LOGIC
        }
        "INVARIANT" | "INVARIANTS" | "property" | "safety" | "always" => {
            "write `invariant e;`, outside of the procedures"
        }
        "require" | "requires" | "ensure" | "ensures" | "expect" => NO_CONTRACTS,
        "nonlocal" => GLOBAL,
        "c_code" | "c_decl" | "c_expr" | "c_state" => "there is no C in it: write procedures",
        "trace" | "notrace" | "priority" | "provided" => {
            "leave it out: `assert e;` and `invariant e;` say what holds"
        }
        "xr" | "xs" | "show" => "leave it out: every thread may use every channel",
        "mtype" => "write `enum NAME { A, B }`",
        "chan" | "channel" | "Channel" => {
            "a channel is a shared variable: `chan[2] int c;` holds two messages, `chan int c;` none; `send(c, 1);` and \
             `x := receive(c);` use it"
        }
        "d_step" => "write `atomic { … }`",
        "timeout" => {
            "leave it out: a state in which nobody can move is a deadlock, which `verify` reports"
        }
        "VARIABLE" | "VARIABLES" | "variable" | "variables" => {
            "declare each variable with its type: `int x := 0;`, `bool b;`"
        }
        "CONSTANT" | "CONSTANTS" | "ASSUME" => "write `const N = 3;`; `--const N=4` changes it",
        "Init" | "Next" => {
            "a program says what threads do, step by step: `thread NAME { x := x + 1; }`; first values stand in declarations, \
             as in `int x := 0;`"
        }
        "UNCHANGED" => "leave it out: what is not assigned keeps its value",
        "with" => {
            "`int x := 3;` declares a local variable, `int x := {1 .. 3};` chooses its value; `acquire m;` takes a lock, \
             `release m;` frees it"
        }
        "synchronized" => {
            "write `acquire m;` before, and `release m;` after: for a whole procedure, at the beginning and the end of its body"
        }
        "defer" => "write `acquire m;` before, and `release m;` after",
        "try" | "catch" | "finally" => "there are no exceptions: `goto` leaves a block",
        "throw" | "raise" => {
            "there are no exceptions: `assert false;` is a violation, `assume false;` ends what is looked at"
        }
        "func" | "fn" | "fun" | "function" | "def" | "sub" | "procedure" => {
            "a procedure begins with the type of its result, or with `void`: `void f() { … }`"
        }
        "let" | "auto" | "val" | "dim" => "write the type first: `bool x := true;`, `int x := 1;`",
        "Thread" => {
            "did you mean `thread`? `tid t := async f(…);` starts one, `join t;` waits for its end"
        }
        "select" => {
            "write `either when x := receive(c) { … } or when send(d, 1) { … } or when e { … }`, which takes one that is possible"
        }
        "case" | "default" | "match" => {
            "write `if c { … } else if d { … } else { … }`; `either { … } or { … }` chooses freely"
        }
        "foreach" => "write `for (int i := 0; i < 3; i++) { … }`",
        "loop" | "forever" => "write `while true { … }`",
        "until" => "write `while !c { … }`",
        "await" => "write `wait(e);`, or `assume e;`",
        "assert_eq" | "debug_assert_eq" => "write `assert a == b;`",
        "debug_assert" => "write `assert e;`",
        "end" | "endif" | "endwhile" | "done" => {
            "blocks stand in braces: `if c { … }`, `while c { … }`"
        }
        "assert_ne" => "write `assert a != b;`",
        "unreachable" | "todo" | "unimplemented" => {
            "`assert false;` is a violation wherever it is reached"
        }
        "template" | "generic" => "types have no parameters: write it for each type",
        "macro" | "macro_rules" | "define" => "there are no macros: write a procedure",
        "unsafe" => "leave it out: there are no pointers",
        "LOCAL" => "leave it out: one file is the whole program",
        "RECURSIVE" => "leave it out: every procedure may call itself",
        "LET" => "declare a local variable: `int x := 1;`",
        "when" => "write `assume e;`, which waits; `either when g { … } or when h { … }` chooses",
        "pass" => "write `skip;`",
        _ if word.starts_with("WF_") || word.starts_with("SF_") => {
            "fairness is for runs that never end: `selvedge livelock` looks for those that are fair"
        }
        "delete" | "new" | "free" | "malloc" => {
            "there is no heap: arrays hold what a program works on"
        }
        "std" => {
            "there is no library: types are `bool`, `int`, `lock`, `semaphore`, `condition`, `barrier`"
        }
        "unless" => "write `if !c { … }`",
        _ => return modifier(word),
    })
}

/// What to write instead of a sign of another language.
pub(crate) fn sign(text: &str) -> Option<&'static str> {
    Some(match text {
        "===" => "write `==`",
        "!==" | "#" | "<>" => "write `!=`",
        "/\\" => "write `&&`",
        "\\/" => "write `||`",
        "\\lnot" | "\\neg" => "write `!`",
        "\\land" => "write `&&`",
        "\\lor" => "write `||`",
        "\\leq" => "write `<=`",
        "\\geq" => "write `>=`",
        "\\div" => "write `/`",
        "\\cup" | "\\union" | "\\cap" | "\\intersect" | "\\subseteq" | "\\X" => {
            "there are no sets: an array of `bool` says which elements are in it"
        }
        "\\o" | "\\circ" => {
            "there are no sequences: `send(c, e);` adds to a channel, `chan[2] int c;`"
        }
        "\\notin" => "write `x < lo || hi < x`",
        "/=" => "write `!=` to compare; `x := x / y;` divides",
        "\\in" => "write `lo <= x && x <= hi` to test, `x := {lo .. hi};` to choose",
        "\\A" => "write `forall i: a[i] == 0`, over the indices of an array",
        "\\E" => "write `exists i: a[i] == 0`, over the indices of an array",
        "::" => "names stand without a path; a choice is `either { … } or { … }`",
        "~>" => NO_TEMPORAL_LOGIC,
        "'" => "`x := e;` says what `x` holds afterwards; numbers and labels have no such sign",
        "<-" => "`send(c, e);` sends through a channel, `x := receive(c);` receives",
        _ if text.starts_with("====") => "leave the line out; `//` begins a comment",
        _ => return None,
    })
}

/// What there is in the place of a procedure of another language. These words are common names of variables, too, so they mean
/// something only where they are called.
pub(crate) fn procedure(word: &str) -> Option<&'static str> {
    Some(match word {
        "sizeof" | "countof" | "ARRAY_SIZE" => {
            "nothing has a size in bytes; the length of an array is a constant: `const N = 3; int a[N];`"
        }
        "malloc" | "calloc" | "alloc" | "kmalloc" => {
            "there is no heap: an array holds what a program works on, and an index says which element"
        }
        "len" | "Len" | "empty" | "nempty" | "full" | "nfull" => {
            "`c.length`, `c.empty` and `c.full` tell about a channel; the length of an array is a constant"
        }
        "close" => "channels are not closed: send a message that says so",
        "Append" | "append" | "push" => {
            "`send(c, e);` adds a message to a channel: `chan[2] int c;`"
        }
        "Head" | "Tail" => {
            "`x := receive(c);` takes the oldest message of a channel: `chan[2] int c;`"
        }
        "drop" => "nothing is dropped: `release m;` frees a lock",
        "Some" | "Ok" | "Err" => "there are no options: keep a `bool` beside the value",
        "swap" => "write `x, y := y, x;`",
        "assertEquals" | "assertEqual" | "assert_equal" | "assert_equals" | "assertThat"
        | "assertSame" | "EXPECT_EQ" | "ASSERT_EQ" => "write `assert a == b;`",
        "assertNotEquals" | "assertNotEqual" | "EXPECT_NE" | "ASSERT_NE" => {
            "write `assert a != b;`"
        }
        "assertTrue" | "assert_true" | "EXPECT_TRUE" | "ASSERT_TRUE" => "write `assert e;`",
        "assertFalse" | "assert_false" | "EXPECT_FALSE" | "ASSERT_FALSE" => "write `assert !e;`",
        "self" | "pthread_self" | "thrd_current" | "gettid" | "getpid" | "get_id"
        | "currentThread" => {
            "`thread NAME[i] * 2 { … }` gives each thread its number: `i` is 0, then 1; a procedure gets it as a parameter"
        }
        "old" | "pre" => "keep the value in a local variable first: `int before := x;`",
        "choose" | "oneof" | "any_of" | "randint" | "randrange" => {
            "write `x := {0 .. 3};`, which chooses freely"
        }
        "RandomElement" => "write `x := {0 .. 9};`, which chooses freely",
        "eval" => "leave it out: name the variable",
        "enabled" | "pc_value" => "a label of a thread is asked for in a `predicate`: `i.at L`",
        "Cardinality" => "`#{i : a[i] == 1}` is for how many indices of an array something holds",
        "min" | "max" => "write `a < b ? a : b`",
        "__VERIFIER_nondet_bool" => "write `*`: `b := *;`",
        _ if word.starts_with("__VERIFIER_nondet") => {
            "write `{lo .. hi}` with the least and the greatest number: `x := {0 .. 9};`"
        }
        _ => return None,
    })
}

/// What to write instead of a method of another language.
pub(crate) fn method(word: &str) -> Option<&'static str> {
    Some(match word {
        "len" | "length" | "size" => {
            "the length of an array is a constant: `const N = 3; int a[N];`; that of a channel is `c.length`"
        }
        "iter" | "itermut" | "iter_mut" | "intoiter" | "into_iter" | "enumerate" | "map"
        | "filter" | "any" | "all" | "sum" | "count" | "fold" | "foreach" | "for_each" => {
            "`forall i: a[i] == 0` and `exists i: a[i] == 0` are over the indices of an array, `#{i : a[i] == 0}` counts, and `for` goes through it"
        }
        "pow" => "there are no powers: write `x * x`",
        "max" | "min" => "write `a < b ? a : b`",
        "await" => "write `async f();` to start a thread, `join t;` to wait for its end",
        "unwrap" | "expect" | "clone" => "leave it out: every variable holds a value",
        "push" | "pushback" | "append" | "add" => {
            "arrays have a fixed length; `send(c, e);` adds a message to a channel"
        }
        "pop" | "popfront" => "`x := receive(c);` takes the oldest message of a channel",
        "swap" => "write `x, y := y, x;`, which is one step",
        _ if word.starts_with("checked_") || word.starts_with("saturating_") => {
            "`int` has no bounds, and machine integers wrap around: write `x + 1`"
        }
        _ if word.starts_with("wrapping_") => "machine integers wrap around: write `x + 1`",
        _ => return None,
    })
}

/// What to write instead of a word that stands between or before operands in other languages.
pub(crate) fn between(word: &str) -> Option<&'static str> {
    Some(match word {
        "as" => "the type stands before parentheses, as in `i32(x)`",
        "IF" | "THEN" | "ELSE" => CONDITIONAL,
        "CHOOSE" => "`x := {a, b};` and `x := {a .. b};` choose freely",
        "let" | "case" => "there are no patterns: compare, as in `if x == 1 { … }`",
        "is" | "iff" => "write `==`",
        "implies" => "write `==>`",
        "AND" => "write `&&`",
        "OR" => "write `||`",
        "NOT" => "write `!`",
        "match" | "switch" | "CASE" => CONDITIONAL,
        "LET" => "declare a local variable first: `int x := 1;`",
        "SUBSET" | "UNION" | "DOMAIN" => "there are no sets: arrays hold what a program works on",
        "ENABLED" => NO_TEMPORAL_LOGIC,
        "xor" => "write `!=` between truth values, `^` between bits",
        "mod" => "write `%`",
        "div" => "write `/`",
        "sizeof" => procedure(word)?,
        "new" | "malloc" => "there is no heap: arrays hold what a program works on",
        "of" => beginning("chan")?,
        "rand" | "random" | "nondet" => {
            "`x := {a .. b};` chooses freely, `*` chooses a truth value"
        }
        _ => return None,
    })
}
