//! check and verify on random systems: the verdicts, the bounds and the traces.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use selvedge_analysis::engine::{
    Keeper, Method, Outcome, Question, Verdict, check, check_and_keep, table, verify,
    verify_and_keep,
};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_evidence::replay;
use selvedge_model::{Meter, Pattern, Property, SharedId, System, TopPattern, VisibleState};

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

/// Counts work.
struct Counter(AtomicU64);

impl Meter for Counter {
    fn spend(&self, work: u64) -> Result<(), Stop> {
        self.0.fetch_add(work, Ordering::Relaxed);
        Ok(())
    }
}

/// What comes of something that works, and how much it worked.
fn counted<T>(act: impl FnOnce(&Budget) -> T) -> (T, u64) {
    let counter = Arc::new(Counter(AtomicU64::new(0)));
    let mut budget = Budget::default();
    budget.meters.push(Arc::clone(&counter) as Arc<dyn Meter>);
    let made = act(&budget);
    (made, counter.0.load(Ordering::Relaxed))
}

fn shared_target(system: &dyn System, shared: u32) -> Property {
    let tops = system.threads().iter().map(|_| TopPattern::Any).collect();
    Property::Unreachable(Pattern::Tuple { shared: Some(SharedId(shared)), tops })
}

/// A larger bound goes on where a smaller one ended: the outcome is that of a new exploration, and nothing is done twice.
#[test]
fn explorations_go_on() {
    let (mut went_on, mut found) = (0, 0);
    for seed in 0..200 {
        let system: Arc<dyn System> = Arc::new(random_system(seed, &Shape::default()));
        // What is visible first with three contexts, if something is.
        let everything = Question {
            system: &*system,
            properties: &[],
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        let rows = table(&everything, Resource::Contexts, Some(3), 50, &Budget::default(), &|_| {});
        let deep = rows.new_visible.get(3).cloned().flatten().unwrap_or_default();
        let properties = [match deep.first() {
            Some(state) => target(state),
            None => shared_target(&*system, 3),
        }];
        for (method, bound) in [
            (Method::Auto, Bound::contexts(1)),
            (Method::Symbolic, Bound::contexts(1)),
            (Method::Auto, Bound::rounds(1)),
        ] {
            let properties = &properties;
            let question =
                Question { system: &*system, properties, method, symmetry: true, evidence: true };
            let larger = Bound { count: bound.count + 3, ..bound };
            let keeper = Keeper::new(Arc::clone(&system));
            let (first, before) =
                counted(|budget| check_and_keep(&question, bound, Some(&keeper), budget, &|_| {}));
            let Some(mut kept) = keeper.into_exploration() else {
                assert!(matches!(first.verdict, Verdict::Unknown { .. }), "seed {seed}");
                continue;
            };
            assert!(kept.bound().count <= bound.count);
            let (on, more) = counted(|budget| kept.check(&question, larger.count, budget, &|_| {}));
            let (anew, all) = counted(|budget| check(&question, larger, budget, &|_| {}));
            assert_eq!(format!("{on:?}"), format!("{anew:?}"), "seed {seed}, {method:?}");
            if matches!(first.verdict, Verdict::Bounded { .. }) {
                assert_eq!(before + more, all, "seed {seed}, {method:?}, {bound}");
                went_on += 1;
                found += usize::from(matches!(on.verdict, Verdict::Unsafe { .. }));
            }
        }
    }
    println!("{went_on} went on, {found} of them to a violation");
    assert!(went_on > 100 && found > 10, "{went_on} {found}");
}

/// A table after an answer goes on as well, and says what a table of its own says.
#[test]
fn a_table_goes_on_from_an_answer() {
    let (mut compared, mut saved) = (0, 0);
    for seed in 0..150 {
        let system: Arc<dyn System> = Arc::new(random_system(seed, &Shape::default()));
        let properties = [shared_target(&*system, 2)];
        let question = Question {
            system: &*system,
            properties: &properties,
            method: Method::Auto,
            symmetry: true,
            evidence: false,
        };
        let keeper = Keeper::new(Arc::clone(&system));
        let answer = verify_and_keep(&question, Some(&keeper), &Budget::default(), &|_| {});
        let Some(mut kept) = keeper.into_exploration() else { continue };
        let most = Some(kept.bound().count.max(5));
        let (on, more) = counted(|budget| kept.table(&question, most, 10.into(), budget, &|_| {}));
        let (anew, all) =
            counted(|budget| table(&question, Resource::Contexts, most, 10, budget, &|_| {}));
        let rows = on.outcome.observations.len().min(anew.outcome.observations.len());
        assert!(rows >= answer.observations.len().min(anew.outcome.observations.len()));
        assert_eq!(on.outcome.observations[..rows], anew.outcome.observations[..rows]);
        assert_eq!(on.new_visible[..rows], anew.new_visible[..rows], "seed {seed}");
        compared += 1;
        saved += usize::from(more < all);
    }
    println!("{compared} compared, {saved} took less work");
    assert!(compared > 100 && saved * 2 > compared, "{compared} {saved}");
}
