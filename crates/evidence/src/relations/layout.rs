//! # Which copies stand next to each other
//!
//! **Question.** There are copies of the shared variables for the start and the end of the
//! context in every round. Which of them should be neighbours in the order?
//!
//! **Idea.** An interface lists what goes in and out of a thread, round by round. Read in this
//! order, it is the language of an automaton: between two rounds, a diagram has to remember where
//! the thread can be, and no more. Read variable by variable, it has to remember what the
//! variables so far have said about every round. So diagrams grow with the number of rounds in
//! one order, and with a power of it in the other.
//!
//! What speaks for the other: where a round begins with what another one ended with, all of it
//! has to be remembered from round to round, which is as much as there are values. So rounds come
//! one after the other only where shared bits are few. Figures are in decision 0039.

use super::FEW_BITS;
use super::space::Shared;

/// Which copies of the shared variables stand next to each other in the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// All copies of one bit.
    ByVariable,
    /// All bits of one round, the first round first.
    ByRound,
}

/// The copies of a bit in one round, where rounds stand one after the other.
const ROUND_COPIES: u32 = 5;

impl Layout {
    /// The better layout for this many shared bits and rounds.
    #[must_use]
    pub fn for_bits(bits: u32, rounds: usize) -> Self {
        if rounds > 1 && bits < FEW_BITS { Layout::ByRound } else { Layout::ByVariable }
    }

    /// How many copies of a bit stand next to each other; `None` if there are too many.
    pub(crate) fn copies(self, rounds: usize) -> Option<u32> {
        match self {
            Layout::ByVariable => u32::try_from(rounds).ok()?.checked_mul(3)?.checked_add(2),
            Layout::ByRound => Some(ROUND_COPIES),
        }
    }

    /// How many blocks of shared variables come after the first one.
    pub(crate) fn blocks(self, rounds: usize) -> Option<u32> {
        match self {
            Layout::ByVariable => Some(0),
            Layout::ByRound => u32::try_from(rounds.saturating_sub(1)).ok(),
        }
    }

    /// How far a copy is from the first one of the same bit, where blocks have this size.
    pub(crate) fn copy(self, rounds: usize, block: u32, copy: Shared) -> u32 {
        match self {
            Layout::ByVariable => {
                let round = |index: usize| 3 * index as u32;
                match copy {
                    Shared::In(index) => round(index),
                    Shared::Out(index) => round(index) + 1,
                    Shared::Other(index) => round(index) + 2,
                    // One procedure runs at a time, so that one copy does for all rounds.
                    Shared::Entry(_) => round(rounds),
                    Shared::Next(_) => round(rounds) + 1,
                }
            }
            Layout::ByRound => {
                let round = |index: usize| block * index as u32;
                match copy {
                    Shared::Entry(index) => round(index),
                    Shared::Other(index) => round(index) + 1,
                    Shared::In(index) => round(index) + 2,
                    Shared::Next(index) => round(index) + 3,
                    Shared::Out(index) => round(index) + 4,
                }
            }
        }
    }
}
