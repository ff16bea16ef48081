//! Programs in C with arrays whose length is not constant, functions for the end of the program, the number of arguments of `main`, and threads that are started in loops and counted.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const LIBRARY: &str = "typedef unsigned long size_t; typedef unsigned long pthread_t;
    typedef struct { int lock; } pthread_attr_t; typedef struct { int a[10]; } pthread_mutex_t;
    extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    extern int pthread_join(pthread_t, void **); extern void pthread_exit(void *);
    extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
    extern void *malloc(size_t); extern void free(void *); extern int atexit(void (*)(void)); extern void exit(int); extern void _exit(int);
    extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n";

fn asked(property: &str, text: &str) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = Asked::only(property).unwrap();
    let subject = Subject::parse("program.i", format!("{LIBRARY} {text}"), options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

#[track_caller]
fn are(property: &str, verdict: VerdictName, texts: &[&str]) {
    for text in texts {
        assert_eq!(asked(property, text), verdict, "{property}: {text}");
    }
}

#[test]
fn arrays_are_as_long_as_a_run_says() {
    are(
        "unreach-call",
        VerdictName::Safe,
        &[
            "int main(void) { int n = 3; int a[n]; for (int i = 0; i < n; i++) a[i] = i; if (a[0] + a[1] + a[2] != 3 || sizeof a != 12) reach_error(); return 0; }",
            "int f(int n) { char a[n]; for (int i = 0; i < n; i++) a[i] = 1; int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
             int main(void) { int s = 0; for (int i = 1; i < 8; i++) s += f(i); if (s != 28) reach_error(); return 0; }",
            "int main(void) { int n = 2; int a[n][3]; a[1][2] = 5; if (a[1][2] != 5 || sizeof a != 24 || sizeof a[0] != 12 || sizeof *a[0] != 4) reach_error(); return 0; }",
            // The length is that of the declaration, whatever becomes of the variable.
            "int main(void) { int n = 2; int a[n]; n = 7; if (sizeof a != 8) reach_error(); return 0; }",
            "int f(int n) { int a[n]; a[0] = n; if (n > 1) f(n - 1); return a[0]; } int main(void) { if (f(3) != 3) reach_error(); return 0; }",
        ],
    );
    are(
        "valid-memsafety",
        VerdictName::Safe,
        &[
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 4) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = i; return 0; }",
            "int main(void) { int s = 0; for (int n = 1; n < 10; n++) { char b[n]; b[n - 1] = 1; s += b[n - 1]; } return 0; }",
            "void *w(void *p) { *(int *) p = 1; return 0; }
             int main(void) { int n = 2; pthread_t t[n]; int a[n]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, w, &a[i]); for (int i = 0; i < n; i++) pthread_join(t[i], 0); return 0; }",
        ],
    );
    are(
        "valid-memsafety",
        VerdictName::Unsafe,
        &[
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 4) return 0; int a[n]; a[n] = 1; return 0; }",
            "void f(int *p, int n) { for (int i = 0; i <= n; i++) p[i] = 0; } int main(void) { int n = 4; int a[n]; f(a, n); return 0; }",
            "int *g; void f(int n) { int a[n]; a[0] = 1; g = a; } int main(void) { f(3); return *g; }",
            "int main(void) { int n = 4; int a[n]; a[0] = 1; free(a); return 0; }",
        ],
    );
    // What is not followed is not called safe: a block that has ended, more elements than there is room for, a second length.
    for text in [
        "int main(void) { int n = 2; int *p; { int a[n]; p = a; } return *p; }",
        "int main(void) { int n = 2; int *p = 0; for (int i = 0; i < 2; i++) { int a[n]; a[0] = 1; if (p) *p = 2; p = a; } return 0; }",
        "int main(void) { int n = 1000; int a[n]; a[1000] = 1; return 0; }",
        "int main(void) { int n = 2; int a[n][n]; a[1][2] = 1; return 0; }",
        "int main(void) { int n = 2; int a[n]; int (*p)[] = &a; (*p)[2] = 1; return 0; }",
    ] {
        assert_ne!(asked("valid-memsafety", text), VerdictName::Safe, "{text}");
    }
}

#[test]
fn functions_are_called_at_the_end_the_last_one_first() {
    are(
        "unreach-call",
        VerdictName::Safe,
        &[
            "int g; void a(void) { if (g != 1) reach_error(); } void b(void) { g = 1; } int main(void) { atexit(a); atexit(b); return 0; }",
            "void a(void) { reach_error(); } int main(void) { atexit(a); _exit(0); }",
        ],
    );
    are(
        "unreach-call",
        VerdictName::Unsafe,
        &[
            "int g; void a(void) { if (g != 1) reach_error(); } void b(void) { g = 1; } int main(void) { atexit(b); atexit(a); return 0; }",
            "int g; void a(void) { if (g) reach_error(); } int f(void) { g = 1; return 0; } int main(void) { atexit(a); return f(); }",
            "void a(void) { reach_error(); } int main(void) { atexit(a); }",
            "int g; void a(void) { if (g) reach_error(); } void *w(void *p) { g = 1; exit(0); } int main(void) { pthread_t t; atexit(a); pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }",
        ],
    );
    let races = "int g; void a(void) { g = 1; } void *w(void *p) { g = 2; return 0; } int main(void) { pthread_t t; atexit(a); pthread_create(&t, 0, w, 0); JOIN return 0; }";
    are("no-data-race", VerdictName::Unsafe, &[&races.replace("JOIN", "")]);
    are("no-data-race", VerdictName::Safe, &[&races.replace("JOIN", "pthread_join(t, 0);")]);
    // The program ends after its last thread: that is not followed.
    let last = "void a(void) { reach_error(); } int main(void) { atexit(a); pthread_exit(0); }";
    assert_eq!(asked("unreach-call", last), VerdictName::Unknown);
}

