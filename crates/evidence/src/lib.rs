//! # Evidence
//!
//! What an answer rests on, and the check of it. A [`Trace`] is one run, action by action; it is
//! believed only after [`replay`] has walked it with the one step function of the model. A
//! [`Schedule`] says the same in text that people write and keep: who acts, and which way.
//!
//! A certificate ([`CutCertificate`], [`AggregateCertificate`], [`CoverCertificate`]) is a set of
//! states that no step leaves. A [`Lasso`] is a run that never ends; a [`FairTermination`] says why
//! there is none. [`recheck`] decides whether evidence shows what it is said to show; for a
//! [`SummaryCertificate`], which is about the variables of a program, that is left to the crate that
//! knows them.
//!
//! This crate sees the model and automata only: what checks an answer shares no code with what
//! found it.

mod certificate;
mod lasso;
mod name;
mod recheck;
mod replay;
mod resolve;
mod schedule;
mod summary;
mod termination;
#[cfg(test)]
mod testing;
mod trace;

pub use certificate::{
    AggregateCertificate, AggregateThread, CountedState, CoverCertificate, CoverGroup, CoverPlace,
    CoverThread, CutCertificate, CutThread, Evidence, Guess, Measure, Violation, Window,
};
pub use lasso::{Lasso, LassoThread, Part};
pub use name::thread_name;
pub use recheck::{Checked, Flaw, Refusal, recheck};
pub use replay::{ReplayError, ReplayFault, replay, replay_with};
pub use resolve::{ResolveError, ResolveFault};
pub use schedule::{Schedule, ScheduleError, ScheduledStep};
pub use summary::{SummaryBit, SummaryCertificate, SummaryNode, SummaryPlace, SummaryScalar};
pub use termination::{FairTermination, Helpful, Level};
pub use trace::{Trace, same_effect};
