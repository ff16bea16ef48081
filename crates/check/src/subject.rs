//! # Subjects
//! What a question is about: a program or a table, with what the options say of it; and the system that is explored.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use num_bigint::BigInt;
use selvedge_frontend::check::CheckOptions;
use selvedge_frontend::{self as frontend, Diagnostic, Diagnostics, Input, LoadError, LoadOptions};
use selvedge_model::{Budget, Property, System, Waiting};
use selvedge_program::{
    Count, LowerError, Lowering, Program, Source, ThreadCounts, ThreadDecl, print,
};

use crate::{Failure, suggest};

/// A way to read a program in C, where several are asked one after the other. Other texts have one reading only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reading {
    /// Whether runs end where they cannot be followed, in the place of failing there.
    pub ends_at_limits: bool,
    /// The number of objects in each pool.
    pub heap: u32,
}

/// Options for reading an input.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputOptions {
    /// The numbers of threads of templates.
    pub threads: Vec<(String, u32)>,
    /// The values of constants of a program.
    pub consts: Vec<(String, BigInt)>,
    /// The initial state of a `.pds`, in the place of the `.init` file.
    pub init: Option<String>,
    /// The target that must not be reached; it replaces the targets of the file.
    pub target: Option<String>,
    /// What is said about a program in C.
    pub c: frontend::c::Settings,
}

impl InputOptions {
    /// Asks a program in C for one property, by its name: `no-data-race`.
    pub fn only(mut self, property: &str) -> Result<Self, Failure> {
        let known = ["unreach-call", "valid-memsafety", "no-overflow", "no-data-race"];
        let options = frontend::c::lower::Options::only(property);
        self.c.options = options.ok_or_else(|| {
            let unknown = suggest::unknown("property", property, &known);
            Failure::usage(format!("property: {unknown}"))
        })?;
        Ok(self)
    }

    /// Reads and checks an input within a budget, however it is read.
    fn load(
        self,
        budget: &Budget,
        load: impl FnOnce(&LoadOptions) -> Result<Input, LoadError>,
    ) -> Result<Subject, Failure> {
        refuse_repeated("threads", self.threads.iter().map(|(name, _)| name))?;
        refuse_repeated("const", self.consts.iter().map(|(name, _)| name))?;
        let input = load(&LoadOptions {
            init: self.init.clone(),
            target: self.target.clone(),
            threads: self.threads.iter().cloned().collect(),
            check: CheckOptions { consts: self.consts.iter().cloned().collect() },
            c: self.c.clone(),
            budget: budget.clone(),
        })?;
        refuse_what_does_not_apply(&input, &self)?;
        Ok(Subject { about: About::Text(input), options: self, budget: Budget::default() })
    }
}

/// A well-formed program or table, or a system that a caller has built.
#[derive(Clone)]
pub struct Subject {
    about: About,
    options: InputOptions,
    /// The resources that its preparation for a question may use.
    budget: Budget,
}

/// The text or the system that questions are about.
#[derive(Clone)]
enum About {
    /// A text that was read.
    Text(Input),
    /// A system, made anew for each engine: the ids of a system depend on who asks first.
    System { make: Maker, properties: Vec<Property>, source: Arc<Source> },
}

/// Makes a system; the same one every time but for its ids.
type Maker = Arc<dyn Fn() -> Arc<dyn System> + Send + Sync>;

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Subject");
        match &self.about {
            About::Text(input) => shown.field("input", input),
            About::System { source, .. } => shown.field("system", &source.name()),
        };
        shown.field("options", &self.options).finish()
    }
}

impl Subject {
    /// Reads a file, and those that belong beside it. The ending of its name tells the language.
    pub fn read(path: &Path, options: InputOptions) -> Result<Self, Failure> {
        Self::read_within(path, options, &Budget::default())
    }

    /// Reads a file, unless the budget ends before that is done.
    pub fn read_within(
        path: &Path,
        options: InputOptions,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        options.load(budget, |options| frontend::load(path, options))
    }

    /// Reads a text. The ending of the name tells the language, as if it were that of a file.
    pub fn parse(
        name: &str,
        text: impl Into<String>,
        options: InputOptions,
    ) -> Result<Self, Failure> {
        Self::parse_within(name, text, options, &Budget::default())
    }

    /// Reads a text, unless the budget ends before that is done.
    pub fn parse_within(
        name: &str,
        text: impl Into<String>,
        options: InputOptions,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        options.load(budget, |options| frontend::parse(Path::new(name), text.into(), options))
    }

