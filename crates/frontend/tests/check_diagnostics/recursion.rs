//! Recursion that has no end, as the text shows.

use expect_test::expect;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_program::Source;

use crate::check_diagnostics::diagnose;

#[test]
fn there_is_no_base_case() {
    diagnose([
        (
            "a procedure that always calls itself",
            "int f(int n) { return n * f(n - 1); }\n\
             thread t { int n := f(5); }",
            expect![[r#"
                warning: this call never comes back: its procedure calls itself on every way to its end
                 --> t.weave:1:27
                  |
                1 | int f(int n) { return n * f(n - 1); }
                  |                           ^^^^^^^^
                  |
                  = help: a recursion ends with a case that calls nothing: `if (…) return;` in front of the call

            "#]],
        ),
        (
            "two that call each other",
            "void f() { if (*) g(); else g(); }\n\
             void g() { f(); }\n\
             thread t { f(); }",
            expect![[r#"
                warning: this call never comes back: its procedure calls itself on every way to its end
                 --> t.weave:1:19
                  |
                1 | void f() { if (*) g(); else g(); }
                  |                   ^^^
                  |
                  = help: a recursion ends with a case that calls nothing: `if (…) return;` in front of the call

                warning: this call never comes back: its procedure calls itself on every way to its end
                 --> t.weave:2:12
                  |
                2 | void g() { f(); }
                  |            ^^^
                  |
                  = help: a recursion ends with a case that calls nothing: `if (…) return;` in front of the call

            "#]],
        ),
        (
            "a thread that starts the next one, and waits for it",
            "void f() { tid t := async f(); join t; }\n\
             thread t { f(); }",
            expect![[r#"
                warning: this starts threads without end: each of them starts the next one, on every way to its end
                 --> t.weave:1:12
                  |
                1 | void f() { tid t := async f(); join t; }
                  |            ^^^^^^^^^^^^^^^^^^
                  |
                  = help: the last one starts nothing: `if (…) return;` in front of `async`

            "#]],
        ),
    ]);
}

/// A way that calls nothing, or an end that nobody wants.
#[test]
fn there_is_an_end_or_a_loop() {
    for text in [
        "void f(int n) { if (n > 0) f(n - 1); } thread t { f(3); }",
        "void f() { while (*) { f(); } } thread t { f(); }",
        "void f() { while (true) { f(); } } thread t { f(); }",
        "void f() { g(); } void g() { while (true) { skip; } } thread t { f(); }",
        "void f() { if (*) return; async f(); f(); } thread t { f(); }",
        "thread t { while (true) { async f(); } } void f() { }",
    ] {
        let (file, _) = weave::parse(&Source::new("t.weave", text));
        assert_eq!(check(&file, &CheckOptions::default()).1, [], "{text}");
    }
}
