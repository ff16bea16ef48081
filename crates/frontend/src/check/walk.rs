//! Walking over the untyped tree.

use crate::syntax::{Expr, ExprKind, Stmt, StmtKind};

/// Calls `visit` for an expression and everything inside it, outside first.
pub(crate) fn expressions<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::NoThread
        | ExprKind::Any
        | ExprKind::Fair
        | ExprKind::LocalOf(..)
        | ExprKind::At(..) => {}
        ExprKind::Place(place) | ExprKind::Primed(place) => {
            place.all_indices().for_each(|e| expressions(e, visit));
        }
        ExprKind::Braces(list) | ExprKind::Call(_, list) => {
            list.iter().for_each(|e| expressions(e, visit));
        }
        ExprKind::Unary(_, a) | ExprKind::Convert(_, a) | ExprKind::Quantified { body: a, .. } => {
            expressions(a, visit);
        }
        ExprKind::Between(a, b) | ExprKind::Schoose(a, b) | ExprKind::Binary(_, a, b) => {
            expressions(a, visit);
            expressions(b, visit);
        }
        ExprKind::IfThenElse(a, b, c) => {
            expressions(a, visit);
            expressions(b, visit);
            expressions(c, visit);
        }
    }
}

/// The blocks directly inside a statement.
pub(crate) fn blocks(stmt: &Stmt) -> impl Iterator<Item = &[Stmt]> {
    let (two, many): ([&[Stmt]; 2], &[Vec<Stmt>]) = match &stmt.kind {
        StmtKind::Block(block) | StmtKind::Atomic(block) => ([block, &[]], &[]),
        StmtKind::While { body, .. } => ([body, &[]], &[]),
        StmtKind::If { then, otherwise, .. } => ([then, otherwise], &[]),
        StmtKind::Choose(branches) => ([&[], &[]], branches),
        _ => ([&[], &[]], &[]),
    };
    two.into_iter().chain(many.iter().map(Vec::as_slice))
}
