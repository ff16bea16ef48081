//! # `cas` of a whole struct
//! `cas(top, old, {node, old.version + 1})` compares all members and sets all of them, in one step, as a double-width compare-and-swap does. It is
//! written as what else is tried in one step: a test, and an assignment if that holds.

use selvedge_program::{BinaryOp, Span};

use super::Writer;
use super::channels::Parts;
use super::operations::{Operation, Verb};
use super::places::Meaning;
use crate::syntax::{Effect, EffectKind, Expr, ExprKind, PlaceExpr};

/// The expected and the new value of a compare-and-swap.
pub(super) struct Swap {
    place: PlaceExpr,
    expected: Expr,
    new: Expr,
}

impl<'f> Writer<'f> {
    /// The `cas` of a struct, if an effect is one.
    pub(super) fn swap(&mut self, effect: &Effect) -> Option<Operation<'f>> {
        let EffectKind::CompareAndSwap(place, expected, new) = &effect.kind else { return None };
        self.struct_at(place)?;
        let mut operation = Operation::wrong(Verb::Swap, effect.span);
        if let Meaning::Part(found) = self.meaning(place)
            && self.one_choice(found.indices.iter()).is_some()
        {
            let (expected, new) = ((**expected).clone(), (**new).clone());
            operation.swap = Some(Swap { place: place.clone(), expected, new });
        }
        Some(operation)
    }

    /// The test and the assignment.
    pub(super) fn swapped(&mut self, swap: &Swap, span: Span) -> Option<Parts> {
        let now = Expr { kind: ExprKind::Place(swap.place.clone()), span: swap.place.span };
        let (now, expected) = (Box::new(now), Box::new(swap.expected.clone()));
        let same = Expr { kind: ExprKind::Binary(BinaryOp::Eq, now, expected), span };
        let guard = self.expr(&same);
        let (targets, values) = ([swap.place.clone()], [swap.new.clone()]);
        let assign = self.assign(&targets, &values, None)?;
        Some(Parts { guard, assign, then: None })
    }
}
