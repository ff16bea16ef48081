//! Any number of threads, through the engine: what decides, what stands in where threads have
//! infinitely many local states, and what needs a number.

use crate::support;

use std::sync::Arc;

use selvedge_analysis::engine::{Method, Outcome, Question, Verdict, check, verify};
use selvedge_analysis::{Bound, Budget, Stop};
use selvedge_evidence::{recheck, replay};
use selvedge_model::{Property, System};
use selvedge_program::{Lowering, Source, ThreadCounts};
use support::read_weave;

const NEVER_WRONG: [Property; 1] = [Property::NeverWrong];

fn program(text: &str) -> Lowering {
    let source = Arc::new(Source::new("test.weave", text));
    let program = Arc::new(read_weave(text));
    let lowering = Lowering::for_any_number(program, source, &ThreadCounts::new());
    lowering.unwrap_or_else(|e| panic!("{text}\n{e}")).dropping_threads()
}

fn question(system: &dyn System) -> Question<'_> {
    let properties = &NEVER_WRONG;
    Question { system, properties, method: Method::Auto, symmetry: true, evidence: true }
}

/// The outcome, with evidence that was checked.
fn verified(system: &dyn System) -> Outcome {
    let budget = Budget::default().with_work(1 << 28);
    let outcome = verify(&question(system), &budget, &|_| {});
    if let Some(evidence) = &outcome.evidence {
        recheck(system, &NEVER_WRONG, evidence).unwrap_or_else(|e| panic!("{e}"));
    }
    outcome
}

/// So many threads that count, and each must have its turn.
#[test]
fn as_many_threads_as_it_takes() {
    for needed in 1..=4 {
        let system = program(&format!(
            "int[0..5] n := 0;
             void work() {{ atomic {{ assume n < 5; n := n + 1; }} assert n < {needed}; }}
             thread worker * any = work();"
        ));
        let outcome = verified(&system);
        assert_eq!(outcome.engine, "coverability");
        let Verdict::Unsafe { bound, trace, .. } = outcome.verdict else {
            panic!("{:?}", outcome.verdict)
        };
        assert_eq!(bound, Bound::threads(needed));
        assert_eq!(replay(&system, &trace).unwrap().last().unwrap().threads.len(), needed);
    }
}

/// There is one `main`, and it never meets itself; calls are followed to their end.
#[test]
fn fixed_threads_stay_as_many_as_they_are() {
    let system = program(
        "bool owner := false;
         int[0..1] mains := 0;
         int twice(int x) { return 2 * x; }
         void main() { int y; y := twice(2); mains := mains + 1; assert y == 4; owner := true; }
         void work() { assume owner; assert mains == 1; }
         thread main; thread worker * any = work();",
    );
    assert!(matches!(verified(&system).verdict, Verdict::Safe(_)));
}

/// Recursion: a fixed number of starts is still decided by contexts.
#[test]
fn what_is_not_finite_is_explored_under_bounds() {
    let started = program(
        "bool go := false;
         void child() { if (*) child(); go := true; }
         void main() { async child(); assert !go; }
         thread main;",
    );
    let outcome = verified(&started);
    assert!(
        matches!(outcome.verdict, Verdict::Unsafe { bound, .. } if bound == Bound::contexts(3))
    );

    let any = program(
        "bool go := false;
         void child() { if (*) child(); assert !go || go; }
         thread child * any;",
    );
    let outcome = verified(&any);
    assert!(matches!(outcome.verdict, Verdict::Safe(_)), "{:?}", outcome.verdict);
    assert_eq!(outcome.engine, "cuts-and-counting");
}

#[test]
fn a_bound_needs_a_number_of_threads() {
    let system = program("void work() { assert true; } thread worker * any = work();");
    let outcome = check(&question(&system), Bound::contexts(2), &Budget::default(), &|_| {});
    let Verdict::Unknown { stop: Stop::Fault(fault), .. } = outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert!(fault.message.contains("`worker` there may be any number"), "{fault}");
}

/// One more thread may undo a deadlock. What else is asked has an answer, with evidence for all that was asked.
#[test]
fn assertions_are_answered_beside_deadlocks() {
    let both = [Property::ANY_DEADLOCK, Property::NeverWrong];
    let asked = |text: &str, method: Method, counts: ThreadCounts| {
        let source = Arc::new(Source::new("test.weave", text));
        let program = Arc::new(read_weave(text));
        let system = Lowering::for_any_number(program, source, &counts).unwrap();
        let question = Question { properties: &both, method, ..question(&system) };
        let outcome = verify(&question, &Budget::default(), &|_| {});
        if let Some(evidence) = &outcome.evidence {
            recheck(&system, &both, evidence).unwrap_or_else(|e| panic!("{e}"));
        }
        (outcome.verdict, outcome.evidence.is_some())
    };
    let counting = |most: u32| {
        format!(
            "int[0..3] n := 0; lock m;
             void work() {{ acquire m; if (n < 3) {{ n := n + 1; }} assert n < {most}; release m; }}
             thread worker * any = work();"
        )
    };
    // With stacks that grow, more and more threads are explored.
    let recursive = |assertion: &str| {
        format!(
            "bool x := false;
             void walk() {{ if (*) walk(); x := true; {assertion} x := !x; }}
             thread walker * any = walk();"
        )
    };
    for (text, threads) in [(counting(2), 2), (recursive("assert x;"), 2)] {
        let (verdict, has_evidence) = asked(&text, Method::Auto, ThreadCounts::new());
        let Verdict::Unsafe { property: 1, trace, .. } = verdict else {
            panic!("{text}\n{verdict:?}")
        };
        assert_eq!(trace.initial.threads.len(), threads, "{text}");
        assert!(has_evidence);
    }
    for text in [counting(4), recursive("")] {
        let (verdict, has_evidence) = asked(&text, Method::Auto, ThreadCounts::new());
        let open = Stop::OnlyDeadlocks { any_number: true };
        assert!(matches!(verdict, Verdict::Unknown { stop, .. } if stop == open), "{text}");
        assert!(!has_evidence);
    }
    let two = ThreadCounts::from([("worker".to_owned(), 2)]);
    let (verdict, _) = asked(&counting(4), Method::Coverability, two);
    let open = Stop::OnlyDeadlocks { any_number: false };
    assert!(matches!(verdict, Verdict::Unknown { stop, .. } if stop == open));
}
