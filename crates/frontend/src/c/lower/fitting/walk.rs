//! Functions, statement by statement: what their own variables hold at each place, and what is computed with them.

use std::collections::{BTreeMap, BTreeSet};

use super::Look;
use super::facts::{Fact, Sum, shows};
use super::range::{Defined, Range, hull, is_inside, mirrored, operate, opposite, refined};
use super::turns::{Times, times};
use crate::c::lower::access::strip;
use crate::c::lower::foreseen::{Start, bounds};
use crate::c::lower::library::{does_nothing_hidden, ends_runs, may_write, only_looks};
use crate::c::lower::points::Target;
use crate::c::lower::visit::{each_expr, jumps_back};
use crate::c::typed::*;
use crate::c::types::Type;

/// The ranges and facts of a function's own variables, which no other can see; variables without a range hold anything.
#[derive(Clone, PartialEq, Debug, Default)]
struct Env {
    ranges: BTreeMap<LocalId, Range>,
    facts: BTreeSet<Fact>,
}

impl Env {
    fn joined(mut self, other: &Env) -> Env {
        self.ranges = (self.ranges.into_iter())
            .filter_map(|(local, range)| Some((local, hull(range, *other.ranges.get(&local)?))))
            .collect();
        self.facts.retain(|fact| other.facts.contains(fact));
        self
    }

    fn forget(&mut self, local: LocalId) {
        self.ranges.remove(&local);
        self.facts.retain(|fact| !fact.mentions(local));
    }
}

/// Joins the facts of two paths; a path that is never taken adds nothing.
fn join(a: Option<Env>, b: Option<Env>) -> Option<Env> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.joined(&b)),
        (a, b) => a.or(b),
    }
}

/// A function that is followed.
struct Walk<'l, 'p, 'u> {
    look: &'l mut Look<'p, 'u>,
    at: FunctionId,
    /// The facts that hold here; `None` where no path leads.
    here: Option<Env>,
    /// The facts of paths that leave the loops and switches around this place, the innermost last.
    breaks: Vec<Option<Env>>,
    continues: Vec<Option<Env>>,
    /// The facts of paths that come to a case.
    cases: Vec<Option<Env>>,
    /// The number of times that this place is passed.
    often: Times,
}

impl<'u> Look<'_, 'u> {
    /// Follows a function once.
    pub(super) fn function(&mut self, at: FunctionId) {
        let unit = self.unit;
        let function = &unit.functions[at.index()];
        let Some(body) = &function.body else { return };
        let mut env = Env::default();
        for number in 0..function.params {
            let local = LocalId(number as u32);
            if let Some(&range) = self.params.get(&(at, local)) {
                env.ranges.insert(local, range);
            }
            let ty = &function.locals[number].ty;
            if bounds(ty).is_none() && !matches!(strip(ty), Type::Pointer(_) | Type::Floating(_)) {
                self.opens(Target::Local(at, local));
            }
            if self.addressed.contains(&(at, local)) {
                self.opens(Target::Local(at, local));
                env.ranges.remove(&local);
            }
        }
        let often = self.turns.of(at);
        let often = if jumps_back(body) { times(often, None) } else { often };
        let mut walk = Walk {
            look: self,
            at,
            here: Some(env),
            breaks: Vec::new(),
            continues: Vec::new(),
            cases: Vec::new(),
            often,
        };
        walk.block(body);
        if walk.here.is_some() {
            walk.returns(bounds(&function.result));
        }
    }
}

impl<'u> Walk<'_, '_, 'u> {
    fn block(&mut self, block: &'u [Stmt]) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn returns(&mut self, value: Option<Range>) {
        let all = bounds(&self.look.unit.functions[self.at.index()].result);
        let known = self.look.results.get(&self.at).copied();
        let result = match (all, value) {
            (Some(all), value) => {
                let value = value.unwrap_or(all);
                Some(self.look.grown(known.flatten(), value, all))
            }
            (None, _) => {
                self.look.grew |= known.is_none();
                None
            }
        };
        self.look.results.insert(self.at, result);
    }

    /// Whether a variable is one that only its function can see, and an integer.
    fn is_own(&self, local: LocalId) -> bool {
        let ty = &self.look.unit.functions[self.at.index()].locals[local.index()].ty;
        bounds(ty).is_some() && !self.look.addressed.contains(&(self.at, local))
    }

    /// The range of a variable of the function.
    fn own(&self, local: LocalId) -> Range {
        let ty = &self.look.unit.functions[self.at.index()].locals[local.index()].ty;
        let known = self.here.as_ref().and_then(|env| env.ranges.get(&local));
        known.copied().or(bounds(ty)).unwrap_or((0, 0))
    }

