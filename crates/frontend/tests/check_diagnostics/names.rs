//! Names: declared once, spelt right.

use expect_test::expect;

use crate::diagnose;

#[test]
fn names() {
    diagnose([
        (
            "a variable twice",
            "bool x;\n\
             int x;\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a constant and a procedure",
            "const f = 1;\n\
             void f() { }\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "an enumerator in two enumerations",
            "enum A { Idle, Busy }\n\
             enum B { Busy, Gone }\n\
             void main() { }",
            expect![[""]],
        ),
        (
            "a misspelt variable",
            "bool stopped;\n\
             void main() { stoped := true; }",
            expect![[""]],
        ),
        (
            "an unknown variable, similar to nothing",
            "bool stopped;\n\
             void main() { assume q; }",
            expect![[""]],
        ),
        (
            "a procedure for a variable",
            "bool g() { return *; }\n\
             void main() { bool b := !g; }",
            expect![[""]],
        ),
        (
            "a type for a variable",
            "enum Phase { Idle, Busy }\n\
             void main() { assert Phase == Idle; }",
            expect![[""]],
        ),
        ("a local twice", "void main() { bool x; if (*) { bool x := true; } }", expect![[""]]),
        (
            "a parameter twice",
            "void f(bool a, bool a) { }\n\
             void main() { f(true, true); }",
            expect![[""]],
        ),
        (
            "a local outside of its block",
            "void main() { { bool inner := true; } assert inner; }",
            expect![[""]],
        ),
        (
            "a constant is assigned",
            "const N = 2;\n\
             void main() { N := 3; }",
            expect![[""]],
        ),
        (
            "an enumerator is assigned",
            "enum E { A, B }\n\
             void main() { A := B; }",
            expect![[""]],
        ),
    ]);
}
