//! Predicates that name a procedure: they are about the threads that are in it, and about no others.

use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_model::{State, System, step};
use selvedge_predicates::Conclusion;
use selvedge_predicates::count::abstract_states;
use selvedge_predicates::sample::{BreadthFirst, explore};
use selvedge_program::{Lowering, ThreadCounts};
use selvedge_smt::prepared::Prepared;
use support::{Example, example, has_solver};

const READERS: &str = "\
int g := 0;
void writer() { while (true) { g := g + 1; } }
void reader(int s) { while (true) { s := g; assert s <= g; } }
thread writer;
thread reader * any = reader(0);
predicate p in reader: s <= g;
";

#[test]
fn a_predicate_of_one_procedure_proves_something() {
    if !has_solver("a_predicate_of_one_procedure_proves_something") {
        return;
    }
    let readers = Example::of(READERS);
    let Conclusion::Safe(proof) = readers.verify(true).answer else { panic!("no proof") };
    assert!(readers.recheck(&proof.certificate).is_ok());
    // And beside all others: the sequence lock with one more.
    let lock = example("sequence-lock.weave").with_text("predicate same in reader: s == seq;");
    let report = lock.verify(false);
    let Conclusion::Safe(proof) = report.answer else { panic!("no proof") };
    assert!(lock.recheck(&proof.certificate).is_ok());
    assert!(report.seen.iter().all(|seen| seen.abstract_states.is_some()));
}

/// Two kinds of threads with finitely many states, and predicates of each kind and of none.
const CYCLES: &str = "\
int g := 0;
void writer(int k) { while (true) { k := g; g := (g + 1) % 4; } }
void reader(int s, int t) { while (true) { s := g; t := (s + 1) % 4; } }
thread writer * 2 = writer(1);
thread reader = reader(3, 2);
predicate mine in writer: k < g;
predicate big: g >= 2;
predicate next in reader: t == g;
predicate others in writer: forall i != self: i.k <= k;
";

/// Counts by hand: the line of each thread and what holds of it, with no code of the engine.
#[test]
fn abstract_states_are_counted_for_the_threads_that_predicates_are_about() {
    let Example { program, source, counts: _, property } = Example::of(CYCLES);
    let counts = ThreadCounts::new();
    let system =
        Lowering::new(Arc::clone(&program), Arc::clone(&source), &counts).expect("lowered");
    let mut states: Vec<State> = system.initial().expect("initial states");
    let mut at = 0;
    while at < states.len() {
        let state = states[at].clone();
        for thread in state.thread_ids() {
            for (_, next) in step(&system, &state, thread).expect("steps") {
                if !states.contains(&next) {
                    states.push(next);
                }
            }
        }
        at += 1;
    }
    let mut expected = BTreeSet::new();
    for state in &states {
        let g = system.values_of(state.shared)[0].small().expect("a number");
        let frames: Vec<_> = state
            .threads
            .iter()
            .map(|thread| {
                let top = thread.stack.top().expect("a thread that runs");
                let (loc, locals) = system.frame_of_symbol(top).expect("a frame");
                (loc, locals.iter().map(|v| v.small()).collect::<Vec<_>>())
            })
            .collect();
        for (own, (loc, locals)) in frames.iter().enumerate() {
            // Of a value that is open nothing is known.
            let truth = match own {
                0 | 1 => {
                    let (k, other) = (locals[0], frames[1 - own].1[0]);
                    let others = k.zip(other).map(|(k, other)| other <= k);
                    [k.map(|k| k < g), Some(g >= 2), None, others]
                }
                _ => [None, Some(g >= 2), locals[1].map(|t| t == g), None],
            };
            expected.insert((own.min(2) / 2, loc.0, truth.to_vec()));
        }
    }
    let prepared = Prepared::new(&program, &source).expect("a flow graph");
    let layout = prepared.layout(&counts).expect("a layout");
    let order = &mut BreadthFirst::default();
    let found = explore(&system, &property, 10_000, order, &Budget::default()).expect("explored");
    assert!(found.complete && found.states.len() == states.len());
    let predicates: Vec<_> = program.predicates.iter().collect();
    let all = abstract_states(&layout, &predicates, &found.snapshots(&system, &layout));
    let all: BTreeSet<_> = all
        .into_iter()
        .map(|(place, truth)| (place.class, place.loc.expect("a place").0, truth))
        .collect();
    assert_eq!(all, expected);
}
