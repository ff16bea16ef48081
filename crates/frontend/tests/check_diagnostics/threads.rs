//! Threads: what they run, and how many.

use expect_test::expect;

use crate::diagnose;

#[test]
fn threads() {
    diagnose([
        (
            "nothing is executed",
            "bool x;\n\
             void f() { }",
            expect![[""]],
        ),
        ("main with parameters", "void main(bool b) { }", expect![[""]]),
        (
            "no such procedure",
            "void worker() { }\n\
             thread wroker;",
            expect![[""]],
        ),
        (
            "a thread without arguments",
            "void worker(bool b, int[0..3] n) { }\n\
             thread worker;",
            expect![[""]],
        ),
        (
            "an argument that is a variable",
            "bool x;\n\
             void worker(bool b) { }\n\
             thread worker = worker(x);",
            expect![[""]],
        ),
        (
            "an argument that is a choice",
            "void worker(int[0..3] n) { }\n\
             thread worker = worker({1, 2});",
            expect![[""]],
        ),
        (
            "an argument for one thread too many",
            "void eat(int[0..2] n) { }\n\
             thread phil[i] * 4 = eat(i);",
            expect![[""]],
        ),
        (
            "too many threads",
            "void worker() { }\n\
             thread worker * 20000;",
            expect![[""]],
        ),
        (
            "a negative number",
            "void worker() { }\n\
             thread worker * (1 - 2);",
            expect![[""]],
        ),
        (
            "a thread twice",
            "void worker() { }\n\
             thread worker;\n\
             thread worker;",
            expect![[""]],
        ),
        (
            "a body and a procedure",
            "void worker() { }\n\
             thread worker { skip; }",
            expect![[""]],
        ),
        (
            "no threads of a kind (a warning)",
            "void worker() { }\n\
             thread worker * 0;",
            expect![[""]],
        ),
    ]);
}
