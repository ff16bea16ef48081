//! What `report` and `explore` have in common: a question, and the document with its answer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use selvedge::{
    Answer, Bound, Deadlocks, EngineName, Engines, Failure, Heard, Listener, Livelock, Options,
    Subject, check, livelock, verify,
};
use selvedge_analysis::engine::{Event, Table};
use selvedge_report::command_line::CommandLine;
use selvedge_report::page::{Above, Ask, Below, CAsk, Live, Posed};
use selvedge_smt::solver::DEFAULT;
use selvedge_web::Tell;

use super::answer::with_progress;
use super::engine::EngineOptions;
use super::field::{only_c, specify};
use super::proof::{Predicates, ProofArgs, Tried};
use crate::args::{InputArgs, bound, number};
use crate::output::Output;
use selvedge_check::command::{COptions, CProperty, DataModel, constant};
use selvedge_frontend::task::Specification;
use selvedge_frontend::{c, show_path};

/// A page asks for no more workers than this.
const MOST_JOBS: u32 = 64;

/// The name that a value has on the command line.
fn name<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

fn ask_of_c(options: &COptions) -> CAsk {
    CAsk {
        data_model: options.data_model.as_ref().map(name),
        heap: Some(options.heap).filter(|&heap| heap != COptions::default_heap()),
        properties: options.property.iter().map(name).collect(),
    }
}

/// Which actions are tried, where it is not what is tried anyway.
fn closure(proof: &ProofArgs) -> Option<String> {
    Some(&proof.closure).filter(|tried| **tried != Tried::Disrespectful).map(name)
}

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
    /// Look for every kind of deadlock; without a bound, those in which threads of a .weave program wait for each other count anyway
    #[arg(long, conflicts_with = "livelock")]
    deadlock: bool,
    /// Do not report deadlocks; with a bound, they are not looked for anyway
    #[arg(long, conflicts_with_all = ["livelock", "deadlock"])]
    no_deadlock: bool,
    /// Ask for a fair run that never ends
    #[arg(long)]
    livelock: bool,
    /// Answer `unknown` where some assertion is reached by no schedule, or is not known to be
    #[arg(long, conflicts_with = "livelock")]
    require_reached: bool,
    #[command(flatten)]
    pub engine: EngineOptions,
    #[command(flatten)]
    proof: ProofArgs,
    /// A property file, which says what must hold in the place of --property
    #[arg(long, value_name = "FILE.prp", conflicts_with_all = ["property", "target"], help_heading = "C")]
    spec: Option<PathBuf>,
    /// The properties that the property file stands for.
    #[arg(skip)]
    specified: Vec<CProperty>,
    /// The SMT solver: a name or a path
    #[arg(long, value_name = "PROGRAM", default_value = DEFAULT, help_heading = "Solver")]
    solver: String,
}

impl PoseArgs {
    /// Takes the properties of the property file, if one was given, into the question.
    pub fn specified(&self) -> Result<Self, Failure> {
        let mut args = self.clone();
        let Some(path) = &self.spec else { return Ok(args) };
        if !c::has_its_ending(&self.input.file) {
            return Err(only_c("--spec", &self.input.file));
        }
        specify(&mut args.input, &Specification::read(path)?);
        args.specified.clone_from(&args.input.options.c.property);
        Ok(args)
    }

    /// Whether every schedule is asked about.
    fn is_verify(&self) -> bool {
        !self.livelock && self.bound().is_none()
    }

    /// Whether what must hold is still what the property file says.
    fn is_specified(&self) -> bool {
        let input = &self.input.options;
        self.spec.is_some() && input.target.is_none() && input.c.property == self.specified
    }

    /// The question, as a page would ask it.
    pub fn ask(&self) -> Ask {
        let (input, engine) = (&self.input.options, &self.engine);
        Ask {
            question: match (self.livelock, self.contexts, self.rounds) {
                (true, ..) => Posed::Livelock,
                (_, Some(_), _) => Posed::Contexts,
                (_, _, Some(_)) => Posed::Rounds,
                _ => Posed::Verify,
            },
            engine: Some(engine.engine.name().to_owned()),
            bound: self.contexts.or(self.rounds),
            delays: self.delays,
            deadlock: self.deadlock,
            no_deadlock: self.no_deadlock,
            timeout_s: engine.limits.timeout.map(|time| time.as_secs().max(1) as u32),
            threads: input.threads.iter().cloned().collect(),
            consts: input
                .consts
                .iter()
                .map(|(name, value)| (name.clone(), value.to_string()))
                .collect(),
            target: input.target.clone(),
            init: input.init.clone(),
            memory_bytes: engine.limits.memory.map(|bytes| bytes as u64),
            jobs: engine.jobs.map(|jobs| jobs as u32),
            no_symmetry: engine.no_symmetry,
            no_reduction: engine.no_reduction,
            require_reached: self.require_reached,
            observe: self.proof.observe.clone(),
            closure: closure(&self.proof),
            given_predicates: self.proof.predicates == Predicates::Given,
            c: ask_of_c(&input.c),
        }
    }

