//! Threads: what they run, and how many.

use expect_test::expect;

use crate::check_diagnostics::diagnose;

#[test]
fn threads() {
    diagnose([
        (
            "nothing is executed",
            "bool x;\n\
             void f() { }",
            expect![[r#"
                error: nothing is executed: there is no thread and no `main`
                 --> t.weave:1:1
                  |
                1 | bool x;
                  | ^
                  |
                  = help: execution starts in a procedure called `main`, or in the threads of a .weave: `thread f;`

                t.weave: 1 error
            "#]],
        ),
        (
            "main with parameters",
            "void main(bool b) { }",
            expect![[r#"
            error: `main` has parameters, but nothing gives it arguments
             --> t.weave:1:6
              |
            1 | void main(bool b) { }
              |      ^^^^
              |
              = help: declare a thread that does: `thread main = main(…);`

            t.weave: 1 error
        "#]],
        ),
        (
            "no such procedure",
            "void worker() { }\n\
             thread wroker;",
            expect![[r#"
                error: there is no procedure `wroker`
                 --> t.weave:2:8
                  |
                2 | thread wroker;
                  |        ^^^^^^
                  |
                  = help: did you mean `worker`?

                t.weave: 1 error
            "#]],
        ),
        (
            "a thread without arguments",
            "void worker(bool b, int[0..3] n) { }\n\
             thread worker;",
            expect![[r#"
                error: `worker` has 2 parameters, but the thread gives no arguments
                 --> t.weave:2:8
                  |
                1 | void worker(bool b, int[0..3] n) { }
                  |      ------ the procedure
                2 | thread worker;
                  |        ^^^^^^
                  |
                  = help: say which arguments: `thread worker = worker(*, *);`

                t.weave: 1 error
            "#]],
        ),
        (
            "an argument that is a variable",
            "bool x;\n\
             void worker(bool b) { }\n\
             thread worker = worker(x);",
            expect![[r#"
                error: expected a constant, but `x` is a variable
                 --> t.weave:3:24
                  |
                1 | bool x;
                  |      - declared here
                2 | void worker(bool b) { }
                3 | thread worker = worker(x);
                  |                        ^
                  |
                  = help: a value that never changes can be declared with `const`

                t.weave: 1 error
            "#]],
        ),
        (
            "an argument that is a choice",
            "void worker(int[0..3] n) { }\n\
             thread worker = worker({1, 2});",
            expect![[r#"
                error: the argument of a thread must be constant
                 --> t.weave:2:24
                  |
                2 | thread worker = worker({1, 2});
                  |                        ^^^^^^ this is a choice
                  |
                  = help: `*` alone is possible: any value of the type of the parameter

                t.weave: 1 error
            "#]],
        ),
        (
            "an argument for one thread too many",
            "void eat(int[0..2] n) { }\n\
             thread phil[i] * 4 = eat(i);",
            expect![[r#"
                error: 3 is outside of `int[0..2]`
                 --> t.weave:2:26
                  |
                1 | void eat(int[0..2] n) { }
                  |                    - holds integers from 0 to 2
                2 | thread phil[i] * 4 = eat(i);
                  |                          ^ this is 3 for thread number 3
                  |
                  = help: if 3 is meant, declare the range `[0..3]`

                t.weave: 1 error
            "#]],
        ),
        (
            "too many threads",
            "void worker() { }\n\
             thread worker * 20000;",
            expect![[r#"
                error: there cannot be 20000 threads
                 --> t.weave:2:17
                  |
                2 | thread worker * 20000;
                  |                 ^^^^^
                  |
                  = help: numbers go from 0 to 10000; for any number, write `thread worker * any`

                t.weave: 1 error
            "#]],
        ),
        (
            "a negative number",
            "void worker() { }\n\
             thread worker * (1 - 2);",
            expect![[r#"
                error: there cannot be -1 threads
                 --> t.weave:2:17
                  |
                2 | thread worker * (1 - 2);
                  |                 ^^^^^^^
                  |
                  = help: numbers go from 0 to 10000; for any number, write `thread worker * any`

                t.weave: 1 error
            "#]],
        ),
        (
            "a thread twice",
            "void worker() { }\n\
             thread worker;\n\
             thread worker;",
            expect![[r#"
                error: thread `worker` is declared twice
                 --> t.weave:3:8
                  |
                2 | thread worker;
                  |        ------ first declared here
                3 | thread worker;
                  |        ^^^^^^ declared again here
                  |
                  = help: for two threads that do the same, write `thread worker * 2`

                t.weave: 1 error
            "#]],
        ),
        (
            "a body and a procedure",
            "void worker() { }\n\
             thread worker { skip; }",
            expect![[r#"
                error: thread `worker` has a body, but there is a procedure `worker` too
                 --> t.weave:2:8
                  |
                1 | void worker() { }
                  |      ------ the procedure
                2 | thread worker { skip; }
                  |        ^^^^^^
                  |
                  = help: to run the procedure, write `thread worker;`; otherwise rename one of them

                t.weave: 1 error
            "#]],
        ),
        (
            "no threads of a kind (a warning)",
            "void worker() { }\n\
             thread worker * 0;",
            expect![[r#"
                warning: there is no thread `worker`: the number is 0
                 --> t.weave:2:17
                  |
                2 | thread worker * 0;
                  |                 ^

            "#]],
        ),
    ]);
}
