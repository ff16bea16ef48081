//! Random programs: what the symbolic engines find in each round is what the definition of a step
//! gives, one state at a time.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_model::{State, System, ThreadId, step};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Lowering, Source, ThreadCounts, Value};
use selvedge_sequential::{Calls, Guesses, Options, Rounds, Scalar, Shared};

/// The shared states after each round, and the first round in which a thread goes wrong.
struct Explicit {
    reached: Vec<BTreeSet<String>>,
    wrong: Option<usize>,
}

/// By the definition: thread by thread and round by round, one step at a time. `None` if there are
/// too many states.
fn explicit(system: &Lowering, rounds: usize, most: usize) -> Option<Explicit> {
    let mut states: HashSet<State> = system.initial().ok()?.into_iter().collect();
    let mut shared: BTreeSet<String> = BTreeSet::new();
    let mut note = |states: &HashSet<State>| {
        let keys = states.iter().map(|state| system.shared_key(state.shared));
        shared.extend(keys.filter(|key| !key.contains(['r', 'w'])));
        shared.clone()
    };
    let mut reached = vec![note(&states)];
    for round in 1..=rounds {
        for thread in 0..system.threads().len() {
            let mut work: Vec<State> = states.iter().cloned().collect();
            while let Some(state) = work.pop() {
                if system.wrong(state.shared).is_some() {
                    return Some(Explicit { reached, wrong: Some(round) });
                }
                for (_, next) in step(system, &state, ThreadId::from(thread)).ok()? {
                    if states.insert(next.clone()) {
                        work.push(next);
                    }
                }
                if states.len() > most {
                    return None;
                }
            }
            note(&states);
            // Results on their way are for the thread that runs.
            states.retain(|state| !system.shared_key(state.shared).contains('r'));
        }
        reached.push(note(&states));
    }
    Some(Explicit { reached, wrong: None })
}

/// All valuations that a key stands for.
fn valuations(system: &Lowering, key: &str) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    let types = system.global_types();
    for (text, ty) in key.split(',').filter(|text| !text.is_empty()).zip(types) {
        let domain = system.domain(ty).expect("finite types");
        let values: Vec<Value> = match text {
            "?" => (0..domain.count as i64).map(|n| Value::Small(domain.first + n)).collect(),
            text => vec![Value::Small(text.parse().expect("a number"))],
        };
        all = all
            .iter()
            .flat_map(|prefix| {
                values.iter().map(move |v| [prefix.clone(), vec![v.clone()]].concat())
            })
            .collect();
    }
    all
}

fn symbolic(
    system: &Lowering,
    rounds: usize,
    options: Options,
    expected: &Explicit,
    seed: u64,
) -> usize {
    let mut engine =
        Rounds::new(system, rounds, options, &Budget::default()).expect("a finite program");
    for round in 1..=rounds {
        let violation = engine.advance().expect("no limits");
        if expected.wrong == Some(round) {
            assert_eq!(violation.map(|v| v.rounds), Some(round), "seed {seed} {options:?}");
            return round;
        }
        assert_eq!(violation, None, "seed {seed} {options:?} round {round}");
        let states: BTreeSet<Vec<Value>> =
            expected.reached[round].iter().flat_map(|key| valuations(system, key)).collect();
        let reached = engine.reached();
        for state in &states {
            let mut diagram = reached;
            for (slot, value) in state.iter().enumerate() {
                let literals = engine.space.literals(Scalar::Shared(slot, Shared::Next), value);
                diagram = engine.space.bdds.restrict(diagram, &literals.unwrap()).unwrap();
            }
            assert_eq!(
                diagram,
                selvedge_bdd::Bdd::TRUE,
                "seed {seed} {options:?} misses {state:?}"
            );
        }
        let count = engine.seen()[round].shared;
        assert_eq!(count, Some(states.len() as u128), "seed {seed} {options:?} round {round}");
    }
    rounds
}

fn compare(shape: &Shape, seeds: std::ops::Range<u64>, rounds: usize) -> (usize, usize) {
    let (mut compared, mut wrong) = (0, 0);
    for seed in seeds {
        let program = Arc::new(random_program(seed, shape));
        let source = Arc::new(Source::new("random.weave", ""));
        let Ok(system) = Lowering::new(program, source, &ThreadCounts::new()) else { continue };
        if system.starts_threads() || system.thread_count() > 4 {
            continue;
        }
        let Some(expected) = explicit(&system, rounds, 2_000) else { continue };
        compared += 1;
        wrong += usize::from(expected.wrong.is_some());
        for guesses in [Guesses::Lazy, Guesses::Eager] {
            for calls in [Calls::Lazy, Calls::Eager] {
                if (guesses, calls) == (Guesses::Lazy, Calls::Eager) {
                    continue;
                }
                symbolic(&system, rounds, Options { guesses, calls }, &expected, seed);
            }
        }
    }
    (compared, wrong)
}

#[test]
fn boolean_programs() {
    let shape = Shape { threads: 3, globals: 3, ..Shape::boolean() };
    let (compared, wrong) = compare(&shape, 0..400, 3);
    println!("{compared} programs, {wrong} go wrong");
    assert!(compared > 100 && wrong > 20);
}
