//! `selvedge table`: what is new at each bound.

use std::path::Path;
use std::time::Instant;

use clap::Args as ClapArgs;
use selvedge::{Engines, Failure, Options, Resource, SHORT_LIST, Shown, Subject, grid, table};
use selvedge_analysis::engine::Verdict;
use selvedge_report::json;

use super::answer::with_progress;
use super::engine::{EngineOptions, Limits};
use crate::args::{Format, InputArgs, number};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;

/// Show the observation table: what is new at each number of contexts, or of rounds
///
/// For each bound: how many states it reaches, how many visible states (the shared state and the
/// top of each stack), and how many of them need it. A bound at which nothing visible is new is a
/// plateau; more may follow. By default the table ends where it has collapsed: nothing visible is
/// new with any larger number. Assertions and targets do not matter.
///
/// With --generators, what the CUBA paper calls G, Z and G ∩ Z, and what its test says at each plateau.
/// With --automata, the states with sets of stacks in the place of stacks, as automata. With --rounds and
/// --delays, how many abstract states there are within each number of rounds of single steps and of
/// delays, up to these, and how many images it takes to find them.
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
    /// With --rounds, a grid: the largest number of delays. A round is then one step of each thread
    #[arg(long, value_name = "D", value_parser = number, allow_negative_numbers = true,
          requires = "rounds", conflicts_with_all = ["full", "generators", "automata"])]
    delays: Option<usize>,
    /// What the grid counts, separated by commas: names of shared variables (or `shared` for all, which
    /// is meant where none is named), and `top=J` for the topmost J symbols of each stack [default:
    /// visible states]
    #[arg(long, value_name = "WHAT", requires = "delays")]
    observe: Option<String>,
    /// Show the generators (G), the over-approximation Z, and which generators of Z are unseen at each
    /// plateau
    #[arg(long, conflicts_with = "rounds")]
    generators: bool,
    /// Show sets of stacks: the symbolic states at each bound, and what single contexts leave on stacks
    #[arg(long)]
    automata: bool,
    /// List all new visible states, not only where they are few
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    engine: EngineOptions,
}

impl Args {
    /// Whether sets of stacks are shown, so that there is something to draw.
    pub fn shows_automata(&self) -> bool {
        self.automata
    }
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.engine.limits.clone(), &self.input.file)
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let start = Instant::now();
    if let (Some(rounds), Some(delays)) = (args.rounds, args.delays) {
        let subject = input::load(&args.input, output)?;
        return run_grid(args, &subject, (rounds, delays), start, output);
    }
    Engines::default().need(args.engine.engine, Some(Resource::Contexts))?;
    let subject = input::load(&args.input, output)?;
    let Args { generators, automata, .. } = *args;
    let listed = if args.full { usize::MAX } else { SHORT_LIST };
    let shown = Shown { listed, generators, automata };
    let (resource, most) = match args.rounds {
        Some(_) => (Resource::Rounds, args.rounds),
        None => (Resource::Contexts, args.contexts),
    };
    let options = args.engine.options(args.engine.limits.since(start));
    let ask = |options: &Options| table(&subject, resource, most, shown, options);
    let observed = with_progress(options, output, most.map(|most| resource.bound(most)), ask)?;
    let report = observed.report();
    output.print(&match output.format {
        Format::Text | Format::Sarif => report.text(output.paint),
        Format::Json => json::print(&report.json()),
        Format::Markdown => report.markdown(),
        Format::Csv => report.csv(),
        Format::Dot => report.dot(),
    });
    match (&observed.table.outcome.verdict, &observed.table.generators) {
        (Verdict::Unknown { .. }, _) | (_, Some(Err(_))) => Ok(Exit::Unknown),
        _ => Ok(Exit::Done),
    }
}

/// The grid of rounds and delays.
fn run_grid(
    args: &Args,
    subject: &Subject,
    (rounds, delays): (usize, usize),
    start: Instant,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let options = args.engine.options(args.engine.limits.since(start));
    let options = Options { observe: args.observe.clone(), ..options };
    let ask = |options: &Options| grid(subject, rounds, delays, options);
    let found = with_progress(options, output, None, ask)?;
    let report = found.report();
    output.print(&match output.format {
        Format::Text | Format::Sarif | Format::Dot => report.text(output.paint),
        Format::Json => json::print(&report.json()),
        Format::Markdown => report.markdown(),
        Format::Csv => report.csv(),
    });
    Ok(if found.grid.stop.is_some() { Exit::Unknown } else { Exit::Done })
}
