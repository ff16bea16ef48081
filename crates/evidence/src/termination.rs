//! # Proofs of fair termination
//! All states that can be reached, and for each a list of *levels* that says why no run that counts
//! stays for ever: a rank that no step raises, and where it stays the same, somebody who would have
//! to help for ever and never does. Whether it proves anything is for [`crate::recheck`] to say.

use selvedge_model::{Endless, FairChoice, State, ThreadId};

/// Why no run that counts goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FairTermination {
    /// Which runs count.
    pub endless: Endless,
    /// All states that can be reached, or more.
    pub states: Vec<(State, Vec<Level>)>,
}

/// One level of the argument at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Level {
    /// No step raises it, as long as the levels above stay the same.
    pub rank: u32,
    /// Who is never helpful while the rank stays the same; nobody where it cannot.
    pub helpful: Option<Helpful>,
}

/// What would have to happen again and again, and does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Helpful {
    /// The thread acts.
    Thread(ThreadId),
    /// A fair choice of the thread comes out this way.
    Choice(ThreadId, FairChoice),
}
