//! What `verify`, `check` and `table` have in common: the options of engines, and a run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args as ClapArgs, ValueEnum};
use selvedge_analysis::engine::{self, Event, Method, Outcome, Question, Verdict};
use selvedge_analysis::reduce::Direction;
use selvedge_analysis::{Bound, Budget, Resource};
use selvedge_evidence::{Trace, replay_with};
use selvedge_frontend::files;
use selvedge_model::{Property, State, System};
use selvedge_report::answer::{self, Answer};
use selvedge_report::text::TraceOptions;
use selvedge_report::{advice, json};
use selvedge_sequential::{Guesses, Options, engine as sequential};

use crate::args::{Format, InputArgs};
use crate::exit::{Exit, Failure};
use crate::input::{self, Opened};
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::save::probe;
use crate::{evidence, limits, memory};

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
    limits: Limits,
}

/// How long and how large a run may be.
#[derive(ClapArgs, Clone, Debug)]
pub struct Limits {
    /// Stop after this time: 60s, 5m, 500ms
    #[arg(long, value_name = "TIME", value_parser = limits::time, help_heading = "Engine")]
    timeout: Option<Duration>,
    /// Stop when this much memory is in use: 4GiB, 500MB [default: 80% of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::size, help_heading = "Engine")]
    memory: Option<usize>,
}

impl Limits {
    /// The budget of a run that started then; from now on Ctrl-C ends it.
    pub fn budget(&self, start: Instant) -> Budget {
        let interrupt = Interrupt::install(|| {});
        Budget {
            deadline: self.timeout.and_then(|time| start.checked_add(time)),
            memory: self.memory.or_else(memory::default_limit),
            memory_in_use: Some(memory::in_use),
            cancelled: vec![interrupt.flag()],
        }
    }
}

/// How to explore from below.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Engine {
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
}

/// A question that is ready to be asked.
pub struct Asked {
    pub opened: Opened,
    /// Where the evidence goes, if it is wanted.
    evidence: Option<PathBuf>,
    /// The bound, if there is one.
    bound: Option<Bound>,
    input: InputArgs,
    options: EngineOptions,
    budget: Budget,
}

/// What a run cost.
#[derive(Clone, Copy)]
pub struct Cost {
    pub time: Duration,
    pub peak_memory: u64,
}

impl EngineOptions {
    /// Refuses engines that need a bound on rounds.
    pub fn need_no_rounds(&self) -> Result<(), Failure> {
        match self.engine {
            Engine::Auto | Engine::Explicit | Engine::Symbolic => Ok(()),
            Engine::Pds | Engine::PdsBackward | Engine::Lazy | Engine::Near | Engine::Eager => {
                Err(Failure::usage("this engine answers `selvedge check --rounds K` only"))
            }
        }
    }
}

impl Asked {
    /// Reads the input and sets the limits. The time counts from here on. Deadlocks are looked for
    /// only if that is wanted.
    pub fn new(
        input: &InputArgs,
        deadlock: bool,
        options: &EngineOptions,
        output: &mut Output,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        let opened = input::open_for_engine(input, deadlock, output)?;
        let budget = options.limits.budget(start);
        let (input, options) = (input.clone(), options.clone());
        Ok(Asked { opened, evidence: None, bound: None, input, options, budget })
    }

    /// The same, with evidence that is written to a file. Whether that is possible is found out
    /// before the search.
    pub fn with_evidence(self, evidence: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = &evidence {
            probe("--evidence", path, &files(&self.input.file))?;
        }
        Ok(Asked { evidence, ..self })
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
            evidence: self.evidence.is_some(),
        };
        let progress = Progress::start(output.notes());
        let result = engine(&question, &self.budget, &|event| progress.tell(&event));
        let (time, peak_memory) = progress.finish();
        (result, Cost { time, peak_memory })
    }

    /// Asks whether a violation is reachable within a bound.
    pub fn check(&self, bound: Bound, output: &Output) -> Result<(Outcome, Cost), Failure> {
        let summaries = match self.options.engine {
            Engine::Lazy => Some(Guesses::Lazy),
            Engine::Near => Some(Guesses::Near),
            Engine::Eager => Some(Guesses::Eager),
            _ => None,
        };
        let program = self.opened.program.as_deref();
        if summaries.is_some() && program.is_none() {
            return Err(Failure::usage(
                "the engines `lazy`, `near` and `eager` need a program; for a table there are `explicit`, \
                 `symbolic`, `pds` and `pds-backward`",
            ));
        }
        let auto = self.options.engine == Engine::Auto && bound.resource == Resource::Rounds;
        Ok(self.run(output, |question, budget, tell| match (program, summaries) {
            (Some(program), Some(guesses)) => {
                let Question { properties, evidence, .. } = *question;
                let asked = sequential::Asked { program, properties, evidence };
                let options = Options { guesses, ..Options::default() };
                sequential::check(&asked, bound.count, options, budget, tell)
            }
            (Some(program), None) if auto => {
                sequential::check_any(program, question, bound.count, budget, tell)
            }
            _ => engine::check(question, bound, budget, tell),
        }))
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
            Engine::Auto | Engine::Lazy | Engine::Near | Engine::Eager => Method::Auto,
            Engine::Explicit => Method::Explicit,
            Engine::Symbolic => Method::Symbolic,
            Engine::Pds => Method::Reduction(Direction::Forward),
            Engine::PdsBackward => Method::Reduction(Direction::Backward),
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
        let last = match &outcome.verdict {
            Verdict::Unsafe { trace: Ok(trace), .. } => Some(self.replayed(trace)?),
            _ => None,
        };
        let answer = Answer {
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
        };
        let saved = self.save_evidence(outcome, output);
        match output.format {
            Format::Json => {
                let saved = saved.as_ref().ok().copied().flatten();
                let evidence = saved.map(|path| path.display().to_string());
                let object = json::Answer { evidence, ..json::Answer::new(&answer) };
                output.print(&json::print(&object));
            }
            _ => {
                let options = TraceOptions { full, paint: output.paint };
                output.print(&answer::text(&answer, options));
            }
        }
        saved?;
        Ok(match outcome.verdict {
            Verdict::Safe(_) => Exit::Done,
            Verdict::Bounded { .. } => Exit::Bounded,
            Verdict::Unsafe { .. } => Exit::Unsafe,
            Verdict::Unknown { .. } => Exit::Unknown,
        })
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
        output.note("no evidence was written: there is some only if the answer is safe or unsafe");
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

/// Says that there is nothing to violate.
pub fn note_missing_target(asked: &Asked, output: &mut Output) {
    if asked.opened.properties.is_empty() {
        let file = asked.opened.source.name();
        output.note(&format!("note: {file} has no target; --target \"q|a,b\" gives one"));
    }
}
