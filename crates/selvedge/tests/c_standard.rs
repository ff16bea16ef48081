//! Programs in C that show what the standard and the library promise, and what they leave open: ends of threads, addresses of memory that is used again, results of which
//! only the sign is known.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::types::DataModel;

const LIBRARY: &str = "typedef __typeof__(sizeof 0) size_t; typedef unsigned long uintptr_t; typedef unsigned long pthread_t;
    typedef struct { int lock; } pthread_attr_t; typedef int pthread_once_t; typedef unsigned pthread_key_t;
    extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    extern int pthread_join(pthread_t, void **); extern void pthread_exit(void *); extern int pthread_once(pthread_once_t *, void (*)(void));
    extern int pthread_key_create(pthread_key_t *, void (*)(void *)); extern int pthread_setspecific(pthread_key_t, const void *);
    extern void *malloc(size_t); extern void *realloc(void *, size_t); extern void free(void *);
    extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    void assert(int x) { if (!x) reach_error(); }\n";

fn verdict_in(model: DataModel, text: &str) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.model = Some(model);
    let subject = Subject::parse("program.i", format!("{LIBRARY} {text}"), options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

#[track_caller]
fn are(verdict: VerdictName, texts: &[&str]) {
    for text in texts {
        assert_eq!(verdict_in(DataModel::Lp64, text), verdict, "{text}");
    }
}

#[test]
fn a_thread_ends_with_all_functions_that_it_is_in() {
    const BYE: &str = "int x; void bye(void) { pthread_exit((void *) 3L); } void (*p)(void) = bye;";
    let run = |functions: &str, end: &str| {
        format!(
            "{BYE} {functions} int main(void) {{ pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r); {end} return 0; }}"
        )
    };
    let by_pointer = "void g(void) { p(); x = 1; } void *f(void *a) { g(); x = 1; return 0; }";
    are(VerdictName::Safe, &[&run(by_pointer, "assert(x == 0 && r == (void *) 3L);")]);
    are(VerdictName::Unsafe, &[&run(by_pointer, "assert(x == 1);")]);
    let deep = "void g(void (*q)(void)) { q(); } void h(void) { g(bye); } void *f(void *a) { void (*k)(void) = h; k(); x = 1; return 0; }";
    are(VerdictName::Safe, &[&run(deep, "assert(x == 0);")]);
    are(VerdictName::Unsafe, &[&run(deep, "assert(x == 1);")]);
    let once = "pthread_once_t o; void g(void) { pthread_once(&o, bye); } void *f(void *a) { g(); x = 1; return 0; }";
    let key = "pthread_key_t k; void d(void *a) { p(); } void *f(void *a) { pthread_key_create(&k, d); pthread_setspecific(k, &x); return 0; }";
    are(VerdictName::Unknown, &[&run(once, "assert(x == 1);"), &run(key, "assert(x == 1);")]);
}
