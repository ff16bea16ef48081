//! # Arithmetic of machines
//! Expressions of the program for those of C, with constants folded: conversions, division towards 0, shifts.

use num_bigint::BigInt;
use selvedge_program::make::{constant, expr, if_then_else, not, truth};
use selvedge_program::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp, Value};

/// An integer of a type.
#[must_use]
pub fn int(value: impl Into<BigInt>, ty: &Type) -> Expr {
    let wrapped = UnaryOp::Convert.apply(ty, &value.into()).unwrap_or_default();
    constant(Value::from_big(wrapped), ty)
}

/// The value of a constant.
#[must_use]
pub fn known(e: &Expr) -> Option<BigInt> {
    match &e.kind {
        ExprKind::Const(value) => value.to_big(),
        _ => None,
    }
}

/// Whether an expression is a truth value that is known.
#[must_use]
pub fn known_truth(e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Const(value) if *value != Value::Open => Some(value.is_true()),
        _ => None,
    }
}

/// Two operands of one type. Comparisons give truth values.
#[must_use]
pub fn binary(op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    match (op, known_truth(&a), known_truth(&b)) {
        (And, Some(true), _) | (Or, Some(false), _) => return b,
        (And, _, Some(true)) | (Or, _, Some(false)) => return a,
        (And, Some(false), _) => return truth(false),
        (Or, Some(true), _) => return truth(true),
        _ => {}
    }
    let is_test = matches!(op, And | Or | Eq | Ne | Lt | Le | Gt | Ge);
    let ty = if is_test { Type::Bool } else { a.ty.clone() };
    if let (Some(x), Some(y)) = (known(&a), known(&b)) {
        let decided = match op {
            Eq => Some(x == y),
            Ne => Some(x != y),
            Lt => Some(x < y),
            Le => Some(x <= y),
            Gt => Some(x > y),
            Ge => Some(x >= y),
            _ => None,
        };
        if let Some(decided) = decided {
            return truth(decided);
        }
        if let Ok(value) = op.apply(&ty, &x, &y) {
            return constant(Value::from_big(value), &ty);
        }
    }
    if op == BinaryOp::Add {
        match (known(&a), known(&b)) {
            (Some(zero), _) if zero == BigInt::ZERO => return b,
            (_, Some(zero)) if zero == BigInt::ZERO => return a,
            _ => {}
        }
    }
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
}

/// The value in another type of integers, truth values among them.
#[must_use]
pub fn convert(e: Expr, to: &Type) -> Expr {
    if e.ty == *to {
        return e;
    }
    let span = e.span;
    if *to == Type::Bool {
        let zero = int(0, &e.ty);
        return binary(BinaryOp::Ne, e, zero, span);
    }
    if e.ty == Type::Bool {
        return choose(e, int(1, to), int(0, to));
    }
    if let Some(value) = known(&e) {
        return Expr { span, ..int(value, to) };
    }
    // What is chosen freely is chosen in the type that it is wanted in, if that has no fewer values.
    expr(ExprKind::Unary(UnaryOp::Convert, Box::new(e)), to.clone(), span)
}

/// `c ? a : b`, decided where that is known.
#[must_use]
pub fn choose(c: Expr, a: Expr, b: Expr) -> Expr {
    match known_truth(&c) {
        Some(true) => a,
        Some(false) => b,
        None => if_then_else(c, a, b),
    }
}

/// The opposite of a truth value.
#[must_use]
pub fn negate(e: Expr) -> Expr {
    not(e)
}

/// Whether a scalar is not 0.
#[must_use]
pub fn is_true(e: Expr) -> Expr {
    match (&e.ty, &e.kind) {
        (Type::Bool, _) => e,
        // `(int) (a < b)` is what `a < b` is.
        (_, ExprKind::IfThenElse(c, a, b)) => match (known(a), known(b)) {
            (Some(one), Some(zero)) if one != BigInt::ZERO && zero == BigInt::ZERO => (**c).clone(),
            (Some(zero), Some(one)) if one != BigInt::ZERO && zero == BigInt::ZERO => {
                not((**c).clone())
            }
            _ => convert(e, &Type::Bool),
        },
        _ => convert(e, &Type::Bool),
    }
}

/// `a / b` and `a % b` of C, which go towards 0. What is divided by 0 goes wrong.
#[must_use]
pub fn divide(a: Expr, b: Expr, remainder: bool, span: Span) -> Expr {
    let ty = a.ty.clone();
    let op = if remainder { BinaryOp::Mod } else { BinaryOp::Div };
    let signed = matches!(ty, Type::Machine { signed: true, .. });
    if !signed {
        return binary(op, a, b, span);
    }
    if let (Some(x), Some(y)) = (known(&a), known(&b))
        && y != BigInt::ZERO
    {
        return int(if remainder { x % y } else { x / y }, &ty);
    }
    // The quotient and the remainder of the core have a remainder that is never negative: for a dividend that is not negative they are those
    // of C; otherwise the signs are changed, in integers without bounds.
    let wide = |e: Expr| expr(ExprKind::Unary(UnaryOp::Convert, Box::new(e)), Type::Int, span);
    let minus = |e: Expr| expr(ExprKind::Unary(UnaryOp::Neg, Box::new(e)), Type::Int, span);
    let (x, y) = (wide(a), wide(b));
    let zero = constant(Value::Small(0), &Type::Int);
    let apply =
        |x: Expr, y: Expr| expr(ExprKind::Binary(op, Box::new(x), Box::new(y)), Type::Int, span);
    let negative =
        expr(ExprKind::Binary(BinaryOp::Lt, Box::new(x.clone()), Box::new(zero)), Type::Bool, span);
    let below = minus(apply(minus(x.clone()), y.clone()));
    let value = if_then_else(negative, below, apply(x, y));
    expr(ExprKind::Unary(UnaryOp::Convert, Box::new(value)), ty, span)
}
