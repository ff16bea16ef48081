//! # Budgets
//! How long and how large a run may be, and why it ended early. Whatever takes long asks its budget every few dozen moves
//! ([`Pace`]): searches, the preparation of a program, the check of evidence. What was completed by then stays true.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use selvedge_store::Full;

use crate::{Fault, NotUpward};

/// The resources that a run may use. The default has no limits.
#[derive(Clone, Default)]
pub struct Budget {
    /// The moment at which to stop.
    pub deadline: Option<Instant>,
    /// How many bytes may be in use, by the measure of `memory_in_use`.
    pub memory: Option<usize>,
    /// How many bytes are in use; asked for only if `memory` is set.
    pub memory_in_use: Option<fn() -> usize>,
    /// How many states an explorer may store; as many as can have a number, if nothing is said.
    pub states: Option<usize>,
    /// Set from outside (Ctrl-C, or another engine was faster): any of them ends the run.
    pub cancelled: Vec<Arc<AtomicBool>>,
    /// How many engines may work at the same time; 0 is 1.
    pub workers: usize,
    /// How many workers one exploration may have; 0 is 1.
    pub crew: usize,
    /// Meters that count the work and may make it wait: the turns that engines take, nested.
    pub meters: Vec<Arc<dyn Meter>>,
}

/// Counts the work of a run.
pub trait Meter: Send + Sync {
    /// Counts work that was done. Returns when more may be done, or says why it may not.
    fn spend(&self, work: u64) -> Result<(), Stop>;
}

/// Allows a fixed amount of work, and no more.
struct Allowance(AtomicU64);

impl Meter for Allowance {
    fn spend(&self, work: u64) -> Result<(), Stop> {
        let less = |left: u64| left.checked_sub(work);
        let spent = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        spent.map(|_| ()).map_err(|_| Stop::Work)
    }
}

/// How much work lies between two looks at a budget, where nobody counts: so many moves.
const WORK_PER_LOOK: usize = 1 << 6;

impl Budget {
    /// Whether the run may go on; says why not.
    pub fn check(&self) -> Result<(), Stop> {
        self.after(WORK_PER_LOOK as u64)
    }

    /// Whether the run may go on after so much work, measured in moves of an explorer. Who takes
    /// turns with other engines waits here until it is its own.
    pub fn after(&self, work: u64) -> Result<(), Stop> {
        for meter in self.meters.iter().rev() {
            meter.spend(work)?;
        }
        self.look()
    }

    /// This budget, with no more than so much work.
    #[must_use]
    pub fn with_work(&self, most: u64) -> Budget {
        let mut budget = self.clone();
        budget.meters.push(Arc::new(Allowance(AtomicU64::new(most))));
        budget
    }

