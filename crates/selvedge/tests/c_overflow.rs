//! Results that fit by what the text shows, and those that only seem to.

use std::time::Duration;

use selvedge::{Failure, InputOptions, Limits, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const BEFORE: &str = "typedef unsigned long pthread_t; typedef union { long a; } pthread_mutex_t;
    extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *); extern int pthread_join(pthread_t, void **);
    extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
    extern int __VERIFIER_nondet_int(void); extern void abort(void); extern void *malloc(unsigned);
    void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
    int plus(int a, int b) {
        assume_abort_if_not(b >= 0 || a >= -2147483647 - 1 - b); assume_abort_if_not(b <= 0 || a <= 2147483647 - b);
        return a + b;
    }
    pthread_mutex_t m; int x, y; char c; short s; unsigned u; pthread_t ids[100000];\n";

/// What is said about overflow; with `looks_at_all`, without what the text shows.
fn overflow(text: &str, looks_at_all: bool) -> VerdictName {
    overflow_within(text, looks_at_all, Limits::work(1 << 22))
}

/// What is said about overflow within limits; *unknown* if they end the run before there is anything to say.
fn overflow_within(text: &str, looks_at_all: bool, limits: Limits) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = Asked::only("no-overflow").unwrap();
    options.c.options.watches_all = looks_at_all;
    let subject = Subject::parse("program.i", format!("{BEFORE} {text}"), options).unwrap();
    match verify(&subject, &Options { limits, ..Options::default() }) {
        Ok(answer) => answer.name(),
        Err(Failure::Stopped(_)) => VerdictName::Unknown,
        Err(failure) => panic!("{failure}"),
    }
}

/// A program that cannot be followed to its end, with these statements.
fn open(functions: &str, main: &str) -> String {
    format!("{functions} int main(void) {{ {main} malloc(__VERIFIER_nondet_int()); return 0; }}")
}

#[test]
fn what_fits_is_shown_by_the_text() {
    let count = "void *f(void *arg) { pthread_mutex_lock(&m); x++; y -= 3; pthread_mutex_unlock(&m); return 0; }";
    let starts =
        |n: u32| format!("for (int i = 0; i < {n}; i++) pthread_create(&ids[i], 0, f, 0);");
    for (functions, main) in [
        ("", "int i, sum = 0; for (i = 0; i < 10; i++) sum = i * i + 5;".to_owned()),
        ("", "int i = __VERIFIER_nondet_int(); if (i > 3 && i < 2147483647) i++;".to_owned()),
        ("", "x = plus(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());".to_owned()),
        ("", "c = __VERIFIER_nondet_int(); s = c * c; u = u + 4000000000u;".to_owned()),
        ("", "int i = 0; while (1) { if (i >= 50) break; i += 7; } x = -i;".to_owned()),
        (count, starts(100_000)),
        ("void *f(void *arg) { do { x++; x--; } while (0); return 0; }", starts(1000)),
        ("int twice(int a) { return a + a; }", "x = twice(3) - twice(1000000);".to_owned()),
        ("", "unsigned a = __VERIFIER_nondet_int(); x = (int) (a % 100) * 20000000;".to_owned()),
        ("", "x = 1 << 30; y = x >> 4; x = x / 3 % 7;".to_owned()),
    ] {
        assert_eq!(overflow(&open(functions, &main), false), VerdictName::Safe, "{main}");
    }
}

