//! Expressions with a constant value. The checker refuses some of them, where they cannot be right;
//! so random programs must know them.

use num_bigint::BigInt;

use crate::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The value of an expression, if it depends on nothing.
pub(super) fn constant(expr: &Expr) -> Option<BigInt> {
    let holds = |e: &Expr| constant(e).map(|n| n != BigInt::ZERO);
    Some(match &expr.kind {
        ExprKind::Const(value) => value.to_big()?,
        ExprKind::Unary(UnaryOp::Not, a) => BigInt::from(!holds(a)?),
        ExprKind::Unary(UnaryOp::Neg, a) => -constant(a)?,
        ExprKind::Binary(BinaryOp::And, a, b) => BigInt::from(holds(a)? && holds(b)?),
        ExprKind::Binary(BinaryOp::Or, a, b) => BigInt::from(holds(a)? || holds(b)?),
        ExprKind::Binary(BinaryOp::Implies, a, b) => BigInt::from(!holds(a)? || holds(b)?),
        ExprKind::Binary(op, a, b) => binary(*op, &constant(a)?, &constant(b)?)?,
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

fn binary(op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<BigInt> {
    Some(match op {
        BinaryOp::Eq => (a == b).into(),
        BinaryOp::Ne => (a != b).into(),
        BinaryOp::Lt => (a < b).into(),
        BinaryOp::Le => (a <= b).into(),
        BinaryOp::Gt => (a > b).into(),
        BinaryOp::Ge => (a >= b).into(),
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Mod if *b == BigInt::ZERO => return None,
        BinaryOp::Div => (a - modulo(a, b)) / b,
        BinaryOp::Mod => modulo(a, b),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => return None,
    })
}

fn modulo(a: &BigInt, b: &BigInt) -> BigInt {
    let size = if *b < BigInt::ZERO { -b } else { b.clone() };
    ((a % &size) + &size) % &size
}
