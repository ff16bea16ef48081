//! # Analysis
//!
//! The theory, one module a concept:
//!
//! - [`naive`]: the enumerator that is too simple to be wrong; every engine is tested against it;
//! - [`converge`]: when nothing new under a bound means nothing new at all;
//! - [`explore`]: exact exploration under a bound;
//! - [`tabulate`]: any system with finitely many heads as tables.

mod budget;
pub mod converge;
pub mod explore;
pub mod naive;
pub mod random;
mod tabulate;
#[cfg(test)]
mod testing;

pub use budget::{Budget, Stop};
pub use tabulate::{TabulateError, Tabulated, tabulate};