    /// A text in C that was preprocessed, with places in the text that it was made of.
    pub fn of_preprocessed(source: &Source, options: InputOptions) -> Result<Self, Failure> {
        options.load(&Budget::default(), |options| frontend::reread(source, options))
    }

    /// A program that somebody has built, or transformed. It is printed and read again, so that lines in answers are those of
    /// [`source`](Self::source), and evidence is about that text.
    pub fn of_program(
        name: &str,
        program: &Program,
        options: InputOptions,
    ) -> Result<Self, Failure> {
        Self::parse(&format!("{name}.weave"), print::weave(program), options)
    }

    /// Any system. It is made anew for each engine that works on it, and must be the same but for the ids that it gives. A system
    /// that starts threads has to come in the form that also drops them: see [`System::starts_threads`].
    pub fn of_system(
        name: &str,
        properties: Vec<Property>,
        make: impl Fn() -> Arc<dyn System> + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let system = make();
        if system.starts_threads() && !system.drops_threads() {
            let why = "a system that starts threads has to be in the form in which each start may also drop the thread";
            return Err(Failure::input(why));
        }
        let source = Arc::new(Source::new(name, ""));
        let about = About::System { make: Arc::new(make), properties, source };
        Ok(Subject { about, options: InputOptions::default(), budget: Budget::default() })
    }

    /// The subject, to be prepared and explored within a budget: what it is opened as hears of limits also where a single
    /// action takes long.
    #[must_use]
    pub fn within(&self, budget: &Budget) -> Self {
        Subject { budget: budget.clone(), ..self.clone() }
    }

    /// The program or table, if it was read from a text.
    #[must_use]
    pub fn input(&self) -> Option<&Input> {
        match &self.about {
            About::Text(input) => Some(input),
            About::System { .. } => None,
        }
    }

    /// The program and its text, if it is one.
    fn program(&self) -> Option<(&Arc<Program>, &Arc<Source>)> {
        match self.input()? {
            Input::Program { program, source, .. } => Some((program, source)),
            Input::Tables { .. } => None,
        }
    }

    /// The options that it was read with.
    #[must_use]
    pub fn options(&self) -> &InputOptions {
        &self.options
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        match &self.about {
            About::Text(Input::Program { source, .. } | Input::Tables { source, .. })
            | About::System { source, .. } => source,
        }
    }

    /// What may not be meant as it is written.
    #[must_use]
    pub fn warnings(&self) -> Option<&Diagnostics> {
        match self.input()? {
            Input::Program { warnings, .. } => Some(warnings),
            Input::Tables { .. } => None,
        }
    }

    /// The subject with other numbers of threads; a table keeps those that it was read with.
    #[must_use]
    pub fn with_threads(&self, threads: Vec<(String, u32)>) -> Self {
        let options = InputOptions { threads, ..self.options.clone() };
        Subject { options, ..self.clone() }
    }

    /// What the program leaves out of what its text means, if it is one.
    #[must_use]
    pub fn beyond(&self) -> Option<&frontend::Beyond> {
        match self.input()? {
            Input::Program { beyond, .. } => Some(beyond),
            Input::Tables { .. } => None,
        }
    }

    /// Whether it is a program in C.
    #[must_use]
    pub fn is_c(&self) -> bool {
        self.beyond().is_some_and(|beyond| beyond.is_c)
    }

    /// The subject with runs that end where they cannot be followed, in the place of failing there.
    pub fn ending_at_limits(&self) -> Result<Self, Failure> {
        self.reread(|options| options.ends_at_limits = true)
    }

    /// How a program in C is read: it is asked about in several readings, one after the other.
    #[must_use]
    pub fn reading(&self) -> Reading {
        let options = &self.options.c.options;
        Reading { ends_at_limits: options.ends_at_limits, heap: options.heap }
    }

    /// The subject in another reading.
    pub fn read_as(&self, Reading { ends_at_limits, heap }: Reading) -> Result<Self, Failure> {
        self.reread(|options| (options.ends_at_limits, options.heap) = (ends_at_limits, heap))
    }

    /// The subject in which the end of a program in C stops everybody, so that no run is endless that only goes on after it; and in which
    /// nobody who waits for a condition wakes by chance.
    pub fn marking_the_end(&self) -> Result<Self, Failure> {
        self.reread(|options| (options.marks_end, options.counts_sleepers) = (true, true))
    }

