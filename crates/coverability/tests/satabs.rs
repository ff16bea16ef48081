//! The published Boolean programs and their thread transition systems: the verdicts that are known
//! for any number of threads, with their evidence rechecked. The corpus is kept outside of the
//! project; without it, this test says that it was skipped.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Instant;

use selvedge_coverability::{Decision, cover};
use selvedge_evidence::{Evidence, Violation, recheck};
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{Fault, Property, State, System, step};
use selvedge_program::{Lowering, ThreadCounts};

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(path)
}

fn open(path: &Path, drops: bool) -> (Box<dyn System>, Vec<Property>) {
    match load(path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")) {
        Input::Tables { input, .. } => {
            let tables = input.tables;
            let tables = if drops { tables.dropping_threads() } else { tables };
            (Box::new(tables), input.targets)
        }
        Input::Program { program, source, .. } => {
            let lowering = Lowering::new(program, source, &ThreadCounts::new());
            let lowering = lowering.unwrap_or_else(|e| panic!("{e}"));
            let lowering = if drops { lowering.dropping_threads() } else { lowering };
            (Box::new(lowering), vec![Property::NeverWrong])
        }
    }
}

#[test]
fn published_programs_have_the_known_verdicts() {
    let path = corpus("MANIFEST.tsv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return;
    };
    let mut seen = 0;
    for line in text.lines().filter(|line| line.starts_with("bp/satabs/")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, expected) = (fields[0], fields[4]);
        for drops in [true, false] {
            let (system, properties) = open(&corpus(name), drops);
            let start = Instant::now();
            let answer = cover::<Fault>(&*system, &properties, &|| Ok(()));
            let time = start.elapsed();
            let (verdict, what, evidence) = match answer.unwrap_or_else(|e| panic!("{name}: {e}")) {
                Decision::Safe(certificate) => {
                    let what = format!("{} dangerous", certificate.dangerous.len());
                    ("safe", what, Evidence::Cover(certificate))
                }
                Decision::Unsafe { threads, trace, property } => {
                    let what = format!("{threads} threads, {} steps", trace.steps.len());
                    let contexts = trace.contexts();
                    ("unsafe", what, Evidence::Violation(Violation { trace, contexts, property }))
                }
            };
            println!("{name} (drops {drops}): {verdict}, {what}, {time:.2?}");
            assert_eq!(verdict, expected, "{name}");
            recheck(&*system, &properties, &evidence).unwrap_or_else(|e| panic!("{name}: {e}"));
            if verdict == "unsafe" && name.ends_with(".bp") && !name.contains("03-") {
                assert!(what.starts_with("2 threads"), "{name}: {what}");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, 28);
}

/// Whether a program goes wrong with no more than so many threads: all that were ever started, or those
/// that have not ended.
fn goes_wrong(system: &dyn System, most: usize, ended_count: bool) -> bool {
    let properties = [Property::NeverWrong];
    let shape = |mut state: State| {
        // Threads that have ended do nothing, and the order of the others does not matter.
        if !ended_count {
            state.threads.retain(|thread| thread.stack.top().is_some());
        }
        state.threads.sort();
        state
    };
    let mut work: VecDeque<State> =
        system.initial().expect("a start").into_iter().map(shape).collect();
    let mut seen: HashSet<State> = work.iter().cloned().collect();
    while let Some(state) = work.pop_front() {
        if Property::first_broken(&properties, system, &state).expect("known").is_some() {
            return true;
        }
        for thread in state.thread_ids() {
            for (_, next) in step(system, &state, thread).expect("steps") {
                let next = shape(next);
                if next.threads.len() <= most && seen.insert(next.clone()) {
                    work.push_back(next);
                }
            }
        }
    }
    false
}

/// The list of the corpus says that 2 threads are enough for 03-prngsimp, and the engine says 3. Both are
/// right: of its three threads, one has ended when the last one is started. The engine counts all that
/// were started. The list counts those that are there at the same time.
#[test]
fn a_thread_that_has_ended_is_counted() {
    let path = corpus("bp/satabs/03-prngsimp-c/satabs.1.bp");
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
        return;
    }
    let (system, properties) = open(&path, false);
    let answer = cover::<Fault>(&*system, &properties, &|| Ok(())).expect("an answer");
    let Decision::Unsafe { threads, .. } = answer else { panic!("it goes wrong") };
    assert_eq!(threads, 3);
    assert!(!goes_wrong(&*system, 2, true) && goes_wrong(&*system, 3, true));
    assert!(!goes_wrong(&*system, 1, false) && goes_wrong(&*system, 2, false));
}
