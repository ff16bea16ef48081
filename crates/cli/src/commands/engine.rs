//! What `verify`, `check` and `table` have in common: the options of engines, and a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::engine::delays::{self, Options};
use selvedge_analysis::engine::{self, Event, Method, Outcome, Question, Verdict};
use selvedge_analysis::reduce::Direction;
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::{Trace, replay_with};
use selvedge_frontend::{Input, files};
use selvedge_model::{Property, State, System};
use selvedge_program::flow::{Command, Edge};
use selvedge_report::answer::{self, Answer};
use selvedge_report::text::TraceOptions;
use selvedge_report::{advice, json, sarif};
use selvedge_sequential::{self as summaries, Guesses, engine as sequential};

use crate::args::{Format, InputArgs};
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened, Wanted};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::save::probe_evidence;
use crate::{evidence, limits, memory, suggest};

/// How to explore, and how long and how large a run may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct EngineOptions {
    /// How to explore from below
    #[arg(long, value_enum, default_value_t = Engine::Auto, help_heading = "Engine")]
    engine: Engine,
    /// List interchangeable threads one by one, do not count them
    #[arg(long, help_heading = "Engine")]
    no_symmetry: bool,
    #[command(flatten)]
    pub limits: Limits,
}

/// How long and how large a run may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct Limits {
    /// Stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time, help_heading = "Engine")]
    pub timeout: Option<Duration>,
    /// Stop when this much memory is in use: 4GiB, 500MB [default: 80% of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size, help_heading = "Engine")]
    pub memory: Option<usize>,
}

impl Limits {
    /// The budget of a run that started then; from now on Ctrl-C ends it.
    pub fn budget(&self, start: Instant) -> Budget {
        self.budget_until(start, Interrupt::install(|| {}).flag())
    }

    /// The budget of a run that started then, and ends when a flag is set.
    pub fn budget_until(&self, start: Instant, cancelled: Arc<AtomicBool>) -> Budget {
        Budget {
            deadline: self.timeout.and_then(|time| start.checked_add(time)),
            memory: self.memory.or_else(memory::default_limit),
            memory_in_use: Some(memory::in_use),
            cancelled: vec![cancelled],
        }
    }

    /// The same with another time, if one is given.
    #[must_use]
    pub fn or_timeout(&self, timeout: Option<Duration>) -> Self {
        Limits { timeout: timeout.or(self.timeout), ..self.clone() }
    }
}

/// How to explore from below.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Single states while stacks stay low, sets of stacks where contexts are infinite
    Auto,
    /// Single states
    Explicit,
    /// Sets of stacks
    Symbolic,
    /// All threads as one pushdown system, explored forward: for `check --rounds`
    Pds,
    /// The same, explored backward
    PdsBackward,
    /// Summaries over decision diagrams, for what really occurs: for `check --rounds` of a program
    Lazy,
    /// The same for what occurs after the last context, whatever was before; sorted out afterwards
    Near,
    /// The same for whatever other threads might do, sorted out afterwards
    Eager,
    /// Invariants over predicates, with an SMT solver: for `verify` of a program with integers
    /// without bounds, or any number of threads
    Predicates,
    /// Backward, over any number of threads with finitely many local states: for `verify`
    Coverability,
    /// Single states, in rounds of single steps with delays: finite even where contexts are not
    Delays,
}

/// A question that is ready to be asked.
#[derive(Clone)]
pub struct Asked {
    pub opened: Opened,
    /// Where the evidence goes, if it is wanted.
    evidence: Option<PathBuf>,
    /// The bound, if there is one.
    bound: Option<Bound>,
    input: InputArgs,
    options: EngineOptions,
    budget: Budget,
    /// Whether outcomes carry their evidence although no file is wanted.
    keeps_evidence: bool,
    listener: Option<Listener>,
}

/// Somebody who is told what an engine does, beside the terminal.
pub type Listener = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// What a run cost.
#[derive(Clone, Copy)]
pub struct Cost {
    pub time: Duration,
    pub peak_memory: u64,
}

