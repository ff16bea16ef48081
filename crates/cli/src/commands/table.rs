//! `selvedge table`: what is new at each bound.

use std::time::Instant;

use clap::Args as ClapArgs;
use selvedge::{Failure, Options, Resource, table};
use selvedge_analysis::engine::Verdict;
use selvedge_report::json;

use super::answer::with_progress;
use super::engine::EngineOptions;
use crate::args::{Format, InputArgs, number};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;

/// Longer lists of states are shown only with --full.
const SHORT_LIST: usize = 30;

/// Show the observation table: what is new at each number of contexts, or of rounds
///
/// For each bound: how many states it reaches, how many visible states (the shared state and the
/// top of each stack), and how many of them need it. A bound at which nothing visible is new is a
/// plateau; more may follow. By default the table ends where it has collapsed: nothing visible is
/// new with any larger number. Assertions and targets do not matter.
///
/// Ends with 0 if the table is complete, with 20 if a limit came first.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The largest number of contexts; where threads are started without end, there is no table
    /// without it
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true)]
    contexts: Option<usize>,
    /// Count rounds in the place of contexts: the largest number of them
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true,
          conflicts_with = "contexts")]
    rounds: Option<usize>,
    /// List all new visible states, not only where they are few
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    engine: EngineOptions,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.engine.engine.need_bound(Resource::Contexts)?;
    let start = Instant::now();
    let subject = input::load(&args.input, output)?;
    let listed = if args.full { usize::MAX } else { SHORT_LIST };
    let (resource, most) = match args.rounds {
        Some(_) => (Resource::Rounds, args.rounds),
        None => (Resource::Contexts, args.contexts),
    };
    let options = args.engine.options(args.engine.limits.since(start));
    let ask = |options: &Options| table(&subject, resource, most, listed, options);
    let observed = with_progress(options, output, ask)?;
    let report = observed.report();
    output.print(&match output.format {
        Format::Text | Format::Sarif => report.text(output.paint),
        Format::Json => json::print(&report.json()),
        Format::Markdown => report.markdown(),
        Format::Csv => report.csv(),
    });
    match observed.table.outcome.verdict {
        Verdict::Unknown { .. } => Ok(Exit::Unknown),
        _ => Ok(Exit::Done),
    }
}
