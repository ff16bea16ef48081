//! Violations of random systems, as they are and tampered with.

use selvedge_analysis::engine::{Method, Verdict};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{Evidence, Trace, Violation, recheck};
use selvedge_model::{
    Pattern, Property, State, System, Tables, ThreadId, TopPattern, VisibleState,
};

use crate::evidence::{through_text, unreachable, verified};

/// Violations of random systems: the shared state, or the visible state, that is reached.
fn violations(seeds: std::ops::Range<u64>) -> Vec<(u64, Tables, Property, Violation)> {
    let mut found = Vec::new();
    for seed in seeds {
        let system = random_system(seed, &Shape::default());
        let mut properties: Vec<Property> =
            (1..system.shared_count()).map(|q| unreachable(&system, q.into())).collect();
        properties.extend(far_states(&system).map(|state| target(&state)));
        for property in properties {
            let outcome = verified(&system, std::slice::from_ref(&property), Method::Auto);
            if matches!(outcome.verdict, Verdict::Unsafe { .. }) {
                let Some(Evidence::Violation(violation)) = outcome.evidence else {
                    panic!("seed {seed}: an unsafe verdict without a violation");
                };
                found.push((seed, system.clone(), property, violation));
            }
        }
    }
    found
}

/// Some visible states that need at least two contexts.
fn far_states(system: &Tables) -> impl Iterator<Item = VisibleState> {
    let mut states = Vec::new();
    if let Ok(mut naive) = Naive::with_limit(system, 1000) {
        while naive.level().bound < 4 && naive.advance().is_ok() {}
        let far = naive.visible().filter(|&(_, contexts)| contexts >= 2);
        states.extend(far.map(|(state, _)| state.clone()).step_by(4));
    }
    states.into_iter()
}

fn target(state: &VisibleState) -> Property {
    let tops = state.tops.iter().map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

fn is_accepted(system: &Tables, property: &Property, violation: &Violation) -> bool {
    let evidence = Evidence::Violation(violation.clone());
    recheck(system, std::slice::from_ref(property), &evidence).is_ok()
}

#[test]
fn violations_are_accepted() {
    let mut count = 0;
    for (seed, system, property, violation) in violations(0..200) {
        let evidence = Evidence::Violation(violation.clone());
        let Evidence::Violation(read) = through_text(&system, &evidence, &system.clone()) else {
            panic!("seed {seed}: another kind of evidence")
        };
        assert_eq!(read.trace.contexts(), violation.contexts);
        assert!(is_accepted(&system, &property, &read), "seed {seed}");
        count += 1;
    }
    println!("{count} violations");
    assert!(count > 200);
}

/// One change that makes a violation wrong: the schedule is the shortest, so that nothing is
/// broken before its end.
type Change = fn(&mut Violation, &mut fastrand::Rng) -> bool;

const CHANGES: [(&str, Change); 6] = [
    ("cut it short", |v, rng| {
        let steps = &mut v.trace.steps;
        steps.truncate(rng.usize(..steps.len()));
        v.contexts = v.trace.contexts();
        true
    }),
    ("claim fewer contexts", |v, _| {
        v.contexts -= 1;
        true
    }),
    ("claim more contexts", |v, _| {
        v.contexts += 1;
        true
    }),
    ("claim another property", |v, rng| {
        v.property += rng.usize(1..9);
        true
    }),
    ("start with another stack", |v, rng| {
        let threads = &mut v.trace.initial.threads;
        let thread = rng.usize(..threads.len());
        let stack = &mut threads[thread].stack.0;
        stack.pop().is_some()
    }),
    ("name a thread that is not there", |v, rng| {
        let threads = v.trace.initial.threads.len();
        let at = rng.usize(..v.trace.steps.len());
        v.trace.steps[at].0 = ThreadId::from(threads + rng.usize(..3));
        true
    }),
];

#[test]
fn changed_claims_are_refused() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut refused = [0; CHANGES.len()];
    for (seed, system, property, violation) in violations(0..200) {
        for ((name, change), count) in CHANGES.iter().zip(&mut refused) {
            let mut changed = violation.clone();
            if change(&mut changed, &mut rng) {
                assert!(!is_accepted(&system, &property, &changed), "seed {seed}: {name}");
                *count += 1;
            }
        }
    }
    for ((name, _), count) in CHANGES.iter().zip(refused) {
        println!("{name}: {count} refused");
        assert!(count >= 200, "{name}");
    }
}

/// Whether a trace is a run, by the rules of the table and by hand.
fn is_run(system: &Tables, trace: &Trace) -> Option<State> {
    let mut state = trace.initial.clone();
    for &(thread, action) in &trace.steps {
        let acting = state.threads.get_mut(thread.index())?;
        let top = acting.stack.top();
        let rules = system.rules(acting.template).iter();
        let mut fitting = rules.filter(|r| {
            (r.shared, r.top, r.to_shared, r.word)
                == (state.shared, top, action.shared, action.word)
        });
        fitting.next()?;
        acting.stack.0.pop();
        let mut word: Vec<_> = action.word.symbols().collect();
        word.reverse();
        acting.stack.0.extend(word);
        state.shared = action.shared;
    }
    Some(state)
}

/// Another thread, another order, a step twice or not at all: refused, unless the result happens
/// to be a run as well, by the rules.
#[test]
fn changed_schedules_are_refused() {
    let mut rng = fastrand::Rng::with_seed(4);
    let (mut refused, mut still_right) = ([0; 4], 0);
    for (seed, system, property, violation) in violations(0..400) {
        let steps = violation.trace.steps.len();
        for (kind, refused) in refused.iter_mut().enumerate() {
            let mut changed = violation.clone();
            let at = rng.usize(..steps);
            let list = &mut changed.trace.steps;
            match kind {
                0 => {
                    let threads = system.threads().len() as u32;
                    list[at].0.0 = (list[at].0.0 + 1) % threads;
                }
                1 => list.swap(at, (at + 1) % steps),
                2 => list.insert(at, list[at]),
                _ => drop(list.remove(at)),
            }
            if changed == violation {
                continue;
            }
            changed.contexts = changed.trace.contexts();
            let end = is_run(&system, &changed.trace);
            let Property::Unreachable(pattern) = &property else { continue };
            let reached = end.is_some_and(|state| pattern.matches(&system, &state));
            let accepted = is_accepted(&system, &property, &changed);
            assert_eq!(accepted, reached, "seed {seed}: {:?}", changed.trace);
            if accepted { still_right += 1 } else { *refused += 1 }
        }
    }
    println!("{refused:?} refused, {still_right} still right");
    assert!(refused.iter().all(|&count| count >= 200));
}
