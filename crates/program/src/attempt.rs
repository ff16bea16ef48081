//! What `trylock`, `cas` and `fetch_and_add` do, as tests and assignments.

use crate::make::{binary, equal, if_then_else, read};
use crate::{AtomicOp, BinaryOp, Expr, Place, make};

/// An operation in terms of expressions.
pub(crate) struct Meaning {
    /// Whether it succeeds; `fetch_and_add` always does.
    pub succeeds: Expr,
    /// What it then writes.
    pub new: Expr,
    old: Expr,
    is_sum: bool,
}

impl Meaning {
    /// The meaning of an operation at a place. For a lock: whether it is free, and what is in it
    /// when it is taken.
    pub fn of(op: &AtomicOp, place: &Place, lock: (Expr, Expr)) -> Self {
        let old = read(place.clone());
        let (succeeds, new) = match op {
            AtomicOp::TryLock(_) => lock,
            AtomicOp::CompareAndSwap { expected, new, .. } => {
                (equal(old.clone(), expected.clone()), new.clone())
            }
            AtomicOp::FetchAndAdd { amount, .. } => {
                (make::truth(true), binary(BinaryOp::Add, old.clone(), amount.clone()))
            }
        };
        let is_sum = matches!(op, AtomicOp::FetchAndAdd { .. });
        Meaning { succeeds, new, old, is_sum }
    }

    /// What is at the place afterwards, whether it succeeds or not.
    pub fn written(&self) -> Expr {
        if self.is_sum {
            return self.new.clone();
        }
        let new = if_then_else(self.succeeds.clone(), self.new.clone(), self.old.clone());
        Expr { ty: self.old.ty.clone(), ..new }
    }

    /// The result.
    pub fn result(&self) -> Expr {
        if self.is_sum { self.old.clone() } else { self.succeeds.clone() }
    }
}
