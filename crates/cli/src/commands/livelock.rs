//! `selvedge livelock`: is there a fair run that never ends?

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::Budget;
use selvedge_analysis::fair::{self, Event, Outcome, Question, Verdict};
use selvedge_frontend::files;
use selvedge_model::{Endless, Fairness};
use selvedge_report::livelock::{self, Answer};
use selvedge_report::text::TraceOptions;
use selvedge_report::{json, sarif};

use selvedge_sequential::livelock::{self as rounds, Asked, Bounds};

use super::engine::Limits;
use super::sequentialize::rounds as rounds_of;
use crate::args::{Format, InputArgs, InputOptions};
use crate::evidence;
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened};
use crate::output::Output;
use crate::progress::Progress;
use crate::save::probe_evidence;

/// Look for a fair run that never ends
///
/// In a livelock all threads act, or wait, for ever, and nothing finishes. A run is strongly fair if
/// each thread that can act again and again does so again and again; a thread that never can is
/// waiting. A run that never ends is shown as a lasso: a stem, and a period that is repeated for
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
    #[arg(long, value_name = "K1", value_parser = rounds_of, allow_negative_numbers = true,
        requires = "lasso")]
    stem: Option<u32>,
    /// Only runs with at most so many rounds that are repeated (with --stem)
    #[arg(long, value_name = "K2", value_parser = rounds_of, allow_negative_numbers = true,
        requires = "stem")]
    lasso: Option<u32>,
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
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// The engines side by side
    #[default]
    Auto,
    /// All states, and the cycles among them
    Exact,
    /// Rounds, each thread by itself, with more and more rounds: for programs; it proves nothing
    Rounds,
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
        probe_evidence(path, &files(&args.input.file))?;
    }
    let progress = Progress::start(output.notes());
    let bounds = args.stem.zip(args.lasso).map(|(stem, lasso)| Bounds { stem, lasso });
    let (endless, engine) = (args.endless(), args.engine);
    let asks = Asks { endless, bounds, engine, evidence: args.evidence.is_some() };
    let options = &args.input.options;
    let outcome = search(&asks, &opened, options, &budget, &|event| tell(&progress, event))?;
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
    let exit = exit(&outcome.verdict);
    let saved = save(args, &opened, &outcome, output);
    match output.format {
        Format::Sarif => {
            output.print(&json::print(&sarif::endless(&answer, &opened.source, exit as u8)));
        }
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
    Ok(exit)
}

/// How the command ends with a verdict.
pub fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Nonterminating { .. } => Exit::Nonterminating,
        Verdict::Terminating { .. } => Exit::Done,
        Verdict::Bounded(_) => Exit::Bounded,
        Verdict::Unknown { .. } => Exit::Unknown,
    }
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Asks {
    pub endless: Endless,
    pub bounds: Option<Bounds>,
    pub engine: Engine,
    pub evidence: bool,
}

/// Lets the engines run; the first answer is the answer.
pub fn search(
    &Asks { endless, bounds, engine, evidence }: &Asks,
    opened: &Opened,
    options: &InputOptions,
    budget: &Budget,
    tell: fair::Listener<'_>,
) -> Result<Outcome, Failure> {
    let question = Question { system: &*opened.system, endless, evidence };
    let program = opened.program.as_deref();
    let counts = program.map(|program| input::thread_counts(program.program(), options));
    let asked = match (program, counts.transpose()?) {
        (Some(program), Some(counts)) => Some((program, counts)),
        _ => None,
    };
    let asked = asked.as_ref().map(|(program, counts)| Asked { program, counts, endless });
    let wants_rounds = bounds.is_some() || engine == Engine::Rounds;
    Ok(match asked {
        _ if engine == Engine::Exact && bounds.is_some() => {
            return Err(Failure::usage(
                "`--engine exact` knows no rounds: leave out --stem and --lasso",
            ));
        }
        None if wants_rounds => {
            return Err(Failure::input(
                "rounds are for programs (.weave, .bp): use `--engine exact`",
            ));
        }
        Some(asked) if wants_rounds => rounds::search(&asked, bounds, budget, tell),
        Some(asked) if engine == Engine::Auto => {
            rounds::search_beside(&asked, &question, budget, tell)
        }
        _ => fair::search(&question, budget, tell),
    })
}

/// What an engine is doing, in words.
pub fn said(event: Event) -> String {
    match event {
        Event::States { found, followed } => format!("{found} states, {followed} followed"),
        Event::Rounds(rounds) => {
            format!("none within {} + {} rounds", rounds.stem, rounds.lasso)
        }
    }
}

/// Shows what an engine is doing.
pub fn tell(progress: &Progress, event: Event) {
    match event {
        Event::States { found, followed } => {
            progress.tell_states(found, &format!(", {followed} followed"));
        }
        Event::Rounds(rounds) => {
            let text = format!("none within {} + {} rounds", rounds.stem, rounds.lasso);
            progress.tell_text(&text);
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
