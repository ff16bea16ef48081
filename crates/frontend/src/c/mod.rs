//! # C with POSIX threads
//! - `lexer` and `literals`: text to tokens, and what numbers and strings mean;
//! - `parse`: tokens to a [`tree`], C as it is written; [`Lines`] tells where a piece of preprocessed text comes from;
//! - `library`: functions of the library that are read with a text that calls them;
//! - `check`: gives the tree its types: [`typed`], over [`types`];
//! - `deep`: the stack on which all of these run;
//! - [`lower`]: says what it means, as a program; [`preprocess`] runs the preprocessor of the system.

mod check;
mod deep;
mod lexer;
mod library;
mod lines;
mod literals;
pub mod lower;
mod outline;
mod parse;
pub mod preprocess;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod typed;
pub mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use selvedge_program::Source;

use crate::Diagnostic;
use lower::{Lowered, Options};
use types::DataModel;

pub use check::check;
pub use deep::on_a_deep_stack;
pub use lines::Lines;
pub use outline::outline;
pub use parse::parse;

/// The settings for reading a text in C.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// How wide `long` and pointers are; what the headers of the text say, if nothing is said.
    pub model: Option<DataModel>,
    /// Where the preprocessor looks for headers (`-I`).
    pub include: Vec<PathBuf>,
    /// Macros for the preprocessor (`-D`).
    pub define: Vec<String>,
    /// What is asked, as far as it changes what the program does.
    pub options: Options,
    /// Properties that were asked for and are not checked, in words: every answer says so.
    pub unchecked: Vec<String>,
}

impl Settings {
    /// Names the settings that differ from the defaults, as options: nothing else than C has a use for them.
    #[must_use]
    pub fn said(&self) -> Vec<&str> {
        let told = self.told();
        let mut said = Vec::new();
        for (name, option) in
            [("property", "--property"), ("data-model", "--data-model"), ("heap", "--heap")]
        {
            said.extend(told.contains_key(name).then_some(option));
        }
        said.extend((!self.include.is_empty()).then_some("-I"));
        said.extend((!self.define.is_empty()).then_some("-D"));
        said
    }

    /// What makes another program of the same text, by name; nothing for what is so by default.
    #[must_use]
    pub fn told(&self) -> BTreeMap<String, String> {
        // Who sleeps is counted where deadlocks are asked for, and that is told in another place.
        let Options {
            heap,
            assertions,
            memory,
            overflow,
            races,
            ends_at_limits,
            marks_end,
            counts_threads,
            ..
        } = self.options;
        let usual = Options::default();
        let mut told = BTreeMap::new();
        let mut tell = |name: &str, value: String| drop(told.insert(name.to_owned(), value));
        if let Some(model) = self.model {
            let name = match model {
                DataModel::Ilp32 => "ilp32",
                DataModel::Lp64 => "lp64",
            };
            tell("data-model", name.to_owned());
        }
        if heap != usual.heap {
            tell("heap", heap.to_string());
        }
        let asked = [
            (assertions, "unreach-call"),
            (memory, "valid-memsafety"),
            (overflow, "no-overflow"),
            (races, "no-data-race"),
        ];
        if (assertions, memory, overflow, races) != (true, true, false, false) {
            let names = asked.into_iter().filter_map(|(is_asked, name)| is_asked.then_some(name));
            tell("property", names.collect::<Vec<_>>().join(", "));
        }
        if ends_at_limits {
            tell("limits", "end runs".to_owned());
        }
        if counts_threads {
            tell("threads", "one by one".to_owned());
        }
        if marks_end {
            tell("end", "a mark".to_owned());
        }
        told
    }
}

/// A preprocessed text as a program; or all that is wrong with it.
#[must_use]
pub fn read(source: &Source, settings: &Settings) -> (Option<Lowered>, Vec<Diagnostic>) {
    on_a_deep_stack(|| read_here(source, settings))
}

fn read_here(source: &Source, settings: &Settings) -> (Option<Lowered>, Vec<Diagnostic>) {
    let (unit, mut problems) = parse(source.text());
    if !problems.is_empty() {
        return (None, problems);
    }
    let model = settings.model.unwrap_or_else(|| model_of(source.text()));
    let (mut unit, more) = check(&unit, model);
    problems.extend(more);
    // Where the library's own functions do not fit what the text says of them, they stay unknown.
    let library = library::missing(&unit);
    if !library.is_empty() {
        let (whole, mistakes) = parse(&(source.text().to_owned() + &library));
        let (whole, more) = check(&whole, model);
        if mistakes.is_empty() && more.len() <= problems.len() {
            unit = whole;
        }
    }
    if problems.iter().any(|problem| problem.severity == crate::Severity::Error) {
        return (None, problems);
    }
    match lower::lower(&unit, settings.options) {
        Ok(lowered) => (Some(lowered), problems),
        Err(more) => {
            problems.extend(more);
            (None, problems)
        }
    }
}

/// Whether a file is in C, by the ending of its name.
#[must_use]
pub fn has_its_ending(path: &Path) -> bool {
    matches!(path.extension().and_then(|ending| ending.to_str()), Some("c" | "i"))
}

/// The data model that headers in a text were made for: they say what `size_t` is.
#[must_use]
pub fn model_of(text: &str) -> DataModel {
    let says = |words: &str| text.contains(words);
    if says("typedef unsigned int size_t") || says("typedef unsigned int __size_t") {
        DataModel::Ilp32
    } else {
        DataModel::Lp64
    }
}
