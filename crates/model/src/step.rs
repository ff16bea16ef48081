//! # The step
//! The one definition of what a thread does to a state. Explorers keep states in other shapes
//! for speed, but what they add is bookkeeping; what a step *is* stands here.

use crate::{Action, Fault, State, System, Thread, ThreadId};

/// All steps of `thread` from `state`, as the system lists them.
pub fn step(
    system: &dyn System,
    state: &State,
    thread: ThreadId,
) -> Result<Vec<(Action, State)>, Fault> {
    let acting = &state.threads[thread.index()];
    let mut actions = Vec::new();
    system.actions(acting.template, state.shared, acting.stack.top(), &mut actions)?;
    Ok(actions.into_iter().map(|action| (action, step_with(state, thread, action))).collect())
}

/// The state after `thread` did `action`. That the action is enabled is the caller's word.
#[must_use]
pub fn step_with(state: &State, thread: ThreadId, action: Action) -> State {
    let mut next = state.clone();
    next.shared = action.shared;
    next.threads[thread.index()].stack.replace_top(action.word);
    if let Some(spawn) = action.spawn {
        let mut stack = crate::Stack::default();
        stack.replace_top(spawn.stack);
        next.threads.push(Thread { template: spawn.template, stack });
    }
    next
}
