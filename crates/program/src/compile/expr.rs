//! Expressions: places, choices and constants; what operators mean is in [`operate`].

use selvedge_core::{Area, Binary, Expr as Code, Place as Slot, Site, Unary};

use super::operate::{self, Node};
use super::{Compiler, dimensions, index, name, site};
use crate::{Expr, ExprKind, Place, ProcId, Type, Value, VarRef};

/// How variables are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Variables have their present values.
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
            ExprKind::Unary(op, a) => operate::unary(*op, &expr.ty, inner(a), &a.ty),
            ExprKind::Binary(op, a, b) => operate::binary(*op, &expr.ty, inner(a), inner(b), at),
            ExprKind::IfThenElse(c, a, b) => Code::choice(inner(c), inner(a), inner(b)),
            ExprKind::OneOf(options) => Code::OneOf(options.iter().map(inner).collect(), at),
            ExprKind::Between(low, high) => Code::Between(boxed(low), boxed(high), at),
            ExprKind::Schoose(positive, negative) => {
                let any = Code::Any(selvedge_core::Kind::Bool, at);
                let rest = Code::choice(inner(negative), Code::Bool(false), any);
                Code::choice(inner(positive), Code::Bool(true), rest)
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

/// Expressions of declarations have no value in a step; the front ends let none of them get here.
fn no_meaning() -> Code {
    Code::Any(selvedge_core::Kind::Bool, selvedge_core::Site(0))
}

pub(super) fn negated(code: Code) -> Code {
    Code::Unary(Unary::Not, Box::new(code))
}

impl Node for Code {
    fn truth(value: bool) -> Self {
        Code::Bool(value)
    }

    fn int(value: i64) -> Self {
        Code::Int(value.into())
    }

    fn may_be_repeated(&self) -> bool {
        size_without_choices(self).is_some_and(|size| size <= LARGEST_REPEATED)
    }

    fn unary(op: Unary, a: Self) -> Self {
        Code::Unary(op, Box::new(a))
    }

    fn binary(op: Binary, a: Self, b: Self, at: Site) -> Self {
        Code::Binary(op, Box::new(a), Box::new(b), at)
    }

    fn choice(cond: Self, then: Self, otherwise: Self) -> Self {
        Code::If(Box::new([cond, then, otherwise]))
    }
}

/// More than this is not written twice: repetitions inside of repetitions would have no end.
const LARGEST_REPEATED: usize = 16;

/// How many operations and operands there are, if none of them is a choice.
fn size_without_choices(code: &Code) -> Option<usize> {
    let all = |parts: &mut dyn Iterator<Item = &Code>| {
        parts.map(size_without_choices).try_fold(1_usize, |sum, part| Some(sum + part?))
    };
    match code {
        Code::Bool(_) | Code::Int(_) | Code::Temp(_) | Code::Me => Some(1),
        Code::Load(slot) | Code::Old(slot) => all(&mut slot.indices.iter().map(|i| &i.value)),
        Code::Unary(_, a) => all(&mut std::iter::once(&**a)),
        Code::Binary(_, a, b, _) => all(&mut [&**a, &**b].into_iter()),
        Code::If(parts) => all(&mut parts.iter()),
        Code::OneOf(..) | Code::Between(..) | Code::Any(..) | Code::Fair(_) => None,
    }
}
