//! Effects: calls, starts of threads, operations in one step.

use expect_test::expect;

use crate::diagnose;

#[test]
fn calls() {
    diagnose([
        (
            "an unknown procedure",
            "void worker() { }\n\
             void main() { wroker(); }",
            expect![[""]],
        ),
        (
            "a variable for a procedure",
            "bool x;\n\
             void main() { x(); }",
            expect![[""]],
        ),
        (
            "too few arguments",
            "void f(bool a, bool b) { }\n\
             void main() { f(true); }",
            expect![[""]],
        ),
        (
            "arguments of no parameters",
            "void f() { }\n\
             void main() { f(1); }",
            expect![[""]],
        ),
        (
            "an argument of the wrong type",
            "void f(bool a) { }\n\
             int[0..3] n;\n\
             void main() { f(n); }",
            expect![[""]],
        ),
        (
            "an argument outside of the range",
            "void f(int[0..3] a) { }\n\
             void main() { f(4); }",
            expect![[""]],
        ),
        (
            "the result of a void procedure",
            "void f() { }\n\
             bool b;\n\
             void main() { b := f(); }",
            expect![[""]],
        ),
        (
            "two variables for one result",
            "bool f() { return *; }\n\
             bool a, b;\n\
             void main() { a, b := f(); }",
            expect![[""]],
        ),
        (
            "a result of the wrong type",
            "bool f() { return *; }\n\
             int[0..3] n;\n\
             void main() { n := f(); }",
            expect![[""]],
        ),
        (
            "a call as a condition",
            "bool f() { return *; }\n\
             void main() { while (f()) skip; }",
            expect![[""]],
        ),
        (
            "the body of a thread is called",
            "thread a { skip; }\n\
             thread b { a(); }",
            expect![[""]],
        ),
    ]);
}

#[test]
fn operations() {
    diagnose([
        (
            "async gives no truth value",
            "void f() { }\n\
             bool b;\n\
             void main() { b := async f(); }",
            expect![[""]],
        ),
        (
            "trylock of a truth value",
            "bool b, c;\n\
             void main() { c := trylock(b); }",
            expect![[""]],
        ),
        (
            "cas of the wrong type",
            "int[0..3] n := 0;\n\
             bool b;\n\
             void main() { b := cas(n, true, 5); }",
            expect![[""]],
        ),
        (
            "cas of a lock",
            "lock m;\n\
             void main() { if (cas(m, 0, 1)) skip; }",
            expect![[""]],
        ),
        (
            "fetch_and_add to a truth value",
            "bool b;\n\
             void main() { fetch_and_add(b); }",
            expect![[""]],
        ),
        (
            "fetch_and_add as a condition",
            "int[0..3] n := 0;\n\
             void main() { if (fetch_and_add(n)) skip; }",
            expect![[""]],
        ),
        (
            "the result goes to the wrong type",
            "int[0..3] n := 0;\n\
             bool b;\n\
             void main() { b := fetch_and_add(n, 1); }",
            expect![[""]],
        ),
    ]);
}
