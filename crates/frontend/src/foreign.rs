//! # Words of other languages
//! Whoever comes from C, Java, Go, Python, Promela, TLA+ or Rust writes `signal(c)`, `m.lock()`, `spawn f()` or `uint8_t x`. None of these
//! words is reserved: a procedure may be called `signal`, an enumeration `cond`. So they are looked up here only where a
//! name means nothing, or where what follows it cannot follow a name; then the answer says what the same thing
//! is called in `.weave`.

use selvedge_program::Type;

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

/// An operation of another language, written as a procedure, a statement or a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Acquire,
    Release,
    TryLock,
    Wait,
    Notify,
    NotifyAll,
    Join,
    Start,
    Load,
    Store,
    FetchAndAdd,
    CompareAndSwap,
    Print,
    Pause,
    Fail,
    Send,
    Receive,
    /// Makes a lock or a semaphore, or ends it.
    Prepare,
    Fence,
    Exchange,
    TestAndSet,
    Assume,
    Check,
    BeginAtomic,
    EndAtomic,
    /// Ends the thread that acts.
    Leave,
    /// Ends the whole program.
    Exit,
    /// Waits at a barrier.
    Meet,
}

/// The operation that a word means in other languages, in upper or lower case.
pub(crate) fn operation(word: &str) -> Option<Operation> {
    match word {
        "P" => return Some(Operation::Acquire),
        "V" => return Some(Operation::Release),
        _ => {}
    }
    let word = word.to_ascii_lowercase().replace('_', "");
    Some(match word.as_str() {
        "lock" | "acquire" | "enter" | "down" | "mutexlock" | "pthreadmutexlock" | "mtxlock"
        | "lockacquire" | "semwait" | "semacquire" | "spinlock" => Operation::Acquire,
        "unlock" | "release" | "leave" | "up" | "post" | "mutexunlock" | "pthreadmutexunlock"
        | "mtxunlock" | "lockrelease" | "sempost" | "semrelease" | "spinunlock" => {
            Operation::Release
        }
        "trylock" | "tryacquire" | "pthreadmutextrylock" | "mtxtrylock" | "semtrywait" => {
            Operation::TryLock
        }
        "wait" | "await" | "condwait" | "pthreadcondwait" | "cndwait" | "barrierwait"
        | "pthreadbarrierwait" => Operation::Wait,
        "signal" | "notify" | "notifyone" | "wake" | "wakeup" | "condsignal"
        | "pthreadcondsignal" | "cndsignal" => Operation::Notify,
        "broadcast"
        | "notifyall"
        | "signalall"
        | "wakeall"
        | "condbroadcast"
        | "pthreadcondbroadcast"
        | "cndbroadcast" => Operation::NotifyAll,
        "join" | "pthreadjoin" | "thrdjoin" | "threadjoin" => Operation::Join,
        "spawn" | "run" | "go" | "fork" | "start" | "launch" | "pthreadcreate" | "thrdcreate"
        | "threadcreate" | "createthread" | "startthread" => Operation::Start,
        "load" | "atomicload" | "atomicloadn" | "atomicloadexplicit" | "atomicread"
        | "readonce" => Operation::Load,
        "store"
        | "atomicstore"
        | "atomicstoren"
        | "atomicstoreexplicit"
        | "atomicset"
        | "writeonce" => Operation::Store,
        "atomicfetchadd"
        | "atomicfetchaddexplicit"
        | "syncfetchandadd"
        | "atomicaddfetch"
        | "fetchadd"
        | "getandadd"
        | "getandincrement"
        | "incrementandget"
        | "atomicadd" => Operation::FetchAndAdd,
        "compareandswap"
        | "cas"
        | "syncboolcompareandswap"
        | "syncvalcompareandswap"
        | "atomiccompareexchange"
        | "atomiccompareexchangen"
        | "atomiccompareexchangestrong"
        | "atomiccompareexchangeweak"
        | "cmpxchg"
        | "atomiccmpxchg"
        | "compareandset"
        | "compareexchange"
        | "compareexchangestrong"
        | "compareexchangeweak" => Operation::CompareAndSwap,
        "print" | "println" | "printf" | "fprintf" | "puts" | "putchar" | "echo" | "log"
        | "eprintln" | "eprint" | "dbg" | "format" | "printm" | "perror" => Operation::Print,
        "send" | "tosend" | "chansend" => Operation::Send,
        "recv" | "receive" | "chanrecv" => Operation::Receive,
        "pthreadmutexinit"
        | "pthreadmutexdestroy"
        | "pthreadcondinit"
        | "pthreadconddestroy"
        | "pthreadbarrierinit"
        | "pthreadbarrierdestroy"
        | "mtxinit"
        | "mtxdestroy"
        | "cndinit"
        | "cnddestroy"
        | "seminit"
        | "semdestroy"
        | "spinlockinit"
        | "atomicinit" => Operation::Prepare,
        "atomicthreadfence" | "syncsynchronize" | "fence" | "compilerfence" | "smpmb" | "mb"
        | "membarrier" | "memorybarrier" | "threadfence" => Operation::Fence,
        "atomicexchange"
        | "atomicexchangen"
        | "atomicexchangeexplicit"
        | "synclocktestandset"
        | "xchg"
        | "exchange"
        | "getandset" => Operation::Exchange,
        "testandset" | "tas" | "atomicflagtestandset" => Operation::TestAndSet,
        "verifierassume" => Operation::Assume,
        "verifierassert" => Operation::Check,
        "verifieratomicbegin" => Operation::BeginAtomic,
        "verifieratomicend" => Operation::EndAtomic,
        "pthreadexit" | "thrdexit" | "exitthread" => Operation::Leave,
        "sleep" | "usleep" | "nanosleep" | "park" | "parktimeout" | "yield" | "yieldnow"
        | "schedyield" | "pause" | "spinloop" => Operation::Pause,
        "exit" | "quit" => Operation::Exit,
        "abort" | "panic" | "throw" | "raise" | "error" | "reacherror" | "verifiererror" => {
            Operation::Fail
        }
        _ => return None,
    })
}

