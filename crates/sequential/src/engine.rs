//! # Answers
//!
//! [`check`] is the bounded question, for rounds. [`verify`] asks the context engines, and after a
//! while lets rounds look for a violation beside them; a program with one thread has all that it
//! can do in one round, so that there rounds can prove, too.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::Duration;

use selvedge_analysis::engine::{self, Event, Listener, Outcome, Proof, Question, Verdict};
use selvedge_analysis::explore::Observation;
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_evidence::{Evidence, Violation as Shown};
use selvedge_model::{Fault, Property, System};
use selvedge_program::Lowering;

use crate::rounds::{Guesses, Options, Rounds};

/// How long the context engines are alone.
const HEAD_START: Duration = Duration::from_secs(1);

/// How often the engines are asked whether they have an answer.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How many rounds are prepared for at first, where no number is given.
const FIRST_ROUNDS: usize = 4;

/// What is asked of a program.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The program.
    pub program: &'a Lowering,
    /// What must not be reached.
    pub properties: &'a [Property],
    /// Whether the outcome should carry its evidence.
    pub evidence: bool,
}

impl Asked<'_> {
    /// Why rounds have no answer, if they have none.
    #[must_use]
    pub fn refusal(&self) -> Option<Fault> {
        let message = if self.program.starts_threads() {
            "rounds need a fixed set of threads, and this program starts threads: use contexts"
        } else if self.properties.iter().any(|p| *p != Property::NeverWrong) {
            "summaries answer about assertions only, not about targets and deadlocks: use \
             `--engine auto`"
        } else {
            return None;
        };
        Some(Fault { message: message.to_owned(), line: None })
    }
}

/// Whether a violation is reachable within so many rounds.
pub fn check(
    asked: &Asked<'_>,
    rounds: usize,
    options: Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let mut outcome = Outcome {
        verdict: Verdict::Bounded { bound: Bound::rounds(rounds) },
        engine: match options.guesses {
            Guesses::Lazy => "rounds-lazy",
            Guesses::Eager => "rounds-eager",
            Guesses::Near => "rounds-near",
        },
        observations: Vec::new(),
        cuts: Vec::new(),
        collapse: None,
        most_threads: None,
        evidence: None,
    };
    if let Some(fault) = asked.refusal() {
        outcome.verdict = Verdict::Unknown { stop: fault.into(), completed: None };
        return outcome;
    }
    if let Err(stop) = explore(asked, rounds, options, budget, tell, &mut outcome) {
        let completed = outcome.observations.last().map(|o| o.bound);
        outcome.verdict = Verdict::Unknown { stop, completed };
    }
    outcome
}

fn explore(
    asked: &Asked<'_>,
    rounds: usize,
    options: Options,
    budget: &Budget,
    tell: Listener<'_>,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    // The diagrams are made for a number of rounds; more are prepared when they are needed.
    let mut prepared = rounds.clamp(1, FIRST_ROUNDS);
    let mut engine = Rounds::new(asked.program, prepared, options, budget)?;
    observe(&engine, outcome, tell);
    while engine.completed() < rounds {
        if engine.completed() == prepared {
            prepared = rounds.min(prepared.saturating_mul(2));
            engine = Rounds::new(asked.program, prepared, options, budget)?;
        }
        let Some(violation) = engine.advance()? else {
            observe(&engine, outcome, tell);
            // One thread has its only context in the first round.
            if engine.threads() == 1 {
                outcome.verdict = Verdict::Safe(Proof::Summaries);
                return Ok(());
            }
            continue;
        };
        seen(&engine, violation.rounds, outcome, tell);
        let property = asked.properties.iter().position(|p| *p == Property::NeverWrong);
        let property = property.unwrap_or(0);
        let trace = engine.trace(&violation);
        if let (true, Ok(trace)) = (asked.evidence, &trace) {
            let contexts = trace.contexts();
            let shown = Shown { trace: trace.clone(), contexts, property };
            outcome.evidence = Some(Evidence::Violation(shown));
        }
        let bound = Bound::rounds(violation.rounds);
        outcome.verdict = Verdict::Unsafe { bound, property, trace };
        return Ok(());
    }
    Ok(())
}

