//! # Analysis
//!
//! The theory, one module a concept:
//!
//! - [`naive`]: the enumerator that is too simple to be wrong; every engine is tested against it;
//! - [`tabulate`]: any system with finitely many heads as tables.

pub mod naive;
mod tabulate;
#[cfg(test)]
mod testing;

pub use tabulate::{TabulateError, Tabulated, tabulate};
