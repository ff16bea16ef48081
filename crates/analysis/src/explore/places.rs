//! # Threads in their places
//!
//! **Question.** A search that counts interchangeable threads finds a run to *some* arrangement of
//! what a property forbids. Which run leads to the arrangement that the property names?
//!
//! **Idea.** The same run with the threads renamed: threads of one class start alike, so that the
//! initial state stays what it is.

use selvedge_evidence::Trace;
use selvedge_model::{Fault, Pattern, Property, State, System, ThreadId, TopPattern};

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
    let places = properties.iter().find_map(|property| match property {
        Property::Unreachable(Pattern::Tuple { shared, tops })
            if shared.is_none_or(|wanted| wanted == last.shared) =>
        {
            places(last, tops, classes)
        }
        _ => None,
    });
    let Some(places) = places else { return Ok(None) };
    let rename = |thread: ThreadId| places.get(thread.index()).copied().unwrap_or(thread);
    let steps = trace.steps.iter().map(|&(thread, action)| (rename(thread), action));
    Ok(Some(Trace { steps: steps.collect(), ..trace }))
}

/// The place of each thread, within its class, so that these tops are seen.
fn places(last: &State, tops: &[TopPattern], classes: &Classes) -> Option<Vec<ThreadId>> {
    let threads = classes.of_threads().len();
    let mut place_of: Vec<Option<usize>> = vec![None; threads];
    let mut put = |place: usize, wanted: TopPattern| {
        let fits = |&thread: &usize| {
            place_of[thread].is_none()
                && classes.of_thread(thread) == classes.of_thread(place)
                && wanted.matches(last.threads[thread].stack.top())
        };
        // Those that can stay where they are do.
        let thread = Some(place).filter(fits).or_else(|| (0..threads).find(fits))?;
        place_of[thread] = Some(place);
        Some(())
    };
    // Places at which a top is wanted first; whoever is left takes the others.
    let wanted = |place: usize| tops.get(place).copied().unwrap_or(TopPattern::Any);
    let (any, some): (Vec<usize>, Vec<usize>) =
        (0..threads).partition(|&place| wanted(place) == TopPattern::Any);
    for place in some.into_iter().chain(any) {
        put(place, wanted(place))?;
    }
    place_of.into_iter().map(|place| place.map(ThreadId::from)).collect()
}
