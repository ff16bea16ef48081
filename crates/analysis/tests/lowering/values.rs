//! Open values and numbers.

use std::fmt::Write;

use expect_test::{Expect, expect};
use selvedge_model::{System, ThreadId, step};

use crate::lowering::check;
use crate::support::system;

#[test]
fn sixty_open_variables_are_one_state() {
    let names: Vec<String> = (0..60).map(|i| format!("b{i}")).collect();
    let names = names.join(", ");
    let text = format!(
        "bool {names}; bool x := false;
         void main() {{ bool {}; x := b7; x := c8 && b9; havoc b1, b2; }}",
        names.replace('b', "c")
    );
    let system = system(&text);
    let initial = system.initial().expect("no fault");
    assert_eq!(initial.len(), 1);
    let steps = step(&system, &initial[0], ThreadId(0)).expect("no fault");
    assert_eq!(steps.len(), 2, "b7 is chosen, and nothing else");
}

#[test]
fn too_many_combinations_are_a_fault() {
    let mut text = String::from("bool b[60]; void main() { assume b[0]");
    for i in 1..60 {
        let _ = write!(text, " != b[{i}]");
        text = text.replace("assume ", "assume (") + ")";
    }
    text += "; }";
    check(
        &text,
        expect![
            "line 1: this statement has more than 279620 combinations of values: split it, or use smaller types or shorter arrays"
        ],
    );
}

#[test]
fn a_choice_is_kept() {
    check(
        "bool b; void main() { if (b) { assert b; } else { assert !b; } b := true; }",
        expect!["safe; ends: b=true"],
    );
    check("bool b; thread a { assume b; } thread c { assume !b; }", expect!["safe; never ends"]);
    check(
        "bool b; thread a { havoc b; assume b; } thread c { assume !b; b := true; }",
        expect!["safe; ends: b=true"],
    );
    check(
        "int[0..2] a[2]; void main() { int[0..1] i; assume a[i] == 2 && a[1 - i] == 1; }",
        expect!["safe; ends: a=[1,2] | a=[2,1]"],
    );
}

#[test]
fn any_integer_is_a_fault_when_it_is_read() {
    check(
        "int n; bool x := false; void main() { x := true; n := 3; assert n == 3; }",
        expect!["safe; ends: n=3 x=true"],
    );
    check(
        "int n; void main() { assert n != 7; }",
        expect![
            "line 1: `n` may be any integer here: give it a value before it is read, or choose from a range, as in {0 .. 9}"
        ],
    );
    check(
        "int f() {} void main() { int n := f(); n := n + 1; }",
        expect![
            "line 1: `n` may be any integer here: give it a value before it is read, or choose from a range, as in {0 .. 9}"
        ],
    );
    check(
        "int[0..100000] n; void main() { assert n != 7; }",
        expect!["line 1: `n` has more than 65536 possible values: use a smaller range"],
    );
}

#[test]
fn big_numbers() {
    check(
        "int n := 1; void main() { int[0..40] i := 0; while (i < 40) { n := n * 1000; i++; } n := n + 1; n := n % 1000007; }",
        expect!["safe; ends: n=657717"],
    );
    check(
        "int n := 9223372036854775807; int k := -9223372036854775808; int z := 0;
         void main() { n := n + 1; k := k - 1; z := n + k; assert n > 9223372036854775807 && k < -n && z == -1; }",
        expect!["safe; ends: n=9223372036854775808 k=-9223372036854775809 z=-1"],
    );
    check(
        "int n := -9223372036854775808; void main() { n := -n; n := n / -1; n := n * -1; }",
        expect!["safe; ends: n=9223372036854775808"],
    );
    check(
        "int n := -9223372036854775808; void main() { n := n / -1; }",
        expect!["safe; ends: n=9223372036854775808"],
    );
    check(
        "int[0..340282366920938463463374607431768211456] n := 340282366920938463463374607431768211456;
         void main() { n := n + 1; }",
        expect!["wrong at 1: line 2: 340282366920938463463374607431768211457 does not fit `n`, which is int[0..340282366920938463463374607431768211456]; never ends"],
    );
}

#[test]
fn numbers_do_not_eat_the_memory() {
    check(
        "int n := 3; void main() { while (true) { n := n * n; } }",
        expect![
            "line 1: a number has more than 65536 bits here: bound the variables, as in `int[0..9] x`"
        ],
    );
    check(
        "int n := 3; void main() { while (true) { fetch_and_add(n, n * n); } }",
        expect![
            "line 1: a number has more than 65536 bits here: bound the variables, as in `int[0..9] x`"
        ],
    );
}

fn quotients(a: &str, b: &str, expect: Expect) {
    check(&format!("int q := {a}; int r := {b}; void main() {{ q, r := q / r, q % r; }}"), expect);
}

#[test]
fn division_leaves_no_negative_remainder() {
    quotients("7", "2", expect!["safe; ends: q=3 r=1"]);
    quotients("7", "-2", expect!["safe; ends: q=-3 r=1"]);
    quotients("-7", "2", expect!["safe; ends: q=-4 r=1"]);
    quotients("-7", "-2", expect!["safe; ends: q=4 r=1"]);
    quotients("-8", "2", expect!["safe; ends: q=-4 r=0"]);
    quotients("-100000000000000000000", "7", expect!["safe; ends: q=-14285714285714285715 r=5"]);
    quotients("-100000000000000000000", "-7", expect!["safe; ends: q=14285714285714285715 r=5"]);
    quotients("100000000000000000000", "-7", expect!["safe; ends: q=-14285714285714285714 r=2"]);
    quotients("-7", "100000000000000000000", expect!["safe; ends: q=-1 r=99999999999999999993"]);
}

#[test]
fn enumerations_and_arrays() {
    check(
        "enum E { A, B, C } E e; E f := B; bool seen[2][2] := {{true, false}, false};
         void main() { assume e != A && e != f; seen[1][0] := seen[0][0]; }",
        expect!["safe; ends: e=C f=B seen=[[true,false],[true,false]]"],
    );
}
