//! `selvedge bench random`: how many random questions are answered, and that no answer is wrong.

use std::time::Duration;

use clap::Args as ClapArgs;
use selvedge::Failure;
use selvedge_analysis::Budget;
use selvedge_analysis::trials::trial;
use selvedge_report::json;
use selvedge_report::trials::TrialsReport;

use crate::args::{Format, count};
use crate::exit::Exit;
use crate::output::Output;
use selvedge_check::command::Interrupt;
use selvedge_check::command::limits;

/// Ask about random small systems, and hold every answer against a plain enumeration
///
/// Each seed gives a concurrent pushdown system and a question: whether a visible state is
/// reachable, or which ones are. What `verify` answers must agree with a plain enumeration of the
/// states, as far as that goes, and its evidence must pass `recheck`.
///
/// Ends with 0 if no answer is wrong, with 70 and the seeds if one is, with 20 if it is
/// interrupted.
#[derive(ClapArgs, Debug)]
pub struct Args {
    /// How many questions
    #[arg(long, value_name = "N", value_parser = count, default_value = "10000")]
    count: u64,
    /// The first seed; the others follow one by one
    #[arg(long, value_name = "SEED", value_parser = count, default_value = "0")]
    seed: u64,
    /// How long each question may take: 1s, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time, default_value = "1s")]
    limit: Duration,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let interrupt = Interrupt::install(|| {});
    let budget = Budget { cancelled: vec![interrupt.flag()], ..Budget::default() };
    let mut trials = Vec::new();
    for number in 0..args.count {
        let done = trial(args.seed.wrapping_add(number), &budget, args.limit);
        if interrupt.is_requested() {
            break;
        }
        trials.push(done);
    }
    let report = TrialsReport {
        trials: &trials,
        wanted: args.count,
        first_seed: args.seed,
        limit: args.limit,
    };
    output.print(&match output.format {
        Format::Json => json::print(&report.json()),
        _ => report.text(output.paint),
    });
    let wrong: Vec<String> = report.wrong_seeds().iter().map(u64::to_string).collect();
    if !wrong.is_empty() {
        return Err(Failure::bug(format!("wrong answers for the seeds {}", wrong.join(", "))));
    }
    Ok(if interrupt.is_requested() { Exit::Unknown } else { Exit::Done })
}
