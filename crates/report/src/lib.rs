//! # Reports
//!
//! Answers as text, JSON and pictures. Functions here return strings and values; printing is for
//! the command line. This is the only place that serializes answers; evidence has its format in `selvedge_evidence::format`.
//!
//! - [`view`]: what there is to see of a trace, before it is laid out;
//! - [`text`]: traces and states for people;
//! - [`answer`]: verdicts in words; [`table`]: what is new at each bound; [`grid`]: by rounds and delays;
//! - [`coverage`]: what some run reaches, so that no proof is about nothing;
//! - [`deadlocks`]: which deadlocks nobody asked for, or could decide;
//! - [`language`]: sets of stacks as expressions;
//! - [`livelock`]: the same for runs that never end;
//! - [`json`]: the objects that other programs read; their names are a contract;
//! - [`sarif`]: what code hosts and editors read; [`witness`]: what other verifiers read;
//! - [`dot`]: pictures of tables; [`flow`]: pictures of programs;
//! - [`page`]: all of that as one document, and the page that shows it;
//! - [`invariant`]: what a certificate says, for people;
//! - [`termination`]: why no fair run goes on for ever, by a proof of that;
//! - [`trials`]: what came of random questions;
//! - [`bench`](mod@bench): what came of the questions of a suite; [`plot`]: pictures of it.
//!
//! ```
//! use selvedge_report::amount::{amount, bytes};
//! use selvedge_report::json::{self, Recheck, VerdictName};
//!
//! let found = Recheck {
//!     selvedge: json::VERSION,
//!     file: "lock.weave".to_owned(),
//!     evidence: "proof.json".to_owned(),
//!     accepted: true,
//!     verdict: Some(VerdictName::Safe),
//!     checked: Some(format!("{} in {}", amount(Some(12), "state"), bytes(2048))),
//!     reason: None,
//! };
//! assert!(json::print(&found).contains(r#""checked": "12 states in 2.0 KiB""#));
//! ```

pub mod advice;
pub mod amount;
pub mod answer;
pub mod bench;
pub mod command_line;
pub mod coverage;
pub mod deadlocks;
pub mod dot;
pub mod flow;
pub mod fold;
pub mod grid;
pub mod harness;
mod holders;
pub mod invariant;
pub mod json;
pub mod language;
mod lines;
pub mod livelock;
pub mod page;
pub mod plot;
pub mod predicates;
pub mod processes;
mod proof;
mod riding;
pub mod run;
pub mod sarif;
pub mod style;
pub mod summaries;
pub mod table;
pub mod termination;
#[cfg(test)]
mod testing;
pub mod text;
pub mod trials;
pub mod view;
pub mod waits;
pub mod why;
pub mod witness;
mod written;
