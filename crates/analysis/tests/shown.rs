//! What tables show beside their numbers, and Alg. 3: held against definitions on random systems.

use std::collections::BTreeSet;

use selvedge_analysis::converge::generators::GeneratorTest;
use selvedge_analysis::engine::grid::grid;
use selvedge_analysis::engine::{Method, Proof, Question, Shown, Verdict, check, table, verify};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Observe};
use selvedge_analysis::naive::{Naive, NaiveDelays};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::trials::random_question;
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_evidence::{Evidence, Flaw, recheck};
use selvedge_model::{Property, State, SymbolId, System, Tables, Word};

fn for_a_while() -> Budget {
    Budget::default().with_work(1 << 16)
}

fn question<'a>(
    system: &'a Tables,
    properties: &'a [Property],
    method: Method,
    symmetry: bool,
) -> Question<'a> {
    Question { system, properties, method, symmetry, evidence: true }
}

/// The states that the enumerator reaches within bounds that it completes.
fn reached(system: &Tables, contexts: usize, limit: usize) -> (Vec<(State, usize)>, usize, bool) {
    let mut naive = Naive::with_limit(system, limit).expect("tables have initial states");
    while !naive.level().has_collapsed()
        && naive.level().bound < contexts
        && naive.advance().is_ok()
    {}
    let completed = naive.level().bound;
    let states = naive.states().filter(|(_, bound)| *bound <= completed);
    let states = states.map(|(state, bound)| (state.clone(), bound)).collect();
    (states, completed, naive.level().has_collapsed())
}

/// Alg. 3 is right wherever it has an answer; where it says safe, exactly Z is reachable.
#[test]
fn the_engine_of_generators_is_right() {
    let [mut safe, mut violated, mut unknown, mut refused] = [0; 4];
    for seed in 0..200 {
        let (system, properties) = random_question(seed);
        let symmetry = seed % 2 == 0;
        let asked = question(&system, &properties, Method::Generators, symmetry);
        let outcome = verify(&asked, &for_a_while(), &|_| {});
        let (states, completed, collapsed) = reached(&system, 8, 1500);
        let is_bad =
            |state: &State| Property::first_broken(&properties, &system, state) != Ok(None);
        let first = states.iter().filter(|(s, _)| is_bad(s)).map(|(_, bound)| *bound).min();
        if matches!(outcome.verdict, Verdict::Safe(_) | Verdict::Unsafe { .. }) {
            let evidence = outcome.evidence.as_ref().expect("evidence was asked for");
            let checked = recheck(&system, &properties, evidence);
            assert!(checked.is_ok(), "seed {seed}: {checked:?}");
        }
        match outcome.verdict {
            Verdict::Safe(Proof::Generators { bound, .. }) => {
                assert_eq!(first, None, "seed {seed}");
                let z = GeneratorTest::new(&system, symmetry, &Budget::default()).expect("finite");
                let seen = outcome.observations.last().expect("a bound").visible;
                assert_eq!(seen, z.z_count, "seed {seed}");
                if bound.count <= completed || collapsed {
                    let visible: BTreeSet<_> = states.iter().map(|(s, _)| s.visible()).collect();
                    assert_eq!(seen, Some(visible.len() as u128), "seed {seed}");
                }
                safe += 1;
            }
            Verdict::Unsafe { bound, .. } => {
                let expected = first.unwrap_or(bound.count);
                assert!(first.is_some() || bound.count > completed, "seed {seed}");
                assert_eq!(bound.count, expected, "seed {seed}");
                // What proves another question is refused for this one.
                let all = question(&system, &[], Method::Generators, symmetry);
                let other = verify(&all, &for_a_while(), &|_| {});
                if let Some(evidence @ Evidence::Cut(_)) = &other.evidence {
                    let refusal = recheck(&system, &properties, evidence).unwrap_err();
                    assert_eq!(refusal.flaw, Flaw::Harmful, "seed {seed}");
                    refused += 1;
                }
                violated += 1;
            }
            Verdict::Unknown { .. } => unknown += 1,
            ref other => panic!("seed {seed}: {other:?}"),
        }
    }
    println!("{safe} safe, {violated} unsafe, {unknown} unknown, {refused} refused");
    assert!(safe > 40 && violated > 30 && unknown > 10 && refused > 10);
}

