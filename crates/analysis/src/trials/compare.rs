//! An outcome against the naive enumerator, as far as that goes.

use selvedge_model::State;

use crate::Bound;
use crate::engine::{Outcome, Question, Verdict};
use crate::naive::Naive;

/// The enumerator follows at most this many configurations …
const CONFIGURATIONS: usize = 2_000;

/// … and this many contexts.
const CONTEXTS: usize = 12;

/// Says how the outcome contradicts what the enumerator reaches, if it does.
pub(super) fn with_naive(question: &Question<'_>, outcome: &Outcome) -> Result<(), String> {
    let Ok(mut naive) = Naive::with_limit(question.system, CONFIGURATIONS) else { return Ok(()) };
    let mut levels = vec![naive.level()];
    while !naive.level().has_collapsed() && naive.level().bound < CONTEXTS {
        match naive.advance() {
            Ok(level) => levels.push(level),
            Err(_) => break,
        }
    }
    // What is new at each bound, where both have completed it.
    for (seen, level) in outcome.observations.iter().zip(&levels) {
        let states = seen.new_states.is_none_or(|n| n == level.new_states as u128);
        if !states || seen.new_visible.is_some_and(|n| n != level.new_visible as u128) {
            return Err(format!("at bound {}: {seen:?}, should be {level:?}", level.bound));
        }
    }
    // Whatever the enumerator has reached is reachable, at a bound that it has completed or not.
    let violates = |state: &State| {
        let mut properties = question.properties.iter();
        // Where the system cannot say, neither does the comparison.
        properties.any(|p| p.is_violated_by(question.system, state) == Ok(true))
    };
    let completed = naive.level().bound;
    let collapsed = naive.level().has_collapsed();
    let first = naive.states().filter(|(state, _)| violates(state)).map(|(_, bound)| bound).min();
    match (&outcome.verdict, first) {
        (Verdict::Safe(_), Some(bound)) => {
            Err(format!("safe, but {bound} contexts reach a violation"))
        }
        (Verdict::Safe(_), None) if question.properties.is_empty() && collapsed => {
            // The last observation has all visible states: the sequence has collapsed.
            let all = outcome.observations.last().and_then(|o| o.visible);
            let expected = naive.level().visible as u128;
            match all {
                Some(all) if all != expected => {
                    Err(format!("{all} visible states, should be {expected}"))
                }
                _ => Ok(()),
            }
        }
        (Verdict::Unsafe { bound: Bound { count: contexts, .. }, .. }, first) => match first {
            Some(bound) if bound <= completed && bound != *contexts => {
                Err(format!("unsafe with {contexts} contexts, should be {bound}"))
            }
            None if collapsed || *contexts <= completed => {
                Err(format!("unsafe with {contexts} contexts, but no violation is reachable"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
