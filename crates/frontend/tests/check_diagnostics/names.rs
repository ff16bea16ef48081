//! Names: declared once, spelt right.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn names() {
    diagnose([
        (
            "a variable twice",
            "bool x;\n\
             int x;\n\
             void main() { }",
            expect![[r#"
                error: `x` is declared twice
                 --> t.weave:2:5
                  |
                1 | bool x;
                  |      - first declared here
                2 | int x;
                  |     ^ declared again here
                  |
                  = help: give one of them another name

                t.weave: 1 error
            "#]],
        ),
        (
            "a constant and a procedure",
            "const f = 1;\n\
             void f() { }\n\
             void main() { }",
            expect![[r#"
                error: `f` is already the name of a constant
                 --> t.weave:2:6
                  |
                1 | const f = 1;
                  |       - first declared here
                2 | void f() { }
                  |      ^ declared again here
                  |
                  = help: give one of them another name

                t.weave: 1 error
            "#]],
        ),
        (
            "an enumerator in two enumerations",
            "enum A { Idle, Busy }\n\
             enum B { Busy, Gone }\n\
             void main() { }",
            expect![[r#"
                error: `Busy` is declared twice
                 --> t.weave:2:10
                  |
                1 | enum A { Idle, Busy }
                  |                ---- first declared here
                2 | enum B { Busy, Gone }
                  |          ^^^^ declared again here
                  |
                  = help: give one of them another name

                t.weave: 1 error
            "#]],
        ),
        (
            "a misspelt variable",
            "bool stopped;\n\
             void main() { stoped := true; }",
            expect![[r#"
                error: there is no variable `stoped`
                 --> t.weave:2:15
                  |
                2 | void main() { stoped := true; }
                  |               ^^^^^^
                  |
                  = help: did you mean `stopped`?

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown variable, similar to nothing",
            "bool stopped;\n\
             void main() { assume q; }",
            expect![[r#"
                error: there is no variable `q`
                 --> t.weave:2:22
                  |
                2 | void main() { assume q; }
                  |                      ^
                  |
                  = help: declare it, as in `bool q;`

                t.weave: 1 error
            "#]],
        ),
        (
            "a procedure for a variable",
            "bool g() { return *; }\n\
             void main() { bool b := !g; }",
            expect![[r#"
                error: `g` is a procedure, not a variable
                 --> t.weave:2:26
                  |
                2 | void main() { bool b := !g; }
                  |                          ^
                  |
                  = help: a call is a statement of its own: `x := g();`

                t.weave: 1 error
            "#]],
        ),
        (
            "a type for a variable",
            "enum Phase { Idle, Busy }\n\
             void main() { assert Phase == Idle; }",
            expect![[r#"
                error: `Phase` is a type, not a variable
                 --> t.weave:2:22
                  |
                2 | void main() { assert Phase == Idle; }
                  |                      ^^^^^
                  |
                  = help: the values of `Phase` are `Idle`, `Busy`

                t.weave: 1 error
            "#]],
        ),
        (
            "a local twice",
            "void main() { bool x; if (*) { bool x := true; } }",
            expect![[r#"
            error: there is a local variable `x` already
             --> t.weave:1:37
              |
            1 | void main() { bool x; if (*) { bool x := true; } }
              |                    -                ^ declared again here
              |                    |
              |                    first declared here
              |
              = help: give one of them another name

            t.weave: 1 error
        "#]],
        ),
        (
            "a parameter twice",
            "void f(bool a, bool a) { }\n\
             void main() { f(true, true); }",
            expect![[r#"
                error: there is a local variable `a` already
                 --> t.weave:1:21
                  |
                1 | void f(bool a, bool a) { }
                  |             -       ^ declared again here
                  |             |
                  |             first declared here
                  |
                  = help: give one of them another name

                t.weave: 1 error
            "#]],
        ),
        (
            "a local outside of its block",
            "void main() { { bool inner := true; } assert inner; }",
            expect![[r#"
                error: there is no variable `inner`
                 --> t.weave:1:46
                  |
                1 | void main() { { bool inner := true; } assert inner; }
                  |                      -----                   ^^^^^
                  |                      |
                  |                      this one ends with its block
                  |
                  = help: declare it before the block, to use it after it too

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable in its own first value",
            "void main() { bool x := !x; }",
            expect![[r#"
            error: there is no variable `x`
             --> t.weave:1:26
              |
            1 | void main() { bool x := !x; }
              |                    -     ^
              |                    |
              |                    this one is only being declared
              |
              = help: a first value cannot depend on itself

            t.weave: 1 error
        "#]],
        ),
        (
            "a misspelt constant",
            "const LIMIT = 2;\n\
             int[0..LIMT] x;\n\
             void main() { }",
            expect![[r#"
                error: there is no constant `LIMT`
                 --> t.weave:2:8
                  |
                2 | int[0..LIMT] x;
                  |        ^^^^
                  |
                  = help: did you mean `LIMIT`?

                t.weave: 1 error
            "#]],
        ),
        (
            "an unknown constant",
            "int[0..N] x;\n\
             void main() { }",
            expect![[r#"
                error: there is no constant `N`
                 --> t.weave:1:8
                  |
                1 | int[0..N] x;
                  |        ^
                  |
                  = help: declare it, as in `const N = 1;`

                t.weave: 1 error
            "#]],
        ),
        (
            "a constant is assigned",
            "const N = 2;\n\
             void main() { N := 3; }",
            expect![[r#"
                error: `N` is a constant, and cannot change
                 --> t.weave:2:15
                  |
                1 | const N = 2;
                  |       - declared here
                2 | void main() { N := 3; }
                  |               ^
                  |
                  = help: declare a variable: `int N := …;`

                t.weave: 1 error
            "#]],
        ),
        (
            "an enumerator is assigned",
            "enum E { A, B }\n\
             void main() { A := B; }",
            expect![[r#"
                error: `A` is an enumerator, and cannot change
                 --> t.weave:2:15
                  |
                1 | enum E { A, B }
                  |          - declared here
                2 | void main() { A := B; }
                  |               ^
                  |
                  = help: a variable is assigned: `int x;` declares one

                t.weave: 1 error
            "#]],
        ),
    ]);
}
