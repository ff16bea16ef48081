//! Limits hold in the library, where no guard ends a process: reading, preparing and searching end within a tenth of
//! their time or half a second, and within a fifth of their memory.
//!
//! These tests are about time: they have the machine to themselves, and what it keeps them waiting for is taken off.

use std::alloc::System;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cap::Cap;
use selvedge::{
    Bound, EngineName, Failure, InputOptions, Limits, Livelock, Options, Subject, Verdict,
    VerdictName, check, livelock, verify,
};
use selvedge_model::Stop;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What a machine that does other things, too, may be late by.
const LATE: Duration = Duration::from_millis(400);

/// How long to sleep between two looks at the memory, and what a nap may take before the machine is said to stall.
const NAP: Duration = Duration::from_millis(1);
const LONG_NAP: Duration = Duration::from_millis(20);

/// How many bytes small things may take beside what is limited.
const OWN_MEMORY: usize = 8_000_000;

fn in_use() -> usize {
    ALLOCATOR.allocated()
}

/// One at a time: each is measured.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Limits from now on: the memory beside what is in use already.
fn limits(milliseconds: u64, megabytes: Option<usize>) -> Limits {
    Limits {
        timeout: Some(Duration::from_millis(milliseconds)),
        since: Some(Instant::now()),
        memory: megabytes.map(|megabytes| in_use() + megabytes * 1_000_000),
        memory_in_use: Some(in_use),
        work: None,
        cancelled: Arc::default(),
    }
}

