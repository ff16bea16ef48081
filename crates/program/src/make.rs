//! Pieces of programs, for transforms that make new statements and expressions.

use num_bigint::BigInt;

use crate::{
    BinaryOp, Block, Cond, Expr, ExprKind, Place, Span, Stmt, StmtKind, Type, UnaryOp, Value,
    VarRef,
};

/// An expression.
#[must_use]
pub fn expr(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

/// A truth value.
#[must_use]
pub fn truth(value: bool) -> Expr {
    expr(ExprKind::Const(value.into()), Type::Bool, Span::default())
}

/// A number without a type of its own.
#[must_use]
pub fn number(n: impl Into<BigInt>) -> Expr {
    expr(ExprKind::Const(Value::from_big(n.into())), Type::Int, Span::default())
}

/// A constant of a type.
#[must_use]
pub fn constant(value: Value, ty: &Type) -> Expr {
    expr(ExprKind::Const(value), ty.clone(), Span::default())
}

/// A free choice among the values of a type.
#[must_use]
pub fn any(ty: &Type) -> Expr {
    expr(ExprKind::Any, ty.clone(), Span::default())
}

/// Some value of a type, always the same.
#[must_use]
pub fn some_value(ty: &Type) -> Expr {
    let value = match ty {
        Type::Range { lo, .. } => Value::from_big(lo.clone()),
        _ => Value::Small(0),
    };
    constant(value, ty)
}

/// The type of integers from one to another.
#[must_use]
pub fn range(lo: impl Into<BigInt>, hi: impl Into<BigInt>) -> Type {
    Type::Range { lo: lo.into(), hi: hi.into() }
}

/// A scalar variable as a place.
#[must_use]
pub fn variable(var: VarRef, ty: &Type) -> Place {
    Place { var, indices: Vec::new(), ty: ty.clone(), span: Span::default() }
}

/// The value at a place.
#[must_use]
pub fn read(place: Place) -> Expr {
    let (ty, span) = (place.ty.clone(), place.span);
    expr(ExprKind::Read(place), ty, span)
}

/// The negation; what is negated already loses its negation.
#[must_use]
pub fn not(e: Expr) -> Expr {
    let span = e.span;
    let kind = match e.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => return *inner,
        ExprKind::Const(value) if value != Value::Open => {
            ExprKind::Const((!value.is_true()).into())
        }
        ExprKind::Binary(op, a, b) if opposite(op).is_some() => {
            ExprKind::Binary(opposite(op).unwrap_or(op), a, b)
        }
        kind => ExprKind::Unary(UnaryOp::Not, Box::new(expr(kind, e.ty, span))),
    };
    expr(kind, Type::Bool, span)
}

/// The comparison that holds where another one does not.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        _ => return None,
    })
}

/// An operation with a truth value as its result, or a sum and its kin.
#[must_use]
pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    let ty = match op.operands_of_its_type() {
        0 => Type::Bool,
        _ if a.ty.is_machine() => a.ty.clone(),
        _ => Type::Int,
    };
    let span = a.span;
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
}

/// Whether two values are equal.
#[must_use]
pub fn equal(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Eq, a, b)
}

/// `c ? a : b`, of the type of `a`.
#[must_use]
pub fn if_then_else(c: Expr, a: Expr, b: Expr) -> Expr {
    let (ty, span) = (a.ty.clone(), c.span);
    expr(ExprKind::IfThenElse(Box::new(c), Box::new(a), Box::new(b)), ty, span)
}

/// A statement without labels.
#[must_use]
pub fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { labels: Vec::new(), kind, span }
}

/// A parallel assignment.
#[must_use]
pub fn assign(pairs: Vec<(Place, Expr)>, span: Span) -> Stmt {
    let (targets, values) = pairs.into_iter().unzip();
    stmt(StmtKind::Assign { targets, values, constrain: None }, span)
}

/// One block if the condition holds, otherwise the other.
#[must_use]
pub fn branch(cond: Expr, then: Block, otherwise: Block, span: Span) -> Stmt {
    stmt(StmtKind::If { cond: Cond::Expr(cond), then, otherwise }, span)
}

/// A loop without an end.
#[must_use]
pub fn forever(body: Block, span: Span) -> Stmt {
    stmt(StmtKind::While { cond: Cond::Expr(truth(true)), body }, span)
}
