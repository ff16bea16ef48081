//! Deadlocks of random systems: every engine against the naive enumerator, bound by bound, with
//! schedules that replay and certificates that are accepted exactly if they should be.

use selvedge_analysis::converge::above::Above;
use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::explore::languages::Languages;
use selvedge_analysis::explore::stacks::Stacks;
use selvedge_analysis::explore::windows::Cut;
use selvedge_analysis::explore::{ContextExplorer, Explorer, Locals};
use selvedge_analysis::naive::Naive;
use selvedge_analysis::random::{Shape, random_system};
use selvedge_analysis::{Bound, Budget};
use selvedge_evidence::{Evidence, Flaw, recheck, replay};
use selvedge_model::{Property, State, System, step};

const BOUNDS: usize = 4;
const PROPERTIES: [Property; 1] = [Property::ANY_DEADLOCK];

/// By the definition: somebody has not ended, and nobody has a step.
fn is_deadlock(system: &dyn System, state: &State) -> bool {
    let acts = |thread| !step(system, state, thread).expect("tables have actions").is_empty();
    state.threads.iter().any(|t| !t.has_ended()) && !state.thread_ids().any(acts)
}

fn question(system: &dyn System, method: Method, symmetry: bool) -> Question<'_> {
    Question { system, properties: &PROPERTIES, method, symmetry, evidence: true }
}

/// The naive enumeration up to a bound, or as far as it goes.
fn enumerated(system: &dyn System, most: usize) -> Option<Naive<'_>> {
    let mut naive = Naive::with_limit(system, 2000).ok()?;
    while naive.level().bound < most && !naive.level().has_collapsed() {
        if naive.advance().is_err() {
            break;
        }
    }
    Some(naive)
}

/// The least number of contexts that leads to a deadlock, among the completed ones.
fn first_deadlock(system: &dyn System, naive: &Naive<'_>) -> Option<usize> {
    let completed = naive.states().filter(|&(_, bound)| bound <= naive.level().bound);
    completed.filter(|(state, _)| is_deadlock(system, state)).map(|(_, bound)| bound).min()
}

/// The evidence of a violation holds, and leads to a deadlock; cut short, it does not.
fn check_violation(seed: u64, system: &dyn System, outcome: &Outcome) {
    let Some(Evidence::Violation(violation)) = &outcome.evidence else {
        panic!("seed {seed}: no evidence")
    };
    let states = replay(system, &violation.trace).expect("it can be replayed");
    assert!(is_deadlock(system, states.last().expect("a state")), "seed {seed}");
    let accepted = |violation| recheck(system, &PROPERTIES, &Evidence::Violation(violation));
    let said = accepted(violation.clone()).expect("it is accepted").to_string();
    assert!(said.ends_with("ends in a deadlock"), "{said}");
    let mut changed = violation.clone();
    if changed.trace.steps.pop().is_some() {
        changed.contexts = changed.trace.contexts();
        assert_eq!(accepted(changed).expect_err("it goes on").flaw, Flaw::Claim, "seed {seed}");
    }
    let mut changed = violation.clone();
    changed.property = 1;
    assert_eq!(accepted(changed).expect_err("no such property").flaw, Flaw::Claim);
}

#[test]
fn the_bounded_question_has_the_right_answer() {
    let (mut compared, mut found, mut alike) = (0, [0; BOUNDS + 1], 0);
    for seed in 0..1000 {
        let system = random_system(seed, &Shape::default());
        let Some(naive) = enumerated(&system, BOUNDS) else { continue };
        let level = naive.level();
        let complete = if level.has_collapsed() { BOUNDS } else { level.bound };
        let first = first_deadlock(&system, &naive);
        compared += usize::from(complete == BOUNDS);
        let threads = system.threads();
        alike +=
            usize::from((1..threads.len()).any(|t| threads[t].template == threads[0].template));
        for (method, symmetry) in
            [(Method::Auto, true), (Method::Explicit, false), (Method::Symbolic, true)]
        {
            for contexts in 0..=complete {
                let question = question(&system, method, symmetry);
                if method == Method::Explicit && complete < BOUNDS {
                    continue; // a context may be infinite
                }
                let outcome =
                    check(&question, Bound::contexts(contexts), &Budget::default(), &|_| {});
                match (&outcome.verdict, first) {
                    (Verdict::Unsafe { bound: Bound { count: k, .. }, trace, .. }, Some(first)) => {
                        assert_eq!(*k, first, "seed {seed}");
                        let shortest = naive.trace_to(|state| is_deadlock(&system, state));
                        let shortest = shortest.expect("it was reached");
                        assert_eq!(trace.steps.len(), shortest.steps.len(), "seed {seed}");
                        check_violation(seed, &system, &outcome);
                        found[first] += 1;
                    }
                    (Verdict::Bounded { .. } | Verdict::Safe(_), first) => {
                        assert!(first.is_none_or(|first| first > contexts), "seed {seed}");
                    }
                    other => panic!("seed {seed}: {other:?}"),
                }
            }
        }
    }
    println!("{compared} compared, {alike} with threads that are alike, {found:?} found");
    assert!(compared >= 500 && alike > 200 && found[..4].iter().all(|&count| count > 50));
}

