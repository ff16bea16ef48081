//! # Fair termination
//!
//! **Question.** Is there a run that never ends, and is fair? See [`Endless`] for what counts.
//!
//! **Idea.** All states and the steps between them are one graph (`graph`). A run that never ends
//! stays from some point on in one strongly connected part of it. Fairness is a list of Streett
//! conditions: *if this is asked for infinitely often, it happens infinitely often*. A part that
//! breaks a condition loses the states (or steps) that ask, and falls apart into smaller ones
//! (`streett`) [Emerson, Lei 1987]. Either a part is left that meets all conditions, and a cycle
//! through it is a lasso (`cycle`); or nothing is left, and the order in which the parts fell apart
//! is a proof ([`FairTermination`]).
//!
//! **Claims.** Every lasso is one by [`selvedge_evidence::recheck`], which is asked before the
//! answer is given. If the graph is complete, the answer is complete, too.
//!
//! **Needs.** For a proof, finitely many states. Lassos are looked for all along, so that one may be
//! found although the states have no end; where stacks grow, in a second graph, in which calls may
//! forget what lies under them (`graph`). Started threads that have ended are forgotten, unless a run counts only if none has. A system in which nothing is dropped and values are chosen
//! at once, since who can act matters.

mod contexts;
mod cycle;
mod graph;
mod rounds;
mod streett;

use selvedge_evidence::{Checked, Evidence, FairTermination, Lasso, recheck};
use selvedge_model::{Endless, Fairness, Fault, System};

use crate::{Budget, Stop};
use graph::{FEW_STATES, Graph};
pub use rounds::{Within, within};
use streett::Emptiness;

/// The question whether a system has an endless run of some kind.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The system, with all threads, and values chosen at once.
    pub system: &'a dyn System,
    /// The fairness that a run must satisfy, and whether threads may have ended in it.
    pub endless: Endless,
    /// Whether a proof should be written down, which can be large.
    pub evidence: bool,
}

/// The result of a search for endless runs.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether there is such a run.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// The number of states that were explored; `None` for engines that do not list states.
    pub states: Option<usize>,
    /// What the answer rests on: the lasso; the proof, if it was asked for.
    pub evidence: Option<Evidence>,
}

impl crate::engine::Reply for Outcome {
    fn is_answer(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown { .. })
    }
}

/// Whether a system has an endless run of the kind that was asked for.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// There is such a run.
    Nonterminating {
        /// The periodic run: a stem, then a cycle that repeats for ever.
        lasso: Lasso,
        /// The result of rechecking the lasso.
        checked: Checked,
    },
    /// There is none: every run that counts comes to an end.
    Terminating {
        /// A run that goes on for ever while threads have ended, if there is one, and such runs do
        /// not count.
        with_ended: Option<Lasso>,
    },
    /// There is no such run that is periodic within a bound. Not a proof.
    Bounded(Rounds),
    /// The search ended without an answer.
    Unknown {
        /// Why the search ended before it had an answer.
        stop: Stop,
        /// The largest bound within which there is no such run.
        completed: Option<Rounds>,
    },
}

/// A bound on periodic runs: rounds of all threads before the period, and in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rounds {
    /// Rounds of the stem.
    pub stem: usize,
    /// Rounds of the period.
    pub lasso: usize,
}

/// Progress that an engine reports while it runs.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// How far the search over states has come.
    States {
        /// States that were found so far.
        found: usize,
        /// States whose successors were computed.
        followed: usize,
    },
    /// There is no run within this bound.
    Rounds(Rounds),
}

/// A callback for progress events.
pub type Listener<'a> = &'a (dyn Fn(Event) + Sync);

/// The name of the engine that looks at every state.
const ENGINE: &str = "fair-cycles";

/// Lassos are looked for when so many states have been followed, and again whenever there are this
/// many times as many.
const FIRST_LOOK: usize = 1 << 10;
const NEXT_LOOK: usize = 4;

/// Where a stack is higher than this and there is no end of states yet, runs are looked for in which
/// stacks grow for ever: first with stacks of this height, then with higher ones.
const FIRST_HEIGHT: usize = 4;

