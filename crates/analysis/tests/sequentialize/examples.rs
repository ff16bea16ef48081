//! The examples of the repository: refused with a reason, or the same answer in as many rounds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use expect_test::expect;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_program::sequentialize::sequentialize;
use selvedge_program::{Count, Lowering, Program, Source, ThreadCounts};

use crate::sequentialize::{answers, rounds};

/// More states than this are not enumerated.
const LIMIT: usize = 10_000;

/// All programs among the examples, in order.
fn programs() -> Vec<(String, Arc<Program>, Arc<Source>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    let read = |file: &PathBuf| match load(file, &LoadOptions::default()).unwrap() {
        Input::Program { program, source, .. } => {
            let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
            (name, program, source)
        }
        Input::Tables { .. } => panic!("{} is no program", file.display()),
    };
    files.iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "weave" || e == "bp") {
            files.push(path);
        }
    }
}

/// Two threads wherever there may be any number.
fn counts(program: &Program) -> ThreadCounts {
    let any = program.threads.iter().filter(|t| t.count == Count::Any);
    any.map(|t| (t.name.clone(), 2)).collect()
}

#[test]
fn examples_that_cannot_be_sequentialized_are_refused_with_a_reason() {
    let mut refused = String::new();
    for (name, program, source) in programs() {
        if let Err(why) = sequentialize(&program, &counts(&program), 2) {
            let line = match &why {
                selvedge_program::sequentialize::NotSequential::At { span, .. } => {
                    source.line(span.start).to_string()
                }
                _ => "-".to_owned(),
            };
            refused += &format!("{name}:{line}: {why}\n");
        }
    }
    expect![[r#"
        any/divide.weave:14: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        any/pool.weave:19: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        context-bounded/fig4-forkjoin.weave:17: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        context-bounded/forkjoin-loop.weave:25: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        cuba/fig2.bp:30: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        delays/bakery-broken.weave:9: the value of `a` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] a`, or ask for one round
        delays/bakery.weave:9: the value of `a` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] a`, or ask for one round
        delays/barrier-broken.weave:8: the value of `count` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] count`, or ask for one round
        delays/barrier.weave:10: the value of `count` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] count`, or ask for one round
        delays/cas-counter-broken.weave:7: the value of `counter` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] counter`, or ask for one round
        delays/cas-counter.weave:9: the value of `counter` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] counter`, or ask for one round
        delays/program-p.weave:23: the value of `s` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] s`, or ask for one round
        delays/recursive-sum.weave:9: the value of `sum` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] sum`, or ask for one round
        delays/semaphore-broken.weave:10: the value of `free` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] free`, or ask for one round
        delays/semaphore.weave:12: the value of `free` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] free`, or ask for one round
        delays/sequence-lock-broken.weave:7: the value of `seq` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] seq`, or ask for one round
        delays/sequence-lock-late-broken.weave:8: the value of `seq` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] seq`, or ask for one round
        delays/sequence-lock-late.weave:10: the value of `seq` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] seq`, or ask for one round
        delays/sequence-lock.weave:9: the value of `seq` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] seq`, or ask for one round
        delays/ticket-lock-broken.weave:9: the value of `s` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] s`, or ask for one round
        delays/ticket-lock-calls-broken.weave:5: the value of `served` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] served`, or ask for one round
        delays/ticket-lock-calls.weave:8: the value of `served` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] served`, or ask for one round
        delays/ticket-lock.weave:22: the value of `s` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] s`, or ask for one round
        livelock/recursion-int.weave:10: the value of `n` has to be guessed at the beginning of each round but the first, and an unbounded `int` has too many values to guess from: give it a range, as in `int[0..9] n`, or ask for one round
        livelock/started-workers.weave:18: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        sequentialization/fig2.bp:35: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        start/forkjoin.weave:18: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
        structures/parallel-sort.weave:32: `async` starts a thread: only programs whose threads are all there from the start can be sequentialized
    "#]].assert_eq(&refused);
}

#[test]
fn examples_go_wrong_in_the_same_rounds() {
    let mut known = String::new();
    for (name, program, source) in programs() {
        let counts = counts(&program);
        let original = Lowering::new(Arc::clone(&program), source, &counts).unwrap();
        known += &name;
        for rounds in 1..=3 {
            let Ok(sequential) = sequentialize(&program, &counts, rounds) else {
                known += " refused";
                continue;
            };
            let answer = answers::answer(&sequential, &original, rounds as usize, 1 << 19);
            let expected = rounds::goes_wrong(&original, rounds as usize, LIMIT);
            match (answer, expected) {
                (Some(answer), Ok(expected)) => {
                    assert_eq!(answer, expected, "{name} in {rounds} rounds");
                    known += if answer { " unsafe" } else { " safe" };
                }
                // Stacks of any height: rounds by the definition have no end.
                (Some(answer), Err(_)) => known += if answer { " (unsafe)" } else { " (safe)" },
                (None, _) => {
                    known += " ?";
                    break;
                }
            }
        }
        known += "\n";
    }
    println!("{known}");
    let count = |what: &str| known.matches(what).count();
    assert!(count(" safe") + count(" unsafe") >= 30, "{known}");
}
