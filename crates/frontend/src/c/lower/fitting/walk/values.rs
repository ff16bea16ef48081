//! What expressions compute: the interval of each value, what is read and stored on the way, and whether every signed result fits.

use super::conditions::assigns;
use super::{Walk, join};
use crate::c::lower::access::strip;
use crate::c::lower::fitting::facts::{Sum, shows};
use crate::c::lower::fitting::range::{Defined, Range, hull, is_inside, operate};
use crate::c::lower::foreseen::bounds;
use crate::c::lower::points::Target;
use crate::c::typed::*;
use crate::c::types::Type;

impl<'u> Walk<'_, '_, 'u> {
    /// Evaluates an expression: its value, if it is an integer.
    pub(super) fn value(&mut self, expr: &'u Expr) -> Option<Range> {
        let all = bounds(&expr.ty);
        match &expr.kind {
            ExprKind::Int(value) => all.map(|_| (*value, *value)),
            ExprKind::Floating(_) | ExprKind::Function(_) => None,
            ExprKind::Unsupported(_) => {
                self.look.is_wild |= self.here.is_some();
                all
            }
            ExprKind::Load(lvalue) => {
                self.operands(lvalue);
                self.load(lvalue)
            }
            ExprKind::Address(lvalue) => {
                self.operands(lvalue);
                None
            }
            ExprKind::Unary(op, inner) => {
                let value = self.value(inner);
                let zero = (0, 0);
                match (op, value) {
                    (Unary::Minus, Some(value)) => {
                        self.computed(expr, Arithmetic::Sub, zero, value, None)
                    }
                    (Unary::Complement, Some((lo, hi))) if all.is_some_and(|all| all.0 < 0) => {
                        Some((-1 - hi, -1 - lo))
                    }
                    _ => {
                        // Of wider numbers nothing is known, so nothing says that the result fits.
                        self.look.overflows |=
                            all.is_none() && matches!(strip(&expr.ty), Type::Int { .. });
                        all
                    }
                }
            }
            ExprKind::Not(inner) => {
                self.value(inner);
                Some((0, 1))
            }
            ExprKind::Arithmetic(op, a, b) => {
                let (left, right) = (self.value(a), self.value(b));
                match (left, right) {
                    (Some(left), Some(right)) => {
                        let sum = Sum::of(expr, &|local| self.is_own(local));
                        self.computed(expr, *op, left, right, sum)
                    }
                    _ => {
                        // Wider than what is followed here, or a number with a fraction.
                        let is_integer = matches!(strip(&expr.ty), Type::Int { .. });
                        self.look.overflows |= is_integer && self.here.is_some();
                        all
                    }
                }
            }
            ExprKind::Compare(_, a, b) => {
                self.value(a);
                self.value(b);
                Some((0, 1))
            }
            ExprKind::Offset(a, b) => {
                self.value(a);
                self.value(b);
                None
            }
            ExprKind::Difference(a, b, _) => {
                self.value(a);
                self.value(b);
                all
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.value(a);
                let before = self.here.clone();
                self.assume(a, matches!(expr.kind, ExprKind::And(..)));
                self.value(b);
                self.here = join(self.here.take(), before);
                Some((0, 1))
            }
            ExprKind::Conditional(cond, a, b) => {
                self.value(cond);
                let before = self.here.clone();
                self.assume(cond, true);
                let first = (self.value(a), self.here.is_some());
                let after = std::mem::replace(&mut self.here, before);
                self.assume(cond, false);
                let second = (self.value(b), self.here.is_some());
                self.here = join(after, self.here.take());
                match (first, second) {
                    ((a, true), (_, false)) => a,
                    ((_, false), (b, true)) => b,
                    ((Some(a), _), (Some(b), _)) => Some(hull(a, b)),
                    _ => all,
                }
            }
            ExprKind::Elvis(a, b) => {
                self.value(a);
                let before = self.here.clone();
                self.value(b);
                self.here = join(self.here.take(), before);
                all
            }
            ExprKind::Comma(a, b) => {
                self.value(a);
                self.value(b)
            }
            ExprKind::Assign(place, value) => {
                let range = self.value(value);
                self.operands(place);
                self.assign(expr, place, value, range);
                range
            }
            ExprKind::AssignWith { place, op, value, at, postfix } => {
                let by = self.value(value);
                self.operands(place);
                self.change(expr, place, (*op, by), at, *postfix)
            }
            ExprKind::Call(callee, args) => self.call(expr, callee, args),
            ExprKind::Convert(inner) => {
                let value = self.value(inner);
                let all = all?;
                let Some(value) = value else { return Some(all) };
                if *strip(&expr.ty) == Type::Bool {
                    return Some(match value {
                        (0, 0) => (0, 0),
                        (lo, hi) if lo > 0 || hi < 0 => (1, 1),
                        _ => (0, 1),
                    });
                }
                Some(if is_inside(value, all) { value } else { all })
            }
            ExprKind::Statement(block, value) => {
                self.block(block);
                value.as_ref().and_then(|value| self.value(value)).or(all)
            }
        }
    }

