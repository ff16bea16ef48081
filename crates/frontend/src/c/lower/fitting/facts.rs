//! # What tests say of two variables
//! `assume(b <= 0 || a <= INT_MAX - b)` says nothing of `a` alone. A fact is a list of inequalities between sums of variables, one of which holds; a result fits if it does in every combination of them.

use std::collections::{BTreeMap, BTreeSet};

use super::range::{Range, opposite, refined};
use crate::c::lower::choices::constant;
use crate::c::lower::foreseen::bounds;
use crate::c::typed::*;

/// More combinations than this are not looked at.
const MOST: usize = 64;

/// A sum of variables with factors, and a constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Sum {
    terms: BTreeMap<LocalId, i128>,
    constant: i128,
}

impl Sum {
    /// The sum that an expression is, as mathematical integers, if all that it computes fits; `is_plain` says which variables nobody else changes.
    pub(super) fn of(expr: &Expr, is_plain: &dyn Fn(LocalId) -> bool) -> Option<Sum> {
        if let Some(value) = constant(expr) {
            return Some(Sum { constant: value, ..Sum::default() });
        }
        match &expr.kind {
            ExprKind::Load(lvalue) => match lvalue.kind {
                LvalueKind::Local(local) if is_plain(local) => {
                    Some(Sum { terms: BTreeMap::from([(local, 1)]), constant: 0 })
                }
                _ => None,
            },
            ExprKind::Convert(inner) => {
                let (from, to) = (bounds(&inner.ty)?, bounds(&expr.ty)?);
                (to.0 <= from.0 && from.1 <= to.1).then(|| Sum::of(inner, is_plain))?
            }
            // What does not fit is told where it is computed.
            ExprKind::Arithmetic(op @ (Arithmetic::Add | Arithmetic::Sub), a, b)
                if bounds(&expr.ty).is_some_and(|all| all.0 < 0) =>
            {
                let sign = if *op == Arithmetic::Add { 1 } else { -1 };
                Sum::of(a, is_plain)?.plus(&Sum::of(b, is_plain)?, sign)
            }
            _ => None,
        }
    }

    pub(super) fn plus(&self, other: &Sum, sign: i128) -> Option<Sum> {
        let mut sum = self.clone();
        for (&local, &factor) in &other.terms {
            let entry = sum.terms.entry(local).or_default();
            *entry = entry.checked_add(factor.checked_mul(sign)?)?;
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(sign)?)?;
        Some(sum)
    }

    /// All values of the sum, where variables are in ranges.
    fn range(&self, of: &dyn Fn(LocalId) -> Range) -> Range {
        let mut all = (self.constant, self.constant);
        for (&local, &factor) in &self.terms {
            let (lo, hi) = of(local);
            let (a, b) = (lo.saturating_mul(factor), hi.saturating_mul(factor));
            all = (all.0.saturating_add(a.min(b)), all.1.saturating_add(a.max(b)));
        }
        all
    }
}

/// Sums, one of which is at least 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Fact(Vec<Sum>);

impl Fact {
    /// The fact that a condition with this outcome gives.
    pub(super) fn of(
        cond: &Expr,
        outcome: bool,
        is_plain: &dyn Fn(LocalId) -> bool,
    ) -> Option<Fact> {
        match &cond.kind {
            ExprKind::Not(inner) => Fact::of(inner, !outcome, is_plain),
            ExprKind::Convert(inner) if bounds(&inner.ty).is_some() => {
                let (from, to) = (bounds(&inner.ty)?, bounds(&cond.ty)?);
                let keeps = to.0 <= from.0 && from.1 <= to.1 || to == (0, 1);
                keeps.then(|| Fact::of(inner, outcome, is_plain))?
            }
            ExprKind::Or(a, b) if outcome => {
                let (mut a, b) = (Fact::of(a, true, is_plain)?, Fact::of(b, true, is_plain)?);
                a.0.extend(b.0);
                Some(a)
            }
            ExprKind::And(a, b) if !outcome => {
                let (mut a, b) = (Fact::of(a, false, is_plain)?, Fact::of(b, false, is_plain)?);
                a.0.extend(b.0);
                Some(a)
            }
            ExprKind::Compare(op, a, b) => {
                bounds(&a.ty)?;
                let (a, b) = (Sum::of(a, is_plain)?, Sum::of(b, is_plain)?);
                let op = if outcome { *op } else { opposite(*op) };
                let one = Sum { constant: 1, ..Sum::default() };
                let sum = match op {
                    Compare::Ge => a.plus(&b, -1)?,
                    Compare::Gt => a.plus(&b, -1)?.plus(&one, -1)?,
                    Compare::Le => b.plus(&a, -1)?,
                    Compare::Lt => b.plus(&a, -1)?.plus(&one, -1)?,
                    Compare::Eq | Compare::Ne => return None,
                };
                Some(Fact(vec![sum]))
            }
            _ => None,
        }
    }

    /// Whether it says something of a variable.
    pub(super) fn mentions(&self, local: LocalId) -> bool {
        self.0.iter().any(|sum| sum.terms.contains_key(&local))
    }
}

/// Whether a sum is in a range wherever all facts hold and variables are in their ranges.
pub(super) fn shows(
    facts: &BTreeSet<Fact>,
    sum: &Sum,
    all: Range,
    of: &dyn Fn(LocalId) -> Range,
) -> bool {
    let about: Vec<&Fact> =
        facts.iter().filter(|fact| sum.terms.keys().any(|&local| fact.mentions(local))).collect();
    let combinations = about
        .iter()
        .map(|fact| fact.0.len())
        .try_fold(1_usize, |all, n| all.checked_mul(n).filter(|&all| all <= MOST));
    let Some(combinations) = combinations else { return false };
    (0..combinations).all(|mut number| {
        let mut chosen = Vec::new();
        for fact in &about {
            chosen.push(&fact.0[number % fact.0.len()]);
            number /= fact.0.len();
        }
        holds_with(&chosen, sum, all, of)
    })
}

/// Whether a sum is in a range where inequalities hold.
fn holds_with(chosen: &[&Sum], sum: &Sum, all: Range, of: &dyn Fn(LocalId) -> Range) -> bool {
    let mut ranges: BTreeMap<LocalId, Range> = BTreeMap::new();
    for inequality in chosen {
        let [(&local, &factor)] = inequality.terms.iter().collect::<Vec<_>>()[..] else { continue };
        let range = ranges.get(&local).copied().unwrap_or_else(|| of(local));
        let left = match factor {
            1 => refined(range, Compare::Ge, (-inequality.constant, -inequality.constant)),
            -1 => refined(range, Compare::Le, (inequality.constant, inequality.constant)),
            _ => Some(range),
        };
        match left {
            Some(left) => drop(ranges.insert(local, left)),
            // The facts contradict each other.
            None => return true,
        }
    }
    let of = |local: LocalId| ranges.get(&local).copied().unwrap_or_else(|| of(local));
    let is_at_least_0 = |sum: &Sum| {
        // By what is known of each variable, or by that and one inequality: then the rest is at least 0.
        sum.range(&of).0 >= 0
            || chosen
                .iter()
                .any(|known| sum.plus(known, -1).is_some_and(|rest| rest.range(&of).0 >= 0))
    };
    let constant = |value: i128| Sum { constant: value, ..Sum::default() };
    let above = sum.plus(&constant(all.0), -1);
    let below = constant(all.1).plus(sum, -1);
    above.is_some_and(|sum| is_at_least_0(&sum)) && below.is_some_and(|sum| is_at_least_0(&sum))
}