    /// The subject with pools of four times as many objects; nothing if they are large already.
    pub fn with_larger_pools(&self) -> Option<Result<Self, Failure>> {
        let larger = self.options.c.options.heap.checked_mul(4).filter(|objects| *objects <= 80)?;
        Some(self.reread(|options| options.heap = larger))
    }

    /// The subject in which loops that start threads start as many as they say, in the place of any number; nothing if these are too many to be followed, or none.
    pub fn counting_threads(&self) -> Option<Result<Self, Failure>> {
        /// More threads than this are not followed one by one.
        const MOST: u32 = 16;
        self.beyond()?.many_threads.filter(|threads| *threads <= MOST)?;
        Some(self.counting_all_threads())
    }

    /// The subject in which loops that start threads start as many as they say, however many these are. Any number of them includes none, and who waits for them is
    /// stuck then; so where deadlocks are asked about, there is no other one.
    pub(crate) fn counting_all_threads(&self) -> Result<Self, Failure> {
        match self.beyond() {
            Some(beyond) if beyond.many_threads.is_some() => {
                self.reread(|options| options.counts_threads = true)
            }
            _ => Ok(self.clone()),
        }
    }

    /// The subject as it is asked about deadlocks. What it leaves out is known of this one only.
    pub fn about_deadlocks(&self) -> Result<Self, Failure> {
        self.counting_all_threads()?.woken_by_calls()
    }

    /// Whether assertions of a program in C are asked about apart from deadlocks: there, threads that wait for a condition may wake by chance, and any number of threads
    /// may stand for very many.
    #[must_use]
    pub fn asks_twice(&self) -> bool {
        self.beyond().is_some_and(|beyond| beyond.waits || beyond.many_threads.is_some())
    }

    /// The subject in which values from outside are all values of their types, for who can follow them at once.
    pub fn keeping_values(&self) -> Result<Self, Failure> {
        self.reread(|options| options.keeps_values = true)
    }

    /// The subject in which nothing is a violation but what cannot be followed.
    pub fn only_limits(&self) -> Result<Self, Failure> {
        self.reread(|options| {
            (options.assertions, options.memory) = (false, false);
            (options.overflow, options.races) = (false, false);
        })
    }

    /// The subject in which threads that wait for a condition of C are woken by calls only: whoever may wake by chance is never
    /// stuck, and whether somebody is stuck is what is asked.
    fn woken_by_calls(&self) -> Result<Self, Failure> {
        match self.beyond() {
            Some(beyond) if beyond.waits && !self.options.c.options.counts_sleepers => {
                self.reread(|options| options.counts_sleepers = true)
            }
            _ => Ok(self.clone()),
        }
    }

    fn reread(
        &self,
        change: impl FnOnce(&mut frontend::c::lower::Options),
    ) -> Result<Self, Failure> {
        let mut options = self.options.clone();
        change(&mut options.c.options);
        let source = self.source();
        let other = options.load(&self.budget, |options| frontend::reread(source, options))?;
        Ok(other.within(&self.budget))
    }

    /// Whether there is any number of threads of a template, and no option gives one.
    #[must_use]
    pub fn has_any_number_of(&self, template: &str) -> bool {
        let Some((program, _)) = self.program() else { return false };
        let is_any = |thread: &ThreadDecl| thread.name == template && thread.count == Count::Any;
        let is_given = self.options.threads.iter().any(|(name, _)| name == template);
        !is_given && program.threads.iter().any(is_any)
    }

    /// The subject with another program, in which the numbers of threads are those that there are.
    #[must_use]
    pub fn with_program(&self, other: Arc<Program>) -> Self {
        let mut about = self.about.clone();
        if let About::Text(Input::Program { program, .. }) = &mut about {
            *program = other;
        }
        let options = InputOptions { threads: Vec::new(), ..self.options.clone() };
        Subject { about, options, budget: self.budget.clone() }
    }

    /// The numbers of threads that the options give, of threads that exist.
    pub fn thread_counts(&self) -> Result<ThreadCounts, Failure> {
        if let Some((program, _)) = self.program() {
            let known: Vec<&str> = program.threads.iter().map(|t| &*t.name).collect();
            let given = self.options.threads.iter().map(|(name, _)| name.as_str());
            if let Some(name) = given.into_iter().find(|name| !known.contains(name)) {
                let unknown = suggest::unknown("thread", name, &known);
                return Err(Failure::usage(format!("--threads {name}: {unknown}")));
            }
        }
        let counts: ThreadCounts = self.options.threads.iter().cloned().collect();
        if let Some((program, _)) = self.program() {
            let is_none = |thread: &ThreadDecl| match (counts.get(&thread.name), &thread.count) {
                (Some(given), _) => *given == 0,
                (None, count) => *count == Count::Fixed(0),
            };
            if !counts.is_empty() && program.threads.iter().all(is_none) {
                let given: Vec<_> =
                    counts.keys().map(|name| format!("--threads {name}=0")).collect();
                return Err(Failure::usage(format!(
                    "{}: no thread is left: give one of them a number of 1 or more",
                    given.join(" ")
                )));
            }
        }
        Ok(counts)
    }

