//! # Back to the original
//!
//! **Question.** A run of the sequential program goes wrong. Which schedule of the original does?
//!
//! **Idea.** Each edge of the sequential program knows which step of the original it takes, if any;
//! the state tells the round, and the calls in `main` tell the thread. Sorted by round and thread,
//! the steps are a schedule: in each round, each thread sees what the threads before it left, since
//! the guesses were confirmed. The original then follows it, with the one step function, until it
//! goes wrong.
//!
//! A step is a statement, not an outcome: values that were chosen, and the ways through an atomic
//! section, are found again by trying. That ends where the original goes wrong, which may be earlier
//! than in the sequential run.

use rustc_hash::FxHashSet;
use selvedge_model::{Action, Fault, Origin, SharedId, State, System, ThreadId, step};

use super::Sequential;
use super::marks::Mark;
use crate::flow::{Command, Edge, EdgeId, Flow};
use crate::{Lowering, Value};

/// The step of the original that an edge of the sequential program stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Nothing,
    /// The thread with this number begins.
    Thread(u32),
    /// The thread takes this step.
    Step(Mark),
}

impl Meaning {
    pub(super) fn of(edge: &Edge) -> Meaning {
        match (Mark::of(edge.span), &edge.command) {
            (mark @ (Mark::Step(_) | Mark::End(_)), _) => Meaning::Step(mark),
            (Mark::Begin(n), Command::Test { holds: false, .. }) => Meaning::Step(Mark::Step(n)),
            (Mark::Thread(n), Command::Call { .. }) => Meaning::Thread(n),
            _ => Meaning::Nothing,
        }
    }
}

/// The step of the original that starts with an edge, and whether it is one: a step may start
/// anywhere but inside of an atomic section.
pub(super) fn first_steps(flow: &Flow) -> Vec<Mark> {
    flow.edges.iter().map(|edge| Mark::of(edge.span)).collect()
}

/// A step of the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiftedStep {
    /// The round, counted from 1.
    pub round: u32,
    /// The thread that takes the step.
    pub thread: ThreadId,
    /// The shared variables before it, slot by slot; open where they are not known.
    pub before: Vec<Value>,
    /// The statement of the step.
    what: Mark,
}

/// Why a run could not be lifted. It is a mistake of the reduction, or a run that is not one of
/// the sequential program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiftError {
    /// The original cannot follow the lifted steps to where something goes wrong.
    NotFollowed {
        /// The number of steps that it can follow.
        steps: usize,
    },
    /// The original cannot say what its actions are.
    System(Fault),
}

impl std::fmt::Display for LiftError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LiftError::NotFollowed { steps } => {
                write!(
                    f,
                    "the program follows the lifted schedule for {steps} steps, not to its end"
                )
            }
            LiftError::System(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for LiftError {}

impl Sequential {
    /// The steps of the original in a run of the sequential program, in the order of the original:
    /// by round, then by thread. A run is given by the shared state before each step and where the
    /// step comes from; `lowering` is the sequential program, lowered.
    #[must_use]
    pub fn lift(
        &self,
        lowering: &Lowering,
        run: impl IntoIterator<Item = (SharedId, Origin)>,
    ) -> Vec<LiftedStep> {
        let mut thread = ThreadId(0);
        let mut steps = Vec::new();
        for (before, origin) in run {
            // A thread that was left returns from its calls; in the original it never does.
            let stopped = lowering.global_value(before, self.stopped).is_true();
            for EdgeId(edge) in lowering.edges_of(origin) {
                match self.meanings.get(edge as usize) {
                    Some(Meaning::Thread(n)) => thread = ThreadId(*n),
                    Some(Meaning::Step(what)) if !stopped => {
                        let round = self.round.map(|id| lowering.global_value(before, id));
                        let round = round.as_ref().and_then(Value::small).unwrap_or(0);
                        let round = u32::try_from(round).unwrap_or(0);
                        let values = lowering.values_of(before);
                        let again = self.again(lowering, before, round);
                        for round in [Some(round), again].into_iter().flatten() {
                            let before = self.copies(&values, round);
                            let (round, what) = (round + 1, *what);
                            steps.push(LiftedStep { round, thread, before, what });
                        }
                    }
                    _ => {}
                }
            }
        }
        steps.sort_by_key(|step| (step.round, step.thread));
        steps
    }

    /// The round in which a thread does the same again.
    fn again(&self, lowering: &Lowering, state: SharedId, round: u32) -> Option<u32> {
        let (bounds, from) = self.lasso?;
        let from = lowering.global_value(state, from?).small()?;
        let is_both = i64::from(round) >= from && round < bounds.stem_rounds();
        is_both.then_some(round + bounds.lasso)
    }

    /// The values of the shared variables of the original in a round.
    fn copies(&self, values: &[Value], round: u32) -> Vec<Value> {
        let of = |&(first, count, is_copied): &(usize, usize, bool)| {
            let first = if is_copied { first + round as usize * count } else { first };
            values.get(first..first + count).unwrap_or_default()
        };
        self.slots.iter().flat_map(of).cloned().collect()
    }

    /// How many rounds come before those that are repeated, for a livelock.
    #[must_use]
    pub fn stem_rounds(&self) -> u32 {
        self.lasso.map_or(self.rounds, |(bounds, _)| bounds.stem_rounds())
    }

    /// Follows lifted steps in the original, lowered, until something goes wrong.
    pub fn follow(
        &self,
        original: &Lowering,
        steps: &[LiftedStep],
    ) -> Result<(State, Vec<(ThreadId, Action)>), LiftError> {
        let initial = original.initial().map_err(LiftError::System)?;
        let mut furthest = 0;
        for first in initial {
            let mut seen: FxHashSet<(State, usize)> = FxHashSet::default();
            // The way to where we are: what can still be tried there, and what was done.
            let mut open = vec![self.candidates(original, &first, steps)?];
            let mut way: Vec<(ThreadId, Action)> = Vec::new();
            while let Some(candidates) = open.last_mut() {
                let Some((action, next)) = candidates.pop() else {
                    open.pop();
                    way.pop();
                    continue;
                };
                let thread = steps[way.len()].thread;
                if original.wrong(next.shared).is_some() {
                    way.push((thread, action));
                    return Ok((first, way));
                }
                let done = way.len() + 1;
                furthest = furthest.max(done);
                if seen.insert((next.clone(), done)) {
                    way.push((thread, action));
                    open.push(self.candidates(original, &next, &steps[done..])?);
                }
            }
        }
        Err(LiftError::NotFollowed { steps: furthest })
    }

    /// The actions of the thread of the first of these steps that are that step.
    fn candidates(
        &self,
        original: &Lowering,
        state: &State,
        steps: &[LiftedStep],
    ) -> Result<Vec<(Action, State)>, LiftError> {
        match steps.first() {
            Some(wanted) => self.ways(original, state, wanted).map_err(LiftError::System),
            None => Ok(Vec::new()),
        }
    }

    /// What the thread of a lifted step can do in a state of the original that is this step; the
    /// first one comes last.
    pub fn ways(
        &self,
        original: &Lowering,
        state: &State,
        wanted: &LiftedStep,
    ) -> Result<Vec<(Action, State)>, Fault> {
        let mut listed = step(original, state, wanted.thread)?;
        listed.retain(|(action, _)| {
            let edges = original.edges_of(action.origin);
            let first = edges.first().and_then(|edge| self.first_steps.get(edge.index()));
            first == Some(&wanted.what)
        });
        listed.reverse();
        Ok(listed)
    }
}
