//! # Rounds and delays, naively
//!
//! **Question.** Which states are reached under round-robin scheduling with at most r rounds and d
//! delays: the set R(r, d) of Johnson and Wahl [Def. 1]?
//!
//! **Idea.** Turn by turn. With n threads, turn t (counted from 0) is that of thread t mod n. It takes
//! one of its steps, or it is delayed. A thread that cannot act stays as it is, and that is no delay:
//! the transition relation is total [Sec. 2.1]. All pairs of turns and delays with which a state is
//! reached are kept; nothing is left out as worse than something else.
//!
//! **Claim.** A schedule f of l steps with d_p delays [Def. 1] takes l + d_p turns, the delays being
//! the turns between f(i - 1) and f(i); so ⌈(l + d_p) / n⌉ ≤ r exactly if it takes at most n · r turns.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::{State, System, ThreadId, step};

use super::NaiveError;
use crate::bound::needs_fixed_threads;

/// What round-robin schedules reach.
pub struct NaiveDelays {
    threads: usize,
    /// For each state the turns and delays with which it is reached.
    reached: FxHashMap<State, BTreeSet<(usize, usize)>>,
}

impl NaiveDelays {
    /// Everything within so many rounds and delays, unless there are more configurations than
    /// `limit`: states with turns and delays.
    pub fn new(
        system: &dyn System,
        rounds: usize,
        delays: usize,
        limit: usize,
    ) -> Result<Self, NaiveError> {
        if let Some(fault) = needs_fixed_threads(system) {
            return Err(fault.into());
        }
        let threads = system.threads().len();
        let mut naive = NaiveDelays { threads, reached: FxHashMap::default() };
        let mut layer: FxHashSet<(State, usize)> =
            system.initial()?.into_iter().map(|state| (state, 0)).collect();
        let mut seen = 0;
        for turn in 0..=rounds * threads {
            seen += layer.len();
            if seen > limit {
                return Err(NaiveError::TooLarge { limit, completed: None });
            }
            for (state, used) in &layer {
                naive.reached.entry(state.clone()).or_default().insert((turn, *used));
            }
            if threads == 0 {
                break;
            }
            let thread = ThreadId::from(turn % threads);
            let mut next = FxHashSet::default();
            for (state, used) in layer {
                let steps = step(system, &state, thread)?;
                if steps.is_empty() {
                    next.insert((state.clone(), used));
                }
                next.extend(steps.into_iter().map(|(_, after)| (after, used)));
                if used < delays {
                    next.insert((state, used + 1));
                }
            }
            layer = next;
        }
        Ok(naive)
    }

    /// R(r, d), for at most as many rounds and delays as were explored.
    #[must_use]
    pub fn within(&self, rounds: usize, delays: usize) -> BTreeSet<State> {
        let fits =
            |&(turns, used): &(usize, usize)| turns <= rounds * self.threads && used <= delays;
        let reached = self.reached.iter().filter(|(_, costs)| costs.iter().any(fits));
        reached.map(|(state, _)| state.clone()).collect()
    }
}
