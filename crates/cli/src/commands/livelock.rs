//! `selvedge livelock`: is there a fair run that never ends?

use std::path::Path;
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge::{Bounds, Endless, Failure, Fairness, Livelock, LivelockEngine, Options, livelock};

use super::answer::AnswerArgs;
use super::engine::Limits;
use super::sequentialize::{rounds as rounds_of, stem as stem_of};
use crate::args::InputArgs;
use crate::exit::Exit;
use crate::input;
use crate::output::Output;

/// Look for a fair run that never ends
///
/// In a livelock threads act for ever, and nothing finishes. A run is strongly fair if each thread
/// that can act again and again does so again and again; a thread that never can waits, or has
/// ended. A run that never ends is shown as a lasso: a stem, and a period that is repeated for
/// ever; stacks may grow with each period.
///
/// If there is none, that is proved, for programs and tables with finitely many states.
///
/// With --stem and --lasso, only runs are looked for that repeat themselves after so many rounds, for
/// programs; in a round, each thread has one context. That there is none then is no proof.
///
/// Ends with 11 if there is such a run, with 0 if there is none, with 1 if there is none within the rounds that
/// were asked for, with 20 if the answer is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// Only runs with at most so many rounds before the first thread repeats itself (with --lasso)
    #[arg(long, value_name = "K1", value_parser = stem_of, allow_negative_numbers = true,
        requires = "lasso")]
    stem: Option<u32>,
    /// Only runs with at most so many rounds that are repeated (with --stem)
    #[arg(long, value_name = "K2", value_parser = rounds_of, allow_negative_numbers = true,
        requires = "stem")]
    lasso: Option<u32>,
    /// What a run must be
    #[arg(long, value_enum, default_value_t = FairnessArg::Strong)]
    fairness: FairnessArg,
    /// Only runs in which no thread has ended: each one acts, or waits, for ever
    #[arg(long)]
    none_ended: bool,
    /// Threads may have ended: so it is anyway. Kept for scripts that say it.
    #[arg(long, hide = true, conflicts_with = "none_ended")]
    ended: bool,
    #[command(flatten)]
    answer: AnswerArgs,
    /// How to search
    #[arg(long, value_enum, default_value_t = Engine::Auto, help_heading = "Engine")]
    engine: Engine,
    #[command(flatten)]
    limits: Limits,
}

/// What a run must be.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum FairnessArg {
    /// Who can act again and again acts again and again
    Strong,
    /// Who can act from some point on without a break acts again and again
    Weak,
    /// Anything
    None,
}

/// How to search.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
    /// The engines side by side
    Auto,
    /// All states, and the cycles among them
    Exact,
    /// Rounds, each thread by itself, with more and more rounds: for programs; it proves nothing
    Rounds,
}

impl From<FairnessArg> for Fairness {
    fn from(fairness: FairnessArg) -> Self {
        match fairness {
            FairnessArg::Strong => Fairness::Strong,
            FairnessArg::Weak => Fairness::Weak,
            FairnessArg::None => Fairness::None,
        }
    }
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.limits.clone(), &self.input.file)
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let start = Instant::now();
    let subject = input::load(&args.input, output)?;
    let which = Livelock {
        endless: Endless { fairness: args.fairness.into(), ended: !args.none_ended },
        bounds: args.stem.zip(args.lasso).map(|(stem, lasso)| Bounds { stem, lasso }),
        engine: match args.engine {
            Engine::Auto => LivelockEngine::Auto,
            Engine::Exact => LivelockEngine::Exact,
            Engine::Rounds => LivelockEngine::Rounds,
        },
    };
    let options = Options { limits: args.limits.since(start), ..Options::default() };
    let ask = |options: &Options| livelock(&subject, &which, options);
    let answer = args.answer.ask(&args.input, options, output, None, ask)?;
    args.answer.print(answer, output)
}
