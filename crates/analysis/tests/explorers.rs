//! Every explorer against the naive enumerator, bound by bound.

use selvedge_analysis::Budget;
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_model::System;

const BOUNDS: usize = 5;

/// New states and new visible states by bound, as far as the explorer can count them.
fn explore<L: Locals>(
    system: &dyn System,
    locals: L,
    symmetry: bool,
) -> Vec<(Option<u128>, Option<u128>)> {
    let mut explorer = ContextExplorer::new(system, locals, symmetry).expect("starts");
    for _ in 0..BOUNDS {
        explorer.advance(&Budget::default()).expect("goes on");
    }
    explorer.observations().iter().map(|o| (o.new_states, o.new_visible)).collect()
}

#[test]
fn explorers_agree_with_the_naive_enumerator_on_random_systems() {
    let (mut compared, mut infinite, mut collapsed) = (0, 0, 0);
    for seed in 0..1500 {
        let system = random_system(seed, &Shape::default());
        let Ok(mut naive) = Naive::with_limit(&system, 3000) else { continue };
        let mut expected = vec![naive.level()];
        for _ in 0..BOUNDS {
            match naive.advance() {
                Ok(level) => expected.push(level),
                Err(_) => break,
            }
        }
        if expected.len() <= BOUNDS {
            infinite += 1;
        } else {
            compared += 1;
            for symmetry in [false, true] {
                let found = explore(&system, Stacks::default(), symmetry);
                for (level, (states, visible)) in expected.iter().zip(found) {
                    assert_eq!(states, Some(level.new_states as u128), "seed {seed} {level:?}");
                    assert_eq!(visible, Some(level.new_visible as u128), "seed {seed} {level:?}");
                }
            }
            collapsed += usize::from(expected[BOUNDS].has_collapsed());
        }
        for symmetry in [false, true] {
            let found = explore(&system, Languages::default(), symmetry);
            for (level, (_, visible)) in expected.iter().zip(found) {
                assert_eq!(visible, Some(level.new_visible as u128), "seed {seed} {level:?}");
            }
        }
    }
    println!("{compared} compared, {infinite} with infinite contexts, {collapsed} collapsed");
    assert!(compared > 800 && infinite > 100 && collapsed > 300);
}
