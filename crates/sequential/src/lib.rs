//! # Sequential analysis, and concurrency as data
//!
//! **Question.** Programs with many variables have too many states to be listed. Can they be
//! analysed as sets, although they are recursive and concurrent?
//!
//! **Idea.** Sets of valuations are decision diagrams. A procedure is described by its *summary*,
//! a relation between the values when it is entered and when it returns. A thread in K rounds is
//! described by its *interface*: the values of the shared variables at the start of each of its
//! contexts, and at the end of each. Interfaces of threads that fit together are executions.
//!
//! **Claims.** `summaries` are the rules of Fig. 3 and Fig. 5 of Lal and Reps, *Reducing
//! Concurrent Analysis Under a Context Bound to Sequential Analysis*; what `rounds` finds within
//! K rounds is exactly what round-robin schedules with K contexts a thread can reach [Thm. 1, 2].
//!
//! **Needs.** A fixed number of threads, and types with finitely many values.

mod chain;
pub mod engine;
mod focus;
mod lift;
mod limits;
pub mod livelock;
mod order;
mod path;
mod places;
mod rounds;
mod space;
mod steps;
mod summaries;
mod touched;

pub use focus::Focus;
pub use lift::Lifted;
pub use limits::Limits;
pub use rounds::{Guesses, Options, Rounds, Seen, Violation};
pub use space::{Local, Scalar, Shared, Space};
pub use summaries::Calls;

use selvedge_analysis::Stop;

/// What may be ended by its budget.
pub type Result<T> = std::result::Result<T, Stop>;
