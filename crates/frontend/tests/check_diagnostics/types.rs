//! Types: bounds, lengths, first values.

use expect_test::expect;

use crate::diagnose;

#[test]
fn types() {
    diagnose([
        (
            "an empty range",
            "int[3..1] x;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a range with a variable bound",
            "int[0..9] n;\n\
             void main() { int[0..n] x; }",
            expect![[""]],
        ),
        (
            "an unknown type",
            "enum Phase { Idle }\n\
             Phas p;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a variable for a type",
            "bool x;\n\
             x y;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "an array without elements",
            "bool a[0];\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "an array that is too long",
            "bool a[100000];\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "an array with too many elements",
            "bool a[2000][2000];\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "too many dimensions",
            "bool a[2][2][2][2];\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a parameter that is an array",
            "void f(bool a[2]) { }\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a parameter that is a lock",
            "void f(lock m) { }\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a result that is a lock",
            "lock f() { }\n\
             void main() { }",
            expect![[""]],
        ),
        ("a local lock", "void main() { lock m; acquire m; }", expect![[""]]),
    ]);
}

#[test]
fn first_values() {
    diagnose([
        (
            "a first value outside of the range",
            "int[0..3] x := 4;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a first value that is not constant",
            "bool y;\n\
             bool x := y;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a first value that is a choice",
            "int[0..3] x := {1, 2};\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a lock with a first value",
            "lock m := 0;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "too few elements",
            "int[0..3] a[3] := {1, 2};\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a flat list for a table",
            "bool a[2][2] := {true, false, true, false};\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "one element of the wrong type",
            "int[0..3] a[2] := {1, true};\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a shared variable with an effect",
            "bool g() { return *; }\n\
             bool x := g();\n\
             void main() { }",
            expect![[""]],
        ),
    ]);
}
