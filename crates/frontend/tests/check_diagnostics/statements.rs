//! Statements: assignments, returns, locks.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn assignments() {
    diagnose([
        (
            "too few values",
            "bool x, y;\n\
             void main() { x, y := true; }",
            expect![[r#"
                error: 1 value for 2 variables
                 --> t.weave:2:15
                  |
                2 | void main() { x, y := true; }
                  |               ^^^^^^^^^^^^
                  |
                  = help: an assignment has one value for each variable: `x, y := 1, 2;`

                t.weave: 1 error
            "#]],
        ),
        (
            "too many values",
            "bool x;\n\
             void main() { x := true, false; }",
            expect![[r#"
                error: 2 values for 1 variable
                 --> t.weave:2:15
                  |
                2 | void main() { x := true, false; }
                  |               ^^^^^^^^^^^^^^^^
                  |
                  = help: an assignment has one value for each variable: `x, y := 1, 2;`

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable twice",
            "bool x;\n\
             void main() { x, x := true, false; }",
            expect![[r#"
                error: `x` is assigned twice at once
                 --> t.weave:2:18
                  |
                2 | void main() { x, x := true, false; }
                  |               -  ^
                  |               |
                  |               assigned here
                  |
                  = help: it can have only one of the values

                t.weave: 1 error
            "#]],
        ),
        (
            "a constant outside of the range",
            "int[0..3] n := 0;\n\
             void main() { n := 2 + 2; }",
            expect![[r#"
                error: 4 is outside of `int[0..3]`
                 --> t.weave:2:20
                  |
                1 | int[0..3] n := 0;
                  |           - holds integers from 0 to 3
                2 | void main() { n := 2 + 2; }
                  |                    ^^^^^
                  |
                  = help: if 4 is meant, declare the range `[0..4]`

                t.weave: 1 error
            "#]],
        ),
        (
            "one of the choices is outside of the range",
            "int[0..3] n := 0;\n\
             void main() { n := {1, 7}; }",
            expect![[r#"
                error: 7 is outside of `int[0..3]`
                 --> t.weave:2:24
                  |
                1 | int[0..3] n := 0;
                  |           - holds integers from 0 to 3
                2 | void main() { n := {1, 7}; }
                  |                        ^
                  |
                  = help: if 7 is meant, declare the range `[0..7]`

                t.weave: 1 error
            "#]],
        ),
        (
            "constrain is not a truth value",
            "int[0..3] n := 0;\n\
             void main() { n := * constrain 'n + 1; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:2:32
                  |
                2 | void main() { n := * constrain 'n + 1; }
                  |                                ^^^^^^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
        (
            "an array that is set at once",
            "bool a[20000];\n\
             void main() { havoc a; }",
            expect![[r#"
                error: the 20000 elements of `a` cannot be set at once
                 --> t.weave:2:21
                  |
                2 | void main() { havoc a; }
                  |                     ^
                  |
                  = help: at most 10000 can; a loop sets them one by one

                t.weave: 1 error
            "#]],
        ),
        (
            "any thread",
            "void main() { tid t; havoc t; }",
            expect![[r#"
            error: `t` cannot be any thread
             --> t.weave:1:28
              |
            1 | void main() { tid t; havoc t; }
              |                            ^
              |
              = help: thread ids come from `async`; `none` is no thread

            t.weave: 1 error
        "#]],
        ),
    ]);
}

#[test]
fn returns() {
    diagnose([
        (
            "no value",
            "bool f() { return; }\n\
             void main() { f(); }",
            expect![[r#"
                error: `f` has 1 result, but no values are returned
                 --> t.weave:1:12
                  |
                1 | bool f() { return; }
                  |      -     ^^^^^^
                  |      |
                  |      declared here
                  |
                  = help: write `return …;`

                t.weave: 1 error
            "#]],
        ),
        (
            "a value of a void procedure",
            "void f() { return true; }\n\
             void main() { f(); }",
            expect![[r#"
                error: `f` has no results, but 1 value is returned
                 --> t.weave:1:12
                  |
                1 | void f() { return true; }
                  |      -     ^^^^^^^^^^^
                  |      |
                  |      declared here
                  |
                  = help: the type of the result stands before the name, in the place of `void`

                t.weave: 1 error
            "#]],
        ),
        (
            "too few values",
            "(bool, int) f() { return true; }\n\
             void main() { f(); }",
            expect![[r#"
                error: `f` has 2 results, but 1 value is returned
                 --> t.weave:1:19
                  |
                1 | (bool, int) f() { return true; }
                  |             -     ^^^^^^^^^^^
                  |             |
                  |             declared here
                  |
                  = help: return one value, or declare it as `bool f(…)`

                t.weave: 1 error
            "#]],
        ),
        (
            "the wrong type",
            "int[0..3] f() { return true; }\n\
             void main() { f(); }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:1:24
                  |
                1 | int[0..3] f() { return true; }
                  | ---------              ^^^^
                  | |
                  | this is an integer
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
        (
            "outside of the range",
            "int[0..3] f() { return 9; }\n\
             void main() { f(); }",
            expect![[r#"
                error: 9 is outside of `int[0..3]`
                 --> t.weave:1:24
                  |
                1 | int[0..3] f() { return 9; }
                  | ---------              ^
                  | |
                  | holds integers from 0 to 3
                  |
                  = help: if 9 is meant, declare the range `[0..9]`

                t.weave: 1 error
            "#]],
        ),
    ]);
}

#[test]
fn locks_and_threads() {
    diagnose([
        (
            "acquire of a truth value",
            "bool m;\n\
             void main() { acquire m; }",
            expect![[r#"
                error: `acquire` needs a lock, but `m` is a truth value
                 --> t.weave:2:23
                  |
                1 | bool m;
                  |      - declared here
                2 | void main() { acquire m; }
                  |                       ^
                  |
                  = help: locks are shared variables: `lock m;`

                t.weave: 1 error
            "#]],
        ),
        (
            "release of an unknown lock",
            "lock mutex1;\n\
             void main() { release mutx1; }",
            expect![[r#"
                error: there is no variable `mutx1`
                 --> t.weave:2:23
                  |
                2 | void main() { release mutx1; }
                  |                       ^^^^^
                  |
                  = help: did you mean `mutex1`?

                t.weave: 1 error
            "#]],
        ),
        (
            "a lock is assigned",
            "lock m;\n\
             void main() { m := true; }",
            expect![[r#"
                error: `m` is a lock, and has no value
                 --> t.weave:2:15
                  |
                1 | lock m;
                  |      - declared here
                2 | void main() { m := true; }
                  |               ^
                  |
                  = help: locks are only used with `acquire`, `release` and `trylock`

                t.weave: 1 error
            "#]],
        ),
        (
            "join of a number",
            "void main() { join 3; }",
            expect![[r#"
            error: expected a thread id, but this is an integer
             --> t.weave:1:20
              |
            1 | void main() { join 3; }
              |                    ^
              |
              = help: thread ids come from `t := async f();`; `none` is no thread

            t.weave: 1 error
        "#]],
        ),
        (
            "assert of a number",
            "int n := 0;\n\
             void main() { assert n; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:2:22
                  |
                2 | void main() { assert n; }
                  |                      ^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
    ]);
}