#[test]
fn what_does_not_fit_is_never_called_safe() {
    for (functions, main) in [
        ("", "int i = __VERIFIER_nondet_int(); i++;"),
        ("", "int i = __VERIFIER_nondet_int(); if (i > 3) i++;"),
        ("", "int a = __VERIFIER_nondet_int(); x = a - plus(a, 1);"),
        (
            "int plus2(int a, int b) { assume_abort_if_not(b <= 0 || a <= 2147483647 - b); return a + b; }",
            "x = plus2(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());",
        ),
        // What was tested is not what is added.
        (
            "int plus3(int a, int b) { assume_abort_if_not(b >= 0 && a <= 2147483647 - b); a = a + b; return a + b; }",
            "x = plus3(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());",
        ),
        ("", "int i = 0; if (i < 5 && (i = 2147483647)) i++;"),
        // A counter that wraps around, one that is changed in its loop, one that is set through a pointer.
        ("void f(void) { x += 30000000; }", "for (char i = 0; i < 200; i++) f();"),
        (
            "void f(void) { x += 30000000; }",
            "for (int i = 0; i < 3; i++) { f(); i -= __VERIFIER_nondet_int() == 1; }",
        ),
        ("void f(void) { x += 1000; } int *p = &x;", "*p = 2147483000; f();"),
        ("void f(int n) { x += 1000; if (n) f(n); }", "f(__VERIFIER_nondet_int());"),
        ("void f(void) { again: x += 1000; if (y) goto again; }", "y = 1; f();"),
        (
            "void *f(void *arg) { x = 2147483647; return 0; }",
            "pthread_create(&ids[0], 0, f, 0); x = x + 1;",
        ),
        // Memory that was asked for holds anything, and what is read as something else, too.
        ("", "int *p = malloc(4); x = *p + 1;"),
        (
            "union { int a; char b[4]; } v;",
            "v.b[3] = 127; v.b[2] = -1; v.b[1] = -1; v.b[0] = -1; x = v.a + 1;",
        ),
        (
            "struct { int a, b; } w;",
            "char *p = (char *) &w; p[3] = 127; p[2] = -1; p[1] = -1; p[0] = -1; x = w.a + 1;",
        ),
        ("", "int here; x = here - 1;"),
        ("int f(int a) { return a * 2; } int (*p)(int) = f;", "x = p(1500000000);"),
        ("", "x = 1 << 31;"),
        ("", "int i = 40; x = 1 << i;"),
        ("", "x = -2147483647 - 1; x = -x;"),
        ("", "x = -2147483647 - 1; y = -1; x = x / y;"),
        (
            "",
            "x = 2147483647; switch (__VERIFIER_nondet_int()) { case 1: x = 0; break; default: y = x + 1; }",
        ),
        (
            "",
            "int i = 5; switch (__VERIFIER_nondet_int()) { case 1: i = 2147483647; case 2: i++; }",
        ),
        (
            "",
            "int i = 0; do { i = i + 1000; if (__VERIFIER_nondet_int()) continue; } while (i != 1);",
        ),
        // What functions of the libraries write, and pointers that they copy.
        (
            "extern int printf(const char *, ...);",
            "x = 2147483647; y = 0; printf(\"a%n\", &y); x = x + y;",
        ),
        (
            "extern void __VERIFIER_nondet_memory(void *, unsigned);",
            "__VERIFIER_nondet_memory(&y, 4); x = y + 1;",
        ),
        (
            "extern int pthread_setcancelstate(int, int *);",
            "y = -2147483647; pthread_setcancelstate(1, &y); x = 2147483647 + y + 1;",
        ),
        (
            "extern void *__builtin_memmove(void *, const void *, unsigned long);",
            "int *p = &x, *q = &y; __builtin_memmove(&q, &p, sizeof p); *q = 2147483647; y = x + 1;",
        ),
        // A record that lies over something else in the same object.
        (
            "struct b { short s, t; }; struct a { int x; struct b b; } whole;",
            "struct b *p = (struct b *) &whole.x; p->s = -1; p->t = 32767; x = whole.x + 1;",
        ),
        // An array that stands for its address.
        (
            "void *f(void *arg) { return 0; }",
            "pthread_t t[1]; pthread_create(t, 0, f, 0); x = 2147483647; x++;",
        ),
    ] {
        // A wrong proof would be made from the text, at once; where the answer stays open, it takes all of its time. However short that is, no
        // proof is right.
        let short = Limits { timeout: Some(Duration::from_secs(2)), ..Limits::default() };
        let said = overflow_within(&open(functions, main), false, short);
        assert_ne!(said, VerdictName::Safe, "{main}");
    }
}

#[test]
fn main_has_any_arguments_when_it_is_called_first() {
    let again = "int main(int a) { if (x == 0) { x = 1; main(0); x = 2; } int y = a + 2147483647; return 0; }";
    assert_ne!(overflow(again, false), VerdictName::Safe);
}
