//! # Domains
//! What an expression computes in: words, formulas, intervals. A domain knows values and slots; which
//! operations an instruction consists of, in which order, and when it goes wrong, is said once, in
//! [`crate::evaluate`].

use std::fmt;
use std::sync::Arc;

use crate::{Area, Binary, Broken, Kind, Loc, Place, ProcId, Range, Site, Unary, Value};

/// Values and slots, concrete or not.
///
/// Some domains know of every truth value what it is; others follow both ways. Between [`Domain::enter`] and
/// [`Domain::leave`] everything happens only under the condition that was entered.
pub trait Domain {
    /// The values that slots hold and expressions have.
    type Value: Clone;
    /// A slot, as far as it is known which.
    type Address: Clone;
    /// Why there is no outcome.
    type Halt;

    /// Makes a truth value.
    fn bool(&mut self, b: bool) -> Self::Value;
    /// Makes a number.
    fn int(&mut self, n: &Value) -> Self::Value;
    /// The thread that executes, as an owner of locks.
    fn me(&mut self) -> Self::Value;
    /// An operation on one value.
    fn unary(&mut self, op: Unary, a: Self::Value) -> Result<Self::Value, Self::Halt>;
    /// An operation on two values; a divisor is not 0, a shift not negative.
    fn binary(
        &mut self,
        op: Binary,
        a: Self::Value,
        b: Self::Value,
        site: Site,
    ) -> Result<Self::Value, Self::Halt>;
    /// Whether a number is within limits.
    fn within(&mut self, value: &Self::Value, limits: Limits<'_>) -> Self::Value;

    /// The truth value, if it is known.
    fn truth(&self, value: &Self::Value) -> Option<bool>;
    /// The number as a position, if it is known.
    fn position(&self, value: &Self::Value) -> Option<usize>;
    /// Goes on under a condition that is not known.
    fn enter(&mut self, cond: &Self::Value, holds: bool);
    /// Goes on without the condition that was entered last.
    fn leave(&mut self);
    /// One value if the condition holds, otherwise another.
    fn merge(&mut self, cond: Self::Value, a: Self::Value, b: Self::Value) -> Self::Value;

    /// Any value of a kind. `name` is the variable that has it, if any.
    fn choose(
        &mut self,
        kind: &Kind,
        name: Option<&str>,
        site: Site,
    ) -> Result<Self::Value, Self::Halt>;
    /// Any number between two of which the first is not greater.
    fn between(
        &mut self,
        lo: Self::Value,
        hi: Self::Value,
        site: Site,
    ) -> Result<Self::Value, Self::Halt>;
    /// True or false, chosen fairly.
    fn fair(&mut self, site: Site) -> Result<Self::Value, Self::Halt>;

    /// The address of a slot.
    fn address(&mut self, area: Area, slot: usize) -> Self::Address;
    /// An element of what begins at an address; the index is within the length.
    fn element(
        &mut self,
        base: Self::Address,
        index: &Self::Value,
        length: u32,
        stride: usize,
    ) -> Self::Address;
    /// The value in a slot, now or when the snapshot was made. One that is open is chosen.
    fn load(
        &mut self,
        at: &Self::Address,
        place: &Place,
        old: bool,
    ) -> Result<Self::Value, Self::Halt>;
    /// Stores a value that the slot can hold. `None` is any value.
    fn store(
        &mut self,
        at: &Self::Address,
        place: &Place,
        value: Option<Self::Value>,
    ) -> Result<(), Self::Halt>;
    /// A result that is on its way: `None` if it may be anything of its kind and may stay so.
    fn result(
        &mut self,
        index: usize,
        kind: &Kind,
        into: &Place,
    ) -> Result<Option<Self::Value>, Self::Halt>;

    /// Goes on only if the condition holds.
    fn assume(&mut self, cond: Self::Value) -> Result<(), Self::Halt>;
    /// Goes wrong unless the condition holds.
    fn require(
        &mut self,
        cond: Self::Value,
        why: impl FnOnce() -> Failure<Self::Value>,
    ) -> Result<(), Self::Halt>;
    /// Does what concerns frames and threads.
    fn effect(&mut self, effect: Effect<'_, Self::Address>) -> Result<(), Self::Halt>;
}

/// The limits that a number is checked against.
#[derive(Clone, Copy, Debug)]
pub enum Limits<'a> {
    /// 0, or greater.
    NotNegative,
    /// The positions in something of this length.
    Positions(u32),
    /// The numbers of a range.
    Range(&'a Range),
}

/// An effect on frames or threads.
#[derive(Clone, Debug)]
pub enum Effect<'a, A> {
    /// See [`crate::Instruction::Snapshot`].
    Snapshot,
    /// See [`crate::Instruction::Take`].
    Take,
    /// See [`crate::Instruction::Frame`].
    Frame {
        /// The procedure.
        proc: ProcId,
        /// Whether it is for a thread.
        for_thread: bool,
    },
    /// See [`crate::Instruction::Call`].
    Call,
    /// See [`crate::Instruction::Start`].
    Start(Option<(A, &'a Place)>),
    /// See [`crate::Instruction::Fork`].
    Fork {
        /// The location.
        at: Loc,
        /// What both threads may read.
        read_by_both: &'a [Place],
    },
    /// See [`crate::Instruction::Return`].
    Return,
}

/// Why a step goes wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure<V> {
    /// A check of the program.
    Broken(Broken),
    /// An index is out of range.
    Outside {
        /// The index that is out of range.
        index: V,
        /// The name of the array.
        name: Arc<str>,
        /// How many elements it has.
        length: u32,
    },
    /// A value does not fit where it is to be stored.
    DoesNotFit {
        /// The value that does not fit.
        value: V,
        /// The name of the place where it was to be stored.
        name: Arc<str>,
        /// The values that do fit.
        range: Arc<Range>,
    },
    /// A division by zero.
    DivisionByZero,
    /// A shift by less than nothing.
    NegativeShift,
    /// There is no integer from one to another.
    NoInteger {
        /// The least that there could be.
        low: V,
        /// The greatest that there could be.
        high: V,
    },
}

/// Says that an assertion failed.
pub const ASSERTION_FAILED: &str = "assertion failed";

/// Follows the name of a lock in messages: nobody holds it.
pub const NOT_HELD: &str = " is released but nobody holds it";

/// Follows the name of a lock in messages: another thread holds it.
pub const HELD_BY_ANOTHER: &str = " is released by a thread that does not hold it";

impl<V> Failure<V> {
    /// The kind of the failure, without values and names.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Broken(Broken::Assertion) => ASSERTION_FAILED,
            Failure::Broken(Broken::NotHeld(_)) => "a lock is released that nobody holds",
            Failure::Broken(Broken::HeldByAnother(_)) => {
                "a lock is released by a thread that does not hold it"
            }
            Failure::Broken(Broken::NeverStarted) => "join of a thread that was never started",
            Failure::Outside { .. } => "an index is out of range",
            Failure::DoesNotFit { .. } => "a value does not fit its type",
            Failure::DivisionByZero => "division by zero",
            Failure::NegativeShift => "a shift by a negative number",
            Failure::NoInteger { .. } => "there is no integer to choose",
        }
    }
}

impl<V: fmt::Display> fmt::Display for Failure<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Broken(Broken::NotHeld(lock)) => {
                write!(f, "{lock}{NOT_HELD}")
            }
            Failure::Broken(Broken::HeldByAnother(lock)) => {
                write!(f, "{lock}{HELD_BY_ANOTHER}")
            }
            Failure::Outside { index, name, length } => {
                write!(f, "index {index} is outside of {name}, which has {length} elements")
            }
            Failure::DoesNotFit { value, name, range } => {
                write!(f, "{value} does not fit {name}, which is {range}")
            }
            Failure::NoInteger { low, high } => {
                write!(f, "there is no integer from {low} to {high} to choose")
            }
            Failure::Broken(Broken::Assertion | Broken::NeverStarted)
            | Failure::DivisionByZero
            | Failure::NegativeShift => f.write_str(self.kind()),
        }
    }
}
