//! # Started threads in rounds
//! Rounds need a fixed set of threads. A program that starts some is asked about with slots in their place
//! ([`selvedge_program::slots`]); what is found is told about the program as it was written.

use std::sync::Arc;

use selvedge_analysis::engine::{Outcome, Verdict};
use selvedge_analysis::fair::{self, Verdict as Endless};
use selvedge_analysis::{Bound, Resource, Stop};
use selvedge_evidence::{Evidence, Lasso, Trace, Violation, recheck, replay};
use selvedge_model::{Budget, Fault, Property, System};
use selvedge_program::slots::{
    LiftedRun, Slots, Slotted, enough_for_rounds, fixed_starts, slots, starts_threads,
};
use selvedge_program::{LowerError, Lowering, Program, ThreadCounts};
use selvedge_report::advice::Started;

use crate::Failure;
use crate::answer::Answer;
use crate::question::Question;
use selvedge_check::{Opened, Subject};

/// How many started threads act in rounds of single steps, where no number is given.
const FEW: u32 = 2;

/// A program with slots for the threads that it starts.
pub struct WithSlots {
    /// The program, and the way back.
    pub slotted: Slotted,
    /// How many started threads act, and whether that is an assumption.
    pub started: Started,
}

impl WithSlots {
    /// The program with slots for the threads that it starts; `None` if it is a table, or starts none.
    ///
    /// If the text shows which threads are started, there are slots for all of them, as long as `most` allows it.
    /// Otherwise there are as many as it says, or as many as are implied by what is asked. An error tells why
    /// there are none.
    pub fn of(
        subject: &Subject,
        most: Option<u32>,
        implied: Option<u32>,
    ) -> Result<Option<Result<WithSlots, LowerError>>, Failure> {
        let Some(program) = subject.counted_program()? else { return Ok(None) };
        if !starts_threads(&program) {
            return Ok(None);
        }
        let fixed = fixed_starts(&program).filter(|&n| most.is_none_or(|most| n <= most));
        let made = match (fixed, most.or(implied)) {
            (Some(_), _) => slots(&program, Slots::Fixed),
            (None, Some(most)) => slots(&program, Slots::AtMost(most)),
            (None, None) => Err(not_fixed(&program)),
        };
        Ok(Some(made.map(WithSlots::new)))
    }

    /// The program that does all that this one does in so many contexts, with a fixed set of threads [Qadeer, Rehof
    /// 2005, Sec. 4]; `None` if it is a table, or starts none.
    pub fn for_contexts(
        subject: &Subject,
        contexts: u32,
    ) -> Result<Option<Result<WithSlots, LowerError>>, Failure> {
        let Some(program) = subject.counted_program()? else { return Ok(None) };
        if !starts_threads(&program) {
            return Ok(None);
        }
        let made = slots(&program, Slots::AtMost(contexts.saturating_sub(1)));
        // If nothing has to be dropped, ids are no hindrance.
        let made = match fixed_starts(&program) {
            Some(_) => made.or_else(|_| slots(&program, Slots::Fixed)),
            None => made,
        };
        Ok(Some(made.map(WithSlots::new)))
    }

    fn new(slotted: Slotted) -> Self {
        let started = Started { most: slotted.slots, assumed: slotted.drops };
        WithSlots { slotted, started }
    }

    /// The program with slots as a subject: for what is made of programs, not for what is asked about them.
    #[must_use]
    pub fn subject(&self, of: &Subject) -> Subject {
        of.with_program(Arc::new(self.slotted.program.clone()))
    }
}

/// The error for a program without a fixed set of threads.
fn not_fixed(program: &Program) -> LowerError {
    let message = "this program may start threads again and again, so that there is no fixed set of them, and none of \
                   them may be left out here";
    let span = program.threads.first().map(|thread| thread.span).unwrap_or_default();
    LowerError::At { message: message.to_owned(), span }
}

/// The number of started threads that act within a bound, if none is given.
fn implied(bound: Bound) -> u32 {
    match bound.resource {
        Resource::RoundRobin { .. } => FEW,
        _ => enough_for_rounds(u32::try_from(bound.count).unwrap_or(u32::MAX)),
    }
}

/// Answers a question about a bound. With rounds, started threads are slots; `answer` is asked about the program with slots.
pub(crate) fn check(
    question: &Question,
    bound: Bound,
    answer: impl FnOnce(&Question) -> Result<Answer, Failure>,
) -> Result<Answer, Failure> {
    let opened = question.opened()?;
    let in_rounds = matches!(bound.resource, Resource::Rounds | Resource::RoundRobin { .. });
    let about_assertions = opened.properties == [Property::NeverWrong];
    let starts = opened.system.starts_threads();
    let Some(program) = &opened.program else { return answer(question) };
    if !in_rounds || !about_assertions || !starts {
        return answer(question);
    }
    let refused = |why| {
        question.note_missing_target();
        let outcome = Outcome::refused(as_fault(program, why), bound.resource);
        Answer::of_states(question, opened, outcome)
    };
    let most = question.options().started;
    let made = match WithSlots::of(question.subject(), most, Some(implied(bound)))? {
        None => return answer(question),
        Some(Err(why)) => return refused(why),
        Some(Ok(made)) => made,
    };
    let system = match lowered(opened, &made.slotted, &question.whole_budget()) {
        Ok(system) => Arc::new(system),
        Err(why) => return refused(why),
    };
    let within = Opened {
        system: Arc::clone(&system) as Arc<dyn System>,
        program: Some(Arc::clone(&system)),
        ..opened.clone()
    };
    let found = answer(&question.about(within))?;
    let Some(outcome) = found.into_outcome() else {
        return Err(Failure::bug("an engine about a bound has an answer without one"));
    };
    let told = made.told(&system, program, outcome, bound);
    Answer::of_states(&question.with_slots(made.started), opened, told)
}

