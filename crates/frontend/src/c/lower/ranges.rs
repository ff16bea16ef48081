//! # Values from outside that are in a range
//!
//! **Question.** `int i = __VERIFIER_nondet_int(); assume(0 <= i && i < 10);` lets ten values pass. Which ones?
//!
//! **Claim.** Let the value be given to a local variable whose address is never taken, or to any variable where `main` has called nobody yet who could start a thread, and let assumptions about variables follow at once. A run with a value outside of the range
//! ends there, and until then nobody has seen the value: what others do meanwhile they do with any value. So the runs with values in the range are enough.
//!
//! **Tests that leave.** `if (i < 0 || i >= 10) return 0;` keeps the same values for what follows, but a run with another value goes on elsewhere, without looking at the value again. All that matters of it is
//! which of the tests holds, and which of the assumptions on its way, and these compare it with constants: so the values at all of these constants, and beside them, are enough of those that
//! leave. Where an assumption looks at the value in another way, no test leaves.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::choices::constant;
use super::foreseen::{Start, bounds, ids, is_mentioned, never_returns, opened, root, variable};
use super::points::Target;
use super::visit::{each_block, each_call, each_expr, each_part, each_statement, flattened};
use crate::c::typed::*;

/// Which values of a call matter.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// The least one that is not refused at once.
    pub(super) least: i128,
    /// The greatest one.
    pub(super) greatest: i128,
    /// Values of whom one is enough for all that leave by the same test.
    pub(super) leaving: BTreeSet<i128>,
}

/// The values of calls whose values are assumed to be in a range, or tested for that, before anybody sees them.
pub(super) fn ranges(
    unit: &Unit,
    addressed: &BTreeSet<(FunctionId, LocalId)>,
) -> BTreeMap<Span, Range> {
    let mut found = BTreeMap::new();
    for (at, function) in ids(unit) {
        let start = Start::of(unit, at, true);
        let body = function.body.as_deref().unwrap_or_default();
        let is_first = function.name == "main" && !is_mentioned(unit, at);
        let alone = if is_first { alone(unit, at, &start, body) } else { 0 };
        let mut see = |block: &[Stmt], alone: usize| {
            for (number, statement) in block.iter().enumerate() {
                let Some((var, ty)) = opened(unit, at, statement) else { continue };
                let Some(whole) = bounds(ty) else { continue };
                let mut range = whole;
                let mut leaving = BTreeSet::new();
                // What assumptions compare it with; nothing if one of them looks at it in another way.
                let mut refusing = Some(BTreeSet::new());
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
                    let left = match (&next.kind, var) {
                        (StmtKind::If(cond, then, otherwise), Target::Local(..))
                            if otherwise.is_empty()
                                && start.is_harmless(cond)
                                && leaves(unit, at, var, then) =>
                        {
                            borders(at, var, cond)
                        }
                        _ => None,
                    };
                    if let (Some(borders), StmtKind::If(cond, ..), true) =
                        (left, &next.kind, refusing.is_some())
                    {
                        narrow(at, var, cond, false, &mut range);
                        leaving.extend(borders);
                        continue;
                    }
                    match assumed.filter(|cond| start.is_harmless(cond)) {
                        Some(cond) => {
                            let (known, more) = (refusing.take(), borders(at, var, cond));
                            if more.is_none() && !leaving.is_empty() {
                                break;
                            }
                            refusing = known.zip(more).map(|(known, more)| &known | &more);
                            narrow(at, var, cond, true, &mut range);
                        }
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
                    let beside = |border: &i128| [border - 1, *border, border + 1];
                    // Of those that an assumption refuses between two tests, others stand beside it.
                    let refusing = refusing.filter(|_| !leaving.is_empty()).unwrap_or_default();
                    let leaving = leaving.iter().chain(&refusing).flat_map(beside);
                    let leaving = leaving.filter(|v| (whole.0..=whole.1).contains(v)).collect();
                    let (least, greatest) = range;
                    found.insert(call.span, Range { least, greatest, leaving });
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

/// Takes what a condition says of a variable, if it holds or does not, into its range.
fn narrow(at: FunctionId, var: Target, cond: &Expr, holds: bool, range: &mut (i128, i128)) {
    match &cond.kind {
        ExprKind::And(a, b) if holds => {
            narrow(at, var, a, holds, range);
            narrow(at, var, b, holds, range);
        }
        ExprKind::Or(a, b) if !holds => {
            narrow(at, var, a, holds, range);
            narrow(at, var, b, holds, range);
        }
        ExprKind::Not(inner) => narrow(at, var, inner, !holds, range),
        ExprKind::Compare(..) => {
            let Some((op, value)) = compared(at, var, cond) else { return };
            match if holds { op } else { opposite(op) } {
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

/// How a condition compares a variable with a constant, if it does that.
fn compared(at: FunctionId, var: Target, cond: &Expr) -> Option<(Compare, i128)> {
    let ExprKind::Compare(op, a, b) = &cond.kind else { return None };
    match (constant(a), constant(b)) {
        (None, Some(value)) if reads(at, var, a) => Some((*op, value)),
        (Some(value), None) if reads(at, var, b) => Some((turned(*op), value)),
        _ => None,
    }
}

/// The constants that a condition compares a variable with; nothing if it looks at the variable in another way.
fn borders(at: FunctionId, var: Target, cond: &Expr) -> Option<BTreeSet<i128>> {
    match &cond.kind {
        ExprKind::And(a, b) | ExprKind::Or(a, b) => {
            let (mut all, more) = (borders(at, var, a)?, borders(at, var, b)?);
            all.extend(more);
            Some(all)
        }
        ExprKind::Not(inner) => borders(at, var, inner),
        _ => match compared(at, var, cond) {
            Some((_, value)) => Some(BTreeSet::from([value])),
            None => (!mentions(at, var, cond)).then(BTreeSet::new),
        },
    }
}

/// Whether statements leave the function or end the program, without a look at a variable.
fn leaves(unit: &Unit, at: FunctionId, var: Target, block: &[Stmt]) -> bool {
    let all = flattened(block);
    let goes = |statement: &Stmt| match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::Expr(Expr { kind: ExprKind::Call(callee, _), .. }) => never_returns(unit, callee),
        _ => false,
    };
    let is_plain = |statement: &Stmt| match &statement.kind {
        StmtKind::Return(_) | StmtKind::Expr(_) => {
            let mut looks = false;
            each_part(statement, false, &mut |expr, _| looks |= mentions(at, var, expr));
            !looks
        }
        _ => false,
    };
    all.last().is_some_and(|last| goes(last)) && all.iter().all(|statement| is_plain(statement))
}

/// Whether an expression names a variable.
fn mentions(at: FunctionId, var: Target, expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, &mut |inner| {
        let place = match &inner.kind {
            ExprKind::Load(place) | ExprKind::Address(place) | ExprKind::Assign(place, _) => place,
            ExprKind::AssignWith { place, .. } => place,
            _ => return,
        };
        found |= root(at, place) == Some(var);
    });
    found
}

/// The comparison that holds where another one does not.
fn opposite(op: Compare) -> Compare {
    match op {
        Compare::Lt => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
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
