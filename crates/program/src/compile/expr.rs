//! Expressions: `&&`, `||`, `==>` and `schoose` are choices between two values, comparisons are those of
//! numbers.

use selvedge_core::{Area, Binary, Expr as Code, Place as Slot, Unary};

use super::{Compiler, dimensions, index, name, site};
use crate::{BinaryOp, Expr, ExprKind, Place, ProcId, Type, UnaryOp, Value, VarRef};

/// How variables are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As they are.
    Now,
    /// In `constrain`: as they were before the assignment, unless primed.
    Before,
    /// In the arguments of a thread with this number.
    Instance(u32),
}

impl Compiler<'_> {
    /// The value of an expression of a procedure.
    pub(super) fn expr(&self, proc: ProcId, expr: &Expr, reading: Reading) -> Code {
        let inner = |e: &Expr| self.expr(proc, e, reading);
        let boxed = |e: &Expr| Box::new(inner(e));
        let at = site(expr.span);
        match &expr.kind {
            ExprKind::Const(Value::Open) | ExprKind::Any => Code::Any(self.kind(&expr.ty), at),
            ExprKind::Const(value) if expr.ty == Type::Bool => Code::Bool(value.is_true()),
            ExprKind::Const(value) => Code::Int(value.clone()),
            ExprKind::Fair => Code::Fair(at),
            ExprKind::Read(place) if reading == Reading::Before => {
                Code::Old(self.place(proc, place, reading))
            }
            ExprKind::Read(place) | ExprKind::Primed(place) => {
                Code::Load(self.place(proc, place, reading))
            }
            ExprKind::Unary(UnaryOp::Not, a) => negated(inner(a)),
            ExprKind::Unary(UnaryOp::Neg, a) => Code::Unary(Unary::Neg, boxed(a)),
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::And => choice(inner(a), inner(b), Code::Bool(false)),
                BinaryOp::Or => choice(inner(a), Code::Bool(true), inner(b)),
                BinaryOp::Implies => choice(inner(a), inner(b), Code::Bool(true)),
                BinaryOp::Ne => negated(Code::Binary(Binary::Eq, boxed(a), boxed(b), at)),
                _ => Code::Binary(operation(*op), boxed(a), boxed(b), at),
            },
            ExprKind::IfThenElse(c, a, b) => choice(inner(c), inner(a), inner(b)),
            ExprKind::OneOf(options) => Code::OneOf(options.iter().map(inner).collect(), at),
            ExprKind::Between(low, high) => Code::Between(boxed(low), boxed(high), at),
            ExprKind::Schoose(positive, negative) => {
                let any = Code::Any(selvedge_core::Kind::Bool, at);
                let rest = choice(inner(negative), Code::Bool(false), any);
                choice(inner(positive), Code::Bool(true), rest)
            }
            ExprKind::Instance => match reading {
                Reading::Instance(number) => Code::Int(i64::from(number).into()),
                _ => no_meaning(),
            },
            ExprKind::Quantified { .. } | ExprKind::LocalOf { .. } | ExprKind::At { .. } => {
                no_meaning()
            }
        }
    }

    /// The slot of a place of a procedure.
    pub(super) fn place(&self, proc: ProcId, place: &Place, reading: Reading) -> Slot {
        let variable = self.program.variable(proc, place.var);
        let (area, first) = match place.var {
            VarRef::Global(id) => (Area::Shared, self.globals[id.index()]),
            VarRef::Local(id) => (Area::Frame, self.locals[proc.index()][id.index()]),
        };
        let values = place.indices.iter().map(|value| self.expr(proc, value, reading));
        let indices = values.zip(dimensions(&variable.ty)).map(|(value, of)| index(value, of));
        Slot {
            area,
            first,
            indices: indices.collect(),
            kind: self.kind(&place.ty),
            name: name(&variable.name),
            site: site(place.span),
        }
    }
}

/// The operation on two values that an operator is; negated for [`BinaryOp::Ne`].
pub(crate) fn operation(op: BinaryOp) -> Binary {
    match op {
        BinaryOp::Lt => Binary::Lt,
        BinaryOp::Le => Binary::Le,
        BinaryOp::Gt => Binary::Gt,
        BinaryOp::Ge => Binary::Ge,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Sub,
        BinaryOp::Mul => Binary::Mul,
        BinaryOp::Div => Binary::Div,
        BinaryOp::Mod => Binary::Mod,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
            Binary::Eq
        }
    }
}

/// Expressions of declarations have no value in a step; the front ends let none of them get here.
fn no_meaning() -> Code {
    Code::Any(selvedge_core::Kind::Bool, selvedge_core::Site(0))
}

pub(super) fn negated(code: Code) -> Code {
    Code::Unary(Unary::Not, Box::new(code))
}

fn choice(cond: Code, then: Code, otherwise: Code) -> Code {
    Code::If(Box::new([cond, then, otherwise]))
}
