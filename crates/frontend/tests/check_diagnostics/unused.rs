//! What nobody uses: a lock that nobody acquires, a `main` that nobody runs.

use expect_test::expect;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::weave;
use selvedge_program::Source;

use super::diagnose;

#[test]
fn what_nobody_uses_is_named() {
    diagnose([
        (
            "a lock that nobody acquires",
            "lock m; int x := 0;\n\
             thread t { x := 1; }",
            expect![[r#"
                warning: `m` is never acquired
                 --> t.weave:1:6
                  |
                1 | lock m; int x := 0;
                  |      ^
                  |
                  = help: write `acquire m;` before what it guards, and `release m;` behind it; or leave the lock out

            "#]],
        ),
        (
            "a main beside threads, as in C",
            "int x := 0; int main() { x := 1; return 0; }\n\
             thread t { x := 2; }",
            expect![[r#"
                warning: `main` is run by nobody
                 --> t.weave:1:17
                  |
                1 | int x := 0; int main() { x := 1; return 0; }
                  |                 ^^^^
                2 | thread t { x := 2; }
                  |        - this thread is there from the start
                  |
                  = help: the threads of this program are those that `thread` declares: write `thread main;`, too, if it is one of them

            "#]],
        ),
    ]);
}

#[test]
fn what_somebody_uses_is_not_named() {
    for text in [
        "lock m; thread t { acquire m; }",
        "lock m; thread t { bool b := trylock(m); }",
        "lock m; void f(ref lock l) { acquire l; } thread t { f(m); }",
        "lock m; void f(ref lock l) { acquire l; } void g() { f(m); } thread t { skip; }",
        "struct box { lock l; int v; } box b; thread t { b.v := 1; }",
        "void main() { skip; } thread main;",
        "void main() { skip; } thread t = main();",
        "void main() { skip; } thread t { main(); }",
        "void main() { skip; } thread t { async main(); }",
        "int x := 0; void main() { x := 1; } invariant x >= 0;",
        "thread main { skip; } thread t { skip; }",
    ] {
        let (file, _) = weave::parse(&Source::new("t.weave", text));
        assert_eq!(check(&file, &CheckOptions::default()).1, [], "{text}");
    }
}
