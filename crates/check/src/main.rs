//! # `selvedge-check`
//! Checks evidence and does nothing else. Prints and ends as `selvedge recheck` does.

use std::alloc::System;
use std::io::{self, Write};
use std::panic;
use std::process::{self, ExitCode};
use std::time::Instant;

use cap::Cap;
use clap::Parser;
use clap::error::ErrorKind;
use selvedge_check::command::guard::{self, Overrun, Watched};
use selvedge_check::command::{self, Interrupt, Program};
use selvedge_check::{Blame, Failure, RecheckOptions, Subject, recheck};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    let start = Instant::now();
    report_panics_as_bugs();
    let args = match Program::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    let checked = run(&args, start);
    guard::answers();
    let (shown, exit) = match checked {
        Ok(accepted) => (accepted, ExitCode::SUCCESS),
        // A limit that was reached before there was anything to refuse.
        Err(Failure::Stopped(stop)) => {
            (Overrun::new(stop).text(), ExitCode::from(Blame::System.exit_code()))
        }
        Err(failure) => return failed(&failure),
    };
    match io::stdout().write_all(shown.as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => failed(&Failure::unprinted(&why)),
        _ => exit,
    }
}

/// Says why there is nothing to print, and how the program ends.
fn failed(failure: &Failure) -> ExitCode {
    let said = match failure {
        Failure::Diagnostics(found) => found.render(false).trim_end().to_owned(),
        failure => format!("error: {}", failure.to_string().trim_end()),
    };
    complain(&said);
    ExitCode::from(failure.blame().exit_code())
}

/// Checks the evidence; what is printed if it holds.
fn run(args: &Program, start: Instant) -> Result<String, Failure> {
    let Program { check: args, quiet } = args;
    command::refuse_swapped("selvedge-check", &args.evidence, &args.input.file)?;
    let in_use = || ALLOCATOR.allocated();
    let (timeout, memory) = (args.timeout, args.memory);
    // A check is made by one thread, which takes again what it gave away.
    let watched = Watched { timeout, memory, memory_in_use: in_use, give_back: || {} };
    guard::start(&watched, Overrun::text);
    let flag = Interrupt::install(guard::interrupted).flag();
    let budget = command::budget(start, args.timeout, args.memory, in_use, flag);
    // What is wrong with the input is said before anything about the evidence.
    let subject = Subject::read(&args.input.file, (&args.input.options).into())?;
    if let Some(warnings) = subject.warnings().filter(|w| !quiet && !w.list.is_empty()) {
        complain(warnings.render(false).trim_end());
    }
    let evidence = command::read(&args.evidence, &budget)?;
    let solver = Some(args.solver.clone());
    let checked =
        recheck(&subject, &evidence, &RecheckOptions { deadlock: args.deadlock, solver, budget })?;
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
