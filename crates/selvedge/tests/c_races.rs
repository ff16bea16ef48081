//! Data races that the text of a program rules out, and those that it seems to rule out.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const THREADS: &str = "typedef unsigned long pthread_t; typedef union { long a; } pthread_mutex_t; typedef union { long a; } pthread_rwlock_t;
    extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
    extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
    extern int pthread_mutex_trylock(pthread_mutex_t *);
    extern int pthread_rwlock_rdlock(pthread_rwlock_t *); extern int pthread_rwlock_wrlock(pthread_rwlock_t *);
    extern int pthread_rwlock_unlock(pthread_rwlock_t *);
    extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
    pthread_mutex_t m, n; pthread_rwlock_t rw; int x, y; int *p;\n";

/// What is said about races between two threads that do this, and `main` that starts them and does something, too.
fn races(declarations: &str, thread: &str, main: &str) -> VerdictName {
    let text = format!(
        "{THREADS} {declarations}
         void *f(void *arg) {{ {thread} return 0; }}
         int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); {main} return 0; }}"
    );
    let mut options = InputOptions::default();
    options.c.options = Asked::only("no-data-race").unwrap();
    let subject = Subject::parse("program.i", text, options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

#[test]
fn what_one_guard_protects_is_no_race() {
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    for (declarations, thread, main) in [
        ("", format!("{lock} x++; {unlock}"), format!("{lock} x = 3; {unlock}")),
        // Inside of functions, and through a pointer that has one target.
        (
            "void take(void) { pthread_mutex_lock(&m); } void give(void) { pthread_mutex_unlock(&m); } void add(void) { x++; }",
            "take(); add(); give();".to_owned(),
            "take(); add(); give();".to_owned(),
        ),
        (
            "pthread_mutex_t *l = &m;",
            "pthread_mutex_lock(l); x++; pthread_mutex_unlock(l);".to_owned(),
            format!("{lock} x++; {unlock}"),
        ),
        (
            "",
            "pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw);".to_owned(),
            "pthread_rwlock_rdlock(&rw); y = x; pthread_rwlock_unlock(&rw);".to_owned(),
        ),
        (
            "void __VERIFIER_atomic_add(void) { x++; }",
            "__VERIFIER_atomic_add();".to_owned(),
            "__VERIFIER_atomic_begin(); x = 0; __VERIFIER_atomic_end();".to_owned(),
        ),
        ("_Atomic int z;", "z++;".to_owned(), "z = 3;".to_owned()),
        (
            "",
            format!("{lock} if (x) goto out; x = 1; out: {unlock}"),
            format!("{lock} x = 0; {unlock}"),
        ),
        ("void inc(int *q) { (*q)++; }", "int here = 0; inc(&here);".to_owned(), String::new()),
        // What cannot be followed is no race either.
        (
            "void *malloc(unsigned long); unsigned long size;",
            format!("{lock} p = malloc(size); *p = 1; {unlock}"),
            String::new(),
        ),
    ] {
        assert_eq!(races(declarations, &thread, &main), VerdictName::Safe, "{thread} | {main}");
    }
}

#[test]
fn what_seems_to_be_protected_is_a_race() {
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    for (declarations, thread, main) in [
        ("", "x++;".to_owned(), String::new()),
        // Another lock, or none on one way, or one that was given back.
        (
            "",
            format!("{lock} x++; {unlock}"),
            "pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n);".to_owned(),
        ),
        ("", format!("if (__VERIFIER_nondet_int()) {{ {lock} }} x++;"), String::new()),
        (
            "void give(void) { pthread_mutex_unlock(&m); }",
            format!("{lock} give(); x++;"),
            String::new(),
        ),
        (
            "pthread_mutex_t *l = &m;",
            format!("{lock} pthread_mutex_unlock(l); x++;"),
            String::new(),
        ),
        (
            "",
            format!(
                "int i; for (i = 0; i < 2; i++) {{ if (i == 0) {{ {lock} }} x++; if (i == 0) {{ {unlock} }} }}"
            ),
            String::new(),
        ),
        ("", "pthread_mutex_trylock(&m); x++;".to_owned(), String::new()),
        ("", format!("{lock} goto in; while (y) {{ {lock} in: {unlock} x++; }}"), String::new()),
        // Readers that write, and an atomic operation beside a plain one.
        (
            "",
            "pthread_rwlock_rdlock(&rw); x++; pthread_rwlock_unlock(&rw);".to_owned(),
            String::new(),
        ),
        (
            "_Atomic int z; int *plain(void) { return (int *) &z; }",
            "z++;".to_owned(),
            "*plain() = 3;".to_owned(),
        ),
        (
            "",
            "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();".to_owned(),
            "x++;".to_owned(),
        ),
        // A function with and without the lock.
        ("void add(void) { x++; }", format!("{lock} add(); {unlock}"), "add();".to_owned()),
        // A local variable that others find.
        ("", "if (p) (*p)++;".to_owned(), "int here = 0; p = &here; here++;".to_owned()),
    ] {
        assert_eq!(races(declarations, &thread, &main), VerdictName::Unsafe, "{thread} | {main}");
    }
}
