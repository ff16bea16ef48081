//! Expressions: which types go together.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn expressions() {
    diagnose([
        (
            "a number for a truth value",
            "void main() { if (2) skip; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:1:18
                  |
                1 | void main() { if (2) skip; }
                  |                  ^^^
                  |
                  = help: truth values are `true` and `false`

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable number for a truth value",
            "int[0..3] n := 0;\n\
             void main() { assume n; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:2:22
                  |
                2 | void main() { assume n; }
                  |                      ^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
        (
            "a truth value for a number",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { n := b + 1; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:3:20
                  |
                3 | void main() { n := b + 1; }
                  |                    ^
                  |
                  = help: `b := !b;` negates it; `b ? 1 : 0` makes a number of it

                t.weave: 1 error
            "#]],
        ),
        (
            "both sides differ",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { assert b == n; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:3:27
                  |
                3 | void main() { assert b == n; }
                  |                      -    ^
                  |                      |
                  |                      this is a truth value
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                t.weave: 1 error
            "#]],
        ),
        (
            "order of truth values",
            "bool a, b;\n\
             void main() { assert a <= b; }",
            expect![[r#"
                error: `<=` compares integers, but this is a truth value
                 --> t.weave:2:22
                  |
                2 | void main() { assert a <= b; }
                  |                      ^
                  |
                  = help: for truth values there is `a ==> b`: if `a` holds then so does `b`

                t.weave: 1 error
            "#]],
        ),
        (
            "order of a truth value and a number",
            "bool b;\n\
             void main() { assert 3 > b; }",
            expect![[r#"
                error: `>` compares integers, but this is a truth value
                 --> t.weave:2:26
                  |
                2 | void main() { assert 3 > b; }
                  |                          ^
                  |
                  = help: for truth values there is `a ==> b`: if `a` holds then so does `b`

                t.weave: 1 error
            "#]],
        ),
        (
            "order of enumerators",
            "enum E { A, B }\n\
             E e;\n\
             void main() { assert e < B; }",
            expect![[r#"
                error: `<` compares integers, but this is a value of `E`
                 --> t.weave:3:22
                  |
                3 | void main() { assert e < B; }
                  |                      ^
                  |
                  = help: `==` and `!=` compare values of any type

                t.weave: 1 error
            "#]],
        ),
        (
            "a number for an enumerator",
            "enum Phase { Idle, Busy }\n\
             Phase p;\n\
             void main() { p := 1; }",
            expect![[r#"
                error: expected a value of `Phase`, but this is an integer
                 --> t.weave:3:20
                  |
                2 | Phase p;
                  |       - this is a value of `Phase`
                3 | void main() { p := 1; }
                  |                    ^
                  |
                  = help: the values of `Phase` are `Idle`, `Busy`

                t.weave: 1 error
            "#]],
        ),
        (
            "enumerators of different types",
            "enum A { X }\n\
             enum B { Y }\n\
             A a;\n\
             void main() { assert a == Y; }",
            expect![[r#"
                error: expected a value of `A`, but this is a value of `B`
                 --> t.weave:4:27
                  |
                4 | void main() { assert a == Y; }
                  |                      -    ^
                  |                      |
                  |                      this is a value of `A`
                  |
                  = help: the values of `A` are `X`

                t.weave: 1 error
            "#]],
        ),
        (
            "any integer",
            "int n := 0;\n\
             void main() { n := *; }",
            expect![[r#"
                error: `*` cannot choose among all integers
                 --> t.weave:2:20
                  |
                2 | void main() { n := *; }
                  |                    ^
                  |
                  = help: say among which, as in `{0 .. 9}`, or give the variable a range, as in `int[0..9]`

                t.weave: 1 error
            "#]],
        ),
        (
            "any integer in a sum",
            "int[0..3] n := 0;\n\
             void main() { n := n + *; }",
            expect![[r#"
                error: `*` cannot choose among all integers
                 --> t.weave:2:24
                  |
                2 | void main() { n := n + *; }
                  |                        ^
                  |
                  = help: say among which, as in `{0 .. 9}`, or give the variable a range, as in `int[0..9]`

                t.weave: 1 error
            "#]],
        ),
        (
            "any thread",
            "void f() { }\n\
             void main() { tid t := async f(); t := *; }",
            expect![[r#"
                error: `*` cannot choose a thread
                 --> t.weave:2:40
                  |
                2 | void main() { tid t := async f(); t := *; }
                  |                                        ^
                  |
                  = help: thread ids come from `async`; `none` is no thread

                t.weave: 1 error
            "#]],
        ),
        (
            "branches differ",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { n := b ? n : b; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:3:28
                  |
                3 | void main() { n := b ? n : b; }
                  |                            ^
                  |
                  = help: `b ? 1 : 0` makes a number of a truth value

                t.weave: 1 error
            "#]],
        ),
        (
            "a choice of different types",
            "int[0..3] n;\n\
             void main() { n := {1, true}; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:2:24
                  |
                2 | void main() { n := {1, true}; }
                  |                        ^^^^
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
        (
            "an empty choice",
            "void main() { int[0..5] n := {5 .. 2}; }",
            expect![[r#"
            error: there is no integer from 5 to 2
             --> t.weave:1:30
              |
            1 | void main() { int[0..5] n := {5 .. 2}; }
              |                              ^^^^^^^^
              |
              = help: the least value comes first, the greatest second

            t.weave: 1 error
        "#]],
        ),
        (
            "a lock is read",
            "lock m;\n\
             bool b;\n\
             void main() { b := m; }",
            expect![[r#"
                error: `m` is a lock, and has no value
                 --> t.weave:3:20
                  |
                1 | lock m;
                  |      - declared here
                2 | bool b;
                3 | void main() { b := m; }
                  |                    ^
                  |
                  = help: locks are only used with `acquire`, `release` and `trylock`

                t.weave: 1 error
            "#]],
        ),
        (
            "a lock is compared",
            "lock m, n;\n\
             void main() { assert m == n; }",
            expect![[r#"
                error: `m` is a lock, and has no value
                 --> t.weave:2:22
                  |
                1 | lock m, n;
                  |      - declared here
                2 | void main() { assert m == n; }
                  |                      ^
                  |
                  = help: locks are only used with `acquire`, `release` and `trylock`

                error: `n` is a lock, and has no value
                 --> t.weave:2:27
                  |
                1 | lock m, n;
                  |         - declared here
                2 | void main() { assert m == n; }
                  |                           ^
                  |
                  = help: locks are only used with `acquire`, `release` and `trylock`

                t.weave: 2 errors
            "#]],
        ),
        (
            "a thread id in a sum",
            "void f() { }\n\
             int n;\n\
             void main() { tid t := async f(); n := t + 1; }",
            expect![[r#"
                error: expected an integer, but this is a thread id
                 --> t.weave:3:40
                  |
                3 | void main() { tid t := async f(); n := t + 1; }
                  |                                        ^
                  |
                  = help: thread ids can be copied, compared with `==` and `!=`, and joined

                t.weave: 1 error
            "#]],
        ),
        (
            "a primed variable outside of constrain",
            "bool x;\n\
             void main() { assume 'x == x; }",
            expect![[r#"
                error: `'x` has a meaning only after `constrain`
                 --> t.weave:2:22
                  |
                2 | void main() { assume 'x == x; }
                  |                      ^^
                  |
                  = help: `'x` is the value after an assignment: `x := * constrain 'x != x;`

                t.weave: 1 error
            "#]],
        ),
        (
            "two mistakes in one expression",
            "bool b;\n\
             void main() { b := (1 && b) || (b + 1 == 2) || zz; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:2:33
                  |
                2 | void main() { b := (1 && b) || (b + 1 == 2) || zz; }
                  |                                 ^
                  |
                  = help: `b := !b;` negates it; `b ? 1 : 0` makes a number of it

                error: there is no variable `zz`
                 --> t.weave:2:48
                  |
                2 | void main() { b := (1 && b) || (b + 1 == 2) || zz; }
                  |                                                ^^
                  |
                  = help: declare it, as in `bool zz;`

                t.weave: 2 errors
            "#]],
        ),
    ]);
}

#[test]
fn places() {
    diagnose([
        (
            "an array without index",
            "bool a[2];\n\
             void main() { assert a; }",
            expect![[r#"
                error: `a` is an array; one element is wanted here
                 --> t.weave:2:22
                  |
                1 | bool a[2];
                  |      - declared here
                2 | void main() { assert a; }
                  |                      ^
                  |
                  = help: say which one, as in `a[0]`

                t.weave: 1 error
            "#]],
        ),
        (
            "an index on a scalar",
            "bool a;\n\
             void main() { assert a[1]; }",
            expect![[r#"
                error: `a` is not an array
                 --> t.weave:2:22
                  |
                1 | bool a;
                  |      - declared here
                2 | void main() { assert a[1]; }
                  |                      ^^^^
                  |
                  = help: leave the index out, or declare an array: `bool a[3];`

                t.weave: 1 error
            "#]],
        ),
        (
            "too few indices",
            "bool a[2][3];\n\
             void main() { assert a[1]; }",
            expect![[r#"
                error: `a` has 2 dimensions, but 1 index is given
                 --> t.weave:2:22
                  |
                1 | bool a[2][3];
                  |      - declared here
                2 | void main() { assert a[1]; }
                  |                      ^^^^
                  |
                  = help: an element is `a[0][0]`

                t.weave: 1 error
            "#]],
        ),
        (
            "an index that is too large",
            "const N = 2;\n\
             bool a[N];\n\
             void main() { a[N] := true; }",
            expect![[r#"
                error: there is no element 2 in `a`
                 --> t.weave:3:17
                  |
                2 | bool a[N];
                  |      - declared here
                3 | void main() { a[N] := true; }
                  |                 ^
                  |
                  = help: indices go from 0 to 1

                t.weave: 1 error
            "#]],
        ),
        (
            "an index that is a truth value",
            "bool a[2];\n\
             void main() { a[true] := true; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:2:17
                  |
                2 | void main() { a[true] := true; }
                  |                 ^^^^
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
        (
            "an index on a constant",
            "const N = 2;\n\
             void main() { assert N[0] == 1; }",
            expect![[r#"
                error: `N` is a constant, not an array
                 --> t.weave:2:22
                  |
                2 | void main() { assert N[0] == 1; }
                  |                      ^^^^

                t.weave: 1 error
            "#]],
        ),
    ]);
}

#[test]
fn fair_choices() {
    diagnose([
        (
            "a choice that cannot come out both ways",
            "bool b; void main() { assume fair *; assert b || fair *; b := * constrain fair *; }",
            expect![[r#"
                error: a fair choice cannot be made here
                 --> t.weave:1:30
                  |
                1 | bool b; void main() { assume fair *; assert b || fair *; b := * constrain fair *; }
                  |                              ^^^^^^
                  |
                  = help: `assume` lets it come out one way only; write `*`, or use it in a test or an assignment

                error: a fair choice cannot be made here
                 --> t.weave:1:50
                  |
                1 | bool b; void main() { assume fair *; assert b || fair *; b := * constrain fair *; }
                  |                                                  ^^^^^^
                  |
                  = help: `assert` lets it come out one way only; write `*`, or use it in a test or an assignment

                error: a fair choice cannot be made here
                 --> t.weave:1:75
                  |
                1 | bool b; void main() { assume fair *; assert b || fair *; b := * constrain fair *; }
                  |                                                                           ^^^^^^
                  |
                  = help: `constrain` lets it come out one way only; write `*`, or use it in a test or an assignment

                t.weave: 3 errors
            "#]],
        ),
        (
            "a number",
            "int[0..3] n; void main() { n := fair *; }",
            expect![[r#"
            error: expected an integer, but this is a truth value
             --> t.weave:1:33
              |
            1 | int[0..3] n; void main() { n := fair *; }
              |           - this is an integer  ^^^^^^
              |
              = help: `b ? 1 : 0` makes a number of a truth value

            t.weave: 1 error
        "#]],
        ),
        (
            "outside of statements",
            "bool b := fair *; predicate: fair *; thread t { skip; }",
            expect![[r#"
                error: a fair choice cannot be made here
                 --> t.weave:1:11
                  |
                1 | bool b := fair *; predicate: fair *; thread t { skip; }
                  |           ^^^^^^
                  |
                  = help: it is made by a statement that a thread executes; write `*`, or use it in a test or an assignment

                error: a predicate cannot choose
                 --> t.weave:1:30
                  |
                1 | bool b := fair *; predicate: fair *; thread t { skip; }
                  |                              ^^^^^^
                  |
                  = help: in every state a predicate is either true or false; say which

                t.weave: 2 errors
            "#]],
        ),
    ]);
}
