//! # The typed program
//! Structured statements over resolved names. Whatever could be wrong with a program that a
//! person wrote was found before a value of these types exists: names are ids, types fit, labels
//! exist, `break` is inside a loop.

use std::collections::BTreeMap;
use std::sync::Arc;

pub use selvedge_core::ProcId;
use selvedge_model::{Datum, GOES_WRONG};

use crate::sync::WaitKind;
use crate::telling::Telling;
use crate::{BinaryOp, Span, Type, UnaryOp, Value};

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $id(pub u32);

        impl $id {
            /// The id as an index.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}
ids! {
    /// An enumeration of the program.
    EnumId;
    /// A shared variable.
    GlobalId;
    /// A parameter or local variable of a procedure: parameters come first.
    LocalId;
    /// A label of a procedure.
    LabelId;
}

/// A concurrent program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The enumerations.
    pub enums: Vec<EnumType>,
    /// The shared variables.
    pub globals: Vec<Variable>,
    /// The procedures.
    pub procs: Vec<Procedure>,
    /// The threads that exist from the start; never empty.
    pub threads: Vec<ThreadDecl>,
    /// Predicates for abstraction.
    pub predicates: Vec<Predicate>,
    /// Messages for assertions that fail, by their places, where there is more to say than that they failed.
    pub reasons: BTreeMap<Span, String>,
    /// The texts of assertions, by the places of their statements: `assert e, "text";`.
    pub texts: BTreeMap<Span, String>,
    /// Shared counters that stand for what threads wait for: semaphores, conditions, barriers, channels. They are read for nothing else.
    pub waited_for: BTreeMap<GlobalId, WaitKind>,
    /// How it is told in the words of another text, if it was made from one.
    pub telling: Option<Box<Telling>>,
}

/// An enumeration: its values are the positions of its enumerators.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumType {
    /// Its name.
    pub name: String,
    /// The names of its values.
    pub enumerators: Vec<String>,
}

/// A shared or local variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name, unique in its scope. Empty brackets say where an index stands when an element is shown: `q[].value` with
    /// the index 1 is `q[1].value`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The first values, one for each slot (shared variables only; locals are set by statements,
    /// parameters by the call). Not initialised is [`Value::Open`]; locks and thread ids are 0.
    pub init: Vec<Value>,
    /// Whether it counts threads (shared integers only): whoever made the program says that no element is ever less
    /// than 0, or more than there are threads. Where the number of threads is known, so is its range.
    pub counts_threads: bool,
    /// The values that an element is given where it is read before it has one, in the place of all that its type has. Whoever made the
    /// program says what these show.
    pub looks: Option<Arc<[Value]>>,
    /// Its declaration.
    pub span: Span,
}

impl Variable {
    /// The name of an element, or of a row of elements: an index stands between the next empty brackets of the name, or behind it.
    #[must_use]
    pub fn element_name(&self, indices: &[usize]) -> String {
        element_of(&self.name, indices)
    }

    /// The number of indices that stand inside of its name.
    #[must_use]
    pub fn indices_inside(&self) -> usize {
        self.name.matches("[]").count()
    }
}

/// The name of an element of what has a name.
pub(crate) fn element_of(whole: &str, indices: &[usize]) -> String {
    let mut indices = indices.iter();
    let mut name = String::new();
    for (position, part) in whole.split("[]").enumerate() {
        if position > 0 {
            match indices.next() {
                Some(index) => name += &format!("[{index}]"),
                None => name += "[]",
            }
        }
        name += part;
    }
    name + &indices.map(|index| format!("[{index}]")).collect::<String>()
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// How many of `locals` are parameters: the first ones.
    pub params: usize,
    /// Parameters, then local variables. Locals start open, thread ids as `none`.
    pub locals: Vec<Variable>,
    /// The types of the results; several for Boolean programs.
    pub results: Vec<Type>,
    /// The names of the labels.
    pub labels: Vec<String>,
    /// What it does. Falling off the end returns (results are then open).
    pub body: Block,
    /// Its declaration, with its body.
    pub span: Span,
}

/// Threads that exist from the start.
#[derive(Clone, Debug)]
pub struct ThreadDecl {
    /// The name of the template.
    pub name: String,
    /// The number of threads.
    pub count: Count,
    /// The procedure that they run.
    pub proc: ProcId,
    /// Its arguments: constants, or [`ExprKind::Instance`], the number of the instance.
    pub args: Vec<Expr>,
    /// The declaration.
    pub span: Span,
}

/// How many threads of a template there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// This many.
    Fixed(u32),
    /// Any number.
    Any,
}

