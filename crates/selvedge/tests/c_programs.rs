//! Small programs in C that were once misread, with what is to be said of them.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};

/// What the headers say of threads.
const THREADS: &str = "typedef unsigned long size_t; typedef unsigned long pthread_t;
typedef struct { int lock; } pthread_attr_t;
typedef struct { int count; unsigned n; int owner; unsigned users; int kind; } pthread_mutex_t;
typedef struct { int kind; } pthread_mutexattr_t;
typedef unsigned pthread_key_t;
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void pthread_exit(void *);
extern pthread_t pthread_self(void);
extern int pthread_equal(pthread_t, pthread_t);
extern int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
extern int pthread_mutex_destroy(pthread_mutex_t *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutexattr_init(pthread_mutexattr_t *);
extern int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
extern int pthread_key_create(pthread_key_t *, void (*)(void *));
extern void *pthread_getspecific(pthread_key_t);
extern int pthread_setspecific(pthread_key_t, const void *);
extern void *malloc(size_t); extern void *calloc(size_t, size_t); extern void *realloc(void *, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t); extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t); extern int memcmp(const void *, const void *, size_t);
extern size_t strlen(const char *); extern int strcmp(const char *, const char *);
extern char *strcpy(char *, const char *); extern char *strchr(const char *, int);
extern int abs(int);";

