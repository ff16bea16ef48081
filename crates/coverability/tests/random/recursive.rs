//! Any number of threads that push and pop: what cut stacks tell, held against all states of up to three threads
//! with low stacks. Proofs are rechecked; a proof about a system with one rule less is refused where that rule
//! breaks the property, and so is one with something changed that matters.

use std::collections::{BTreeSet, VecDeque};

use selvedge_coverability::{Attempt, Decision, Stacks, Workers, attempt};
use selvedge_evidence::{CountedState, CoverCertificate, Evidence, Relation, Violation, recheck};
use selvedge_model::{Fault, Property, State, System, Thread, step};

use crate::random::many;
use crate::random::systems::{Recursive, ledger, recursive};

/// States with more threads than this are not looked at.
const MOST_THREADS: usize = 3;

/// Nor are higher stacks.
const HIGHEST: usize = 5;

/// Nor are more states.
const MOST_STATES: usize = 4_000;

/// Whether so many threads break a property, as far as is looked; and whether something was not looked at.
fn breaks(system: &dyn System, properties: &[Property], threads: usize) -> (bool, bool) {
    let fixed = system.threads().len();
    let Some(more) = threads.checked_sub(fixed) else { return (false, false) };
    let any: Vec<Thread> = system.any_number().into_iter().map(Thread::from).collect();
    let mut work: VecDeque<State> = VecDeque::new();
    for first in system.initial().unwrap() {
        // Some of them may be started later.
        for (number, others) in (0..=more).flat_map(|n| (0..=more - n).map(move |m| (n, m))) {
            let mut state = first.clone();
            state.threads.extend(std::iter::repeat_n(any[0].clone(), number));
            match any.get(1) {
                Some(other) => state.threads.extend(std::iter::repeat_n(other.clone(), others)),
                None if others > 0 => continue,
                None => {}
            }
            work.push_back(state);
        }
    }
    let (mut seen, mut left_out): (BTreeSet<State>, bool) = (BTreeSet::new(), false);
    while let Some(mut state) = work.pop_front() {
        state.threads.sort_unstable();
        if !seen.insert(state.clone()) {
            continue;
        }
        if Property::first_broken(properties, system, &state).unwrap().is_some() {
            return (true, left_out);
        }
        if seen.len() > MOST_STATES {
            return (false, true);
        }
        for thread in state.thread_ids() {
            for (_, next) in step(system, &state, thread).unwrap() {
                let low = next.threads.iter().all(|thread| thread.stack.0.len() <= HIGHEST);
                if low && next.threads.len() <= threads {
                    work.push_back(next);
                } else {
                    left_out |= !low;
                }
            }
        }
    }
    (false, left_out)
}

/// The fewest threads that break a property, and whether fewer were looked at to their end.
fn fewest(system: &dyn System, properties: &[Property]) -> Option<(usize, bool)> {
    let mut complete = true;
    for threads in 0..=MOST_THREADS {
        let (broken, left_out) = breaks(system, properties, threads);
        if broken {
            return Some((threads, complete));
        }
        complete &= !left_out;
    }
    None
}

fn tried(system: &dyn System, properties: &[Property], depth: usize) -> Attempt {
    attempt::<Fault>(system, properties, Stacks::Cut(depth), Workers::of(1), &|| Ok(())).unwrap()
}

#[test]
fn all_states_of_few_threads_agree() {
    let (safe, _, broken) = agree(recursive, many(1200));
    assert!(safe > 200 && broken[1] > 100 && broken[2] > 10, "{safe} {broken:?}");
}

#[test]
fn all_states_of_few_threads_agree_about_heights() {
    let (safe, tied, broken) = agree(ledger, many(300));
    assert!(safe > 100 && tied > 50 && broken[2] > 20, "{safe} {tied} {broken:?}");
}

/// How many systems are safe, and how many of them by relations; how many are not, by the fewest threads.
fn agree(random: fn(u64) -> Recursive, seeds: u64) -> (usize, usize, [usize; MOST_THREADS + 2]) {
    let (mut safe, mut tied, mut open, mut broken) = (0, 0, 0, [0; MOST_THREADS + 2]);
    for seed in 0..seeds {
        let (system, properties) = random(seed).without(None);
        let found = fewest(&system, &properties);
        let mut was_safe = false;
        for depth in 1..=3 {
            let answer = tried(&system, &properties, depth);
            match answer {
                Attempt::Decided(Decision::Safe(certificate)) => {
                    assert_eq!(found, None, "seed {seed}, depth {depth}: safe");
                    tied += usize::from(!was_safe && !certificate.relations.is_empty());
                    let evidence = Evidence::Cover(certificate);
                    recheck(&system, &properties, &evidence)
                        .unwrap_or_else(|e| panic!("seed {seed}, depth {depth}: {e}"));
                    safe += usize::from(!was_safe);
                    was_safe = true;
                }
                Attempt::Decided(Decision::Unsafe { threads, trace, property }) => {
                    assert!(!was_safe, "seed {seed}: safe with less of the stacks");
                    if let Some((fewest, complete)) = found {
                        assert!(threads <= fewest, "seed {seed}: {threads}, {fewest}");
                        assert!(threads == fewest || !complete, "seed {seed}: {threads}, {fewest}");
                    }
                    let contexts = trace.contexts();
                    let evidence = Evidence::Violation(Violation { trace, contexts, property });
                    recheck(&system, &properties, &evidence)
                        .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                    broken[threads.min(MOST_THREADS + 1)] += 1;
                    break;
                }
                Attempt::Spurious { threads } => {
                    // As few as there have to be.
                    assert!(found.is_none_or(|(fewest, _)| threads <= fewest), "seed {seed}");
                    open += usize::from(depth == 3);
                }
                Attempt::Grows(fault) => panic!("seed {seed}: {fault}"),
            }
        }
    }
    println!(
        "{safe} safe, {tied} by relations; unsafe by threads {broken:?}; {open} open at depth 3"
    );
    (safe, tied, broken)
}

