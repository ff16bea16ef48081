//! `selvedge bench`: measurements, one file each.

mod adapter;
mod child;
mod manifest;
mod random;
mod suite;

use clap::{Args as ClapArgs, Subcommand};
use selvedge::Failure;

use crate::exit::Exit;
use crate::output::Output;

/// Measure Selvedge: a suite of questions over engines and other tools, with tables and plots
///
/// Every run is a process of its own, so that one that dies or grows too large is a row of the
/// table. Writes `results.md`, `results.csv` and plots to a folder.
///
/// Ends with 10 if an answer is wrong: it is not the expected one, or two runs contradict each
/// other. Otherwise with 1 if --compare finds an answer that is gone or became another one, with
/// 20 if it is interrupted, and with 0.
#[derive(ClapArgs, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(flatten)]
    suite: suite::SuiteArgs,
    #[command(subcommand)]
    what: Option<What>,
}

/// What else is measured.
#[derive(Subcommand, Debug)]
enum What {
    Random(random::Args),
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    match &args.what {
        Some(What::Random(args)) => random::run(args, output),
        None => suite::run(&args.suite, output),
    }
}
