//! # Constant folding
//! The value of a typed expression that does not depend on anything. Truth values are 0 and 1
//! here, enumerators their positions, as in [`Value`].

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Expr, ExprKind, Span, Undefined, Value};

/// Why an expression has no constant value, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotConstant {
    /// It reads a variable or makes a choice.
    Depends(Span),
    /// It divides by zero, or does something else that has no result.
    GoesWrong(Span, Undefined),
    /// A number in between has more than [`BITS`] bits.
    TooLarge(Span),
}

/// Constants with more bits are refused, so that repeated squaring does not eat the memory.
pub(super) const BITS: u64 = 1 << 16;

/// The value of an expression; `instance` is what [`ExprKind::Instance`] stands for, if anything.
pub(super) fn fold(expr: &Expr, instance: Option<&BigInt>) -> Result<BigInt, NotConstant> {
    let depends = Err(NotConstant::Depends(expr.span));
    let fold = |e: &Expr| fold(e, instance);
    let holds = |e: &Expr| fold(e).map(|n| n != BigInt::ZERO);
    let value = match &expr.kind {
        ExprKind::Const(value) => return value.to_big().map_or(depends, Ok),
        ExprKind::Instance => return instance.cloned().map_or(depends, Ok),
        ExprKind::Unary(op, a) => {
            op.apply(&expr.ty, &fold(a)?).map_err(|_| NotConstant::TooLarge(expr.span))?
        }
        ExprKind::Binary(BinaryOp::And, a, b) => BigInt::from(holds(a)? && holds(b)?),
        ExprKind::Binary(BinaryOp::Or, a, b) => BigInt::from(holds(a)? || holds(b)?),
        ExprKind::Binary(BinaryOp::Implies, a, b) => BigInt::from(!holds(a)? || holds(b)?),
        ExprKind::Binary(op, a, b) => {
            op.apply(&expr.ty, &fold(a)?, &fold(b)?).map_err(|why| match why {
                Undefined::TooLarge => NotConstant::TooLarge(expr.span),
                why => NotConstant::GoesWrong(b.span, why),
            })?
        }
        ExprKind::IfThenElse(c, a, b) => fold(if holds(c)? { a } else { b })?,
        _ => return depends,
    };
    if value.bits() > BITS { Err(NotConstant::TooLarge(expr.span)) } else { Ok(value) }
}

/// A constant that does not fit its type, somewhere in a value that is about to be stored: the
/// value itself, or one of those that are chosen from.
pub(super) fn constant_outside(expr: &Expr, lo: &BigInt, hi: &BigInt) -> Option<(Span, BigInt)> {
    match &expr.kind {
        ExprKind::OneOf(list) => list.iter().find_map(|e| constant_outside(e, lo, hi)),
        ExprKind::Between(a, b) => {
            constant_outside(a, lo, hi).or_else(|| constant_outside(b, lo, hi))
        }
        _ => {
            let value = fold(expr, None).ok()?;
            (value < *lo || value > *hi).then_some((expr.span, value))
        }
    }
}

/// The constant with the value of a folded expression.
pub(super) fn folded(expr: Expr) -> Expr {
    match fold(&expr, None) {
        Ok(value) => Expr { kind: ExprKind::Const(Value::from_big(value)), ..expr },
        Err(_) => expr,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(op: BinaryOp, a: i64, b: i64) -> Result<BigInt, Undefined> {
        op.apply(&selvedge_program::Type::Int, &a.into(), &b.into())
    }

    #[test]
    fn division_leaves_no_negative_remainder() {
        for a in -7..=7_i64 {
            for b in (-3..=3).filter(|b| *b != 0) {
                let quotient = apply(BinaryOp::Div, a, b);
                let remainder = apply(BinaryOp::Mod, a, b);
                assert_eq!(quotient, Ok(a.div_euclid(b).into()), "{a} / {b}");
                assert_eq!(remainder, Ok(a.rem_euclid(b).into()), "{a} % {b}");
            }
            assert_eq!(apply(BinaryOp::Div, a, 0), Err(Undefined::DivisionByZero));
        }
    }
}