#[test]
fn there_is_any_number_of_arguments() {
    are(
        "unreach-call",
        VerdictName::Safe,
        &[
            "int main(int argc, char **argv) { if (argc < 0) reach_error(); if (argc > 3) return 1; if (argc * 2 > 6) reach_error(); return 0; }",
        ],
    );
    are(
        "unreach-call",
        VerdictName::Unsafe,
        &["int main(int argc, char **argv) { if (argc == 7) reach_error(); return 0; }"],
    );
}

#[test]
fn threads_of_loops_are_counted_where_any_number_is_too_many() {
    let text = "int x; pthread_mutex_t m; void *w(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < 6; i++) pthread_join(t[i], 0); if (x TEST) reach_error(); return 0; }";
    are("unreach-call", VerdictName::Safe, &[&text.replace("TEST", "!= 6")]);
    are("unreach-call", VerdictName::Unsafe, &[&text.replace("TEST", "== 6")]);
    are("no-data-race", VerdictName::Safe, &[&text.replace("TEST", "!= 6")]);
    // Nobody waits for these.
    let running = text.replace("for (int i = 0; i < 6; i++) pthread_join(t[i], 0);", "");
    are("no-data-race", VerdictName::Unsafe, &[&running.replace("TEST", "!= 6")]);
}

#[test]
fn proofs_with_counted_threads_are_accepted() {
    let text = "int x; pthread_mutex_t m; void *w(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t[6]; for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, w, 0); for (int i = 0; i < 6; i++) pthread_join(t[i], 0); if (x != 6) reach_error(); return 0; }";
    let mut options = InputOptions::default();
    options.c.options = Asked::only("unreach-call").unwrap();
    let subject = Subject::parse("program.i", format!("{LIBRARY} {text}"), options).unwrap();
    let options = Options { evidence: true, ..Options::default() };
    let answer = verify(&subject, &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    let evidence = answer.evidence().unwrap().unwrap().to_text();
    let accepted = selvedge::recheck(&subject, &evidence, &options).unwrap();
    assert_eq!(accepted.err(), None);
}

#[test]
fn very_many_threads_are_counted_only_where_nobody_sees_how() {
    let start = "for (i = 0; i < 10; i++) pthread_create(&t[i], 0, f, 0);";
    let none = "void *f(void *x) { return 0; }";
    let shown = "pthread_t t[10]; int *p; void *f(void *x) { int *q = p; if (q && *q == 3) reach_error(); return 0; }";
    are(
        "unreach-call",
        VerdictName::Unsafe,
        &[
            &format!("{shown} int main(void) {{ int i; p = &i; {start} return 0; }}"),
            &format!(
                "pthread_t t[10]; pthread_t *q = t; int z; {none}
                 int main(void) {{ int i; {start} if (q[0] == q[1]) z = 1; else reach_error(); return 0; }}"
            ),
        ],
    );
    are(
        "valid-memsafety",
        VerdictName::Unsafe,
        &[
            &format!("pthread_t t[5]; {none} int main(void) {{ int i; {start} return 0; }}"),
            &format!(
                "pthread_t t[2][7]; {none} int main(void) {{ int i; for (i = 0; i < 8; i++) pthread_create(&t[0][i], 0, f, 0); return 0; }}"
            ),
        ],
    );
}

#[test]
fn a_thread_has_ended_where_nobody_else_writes_its_id() {
    let declared =
        "pthread_t id; int c; void *f(void *x) { c++; return 0; } void *g(void *x) { return 0; }";
    are(
        "no-data-race",
        VerdictName::Unsafe,
        &[
            &format!(
                "{declared} pthread_t *q = &id; int main(void) {{ pthread_t u; pthread_create(&id, 0, f, 0); pthread_create(&u, 0, g, 0);
                 *q = u; pthread_join(id, 0); c++; return 0; }}"
            ),
            &format!(
                "{declared} pthread_t *q = &id; int main(void) {{ pthread_create(&id, 0, f, 0); pthread_create(q, 0, g, 0);
                 pthread_join(id, 0); c++; return 0; }}"
            ),
        ],
    );
    let text = format!(
        "{declared} int main(void) {{ pthread_create(&id, 0, f, 0); pthread_join(id, 0); c++; return 0; }}"
    );
    are("no-data-race", VerdictName::Safe, &[&text]);
}
