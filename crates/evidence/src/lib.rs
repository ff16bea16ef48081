//! # Evidence
//!
//! What an answer rests on, and the check of it. A [`Trace`] is one run, action by action; it is
//! believed only after [`replay`] has walked it with the one step function of the model. A
//! [`Schedule`] says the same in text that people write and keep: who acts, and which way.
//!
//! This crate sees the model only: what checks an answer shares no code with what found it.

mod name;
mod replay;
mod resolve;
mod schedule;
#[cfg(test)]
mod testing;
mod trace;

pub use name::thread_name;
pub use replay::{ReplayError, ReplayFault, replay, replay_with};
pub use resolve::{ResolveError, ResolveFault};
pub use schedule::{Schedule, ScheduleError, ScheduledStep};
pub use trace::{Trace, same_effect};
