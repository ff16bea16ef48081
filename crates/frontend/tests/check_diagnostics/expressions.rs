//! Expressions: which types go together.

use expect_test::expect;

use crate::diagnose;

#[test]
fn expressions() {
    diagnose([
        ("a number for a truth value", "void main() { if (2) skip; }", expect![[""]]),
        (
            "a variable number for a truth value",
            "int[0..3] n := 0;\n\
             void main() { assume n; }",
            expect![[""]],
        ),
        (
            "a truth value for a number",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { n := b + 1; }",
            expect![[""]],
        ),
        (
            "both sides differ",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { assert b == n; }",
            expect![[""]],
        ),
        (
            "order of truth values",
            "bool a, b;\n\
             void main() { assert a <= b; }",
            expect![[""]],
        ),
        (
            "order of enumerators",
            "enum E { A, B }\n\
             E e;\n\
             void main() { assert e < B; }",
            expect![[""]],
        ),
        (
            "a number for an enumerator",
            "enum Phase { Idle, Busy }\n\
             Phase p;\n\
             void main() { p := 1; }",
            expect![[""]],
        ),
        (
            "enumerators of different types",
            "enum A { X }\n\
             enum B { Y }\n\
             A a;\n\
             void main() { assert a == Y; }",
            expect![[""]],
        ),
        (
            "any integer",
            "int n := 0;\n\
             void main() { n := *; }",
            expect![[""]],
        ),
        (
            "any integer in a sum",
            "int[0..3] n := 0;\n\
             void main() { n := n + *; }",
            expect![[""]],
        ),
        (
            "any thread",
            "void f() { }\n\
             void main() { tid t := async f(); t := *; }",
            expect![[""]],
        ),
        (
            "branches differ",
            "bool b;\n\
             int[0..3] n;\n\
             void main() { n := b ? n : b; }",
            expect![[""]],
        ),
        (
            "a choice of different types",
            "int[0..3] n;\n\
             void main() { n := {1, true}; }",
            expect![[""]],
        ),
        ("an empty choice", "void main() { int[0..5] n := {5 .. 2}; }", expect![[""]]),
        (
            "a lock is read",
            "lock m;\n\
             bool b;\n\
             void main() { b := m; }",
            expect![[""]],
        ),
        (
            "a lock is compared",
            "lock m, n;\n\
             void main() { assert m == n; }",
            expect![[""]],
        ),
        (
            "a thread id in a sum",
            "void f() { }\n\
             int n;\n\
             void main() { tid t := async f(); n := t + 1; }",
            expect![[""]],
        ),
        (
            "a primed variable outside of constrain",
            "bool x;\n\
             void main() { assume 'x == x; }",
            expect![[""]],
        ),
        (
            "two mistakes in one expression",
            "bool b;\n\
             void main() { b := (1 && b) || (b + 1 == 2) || zz; }",
            expect![[""]],
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
            expect![[""]],
        ),
        (
            "an index on a scalar",
            "bool a;\n\
             void main() { assert a[1]; }",
            expect![[""]],
        ),
        (
            "too few indices",
            "bool a[2][3];\n\
             void main() { assert a[1]; }",
            expect![[""]],
        ),
        (
            "an index that is too large",
            "const N = 2;\n\
             bool a[N];\n\
             void main() { a[N] := true; }",
            expect![[""]],
        ),
        (
            "an index that is a truth value",
            "bool a[2];\n\
             void main() { a[true] := true; }",
            expect![[""]],
        ),
        (
            "an index on a constant",
            "const N = 2;\n\
             void main() { assert N[0] == 1; }",
            expect![[""]],
        ),
    ]);
}
