//! Which names of threads a program looks at, and how: see [`selvedge_core::machine::Names`].

use selvedge_core::machine::Names;

use crate::visit::{StepParts, any_part};
use crate::{AtomicOp, BinaryOp, Cond, Expr, ExprKind, Program, Span, StmtKind, Type, Value, walk};

/// Looks at a program that may start threads, and whose locks may remember their owners.
pub(super) fn names(program: &Program, starts: bool, tracks_owners: bool) -> Names {
    let has = |test: &dyn Fn(&StmtKind) -> bool| {
        program.procs.iter().any(|proc| walk::any(&proc.body, &|s| test(&s.kind)))
    };
    let compared = |e: &Expr| any_part(e, &compares);
    Names {
        joins: has(&|kind| matches!(kind, StmtKind::Join(_))),
        compares: has(&|kind| compares_in(kind))
            || program.predicates.iter().any(|p| compared(&p.expr)),
        owners: starts && tracks_owners,
    }
}

/// The first statement that compares two names with each other.
pub(crate) fn compared_at(program: &Program) -> Option<Span> {
    let mut first = None;
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            if compares_in(&s.kind) {
                first.get_or_insert(s.span);
            }
        });
    }
    first
}

fn is_none(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Const(Value::Small(0)))
}

/// Whether an expression compares two names.
fn compares(e: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) = &e.kind else { return false };
    a.ty == Type::ThreadId && !is_none(a) && !is_none(b)
}

fn compares_in(kind: &StmtKind) -> bool {
    let parts = StepParts::of(kind);
    let indices = parts.written.iter().flat_map(|place| &place.indices);
    let op = match kind {
        StmtKind::Attempt { op, .. }
        | StmtKind::If { cond: Cond::Attempt { op, .. }, .. }
        | StmtKind::While { cond: Cond::Attempt { op, .. }, .. } => Some(op),
        _ => None,
    };
    let swaps = matches!(op, Some(AtomicOp::CompareAndSwap { place, expected, .. })
        if place.ty == Type::ThreadId && !is_none(expected));
    swaps || indices.chain(parts.exprs.iter().copied()).any(|e| any_part(e, &compares))
}