impl Operation {
    /// What it is if it is done with a semaphore.
    pub fn of_semaphore(self) -> Operation {
        match self {
            Operation::Wait => Operation::Acquire,
            Operation::Notify | Operation::NotifyAll => Operation::Release,
            other => other,
        }
    }

    /// What to write instead. The first of the objects is the one that the operation acts on.
    pub fn advice(self, objects: &[&str]) -> String {
        let object = |default| objects.first().copied().unwrap_or(default);
        match self {
            Operation::Acquire => format!("write `acquire {};`", object("m")),
            Operation::Release => format!("write `release {};`", object("m")),
            Operation::TryLock => {
                format!("write `if trylock({}) {{ … }}`", object("m"))
            }
            Operation::Wait => match objects {
                [condition, lock, ..] => format!("write `wait {condition}, {lock};`"),
                _ => format!(
                    "write `assume {0};` to wait until it holds, `wait {0}, m;` if it is a condition with its lock, and \
                     `wait {0};` if it is a barrier",
                    object("c")
                ),
            },
            Operation::Meet => format!("write `wait {};`", object("b")),
            Operation::Notify => format!("write `notify {};`", object("c")),
            Operation::NotifyAll => format!("write `notify all {};`", object("c")),
            Operation::Join => format!("write `join {};`", object("t")),
            Operation::Start => {
                format!("write `async {0}(…);`, or `tid t := async {0}(…);`", object("f"))
            }
            Operation::Load => {
                format!("every variable is read in one step: write `{}`", object("x"))
            }
            Operation::Store => match objects {
                [variable, value] => {
                    format!("every variable is written in one step: write `{variable} := {value};`")
                }
                _ => format!("every variable is written in one step: write `{} := …;`", object("x")),
            },
            Operation::FetchAndAdd => {
                let amount = objects.get(1).unwrap_or(&"1");
                format!("write `y := fetch_and_add({}, {amount});`", object("x"))
            }
            Operation::CompareAndSwap => match objects {
                [variable, old, new, ..] => format!("write `b := cas({variable}, {old}, {new});`"),
                _ => format!("write `b := cas({}, expected, new);`", object("x")),
            },
            Operation::Print => {
                "nothing is printed: leave it out; the schedule of a violation shows every variable"
                    .to_owned()
            }
            Operation::Pause => {
                "leave it out: a thread may be slow at every step; `wait(e);` waits until `e` holds"
                    .to_owned()
            }
            Operation::Send => match objects {
                [channel, message, ..] => format!("write `send({channel}, {message});`"),
                _ => format!("write `send({}, …);`, for a `chan[2] int`", object("c")),
            },
            Operation::Receive => {
                format!("write `x := receive({});`, for a `chan[2] int`", object("c"))
            }
            Operation::Prepare => {
                "leave it out: a lock, a semaphore, a condition and a barrier are ready when they are declared, as in `semaphore s := 1;`"
                    .to_owned()
            }
            Operation::Fence => {
                "leave it out: every variable is read from and written to memory, in the order of the program"
                    .to_owned()
            }
            Operation::Exchange => {
                let value = objects.get(1).unwrap_or(&"1");
                format!("write `y, {0} := {0}, {value};`, which is one step", object("x"))
            }
            Operation::TestAndSet => format!(
                "write `while !cas({0}, 0, 1) {{ skip; }}`, which waits until `{0}` was 0, or false, and sets it to 1 in that step",
                object("x")
            ),
            Operation::Assume => "write `assume e;`".to_owned(),
            Operation::Check => "write `assert e;`".to_owned(),
            Operation::BeginAtomic => {
                "write `atomic_begin;`, or `atomic { … }` round what is one step".to_owned()
            }
            Operation::EndAtomic => {
                "write `atomic_end;`, or `atomic { … }` round what is one step".to_owned()
            }
            Operation::Leave => "write `return;`: a thread ends where its procedure does".to_owned(),
            Operation::Exit => {
                "a thread ends where its procedure does: `return;`; `assert false;` is a violation"
                    .to_owned()
            }
            Operation::Fail => {
                "`assert false;` is a violation, `assume false;` ends what is looked at".to_owned()
            }
        }
    }
}

