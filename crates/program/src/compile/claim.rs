//! # Statements about threads
//! A predicate of a program, or an argument of a thread, over slots and places: what is left of it when names
//! and types are gone.

use selvedge_core::{Binary, Loc, Site, Unary};

use super::operate::{self, Node};
use super::{Compiler, site};
use crate::{Expr, ExprKind, LabelId, ProcId, Quantifier, Type, Value, VarRef};

/// A statement, or a number that occurs in one.
#[derive(Clone, Debug)]
pub enum Claim {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(Value),
    /// A shared slot.
    Shared(usize),
    /// A slot of a thread.
    Local(Who, usize),
    /// Whether a thread stands at one of these.
    At(Who, Vec<Loc>),
    /// The number of the instance, in the arguments of a thread.
    Instance,
    /// Any value of its type, in the arguments of a thread.
    Any,
    /// An operation with one operand.
    Unary(Unary, Box<Claim>),
    /// An operation with two operands.
    Binary(Binary, Box<Claim>, Box<Claim>),
    /// The second if the first holds, otherwise the third.
    If(Box<[Claim; 3]>),
    /// Over all threads that run the procedure.
    Quantified {
        /// All, some, or how many.
        quantifier: Quantifier,
        /// Whether the thread itself is left out.
        others_only: bool,
        /// The claim about each thread.
        body: Box<Claim>,
    },
}

/// The thread that a part of a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// The one whose procedure it is.
    Own,
    /// One that is bound, counted from the innermost binder.
    Bound(u32),
}

impl Compiler<'_> {
    /// An expression of a declaration, seen from a procedure; `None` where it has no meaning.
    #[must_use]
    pub fn claim(&self, proc: ProcId, expr: &Expr) -> Option<Claim> {
        let inner = |e: &Expr| self.claim(proc, e);
        let boxed = |e: &Expr| inner(e).map(Box::new);
        match &expr.kind {
            ExprKind::Any => Some(Claim::Any),
            ExprKind::Const(Value::Open) => None,
            ExprKind::Const(value) if expr.ty == Type::Bool => Some(Claim::Bool(value.is_true())),
            ExprKind::Const(value) => Some(Claim::Int(value.clone())),
            ExprKind::Read(place) => {
                let mut slot = match place.var {
                    VarRef::Global(id) => self.globals[id.index()],
                    VarRef::Local(id) => self.locals[proc.index()][id.index()],
                };
                let sizes = super::dimensions(&self.program.variable(proc, place.var).ty);
                for (index, (length, stride)) in place.indices.iter().zip(sizes) {
                    // Only elements that are named by a constant.
                    let Claim::Int(index) = inner(index)? else { return None };
                    let index = index.small().and_then(|n| usize::try_from(n).ok());
                    slot += index.filter(|&n| n < length as usize)? * stride;
                }
                Some(match place.var {
                    VarRef::Global(_) => Claim::Shared(slot),
                    VarRef::Local(_) => Claim::Local(Who::Own, slot),
                })
            }
            ExprKind::Unary(op, a) => Some(operate::unary(*op, &expr.ty, inner(a)?, &a.ty)),
            ExprKind::Binary(op, a, b) => {
                Some(operate::binary(*op, &expr.ty, inner(a)?, inner(b)?, site(expr.span)))
            }
            ExprKind::IfThenElse(c, a, b) => Some(Claim::choice(inner(c)?, inner(a)?, inner(b)?)),
            ExprKind::Instance => Some(Claim::Instance),
            ExprKind::LocalOf { depth, local } => {
                Some(Claim::Local(Who::Bound(*depth), self.locals[proc.index()][local.index()]))
            }
            ExprKind::At { depth, label } => {
                let who = depth.map_or(Who::Own, Who::Bound);
                Some(Claim::At(who, self.labelled(proc, *label)))
            }
            ExprKind::Quantified { quantifier, others_only, body, .. } => Some(Claim::Quantified {
                quantifier: *quantifier,
                others_only: *others_only,
                body: boxed(body)?,
            }),
            ExprKind::Primed(_)
            | ExprKind::Fair
            | ExprKind::OneOf(_)
            | ExprKind::Between(..)
            | ExprKind::Schoose(..) => None,
        }
    }

    /// The places of a procedure with a label.
    fn labelled(&self, proc: ProcId, label: LabelId) -> Vec<Loc> {
        let all = (0..).map(Loc).zip(&self.flow.locations);
        let meant = all.filter(|(_, at)| at.proc == proc && at.labels.contains(&label));
        meant.map(|(loc, _)| loc).collect()
    }
}

impl Node for Claim {
    fn truth(value: bool) -> Self {
        Claim::Bool(value)
    }

    fn int(value: i64) -> Self {
        Claim::Int(value.into())
    }

    fn may_be_repeated(&self) -> bool {
        false
    }

    fn unary(op: Unary, a: Self) -> Self {
        Claim::Unary(op, Box::new(a))
    }

    fn binary(op: Binary, a: Self, b: Self, _: Site) -> Self {
        Claim::Binary(op, Box::new(a), Box::new(b))
    }

    fn choice(cond: Self, then: Self, otherwise: Self) -> Self {
        Claim::If(Box::new([cond, then, otherwise]))
    }
}
