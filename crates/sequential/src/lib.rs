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
//!
//! ```
//! use selvedge_analysis::engine::Verdict;
//! use selvedge_analysis::{Bound, Budget};
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::Property;
//! use selvedge_program::{Lowering, ThreadCounts};
//! use selvedge_sequential::Options;
//! use selvedge_sequential::engine::{RoundsQuestion, check};
//!
//! let text = "int[0..2] turn := 0;
//!             void ping() { assume turn == 1; turn := 2; }
//!             void pong() { turn := 1; assume turn == 2; assert false; }
//!             thread ping; thread pong;";
//! let input = parse("turns.weave".as_ref(), text.to_owned(), &LoadOptions::default()).unwrap();
//! let Input::Program { program, source, .. } = input else { panic!() };
//! let system = Lowering::new(program, source, &ThreadCounts::default()).unwrap();
//! let asked = RoundsQuestion { program: &system, properties: &[Property::NeverWrong], evidence: false };
//! // `pong` has to act before and after `ping`, which is before it in each round.
//! let verdict = |rounds| {
//!     check(&asked, rounds, Options::default(), &Budget::default(), &|_| {}).verdict
//! };
//! assert!(matches!(verdict(1), Verdict::Bounded { .. }));
//! assert!(matches!(verdict(2), Verdict::Unsafe { bound, .. } if bound == Bound::rounds(2)));
//! ```

mod chain;
pub mod engine;
mod focus;
mod lift;
pub mod livelock;
mod path;
mod places;
mod rounds;
mod summaries;
mod touched;

pub use focus::Focus;
pub use lift::Lifted;
pub use rounds::{AfterRound, Guesses, Options, Rounds, Violation};
pub use summaries::Calls;

pub use selvedge_evidence::relations::{Layout, Limits, Local, Result, Scalar, Shared, Space};
