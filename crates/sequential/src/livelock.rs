//! # Livelocks in rounds
//!
//! **Question.** Has a program an endless run, as fair as it is asked for, in which a stem of rounds
//! is followed by rounds that repeat themselves?
//!
//! **Idea.** A program with one thread goes wrong exactly if there is one
//! ([`selvedge_program::sequentialize::livelock`]); its summaries say whether it does. A run that
//! goes wrong is taken apart into the steps of the original; the original follows them with the one
//! step function, and `recheck` says whether they can be repeated for ever.
//!
//! **Claim** [Atig, Bouajjani, Emmi, Lal 2012, Lemma 5]. Exact for the rounds that are asked for, but for
//! threads that wait where no condition says so. Each thread is looked at by itself, so that the cost
//! is no product over threads.
//!
//! **Needs.** Threads that are there from the start, and types with finitely many values.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::{Evidence, Lasso, Trace, recheck, replay};
use selvedge_model::{Action, Endless, Fault, State, System, ThreadId};
use selvedge_program::sequentialize::{LiftedStep, NotSequential, Sequential, livelock};
use selvedge_program::{Lowering, Source, ThreadCounts, Value};

use crate::Result;
use crate::rounds::{Guesses, Options, Rounds};

pub use selvedge_program::sequentialize::Bounds;

/// What is asked of a program.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The program, with values chosen at once and no thread dropped.
    pub program: &'a Lowering,
    /// The numbers of threads that were given.
    pub counts: &'a ThreadCounts,
    /// Which endless runs are meant.
    pub endless: Endless,
}

/// A lasso within so many rounds; none if there is none.
pub fn find(asked: &Asked<'_>, bounds: Bounds, budget: &Budget) -> Result<Option<Lasso>> {
    let made = livelock(asked.program.program(), asked.counts, bounds, asked.endless);
    let sequential = made.map_err(|why| refused(asked.program, &why))?;
    let program = Arc::new(sequential.program.clone());
    let lowered = Lowering::new(program, Arc::new(Source::default()), &ThreadCounts::new());
    let lowered = lowered.map_err(|why| fault(why.to_string()))?;
    // One thread has one round, and no contexts before to remember.
    let options = Options { guesses: Guesses::Near, ..Options::default() };
    let mut rounds = Rounds::new(&lowered, 1, options, budget)?;
    let Some(violation) = rounds.advance()? else { return Ok(None) };
    let trace = rounds.trace(&violation)?;
    let steps = lift(&sequential, &lowered, &trace)?;
    follow(asked, &sequential, &steps, budget).map(Some)
}

/// Bounds to try one after the other, without end: K1 + K2 = 2, 3, …, short periods first.
pub fn all_bounds() -> impl Iterator<Item = Bounds> {
    (2u32..).flat_map(|k| (1..k).map(move |lasso| Bounds { stem: k - lasso, lasso }))
}

fn lift(sequential: &Sequential, lowered: &Lowering, trace: &Trace) -> Result<Vec<LiftedStep>> {
    let states = replay(lowered, trace).map_err(|why| fault(why.to_string()))?;
    let shared = states.iter().map(|state| state.shared);
    let run = shared.zip(trace.steps.iter().map(|(_, action)| action.origin));
    Ok(sequential.lift(lowered, run))
}

/// Follows lifted steps in the original.
fn follow(
    asked: &Asked<'_>,
    sequential: &Sequential,
    steps: &[LiftedStep],
    budget: &Budget,
) -> Result<Lasso> {
    let cut = steps.iter().position(|step| step.round > sequential.stem_rounds());
    let (stem, period) = steps.split_at(cut.unwrap_or(steps.len()));
    let follower = Follower { asked, sequential, budget };
    // The period ends as it began.
    let first = period.first().map(|step| step.before.as_slice());
    let mut known = FxHashSet::default();
    for initial in asked.program.initial()? {
        let begins = steps.first().map(|step| step.before.as_slice());
        if !begins.is_none_or(|values| agrees(asked.program, &initial, values)) {
            continue;
        }
        let found =
            follower.search(initial.clone(), stem, first, &mut known, &mut |way, state| {
                let trace = Trace { initial: initial.clone(), steps: way.to_vec() };
                let mut within = FxHashSet::default();
                follower.search(state.clone(), period, first, &mut within, &mut |way, _| {
                    let (stem, period) = (trace.clone(), way.to_vec());
                    let lasso = Lasso { stem, period, endless: asked.endless };
                    let evidence = Evidence::Lasso(lasso);
                    match (recheck(asked.program, &[], &evidence), evidence) {
                        (Ok(_), Evidence::Lasso(lasso)) => Ok(Some(lasso)),
                        _ => Ok(None),
                    }
                })
            })?;
        if let Some(lasso) = found {
            return Ok(lasso);
        }
    }
    Err(fault("a lasso that was found cannot be followed: please report this as a bug".to_owned()))
}

struct Follower<'a> {
    asked: &'a Asked<'a>,
    sequential: &'a Sequential,
    budget: &'a Budget,
}

type Way = Vec<(ThreadId, Action)>;

impl Follower<'_> {
    /// Tries the ways to take some steps from a state, until one is accepted at its end, where the
    /// shared variables have the last values. Nothing is tried twice from the same state.
    fn search(
        &self,
        state: State,
        steps: &[LiftedStep],
        last: Option<&[Value]>,
        seen: &mut FxHashSet<(State, usize)>,
        accept: &mut dyn FnMut(&Way, &State) -> Result<Option<Lasso>>,
    ) -> Result<Option<Lasso>> {
        let original = self.asked.program;
        let mut way: Way = Vec::new();
        let mut open: Vec<Vec<(Action, State)>> = Vec::new();
        let mut now = state;
        loop {
            self.budget.check()?;
            let done = way.len();
            let wanted = steps.get(done);
            let expected = wanted.map(|step| step.before.as_slice()).or(last);
            let fits = expected.is_none_or(|values| agrees(original, &now, values));
            let mut ways = Vec::new();
            if fits && original.wrong(now.shared).is_none() && seen.insert((now.clone(), done)) {
                match wanted {
                    Some(step) => ways = self.sequential.ways(original, &now, step)?,
                    None => {
                        if let Some(lasso) = accept(&way, &now)? {
                            return Ok(Some(lasso));
                        }
                    }
                }
            }
            open.push(ways);
            loop {
                let Some(ways) = open.last_mut() else { return Ok(None) };
                match ways.pop() {
                    Some((action, next)) => {
                        let thread = steps[open.len() - 1].thread;
                        way.truncate(open.len() - 1);
                        way.push((thread, action));
                        now = next;
                        break;
                    }
                    None => drop(open.pop()),
                }
            }
        }
    }
}

/// Whether the shared variables of a state have these values, as far as they are known.
fn agrees(program: &Lowering, state: &State, values: &[Value]) -> bool {
    let now = program.values_of(state.shared);
    now.iter().zip(values).all(|(now, known)| *known == Value::Open || now == known)
}

fn fault(message: String) -> Stop {
    Stop::Fault(Fault { message, line: None })
}

/// Why rounds have no answer.
fn refused(program: &Lowering, why: &NotSequential) -> Stop {
    let line = match why {
        NotSequential::At { span, .. } if span.start != span.end => {
            Some(program.source().line(span.start))
        }
        _ => None,
    };
    Stop::Fault(Fault { message: why.to_string(), line })
}
