//! Deadlocks that few steps lead to are found where nothing is decided about all of them.

use selvedge::{
    Deadlocks, EngineName, InputOptions, Options, Subject, Verdict, VerdictName, recheck, verify,
};

fn subject(text: &str, threads: &[(&str, u32)]) -> Subject {
    let threads = threads.iter().map(|&(name, n)| (name.to_owned(), n)).collect();
    let options = InputOptions { threads, ..InputOptions::default() };
    Subject::parse("test.weave", text, options).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

/// The number of steps to a deadlock, with evidence that is accepted for the text as it is.
#[track_caller]
fn found(text: &str, threads: &[(&str, u32)], deadlock: Deadlocks) -> usize {
    let subject = subject(text, threads);
    let options = Options { evidence: true, jobs: 1, deadlock, ..Options::default() };
    let answer = verify(&subject, &options).unwrap();
    let Verdict::Unsafe(run) = answer.verdict() else { panic!("{}", answer.sentence()) };
    assert_eq!(run.violation(), "a deadlock");
    let evidence = answer.evidence().unwrap().expect("a run").to_text();
    assert!(recheck(&subject, &evidence, &options).unwrap().is_ok());
    run.steps().count()
}

/// That nothing is said about deadlocks.
#[track_caller]
fn is_open(text: &str) {
    let options = Options { solver: None, jobs: 1, ..Options::default() };
    let answer = verify(&subject(text, &[]), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe, "{}", answer.sentence());
    assert!(answer.object().undecided.is_some());
}

#[test]
fn locks_in_opposite_order_around_a_counter() {
    let text = "lock a, b; int n := 0;
        thread l { while (true) { acquire a; acquire b; n := n + 1; release b; release a; } }
        thread r { while (true) { acquire b; acquire a; n := n - 1; release a; release b; } }";
    assert_eq!(found(text, &[], Deadlocks::Waits), 4);
}

const OPPOSITE: &str = "lock a, b;
    thread l * any { acquire a; acquire b; release b; release a; }
    thread r * any { acquire b; acquire a; release a; release b; }";

#[test]
fn of_any_number_of_threads_a_few_are_stuck_for_ever() {
    assert_eq!(found(OPPOSITE, &[], Deadlocks::Waits), 2);
    assert_eq!(found(OPPOSITE, &[], Deadlocks::All), 2);
    assert_eq!(found(OPPOSITE, &[("l", 1)], Deadlocks::Waits), 2);
    // Two of one kind, where one alone is not stuck.
    let one = "lock a, b;
        thread w * any {
          if (*) { acquire a; acquire b; release b; release a; }
          else { acquire b; acquire a; release a; release b; }
        }";
    assert_eq!(found(one, &[], Deadlocks::Waits), 4);
}

#[test]
fn what_one_more_thread_could_undo_does_not_count() {
    is_open("semaphore[0..1] s := 0; thread c * any { acquire s; } thread p { release s; }");
    is_open(
        "lock a; bool go := false; thread w * any { acquire a; assume go; release a; }
        thread v * any { go := true; }",
    );
}

#[test]
fn whoever_names_an_engine_is_answered_by_it() {
    let options = Options { engine: EngineName::Coverability, ..Options::default() };
    let answer = verify(&subject(OPPOSITE, &[]), &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Safe);
    assert!(answer.object().undecided.is_some());
}
