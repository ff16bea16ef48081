//! Results of calls: see `docs/decisions/0004-results-through-the-shared-state.md`.

use expect_test::expect;

use crate::lowering::check;

#[test]
fn results_arrive() {
    check(
        "int[0..99] n := 0;
         int[0..99] fib(int[0..9] k) {
           if (k < 2) { return k; }
           int[0..99] a := fib(k - 1);
           int[0..99] b := fib(k - 2);
           return a + b;
         }
         void main() { n := fib(7); }",
        expect!["safe; ends: n=13"],
    );
    check(
        "bool x := false; int n := 0; (bool, int) f(int k) { return k > 3, k * 2; }
         void main() { x, n := f(5); f(1); }",
        expect!["safe; ends: x=true n=10"],
    );
}

#[test]
fn a_procedure_that_ends_without_return_returns_anything() {
    check(
        "bool x := false; bool f() {} void main() { x := f(); assert x; }",
        expect!["wrong at 1: line 1: assertion failed; ends: x=true"],
    );
    check(
        "tid t; tid f() {} void main() { t := f(); assert t == none; }",
        expect!["safe; ends: t=none"],
    );
}

#[test]
fn an_open_result_has_the_values_of_its_own_type() {
    check(
        "int[0..1] n := 0; int[0..3] f() { return *; } void main() { n := f(); }",
        expect!["wrong at 1: line 1: 2 does not fit `n`, which is int[0..1]; ends: n=0 | n=1"],
    );
    check(
        "int[0..3] n := 0; int[0..1] f() { return *; } void main() { n := f(); assert n < 2; }",
        expect!["safe; ends: n=0 | n=1"],
    );
    check(
        "int n := 0; int[2..3] f() {} void main() { n := f(); assert n == 2 || n == 3; }",
        expect!["safe; ends: n=2 | n=3"],
    );
}

#[test]
fn nobody_runs_between_return_and_assignment() {
    check(
        "bool x := false, y := false;
         bool f() { y := true; return true; }
         thread a { x := f(); y := false; }
         thread b { assume y; x := false; }",
        expect!["safe; ends: x=false y=false | x=true y=false"],
    );
    // The place of the result is found after the call.
    check(
        "int[0..1] a[2] := 0; int[0..1] i := 0; int[0..1] f() { i := 1; return 1; }
         void main() { a[i] := f(); }",
        expect!["safe; ends: a=[0,1] i=1"],
    );
}

#[test]
fn a_thread_that_ends_takes_no_results_of_others() {
    check(
        "bool x := false; tid t;
         void quick() {}
         bool yes() { return true; }
         void main() { t := async quick(); x := yes(); join t; assert x; }",
        expect!["safe; ends: x=true t=1 ended={1}"],
    );
    check(
        "bool x := false; tid t;
         bool no() { return false; }
         bool yes() { return true; }
         void main() { t := async no(); x := yes(); join t; assert x; }",
        expect!["safe; ends: x=true t=1 ended={1}"],
    );
    check(
        "bool x := false;
         bool stops() { end_thread; }
         bool yes() { return true; }
         void main() { async stops(); x := yes(); assert x; }",
        expect!["safe; ends: x=true"],
    );
}

#[test]
fn threads_whose_procedure_has_results() {
    check(
        "bool x := false; bool f() { x := true; return x; } thread a * 2 = f();",
        expect!["safe; ends: x=true"],
    );
}