/// What is said of a program whose `main` has these statements, after these declarations.
fn verdict(declarations: &str, statements: &str) -> VerdictName {
    let text = format!(
        "extern void reach_error(void);\n{declarations}\nint main(void) {{ {statements} return 0; }}\n"
    );
    let subject = Subject::parse("program.i", text, InputOptions::default()).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

/// What is said of a program, of one property.
fn verdict_on(property: &str, declarations: &str, statements: &str) -> VerdictName {
    let text = format!(
        "extern void reach_error(void);\n{THREADS}\n{declarations}\nint main(void) {{ {statements} return 0; }}\n"
    );
    let mut options = InputOptions::default();
    options.c.options = selvedge_frontend::c::lower::Options::only(property).unwrap();
    let subject = Subject::parse("program.i", text, options).unwrap();
    verify(&subject, &Options::default()).unwrap().name()
}

/// Something holds where `main` ends, in every schedule, and is reached there; the headers are known.
fn holds_with_threads(declarations: &str, statements: &str, condition: &str) {
    holds(&format!("{THREADS}\n{declarations}"), statements, condition);
}

/// Something holds where `main` ends, and is reached there: its opposite fails.
fn holds(declarations: &str, statements: &str, condition: &str) {
    let test = |negation: &str| format!("{statements} if ({negation}({condition})) reach_error();");
    assert_eq!(verdict(declarations, &test("!")), VerdictName::Safe, "{condition}");
    assert_eq!(verdict(declarations, &test("")), VerdictName::Unsafe, "{condition}");
}

#[test]
fn structures_with_arrays_are_passed_as_they_are() {
    let declarations = "struct S { int a; unsigned char b[3]; struct { short x; long long y; } in[2]; };
        static struct S next(struct S s) { s.a++; s.b[1] = s.b[2]; s.in[1].y = s.in[0].x; return s; }
        static int through(struct S s) { unsigned char *p = &s.b[1]; return *p + s.in[1].x; }";
    let statements =
        "struct S s = { 1, { 2, 3, 4 }, { { 5, 6 }, { 7, 8 } } }; struct S t = next(s);";
    let condition = "t.a == 2 && t.b[0] == 2 && t.b[1] == 4 && t.b[2] == 4 && t.in[0].x == 5 \
        && t.in[0].y == 6 && t.in[1].x == 7 && t.in[1].y == 5 && s.b[1] == 3 && through(s) == 10";
    holds(declarations, statements, condition);
}

#[test]
fn a_structure_is_read_before_any_of_it_is_written() {
    let declarations = "struct S { int k; int v; };";
    let elements = "struct S a[2] = { { 1, 5 }, { 0, 7 } };";
    holds(declarations, &format!("{elements} a[0] = a[a[0].k];"), "a[0].k == 0 && a[0].v == 7");
    holds(declarations, &format!("{elements} a[a[1].k] = a[1];"), "a[0].k == 0 && a[0].v == 7");
    holds(declarations, &format!("{elements} a[a[0].k] = a[0];"), "a[1].k == 1 && a[1].v == 5");
}

#[test]
fn the_value_for_a_range_of_elements_is_computed_once() {
    let statements = "int v = 4; int a[3] = { [0 ... 2] = v++ };";
    holds("", statements, "v == 5 && a[0] == 4 && a[1] == 4 && a[2] == 4");
}

#[test]
fn shifts_and_absolute_values_overflow() {
    let overflows = |statements: &str| verdict_on("no-overflow", "", statements);
    for wrong in [
        "int x = 1 << 31;",
        "int n = 31, x = 1; x = x << n;",
        "int n = 32, x = 1; x <<= n;",
        "int n = -1, x = 8; x = x >> n;",
        "int x = -1; x = x << 1;",
        "int x = -2147483647 - 1; x = abs(x);",
        "int x = -2147483647 - 1, y = -1; x = x / y;",
        "int x = -2147483647 - 1, y = -1; x = x % y;",
        "long x = 1; x = x << 63;",
    ] {
        assert_eq!(overflows(wrong), VerdictName::Unsafe, "{wrong}");
    }
    for right in [
        "int n = 30, x = 1; x = x << n;",
        "unsigned x = 1; x = x << 31; x = x << 1;",
        "int x = -8; x = x >> 1; x = abs(x);",
        "long x = 1; x = x << 62;",
    ] {
        assert_eq!(overflows(right), VerdictName::Safe, "{right}");
    }
}

#[test]
fn a_shift_that_is_undefined_is_no_proof() {
    assert_eq!(verdict("", "int n = 32, x = 1; x = x << n;"), VerdictName::Unknown);
    assert_eq!(verdict("", "int n = 31; unsigned x = 1; x = x << n;"), VerdictName::Safe);
}

#[test]
fn a_mutex_that_is_held_is_not_made_anew() {
    let declarations = "pthread_mutex_t m; int x;
        void *f(void *a) { pthread_mutex_lock(&m); x = 1; if (x != 1) reach_error(); pthread_mutex_unlock(&m); return a; }";
    let around = |between: &str| {
        format!(
            "pthread_t t; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_create(&t, 0, f, 0); {between} pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); pthread_join(t, 0);"
        )
    };
    let said = |between: &str| verdict_on("unreach-call", declarations, &around(between));
    assert_eq!(said("pthread_mutex_init(&m, 0);"), VerdictName::Unknown);
    assert_eq!(said("pthread_mutex_destroy(&m);"), VerdictName::Unknown);
    assert_eq!(said("pthread_mutex_unlock(&m);"), VerdictName::Safe);
    let freed =
        "pthread_mutex_t *p = malloc(sizeof *p); pthread_mutex_init(p, 0); pthread_mutex_lock(p);";
    assert_eq!(verdict_on("unreach-call", "", &format!("{freed} free(p);")), VerdictName::Unknown);
    let unlocked = format!("{freed} pthread_mutex_unlock(p); pthread_mutex_destroy(p); free(p);");
    assert_eq!(verdict_on("unreach-call", "", &unlocked), VerdictName::Safe);
}

#[test]
fn who_does_not_hold_a_mutex_breaks_no_single_property() {
    let (declarations, statements) = ("pthread_mutex_t m;", "pthread_mutex_unlock(&m);");
    for property in ["unreach-call", "valid-memsafety"] {
        let said = verdict_on(property, declarations, statements);
        assert_eq!(said, VerdictName::Unknown, "{property}");
    }
    // One thread has no data race, and nothing overflows where nothing is computed, whatever is done.
    for property in ["no-data-race", "no-overflow"] {
        let said = verdict_on(property, declarations, statements);
        assert_eq!(said, VerdictName::Safe, "{property}");
    }
    let all = verdict(&format!("{THREADS}\n{declarations}"), statements);
    assert_eq!(all, VerdictName::Unsafe);
}

#[test]
fn what_a_thread_gives_is_what_those_get_who_join_it() {
    let declarations = "static void leave(long x) { if (x == 2) pthread_exit((void *) 7L); }
        void *f(void *a) { leave((long) a); return (void *) ((long) a * 2); }";
    let statements = "pthread_t t, u; void *r, *s; pthread_create(&t, 0, f, (void *) 3L);
        pthread_create(&u, 0, f, (void *) 2L); pthread_join(u, &s); pthread_join(t, &r);";
    holds_with_threads(declarations, statements, "(long) r == 6 && (long) s == 7");
    let twice = format!("{statements} pthread_join(t, &r); if (r == s) return 1;");
    assert_eq!(verdict(&format!("{THREADS}\n{declarations}"), &twice), VerdictName::Unsafe);
}

#[test]
fn threads_know_who_they_are() {
    let declarations = "pthread_t one, first; int differs;
        void *f(void *a) { one = pthread_self(); differs = !pthread_equal(one, first); return a; }";
    let statements =
        "pthread_t t; first = pthread_self(); pthread_create(&t, 0, f, 0); pthread_join(t, 0);";
    holds_with_threads(declarations, statements, "differs && one == t && one != first");
}

#[test]
fn each_thread_has_its_own_variables_and_keys() {
    let declarations = "_Thread_local int x = 5; _Thread_local int a[2]; pthread_key_t k;
        static void bump(int *p) { ++*p; }
        void *f(void *by) { x += (long) by; bump(&x); a[1] += x;
            if (pthread_getspecific(k)) reach_error(); pthread_setspecific(k, by);
            return (void *) (long) (a[1] + (long) pthread_getspecific(k)); }";
    let statements = "pthread_t t, u; void *r, *s; pthread_key_create(&k, 0); x = 100;
        pthread_create(&t, 0, f, (void *) 1L); pthread_join(t, &r);
        pthread_create(&u, 0, f, (void *) 2L); pthread_join(u, &s);";
    let condition =
        "(long) r == 8 && (long) s == 10 && x == 100 && a[1] == 0 && !pthread_getspecific(k)";
    holds_with_threads(declarations, statements, condition);
}

#[test]
fn recursive_mutexes_are_locked_again_and_checking_ones_say_so() {
    let declarations = "pthread_mutex_t m; pthread_mutex_t e = { 0, 0, 0, 0, 2 }; int x, held;
        void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
            if (++held != 1) reach_error(); held--; pthread_mutex_unlock(&m); return a; }";
    let statements = "pthread_t t; pthread_mutexattr_t a; pthread_mutexattr_init(&a);
        pthread_mutexattr_settype(&a, 1); pthread_mutex_init(&m, &a);
        pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0);
        int once = pthread_mutex_lock(&e), again = pthread_mutex_lock(&e), attempt = pthread_mutex_trylock(&e);
        int first = pthread_mutex_unlock(&e), second = pthread_mutex_unlock(&e);";
    let condition = "x == 2 && !once && again == 35 && attempt == 16 && !first && second == 1";
    holds_with_threads(declarations, statements, condition);
}

