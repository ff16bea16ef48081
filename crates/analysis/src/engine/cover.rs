//! Any number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use selvedge_coverability::{Answer, cover};
use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Action, System, advance, enabled};

use super::below::violation;
use super::beside::beside;
use super::{Outcome, Proof, Question, Verdict};
use crate::{Bound, Budget, Stop};

/// Whether any number of threads reaches a violation.
pub(super) fn verify(question: &Question<'_>, budget: &Budget) -> Outcome {
    let Question { system, properties, .. } = *question;
    let mut outcome = Outcome {
        verdict: Verdict::Unknown { stop: Stop::Cancelled, completed: None },
        engine: "coverability",
        observations: Vec::new(),
        cuts: Vec::new(),
        collapse: None,
        most_threads: None,
        evidence: None,
    };
    match cover(system, properties, &|| budget.check()) {
        Ok(Answer::Safe(certificate)) => {
            let dangerous = certificate.dangerous.len();
            outcome.verdict = Verdict::Safe(Proof::Coverability { dangerous });
            outcome.evidence = question.evidence.then_some(Evidence::Cover(certificate));
        }
        Ok(Answer::Unsafe { threads, trace, property }) => {
            let bound = Bound::threads(threads);
            outcome.most_threads = drops(system, &trace).then_some(threads);
            outcome.verdict = Verdict::Unsafe { bound, property, trace: Ok(trace) };
            outcome.evidence = violation(&outcome.verdict).filter(|_| question.evidence);
        }
        Err(stop) => outcome.verdict = Verdict::Unknown { stop, completed: None },
    }
    outcome
}

/// Whether a run drops a thread that it might start.
fn drops(system: &dyn System, trace: &Trace) -> bool {
    let mut state = trace.initial.clone();
    trace.steps.iter().any(|&(thread, action)| {
        let listed = enabled(system, &state, thread).unwrap_or_default();
        advance(&mut state, thread, action);
        let starts = |other: &Action| other.spawn.is_some() && other.origin == action.origin;
        action.spawn.is_none() && listed.iter().any(starts)
    })
}

/// How long coverability is alone.
const HEAD_START: Duration = Duration::from_secs(1);

/// The same, with an exploration under growing bounds beside it: that one answers where threads have
/// infinitely many local states, or too many.
pub(super) fn verify_beside(
    question: &Question<'_>,
    budget: &Budget,
    bounded: impl Fn(&Budget) -> Outcome + Sync,
) -> Outcome {
    // Whoever comes first begins it.
    let begun = AtomicBool::new(false);
    let begin = || !begun.swap(true, Ordering::Relaxed);
    let first = |budget: &Budget| {
        let outcome = verify(question, budget);
        let refused = matches!(outcome.verdict, Verdict::Unknown { stop: Stop::Fault(_), .. });
        if refused && begin() { bounded(budget) } else { outcome }
    };
    beside(first, |budget| begin().then(|| bounded(budget)), HEAD_START, budget)
}