#[test]
fn verdicts_are_right_and_have_evidence() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..700 {
        let system = random_system(seed, &Shape::default());
        let Some(naive) = enumerated(&system, 12) else { continue };
        let first = first_deadlock(&system, &naive);
        for method in [Method::Auto, Method::Symbolic] {
            let outcome = verify(&question(&system, method, true), &Budget::default(), &|_| {});
            match outcome.verdict {
                Verdict::Safe(_) => {
                    assert_eq!(first, None, "seed {seed}");
                    let evidence = outcome.evidence.expect("a safe verdict has a certificate");
                    let checked = recheck(&system, &PROPERTIES, &evidence);
                    assert!(checked.is_ok(), "seed {seed}: {checked:?}");
                    safe += 1;
                }
                Verdict::Unsafe { bound: Bound { count: contexts, .. }, .. } => {
                    let beyond = !naive.level().has_collapsed() && contexts > naive.level().bound;
                    assert!(first == Some(contexts) || beyond, "seed {seed}");
                    check_violation(seed, &system, &outcome);
                    unsafe_ += 1;
                }
                other => panic!("seed {seed}: {other:?}"),
            }
        }
    }
    println!("{safe} safe, {unsafe_} unsafe");
    assert!(safe > 200 && unsafe_ > 200);
}

/// The states of a collapsed exploration, as a certificate.
fn all_states<L: Locals>(system: &dyn System, locals: L) -> Evidence {
    let mut explorer = ContextExplorer::new(system, locals, true).expect("starts");
    while !explorer.has_collapsed() {
        explorer.advance(&Budget::default()).expect("goes on");
    }
    explorer.certificate()
}

/// Certificates of all reachable states hold as such; that there is no deadlock they show exactly if
/// there is none.
#[test]
fn a_certificate_with_a_deadlock_is_refused() {
    let (mut accepted, mut refused) = ([0; 3], [0; 3]);
    for seed in 0..700 {
        let system = random_system(seed, &Shape::default());
        let Some(naive) = enumerated(&system, 12) else { continue };
        if !naive.level().has_collapsed() {
            continue;
        }
        let above = Above::explore(&system, Cut::tight(1), true, &Budget::default()).expect("ends");
        let in_z = above.violation(&PROPERTIES).expect("tables have actions").is_some();
        let reachable = first_deadlock(&system, &naive).is_some();
        assert!(in_z || !reachable, "seed {seed}");
        let certificates = [
            (all_states(&system, Stacks::default()), reachable),
            (all_states(&system, Languages::default()), reachable),
            (above.explorer().certificate(), in_z),
        ];
        for (kind, (certificate, has_deadlock)) in certificates.into_iter().enumerate() {
            assert!(recheck(&system, &[], &certificate).is_ok(), "seed {seed}");
            match recheck(&system, &PROPERTIES, &certificate) {
                Ok(_) => {
                    assert!(!has_deadlock, "seed {seed}: {kind}");
                    accepted[kind] += 1;
                }
                Err(refusal) => {
                    assert!(has_deadlock, "seed {seed}: {kind}: {refusal}");
                    assert_eq!(refusal.flaw, Flaw::Harmful, "seed {seed}: {refusal}");
                    assert!(refusal.message.ends_with("may be a deadlock"), "{refusal}");
                    refused[kind] += 1;
                }
            }
        }
    }
    println!("{accepted:?} accepted, {refused:?} refused");
    assert!(accepted.iter().chain(&refused).all(|&count| count > 50));
}

/// Threads that are started and never act belong to a deadlock, and none is dropped.
#[test]
fn started_threads_are_not_forgotten() {
    let shape = Shape { spawns: true, threads: 2, rules: 6, ..Shape::default() };
    let (mut found, mut safe, mut unknown) = (0, 0, 0);
    for seed in 0..200 {
        let system = random_system(seed, &shape);
        if !system.starts_threads() {
            continue;
        }
        let Some(naive) = enumerated(&system, 3) else { continue };
        let complete = if naive.level().has_collapsed() { 3 } else { naive.level().bound };
        let first = first_deadlock(&system, &naive).filter(|&first| first <= complete);
        for method in [Method::Auto, Method::Symbolic] {
            let budget = Budget::default().with_work(1 << 18);
            let outcome = check(
                &question(&system, method, true),
                Bound::contexts(complete),
                &budget,
                &|_| {},
            );
            match &outcome.verdict {
                Verdict::Unsafe { bound: Bound { count: contexts, .. }, .. } => {
                    assert_eq!(Some(*contexts), first, "seed {seed}");
                    check_violation(seed, &system, &outcome);
                    found += 1;
                }
                Verdict::Bounded { .. } => assert_eq!(first, None, "seed {seed}"),
                Verdict::Safe(_) => {
                    assert_eq!(first, None, "seed {seed}");
                    let evidence = outcome.evidence.as_ref().expect("a certificate");
                    assert!(recheck(&system, &PROPERTIES, evidence).is_ok(), "seed {seed}");
                    safe += 1;
                }
                Verdict::Unknown { .. } => unknown += 1,
            }
        }
        // A system that drops threads has no answer at all.
        let dropping = system.dropping_threads();
        let outcome = check(
            &question(&dropping, Method::Auto, true),
            Bound::contexts(0),
            &Budget::default(),
            &|_| {},
        );
        assert!(matches!(outcome.verdict, Verdict::Unknown { .. }), "seed {seed}");
    }
    println!("{found} found, {safe} safe, {unknown} unknown");
    assert!(found > 100 && safe > 20 && unknown < found / 10);
}