    /// Evaluates what has to be known to find an lvalue.
    fn operands(&mut self, lvalue: &'u Lvalue) {
        match &lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Object(_) => {}
            LvalueKind::Deref(e) | LvalueKind::Temporary(e) => drop(self.value(e)),
            LvalueKind::Member(inner, ..) => self.operands(inner),
            LvalueKind::Element(inner, index) => {
                self.operands(inner);
                self.value(index);
            }
        }
    }

    fn load(&mut self, lvalue: &'u Lvalue) -> Option<Range> {
        match lvalue.kind {
            LvalueKind::Local(local) if self.is_own(local) => Some(self.own(local)),
            _ => self.look.held(self.at, lvalue),
        }
    }

    fn store(&mut self, lvalue: &'u Lvalue, value: Option<Range>) {
        match lvalue.kind {
            _ if self.here.is_none() => {}
            LvalueKind::Local(local) if self.is_own(local) => self.set(local, value),
            _ => self.look.put(self.at, lvalue, value),
        }
    }

    fn assign(&mut self, expr: &'u Expr, place: &'u Lvalue, value: &'u Expr, range: Option<Range>) {
        if self.here.is_none() {
            return;
        }
        if matches!(strip(&place.ty), Type::Record(_) | Type::Array(..)) {
            return self.look.copies(self.at, place, value);
        }
        // `x = x + d` is `x += d`.
        if let Some((object, adds, by)) = added(place, value)
            && !assigns(value)
        {
            let by = self.pure(by);
            if self.counts(expr, object, if adds { by } else { (-by.1, -by.0) }, &place.ty) {
                return;
            }
        }
        self.store(place, range);
    }

    /// `x op= d`
    fn change(
        &mut self,
        expr: &'u Expr,
        place: &'u Lvalue,
        (op, by): (Arithmetic, Option<Range>),
        at: &'u Type,
        postfix: bool,
    ) -> Option<Range> {
        let held = self.load(place);
        let (Some(held), Some(by), Some(all)) = (held, by, bounds(&place.ty)) else {
            let is_integer = bounds(&place.ty).is_some() || matches!(strip(at), Type::Int { .. });
            self.look.overflows |= is_integer && bounds(at).is_none() && self.here.is_some();
            self.store(place, None);
            return bounds(&place.ty);
        };
        let (Some(wide), true) = (bounds(at), self.here.is_some()) else { return Some(all) };
        let is_same = bits(at) == bits(&place.ty) && bounds(at) == Some(all);
        if let (LvalueKind::Object(object), true) = (&place.kind, is_same) {
            let by = match op {
                Arithmetic::Add => Some(by),
                Arithmetic::Sub => Some((-by.1, -by.0)),
                _ => None,
            };
            if by.is_some_and(|by| self.counts(expr, *object, by, &place.ty)) {
                return self.load(place);
            }
        }
        let before = if is_inside(held, wide) { held } else { wide };
        let result = self.made(op, before, by, at, None);
        let after = if is_inside(result, all) { result } else { all };
        self.store(place, Some(after));
        Some(if postfix { held } else { after })
    }

    /// Takes a change of a variable as one of so many, if there is a bound on all of them; says whether it does.
    fn counts(&mut self, expr: &'u Expr, object: ObjectId, by: Range, ty: &Type) -> bool {
        let target = Target::Object(object);
        let is_alone = !self.look.points.is_pointed_to(target) && !self.look.open.contains(&target);
        let Some(often) = self.often.filter(|_| is_alone) else { return false };
        let Some(all) = bounds(ty) else { return false };
        let often = i128::from(often);
        let sum = (by.0.min(0).saturating_mul(often), by.1.max(0).saturating_mul(often));
        if !is_inside(sum, all) {
            return false;
        }
        let id = std::ptr::from_ref(expr);
        let known = self.look.changes.get(&object).and_then(|changes| changes.get(&id)).copied();
        let more = known.map_or(sum, |known| hull(known, sum));
        if known != Some(more) {
            self.look.grew = true;
            self.look.changes.entry(object).or_default().insert(id, more);
        }
        let stored = self.look.cells.get(&(target, bits(ty))).copied().unwrap_or(all);
        if !is_inside(self.look.with_changes(object, stored), all) {
            // What does not fit wraps around, or is wrong.
            self.look.overflows |= all.0 < 0;
            self.look.opens(target);
        }
        true
    }

    /// The range of an operation's result.
    fn computed(
        &mut self,
        expr: &'u Expr,
        op: Arithmetic,
        a: Range,
        b: Range,
        sum: Option<Sum>,
    ) -> Option<Range> {
        bounds(&expr.ty)?;
        Some(self.made(op, a, b, &expr.ty, sum))
    }

    fn made(&mut self, op: Arithmetic, a: Range, b: Range, ty: &Type, sum: Option<Sum>) -> Range {
        let Some(all) = bounds(ty) else { return (0, 0) };
        let (range, defined) = operate(op, a, b, bits(ty), all);
        let fits = is_inside(range, all);
        if fits && defined == Defined::Always {
            return range;
        }
        let is_signed = all.0 < 0;
        let by_facts = !fits
            && defined == Defined::Always
            && sum.is_some_and(|sum| {
                let facts = self.here.as_ref().map(|env| env.facts.clone()).unwrap_or_default();
                shows(&facts, &sum, all, &|local| self.own(local))
            });
        let wrong = defined == Defined::Perhaps || is_signed && !by_facts;
        self.look.overflows |= wrong && self.here.is_some();
        match is_signed {
            true => (range.0.clamp(all.0, all.1), range.1.clamp(all.0, all.1)),
            false => all,
        }
    }
}

/// How many bits an integer has.
pub(super) fn bits(ty: &Type) -> u32 {
    match strip(ty) {
        Type::Int { bits, .. } => *bits,
        _ => 8,
    }
}

/// The variable to which an assignment adds something, whether it adds or subtracts, and what.
fn added<'u>(place: &Lvalue, value: &'u Expr) -> Option<(ObjectId, bool, &'u Expr)> {
    let LvalueKind::Object(object) = place.kind else { return None };
    let is_it = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Load(lvalue)
            if matches!(lvalue.kind, LvalueKind::Object(other) if other == object))
    };
    let ExprKind::Arithmetic(op, a, b) = &value.kind else { return None };
    if strip(&place.ty) != strip(&value.ty) {
        return None;
    }
    match op {
        Arithmetic::Add if is_it(a) => Some((object, true, b)),
        Arithmetic::Add if is_it(b) => Some((object, true, a)),
        Arithmetic::Sub if is_it(a) => Some((object, false, b)),
        _ => None,
    }
}