impl EngineOptions {
    /// Whether predicates are asked for.
    pub fn wants_predicates(&self) -> bool {
        self.engine == Engine::Predicates
    }

    /// Whether any engine will do.
    pub fn is_auto(&self) -> bool {
        self.engine == Engine::Auto
    }

    /// The limits, from a time on.
    pub fn budget(&self, start: Instant) -> Budget {
        self.limits.budget(start)
    }

    /// Refuses engines that do not know about a bound on this.
    pub fn need_bound(&self, resource: Resource) -> Result<(), Failure> {
        let only = |what| Err(Failure::usage(format!("this engine answers {what} only")));
        match (self.engine, resource) {
            (Engine::Auto | Engine::Explicit, _) => Ok(()),
            (Engine::Coverability, _) => only("`selvedge verify`"),
            (Engine::Delays, Resource::RoundRobin { .. }) => Ok(()),
            (Engine::Predicates, _) => only("`selvedge verify`"),
            (Engine::Delays, _) => {
                only("`selvedge verify` and `selvedge check --rounds R --delays D`")
            }
            (_, Resource::RoundRobin { .. }) => {
                Err(Failure::usage("with --delays the engine is `delays`, which `auto` takes, too"))
            }
            (_, Resource::Rounds) | (Engine::Symbolic, Resource::Contexts) => Ok(()),
            (_, Resource::Contexts | Resource::Threads) => only("`selvedge check --rounds K`"),
        }
    }

    /// Whether rounds and delays are wanted.
    pub fn is_delays(&self) -> bool {
        self.engine == Engine::Delays
    }

    /// The names of all engines, and that of this one.
    pub fn names(&self) -> (Vec<String>, String) {
        let name = |engine: &Engine| {
            engine.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
        };
        (Engine::value_variants().iter().map(name).collect(), name(&self.engine))
    }

    /// The same with another engine.
    pub fn with_engine(&self, name: &str) -> Result<Self, Failure> {
        match Engine::from_str(name, false) {
            Ok(engine) => Ok(EngineOptions { engine, ..self.clone() }),
            Err(_) => {
                let (known, _) = self.names();
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                Err(Failure::usage(suggest::unknown("engine", name, &known)))
            }
        }
    }
}

impl EngineOptions {
    /// Whether the engine may be asked about any number of threads.
    pub fn decides_any_number(&self) -> bool {
        matches!(self.engine, Engine::Auto | Engine::Coverability)
    }
}

impl Asked {
    /// Reads the input and sets the limits. The time counts from here on. Deadlocks are looked for
    /// only if that is wanted, any number of threads likewise.
    pub fn new(
        input: &InputArgs,
        wanted: Wanted,
        options: &EngineOptions,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        let loaded = input::load(&input.file, &input.options, output)?;
        Asked::of(loaded, input, wanted, options, start)
    }

    /// The same with an input that was read already.
    pub fn of(
        loaded: Input,
        input: &InputArgs,
        wanted: Wanted,
        options: &EngineOptions,
        start: Instant,
    ) -> Result<Self, Failure> {
        if options.wants_predicates() {
            return Err(Failure::usage("the engine `predicates` answers `selvedge verify` only"));
        }
        let opened = input::for_engine(loaded, &input.options, wanted)?;
        Ok(Asked::ready(opened, None, input, options, options.budget(start)))
    }

    /// A question about what is opened already.
    pub fn ready(
        opened: Opened,
        evidence: Option<PathBuf>,
        input: &InputArgs,
        options: &EngineOptions,
        budget: Budget,
    ) -> Self {
        Asked {
            opened,
            evidence,
            bound: None,
            input: input.clone(),
            options: options.clone(),
            budget,
            keeps_evidence: false,
            listener: None,
        }
    }

    /// The same, for a document: outcomes carry their evidence, and somebody listens.
    #[must_use]
    pub fn told(self, listener: Option<Listener>) -> Self {
        Asked { keeps_evidence: true, listener, ..self }
    }

    /// The same, with evidence that is written to a file. Whether that is possible is found out
    /// before the search.
    pub fn with_evidence(self, evidence: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = &evidence {
            probe_evidence(path, &files(&self.input.file))?;
        }
        Ok(Asked { evidence, ..self })
    }

