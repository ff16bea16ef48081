//! Questions about any number of threads, answered by coverability.

use selvedge_coverability::{Attempt, Decision, Stacks, Workers, attempt};
use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Action, Property, System, advance, enabled};

use super::below::violation;
use super::growing::{self, Cut};
use super::pincer::no_proof;
use super::{
    Candidate, FAVOURED, LEADING, Listener, Method, Outcome, Proof, Question, Reply, Verdict,
    first_answer,
};
use crate::{Bound, Budget, Resource, Stop};

/// Whether any number of threads reaches a violation. One more thread may undo a deadlock: where deadlocks are among the
/// properties, the others are answered, and if none of them is violated there is no answer.
pub(super) fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    let is_upward = |property: &Property| !property.is_about_deadlocks();
    let (places, others): (Vec<usize>, Vec<Property>) =
        question.properties.iter().cloned().enumerate().filter(|(_, p)| is_upward(p)).unzip();
    if others.len() == question.properties.len() {
        return verify_upward(question, budget, tell);
    }
    let only_deadlocks =
        Stop::OnlyDeadlocks { any_number: !question.system.any_number().is_empty() };
    if others.is_empty() {
        let verdict = Verdict::Unknown { stop: only_deadlocks, completed: None };
        return Outcome { verdict, ..nothing_yet() };
    }
    let asked = Question { properties: &others, ..*question };
    let mut outcome = verify_upward(&asked, budget, tell);
    match &mut outcome.verdict {
        Verdict::Unsafe { property, .. } => {
            *property = places.get(*property).copied().unwrap_or(*property);
            outcome.evidence = violation(&outcome.verdict).filter(|_| question.evidence);
        }
        Verdict::Safe(_) => {
            outcome.verdict = Verdict::Unknown { stop: only_deadlocks, completed: None };
            outcome.evidence = None;
        }
        // Deadlocks were not looked for within any bound.
        Verdict::Unknown { completed, .. } => *completed = None,
        Verdict::Bounded { .. } => {}
    }
    outcome
}

/// How much work whole stacks do alone before numbers of threads are tried one after the other, in moves: up to a second, since single looks are long there.
const BEFORE_GROWING: u64 = 1 << 16;

/// Whether any number of threads reaches a violation of properties that more threads do not repair. Whole stacks may have no end, with
/// ids of threads that are kept, say; a few threads may show a violation all the same.
fn verify_upward(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    let is_any = !question.system.any_number().is_empty();
    if !is_any || question.method == Method::Coverability {
        return match with_whole_stacks(question, budget) {
            Whole::Grows(_) if is_any => growing::verify(question, budget, tell),
            Whole::Outcome(outcome) | Whole::Grows(outcome) => outcome,
        };
    }
    let whole = |budget: &Budget| match with_whole_stacks(question, budget) {
        Whole::Outcome(outcome) => outcome.is_answer().then_some(outcome),
        Whole::Grows(_) => None,
    };
    let candidates = vec![
        Candidate::new(FAVOURED, |budget, _| whole(budget)),
        Candidate::new(1, |budget, _| Some(growing::verify(question, budget, tell)))
            .after(BEFORE_GROWING),
    ];
    first_answer(candidates, budget, Resource::Threads)
}

/// The result of an attempt with whole stacks.
enum Whole {
    Outcome(Outcome),
    /// No answer: the stacks grow.
    Grows(Outcome),
}

fn nothing_yet() -> Outcome {
    Outcome::new("coverability", Verdict::Unknown { stop: Stop::Cancelled, completed: None })
}

fn with_whole_stacks(question: &Question<'_>, budget: &Budget) -> Whole {
    let Question { system, properties, .. } = *question;
    let mut outcome = nothing_yet();
    match attempt(system, properties, Stacks::Whole, Workers::of(budget.crew), &|| {
        budget.after(LOOK)
    }) {
        Ok(Attempt::Decided(Decision::Safe(certificate))) => {
            let dangerous = certificate.dangerous.len();
            outcome.verdict = Verdict::Safe(Proof::Coverability { dangerous });
            outcome.evidence = question.evidence.then_some(Evidence::Cover(certificate));
        }
        Ok(Attempt::Decided(Decision::Unsafe { threads, trace, property })) => {
            let bound = Bound::threads(threads);
            outcome.most_threads = drops(system, &trace).then_some(threads);
            outcome.verdict = Verdict::Unsafe { bound, property, trace };
            outcome.evidence = violation(&outcome.verdict).filter(|_| question.evidence);
        }
        Ok(Attempt::Grows(fault)) => {
            outcome.verdict = Verdict::Unknown { stop: fault.into(), completed: None };
            return Whole::Grows(outcome);
        }
        // Whole stacks are exact: every run that they find can be followed.
        Ok(Attempt::Spurious { .. }) => {}
        Err(stop) => outcome.verdict = Verdict::Unknown { stop, completed: None },
    }
    Whole::Outcome(outcome)
}

/// Whether a run drops a thread that it might start.
pub(super) fn drops(system: &dyn System, trace: &Trace) -> bool {
    let mut state = trace.initial.clone();
    trace.steps.iter().any(|&(thread, action)| {
        let listed = enabled(system, &state, thread).unwrap_or_default();
        advance(&mut state, thread, action);
        let starts = |other: &Action| other.spawn.is_some() && other.origin == action.origin;
        action.spawn.is_none() && listed.iter().any(starts)
    })
}

/// The work between two looks at the budget, in moves of an explorer: both take about as long.
pub(super) const LOOK: u64 = 1 << 10;

/// Whether threads that are started reach a violation: an exploration under growing bounds finds it with the fewest contexts, in
/// turns with coverability, which proves that there is none. Mostly only so many threads are started that the exploration comes to an end.
pub(super) fn verify_beside(
    question: &Question<'_>,
    budget: &Budget,
    bounded: impl Fn(&Budget) -> Outcome + Sync,
) -> Outcome {
    let for_any_number = |budget: &Budget| match with_whole_stacks(question, budget) {
        Whole::Grows(outcome) => proof_with_cut_stacks(question, budget).unwrap_or(outcome),
        Whole::Outcome(outcome) => outcome,
    };
    let candidates = vec![
        Candidate::new(LEADING, |budget, _| Some(bounded(budget))),
        Candidate::beside(|budget, _| Some(for_any_number(budget))),
    ];
    first_answer(candidates, budget, Resource::Contexts)
}

/// From above alone: cuts find nothing, and count threads where some are started.
pub(super) fn verify_by_cuts(question: &Question<'_>, budget: &Budget) -> Outcome {
    let stop = || budget.look().err().unwrap_or_else(no_proof);
    proof_with_cut_stacks(question, budget).unwrap_or_else(|| {
        let verdict = Verdict::Unknown { stop: stop(), completed: None };
        Outcome { verdict, engine: growing::ABOVE, ..nothing_yet() }
    })
}

/// A proof with cut stacks, if one of the cuts has one.
fn proof_with_cut_stacks(question: &Question<'_>, budget: &Budget) -> Option<Outcome> {
    for depth in 1..=growing::DEEPEST_CUT_OF_STARTED {
        match growing::cut(question, depth, budget) {
            Ok(Cut::Safe(outcome)) => return Some(outcome),
            // Contexts find it, and tell how few it takes.
            Ok(Cut::Unsafe { .. }) | Err(_) => return None,
            Ok(Cut::Open { .. }) => {}
        }
    }
    None
}
