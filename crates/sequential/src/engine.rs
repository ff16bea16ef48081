//! # Answers
//!
//! [`check`] is the bounded question, for rounds. A program with one thread has all that it can do in one round, so that
//! there rounds can prove, too.

use selvedge_analysis::engine::{Event, Listener, Outcome, Proof, Verdict};
use selvedge_analysis::explore::Observation;
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_core::Loc;
use selvedge_evidence::{Evidence, Trace, Violation as Shown};
use selvedge_model::{Fault, Property, System};
use selvedge_program::Lowering;

use crate::focus::Focus;
use crate::lift::{Lifted, lost};
use crate::rounds::{Guesses, Options, Rounds};
use crate::summaries::Calls;
use selvedge_evidence::relations::Layout;

/// How many rounds are prepared for at first, by the layout of the diagrams: if rounds stand one
/// after the other, those that are not reached cost nothing.
fn first_rounds(layout: Layout) -> usize {
    match layout {
        Layout::ByVariable => 4,
        Layout::ByRound => 32,
    }
}

/// A question about a program under bounded rounds.
#[derive(Clone, Copy)]
pub struct RoundsQuestion<'a> {
    /// The program.
    pub program: &'a Lowering,
    /// The properties to check.
    pub properties: &'a [Property],
    /// Whether the outcome should carry its evidence.
    pub evidence: bool,
}

impl RoundsQuestion<'_> {
    /// Why rounds have no answer, if they have none.
    #[must_use]
    pub fn refusal(&self) -> Option<Fault> {
        let message = if !self.program.any_number().is_empty() {
            "rounds need a fixed set of threads, and of some there may be any number"
        } else if self.program.starts_threads() {
            "rounds need a fixed set of threads, and this program starts threads: use contexts"
        } else if self.properties.iter().any(|p| *p != Property::NeverWrong) {
            "summaries answer about assertions only, not about targets and deadlocks: use \
             `--engine auto`"
        } else {
            return None;
        };
        Some(Fault::new(message))
    }
}

/// Whether a violation is reachable within so many rounds.
pub fn check(
    asked: &RoundsQuestion<'_>,
    rounds: usize,
    options: Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    // With one thread there are no interfaces that would be smaller with fewer variables.
    let focus = match asked.program.thread_count() {
        1 => Ok(Focus::all(asked.program)),
        _ => Focus::chosen(asked.program),
    };
    check_focused(asked, rounds, options, focus, budget, tell)
}

/// Like `check`, but begins with these shared variables visible.
pub fn check_focused(
    asked: &RoundsQuestion<'_>,
    rounds: usize,
    options: Options,
    focus: crate::Result<Focus>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let engine = match options.guesses {
        Guesses::Lazy => "rounds-lazy",
        Guesses::Eager => "rounds-eager",
        Guesses::Near => "rounds-near",
    };
    let mut outcome = Outcome::new(engine, Verdict::Bounded { bound: Bound::rounds(rounds) });
    if let Some(fault) = asked.refusal() {
        outcome.verdict = Verdict::Unknown { stop: fault.into(), completed: None };
        return outcome;
    }
    let explored =
        focus.and_then(|focus| explore(asked, rounds, options, focus, budget, tell, &mut outcome));
    if let Err(stop) = explored {
        let completed = outcome.observations.last().map(|o| o.bound);
        outcome.verdict = Verdict::Unknown { stop, completed };
    }
    outcome
}

fn explore(
    asked: &RoundsQuestion<'_>,
    rounds: usize,
    options: Options,
    mut focus: Focus,
    budget: &Budget,
    tell: Listener<'_>,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    // One thread has its only context in the first round.
    let rounds = if asked.program.thread_count() == 1 { rounds.min(1) } else { rounds };
    // The diagrams are made for a number of rounds; more are prepared when they are needed.
    let layout = Layout::for_bits(focus.bits(asked.program), rounds);
    let mut prepared = rounds.clamp(1, first_rounds(layout));
    let mut engine = Rounds::focused(asked.program, prepared, options, &focus, budget)?;
    observe(&engine, outcome, tell);
    while engine.completed() < rounds {
        if engine.completed() == prepared {
            prepared = rounds.min(prepared.saturating_mul(2));
            engine = Rounds::focused(asked.program, prepared, options, &focus, budget)?;
        }
        let Some(violation) = engine.advance()? else {
            observe(&engine, outcome, tell);
            if engine.threads() == 1 {
                outcome.verdict = Verdict::Safe(Proof::Summaries);
                if asked.evidence {
                    outcome.evidence = certificate(asked, options, &focus, engine, budget);
                }
                return Ok(());
            }
            continue;
        };
        // A violation with variables hidden may have no run: lift it to the program.
        let trace = match engine.lift(&violation)? {
            Lifted::Run(trace) => trace,
            _ if focus.is_all() => return Err(lost()),
            Lifted::Broken { edges, places } => match guided(asked, &places, options, budget)? {
                Some(trace) => trace,
                None => {
                    focus.widen(asked.program, &edges)?;
                    engine = Rounds::focused(asked.program, prepared, options, &focus, budget)?;
                    continue;
                }
            },
        };
        seen(&engine, violation.rounds, outcome, tell);
        let property = asked.properties.iter().position(|p| *p == Property::NeverWrong);
        let property = property.unwrap_or(0);
        if asked.evidence {
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

/// The evidence for a proof; `None` if there is no time or memory left to write it down.
fn certificate<'a>(
    asked: &RoundsQuestion<'a>,
    options: Options,
    focus: &Focus,
    mut engine: Rounds<'a>,
    budget: &Budget,
) -> Option<Evidence> {
    // An eager exploration follows values that may never occur, so its relations prove nothing: explore again.
    if options.guesses == Guesses::Eager || options.calls == Calls::Eager {
        engine = Rounds::focused(asked.program, 1, Options::default(), focus, budget).ok()?;
        engine.advance().ok()?;
    }
    engine.certificate().ok().flatten().map(Evidence::Summaries)
}

/// A run that goes wrong, with interruptions at certain places only.
fn guided(
    asked: &RoundsQuestion<'_>,
    places: &[Vec<Loc>],
    options: Options,
    budget: &Budget,
) -> Result<Option<Trace>, Stop> {
    let mut engine = Rounds::guided(asked.program, places, options, budget)?;
    while engine.completed() < places.iter().map(Vec::len).max().unwrap_or(0) {
        if let Some(violation) = engine.advance()? {
            return engine.trace(&violation).map(Some);
        }
    }
    Ok(None)
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
