//! # The step
//! The one definition of what a thread does to a state. Explorers keep states in other shapes
//! for speed, but what they add is bookkeeping; what a step *is* stands here.

use crate::{Action, Fault, Spawn, Stack, State, System, Thread, ThreadId};

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

/// Like [`step_with`], but in place: long runs with deep stacks are not copied at each step.
pub fn advance(state: &mut State, thread: ThreadId, action: Action) {
    state.shared = action.shared;
    state.threads[thread.index()].stack.replace_top(action.word);
    state.threads.extend(action.spawn.map(Thread::from));
}

/// Whether a thread of a state is none to speak of: it was started, not there from the beginning, and
/// has ended for good.
#[must_use]
pub fn is_forgotten(system: &dyn System, state: &State, thread: ThreadId) -> bool {
    let was_started = thread.index() >= system.threads().len();
    was_started && system.forgets_ended() && state.threads[thread.index()].has_ended()
}

/// A step after which the thread that it starts has the place of the first one that is forgotten, if there is one: so a program that
/// starts threads and waits for their ends, again and again, comes back to where it was. From its start to its end a thread stays in its
/// place, and only threads that were started change places.
pub fn advance_in_place(system: &dyn System, state: &mut State, thread: ThreadId, action: Action) {
    let place = state.thread_ids().find(|&id| is_forgotten(system, state, id));
    advance(state, thread, Action { spawn: None, ..action });
    let started = action.spawn.map(Thread::from);
    match (started, place) {
        (Some(started), Some(place)) => state.threads[place.index()] = started,
        (started, _) => state.threads.extend(started),
    }
}

/// Whether a run may begin in this state: an initial state of the system, followed by threads of
/// which there is any number.
pub fn is_initial(system: &dyn System, state: &State) -> Result<bool, Fault> {
    let fixed = system.threads().len();
    let any: Vec<Thread> = system.any_number().into_iter().map(Thread::from).collect();
    let (Some(first), Some(more)) = (state.threads.get(..fixed), state.threads.get(fixed..)) else {
        return Ok(false);
    };
    let begins = |s: &State| s.shared == state.shared && s.threads == first;
    Ok(more.iter().all(|thread| any.contains(thread)) && system.initial()?.iter().any(begins))
}

/// Makes the thread that is started.
impl From<Spawn> for Thread {
    fn from(spawn: Spawn) -> Self {
        let mut stack = Stack::default();
        stack.replace_top(spawn.stack);
        Thread { template: spawn.template, stack }
    }
}
