//! # Analysis
//!
//! The theory, one module a concept:
//!
//! - [`naive`]: the enumerator that is too simple to be wrong; every engine is tested against it;
//! - [`converge`]: when nothing new under a bound means nothing new at all;
//! - [`engine`]: the only loop: check, verify;
//! - [`explore`]: exact exploration under a bound;
//! - [`fair`]: whether a fair run goes on for ever;
//! - [`reduce`]: rounds of a system as one pushdown system;
//! - [`tabulate`]: any system with finitely many heads as tables;
//! - [`random`], [`trials`]: random systems, and how many questions about them are answered.
//!
//! ```
//! use selvedge_analysis::Budget;
//! use selvedge_analysis::engine::{Method, Question, Verdict, verify};
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::Property;
//! use selvedge_program::{Lowering, ThreadCounts};
//!
//! // Calls have no end, so that there are infinitely many states.
//! let text = "lock m; bool busy := false;
//!             void work() { acquire m; assert !busy; busy := true; busy := false; release m; work(); }
//!             thread work * 2;";
//! let input = parse("lock.weave".as_ref(), text.to_owned(), &LoadOptions::default()).unwrap();
//! let Input::Program { program, source, .. } = input else { panic!() };
//! let system = Lowering::new(program, source, &ThreadCounts::default()).unwrap();
//! let question = Question {
//!     system: &system,
//!     properties: &[Property::NeverWrong],
//!     method: Method::Auto,
//!     symmetry: true,
//!     evidence: false,
//! };
//! let outcome = verify(&question, &Budget::default(), &|_| {});
//! assert!(matches!(outcome.verdict, Verdict::Safe(_)));
//! ```

mod bound;
mod certify;
pub mod converge;
pub mod engine;
pub mod explore;
pub mod fair;
pub mod naive;
pub mod random;
pub mod reduce;
mod tabulate;
#[cfg(test)]
mod testing;
pub mod trials;

pub use bound::{Bound, Resource};
pub use selvedge_evidence::relations::Limits;
pub use selvedge_model::{Budget, Pace, Stop};
pub use tabulate::{TabulateError, Tabulated, tabulate};
