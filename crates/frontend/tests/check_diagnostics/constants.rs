//! Constants: values, cycles, replacements.

use expect_test::expect;
use num_bigint::BigInt;
use selvedge_frontend::check::CheckOptions;

use crate::{diagnose, diagnose_with};

#[test]
fn constants() {
    diagnose([
        (
            "a cycle",
            "const A = B + 1;\n\
             const B = C;\n\
             const C = A;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a constant that is itself",
            "const A = A;\n\
             bool b := A;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a variable in a constant",
            "int x := 1;\n\
             const N = x + 1;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a choice in a constant",
            "const N = {1, 2};\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a division by zero",
            "const N = 1 / (2 - 2);\n\
             void main() { }",
            expect![[""]],
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
            expect![[""]],
        ),
        (
            "an error is reported once",
            "const A = 1 + true;\n\
             const B = A + A;\n\
             int[0..B] x := A;\n\
             void main() { x := B; }",
            expect![[""]],
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
                expect![[""]],
            ),
            ("no constants at all", "void main() { }", expect![[""]]),
        ],
    );
}