    /// The program with the numbers of threads that the options give, if it is one.
    pub fn counted_program(&self) -> Result<Option<Arc<Program>>, Failure> {
        let Some((program, _)) = self.program() else { return Ok(None) };
        let counts = self.thread_counts()?;
        if counts.is_empty() {
            return Ok(Some(Arc::clone(program)));
        }
        let mut counted = Program::clone(program);
        for thread in &mut counted.threads {
            if let Some(&count) = counts.get(&thread.name) {
                thread.count = Count::Fixed(count);
            }
        }
        Ok(Some(Arc::new(counted)))
    }

    /// Whether it is written in the language in which deadlocks count unless somebody says otherwise.
    fn is_weave(&self) -> bool {
        Path::new(self.source().name()).extension().is_some_and(|ending| ending == "weave")
    }

    /// Which deadlocks a question is about: those in which threads wait for each other only in a program where they do, and
    /// where the question is not about a target.
    #[must_use]
    pub fn deadlocks(&self, asked: Deadlocks) -> Deadlocks {
        let applies = || self.options.target.is_none() && self.is_weave() && self.has_waits();
        if asked == Deadlocks::Waits && !applies() { Deadlocks::No } else { asked }
    }

    /// Which deadlocks are violations in what was opened, where nobody says so: those that it was opened for, or those that count
    /// by default.
    #[must_use]
    pub fn deadlocks_of(&self, opened: &Opened) -> Option<Waiting> {
        let asked = opened.properties.iter().find_map(|property| match property {
            Property::NoDeadlock(waiting) => Some(waiting.clone()),
            _ => None,
        });
        let usual = || match (self.deadlocks(Deadlocks::Waits), &opened.program) {
            (Deadlocks::Waits, Some(program)) => {
                Some(Waiting::At(Arc::new(program.waiting_places())))
            }
            _ => None,
        };
        asked.or_else(usual)
    }

    /// Whether threads of a program wait for each other, by more than `assume`.
    #[must_use]
    pub fn has_waits(&self) -> bool {
        self.program().is_some_and(|(program, _)| program.has_waits())
    }

    /// Whether threads wait for each other, by more than `assume`; and whether some wait in front of an `assume`, which may be no
    /// mistake. In C, what becomes an `assume` is not written as waiting; in Boolean programs it is all there is to wait with. A thread of a
    /// table waits where no rule is for it.
    #[must_use]
    pub fn ways_to_wait(&self) -> (bool, bool) {
        match self.program() {
            Some((program, _)) if self.beyond().is_some_and(|beyond| beyond.is_c) => {
                (program.has_waits(), false)
            }
            Some((program, _)) if self.is_weave() => {
                (program.has_waits(), program.has_assumptions())
            }
            Some((program, _)) => (program.has_waits() || program.has_assumptions(), false),
            None => (true, false),
        }
    }

    /// Whether there is any number of some threads, and no option says how many.
    #[must_use]
    pub fn has_any_number(&self) -> bool {
        let Some((program, _)) = self.program() else { return false };
        program.threads.iter().any(|thread| self.has_any_number_of(&thread.name))
    }

    /// Whether there are threads of any number, and integers without bounds.
    #[must_use]
    pub fn is_parameterized(&self) -> bool {
        let Some((program, _)) = self.program() else { return false };
        self.has_any_number() && unbounded(program).is_some()
    }

    /// The system as it is written.
    pub fn system(&self) -> Result<Opened, Failure> {
        self.open(Form::Plain, false)
    }

    /// The system for engines. Where threads are started, they may also be dropped (see
    /// [`System::starts_threads`]).
    ///
    /// If deadlocks are asked for, every thread stays and is counted, and values are chosen at once: all of this matters to
    /// what waits.
    pub fn for_engine(&self, wanted: Wanted) -> Result<Opened, Failure> {
        let mut opened = match wanted.deadlock {
            Deadlocks::No => return self.open(Form::DropsThreads, wanted.any_number),
            _ => self.about_deadlocks()?.open(Form::AllThreads, wanted.any_number)?,
        };
        let waiting = match (wanted.deadlock, &opened.program) {
            (Deadlocks::Waits, Some(program)) => Waiting::At(Arc::new(program.waiting_places())),
            _ => Waiting::Anywhere,
        };
        opened.properties.push(Property::NoDeadlock(waiting));
        Ok(opened)
    }

