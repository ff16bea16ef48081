//! What a page may ask for, and what it is told meanwhile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Above, Below};

/// A question that a page asks about the program it was opened with. Nothing in it names a file.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What is asked.
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
    /// Deadlocks, too.
    #[serde(default)]
    pub deadlock: bool,
    /// When to stop, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
    /// Numbers of threads, by name.
    #[serde(default)]
    pub threads: BTreeMap<String, u32>,
}

impl Ask {
    /// Reads a question; none if the text is no question.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// What is asked.
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

/// What a page is told when it is opened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Setup {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// Its text.
    pub source: String,
    /// The engines that may be asked for.
    pub engines: Vec<String>,
    /// The threads, with their numbers.
    pub threads: Vec<ThreadCount>,
    /// What is asked first.
    pub ask: Ask,
}

/// How many threads there are of a kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ThreadCount {
    /// The kind.
    pub name: String,
    /// How many; none is any number.
    pub count: Option<u32>,
}

/// What happens while an engine runs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Live {
    /// A bound was completed.
    Below(Below),
    /// A cut was completed.
    Above(Above),
    /// Another question begins, or something else is to be said.
    Note {
        /// In words.
        text: String,
    },
    /// Time goes by.
    Tick {
        /// Since the start, in seconds.
        time_s: f64,
        /// How many bytes are in use.
        memory_bytes: u64,
    },
    /// The document is there.
    Done,
    /// There is none.
    Failed {
        /// Why.
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