/// Proves that a system is safe from which the rule is missing that makes it unsafe, and claims the same of the
/// whole system.
#[test]
fn proofs_of_less_are_refused() {
    let refused = refused(recursive, many(700)) + refused(ledger, many(700) / 3);
    println!("{refused} refused");
    assert!(refused > 1000, "{refused}");
}

/// How many false proofs were refused.
fn refused(random: fn(u64) -> Recursive, seeds: u64) -> usize {
    let mut refused = 0;
    for seed in 0..seeds {
        let whole = random(seed);
        let (system, properties) = whole.without(None);
        let Attempt::Decided(Decision::Unsafe { .. }) = tried(&system, &properties, 2) else {
            continue;
        };
        for missing in 0..whole.rules.len() {
            let (part, _) = whole.without(Some(missing));
            let Attempt::Decided(Decision::Safe(certificate)) =
                tried(&part, &properties, 1 + missing % 2)
            else {
                continue;
            };
            for (what, forged) in forgeries(&certificate) {
                let checked = recheck(&system, &properties, &Evidence::Cover(forged));
                assert!(checked.is_err(), "seed {seed}, without {missing}: {what}: {checked:?}");
                refused += 1;
            }
        }
    }
    refused
}

/// A certificate, and others that try to make more of it.
fn forgeries(good: &CoverCertificate) -> Vec<(&'static str, CoverCertificate)> {
    let mut all = vec![("as it is", good.clone())];
    let mut change = |what: &'static str, with: &dyn Fn(&mut CoverCertificate)| {
        let mut changed = good.clone();
        with(&mut changed);
        all.push((what, changed));
    };
    let (places, kinds) = (good.places.len(), good.kinds.len());
    let flat = |value: i32| Relation {
        places: vec![value; places],
        kinds: vec![0; kinds],
        heights: vec![],
    };
    change("nothing is possible", &|c| c.relations.push(flat(-1)));
    for weight in [i32::MIN, -1, i32::MAX] {
        change("heights exclude everything", &|c| {
            let heights =
                c.kinds.iter().map(|kind| (kind.template, weight)).collect::<BTreeSet<_>>();
            c.relations.push(Relation { heights: heights.into_iter().collect(), ..flat(i32::MAX) });
        });
        change("kinds exclude everything", &|c| {
            c.relations.push(Relation { kinds: vec![weight; kinds], ..flat(0) });
        });
    }
    change("a relation without weights", &|c| {
        c.relations.push(Relation { places: vec![], kinds: vec![], heights: vec![] });
    });
    for count in [1, 2, u32::MAX - 1, u32::MAX] {
        change("every second kind is dangerous", &|c| {
            for place in 0..places {
                let shared = c.places[place].shared;
                let threads = (0..kinds as u32).step_by(2).map(|kind| (kind, count)).collect();
                c.dangerous.push(CountedState { shared, threads });
            }
        });
    }
    change("nothing is unlimited", &|c| c.unlimited.clear());
    change("a place is missing", &|c| {
        c.places.pop();
    });
    change("nothing lies below", &|c| c.cut.iter_mut().for_each(|cut| cut.guesses.clear()));
    change("nothing is hidden", &|c| c.kinds.iter_mut().for_each(|kind| kind.hidden = false));
    change("stacks are whole", &|c| c.cut = None);
    change("more is kept", &|c| c.cut.iter_mut().for_each(|cut| cut.depth += 1));
    change("nothing is kept", &|c| c.cut.iter_mut().for_each(|cut| cut.depth = 0));
    change("no end is kept", &|c| c.cut.iter_mut().for_each(|cut| cut.depth = usize::MAX));
    all
}

/// What a certificate lists is what is needed: a state or a guess less is refused, if steps lead there.
#[test]
fn changed_certificates_are_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..many(300) {
        let (system, properties) = recursive(seed).without(None);
        for depth in 1..=2 {
            let Attempt::Decided(Decision::Safe(good)) = tried(&system, &properties, depth) else {
                continue;
            };
            for (what, changed) in super::changes(&system, &good) {
                let checked = recheck(&system, &properties, &Evidence::Cover(changed));
                assert!(checked.is_err(), "seed {seed}, depth {depth}: {what}: {checked:?}");
                refused += 1;
            }
            let guesses = good.cut.as_ref().map_or(0, |cut| cut.guesses.len());
            for guess in 0..guesses {
                let mut changed = good.clone();
                if let Some(cut) = &mut changed.cut {
                    cut.guesses.remove(guess);
                }
                match recheck(&system, &properties, &Evidence::Cover(changed)) {
                    Err(_) => refused += 1,
                    // Where two threads are never together, what they would do leaves guesses behind.
                    Ok(_) => accepted += 1,
                }
            }
        }
    }
    println!("{refused} refused, {accepted} accepted");
    assert!(refused > 1000 && accepted * 20 < refused, "{refused} {accepted}");
}
