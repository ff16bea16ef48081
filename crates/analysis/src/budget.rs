//! # Budgets
//! How long and how large a run may be, and why it ended early. An explorer asks its budget every
//! few dozen moves ([`Pace`]); what was completed by then stays true.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use selvedge_model::Fault;
use selvedge_store::Full;

use crate::engine::Turn;

/// What a run may use. The default has no limits.
#[derive(Clone, Default)]
pub struct Budget {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How many bytes may be in use, by the measure of `memory_in_use`.
    pub memory: Option<usize>,
    /// How many bytes are in use; asked for only if `memory` is set.
    pub memory_in_use: Option<fn() -> usize>,
    /// How many states an explorer may store; as many as can have a number, if nothing is said.
    pub states: Option<usize>,
    /// Set from outside (Ctrl-C, or another engine was faster): any of them ends the run.
    pub cancelled: Vec<Arc<AtomicBool>>,
    /// The engine that this one takes turns with, if there is one.
    pub turn: Option<Turn>,
}

/// How much work lies between two looks at a budget, where nobody counts: so many moves.
const WORK_PER_LOOK: usize = 1 << 6;

impl Budget {
    /// Whether the run may go on; says why not.
    pub fn check(&self) -> Result<(), Stop> {
        self.after(WORK_PER_LOOK as u64)
    }

    /// Whether the run may go on after so much work, measured in moves of an explorer. Who takes
    /// turns with another engine waits here while it is the other one's.
    pub fn after(&self, work: u64) -> Result<(), Stop> {
        if let Some(turn) = &self.turn {
            turn.spend(work);
        }
        if self.cancelled.iter().any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Stop::Timeout);
        }
        if let (Some(limit), Some(in_use)) = (self.memory, self.memory_in_use)
            && in_use() > limit
        {
            return Err(Stop::Memory);
        }
        Ok(())
    }
}

/// Asks a budget again and again, about as often whether steps are many and small or few and large.
pub struct Pace<'a> {
    budget: &'a Budget,
    /// How much work may be done before the next look.
    left: usize,
}

impl<'a> Pace<'a> {
    /// Looks at the budget at once, and then as work is done.
    #[must_use]
    pub fn new(budget: &'a Budget) -> Self {
        Self { budget, left: 0 }
    }

    /// So much work was done: so many moves were made, or so many states looked at.
    #[inline]
    pub fn spend(&mut self, work: usize) -> Result<(), Stop> {
        if let Some(left) = self.left.checked_sub(work) {
            self.left = left;
            return Ok(());
        }
        let done = WORK_PER_LOOK - self.left + work;
        self.left = WORK_PER_LOOK;
        self.budget.after(done as u64)
    }
}

/// Why a run ended before it had an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Time is up.
    Timeout,
    /// The memory limit is reached.
    Memory,
    /// Someone wanted it to end.
    Cancelled,
    /// A stack grew higher than the explorer was told to follow.
    HighStack,
    /// One context reaches infinitely many states, and single states were to be listed.
    InfiniteContext,
    /// What is observed is not closed under steps; which one leads out.
    NotClosed(String),
    /// There are more states, stacks or moves than can have a number.
    Full(Full),
    /// The system cannot say what its actions are.
    Fault(Fault),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Stop::Full(full)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Timeout => f.write_str("the time limit was reached"),
            Stop::Memory => f.write_str("the memory limit was reached"),
            Stop::Cancelled => f.write_str("the run was interrupted"),
            Stop::HighStack => f.write_str("the stacks grow too high for single states"),
            Stop::InfiniteContext => f.write_str(
                "one more context reaches infinitely many states, which cannot be listed one by one",
            ),
            Stop::NotClosed(obstacle) => {
                write!(f, "what is observed stopped growing, but is not closed: {obstacle}")
            }
            Stop::Full(full) => full.fmt(f),
            Stop::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for Stop {}
