//! # The page
//! What there is to see of an answer, as one [`Document`]: the text, the question, the answer in a
//! sentence, what was observed from below and from above, the schedule of a violation, the invariant
//! of a proof, the stacks as automata. [`html()`] is a page that shows it, in one file and without a
//! network; [`markdown()`] says the same in a text. The explorer serves the same page, and tells it
//! [`Live`] events while it [asks](Ask).
//!
//! **Size.** A [`Schedule`] stores what each step changes, never a state: 5,000 steps are far below a
//! megabyte.

mod ask;
mod automata;
mod build;
mod html;
mod markdown;
mod observations;
mod schedule;
mod walk;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::json::VerdictName;

pub use ask::{Ask, CAsk, Constant, EngineWord, Language, Live, Posed, Setup, ThreadCount};
pub use automata::automata;
pub use build::{Subject, of_answer, of_livelock, of_predicates};
pub use html::{Policy, html, live};
pub use markdown::markdown;
pub use observations::{Above, Amount, Below};
pub use schedule::{Schedule, of_lasso, of_trace};
pub use walk::{Choice, Edge, Go, Graph, Look, Node, Waiting, Wander};

/// All that is known about a question.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Document {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// Its text.
    pub source: String,
    /// The question that was asked.
    pub question: PageQuestion,
    /// The answer to the question.
    pub answer: Reply,
    /// What the bounds count: `contexts`, `rounds`.
    pub unit: &'static str,
    /// The counts from below, bound by bound.
    pub below: Vec<Below>,
    /// The counts from above, cut by cut.
    pub above: Vec<Above>,
    /// The bound after which no visible state is new, if that is known.
    pub collapse: Option<usize>,
    /// The bound at which there is a violation.
    pub violation: Option<usize>,
    /// The run of a violation, or one that never ends.
    pub schedule: Option<Schedule>,
    /// How an explorer gets to the states of the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    /// The invariant of a proof.
    pub invariant: Option<Invariant>,
    /// The lines that no schedule executes, where all were followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<u32>,
    /// The stacks that occur.
    pub automata: Vec<Automaton>,
    /// Remarks on what the document leaves out, and why.
    pub notes: Vec<String>,
}

impl Document {
    /// The document in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The way to the states of a schedule, for walks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Way {
    /// The initial state, then the choices.
    pub path: Vec<usize>,
    /// The numbers of threads, where there may be any.
    pub threads: BTreeMap<String, u32>,
}

/// The question of a document.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PageQuestion {
    /// The question, as a sentence.
    pub text: String,
    /// What must not happen: `assertions`, a target, `deadlock`.
    pub property: String,
    /// The threads that there are at the start.
    pub threads: Vec<String>,
    /// The command line that asks it again, if that is known.
    pub command: Option<String>,
}

/// The answer of a document.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Reply {
    /// The verdict.
    pub verdict: VerdictName,
    /// What was found or proved, in a sentence.
    pub sentence: String,
    /// Lines with a label each: why, what it does not promise, what it took.
    pub details: Vec<(&'static str, String)>,
    /// Which engine found it.
    pub engine: String,
    /// Wall-clock time, in seconds.
    pub time_s: f64,
    /// The largest amount of memory that was in use.
    pub peak_memory_bytes: u64,
}

/// The invariant of a proof, place by place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Invariant {
    /// Why it holds, in a sentence.
    pub why: String,
    /// The facts at each place.
    pub places: Vec<InvariantPlace>,
}

/// The facts that hold whenever a thread stands at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InvariantPlace {
    /// The kind of thread.
    pub thread: String,
    /// Where: `line 12`, `ended`, `shared state q`.
    pub place: String,
    /// The line of the text, if there is one.
    pub line: Option<u32>,
    /// The facts that hold there.
    pub facts: Vec<String>,
}

/// A set of stacks: read from the top of a stack to its end, the path ends in an accepting state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Automaton {
    /// The thread whose stacks these are.
    pub title: String,
    /// Whether each state accepts. The first one is the start.
    pub accepting: Vec<bool>,
    /// The edges: from, to, and the symbols.
    pub edges: Vec<(u32, u32, Vec<String>)>,
}