    fn statement(&mut self, statement: &'u Stmt) {
        match &statement.kind {
            StmtKind::Expr(expr) => drop(self.value(expr)),
            StmtKind::Declare(local, parts) => self.declare(*local, parts.as_deref()),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(cond, a, b) => {
                self.value(cond);
                let before = self.here.clone();
                self.assume(cond, true);
                self.block(a);
                let first = std::mem::replace(&mut self.here, before);
                self.assume(cond, false);
                self.block(b);
                self.here = join(first, self.here.take());
            }
            StmtKind::While(cond, body) => self.turn(statement, Some(cond), None, body, false),
            StmtKind::DoWhile(body, cond) => self.turn(statement, Some(cond), None, body, true),
            StmtKind::For { cond, step, body } => {
                self.turn(statement, cond.as_ref(), step.as_ref(), body, false);
            }
            StmtKind::Switch(value, body) => {
                self.value(value);
                self.cases.push(self.here.take());
                self.breaks.push(None);
                self.block(body);
                let last = self.here.take();
                let left = self.breaks.pop().flatten();
                // Perhaps no case fits.
                let around = self.cases.pop().flatten();
                self.here = join(join(last, left), around);
            }
            StmtKind::Case(..) | StmtKind::Default => {
                let entered = self.cases.last().cloned().flatten();
                self.here = join(self.here.take(), entered);
            }
            // A jump to this label may come from anywhere, so nothing is known here.
            StmtKind::Label(_) => self.here = Some(Env::default()),
            StmtKind::Goto(_) => self.here = None,
            StmtKind::Break => {
                let here = self.here.take();
                if let Some(left) = self.breaks.last_mut() {
                    *left = join(left.take(), here);
                }
            }
            StmtKind::Continue => {
                let here = self.here.take();
                if let Some(next) = self.continues.last_mut() {
                    *next = join(next.take(), here);
                }
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().and_then(|value| self.value(value));
                if self.here.is_some() {
                    self.returns(value);
                }
                self.here = None;
            }
            StmtKind::Asm { is_barrier } => self.look.is_wild |= !is_barrier,
        }
    }

    fn declare(&mut self, local: LocalId, parts: Option<&'u [Part]>) {
        let values: Vec<_> =
            parts.into_iter().flatten().map(|part| (part, self.value(&part.value))).collect();
        if self.here.is_none() {
            return;
        }
        let target = Target::Local(self.at, local);
        if !self.is_own(local) {
            self.look.declares(target, parts.is_some());
            for (part, value) in values {
                self.look.put_part(target, &part.value.ty, value);
            }
            return;
        }
        if let Some(env) = &mut self.here {
            env.forget(local);
        }
        match (parts, values.first()) {
            (None, _) => {}
            (Some(_), None) => self.set(local, Some((0, 0))),
            (Some(_), Some((_, value))) => self.set(local, *value),
        }
    }

    fn set(&mut self, local: LocalId, value: Option<Range>) {
        let ty = &self.look.unit.functions[self.at.index()].locals[local.index()].ty;
        let value = value.or(bounds(ty));
        if let Some(env) = &mut self.here {
            env.forget(local);
            env.ranges.extend(value.map(|value| (local, value)));
        }
    }

    /// A loop: what holds at its start grows until nothing changes.
    fn turn(
        &mut self,
        statement: &'u Stmt,
        cond: Option<&'u Expr>,
        step: Option<&'u Expr>,
        body: &'u [Stmt],
        first: bool,
    ) {
        let often = times(self.often, self.look.turns.of_loop(statement));
        let often = std::mem::replace(&mut self.often, often);
        let mut head = self.here.clone();
        for turn in 0_usize.. {
            self.here = head.clone();
            self.breaks.push(None);
            self.continues.push(None);
            let mut left = None;
            if !first {
                left = self.test(cond);
            }
            self.block(body);
            let next = self.continues.pop().flatten();
            self.here = join(self.here.take(), next);
            if first {
                left = self.test(cond);
            }
            if let Some(step) = step {
                self.value(step);
            }
            left = join(left, self.breaks.pop().flatten());
            let again = join(head.clone(), self.here.take());
            if again == head {
                self.here = left;
                break;
            }
            head = match (head, again) {
                (Some(head), Some(again)) if turn >= super::PATIENCE => {
                    Some(self.widened(&head, again))
                }
                (_, again) => again,
            };
        }
        self.often = often;
    }

    /// Tests a condition: goes on where it holds, and gives what holds where it does not.
    fn test(&mut self, cond: Option<&'u Expr>) -> Option<Env> {
        let cond = cond?;
        self.value(cond);
        let before = self.here.clone();
        self.assume(cond, false);
        let left = std::mem::replace(&mut self.here, before);
        self.assume(cond, true);
        left
    }

    fn widened(&self, known: &Env, mut joined: Env) -> Env {
        let locals = &self.look.unit.functions[self.at.index()].locals;
        for (local, range) in &mut joined.ranges {
            if let (Some(&known), Some(all)) =
                (known.ranges.get(local), bounds(&locals[local.index()].ty))
            {
                *range = self.look.widened(known, *range, all);
            }
        }
        joined
    }

