//! Questions that a page may ask, and events that it hears while an engine runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Above, Below};

/// A question that a page asks about the program it was opened with. Nothing in it names a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The kind of question.
    pub question: Posed,
    /// The engine, by its name on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The largest bound, for the bounded questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<usize>,
    /// The largest number of delays, with rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays: Option<usize>,
    /// Whether all deadlocks count.
    #[serde(default)]
    pub deadlock: bool,
    /// No deadlocks, not even those in which threads wait for each other.
    #[serde(default)]
    pub no_deadlock: bool,
    /// When to stop, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
    /// Numbers of threads, by name.
    #[serde(default)]
    pub threads: BTreeMap<String, u32>,
    /// Values of constants, by name, as they are written on the command line.
    #[serde(default)]
    pub consts: BTreeMap<String, String>,
    /// What must not be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The initial state of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// When to stop, in bytes of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// How many engines work at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<u32>,
    /// Lists interchangeable threads one by one.
    #[serde(default)]
    pub no_symmetry: bool,
    /// Stores all states between local steps.
    #[serde(default)]
    pub no_reduction: bool,
    /// Wants every assertion to be reached.
    #[serde(default)]
    pub require_reached: bool,
    /// What the engine `delays` observes, as it is written on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observe: Option<String>,
    /// Which actions the engine `delays` tries, by the name on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closure: Option<String>,
    /// Proves with the predicates of the program alone.
    #[serde(default)]
    pub given_predicates: bool,
    /// Options for programs in C.
    #[serde(default)]
    pub c: CAsk,
}

/// What a page says about a program in C. Folders and macros of the preprocessor are left to the command line: they name
/// files.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CAsk {
    /// How wide `long` and pointers are, by the name on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_model: Option<String>,
    /// How many objects each `malloc` has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u32>,
    /// What must hold, by the names on the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<String>,
}

impl Ask {
    /// Reads a question; none if the text is no question.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The kind of question that a page asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Posed {
    /// Is a violation reachable at all?
    #[default]
    Verify,
    /// Within a number of contexts?
    Contexts,
    /// Within a number of rounds?
    Rounds,
    /// Is there a fair run that never ends?
    Livelock,
}

/// The data that a page gets when it is opened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Setup {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// Counts how often the file was found to be another one.
    pub revision: u64,
    /// Its text.
    pub source: String,
    /// Why it cannot be explored as it is now, if it cannot.
    pub wrong: Option<String>,
    /// What kind of text it is.
    pub language: Language,
    /// The engines that may be asked for.
    pub engines: Vec<EngineWord>,
    /// The threads, with their numbers.
    pub threads: Vec<ThreadCount>,
    /// The constants, with the values that the text gives them.
    pub consts: Vec<Constant>,
    /// Options that only the command line sets: they name files or programs.
    pub fixed: Vec<String>,
    /// The question to begin with.
    pub ask: Ask,
}

impl Setup {
    /// The setup in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The kind of text that a page is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// A program in `.weave` or `.bp`.
    Program,
    /// A program in C.
    C,
    /// A table.
    Table,
}

/// An engine, and a word on what it does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct EngineWord {
    /// Its name on the command line.
    pub name: String,
    /// What it does.
    pub about: String,
}

/// A constant of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value in the text.
    pub value: String,
}

/// How many threads there are of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ThreadCount {
    /// The kind.
    pub name: String,
    /// The number of threads; `None` is any number.
    pub count: Option<u32>,
}

/// An event that a page hears while an engine runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Live {
    /// A bound was completed.
    Below(Below),
    /// A cut was completed.
    Above(Above),
    /// Another question begins, or something else is to be said.
    Note {
        /// The note in words.
        text: String,
    },
    /// A sign that the run goes on.
    Tick {
        /// Since the start, in seconds.
        time_s: f64,
        /// How many bytes are in use.
        memory_bytes: u64,
    },
    /// The answer is there, and a document without what is still being made beside it.
    Answered,
    /// The document is there.
    Done,
    /// There is no document.
    Failed {
        /// Why there is none.
        text: String,
    },
}

impl Live {
    /// The event in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