    /// Whether the run may go on, where nothing is done but waiting: for a solver, say.
    pub fn look(&self) -> Result<(), Stop> {
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

    /// Counts work that was done: moves that were made, or states that were looked at.
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

/// Looks at a budget while something is prepared: a text is read, a program is compiled. Whoever sees that there is no
/// more patience leaves the rest out, and whoever asked for it learns from [`Patience::end`] that it is not whole.
///
/// Preparation is not counted as work, so that turns do not depend on it.
pub struct Patience {
    budget: Budget,
    /// How much may be done before the next look.
    left: Cell<usize>,
    stopped: RefCell<Option<Stop>>,
}

/// How much is done between two looks while something is prepared: so many statements, locations or variables.
const PIECES_PER_LOOK: usize = 1 << 8;

/// How long after its deadline preparation may end.
const LATE: Duration = Duration::from_millis(250);

/// The bytes that preparation may use whatever the limit is.
const LITTLE: usize = 16 << 20;

impl Patience {
    /// Looks at the budget at once, and then as work is done. It waits a little longer than the budget says, so that what
    /// is prepared in a moment always is: then whoever searches says what was reached.
    #[must_use]
    pub fn new(budget: &Budget) -> Self {
        let budget = Budget {
            deadline: budget.deadline.and_then(|deadline| deadline.checked_add(LATE)),
            memory: budget.memory.map(|limit| limit.max(LITTLE)),
            meters: Vec::new(),
            ..budget.clone()
        };
        Patience { budget, left: Cell::new(0), stopped: RefCell::new(None) }
    }

    /// Whether to go on after so much was done. Once it says no, it always does.
    #[inline]
    pub fn lasts(&self, work: usize) -> bool {
        match self.left.get().checked_sub(work.max(1)) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => self.look(),
        }
    }

    #[cold]
    fn look(&self) -> bool {
        let mut stopped = self.stopped.borrow_mut();
        if stopped.is_none() {
            *stopped = self.budget.look().err();
        }
        let lasts = stopped.is_none();
        self.left.set(if lasts { PIECES_PER_LOOK } else { 0 });
        lasts
    }

    /// Says whether all was done, or why not.
    pub fn end(&self) -> Result<(), Stop> {
        self.look();
        self.stopped.borrow().clone().map_or(Ok(()), Err)
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("stopped", &self.stopped).finish_non_exhaustive()
    }
}

impl Default for Patience {
    /// Patience that never runs out.
    fn default() -> Self {
        Patience::new(&Budget::default())
    }
}

/// Why a run ended before it had an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Time is up.
    Timeout,
    /// The memory limit is reached.
    Memory,
    /// The work that was set aside for it is done.
    Work,
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
    /// The program does not follow what the text means any further: where, and what is there.
    Beyond(String),
    /// Another process, which has a share of the states, is gone: which one, and what is known of it.
    Lost(String),
    /// There is no violation but perhaps a deadlock, which more threads may undo, so that coverability decides nothing about
    /// it.
    OnlyDeadlocks {
        /// Whether there may be any number of threads, so that there is no other way.
        any_number: bool,
    },
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Stop::Full(full)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault.stop {
            Some(stop) => *stop,
            None => Stop::Fault(fault),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Timeout => f.write_str("the time limit was reached"),
            Stop::Memory => f.write_str("the memory limit was reached"),
            Stop::Work => f.write_str("the work that was set aside for it is done"),
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
            Stop::Beyond(place) => f.write_str(place),
            Stop::Lost(process) => f.write_str(process),
            Stop::OnlyDeadlocks { any_number: true } => NotUpward::Deadlock.fmt(f),
            Stop::OnlyDeadlocks { any_number: false } => f.write_str(
                "coverability does not decide deadlocks: it looks for what more threads do not undo, and one more \
                 thread may move",
            ),
        }
    }
}

impl std::error::Error for Stop {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_is_set_aside_comes_to_an_end() {
        let budget = Budget::default().with_work(100);
        assert_eq!(budget.after(60), Ok(()));
        assert_eq!(budget.after(40), Ok(()));
        assert_eq!(budget.after(1), Err(Stop::Work));
        assert_eq!(budget.look(), Ok(()));
    }

    #[test]
    fn a_limit_that_a_system_heard_of_is_a_limit() {
        assert_eq!(Stop::from(Fault::from(Stop::Timeout)), Stop::Timeout);
        let fault = Fault { line: Some(3), ..Fault::new("too many") };
        assert_eq!(Stop::from(fault.clone()), Stop::Fault(fault.clone()));
        assert_eq!(Fault::from(Stop::Fault(fault.clone())), fault);
    }

    #[test]
    fn patience_that_ended_does_not_come_back() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget { cancelled: vec![Arc::clone(&flag)], ..Budget::default() };
        let patience = Patience::new(&budget);
        assert!(patience.lasts(1));
        flag.store(true, Ordering::Relaxed);
        assert!((0..10).any(|_| !patience.lasts(PIECES_PER_LOOK / 4)), "looks now and then");
        flag.store(false, Ordering::Relaxed);
        assert!(!patience.lasts(0));
        assert_eq!(patience.end(), Err(Stop::Cancelled));
        assert_eq!(Patience::default().end(), Ok(()));
    }

    #[test]
    fn patience_spends_no_work() {
        let patience = Patience::new(&Budget::default().with_work(1));
        assert!((0..10).all(|_| patience.lasts(PIECES_PER_LOOK)));
        assert_eq!(patience.end(), Ok(()));
    }
}
