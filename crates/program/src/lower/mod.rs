//! # Lowering on the fly
//!
//! **Question.** A program has variables, locations and procedures; engines work on pushdown
//! threads with numbered shared states and stack symbols. How does one become the other without
//! enumerating anything up front?
//!
//! **Idea.** The program is compiled to the core ([`crate::compile`]), and the machine of the core says what a
//! thread can do at a head ([`selvedge_core::machine`]). A shared state is a valuation of the shared variables; a
//! stack symbol is a location with a valuation of the locals. Both get a number when they are first met
//! ([`intern`]).
//!
//! **Claim.** The actions are exactly the moves of the machine.

mod coverage;
mod deeds;
mod helpers;
mod intern;
mod keys;
mod local;
mod movers;
mod names;
pub(crate) mod narrow;
mod portable;
mod relation;
mod show;
pub mod stubborn;
mod system;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use selvedge_core::machine::{self, Frame, Halt, Machine, Shared};
use selvedge_model::{
    Budget, Fault, Origin, Patience, PlaceId, SharedId, Stop, SymbolId, TemplateId, ThreadInfo,
};
use selvedge_store::Interner;

use crate::compile::{Compiler, Threads};
use crate::flow::{self, Command, EdgeId, Flow, held, place, waiting};
use crate::telling::{Manner, Told};
use crate::visit::any_part;
use crate::{
    Count, Expr, ExprKind, GlobalId, LocalId, ProcId, Program, Source, Span, ThreadDecl, Value,
};
use coverage::Noted;
pub use coverage::{Assertion, Coverage};
use intern::{Numbered, States, Stored, Symbol, WayStep};
pub(crate) use names::compared_at;
pub use relation::ThreadStart;

/// Numbers of threads that replace those of the program (`--threads NAME=N`).
pub type ThreadCounts = BTreeMap<String, u32>;

/// There are not more threads than this at the start.
const MOST_THREADS: u32 = 10_000;

/// A program as a system of pushdown threads.
pub struct Lowering {
    /// The program as it was written.
    written: Arc<Program>,
    /// The program that is executed: parameters of threads and counters of threads have ranges.
    program: Arc<Program>,
    source: Arc<Source>,
    flow: Flow,
    machine: Machine,
    threads: Vec<ThreadInfo>,
    /// The first frame of each thread.
    entries: Vec<Frame>,
    /// The templates of which there is any number of threads, with their first frames.
    any_number: Vec<(TemplateId, Frame)>,
    /// Whether some thread is started by another.
    starts: bool,
    states: States,
    /// Where actions come from, but for those of a single edge without fair choices: the first numbers are theirs.
    origins: Numbered<Stored>,
    /// The steps of those actions, each after another one.
    steps: Numbered<WayStep>,
    /// The locations that runs have got to.
    noted: Noted,
    /// Ends atomic sections with the budget.
    watch: Arc<Watch>,
}

impl Lowering {
    /// The places at which a thread that cannot act waits for another one: for a lock, a thread, a semaphore, a condition, a barrier.
    #[must_use]
    pub fn waiting_places(&self) -> BTreeSet<PlaceId> {
        waiting(&self.flow, &self.program.waited_for).into_iter().map(place).collect()
    }

    /// The places at which a thread that cannot act waits for who holds a lock or for the end of a thread, and for nobody else: no further thread could end that.
    #[must_use]
    pub fn held_places(&self) -> BTreeSet<PlaceId> {
        held(&self.flow).into_iter().map(place).collect()
    }
}

/// Why a program cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LowerError {
    /// A thread with any number of instances, and no number was given.
    AnyNumber {
        /// The name of the template.
        thread: String,
    },
    /// A number was given for a thread that does not exist.
    UnknownThread {
        /// The name that was given.
        name: String,
        /// The names of threads that exist.
        known: Vec<String>,
    },
    /// There are more threads than possible.
    TooManyThreads {
        /// How many threads there would be.
        total: u64,
    },
    /// Something in the text cannot be lowered.
    At {
        /// What cannot be lowered, in words.
        message: String,
        /// The place in the text.
        span: Span,
    },
    /// The budget ended before the program was prepared.
    Stopped(Stop),
}

