//! # Selvedge, a verifier for concurrent programs with recursion
//!
//! [`verify`] proves or refutes, for every schedule; [`check`] answers exactly within a bound; [`livelock`] looks for fair runs
//! that never end; [`table`] says what is new at each bound; [`recheck`] checks what an answer rests on. The command
//! line and the Python package are thin clients of this crate.
//!
//! ```
//! use selvedge::{InputOptions, Options, Subject, Verdict, verify};
//!
//! let program = "int[0..2] count := 0;
//!     void worker() { int[0..2] seen := count; count := seen + 1; assert count == seen + 1; }
//!     thread worker * 2;";
//! let subject = Subject::parse("race.weave", program, InputOptions::default())?;
//! let answer = verify(&subject, &Options::default())?;
//! let Verdict::Unsafe(violation) = answer.verdict() else { panic!("{}", answer.sentence()) };
//! for step in violation.steps() {
//!     println!("context {}, {}: count is {}", step.context, step.thread, step.shared["count"]);
//! }
//! assert_eq!(violation.last()["count"], 2);
//! # Ok::<(), selvedge::Failure>(())
//! ```
//!
//! An answer carries what it rests on if that is asked for, and [`recheck`] believes nothing that the search did:
//!
//! ```
//! # use selvedge::{InputOptions, Options, Subject, VerdictName, recheck, verify};
//! let lock = "lock m; int[0..1] inside := 0;
//!     void enter() { acquire m; inside := inside + 1; inside := inside - 1; release m; enter(); }
//!     thread enter * 2;";
//! let subject = Subject::parse("lock.weave", lock, InputOptions::default())?;
//! let options = Options { evidence: true, ..Options::default() };
//! let answer = verify(&subject, &options)?;
//! assert_eq!(answer.name(), VerdictName::Safe);
//! let evidence = answer.evidence()?.expect("a proof").to_text();
//! assert!(recheck(&subject, &evidence, &options)?.is_ok());
//! # Ok::<(), selvedge::Failure>(())
//! ```
//!
//! Nothing here prints. What goes on can be heard ([`Options::listener`]), and a run ends when its [`Limits`] say so, or
//! when somebody sets [`Limits::cancelled`].

mod answer;
mod cases;
mod coverage;
mod deadlocks;
mod elsewhere;
mod engines;
mod failure;
mod going;
mod growth;
mod heard;
mod livelock;
mod options;
mod portfolio;
mod predicates;
mod question;
mod recheck;
mod reduced;
mod shallow;
mod slots;
mod table;
mod verdict;
pub mod walk;
mod walks;
mod witness;

pub use answer::Answer;
pub use elsewhere::{Elsewhere, Form, FormOpened, Fusing, refuses_elsewhere};
pub use engines::{Engine, EngineName, Engines, Portions};
pub use failure::{failure_report, places};
pub use heard::{Heard, Listener, Moves, Together};
pub use livelock::{Livelock, LivelockEngine, livelock};
pub use options::{Cost, Limits, Options};
pub use portfolio::{check, grid, table, verify};
pub use question::Question;
pub use recheck::{Accepted, recheck};
pub use slots::WithSlots;
pub use table::{Gridded, Observed, SHORT_LIST};
pub use verdict::{Counterexample, Proof, Rule, Unknown, Verdict, Within};

// Types that occur in the signatures above, exported so that they can be named.
pub use selvedge_analysis::converge::closure::Closure;
pub use selvedge_analysis::engine::{CutSeen, Event, Proof as StatesProof, Shown, Spread, Table};
pub use selvedge_analysis::explore::Observation as Reached;
pub use selvedge_analysis::fair::{Event as EndlessEvent, Rounds};
pub use selvedge_analysis::{Bound, Budget, Resource, Stop};
pub use selvedge_check::{
    Blame, Deadlocks, Failure, Held, InputOptions, Opened, Subject, Wanted, default_memory_limit,
    suggest,
};
pub use selvedge_evidence::format::Document as Evidence;
pub use selvedge_evidence::{Part, Trace};
pub use selvedge_model::{
    Datum, Endless, Fairness, Property, State, Step as Statement, System, Values,
};
pub use selvedge_program::{Program, Source};
pub use selvedge_report::command_line::CommandLine;
pub use selvedge_report::coverage::{Covered, Extent};
pub use selvedge_report::json::{DiagnosticReport, Object, Observation, VerdictName};
pub use selvedge_report::page::Document as Page;
pub use selvedge_report::processes::Process;
pub use selvedge_report::run::{CallStack, Frame, Lasso, LassoThread, Step, Steps};
pub use selvedge_report::sarif::Log as SarifLog;
pub use selvedge_report::style::Paint;
pub use selvedge_report::text::TraceOptions;
pub use selvedge_report::view::Change;
pub use selvedge_sequential::livelock::Bounds;
pub use selvedge_smt::solver::Query;

/// Tests the code in the book's page about the library.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Book;