/// Does something within limits, and sees that they hold.
#[track_caller]
fn holds<T>(what: &str, limits: &Limits, act: impl FnOnce() -> T) -> T {
    let (before, start) = (in_use(), Instant::now());
    let (peak, done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let watcher = {
        let (peak, done) = (Arc::clone(&peak), Arc::clone(&done));
        thread::spawn(move || {
            let mut stalled = Duration::ZERO;
            while !done.load(Ordering::SeqCst) {
                peak.fetch_max(in_use(), Ordering::SeqCst);
                let asleep = Instant::now();
                thread::sleep(NAP);
                stalled += asleep.elapsed().saturating_sub(LONG_NAP);
            }
            stalled
        })
    };
    let made = act();
    let took = start.elapsed();
    done.store(true, Ordering::SeqCst);
    let stalled = watcher.join().unwrap();
    if let Some(time) = limits.timeout {
        let most = time + time.mul_f64(0.1).max(Duration::from_millis(500)) + LATE + stalled;
        assert!(took <= most, "{what}: {took:?} for {time:?}");
    }
    if let Some(memory) = limits.memory {
        let (allowed, peak) = (memory - before, peak.load(Ordering::SeqCst) - before);
        let most = allowed + allowed / 5 + OWN_MEMORY;
        assert!(peak <= most, "{what}: {peak} bytes for {allowed}");
    }
    made
}

/// Sees that a question ends with a limit: the answer is *unknown*, or there was nothing to ask about yet.
#[track_caller]
fn reaches(what: &str, asked: Result<selvedge::Answer, Failure>) {
    match asked {
        Ok(answer) => assert_eq!(answer.name(), VerdictName::Unknown, "{what}"),
        Err(Failure::Stopped(Stop::Timeout | Stop::Memory)) => {}
        Err(other) => panic!("{what}: {other}"),
    }
}

fn parsed(name: &str, text: impl Into<String>, threads: &[(&str, u32)]) -> Subject {
    let threads = threads.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    Subject::parse(name, text, InputOptions { threads, ..InputOptions::default() }).unwrap()
}

/// Asks about a subject, and sees that a limit is reached.
#[track_caller]
fn asks(what: &str, subject: &Subject, engine: EngineName, time: u64, memory: Option<usize>) {
    let limits = limits(time, memory);
    let options = Options { engine, limits: limits.clone(), ..Options::default() };
    reaches(what, holds(what, &limits, || verify(subject, &options)));
}

fn long_text() -> String {
    let mut text = "int[0..9] x := 0;\nthread t {\n".to_owned();
    while text.len() < 10_000_000 {
        text += "  if (x == 3) { x := 5; } else { x := 7; }\n";
    }
    text + "}\n"
}

fn many_locals() -> String {
    let mut text = "thread t {\n".to_owned();
    for number in 0..50_000 {
        writeln!(text, "  int[0..3] v{number} := {};", number % 4).unwrap();
    }
    for number in 1..50_000 {
        writeln!(text, "  v{} := v{number};", number - 1).unwrap();
    }
    text + "  assert v0 <= 3;\n}\n"
}

#[test]
fn a_long_text_is_not_read_to_its_end() {
    let _alone = alone();
    for (name, text) in [("text.weave", long_text()), ("locals.weave", many_locals())] {
        for (time, memory) in [(30, None), (20_000, Some(40))] {
            // What is read in a moment may be a little late: see `Patience`.
            if name == "locals.weave" && memory.is_none() {
                continue;
            }
            let text = text.clone();
            let limits = limits(time, memory);
            let budget = limits.budget();
            let read = holds(name, &limits, || {
                Subject::parse_within(name, text, InputOptions::default(), &budget)
            });
            assert!(matches!(read, Err(Failure::Stopped(_))), "{name} {time} {memory:?}");
        }
    }
}

#[test]
fn somebody_who_wants_an_end_is_heard_while_a_text_is_read() {
    let _alone = alone();
    let limits = limits(60_000, None);
    limits.cancelled.store(true, Ordering::SeqCst);
    let read = Subject::parse_within(
        "short.bp",
        "decl x; void main() begin x := 0; end",
        InputOptions::default(),
        &limits.budget(),
    );
    assert!(matches!(read, Err(Failure::Stopped(Stop::Cancelled))));
}

#[test]
fn long_texts_are_not_prepared_to_their_end() {
    let _alone = alone();
    for (name, text) in [("text.weave", long_text()), ("locals.weave", many_locals())] {
        let subject = parsed(name, text, &[]);
        asks(name, &subject, EngineName::Auto, 300, None);
        asks(name, &subject, EngineName::Auto, 1000, Some(200));
    }
}

#[test]
fn an_atomic_section_without_an_end() {
    let _alone = alone();
    let text = "int x := 0;\nthread t { atomic { while (*) x := x + 1; } assert x >= 0; }\n";
    let subject = parsed("atomic.weave", text, &[]);
    asks("atomic", &subject, EngineName::Explicit, 100, None);
    asks("atomic", &subject, EngineName::Explicit, 20_000, Some(20));
    // An engine may know that it holds.
    for (time, memory) in [(100, None), (2000, Some(300))] {
        let limits = limits(time, memory);
        let options = Options { limits: limits.clone(), ..Options::default() };
        let answer = holds("atomic", &limits, || verify(&subject, &options));
        let is_unsafe = answer.is_ok_and(|answer| answer.name() == VerdictName::Unsafe);
        assert!(!is_unsafe);
    }
}

/// The schedule of an answer can be looked at when its time is over.
#[test]
fn an_answer_outlives_its_limits() {
    let _alone = alone();
    let text = "int[0..400] x := 0;\nthread t { atomic { while (*) { assume x < 400; x := x + 1; } } assert x != 399; }\n";
    let subject = parsed("late.weave", text, &[]);
    let limits = limits(20_000, None);
    let options = Options { evidence: true, limits: limits.clone(), ..Options::default() };
    let answer = verify(&subject, &options).unwrap();
    assert_eq!(answer.name(), VerdictName::Unsafe);
    limits.cancelled.store(true, Ordering::SeqCst);
    assert!(answer.evidence().unwrap().is_some());
    let Verdict::Unsafe(found) = answer.verdict() else { panic!("there is a violation") };
    assert!(found.steps().next().is_some());
}

#[test]
fn tables_with_many_threads() {
    let _alone = alone();
    let text = "3 5\n0 0 -> 0 1\n0 1 -> 1 2\n1 1 -> 2 3\n2 2 -> 2 4\n2 4 -> 0 0\n2 3 -> 0 1\n";
    for threads in [10_000, 100_000] {
        let subject = parsed("many.tts", text, &[("thread", threads)]);
        asks(&format!("{threads} threads"), &subject, EngineName::Auto, 1000, None);
    }
    let subject = parsed("many.tts", text, &[("thread", 10_000)]);
    asks("10,000 threads in 100 MB", &subject, EngineName::Auto, 60_000, Some(100));
}

/// Whoever reads it to its end finds a mistake there.
#[test]
fn a_long_table_is_not_read_to_its_end() {
    let _alone = alone();
    let rules = "0 0 -> 1 1\n".repeat(10_000) + "0 0 -> nowhere\n";
    let cpds = "shared 0 1\ninit 0\nthread T stack 0 {\n".to_owned() + &rules + "}\n";
    for (name, text) in [
        ("long.pds", format!("2\nPDA 0 1\n{rules}")),
        ("long.tts", format!("2 2\n{rules}")),
        ("long.cpds", cpds),
    ] {
        let limits = limits(60_000, None);
        let read = |limits: &Limits| {
            Subject::parse_within(name, &*text, InputOptions::default(), &limits.budget())
        };
        assert!(matches!(read(&limits), Err(Failure::Diagnostics(_))), "{name}");
        limits.cancelled.store(true, Ordering::SeqCst);
        assert!(matches!(read(&limits), Err(Failure::Stopped(Stop::Cancelled))), "{name}");
    }
}

#[test]
fn thousands_of_threads() {
    let _alone = alone();
    let mut text = "int[0..9] x := 0;\n".to_owned();
    for number in 0..5000 {
        let digit = number % 10;
        writeln!(text, "thread t{number} {{ x := {digit}; assert x != {digit} || x < 10; }}")
            .unwrap();
    }
    let counted = "int[0..9] x := 0;\nvoid p() { x := (x + 1) % 10; if (*) p(); }\n\
                   thread t[i] * 10000 { p(); assert x < 10; }\n";
    for (name, text) in [("declared.weave", &*text), ("counted.weave", counted)] {
        let subject = parsed(name, text, &[]);
        asks(name, &subject, EngineName::Auto, 2000, Some(300));
        let limits = limits(2000, Some(300));
        let options = Options { limits: limits.clone(), ..Options::default() };
        reaches(name, holds(name, &limits, || livelock(&subject, &Livelock::default(), &options)));
    }
}

#[test]
fn more_delays_than_can_be_counted() {
    let _alone = alone();
    let text = "int[0..9] x := 0;\nvoid p() { x := (x + 1) % 10; if (*) p(); x := (x * 3) % 10; }\n\
                thread t * 3 { p(); assert x < 10; }\n";
    let subject = parsed("delays.weave", text, &[]);
    let limits = limits(500, Some(300));
    let options = Options { limits: limits.clone(), ..Options::default() };
    let bound = Bound::round_robin(3, usize::MAX);
    let answer = holds("delays", &limits, || check(&subject, bound, &options));
    let verdict = answer.map(|answer| answer.name());
    assert!(matches!(verdict, Ok(VerdictName::Unknown | VerdictName::Bounded | VerdictName::Safe)));
}
