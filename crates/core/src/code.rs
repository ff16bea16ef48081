//! # Code
//! What a step does, in a handful of instructions over slots. Names, types and structure are gone: an edge
//! of the flow graph is a list of [`Instruction`]s that happen together or not at all.
//!
//! `cas`, `fetch_and_add`, `trylock`, locks and joins are lists of these. An index that is chosen is chosen
//! once: [`Instruction::Locate`] finds the slot, whoever reads and writes it uses what was found.

use std::sync::Arc;

use crate::{Kind, Value};

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
    /// A procedure.
    ProcId;
    /// A place where a thread can stand.
    Loc;
    /// An edge of the flow graph.
    EdgeId;
    /// A temporary: the result of an instruction, for those after it in the same edge.
    Temp;
    /// A place in the text: where a fault is reported, and the name of a fair choice.
    Site;
}

/// The place of one scalar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// A scalar of a shared variable.
    Global(usize),
    /// A scalar of a local variable of a procedure.
    Local(usize),
    /// A scalar of a result that is on its way to the caller.
    Result(usize),
}

/// The part of the memory that a slot belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Area {
    /// Slots that all threads see.
    Shared,
    /// Slots in the frame of the thread.
    Frame,
    /// Slots in the frame that is being made for a call or a new thread.
    New,
    /// Slots of results on their way from a procedure to its caller.
    Results,
}

/// A scalar, or an element of an array.
#[derive(Clone, Debug)]
pub struct Place {
    /// The part of the memory that it lies in.
    pub area: Area,
    /// The slot of the first element.
    pub first: usize,
    /// The steps into the array, one for each dimension.
    pub indices: Box<[Index]>,
    /// The values that the slot can hold.
    pub kind: Kind,
    /// What it is called in messages, as in `` `x` ``.
    pub name: Arc<str>,
    /// Where it stands in the text.
    pub site: Site,
}

/// A step into an array. Goes wrong when out of range.
#[derive(Clone, Debug)]
pub struct Index {
    /// The position of the element.
    pub value: Expr,
    /// How many elements there are.
    pub length: u32,
    /// How many slots an element takes.
    pub stride: usize,
}

/// An expression. Operands are evaluated from left to right.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A truth value.
    Bool(bool),
    /// An integer; never open.
    Int(Value),
    /// The value of a slot. One that is open is chosen now.
    Load(Place),
    /// The value of a slot when [`Instruction::Snapshot`] was executed.
    Old(Place),
    /// What was found by [`Instruction::Let`], or is in the slot found by [`Instruction::Locate`].
    Temp(Temp),
    /// The thread that executes this, as an owner of locks.
    Me,
    /// An operation with one operand.
    Unary(Unary, Box<Expr>),
    /// An operation with two operands.
    Binary(Binary, Box<Expr>, Box<Expr>, Site),
    /// The second if the first holds, otherwise the third; the other one is not evaluated.
    If(Box<[Expr; 3]>),
    /// One of these, chosen freely; the others are not evaluated.
    OneOf(Box<[Expr]>, Site),
    /// An integer between two, both included, chosen freely. Goes wrong if there is none.
    Between(Box<Expr>, Box<Expr>, Site),
    /// Any value of a kind.
    Any(Kind, Site),
    /// True or false, chosen fairly.
    Fair(Site),
}

/// An operation on one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    /// Negation of a truth value.
    Not,
    /// Negation of a number.
    Neg,
    /// Wraps a number: the result has this many bits and agrees with it in its last bits.
    Wrap {
        /// The width of the result.
        bits: u32,
        /// Whether the first of them is a sign.
        signed: bool,
    },
    /// Whether a started thread has ended.
    Ended,
}

/// An operation on two values. Numbers have no bounds: what a machine does is this and
/// [`Unary::Wrap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Binary {
    /// Equal, of any kind.
    Eq,
    /// Less.
    Lt,
    /// At most.
    Le,
    /// Greater.
    Gt,
    /// At least.
    Ge,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, such that the remainder is not negative. Goes wrong for 0.
    Div,
    /// Remainder, never negative. Goes wrong for 0.
    Mod,
    /// The bits that both have.
    BitAnd,
    /// The bits that one of them has, or both.
    BitOr,
    /// The bits in which they differ.
    BitXor,
    /// The first times a power of 2. Goes wrong for a negative exponent.
    ShiftLeft,
    /// The first divided by a power of 2, rounded down. Goes wrong for a negative exponent.
    ShiftRight,
}

