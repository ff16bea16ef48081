//! # Proofs of fair termination
//! All states that can be reached, and for each a list of *levels* that says why no run that counts
//! stays for ever: a rank that no step raises, and where it stays the same, somebody who would have
//! to help for ever and never does. Whether it proves anything is for [`crate::recheck`] to say.

use selvedge_model::{Endless, FairChoice, State, ThreadId};

/// Why no run that counts goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairTermination {
    /// The kind of runs that end.
    pub endless: Endless,
    /// All states that can be reached, or more.
    pub states: Vec<(State, Vec<Level>)>,
}

/// One level of the argument at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// No step raises it, as long as the levels above stay the same.
    pub rank: u32,
    /// The thread or choice that is never helpful while the rank stays the same; `None` where the rank cannot stay.
    pub helpful: Option<Helpful>,
}

/// An event that fairness would make happen again and again, and that does not happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Helpful {
    /// A step of the thread.
    Thread(ThreadId),
    /// A fair choice of the thread with this outcome.
    Choice(ThreadId, FairChoice),
}
