//! The measure: what a system can do in K rounds, by the definition.

use std::collections::{HashSet, VecDeque};

use selvedge_model::{Fault, State, System, ThreadId, step};

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// More states than the limit.
    TooLarge,
    /// The system cannot say what its actions are.
    System(#[allow(dead_code, reason = "for messages")] Fault),
}

/// Whether the system can go wrong within so many rounds: one context of each thread, in order.
pub fn goes_wrong(system: &dyn System, rounds: usize, limit: usize) -> Result<bool, NoAnswer> {
    let mut work: VecDeque<(usize, usize, State)> = VecDeque::new();
    work.extend(system.initial().map_err(NoAnswer::System)?.into_iter().map(|s| (0, 0, s)));
    let mut seen: HashSet<(usize, usize, State)> = work.iter().cloned().collect();
    while let Some((round, thread, state)) = work.pop_front() {
        if system.wrong(state.shared).is_some() {
            return Ok(true);
        }
        let last = thread + 1 == state.threads.len();
        let (next_round, next_thread) = if last { (round + 1, 0) } else { (round, thread + 1) };
        let acts = step(system, &state, ThreadId::from(thread)).map_err(NoAnswer::System)?;
        let mut found: Vec<_> = acts.into_iter().map(|(_, s)| (round, thread, s)).collect();
        if next_round < rounds {
            found.push((next_round, next_thread, state));
        }
        for one in found {
            if seen.insert(one.clone()) {
                work.push_back(one);
            }
        }
        if seen.len() > limit {
            return Err(NoAnswer::TooLarge);
        }
    }
    Ok(false)
}
