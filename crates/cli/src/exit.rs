//! # Exit codes and failures
//! The codes are a contract with scripts: see `selvedge --help`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::{fmt, panic};

use clap::error::ErrorKind;
use selvedge_frontend::{Diagnostic, Diagnostics, LoadError, Severity, explain, show_path};
use selvedge_model::Fault;
use selvedge_report::json::{self, DiagnosticReport, FailureReport};

/// How the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The command did what it was asked.
    Done = 0,
    /// There is no violation within the bound that was asked for.
    Bounded = 1,
    /// A violation was seen.
    Unsafe = 10,
    /// A fair run never ends.
    Nonterminating = 11,
    /// The question could not be answered.
    Unknown = 20,
    /// The command line is wrong.
    Usage = 64,
    /// The input is wrong.
    WrongInput = 65,
    /// A file cannot be read or written.
    Unreadable = 66,
    /// A bug in Selvedge.
    Bug = 70,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// The exit codes, for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
   0  safe: proved for every schedule; for other commands: done, nothing wrong was seen
   1  bounded: no violation within the bound; not a proof
  10  unsafe: a violation was seen
  11  nonterminating: a fair run that never ends was found
  20  unknown: the question could not be answered, the reason is given
  64  the command line is wrong
  65  the input is wrong
  66  a file cannot be read or written
  70  a bug in Selvedge";

/// Why a command cannot do what it was asked.
#[derive(Debug)]
pub enum Failure {
    /// One message.
    Message(Exit, String),
    /// What is wrong with an input, with places.
    Diagnostics(Diagnostics),
}

impl Failure {
    /// The command line is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Failure::Message(Exit::Usage, message.to_string())
    }

    /// The input is wrong.
    pub fn input(message: impl fmt::Display) -> Self {
        Failure::Message(Exit::WrongInput, message.to_string())
    }

    /// A file cannot be written.
    pub fn unwritable(path: &Path, reason: io::Error) -> Self {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let why = match directory {
            Some(parent) if reason.kind() == io::ErrorKind::NotFound && !parent.exists() => {
                format!("there is no directory {}", show_path(parent))
            }
            _ => explain(&reason),
        };
        let message = format!("cannot write {}: {why}", show_path(path));
        Failure::Message(Exit::Unreadable, message)
    }

    /// A file cannot be read.
    pub fn unreadable(path: &Path, reason: &io::Error) -> Self {
        let message = format!("cannot read {}: {}", show_path(path), explain(reason));
        Failure::Message(Exit::Unreadable, message)
    }

    /// What is wrong, as an object for other programs.
    pub fn report(&self, file: Option<String>) -> FailureReport {
        let (reason, diagnostics) = match self {
            Failure::Message(_, message) => (Some(message.clone()), Vec::new()),
            Failure::Diagnostics(diagnostics) => (None, places(diagnostics)),
        };
        FailureReport { selvedge: json::VERSION, file, verdict: None, reason, diagnostics }
    }

    /// The answer cannot be printed.
    pub fn unprinted(reason: &io::Error) -> Self {
        let message = format!("cannot print the answer: {}", explain(reason));
        Failure::Message(Exit::Unreadable, message)
    }

    /// Selvedge is wrong.
    pub fn bug(message: impl fmt::Display) -> Self {
        let message = format!(
            "{message}\n\nThis is a bug in Selvedge, not in your input. Please report it: send the \
             command line and the input files."
        );
        Failure::Message(Exit::Bug, message)
    }

    /// How the program ends because of it.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Message(exit, _) => *exit,
            Failure::Diagnostics(diagnostics) => match diagnostics.source.name() {
                // The text that is wrong stands on the command line.
                "--init" | "--target" => Exit::Usage,
                _ => Exit::WrongInput,
            },
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Message(_, message) => f.write_str(message),
            Failure::Diagnostics(diagnostics) => diagnostics.fmt(f),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Invalid(diagnostics) => Failure::Diagnostics(diagnostics),
            LoadError::Unreadable { ref path, .. } => {
                let path = Path::new(path);
                let meant = if path.exists() { None } else { meant(path) };
                let meant = meant.map_or_else(String::new, |it| format!("; did you mean {it}?"));
                Failure::Message(Exit::Unreadable, format!("{error}{meant}"))
            }
            LoadError::Option(message) => Failure::usage(message),
            LoadError::Unusable(message) => Failure::input(message),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Message(Exit::Unknown, fault.to_string())
    }
}