/// Notes what a round has shown. Rounds do not count states, only the shared ones.
fn observe(engine: &Rounds<'_>, outcome: &mut Outcome, tell: Listener<'_>) {
    seen(engine, engine.completed(), outcome, tell);
}

fn seen(engine: &Rounds<'_>, rounds: usize, outcome: &mut Outcome, tell: Listener<'_>) {
    if outcome.observations.len() > rounds {
        return; // with fewer rounds prepared
    }
    outcome.observations.push(Observation {
        bound: Resource::Rounds.bound(rounds),
        states: None,
        new_states: None,
        visible: None,
        new_visible: None,
        new_stored: engine.space.bdds.live_nodes(),
    });
    if let Some(observation) = outcome.observations.last() {
        let stored = (engine.space.bdds.live_nodes(), engine.space.bdds.bytes());
        tell(Event::Bound { observation, stored });
    }
}

/// Whether a violation is reachable at all. The program is that of the question.
pub fn verify(
    program: &Lowering,
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let asked = Asked { program, properties: question.properties, evidence: question.evidence };
    let first = |budget: &Budget| engine::verify(question, budget, tell);
    if question.properties.is_empty() || asked.refusal().is_some() {
        return first(budget);
    }
    beside(first, |budget| find(&asked, budget), is_answer, budget)
}

/// Whether a violation is reachable within so many rounds, by whatever answers first.
pub fn check_any(
    program: &Lowering,
    question: &Question<'_>,
    rounds: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let asked = Asked { program, properties: question.properties, evidence: question.evidence };
    let first = |budget: &Budget| engine::check(question, Bound::rounds(rounds), budget, tell);
    if question.properties.is_empty() || asked.refusal().is_some() {
        return first(budget);
    }
    let second = |budget: &Budget| {
        let outcome = check(&asked, rounds, Options::default(), budget, &|_| {});
        is_answer(&outcome).then_some(outcome)
    };
    beside(first, second, is_answer, budget)
}

fn is_answer(outcome: &Outcome) -> bool {
    !matches!(outcome.verdict, Verdict::Unknown { .. } | Verdict::Unsafe { trace: Err(_), .. })
}

/// Looks for a violation with more and more rounds. None if that came to no end.
fn find(asked: &Asked<'_>, budget: &Budget) -> Option<Outcome> {
    let outcome = check(asked, usize::MAX, Options::default(), budget, &|_| {});
    is_answer(&outcome).then_some(outcome)
}

/// What one engine answers, or another one that begins a little later, if it is faster. The first
/// one always has an outcome; if neither knows, that is it.
pub(crate) fn beside<O: Send>(
    first: impl Fn(&Budget) -> O + Sync,
    second: impl FnOnce(&Budget) -> Option<O> + Send,
    is_answer: fn(&O) -> bool,
    budget: &Budget,
) -> O {
    let answered = Arc::new(AtomicBool::new(false));
    let mut shared = budget.clone();
    shared.cancelled.push(Arc::clone(&answered));
    let shared = &shared;
    let first = &first;
    thread::scope(|scope| {
        let (send, of_first) = mpsc::channel();
        scope.spawn(move || send.send(first(shared)).is_ok());
        if let Ok(outcome) = of_first.recv_timeout(HEAD_START) {
            return outcome;
        }
        let (send, of_second) = mpsc::channel();
        scope.spawn(move || send.send(second(shared)).is_ok());
        let mut unknown = None;
        let outcome = loop {
            match of_first.recv_timeout(LOOK_EVERY) {
                Ok(outcome) if is_answer(&outcome) => break outcome,
                Ok(outcome) => unknown = Some(outcome),
                Err(_) => {}
            }
            match (of_second.try_recv(), unknown.take()) {
                (Ok(Some(outcome)), _) => break outcome,
                // The second one has given up, or was ended together with the first one.
                (Ok(None) | Err(TryRecvError::Disconnected), Some(outcome)) => break outcome,
                (_, waiting) => unknown = waiting,
            }
        };
        answered.store(true, Ordering::Relaxed);
        outcome
    })
}
