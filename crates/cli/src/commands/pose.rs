//! What `report` and `explore` have in common: a question, and the document with its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use selvedge_analysis::engine::delays::Options;
use selvedge_analysis::engine::{self, Event, Outcome, Table, Verdict};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_frontend::Input;
use selvedge_model::{Endless, Fairness, Property};
use selvedge_report::livelock::Answer;
use selvedge_report::page::{self, Above, Ask, Below, Document, Live, Posed, Subject};
use selvedge_report::sarif;
use selvedge_smt::solver::DEFAULT;
use selvedge_web::Tell;

use super::engine::{Asked, Cost, EngineOptions, Listener, exit};
use super::find::{Asks, Found, find};
use super::livelock;
use super::predicates::{Predicates, SolverArgs};
use crate::args::{InputArgs, number};
use crate::exit::{Exit, Failure};
use crate::input::{self, Wanted};
use crate::output::Output;
use crate::progress::Progress;

/// How long the observation table beside an answer may take.
const FOR_TABLE: Duration = Duration::from_secs(5);

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
    #[arg(long, value_name = "D", value_parser = number, requires = "rounds")]
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
            engine: Some(self.engine.names().1),
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
            args.engine = self.engine.with_engine(name)?;
        }
        let timeout = ask.timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
        args.engine.limits = self.engine.limits.or_timeout(timeout);
        Ok(args)
    }

    fn bound(&self) -> Option<Bound> {
        match (self.rounds, self.delays) {
            (Some(rounds), Some(delays)) => Some(Bound::round_robin(rounds, delays)),
            (Some(rounds), None) => Some(Bound::rounds(rounds)),
            _ => self.contexts.map(Bound::contexts),
        }
    }

    /// Refuses what no engine answers, before any work is done.
    pub fn check(&self) -> Result<(), Failure> {
        match self.bound() {
            _ if self.livelock && !self.engine.is_auto() => {
                Err(Failure::usage("with --livelock there is no choice of engines"))
            }
            _ if self.livelock => Ok(()),
            Some(bound) => self.engine.need_bound(bound.resource),
            None if self.engine.is_delays()
                || self.engine.wants_predicates()
                || self.engine.decides_any_number() =>
            {
                Ok(())
            }
            None => self.engine.need_bound(Resource::Contexts),
        }
    }
}

/// The answer to a question.
pub struct Answered {
    pub document: Document,
    /// For code hosts, if that was wanted.
    pub sarif: Option<sarif::Log>,
    pub exit: Exit,
}

/// Answers a question about an input that was read already.
pub fn answer(
    args: &PoseArgs,
    loaded: Input,
    for_hosts: bool,
    cancelled: &Arc<AtomicBool>,
    tell: &Tell,
    output: &mut Output,
) -> Result<Answered, Failure> {
    args.check()?;
    let start = Instant::now();
    let budget = args.engine.limits.budget_until(start, Arc::clone(cancelled));
    if args.livelock {
        return endless(args, loaded, for_hosts, &budget, tell, output);
    }
    // While the table is made, nobody looks for violations.
    let for_table = Arc::new(AtomicBool::new(false));
    let listener = listener(Arc::clone(tell), Arc::clone(&for_table));
    let found = match args.bound() {
        Some(bound) => bounded(args, loaded, bound, budget.clone(), listener, output)?,
        None => {
            let asks = Asks {
                input: &args.input,
                engine: &args.engine,
                solver: &SolverArgs::new(args.solver.clone()),
                predicates: Predicates::Auto,
                evidence: None,
                deadlock: args.deadlock,
                budget: budget.clone(),
                keeps_evidence: true,
                listener: Some(listener),
            };
            find(&asks, loaded, &|_| Ok(Options::default()), output)?
        }
    };
    match found {
        Found::Views(views) => {
            let source = views.source();
            let subject = Subject { file: source.name(), source: source.text(), bound: None };
            let exit = views.exit();
            let (document, sarif) = views.shown(|shown| {
                let log = for_hosts.then(|| sarif::by_predicates(shown, source, exit as u8));
                (page::of_predicates(subject, shown, views.places()), log)
            });
            Ok(Answered { document, sarif, exit })
        }
        Found::Outcome { asked, outcome, cost } => {
            for_table.store(true, Ordering::Relaxed);
            let table = table(args, &asked, &outcome, tell, output);
            let source = &asked.opened.source;
            let subject =
                Subject { file: source.name(), source: source.text(), bound: args.bound() };
            let exit = exit(&outcome.verdict);
            let (document, sarif) = asked.with_answer(&outcome, cost, |answer| {
                let log = for_hosts.then(|| sarif::answer(answer, source, exit as u8));
                (page::of_answer(subject, answer, table.as_ref()), log)
            })?;
            Ok(Answered { document, sarif, exit })
        }
    }
}

