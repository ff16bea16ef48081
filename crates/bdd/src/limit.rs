//! When an operation has to end early.

use std::convert::Infallible;

/// A budget of time, memory or patience.
///
/// It is asked every few ten thousand steps, inside of operations too, and before a table grows.
pub trait Limit {
    /// Why an operation ended early.
    type Stop;

    /// Whether to go on. The bytes are those of the manager, with what it is about to allocate.
    fn check(&self, bytes: usize) -> Result<(), Self::Stop>;
}

/// Every operation is carried out to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoLimit;

impl Limit for NoLimit {
    type Stop = Infallible;

    fn check(&self, _bytes: usize) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<L: Limit> Limit for &L {
    type Stop = L::Stop;

    fn check(&self, bytes: usize) -> Result<(), L::Stop> {
        (*self).check(bytes)
    }
}

/// An operation ended early; the manager holds the reason. Results that pass through every level
/// of a recursion stay as small as a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt;