/// The program with slots as a system.
fn lowered(opened: &Opened, slotted: &Slotted, budget: &Budget) -> Result<Lowering, LowerError> {
    let program = Arc::new(slotted.program.clone());
    let source = Arc::clone(&opened.source);
    Lowering::within(program, source, &ThreadCounts::new(), false, budget)
}

impl WithSlots {
    /// Translates an outcome into one of the program as it was written.
    fn told(
        &self,
        system: &Lowering,
        program: &Lowering,
        outcome: Outcome,
        bound: Bound,
    ) -> Outcome {
        let wanted_evidence = outcome.evidence.is_some();
        let mut evidence = None;
        let verdict = match outcome.verdict {
            // The proof speaks of slots, so only the bound is claimed.
            Verdict::Safe(_) => Verdict::Bounded { bound },
            Verdict::Unsafe { bound, property, trace } => {
                match self.lift(system, program, &trace) {
                    Ok((trace, _)) => {
                        if wanted_evidence {
                            let (trace, contexts) = (trace.clone(), trace.contexts());
                            let shown = Violation { trace, contexts, property };
                            evidence = Some(Evidence::Violation(shown));
                        }
                        Verdict::Unsafe { bound, property, trace }
                    }
                    // A run that the program itself does not have is no violation.
                    Err(stop) => Verdict::Unknown { stop, completed: None },
                }
            }
            other => other,
        };
        Outcome { verdict, evidence, collapse: None, ..outcome }
    }

    /// The run of the program, and for each of its steps the step with slots that it belongs to.
    fn lift(
        &self,
        system: &Lowering,
        program: &Lowering,
        trace: &Trace,
    ) -> Result<(Trace, Vec<usize>), Stop> {
        let states = replay(system, trace).map_err(|why| fault(why.to_string()))?;
        let lifted = self.slotted.lift(system, program, &states, &trace.steps);
        let LiftedRun { initial, steps, of } = lifted.map_err(|why| fault(why.to_string()))?;
        Ok((Trace { initial, steps }, of))
    }
}

fn as_fault(program: &Lowering, why: LowerError) -> Fault {
    match why {
        LowerError::At { message, span } => {
            let known = span != Default::default();
            let line = known.then(|| program.source().line(span.start));
            Fault { line, ..Fault::new(message) }
        }
        LowerError::Stopped(stop) => stop.into(),
        other => Fault::new(other.to_string()),
    }
}

fn fault(message: String) -> Stop {
    Stop::Fault(Fault::new(message))
}

/// Looks for an endless run of a program that starts threads, by rounds, with slots for all of them. `search` is asked about
/// the program with slots.
pub(crate) fn endless(
    subject: &Subject,
    program: &Lowering,
    search: impl FnOnce(&Lowering) -> fair::Outcome,
) -> Result<Option<fair::Outcome>, Failure> {
    let Some(made) = WithSlots::of(subject, None, None)? else { return Ok(None) };
    let unknown = |why: LowerError| fair::Outcome {
        verdict: Endless::Unknown { stop: as_fault(program, why).into(), completed: None },
        engine: selvedge_sequential::livelock::ENGINE,
        states: None,
        evidence: None,
    };
    let made = match made {
        Ok(made) => made,
        Err(why) => return Ok(Some(unknown(why))),
    };
    let slotted = Arc::new(made.slotted.program.clone());
    let source = Arc::new(program.source().clone());
    let system = match Lowering::new(slotted, source, &ThreadCounts::new()) {
        Ok(system) => system.choosing_at_once(),
        Err(why) => return Ok(Some(unknown(why))),
    };
    let outcome = search(&system);
    let Endless::Nonterminating { lasso, .. } = outcome.verdict else { return Ok(Some(outcome)) };
    let verdict = made.lift_lasso(&system, program, &lasso);
    let evidence = match &verdict {
        Endless::Nonterminating { lasso, .. } => Some(Evidence::Lasso(lasso.clone())),
        _ => None,
    };
    Ok(Some(fair::Outcome { verdict, evidence, ..outcome }))
}

impl WithSlots {
    /// The lasso of the program, if it is one.
    fn lift_lasso(&self, system: &Lowering, program: &Lowering, lasso: &Lasso) -> Endless {
        let unknown = |stop| Endless::Unknown { stop, completed: None };
        let (run, of) = match self.lift(system, program, &lasso.unrolled(1)) {
            Ok(lifted) => lifted,
            Err(stop) => return unknown(stop),
        };
        let stem = of.iter().filter(|&&step| step < lasso.stem.steps.len()).count();
        let mut steps = run.steps;
        let period = steps.split_off(stem);
        let stem = Trace { initial: run.initial, steps };
        let lasso = Lasso { stem, period, endless: lasso.endless };
        match recheck(program, &[], &Evidence::Lasso(lasso.clone())) {
            Ok(checked) => Endless::Nonterminating { lasso, checked },
            Err(refusal) => unknown(fault(refusal.to_string())),
        }
    }
}
