//! Atomic blocks and sections.

use expect_test::expect;

use crate::lowering::check;

#[test]
fn nobody_sees_the_middle() {
    check(
        "int[0..9] n := 0; thread a * 2 { atomic { int[0..9] k := n; n := k + 1; } }",
        expect!["safe; ends: n=2"],
    );
    check(
        "int[0..9] n := 0; thread a * 2 { int[0..9] k := n; n := k + 1; }",
        expect!["safe; ends: n=1 | n=2"],
    );
}

#[test]
fn a_block_that_blocks_has_not_begun() {
    let text = |how: &str| {
        format!(
            "bool go := false, seen := false;
             thread a {{ {how} }}
             thread b {{ assert !seen; go := true; }}"
        )
    };
    check(
        &text("atomic { seen := true; assume go; seen := false; }"),
        expect!["safe; ends: go=true seen=false"],
    );
    check(
        &text("atomic_begin; seen := true; assume go; seen := false; atomic_end;"),
        expect!["safe; ends: go=true seen=false"],
    );
    check(
        &text("seen := true; assume go; seen := false;"),
        expect!["wrong at 2: line 3: assertion failed; ends: go=true seen=false"],
    );
}

#[test]
fn a_block_waits_for_a_lock() {
    check(
        "lock m; bool in := false;
         thread a * 2 { atomic { acquire m; in := true; in := false; release m; } }
         thread b { acquire m; assert !in; release m; }",
        expect!["safe; ends: m=free in=false"],
    );
}

#[test]
fn loops_calls_and_returns_inside() {
    check(
        "int[0..9] n := 0; thread a { atomic { while (n < 7) { n++; } } } thread b { assert n == 0 || n == 7; }",
        expect!["safe; ends: n=7"],
    );
    check(
        "int[0..9] n := 0;
         int[0..9] twice(int[0..9] k) { n++; k := k * 2; return k; }
         thread a { atomic { n := twice(2); n := twice(n); } } thread b { assert n == 0 || n == 8; }",
        expect!["safe; ends: n=8"],
    );
    check(
        "int[0..9] n := 0;
         bool f() { atomic { n := 1; if (*) { n := 2; return true; } n := 3; } return false; }
         thread a { bool b := f(); assert b == (n == 2); }
         thread b { assert n != 1; }",
        expect!["safe; ends: n=2 | n=3"],
    );
}

#[test]
fn jumps_out_of_a_block_end_it() {
    check(
        "int[0..9] n := 0;
         thread a { while (true) { atomic { n := 1; if (*) { break; } n := 2; } n := 0; } n := 5; }
         thread b { assert n != 1; }",
        expect!["wrong at 2: line 3: assertion failed; ends: n=5"],
    );
    check(
        "int[0..9] n := 0; thread a { atomic { n := 1; goto Out; } n := 2; Out: n := n + 3; }
         thread b { assume n == 1; n := 4; }",
        expect!["safe; ends: n=4 | n=7"],
    );
}

#[test]
fn an_execution_that_does_not_end_does_not_happen() {
    check(
        "bool x := false; void main() { atomic { x := *; while (x) {} } }",
        expect!["safe; ends: x=false"],
    );
    check(
        "bool x := false; void main() { atomic { x := true; L: goto L; } }",
        expect!["safe; never ends"],
    );
}

#[test]
fn recursion_without_end_is_a_fault() {
    check(
        "void f() { f(); } void main() { atomic { f(); } }",
        expect![
            "line 1: this atomic section does not seem to end: too many configurations were met inside of it; look for a loop or a recursion without an end"
        ],
    );
}

#[test]
fn a_section_is_followed_as_far_as_was_said() {
    let text = "int[0..99] n := 0; void main() { atomic { while (n < 99) { n := n + 1; } } }";
    let stopped = |most: usize| {
        let system = crate::support::system(text).within_sections(most);
        crate::support::Behaviour::of(&system, 1, 100).stopped.map(|why| why.to_string())
    };
    assert_eq!(stopped(1_000), None);
    let why = stopped(50).expect("it takes more than that");
    assert!(why.contains("this atomic section does not seem to end"), "{why}");
}

#[test]
fn a_section_that_is_in_doubt_has_no_flow_graph() {
    let text = "bool x; void main() { if (x) { atomic_begin; } x := true; atomic_end; }";
    let error = crate::support::lower(&crate::support::read_weave(text), text).err();
    expect!["this is reached both inside and outside of an atomic section: every way to it must have passed the same atomic_begin"].assert_eq(&error.expect("an error").to_string());
}

#[test]
fn a_block_may_start_a_thread() {
    check(
        "int[0..9] n := 0; void f() { n := n + 1; }
         thread a { atomic { n := 3; async f(); n := 5; } }",
        expect!["safe; ends: n=6"],
    );
    check(
        "void f() {} void main() { atomic { async f(); async f(); } }",
        expect!["line 1: an atomic section may start only one thread"],
    );
}

#[test]
fn blocks_in_blocks_and_in_called_procedures() {
    check(
        "int[0..9] n := 0;
         void f() { atomic { n := n + 1; n := n + 1; } n := n + 1; }
         thread a { atomic { f(); atomic { n := n + 1; } } f(); }
         thread b { assert n != 1 && n != 2 && n != 3 && n != 5; }",
        expect!["safe; ends: n=7"],
    );
}
