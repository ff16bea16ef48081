//! `selvedge livelock`: is there a fair run that never ends?

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::Budget;
use selvedge_analysis::fair::{self, Event, Outcome, Question, Verdict};
use selvedge_frontend::files;
use selvedge_model::{Endless, Fairness};
use selvedge_report::json;
use selvedge_report::livelock::{self, Answer};
use selvedge_report::text::TraceOptions;

use super::engine::Limits;
use crate::args::{Format, InputArgs};
use crate::evidence;
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened};
use crate::output::Output;
use crate::progress::Progress;
use crate::save::probe;

/// Look for a fair run that never ends
///
/// In a livelock all threads act, or wait, for ever, and nothing finishes. A run is strongly fair if
/// each thread that can act again and again does so again and again; a thread that never can is
/// waiting. A run that never ends is shown as a lasso: a stem, and a period that is repeated for
/// ever; stacks may grow with each period.
///
/// If there is none, that is proved, for programs and tables with finitely many states.
///
/// Ends with 11 if there is such a run, with 0 if there is none, with 20 if the answer is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// What a run must be
    #[arg(long, value_enum, default_value_t = FairnessArg::Strong)]
    fairness: FairnessArg,
    /// Threads may have ended while others go on for ever
    #[arg(long)]
    ended: bool,
    /// Show each step of the stem, and all values and stacks after each step
    #[arg(long)]
    full: bool,
    /// Write what the answer rests on to this file, for `selvedge recheck`
    #[arg(long, value_name = "PATH")]
    evidence: Option<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value_t = Engine::Auto, help_heading = "Engine")]
    engine: Engine,
    #[command(flatten)]
    limits: Limits,
}

/// What a run must be.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FairnessArg {
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
}

impl Args {
    fn endless(&self) -> Endless {
        let fairness = match self.fairness {
            FairnessArg::Strong => Fairness::Strong,
            FairnessArg::Weak => Fairness::Weak,
            FairnessArg::None => Fairness::None,
        };
        Endless { fairness, ended: self.ended }
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let start = Instant::now();
    let opened = input::open_with_all_threads(&args.input, output)?;
    let budget = args.limits.budget(start);
    if let Some(path) = &args.evidence {
        probe("--evidence", path, &files(&args.input.file))?;
    }
    let progress = Progress::start(output.notes());
    let outcome = search(args, &opened, &budget, &|event| progress.tell_text(&said(event)));
    let (time, peak_memory) = progress.finish();
    let answer = Answer {
        file: opened.source.name(),
        system: &*opened.system,
        endless: args.endless(),
        outcome: &outcome,
        unbounded: opened.unbounded.as_deref(),
        time,
        peak_memory,
    };
    let saved = save(args, &opened, &outcome, output);
    match output.format {
        Format::Json => {
            let mut object = json::Livelock::new(&answer);
            object.answer.evidence = saved.as_ref().ok().cloned().flatten();
            output.print(&json::print(&object));
        }
        _ => {
            let options = TraceOptions { full: args.full, paint: output.paint };
            output.print(&livelock::text(&answer, options));
        }
    }
    saved?;
    Ok(match outcome.verdict {
        Verdict::Nonterminating { .. } => Exit::Nonterminating,
        Verdict::Terminating { .. } => Exit::Done,
        Verdict::Bounded(_) => Exit::Bounded,
        Verdict::Unknown { .. } => Exit::Unknown,
    })
}

/// Lets the engines run; the first answer is the answer.
fn search(args: &Args, opened: &Opened, budget: &Budget, tell: fair::Listener<'_>) -> Outcome {
    let question = Question {
        system: &*opened.system,
        endless: args.endless(),
        evidence: args.evidence.is_some(),
    };
    match args.engine {
        Engine::Auto | Engine::Exact => fair::search(&question, budget, tell),
    }
}

/// What an engine is doing.
fn said(event: Event) -> String {
    match event {
        Event::States { found, followed } => format!("{found} states, {followed} followed"),
        Event::Rounds(rounds) => {
            format!("none within {} + {} rounds", rounds.stem, rounds.lasso)
        }
    }
}

/// Writes the evidence where it is wanted; where that is, if there is any.
fn save(
    args: &Args,
    opened: &Opened,
    outcome: &Outcome,
    output: &mut Output,
) -> Result<Option<String>, Failure> {
    let Some(path) = args.evidence.as_deref() else { return Ok(None) };
    let Some(found) = &outcome.evidence else {
        output.note("no evidence was written: there is some only if there is an answer");
        return Ok(None);
    };
    evidence::write(path, opened, &args.input.options, livelock::PROPERTY.to_owned(), found)?;
    output.note(&format!("the evidence was written to {}", path.display()));
    Ok(Some(path.display().to_string()))
}