/// Where single stacks have got too high, no more states than this are looked at in that way.
const MOST_WITH_HIGH_STACKS: usize = 1 << 22;

/// The answer, from all states that can be reached.
pub fn search(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    search_in_waves(question, FEW_STATES, budget, tell)
}

/// Like [`search`], but follows states in waves once there are `from` of them. The number of workers does not change the answer.
pub fn search_in_waves(
    question: &Question<'_>,
    from: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let mut states = None;
    let found = look(question, from, budget, tell, &mut states);
    let (verdict, evidence) =
        found.unwrap_or_else(|stop| (Verdict::Unknown { stop, completed: None }, None));
    Outcome { verdict, engine: ENGINE, states, evidence }
}

type Shown = (Verdict, Option<Evidence>);

fn look(
    question: &Question<'_>,
    waves_from: usize,
    budget: &Budget,
    tell: Listener<'_>,
    states: &mut Option<usize>,
) -> Result<Shown, Stop> {
    let Question { system, endless, evidence } = *question;
    if system.drops_threads() {
        let message = "whether a run is fair is not known where threads were dropped";
        return Err(Fault::new(message).into());
    }
    let mut graph = Graph::new(system, endless)?.with_waves_from(waves_from);
    let mut next_look = FIRST_LOOK;
    let mut highest = FIRST_HEIGHT;
    loop {
        let more = graph.expand(next_look, budget);
        *states = Some(graph.states());
        tell(Event::States { found: graph.states(), followed: graph.followed() });
        if more != Ok(false) && graph.tallest() > FIRST_HEIGHT {
            let growing = Graph::forgetting(system, endless, highest)?;
            let mut growing = growing.with_waves_from(waves_from);
            growing.expand(next_look, budget)?;
            let found = streett::search(&growing, endless, false, budget)?;
            if let Emptiness::Part(part) = found {
                *states = Some(graph.states() + growing.states());
                let lasso = cycle::lasso(&growing, &part, endless, budget)?;
                return nonterminating(system, lasso);
            }
            highest = highest.saturating_mul(2);
            if more == Err(Stop::HighStack) && next_look < MOST_WITH_HIGH_STACKS {
                next_look = next_look.saturating_mul(NEXT_LOOK);
                continue;
            }
        }
        let complete = !more?;
        let found = streett::search(&graph, endless, complete && evidence, budget)?;
        match found {
            Emptiness::Part(part) => {
                let lasso = cycle::lasso(&graph, &part, endless, budget)?;
                return nonterminating(system, lasso);
            }
            Emptiness::Nothing(levels) if complete => {
                let states = |levels: Vec<_>| {
                    let states = (0..).zip(levels);
                    states.map(|(number, levels)| (graph.state(number), levels)).collect()
                };
                let proof =
                    levels.map(|levels| FairTermination { endless, states: states(levels) });
                let with_ended = with_ended(&graph, endless, budget);
                return Ok((Verdict::Terminating { with_ended }, proof.map(Evidence::Termination)));
            }
            Emptiness::Nothing(_) => next_look = next_look.saturating_mul(NEXT_LOOK),
        }
    }
}

/// The answer that a lasso is. One that the check refuses is a mistake of the search.
fn nonterminating(system: &dyn System, lasso: Lasso) -> Result<Shown, Stop> {
    let evidence = Evidence::Lasso(lasso.clone());
    match recheck(system, &[], &evidence) {
        Ok(checked) => Ok((Verdict::Nonterminating { lasso, checked }, Some(evidence))),
        Err(refusal) => {
            let message = format!("a lasso was found and is none (a bug in Selvedge): {refusal}");
            Err(Fault::new(message).into())
        }
    }
}

/// A run that goes on for ever while threads have ended, if that was not what was asked for.
fn with_ended(graph: &Graph<'_>, endless: Endless, budget: &Budget) -> Option<Lasso> {
    if endless.ended || endless.fairness == Fairness::None {
        return None;
    }
    let endless = Endless { ended: true, ..endless };
    match streett::search(graph, endless, false, budget) {
        Ok(Emptiness::Part(part)) => cycle::lasso(graph, &part, endless, budget).ok(),
        _ => None,
    }
}