/// One thing that an edge does.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// The edge is taken only if this holds.
    Assume(Expr),
    /// Goes wrong unless this holds.
    Check(Expr, Broken),
    /// Computes a value and keeps it in the temporary.
    Let(Temp, Expr),
    /// Finds a slot and keeps its address in the temporary.
    Locate(Temp, Place),
    /// Stores a value; goes wrong if the slot cannot hold it.
    Store {
        /// The slot to store to.
        to: Target,
        /// The value to store.
        value: Source,
        /// Only if this holds; evaluated last.
        when: Option<Expr>,
    },
    /// Remembers all values for [`Expr::Old`].
    Snapshot,
    /// Takes the results that were on their way.
    Take,
    /// Makes a frame of a procedure, whose parameters are stored next.
    Frame {
        /// The procedure whose frame is made.
        proc: ProcId,
        /// Whether it is for a thread, which may be dropped where that is allowed.
        for_thread: bool,
    },
    /// Calls with the frame that was made.
    Call,
    /// Starts a thread with the frame that was made, and stores its id.
    Start(Option<Target>),
    /// Starts a thread at a location of this procedure with a copy of the frame.
    Fork {
        /// The location at which the new thread starts.
        at: Loc,
        /// Places that both threads may read: open values there are chosen before the frame is copied.
        read_by_both: Box<[Place]>,
    },
    /// Leaves the procedure.
    Return,
}

impl Instruction {
    /// Tells every place that is named, be it where it is never evaluated.
    pub fn each_place(&self, see: &mut dyn FnMut(&Place)) {
        match self {
            Instruction::Assume(value)
            | Instruction::Check(value, _)
            | Instruction::Let(_, value) => value.each_place(see),
            Instruction::Locate(_, place) => place.each_place(see),
            Instruction::Store { to, value, when } => {
                to.each_place(see);
                if let Source::Value(value) = value {
                    value.each_place(see);
                }
                when.iter().for_each(|when| when.each_place(see));
            }
            Instruction::Start(to) => to.iter().for_each(|to| to.each_place(see)),
            Instruction::Fork { read_by_both, .. } => {
                read_by_both.iter().for_each(|place| place.each_place(see));
            }
            Instruction::Snapshot
            | Instruction::Take
            | Instruction::Frame { .. }
            | Instruction::Call
            | Instruction::Return => {}
        }
    }

    /// Whether it asks if a thread has ended, be it where that is never evaluated.
    #[must_use]
    pub fn asks_for_ends(&self) -> bool {
        let asks = match self {
            Instruction::Assume(value)
            | Instruction::Check(value, _)
            | Instruction::Let(_, value) => value.asks_for_ends(),
            Instruction::Store { value, when, .. } => {
                matches!(value, Source::Value(value) if value.asks_for_ends())
                    || when.as_ref().is_some_and(Expr::asks_for_ends)
            }
            _ => false,
        };
        let mut within = false;
        self.each_place(&mut |place| {
            within |= place.indices.iter().any(|index| index.value.asks_for_ends());
        });
        asks || within
    }
}

impl Target {
    fn each_place(&self, see: &mut dyn FnMut(&Place)) {
        match self {
            Target::Place(place) => place.each_place(see),
            // Its places were told where it was located.
            Target::Located(_) => {}
        }
    }
}

impl Expr {
    /// Whether it asks if a thread has ended, outside of the indices of places.
    fn asks_for_ends(&self) -> bool {
        match self {
            Expr::Unary(Unary::Ended, _) => true,
            Expr::Unary(_, value) => value.asks_for_ends(),
            Expr::Binary(_, left, right, _) | Expr::Between(left, right, _) => {
                left.asks_for_ends() || right.asks_for_ends()
            }
            Expr::If(parts) => parts.iter().any(Expr::asks_for_ends),
            Expr::OneOf(values, _) => values.iter().any(Expr::asks_for_ends),
            _ => false,
        }
    }

    fn each_place(&self, see: &mut dyn FnMut(&Place)) {
        match self {
            Expr::Load(place) | Expr::Old(place) => place.each_place(see),
            Expr::Unary(_, value) => value.each_place(see),
            Expr::Binary(_, left, right, _) | Expr::Between(left, right, _) => {
                left.each_place(see);
                right.each_place(see);
            }
            Expr::If(parts) => parts.iter().for_each(|part| part.each_place(see)),
            Expr::OneOf(values, _) => values.iter().for_each(|value| value.each_place(see)),
            Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Temp(_)
            | Expr::Me
            | Expr::Any(..)
            | Expr::Fair(_) => {}
        }
    }
}

impl Place {
    fn each_place(&self, see: &mut dyn FnMut(&Place)) {
        see(self);
        self.indices.iter().for_each(|index| index.value.each_place(see));
    }