fn bounded(
    args: &PoseArgs,
    loaded: Input,
    bound: Bound,
    budget: Budget,
    listener: Listener,
    output: &mut Output,
) -> Result<Found, Failure> {
    let wanted = Wanted { deadlock: args.deadlock, any_number: false };
    let opened = input::for_engine(loaded, &args.input.options, wanted)?;
    let asked = Asked::ready(opened, None, &args.input, &args.engine, budget);
    let asked = asked.told(Some(listener)).within(bound);
    let (outcome, cost) = asked.check(bound, output)?;
    Ok(Found::Outcome { asked, outcome, cost })
}

/// What is new at each bound, as far as a short time allows.
fn table(
    args: &PoseArgs,
    asked: &Asked,
    outcome: &Outcome,
    tell: &Tell,
    output: &Output,
) -> Option<Table> {
    let system = asked.system();
    let (resource, most) = match args.bound() {
        Some(bound) => (bound.resource, Some(bound.count)),
        None => (Resource::Contexts, None),
    };
    let is_other = matches!(resource, Resource::RoundRobin { .. } | Resource::Threads);
    let deadlock = asked.opened.properties.contains(&Property::NoDeadlock);
    let is_cancelled = matches!(outcome.verdict, Verdict::Unknown { stop: Stop::Cancelled, .. });
    if is_cancelled
        || is_other
        || !system.any_number().is_empty()
        || (deadlock && system.starts_threads())
    {
        return None;
    }
    tell(Live::Note { text: "the answer is there; now the observation table".to_owned() });
    let short = asked.clone().for_a_while(FOR_TABLE);
    let (table, _) = short.run(output, |question, budget, tell| {
        engine::table(question, resource, most, LISTED, budget, tell)
    });
    Some(table)
}

fn listener(tell: Tell, for_table: Arc<AtomicBool>) -> Listener {
    Arc::new(move |event: &Event<'_>| match event {
        Event::Bound { observation, .. } => tell(Live::Below(Below::new(observation))),
        Event::Cut(seen) => {
            tell(Live::Above(Above::new(seen, !for_table.load(Ordering::Relaxed))));
        }
    })
}

/// The question about runs that never end.
fn endless(
    args: &PoseArgs,
    loaded: Input,
    for_hosts: bool,
    budget: &Budget,
    tell: &Tell,
    output: &Output,
) -> Result<Answered, Failure> {
    let opened = input::with_all_threads(loaded, &args.input.options)?;
    let endless = Endless { fairness: Fairness::Strong, ended: false };
    let asks =
        livelock::Asks { endless, bounds: None, engine: livelock::Engine::Auto, evidence: false };
    let progress = Progress::start(output.notes());
    let outcome = livelock::search(&asks, &opened, &args.input.options, budget, &|event| {
        let text = livelock::said(event);
        progress.tell_text(&text);
        tell(Live::Note { text });
    })?;
    let (time, peak_memory) = progress.finish();
    let cost = Cost { time, peak_memory };
    let source = &opened.source;
    let answer = Answer {
        file: source.name(),
        system: &*opened.system,
        endless,
        outcome: &outcome,
        unbounded: opened.unbounded.as_deref(),
        time: cost.time,
        peak_memory: cost.peak_memory,
    };
    let subject = Subject { file: source.name(), source: source.text(), bound: None };
    let exit = livelock::exit(&outcome.verdict);
    let sarif = for_hosts.then(|| sarif::endless(&answer, source, exit as u8));
    Ok(Answered { document: page::of_livelock(subject, &answer), sarif, exit })
}