#[test]
fn blocks_and_strings_are_copied_and_compared() {
    let declarations = "struct S { int a; short b[2]; struct S *next; };";
    let statements =
        "struct S s = { 1, { 2, 3 }, &s }, t; memcpy(&t, &s, sizeof s); memset(&s, 0, sizeof s);
        int n[12], m[12]; for (int i = 0; i < 12; i++) n[i] = i; memcpy(m, n, sizeof n);
        memmove(n + 1, n, 11 * sizeof *n); memset(m, -1, 2 * sizeof *m);
        char text[8]; strcpy(text, \"ab\"); char *b = strchr(text, 'b');";
    let condition = "t.a == 1 && t.b[1] == 3 && t.next == &s && !s.a && !s.next && n[0] == 0 && n[1] == 0 \
        && n[11] == 10 && m[0] == -1 && m[2] == 2 && m[11] == 11 && strlen(text) == 2 && b == text + 1 \
        && strcmp(text, \"ab\") == 0 && strcmp(text, \"b\") < 0 && memcmp(text, \"ac\", 2) < 0";
    holds_with_threads(declarations, statements, condition);
    let beyond = "char text[3]; strcpy(text, \"abc\");";
    assert_eq!(verdict(THREADS, beyond), VerdictName::Unsafe);
}

#[test]
fn objects_may_have_sizes_that_are_not_constant() {
    let declarations = "struct S { int n; int a[]; };
        static int *make(int n) { int *p = malloc(n * sizeof *p); for (int i = 0; i < n; i++) p[i] = i; return p; }";
    let statements = "int k = 0; while (k < 3) k++; int *p = make(k); int last = p[2];
        p = realloc(p, 2 * k * sizeof *p); p[5] = 7; int kept = p[2], end = p[5]; free(p);
        struct S *s = malloc(sizeof *s + 4 * sizeof(int)); s->n = 4; s->a[3] = 9; int open = s->a[3] + s->n; free(s);";
    holds_with_threads(
        declarations,
        statements,
        "last == 2 && kept == 2 && end == 7 && open == 13",
    );
    let wrong = |statements: &str| {
        assert_eq!(verdict(&format!("{THREADS}\n{declarations}"), statements), VerdictName::Unsafe);
    };
    wrong("int k = 0; while (k < 3) k++; int *p = malloc(k * sizeof *p); p[3] = 1; free(p);");
    wrong("struct S *s = malloc(sizeof *s + 4 * sizeof(int)); s->a[4] = 1; free(s);");
    wrong("int a[2], b[2] = { 1, 2 }; memcpy(a, b, 3 * sizeof *a);");
    let large = "int k = 0; while (k < 17) k++; int *p = malloc(k * sizeof *p); free(p);";
    assert_eq!(verdict(THREADS, large), VerdictName::Unknown);
}

#[test]
fn what_is_kept_at_a_key_is_destroyed_when_a_thread_ends() {
    let declarations = "pthread_key_t k; int destroyed;
        static void destroy(void *what) { destroyed += *(int *) what; free(what); }
        void *f(void *by) { int *p = malloc(sizeof *p); *p = (long) by; pthread_setspecific(k, p); return 0; }";
    let statements =
        "pthread_t t; pthread_key_create(&k, destroy); pthread_create(&t, 0, f, (void *) 3L);
        pthread_join(t, 0);";
    holds_with_threads(declarations, statements, "destroyed == 3");
}

#[test]
fn an_element_of_a_value_that_nobody_holds_is_found() {
    let declarations = "struct S { int n; int a[3]; short b[2][2]; };
        static struct S make(int n) { struct S s = { n, { n, n + 1, n + 2 }, { { 1, 2 }, { 3, n } } }; return s; }";
    let statements = "int i = 0; while (i < 2) i++; int x = make(4).a[i], y = make(5).b[i - 1][1], z = make(1).a[0];";
    holds(declarations, statements, "x == 6 && y == 5 && z == 1");
    assert_eq!(verdict(declarations, "int i = 3; return make(1).a[i];"), VerdictName::Unsafe);
    let one_of = "union U { int i; unsigned u; }; static union U give(void) { union U u = { -1 }; return u; }";
    holds(one_of, "", "give().u == 4294967295u && give().i == -1");
}

/// What is said of a program with keys, a semaphore and conditions of `threads.h`.
fn with_keys(declarations: &str, statements: &str) -> VerdictName {
    let more = "extern int pthread_key_delete(pthread_key_t); pthread_key_t k, l; int n, x; pthread_t t;
        typedef union { long a; } sem_t; extern int sem_init(sem_t *, int, unsigned); extern int sem_trywait(sem_t *);
        typedef union { long a; } mtx_t; typedef union { long a; } cnd_t; extern int mtx_init(mtx_t *, int); extern int mtx_lock(mtx_t *);
        extern int cnd_init(cnd_t *); extern int cnd_timedwait(cnd_t *, mtx_t *, void *); extern int *__errno_location(void); sem_t s; mtx_t m; cnd_t c;";
    verdict_on("unreach-call", &format!("{more} {declarations}"), statements)
}

#[test]
fn each_key_has_its_own_function_for_the_end() {
    let declarations = "void d(void *p) { n += 1; } void e(void *p) { n += 10; }
        void *f(void *arg) { pthread_setspecific(k, &x); pthread_setspecific(l, &x); return 0; }";
    let run = "pthread_create(&t, 0, f, 0); pthread_join(t, 0);";
    for (made, n) in [
        ("pthread_key_create(&k, d); pthread_key_create(&l, e);", 11),
        ("pthread_key_create(&k, e); pthread_key_create(&l, 0);", 10),
        ("pthread_key_create(&k, d); pthread_key_create(&l, d);", 2),
        // A key that was taken away calls nobody.
        ("pthread_key_create(&k, d); pthread_key_create(&l, d); pthread_key_delete(k);", 1),
    ] {
        let right = format!("{made} {run} if (n != {n}) reach_error();");
        assert_eq!(with_keys(declarations, &right), VerdictName::Safe, "{made}");
        let wrong = format!("{made} {run} if (n == {n}) reach_error();");
        assert_eq!(with_keys(declarations, &wrong), VerdictName::Unsafe, "{made}");
    }
}

#[test]
fn who_keeps_something_anew_at_its_end_is_asked_again() {
    for (until, n) in [(3, 3), (9, 4)] {
        let declarations = format!(
            "void d(void *p) {{ n++; if (n < {until}) pthread_setspecific(k, p); }} void *f(void *arg) {{ pthread_setspecific(k, &x); return 0; }}"
        );
        let main = format!(
            "pthread_key_create(&k, d); pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (n != {n}) reach_error();"
        );
        assert_eq!(with_keys(&declarations, &main), VerdictName::Safe, "{until}");
    }
}

#[test]
fn errno_belongs_to_its_thread() {
    let declarations = "void *f(void *arg) { *__errno_location() = 5; if (*__errno_location() != 5) reach_error(); return 0; }";
    let main = "pthread_create(&t, 0, f, 0); sem_init(&s, 0, 0); pthread_join(t, 0);";
    for (test, expected) in [
        ("if (*__errno_location() != 0) reach_error();", VerdictName::Safe),
        (
            "if (sem_trywait(&s) != -1 || *__errno_location() != 11) reach_error();",
            VerdictName::Safe,
        ),
        ("if (sem_trywait(&s) && *__errno_location() == 11) reach_error();", VerdictName::Unsafe),
    ] {
        assert_eq!(with_keys(declarations, &format!("{main} {test}")), expected, "{test}");
    }
}

#[test]
fn time_that_is_over_has_its_number_in_threads_h() {
    let wait = "mtx_init(&m, 0); cnd_init(&c); mtx_lock(&m); int r = cnd_timedwait(&c, &m, 0);";
    assert_eq!(with_keys("", &format!("{wait} if (r == 4) reach_error();")), VerdictName::Unsafe);
    assert_eq!(
        with_keys("", &format!("{wait} if (r && r != 4) reach_error();")),
        VerdictName::Safe
    );
}
