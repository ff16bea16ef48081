//! # Lowering on the fly
//!
//! **Question.** A program has variables, locations and procedures; engines work on pushdown
//! threads with numbered shared states and stack symbols. How does one become the other without
//! enumerating anything up front?
//!
//! **Idea.** A shared state is a valuation of the shared variables; a stack symbol is a location
//! with a valuation of the locals. Both get a number when they are first met ([`intern`]). The
//! actions at a head are found by executing the edges that leave the location ([`execute`]) once
//! for each combination of free choices ([`choices`]). An atomic section is followed to its end
//! and becomes a single action ([`atomic`]).
//!
//! **Claims.** Nothing is approximated: the actions at a head are exactly what the program can do
//! there. What cannot be enumerated (a choice among all integers) is a
//! [`Fault`](selvedge_model::Fault), never a missing action. A variable without a value is *open*
//! until it is read; reading it chooses. That reaches the same assertions as choosing at the start,
//! since nothing can depend on a value that was never read.
//!
//! **Results of calls** travel through the shared state, as pushdown systems require. While a
//! result is on its way, only the thread that receives it goes on.

mod at_once;
mod atomic;
mod choices;
mod eval;
mod execute;
mod ids;
mod intern;
mod keys;
mod layout;
mod narrow;
mod relation;
mod show;
mod system;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use selvedge_model::{Fault, Origin, SharedId, TemplateId, ThreadInfo};

use crate::flow::{self, Command, EdgeId, Flow, Loc};
use crate::visit::any_part;
use crate::{
    BinaryOp, Count, Expr, ExprKind, GlobalId, ProcId, Program, Source, Span, ThreadDecl, Value,
    VarRef,
};
use choices::Choices;
pub use eval::Slot;
use eval::{Evaluator, Halt, Values};
use ids::Names;
use intern::{Executed, Frame, Interner, Shared, Symbol};
use layout::Layout;
pub use relation::{Case, Domain, Effect, ThreadStart};

/// The result of an operation on two numbers; `None` for a division by zero, or if a number gets
/// too large.
pub(crate) fn compute(op: BinaryOp, left: &Value, right: &Value) -> Option<Value> {
    eval::arithmetic(op, left, right).ok()
}

/// Numbers of threads that replace those of the program (`--threads NAME=N`).
pub type ThreadCounts = BTreeMap<String, u32>;

/// The choices of a statement are not tried in more combinations than this.
const MOST_COMBINATIONS: usize = 1 << 20;

/// Nor are more values copied for the outcomes of one step: long arrays have fewer combinations.
const MOST_VALUES: usize = 1 << 24;

/// A relation does not have more cases than this.
const MOST_CASES: usize = 1 << 16;

/// There are not more threads than this at the start.
const MOST_THREADS: u32 = 10_000;

/// A program as a system of pushdown threads.
pub struct Lowering {
    /// The program as it was written.
    written: Arc<Program>,
    /// The program that is executed: parameters of threads have ranges.
    program: Arc<Program>,
    source: Arc<Source>,
    flow: Flow,
    layout: Layout,
    threads: Vec<ThreadInfo>,
    /// The first frame of each thread.
    entries: Vec<Frame>,
    /// The templates of which there is any number of threads, with their first frames.
    any_number: Vec<(TemplateId, Frame)>,
    /// How the program looks at the ids of started threads.
    names: Names,
    /// Whether some thread is started by another.
    starts: bool,
    /// Whether a thread may be dropped when it is started.
    drops_threads: bool,
    /// Whether values are chosen at once, so that nothing that may be read is open.
    chooses_at_once: bool,
    shared: Interner<Shared>,
    symbols: Interner<Symbol>,
    origins: Interner<Executed>,
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
        /// The names that exist.
        known: Vec<String>,
    },
    /// There are more threads than possible.
    TooManyThreads {
        /// How many there would be.
        total: u64,
    },
    /// Something in the text cannot be lowered.
    At {
        /// What is wrong.
        message: String,
        /// Where.
        span: Span,
    },
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
        }
    }
}

impl std::error::Error for LowerError {}

fn flow_of(program: &Program) -> Result<Flow, LowerError> {
    flow::build(program).map_err(|e| LowerError::At { message: e.message, span: e.span })
}

impl Lowering {
    /// Prepares a program for exploration. Takes time in the size of the text only. A number is
    /// needed for every thread that may have any number of instances.
    pub fn new(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
    ) -> Result<Self, LowerError> {
        Lowering::prepare(program, source, counts, false)
    }

    /// The same, but a thread of any number of instances for which no number is given stays one:
    /// see [`selvedge_model::System::any_number`].
    pub fn for_any_number(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
    ) -> Result<Self, LowerError> {
        Lowering::prepare(program, source, counts, true)
    }

    fn prepare(
        program: Arc<Program>,
        source: Arc<Source>,
        counts: &ThreadCounts,
        any_number: bool,
    ) -> Result<Self, LowerError> {
        let flow = flow_of(&program)?;
        let layout = Layout::new(&program);
        let has = |test: fn(&Command) -> bool| flow.edges.iter().any(|e| test(&e.command));
        let starts = has(|c| matches!(c, Command::Async { .. } | Command::StartThread { .. }));
        let names = Names::of(&program, starts, flow.tracks_owners);
        let mut lowering = Lowering {
            written: Arc::clone(&program),
            program,
            source,
            flow,
            layout,
            threads: Vec::new(),
            entries: Vec::new(),
            any_number: Vec::new(),
            names,
            starts,
            drops_threads: false,
            chooses_at_once: false,
            shared: Interner::new(),
            symbols: Interner::new(),
            origins: Interner::new(),
        };
        lowering.add_threads(counts, any_number)?;
        lowering.narrow()?;
        Ok(lowering)
    }