/// A predicate for abstraction.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Its name.
    pub name: String,
    /// The procedure whose locals it may mention, if it mentions any.
    pub scope: Option<ProcId>,
    /// The predicate itself; the only place where [`ExprKind::Quantified`] and its kin occur.
    pub expr: Expr,
    /// The declaration.
    pub span: Span,
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels that stand before it.
    pub labels: Vec<LabelId>,
    /// The kind of statement.
    pub kind: StmtKind,
    /// Where it stands; for compound statements the part up to the body.
    pub span: Span,
}

/// What a statement does. Unless said otherwise a statement is one step.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Nothing, in one step.
    Skip,
    /// Parallel assignment: all values are computed, then all places are set.
    Assign {
        /// What is assigned to.
        targets: Vec<Place>,
        /// The values, as many as targets.
        values: Vec<Expr>,
        /// Only outcomes in which this holds; [`ExprKind::Primed`] is the value after.
        constrain: Option<Expr>,
    },
    /// The places get any value of their types.
    Havoc(Vec<Place>),
    /// Blocks until the condition holds.
    Assume(Expr),
    /// Goes wrong if the condition is false.
    Assert(Expr),
    /// A test: one step, then a branch.
    If {
        /// The condition.
        cond: Cond,
        /// Executed if the condition holds.
        then: Block,
        /// Executed if the condition does not hold.
        otherwise: Block,
    },
    /// A loop: each test is one step.
    While {
        /// The condition.
        cond: Cond,
        /// Executed while the condition holds.
        body: Block,
    },
    /// One of the blocks, chosen freely in one step.
    Choose(Vec<Block>),
    /// Jumps; no step for one label, a free choice in one step for several.
    Goto(Vec<LabelId>),
    /// Leaves the innermost loop; no step of its own.
    Break,
    /// Goes to the test of the innermost loop; no step of its own.
    Continue,
    /// Leaves the procedure with these results.
    Return(Vec<Expr>),
    /// The whole block is one step. An execution that would block inside never happens.
    Atomic(Block),
    /// Begins an atomic section that ends with the next [`StmtKind::AtomicEnd`].
    AtomicBegin,
    /// Ends an atomic section.
    AtomicEnd,
    /// Blocks until the lock is free and takes it.
    Acquire(Place),
    /// Frees the lock; goes wrong if this thread does not hold it.
    Release(Place),
    /// An atomic operation on a shared variable, with its result.
    Attempt {
        /// The place for the result.
        dest: Option<Place>,
        /// The operation that is tried.
        op: AtomicOp,
    },
    /// Calls a procedure.
    Call {
        /// The procedure that is called.
        proc: ProcId,
        /// The arguments, one for each parameter.
        args: Vec<Expr>,
        /// Where the results go: empty, or one for each result.
        results: Vec<Place>,
    },
    /// Starts a thread that runs a procedure.
    Async {
        /// The place for the thread's id.
        dest: Option<Place>,
        /// The procedure.
        proc: ProcId,
        /// The arguments, one for each parameter.
        args: Vec<Expr>,
    },
    /// Starts a thread at a label of this procedure, with a copy of the locals.
    StartThread(LabelId),
    /// Blocks until the thread has ended; goes wrong for `none`.
    Join(Expr),
    /// Ends this thread. Only in procedures that are never called.
    EndThread,
}

/// An operation that reads and writes a shared variable in one step and has a result.
#[derive(Clone, Debug)]
pub enum AtomicOp {
    /// `trylock(m)`: takes the lock if it is free; says whether it did.
    TryLock(Place),
    /// `cas(x, old, new)`: if x equals old, sets it to new; says whether it did.
    CompareAndSwap {
        /// The variable.
        place: Place,
        /// The value that it is compared with.
        expected: Expr,
        /// The value that it gets if they are equal.
        new: Expr,
    },
    /// `fetch_and_add(x, n)`: adds n; the result is the value before.
    FetchAndAdd {
        /// The variable.
        place: Place,
        /// The number that is added.
        amount: Expr,
    },
}

impl AtomicOp {
    /// The variable that it reads and writes.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            AtomicOp::TryLock(place)
            | AtomicOp::CompareAndSwap { place, .. }
            | AtomicOp::FetchAndAdd { place, .. } => place,
        }
    }
}

