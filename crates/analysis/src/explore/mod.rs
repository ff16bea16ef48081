//! # Explorers
//!
//! From below: what is reachable under a bound, exactly, bound by bound. One explorer
//! ([`contexts`]) does the bookkeeping of contexts for every way to write down what one thread is
//! up to ([`Locals`]):
//!
//! | locals | one thread is | a move is |
//! | --- | --- | --- |
//! | [`stacks`] | one stack | one action |
//! | [`languages`] | a regular set of stacks | a whole context (post*) |
//! | [`windows`] | the top of a stack, the rest forgotten | one action: too much is reached, never too little |
//!
//! States are sets of threads: threads of one class are interchangeable and are counted, not
//! listed ([`classes`]).

pub mod classes;
pub mod contexts;
pub mod languages;
pub mod locals;
mod set;
pub mod stacks;
mod target;
mod visible;
pub mod windows;
mod words;

pub use classes::Classes;
pub use contexts::{ContextExplorer, Observation};
pub use locals::{Locals, Move};
pub use set::StateSet;
