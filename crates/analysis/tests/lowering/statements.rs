//! Each statement: how many steps it is, and what it does.

use expect_test::{Expect, expect};

use crate::lowering::{check, steps};

/// A program with some variables and one thread.
fn main_with(body: &str) -> String {
    format!(
        "bool x := false, y := true; int n := 0; int a[2] := 0; lock m; tid t;
         void f() {{}}
         bool g() {{ return true; }}
         void main() {{ {body} }}"
    )
}

#[test]
fn steps_are_what_the_language_says() {
    for (body, count) in [
        ("", 0),
        (";", 0),
        ("{ ; { } }", 0),
        ("bool z;", 0),
        ("tid u;", 0),
        ("goto L; L: skip;", 1),
        ("goto L; L: ;", 1),
        ("skip;", 1),
        ("bool z := true;", 1),
        ("x := y;", 1),
        ("x, y := y, x;", 1),
        ("n++;", 1),
        ("a[0], a[1] := 1, 2;", 1),
        ("havoc x;", 1),
        ("havoc a;", 1),
        ("assume y;", 1),
        ("assert y;", 1),
        ("if (x) { skip; }", 1),
        ("if (y) { skip; }", 2),
        ("while (x) { skip; }", 1),
        ("while (y) { y := false; }", 3),
        ("while (y) { break; }", 1),
        ("while (y) { y := false; continue; skip; }", 3),
        ("either { skip; }", 2),
        ("goto L, L; L: skip;", 2),
        ("atomic {}", 1),
        ("atomic { x := true; y := false; f(); while (x) { x := false; } }", 1),
        ("atomic_begin; x := true; y := false; atomic_end;", 1),
        ("acquire m;", 1),
        ("acquire m; release m;", 2),
        ("trylock(m);", 1),
        ("x := trylock(m);", 1),
        ("if (trylock(m)) { skip; }", 2),
        ("x := cas(y, true, false);", 1),
        ("n := fetch_and_add(n, 2);", 1),
        ("f();", 2),
        ("g();", 3),
        ("x := g();", 3),
        ("return;", 0),
        ("while (y) { bool z; y := false; }", 4),
    ] {
        assert_eq!(steps(&main_with(body)), count, "{body}");
    }
}

fn ends(body: &str, expect: Expect) {
    check(&format!("int[0..9] n := 0; int[0..9] k := 5; void main() {{ {body} }}"), expect);
}

#[test]
fn assignments() {
    ends("n, k := k, n;", expect!["safe; ends: n=5 k=0"]);
    ends("n := n + 1; n++; n += 3; n -= 1; k--;", expect!["safe; ends: n=4 k=4"]);
    ends("n := {1, 2};", expect!["safe; ends: n=1 k=5 | n=2 k=5"]);
    ends("n := {1 .. 3};", expect!["safe; ends: n=1 k=5 | n=2 k=5 | n=3 k=5"]);
    ends("n := *;", expect!["safe; ends: n=? k=5"]);
    ends("n := *; assume n > 7;", expect!["safe; ends: n=8 k=5 | n=9 k=5"]);
    ends("havoc n; if (n < 9) { n := 0; }", expect!["safe; ends: n=0 k=5 | n=9 k=5"]);
    ends("n := k > 3 ? 1 : 2;", expect!["safe; ends: n=1 k=5"]);
    ends("bool b := *; n := b ? 1 : 2; k := b ? 1 : 2;", expect!["safe; ends: n=1 k=1 | n=2 k=2"]);
}

#[test]
fn constrain_sees_both_values() {
    ends("n := * constrain 'n > n && 'n < 3;", expect!["safe; ends: n=1 k=5 | n=2 k=5"]);
    ends(
        "n, k := *, * constrain 'n + 'k == 2;",
        expect!["safe; ends: n=0 k=2 | n=1 k=1 | n=2 k=0"],
    );
    ends("n := * constrain 'k == 5 && 'n == k;", expect!["safe; ends: n=5 k=5"]);
    ends("havoc k; n := * constrain 'n == k && k > 7;", expect!["safe; ends: n=8 k=8 | n=9 k=9"]);
    ends("n := * constrain false;", expect!["safe; never ends"]);
}

#[test]
fn schoose() {
    ends("n := schoose[true, true] ? 1 : 2;", expect!["safe; ends: n=1 k=5"]);
    ends("n := schoose[false, true] ? 1 : 2;", expect!["safe; ends: n=2 k=5"]);
    ends("n := schoose[false, false] ? 1 : 2;", expect!["safe; ends: n=1 k=5 | n=2 k=5"]);
}

#[test]
fn choices_and_jumps() {
    ends(
        "either { n := 1; } or { n := 2; } or { assume false; }",
        expect!["safe; ends: n=1 k=5 | n=2 k=5"],
    );
    ends(
        "goto A, B; A: n := 1; goto E; B: n := 2; E: skip;",
        expect!["safe; ends: n=1 k=5 | n=2 k=5"],
    );
    ends(
        "while (n < 9) { n++; if (n == 3) { continue; } if (n == 6) { break; } k := 0; }",
        expect!["safe; ends: n=6 k=0"],
    );
    ends(
        "while (true) { while (true) { n := 1; break; } k := 2; break; }",
        expect!["safe; ends: n=1 k=2"],
    );
    ends("goto In; while (n < 3) { In: n := n + 2; }", expect!["safe; ends: n=4 k=5"]);
    ends("L: goto L;", expect!["safe; never ends"]);
    ends("L: M: goto N; N: goto M;", expect!["safe; never ends"]);
}

#[test]
fn effects() {
    ends("bool b := cas(n, 0, 4); k := b ? 1 : 0;", expect!["safe; ends: n=4 k=1"]);
    ends("bool b := cas(n, 1, 4); k := b ? 1 : 0;", expect!["safe; ends: n=0 k=0"]);
    ends("if (!cas(n, 0, 7)) { k := 0; }", expect!["safe; ends: n=7 k=5"]);
    ends("k := fetch_and_add(n); k := fetch_and_add(n, 3);", expect!["safe; ends: n=4 k=1"]);
    ends("havoc n; bool b := cas(n, 3, 4); assume b;", expect!["safe; ends: n=4 k=5"]);
    ends("cas(n, 0, *); assume n > 7;", expect!["safe; ends: n=8 k=5 | n=9 k=5"]);
}

#[test]
fn places_are_found_before_anything_is_set() {
    let array =
        |body: &str| format!("int[0..2] a[3] := 0; int[0..2] i := 0; void main() {{ {body} }}");
    check(&array("i, a[i] := 2, 1;"), expect!["safe; ends: a=[1,0,0] i=2"]);
    check(&array("a[i] := fetch_and_add(i, 2);"), expect!["safe; ends: a=[0,0,0] i=2"]);
    check(
        &array("i := 1; havoc i, a[i]; assume i == 2 && a[1] == 2; i := 0;"),
        expect!["safe; ends: a=[0,2,0] i=0"],
    );
}

#[test]
fn a_declaration_is_executed_each_time() {
    ends(
        "while (n < 2) { int[0..1] z; if (z == 1) { k := n; } z := 1; n++; }",
        expect!["safe; ends: n=2 k=0 | n=2 k=1 | n=2 k=5"],
    );
    ends(
        "L: int[0..1] z; if (z == 1 && n < 3) { n++; goto L; }",
        expect!["safe; ends: n=0 k=5 | n=1 k=5 | n=2 k=5 | n=3 k=5"],
    );
}
