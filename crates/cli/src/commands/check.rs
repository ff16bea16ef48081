//! `selvedge check`: the bounded question, answered exactly.

use std::path::Path;
use std::time::Instant;

use clap::Args as ClapArgs;
use selvedge::{Bound, Engines, Failure, Options, check};
use selvedge_frontend::show_path;

use super::engine::Limits;
use super::field::{FieldArgs, TaskQuestion};
use super::search::SearchArgs;
use super::spread::{Part, SpreadArgs, ended};
use crate::args::{InputArgs, bound, number, started};
use crate::exit::Exit;
use crate::guard;
use crate::input;
use crate::output::Output;
use selvedge_check::command::Interrupt;

/// Look for a violation within a number of contexts, or of rounds
///
/// A context is a run of one thread: k contexts are k - 1 switches. A round is one context of each
/// thread, in the order of the threads; a thread may do nothing in its context. With --delays, a
/// round is one step of each thread. Within the bound the answer is exact. If nothing is new before the bound is reached, no larger bound adds
/// anything, and the answer is safe.
///
/// Asks about assertions and what else goes wrong, or about the target. Deadlocks are looked for with --deadlock only; `selvedge verify`
/// looks by itself for those in which threads of a .weave program wait for each other.
///
/// Ends with 1 if there is no violation within the bound, with 0 if there is none at all, with 10
/// if there is one, with 20 if the answer is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    field: FieldArgs,
    #[command(flatten)]
    bound: BoundArgs,
    /// The largest number of delays. A round is then one step of each thread, in the order of the
    /// threads; a delay lets a thread miss its step, and one that cannot act is passed over
    #[arg(long, value_name = "D", value_parser = number, requires = "rounds", conflicts_with = "contexts",
          allow_negative_numbers = true)]
    delays: Option<usize>,
    /// With --rounds: how many of the threads that statements start may act, where the text does not show how many
    /// there are; others never act, which the answer says [default: one less than there are rounds, and 1 at least; with --delays 2]
    #[arg(long, value_name = "N", value_parser = started, requires = "rounds", conflicts_with = "contexts", allow_negative_numbers = true)]
    started: Option<u32>,
    #[command(flatten)]
    search: SearchArgs,
    /// Deadlocks are not looked for anyway: whoever says so is not told.
    #[arg(long, hide = true, conflicts_with = "deadlock")]
    no_deadlock: bool,
    #[command(flatten)]
    spread: SpreadArgs,
}

/// One bound.
#[derive(ClapArgs, Clone, Copy, Debug)]
#[group(multiple = false)]
struct BoundArgs {
    /// The largest number of contexts
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true)]
    contexts: Option<usize>,
    /// The largest number of rounds
    #[arg(long, value_name = "K", value_parser = number, allow_negative_numbers = true)]
    rounds: Option<usize>,
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.spread.watched(&self.search.engine.limits), &self.input.file)
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    let BoundArgs { contexts, rounds } = args.bound;
    let Some(bound) = bound(contexts, rounds, args.delays) else {
        let file = show_path(&args.input.file);
        return Err(Failure::usage(format!(
            "say how far to look: `selvedge check {file} --contexts 3`, or `--rounds 2`; `selvedge verify \
             {file}` needs no bound"
        )));
    };
    Engines::default().need(args.search.engine.engine, Some(bound.resource))?;
    let interrupt = Interrupt::install(guard::interrupted);
    let questions = args.field.questions(&args.input, &args.search.answer, output)?;
    questions.answer(|asked| answer(args, asked, bound, &interrupt, output))
}

/// Answers one question.
fn answer(
    args: &Args,
    asked: &TaskQuestion,
    bound: Bound,
    interrupt: &Interrupt,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let subject = input::load(&asked.input, output)?;
    let limits = args.search.engine.limits.until(start, interrupt.flag());
    let options =
        Options { started: args.started, ..args.search.options(args.no_deadlock, limits) };
    let jobs = args.search.engine.jobs;
    let (options, spreader) =
        match args.spread.part(&subject, Some(bound), options, jobs, output)? {
            Part::Alone(options) => (options, None),
            Part::Asks(options, spreader) => (options, Some(spreader)),
            Part::Worked(exit) => return Ok(exit),
        };
    let ask = |options: &Options| check(&subject, bound, options);
    let answer = args.search.answer.ask(&asked.input, options, output, Some(bound), ask);
    let answer = ended(answer, spreader, output)?;
    let saved = args.field.save_witness(answer, asked, output);
    asked.announce(output);
    let exit = args.search.answer.print(answer, output)?;
    asked.conclude(answer.name(), output);
    saved.map(|()| exit)
}
