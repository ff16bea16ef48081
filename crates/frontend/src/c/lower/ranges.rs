//! # Values from outside that are in a range
//!
//! **Question.** `int i = __VERIFIER_nondet_int(); assume(0 <= i && i < 10);` lets ten values pass. Which ones?
//!
//! **Claim.** Let the value be given to a local variable whose address is never taken, or to any variable where `main` has called nobody yet who could start a thread, and let assumptions about variables follow at once. A run with a value outside of the range
//! ends there, and until then nobody has seen the value: what others do meanwhile they do with any value. So the runs with values in the range are enough.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::choices::constant;
use super::foreseen::{Start, bounds, ids, is_mentioned, opened, variable};
use super::points::Target;
use super::visit::{each_block, each_call, each_part, each_statement};
use crate::c::typed::*;

/// The least and the greatest value of calls whose values are assumed to be in a range before anybody sees them.
pub(super) fn ranges(
    unit: &Unit,
    addressed: &BTreeSet<(FunctionId, LocalId)>,
) -> BTreeMap<Span, (i128, i128)> {
    let mut found = BTreeMap::new();
    for (at, function) in ids(unit) {
        let start = Start::of(unit, at, true);
        let body = function.body.as_deref().unwrap_or_default();
        let is_first = function.name == "main" && !is_mentioned(unit, at);
        let alone = if is_first { alone(unit, at, &start, body) } else { 0 };
        let mut see = |block: &[Stmt], alone: usize| {
            for (number, statement) in block.iter().enumerate() {
                let Some((var, ty)) = opened(unit, at, statement) else { continue };
                let Some(mut range) = bounds(ty) else { continue };
                let is_unseen = match var {
                    Target::Local(_, local) => !addressed.contains(&(at, local)),
                    _ => number < alone,
                };
                if !is_unseen {
                    continue;
                }
                for next in &block[number + 1..] {
                    let assumed = match &next.kind {
                        StmtKind::Expr(expr) => start.assumption(expr),
                        _ => None,
                    };
                    match assumed.filter(|cond| start.is_harmless(cond)) {
                        Some(cond) => narrow(at, var, cond, &mut range),
                        None if matches!(next.kind, StmtKind::Declare(_, None)) => {}
                        None => match opened(unit, at, next) {
                            Some((other, _)) if other != var => {}
                            _ => break,
                        },
                    }
                }
                if let Some(call) = call_in(statement)
                    && call.ty == *ty
                    && range.0 <= range.1
                {
                    found.insert(call.span, range);
                }
            }
        };
        see(body, alone);
        each_statement(body, &mut |statement| each_block(statement, &mut |block| see(block, 0)));
    }
    found
}

/// How many statements `main` begins with that call nobody who could start a thread: until then nobody else runs.
fn alone(unit: &Unit, at: FunctionId, start: &Start<'_>, body: &[Stmt]) -> usize {
    let calls_nobody = |statement: &Stmt| {
        let assumes = match &statement.kind {
            StmtKind::Expr(expr) => {
                start.assumption(expr).is_some_and(|cond| start.is_harmless(cond))
            }
            _ => false,
        };
        let mut calls = false;
        each_part(statement, false, &mut |expr, _| {
            each_call(expr, false, &mut |_, _, _| calls = true);
        });
        assumes || opened(unit, at, statement).is_some() || !calls
    };
    body.iter().take_while(|statement| calls_nobody(statement)).count()
}

/// The call of a statement that gives a variable a value from outside.
fn call_in(statement: &Stmt) -> Option<&Expr> {
    let value = match &statement.kind {
        StmtKind::Declare(_, Some(parts)) => &parts.first()?.value,
        StmtKind::Expr(Expr { kind: ExprKind::Assign(_, value), .. }) => value,
        _ => return None,
    };
    matches!(value.kind, ExprKind::Call(..)).then_some(value)
}

/// Takes what a condition says of a variable into its range.
fn narrow(at: FunctionId, var: Target, cond: &Expr, range: &mut (i128, i128)) {
    match &cond.kind {
        ExprKind::And(a, b) => {
            narrow(at, var, a, range);
            narrow(at, var, b, range);
        }
        ExprKind::Compare(op, a, b) => {
            let (op, value) = match (constant(a), constant(b)) {
                (None, Some(value)) if reads(at, var, a) => (*op, value),
                (Some(value), None) if reads(at, var, b) => (turned(*op), value),
                _ => return,
            };
            match op {
                Compare::Lt => range.1 = range.1.min(value - 1),
                Compare::Le => range.1 = range.1.min(value),
                Compare::Gt => range.0 = range.0.max(value + 1),
                Compare::Ge => range.0 = range.0.max(value),
                Compare::Eq => *range = (range.0.max(value), range.1.min(value)),
                Compare::Ne => {}
            }
        }
        _ => {}
    }
}

/// A comparison with its sides exchanged.
fn turned(op: Compare) -> Compare {
    match op {
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
        same => same,
    }
}

/// Whether an expression is the value of a variable, in its type or in one that has all its values.
fn reads(at: FunctionId, var: Target, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load(place) => variable(at, place) == Some(var),
        ExprKind::Convert(inner) => {
            let keeps = bounds(&inner.ty).zip(bounds(&expr.ty));
            keeps.is_some_and(|((lo, hi), (from, to))| from <= lo && hi <= to)
                && reads(at, var, inner)
        }
        _ => false,
    }
}
