//! Values that nobody wants, calls that end nothing, and threads that are joined too often: what was overlooked once.

use selvedge::VerdictName::{Safe, Unknown, Unsafe};
use selvedge::{InputOptions, Limits, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const BEFORE: &str = "typedef unsigned long pthread_t; extern void exit(int); extern int printf(const char *, ...);
    extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *); extern int pthread_join(pthread_t, void **);
    extern int pthread_detach(pthread_t); extern void pthread_exit(void *); extern void abort(void); extern int usleep(unsigned);
    int shared; void *nothing(void *arg) { return 0; } void *adds(void *arg) { shared++; return 0; }\n";

/// What is said about a property; about assertions and memory if none is named.
fn answer(property: &str, text: &str) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = Asked::only(property).unwrap_or_default();
    let subject = Subject::parse("program.i", format!("{BEFORE} {text}"), options).unwrap();
    verify(&subject, &Options { limits: Limits::work(1 << 22), ..Options::default() })
        .unwrap()
        .name()
}

/// `main` with a local array of two elements, and an index.
fn with_index(index: u32, statement: &str) -> String {
    format!(
        "int main(void) {{ int a[2] = {{1, 2}}; int k = {index}, x = 0; {statement} return 0; }}"
    )
}

#[test]
fn an_index_counts_where_its_value_is_dropped() {
    for statement in [
        "a[k];",
        "(void) a[k];",
        "return a[k];",
        "a[k], x;",
        "x = (a[k], x);",
        "x || a[k];",
        "k ? a[k] : 0;",
        "!a[k];",
        "({ a[k]; });",
        "for (a[k]; 0;) ;",
        "printf(\"%d\", a[k]);",
        "usleep(a[k]);",
        "exit(a[k]);",
        "struct s { int b; } s[2] = {{1}, {2}}; s[k];",
        "a[k] + 1 < 3;",
    ] {
        assert_eq!(answer("valid-memsafety", &with_index(5, statement)), Unsafe, "{statement}");
        assert_eq!(answer("", &with_index(2, statement)), Unsafe, "{statement}");
        assert_eq!(answer("valid-memsafety", &with_index(1, statement)), Safe, "{statement}");
    }
    for statement in ["x && a[k];", "sizeof(a[k]);", "int *p = &a[k]; p = 0;"] {
        assert_eq!(answer("valid-memsafety", &with_index(2, statement)), Safe, "{statement}");
    }
    assert_eq!(
        answer("valid-memsafety", "int main(void) { int a[2] = {1, 2}; a[2]; return 0; }"),
        Unsafe
    );
    let thread = |end: &str| {
        format!(
            "void *reads(void *arg) {{ int a[2] = {{1, 2}}; int k = 2; {end} }}
            int main(void) {{ pthread_t t; pthread_create(&t, 0, reads, 0); pthread_join(t, 0); return 0; }}"
        )
    };
    for end in ["return (void *) (long) a[k];", "pthread_exit((void *) (long) a[k]);"] {
        assert_eq!(answer("valid-memsafety", &thread(end)), Unsafe, "{end}");
    }
}

/// `reach_error` with a body.
fn with_error(body: &str, main: &str) -> String {
    format!("void reach_error(void) {body} int main(void) {{ {main} return 0; }}")
}

#[test]
fn reach_error_ends_nothing_where_something_else_is_asked() {
    let races = "pthread_t t, u; pthread_create(&t, 0, adds, 0); pthread_create(&u, 0, adds, 0);";
    for (property, wrong) in [
        ("no-overflow", "int x = 2147483647; reach_error(); x++;"),
        ("valid-memsafety", "int *p = 0; reach_error(); *p = 1;"),
        ("no-data-race", &format!("reach_error(); {races}")),
    ] {
        assert_eq!(answer(property, &with_error("{ }", wrong)), Unsafe, "{property}");
        assert_eq!(answer(property, &with_error("{ abort(); }", wrong)), Safe, "{property}");
        assert_eq!(answer(property, &with_error(";", wrong)), Safe, "{property}, without a body");
        assert_eq!(answer("unreach-call", &with_error("{ }", wrong)), Unsafe, "{property}");
    }
    let by_address = "void (*f)(void) = reach_error; f();";
    assert_eq!(answer("unreach-call", &with_error("{ }", by_address)), Unsafe);
    assert_eq!(answer("no-overflow", &with_error("{ }", by_address)), Safe);
    let not_called = with_error("{ shared = 1; }", "shared = 2; if (shared == 1) reach_error();");
    assert_eq!(answer("unreach-call", &not_called), Safe);
}

#[test]
fn threads_are_joined_once() {
    let start = "pthread_t t; pthread_create(&t, 0, nothing, 0);";
    let main = |rest: &str| format!("int main(void) {{ {start} {rest} return 0; }}");
    for wrong in [
        "pthread_join(t, 0); pthread_join(t, 0);",
        "pthread_detach(t); pthread_join(t, 0);",
        "pthread_join(t, 0); pthread_detach(t);",
        "for (int i = 0; i < 2; i++) pthread_join(t, 0);",
    ] {
        assert_eq!(answer("", &main(wrong)), Unsafe, "{wrong}");
        assert_eq!(answer("unreach-call", &main(wrong)), Unknown, "{wrong}");
    }
    for right in [
        "pthread_join(t, 0);",
        "pthread_detach(t);",
        "if (shared) pthread_join(t, 0); else pthread_join(t, 0);",
        "pthread_join(t, 0); pthread_create(&t, 0, nothing, 0); pthread_join(t, 0);",
        "if (shared) pthread_detach(t); else pthread_join(t, 0);",
    ] {
        assert_eq!(answer("", &main(right)), Safe, "{right}");
    }
}
