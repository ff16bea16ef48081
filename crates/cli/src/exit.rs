//! # Exit codes and failures
//! The codes are a contract with scripts: see `selvedge --help`.

use std::io::{self, Write};
use std::panic;
use std::path::PathBuf;
use std::process::{self, ExitCode};

use clap::error::ErrorKind;
use selvedge::{Blame, Failure, VerdictName, failure_report};
use selvedge_frontend::{explain, show_path};
use selvedge_report::json;

use crate::tips::advised;

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

impl Exit {
    /// The end that another process has had.
    pub fn of_code(code: u8) -> Self {
        use Exit::*;
        let all = [Done, Bounded, Unsafe, Nonterminating, Unknown, Usage, WrongInput, Unreadable];
        all.into_iter().find(|exit| *exit as u8 == code).unwrap_or(Bug)
    }
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

impl From<VerdictName> for Exit {
    fn from(verdict: VerdictName) -> Self {
        match verdict {
            VerdictName::Safe => Exit::Done,
            VerdictName::Bounded => Exit::Bounded,
            VerdictName::Unsafe => Exit::Unsafe,
            VerdictName::Nonterminating => Exit::Nonterminating,
            VerdictName::Unknown => Exit::Unknown,
        }
    }
}

impl From<&Failure> for Exit {
    fn from(failure: &Failure) -> Self {
        match failure.blame() {
            Blame::Options => Exit::Usage,
            Blame::Input => Exit::WrongInput,
            Blame::File => Exit::Unreadable,
            Blame::System => Exit::Unknown,
            Blame::Bug => Exit::Bug,
        }
    }
}

/// Prints what clap has to say: help and version are answers, the rest is wrong usage.
pub fn usage(error: clap::Error) -> ExitCode {
    let error = advised(error);
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !is_answer && asks_for_json() {
        let message = error.to_string();
        // What follows an empty line is help for people.
        let words = message.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let words: Vec<_> = words.split_whitespace().collect();
        let object = json::print(&failure_report(&Failure::usage(words.join(" ")), None));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_end_as_the_library_says() {
        use VerdictName::*;
        for verdict in [Safe, Bounded, Unsafe, Nonterminating, Unknown] {
            assert_eq!(Exit::from(verdict) as u8, verdict.exit_code());
        }
    }

    #[test]
    fn failures_end_as_those_of_the_checker_do() {
        use Blame::*;
        for blame in [Options, Input, File, System, Bug] {
            let failure = Failure::Message(blame, String::new());
            assert_eq!(Exit::from(&failure) as u8, blame.exit_code());
        }
    }
}
