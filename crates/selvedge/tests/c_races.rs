//! Data races that the text of a program rules out, and those that it seems to rule out.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};
use selvedge_frontend::c::lower::Options as Asked;

const THREADS: &str = "typedef unsigned long pthread_t; typedef union { long a; } pthread_mutex_t; typedef union { long a; } pthread_rwlock_t;
    extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
    extern int pthread_mutex_lock(pthread_mutex_t *); extern int pthread_mutex_unlock(pthread_mutex_t *);
    extern int pthread_mutex_trylock(pthread_mutex_t *);
    extern int pthread_rwlock_rdlock(pthread_rwlock_t *); extern int pthread_rwlock_wrlock(pthread_rwlock_t *);
    extern int pthread_rwlock_unlock(pthread_rwlock_t *);
    extern int pthread_mutex_init(pthread_mutex_t *, void *); extern int pthread_mutex_destroy(pthread_mutex_t *);
    extern int pthread_join(pthread_t, void **); extern int puts(const char *);
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

#[test]
fn a_lock_has_one_name_whichever_way_leads_to_it() {
    for (declarations, thread) in [
        (
            "union { pthread_mutex_t a, b; } u;",
            "pthread_mutex_lock(&u.a); pthread_mutex_unlock(&u.b); x++;",
        ),
        (
            "struct { pthread_mutex_t l; int v; } s;",
            "pthread_mutex_lock(&s.l); pthread_mutex_unlock((pthread_mutex_t *) &s); x++;",
        ),
        ("pthread_mutex_t a[2];", "pthread_mutex_lock(&a[0]); pthread_mutex_unlock(a); x++;"),
        (
            "pthread_mutex_t a[2][2];",
            "pthread_mutex_lock(&a[0][0]); pthread_mutex_unlock((pthread_mutex_t *) a); x++;",
        ),
    ] {
        // One of them cannot be followed.
        assert_ne!(races(declarations, thread, ""), VerdictName::Safe, "{thread}");
    }
    let union = "union { pthread_mutex_t a, b; } u;";
    let thread = "pthread_mutex_lock(&u.a); x++; pthread_mutex_unlock(&u.b);";
    assert_eq!(races(union, thread, ""), VerdictName::Safe);
}

#[test]
fn who_leaves_a_loop_has_what_is_held_there() {
    for thread in [
        "while (pthread_mutex_lock(&m) == 0) { pthread_mutex_unlock(&m); if (__VERIFIER_nondet_int()) break; } x++;",
        "for (; pthread_mutex_lock(&m) == 0;) { pthread_mutex_unlock(&m); break; } x++;",
        "while (({ pthread_mutex_lock(&m); 1; })) { pthread_mutex_unlock(&m); break; } x++;",
        "do { pthread_mutex_lock(&m); if (__VERIFIER_nondet_int()) { pthread_mutex_unlock(&m); break; } } while (0); x++;",
        "while (1) { while (1) { pthread_mutex_lock(&m); break; } if (__VERIFIER_nondet_int()) pthread_mutex_unlock(&m); break; } x++;",
        "switch (__VERIFIER_nondet_int()) { case 0: pthread_mutex_lock(&m); break; case 1: pthread_mutex_lock(&m); } x++;",
    ] {
        assert_eq!(races("", thread, ""), VerdictName::Unsafe, "{thread}");
    }
    for thread in [
        "while (1) { pthread_mutex_lock(&m); if (x > 0) break; x++; pthread_mutex_unlock(&m); } x--; pthread_mutex_unlock(&m);",
        "switch (__VERIFIER_nondet_int()) { case 0: pthread_mutex_lock(&m); break; default: pthread_mutex_lock(&m); } x++; pthread_mutex_unlock(&m);",
        "if (pthread_mutex_trylock(&m) == 0) { x++; pthread_mutex_unlock(&m); }",
        "while (pthread_mutex_trylock(&m) != 0); x++; pthread_mutex_unlock(&m);",
        "if (y == 0 && !pthread_mutex_trylock(&m)) { x++; pthread_mutex_unlock(&m); }",
    ] {
        assert_eq!(races("", thread, ""), VerdictName::Safe, "{thread}");
    }
}

