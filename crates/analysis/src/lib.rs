//! # Analysis
//!
//! The theory, one module a concept:
//!
//! - [`naive`]: the enumerator that is too simple to be wrong; every engine is tested against it;
//! - [`converge`]: when nothing new under a bound means nothing new at all;
//! - [`engine`]: the only loop: check, verify;
//! - [`explore`]: exact exploration under a bound;
//! - [`fair`]: whether a fair run goes on for ever;
//! - [`reduce`]: rounds of a system as one pushdown system;
//! - [`tabulate`]: any system with finitely many heads as tables;
//! - [`random`], [`trials`]: random systems, and how many questions about them are answered.

mod bound;
mod budget;
mod certify;
pub mod converge;
pub mod engine;
pub mod explore;
pub mod fair;
pub mod naive;
pub mod random;
pub mod reduce;
mod tabulate;
#[cfg(test)]
mod testing;
pub mod trials;

pub use bound::{Bound, Resource};
pub use budget::{Budget, Pace, Stop};
pub use tabulate::{TabulateError, Tabulated, tabulate};
