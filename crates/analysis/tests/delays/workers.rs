//! In waves, and with any number of workers, the same points are reached in the same order.

use selvedge_analysis::Budget;
use selvedge_analysis::explore::DelayExplorer;
use selvedge_model::System;

use super::exact::random;

const STEPS: usize = 12;

/// Raises rounds and delays in a random order; what was reached, in its order, and what was seen.
fn follow(mut explorer: DelayExplorer<'_>, seed: u64, crew: usize) -> (usize, String) {
    let budget = Budget { crew, ..Budget::default() };
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..STEPS {
        let advance = match rng.bool() {
            true => DelayExplorer::advance_round,
            false => DelayExplorer::advance_delay,
        };
        advance(&mut explorer, &budget).expect("goes on");
    }
    let states: Vec<_> = explorer.reached().states().collect();
    let seen = (explorer.observations(), explorer.images(), explorer.certificate());
    (states.len(), format!("{states:?} {seen:?}"))
}

#[test]
fn workers_change_nothing() {
    let (mut compared, mut large) = (0, 0);
    for seed in 0..250 {
        let system = random(seed);
        let start = |interchanged: bool| {
            let system: &dyn System = &system;
            let explorer = match interchanged {
                true => DelayExplorer::interchanging(system),
                false => DelayExplorer::new(system),
            };
            explorer.expect("starts")
        };
        for interchanged in [false, true] {
            let alone = follow(start(interchanged), seed, 1);
            for crew in [1, 2, 3] {
                let found = follow(start(interchanged).with_waves_from(0), seed, crew);
                assert_eq!(found, alone, "seed {seed}, {crew} workers");
                compared += 1;
            }
            large += usize::from(alone.0 > 50);
        }
    }
    println!("{compared} compared, {large} systems with more than 50 states");
    assert!(compared == 1500 && large > 40, "{compared} {large}");
}
