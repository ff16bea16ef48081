//! `selvedge check`: the bounded question, answered exactly.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use selvedge_analysis::engine::check;

use super::engine::{Asked, EngineOptions, note_missing_target};
use crate::args::{InputArgs, number};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Look for a violation within a number of contexts
///
/// A context is a run of one thread: k contexts are k - 1 switches. Within the bound the answer
/// is exact. If nothing is new before the bound is reached, no larger bound adds anything, and
/// the answer is safe.
///
/// Ends with 1 if there is no violation within the bound, with 0 if there is none at all, with 10
/// if there is one, with 20 if the answer is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The largest number of contexts
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true)]
    contexts: usize,
    /// Show all values and stacks after each step of a violation
    #[arg(long)]
    full: bool,
    /// Write what the answer rests on to this file, for `selvedge recheck`
    #[arg(long, value_name = "PATH")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let asked = Asked::new(&args.input, &args.engine, output)?;
    let asked = asked.with_evidence(args.evidence.clone())?.within(args.contexts);
    note_missing_target(&asked, output);
    let (outcome, cost) =
        asked.run(output, |question, budget, tell| check(question, args.contexts, budget, tell));
    asked.answer(&outcome, cost, args.full, output)
}