    /// The same options with another question.
    pub fn with(&self, ask: &Ask) -> Result<Self, Failure> {
        let mut args = self.clone();
        let named =
            |what: &str, name: &str| Failure::usage(format!("{what}: there is no `{name}`"));
        let bound = || ask.bound.ok_or_else(|| Failure::usage("this question needs a bound"));
        args.livelock = ask.question == Posed::Livelock;
        args.contexts = (ask.question == Posed::Contexts).then(bound).transpose()?;
        args.rounds = (ask.question == Posed::Rounds).then(bound).transpose()?;
        args.delays = ask.delays.filter(|_| args.rounds.is_some());
        args.deadlock = ask.deadlock && !args.livelock;
        args.no_deadlock = ask.no_deadlock && !args.livelock && !args.deadlock;
        args.require_reached = ask.require_reached && !args.livelock;
        if let Some(name) = &ask.engine {
            args.engine.engine = name.parse()?;
        }
        args.engine.no_symmetry = ask.no_symmetry;
        args.engine.no_reduction = ask.no_reduction;
        if args.is_verify() {
            let tried =
                |name: &String| Tried::from_str(name, false).map_err(|_| named("closure", name));
            args.proof = ProofArgs {
                observe: ask.observe.clone(),
                closure: ask.closure.as_ref().map_or(Ok(Tried::Disrespectful), tried)?,
                predicates: match ask.given_predicates {
                    true => Predicates::Given,
                    false => Predicates::Auto,
                },
            };
        } else {
            args.proof = ProofArgs::default();
        }
        args.engine.jobs = ask.jobs.map(|jobs| jobs.clamp(1, MOST_JOBS) as usize);
        let limits = &mut args.engine.limits;
        // Fractions of a second are not asked for on a page: they stay as they were.
        if ask.timeout_s != self.ask().timeout_s {
            limits.timeout = ask.timeout_s.map(|seconds| Duration::from_secs(seconds.into()));
        }
        limits.memory = ask.memory_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let input = &mut args.input.options;
        input.threads = ask.threads.clone().into_iter().collect();
        let value = |(name, value): (&String, &String)| {
            constant(&format!("{name}={value}"))
                .map_err(|why| Failure::usage(format!("const {name}: {why}")))
        };
        input.consts = ask.consts.iter().map(value).collect::<Result<_, _>>()?;
        input.target = ask.target.clone();
        input.init = ask.init.clone();
        let c = &mut input.c;
        let model =
            |name: &String| DataModel::from_str(name, false).map_err(|_| named("data model", name));
        c.data_model = ask.c.data_model.as_ref().map(model).transpose()?;
        c.heap = ask.c.heap.map_or(COptions::default_heap(), |heap| heap.clamp(1, 128));
        let property =
            |name: &String| CProperty::from_str(name, false).map_err(|_| named("property", name));
        c.property = ask.c.properties.iter().map(property).collect::<Result<_, _>>()?;
        Ok(args)
    }

