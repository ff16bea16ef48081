//! Expressions with a constant value. The checker refuses some of them, where they cannot be right;
//! so random programs must know them.

use num_bigint::BigInt;

use crate::{BinaryOp, Expr, ExprKind};

/// The value of an expression, if it depends on nothing.
pub(super) fn constant(expr: &Expr) -> Option<BigInt> {
    let holds = |e: &Expr| constant(e).map(|n| n != BigInt::ZERO);
    Some(match &expr.kind {
        ExprKind::Const(value) => value.to_big()?,
        ExprKind::Unary(op, a) => op.apply(&expr.ty, &constant(a)?).ok()?,
        ExprKind::Binary(BinaryOp::And, a, b) => BigInt::from(holds(a)? && holds(b)?),
        ExprKind::Binary(BinaryOp::Or, a, b) => BigInt::from(holds(a)? || holds(b)?),
        ExprKind::Binary(BinaryOp::Implies, a, b) => BigInt::from(!holds(a)? || holds(b)?),
        ExprKind::Binary(op, a, b) => op.apply(&expr.ty, &constant(a)?, &constant(b)?).ok()?,
        ExprKind::IfThenElse(c, a, b) => constant(if holds(c)? { a } else { b })?,
        _ => return None,
    })
}

/// Exchanges the bounds of a choice if there would be nothing in between.
pub(super) fn in_order(low: &mut Expr, high: &mut Expr) {
    if let (Some(a), Some(b)) = (constant(low), constant(high))
        && a > b
    {
        std::mem::swap(low, high);
    }
}
