//! # Constant folding
//! The value of a typed expression that does not depend on anything. Truth values are 0 and 1
//! here, enumerators their positions, as in [`Value`].

use num_bigint::{BigInt, Sign};
use selvedge_program::{BinaryOp, Expr, ExprKind, Span, UnaryOp, Value};

/// Why an expression has no constant value, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotConstant {
    /// It reads a variable or makes a choice.
    Depends(Span),
    /// It divides by zero.
    DividesByZero(Span),
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
        ExprKind::Unary(UnaryOp::Not, a) => BigInt::from(!holds(a)?),
        ExprKind::Unary(UnaryOp::Neg, a) => -fold(a)?,
        ExprKind::Binary(BinaryOp::And, a, b) => BigInt::from(holds(a)? && holds(b)?),
        ExprKind::Binary(BinaryOp::Or, a, b) => BigInt::from(holds(a)? || holds(b)?),
        ExprKind::Binary(BinaryOp::Implies, a, b) => BigInt::from(!holds(a)? || holds(b)?),
        ExprKind::Binary(op, a, b) => {
            binary(*op, fold(a)?, fold(b)?).ok_or(NotConstant::DividesByZero(b.span))?
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

/// An operator on numbers; nothing for a division by zero.
fn binary(op: BinaryOp, a: BigInt, b: BigInt) -> Option<BigInt> {
    let truth = BigInt::from;
    Some(match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("these are lazy"),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(a < b),
        BinaryOp::Le => truth(a <= b),
        BinaryOp::Gt => truth(a > b),
        BinaryOp::Ge => truth(a >= b),
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Mod if b == BigInt::ZERO => return None,
        BinaryOp::Div => {
            let remainder = remainder(&a, &b);
            (a - remainder) / b
        }
        BinaryOp::Mod => remainder(&a, &b),
    })
}

/// The remainder that is never negative.
fn remainder(a: &BigInt, b: &BigInt) -> BigInt {
    let remainder = a % b;
    if remainder.sign() == Sign::Minus {
        remainder + BigInt::from(b.magnitude().clone())
    } else {
        remainder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_leaves_no_negative_remainder() {
        for a in -7..=7_i64 {
            for b in (-3..=3).filter(|b| *b != 0) {
                let quotient = binary(BinaryOp::Div, a.into(), b.into());
                let remainder = binary(BinaryOp::Mod, a.into(), b.into());
                assert_eq!(quotient, Some(a.div_euclid(b).into()), "{a} / {b}");
                assert_eq!(remainder, Some(a.rem_euclid(b).into()), "{a} % {b}");
            }
            assert_eq!(binary(BinaryOp::Div, a.into(), BigInt::ZERO), None);
        }
    }
}
