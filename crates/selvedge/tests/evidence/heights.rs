//! Certificates with relations between heights of stacks, as they are and tampered with.

use selvedge_analysis::Budget;
use selvedge_analysis::converge::above::Above;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{CutCertificate, Evidence, Flaw, recheck};
use selvedge_model::{State, Tables};

use crate::evidence::through_text;

/// Certificates of random systems that have measures.
fn certificates() -> impl Iterator<Item = (u64, Tables, CutCertificate)> {
    let seeds = (0..400).chain([890, 9665]);
    let cases = seeds.flat_map(|seed| [(seed, 1, true), (seed, 2, false)]);
    cases.filter_map(|(seed, depth, symmetry)| {
        let system = random_system(seed, &Shape::default());
        let cut = Cut { heights: true, ..Cut::tight(depth) };
        let above = Above::explore(&system, cut, symmetry, &Budget::default()).expect("ends");
        let Evidence::Cut(certificate) = above.certificate() else { return None };
        (!certificate.measures.is_empty()).then_some((seed, system, certificate))
    })
}

/// What the measures leave holds, and all that a plain enumeration reaches is left.
#[test]
fn they_are_accepted_and_cover_what_is_reachable() {
    let (mut count, mut states) = (0, 0);
    for (seed, system, certificate) in certificates() {
        let evidence = Evidence::Cut(certificate.clone());
        let read = through_text(&system, &evidence, &system.clone());
        assert_eq!(read, evidence, "seed {seed}");
        let checked = recheck(&system, &[], &read);
        assert!(checked.is_ok(), "seed {seed}: {checked:?}");
        let mut naive = Naive::with_limit(&system, 400).expect("starts");
        while naive.advance().is_ok_and(|level| !level.has_collapsed()) {}
        let reached: Vec<&State> = naive.states().map(|(state, _)| state).collect();
        states += reached.len();
        assert_eq!(certificate.missing(&system, reached), Ok(None), "seed {seed}");
        count += 1;
    }
    println!("{count} certificates cover {states} states");
    assert!(count > 20 && states > 1000);
}

type Change = fn(&mut CutCertificate, &mut fastrand::Rng) -> bool;

/// Changes that make a certificate wrong: the last measure is needed for what it leaves out, and its
/// values are as great as they can be.
const CHANGES: [(&str, Flaw, Change); 5] = [
    ("drop the last measure", Flaw::NotClosed, |c, _| c.measures.pop().is_some()),
    ("drop a state", Flaw::NotClosed, |c, rng| {
        // The first one is initial.
        if c.states.len() < 2 {
            return false;
        }
        let at = rng.usize(1..c.states.len());
        c.states.remove(at);
        for measure in &mut c.measures {
            measure.least.remove(at);
        }
        true
    }),
    ("drop a value", Flaw::Form, |c, _| {
        c.measures.iter_mut().all(|measure| measure.least.pop().is_some())
    }),
    ("drop a weight", Flaw::Form, |c, _| {
        c.measures.iter_mut().all(|measure| measure.weights.pop().is_some())
    }),
    ("raise a value", Flaw::NotClosed, |c, rng| {
        let values = c.measures.last_mut().into_iter().flat_map(|m| m.least.iter_mut().skip(1));
        let known: Vec<_> = values.flatten().collect();
        rng.choice(known).map(|value| *value += 1).is_some()
    }),
];

#[test]
fn changed_measures_are_refused() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut refused = [0; CHANGES.len()];
    for (seed, system, certificate) in certificates() {
        for ((name, flaw, change), count) in CHANGES.iter().zip(&mut refused) {
            for _ in 0..4 {
                let mut changed = certificate.clone();
                if change(&mut changed, &mut rng) {
                    let result = recheck(&system, &[], &Evidence::Cut(changed));
                    let refusal = result.expect_err(&format!("seed {seed}: {name}"));
                    assert_eq!(refusal.flaw, *flaw, "seed {seed}: {name}: {refusal}");
                    *count += 1;
                }
            }
        }
    }
    println!("{refused:?} refused");
    assert!(refused.iter().all(|&count| count > 50), "{refused:?}");
}

/// The initial stacks must have the heights that the measures ask for.
#[test]
fn initial_heights_are_looked_at() {
    for (seed, system, mut certificate) in certificates() {
        for measure in &mut certificate.measures {
            measure.least.iter_mut().flatten().for_each(|value| *value += 1_000_000);
        }
        let known = certificate.measures.iter().any(|measure| measure.least[0].is_some());
        let result = recheck(&system, &[], &Evidence::Cut(certificate));
        assert!(!known || result.is_err_and(|r| r.flaw == Flaw::Initial), "seed {seed}");
    }
}