/// Every cell of a grid is R(r, d).
#[test]
fn grids_are_exact() {
    let (rounds, delays) = (3, 2);
    let mut paths = 0;
    for seed in 0..60 {
        let system = random_system(seed, &Shape::default());
        let naive = NaiveDelays::new(&system, rounds, delays, 50_000).expect("small");
        let asked = question(&system, &[], Method::Auto, true);
        let shared = Observe { shared: None, top: 0 };
        let visible = grid(&asked, None, (rounds, delays), &Budget::default());
        let of_shared = grid(&asked, Some(&shared), (rounds, delays), &Budget::default());
        for r in 0..=rounds {
            for d in 0..=delays {
                let states = naive.within(r, d);
                let tops: BTreeSet<_> = states.iter().map(State::visible).collect();
                let values: BTreeSet<_> = states.iter().map(|state| state.shared).collect();
                let cell = visible.cell(r, d).expect("completed");
                assert_eq!(cell.states, Some(states.len() as u128), "seed {seed}: R({r}, {d})");
                assert_eq!(cell.observed, Some(tops.len() as u128), "seed {seed}: R({r}, {d})");
                let cell = of_shared.cell(r, d).expect("completed");
                assert_eq!(cell.observed, Some(values.len() as u128), "seed {seed}: R({r}, {d})");
            }
        }
        let path = &visible.path;
        assert!(path.images_before <= path.images, "seed {seed}");
        assert!(path.images <= path.images_from_start, "seed {seed}");
        for pair in path.cells.windows(2) {
            let steps = (pair[1].0 - pair[0].0) + (pair[1].1 - pair[0].1);
            assert_eq!(steps, 1, "seed {seed}: {:?}", path.cells);
        }
        if path.ends_in_plateau {
            // Thm. 7: nothing is new with one round less and n - 1 delays less.
            let &(r, d) = path.cells.last().expect("a plateau has cells");
            let n = system.threads().len();
            let of = |r, d| visible.cell(r, d).and_then(|cell| cell.observed);
            assert_eq!(of(r - 1, d + 1 - n), of(r, d), "seed {seed}");
            paths += 1;
        }
    }
    assert!(paths > 10, "{paths}");
}

/// Single states end exactly where a bound reaches infinitely many of them.
#[test]
fn infinite_contexts_end_single_states() {
    let bounds = 3;
    let [mut infinite, mut finite] = [0; 2];
    for seed in 0..150 {
        let system = random_system(seed, &Shape::default());
        let mut sets = ContextExplorer::new(&system, Languages::default(), true).expect("starts");
        let mut first = None;
        for bound in 1..=bounds {
            sets.advance(&Budget::default()).expect("goes on");
            if !sets.is_finite() {
                first = first.or(Some(bound));
            }
        }
        let asked = question(&system, &[], Method::Explicit, true);
        let outcome = check(&asked, Bound::contexts(bounds), &Budget::default(), &|_| {});
        match (&outcome.verdict, first) {
            (Verdict::Unknown { stop: Stop::InfiniteContext, completed }, Some(bound)) => {
                assert_eq!(*completed, Some(Bound::contexts(bound - 1)), "seed {seed}");
                infinite += 1;
            }
            (Verdict::Bounded { .. } | Verdict::Safe(_), None) => finite += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    println!("{infinite} infinite, {finite} finite");
    assert!(infinite > 20 && finite > 40);
}

/// Stacks that are high, but not without end, are listed.
#[test]
fn high_stacks_are_no_infinite_contexts() {
    let mut t = Tables::builder();
    let q = t.shared("q");
    let w = t.template("w");
    let symbols: Vec<SymbolId> = (0..=400).map(|n| t.symbol(w, n.to_string())).collect();
    for pair in symbols.windows(2) {
        t.rule(w, q, Some(pair[0]), q, Word::Push { top: pair[1], under: pair[0] });
    }
    t.thread("w", w, vec![symbols[0]]);
    t.initial(q);
    let system = t.build();
    let asked = question(&system, &[], Method::Explicit, true);
    let outcome = check(&asked, Bound::contexts(2), &Budget::default(), &|_| {});
    assert!(matches!(outcome.verdict, Verdict::Safe(Proof::Repetition { .. })), "{outcome:?}");
    assert_eq!(outcome.observations[1].states, Some(401));
}

/// The sets of stacks of a table are what is reached, bound by bound.
#[test]
fn automata_have_the_stacks_that_are_reached() {
    const HIGHEST: usize = 3;
    let mut compared = 0;
    for seed in 0..80 {
        let system = random_system(seed, &Shape { symmetric: false, ..Shape::default() });
        let (states, completed, _) = reached(&system, 3, 1500);
        let shown = Shown { listed: 2000, generators: false, automata: true };
        let asked = question(&system, &[], Method::Symbolic, false);
        let most = Some(completed);
        let found = table(&asked, Resource::Contexts, most, shown, &Budget::default(), &|_| {});
        let automata = found.automata.expect("asked for");
        assert!(automata.contexts.is_some_and(|contexts| !contexts.is_empty()), "seed {seed}");
        let mut seen = BTreeSet::new();
        for (bound, new) in automata.new_states.iter().enumerate().take(completed + 1) {
            for state in new.as_ref().expect("few") {
                let mut stacks = vec![Vec::new()];
                for dfa in &state.stacks {
                    let words = dfa.words(HIGHEST);
                    let with = |before: Vec<Vec<SymbolId>>| {
                        let words = words.iter();
                        words
                            .map(move |w| [&before[..], std::slice::from_ref(w)].concat())
                            .collect::<Vec<_>>()
                    };
                    stacks = stacks.into_iter().flat_map(with).collect();
                }
                seen.extend(stacks.into_iter().map(|stacks| (state.shared, stacks)));
            }
            let within = states.iter().filter(|(_, at)| *at <= bound).map(|(state, _)| {
                let stacks = state.threads.iter().map(|t| t.stack.iter().collect::<Vec<_>>());
                (state.shared, stacks.collect::<Vec<_>>())
            });
            let low = within.filter(|(_, stacks)| stacks.iter().all(|s| s.len() <= HIGHEST));
            assert_eq!(seen, low.collect::<BTreeSet<_>>(), "seed {seed}, bound {bound}");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}