/// The condition of `if` and `while`.
#[derive(Clone, Debug)]
pub enum Cond {
    /// A Boolean expression.
    Expr(Expr),
    /// Whether a `trylock` or `cas` succeeds (or fails, if negated).
    Attempt {
        /// The operation, with a Boolean result.
        op: AtomicOp,
        /// Whether the test is for failure.
        negated: bool,
    },
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant.
    Const(Value),
    /// The value of a variable.
    Read(Place),
    /// In `constrain`: the value after the assignment.
    Primed(Place),
    /// `!`, `-`, or a conversion to the type of the expression.
    Unary(UnaryOp, Box<Expr>),
    /// An operation with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`.
    IfThenElse(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `*`: any value of the type, chosen anew at each evaluation.
    Any,
    /// `fair *`: true or false, chosen anew at each evaluation. A thread that evaluates it infinitely
    /// often gets both infinitely often; that matters to runs that never end, and to nothing else.
    /// It is known by its place in the text.
    Fair,
    /// `{a, b, c}`: one of these.
    OneOf(Vec<Expr>),
    /// `{a .. b}`: an integer in between, both included.
    Between(Box<Expr>, Box<Expr>),
    /// `schoose[p, n]`: true if p, false if n (and not p), otherwise any.
    Schoose(Box<Expr>, Box<Expr>),
    /// In the arguments of a thread: the number of the instance, from 0.
    Instance,
    /// In predicates: over all threads.
    Quantified {
        /// All, some, or how many.
        quantifier: Quantifier,
        /// The name of the bound thread.
        binder: String,
        /// Whether the thread itself is left out (`i != self`).
        others_only: bool,
        /// The statement about the thread; mentions it by depth (0 is the innermost binder).
        body: Box<Expr>,
    },
    /// In predicates: a local variable of a bound thread.
    LocalOf {
        /// Which binder, counted from the innermost.
        depth: u32,
        /// Which variable.
        local: LocalId,
    },
    /// In predicates: whether a thread (bound, or itself) is at a label.
    At {
        /// Which binder, or the thread itself.
        depth: Option<u32>,
        /// The label.
        label: LabelId,
    },
}

/// How a predicate speaks of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// The body holds for all threads.
    Forall,
    /// The body holds for some thread.
    Exists,
    /// The number of threads for which the body holds.
    Count,
}

/// A shared or a local variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarRef {
    /// A shared variable.
    Global(GlobalId),
    /// A local variable of the current procedure.
    Local(LocalId),
}

/// A variable, or an element of an array.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub var: VarRef,
    /// One index for each dimension. Goes wrong when out of range.
    pub indices: Vec<Expr>,
    /// The type of the scalar at the place.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

impl Program {
    /// What a wrong run does, in words: see [`selvedge_model::Describe::goes_wrong`].
    #[must_use]
    pub fn goes_wrong(&self) -> &'static str {
        self.telling.as_ref().and_then(|telling| telling.wrong).unwrap_or(GOES_WRONG)
    }

    /// The number of values of a scalar of a type, if it has few: a truth value, a lock, a range, an enumeration.
    #[must_use]
    pub fn count_of_values(&self, ty: &Type) -> Option<usize> {
        match ty {
            Type::Bool | Type::Lock => Some(2),
            Type::Range { lo, hi } => usize::try_from(hi - lo).ok()?.checked_add(1),
            Type::Enum(id) => Some(self.enums.get(id.index())?.enumerators.len()),
            Type::Array { element, length } => self.count_of_values(element)?.checked_pow(*length),
            Type::Int | Type::Machine { .. } | Type::ThreadId => None,
        }
    }

    /// The names of the templates, in the order of their ids: first the threads that exist from the
    /// start, then the procedures, which started threads run.
    pub fn template_names(&self) -> impl Iterator<Item = &str> {
        let threads = self.threads.iter().map(|t| t.name.as_str());
        threads.chain(self.procs.iter().map(|p| p.name.as_str()))
    }

    /// The declaration of a variable, seen from a procedure.
    #[must_use]
    pub fn variable(&self, proc: ProcId, var: VarRef) -> &Variable {
        match var {
            VarRef::Global(id) => &self.globals[id.index()],
            VarRef::Local(id) => &self.procs[proc.index()].locals[id.index()],
        }
    }

    /// A scalar of a type, as it is told to others.
    #[must_use]
    pub fn datum(&self, ty: &Type, value: &Value) -> Datum {
        let Some(number) = value.to_big() else { return Datum::Any };
        match (ty.scalar(), value) {
            (Type::Bool, v) => v.is_true().into(),
            (Type::Lock, v) => if v.is_true() { "held" } else { "free" }.into(),
            (Type::ThreadId, Value::Small(0)) => "none".into(),
            // A thread that never acts in a schedule.
            (Type::ThreadId, Value::Small(-1)) => "idle".into(),
            (Type::Enum(id), v) => {
                let names = &self.enums[id.index()].enumerators;
                let name = v.small().and_then(|n| names.get(usize::try_from(n).ok()?));
                name.map_or(Datum::Integer(number), |name| Datum::Name(name.clone()))
            }
            _ => Datum::Integer(number),
        }
    }
}
