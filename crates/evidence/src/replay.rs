//! # Replay
//! Walks a trace with the one step function. Every step must be one that the system lists at
//! that state, with the same effect; the first that is not is named.

use std::fmt;

use selvedge_model::{Action, Fault, State, Stop, System, ThreadId, advance, enabled, is_initial};

use crate::watch::Watch;
use crate::{Trace, same_effect, thread_name};

/// Why a trace is no run of the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The step that cannot be taken, counted from 1; 0 is the first state.
    pub step: usize,
    /// The fault of the step.
    pub fault: ReplayFault,
}

/// Why a step of a trace cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayFault {
    /// The first state is not an initial state of the system.
    NotInitial,
    /// There is no thread of this number.
    NoSuchThread(usize),
    /// The thread of this name cannot do what the trace says.
    NotEnabled(String),
    /// The system cannot say what its actions are.
    System(Fault),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.step;
        match &self.fault {
            ReplayFault::NotInitial => f.write_str("the trace does not start in an initial state"),
            ReplayFault::NoSuchThread(n) => write!(f, "step {number}: there is no thread {n}"),
            ReplayFault::NotEnabled(name) => {
                write!(f, "step {number}: thread {name} cannot do this here")
            }
            ReplayFault::System(fault) => write!(f, "step {number}: {fault}"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The states that a trace visits, the first one included; or the first step that is not one.
/// Takes memory for all states: for long runs with deep stacks, see [`replay_with`].
pub fn replay(system: &dyn System, trace: &Trace) -> Result<Vec<State>, ReplayError> {
    let mut states = Vec::with_capacity(trace.steps.len() + 1);
    replay_with(system, trace, |state| states.push(state.clone()))?;
    Ok(states)
}

/// Shows each state that a trace visits, the first one included; stops at the first step that is
/// not one. Gives the last state.
pub fn replay_with(
    system: &dyn System,
    trace: &Trace,
    mut visit: impl FnMut(&State),
) -> Result<State, ReplayError> {
    let shown = |state: &State| {
        visit(state);
        Ok::<(), std::convert::Infallible>(())
    };
    match walk(system, trace, shown) {
        Ok(walked) => walked,
        Err(never) => match never {},
    }
}

/// The last state of a trace, or the first step that is not one; the check may end before.
pub(crate) fn replay_watched(
    system: &dyn System,
    trace: &Trace,
    watch: &Watch<'_>,
) -> Result<Result<State, ReplayError>, Stop> {
    walk(system, trace, |_| watch.spend(1))
}

/// Walks a trace, unless who is shown its states wants an end.
fn walk<E>(
    system: &dyn System,
    trace: &Trace,
    mut visit: impl FnMut(&State) -> Result<(), E>,
) -> Result<Result<State, ReplayError>, E> {
    let at = |step, fault| Ok(Err(ReplayError { step, fault }));
    match is_initial(system, &trace.initial) {
        Ok(true) => {}
        Ok(false) => return at(0, ReplayFault::NotInitial),
        Err(fault) => return at(0, ReplayFault::System(fault)),
    }
    let mut state = trace.initial.clone();
    visit(&state)?;
    for (index, (thread, action)) in trace.steps.iter().enumerate() {
        match listed(system, &state, *thread, action) {
            Ok(listed) => advance(&mut state, *thread, listed),
            Err(fault) => return at(index + 1, fault),
        }
        visit(&state)?;
    }
    Ok(Ok(state))
}

/// The action of a thread that the system lists at a state and that is the given one: itself, or one
/// with the same effect.
pub(crate) fn listed(
    system: &dyn System,
    state: &State,
    thread: ThreadId,
    action: &Action,
) -> Result<Action, ReplayFault> {
    if thread.index() >= state.threads.len() {
        return Err(ReplayFault::NoSuchThread(thread.index()));
    }
    let listed = enabled(system, state, thread).map_err(ReplayFault::System)?;
    let exact = listed.iter().find(|a| *a == action);
    let found = exact.or_else(|| listed.iter().find(|a| same_effect(a, action)));
    found.copied().ok_or_else(|| ReplayFault::NotEnabled(thread_name(system, state, thread)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fig1, run};
    use selvedge_model::{Origin, SharedId, ThreadId};

    #[test]
    fn a_run_replays_whatever_its_origins() {
        let system = fig1();
        let mut trace = run(&system, &[(0, 0), (1, 0), (1, 0)]);
        for (_, action) in &mut trace.steps {
            action.origin = Origin(99);
        }
        let states = replay(&system, &trace).unwrap();
        assert_eq!(states.len(), 4);
        assert_eq!(states[3].threads[1].stack.0.len(), 2);
    }

    #[test]
    fn what_is_no_run_is_refused() {
        let system = fig1();
        let good = run(&system, &[(0, 0), (1, 0)]);
        let refused = |change: fn(&mut Trace)| {
            let mut trace = good.clone();
            change(&mut trace);
            replay(&system, &trace).unwrap_err().to_string()
        };
        let not_initial = refused(|t| t.initial.shared = SharedId(3));
        assert_eq!(not_initial, "the trace does not start in an initial state");
        let no_thread = refused(|t| t.steps[1].0 = ThreadId(7));
        assert_eq!(no_thread, "step 2: there is no thread 7");
        let other_effect = refused(|t| t.steps[0].1.shared = SharedId(2));
        assert_eq!(other_effect, "step 1: thread T1 cannot do this here");
        let swapped = refused(|t| t.steps.swap(0, 1));
        assert_eq!(swapped, "step 1: thread T2 cannot do this here");
    }
}
