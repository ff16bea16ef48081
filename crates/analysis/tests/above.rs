//! From above: every Z contains what is reachable, deeper cuts are smaller, and on most random
//! systems the tight ones are exact.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use selvedge_analysis::Budget;
use selvedge_analysis::converge::above::Above;
use selvedge_analysis::converge::finite_contexts::all_finite;
use selvedge_analysis::converge::generators::Generators;
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::explore::{ContextExplorer, Explorer};
use selvedge_analysis::random::{Shape, random_system};
use selvedge_evidence::{Evidence, recheck};
use selvedge_model::{Property, SymbolId, System, VisibleState};

use crate::support;

const BOUNDS: usize = 10;

fn visible(explorer: &dyn Explorer) -> BTreeSet<VisibleState> {
    (0..=explorer.bound()).flat_map(|bound| explorer.new_visible(bound)).collect()
}

fn z(system: &dyn System, cut: Cut) -> BTreeSet<VisibleState> {
    let above = Above::explore(system, cut, false, &Budget::default()).expect("ends");
    visible(above.explorer())
}

#[test]
fn every_cut_contains_what_is_reachable_and_tight_ones_are_mostly_exact() {
    let shape = Shape { threads: 2, symmetric: false, ..Shape::default() };
    let cuts = [
        Cut::PUBLISHED,
        Cut { tight: false, ..Cut::tight(1) },
        Cut::tight(1),
        Cut { tight: false, ..Cut::tight(2) },
        Cut::tight(2),
        Cut::tight(3),
    ];
    let mut exact = [0; 6];
    let mut collapsed = 0;
    for seed in 0..400 {
        let system = random_system(seed, &shape);
        let mut below = ContextExplorer::new(&system, Languages::default(), false).expect("starts");
        while !below.has_collapsed() && below.bound() < BOUNDS {
            below.advance(&Budget::default()).expect("goes on");
        }
        let reached = visible(&below);
        let zs = cuts.map(|cut| z(&system, cut));
        for (z, cut) in zs.iter().zip(cuts) {
            assert!(reached.is_subset(z), "seed {seed}, {cut:?}");
        }
        for (larger, smaller) in [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5)] {
            assert!(zs[smaller].is_subset(&zs[larger]), "seed {seed}: {larger} {smaller}");
        }
        if below.has_collapsed() {
            collapsed += 1;
            for (count, z) in exact.iter_mut().zip(&zs) {
                *count += usize::from(*z == reached);
            }
        }
    }
    println!("of {collapsed} collapsed systems, exact: {exact:?}");
    assert!(exact.is_sorted(), "{exact:?}");
    assert!(exact[4] * 100 >= collapsed * 90, "{exact:?} of {collapsed}");
}

#[test]
fn with_symmetry_the_same_is_counted() {
    for seed in 0..300 {
        let system = random_system(seed, &Shape::default());
        let count = |symmetry| {
            let above = Above::explore(&system, Cut::tight(2), symmetry, &Budget::default());
            above.expect("ends").visible()
        };
        assert_eq!(count(true), count(false), "seed {seed}");
    }
}

/// Comparing heights leaves out nothing that is reachable, and sometimes what a deeper cut does not.
#[test]
fn comparing_heights_is_right_and_of_use() {
    let mut fewer = 0;
    for seed in (0..400).chain([890, 9665]) {
        let system = random_system(seed, &Shape::default());
        let mut below = ContextExplorer::new(&system, Languages::default(), false).expect("starts");
        while !below.has_collapsed() && below.bound() < 6 {
            below.advance(&Budget::default()).expect("goes on");
        }
        // Heights in deeper cuts take longer.
        let deepest = if seed < 100 { 3 } else { 2 };
        for depth in 2..=deepest {
            let plain = z(&system, Cut::tight(depth));
            let cut = Cut { heights: true, ..Cut::tight(depth) };
            let above = Above::explore(&system, cut, false, &Budget::default()).expect("ends");
            // What is left is closed, and has all guesses that it needs.
            let checked = recheck(&system, &[], &above.certificate());
            checked.unwrap_or_else(|why| panic!("seed {seed}, {depth}: {why}"));
            let compared = visible(above.explorer());
            assert!(visible(&below).is_subset(&compared), "seed {seed}, {depth}");
            assert!(compared.is_subset(&plain), "seed {seed}, {depth}");
            if depth == 2 && compared.len() < plain.len() {
                let deeper = z(&system, Cut::tight(4));
                fewer += usize::from(!deeper.is_subset(&compared));
            }
        }
    }
    println!("{fewer} with fewer visible states than cuts of depth 4 leave");
    assert!(fewer >= 2);
}

