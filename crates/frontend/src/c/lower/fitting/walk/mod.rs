//! # Functions, statement by statement
//!
//! **Question.** What do the variables of a function that nobody else can see hold at each place of it?
//!
//! **Idea.** Each statement is followed from what holds before it; where paths meet, intervals are joined, and loops are followed until nothing changes. What a test says is learned on either side of it (`conditions`);
//! expressions give intervals, and every place where a result has to fit is looked at on the way (`values`); what goes into functions and comes out of them is noted (`calls`).
//!
//! **Needs.** The intervals of everything that others can see, which [`Look`] has.

mod calls;
mod conditions;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use super::Look;
use super::facts::Fact;
use super::range::{Range, hull};
use super::turns::{Times, times};
use crate::c::lower::access::strip;
use crate::c::lower::foreseen::bounds;
use crate::c::lower::points::Target;
use crate::c::lower::visit::jumps_back;
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
}
