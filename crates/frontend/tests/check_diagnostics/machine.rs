//! Machine integers: no type is changed in silence, and constants fit.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn machine_integers() {
    diagnose([
        (
            "a constant that does not fit",
            "u8 x := 256;\n\
             void main() { x := -1; x := x + 300; }",
            expect![[r#"
                error: 256 is outside of `u8`
                 --> t.weave:1:9
                  |
                1 | u8 x := 256;
                  |         ^^^
                  |
                  = help: it holds integers from 0 to 255; `u8(256)` wraps around

                error: -1 is outside of `u8`
                 --> t.weave:2:20
                  |
                2 | void main() { x := -1; x := x + 300; }
                  |                    ^^
                  |
                  = help: it holds integers from 0 to 255; `u8(-1)` wraps around

                error: 300 is outside of `u8`
                 --> t.weave:2:33
                  |
                2 | void main() { x := -1; x := x + 300; }
                  |                                 ^^^
                  |
                  = help: it holds integers from 0 to 255; `u8(300)` wraps around

                t.weave: 3 errors
            "#]],
        ),
        (
            "a comparison beside an operator on bits",
            "u8 x := 1;\n\
             void main() { x := x & 1 == 1; }",
            expect![[r#"
                error: expected a `u8`, but this is a truth value
                 --> t.weave:2:24
                  |
                2 | void main() { x := x & 1 == 1; }
                  |                        ^^^^^^
                  |
                  = help: `==` comes before `&`: write `(a & b) == c` to compare bits

                t.weave: 1 error
            "#]],
        ),
        (
            "another machine type",
            "u8 x := 1;\n\
             u16 y := 1;\n\
             void main() { x := y; y := x + y; assert x == y; }",
            expect![[r#"
                error: expected a `u8`, but this is a `u16`
                 --> t.weave:3:20
                  |
                1 | u8 x := 1;
                  |    - this is a `u8`
                2 | u16 y := 1;
                3 | void main() { x := y; y := x + y; assert x == y; }
                  |                    ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                error: expected a `u16`, but this is a `u8`
                 --> t.weave:3:28
                  |
                3 | void main() { x := y; y := x + y; assert x == y; }
                  |                            ^
                  |
                  = help: `u16(…)` makes one of it

                error: expected a `u16`, but this is a `u8`
                 --> t.weave:3:42
                  |
                3 | void main() { x := y; y := x + y; assert x == y; }
                  |                                          ^
                  |
                  = help: `u16(…)` makes one of it

                t.weave: 3 errors
            "#]],
        ),
        (
            "an integer for a machine integer",
            "u8 x := 1;\n\
             int n := 1;\n\
             void main() { x := n; n := x; assert n < x; }",
            expect![[r#"
                error: expected a `u8`, but this is an integer
                 --> t.weave:3:20
                  |
                1 | u8 x := 1;
                  |    - this is a `u8`
                2 | int n := 1;
                3 | void main() { x := n; n := x; assert n < x; }
                  |                    ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                error: expected an integer, but this is a `u8`
                 --> t.weave:3:28
                  |
                2 | int n := 1;
                  |     - this is an integer
                3 | void main() { x := n; n := x; assert n < x; }
                  |                            ^
                  |
                  = help: `int(…)` makes an integer without bounds of it

                error: expected a `u8`, but this is an integer
                 --> t.weave:3:38
                  |
                3 | void main() { x := n; n := x; assert n < x; }
                  |                                      ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                t.weave: 3 errors
            "#]],
        ),
        (
            "a truth value for a machine integer",
            "u8 x := 1;\n\
             bool b := true;\n\
             void main() { x := b; b := x; x := u8(b); }",
            expect![[r#"
                error: expected a `u8`, but this is a truth value
                 --> t.weave:3:20
                  |
                1 | u8 x := 1;
                  |    - this is a `u8`
                2 | bool b := true;
                3 | void main() { x := b; b := x; x := u8(b); }
                  |                    ^
                  |
                  = help: `b ? 1 : 0` makes a number of a truth value

                error: expected a truth value, but this is a `u8`
                 --> t.weave:3:28
                  |
                2 | bool b := true;
                  |      - this is a truth value
                3 | void main() { x := b; b := x; x := u8(b); }
                  |                            ^
                  |
                  = help: compare it, as in `n != 0`; only `0` and `1` count as truth values

                error: expected an integer, but this is a truth value
                 --> t.weave:3:39
                  |
                3 | void main() { x := b; b := x; x := u8(b); }
                  |                                       ^
                  |
                  = help: `b ? 1 : 0` makes a number of a truth value

                t.weave: 3 errors
            "#]],
        ),
        (
            "an argument of another type",
            "void f(u8 x) { }\n\
             void main() { int n := 1; f(n); f(256); }\n\
             thread t[i] * 2 = f(i);",
            expect![[r#"
                error: expected a `u8`, but this is an integer
                 --> t.weave:2:29
                  |
                1 | void f(u8 x) { }
                  |           - this is a `u8`
                2 | void main() { int n := 1; f(n); f(256); }
                  |                             ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                error: 256 is outside of `u8`
                 --> t.weave:2:35
                  |
                2 | void main() { int n := 1; f(n); f(256); }
                  |                                   ^^^
                  |
                  = help: it holds integers from 0 to 255; `u8(256)` wraps around

                error: expected a `u8`, but this is an integer
                 --> t.weave:3:21
                  |
                1 | void f(u8 x) { }
                  |           - this is a `u8`
                2 | void main() { int n := 1; f(n); f(256); }
                3 | thread t[i] * 2 = f(i);
                  |                     ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                t.weave: 3 errors
            "#]],
        ),
        (
            "an addition to a variable of another type",
            "u8 x := 1;\n\
             int n := 1;\n\
             void main() { n := fetch_and_add(x, n); }",
            expect![[r#"
                error: `fetch_and_add` gives a `u8`, but `n` is an integer
                 --> t.weave:3:15
                  |
                2 | int n := 1;
                  |     - declared here
                3 | void main() { n := fetch_and_add(x, n); }
                  |               ^
                  |
                  = help: declare it as `u8 n`

                error: expected a `u8`, but this is an integer
                 --> t.weave:3:37
                  |
                3 | void main() { n := fetch_and_add(x, n); }
                  |                                     ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                t.weave: 2 errors
            "#]],
        ),
        (
            "an index outside",
            "u8 a[2];\n\
             void main() { u8 i := 2; a[2] := 1; a[u8(5)] := 1; }",
            expect![[r#"
                error: there is no element 2 in `a`
                 --> t.weave:2:28
                  |
                1 | u8 a[2];
                  |    - declared here
                2 | void main() { u8 i := 2; a[2] := 1; a[u8(5)] := 1; }
                  |                            ^
                  |
                  = help: indices go from 0 to 1

                error: there is no element 5 in `a`
                 --> t.weave:2:39
                  |
                1 | u8 a[2];
                  |    - declared here
                2 | void main() { u8 i := 2; a[2] := 1; a[u8(5)] := 1; }
                  |                                       ^^^^^
                  |
                  = help: indices go from 0 to 1

                t.weave: 2 errors
            "#]],
        ),
    ]);
}

#[test]
fn bit_operators() {
    diagnose([
        (
            "truth values",
            "bool a, b;\n\
             void main() { a := a & b; b := a | b; assert a ^ b; assume ~a; }",
            expect![[r#"
                error: `~` works on the bits of machine integers, but this is a truth value
                 --> t.weave:2:61
                  |
                2 | void main() { a := a & b; b := a | b; assert a ^ b; assume ~a; }
                  |                                                             ^
                  |
                  = help: for truth values, write `!`

                t.weave: 1 error
            "#]],
        ),
        (
            "integers",
            "int n := 1;\n\
             int[0..3] m := 1;\n\
             void main() { n := n & 1; m := m << 1; n := ~n; assert 1 | 2 == 3; }",
            expect![[r#"
                error: expected a truth value, but this is an integer
                 --> t.weave:3:20
                  |
                3 | void main() { n := n & 1; m := m << 1; n := ~n; assert 1 | 2 == 3; }
                  |                    ^
                  |
                  = help: `&` is for truth values, and for the bits of machine integers: a conversion makes one of a number, as in `u8(n)`

                error: `<<` works on the bits of machine integers, but this is an integer
                 --> t.weave:3:32
                  |
                3 | void main() { n := n & 1; m := m << 1; n := ~n; assert 1 | 2 == 3; }
                  |                                ^
                  |
                  = help: a conversion makes a machine integer of a number, as in `u8(n)`

                error: `~` works on the bits of machine integers, but this is an integer
                 --> t.weave:3:46
                  |
                3 | void main() { n := n & 1; m := m << 1; n := ~n; assert 1 | 2 == 3; }
                  |                                              ^
                  |
                  = help: a conversion makes a machine integer of a number, as in `u8(n)`

                t.weave: 3 errors
            "#]],
        ),
        (
            "two types",
            "u8 x := 1;\n\
             u16 y := 1;\n\
             void main() { x := x | y; y := x << y; }",
            expect![[r#"
                error: expected a `u8`, but this is a `u16`
                 --> t.weave:3:24
                  |
                3 | void main() { x := x | y; y := x << y; }
                  |                        ^
                  |
                  = help: `u8(…)` makes one of it, and wraps around

                error: expected a `u16`, but this is a `u8`
                 --> t.weave:3:32
                  |
                2 | u16 y := 1;
                  |     - this is a `u16`
                3 | void main() { x := x | y; y := x << y; }
                  |                                ^^^^^^
                  |
                  = help: `u16(…)` makes one of it

                t.weave: 2 errors
            "#]],
        ),
        (
            "constants that shift by a negative number",
            "const N = u8(1) << -1;\n\
             void main() { }",
            expect![[r#"
                error: this constant shifts by a negative number
                 --> t.weave:1:20
                  |
                1 | const N = u8(1) << -1;
                  |                    ^^ this is negative

                t.weave: 1 error
            "#]],
        ),
        (
            "a truth value to shift by",
            "u8 x := 1;\n\
             void main() { x := x << true; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:2:25
                  |
                2 | void main() { x := x << true; }
                  |                         ^^^^
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
    ]);
}
