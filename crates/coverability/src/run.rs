//! # From elements to a run
//! The initial state covers the first element; each step leads to a state that covers the next one,
//! whichever of the threads with the right local state takes it. Where the thread that acted last
//! can, it does.

use selvedge_evidence::Trace;
use selvedge_model::{Fault, Property, Stack, State, System, Thread, ThreadId, advance};

use crate::backward::{Backward, Found};
use crate::{Answer, fault};

/// The run of a violation that was found.
pub(crate) fn run(
    system: &dyn System,
    properties: &[Property],
    search: &Backward<'_>,
    found: Found,
) -> Result<Answer, Fault> {
    let lost = || fault("the run of a violation cannot be made: this is a mistake in Selvedge");
    let initial = first_state(system, search, &found)?.ok_or_else(lost)?;
    let mut state = initial.clone();
    let mut trace = Trace::start(initial);
    let mut node = &search.nodes[found.node as usize];
    let mut last = None;
    while let Some((next, step)) = node.next {
        let step = &search.modular.transitions[step as usize];
        let kinds = &search.modular.kinds;
        let acts = |thread: &Thread| kinds.find(thread) == Some(step.actor);
        let same = last.filter(|&id: &ThreadId| acts(&state.threads[id.index()]));
        let other = || state.thread_ids().find(|id| acts(&state.threads[id.index()]));
        let thread = same.or_else(other).ok_or_else(lost)?;
        advance(&mut state, thread, step.action);
        trace.steps.push((thread, step.action));
        last = Some(thread);
        node = &search.nodes[next as usize];
    }
    let property = Property::first_broken(properties, system, &state)?.ok_or_else(lost)?;
    Ok(Answer::Unsafe { threads: state.threads.len(), trace, property })
}

/// The initial state that covers the first element, with the threads that it needs.
fn first_state(
    system: &dyn System,
    search: &Backward<'_>,
    found: &Found,
) -> Result<Option<State>, Fault> {
    let modular = search.modular;
    let (place, wanted) = &modular.initial[found.initial];
    let is_meant = |state: &State| {
        let kinds = state.threads.iter().map(|thread| modular.kinds.find(thread));
        let mut kinds: Vec<Option<u32>> = kinds.collect();
        kinds.sort_unstable();
        state.shared == modular.places[*place as usize].shared
            && kinds.iter().copied().eq(wanted.iter().copied().map(Some))
    };
    let Some(mut state) = system.initial()?.into_iter().find(is_meant) else { return Ok(None) };
    for &kind in &found.more {
        let stack: Stack = modular.kinds.stack(kind).clone();
        state.threads.push(Thread { template: modular.kinds.template(kind), stack });
    }
    Ok(Some(state))
}
