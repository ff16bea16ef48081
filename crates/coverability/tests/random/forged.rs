//! Somebody wants to prove that nothing goes wrong with any number of threads, where something does: with
//! what is true of fewer threads, of other targets, or of a search that was stopped early. Every claim
//! here is false, so that every one has to be refused.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use selvedge_automata::Dfa;
use selvedge_coverability::{Above, Decision};
use selvedge_evidence::{
    AggregateCertificate, AggregateThread, CountedState, CoverCertificate, CutCertificate,
    CutThread, Evidence, Window, recheck,
};
use selvedge_model::{Property, State, System, TemplateId, Thread, step};

use crate::random::systems::random;
use crate::random::{answer, fewest, many};

/// How many forgeries are made of one certificate by chance.
const CHANGES: usize = 24;

#[derive(Default, Debug)]
struct Tally {
    systems: usize,
    covers: usize,
    /// Sets of states with a number of threads that is fixed.
    fixed: usize,
}

#[test]
fn no_false_claim_is_accepted() {
    let mut tally = Tally::default();
    let mut rng = Rng::with_seed(17);
    for seed in 0..many(300) {
        let (system, properties, plain) = random(seed);
        let Some(threads) = fewest(&plain, &properties) else { continue };
        tally.systems += 1;
        let claim = |forged: Evidence, what: &str| {
            let checked = recheck(&system, &properties, &forged);
            assert!(checked.is_err(), "seed {seed}, {what}: {checked:?}\n{forged:?}");
        };
        for most in 0..threads {
            let [cut, aggregate] = with_at_most(&system, most);
            claim(cut, "fewer threads, whole stacks");
            claim(aggregate, "fewer threads, sets of stacks");
            tally.fixed += 2;
        }
        for above in [Above::Threads, Above::Pairs] {
            // Nothing is asked, so that all that can be seen is fine.
            let Decision::Safe(all) = answer(&system, &[], above) else {
                panic!("nothing is wrong")
            };
            let hidden = hide(&system, &properties, &all);
            for (number, set) in [all, hidden].into_iter().enumerate() {
                claim(Evidence::Cover(set.clone()), "for other targets");
                for _ in 0..CHANGES {
                    let mut forged = set.clone();
                    for _ in 0..rng.usize(1..=3) {
                        change(&system, &mut forged, &mut rng);
                    }
                    claim(Evidence::Cover(forged), ["changed", "hidden and changed"][number]);
                }
                tally.covers += CHANGES + 1;
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.covers >= 5000 && tally.fixed >= 300, "{tally:?}");
}

/// All states that are reached with at most so many threads, those included of which there is any
/// number, as if these were started one by one.
fn with_at_most(system: &dyn System, most: usize) -> [Evidence; 2] {
    let mut work: Vec<State> = Vec::new();
    for first in system.initial().expect("some") {
        for any in system.any_number() {
            for number in 0..=most.saturating_sub(first.threads.len()) {
                let mut state = first.clone();
                state.threads.extend(std::iter::repeat_n(Thread::from(any), number));
                work.push(state);
            }
        }
        work.push(first);
    }
    let mut seen: BTreeSet<State> = BTreeSet::new();
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        for thread in state.thread_ids() {
            let next = step(system, &state, thread).expect("tables have actions");
            let next = next.into_iter().map(|(_, next)| next);
            work.extend(next.filter(|next| next.threads.len() <= most.max(state.threads.len())));
        }
    }
    // A class for each of the first threads, and one for each template of the others.
    let first = system.threads().len();
    let templates: BTreeSet<TemplateId> =
        seen.iter().flat_map(|s| &s.threads[first..]).map(|t| t.template).collect();
    let started: Vec<TemplateId> = templates.into_iter().collect();
    let mut kinds: BTreeMap<(u32, Thread), u32> = BTreeMap::new();
    let mut states: Vec<CountedState> = Vec::new();
    for state in &seen {
        let mut numbers = Vec::new();
        for (at, thread) in state.threads.iter().enumerate() {
            let later = started.iter().position(|&t| t == thread.template).unwrap_or(0);
            let class = if at < first { at } else { first + later } as u32;
            let fresh = kinds.len() as u32;
            numbers.push(*kinds.entry((class, thread.clone())).or_insert(fresh));
        }
        states.push(CountedState::of_kinds(state.shared, numbers));
    }
    states.sort_by(|a, b| (a.shared, &a.threads).cmp(&(b.shared, &b.threads)));
    states.dedup();
    let mut threads: Vec<_> = kinds.into_iter().map(|(kind, number)| (number, kind)).collect();
    threads.sort_unstable();
    let classes: Vec<u32> = (0..first as u32).collect();
    let window = |thread: &Thread| Window { symbols: thread.stack.iter().collect(), hidden: false };
    let cut = CutCertificate {
        classes: classes.clone(),
        started: started.clone(),
        depth: 2,
        guesses: Vec::new(),
        kinds: threads
            .iter()
            .map(|(_, (class, thread))| CutThread { class: *class, window: window(thread) })
            .collect(),
        states: states.clone(),
        measures: Vec::new(),
    };
    let aggregate = AggregateCertificate {
        classes,
        started,
        languages: threads.iter().map(|(_, (_, t))| Dfa::word(t.stack.iter())).collect(),
        kinds: threads
            .iter()
            .map(|&(language, (class, _))| AggregateThread { class, language })
            .collect(),
        states,
    };
    [Evidence::Cut(cut), Evidence::Aggregate(aggregate)]
}

/// Takes out every local state that is what must not be reached, where it must not be.
fn hide(system: &dyn System, properties: &[Property], all: &CoverCertificate) -> CoverCertificate {
    let mut hidden = all.clone();
    for place in &mut hidden.places {
        let is_bad = |kind: &u32| {
            let kind = &all.kinds[*kind as usize];
            let threads = [(kind.template, kind.stack.first().copied())];
            let found =
                selvedge_model::smallest_violations(system, properties, place.shared, &threads);
            found.is_ok_and(|found| !found.is_empty())
        };
        for group in &mut place.groups {
            group.kinds = group.kinds.iter().copied().filter(|kind| !is_bad(kind)).collect();
            group.beside = group.beside.iter().copied().filter(|kind| !is_bad(kind)).collect();
        }
    }
    hidden
}

/// Changes something by chance.
fn change(system: &dyn System, cover: &mut CoverCertificate, rng: &mut Rng) {
    const COUNTS: [u32; 6] = [0, 1, 2, 1 << 31, u32::MAX - 1, u32::MAX];
    let (places, kinds) = (cover.places.len(), cover.kinds.len() as u32);
    if places == 0 || kinds == 0 {
        return;
    }
    let (at, kind) = (rng.usize(0..places), rng.u32(0..kinds));
    let shared = cover.places[at].shared;
    match rng.u32(0..12) {
        // What is dangerous has no state before it that is reached, if that is believed.
        0..3 => {
            let threads = Box::new([(kind, COUNTS[rng.usize(1..COUNTS.len())])]);
            cover.dangerous.push(CountedState { shared, threads });
        }
        3 => cover.dangerous.push(CountedState { shared, threads: Box::default() }),
        4 => {
            let other = rng.u32(0..kinds);
            let threads = [kind, other].map(|k| (k, COUNTS[rng.usize(1..COUNTS.len())]));
            cover.dangerous.push(CountedState { shared, threads: Box::new(threads) });
        }
        5 => drop(cover.places.remove(at)),
        6 | 7 => {
            for group in &mut cover.places[at].groups {
                let without = |list: &[u32]| list.iter().copied().filter(|k| *k != kind).collect();
                group.beside = without(&group.beside);
                if rng.bool() {
                    group.kinds = without(&group.kinds);
                }
            }
        }
        8 => {
            for group in &mut cover.places[at].groups {
                group.beside = Box::default();
            }
        }
        9 => drop(cover.unlimited.pop()),
        10 => cover.unlimited.extend(system.threads().first().map(|thread| thread.template)),
        _ => {
            let other = rng.u32(0..kinds);
            cover.kinds.swap(kind as usize, other as usize);
        }
    }
}
