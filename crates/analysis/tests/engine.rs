//! check and verify on random systems: the verdicts, the bounds and the traces.

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::replay;
use selvedge_model::{Pattern, Property, System, TopPattern, VisibleState};

fn target(state: &VisibleState) -> Property {
    let tops = state.tops.iter().map(|top| top.map_or(TopPattern::Empty, TopPattern::Symbol));
    Property::Unreachable(Pattern::Tuple { shared: Some(state.shared), tops: tops.collect() })
}

fn ask(system: &dyn System, properties: &[Property], method: Method) -> Outcome {
    let question = Question { system, properties, method, symmetry: true, evidence: false };
    verify(&question, &Budget::default(), &|_| {})
}

/// Every visible state of a system is asked for: the reachable ones are found with as many
/// contexts and steps as the naive enumerator needs.
#[test]
fn violations_have_the_fewest_contexts_and_steps() {
    let mut asked = 0;
    for seed in 0..200 {
        let system = random_system(seed, &Shape::default());
        let Ok(mut naive) = Naive::with_limit(&system, 2000) else { continue };
        while naive.level().bound < 5 && !naive.level().has_collapsed() {
            if naive.advance().is_err() {
                break;
            }
        }
        let all: Vec<_> = naive.visible().map(|(state, _)| state.clone()).collect();
        for state in all.into_iter().step_by(3) {
            let property = [target(&state)];
            let expected = naive.trace_to(|s| s.visible() == state).expect("it was reached");
            let outcome = ask(&system, &property, Method::Auto);
            let Verdict::Unsafe { bound, trace, .. } = outcome.verdict else {
                panic!("seed {seed}: {outcome:?}");
            };
            let trace = trace.expect("a trace");
            assert_eq!(bound, Bound::contexts(expected.contexts()), "seed {seed}");
            assert_eq!(trace.contexts(), bound.count, "seed {seed}");
            assert_eq!(trace.steps.len(), expected.steps.len(), "seed {seed}");
            let states = replay(&system, &trace).expect("it can be replayed");
            assert_eq!(states.last().expect("a state").visible(), state, "seed {seed}");
            asked += 1;
        }
    }
    println!("{asked} targets");
    assert!(asked > 300);
}

/// What is not reachable is never said to be; what is reachable is never said to be safe.
#[test]
fn verdicts_are_right_for_all_shared_states() {
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for seed in 0..300 {
        let system = random_system(seed, &Shape::default());
        let Ok(mut naive) = Naive::with_limit(&system, 2000) else { continue };
        while !naive.level().has_collapsed() && naive.level().bound < 12 {
            if naive.advance().is_err() {
                break;
            }
        }
        let complete = naive.level().has_collapsed();
        for shared in (0..4u32).map(selvedge_model::SharedId) {
            let tops = system.threads().iter().map(|_| TopPattern::Any).collect();
            let pattern = Pattern::Tuple { shared: Some(shared), tops };
            let property = [Property::Unreachable(pattern)];
            let reachable = naive.visible().any(|(state, _)| state.shared == shared);
            for method in [Method::Auto, Method::Symbolic] {
                match ask(&system, &property, method).verdict {
                    Verdict::Safe(_) => {
                        assert!(!reachable, "seed {seed}, {shared:?}");
                        safe += 1;
                    }
                    Verdict::Unsafe { .. } => {
                        assert!(reachable || !complete, "seed {seed}, {shared:?}");
                        unsafe_ += 1;
                    }
                    _ => unknown += 1,
                }
            }
        }
    }
    println!("{safe} safe, {unsafe_} unsafe, {unknown} unknown");
    assert!(safe > 200 && unsafe_ > 200);
    assert_eq!(unknown, 0);
}

#[test]
fn the_bounded_question_is_answered_for_the_bound() {
    for seed in 0..100 {
        let system = random_system(seed, &Shape::default());
        let Ok(mut naive) = Naive::with_limit(&system, 2000) else { continue };
        for _ in 0..3 {
            if naive.advance().is_err() {
                break;
            }
        }
        if naive.level().bound < 3 {
            continue;
        }
        for (state, needed) in naive.visible().step_by(5) {
            let property = [target(state)];
            for contexts in 0..=3 {
                let question = Question {
                    system: &system,
                    properties: &property,
                    method: Method::Auto,
                    symmetry: false,
                    evidence: false,
                };
                let outcome =
                    check(&question, Bound::contexts(contexts), &Budget::default(), &|_| {});
                let found = matches!(outcome.verdict, Verdict::Unsafe { .. });
                assert_eq!(found, needed <= contexts, "seed {seed} {state:?} {contexts}");
            }
        }
    }
}
