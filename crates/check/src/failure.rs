//! # Failures
//! Why a question cannot be asked: where, what, and what to do about it.

use std::path::Path;
use std::{error, fmt, io};

use selvedge_frontend::{Diagnostics, LoadError, explain, has_known_ending, show_path};
use selvedge_model::{Fault, Stop};

/// Says whose mistake a failure is: that of the options, the input, a file, or of Selvedge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// Whoever gave the options: they are wrong.
    Options,
    /// Whoever wrote the input: it is wrong.
    Input,
    /// A file that cannot be read or written.
    File,
    /// The system: it cannot say what its actions are, and nothing is known.
    System,
    /// A bug in Selvedge.
    Bug,
}

impl Blame {
    /// The exit code: 64 for the options, 65 the input, 66 a file, 20 the system, 70 a bug.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Blame::Options => 64,
            Blame::Input => 65,
            Blame::File => 66,
            Blame::System => 20,
            Blame::Bug => 70,
        }
    }
}

/// Why a question cannot be asked, or a command cannot do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// One message, and whose mistake it is.
    Message(Blame, String),
    /// The mistakes in an input, with their places.
    Diagnostics(Diagnostics),
    /// A limit was reached before there was anything to be asked about.
    Stopped(Stop),
}

impl Failure {
    /// A failure of wrong options.
    pub fn usage(message: impl fmt::Display) -> Self {
        Failure::Message(Blame::Options, message.to_string())
    }

    /// A failure of a wrong input.
    pub fn input(message: impl fmt::Display) -> Self {
        Failure::Message(Blame::Input, message.to_string())
    }

    /// A file cannot be written.
    #[must_use]
    pub fn unwritable(path: &Path, reason: &io::Error) -> Self {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let why = match directory {
            Some(parent) if reason.kind() == io::ErrorKind::NotFound && !parent.exists() => {
                format!("there is no directory {}", show_path(parent))
            }
            _ => explain(reason),
        };
        let message = format!("cannot write {}: {why}", show_path(path));
        Failure::Message(Blame::File, message)
    }

    /// A file cannot be read.
    #[must_use]
    pub fn unreadable(path: &Path, reason: &io::Error) -> Self {
        let message = format!("cannot read {}: {}", show_path(path), explain(reason));
        Failure::Message(Blame::File, message)
    }

    /// The answer cannot be printed.
    #[must_use]
    pub fn unprinted(reason: &io::Error) -> Self {
        let message = format!("cannot print the answer: {}", explain(reason));
        Failure::Message(Blame::File, message)
    }

    /// A failure that is a bug in Selvedge.
    pub fn bug(message: impl fmt::Display) -> Self {
        let message = format!(
            "{message}\n\nThis is a bug in Selvedge, not in your input. Please report it: send the \
             command line and the input files."
        );
        Failure::Message(Blame::Bug, message)
    }

    /// Says whose mistake it is.
    #[must_use]
    pub fn blame(&self) -> Blame {
        match self {
            Failure::Message(blame, _) => *blame,
            Failure::Stopped(_) => Blame::System,
            Failure::Diagnostics(diagnostics) => match diagnostics.source.name() {
                // The text that is wrong is that of an option.
                "--init" | "--target" => Blame::Options,
                _ => Blame::Input,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Message(_, message) => f.write_str(message),
            Failure::Diagnostics(diagnostics) => diagnostics.fmt(f),
            Failure::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl error::Error for Failure {}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid(diagnostics) => Failure::Diagnostics(diagnostics),
            LoadError::Unreadable { ref path, .. } => {
                let path = Path::new(path);
                let hint = match (path.is_dir(), path.exists()) {
                    (true, _) => {
                        inside(path).map(|it| format!("; name a program in it, for example {it}"))
                    }
                    (_, true) => None,
                    (_, false) => meant(path).map(|it| format!("; did you mean {it}?")),
                };
                Failure::Message(Blame::File, format!("{error}{}", hint.unwrap_or_default()))
            }
            LoadError::Option(message) => Failure::usage(message),
            LoadError::Unusable(message) => Failure::input(message),
            LoadError::Stopped(stop) => Failure::Stopped(stop),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match Stop::from(fault) {
            Stop::Fault(fault) => Failure::Message(Blame::System, fault.to_string()),
            stop => Failure::Stopped(stop),
        }
    }
}

/// More files than this are not looked at for a similar name.
const MOST_FILES: usize = 1000;

/// The files of a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().take(MOST_FILES).flatten();
    let names = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut names: Vec<String> = names.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// A file of a folder that could be meant.
fn inside(folder: &Path) -> Option<String> {
    let name = names(folder).into_iter().find(|name| has_known_ending(Path::new(name)))?;
    Some(show_path(&folder.join(name)))
}

/// A file beside one that is not there: the same with an ending, or with a similar name.
fn meant(path: &Path) -> Option<String> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let wanted = path.file_name()?.to_str()?;
    let names = names(folder);
    let stem = |name: &&String| Path::new(name).file_stem().is_some_and(|stem| stem == wanted);
    // Of `lock.pml` and `lock.weave`, one can be read.
    let is_known = |name: &&String| has_known_ending(Path::new(name));
    let with_ending: Vec<&String> = names.iter().filter(stem).collect();
    let known = with_ending.iter().copied().rfind(is_known);
    let found = known.or_else(|| with_ending.first().copied()).map(String::as_str);
    let distance = |name: &&String| strsim::damerau_levenshtein(wanted, name);
    let nearest = || names.iter().min_by_key(distance).filter(|name| distance(name) <= 2);
    let found = found.or_else(|| nearest().map(String::as_str))?;
    Some(show_path(&path.with_file_name(found)))
}