    /// The system where all that matters is who can act: every thread stays, and values are chosen at
    /// once. Nothing is asked about single states.
    pub fn with_all_threads(&self) -> Result<Opened, Failure> {
        let opened = self.woken_by_calls()?.open(Form::AllThreads, false)?;
        Ok(Opened { properties: Vec::new(), ..opened })
    }

    /// What is said where something in the text stands against what is to be made of it.
    #[must_use]
    pub fn refusal(&self, why: LowerError) -> Failure {
        not_lowered(self.source(), why)
    }

    /// A program, prepared to be run.
    pub fn lowering(&self) -> Result<Option<Lowering>, Failure> {
        let Some((program, source)) = self.program() else { return Ok(None) };
        self.lower(program, source, false).map(Some)
    }

    fn open(&self, form: Form, any_number: bool) -> Result<Opened, Failure> {
        let options = self.options.clone();
        match &self.about {
            About::Text(Input::Program { program, source, target, .. }) => {
                let lowering = self.lower(program, source, any_number)?;
                // Counters and numbers of threads have ranges there.
                let unbounded = unbounded(lowering.program());
                let system = Arc::new(match form {
                    Form::Plain => lowering,
                    Form::DropsThreads => lowering.dropping_threads(),
                    Form::AllThreads => lowering.choosing_at_once(),
                });
                enough_threads(target.as_ref(), &*system)?;
                let properties = vec![target.clone().unwrap_or(Property::NeverWrong)];
                let (program, source) = (Some(Arc::clone(&system)), Arc::clone(source));
                let chosen = Vec::new();
                Ok(Opened { system, program, properties, source, unbounded, options, chosen })
            }
            About::Text(Input::Tables { input, source }) => {
                let tables = input.tables.clone();
                let system = Arc::new(match form {
                    Form::DropsThreads => tables.dropping_threads(),
                    Form::Plain | Form::AllThreads => tables,
                });
                let (properties, source) = (input.targets.clone(), Arc::clone(source));
                let (program, unbounded, chosen) = (None, None, Vec::new());
                Ok(Opened { system, program, properties, source, unbounded, options, chosen })
            }
            About::System { make, properties, source } => {
                let (system, properties, source) = (make(), properties.clone(), Arc::clone(source));
                let (program, unbounded, chosen) = (None, None, Vec::new());
                Ok(Opened { system, program, properties, source, unbounded, options, chosen })
            }
        }
    }

    /// The system of a program. What cannot be lowered is shown like any other mistake in the text.
    fn lower(
        &self,
        program: &Arc<Program>,
        source: &Arc<Source>,
        any_number: bool,
    ) -> Result<Lowering, Failure> {
        let counts = self.thread_counts()?;
        let (program, text) = (Arc::clone(program), Arc::clone(source));
        let lowering = Lowering::within(program, text, &counts, any_number, &self.budget);
        lowering.map_err(|why| not_lowered(source, why))
    }

    /// A summary of the text's parts in words.
    #[must_use]
    pub fn summary(&self) -> String {
        let counted = |counts: &[(usize, &str)]| {
            let one =
                |(n, what): &(usize, &str)| format!("{n} {what}{}", if *n == 1 { "" } else { "s" });
            let shown: Vec<_> = counts.iter().map(one).collect();
            shown.join(", ")
        };
        match &self.about {
            About::Text(Input::Program { program, .. }) => counted(&[
                (program.globals.len(), "shared variable"),
                (program.procs.len(), "procedure"),
                (program.threads.len(), "thread declaration"),
            ]),
            About::Text(Input::Tables { input, .. }) => {
                let tables = &input.tables;
                let rules =
                    (0..tables.template_count()).map(|t| tables.rules(t.into()).len()).sum();
                counted(&[
                    (tables.shared_count(), "shared state"),
                    (tables.threads().len(), "thread"),
                    (rules, "rule"),
                    (input.targets.len(), "target"),
                ])
            }
            About::System { make, properties, .. } => {
                counted(&[(make().threads().len(), "thread"), (properties.len(), "target")])
            }
        }
    }
}

