//! # Nobody waits for ever
//! Where threads wait at states of a certificate, a way has to lead from every state to one at which nobody does: else the only step that goes wrong might be that of
//! somebody who always waits.

use super::form::form;
use super::{Flaw, Refusal};
use crate::watch::Watch;
use crate::{CountedState, LeftOut};

/// Whether threads of a kind wait at a state. The states are in rising order.
pub(super) fn waits(left_out: &[LeftOut], state: usize, kind: u32) -> bool {
    let found = left_out.binary_search_by_key(&state, |left| left.state as usize);
    found.is_ok_and(|at| left_out[at].kinds.contains(&kind))
}

/// The steps from states at which threads wait, backward, and the states from which a way leads to one where none waits.
pub(super) struct Ways {
    /// The state after a step, and the one before.
    steps: Vec<(u32, u32)>,
    /// Whether a way is known to lead from each state to one at which no thread waits.
    leads: Vec<bool>,
}

impl Ways {
    /// Reads who waits where; refuses what has not the form of that.
    pub fn new(states: &[CountedState], left_out: &[LeftOut]) -> Result<Self, Refusal> {
        if !left_out.is_sorted_by(|a, b| a.state < b.state) {
            return Err(form("the states at which threads wait are not in rising order"));
        }
        let mut leads = vec![true; states.len()];
        for LeftOut { state, kinds } in left_out {
            let wrong = |what: &str| Err(form(format!("threads wait at state {state}: {what}")));
            let Some(at) = states.get(*state as usize) else { return wrong("there is none") };
            if kinds.is_empty() || !kinds.is_sorted_by(|a, b| a < b) {
                return wrong("there is no kind, or kinds are not in rising order");
            }
            let is_there = |kind: &u32| at.threads.iter().any(|(known, _)| known == kind);
            if !kinds.iter().all(is_there) {
                return wrong("it has no thread of such a kind");
            }
            leads[*state as usize] = false;
        }
        Ok(Ways { steps: Vec::new(), leads })
    }

    /// Adds a step.
    pub fn add(&mut self, from: usize, to: usize) {
        if !self.leads[from] {
            self.steps.push((to as u32, from as u32));
        }
    }

    /// Refuses a state from which no way leads to one at which no thread waits.
    pub fn check(mut self, watch: &Watch<'_>) -> Result<(), Refusal> {
        self.steps.sort_unstable();
        self.steps.dedup();
        let mut open: Vec<u32> = (0..).take(self.leads.len()).collect();
        open.retain(|&state| self.leads[state as usize]);
        while let Some(to) = open.pop() {
            let first = self.steps.partition_point(|&(known, _)| known < to);
            let before = self.steps[first..].iter().take_while(|&&(known, _)| known == to);
            watch.spend(1)?;
            for &(_, from) in before {
                if !std::mem::replace(&mut self.leads[from as usize], true) {
                    open.push(from);
                }
            }
        }
        match self.leads.iter().position(|leads| !leads) {
            None => Ok(()),
            Some(state) => {
                let why = "no way leads from there to a state at which all threads are followed";
                let message = format!("state {state}: threads wait, and {why}");
                Err(Refusal::new(Flaw::Waiting, message))
            }
        }
    }
}
