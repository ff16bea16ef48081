//! # Tables
//! `.pds` with `.init` and `.spec`, the self-contained `.cpds`, and `.tts` with `.prop`.
//!
//! All three are lists of rules, so they share everything but their first lines: one scanner
//! (`words`), one reader of rules (`rule`), one reader of initial states and targets
//! (`pattern`), and one way to a system (`draft`), which also finds the symmetry. Each format
//! has a file that says only what is its own. [`print`](mod@print) writes tables again.

mod cpds;
mod draft;
mod pattern;
mod pds;
pub mod print;
mod rule;
#[cfg(test)]
mod tests;
mod to_program;
mod tts;
mod words;

use selvedge_model::{Budget, Patience, Property, Tables};
use selvedge_program::{Source, ThreadCounts};

use crate::{Diagnostic, Diagnostics, LoadError};
use draft::{Draft, Group};
pub use to_program::{can_express, to_program};

/// A system read from tables, with what must not be reached.
#[derive(Clone, Debug)]
pub struct TableInput {
    /// The system.
    pub tables: Tables,
    /// The targets; empty if none was given.
    pub targets: Vec<Property>,
}

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Numbers; the initial state and the target stand in other files.
    Pds,
    /// Names; everything in one file.
    Cpds,
    /// Thread transition systems: no stacks, but new threads.
    Tts,
}

impl Format {
    /// The endings of the files for the initial state and the targets, where they are not part of
    /// the table.
    #[must_use]
    pub fn beside(self) -> (Option<&'static str>, Option<&'static str>) {
        match self {
            Format::Pds => (Some("init"), Some("spec")),
            Format::Cpds => (None, None),
            Format::Tts => (None, Some("prop")),
        }
    }
}

/// Input that belongs to a table and is not in its file.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The initial state: of the `.init` file or `--init`. It replaces that of the table.
    pub init: Option<Source>,
    /// The targets: of the `.spec` or `.prop` file, or `--target`. They replace those of the
    /// table.
    pub target: Option<Source>,
    /// Numbers of threads (`--threads NAME=N`) that replace those of the table.
    pub threads: ThreadCounts,
}

/// Reads a table. What is wrong is reported for one source at a time: the table, then the
/// initial state, then the targets.
pub fn read(format: Format, source: &Source, beside: &Beside) -> Result<TableInput, LoadError> {
    read_within(format, source, beside, &Budget::default())
}

/// Reads a table, unless the budget ends before that is done.
pub fn read_within(
    format: Format,
    source: &Source,
    beside: &Beside,
    budget: &Budget,
) -> Result<TableInput, LoadError> {
    let mut report = Report { wrong: Vec::new(), patience: Patience::new(budget) };
    let mut targets_at = Vec::new();
    let mut draft = match format {
        Format::Pds => pds::parse(source, &mut report),
        Format::Cpds => {
            let file = cpds::parse(source, beside.init.is_none(), &mut report);
            targets_at = file.targets;
            file.draft
        }
        Format::Tts => tts::parse(source, &mut report),
    };
    report.finish(source)?;
    set_counts(&mut draft, format, source, beside)?;
    let unusable = |reason| LoadError::Unusable(format!("{}: {reason}", source.name()));
    let mut stage = draft.assemble().map_err(unusable)?;

    match &beside.init {
        Some(init) => {
            pattern::initial(&mut stage, init, format, &mut report);
            report.finish(init)?;
        }
        None if format == Format::Pds => {
            return Err(unusable(pds::no_initial_state(source, &stage)));
        }
        None => {}
    }
    let targets = match &beside.target {
        Some(target) => {
            let targets = pattern::targets(&mut stage, target, format, &mut report);
            report.finish(target)?;
            targets
        }
        None => {
            let targets = cpds::targets(&mut stage, targets_at, &mut report);
            report.finish(source)?;
            targets
        }
    };
    Ok(stage.build(targets))
}

/// Sets the numbers of threads that the command line asks for.
fn set_counts(
    draft: &mut Draft,
    format: Format,
    source: &Source,
    beside: &Beside,
) -> Result<(), LoadError> {
    for (name, &count) in &beside.threads {
        match draft.groups.iter_mut().find(|group| group.name == *name) {
            Some(group) if format != Format::Pds => group.count = count,
            _ => {
                let reason = match format {
                    Format::Pds => "there is one thread for each PDA".to_owned(),
                    _ => format!("the threads are {}", list(&draft.groups)),
                };
                let (file, name) = (source.name(), words::shorten(name));
                let message = format!("--threads {name}={count}: in {file}, {reason}");
                return Err(LoadError::Option(message));
            }
        }
    }
    Ok(())
}

/// The names of threads, but not too many.
fn list(groups: &[Group]) -> String {
    let names: Vec<_> = groups.iter().take(20).map(|group| group.name.as_str()).collect();
    names.join(", ") + if groups.len() > names.len() { ", …" } else { "" }
}

/// The mistakes so far, and the limits of reading.
struct Report {
    wrong: Vec<Diagnostic>,
    patience: Patience,
}

impl Report {
    /// A file with more mistakes than this is of another kind; the rest is not listed.
    const MOST: usize = 10_000;

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.wrong.len() < Self::MOST {
            self.wrong.push(diagnostic);
        }
    }

    /// Whether to read another line.
    fn lasts(&self) -> bool {
        self.patience.lasts(1)
    }

    /// Whether anything was wrong with a source. Starts anew for the next one.
    fn finish(&mut self, source: &Source) -> Result<(), LoadError> {
        self.patience.end()?;
        if self.wrong.is_empty() {
            return Ok(());
        }
        let list = std::mem::take(&mut self.wrong);
        Err(LoadError::Invalid(Diagnostics::new(source.clone(), list)))
    }
}
