//! Constants: values, cycles, replacements.

use expect_test::expect;
use num_bigint::BigInt;
use selvedge_frontend::check::CheckOptions;

use crate::check_diagnostics::{diagnose, diagnose_with};

#[test]
fn constants() {
    diagnose([
        (
            "a cycle",
            "const A = B + 1;\n\
             const B = C;\n\
             const C = A;\n\
             void main() { }",
            expect![[r#"
                error: the constant `A` is defined by itself
                 --> t.weave:1:7
                  |
                1 | const A = B + 1;
                  |       ^
                2 | const B = C;
                  |       - by way of this one
                3 | const C = A;
                  |       - by way of this one
                  |
                  = help: give one of the constants a value that does not depend on the others

                t.weave: 1 error
            "#]],
        ),
        (
            "a constant that is itself",
            "const A = A;\n\
             bool b := A;\n\
             void main() { }",
            expect![[r#"
                error: the constant `A` is defined by itself
                 --> t.weave:1:7
                  |
                1 | const A = A;
                  |       ^
                  |
                  = help: give one of the constants a value that does not depend on the others

                t.weave: 1 error
            "#]],
        ),
        (
            "a variable in a constant",
            "int x := 1;\n\
             const N = x + 1;\n\
             void main() { }",
            expect![[r#"
                error: expected a constant, but `x` is a variable
                 --> t.weave:2:11
                  |
                1 | int x := 1;
                  |     - declared here
                2 | const N = x + 1;
                  |           ^
                  |
                  = help: a value that never changes can be declared with `const`

                t.weave: 1 error
            "#]],
        ),
        (
            "a choice in a constant",
            "const N = {1, 2};\n\
             void main() { }",
            expect![[r#"
                error: the value of `N` must be constant
                 --> t.weave:1:11
                  |
                1 | const N = {1, 2};
                  |           ^^^^^^ this is a choice

                t.weave: 1 error
            "#]],
        ),
        (
            "a division by zero",
            "const N = 1 / (2 - 2);\n\
             void main() { }",
            expect![[r#"
                error: this constant divides by zero
                 --> t.weave:1:15
                  |
                1 | const N = 1 / (2 - 2);
                  |               ^^^^^^^ this is 0

                t.weave: 1 error
            "#]],
        ),
        (
            "a number that is too large",
            "const A = 9999999999999999999999;\n\
             const A0 = A*A*A*A;\n\
             const A1 = A0*A0*A0*A0;\n\
             const A2 = A1*A1*A1*A1;\n\
             const A3 = A2*A2*A2*A2;\n\
             const A4 = A3*A3*A3*A3;\n\
             void main() { }",
            expect![[r#"
                error: this constant is too large
                 --> t.weave:6:12
                  |
                6 | const A4 = A3*A3*A3*A3;
                  |            ^^^^^^^^^^^ this has more than 65536 bits

                t.weave: 1 error
            "#]],
        ),
        (
            "an error is reported once",
            "const A = 1 + true;\n\
             const B = A + A;\n\
             int[0..B] x := A;\n\
             void main() { x := B; }",
            expect![[r#"
                error: expected an integer, but this is a truth value
                 --> t.weave:1:15
                  |
                1 | const A = 1 + true;
                  |               ^^^^
                  |
                  = help: write `1`, or declare a `bool`

                t.weave: 1 error
            "#]],
        ),
    ]);
}

#[test]
fn replacements() {
    let given = |name: &str, value: i32| (name.to_owned(), BigInt::from(value));
    let options = CheckOptions { consts: [given("M", 3), given("FAST", 2)].into() };
    diagnose_with(
        &options,
        [
            (
                "an unknown constant",
                "const N = 2;\nconst FAST = true;\nvoid main() { }",
                expect![[r#"
                    error: `--const M=…`: there is no constant `M`; known constants are `FAST`, `N`
                     --> t.weave:1:1
                      |
                    1 | const N = 2;
                      | ^

                    error: `--const FAST=2` does not fit: the constant is a truth value, so only 0 and 1 are possible
                     --> t.weave:2:7
                      |
                    2 | const FAST = true;
                      |       ^^^^ the constant that is replaced

                    t.weave: 2 errors
                "#]],
            ),
            (
                "no constants at all",
                "void main() { }",
                expect![[r#"
                error: `--const FAST=…`: there is no constant `FAST`; the file declares none
                 --> t.weave:1:1
                  |
                1 | void main() { }
                  | ^

                error: `--const M=…`: there is no constant `M`; the file declares none
                 --> t.weave:1:1
                  |
                1 | void main() { }
                  | ^

                t.weave: 2 errors
            "#]],
            ),
        ],
    );
}
