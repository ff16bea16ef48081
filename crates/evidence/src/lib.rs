//! # Evidence
//!
//! What an answer rests on, and the check of it. A [`Trace`] is one run, action by action; it is
//! believed only after [`replay`] has walked it with the one step function of the model. A
//! [`Schedule`] says the same in text that people write and keep: who acts, and which way.
//!
//! A certificate ([`CutCertificate`], [`AggregateCertificate`], [`CoverCertificate`]) is a set of
//! states that no step leaves. [`recheck`] decides whether evidence shows what it is said to show.
//!
//! This crate sees the model and automata only: what checks an answer shares no code with what
//! found it.

mod certificate;
mod name;
mod recheck;
mod replay;
mod resolve;
mod schedule;
#[cfg(test)]
mod testing;
mod trace;

pub use certificate::{
    AggregateCertificate, AggregateThread, CountedState, CoverCertificate, CoverGroup, CoverPlace,
    CoverThread, CutCertificate, CutThread, Evidence, Guess, Measure, Violation, Window,
};
pub use name::thread_name;
pub use recheck::{Checked, Flaw, Refusal, recheck};
pub use replay::{ReplayError, ReplayFault, replay, replay_with};
pub use resolve::{ResolveError, ResolveFault};
pub use schedule::{Schedule, ScheduleError, ScheduledStep};
pub use trace::{Trace, same_effect};
