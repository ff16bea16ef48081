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

#[test]
fn an_address_of_what_is_gone_may_be_that_of_something_else() {
    let inside = |text: &str| format!("int main(void) {{ {text} return 0; }}");
    let of_both = "char *p = malloc(4); uintptr_t a = (uintptr_t) p; free(p); char *q = malloc(4); uintptr_t b = (uintptr_t) q;";
    are(
        VerdictName::Unknown,
        &[
            &inside("int *p = malloc(4); uintptr_t a = (uintptr_t) p; int *q = realloc(p, 8); assert((uintptr_t) q != a);"),
            &inside(&format!("{of_both} assert(a != b);")),
            &inside(&format!("{of_both} if (!(a - b)) assert(0);")),
            &inside(&format!("{of_both} a ^= b; assert(a);")),
            &inside(&format!("{of_both} assert((int) a != (int) b);")),
            "int same(void *a, void *b) { return a == b; } int main(void) { char *p = malloc(4), *old = p; free(p); char *q = malloc(4); assert(!same(old, q)); return 0; }",
            // An integer by a union, by a pointer, and as a member.
            "union u { char *p; uintptr_t n; }; int main(void) { union u x; x.p = malloc(4); uintptr_t a = x.n; free(x.p); x.p = malloc(5); assert(a != x.n); return 0; }",
            "int main(void) { char *p = malloc(4); uintptr_t a = (uintptr_t) p; free(p); char *q = malloc(4); assert(*(uintptr_t *) &q != a); return 0; }",
            "struct s { uintptr_t key; int *p; } s; int main(void) { s.p = malloc(4); s.key = (uintptr_t) s.p; free(s.p); s.p = malloc(8); assert(s.key != (uintptr_t) s.p); return 0; }",
            // The stack.
            "uintptr_t a; void f(void) { int x = 1; a = (uintptr_t) &x; } void h(void) { int y = 2; assert((uintptr_t) &y != a); } int main(void) { f(); h(); return 0; }",
            // Compare-and-swap.
            "struct n { struct n *next; }; struct n *top; int main(void) { struct n *p = malloc(sizeof *p), *old = p; p->next = 0; free(p); struct n *q = malloc(sizeof *q); q->next = 0; top = q;
             assert(!__sync_bool_compare_and_swap(&top, old, 0)); return 0; }",
            "struct n { struct n *next; }; struct n *top; int main(void) { struct n *p = malloc(sizeof *p), *old = p; p->next = 0; free(p); struct n *q = malloc(sizeof *q); q->next = 0; top = q;
             assert(!__atomic_compare_exchange_n(&top, &old, (struct n *) 0, 0, 5, 5)); return 0; }",
        ],
    );
    // Memory of one call may be any that is free.
    let three = |test: &str| {
        format!(
            "int *make(void) {{ int *p = malloc(4); return p; }} int main(void) {{ int *p = make(), *q = make(); uintptr_t a = (uintptr_t) p, b = (uintptr_t) q; free(p); free(q); int *r = make();
             uintptr_t c = (uintptr_t) r; {test} free(r); return 0; }}"
        )
    };
    are(
        VerdictName::Unsafe,
        &[
            &three("assert(c != a);"),
            &three("assert(c != b);"),
            &three("assert(c == a || c == b);"),
        ],
    );
    are(
        VerdictName::Safe,
        &[
            &three("int *s = make(); assert(s != r); free(s);"),
            &inside("int *p = malloc(4), *q = malloc(4); assert(p != q); free(p); free(q); p = 0; assert(p != q);"),
            "struct n { struct n *next; int v; } *head; void push(int v) { struct n *x = malloc(sizeof *x); x->v = v; x->next = head; head = x; }
             void drop(struct n *x) { struct n **p = &head; while (*p != x) p = &(*p)->next; *p = x->next; free(x); }
             int main(void) { push(1); struct n *a = head; push(2); push(3); drop(a); push(4); drop(head); assert(head->v + head->next->v == 5 && !head->next->next); return 0; }",
        ],
    );
}

