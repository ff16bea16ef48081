//! All ways of going wrong: see `docs/decisions/0005-going-wrong.md`.

use expect_test::{Expect, expect};

use crate::lowering::check;

fn body(body: &str, expect: Expect) {
    check(
        &format!(
            "int[0..3] n := 3; int i := 2; int[0..3] a[2] := 0; lock m; tid t;
             void narrow(int[0..1] p) {{}}
             int[0..1] two(int k) {{ return k; }}
             void main() {{\n{body}\n}}"
        ),
        expect,
    );
}

#[test]
fn assertions() {
    body("assert n == 3;", expect!["safe; ends: n=3 i=2 a=[0,0] m=free t=none"]);
    body("assert n == 2;", expect!["wrong at 1: line 5: assertion failed; never ends"]);
    body(
        "assert *;",
        expect!["wrong at 1: line 5: assertion failed; ends: n=3 i=2 a=[0,0] m=free t=none"],
    );
    body("bool b; assert b || !b;", expect!["safe; ends: n=3 i=2 a=[0,0] m=free t=none"]);
    body("if (n == 2) { assert false; }", expect!["safe; ends: n=3 i=2 a=[0,0] m=free t=none"]);
}

#[test]
fn values_out_of_range() {
    body(
        "n := i + 2;",
        expect!["wrong at 1: line 5: 4 does not fit `n`, which is int[0..3]; never ends"],
    );
    body(
        "n := i - 3;",
        expect!["wrong at 1: line 5: -1 does not fit `n`, which is int[0..3]; never ends"],
    );
    body("n++;", expect!["wrong at 1: line 5: 4 does not fit `n`, which is int[0..3]; never ends"]);
    body(
        "a[1] := i * i;",
        expect!["wrong at 1: line 5: 4 does not fit `a`, which is int[0..3]; never ends"],
    );
    body(
        "n := {i .. i + 2};",
        expect![
            "wrong at 1: line 5: 4 does not fit `n`, which is int[0..3]; ends: n=2 i=2 a=[0,0] m=free t=none | n=3 i=2 a=[0,0] m=free t=none"
        ],
    );
    body(
        "fetch_and_add(n);",
        expect!["wrong at 1: line 5: 4 does not fit `n`, which is int[0..3]; never ends"],
    );
    body(
        "cas(n, 3, i + 2);",
        expect!["wrong at 1: line 5: 4 does not fit `n`, which is int[0..3]; never ends"],
    );
    body("cas(n, 0, i + 2);", expect!["safe; ends: n=3 i=2 a=[0,0] m=free t=none"]);
    body(
        "narrow(i);",
        expect!["wrong at 1: line 5: 2 does not fit `p`, which is int[0..1]; never ends"],
    );
    body(
        "async narrow(i);",
        expect!["wrong at 1: line 5: 2 does not fit `p`, which is int[0..1]; never ends"],
    );
    body(
        "n := two(i);",
        expect![
            "wrong at 1: line 3: 2 does not fit the result of `two`, which is int[0..1]; never ends"
        ],
    );
    body("i := two(i - 1);", expect!["safe; ends: n=3 i=1 a=[0,0] m=free t=none"]);
}

#[test]
fn a_result_that_does_not_fit() {
    check(
        "int[0..1] n; int[0..3] f(int[0..3] k) { return k; } void main() { n := f(1); n := f(2); }",
        expect!["wrong at 1: line 1: 2 does not fit `n`, which is int[0..1]; never ends"],
    );
}

#[test]
fn indices_out_of_range() {
    body(
        "a[i] := 0;",
        expect!["wrong at 1: line 5: index 2 is outside of `a`, which has 2 elements; never ends"],
    );
    body(
        "n := a[i];",
        expect!["wrong at 1: line 5: index 2 is outside of `a`, which has 2 elements; never ends"],
    );
    body(
        "n := a[i - 3];",
        expect!["wrong at 1: line 5: index -1 is outside of `a`, which has 2 elements; never ends"],
    );
    body(
        "havoc a[i];",
        expect!["wrong at 1: line 5: index 2 is outside of `a`, which has 2 elements; never ends"],
    );
    body(
        "assume a[i] == 0;",
        expect!["wrong at 1: line 5: index 2 is outside of `a`, which has 2 elements; never ends"],
    );
    body("assume i < 2 && a[i] == 0;", expect!["safe; never ends"]);
}

#[test]
fn division_by_zero() {
    body("i := 1 / (i - 2);", expect!["wrong at 1: line 5: division by zero; never ends"]);
    body("i := 1 % (i - 2);", expect!["wrong at 1: line 5: division by zero; never ends"]);
    body(
        "if (i == 2 || 1 / (i - 2) > 0) { skip; }",
        expect!["safe; ends: n=3 i=2 a=[0,0] m=free t=none"],
    );
}

#[test]
fn an_empty_choice() {
    body(
        "i := {i .. 1};",
        expect!["wrong at 1: line 5: there is no integer from 2 to 1 to choose; never ends"],
    );
}

#[test]
fn locks_and_threads() {
    body(
        "release m;",
        expect!["wrong at 1: line 5: `m` is released but nobody holds it; never ends"],
    );
    body(
        "acquire m; release m; release m;",
        expect!["wrong at 1: line 5: `m` is released but nobody holds it; never ends"],
    );
    body(
        "join t;",
        expect!["wrong at 1: line 5: join of a thread that was never started; never ends"],
    );
    body(
        "join none;",
        expect!["wrong at 1: line 5: join of a thread that was never started; never ends"],
    );
}

#[test]
fn inside_of_an_atomic_block_the_whole_program_goes_wrong() {
    check(
        "bool x := false; thread a { atomic { x := true; assert false; } } thread b { assume x; }",
        expect!["wrong at 1: line 1: assertion failed; never ends"],
    );
}

#[test]
fn a_wrong_state_is_the_end() {
    check(
        "bool x := false; void main() { if (*) { assert false; } x := true; }",
        expect!["wrong at 1: line 1: assertion failed; ends: x=true"],
    );
}
