//! Statements: assignments, returns, locks.

use expect_test::expect;

use crate::diagnose;

#[test]
fn assignments() {
    diagnose([
        (
            "too few values",
            "bool x, y;\n\
             void main() { x, y := true; }",
            expect![[""]],
        ),
        (
            "too many values",
            "bool x;\n\
             void main() { x := true, false; }",
            expect![[""]],
        ),
        (
            "a variable twice",
            "bool x;\n\
             void main() { x, x := true, false; }",
            expect![[""]],
        ),
        (
            "a constant outside of the range",
            "int[0..3] n := 0;\n\
             void main() { n := 2 + 2; }",
            expect![[""]],
        ),
        (
            "one of the choices is outside of the range",
            "int[0..3] n := 0;\n\
             void main() { n := {1, 7}; }",
            expect![[""]],
        ),
        (
            "constrain is not a truth value",
            "int[0..3] n := 0;\n\
             void main() { n := * constrain 'n + 1; }",
            expect![[""]],
        ),
        ("any thread", "void main() { tid t; havoc t; }", expect![[""]]),
    ]);
}

#[test]
fn returns() {
    diagnose([
        (
            "no value",
            "bool f() { return; }\n\
             void main() { f(); }",
            expect![[""]],
        ),
        (
            "a value of a void procedure",
            "void f() { return true; }\n\
             void main() { f(); }",
            expect![[""]],
        ),
        (
            "too few values",
            "(bool, int) f() { return true; }\n\
             void main() { f(); }",
            expect![[""]],
        ),
        (
            "the wrong type",
            "int[0..3] f() { return true; }\n\
             void main() { f(); }",
            expect![[""]],
        ),
        (
            "outside of the range",
            "int[0..3] f() { return 9; }\n\
             void main() { f(); }",
            expect![[""]],
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
            expect![[""]],
        ),
        (
            "release of an unknown lock",
            "lock mutex1;\n\
             void main() { release mutx1; }",
            expect![[""]],
        ),
        (
            "a lock is assigned",
            "lock m;\n\
             void main() { m := true; }",
            expect![[""]],
        ),
        ("join of a number", "void main() { join 3; }", expect![[""]]),
        (
            "assert of a number",
            "int n := 0;\n\
             void main() { assert n; }",
            expect![[""]],
        ),
    ]);
}
