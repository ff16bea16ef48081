//! `selvedge verify`: prove or refute, for every schedule.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use selvedge_analysis::Stop;
use selvedge_analysis::engine::Verdict;

use super::engine::{Asked, EngineOptions, note_missing_target};
use super::predicates::{self, Asks, Predicates, SolverArgs, is_parameterized};
use crate::args::InputArgs;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::output::Output;

/// How long the other engines are alone where predicates may help.
const HEAD_START: Duration = Duration::from_secs(2);

/// Prove or refute every assertion, or the target, for every schedule
///
/// Explores from below, context by context, until a violation comes up or nothing is new; and
/// from above, with stacks cut ever lower, until no violation is left. A violation is shown with
/// the fewest contexts, and with the fewest steps among those.
///
/// Where integers have no bounds, or there is any number of threads as well (`thread worker * any`), what
/// holds of every two threads is sought in the place of states: with the predicates of the program and with
/// others that are found, by an SMT solver (`z3`, or --solver).
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
    /// Which predicates a proof for integers without bounds may use
    #[arg(long, value_enum, default_value_t = Predicates::Auto, help_heading = "Solver")]
    predicates: Predicates,
    #[command(flatten)]
    solver: SolverArgs,
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.engine.need_no_rounds()?;
    let start = Instant::now();
    let loaded = input::load(&args.input.file, &args.input.options, output)?;
    let any = args.engine.is_auto() && is_parameterized(&loaded, &args.input.options);
    let asks = Asks {
        input: &args.input,
        engine: &args.engine,
        solver: &args.solver,
        predicates: args.predicates,
        evidence: args.evidence.as_deref(),
        deadlock: args.deadlock,
        full: args.full,
    };
    if any || args.engine.wants_predicates() {
        return predicates::run(&asks, loaded, output);
    }
    let asked = Asked::of(loaded, &args.input, args.deadlock, &args.engine, start)?;
    let asked = asked.with_evidence(args.evidence.clone())?;
    note_missing_target(&asked, output);
    if args.engine.is_auto() && predicates::may_help(&asked) {
        let (outcome, cost) = asked.clone().for_a_while(HEAD_START).verify(output);
        let is_open = matches!(outcome.verdict, Verdict::Unknown { stop: Stop::Timeout, .. });
        if !is_open || asked.budget().check().is_err() {
            return asked.answer(&outcome, cost, args.full, output);
        }
        if let Some(exit) = predicates::after_others(&asks, &asked, output)? {
            return Ok(exit);
        }
    }
    let (outcome, cost) = asked.verify(output);
    asked.answer(&outcome, cost, args.full, output)
}