/// A lock that somebody frees who does not hold it, or makes anew, protects nothing: what follows is undefined, and *safe* would be wrong.
#[test]
fn a_lock_that_others_may_free_is_no_guard() {
    let thread = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);";
    for (declarations, main) in [
        ("", "pthread_mutex_unlock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"),
        (
            "void give(void) { pthread_mutex_unlock(&m); }",
            "give(); pthread_mutex_lock(&m); x++; give();",
        ),
        ("", "pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"),
        ("", "m = n; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"),
        // Who waits for a condition gives the lock away.
        (WAIT, "pthread_cond_wait(&c, &m);"),
        // Something else is written where the lock is.
        ("", "*(int *) &m = 0; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"),
        (
            "",
            "__atomic_store_n((int *) &m, 0, 5); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        ),
        (
            "void bzero(void *, unsigned long);",
            "bzero(&m, sizeof m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        ),
        (
            "",
            "char *q = (char *) &m; q[0] = 0; pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
        ),
    ] {
        assert_ne!(races(declarations, thread, main), VerdictName::Safe, "{main}");
    }
    let ends = "pthread_join(a, 0); pthread_join(b, 0); pthread_mutex_destroy(&m);";
    assert_eq!(races("", thread, ends), VerdictName::Safe);
}

#[test]
fn a_race_before_an_unlock_by_a_stranger_is_one() {
    assert_eq!(races("", "x++; pthread_mutex_unlock(&m);", ""), VerdictName::Unsafe);
}

#[test]
fn functions_are_what_their_bodies_say() {
    // A function of the program that is called as one of the library is not that one.
    let own = "void mtx_lock(int *l) {} void mtx_unlock(int *l) {} int l;";
    assert_eq!(races(own, "mtx_lock(&l); x++; mtx_unlock(&l);", ""), VerdictName::Unsafe);
    // What is written out is read.
    let text = "char text[4] = \"ab\";";
    assert_eq!(races(text, "puts(text);", "text[1] = 0;"), VerdictName::Unsafe);
    // A section that ends elsewhere is not followed.
    let ends = "void over(void) { __VERIFIER_atomic_end(); }";
    let thread = "__VERIFIER_atomic_begin(); over(); x++;";
    assert_ne!(races(ends, thread, ""), VerdictName::Safe);
}

const WAIT: &str = "typedef union { long a; } pthread_cond_t; extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *); pthread_cond_t c;";

#[test]
fn what_shares_bytes_with_a_lock_is_written_over_it() {
    let shared = "union { pthread_mutex_t l; int w[2]; } u;";
    let thread = "pthread_mutex_lock(&u.l); x++; pthread_mutex_unlock(&u.l);";
    let main = "u.w[0] = 0; pthread_mutex_lock(&u.l); x++; pthread_mutex_unlock(&u.l);";
    assert_ne!(races(shared, thread, main), VerdictName::Safe);
    // What stands beside it does not.
    let beside = "struct s { pthread_mutex_t l; int v; } s, *q = &s;";
    let thread = "pthread_mutex_lock(&s.l); q->v++; s.v++; pthread_mutex_unlock(&s.l);";
    assert_eq!(races(beside, thread, ""), VerdictName::Safe);
}

#[test]
fn a_format_may_write() {
    let printf = "extern int printf(const char *, ...); const char *format = \"%d%n\";";
    for thread in ["printf(\"a%n\", &x);", "printf(\"%-5hhn\", &x);", "printf(format, 1, &x);"] {
        assert_ne!(races(printf, thread, ""), VerdictName::Safe, "{thread}");
    }
    let harmless = "printf(\"%5.2d %% n %p\", 3, &x);";
    assert_eq!(races(printf, harmless, ""), VerdictName::Safe);
}

#[test]
fn the_number_of_a_thread_is_written_where_it_is_started() {
    let text = "pthread_t inner; void *g(void *arg) { return 0; }
        void *f(void *arg) { pthread_create(&inner, 0, g, 0); return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_t seen = inner; return 0; }";
    assert_eq!(whole(text), VerdictName::Unsafe);
    let numbered = text
        .replace("return 0; }\n        void", "return (void *) pthread_self(); }\n        void");
    assert_eq!(
        whole(&format!("extern pthread_t pthread_self(void); {numbered}")),
        VerdictName::Unsafe
    );
}

/// What is said about races of a whole program.
fn whole(text: &str) -> VerdictName {
    let mut options = InputOptions::default();
    options.c.options = Asked::only("no-data-race").unwrap();
    let subject = Subject::parse("program.i", format!("{THREADS} {text}"), options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

#[test]
fn main_may_be_called_again_and_jump() {
    let again = "void *f(void *arg) { x++; return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); if (y++ < 1) main(); return 0; }";
    assert_ne!(whole(again), VerdictName::Safe);
    let jumps = "void *f(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t a; if (__VERIFIER_nondet_int()) goto skip; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m);
          skip: pthread_create(&a, 0, f, 0); x++; return 0; }";
    assert_eq!(whole(jumps), VerdictName::Unsafe);
    let holds = "void *f(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t a; pthread_mutex_lock(&m); pthread_create(&a, 0, f, 0); x = 5; pthread_mutex_unlock(&m); return 0; }";
    assert_eq!(whole(holds), VerdictName::Safe);
}

#[test]
fn a_flag_that_is_set_and_cleared_is_a_lock() {
    let flag = "typedef _Atomic struct { unsigned char value; } atomic_flag; atomic_flag busy;";
    let set = "while (__atomic_test_and_set(&busy, 5));";
    let clear = "__atomic_clear(&busy, 5);";
    assert_eq!(races(flag, &format!("{set} x++; {clear}"), ""), VerdictName::Safe);
    assert_eq!(races(flag, &format!("{set} {clear} x++;"), ""), VerdictName::Unsafe);
}

/// Nobody is about to make a later access of an atomic section: whether such an access races is not settled.
#[test]
fn later_accesses_of_sections_are_not_settled() {
    let section =
        |inside: &str| format!("__VERIFIER_atomic_begin(); {inside} __VERIFIER_atomic_end();");
    assert_eq!(races("", &section("if (x == 0) x = 1;"), "y = x;"), VerdictName::Unknown);
    assert_eq!(races("", &section("x = 1;"), "y = x;"), VerdictName::Unsafe);
    // In a section after another one; and behind an access of something else.
    let twice = format!("{} {}", section("y++;"), section("x = 1;"));
    assert_eq!(races("", &twice, "int here = x;"), VerdictName::Unsafe);
    let later = section("y++; x = 1;");
    assert_eq!(races("", &later, "int here = x;"), VerdictName::Unknown);
}

/// What is said about races of a program whose threads cannot be followed to their ends.
fn races_of_all(main: &str) -> VerdictName {
    let text = format!(
        "{THREADS} extern void *malloc(unsigned); int z; pthread_t id;
         void *f(void *arg) {{ char *here = malloc(__VERIFIER_nondet_int()); x++; return here; }}
         void *g(void *arg) {{ char *here = malloc(__VERIFIER_nondet_int()); y++; z = x; return here; }}
         int main(void) {{ pthread_t a, b; {main} return 0; }}"
    );
    let mut options = InputOptions::default();
    options.c.options = Asked::only("no-data-race").unwrap();
    let subject = Subject::parse("program.i", text, options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

#[test]
fn threads_that_are_not_there_race_with_nobody() {
    let (f, g) = ("pthread_create(&a, 0, f, 0);", "pthread_create(&b, 0, g, 0);");
    for main in [
        format!("x = 1; {f} pthread_join(a, 0); x = 2;"),
        format!("{f} y = 1; pthread_join(a, 0); x = 2; {g} pthread_join(b, 0); x = z + y;"),
        "pthread_create(&id, 0, f, 0); pthread_join(id, 0); x = 2;".to_owned(),
    ] {
        assert_eq!(races_of_all(&main), VerdictName::Safe, "{main}");
    }
    for main in [
        format!("{f} x = 2; pthread_join(a, 0);"),
        format!("{f} {g} pthread_join(a, 0); pthread_join(b, 0);"),
        format!("{f} if (__VERIFIER_nondet_int()) pthread_join(a, 0); x = 2;"),
        // Another thread is joined.
        format!("{f} pthread_join(a, 0); {g} b = a; pthread_join(b, 0); y = 2;"),
        format!(
            "{f} pthread_join(a, 0); {g} pthread_t *c = &b; *c = a; pthread_join(b, 0); y = 2;"
        ),
        format!("{f} pthread_create(&a, 0, g, 0); pthread_join(a, 0); x = 2;"),
        // One of two is joined.
        format!("{f} {f} pthread_join(a, 0);"),
        format!("for (int i = 0; i < 2; i++) {{ x = 1; {f} }} pthread_join(a, 0);"),
        // Jumps back to where nobody was started yet.
        format!("again: x = 1; {f} if (__VERIFIER_nondet_int()) goto again; pthread_join(a, 0);"),
    ] {
        assert_ne!(races_of_all(&main), VerdictName::Safe, "{main}");
    }
}

#[test]
fn an_array_stands_for_its_address() {
    let text = "void *f(void *arg) { x = 1; return 0; } int main(void) { pthread_t t[1]; pthread_create(t, 0, f, 0); x = 3; return 0; }";
    assert_eq!(whole(text), VerdictName::Unsafe);
    let mutex = "void *f(void *arg) { x = 1; return 0; }
        int main(void) { pthread_t t; pthread_mutex_t here[1]; pthread_mutex_init(here, 0); pthread_create(&t, 0, f, 0); x = 3; return 0; }";
    assert_eq!(whole(mutex), VerdictName::Unsafe);
}
