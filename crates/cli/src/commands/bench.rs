//! `selvedge bench`: measurements, one file each.

mod random;

use clap::{Args as ClapArgs, Subcommand};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Measure Selvedge
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

/// What is measured.
#[derive(Subcommand, Debug)]
enum What {
    Random(random::Args),
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    match &args.what {
        What::Random(args) => random::run(args, output),
    }
}