/// What to write instead of `Vec<u32> v`, a type of another language with a parameter.
pub(crate) fn generic(word: &str, argument: &str) -> String {
    match word {
        "Vec" | "vector" | "List" | "ArrayList" | "array" | "Array" => {
            format!("an array has a fixed length: `{argument} a[3];`")
        }
        "Option" | "Optional" | "Maybe" => {
            format!("there are no options: `bool is_there; {argument} x;`")
        }
        "Mutex" | "RwLock" => {
            format!("a lock stands beside what it guards: `lock m; {argument} x;`")
        }
        "Arc" | "Rc" | "Box" | "Cell" | "RefCell" | "atomic" | "Atomic" | "shared_ptr"
        | "unique_ptr" => {
            format!(
                "write `{argument} x;`: what stands outside of the procedures is shared by all threads"
            )
        }
        "Sender" | "Receiver" | "Channel" | "Queue" | "BlockingQueue" | "queue" => {
            format!("write `chan[2] {argument} c;`, for a channel that holds two")
        }
        _ => "types have no parameters: write it for each type".to_owned(),
    }
}

/// What to write instead of `let m = Mutex::new(…)`.
pub(crate) fn declaration(ty: &str, name: &str) -> Option<String> {
    let known = same_type(ty)?;
    Some(match known {
        "lock" | "condition" => format!("write `{known} {name};`, outside of the procedures"),
        "semaphore" | "barrier" => {
            format!("write `{known} {name} := …;`, outside of the procedures")
        }
        _ => format!("write `{known} {name} := …;`"),
    })
}

/// A word for a type, without what languages add to it.
fn plain_type(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    lower.trim_start_matches("std").trim_end_matches("_t").replace('_', "")
}

/// What a type of another language is called.
pub(crate) fn same_type(word: &str) -> Option<&'static str> {
    known_type(&plain_type(word))
}

/// The machine integer that a word stands for.
pub(crate) fn machine_integer(word: &str) -> Option<Type> {
    Type::machine(word).or_else(|| Type::machine(same_type(word)?))
}

/// The type that a word stands for.
fn known_type(plain: &str) -> Option<&'static str> {
    Some(match plain {
        "cond" | "condvar" | "cv" | "conditionvariable" | "pthreadcond" | "cnd" => "condition",
        "mutex" | "pthreadmutex" | "mtx" | "spinlock" | "reentrantlock" | "pthreadspinlock" => {
            "lock"
        }
        "sem" | "semaphore" => "semaphore",
        "barrier" | "cyclicbarrier" | "pthreadbarrier" => "barrier",
        "thread" | "pthread" | "thrd" | "threadid" | "joinhandle" => "tid",
        "uint8" | "byte" | "uchar" | "char" | "unsigned" => "u8",
        "uint16" | "ushort" => "u16",
        "uint32" | "uint" | "atomicuint" | "atomicu32" => "u32",
        "uint64" | "ulong" | "size" | "usize" | "uintptr" | "atomicusize" | "atomicu64" => "u64",
        "int8" => "i8",
        "int16" | "short" => "i16",
        "atomicu8" => "u8",
        "int32" | "signed" | "atomici32" => "i32",
        "int64" | "long" | "isize" | "ssize" | "atomici64" | "atomicisize" => "i64",
        "integer" | "nat" | "atomicint" | "atomicinteger" | "bigint" | "number" => "int",
        "atomicbool" | "atomicboolean" | "atomicflag" | "bit" => "bool",
        _ => return None,
    })
}

