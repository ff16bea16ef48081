//! `selvedge verify`: prove or refute, for every schedule.

use std::path::Path;
use std::time::Instant;

use clap::Args as ClapArgs;
use selvedge::{Failure, Options, verify};
use selvedge_frontend::show_path;

use super::answer::SolverArgs;
use super::engine::Limits;
use super::field::{FieldArgs, TaskQuestion};
use super::proof::ProofArgs;
use super::search::{NoDeadlock, SearchArgs};
use super::spread::{Part, SpreadArgs, ended};
use crate::args::InputArgs;
use crate::exit::Exit;
use crate::guard;
use crate::input;
use crate::output::Output;
use selvedge_check::command::Interrupt;

/// Prove or refute every assertion, or the target, for every schedule
///
/// Explores from below, context by context, until a violation comes up or nothing is new; and
/// from above, with stacks cut ever lower, until no violation is left. A violation is shown with
/// the fewest contexts, and with the fewest steps among those; the line *fewest* of the answer says so, and
/// is missing where walks found it first, as in large programs in C.
///
/// Where there may be any number of threads (`thread worker * any`, or threads that start others),
/// the answer is for every number; a violation is shown with the fewest threads. Where they are
/// recursive, too, more and more threads are explored, while stacks are cut and threads counted from
/// above.
///
/// Where integers have no bounds, an invariant about every two threads is sought instead of states, for a fixed
/// number of threads or any: with the predicates of the program and with others that are found, by an SMT solver
/// (`z3`, or --solver).
///
/// Instead of a program in C, a task definition (.yml) may be given: its properties are asked one by one.
///
/// Where threads of a .weave program wait for each other, a state in which none can act is a violation, too, if one of them waits for a
/// lock, a thread, a semaphore, a condition, a barrier or a channel. Where that cannot be decided, the answer is about the rest, and says so.
///
/// A table without a target has nothing to violate: its visible states are counted until they
/// collapse, and it is safe then.
///
/// Ends with 0 if the answer is safe, with 10 if it is unsafe, with 20 if it is unknown.
#[derive(ClapArgs, Debug)]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    field: FieldArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    deadlocks: NoDeadlock,
    #[command(flatten)]
    proof: ProofArgs,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    spread: SpreadArgs,
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
    fn refuse(&self, file: &Path) -> Result<(), Failure> {
        let Bounds { contexts, rounds, delays } = self;
        // Delays go with rounds.
        let rounds = rounds.clone().or_else(|| delays.as_ref().map(|_| "9".to_owned()));
        let given = [("contexts", contexts), ("rounds", &rounds), ("delays", delays)];
        let given: Vec<String> = (given.into_iter())
            .filter_map(|(name, value)| Some(format!("--{name} {}", value.as_ref()?)))
            .collect();
        if given.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "`verify` answers without a bound; with one, ask `selvedge check {} {}`",
            show_path(file),
            given.join(" ")
        )))
    }
}

impl Args {
    /// The limits within which there is an answer, and the file that it is about.
    pub fn watched(&self) -> (Limits, &Path) {
        (self.spread.watched(&self.search.engine.limits), &self.input.file)
    }
}

pub fn run(args: &Args, output: &mut Output) -> Result<Exit, Failure> {
    args.misplaced.refuse(&args.input.file)?;
    let interrupt = Interrupt::install(guard::interrupted);
    let questions = args.field.questions(&args.input, &args.search.answer, output)?;
    questions.answer(|asked| answer(args, asked, &interrupt, output))
}

/// Answers one question.
fn answer(
    args: &Args,
    asked: &TaskQuestion,
    interrupt: &Interrupt,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let subject = input::load(&asked.input, output)?;
    let limits = args.search.engine.limits.until(start, interrupt.flag());
    let options = Options {
        solver: Some(args.solver.solver.clone()),
        ..args.proof.options(args.search.options(args.deadlocks.no_deadlock, limits))
    };
    let jobs = args.search.engine.jobs;
    let (options, spreader) = match args.spread.part(&subject, None, options, jobs, output)? {
        Part::Alone(options) => (options, None),
        Part::Asks(options, spreader) => (options, Some(spreader)),
        Part::Worked(exit) => return Ok(exit),
    };
    let ask = |options: &Options| verify(&subject, options);
    let answer = args.search.answer.ask(&asked.input, options, output, None, ask);
    let answer = ended(answer, spreader, output)?;
    args.solver.keep.keep(answer.queries())?;
    let saved = args.field.save_witness(answer, asked, output);
    asked.announce(output);
    let exit = args.search.answer.print(answer, output)?;
    asked.conclude(answer.name(), output);
    saved.map(|()| exit)
}
