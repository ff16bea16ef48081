//! `selvedge sequentialize`: a concurrent program as a program with one thread.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use selvedge::{Failure, WithSlots};
use selvedge_frontend::{Diagnostic, Diagnostics, Input, files};
use selvedge_model::Endless;
use selvedge_program::sequentialize::{Bounds, NotSequential, livelock, sequentialize};
use selvedge_program::slots::enough_for_rounds;
use selvedge_program::{Source, Span, ThreadCounts, print};

use super::livelock::FairnessArg;
use crate::args::{InputArgs, count, started};
use crate::exit::Exit;
use crate::input;
use crate::output::Output;
use crate::save::{probe, save};

/// Write a concurrent program as a program with one thread
///
/// The result goes wrong exactly if the program goes wrong in a schedule of this many rounds; deadlocks
/// are not part of that. In a round, each thread has one context, in the order in which the threads are declared; a thread
/// may do nothing in it. A thread that a statement starts waits until then; where the text does not show how many there
/// are, --started says how many of them may act.
///
/// With --for livelock, the result goes wrong exactly if there is an endless run of this kind:
/// rounds of a stem, then rounds that repeat themselves for ever.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// What is asked
    #[arg(long = "for", value_enum, value_name = "WHAT", default_value_t = Goal::Assertions)]
    asked: Goal,
    /// The number of rounds, for assertions
    #[arg(long, value_name = "K", value_parser = rounds, allow_negative_numbers = true,
        required_unless_present = "asked", required_if_eq("asked", "assertions"))]
    rounds: Option<u32>,
    /// The number of rounds before the first thread repeats itself, for livelock
    #[arg(long, value_name = "K1", value_parser = stem, allow_negative_numbers = true,
        required_if_eq("asked", "livelock"), conflicts_with = "rounds")]
    stem: Option<u32>,
    /// The number of rounds that are repeated, for livelock
    #[arg(long, value_name = "K2", value_parser = rounds, allow_negative_numbers = true,
        required_if_eq("asked", "livelock"), conflicts_with = "rounds")]
    lasso: Option<u32>,
    /// How many of the threads that statements start may act, where the text does not show how many there are; others
    /// never act [default: one less than there are rounds, and 1 at least]
    #[arg(long, value_name = "N", value_parser = started, allow_negative_numbers = true)]
    started: Option<u32>,
    /// What is asked of an endless run, for livelock
    #[arg(long, value_enum, value_name = "FAIRNESS", default_value_t = FairnessArg::Strong)]
    fairness: FairnessArg,
    /// Only runs in which no thread has ended, for livelock
    #[arg(long)]
    none_ended: bool,
    /// Threads may have ended: so it is anyway. Kept for scripts that say it.
    #[arg(long, hide = true, conflicts_with = "none_ended")]
    ended: bool,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Target::Weave)]
    to: Target,
    /// Write to this file, not to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What the result is asked.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    /// Whether the program goes wrong
    Assertions,
    /// Whether it has an endless run that is fair
    Livelock,
}

/// A format to write.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// A program
    Weave,
    /// A Boolean program
    Bp,
    /// C with the functions of SV-COMP for choices and assumptions, for other verifiers
    C,
}

/// A number of rounds, at least 1.
pub fn rounds(text: &str) -> Result<u32, String> {
    match stem(text)? {
        0 => Err("there is no run in 0 rounds: give 1 or more".to_owned()),
        rounds => Ok(rounds),
    }
}

/// A number of rounds before something begins: it may begin at once.
pub fn stem(text: &str) -> Result<u32, String> {
    let known = count(text).map_err(|_| "write a number of rounds: 1, 2, 3, …")?;
    u32::try_from(known).map_err(|_| "this number of rounds is too large".to_owned())
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(path) = &args.output {
        probe("--output", path, &files(&args.input.file))?;
    }
    let subject = input::load(&args.input, output)?;
    let Some(Input::Program { program, source, .. }) = subject.input() else {
        return Err(Failure::input(
            "only programs (.weave, .bp) are sequentialized; `selvedge convert --to weave` makes a \
             program of tables",
        ));
    };
    let counts = subject.thread_counts()?;
    // An endless run is fair to all threads: none may be dropped.
    let implied = args.rounds.map(enough_for_rounds);
    let with_slots = WithSlots::of(&subject, args.started, implied)?
        .transpose()
        .map_err(|why| subject.refusal(why))?;
    let (program, counts) = match &with_slots {
        Some(made) if made.started.assumed && args.rounds.is_none() => {
            return Err(Failure::input(format!(
                "{}: with --started, threads may be left out, and no run is fair to those: an endless run is \
                 looked for only where the text shows how many are started",
                source.name()
            )));
        }
        Some(made) => (&made.slotted.program, ThreadCounts::new()),
        None => (&**program, counts),
    };
    let sequential = match (args.rounds, args.stem, args.lasso) {
        (_, Some(stem), Some(lasso)) => {
            let endless = Endless { fairness: args.fairness.into(), ended: !args.none_ended };
            livelock(program, &counts, Bounds { stem, lasso }, endless)
        }
        (rounds, ..) => sequentialize(program, &counts, rounds.unwrap_or_default()),
    };
    let sequential = sequential.map_err(|why| match why {
        NotSequential::At { message, span } => refused(source, span, message),
        NotSequential::Threads(error) => Failure::input(format!("{}: {error}", source.name())),
    })?;
    let file = args.input.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = match args.to {
        Target::Weave => print::weave(&sequential.program),
        Target::Bp => sequential
            .to_booleans()
            .and_then(|program| print::bp(&program))
            .map_err(|why| refused(source, why.span, why.to_string()))?,
        Target::C => {
            print::c(&sequential.program).map_err(|why| refused(source, why.span, why.message))?
        }
    };
    let bits = match args.to {
        Target::Weave | Target::C => "",
        Target::Bp => "// As a Boolean program: x[i] is x_i; a number is its bits x_b0, x_b1, …\n",
    };
    let slots = with_slots.map_or(String::new(), |made| made.slotted.header());
    let text = format!("{}{slots}{bits}\n{text}", sequential.header(&file));
    match &args.output {
        Some(path) => save(&[(path, &text)])?,
        None => output.print(&text),
    }
    if args.rounds.is_some() && subject.has_waits() {
        output.note(
            "note: deadlocks of the program do not show in the result, which goes wrong only where an assertion fails or \
             something else goes wrong; `selvedge verify` looks for them in the program itself",
        );
    }
    Ok(Exit::Done)
}

/// What stands against it, with its place where it has one.
fn refused(source: &Source, span: Span, message: String) -> Failure {
    if span == Span::default() {
        return Failure::input(format!("{}: {message}", source.name()));
    }
    let diagnostic = Diagnostic::error(span, message);
    Failure::Diagnostics(Diagnostics::new(Source::clone(source), vec![diagnostic]))
}
