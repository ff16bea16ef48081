//! Words that are names elsewhere: a program that uses one of them as a name means what it means with any other name, is laid out
//! alike, and can be printed and read again; and the words keep their meaning beside such names.

use selvedge_frontend::weave;
use selvedge_program::print;

use super::program;

const WORDS: [&str; 8] = ["shared", "local", "var", "proc", "mutex", "call", "none", "fair"];

/// Programs with `NAME` wherever a name may stand.
const PROGRAMS: &[&str] = &[
    // A shared variable.
    "int[0..9] NAME := 1;
     void f() {
       NAME := NAME + 1; NAME++; NAME--; NAME += NAME; NAME -= 1;
       if (NAME == 2 && NAME < 3 || !(2 > NAME)) { assert NAME != 0, \"text\"; }
       while (NAME > 0) NAME--;
       while (NAME == 1) { havoc NAME; }
       NAME := NAME == 1 ? NAME : NAME * NAME;
       NAME := 2 * NAME + NAME * 2 + NAME * (NAME + 1) - -NAME;
       NAME := {NAME, 1, NAME}; NAME := {0 .. NAME};
       NAME := *; assume 1 == NAME; wait(NAME == 1); fetch_and_add(NAME, 1); if cas(NAME, NAME, 2) { skip; }
     }
     thread t = f();"
        ,
    // Truth values, and what stands between them.
    "bool NAME, other;
     thread t {
       NAME := NAME and other or NAME; other := not NAME; other := NAME ==> NAME; NAME := * constrain 'NAME or NAME;
       if NAME { skip; } else NAME := other; if (NAME) NAME := false; while NAME { NAME := false; }
       either when NAME { skip; } or when !NAME { NAME := true; }
       either { NAME := true; } or { NAME := false; }
       atomic { NAME := !NAME; } L: NAME := NAME; goto L;
     }
     invariant NAME || !NAME;
     predicate p: NAME && !other;",
    // Local variables, parameters, results.
    "int[0..9] x;
     int[0..9] f(int[0..9] NAME, bool b) { return NAME; }
     int[0..9] g(NAME: int[0..9]) { int[0..9] a := NAME, c := NAME; return b(NAME, NAME); }
     int[0..9] b(var NAME, d: int[0..9]) { return NAME; }
     thread t {
       int[0..9] NAME := 3, y := NAME;
       x := f(NAME, NAME == 1);
       { local int[0..9] z := NAME; NAME, z := z, NAME; }
       for (int[0..9] i := NAME; i < NAME; i++) NAME := i;
       return;
     }",
    // A procedure and its calls.
    "int[0..3] x;
     int[0..3] NAME(int[0..3] a) { if a > 0 { a := NAME(a - 1); } return a; }
     void g() { x := NAME(2); NAME(1); call NAME(0); call x := NAME(3); x := call NAME(1); async NAME(2); x := NAME(1) + NAME(2); }
     thread t = g(); thread u = NAME(1);",
    // An array.
    "int[0..3] NAME[2] := {1, 2}; bool b;
     thread t { NAME[0] := NAME[NAME[1] - 1]; NAME[1]++; b := NAME[0] == 1; b := forall i: NAME[i] == 0; }",
    // A lock.
    "lock NAME; lock m[2]; bool b;
     thread t { acquire NAME; release NAME; lock(NAME); unlock(NAME); if trylock(NAME) { unlock NAME; } b := trylock(NAME); }",
    // Members and variables of a struct.
    "struct point { int[0..3] NAME, y; bool b; }
     struct pair { point NAME; point other[2]; }
     point p; pair q;
     thread t { p.NAME := 1; p.NAME++; p.y := p.NAME; q.NAME.NAME := q.other[1].NAME; q.NAME := p; p.b := p.NAME == q.NAME.y; assert p.NAME < 3; }",
    "struct point { int[0..3] x; int[0..3] y; }
     point NAME; point p;
     thread t { NAME.x := NAME.y; NAME := p; NAME := {1, 2}; p := NAME; assert NAME.x == p.x; }",
    // Channels, semaphores, conditions and barriers.
    "chan[2] int[0..3] NAME; int[0..3] x; thread t { send(NAME, 1); x := receive(NAME); if trysend(NAME, 2) { } assume NAME.empty; }",
    "semaphore NAME := 1; thread t { acquire NAME; release NAME; }",
    "condition NAME; lock m; thread t { acquire m; wait NAME, m; release m; } thread u { notify NAME; notify all NAME; }",
    "barrier NAME := 2; thread t * 2 { wait NAME; }",
    // Constants, values of an enumeration.
    "const NAME = 2; int[0..NAME] x := NAME; bool a[NAME]; thread t { x := NAME; x := NAME * x - NAME; } thread u * NAME { skip; }",
    "enum colour { NAME, red } enum other { blue, NAME_too } colour c := NAME;
     thread t { c := NAME; if c == NAME { c := red; } if (NAME == c) c := NAME; c := {NAME, red}; }",
    "enum colour { red, NAME } colour c := NAME; colour a[2] := NAME; thread t { c := c == NAME ? red : NAME; a := {NAME, red}; }",
    // Labels.
    "thread t { NAME: skip; goto NAME; other: goto NAME, other; } predicate p in t: at NAME && !at other;",
    // Threads, predicates and the numbers of threads.
    "bool b[3]; thread NAME { skip; } thread u[NAME] * 3 { b[NAME] := true; } thread v { skip; }",
    "bool b; thread NAME * 2 { b := !b; L: skip; } predicate q in NAME: at L;",
    "bool b, q; thread NAME * any { bool c; c := b; } predicate r in NAME: b == c;  predicate p: forall NAME: NAME.at L || b; void f() { L: skip; }",
    "bool b[2]; thread t { b[0] := forall NAME: b[NAME]; b[1] := exists NAME: b[NAME] or b[0]; assert #{NAME : b[NAME]} < 2; }",
    // Parameters that stand for variables.
    "int[0..3] x; void f(ref int[0..3] NAME) { NAME := NAME + 1; NAME++; } thread t { f(x); }",
    "lock m; void f(lock NAME) { acquire NAME; release NAME; } thread t { f(m); }",
];

#[test]
fn a_word_as_a_name_is_a_name() {
    for text in PROGRAMS {
        let with = |word: &str| text.replace("NAME", word);
        for word in WORDS {
            // Labels that are made have places in their names.
            let plain = &"zzzzzz"[..word.len()];
            let written = with(word);
            let printed = print::weave(&program(&written));
            let meant = print::weave(&program(&with(plain)));
            assert_eq!(printed, meant.replace(plain, word), "{written}");
            assert_eq!(print::weave(&program(&printed)), printed, "{written}");
            let laid_out = weave::layout(&with(plain)).unwrap();
            assert_eq!(weave::layout(&written).unwrap(), laid_out.replace(plain, word));
        }
    }
}

/// The programs mean the same.
#[track_caller]
fn same(text: &str, other: &str) {
    assert_eq!(print::weave(&program(text)), print::weave(&program(other)), "{text}");
}

#[test]
fn the_words_keep_their_meaning_beside_such_names() {
    same(
        "shared var shared, x: int[0..3] := 0;
         shared int[0..3] local := 1;
         proc proc(var local: int[0..3], var: bool) { local var x: int[0..3] := local; local int[0..3] shared := x; var := true; call call(shared); }
         proc call(int[0..3] call) { x := call; }
         thread t { call proc(1, true); proc(local, false); }",
        "int[0..3] shared := 0, x := 0;
         int[0..3] local := 1;
         void proc(int[0..3] local, bool var) { int[0..3] x := local; int[0..3] shared := x; var := true; call(shared); }
         void call(int[0..3] call) { x := call; }
         thread t { proc(1, true); proc(local, false); }",
    );
}

#[test]
fn a_mutex_is_a_lock_wherever_a_type_stands() {
    same(
        "mutex mutex; shared mutex a, b[2]; var c: mutex; shared var d, e: mutex;
         struct s { mutex m; } s x;
         void f(mutex m) { acquire m; release m; } void g(m: mutex) { acquire m; }
         thread t { f(mutex); g(b[1]); acquire x.m; }",
        "lock mutex; lock a, b[2]; lock c; lock d, e;
         struct s { lock m; } s x;
         void f(lock m) { acquire m; release m; } void g(lock m) { acquire m; }
         thread t { f(mutex); g(b[1]); acquire x.m; }",
    );
}

#[test]
fn a_fair_choice_is_told_from_a_product() {
    let choice = |fair: &str| {
        format!(
            "bool b; int[0..9] fair := 1, x; thread t {{
               while {fair} {{ skip; }} if ({fair}) {{ skip; }} if {fair} {{ }} else x := 1;
               while (({fair}) && {fair} || b) skip; b := {fair}; b := {fair} or b; b := {fair} ? b : {fair};
             }}"
        )
    };
    same(&choice("fair *"), &choice("fair*"));
    let program = print::weave(&program(&choice("fair *")));
    assert_eq!(program.matches("fair *").count(), 9, "{program}");
    let product = |fair: &str| {
        format!(
            "int[0..9] {fair} := 1, x; thread t {{
               x := {fair} * 2; x := {fair} * x; x := {fair} * (x + 1); x := {fair} * -x; x := {fair} * {{1, 2}}; x := {fair} * {{1 .. 2}} + {fair} * int(x);
               if (x == {fair} * {{1, 2}}) {{ skip; }} if (x == 1) {{ x := {fair} * {{1, 2}}; }} assert {fair} * {fair} == x;
             }}"
        )
    };
    let printed = print::weave(&super::program(&product("plain")));
    assert_eq!(print::weave(&super::program(&product("fair"))), printed.replace("plain", "fair"));
    let printed = printed.replace("plain", "fair");
    assert_eq!(print::weave(&super::program(&printed)), printed);
}

