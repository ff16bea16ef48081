//! # The command line
//!
//! A thin client: it reads arguments, calls the libraries, prints what they return and ends with
//! the exit code that says what is known. Standard output is the answer; notes go to standard
//! error.

mod args;
mod commands;
mod exit;
mod guard;
mod input;
mod memory;
mod output;
mod progress;
mod save;
mod tips;

use std::process::ExitCode;

use args::Args;

use output::Output;

fn main() -> ExitCode {
    selvedge_pages::share_among_threads();
    exit::report_panics_as_bugs();
    let words: Vec<_> = std::env::args_os().collect();
    let args = match Args::typed(&words) {
        Ok(args) => args,
        Err(error) => return exit::usage(error),
    };
    let mut output = Output::new(&args.common);
    let exit = match commands::run(args.command, &mut output) {
        Ok(exit) => exit,
        Err(failure) => output.fail(&failure),
    };
    output.finish(exit).into()
}

/// Checks that the definition of the arguments is consistent.
#[test]
fn arguments_are_well_defined() {
    <Args as clap::CommandFactory>::command().debug_assert();
}