    /// The slots that it may be: one, if its indices are numbers.
    #[must_use]
    pub fn slots(&self) -> std::ops::Range<usize> {
        let (mut first, mut last) = (self.first, self.first);
        for index in &self.indices {
            let end = (index.length as usize).saturating_sub(1);
            let known = match &index.value {
                Expr::Int(value) => value.small().and_then(|n| usize::try_from(n).ok()),
                _ => None,
            };
            let (from, to) = known.filter(|&at| at <= end).map_or((0, end), |at| (at, at));
            first += from * index.stride;
            last += to * index.stride;
        }
        first..last + 1
    }
}

/// Where a value is stored.
#[derive(Clone, Debug)]
pub enum Target {
    /// In a place whose slot is found now.
    Place(Place),
    /// In a slot that was found before.
    Located(Temp),
}

/// Says what a store writes.
#[derive(Clone, Debug)]
pub enum Source {
    /// The value of an expression.
    Value(Expr),
    /// Any value of the kind of the slot. It stays open until it is read.
    Any,
    /// A result that is on its way, open or not.
    Result(usize, Kind),
}

/// Why a check failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    /// An assertion does not hold.
    Assertion,
    /// A lock is released that nobody holds.
    NotHeld(Arc<str>),
    /// A lock is released that another thread holds.
    HeldByAnother(Arc<str>),
    /// A thread is joined that was never started.
    NeverStarted,
}

/// Where a thread goes when an edge has been taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Goes on at the end of the edge.
    Goto,
    /// Enters a procedure; goes on at the end of the edge when that returns.
    Call(ProcId),
    /// Goes on at the end of the edge, with the results of this procedure.
    Receive(ProcId),
    /// Leaves the procedure.
    Return,
}

/// An edge of the flow graph.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where the thread stands before.
    pub from: Loc,
    /// Where it stands after. For a call: after the call has returned. Not used by returns.
    pub to: Loc,
    /// The instructions to execute.
    pub code: Box<[Instruction]>,
    /// How the thread goes on after the instructions.
    pub control: Control,
    /// How many [`Temp`]s the code has.
    pub temps: u32,
    /// Whether it may start a thread.
    pub starts: bool,
    /// The statement in the text.
    pub site: Site,
}

/// A place where a thread can stand.
#[derive(Clone, Debug)]
pub struct Location {
    /// The procedure it belongs to.
    pub proc: ProcId,
    /// Whether it is inside of an atomic section, so that no switch happens here.
    pub atomic: bool,
    /// The edges that leave it.
    pub edges: Box<[EdgeId]>,
    /// The statement that comes next.
    pub site: Site,
    /// The slots of the frame whose values are never read from here on.
    pub dead: Arc<[std::ops::Range<usize>]>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The location at which it starts.
    pub entry: Loc,
    /// The slots of its frames, parameters first.
    pub frame: Box<[Declared]>,
    /// How many of them are parameters.
    pub params: usize,
    /// The kinds of its results.
    pub results: Box<[Kind]>,
}

/// A slot as it was declared.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Which integers it may hold.
    pub kind: Kind,
    /// The name of its variable.
    pub name: Arc<str>,
    /// Its initial value; open for any value.
    pub first: Value,
    /// The values that it is given where it is read while it is open; `None` for all that it may hold.
    pub looks: Option<Arc<[Value]>>,
    /// Where its variable is declared.
    pub site: Site,
}

/// A program without its language.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The slots that all threads see.
    pub shared: Box<[Declared]>,
    /// The procedures.
    pub procs: Vec<Procedure>,
    /// All locations.
    pub locations: Vec<Location>,
    /// All edges.
    pub edges: Vec<Edge>,
}

impl Code {
    /// The location.
    #[must_use]
    pub fn location(&self, loc: Loc) -> &Location {
        &self.locations[loc.index()]
    }

    /// The edge.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }

    /// The procedure.
    #[must_use]
    pub fn proc(&self, proc: ProcId) -> &Procedure {
        &self.procs[proc.index()]
    }

    /// The procedure that a location belongs to.
    #[must_use]
    pub fn proc_of(&self, loc: Loc) -> &Procedure {
        self.proc(self.location(loc).proc)
    }

    /// Whether the program has an assertion.
    #[must_use]
    pub fn has_assertions(&self) -> bool {
        let asserts = |i: &Instruction| matches!(i, Instruction::Check(_, Broken::Assertion));
        self.edges.iter().any(|edge| edge.code.iter().any(asserts))
    }

    /// Whether a thread at this location waits for the results of a call.
    #[must_use]
    pub fn receives(&self, loc: Loc) -> bool {
        let first = self.location(loc).edges.first();
        first.is_some_and(|&edge| matches!(self.edge(edge).control, Control::Receive(_)))
    }
}
