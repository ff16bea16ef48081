//! `selvedge verify`: prove or refute, for every schedule.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::engine::{Asked, EngineOptions, note_missing_target};
use crate::args::InputArgs;
use crate::exit::{Exit, Failure};
use crate::input::Wanted;
use crate::output::Output;

/// Prove or refute every assertion, or the target, for every schedule
///
/// Explores from below, context by context, until a violation comes up or nothing is new; and
/// from above, with stacks cut ever lower, until no violation is left. A violation is shown with
/// the fewest contexts, and with the fewest steps among those.
///
/// Where there may be any number of threads (`thread worker * any`, or threads that start others),
/// and they have finitely many local states, the answer is for every number; a violation is shown
/// with the fewest threads.
///
/// A table without a target has nothing to violate: its visible states are counted until they
/// collapse, and it is safe then.
///
/// Ends with 0 if the answer is safe, with 10 if it is unsafe, with 20 if it is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Look for deadlocks, too: states in which a thread has not ended and none can act
    #[arg(long)]
    deadlock: bool,
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
    args.engine.need_no_rounds()?;
    let any_number = args.engine.decides_any_number();
    let wanted = Wanted { deadlock: args.deadlock, any_number };
    let asked = Asked::new(&args.input, wanted, &args.engine, output)?;
    let asked = asked.with_evidence(args.evidence.clone())?;
    note_missing_target(&asked, output);
    let (outcome, cost) = asked.verify(output);
    asked.answer(&outcome, cost, args.full, output)
}
