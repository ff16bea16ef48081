//! The budget of a run, asked inside of operations on diagrams.

use selvedge_analysis::{Budget, Stop};
use selvedge_bdd::Limit;

/// See [`Budget`].
pub struct Limits(pub Budget);

impl Limit for Limits {
    type Stop = Stop;

    fn check(&self, _bytes: usize) -> Result<(), Stop> {
        self.0.check()
    }
}
