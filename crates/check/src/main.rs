//! # `selvedge-check`
//! Checks evidence and does nothing else. Prints and ends as `selvedge recheck` does.

use std::alloc::System;
use std::io::{self, Write};
use std::panic;
use std::path::PathBuf;
use std::process::{self, ExitCode};
use std::time::{Duration, Instant};

use cap::Cap;
use clap::Parser;
use clap::error::ErrorKind;
use selvedge_check::command::{self, InputArgs, Interrupt, limits};
use selvedge_check::{Asked, Blame, Failure, Subject, recheck};
use selvedge_smt::solver::DEFAULT;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Checks the evidence of an answer of Selvedge, and has no code of a search in it.
///
/// Evidence is written by `selvedge verify --evidence PATH`, and by `check` and `livelock`. A run is
/// replayed; a proof is looked at state by state, value by value, or by an SMT solver. Give the file,
/// and the options that the question had. `selvedge recheck` does the same.
#[derive(Parser, Debug)]
#[command(name = "selvedge-check", version, after_help = EXIT_CODES)]
struct Args {
    /// The evidence
    #[arg(value_name = "EVIDENCE")]
    evidence: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// The evidence is about deadlocks, too
    #[arg(long)]
    deadlock: bool,
    /// Stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time)]
    timeout: Option<Duration>,
    /// Stop when this much memory is in use: 4GiB, 500MB [default: 80% of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    memory: Option<usize>,
    /// The SMT solver, for proofs by predicates: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT)]
    solver: String,
    /// No warnings, only the answer
    #[arg(short, long)]
    quiet: bool,
}

/// The exit codes, for `--help`.
const EXIT_CODES: &str = "\
Exit codes:
   0  the evidence is accepted
  20  nothing is known: the program was ended, or the system cannot say what its actions are
  64  the command line is wrong
  65  the evidence is refused, or could not be checked within the limits; or the input is wrong
  66  a file cannot be read
  70  a bug in Selvedge";

fn main() -> ExitCode {
    let start = Instant::now();
    report_panics_as_bugs();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let ended = run(&args, start).and_then(|accepted| {
        match io::stdout().write_all(accepted.as_bytes()).and_then(|()| io::stdout().flush()) {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(Failure::unprinted(&why)),
            _ => Ok(()),
        }
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let said = match &failure {
                Failure::Message(_, message) => format!("error: {}", message.trim_end()),
                Failure::Diagnostics(found) => found.render(false).trim_end().to_owned(),
            };
            complain(&said);
            ExitCode::from(failure.blame().exit_code())
        }
    }
}

/// Checks the evidence; what is printed if it holds.
fn run(args: &Args, start: Instant) -> Result<String, Failure> {
    command::refuse_swapped("selvedge-check", &args.evidence, &args.input.file)?;
    let flag = Interrupt::install(|| {}).flag();
    let in_use = || ALLOCATOR.allocated();
    let budget = command::budget(start, args.timeout, args.memory, in_use, flag);
    // What is wrong with the input is said before anything about the evidence.
    let subject = Subject::read(&args.input.file, (&args.input.options).into())?;
    if let Some(warnings) = subject.warnings().filter(|w| !args.quiet && !w.list.is_empty()) {
        complain(warnings.render(false).trim_end());
    }
    let evidence = command::read(&args.evidence, &budget)?;
    let solver = Some(args.solver.clone());
    let checked = recheck(&subject, &evidence, &Asked { deadlock: args.deadlock, solver, budget })?;
    let accepted = checked.map_err(|why| command::refused(&args.evidence, &why))?;
    Ok(format!("accepted: {}", command::shown(&accepted.checked, &accepted.property)))
}

/// Prints what clap has to say: help and version are answers, the rest is wrong usage.
fn usage(error: &clap::Error) -> ExitCode {
    let is_answer = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    match error.print() {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            let failure = Failure::unprinted(&why);
            complain(&format!("error: {failure}"));
            ExitCode::from(failure.blame().exit_code())
        }
        _ if is_answer => ExitCode::SUCCESS,
        _ => ExitCode::from(Blame::Options.exit_code()),
    }
}

/// Prints to standard error. Nobody is left to tell when that cannot be done.
fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A panic is always a bug: says so, says how to report it, and ends with the code for it.
fn report_panics_as_bugs() {
    panic::set_hook(Box::new(|panic| {
        let version = env!("CARGO_PKG_VERSION");
        complain(&format!("selvedge-check {version}: {}", Failure::bug(panic)));
        process::exit(i32::from(Blame::Bug.exit_code()));
    }));
}

/// Checks that the definition of the arguments is consistent.
#[test]
fn arguments_are_well_defined() {
    <Args as clap::CommandFactory>::command().debug_assert();
}
