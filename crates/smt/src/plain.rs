//! # Expressions of declarations
//! Predicates and the arguments of threads as terms, over threads whose places are known. `forall`,
//! `exists` and `#{…}` are written out over the threads of a view: a statement about all threads
//! holds if it holds of every view.

use num_bigint::BigInt;
use selvedge_program::flow::Loc;
use selvedge_program::{Expr, ExprKind, LabelId, ProcId, Quantifier, Type, UnaryOp, Value, VarRef};

use crate::layout::{Layout, Place};
use crate::symbolic::{constant, operation};
use crate::term::{Arith, Term, Var};

/// What an expression is about.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The program.
    pub layout: &'a Layout<'a>,
    /// The threads of the view, by position.
    pub threads: &'a [Place],
    /// The position of the thread itself, if it has one.
    pub own: Option<usize>,
    /// The procedure whose locals are meant.
    pub proc: ProcId,
    /// The number of the instance, in the arguments of a thread.
    pub instance: Option<Var>,
}

impl About<'_> {
    /// The expression as a term; `None` where it has no meaning, as for a local of a thread that runs
    /// another procedure.
    #[must_use]
    pub fn term(&self, expr: &Expr) -> Option<Term> {
        self.inner(expr, &mut Vec::new())
    }

    fn inner(&self, expr: &Expr, bound: &mut Vec<usize>) -> Option<Term> {
        match &expr.kind {
            ExprKind::Const(Value::Open) => None,
            ExprKind::Const(value) => Some(constant(value, &expr.ty)),
            ExprKind::Read(place) => {
                let (first, ty) = self.layout.first_slot(self.proc, place.var);
                let (mut slot, mut ty) = (first, ty.clone());
                for index in &place.indices {
                    let Type::Array { element, length } = ty else { return None };
                    // Only elements that are named by a constant.
                    let Term::Int(index) = self.inner(index, bound)? else { return None };
                    let index = usize::try_from(&index).ok().filter(|&n| n < length as usize)?;
                    slot += index * element.slots();
                    ty = *element;
                }
                match place.var {
                    VarRef::Global(_) => Some(Term::Var(Var::Global(slot))),
                    VarRef::Local(_) => self.local(self.own?, slot),
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => Some(self.inner(a, bound)?.negated()),
            ExprKind::Unary(UnaryOp::Neg, a) => {
                Some(Term::arith(Arith::Sub, Term::int(0), self.inner(a, bound)?))
            }
            ExprKind::Binary(op, a, b) => {
                Some(operation(*op, self.inner(a, bound)?, self.inner(b, bound)?))
            }
            ExprKind::IfThenElse(c, a, b) => {
                Some(Term::ite(self.inner(c, bound)?, self.inner(a, bound)?, self.inner(b, bound)?))
            }
            ExprKind::Instance => self.instance.map(Term::Var),
            ExprKind::LocalOf { depth, local } => {
                let (slot, _) = self.layout.first_slot(self.proc, VarRef::Local(*local));
                self.local(nth(bound, *depth)?, slot)
            }
            ExprKind::At { depth, label } => {
                let position = match depth {
                    Some(depth) => nth(bound, *depth)?,
                    None => self.own?,
                };
                Some(Term::Bool(self.is_at(self.threads[position].loc, *label)))
            }
            ExprKind::Quantified { quantifier, others_only, body, .. } => {
                let mut said = Vec::new();
                for (position, place) in self.threads.iter().enumerate() {
                    let runs_it = self.layout.classes[place.class].proc == self.proc;
                    if !runs_it || (*others_only && self.own == Some(position)) {
                        continue;
                    }
                    bound.push(position);
                    let said_of_it = self.inner(body, bound);
                    bound.pop();
                    said.push(said_of_it?);
                }
                Some(match quantifier {
                    Quantifier::Forall => Term::all(said),
                    Quantifier::Exists => Term::any(said),
                    Quantifier::Count => said.into_iter().fold(Term::int(0), |sum, one| {
                        let one = Term::ite(one, Term::int(1), Term::int(0));
                        Term::arith(Arith::Add, sum, one)
                    }),
                })
            }
            ExprKind::Primed(_)
            | ExprKind::Any
            | ExprKind::Fair
            | ExprKind::OneOf(_)
            | ExprKind::Between(..)
            | ExprKind::Schoose(..) => None,
        }
    }

    fn local(&self, position: usize, slot: usize) -> Option<Term> {
        let class = &self.layout.classes[self.threads[position].class];
        (class.proc == self.proc).then_some(Term::Var(Var::Local(position, slot)))
    }

    fn is_at(&self, loc: Option<Loc>, label: LabelId) -> bool {
        let location = loc.map(|loc| self.layout.flow.location(loc));
        location.is_some_and(|l| l.proc == self.proc && l.labels.contains(&label))
    }
}

fn nth(bound: &[usize], depth: u32) -> Option<usize> {
    bound.len().checked_sub(depth as usize + 1).map(|at| bound[at])
}

/// The number of an instance: at least 0, and below the number of threads where that is known.
#[must_use]
pub fn in_instances(instance: Var, count: Option<u32>) -> Term {
    let lo = Term::le(Term::int(0), Term::Var(instance));
    let hi = count.map(|n| Term::lt(Term::Var(instance), Term::Int(BigInt::from(n))));
    Term::all([Some(lo), hi].into_iter().flatten())
}