/// A subject that is ready to be explored.
#[derive(Clone)]
pub struct Opened {
    /// The system to explore.
    pub system: Arc<dyn System>,
    /// The program that the system was lowered from, if it is one.
    pub program: Option<Arc<Lowering>>,
    /// The properties to check.
    pub properties: Vec<Property>,
    /// The text it comes from.
    pub source: Arc<Source>,
    /// A variable that may hold ever larger values.
    pub unbounded: Option<String>,
    /// The options that it was opened with.
    pub options: InputOptions,
    /// Numbers of threads, of templates of which there is any number, that no option gives: an engine
    /// chose them for a run.
    pub chosen: Vec<(String, u32)>,
}

/// Which deadlocks are asked for: states in which some thread has not ended, and none can act.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Deadlocks {
    /// No deadlocks.
    No,
    /// Those in which some thread waits for a lock, a thread, a semaphore, a condition or a barrier: in a program of this tool's own
    /// language, where nothing else is asked for by name.
    #[default]
    Waits,
    /// All of them: also those in which threads wait in front of an `assume` and nowhere else.
    All,
}

impl Deadlocks {
    /// What is meant where deadlocks are either asked for or not.
    #[must_use]
    pub fn if_asked(asked: bool) -> Self {
        if asked { Deadlocks::All } else { Deadlocks::No }
    }
}

/// The deadlocks and numbers of threads that an engine is asked about.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// Which deadlocks count as violations.
    pub deadlock: Deadlocks,
    /// Any number of threads, where the program says so and no number is given. Otherwise a number
    /// has to be given.
    pub any_number: bool,
}

/// A variant of the same system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The system as it is written.
    Plain,
    /// Threads may be dropped when they are started.
    DropsThreads,
    /// The system as it is written, but values are chosen at once.
    AllThreads,
}

/// A target that asks for more threads than there are is never reached, and that is no reason to
/// say *safe*.
fn enough_threads(target: Option<&Property>, system: &dyn System) -> Result<(), Failure> {
    let Some(Property::Unreachable(pattern)) = target else { return Ok(()) };
    let templates: Vec<_> = system.threads().iter().map(|thread| thread.template).collect();
    if !system.any_number().is_empty() || system.starts_threads() || pattern.has_enough(&templates)
    {
        return Ok(());
    }
    let names: Vec<_> = system.threads().iter().map(|thread| thread.name.as_str()).collect();
    Err(Failure::usage(format!(
        "the target asks for more threads at the same time than there are: {}; change the target, or \
         the number of `threads`",
        names.join(", ")
    )))
}

/// The first variable without a range.
fn unbounded(program: &Program) -> Option<String> {
    let locals = program.procs.iter().flat_map(|proc| &proc.locals);
    let mut variables = program.globals.iter().chain(locals);
    variables.find(|v| v.ty.is_unbounded()).map(|v| v.name.clone())
}

/// The failure for a program that cannot be lowered, with the place in its text.
fn not_lowered(source: &Source, why: LowerError) -> Failure {
    match why {
        LowerError::At { message, span } => {
            let diagnostic = Diagnostic::error(span, message);
            Failure::Diagnostics(Diagnostics::new(source.clone(), vec![diagnostic]))
        }
        LowerError::Stopped(stop) => Failure::Stopped(stop),
        error => Failure::input(format!("{}: {error}", source.name())),
    }
}

/// Two values for one name are a mistake, and it is not known which of them.
fn refuse_repeated<'a>(
    option: &str,
    names: impl Iterator<Item = &'a String>,
) -> Result<(), Failure> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Failure::usage(format!("{option} {name}: this is given twice")));
        }
    }
    Ok(())
}

/// An option that says something about another kind of input is a mistake.
fn refuse_what_does_not_apply(input: &Input, options: &InputOptions) -> Result<(), Failure> {
    let (kind, option, is_given) = match input {
        Input::Program { .. } => ("programs", "init", options.init.is_some()),
        Input::Tables { .. } => ("tables", "const", !options.consts.is_empty()),
    };
    if is_given {
        return Err(Failure::usage(format!("{option} does not apply to {kind}")));
    }
    let is_c = matches!(input, Input::Program { beyond, .. } if beyond.is_c);
    match options.c.said().first().filter(|_| !is_c) {
        Some(option) => Err(Failure::usage(format!(
            "{option} is for programs in C (.c, .i), and this is none; what must hold here is said by `assert`, --target and --deadlock"
        ))),
        None => Ok(()),
    }
}
