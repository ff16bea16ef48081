//! # Threads in their places
//!
//! **Question.** A search that counts interchangeable threads finds a run to *some* arrangement of
//! what a property forbids. Which run leads to the arrangement that the property names?
//!
//! **Idea.** The same run with the threads renamed: threads of one class start alike, so that the
//! initial state stays what it is.

use selvedge_evidence::Trace;
use selvedge_model::{Fault, Pattern, Property, SharedId, StackPattern, State, System, ThreadId};

use super::Classes;

/// The run with threads renamed within their classes, so that its last state, given as it is
/// before, breaks one of the properties. `None` if no renaming does that.
pub(super) fn put_in_place(
    system: &dyn System,
    trace: Trace,
    last: &State,
    properties: &[Property],
    classes: &Classes,
) -> Result<Option<Trace>, Fault> {
    if Property::first_broken(properties, system, last)?.is_some() {
        return Ok(Some(trace));
    }
    let is_here = |shared: &Option<SharedId>| shared.is_none_or(|wanted| wanted == last.shared);
    let places = properties.iter().find_map(|property| match property {
        Property::Unreachable(Pattern::Tuple { shared, tops }) if is_here(shared) => {
            let stacks: Vec<_> = tops.iter().map(|&top| StackPattern::Top(top)).collect();
            places(last, &stacks, classes)
        }
        Property::Unreachable(Pattern::Configuration { shared, stacks }) if is_here(shared) => {
            places(last, stacks, classes)
        }
        _ => None,
    });
    let Some(places) = places else { return Ok(None) };
    let rename = |thread: ThreadId| places.get(thread.index()).copied().unwrap_or(thread);
    let steps = trace.steps.iter().map(|&(thread, action)| (rename(thread), action));
    Ok(Some(Trace { steps: steps.collect(), ..trace }))
}

/// The place of each thread, within its class, so that the stacks are as they are wanted.
///
/// Patterns for one class may overlap (`4` and `4.6`), so that a thread may have to leave a place that
/// it fits to another one: they are matched, not taken in turn. Those that can stay where they are
/// do, if that leaves a place for all.
fn places(last: &State, wanted: &[StackPattern], classes: &Classes) -> Option<Vec<ThreadId>> {
    let threads = classes.of_threads().len();
    let fits = |thread: usize, place: usize| {
        classes.of_thread(thread) == classes.of_thread(place)
            && wanted
                .get(place)
                .is_none_or(|pattern| pattern.matches(last.threads[thread].stack.iter()))
    };
    let mut place_of: Vec<Option<usize>> = vec![None; threads];
    let mut thread_at: Vec<Option<usize>> = vec![None; threads];
    for place in 0..threads {
        if fits(place, place) {
            place_of[place] = Some(place);
            thread_at[place] = Some(place);
        }
    }
    for thread in 0..threads {
        if place_of[thread].is_none() {
            let mut tried = vec![false; threads];
            if !find_place(thread, &fits, &mut thread_at, &mut tried) {
                return None;
            }
            for (place, taken) in thread_at.iter().enumerate() {
                if let Some(by) = *taken {
                    place_of[by] = Some(place);
                }
            }
        }
    }
    place_of.into_iter().map(|place| place.map(ThreadId::from)).collect()
}

/// Finds a place for one more thread, moving others if need be.
fn find_place(
    thread: usize,
    fits: &impl Fn(usize, usize) -> bool,
    thread_at: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for place in 0..thread_at.len() {
        if tried[place] || !fits(thread, place) {
            continue;
        }
        tried[place] = true;
        let is_free = match thread_at[place] {
            None => true,
            Some(other) => find_place(other, fits, thread_at, tried),
        };
        if is_free {
            thread_at[place] = Some(thread);
            return true;
        }
    }
    false
}
