//! The budget of a run, asked inside of operations on diagrams.

use selvedge_bdd::Limit;
use selvedge_model::{Budget, Stop};

/// What is done in diagrams between two looks, measured in moves of an explorer: they take about as
/// long.
const WORK: u64 = 1 << 14;

/// A [`Budget`] as the limit of decision diagrams.
pub struct Limits(pub Budget);

impl Limit for Limits {
    type Stop = Stop;

    /// The bytes are those that the diagrams are about to take: tables double, and what does not
    /// fit is not even begun.
    fn check(&self, bytes: usize) -> Result<(), Stop> {
        if self.0.memory.is_some_and(|most| bytes > most) {
            return Err(Stop::Memory);
        }
        self.0.after(WORK)
    }
}
