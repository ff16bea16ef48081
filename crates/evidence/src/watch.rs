//! # Watching the budget of a check
//! Evidence comes from a file, and a file may be as long as somebody likes. Every loop over what is in it counts its
//! work here; when time or memory is used up, or somebody wants an end, the check ends with a refusal that says so.

use std::cell::RefCell;

use selvedge_model::{Budget, Pace, Stop};

use crate::{Flaw, Refusal};

/// Counts the work of a check, wherever it is done.
pub(crate) struct Watch<'a>(RefCell<Pace<'a>>);

impl<'a> Watch<'a> {
    /// Looks at a budget at once, and then as work is done.
    pub fn new(budget: &'a Budget) -> Self {
        Watch(RefCell::new(Pace::new(budget)))
    }

    /// Counts work: states, steps or threads that were looked at.
    pub fn spend(&self, work: usize) -> Result<(), Stop> {
        self.0.borrow_mut().spend(work)
    }
}

/// Says that a check came to no end, for messages.
pub(crate) fn unfinished(stop: &Stop) -> String {
    format!("it could not be checked: {stop}")
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fault(fault) => fault.into(),
            stop => Refusal::new(Flaw::Unfinished, unfinished(&stop)),
        }
    }
}