    /// The same program, in which every thread may also be dropped when it is started: it then
    /// never runs. See [`selvedge_model::System::starts_threads`].
    #[must_use]
    pub fn dropping_threads(self) -> Self {
        Lowering { drops_threads: self.starts, ..self }
    }

    /// The same program, in which a variable without a value gets one at once, and not when it is
    /// first read. That makes no difference to what can be reached, but to what waits: a thread at
    /// `assume x` may wait for ever if `x` is false, and does not if `x` is still open.
    #[must_use]
    pub fn choosing_at_once(self) -> Self {
        Lowering { chooses_at_once: true, ..self }
    }

    /// The program. Parameters of threads that were integers may have ranges, for the threads that
    /// there are: see `narrow`.
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
        self.origins.get(origin.0).path.clone()
    }

    /// The value of a shared variable, or of its first element.
    #[must_use]
    pub fn global_value(&self, shared: SharedId, global: GlobalId) -> Value {
        let slot = self.layout.first_slot(ProcId(0), VarRef::Global(global));
        self.shared.get(shared.0).globals[slot].clone()
    }

    fn add_threads(&mut self, counts: &ThreadCounts, any_number: bool) -> Result<(), LowerError> {
        let program = self.program.clone();
        let known = || program.threads.iter().map(|t| t.name.clone()).collect::<Vec<_>>();
        if let Some(name) = counts.keys().find(|name| !known().contains(name)) {
            return Err(LowerError::UnknownThread { name: name.clone(), known: known() });
        }
        let mut total = 0;
        for (index, decl) in program.threads.iter().enumerate() {
            let count = match (counts.get(&decl.name), decl.count) {
                (Some(&count), _) | (None, Count::Fixed(count)) => count,
                (None, Count::Any) if !any_number => {
                    return Err(LowerError::AnyNumber { thread: decl.name.clone() });
                }
                (None, Count::Any) => {
                    self.add_any_number(TemplateId::from(index), decl)?;
                    continue;
                }
            };
            total += u64::from(count);
            if total > u64::from(MOST_THREADS) {
                return Err(LowerError::TooManyThreads { total });
            }
            for instance in 0..count {
                let name = match count {
                    1 => decl.name.clone(),
                    _ => format!("{}#{}", decl.name, instance + 1),
                };
                self.threads.push(ThreadInfo { name, template: TemplateId::from(index) });
                let entry = self.entry(decl, instance)?;
                self.entries.push(entry);
            }
        }
        if self.threads.is_empty() && self.any_number.is_empty() {
            let message = "there is no thread at all: every number of threads is 0; at least one has to be 1 or more"
                    .to_owned();
            return Err(LowerError::At { message, span: Span::default() });
        }
        Ok(())
    }

    /// Any number of threads that begin alike.
    fn add_any_number(
        &mut self,
        template: TemplateId,
        decl: &ThreadDecl,
    ) -> Result<(), LowerError> {
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
        if self.flow.tracks_owners {
            let why = "a lock may be released by a thread that does not hold it, so that locks have \
                       to remember which thread does";
            return differ(why, decl.span);
        }
        let entry = self.entry(decl, 0)?;
        self.any_number.push((template, entry));
        Ok(())
    }

    /// The first frame of an instance of a thread.
    fn entry(&self, decl: &ThreadDecl, instance: u32) -> Result<Frame, LowerError> {
        let mut choices = Choices::default();
        // The arguments are constant, but for the number of the instance.
        let values = Values { globals: Vec::new(), locals: Vec::new() };
        let mut eval = Evaluator::new(self, decl.proc, values, &mut choices);
        eval.instance = Some(instance);
        let mut locals = self.layout.fresh_locals(decl.proc);
        let params = &self.program.procs[decl.proc.index()].locals;
        for ((arg, slot), param) in decl.args.iter().zip(&mut locals).zip(params) {
            let value = eval.eval_for_store(arg, &param.ty).and_then(|value| {
                let what = || format!("`{}`", param.name);
                eval::fits(&param.ty, &value, what).map_err(Halt::Wrong)?;
                Ok(value)
            });
            *slot = value.map_err(|halt| {
                let why = match halt {
                    Halt::Wrong(why) => why,
                    Halt::Fault(fault) => fault.message,
                    Halt::Blocked => "the argument has no value".to_owned(),
                };
                LowerError::At {
                    message: format!("instance {} of thread `{}`: {why}", instance + 1, decl.name),
                    span: arg.span,
                }
            })?;
        }
        let owner = if self.flow.tracks_owners { self.threads.len() as u32 } else { 0 };
        let loc = self.flow.entries[decl.proc.index()];
        Ok(self.frame(loc, locals, owner))
    }

    /// How many values a lock has: free, and held, by whom where that matters.
    fn lock_values(&self) -> usize {
        1 + if self.flow.tracks_owners { self.threads.len().max(1) } else { 1 }
    }

    /// A frame at a location. Values that are never read from there on are forgotten.
    fn frame(&self, loc: Loc, mut locals: Vec<Value>, owner: u32) -> Frame {
        for dead in &self.flow.live[loc.index()].dead {
            locals[dead.clone()].fill(Value::Open);
        }
        Frame { loc, locals: locals.into(), owner }
    }

    fn fault(&self, span: Span, message: impl Into<String>) -> Fault {
        Fault { message: message.into(), line: Some(self.source.line(span.start)) }
    }
}
