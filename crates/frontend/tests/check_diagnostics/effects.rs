//! Effects: calls, starts of threads, operations in one step.

use expect_test::expect;

use crate::check_diagnostics::diagnose;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_program::Source;

#[test]
fn calls() {
    diagnose([
        (
            "an unknown procedure",
            "void worker() { }\n\
             void main() { wroker(); }",
            expect![[r#"
                error: there is no procedure `wroker`
                 --> t.weave:2:15
                  |
                2 | void main() { wroker(); }
                  |               ^^^^^^
                  |
                  = help: did you mean `worker`?

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable for a procedure",
            "bool x;\n\
             void main() { x(); }",
            expect![[r#"
                error: `x` is a shared variable, not a procedure
                 --> t.weave:2:15
                  |
                1 | bool x;
                  |      - declared here
                2 | void main() { x(); }
                  |               ^

                t.weave: 1 error
            "#]],
        ),
        (
            "too few arguments",
            "void f(bool a, bool b) { }\n\
             void main() { f(true); }",
            expect![[r#"
                error: `f` has 2 parameters, but 1 argument is given
                 --> t.weave:2:15
                  |
                1 | void f(bool a, bool b) { }
                  |      - declared here
                2 | void main() { f(true); }
                  |               ^^^^^^^
                  |
                  = help: it is declared as `void f(bool a, bool b)`

                t.weave: 1 error
            "#]],
        ),
        (
            "arguments of no parameters",
            "void f() { }\n\
             void main() { f(1); }",
            expect![[r#"
                error: `f` has no parameters, but 1 argument is given
                 --> t.weave:2:15
                  |
                1 | void f() { }
                  |      - declared here
                2 | void main() { f(1); }
                  |               ^^^^
                  |
                  = help: it is declared as `void f()`

                t.weave: 1 error
            "#]],
        ),
        (
            "an argument of the wrong type",
            "void f(bool a) { }\n\
             int[0..3] n;\n\
             void main() { f(n); }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:3:17
                  |
                1 | void f(bool a) { }
                  |             - this is a truth value
                2 | int[0..3] n;
                3 | void main() { f(n); }
                  |                 ^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
        (
            "an argument outside of the range",
            "void f(int[0..3] a) { }\n\
             void main() { f(4); }",
            expect![[r#"
                error: 4 is outside of `int[0..3]`
                 --> t.weave:2:17
                  |
                1 | void f(int[0..3] a) { }
                  |                  - holds integers from 0 to 3
                2 | void main() { f(4); }
                  |                 ^
                  |
                  = help: if 4 is meant, declare the range `[0..4]`

                t.weave: 1 error
            "#]],
        ),
        (
            "the result of a void procedure",
            "void f() { }\n\
             bool b;\n\
             void main() { b := f(); }",
            expect![[r#"
                error: `f` has no results, but 1 variable is left of `:=`
                 --> t.weave:3:20
                  |
                1 | void f() { }
                  |      - declared here
                2 | bool b;
                3 | void main() { b := f(); }
                  |                    ^^^
                  |
                  = help: call it without `:=`, or declare it with a type: `bool f(…)`

                t.weave: 1 error
            "#]],
        ),
        (
            "two variables for one result",
            "bool f() { return *; }\n\
             bool a, b;\n\
             void main() { a, b := f(); }",
            expect![[r#"
                error: `f` has 1 result, but 2 variables are left of `:=`
                 --> t.weave:3:23
                  |
                1 | bool f() { return *; }
                  |      - declared here
                2 | bool a, b;
                3 | void main() { a, b := f(); }
                  |                       ^^^
                  |
                  = help: write `x := f(…);`

                t.weave: 1 error
            "#]],
        ),
        (
            "a result of the wrong type",
            "bool f() { return *; }\n\
             int[0..3] n;\n\
             void main() { n := f(); }",
            expect![[r#"
                error: `f` gives a truth value, but `n` is an integer
                 --> t.weave:3:15
                  |
                2 | int[0..3] n;
                  |           - declared here
                3 | void main() { n := f(); }
                  |               ^
                  |
                  = help: declare it as `bool n`

                t.weave: 1 error
            "#]],
        ),
        (
            "the body of a thread is called",
            "thread a { skip; }\n\
             thread b { a(); }",
            expect![[r#"
                error: `a` is a thread, not a procedure
                 --> t.weave:2:12
                  |
                1 | thread a { skip; }
                  |        - declared here
                2 | thread b { a(); }
                  |            ^
                  |
                  = help: write its body as a procedure, which both the thread and others can run

                t.weave: 1 error
            "#]],
        ),
    ]);
}

#[test]
fn operations() {
    diagnose([
        (
            "async gives no truth value",
            "void f() { }\n\
             bool b;\n\
             void main() { b := async f(); }",
            expect![[r#"
                error: `async` gives a thread id, but `b` is a truth value
                 --> t.weave:3:15
                  |
                2 | bool b;
                  |      - declared here
                3 | void main() { b := async f(); }
                  |               ^
                  |
                  = help: a thread id is kept in a `tid b`; a thread gives no result: let it write to a shared variable, and read that after `join t;`

                t.weave: 1 error
            "#]],
        ),
        (
            "trylock of a truth value",
            "bool b, c;\n\
             void main() { c := trylock(b); }",
            expect![[r#"
                error: `trylock` needs a lock, but `b` is a truth value
                 --> t.weave:2:28
                  |
                1 | bool b, c;
                  |      - declared here
                2 | void main() { c := trylock(b); }
                  |                            ^
                  |
                  = help: locks are shared variables: `lock m;`

                t.weave: 1 error
            "#]],
        ),
        (
            "cas of the wrong type",
            "int[0..3] n := 0;\n\
             bool b;\n\
             void main() { b := cas(n, true, 5); }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:3:27
                  |
                3 | void main() { b := cas(n, true, 5); }
                  |                           ^^^^
                  |
                  = help: write `1`, or declare a `bool`

                error: 5 is outside of `int[0..3]`
                 --> t.weave:3:33
                  |
                1 | int[0..3] n := 0;
                  |           - holds integers from 0 to 3
                2 | bool b;
                3 | void main() { b := cas(n, true, 5); }
                  |                                 ^
                  |
                  = help: if 5 is meant, declare the range `[0..5]`

                t.weave: 2 errors
            "#]],
        ),
        (
            "cas of a lock",
            "lock m;\n\
             void main() { if (cas(m, 0, 1)) skip; }",
            expect![[r#"
                error: `m` is a lock, and has no value
                 --> t.weave:2:23
                  |
                1 | lock m;
                  |      - declared here
                2 | void main() { if (cas(m, 0, 1)) skip; }
                  |                       ^
                  |
                  = help: locks are only used with `acquire`, `release` and `trylock`

                t.weave: 1 error
            "#]],
        ),
        (
            "fetch_and_add to a truth value",
            "bool b;\n\
             void main() { fetch_and_add(b); }",
            expect![[r#"
                error: `fetch_and_add` needs an integer, but `b` is a truth value
                 --> t.weave:2:29
                  |
                1 | bool b;
                  |      - declared here
                2 | void main() { fetch_and_add(b); }
                  |                             ^

                t.weave: 1 error
            "#]],
        ),
        (
            "fetch_and_add as a condition",
            "int[0..3] n := 0;\n\
             void main() { if (fetch_and_add(n)) skip; }",
            expect![[r#"
                error: `fetch_and_add` gives an integer, not a truth value
                 --> t.weave:2:19
                  |
                2 | void main() { if (fetch_and_add(n)) skip; }
                  |                   ^^^^^^^^^^^^^^^^
                  |
                  = help: assign the result first: `n := fetch_and_add(x);`, then test `n`

                t.weave: 1 error
            "#]],
        ),
        (
            "the result goes to the wrong type",
            "int[0..3] n := 0;\n\
             bool b;\n\
             void main() { b := fetch_and_add(n, 1); }",
            expect![[r#"
                error: `fetch_and_add` gives an integer, but `b` is a truth value
                 --> t.weave:3:15
                  |
                2 | bool b;
                  |      - declared here
                3 | void main() { b := fetch_and_add(n, 1); }
                  |               ^
                  |
                  = help: declare it as `int b`

                t.weave: 1 error
            "#]],
        ),
    ]);
}

#[test]
fn calls_in_expressions() {
    let f = "int n := 0; bool f(int x) { return x > 0; } void p() { } const N = 1;\n";
    let cases: Vec<(&str, String)> = [
        ("behind a condition", "void main() { n := n > 0 && f(n) ? 1 : 0; }"),
        ("in a branch", "void main() { bool b; b := n > 0 ? f(n) : false; }"),
        ("a statement that waits", "void main() { assume f(n); }"),
        ("no result", "void main() { n := p() + 1; }"),
        ("in a quantifier", "int a[2]; void main() { assert forall i: f(a[i]); }"),
        ("an invariant", "invariant f(n); void main() { }"),
        ("a constant", "int x := 1 + f(1); void main() { }"),
        ("another effect", "void main() { n := fetch_and_add(n) + 1; }"),
        ("the type of a result", "void main() { n := f(1) + 1; }"),
        ("an unknown one", "void main() { n := q(1) + 1; }"),
    ]
    .into_iter()
    .map(|(name, text)| (name, format!("{f}{text}")))
    .collect();
    let mut all = String::new();
    for (name, text) in &cases {
        let source = Source::new("t.weave", text);
        let (file, mut problems) = weave::parse(&source);
        problems.extend(check(&file, &CheckOptions::default()).1);
        let told = problems.iter().map(|problem| {
            let hint = problem.hint.as_deref().unwrap_or("-");
            format!("  {} -- {hint}\n", problem.message)
        });
        all += &format!("{name}\n{}", told.collect::<String>());
    }
    expect![[r#"
        behind a condition
          whether this call is made depends on `&&` -- calls are made before the rest is computed: write `if … { t := f(…); }`, then use `t`
        in a branch
          whether this call is made depends on `? :` -- calls are made before the rest is computed: write `if … { t := f(…); }`, then use `t`
        a statement that waits
          a call cannot stand here -- give its result to a variable first: `t := f(…);`
        no result
          `p` has no results, but one is needed here -- a call is a statement of its own: `p(…);`; `tid t := async p(…);` starts a thread, which `join t;` waits for
        in a quantifier
          whether this call is made depends on a quantifier -- write a loop that calls `f` for each index
        an invariant
          an invariant is looked at in one step, and calls nothing -- name what it computes, as an expression over shared variables
        a constant
          a call cannot stand here -- give its result to a variable first: `t := f(…);`
        another effect
          `fetch_and_add` cannot be part of an expression -- give its result to a variable first: `t := fetch_and_add(n);`
          `*` cannot choose among all integers -- say among which, as in `{0 .. 9}`, or give the variable a range, as in `int[0..9]`
        the type of a result
          expected an integer, but this is a truth value -- `b ? 1 : 0` makes a number of a truth value
        an unknown one
          there is no procedure `q` -- declare it, as in `int q(int n) { … }`
    "#]].assert_eq(&all);
}