    /// Goes on where a condition turned out so.
    fn assume(&mut self, cond: &'u Expr, outcome: bool) {
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
    fn pure(&self, expr: &Expr) -> Range {
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

    /// Evaluates an expression: its value, if it is an integer.
    fn value(&mut self, expr: &'u Expr) -> Option<Range> {
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

    fn call(&mut self, expr: &'u Expr, callee: &'u Callee, args: &'u [Expr]) -> Option<Range> {
        let unit = self.look.unit;
        let all = bounds(&expr.ty);
        if let Some(cond) = Start::of(unit, self.at, true).assumption(expr) {
            self.value(cond);
            self.assume(cond, true);
            return all;
        }
        let values: Vec<_> = args.iter().map(|arg| self.value(arg)).collect();
        if let Callee::Pointer(pointer) = callee {
            self.value(pointer);
        }
        if self.here.is_none() {
            return all;
        }
        let functions = match callee {
            Callee::Builtin(name) => return self.library(name, expr, args),
            Callee::Direct(function) => vec![*function],
            Callee::Pointer(pointer) => self.functions(pointer),
        };
        self.look.is_wild |= functions.is_empty();
        let before = self.here.take();
        let mut result = None;
        for function in functions {
            let declared = &unit.functions[function.index()];
            self.here = before.clone();
            let given = match declared.body.is_none() {
                true => self.library(&declared.name, expr, args),
                false => self.enter(function, &values, all),
            };
            if self.here.take().is_some() {
                let given = given.or(all);
                result = Some(match (result, given) {
                    (Some(Some(a)), Some(b)) => Some(hull(a, b)),
                    (_, given) => given,
                });
            }
        }
        self.here = before.filter(|_| result.is_some());
        result.flatten().or(all)
    }

    fn functions(&mut self, pointer: &'u Expr) -> Vec<FunctionId> {
        let targets = self.look.points.expr(Some(self.at), pointer);
        let function = |target| match target {
            Target::Function(function) => Some(function),
            _ => None,
        };
        targets.into_iter().filter_map(function).collect()
    }

    /// Enters a function with a body; if it is not known to return, the path ends.
    fn enter(
        &mut self,
        function: FunctionId,
        values: &[Option<Range>],
        all: Option<Range>,
    ) -> Option<Range> {
        self.look.grew |= self.look.reached.insert(function);
        let declared = &self.look.unit.functions[function.index()];
        for (number, local) in declared.locals[..declared.params].iter().enumerate() {
            let Some(all) = bounds(&local.ty) else { continue };
            let value = values.get(number).copied().flatten().filter(|&v| is_inside(v, all));
            let key = (function, LocalId(number as u32));
            let known = self.look.params.get(&key).copied();
            let grown = self.look.grown(known, value.unwrap_or(all), all);
            self.look.params.insert(key, grown);
        }
        match self.look.results.get(&function) {
            Some(result) => result.or(all),
            None => {
                self.here = None;
                None
            }
        }
    }

    /// Calls a function of a library: what it is given to write may hold anything afterwards.
    fn library(&mut self, name: &str, expr: &'u Expr, args: &'u [Expr]) -> Option<Range> {
        if ends_runs(name) {
            self.here = None;
            return None;
        }
        self.look.is_wild |= !does_nothing_hidden(name)
            || may_write(self.look.unit, self.look.points, self.at, name, args);
        for (number, arg) in args.iter().enumerate() {
            let targets = self.look.points.expr(Some(self.at), arg);
            for &target in &targets {
                if let Target::Function(function) = target {
                    self.look.grew |= self.look.reached.insert(function);
                    self.gives_anything(function);
                }
            }
            let is_passed_on = matches!((name, number), ("pthread_create", 3) | ("thrd_create", 2));
            if !only_looks(name) && !is_passed_on && !is_opaque(arg) {
                targets.into_iter().for_each(|target| self.look.opens(target));
            }
        }
        // The absolute value of the least number does not fit; whatever is computed elsewhere is not followed.
        self.look.overflows |= matches!(name, "abs" | "labs" | "llabs" | "imaxabs");
        bounds(&expr.ty)
    }

    /// A function is called with any arguments.
    fn gives_anything(&mut self, function: FunctionId) {
        let declared = &self.look.unit.functions[function.index()];
        for (number, local) in declared.locals[..declared.params].iter().enumerate() {
            if let Some(all) = bounds(&local.ty) {
                let known = self.look.params.insert((function, LocalId(number as u32)), all);
                self.look.grew |= known != Some(all);
            }
        }
    }
}

/// How many bits an integer has.
fn bits(ty: &Type) -> u32 {
    match strip(ty) {
        Type::Int { bits, .. } => *bits,
        _ => 8,
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
fn assigns(expr: &Expr) -> bool {
    let mut found = false;
    each_expr(expr, &mut |expr| {
        found |= matches!(
            expr.kind,
            ExprKind::Assign(..) | ExprKind::AssignWith { .. } | ExprKind::Statement(..)
        );
    });
    found
}

/// Whether an argument points to something of the library that a program does not look into.
fn is_opaque(arg: &Expr) -> bool {
    match (&arg.kind, strip(&arg.ty)) {
        (_, Type::Pointer(to)) if matches!(strip(to), Type::Opaque(_)) => true,
        (ExprKind::Convert(inner), _) => is_opaque(inner),
        _ => false,
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
