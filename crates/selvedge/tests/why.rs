//! Why a run goes wrong, in the words of an answer.

use selvedge::{InputOptions, Options, Subject, VerdictName, verify};

/// The lines that say why a run of a C program goes wrong, which is already preprocessed.
fn why(text: &str) -> Vec<String> {
    let subject = Subject::parse("exchange.i", text, InputOptions::default()).unwrap();
    let answer = verify(&subject, &Options::default()).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe, "{text}");
    answer.object().why
}

/// A lock by exchange in memory that nobody has set to 0: what the exchange found is what was there, and not the 5 that it wrote.
#[test]
fn an_exchange_found_what_was_there_before_it() {
    let text = "extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
    int *owner = malloc(sizeof *owner);
    int before = __atomic_exchange_n(owner, 5, 5);
    if (before != 0) reach_error();
    return 0;
}
";
    let exchange = "int before = __atomic_exchange_n(owner, 5, 5)";
    assert_eq!(
        why(text),
        [format!("line 5 ({exchange}) found heap#1 = 1, which nobody has written")]
    );
}

/// A lock by exchange that is taken whatever the exchange has found.
#[test]
fn an_exchange_found_what_another_thread_wrote() {
    let text = "typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern void reach_error(void);
int owner;
void *worker(void *arg) {
    int me = (int)(long)arg;
    int before = __atomic_exchange_n(&owner, me, 5);
    if (before != 0) reach_error();
    return 0;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, (void *)1);
    pthread_create(&second, 0, worker, (void *)2);
    return 0;
}
";
    let exchange = "(int before = __atomic_exchange_n(&owner, me, 5))";
    assert_eq!(
        why(text),
        [format!("line 7 {exchange} found owner = 1, since line 7 of worker#1 {exchange}")]
    );
}
