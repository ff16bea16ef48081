//! Random thread transition systems: held against explicit exploration with more and more threads,
//! which takes the steps of the model and nothing else; every answer is rechecked, and certificates
//! with something changed are refused.

mod forged;
mod recursive;
mod systems;

use std::collections::BTreeSet;

use selvedge_coverability::{Above, Decision, Workers, cover_within};
use selvedge_evidence::{CountedState, CoverCertificate, Evidence, Violation, recheck};
use selvedge_frontend::{Input, LoadOptions, parse};
use selvedge_model::{Fault, Property, State, System, Thread, step};
use selvedge_program::{Lowering, ThreadCounts};
use systems::random;

/// How many random cases to try; `SELVEDGE_SEEDS=10000` makes tests thorough.
fn many(usual: u64) -> u64 {
    std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// States with more threads than this are not looked at.
const MOST_THREADS: usize = 5;

/// The fewest threads that break a property, as far as is looked.
fn fewest(system: &dyn System, properties: &[Property]) -> Option<usize> {
    (0..=MOST_THREADS).find(|&most| breaks(system, properties, most))
}

/// Whether a state with at most so many threads breaks a property.
fn breaks(system: &dyn System, properties: &[Property], most: usize) -> bool {
    let mut starts: Vec<State> = system.initial().unwrap();
    starts.retain(|state| state.threads.len() <= most);
    // With each number of those of which there is any number.
    for any in system.any_number() {
        let more = starts.clone().into_iter().flat_map(|state| {
            (0..=most - state.threads.len()).map(move |number| {
                let threads = std::iter::repeat_n(Thread::from(any), number);
                let mut state = state.clone();
                state.threads.extend(threads);
                state
            })
        });
        starts = more.collect();
    }
    let mut work: Vec<State> = starts;
    let mut seen: BTreeSet<State> = BTreeSet::new();
    while let Some(mut state) = work.pop() {
        // Who is who makes no difference.
        state.threads.sort_unstable();
        if !seen.insert(state.clone()) {
            continue;
        }
        if Property::first_broken(properties, system, &state).unwrap().is_some() {
            return true;
        }
        for thread in state.thread_ids() {
            let next = step(system, &state, thread).unwrap().into_iter().map(|(_, next)| next);
            work.extend(next.filter(|next| next.threads.len() <= most));
        }
    }
    false
}

/// The answer, which is the same for any number of workers.
fn answer(system: &dyn System, properties: &[Property], above: Above) -> Decision {
    let by =
        |workers| cover_within::<Fault>(system, properties, above, workers, &|| Ok(())).unwrap();
    let alone = by(Workers::of(1));
    let shown = format!("{alone:?}");
    for count in [1, 2, 3] {
        assert_eq!(format!("{:?}", by(Workers { count, from: 0 })), shown, "{count} workers");
    }
    alone
}

/// Threads in a room with room for a few: where they are in it makes many smallest states. Workers side by side find them.
#[test]
fn workers_change_nothing_where_smallest_states_are_many() {
    let text = "int[0..3] inside := 0; bool flip := false;
                void visit() {
                  int[0..3] n := 0;
                  atomic { assume inside < 3; inside := inside + 1; }
                  while (n < 3) { if (*) flip := !flip; n := n + 1; }
                  assert inside > 0;
                  inside := inside - 1;
                }
                thread visitor * any = visit();";
    let input = parse("room.weave".as_ref(), text.to_owned(), &LoadOptions::default()).unwrap();
    let Input::Program { program, source, .. } = input else { panic!("a program") };
    let system = Lowering::for_any_number(program, source, &ThreadCounts::default()).unwrap();
    let Decision::Safe(certificate) = answer(&system, &[Property::NeverWrong], Above::Pairs) else {
        panic!("it is safe");
    };
    let dangerous = certificate.dangerous.len();
    println!("{dangerous} dangerous");
    assert!(dangerous > 1000, "{dangerous}");
    recheck(&system, &[Property::NeverWrong], &Evidence::Cover(certificate)).unwrap();
}

#[test]
fn explicit_exploration_agrees() {
    let by_threads = agrees(Above::Threads);
    let by_pairs = agrees(Above::Pairs);
    println!("without a search backward: {by_threads} by threads, {by_pairs} by pairs");
    assert!(by_threads > 100 && by_pairs > by_threads + 20, "{by_threads} {by_pairs}");
}

/// How many systems are safe by what is known from above alone.
fn agrees(above: Above) -> usize {
    let (mut safe, mut at_once, mut needs) = (0, 0, [0; MOST_THREADS + 2]);
    for seed in 0..many(1500) {
        // Where a thread may be dropped, one that is started counts all the same.
        let (system, properties, plain) = random(seed);
        let found = fewest(&plain, &properties);
        match answer(&system, &properties, above) {
            Decision::Safe(certificate) => {
                assert_eq!(found, None, "seed {seed}: safe");
                at_once += usize::from(certificate.dangerous.is_empty());
                let evidence = Evidence::Cover(certificate);
                recheck(&system, &properties, &evidence)
                    .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                safe += 1;
            }
            Decision::Unsafe { threads, trace, property } => {
                let expected = (threads <= MOST_THREADS).then_some(threads);
                assert_eq!(found, expected, "seed {seed}: {threads} threads");
                let contexts = trace.contexts();
                let evidence = Evidence::Violation(Violation { trace, contexts, property });
                recheck(&system, &properties, &evidence)
                    .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                needs[threads.min(MOST_THREADS + 1)] += 1;
            }
        }
    }
    println!("{safe} safe; unsafe by the number of threads: {needs:?}");
    assert!(safe > 100 && needs[1] > 20 && needs[2] > 20 && needs[3] > 5, "{safe} {needs:?}");
    at_once
}

#[test]
fn changed_certificates_are_refused() {
    let mut refused = 0;
    for seed in 0..many(600) {
        let (system, properties, _) = random(seed);
        let above = [Above::Threads, Above::Pairs][seed as usize % 2];
        let Decision::Safe(good) = answer(&system, &properties, above) else { continue };
        for (what, changed) in changes(&system, &good) {
            let checked = recheck(&system, &properties, &Evidence::Cover(changed));
            assert!(checked.is_err(), "seed {seed}: {what}: {checked:?}");
            refused += 1;
        }
    }
    println!("{refused} refused");
    assert!(refused > 500, "{refused}");
}

/// Certificates with something missing, or too much. What is listed in a certificate is what is
/// needed, so that nothing can be left out; a state that is reachable is not dangerous.
fn changes(system: &dyn System, good: &CoverCertificate) -> Vec<(String, CoverCertificate)> {
    let mut all = Vec::new();
    let mut change = |what: String, with: &dyn Fn(&mut CoverCertificate)| {
        let mut changed = good.clone();
        with(&mut changed);
        all.push((what, changed));
    };
    for at in 0..good.dangerous.len() {
        change(format!("dangerous state {at} is missing"), &|c| {
            c.dangerous.remove(at);
        });
    }
    for at in 0..good.places.len() {
        change(format!("place {at} is missing"), &|c| {
            c.places.remove(at);
        });
        for group in 0..good.places[at].groups.len() {
            for &kind in &good.places[at].groups[group].kinds {
                change(format!("kind {kind} is missing at {at}"), &|c| {
                    for group in &mut c.places[at].groups {
                        let without =
                            |list: &[u32]| list.iter().copied().filter(|k| *k != kind).collect();
                        group.kinds = without(&group.kinds);
                        group.beside = without(&group.beside);
                    }
                });
            }
        }
    }
    let first = system.initial().unwrap().remove(0);
    let nothing = CountedState { shared: first.shared, threads: Box::default() };
    change("the initial state is dangerous".to_owned(), &|c| c.dangerous.push(nothing.clone()));
    change("a kind is there twice".to_owned(), &|c| c.kinds.push(c.kinds[0].clone()));
    let any = system.any_number();
    let has_any = |template| any.iter().any(|any| any.template == template);
    if system.threads().iter().any(|thread| has_any(thread.template)) {
        change("a limit that there is not".to_owned(), &|c| c.unlimited.retain(|&t| !has_any(t)));
    }
    all
}
