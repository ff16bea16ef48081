//! Answers: bounded ones against the definition, unbounded ones against the context engines. Every
//! schedule replays, every certificate is accepted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use selvedge_analysis::converge::closure::Closure;
use selvedge_analysis::engine::delays::{self, Options};
use selvedge_analysis::engine::{Event, Method, Outcome, Proof, Question, Verdict, check, verify};
use selvedge_analysis::explore::Observe;
use selvedge_analysis::naive::{Naive, NaiveDelays};
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::{Evidence, Trace, recheck, replay};
use selvedge_model::{Pattern, Property, System, ThreadId, TopPattern, VisibleState, enabled};

use super::exact::random;

fn question<'a>(system: &'a dyn System, properties: &'a [Property]) -> Question<'a> {
    Question { system, properties, method: Method::Auto, symmetry: true, evidence: true }
}

pub fn target(state: &VisibleState) -> Property {
    let tops = state.tops.iter().map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

/// The rounds and delays of a schedule, by Def. 1.
fn cost(system: &dyn System, trace: &Trace) -> Bound {
    let threads = system.threads().len();
    let states = replay(system, trace).expect("it can be replayed");
    let (mut turn, mut delays) = (0, 0);
    for (&(thread, _), state) in trace.steps.iter().zip(&states) {
        while turn % threads != thread.index() {
            let waits = enabled(system, state, ThreadId::from(turn % threads)).expect("actions");
            delays += usize::from(!waits.is_empty());
            turn += 1;
        }
        turn += 1;
    }
    Bound::round_robin(turn.div_ceil(threads), delays)
}

/// Whether the answer is unsafe. What it rests on is looked at.
fn is_unsafe(system: &dyn System, properties: &[Property], outcome: &Outcome) -> Option<bool> {
    let answer = match &outcome.verdict {
        Verdict::Safe(_) => false,
        Verdict::Unsafe { bound, trace, .. } => {
            if matches!(bound.resource, Resource::RoundRobin { .. }) {
                assert_eq!(cost(system, trace), *bound);
            }
            let states = replay(system, trace).expect("it can be replayed");
            let last = states.last().expect("a state");
            let broken = Property::first_broken(properties, system, last).expect("decided");
            assert!(broken.is_some());
            true
        }
        Verdict::Bounded { .. } | Verdict::Unknown { .. } => return None,
    };
    let evidence = outcome.evidence.as_ref().expect("evidence");
    recheck(system, properties, evidence).unwrap_or_else(|why| panic!("{why}: {outcome:?}"));
    Some(answer)
}

/// A target is found exactly if it is within the bounds, with the fewest delays within the rounds, and
/// the fewest rounds with those delays.
#[test]
fn bounded_answers_are_those_of_the_definition() {
    const MOST: usize = 3;
    let (mut found, mut bounded, mut safe) = (0, 0, 0);
    for seed in 0..200 {
        let system = random(seed);
        let Ok(naive) = NaiveDelays::new(&system, MOST + 1, MOST + 1, 50_000) else { continue };
        let within = |rounds: usize, delays: usize, wanted: &VisibleState| {
            naive.within(rounds, delays).iter().any(|state| state.visible() == *wanted)
        };
        let mut wanted: Vec<_> =
            naive.within(MOST + 1, MOST + 1).iter().map(|state| state.visible()).collect();
        wanted.dedup();
        for wanted in wanted.iter().step_by(4) {
            let properties = [target(wanted)];
            let asked = question(&system, &properties);
            let bound = Bound::round_robin(MOST, MOST);
            let outcome = check(&asked, bound, &Budget::default(), &|_| {});
            let expected = within(MOST, MOST, wanted);
            let answer = is_unsafe(&system, &properties, &outcome);
            assert_eq!(answer == Some(true), expected, "seed {seed}: {outcome:?}");
            match outcome.verdict {
                Verdict::Unsafe {
                    bound: Bound { count: rounds, resource: Resource::RoundRobin { delays, .. } },
                    ..
                } => {
                    assert!(within(rounds, delays, wanted), "seed {seed}");
                    assert!(rounds == 0 || !within(rounds - 1, delays, wanted), "seed {seed}");
                    assert!(delays == 0 || !within(MOST, delays - 1, wanted), "seed {seed}");
                    found += 1;
                }
                Verdict::Safe(_) => safe += 1,
                _ => bounded += 1,
            }
        }
    }
    println!("{found} found, {bounded} bounded, {safe} safe");
    assert!(found > 200 && bounded > 5);
}

/// A run that ends after so many bounds, or with so many states: the same ones on every machine.
fn within<T>(
    bounds: usize,
    states: usize,
    run: impl FnOnce(&Budget, &(dyn Fn(Event<'_>) + Sync)) -> T,
) -> T {
    let (enough, seen) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
    let budget = Budget { cancelled: vec![Arc::clone(&enough)], ..Budget::default() };
    run(&budget, &|event| {
        if let Event::Bound { stored, .. } = event {
            let so_far = seen.fetch_add(1, Ordering::Relaxed) + 1;
            if so_far >= bounds || stored.0 >= states {
                enough.store(true, Ordering::Relaxed);
            }
        }
    })
}

/// Far more than a small system takes.
fn patient() -> Budget {
    Budget::default().with_work(1 << 21)
}

fn ways() -> Vec<Options> {
    let observing = |observe, closure| Options { observe: Some(observe), closure };
    vec![
        Options::default(),
        observing(Observe::top(1), Closure::Disrespectful),
        observing(Observe::top(2), Closure::Disrespectful),
        observing(Observe::top(1), Closure::All),
        observing(Observe { shared: None, top: 0 }, Closure::Disrespectful),
    ]
}

/// Wherever both answer, it is the same.
#[test]
fn unbounded_answers_agree_with_the_context_engines() {
    let mut counts = vec![[0; 3]; ways().len()];
    let (mut by_closure, mut hidden) = (0, 0);
    for seed in 0..300 {
        let system = random(seed);
        let mut naive = Naive::with_limit(&system, 3000).expect("starts");
        while naive.level().bound < 4 && naive.advance().is_ok_and(|level| !level.has_collapsed()) {
        }
        let mut seen: Vec<_> = naive.visible().map(|(state, _)| state.clone()).collect();
        seen.sort_unstable();
        let mut rng = fastrand::Rng::with_seed(seed);
        // One that is reached, and one that may be.
        let mut other = seen[rng.usize(0..seen.len())].clone();
        other.shared = seen[rng.usize(0..seen.len())].shared;
        for wanted in [seen[rng.usize(0..seen.len())].clone(), other] {
            let properties = [target(&wanted)];
            let asked = question(&system, &properties);
            let expected = verify(&asked, &patient(), &|_| {});
            let expected = is_unsafe(&system, &properties, &expected);
            for (way, counts) in ways().iter().zip(&mut counts) {
                let outcome =
                    within(80, 4000, |budget, tell| delays::verify(&asked, way, budget, tell));
                let answer = is_unsafe(&system, &properties, &outcome);
                counts[answer.map_or(2, usize::from)] += 1;
                if let (Some(expected), Some(answer)) = (expected, answer) {
                    assert_eq!(answer, expected, "seed {seed} {way:?}: {outcome:?}");
                }
                if let Verdict::Safe(Proof::Closure { states, .. }) = outcome.verdict {
                    by_closure += 1;
                    if let Some(Evidence::Cut(certificate)) = &outcome.evidence {
                        assert!(certificate.states.len() >= states);
                        hidden += usize::from(certificate.kinds.iter().any(|k| k.window.hidden));
                    }
                }
            }
        }
    }
    println!("[safe, unsafe, unknown] by way {counts:?}; by closure {by_closure}, {hidden} hiding");
    assert!(counts.iter().all(|[safe, found, _]| *safe > 5 && *found > 50));
    assert!(by_closure > 10 && hidden > 5);
}

/// Where all visible states are asked for: as many as the context engine has.
#[test]
fn closed_states_are_all_visible_states() {
    let mut compared = 0;
    for seed in 0..200 {
        let system = random(seed);
        let asked = question(&system, &[]);
        let outcome = within(80, 4000, |budget, tell| {
            delays::verify(&asked, &Options::default(), budget, tell)
        });
        let Verdict::Safe(_) = outcome.verdict else { continue };
        let expected = verify(&asked, &patient(), &|_| {});
        let Verdict::Safe(_) = expected.verdict else { continue };
        let visible = |outcome: &Outcome| outcome.observations.last().and_then(|o| o.visible);
        assert_eq!(visible(&outcome), visible(&expected), "seed {seed}");
        compared += 1;
    }
    println!("{compared} compared");
    assert!(compared > 20);
}
