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
//!
//! ```
//! use selvedge_evidence::{Schedule, replay};
//! use selvedge_model::{Tables, Word};
//!
//! let mut tables = Tables::builder();
//! let [idle, busy] = [tables.shared("idle"), tables.shared("busy")];
//! let worker = tables.template("worker");
//! let work = tables.symbol(worker, "work");
//! tables.rule(worker, idle, Some(work), busy, Word::Pop);
//! tables.thread("worker", worker, vec![work]);
//! tables.initial(idle);
//! let system = tables.build();
//!
//! let trace = Schedule::parse("worker").unwrap().to_trace(&system).unwrap();
//! assert_eq!(replay(&system, &trace).unwrap().last().unwrap().shared, busy);
//! // It cannot act twice.
//! assert!(Schedule::parse("worker * 2").unwrap().to_trace(&system).is_err());
//! ```

mod certificate;
pub mod format;
mod lasso;
mod name;
pub mod property;
mod recheck;
mod reduced;
pub mod relations;
mod replay;
mod resolve;
mod schedule;
pub mod summaries;
mod summary;
mod termination;
#[cfg(test)]
mod testing;
mod trace;
mod watch;

pub use certificate::{
    AggregateCertificate, AggregateThread, CountedState, CoverCertificate, CoverCut, CoverGroup,
    CoverGuess, CoverPlace, CoverThread, CutCertificate, CutThread, Evidence, Guess, Measure,
    Relation, Violation, Window,
};
pub use lasso::{Lasso, LassoThread, Part};
pub use name::thread_name;
pub use recheck::{Checked, Flaw, Refusal, recheck, recheck_within};
pub use reduced::{LeftOut, ReducedCertificate, check_movers, recheck_reduced};
pub use replay::{ReplayError, ReplayFault, replay, replay_with};
pub use resolve::{ResolveError, ResolveFault};
pub use schedule::{Schedule, ScheduleError, ScheduledStep};
pub use summary::{SummaryBit, SummaryCertificate, SummaryNode, SummaryPlace, SummaryScalar};
pub use termination::{FairTermination, Helpful, Level};
pub use trace::{Trace, same_effect};