impl From<Stop> for LowerError {
    fn from(stop: Stop) -> Self {
        LowerError::Stopped(stop)
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerError::AnyNumber { thread } => write!(
                f,
                "thread `{thread}` may have any number of instances: say how many with \
                 --threads {thread}=2"
            ),
            LowerError::UnknownThread { name, known } => write!(
                f,
                "there is no thread `{name}` to count; the program has {}",
                known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
            ),
            LowerError::TooManyThreads { total } => write!(
                f,
                "there are {total} threads at the start; at most {MOST_THREADS} are possible"
            ),
            LowerError::At { message, .. } => f.write_str(message),
            LowerError::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for LowerError {}

fn flow_of(program: &Program, patience: &Patience) -> Result<Flow, LowerError> {
    let flow = flow::build_within(program, patience);
    patience.end()?;
    flow.map_err(|e| LowerError::At { message: e.message, span: e.span })
}

impl Lowering {
    /// Prepares a program for exploration. Takes time in the size of the text only. A number is
    /// needed for every thread that may have any number of instances.
    pub fn new(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
    ) -> Result<Self, LowerError> {
        Lowering::within(program, source, counts, false, &Budget::default())
    }

    /// The same, but a thread of any number of instances for which no number is given stays one:
    /// see [`selvedge_model::System::any_number`].
    pub fn for_any_number(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
    ) -> Result<Self, LowerError> {
        Lowering::within(program, source, counts, true, &Budget::default())
    }

    /// Prepares a program within a budget, which atomic sections look at later on, too. Any number of threads stays one if
    /// that is wanted.
    pub fn within(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
        any_number: bool,
        budget: &Budget,
    ) -> Result<Self, LowerError> {
        let patience = Patience::new(budget);
        let written = Arc::clone(&program);
        let mut flow = flow_of(&program, &patience)?;
        let has = |test: fn(&Command) -> bool| flow.edges.iter().any(|e| test(&e.command));
        let starts = has(|c| matches!(c, Command::Async { .. } | Command::StartThread { .. }));
        let found = FirstThreads::threads(&program, &flow, counts, any_number, &patience)?;
        let narrowed = found.narrowed(&program, &flow, starts);
        let program = narrowed.map_or(program, Arc::new);
        if !Arc::ptr_eq(&program, &written) {
            flow = flow_of(&program, &patience)?;
        }
        let threads = Threads { count: found.first.len(), started: starts };
        let compiler = Compiler::new(&program, &flow, threads);
        let names = names::names(&program, starts, flow.tracks_owners);
        let code = compiler.code_within(&patience);
        patience.end()?;
        let mut machine = Machine::new(code, compiler.locks(), names);
        let watch = Watch::over(budget, &mut machine);
        machine.first_threads = u32::try_from(threads.count).unwrap_or(u32::MAX);
        let frame = |proc: ProcId, values: &[Value], owner: u32| {
            let entry = machine.code.proc(proc).entry;
            // A value that is never read may be outside of the range that its variable has now.
            let mut values = values.to_vec();
            for dead in machine.code.location(entry).dead.iter() {
                values[dead.clone()].fill(Value::Open);
            }
            machine.frame(entry, machine.frames[proc.index()].memory(&values), owner)
        };
        let owner = |number: u32| if flow.tracks_owners { number } else { 0 };
        let entries = (1..).zip(&found.first);
        let entries = entries.take_while(|_| patience.lasts(1));
        let entries =
            entries.map(|(number, (_, proc, values))| frame(*proc, values, owner(number)));
        let any = found.any_number.iter();
        let any = any.map(|(template, proc, values)| (*template, frame(*proc, values, 0)));
        let (entries, any_number) = (entries.collect(), any.collect());
        patience.end()?;
        let threads = found.first.into_iter().map(|(info, ..)| info).collect();
        let noted = Noted::new(flow.locations.len());
        Ok(Lowering {
            written,
            program,
            source,
            flow,
            machine,
            threads,
            entries,
            any_number,
            starts,
            states: States::new(),
            origins: Numbered::new(Interner::of("ways through atomic sections")),
            steps: Numbered::new(Interner::of("steps in atomic sections")),
            noted,
            watch,
        })
    }

    /// The same program, in which every thread may also be dropped when it is started: it then
    /// never runs. See [`selvedge_model::System::starts_threads`].
    #[must_use]
    pub fn dropping_threads(mut self) -> Self {
        self.machine.drops_threads = self.starts;
        self
    }

    /// The same program, in which a variable without a value gets one at once, and not when it is
    /// first read. That makes no difference to what can be reached, but to what waits: a thread at
    /// `assume x` may wait for ever if `x` is false, and does not if `x` is still open.
    #[must_use]
    pub fn choosing_at_once(mut self) -> Self {
        self.machine.chooses_at_once = true;
        self
    }

    /// Follows no more than so many configurations inside of an atomic section: where a section is a step of a small program, one without an end is
    /// noticed early.
    #[must_use]
    pub fn within_sections(mut self, most: usize) -> Self {
        self.machine.most_inside = most;
        self
    }

    /// Forgets the budget that the program was prepared within: who looks at an answer has all the time there is.
    pub fn has_no_limits(&self) {
        self.watch.is_off.store(true, Ordering::Relaxed);
    }

    /// The program. Parameters of threads that were integers, and shared variables that count threads, may have
    /// ranges, for the threads that there are: see `narrow`.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program as it was written, for any threads.
    #[must_use]
    pub fn written(&self) -> &Arc<Program> {
        &self.written
    }

    /// The text of the program.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The flow graph of the program.
    #[must_use]
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// The edges of the flow graph that an action executes; none for the end of a thread.
    #[must_use]
    pub fn edges_of(&self, origin: Origin) -> Vec<EdgeId> {
        self.executed(origin).path
    }

    /// The value of a shared variable, or of its first element.
    #[must_use]
    pub fn global_value(&self, shared: SharedId, global: GlobalId) -> Value {
        let slot = self.global_slots(global).start;
        self.shared_state(shared).memory.get(&self.machine.shared, slot)
    }

    /// The value of a local variable of a procedure, or of its first element, in a frame of that procedure.
    #[must_use]
    pub fn local_value(&self, symbol: SymbolId, proc: ProcId, local: LocalId) -> Option<Value> {
        let frame = self.frame(symbol).filter(|f| self.flow.location(f.loc).proc == proc)?;
        let slots = crate::compile::first_slots(&self.program.procs[proc.index()].locals);
        let slot = *slots.get(local.index())?;
        Some(frame.memory.get(self.machine.layout_at(frame.loc)?, slot))
    }

    /// The program in the core.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What the program is compiled to.
    #[must_use]
    pub fn code(&self) -> &selvedge_core::Code {
        &self.machine.code
    }

    /// The shared state of a number that was given out.
    #[must_use]
    pub fn shared_state(&self, shared: SharedId) -> Shared {
        Shared::again(&self.machine.shared, self.states.read().shared(shared))
    }

    /// The frame of a stack symbol; none at the bottom of a stack.
    #[must_use]
    pub fn frame(&self, symbol: SymbolId) -> Option<Frame> {
        match self.symbol(symbol) {
            Symbol::Frame(frame) => Some(frame),
            Symbol::Bottom { .. } => None,
        }
    }

    /// The stack symbol of a number that was given out.
    fn symbol(&self, symbol: SymbolId) -> Symbol {
        Symbol::again(&self.machine, self.states.read().symbol(symbol))
    }

    /// A fault of the core, with its line.
    fn fault(&self, fault: machine::Fault) -> Fault {
        if let (true, Some(stop)) = (fault.is_over, self.watch.stopped.get()) {
            return stop.clone().into();
        }
        let line = fault.site.map(|site| self.source.line(site.0));
        let message = match &self.program.telling {
            Some(telling) => telling.fault(&fault.message, |name| self.is_told(name)),
            None => fault.message,
        };
        Fault { line, ..Fault::new(message) }
    }

    /// Whether all variables of a name, the first of which there is one, are shown to people.
    fn is_told(&self, name: &str) -> bool {
        let Some(telling) = &self.program.telling else { return true };
        let is_hidden =
            |told| matches!(telling.variables.get(&told), Some(Manner::Hidden | Manner::Heap(_)));
        let shared = (0..).map(GlobalId).zip(&self.program.globals);
        let shared = shared.map(|(id, variable)| (Told::Shared(id), variable));
        let procs = (0..).map(ProcId).zip(&self.program.procs);
        let locals = procs.flat_map(|(proc, procedure)| {
            let locals = (0..).map(LocalId).zip(&procedure.locals);
            locals.map(move |(id, variable)| (Told::Local(proc, id), variable))
        });
        let mut named =
            shared.chain(locals).filter(|(_, variable)| variable.name == name).peekable();
        named.peek().is_some() && named.all(|(told, _)| !is_hidden(told))
    }
}

/// Lets atomic sections look at a budget while a search is running.
struct Watch {
    budget: Budget,
    /// Why a section was not followed to its end.
    stopped: OnceLock<Stop>,
    /// Whether the search is over, so that there are no limits any more.
    is_off: AtomicBool,
}

impl Watch {
    /// Lets the atomic sections of a machine look at a budget.
    fn over(budget: &Budget, machine: &mut Machine) -> Arc<Self> {
        let budget = Budget { meters: Vec::new(), ..budget.clone() };
        let watch = Watch { budget, stopped: OnceLock::new(), is_off: AtomicBool::new(false) };
        let watch = Arc::new(watch);
        let asked = Arc::clone(&watch);
        machine.is_over = Some(machine::IsOver::new(move || asked.is_over()));
        watch
    }

    fn is_over(&self) -> bool {
        if self.is_off.load(Ordering::Relaxed) {
            return false;
        }
        match self.budget.look() {
            Ok(()) => false,
            Err(stop) => {
                // Only the first reason is kept.
                let _ = self.stopped.set(stop);
                true
            }
        }
    }
}

/// The threads of a program, with the values of their first frames.
struct FirstThreads {
    first: Vec<(ThreadInfo, ProcId, Vec<Value>)>,
    any_number: Vec<(TemplateId, ProcId, Vec<Value>)>,
}

impl FirstThreads {
    fn threads(
        program: &Program,
        flow: &Flow,
        counts: &ThreadCounts,
        any_number: bool,
        patience: &Patience,
    ) -> Result<Self, LowerError> {
        let known = || program.threads.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        if let Some(name) = counts.keys().find(|name| !known().contains(name)) {
            return Err(LowerError::UnknownThread { name: name.clone(), known: known() });
        }
        // The number of threads makes no difference to their arguments.
        let compiler = Compiler::new(program, flow, Threads { count: 1, started: true });
        let code = compiler.code_within(patience);
        patience.end()?;
        let machine = Machine::new(code, Vec::new(), machine::Names::default());
        let entry = |decl: &ThreadDecl, instance: u32| {
            let args = compiler.arguments(decl.proc, &decl.args, instance);
            machine.first_frame(decl.proc, &args).map_err(|(number, halt)| {
                let why = match halt {
                    Halt::Wrong(why) => why.to_string(),
                    Halt::Fault(fault) => fault.message,
                    Halt::Blocked => "the argument has no value".to_owned(),
                };
                LowerError::At {
                    message: format!("instance {} of thread `{}`: {why}", instance + 1, decl.name),
                    span: decl.args.get(number).map_or(decl.span, |arg| arg.span),
                }
            })
        };
        let mut found = FirstThreads { first: Vec::new(), any_number: Vec::new() };
        let mut total = 0;
        for (index, decl) in program.threads.iter().enumerate() {
            let template = TemplateId::from(index);
            let count = match (counts.get(&decl.name), decl.count) {
                (Some(&count), _) | (None, Count::Fixed(count)) => count,
                (None, Count::Any) if !any_number => {
                    return Err(LowerError::AnyNumber { thread: decl.name.clone() });
                }
                (None, Count::Any) => {
                    alike(decl, flow)?;
                    found.any_number.push((template, decl.proc, entry(decl, 0)?));
                    continue;
                }
            };
            total += u64::from(count);
            if total > u64::from(MOST_THREADS) {
                return Err(LowerError::TooManyThreads { total });
            }
            for instance in 0..count {
                if !patience.lasts(1 + program.procs[decl.proc.index()].locals.len()) {
                    patience.end()?;
                }
                let name = match count {
                    1 => decl.name.clone(),
                    _ => format!("{}#{}", decl.name, instance + 1),
                };
                let info = ThreadInfo { name, template };
                found.first.push((info, decl.proc, entry(decl, instance)?));
            }
        }
        if found.first.is_empty() && found.any_number.is_empty() {
            let message = "there is no thread at all: every number of threads is 0; at least one has to be 1 or more"
                    .to_owned();
            return Err(LowerError::At { message, span: Span::default() });
        }
        Ok(found)
    }
}

/// Refuses any number of threads that do not begin alike.
fn alike(decl: &ThreadDecl, flow: &Flow) -> Result<(), LowerError> {
    let name = &decl.name;
    let differ = |why: &str, span: Span| {
        let message = format!(
            "any number of instances of `{name}` cannot be followed: {why}; say how many with \
             --threads {name}=2"
        );
        Err(LowerError::At { message, span })
    };
    let is_instance = |e: &Expr| matches!(e.kind, ExprKind::Instance);
    if let Some(arg) = decl.args.iter().find(|arg| any_part(arg, &is_instance)) {
        return differ("each has a number of its own", arg.span);
    }
    if flow.tracks_owners {
        let why = "a lock may be released by a thread that does not hold it, so that locks have \
                   to remember which thread does";
        return differ(why, decl.span);
    }
    Ok(())
}
