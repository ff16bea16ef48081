//! What `trylock`, `cas` and `fetch_and_add` do, as tests and values. Said once, for the core and for transforms
//! of programs: both build expressions of it.

use crate::{AtomicOp, Expr, Place, Type, make};

/// Expressions that can be built, of a program or of the core.
pub(crate) trait Build: Clone {
    /// Makes a truth value.
    fn truth(value: bool) -> Self;
    /// Whether two values are equal.
    fn equal(self, other: Self) -> Self;
    /// The sum of two numbers, in a type.
    fn plus(self, other: Self, ty: &Type) -> Self;
}

/// An operation in terms of expressions.
pub(crate) struct Meaning<E> {
    /// Whether it succeeds; `fetch_and_add` always does.
    pub succeeds: E,
    /// The value that it then writes.
    pub new: E,
    old: E,
    is_sum: bool,
}

impl<E: Build> Meaning<E> {
    /// The meaning of an operation on what holds `old`, with its operands (`expected` and `new`, or the amount).
    /// For a lock: whether it is free, and what is in it when it is taken.
    pub fn new(op: &AtomicOp, old: E, operands: &[E], lock: (E, E)) -> Self {
        let (succeeds, new) = match (op, operands) {
            (AtomicOp::CompareAndSwap { .. }, [expected, new, ..]) => {
                (old.clone().equal(expected.clone()), new.clone())
            }
            (AtomicOp::FetchAndAdd { place, .. }, [amount, ..]) => {
                (E::truth(true), old.clone().plus(amount.clone(), &place.ty))
            }
            _ => lock,
        };
        let is_sum = matches!(op, AtomicOp::FetchAndAdd { .. });
        Meaning { succeeds, new, old, is_sum }
    }

    /// The value that the operation returns.
    pub fn result(&self) -> E {
        if self.is_sum { self.old.clone() } else { self.succeeds.clone() }
    }
}

impl AtomicOp {
    /// `expected` and `new`, or the amount; nothing for locks.
    pub(crate) fn operands(&self) -> Vec<&Expr> {
        match self {
            AtomicOp::TryLock(_) => Vec::new(),
            AtomicOp::CompareAndSwap { expected, new, .. } => vec![expected, new],
            AtomicOp::FetchAndAdd { amount, .. } => vec![amount],
        }
    }
}

impl Build for Expr {
    fn truth(value: bool) -> Self {
        make::truth(value)
    }

    fn equal(self, other: Self) -> Self {
        make::equal(self, other)
    }

    fn plus(self, other: Self, _: &Type) -> Self {
        make::binary(crate::BinaryOp::Add, self, other)
    }
}

impl Meaning<Expr> {
    /// The meaning of an operation at a place.
    pub fn of(op: &AtomicOp, place: &Place, lock: (Expr, Expr)) -> Self {
        let operands: Vec<Expr> = op.operands().into_iter().cloned().collect();
        Meaning::new(op, make::read(place.clone()), &operands, lock)
    }

    /// The value at the place afterwards, whether the operation succeeds or not.
    pub fn written(&self) -> Expr {
        if self.is_sum {
            return self.new.clone();
        }
        let new = make::if_then_else(self.succeeds.clone(), self.new.clone(), self.old.clone());
        Expr { ty: self.old.ty.clone(), ..new }
    }
}
