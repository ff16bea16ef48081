//! Threads that are alike, interchanged: what is reached lies between R(r, d) and all that is reachable,
//! and is all of it in the end.

use std::collections::BTreeSet;

use selvedge_analysis::Budget;
use selvedge_analysis::engine::delays::{Options, verify};
use selvedge_analysis::engine::{Method, Outcome, Question, Verdict};
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::{ContextExplorer, DelayExplorer, Explorer};
use selvedge_analysis::naive::NaiveDelays;
use selvedge_evidence::recheck;
use selvedge_model::{SharedId, Stack, State, Tables};

use super::exact::random;

const ROUNDS: usize = 4;
const DELAYS: usize = 3;

/// A state without the order of its threads: the class and the stack of each.
type Counted = (SharedId, Vec<(u32, Stack)>);

fn counted(explorer: &DelayExplorer<'_>) -> BTreeSet<Counted> {
    let reached = explorer.reached();
    let state = |(shared, kinds)| {
        let kinds: Vec<((u32, u32), u32)> = kinds;
        let mut threads = Vec::new();
        for ((class, local), count) in kinds {
            let stack = reached.locals().get(local);
            threads.extend(std::iter::repeat_n((class, stack), count as usize));
        }
        threads.sort();
        (shared, threads)
    };
    reached.states().map(state).collect()
}

/// The same for a state of the model.
fn count(explorer: &DelayExplorer<'_>, state: &State) -> Counted {
    let classes = explorer.reached().classes();
    let threads = state.threads.iter().enumerate();
    let mut threads: Vec<_> =
        threads.map(|(n, thread)| (classes.of_thread(n), thread.stack.clone())).collect();
    threads.sort();
    (state.shared, threads)
}

/// How many states there are, if single contexts are finite.
fn all(system: &Tables) -> Option<u128> {
    let mut contexts = ContextExplorer::new(system, Stacks::up_to(12), false).ok()?;
    while !contexts.has_collapsed() {
        contexts.advance(&Budget::default()).ok()?;
    }
    contexts.observations().last()?.states
}

#[test]
fn between_the_bounded_states_and_all_states() {
    let (mut compared, mut more, mut less) = (0, 0, 0);
    for seed in 0..1500 {
        let system = random(seed);
        let mut explorer = DelayExplorer::interchanging(&system).expect("starts");
        if !explorer.interchanges() {
            continue;
        }
        let Ok(naive) = NaiveDelays::new(&system, ROUNDS, DELAYS, 20_000) else { continue };
        let total = all(&system);
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut rounds, mut delays) = (0, 0);
        while rounds < ROUNDS && delays < DELAYS {
            let within = naive.within(rounds, delays);
            let reached = counted(&explorer);
            let missing = within.iter().find(|state| !reached.contains(&count(&explorer, state)));
            assert_eq!(missing, None, "seed {seed}: {rounds} {delays}");
            let states = explorer.observations().last().and_then(|seen| seen.states);
            let states = states.expect("a number");
            assert!(total.is_none_or(|total| states <= total), "seed {seed}");
            compared += 1;
            more += usize::from(states > within.len() as u128);
            less += usize::from(total.is_some_and(|total| states < total));
            let advance = match rng.bool() {
                true => DelayExplorer::advance_round,
                false => DelayExplorer::advance_delay,
            };
            advance(&mut explorer, &Budget::default()).expect("goes on");
            (rounds, delays) = (explorer.bound().count, explorer.delays());
        }
    }
    println!("{compared} compared, {more} with more, {less} with less than all");
    assert!(compared > 300 && more > 100 && less > 50);
}

/// With and without, answers are the same, and so is the number of states. A violation has the same
/// bounds, since it is looked for again.
#[test]
fn answers_are_the_same() {
    let (mut finite, mut found) = (0, 0);
    for seed in 0..1500 {
        let system = random(seed);
        let alike = DelayExplorer::interchanging(&system).expect("starts").interchanges();
        let Some(total) = all(&system).filter(|_| alike) else { continue };
        let some: Vec<State> = NaiveDelays::new(&system, 2, 2, 20_000)
            .expect("small")
            .within(2, 2)
            .into_iter()
            .collect();
        let last = some[some.len() - 1].visible();
        let target = super::answers::target(&last);
        for properties in [&[][..], &[target][..]] {
            let [with, without] = [true, false].map(|symmetry| {
                let question = Question {
                    system: &system,
                    properties,
                    method: Method::Auto,
                    symmetry,
                    evidence: true,
                };
                let outcome = verify(&question, &Options::default(), &Budget::default(), &|_| {});
                if let Verdict::Safe(_) = outcome.verdict {
                    let evidence = outcome.evidence.as_ref().expect("evidence");
                    recheck(&system, properties, evidence).expect("accepted");
                }
                outcome
            });
            match (&with.verdict, &without.verdict) {
                (Verdict::Safe(_), Verdict::Safe(_)) => {
                    let states = |outcome: &Outcome| {
                        outcome.observations.last().and_then(|seen| seen.visible)
                    };
                    assert_eq!(states(&with), states(&without), "seed {seed}");
                    let whole = with.observations.last().and_then(|seen| seen.states);
                    assert!(whole <= Some(total), "seed {seed}");
                    finite += 1;
                }
                (Verdict::Unsafe { bound: a, .. }, Verdict::Unsafe { bound: b, .. }) => {
                    assert_eq!(a, b, "seed {seed}");
                    assert!(!a.resource.interchanges());
                    found += 1;
                }
                answers => panic!("seed {seed}: {answers:?}"),
            }
        }
    }
    println!("{finite} safe, {found} unsafe");
    assert!(finite > 30 && found > 30);
}