#[test]
fn results_are_no_more_exact_than_is_promised() {
    const TEXTS: &str = "extern int isalpha(int); extern int isdigit(int); extern int strcmp(const char *, const char *);
        extern int strncmp(const char *, const char *, size_t); extern int memcmp(const void *, const void *, size_t);";
    let asserts = |test: &str| format!("{TEXTS} int main(void) {{ assert({test}); return 0; }}");
    are(
        VerdictName::Safe,
        &[
            &asserts("isalpha('a') && !isalpha('1') && isdigit('7') && !isdigit('x')"),
            &asserts(
                "strcmp(\"a\", \"c\") < 0 && strcmp(\"c\", \"a\") > 0 && !strcmp(\"ab\", \"ab\") && strcmp(\"a\", \"ab\") < 0",
            ),
            &asserts(
                "strncmp(\"ab\", \"ac\", 1) == 0 && strncmp(\"ab\", \"ac\", 2) < 0 && memcmp(\"ab\", \"aa\", 3) > 0 && !memcmp(\"ab\", \"ac\", 1)",
            ),
            &asserts("strcmp(\"\\xff\", \"a\") > 0"),
        ],
    );
    are(
        VerdictName::Unsafe,
        &[
            &asserts("isalpha('a') == 1"),
            &asserts("isdigit('7') != 2048"),
            &asserts("strcmp(\"a\", \"c\") == -2"),
            &asserts("strcmp(\"a\", \"c\") > -3"),
            &asserts("strncmp(\"c\", \"a\", 1) == 2"),
            &asserts("memcmp(\"c\", \"a\", 1) == 1"),
        ],
    );
    are(
        VerdictName::Safe,
        &[
            "extern long random(void); int main(void) { assert(random() >= 0 && random() <= 2147483647L); return 0; }",
            "struct timespec { long tv_sec; long tv_nsec; }; extern int timespec_get(struct timespec *, int);
             int main(void) { struct timespec t; assert(timespec_get(&t, 1) == 1); return 0; }",
        ],
    );
    are(
        VerdictName::Unsafe,
        &["extern long random(void); int main(void) { assert(random() < 2147483647L); return 0; }"],
    );
}

#[test]
fn types_that_look_the_same_are_not_chosen_between() {
    let asserts = |test: &str| format!("int main(void) {{ assert({test}); return 0; }}");
    are(
        VerdictName::Unknown,
        &[
            &asserts("_Generic((const int *) 0, int *: 1, const int *: 2) == 2"),
            &asserts("_Generic((const int *) 0, int *: 1, default: 2) == 2"),
            &asserts("_Generic((signed char) 1, char: 1, signed char: 2) == 2"),
            &asserts("_Generic((char *) 0, signed char *: 1, char *: 2) == 2"),
            &asserts("_Generic(1, const int: 1, default: 2) == 2"),
            &asserts("!__builtin_types_compatible_p(const int *, int *)"),
            &asserts("!__builtin_types_compatible_p(char, signed char)"),
        ],
    );
    are(
        VerdictName::Safe,
        &[
            &asserts("_Generic(1L, int: 1, long: 2, default: 3) == 2"),
            &asserts("_Generic((unsigned char) 1, char: 1, unsigned char: 2) == 2"),
            &asserts("_Generic((char *) 0, int *: 1, char *: 2) == 2"),
            &asserts(
                "__builtin_types_compatible_p(const int, int) && !__builtin_types_compatible_p(int *, long *)",
            ),
        ],
    );
}

#[test]
fn an_atomic_structure_is_accessed_as_a_whole() {
    let run = |structure: &str| {
        format!(
            "struct pair {{ int a, b; }}; {structure} p; void *f(void *x) {{ struct pair q = {{ 1, 1 }}; p = q; return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); struct pair r = p; assert(r.a == r.b); pthread_join(t, 0); return 0; }}"
        )
    };
    are(VerdictName::Safe, &[&run("_Atomic struct pair"), &run("_Atomic(struct pair)")]);
    are(VerdictName::Unsafe, &[&run("struct pair")]);
}

#[test]
fn operands_keep_the_values_that_they_had() {
    are(
        VerdictName::Safe,
        &[
            "int main(void) { int j = 0; int r = ({ j++; j; }) + ({ j++; j; }); assert(r == 3); return 0; }",
            "int f(int a, int b) { return a * 10 + b; } int main(void) { int j = 0; assert(f(j, ({ j = 5; j; })) == 5); return 0; }",
            "struct s { int a, b; }; int f(struct s s, int b) { return s.a * 10 + b; } int main(void) { struct s j = { 1, 2 }; assert(f(j, ({ j.a = 5; j.a; })) == 15); return 0; }",
            "int main(void) { int i = 0, a[2] = { 3, 4 }; assert(a[i] * 10 + ({ i = 1; a[i]; }) == 34); return 0; }",
            "int main(void) { int i = 0, a[2] = { 3, 4 }; assert(a[i] * 10 + ({ a[0] = 7; a[0]; }) == 37); return 0; }",
        ],
    );
}

#[test]
fn characters_and_alignments_are_those_of_the_machine() {
    let asserts = |test: &str| format!("int main(void) {{ assert({test}); return 0; }}");
    let both = asserts(
        "_Generic('a', int: 1, default: 0) && _Generic(u'a', unsigned short: 1, default: 0) && _Generic(U'a', unsigned: 1, default: 0) && L'\\xffffffff' < 0 && u'\\xffff' > 0",
    );
    let narrow = asserts(
        "_Generic(L'a', long: 1, default: 0) && __alignof__(long long) == 8 && __alignof__(double) == 8 && _Alignof(long long) == 4",
    );
    let wide = asserts("_Generic(L'a', int: 1, default: 0) && __alignof__(long long) == 8");
    for (model, text) in [
        (DataModel::Ilp32, &both),
        (DataModel::Lp64, &both),
        (DataModel::Ilp32, &narrow),
        (DataModel::Lp64, &wide),
    ] {
        assert_eq!(verdict_in(model, text), VerdictName::Safe, "{model:?}: {text}");
    }
}
