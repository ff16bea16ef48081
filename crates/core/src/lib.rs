//! # The core
//! What engines see of a program, whatever language it was written in: slots with kinds, flow graphs whose edges
//! are lists of instructions ([`Code`]), and one evaluator that executes them in any [`Domain`].
//!
//! - [`Value`], [`Kind`]: integers, and which of them a slot holds;
//! - [`Layout`], [`Memory`]: where the bits of a slot are, the same in every run;
//! - [`evaluate`]: the meaning of every instruction, once;
//! - [`footprints`]: which slots an edge may touch;
//! - [`machine`]: the concrete domain, and what a thread can do at a head.
//!
//! Nothing here knows a language, a search, or a text format.

mod choices;
mod code;
mod domain;
pub mod evaluate;
mod footprint;
mod kind;
pub mod machine;
mod memory;
mod name;
pub mod number;
mod value;

pub use choices::Choices;
pub use code::*;
pub use domain::{ASSERTION_FAILED, Domain, Effect, Failure, HELD_BY_ANOTHER, Limits, NOT_HELD};
pub use footprint::{Footprint, Interval, Slots, footprints};
pub use kind::{Kind, Range, Span};
pub use machine::Machine;
pub use memory::{Layout, Memory};
pub use name::{Name, Term};
pub use value::Value;
