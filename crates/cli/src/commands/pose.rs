//! What `report` and `explore` have in common: a question, and the document with its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use selvedge::{
    Answer, Bound, EngineName, Engines, Failure, Heard, Listener, Livelock, Options, Subject,
    check, livelock, verify,
};
use selvedge_analysis::engine::{Event, Table};
use selvedge_analysis::fair;
use selvedge_report::page::{Above, Ask, Below, Live, Posed};
use selvedge_smt::solver::DEFAULT;
use selvedge_web::Tell;

use super::answer::with_progress;
use super::engine::EngineOptions;
use crate::args::{InputArgs, bound, number};
use crate::output::Output;

/// How much work is done for the observation table beside an answer, in moves: a few seconds.
const FOR_TABLE: u64 = 5 << 20;

/// Longer lists of new visible states are not shown.
const LISTED: usize = 30;

/// A question about a file.
#[derive(ClapArgs, Clone, Debug)]
pub struct PoseArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Ask only for schedules with at most so many contexts
    #[arg(long, value_name = "K", value_parser = number, conflicts_with_all = ["rounds", "livelock"])]
    contexts: Option<usize>,
    /// Ask only for schedules with at most so many rounds
    #[arg(long, value_name = "K", value_parser = number, conflicts_with = "livelock")]
    rounds: Option<usize>,
    /// With --rounds: rounds of single steps, with at most so many delays
    #[arg(long, value_name = "D", value_parser = number, requires = "rounds", conflicts_with = "contexts")]
    delays: Option<usize>,
    /// Look for deadlocks, too
    #[arg(long, conflicts_with = "livelock")]
    deadlock: bool,
    /// Ask for a fair run that never ends
    #[arg(long)]
    livelock: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
    /// The SMT solver: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT, help_heading = "Solver")]
    solver: String,
}

impl PoseArgs {
    /// The question, as a page would ask it.
    pub fn ask(&self) -> Ask {
        Ask {
            question: match (self.livelock, self.contexts, self.rounds) {
                (true, ..) => Posed::Livelock,
                (_, Some(_), _) => Posed::Contexts,
                (_, _, Some(_)) => Posed::Rounds,
                _ => Posed::Verify,
            },
            engine: Some(self.engine.engine.name().to_owned()),
            bound: self.contexts.or(self.rounds),
            delays: self.delays,
            deadlock: self.deadlock,
            timeout_s: None,
            threads: self.input.options.threads.iter().cloned().collect(),
        }
    }

    /// The same options with another question.
    pub fn with(&self, ask: &Ask) -> Result<Self, Failure> {
        let mut args = self.clone();
        let bound = || ask.bound.ok_or_else(|| Failure::usage("this question needs a bound"));
        args.livelock = ask.question == Posed::Livelock;
        args.contexts = (ask.question == Posed::Contexts).then(bound).transpose()?;
        args.rounds = (ask.question == Posed::Rounds).then(bound).transpose()?;
        args.delays = ask.delays.filter(|_| args.rounds.is_some());
        args.deadlock = ask.deadlock && !args.livelock;
        args.input.options.threads = ask.threads.clone().into_iter().collect();
        if let Some(name) = &ask.engine {
            args.engine.engine = name.parse()?;
        }
        let timeout = ask.timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
        args.engine.limits = self.engine.limits.or_timeout(timeout);
        Ok(args)
    }

    fn bound(&self) -> Option<Bound> {
        bound(self.contexts, self.rounds, self.delays)
    }

    /// Refuses what no engine answers, before any work is done.
    pub fn check(&self) -> Result<(), Failure> {
        let engine = self.engine.engine;
        match self.bound() {
            _ if self.livelock && engine != EngineName::Auto => {
                Err(Failure::usage("with --livelock there is no choice of engines"))
            }
            _ if self.livelock => Ok(()),
            Some(bound) => Engines::default().need(engine, Some(bound.resource)),
            None => Engines::default().need(engine, None),
        }
    }
}

/// Answers a question about an input that was read already; with what is new at each bound, where there is time for it.
pub fn answer(
    args: &PoseArgs,
    subject: &Subject,
    cancelled: &Arc<AtomicBool>,
    tell: &Tell,
    output: &Output,
) -> Result<(Answer, Option<Table>), Failure> {
    args.check()?;
    let subject = subject.with_threads(args.input.options.threads.clone());
    // While the table is made, nobody looks for violations.
    let for_table = Arc::new(AtomicBool::new(false));
    let options = Options {
        deadlock: args.deadlock,
        evidence: !args.livelock,
        solver: Some(args.solver.clone()),
        listener: Some(listener(Arc::clone(tell), Arc::clone(&for_table))),
        ..args.engine.options(args.engine.limits.until(Instant::now(), Arc::clone(cancelled)))
    };
    with_progress(options, output, |options| {
        let answer = match args.bound() {
            _ if args.livelock => livelock(&subject, &Livelock::default(), options)?,
            Some(bound) => check(&subject, bound, options)?,
            None => verify(&subject, options)?,
        };
        for_table.store(true, Ordering::Relaxed);
        let table = answer.table(LISTED, FOR_TABLE);
        Ok((answer, table))
    })
}

fn listener(tell: Tell, for_table: Arc<AtomicBool>) -> Listener {
    Arc::new(move |heard| match heard {
        Heard::Event(Event::Bound { observation, .. }) => {
            tell(Live::Below(Below::new(observation)));
        }
        Heard::Event(Event::Cut(seen)) => {
            tell(Live::Above(Above::new(seen, !for_table.load(Ordering::Relaxed))));
        }
        Heard::Endless(fair::Event::States { found, followed }) => {
            tell(Live::Note { text: format!("{found} states, {followed} followed") });
        }
        Heard::Endless(fair::Event::Rounds(rounds)) => {
            let text = format!("none within {} + {} rounds", rounds.stem, rounds.lasso);
            tell(Live::Note { text });
        }
        Heard::Trying(text) | Heard::Note(text) => tell(Live::Note { text: text.to_owned() }),
        Heard::Tick => {}
    })
}
