//! Programs in C whose threads wait for each other: whether they get stuck, and what is said of them where deadlocks are asked for.

use selvedge::{
    Answer, Bound, Deadlocks, InputOptions, Options, Subject, VerdictName, check, recheck, verify,
};
use serde_json::{Value, json};

/// Declares the types and functions of `<pthread.h>`, `<semaphore.h>` and `<threads.h>` that the programs use.
const HEADERS: &str = "typedef unsigned long size_t; typedef unsigned long pthread_t;
typedef struct { int lock; } pthread_attr_t;
typedef struct { int count; unsigned n; int owner; unsigned users; int kind; } pthread_mutex_t;
typedef struct { int kind; } pthread_mutexattr_t;
typedef struct { int waiters; } pthread_cond_t; typedef struct { int kind; } pthread_condattr_t;
typedef struct { int count; } pthread_barrier_t; typedef struct { int shared; } pthread_barrierattr_t;
typedef struct { int readers; } pthread_rwlock_t;
typedef struct { int count; } sem_t;
typedef unsigned long thrd_t; typedef int (*thrd_start_t)(void *);
typedef struct { int count; } mtx_t; typedef struct { int waiters; } cnd_t;
typedef int clockid_t;
struct timespec { long tv_sec; long tv_nsec; };
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_detach(pthread_t);
extern int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
extern int pthread_mutex_destroy(pthread_mutex_t *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int pthread_mutex_timedlock(pthread_mutex_t *, const struct timespec *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
extern int pthread_cond_destroy(pthread_cond_t *);
extern int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
extern int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
extern int pthread_cond_clockwait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
extern int pthread_cond_signal(pthread_cond_t *);
extern int pthread_cond_broadcast(pthread_cond_t *);
extern int pthread_barrier_init(pthread_barrier_t *, const pthread_barrierattr_t *, unsigned);
extern int pthread_barrier_wait(pthread_barrier_t *);
extern int pthread_barrier_destroy(pthread_barrier_t *);
extern int pthread_rwlock_rdlock(pthread_rwlock_t *);
extern int pthread_rwlock_trywrlock(pthread_rwlock_t *);
extern int pthread_rwlock_timedwrlock(pthread_rwlock_t *, const struct timespec *);
extern int sem_init(sem_t *, int, unsigned); extern int sem_wait(sem_t *); extern int sem_post(sem_t *);
extern int sem_timedwait(sem_t *, const struct timespec *);
extern int sem_clockwait(sem_t *, clockid_t, const struct timespec *);
extern int thrd_create(thrd_t *, thrd_start_t, void *); extern int thrd_join(thrd_t, int *);
extern int mtx_init(mtx_t *, int); extern int mtx_lock(mtx_t *); extern int mtx_unlock(mtx_t *);
extern int cnd_init(cnd_t *); extern int cnd_wait(cnd_t *, mtx_t *); extern int cnd_signal(cnd_t *);
extern int cnd_timedwait(cnd_t *, mtx_t *, const struct timespec *);
extern void *malloc(size_t); extern void free(void *);
extern void reach_error(void);
struct timespec ts;
pthread_mutex_t m; pthread_cond_t c; pthread_barrier_t b; pthread_rwlock_t w; sem_t s;
";

/// Mutexes that know their owners, as glibc initialises them: one that is recursive, and one that checks for errors.
const OWNED: &str = "pthread_mutex_t r = { 0, 0, 0, 0, 1 }, e = { 0, 0, 0, 0, 2 };";

fn subject(declarations: &str, statements: &str) -> Subject {
    let text = format!("{HEADERS}{declarations}\nint main(void) {{ {statements} return 0; }}\n");
    Subject::parse("program.i", text, InputOptions::default()).unwrap()
}

fn asked() -> Options {
    Options { deadlock: Deadlocks::All, ..Options::default() }
}

fn answer(subject: &Subject) -> Answer {
    verify(subject, &asked()).unwrap()
}

/// No run of a program goes wrong, and none gets stuck.
fn goes_on(declarations: &str, statements: &str) {
    let answer = answer(&subject(declarations, statements));
    let (sentence, name) = (answer.sentence(), answer.name());
    assert_eq!(name, VerdictName::Safe, "{sentence}: {declarations} {statements}");
}

/// A run of a program gets stuck, and nothing else goes wrong.
fn gets_stuck(declarations: &str, statements: &str) {
    let subject = subject(declarations, statements);
    let sentence = answer(&subject).sentence();
    assert!(sentence.contains("deadlock"), "{sentence}: {declarations} {statements}");
    let plain = verify(&subject, &Options::default()).unwrap();
    assert_eq!(plain.name(), VerdictName::Safe, "{}", plain.sentence());
}

/// A program whose first thread waits for a token, as its second one does for some time; `main` gives one token to one of them.
fn token(wait: &str, again: &str) -> String {
    format!(
        "int tokens;
        void *f(void *a) {{ pthread_mutex_lock(&m); while (tokens == 0) pthread_cond_wait(&c, &m);
            pthread_mutex_unlock(&m); return 0; }}
        void *g(void *a) {{ pthread_mutex_lock(&m); {again} (tokens == 0) {wait};
            pthread_mutex_unlock(&m); return 0; }}"
    )
}

const GIVE: &str = "pthread_mutex_lock(&m); tokens = 1;";

#[test]
fn a_thread_that_sleeps_for_some_time_takes_a_call_from_another() {
    let two =
        "pthread_t a, d; pthread_create(&a, 0, f, 0); pthread_create(&d, 0, g, 0);".to_owned();
    let end = "pthread_mutex_unlock(&m); pthread_join(a, 0); pthread_join(d, 0);";
    for wait in ["pthread_cond_timedwait(&c, &m, &ts)", "pthread_cond_clockwait(&c, &m, 1, &ts)"] {
        let one = two.clone() + GIVE + "pthread_cond_signal(&c);" + end;
        let all = two.clone() + GIVE + "pthread_cond_broadcast(&c);" + end;
        gets_stuck(&token(wait, "if"), &one);
        gets_stuck(&token(wait, "while"), &one);
        goes_on(&token(wait, "if"), &all);
    }
    let c11 = "int tokens; mtx_t l; cnd_t n;
        int f(void *a) { mtx_lock(&l); while (tokens == 0) cnd_wait(&n, &l); mtx_unlock(&l); return 0; }
        int g(void *a) { mtx_lock(&l); if (tokens == 0) cnd_timedwait(&n, &l, &ts); mtx_unlock(&l); return 0; }";
    gets_stuck(
        c11,
        "mtx_init(&l, 0); cnd_init(&n); thrd_t a, d; thrd_create(&a, f, 0); thrd_create(&d, g, 0);
        mtx_lock(&l); tokens = 1; cnd_signal(&n); mtx_unlock(&l); thrd_join(a, 0); thrd_join(d, 0);",
    );
}

#[test]
fn a_time_that_is_over_needs_no_call() {
    let two = "pthread_t a, d; pthread_create(&a, 0, g, 0); pthread_create(&d, 0, g, 0);
        pthread_join(a, 0); pthread_join(d, 0);";
    goes_on(&token("pthread_cond_timedwait(&c, &m, &ts)", "if"), two);
    goes_on("", "sem_timedwait(&s, &ts); sem_clockwait(&s, 1, &ts);");
    goes_on("", "if (sem_clockwait(&s, 1, &ts) == 0) reach_error();");
    goes_on(
        "",
        "pthread_rwlock_rdlock(&w); if (pthread_rwlock_timedwrlock(&w, &ts) != 110) reach_error();",
    );
}

#[test]
fn nobody_gets_the_mutexes_of_a_thread_that_has_ended() {
    for lock in ["r", "e"] {
        let f = format!("{OWNED} void *f(void *a) {{ pthread_mutex_lock(&{lock}); return 0; }}");
        let twice = "pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0);
            pthread_create(&a, 0, f, 0); pthread_join(a, 0);";
        gets_stuck(&f, twice);
        // Who gives it back before it ends leaves nothing behind.
        let fair = format!("pthread_mutex_unlock(&{lock}); return 0;");
        goes_on(&f.replace("return 0;", &fair), twice);
        let tries = format!(
            "{f} void *g(void *a) {{ if (pthread_mutex_trylock(&{lock}) != 16) reach_error(); return 0; }}"
        );
        goes_on(
            &tries,
            "pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0);
            pthread_create(&a, 0, g, 0); pthread_join(a, 0);",
        );
        // It has still to be joined once, and only once.
        let again = subject(
            &f,
            "pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); pthread_join(a, 0);",
        );
        assert_eq!(answer(&again).name(), VerdictName::Unsafe, "{}", answer(&again).sentence());
    }
}

#[test]
fn who_waits_for_its_own_mutex_for_some_time_is_told_so_at_once() {
    let lock = |lock: &str, says: i32| {
        format!(
            "pthread_mutex_lock(&{lock}); if (pthread_mutex_timedlock(&{lock}, &ts) != {says}) reach_error();"
        )
    };
    goes_on(OWNED, &lock("e", 35));
    goes_on(OWNED, &lock("r", 0));
    goes_on(OWNED, &lock("m", 110));
    let other = format!(
        "{OWNED} void *f(void *a) {{ if (pthread_mutex_timedlock(&e, &ts) != 110) reach_error(); return 0; }}"
    );
    goes_on(
        &other,
        "pthread_mutex_lock(&e); pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0);",
    );
}

#[test]
fn many_locks_by_one_thread_are_counted() {
    let many = "for (int i = 0; i < 256; i++)";
    goes_on(
        "",
        &format!(
            "{many} pthread_rwlock_rdlock(&w); if (!pthread_rwlock_trywrlock(&w)) reach_error();"
        ),
    );
    goes_on(
        &format!(
            "{OWNED} void *f(void *a) {{ if (!pthread_mutex_trylock(&r)) reach_error(); return 0; }}"
        ),
        &format!(
            "{many} pthread_mutex_lock(&r); pthread_mutex_lock(&r); pthread_mutex_unlock(&r);
            pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0);"
        ),
    );
    gets_stuck("", "pthread_barrier_init(&b, 0, 256); pthread_barrier_wait(&b);");
}

/// Starts and joins so many threads, with something in between.
fn pool(threads: u32, between: &str) -> String {
    let each = format!("for (int i = 0; i < {threads}; i++)");
    format!(
        "pthread_t t[{threads}]; {each} pthread_create(&t[i], 0, f, 0); {between} {each} pthread_join(t[i], 0);"
    )
}

#[test]
fn a_loop_starts_all_of_its_threads() {
    let post = "void *f(void *a) { sem_post(&s); return 0; }";
    goes_on(post, &pool(6, "sem_wait(&s);"));
    goes_on(post, &pool(6, &"sem_wait(&s);".repeat(6)));
    gets_stuck(post, &pool(6, &"sem_wait(&s);".repeat(7)));
    let meet = "void *f(void *a) { pthread_barrier_wait(&b); return 0; }";
    let met = |threads, count| {
        format!(
            "pthread_barrier_init(&b, 0, {count}); {}",
            pool(threads, "pthread_barrier_wait(&b);")
        )
    };
    goes_on(meet, &met(6, 7));
    gets_stuck(meet, &met(6, 8));
    let count = "int n; void *f(void *a) { pthread_mutex_lock(&m); n++; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }";
    goes_on(
        count,
        &pool(
            6,
            "pthread_mutex_lock(&m); while (n < 2) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        ),
    );
    // Whoever joins them waits.
    let lock = "void *f(void *a) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }";
    gets_stuck(lock, &format!("pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);", pool(6, "")));
}

#[test]
fn within_a_bound_a_loop_starts_all_of_its_threads() {
    let post = "void *f(void *a) { sem_post(&s); return 0; }";
    let answer = |between: &str| {
        let subject = subject(post, &pool(6, between));
        check(&subject, Bound::contexts(2), &asked()).unwrap().name()
    };
    assert_ne!(answer("sem_wait(&s);"), VerdictName::Unsafe);
}

#[test]
fn what_is_found_without_deadlocks_is_found_with_them() {
    let add = "int n; void *f(void *a) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return 0; }";
    for (threads, count) in [(6, 5), (6, 6), (40, 2)] {
        let subject = subject(add, &pool(threads, &format!("if (n == {count}) reach_error();")));
        let (whole, plain) = (answer(&subject), verify(&subject, &Options::default()).unwrap());
        assert_eq!(plain.name(), VerdictName::Unsafe, "{}", plain.sentence());
        assert_eq!(whole.sentence(), plain.sentence());
    }
}

/// Evidence of an answer with deadlocks is accepted with them, and says what it is about.
#[test]
fn evidence_about_deadlocks_is_accepted_with_the_options_of_the_question() {
    let waits = "int x; void *f(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); x = 1; pthread_mutex_unlock(&m); return 0; }";
    let start = "pthread_t t; pthread_create(&t, 0, f, 0);";
    let wrong = format!("{start} if (x) reach_error();");
    let post = "void *f(void *a) { sem_post(&s); return 0; }";
    let add = "int n; void *f(void *a) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return 0; }";
    let cases = [
        (waits, wrong.clone(), VerdictName::Unsafe),
        (waits, format!("{start} pthread_join(t, 0);"), VerdictName::Unsafe),
        (waits, start.to_owned(), VerdictName::Safe),
        (post, pool(6, "sem_wait(&s);"), VerdictName::Safe),
        (post, pool(6, &"sem_wait(&s);".repeat(7)), VerdictName::Unsafe),
        (add, pool(6, "if (n == 5) reach_error();"), VerdictName::Unsafe),
    ];
    let written = |subject: &Subject, options: &Options| {
        let options = Options { evidence: true, ..options.clone() };
        let answer = verify(subject, &options).unwrap();
        let text = answer.evidence().unwrap().expect("there is some").to_text();
        (answer.name(), serde_json::from_str::<Value>(&text).unwrap())
    };
    for (declarations, statements, verdict) in cases {
        let subject = subject(declarations, &statements);
        let (name, evidence) = written(&subject, &asked());
        assert_eq!(name, verdict, "{declarations} {statements}");
        let refused = recheck(&subject, &evidence.to_string(), &asked()).unwrap().err();
        assert_eq!(refused, None, "{declarations} {statements}");
    }
    // That nobody fails says nothing of who is stuck.
    let stuck = subject(waits, &format!("{start} pthread_join(t, 0);"));
    let (name, proof) = written(&stuck, &Options::default());
    assert_eq!(name, VerdictName::Safe);
    let why = recheck(&stuck, &proof.to_string(), &asked()).unwrap().err().expect("refused");
    assert!(why.contains("not with --deadlock"), "{why}");
    // A run of threads that are not counted is no deadlock, whatever it says.
    let goes_on = subject(post, &pool(6, "sem_wait(&s);"));
    let mut forged = written(&subject(post, &pool(6, &"sem_wait(&s);".repeat(7))), &asked()).1;
    forged["digest"] = written(&goes_on, &Options::default()).1["digest"].clone();
    forged["options"] = json!({ "deadlock": true });
    for steps in 1..20 {
        forged["violation"]["schedule"] = json!([format!("main * {steps}")]);
        assert!(recheck(&goes_on, &forged.to_string(), &asked()).unwrap().is_err(), "{steps}");
    }
}

#[test]
fn what_is_taken_away_lets_those_leave_who_may_go_on() {
    let meet = "void *f(void *a) { pthread_barrier_wait(&b); return 0; }";
    goes_on(
        meet,
        "pthread_barrier_init(&b, 0, 2); pthread_t t; pthread_create(&t, 0, f, 0);
        pthread_barrier_wait(&b); pthread_barrier_destroy(&b); pthread_barrier_init(&b, 0, 2);
        pthread_join(t, 0);",
    );
    let sleep =
        "int go; void *f(void *a) { pthread_mutex_lock(&m); if (!go) pthread_cond_wait(&c, &m);
        pthread_mutex_unlock(&m); return 0; }";
    let begin = "pthread_cond_init(&c, 0); pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); go = 1;";
    let end = "pthread_mutex_unlock(&m); pthread_cond_destroy(&c); pthread_cond_init(&c, 0); pthread_join(t, 0);";
    goes_on(sleep, &format!("{begin} pthread_cond_broadcast(&c); {end}"));
    // Who still waits there does what is undefined.
    for (declarations, statements) in [
        (sleep, format!("{begin} {end}")),
        (meet, "pthread_barrier_init(&b, 0, 2); pthread_t t; pthread_create(&t, 0, f, 0); pthread_barrier_destroy(&b);".to_owned()),
    ] {
        let answer = answer(&subject(declarations, &statements));
        assert_eq!(answer.name(), VerdictName::Unknown, "{}", answer.sentence());
        assert!(answer.sentence().contains("taken away while a thread waits"), "{}", answer.sentence());
    }
}

#[test]
fn a_barrier_for_nobody_is_none() {
    goes_on("", "if (pthread_barrier_init(&b, 0, 0) != 22) reach_error();");
    goes_on(
        "",
        "if (pthread_barrier_init(&b, 0, 1) != 0) reach_error(); pthread_barrier_wait(&b);",
    );
}

/// Whether somebody is stuck is asked where nobody wakes by chance, and an assertion may fail only where somebody does: a proof of the one says that it is none
/// of the other.
#[test]
fn a_proof_about_deadlocks_does_not_speak_of_threads_that_wake_by_chance() {
    let waits = |again: &str| {
        format!(
            "int ready; void *f(void *a) {{ pthread_mutex_lock(&m); {again} (!ready) pthread_cond_wait(&c, &m); if (!ready) reach_error(); pthread_mutex_unlock(&m); return 0; }}"
        )
    };
    let main = "pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0);";
    let evidence = Options { evidence: true, ..asked() };
    let by_chance = subject(&waits("if"), main);
    assert_eq!(verify(&by_chance, &evidence).unwrap().name(), VerdictName::Unsafe);
    let subject = subject(&waits("while"), main);
    let answer = verify(&subject, &evidence).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    let proof = answer.evidence().unwrap().expect("there is some").to_text();
    let accepted =
        recheck(&subject, &proof, &asked()).unwrap().unwrap_or_else(|why| panic!("{why}"));
    assert!(
        accepted.property.contains("only where no thread wakes by chance"),
        "{}",
        accepted.property
    );
}
