//! Types: bounds, lengths, first values.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn types() {
    diagnose([
        (
            "an empty range",
            "int[3..1] x;\n\
             void main() { }",
            expect![[r#"
                error: `int[3..1]` has no values
                 --> t.weave:1:5
                  |
                1 | int[3..1] x;
                  |     ^^^^
                  |
                  = help: the least value comes first, the greatest second

                t.weave: 1 error
            "#]],
        ),
        (
            "a range with a variable bound",
            "int[0..9] n;\n\
             void main() { int[0..n] x; }",
            expect![[r#"
                error: expected a constant, but `n` is a variable
                 --> t.weave:2:22
                  |
                1 | int[0..9] n;
                  |           - declared here
                2 | void main() { int[0..n] x; }
                  |                      ^
                  |
                  = help: a value that never changes can be declared with `const`

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown type",
            "enum Phase { Idle }\n\
             Phas p;\n\
             void main() { }",
            expect![[r#"
                error: there is no type `Phas`
                 --> t.weave:2:1
                  |
                2 | Phas p;
                  | ^^^^
                  |
                  = help: did you mean `Phase`?

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable for a type",
            "bool x;\n\
             x y;\n\
             void main() { }",
            expect![[r#"
                error: `x` is a shared variable, not a type
                 --> t.weave:2:1
                  |
                1 | bool x;
                  |      - declared here
                2 | x y;
                  | ^
                  |
                  = help: a declaration begins with a type: `int x;`, `bool b;`

                t.weave: 1 error
            "#]],
        ),
        (
            "an array without elements",
            "bool a[0];\n\
             void main() { }",
            expect![[r#"
                error: an array cannot have the length 0
                 --> t.weave:1:8
                  |
                1 | bool a[0];
                  |        ^
                  |
                  = help: lengths go from 1 to 65536

                t.weave: 1 error
            "#]],
        ),
        (
            "an array that is too long",
            "bool a[100000];\n\
             void main() { }",
            expect![[r#"
                error: an array cannot have the length 100000
                 --> t.weave:1:8
                  |
                1 | bool a[100000];
                  |        ^^^^^^
                  |
                  = help: lengths go from 1 to 65536

                t.weave: 1 error
            "#]],
        ),
        (
            "an array with too many elements",
            "bool a[2000][2000];\n\
             void main() { }",
            expect![[r#"
                error: `a` has 4000000 elements; at most 65536 are possible
                 --> t.weave:1:6
                  |
                1 | bool a[2000][2000];
                  |      ^
                  |
                  = help: a verifier looks at every state; small arrays often show the same mistakes

                t.weave: 1 error
            "#]],
        ),
        (
            "too many dimensions",
            "bool a[2][2][2][2];\n\
             void main() { }",
            expect![[r#"
                error: `a` has 4 dimensions; at most 3 are possible
                 --> t.weave:1:17
                  |
                1 | bool a[2][2][2][2];
                  |                 ^

                t.weave: 1 error
            "#]],
        ),
        (
            "a parameter that is an array",
            "void f(bool a[2]) { }\n\
             void main() { }",
            expect![[r#"
                error: a parameter cannot be an array
                 --> t.weave:1:8
                  |
                1 | void f(bool a[2]) { }
                  |        ^^^^
                  |
                  = help: declare it as a shared variable; to say which one, pass an index

                t.weave: 1 error
            "#]],
        ),
        (
            "a parameter that is a lock",
            "void f(lock m) { }\n\
             void main() { }",
            expect![[r#"
                warning: nobody calls `f`
                 --> t.weave:1:6
                  |
                1 | void f(lock m) { }
                  |      ^
                  |
                  = help: what its parameters stand for is known by its calls: it is no part of the program

            "#]],
        ),
        (
            "a result that is a lock",
            "lock f() { }\n\
             void main() { }",
            expect![[r#"
                error: a result cannot be a lock
                 --> t.weave:1:1
                  |
                1 | lock f() { }
                  | ^^^^
                  |
                  = help: declare it as a shared variable; to say which one, pass an index

                t.weave: 1 error
            "#]],
        ),
        (
            "a local lock",
            "void main() { lock m; acquire m; }",
            expect![[r#"
            error: the lock `m` cannot be local
             --> t.weave:1:20
              |
            1 | void main() { lock m; acquire m; }
              |                    ^
              |
              = help: a lock is there for several threads: declare it outside of the procedures

            t.weave: 1 error
        "#]],
        ),
    ]);
}

#[test]
fn first_values() {
    diagnose([
        (
            "a first value outside of the range",
            "int[0..3] x := 4;\n\
             void main() { }",
            expect![[r#"
                error: 4 is outside of `int[0..3]`
                 --> t.weave:1:16
                  |
                1 | int[0..3] x := 4;
                  |           -    ^
                  |           |
                  |           holds integers from 0 to 3
                  |
                  = help: if 4 is meant, declare the range `[0..4]`

                t.weave: 1 error
            "#]],
        ),
        (
            "a first value that is not constant",
            "bool y;\n\
             bool x := y;\n\
             void main() { }",
            expect![[r#"
                error: expected a constant, but `y` is a variable
                 --> t.weave:2:11
                  |
                1 | bool y;
                  |      - declared here
                2 | bool x := y;
                  |           ^
                  |
                  = help: a value that never changes can be declared with `const`

                t.weave: 1 error
            "#]],
        ),
        (
            "a first value that is a choice",
            "int[0..3] x := {1, 2};\n\
             void main() { }",
            expect![[r#"
                error: the first value of a shared variable must be constant
                 --> t.weave:1:16
                  |
                1 | int[0..3] x := {1, 2};
                  |                ^^^^^^ this is a choice
                  |
                  = help: without a first value, a variable holds any value of its type

                t.weave: 1 error
            "#]],
        ),
        (
            "a lock with a first value",
            "lock m := 0;\n\
             void main() { }",
            expect![[r#"
                error: a lock has no first value
                 --> t.weave:1:11
                  |
                1 | lock m := 0;
                  |           ^
                  |
                  = help: locks are free at the start

                t.weave: 1 error
            "#]],
        ),
        (
            "too few elements",
            "int[0..3] a[3] := {1, 2};\n\
             void main() { }",
            expect![[r#"
                error: 2 values for an array of 3 elements
                 --> t.weave:1:19
                  |
                1 | int[0..3] a[3] := {1, 2};
                  |           -       ^^^^^^
                  |           |
                  |           declared here
                  |
                  = help: one value without braces goes to all elements

                t.weave: 1 error
            "#]],
        ),
        (
            "a flat list for a table",
            "bool a[2][2] := {true, false, true, false};\n\
             void main() { }",
            expect![[r#"
                error: 4 values for an array of 2 elements
                 --> t.weave:1:17
                  |
                1 | bool a[2][2] := {true, false, true, false};
                  |      -          ^^^^^^^^^^^^^^^^^^^^^^^^^^
                  |      |
                  |      declared here
                  |
                  = help: `a` needs one `{…}` for each row

                t.weave: 1 error
            "#]],
        ),
        (
            "one element of the wrong type",
            "int[0..3] a[2] := {1, true};\n\
             void main() { }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:1:23
                  |
                1 | int[0..3] a[2] := {1, true};
                  |           -           ^^^^
                  |           |
                  |           this is an integer
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
        (
            "a shared variable with an effect",
            "bool g() { return *; }\n\
             bool x := g();\n\
             void main() { }",
            expect![[r#"
                error: the first value of a shared variable must be constant
                 --> t.weave:2:11
                  |
                2 | bool x := g();
                  |           ^^^
                  |
                  = help: assign the result in a procedure, before other threads are started

                t.weave: 1 error
            "#]],
        ),
    ]);
}
