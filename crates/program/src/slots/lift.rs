//! # Back to started threads
//!
//! **Question.** A run of the program with slots: which run of the original is it?
//!
//! **Idea.** Each step of it is a step of a statement of the original, or one of a slot by itself, which is none. A slot
//! that is filled is the thread that is started then. The original follows step by step, with the one step function; where
//! several of its steps belong to one statement, that with the same shared variables after it is tried first.

use rustc_hash::FxHashSet;
use selvedge_model::{Action, Fault, State, System, ThreadId, step};

use super::{Filled, Slotted};
use crate::sequentialize::marks::Mark;
use crate::{Lowering, Value};

/// Why a run could not be lifted: it is none of the program with slots, or the original cannot say what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiftError {
    /// The original cannot follow the steps to their end.
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
                    "the program follows the schedule of its slots for {steps} steps, not to its end"
                )
            }
            LiftError::System(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for LiftError {}

impl From<Fault> for LiftError {
    fn from(fault: Fault) -> Self {
        LiftError::System(fault)
    }
}

/// A step of the original.
struct Lifted {
    /// Which step of the run with slots it is, counted from 0.
    number: usize,
    thread: ThreadId,
    /// Which step it is; the end of the thread if it is none of a statement.
    what: Option<Mark>,
    /// Whether a thread is started, and not dropped.
    starts: bool,
    /// The shared variables after it.
    after: Vec<Value>,
    /// Whether something has gone wrong then.
    wrong: bool,
}

/// A run of the original.
#[derive(Clone, Debug)]
pub struct LiftedRun {
    /// The state in which it starts.
    pub initial: State,
    /// The threads that act, and their actions.
    pub steps: Vec<(ThreadId, Action)>,
    /// For each step, which step of the run with slots it belongs to, counted from 0.
    pub of: Vec<usize>,
}

impl Slotted {
    /// The run of the original that a run of the program with slots is. The run is given by its states, one more than
    /// its steps.
    pub fn lift(
        &self,
        slotted: &Lowering,
        original: &Lowering,
        states: &[State],
        steps: &[(ThreadId, Action)],
    ) -> Result<LiftedRun, LiftError> {
        let wanted = self.lifted(slotted, original, states, steps);
        let first = states.first().map(|state| slotted.values_of(state.shared));
        let mut initial = original.initial()?;
        let count = original.code().shared.len();
        let begins = |state: &State| {
            let values = original.values_of(state.shared);
            first.as_ref().is_some_and(|first| first[..count] == values[..])
        };
        initial.sort_by_key(|state| !begins(state));
        let mut furthest = 0;
        for initial in initial {
            match follow(original, &self.steps, &initial, &wanted)? {
                Ok((steps, of)) => return Ok(LiftedRun { initial, steps, of }),
                Err(steps) => furthest = furthest.max(steps),
            }
        }
        Err(LiftError::NotFollowed { steps: furthest })
    }

    /// The steps of the original.
    fn lifted(
        &self,
        slotted: &Lowering,
        original: &Lowering,
        states: &[State],
        steps: &[(ThreadId, Action)],
    ) -> Vec<Lifted> {
        let declared = original.thread_count();
        let count = original.code().shared.len();
        // The thread that each slot is.
        let mut threads: Vec<Option<ThreadId>> = vec![None; self.slots as usize];
        let mut next = declared;
        let mut lifted = Vec::new();
        for (number, (&(thread, action), pair)) in steps.iter().zip(states.windows(2)).enumerate() {
            // A start that goes wrong starts nothing.
            let wrong = slotted.wrong(pair[1].shared).is_some();
            let filled = self.newly_filled(slotted, &pair[0], &pair[1]);
            let starts = filled.filter(|_| !wrong);
            if let Some(slot) = starts.and_then(|slot| threads.get_mut(slot)) {
                *slot = Some(ThreadId::from(next));
                next += 1;
            }
            let acting = match thread.index().checked_sub(declared) {
                None => Some(thread),
                Some(slot) => threads.get(slot).copied().flatten(),
            };
            let edges = slotted.edges_of(action.origin);
            let what = edges.iter().find_map(|edge| match self.meanings.get(edge.index()) {
                Some(&mark @ (Mark::Step(_) | Mark::End(_))) => Some(mark),
                _ => None,
            });
            let ends = self.ended.is_some_and(|ended| {
                let [before, after] = [0, 1].map(|i| slotted.values_of(pair[i].shared));
                let slots = slotted.global_slots(ended);
                before[slots.clone()] != after[slots]
            });
            if let Some(thread) = acting
                && (what.is_some() || ends)
            {
                let after = slotted.values_of(pair[1].shared)[..count].to_vec();
                let starts = starts.is_some();
                lifted.push(Lifted { number, thread, what, starts, after, wrong });
            }
        }
        lifted
    }

    /// The slot that a step fills.
    fn newly_filled(&self, slotted: &Lowering, before: &State, after: &State) -> Option<usize> {
        let changed = |id| {
            let [before, after] = [before, after].map(|s| slotted.global_value(s.shared, id));
            (before != after).then_some(before)
        };
        match &self.filled {
            Filled::Each(flags) => flags.iter().position(|&flag| changed(flag).is_some()),
            Filled::First(count) => usize::try_from(changed(*count)?.small()?).ok(),
            Filled::None => None,
        }
    }
}

/// The steps of a run of the original, and which steps with slots they belong to; or how many could be followed.
type Followed = Result<(Vec<(ThreadId, Action)>, Vec<usize>), usize>;

/// The next action of a thread and the state after it; no action if it has been taken already.
type Candidate = (Option<Action>, State);

/// Lets the original take these steps, one after the other.
fn follow(
    original: &Lowering,
    marks: &[Mark],
    initial: &State,
    wanted: &[Lifted],
) -> Result<Followed, Fault> {
    let mut seen: FxHashSet<(State, usize)> = FxHashSet::default();
    let mut furthest = 0;
    let mut way: Vec<Option<Action>> = Vec::new();
    let first = wanted.first();
    let mut open = vec![candidates(original, marks, initial, first)?];
    if first.is_none() {
        return Ok(Ok((Vec::new(), Vec::new())));
    }
    // Each step of the way, with the end of the thread that follows it where there is one.
    let mut ends: Vec<Option<Action>> = Vec::new();
    while let Some(here) = open.last_mut() {
        let Some((action, mut next)) = here.pop() else {
            open.pop();
            way.pop();
            ends.pop();
            continue;
        };
        let done = way.len() + 1;
        furthest = furthest.max(done);
        let thread = wanted[done - 1].thread;
        let end = end_of_thread(original, &mut next, thread)?;
        if !seen.insert((next.clone(), done)) {
            continue;
        }
        way.push(action);
        ends.push(end);
        if done == wanted.len() {
            let (mut steps, mut of) = (Vec::new(), Vec::new());
            for ((step, end), lifted) in way.into_iter().zip(ends).zip(wanted) {
                steps.extend(step.into_iter().chain(end).map(|action| (lifted.thread, action)));
                of.resize(steps.len(), lifted.number);
            }
            return Ok(Ok((steps, of)));
        }
        open.push(candidates(original, marks, &next, wanted.get(done))?);
    }
    Ok(Err(furthest))
}

/// What a thread can do that is a step; the best comes last.
fn candidates(
    original: &Lowering,
    marks: &[Mark],
    state: &State,
    wanted: Option<&Lifted>,
) -> Result<Vec<Candidate>, Fault> {
    let Some(wanted) = wanted else { return Ok(Vec::new()) };
    if wanted.thread.index() >= state.threads.len() {
        return Ok(Vec::new());
    }
    // A thread with results that nobody takes has ended with its last statement.
    if wanted.what.is_none() && state.threads[wanted.thread.index()].has_ended() {
        return Ok(vec![(None, state.clone())]);
    }
    let mut listed = step(original, state, wanted.thread)?;
    listed.retain(|(action, next)| {
        let first = original.edges_of(action.origin).first().copied();
        let what = first.and_then(|edge| marks.get(edge.index()).copied());
        what == wanted.what
            && action.spawn.is_some() == wanted.starts
            && original.wrong(next.shared).is_some() == wanted.wrong
    });
    let fits = |state: &State| original.values_of(state.shared)[..] == wanted.after[..];
    listed.reverse();
    listed.sort_by_key(|(_, next)| fits(next));
    Ok(listed.into_iter().map(|(action, next)| (Some(action), next)).collect())
}

/// Ends a thread whose procedure has left results that are never taken: no statement has that step.
fn end_of_thread(
    original: &Lowering,
    state: &mut State,
    thread: ThreadId,
) -> Result<Option<Action>, Fault> {
    if !original.is_between(state.shared) {
        return Ok(None);
    }
    let ends = step(original, state, thread)?;
    let end = ends.into_iter().find(|(action, _)| original.edges_of(action.origin).is_empty());
    Ok(end.map(|(action, next)| {
        *state = next;
        action
    }))
}