/// One recursion through the stacks of two threads, without limit: guesses know all that is in sight, and go with the states that heights exclude. No guess can be missing, or be about fewer symbols.
#[test]
fn recursion_through_several_stacks_is_proved() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hard/mutual-recursion.weave");
    let text = std::fs::read_to_string(path).expect("an example");
    for (levels, depth) in [(2, 2), (3, 5)] {
        let text = text.replace("const N = 3;", "const N = 2;");
        let text = text.replace("const M = 4;", &format!("const M = {levels};"));
        let text = text.replace("const ANY_DEPTH = false;", "const ANY_DEPTH = true;");
        let system = support::lower(&support::read_weave(&text), &text).expect("it is a program");
        let budget = Budget::default();
        let violation = |cut: Cut| {
            let above = Above::explore(&system, cut, true, &budget).expect("ends");
            let found = above.violation(&[Property::NeverWrong]).expect("it can be asked");
            (found.is_some(), above.certificate())
        };
        assert!(violation(Cut::tight(depth)).0, "{levels}");
        let (is_violated, evidence) = violation(Cut { heights: true, ..Cut::tight(depth) });
        assert!(!is_violated, "{levels}");
        let check = |evidence: &Evidence| recheck(&system, &[Property::NeverWrong], evidence);
        check(&evidence).expect("it is right");
        let Evidence::Cut(cut) = evidence else { panic!("{evidence:?}") };
        assert!(!cut.guesses.is_empty() && !cut.measures.is_empty());
        for number in 0..cut.guesses.len() {
            let (mut missing, mut shorter, mut other) = (cut.clone(), cut.clone(), cut.clone());
            missing.guesses.remove(number);
            let why = check(&Evidence::Cut(missing)).expect_err("it is needed").to_string();
            assert!(why.contains("which is no guess"), "{why}");
            let above = &mut shorter.guesses[number].above;
            *above = above[1..].into();
            let why = check(&Evidence::Cut(shorter)).expect_err("it is too short").to_string();
            assert!(why.contains("symbols, not"), "{why}");
            // Something else is said to lie there.
            let below = cut.guesses[number].below;
            other.guesses[number].below = SymbolId(below.0 ^ 1);
            check(&Evidence::Cut(other)).expect_err("something else lies there");
        }
    }
}

/// The test of the paper, wherever it succeeds, must be right; and it succeeds exactly where the
/// published Z is what is reachable.
#[test]
fn the_generator_test_proves_what_z_proves() {
    let shape = Shape { threads: 2, symmetric: false, on_empty: false, ..Shape::default() };
    let (mut passed, mut exact) = (0, 0);
    for seed in 0..300 {
        let system = random_system(seed, &shape);
        let mut below = ContextExplorer::new(&system, Languages::default(), false).expect("starts");
        while !below.has_collapsed() && below.bound() < BOUNDS {
            below.advance(&Budget::default()).expect("goes on");
        }
        let seen: FxHashSet<VisibleState> = visible(&below).into_iter().collect();
        let z = z(&system, Cut::PUBLISHED);
        let generators = Generators::new(&system);
        let all_seen = generators.unseen(z.iter().cloned(), &seen).next().is_none();
        if all_seen {
            passed += 1;
            assert_eq!(z.len(), seen.len(), "seed {seed}");
        }
        exact += usize::from(z.len() == seen.len());
    }
    println!("{passed} passed, {exact} exact");
    assert_eq!(passed, exact);
}

#[test]
fn finite_contexts_are_found_out() {
    let (mut finite, mut infinite) = (0, 0);
    for seed in 0..300 {
        let system = random_system(seed, &Shape::default());
        let above = Above::explore(&system, Cut::tight(1), true, &Budget::default());
        let says =
            all_finite(&system, &above.expect("ends"), &Budget::default()).expect("no fault");
        let mut below = ContextExplorer::new(&system, Languages::default(), false).expect("starts");
        for _ in 0..4 {
            below.advance(&Budget::default()).expect("goes on");
        }
        let locals = below.locals();
        let all = locals.store().iter().all(|(_, language)| language.is_finite());
        // Finite contexts reach finite sets only; the converse holds for reachable heads.
        if says {
            assert!(all, "seed {seed}");
            finite += 1;
        } else {
            infinite += 1;
        }
    }
    println!("{finite} finite, {infinite} not");
    assert!(finite > 100 && infinite > 20);
}
