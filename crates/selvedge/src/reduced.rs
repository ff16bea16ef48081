//! # Fewer states
//! A question is answered about a system whose local steps ride along ([`Fused`]), and the answer is told of the system itself: a schedule
//! step by step, a proof with the places where steps were left out.

use std::sync::Arc;

use selvedge_analysis::engine::{self, Counted, Method, Outcome, Verdict};
use selvedge_analysis::explore::shortest::shortest_violation;
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_check::Opened;
use selvedge_evidence::{Evidence, ReducedCertificate, Trace, Violation};
use selvedge_model::{Fused, Local, Property, Thread};

use crate::question::Question;

/// How much work is done to find a schedule with fewer steps than the fused ones have, in moves: a tenth of a second.
const FOR_FEWER_STEPS: u64 = 1 << 17;

/// The system with fewer states, if the question allows for it and there is something to be left out.
fn reduced(question: &Question, opened: &Opened, method: Method) -> Option<Fused> {
    // Rounds of single steps count every step, and Alg. 3 is as it was published.
    let counts_steps =
        question.bound().is_some_and(|bound| matches!(bound.resource, Resource::RoundRobin { .. }));
    if !question.options().reduction
        || counts_steps
        || method == Method::Generators
        || opened.properties.is_empty()
    {
        return None;
    }
    let local = local(opened)?.unseen_by(&*opened.system, &opened.properties);
    (!local.is_empty()).then(|| Fused::new(Arc::clone(&opened.system), local))
}

/// Explores the system with fewer states where that is possible, and otherwise the system itself.
pub(crate) fn explored(
    question: &Question,
    opened: &Opened,
    method: Method,
    explore: impl Fn(&engine::Question<'_>) -> Outcome,
) -> Outcome {
    let plain = question.explored(opened, method);
    let Some(fused) = reduced(question, opened, method) else { return explore(&plain) };
    let explore = |fused: &Fused| {
        let outcome = explore(&engine::Question { system: fused, ..plain });
        told(fused, opened, outcome, question.budget())
    };
    let names_places = |property: &Property| matches!(property, Property::Unreachable(_));
    if opened.properties.iter().any(names_places) {
        return explore(&fused);
    }
    let later = explore(&fused.clone().beginning_later());
    let waits = opened.properties.contains(&Property::NoDeadlock);
    match later.verdict {
        // How many contexts a deadlock takes is another question.
        Verdict::Unsafe { .. } if waits => explore(&fused),
        _ => later,
    }
}

fn local(opened: &Opened) -> Option<Local> {
    match &opened.program {
        Some(program) => Some(program.local()),
        None => opened.system.as_tables().map(selvedge_model::Tables::local),
    }
}

/// What was found out about the system with fewer states, told of the system itself.
fn told(fused: &Fused, opened: &Opened, outcome: Outcome, budget: &Budget) -> Outcome {
    if outcome.reductions.is_empty() {
        return outcome;
    }
    let Outcome { verdict, evidence, most_threads, .. } = outcome;
    let wanted_evidence = evidence.is_some();
    let mut counts_fused = false;
    let (verdict, evidence) = match verdict {
        Verdict::Unsafe { bound, property, trace: Ok(trace) } => {
            let trace = unfolded(fused, &trace);
            let shorter = trace
                .as_ref()
                .ok()
                .and_then(|trace| fewer_steps(opened, bound, trace, most_threads, budget));
            counts_fused = shorter.is_none();
            let (trace, property) = match shorter {
                Some((trace, property)) => (Ok(trace), property),
                None => (trace, property),
            };
            let evidence = trace.as_ref().ok().filter(|_| wanted_evidence).map(|trace| {
                let (trace, contexts) = (trace.clone(), trace.contexts());
                Evidence::Violation(Violation { trace, contexts, property })
            });
            (Verdict::Unsafe { bound, property, trace }, evidence)
        }
        verdict => {
            let evidence = evidence.map(|proof| {
                let (local, later) = (fused.local().clone(), fused.begins_later());
                Evidence::Reduced(ReducedCertificate { local, later, proof: Box::new(proof) })
            });
            (verdict, evidence)
        }
    };
    Outcome { verdict, evidence, counts_fused, ..outcome }
}

/// The schedule of the system that has the fewest steps, if it is found soon, and what it breaks. Where threads are counted, it has those of
/// a schedule that is known, and no more contexts.
fn fewer_steps(
    opened: &Opened,
    bound: Bound,
    known: &Trace,
    most_threads: Option<usize>,
    budget: &Budget,
) -> Option<(Trace, usize)> {
    let (system, properties) = (&*opened.system, &opened.properties[..]);
    let budget = budget.with_work(FOR_FEWER_STEPS);
    let trace = match bound.resource {
        Resource::Contexts | Resource::Rounds => {
            shortest_violation(system, properties, bound, most_threads, &budget)
        }
        Resource::Threads | Resource::ContextsOf { .. } if !system.starts_threads() => {
            let more = &known.initial.threads[system.threads().len()..];
            let of = |any: Thread| more.iter().filter(|&thread| *thread == any).count();
            let any = system.any_number().into_iter().map(Thread::from);
            let counted = Counted::new(system, &any.map(of).collect::<Vec<_>>());
            let contexts = Bound::contexts(known.contexts());
            shortest_violation(&counted, properties, contexts, None, &budget)
        }
        _ => return None,
    };
    let trace = trace.ok()??;
    let last = selvedge_evidence::replay_with(system, &trace, |_| {}).ok()?;
    let property = Property::first_broken(properties, system, &last).ok()??;
    Some((trace, property))
}

/// The schedule step by step.
fn unfolded(fused: &Fused, trace: &Trace) -> Result<Trace, Stop> {
    let (initial, steps) = fused.unfold(&trace.initial, &trace.steps)?;
    Ok(Trace { initial, steps })
}
