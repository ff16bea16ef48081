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
/// Patterns for one class may overlap, but then one of them says more: `4.6` more than `4`, and that more
/// than anything. Places for which most is said are filled first; threads that fit there are all alike
/// for the places that are left, so that no choice is a wrong one.
fn places(last: &State, wanted: &[StackPattern], classes: &Classes) -> Option<Vec<ThreadId>> {
    let threads = classes.of_threads().len();
    let mut place_of: Vec<Option<usize>> = vec![None; threads];
    let mut order: Vec<usize> = (0..threads).collect();
    order.sort_by_key(|&place| match wanted.get(place) {
        Some(StackPattern::Whole(_)) => 0,
        Some(pattern) if !pattern.is_any() => 1,
        _ => 2,
    });
    for place in order {
        let fits = |&thread: &usize| {
            let stack = || last.threads[thread].stack.iter();
            place_of[thread].is_none()
                && classes.of_thread(thread) == classes.of_thread(place)
                && wanted.get(place).is_none_or(|pattern| pattern.matches(stack()))
        };
        // Those that can stay where they are do.
        let thread = Some(place).filter(fits).or_else(|| (0..threads).find(fits))?;
        place_of[thread] = Some(place);
    }
    place_of.into_iter().map(|place| place.map(ThreadId::from)).collect()
}