/// What to write instead of a type of another language.
pub(crate) fn ty(word: &str) -> Option<String> {
    let plain = plain_type(word);
    let Some(known) = known_type(&plain) else {
        return match plain.as_str() {
            "float" | "double" | "real" | "f32" | "f64" => {
                Some("there are no fractions: count in small units, with `int`".to_owned())
            }
            "int128" | "uint128" | "i128" | "u128" => Some(
                "the widest machine integers are `i64` and `u64`; `int` has no bounds".to_owned(),
            ),
            "rwlock" | "pthreadrwlock" | "readwritelock" | "sharedmutex" => Some(
                "there is none: a `lock`, the number of readers and a `condition` make one"
                    .to_owned(),
            ),
            "string" | "str" => {
                Some("there are no strings: `enum` gives names to values".to_owned())
            }
            "global" => Some(GLOBAL.to_owned()),
            _ => beginning(word).filter(|_| modifier(word).is_none()).map(str::to_owned),
        };
    };
    let unsized_word = matches!(plain.as_str(), "unsigned" | "signed" | "char" | "byte");
    Some(match unsized_word {
        true => format!("write `{known}`, or another of `u8` to `u64` and `i8` to `i64`"),
        false => format!("write `{known}`"),
    })
}

/// The advice about a word that stands before a type in other languages.
pub(crate) fn modifier(word: &str) -> Option<&'static str> {
    Some(match word {
        "unsigned" | "signed" | "long" | "short" => {
            "machine integers are `u8` to `u64` and `i8` to `i64`; `int` has no bounds"
        }
        "volatile" | "_Atomic" => {
            "leave it out: every variable is read from and written to memory, in the order of the program"
        }
        "inline" | "register" | "constexpr" => {
            "leave it out: it changes nothing about what happens"
        }
        "static" | "extern" | "public" | "private" | "protected" | "final" | "global" | "pub"
        | "mut" | "export" | "hidden" => {
            "leave it out: what stands outside of the procedures is shared by all threads"
        }
        "_Thread_local" | "thread_local" | "__thread" => {
            "declare it inside the procedure: each thread has its own variables there"
        }
        _ => return None,
    })
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
        "new" | "sizeof" | "malloc" => "there is no heap: arrays hold what a program works on",
        "of" => beginning("chan")?,
        "rand" | "random" | "nondet" => {
            "`x := {a .. b};` chooses freely, `*` chooses a truth value"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_mean_elsewhere() {
        let cases = [
            ("signal", &["c"][..], "write `notify c;`"),
            ("notifyAll", &["c"], "write `notify all c;`"),
            ("notify_all", &["c"], "write `notify all c;`"),
            ("pthread_cond_wait", &["c", "m"], "write `wait c, m;`"),
            ("pthread_mutex_lock", &["m"], "write `acquire m;`"),
            ("sem_post", &[], "write `release m;`"),
            ("tryLock", &["m"], "write `if trylock(m) { … }`"),
            ("go", &["f"], "write `async f(…);`, or `tid t := async f(…);`"),
        ];
        for (word, objects, advice) in cases {
            assert_eq!(operation(word).unwrap().advice(objects), advice, "{word}");
        }
        assert_eq!(operation("signals"), None);
        assert_eq!(operation(""), None);
    }

    #[test]
    fn types_of_other_languages() {
        for (word, known) in [
            ("cond", "condition"),
            ("condvar", "condition"),
            ("condition_variable", "condition"),
            ("pthread_mutex_t", "lock"),
            ("Mutex", "lock"),
            ("sem_t", "semaphore"),
            ("uint8_t", "u8"),
            ("size_t", "u64"),
            ("long", "i64"),
            ("pthread_t", "tid"),
        ] {
            assert_eq!(ty(word).unwrap(), format!("write `{known}`"));
        }
        assert_eq!(ty("Phase"), None);
    }
}
