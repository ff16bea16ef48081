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
    let actions = enabled(system, state, thread)?;
    Ok(actions.into_iter().map(|action| (action, step_with(state, thread, action))).collect())
}

/// What `thread` can do at `state`, as the system lists it, without the states that follow.
pub fn enabled(system: &dyn System, state: &State, thread: ThreadId) -> Result<Vec<Action>, Fault> {
    let acting = &state.threads[thread.index()];
    let mut actions = Vec::new();
    system.actions(acting.template, state.shared, acting.stack.top(), &mut actions)?;
    Ok(actions)
}

/// The state after `thread` did `action`. That the action is enabled is the caller's word.
#[must_use]
pub fn step_with(state: &State, thread: ThreadId, action: Action) -> State {
    let mut next = state.clone();
    advance(&mut next, thread, action);
    next
}

/// The same in place: long runs with deep stacks are not copied step by step.
pub fn advance(state: &mut State, thread: ThreadId, action: Action) {
    state.shared = action.shared;
    state.threads[thread.index()].stack.replace_top(action.word);
    if let Some(spawn) = action.spawn {
        let mut stack = crate::Stack::default();
        stack.replace_top(spawn.stack);
        state.threads.push(Thread { template: spawn.template, stack });
    }
}
