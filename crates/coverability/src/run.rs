//! # From elements to a run
//! The initial state covers the first element; each step leads to a state that covers the next one,
//! whichever of the threads with the right local state takes it. Where the thread that acted last
//! can, it does.
//!
//! Where stacks are cut, a pop may uncover another symbol than the one that was guessed. Then the run cannot
//! be followed to its end, and shows nothing.

use selvedge_evidence::Trace;
use selvedge_model::{Fault, Property, State, System, Thread, ThreadId, advance};

use crate::backward::{Backward, CoveredElement};
use crate::{Decision, fault};

/// The run of a violation that was found; `None` if whole stacks do not follow it.
pub(crate) fn run(
    system: &dyn System,
    properties: &[Property],
    search: &Backward<'_>,
    found: &CoveredElement,
) -> Result<Option<Decision>, Fault> {
    let lost = || fault("the run of a violation cannot be made: this is a mistake in Selvedge");
    let is_cut = search.modular.kinds.depth().is_some();
    let initial = first_state(system, search, found)?.ok_or_else(lost)?;
    let mut state = initial.clone();
    let mut trace = Trace::start(initial);
    let mut node = &search.nodes[found.node as usize];
    let mut last = None;
    while let Some((next, step)) = node.next {
        let step = &search.modular.transitions[step as usize];
        let kinds = &search.modular.kinds;
        let acts = |thread: &Thread| kinds.find(thread.template, &thread.stack) == Some(step.actor);
        let same = last.filter(|&id: &ThreadId| acts(&state.threads[id.index()]));
        let other = || state.thread_ids().find(|id| acts(&state.threads[id.index()]));
        let thread = match same.or_else(other) {
            Some(thread) => thread,
            None if is_cut => return Ok(None),
            None => return Err(lost()),
        };
        advance(&mut state, thread, step.action);
        trace.steps.push((thread, step.action));
        last = Some(thread);
        node = &search.nodes[next as usize];
    }
    match Property::first_broken(properties, system, &state)? {
        Some(property) => {
            Ok(Some(Decision::Unsafe { threads: state.threads.len(), trace, property }))
        }
        None if is_cut => Ok(None),
        None => Err(lost()),
    }
}

/// The initial state that covers the first element, with the threads that it needs.
fn first_state(
    system: &dyn System,
    search: &Backward<'_>,
    found: &CoveredElement,
) -> Result<Option<State>, Fault> {
    let modular = search.modular;
    let (place, wanted) = &modular.initial[found.initial];
    let is_meant = |state: &State| {
        let kinds = state.threads.iter();
        let kinds = kinds.map(|thread| modular.kinds.find(thread.template, &thread.stack));
        let mut kinds: Vec<Option<u32>> = kinds.collect();
        kinds.sort_unstable();
        state.shared == modular.places[*place as usize].shared
            && kinds.iter().copied().eq(wanted.iter().copied().map(Some))
    };
    let Some(mut state) = system.initial()?.into_iter().find(is_meant) else { return Ok(None) };
    let any: Vec<Thread> = system.any_number().into_iter().map(Thread::from).collect();
    for &kind in &found.more {
        let is_meant =
            |thread: &&Thread| modular.kinds.find(thread.template, &thread.stack) == Some(kind);
        let Some(thread) = any.iter().find(is_meant) else { return Ok(None) };
        state.threads.push(thread.clone());
    }
    // Threads of one kind stand together, as in a schedule.
    let order = |thread: &Thread| any.iter().position(|other| other == thread);
    state.threads[system.threads().len()..].sort_by_key(order);
    Ok(Some(state))
}