    /// The same, for a while only.
    #[must_use]
    pub fn for_a_while(mut self, time: Duration) -> Self {
        let end = Instant::now() + time;
        self.budget.deadline = Some(self.budget.deadline.map_or(end, |deadline| deadline.min(end)));
        self
    }

    /// How long and how large a run may be.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The same, up to a bound.
    #[must_use]
    pub fn within(self, bound: Bound) -> Self {
        Asked { bound: Some(bound), ..self }
    }

    pub fn system(&self) -> &dyn System {
        self.opened.system.as_ref()
    }

    /// Lets an engine run, and shows what it is doing.
    pub fn run<T>(
        &self,
        output: &Output,
        engine: impl FnOnce(&Question<'_>, &Budget, &(dyn Fn(Event<'_>) + Sync)) -> T,
    ) -> (T, Cost) {
        let question = Question {
            system: self.system(),
            properties: &self.opened.properties,
            method: self.method(),
            symmetry: !self.options.no_symmetry,
            evidence: self.evidence.is_some() || self.keeps_evidence,
        };
        let progress = Progress::start(output.notes());
        let result = engine(&question, &self.budget, &|event| {
            progress.tell(&event);
            if let Some(listener) = &self.listener {
                listener(&event);
            }
        });
        let (time, peak_memory) = progress.finish();
        (result, Cost { time, peak_memory })
    }

    /// Asks whether a violation is reachable within a bound.
    pub fn check(&self, bound: Bound, output: &Output) -> Result<(Outcome, Cost), Failure> {
        let guesses = match self.options.engine {
            Engine::Lazy => Some(Guesses::Lazy),
            Engine::Near => Some(Guesses::Near),
            Engine::Eager => Some(Guesses::Eager),
            _ => None,
        };
        let program = self.opened.program.as_deref();
        if guesses.is_some() && program.is_none() {
            return Err(Failure::usage(
                "the engines `lazy`, `near` and `eager` need a program; for a table there are `explicit`, \
                 `symbolic`, `pds` and `pds-backward`",
            ));
        }
        let auto = self.options.engine == Engine::Auto && bound.resource == Resource::Rounds;
        Ok(self.run(output, |question, budget, tell| match (program, guesses) {
            (Some(program), Some(guesses)) => {
                let Question { properties, evidence, .. } = *question;
                let asked = sequential::Asked { program, properties, evidence };
                let options = summaries::Options { guesses, ..summaries::Options::default() };
                sequential::check(&asked, bound.count, options, budget, tell)
            }
            (Some(program), None) if auto => {
                sequential::check_any(program, question, bound.count, budget, tell)
            }
            _ => engine::check(question, bound, budget, tell),
        }))
    }

    /// Asks whether a violation is reachable at all, with rounds and delays.
    pub fn verify_with_delays(&self, options: &Options, output: &Output) -> (Outcome, Cost) {
        self.run(output, |question, budget, tell| delays::verify(question, options, budget, tell))
    }

    /// Asks whether a violation is reachable at all.
    pub fn verify(&self, output: &Output) -> (Outcome, Cost) {
        let auto = self.options.engine == Engine::Auto;
        self.run(output, |question, budget, tell| match &self.opened.program {
            Some(program) if auto => sequential::verify(program, question, budget, tell),
            _ => engine::verify(question, budget, tell),
        })
    }

    fn method(&self) -> Method {
        match self.options.engine {
            Engine::Auto
            | Engine::Lazy
            | Engine::Near
            | Engine::Eager
            | Engine::Delays
            | Engine::Predicates => Method::Auto,
            Engine::Explicit => Method::Explicit,
            Engine::Symbolic => Method::Symbolic,
            Engine::Pds => Method::Reduction(Direction::Forward),
            Engine::PdsBackward => Method::Reduction(Direction::Backward),
            Engine::Coverability => Method::Coverability,
        }
    }

    /// Prints the answer, and says how to end. It is printed even if the evidence cannot be written.
    pub fn answer(
        &self,
        outcome: &Outcome,
        cost: Cost,
        full: bool,
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        self.with_answer(outcome, cost, |answer| self.print(answer, full, output))?
    }

    /// Does something with the answer. A schedule is replayed before that.
    pub fn with_answer<T>(
        &self,
        outcome: &Outcome,
        cost: Cost,
        then: impl FnOnce(&Answer<'_>) -> T,
    ) -> Result<T, Failure> {
        let last = match &outcome.verdict {
            Verdict::Unsafe { trace: Ok(trace), .. } => Some(self.replayed(trace)?),
            _ => None,
        };
        Ok(then(&Answer {
            file: self.opened.source.name(),
            system: self.system(),
            properties: &self.opened.properties,
            outcome,
            asked: advice::Asked {
                method: self.method(),
                bound: self.bound,
                unbounded: self.opened.unbounded.as_deref(),
            },
            last: last.as_ref(),
            time: cost.time,
            peak_memory: cost.peak_memory,
        }))
    }

    fn print(&self, answer: &Answer<'_>, full: bool, output: &mut Output) -> Result<Exit, Failure> {
        let outcome = answer.outcome;
        let exit = exit(&outcome.verdict);
        let saved = self.save_evidence(outcome, output);
        match output.format {
            Format::Sarif => {
                let log = sarif::answer(answer, &self.opened.source, exit as u8);
                output.print(&json::print(&log));
            }
            Format::Json => {
                let saved = saved.as_ref().ok().copied().flatten();
                let evidence = saved.map(|path| path.display().to_string());
                let object = json::Answer { evidence, ..json::Answer::new(answer) };
                output.print(&json::print(&object));
            }
            _ => {
                let options = TraceOptions { full, paint: output.paint };
                output.print(&answer::text(answer, options));
            }
        }
        saved?;
        Ok(exit)
    }

    /// Writes the evidence where it is wanted; where that is, if there is any.
    fn save_evidence(
        &self,
        outcome: &Outcome,
        output: &mut Output,
    ) -> Result<Option<&Path>, Failure> {
        let Some(path) = self.evidence.as_deref() else { return Ok(None) };
        if evidence::save(path, &self.opened, &self.input.options, outcome)? {
            output.note(&format!("the evidence was written to {}", path.display()));
            return Ok(Some(path));
        }
        output.note(match outcome.verdict {
            Verdict::Safe(_) => {
                "no evidence was written: what the proof rests on is too large to be written down"
            }
            _ => "no evidence was written: there is some only if the answer is safe or unsafe",
        });
        Ok(None)
    }

    /// Walks the trace with the one step function, to its last state: what cannot be walked, or does
    /// not end in a violation, is no answer.
    fn replayed(&self, trace: &Trace) -> Result<State, Failure> {
        let last = replay_with(self.system(), trace, |_| {}).map_err(Failure::bug)?;
        if Property::first_broken(&self.opened.properties, self.system(), &last)?.is_none() {
            return Err(Failure::bug("the schedule that was found does not end in a violation"));
        }
        Ok(last)
    }
}

/// How a command ends with a verdict.
pub fn exit(verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Safe(_) => Exit::Done,
        Verdict::Bounded { .. } => Exit::Bounded,
        Verdict::Unsafe { .. } => Exit::Unsafe,
        Verdict::Unknown { .. } => Exit::Unknown,
    }
}

/// Says that there is nothing to violate.
pub fn note_missing_target(asked: &Asked, output: &mut Output) {
    if asked.opened.properties.is_empty() {
        let file = asked.opened.source.name();
        output.note(&format!("note: {file} has no target; --target \"q|a,b\" gives one"));
    }
    let is_assert = |edge: &Edge| matches!(edge.command, Command::Assert(_));
    if let Some(program) = &asked.opened.program
        && asked.opened.properties == [Property::NeverWrong]
        && !program.flow().edges.iter().any(is_assert)
    {
        output.note(
            "note: there is no `assert` in the program, so that only ranges, indices, divisions and \
             locks are checked; --deadlock, --target and `selvedge livelock` ask for more",
        );
    }
}
