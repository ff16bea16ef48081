//! # Walks over statements and expressions
//! Whoever looks for something in a function looks everywhere: into inner blocks, operands, lvalues, and statements inside of expressions. These
//! walks say where everything is, once for all who look.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::typed::*;

/// Tells the blocks directly inside of a statement.
pub(super) fn each_block<'u>(stmt: &'u Stmt, see: &mut dyn FnMut(&'u [Stmt])) {
    match &stmt.kind {
        StmtKind::Block(block)
        | StmtKind::While(_, block)
        | StmtKind::DoWhile(block, _)
        | StmtKind::Switch(_, block)
        | StmtKind::For { body: block, .. } => see(block),
        StmtKind::If(_, a, b) => {
            see(a);
            see(b);
        }
        _ => {}
    }
}

/// Tells every statement of a block, those of inner blocks as well, but none inside of expressions.
pub(super) fn each_statement<'u>(block: &'u [Stmt], see: &mut dyn FnMut(&'u Stmt)) {
    for stmt in block {
        see(stmt);
        each_block(stmt, &mut |inner| each_statement(inner, see));
    }
}

/// Tells the variables that statements declare, with their first values, those in inner blocks as well.
pub(super) fn each_declared<'u>(
    block: &'u [Stmt],
    see: &mut dyn FnMut(LocalId, Option<&'u [Part]>),
) {
    each_statement(block, &mut |stmt| {
        if let StmtKind::Declare(local, parts) = &stmt.kind {
            see(*local, parts.as_deref());
        }
    });
}

/// Whether a function may jump to a label that stands before the jump.
pub(super) fn jumps_back(body: &[Stmt]) -> bool {
    let (mut before, mut found) = (Vec::new(), false);
    each_statement(body, &mut |stmt| match &stmt.kind {
        StmtKind::Label(label) => before.push(*label),
        StmtKind::Goto(label) => found |= before.contains(label),
        _ => {}
    });
    for stmt in body {
        each_part(stmt, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                if let ExprKind::Statement(block, _) = &expr.kind {
                    // Where these stand among the others is not looked at.
                    each_statement(block, &mut |stmt| {
                        found |= matches!(stmt.kind, StmtKind::Label(_) | StmtKind::Goto(_));
                    });
                }
            });
        });
    }
    found
}

/// The statements of a body, without the blocks around them.
pub(super) fn flattened(block: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    for statement in block {
        match &statement.kind {
            StmtKind::Block(inner) => all.extend(flattened(inner)),
            _ => all.push(statement),
        }
    }
    all
}

/// Tells the expressions of a statement, and whether they may be evaluated more than once.
pub(super) fn each_part<'u>(stmt: &'u Stmt, repeats: bool, see: &mut dyn FnMut(&'u Expr, bool)) {
    let again =
        matches!(stmt.kind, StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For { .. });
    let repeats = repeats || again;
    each_block(stmt, &mut |block| block.iter().for_each(|stmt| each_part(stmt, repeats, see)));
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => see(e, repeats),
        StmtKind::Declare(_, parts) => {
            parts.iter().flatten().for_each(|part| see(&part.value, repeats));
        }
        StmtKind::If(cond, ..)
        | StmtKind::Switch(cond, _)
        | StmtKind::While(cond, _)
        | StmtKind::DoWhile(_, cond) => see(cond, repeats),
        StmtKind::For { cond, step, .. } => cond.iter().chain(step).for_each(|e| see(e, repeats)),
        _ => {}
    }
}

/// Tells an expression and all inside of it.
pub(super) fn each_expr<'u>(expr: &'u Expr, see: &mut dyn FnMut(&'u Expr)) {
    each_inner(expr, false, &mut |expr, _| see(expr));
}

/// Tells every call in an expression, inner ones as well, and whether it may happen more than once.
pub(super) fn each_call<'u>(
    expr: &'u Expr,
    repeats: bool,
    see: &mut dyn FnMut(&'u Callee, &'u [Expr], bool),
) {
    each_inner(expr, repeats, &mut |expr, repeats| {
        if let ExprKind::Call(callee, args) = &expr.kind {
            see(callee, args, repeats);
        }
    });
}

/// Tells an expression and all inside of it, and whether they may be evaluated more than once.
pub(super) fn each_inner<'u>(expr: &'u Expr, repeats: bool, see: &mut dyn FnMut(&'u Expr, bool)) {
    see(expr, repeats);
    let mut inner = |e: &'u Expr| each_inner(e, repeats, see);
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Floating(_)
        | ExprKind::Function(_)
        | ExprKind::Unsupported(_) => {}
        ExprKind::Load(place) | ExprKind::Address(place) => each_operand(place, &mut inner),
        ExprKind::Unary(_, e) | ExprKind::Not(e) | ExprKind::Convert(e) => inner(e),
        ExprKind::Arithmetic(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::Offset(a, b)
        | ExprKind::Difference(a, b, _)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::Elvis(a, b)
        | ExprKind::Comma(a, b) => {
            inner(a);
            inner(b);
        }
        ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| inner(e)),
        ExprKind::Assign(place, value) | ExprKind::AssignWith { place, value, .. } => {
            each_operand(place, &mut inner);
            inner(value);
        }
        ExprKind::Call(callee, args) => {
            args.iter().for_each(&mut inner);
            if let Callee::Pointer(pointer) = callee {
                inner(pointer);
            }
        }
        ExprKind::Statement(block, value) => {
            for stmt in block {
                each_part(stmt, repeats, &mut |e, repeats| each_inner(e, repeats, see));
            }
            value.iter().for_each(|value| each_inner(value, repeats, see));
        }
    }
}

/// Tells the expressions that are evaluated to find an lvalue.
fn each_operand<'u>(lvalue: &'u Lvalue, see: &mut dyn FnMut(&'u Expr)) {
    match &lvalue.kind {
        LvalueKind::Local(_) | LvalueKind::Object(_) => {}
        LvalueKind::Deref(e) | LvalueKind::Temporary(e) => see(e),
        LvalueKind::Member(inner, ..) => each_operand(inner, see),
        LvalueKind::Element(inner, index) => {
            each_operand(inner, see);
            see(index);
        }
    }
}

/// All that a function may call, directly or by others.
pub(super) fn reached(
    calls: &BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    from: FunctionId,
) -> BTreeSet<FunctionId> {
    let mut seen = BTreeSet::new();
    let mut work = vec![from];
    while let Some(function) = work.pop() {
        for &next in calls.get(&function).into_iter().flatten() {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    seen
}
