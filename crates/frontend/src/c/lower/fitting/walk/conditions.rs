//! What a test says: the intervals and facts that are left where a condition holds, and where it does not.

use super::values::bits;
use super::{Walk, join};
use crate::c::lower::fitting::facts::Fact;
use crate::c::lower::fitting::range::{Range, is_inside, mirrored, operate, opposite, refined};
use crate::c::lower::foreseen::bounds;
use crate::c::lower::visit::each_expr;
use crate::c::typed::*;

impl<'u> Walk<'_, '_, 'u> {
    /// Goes on where a condition turned out so.
    pub(super) fn assume(&mut self, cond: &'u Expr, outcome: bool) {
        // What a test changes on its way is not what was tested.
        if self.here.is_none() || assigns(cond) {
            return;
        }
        match &cond.kind {
            ExprKind::Int(value) if (*value != 0) != outcome => self.here = None,
            ExprKind::Not(inner) => return self.assume(inner, !outcome),
            ExprKind::Convert(inner) if is_kept(inner, cond) => {
                return self.assume(inner, outcome);
            }
            ExprKind::And(a, b) if outcome => {
                self.assume(a, true);
                return self.assume(b, true);
            }
            ExprKind::Or(a, b) if !outcome => {
                self.assume(a, false);
                return self.assume(b, false);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let before = self.here.clone();
                self.assume(a, outcome);
                let first = std::mem::replace(&mut self.here, before);
                self.assume(a, !outcome);
                self.assume(b, outcome);
                self.here = join(first, self.here.take());
            }
            ExprKind::Compare(op, a, b) if bounds(&a.ty).is_some() => {
                let op = if outcome { *op } else { opposite(*op) };
                let (left, right) = (self.pure(a), self.pure(b));
                self.narrow(a, op, right);
                self.narrow(b, mirrored(op), left);
            }
            ExprKind::Load(_) if bounds(&cond.ty).is_some() => {
                let op = if outcome { Compare::Ne } else { Compare::Eq };
                self.narrow(cond, op, (0, 0));
            }
            _ => {}
        }
        let fact = Fact::of(cond, outcome, &|local| self.is_own(local));
        if let (Some(env), Some(fact)) = (&mut self.here, fact) {
            env.facts.insert(fact);
        }
    }

    /// Leaves the values of a variable that compare so.
    fn narrow(&mut self, expr: &'u Expr, op: Compare, with: Range) {
        match &expr.kind {
            ExprKind::Convert(inner) if is_kept(inner, expr) => self.narrow(inner, op, with),
            ExprKind::Load(lvalue) => {
                let LvalueKind::Local(local) = lvalue.kind else { return };
                if !self.is_own(local) {
                    return;
                }
                match refined(self.own(local), op, with) {
                    Some(range) => {
                        if let Some(env) = &mut self.here {
                            env.ranges.insert(local, range);
                        }
                    }
                    None => self.here = None,
                }
            }
            _ => {}
        }
    }

    /// The value of an expression that was just computed, from what only this function sees.
    pub(super) fn pure(&self, expr: &Expr) -> Range {
        let all = bounds(&expr.ty).unwrap_or((i128::MIN / 4, i128::MAX / 4));
        let known = match &expr.kind {
            ExprKind::Int(value) => Some((*value, *value)),
            ExprKind::Load(lvalue) => match lvalue.kind {
                LvalueKind::Local(local) if self.is_own(local) => Some(self.own(local)),
                _ => None,
            },
            ExprKind::Convert(inner) if bounds(&inner.ty).is_some() => Some(self.pure(inner)),
            ExprKind::Arithmetic(op, a, b) => {
                let bits = bits(&expr.ty);
                Some(operate(*op, self.pure(a), self.pure(b), bits, all).0)
            }
            _ => None,
        };
        known.filter(|&known| is_inside(known, all)).unwrap_or(all)
    }
}

/// Whether a conversion keeps every value, or whether it is 0.
fn is_kept(inner: &Expr, outer: &Expr) -> bool {
    match (bounds(&inner.ty), bounds(&outer.ty)) {
        (Some(from), Some(to)) => is_inside(from, to),
        _ => false,
    }
}

/// Whether an expression changes variables.
pub(super) fn assigns(expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, &mut |expr| {
        found |= matches!(
            expr.kind,
            ExprKind::Assign(..) | ExprKind::AssignWith { .. } | ExprKind::Statement(..)
        );
    });
    found
}
