//! Faults of memory that are easily missed, and programs that only look as if they had one.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const LIBRARY: &str = "typedef unsigned long size_t; extern void *malloc(size_t); extern void free(void *);
    extern int __VERIFIER_nondet_int(void); extern int puts(const char *); extern void *__builtin_alloca(size_t);
    typedef struct { long a[7]; } pthread_rwlock_t; extern int pthread_rwlock_unlock(pthread_rwlock_t *);
    extern void reach_error(void);
    int *made(void) { return malloc(16); }\n";

fn asked(property: &str, text: &str) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = Asked::only(property).unwrap();
    let subject = Subject::parse("program.i", format!("{LIBRARY} {text}"), options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

fn memory(text: &str) -> VerdictName {
    asked("valid-memsafety", text)
}

#[test]
fn who_points_to_what_was_freed_is_found_although_the_place_is_used_again() {
    for text in [
        "int main(void) { int *p = made(); free(p); int *q = made(); *p = 1; free(q); return 0; }",
        "int main(void) { int *p = made(); free(p); int *q = made(); free(p); return 0; }",
        "int *g; void f(int n) { int x = n; if (n == 1) *g = 2; g = &x; } int main(void) { f(0); f(1); return 0; }",
    ] {
        assert_eq!(memory(text), VerdictName::Unsafe, "{text}");
    }
    for text in [
        "int main(void) { for (int i = 0; i < 20; i++) { int *p = made(); *p = i; free(p); } return 0; }",
        "int main(void) { int *p = made(); free(p); p = made(); *p = 1; free(p); return 0; }",
    ] {
        assert_eq!(memory(text), VerdictName::Safe, "{text}");
    }
}

#[test]
fn what_is_beyond_the_end_of_one_object_is_in_no_other() {
    for text in [
        "int main(void) { int *a = made(); int *b = made(); a[5] = 1; return 0; }",
        "int g[4], h[4]; int main(void) { int *p = h; if (__VERIFIER_nondet_int()) p = g; p[100] = 1; return 0; }",
        "int main(void) { int a[4], b[4]; int *p; if (__VERIFIER_nondet_int()) p = a; else p = b; p[8] = 1; return 0; }",
    ] {
        assert_eq!(memory(text), VerdictName::Unsafe, "{text}");
    }
}

#[test]
fn what_is_not_followed_is_not_called_safe() {
    for text in [
        // A variable of a block that has ended.
        "int main(void) { int *p; { int x = 1; p = &x; } *p = 2; return 0; }",
        "int *g; int main(void) { for (int i = 0; i < 2; i++) { int x = i; if (i) *g = 1; g = &x; } return 0; }",
        // Memory of a function that has returned.
        "int *f(void) { int *p = __builtin_alloca(4); *p = 1; return p; } int main(void) { return *f(); }",
        "int main(void) { int *p = __builtin_alloca(4); free(p); return 0; }",
        // A text that stands in the program is not written; nothing is no text.
        "int main(void) { char *s = \"abc\"; s[0] = 'x'; return 0; }",
        "int main(void) { char *s = 0; puts(s); return 0; }",
        "int main(void) { char s[2] = {'a', 'b'}; puts(s); return 0; }",
    ] {
        assert_ne!(memory(text), VerdictName::Safe, "{text}");
    }
    assert_eq!(
        memory(
            "int main(void) { char s[3] = {'a', 'b'}; puts(s); { int x; int *p = &x; *p = 1; } return 0; }"
        ),
        VerdictName::Safe
    );
}

#[test]
fn other_faults_are_no_violation_of_a_property() {
    let index = "int main(void) { int a[3]; for (int i = 0; i <= 3; i++) a[i] = 0; return 0; }";
    assert_eq!(asked("unreach-call", index), VerdictName::Safe);
    assert_eq!(asked("no-overflow", index), VerdictName::Safe);
    assert_eq!(memory(index), VerdictName::Unsafe);
    let unlocked = "pthread_rwlock_t r; int main(void) { pthread_rwlock_unlock(&r); return 0; }";
    assert_ne!(memory(unlocked), VerdictName::Unsafe);
}