/// Errors and warnings, as objects for other programs.
pub fn places(diagnostics: &Diagnostics) -> Vec<DiagnosticReport> {
    let report = |d: &Diagnostic| {
        let place = diagnostics.source.line_column(d.label.span.start);
        DiagnosticReport {
            file: diagnostics.source.name().to_owned(),
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: d.message.clone(),
            line: place.line,
            column: place.column,
            hint: d.hint.clone(),
        }
    };
    diagnostics.list.iter().map(report).collect()
}

/// More files than this are not looked at for a similar name.
const MOST_FILES: usize = 1000;

/// A file beside one that is not there: the same with an ending, or with a similar name.
fn meant(path: &Path) -> Option<String> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let wanted = path.file_name()?.to_str()?;
    let entries = folder.read_dir().ok()?.take(MOST_FILES).flatten();
    let names = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut names: Vec<String> = names.filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    let stem = |name: &&String| Path::new(name).file_stem().is_some_and(|stem| stem == wanted);
    let found = names.iter().find(stem).map(String::as_str);
    let distance = |name: &&String| strsim::damerau_levenshtein(wanted, name);
    let nearest = || names.iter().min_by_key(distance).filter(|name| distance(name) <= 2);
    let found = found.or_else(|| nearest().map(String::as_str))?;
    Some(show_path(&path.with_file_name(found)))
}

/// Prints what clap has to say: help and version are answers, the rest is wrong usage.
pub fn usage(error: &clap::Error) -> ExitCode {
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !is_answer && asks_for_json() {
        let message = error.to_string();
        // What follows an empty line is help for people.
        let words = message.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let words: Vec<_> = words.split_whitespace().collect();
        let object = json::print(&Failure::usage(words.join(" ")).report(None));
        // That it cannot be printed changes nothing about what is wrong.
        let _ = io::stdout().write_all(object.as_bytes());
    }
    match error.print() {
        Err(reason) if reason.kind() != io::ErrorKind::BrokenPipe => {
            // Nobody is left to tell when this cannot be printed either.
            let _ = writeln!(io::stderr(), "error: cannot print the answer: {}", explain(&reason));
            return Exit::Unreadable.into();
        }
        _ => {}
    }
    let first = std::env::args_os().nth(1).map(PathBuf::from);
    if let (ErrorKind::InvalidSubcommand, Some(file)) = (error.kind(), first)
        && file.is_file()
    {
        let file = show_path(&file);
        let _ = writeln!(
            io::stderr(),
            "\n{file} is a file: `selvedge verify {file}` proves or refutes it"
        );
    }
    if is_answer { Exit::Done.into() } else { Exit::Usage.into() }
}

/// Whether the arguments, which make no sense as a whole, ask for JSON.
fn asks_for_json() -> bool {
    let words: Vec<_> = std::env::args_os().collect();
    words.iter().any(|word| word == "--format=json")
        || words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

/// A panic is always a bug: say so, say how to report it, and end with the code for it.
pub fn report_panics_as_bugs() {
    panic::set_hook(Box::new(|panic| {
        let version = env!("CARGO_PKG_VERSION");
        eprintln!(
            "selvedge {version}: {panic}\n\n\
             This is a bug in Selvedge, not in your input. Please report it: send the command \
             line, the input files and the text above."
        );
        process::exit(Exit::Bug as i32);
    }));
}