    /// The command line that asks this question, without a page.
    pub fn command(&self) -> String {
        let (input, engine) = (&self.input.options, &self.engine);
        let line = CommandLine::new(match self.bound() {
            _ if self.livelock => "livelock",
            Some(_) => "check",
            None => "verify",
        });
        let pairs = |list: &[(String, u32)]| {
            list.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>()
        };
        let consts = input.consts.iter().map(|(name, value)| format!("{name}={value}"));
        let properties = if self.is_specified() { &[][..] } else { &input.c.property };
        let proof = &self.proof;
        let line = line
            .word(&show_path(&self.input.file))
            .option("--contexts", self.contexts)
            .option("--rounds", self.rounds)
            .option("--delays", self.delays)
            .flag("--deadlock", self.deadlock)
            .flag("--no-deadlock", self.no_deadlock && self.bound().is_none())
            .flag("--require-reached", self.require_reached)
            .each("--threads", pairs(&input.threads))
            .each("--const", consts)
            .option("--init", input.init.as_ref())
            .option("--target", input.target.as_ref())
            .option("--data-model", input.c.data_model.as_ref().map(name))
            .option("--heap", Some(input.c.heap).filter(|&heap| heap != COptions::default_heap()))
            .each("--property", properties.iter().map(name));
        let named = self.fixed().into_iter().fold(line, |line, word| line.word(&word));
        // Endless runs have engines of their own.
        let is_other = |engine: &EngineName| *engine != EngineName::Auto && !self.livelock;
        let of_engine = Some(engine.engine).filter(is_other);
        named
            .option("--engine", of_engine.map(EngineName::name))
            .flag("--no-symmetry", engine.no_symmetry && !self.livelock)
            .flag("--no-reduction", engine.no_reduction && !self.livelock)
            .option("--observe", proof.observe.as_ref())
            .option("--closure", closure(proof))
            .option("--predicates", (proof.predicates != Predicates::Auto).then_some("given"))
            .option("--jobs", engine.jobs.filter(|_| !self.livelock))
            .time("--timeout", engine.limits.timeout)
            .option("--memory", engine.limits.memory.map(|bytes| format!("{bytes}B")))
            .finish()
    }

    /// The options that name files or programs, word by word: a page shows them and does not set them.
    pub fn fixed(&self) -> Vec<String> {
        let c = &self.input.options.c;
        let include = c.include.iter().map(|folder| format!("-I{}", show_path(folder)));
        let define = c.define.iter().map(|text| format!("-D{text}"));
        let spec = self.spec.as_ref().filter(|_| self.is_specified());
        let spec = spec.map(|path| ["--spec".to_owned(), show_path(path)]);
        let solver = (self.solver != DEFAULT && self.is_verify())
            .then(|| ["--solver".to_owned(), self.solver.clone()]);
        include.chain(define).chain([spec, solver].into_iter().flatten().flatten()).collect()
    }

    /// Which deadlocks are asked for: within a bound none, unless all are.
    pub fn deadlocks(&self) -> Deadlocks {
        match (self.deadlock, self.no_deadlock || self.livelock || self.bound().is_some()) {
            (true, _) => Deadlocks::All,
            (_, true) => Deadlocks::No,
            _ => Deadlocks::Waits,
        }
    }

    fn bound(&self) -> Option<Bound> {
        bound(self.contexts, self.rounds, self.delays)
    }

    /// Refuses what no engine answers, before any work is done.
    pub fn check(&self) -> Result<(), Failure> {
        let engine = self.engine.engine;
        if !self.is_verify() && self.proof != ProofArgs::default() {
            return Err(Failure::usage(
                "--observe, --closure and --predicates say how to prove: leave out --contexts, --rounds and --livelock, which ask for no proof",
            ));
        }
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

/// Answers a question about an input that was read already; with what is new at each bound, where there is time for it. Goes on
/// from an answer to the same question with a smaller bound, if there is one. `answered` sees the answer before the table is made.
pub fn answer(
    args: &PoseArgs,
    (subject, before): (&Subject, Option<Answer>),
    cancelled: &Arc<AtomicBool>,
    tell: &Tell,
    output: &Output,
    answered: impl FnOnce(&Answer),
) -> Result<(Answer, Option<Table>), Failure> {
    args.check()?;
    let subject = subject.with_threads(args.input.options.threads.clone());
    // While the table is made, nobody looks for violations.
    let for_table = Arc::new(AtomicBool::new(false));
    let options = Options {
        deadlock: args.deadlocks(),
        require_reached: args.require_reached,
        evidence: !args.livelock,
        keep: true,
        solver: Some(args.solver.clone()),
        listener: Some(listener(Arc::clone(tell), Arc::clone(&for_table))),
        ..args.proof.options(
            args.engine.options(args.engine.limits.until(Instant::now(), Arc::clone(cancelled))),
        )
    };
    with_progress(options, output, args.bound(), |options| {
        let answer = match args.bound() {
            _ if args.livelock => livelock(&subject, &Livelock::default(), options)?,
            Some(bound) => match before {
                Some(before) => before.further(bound.count, options)?,
                None => check(&subject, bound, options)?,
            },
            None => verify(&subject, options)?,
        };
        let answer = answer.asked_by(args.command());
        answered(&answer);
        for_table.store(true, Ordering::Relaxed);
        let table = answer.table_of_page();
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
        Heard::Note(text) => tell(Live::Note { text: text.to_owned() }),
        other => {
            if let Some(text) = other.words(None) {
                tell(Live::Note { text });
            }
        }
    })
}
