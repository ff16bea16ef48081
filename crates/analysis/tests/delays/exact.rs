//! The explorer against the definition: R(r, d), for all small r and d.

use std::collections::BTreeSet;

use selvedge_analysis::Budget;
use selvedge_analysis::explore::DelayExplorer;
use selvedge_analysis::naive::{Naive, NaiveDelays};
use selvedge_analysis::random::{Shape, random_relay, random_system};
use selvedge_model::{Stack, State, System, Tables, Thread};

const ROUNDS: usize = 5;
const DELAYS: usize = 5;

/// Up to four threads, some of them alike; pushes and pops, actions on the empty stack.
pub fn random(seed: u64) -> Tables {
    match seed % 3 {
        0 => random_relay(seed),
        _ => random_system(seed, &Shape { threads: 4, ..Shape::default() }),
    }
}

/// The states that an explorer has reached, as the model has them.
pub fn states(explorer: &DelayExplorer<'_>, system: &dyn System) -> BTreeSet<State> {
    let reached = explorer.reached();
    let state = |(shared, kinds): (_, Vec<((u32, u32), u32)>)| {
        let thread = |n: usize| {
            let local = kinds.iter().find(|((class, _), _)| *class == n as u32).expect("a thread");
            let stack: Stack = reached.locals().get(local.0.1);
            Thread { template: system.threads()[n].template, stack }
        };
        State { shared, threads: (0..system.threads().len()).map(thread).collect() }
    };
    reached.states().map(state).collect()
}

/// A round of single steps is a round of contexts, whatever the delays.
#[test]
fn rounds_of_steps_are_rounds_of_contexts() {
    let (mut compared, mut strict) = (0, 0);
    for seed in 0..300 {
        let system = random(seed);
        let mut contexts = Naive::rounds(&system, 3000).expect("starts");
        let Ok(steps) = NaiveDelays::new(&system, 3, 6, 20_000) else { continue };
        while contexts.level().bound < 3 && contexts.advance().is_ok() {}
        for rounds in 0..=contexts.level().bound {
            let reached = steps.within(rounds, 6);
            let within = |state: &State| contexts.bound_of(state).is_some_and(|r| r <= rounds);
            assert!(reached.iter().all(within), "seed {seed}");
            compared += 1;
            strict +=
                usize::from(contexts.states().filter(|s| s.1 <= rounds).count() > reached.len());
        }
    }
    assert!(compared > 500 && strict > 100, "{compared} {strict}");
}

/// Rounds and delays are raised in a random order; after each step the states are those of the
/// definition.
#[test]
fn the_explorer_agrees_with_the_definition() {
    let (mut compared, mut too_large, mut collapsed) = (0, 0, 0);
    let mut grown = [0; 2];
    for seed in 0..1500 {
        let system = random(seed);
        let Ok(naive) = NaiveDelays::new(&system, ROUNDS, DELAYS, 60_000) else {
            too_large += 1;
            continue;
        };
        for order in 0..4 {
            let mut rng = fastrand::Rng::with_seed(seed * 4 + order);
            let mut explorer = DelayExplorer::new(&system).expect("starts");
            let (mut rounds, mut delays) = (0, 0);
            loop {
                let expected = naive.within(rounds, delays);
                assert_eq!(states(&explorer, &system), expected, "seed {seed}: {rounds} {delays}");
                compared += 1;
                let more_rounds = match (rounds < ROUNDS, delays < DELAYS) {
                    (true, true) => rng.bool(),
                    (more_rounds, more_delays) if more_rounds || more_delays => more_rounds,
                    _ => break,
                };
                let collapsed_before = explorer.has_collapsed();
                let before = expected.len();
                let observation = match more_rounds {
                    true => explorer.advance_round(&Budget::default()),
                    false => explorer.advance_delay(&Budget::default()),
                };
                let new = observation.expect("goes on").new_stored;
                rounds += usize::from(more_rounds);
                delays += usize::from(!more_rounds);
                assert_eq!(new, naive.within(rounds, delays).len() - before, "seed {seed}");
                assert!(!collapsed_before || new == 0, "seed {seed}");
                grown[usize::from(more_rounds)] += usize::from(new > 0);
                collapsed += usize::from(collapsed_before);
            }
        }
    }
    println!(
        "{compared} sets, {too_large} too large, grown {grown:?}, {collapsed} after a collapse"
    );
    assert!(compared > 40_000 && too_large < 300 && grown.iter().all(|&n| n > 500));
    assert!(collapsed > 100);
}
