//! Random expressions over machine integers.

use super::Maker;
use super::exprs::{boxed, expr};
use crate::print::tells_type;
use crate::{BinaryOp, Expr, ExprKind, ProcId, Type, UnaryOp, Value};

impl Maker<'_> {
    /// An expression of a machine type.
    pub(super) fn machine_number(&mut self, proc: ProcId, ty: &Type, depth: usize) -> Expr {
        if depth == 0 || self.dice.one_in(4) {
            return self.leaf(proc, ty);
        }
        let depth = depth - 1;
        let kind = match self.dice.below(12) {
            0 => {
                let op = if self.dice.one_in(2) { UnaryOp::Neg } else { UnaryOp::BitNot };
                ExprKind::Unary(op, boxed(self.telling(proc, ty, depth)))
            }
            1 => ExprKind::IfThenElse(
                boxed(self.truth(proc, depth, true)),
                boxed(self.machine_number(proc, ty, depth)),
                boxed(self.machine_number(proc, ty, depth)),
            ),
            2 => ExprKind::OneOf((0..2).map(|_| self.machine_number(proc, ty, depth)).collect()),
            3 => {
                let from = self.machine_type();
                return self.converted(proc, &from, ty, depth);
            }
            4 => {
                let number = boxed(self.number(proc, depth));
                ExprKind::Unary(UnaryOp::Convert, number)
            }
            _ => return self.operation(proc, ty, depth),
        };
        expr(kind, ty.clone())
    }

    fn operation(&mut self, proc: ProcId, ty: &Type, depth: usize) -> Expr {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mod, Mul, ShiftLeft, ShiftRight, Sub};
        let ops = [Add, Sub, Mul, Div, Mod, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight];
        let op = ops[self.dice.below(ops.len())];
        let left = self.telling(proc, ty, depth);
        if let ShiftLeft | ShiftRight = op {
            let right = self.amount(proc, depth);
            return expr(ExprKind::Binary(op, boxed(left), boxed(right)), ty.clone());
        }
        let mut right = self.machine_number(proc, ty, depth);
        if let ExprKind::Const(zero @ Value::Small(0)) = &mut right.kind {
            *zero = Value::Small(1);
        }
        expr(ExprKind::Binary(op, boxed(left), boxed(right)), ty.clone())
    }

    /// How far something is shifted.
    fn amount(&mut self, proc: ProcId, depth: usize) -> Expr {
        match self.dice.below(3) {
            0 => {
                let ty = self.machine_type();
                self.telling(proc, &ty, depth)
            }
            1 => self.number(proc, depth),
            _ => expr(ExprKind::Const(Value::Small(self.dice.below(70) as i64)), Type::Int),
        }
    }

    /// A machine integer of one type as one of another, or as an integer without bounds.
    pub(super) fn converted(&mut self, proc: ProcId, from: &Type, to: &Type, depth: usize) -> Expr {
        let number = boxed(self.telling(proc, from, depth));
        expr(ExprKind::Unary(UnaryOp::Convert, number), to.clone())
    }

    /// An expression whose text says which machine type it has.
    fn telling(&mut self, proc: ProcId, ty: &Type, depth: usize) -> Expr {
        let number = self.machine_number(proc, ty, depth);
        if tells_type(&number) {
            return number;
        }
        let value = boxed(expr(ExprKind::Const(self.value(&Type::Int)), Type::Int));
        expr(ExprKind::Unary(UnaryOp::Convert, value), ty.clone())
    }

    /// An index that is a machine integer, now and then.
    pub(super) fn machine_index(&mut self, proc: ProcId, length: u32) -> Option<Expr> {
        if !self.shape.machine || !self.dice.one_in(3) {
            return None;
        }
        let ty = self.machine_type();
        let number = self.telling(proc, &ty, 0);
        let length = expr(ExprKind::Const(Value::Small(i64::from(length))), ty.clone());
        Some(expr(ExprKind::Binary(BinaryOp::Mod, boxed(number), boxed(length)), ty))
    }
}