#[test]
fn none_is_no_thread_unless_it_is_called_so() {
    let text = |word: &str| {
        format!(
            "enum colour {{ {word}, red }} colour c := {word}; tid t := none, a[2] := none;
             void f(tid u, bool b) {{ skip; }}
             thread main {{
               tid l := none; tid m[2] := none; t := none; l := t == none ? none : t; a := {{none, l}};
               if (t != none && c == {word}) {{ c := {word}; }} f(none, t == none); join t;
             }}
             thread u = f(none, true);"
        )
    };
    let plain = print::weave(&program(&text("plain")));
    let printed = print::weave(&program(&text("none")));
    // Where there are thread ids, the printer keeps the two apart.
    assert_eq!(printed, plain.replace("plain", "none_"));
    assert_eq!(print::weave(&program(&printed)), printed);
    // A thread id may be called so, too.
    let text = |word: &str| {
        format!(
            "tid {word}, t; thread main {{ {word} := t; t := {word}; assert {word} == t; join {word}; }}"
        )
    };
    let plain = print::weave(&program(&text("plain")));
    assert_eq!(print::weave(&program(&text("none"))), plain.replace("plain", "none_"));
}

#[test]
fn a_line_may_end_behind_a_word() {
    same(
        "shared\n  int[0..3] x;\nshared\n var\n  z: bool; proc\n f() {\n  local\n    int[0..3] y := x;\n  L: call\n    f(); M: call\n y := g(mutex,\n 1); y := call\n g(mutex, 2);\n}\nmutex\n mutex; int[0..3] g(mutex\n m, var\n n: int[0..3]) { return n; } thread t = f();",
        "int[0..3] x; bool z; void f() { int[0..3] y := x; L: f(); M: y := g(mutex, 1); y := g(mutex, 2); } lock mutex; int[0..3] g(lock m, int[0..3] n) { return n; } thread t = f();",
    );
}
