//! `selvedge verify`: prove or refute, for every schedule.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::Resource;
use selvedge_analysis::converge::closure::Closure;
use selvedge_analysis::engine::delays::Options;
use selvedge_analysis::explore::Observe;

use super::engine::{Asked, EngineOptions};
use super::find::{Asks, Found, find};
use super::predicates::{Predicates, SolverArgs};
use crate::args::{InputArgs, number};
use crate::exit::{Exit, Failure};
use crate::input;
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
/// Where integers have no bounds, with any number of threads or a fixed one, what
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
    /// Show every step of a violation, with all values and stacks after it
    #[arg(long)]
    full: bool,
    /// Write what the answer rests on to this file, for `selvedge recheck`
    #[arg(long, value_name = "PATH")]
    evidence: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOptions,
    /// What `--engine delays` observes of a state, separated by commas: names of shared variables (or
    /// `shared` for all, which is meant where none is named), and `top=J` for the topmost J symbols
    /// of each stack [default: the tops, and deeper and deeper where that is not enough]
    #[arg(long, value_name = "WHAT", help_heading = "Engine")]
    observe: Option<String>,
    /// Which actions `--engine delays` tries when what it observes has stopped growing
    #[arg(long, value_enum, default_value_t = Tried::Disrespectful, help_heading = "Engine")]
    closure: Tried,
    /// Which predicates a proof for integers without bounds may use
    #[arg(long, value_enum, default_value_t = Predicates::Auto, help_heading = "Solver")]
    predicates: Predicates,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    misplaced: Bounds,
}

/// Bounds, which are for another command: whoever gives one is told where it belongs.
#[derive(ClapArgs, Debug)]
struct Bounds {
    #[arg(long, hide = true, value_name = "K")]
    contexts: Option<String>,
    #[arg(long, hide = true, value_name = "K")]
    rounds: Option<String>,
    #[arg(long, hide = true, value_name = "D")]
    delays: Option<String>,
}

impl Bounds {
    fn refuse(&self) -> Result<(), Failure> {
        let Bounds { contexts, rounds, delays } = self;
        let given = [("contexts", contexts), ("rounds", rounds), ("delays", delays)];
        let given: Vec<String> = (given.into_iter())
            .filter_map(|(name, value)| Some(format!("--{name} {}", value.as_ref()?)))
            .collect();
        if given.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "`verify` answers without a bound; with one, ask `selvedge check FILE {}`",
            given.join(" ")
        )))
    }
}

/// Which actions are tried.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Tried {
    /// Those that depend on what is not observed
    Disrespectful,
    /// All, and at every bound: abstract interpretation beside the exploration
    All,
}

impl Args {
    /// How to look for a proof with rounds and delays.
    fn delay_options(&self, asked: &Asked) -> Result<Options, Failure> {
        let observe = self.observe.as_deref().map(|text| observe(text, asked)).transpose()?;
        let closure = match self.closure {
            Tried::Disrespectful => Closure::Disrespectful,
            Tried::All => Closure::All,
        };
        Ok(Options { observe, closure })
    }
}

/// Reads what is observed.
fn observe(text: &str, asked: &Asked) -> Result<Observe, Failure> {
    let mut observe = Observe { shared: None, top: 0 };
    let mut names = Vec::new();
    let mut known = Vec::new();
    for state in asked.system().initial()? {
        known.extend(asked.system().shared_values(state.shared).into_iter().map(|(name, _)| name));
    }
    for word in text.split(',').map(str::trim) {
        if let Some(symbols) = word.strip_prefix("top=") {
            observe.top = number(symbols).map_err(|why| {
                Failure::usage(format!("--observe: `{word}` is no number of symbols: {why}"))
            })?;
        } else if known.iter().any(|name| name == word) {
            names.push(word.to_owned());
        } else if word != "shared" {
            known.sort_unstable();
            known.dedup();
            let list = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Failure::usage(format!(
                "--observe: there is no shared variable `{word}`; there are: {list}. `shared` means \
                 all of them, `top=2` the two topmost symbols of each stack"
            )));
        }
    }
    if !names.is_empty() && !text.split(',').any(|word| word.trim() == "shared") {
        observe.shared = Some(names);
    }
    Ok(observe)
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.misplaced.refuse()?;
    let delays = args.engine.is_delays();
    if !delays {
        if !args.engine.wants_predicates() && !args.engine.decides_any_number() {
            args.engine.need_bound(Resource::Contexts)?;
        }
        if args.observe.is_some() || args.closure != Tried::Disrespectful {
            return Err(Failure::usage("--observe and --closure are for `--engine delays`"));
        }
    }
    let start = Instant::now();
    let loaded = input::load(&args.input.file, &args.input.options, output)?;
    let asks = Asks {
        input: &args.input,
        engine: &args.engine,
        solver: &args.solver,
        predicates: args.predicates,
        evidence: args.evidence.as_deref(),
        deadlock: args.deadlock,
        budget: args.engine.budget(start),
        keeps_evidence: false,
        listener: None,
    };
    match find(&asks, loaded, &|asked| args.delay_options(asked), output)? {
        Found::Outcome { asked, outcome, cost } => asked.answer(&outcome, cost, args.full, output),
        Found::Views(views) => views.answer(&asks, output),
    }
}
