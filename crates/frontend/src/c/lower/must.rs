//! # What holds on every path
//!
//! **Question.** What is certain where something happens, however a function got there: which variables are written, which locks are held?
//!
//! **Idea.** Statements are followed in the order of the text. What happens may add facts and take some away. Where paths meet, what all of them have stays; a
//! loop starts with what nothing inside of it takes away, and is left with what its condition and every `break` have. A label has what all that jump to it have: the
//! function is followed again until that is so. What a test shows may be a fact, too.
//!
//! **Claim.** If a run of the function gets to a place, all facts that are told there hold, if the facts at its start did.

use std::collections::{BTreeMap, BTreeSet};

use super::choices::constant;
use super::visit::{each_expr, each_part, each_statement};
use crate::c::typed::*;

/// Something that happens, after all that it needs was evaluated.
#[derive(Clone, Copy)]
pub(super) enum Event<'u> {
    /// A statement that is taken as a whole: see [`Facts::takes`].
    Whole(&'u Stmt),
    /// A variable comes to life without a value.
    Born(LocalId),
    /// A variable comes to life with a value.
    Made(LocalId),
    /// A value is read.
    Read(&'u Lvalue),
    /// A value is written.
    Written(&'u Lvalue),
    /// A value is read and written.
    Changed(&'u Lvalue),
    /// An address is taken.
    Addressed(&'u Lvalue),
    /// Something is called.
    Called(&'u Callee, &'u [Expr]),
    /// A function returns; at its end as well.
    Returned,
}

/// Facts, and what becomes of them.
pub(super) trait Facts<'u> {
    /// A fact.
    type Fact: Ord + Clone;

    /// Whether a statement is one event, whatever is inside.
    fn takes(&self, _: &'u Stmt) -> bool {
        false
    }

    /// Takes away what does not hold any more after an event.
    fn loses(&mut self, event: Event<'u>, facts: &mut BTreeSet<Self::Fact>);

    /// Adds what holds after an event.
    fn gains(&mut self, event: Event<'u>, facts: &mut BTreeSet<Self::Fact>);

    /// Is told what holds before an event.
    fn meets(&mut self, event: Event<'u>, facts: &BTreeSet<Self::Fact>);

    /// Adds what is known where a condition has turned out true, or false.
    fn learns(&mut self, _: &'u Expr, _: bool, _: &mut BTreeSet<Self::Fact>) {}

    /// Whether nobody comes back from a call.
    fn ends(&self, callee: &'u Callee) -> bool;
}

/// Follows a function that starts with some facts.
pub(super) fn follow<'u, F: Facts<'u>>(facts: &mut F, body: &'u [Stmt], start: BTreeSet<F::Fact>) {
    let mut walk = Walk {
        facts,
        here: Some(start.clone()),
        labels: BTreeMap::new(),
        tells: false,
        gotos: gotos(body),
        is_in_switch: false,
        breaks: Vec::new(),
    };
    loop {
        let before = walk.labels.clone();
        walk.block(body);
        walk.here = Some(start.clone());
        if walk.labels == before {
            break;
        }
    }
    walk.tells = true;
    walk.block(body);
    walk.event(Event::Returned);
}

/// The facts that hold here; `None` where no path leads.
type Here<F> = Option<BTreeSet<F>>;

struct Walk<'f, 'u, F: Facts<'u>> {
    facts: &'f mut F,
    here: Here<F::Fact>,
    /// The facts that all jumps to a label have; labels without known jumps are not listed.
    labels: BTreeMap<LabelId, BTreeSet<F::Fact>>,
    /// Whether the events are told.
    tells: bool,
    /// How often the function jumps to each label.
    gotos: BTreeMap<LabelId, usize>,
    is_in_switch: bool,
    /// What all have that leave a loop or a `switch` by `break`, for each that is followed, the innermost last.
    breaks: Vec<Here<F::Fact>>,
}

/// How often statements jump to each label, in expressions as well.
fn gotos(body: &[Stmt]) -> BTreeMap<LabelId, usize> {
    let mut found = BTreeMap::new();
    let mut count = |statement: &Stmt| {
        if let StmtKind::Goto(label) = &statement.kind {
            *found.entry(*label).or_default() += 1;
        }
    };
    each_statement(body, &mut count);
    for statement in body {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                if let ExprKind::Statement(block, _) = &expr.kind {
                    each_statement(block, &mut count);
                }
            });
        });
    }
    found
}

impl<'u, F: Facts<'u>> Walk<'_, 'u, F> {
    fn block(&mut self, block: &'u [Stmt]) {
        block.iter().for_each(|statement| self.statement(statement));
    }

    fn event(&mut self, event: Event<'u>) {
        let Some(here) = &mut self.here else { return };
        if self.tells {
            self.facts.meets(event, here);
        }
        self.facts.loses(event, here);
        self.facts.gains(event, here);
    }

    /// Keeps only the facts that another path has, too.
    fn join(&mut self, other: Here<F::Fact>) {
        self.here = match (self.here.take(), other) {
            (Some(mut a), Some(b)) => {
                a.retain(|fact| b.contains(fact));
                Some(a)
            }
            (a, b) => a.or(b),
        };
    }

    /// What holds before statements and expressions, and is not taken away by any of them; nothing is known if somebody may jump into them.
    fn kept(&mut self, body: &'u [Stmt], also: &[&'u Expr]) -> Here<F::Fact> {
        if self.may_enter(body) {
            return Some(BTreeSet::new());
        }
        let mut kept = self.here.clone()?;
        let facts = &mut *self.facts;
        each_statement(body, &mut |statement| match &statement.kind {
            _ if facts.takes(statement) => facts.loses(Event::Whole(statement), &mut kept),
            StmtKind::Declare(local, None) => facts.loses(Event::Born(*local), &mut kept),
            _ => {}
        });
        let mut lose = |expr: &'u Expr| {
            each_expr(expr, &mut |expr| {
                if let Some(event) = event_of(expr) {
                    facts.loses(event, &mut kept);
                }
            });
        };
        body.iter().for_each(|statement| each_part(statement, false, &mut |e, _| lose(e)));
        also.iter().for_each(|e| lose(e));
        Some(kept)
    }

    /// Whether a jump from outside may lead into statements.
    fn may_enter(&self, body: &'u [Stmt]) -> bool {
        let inside = gotos(body);
        let mut enters = false;
        each_statement(body, &mut |statement| match &statement.kind {
            StmtKind::Label(label) => enters |= self.gotos.get(label) != inside.get(label),
            // Of a `switch` around them, perhaps.
            StmtKind::Case(..) | StmtKind::Default => enters |= self.is_in_switch,
            _ => {}
        });
        enters
    }

    fn statement(&mut self, statement: &'u Stmt) {
        if self.facts.takes(statement) {
            return self.event(Event::Whole(statement));
        }
        match &statement.kind {
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::Declare(local, None) => self.event(Event::Born(*local)),
            StmtKind::Declare(local, Some(parts)) => {
                parts.iter().for_each(|part| self.expr(&part.value));
                self.event(Event::Made(*local));
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If(cond, a, b) => {
                self.expr(cond);
                let before = self.here.clone();
                self.learn(cond, true);
                self.block(a);
                let after = std::mem::replace(&mut self.here, before);
                self.learn(cond, false);
                self.block(b);
                self.join(after);
            }
            StmtKind::While(cond, body) => {
                self.here = self.kept(body, &[cond]);
                self.expr(cond);
                let before = self.here.clone();
                self.learn(cond, true);
                let left = self.inside(body);
                self.here = before;
                self.leave(Some(cond), left);
            }
            StmtKind::For { cond, step, body } => {
                let also: Vec<&Expr> = cond.iter().chain(step).collect();
                let head = self.kept(body, &also);
                self.here.clone_from(&head);
                cond.iter().for_each(|cond| self.expr(cond));
                let before = self.here.clone();
                cond.iter().for_each(|cond| self.learn(cond, true));
                let left = self.inside(body);
                self.here = head;
                step.iter().for_each(|step| self.expr(step));
                self.here = before;
                self.leave(cond.as_ref(), left);
            }
            StmtKind::DoWhile(body, cond) => {
                let head = self.kept(body, &[cond]);
                self.here.clone_from(&head);
                let left = self.inside(body);
                if may_continue(body) {
                    self.here = head;
                }
                self.expr(cond);
                self.leave(Some(cond), left);
            }
            StmtKind::Switch(value, body) => {
                self.expr(value);
                let outer = std::mem::replace(&mut self.is_in_switch, false);
                let head = self.kept(body, &[]);
                self.is_in_switch = true;
                self.here = None;
                self.breaks.push(None);
                self.cases(body, &head);
                let left = self.breaks.pop().flatten();
                self.is_in_switch = outer;
                self.join(left);
                if !has_default(body) {
                    self.join(head);
                }
            }
            StmtKind::Return(value) => {
                value.iter().for_each(|value| self.expr(value));
                self.event(Event::Returned);
                self.here = None;
            }
            StmtKind::Goto(label) => {
                let others = self.labels.remove(label);
                self.join(others);
                if let Some(here) = self.here.take() {
                    self.labels.insert(*label, here);
                }
            }
            StmtKind::Label(label) => {
                let others = self.labels.get(label).cloned();
                self.join(others);
            }
            StmtKind::Break => {
                let others = self.breaks.pop().flatten();
                self.join(others);
                let here = self.here.take();
                self.breaks.push(here);
            }
            StmtKind::Continue => self.here = None,
            // Inside of another statement than the `switch` itself.
            StmtKind::Case(..) | StmtKind::Default => self.here = Some(BTreeSet::new()),
            StmtKind::Asm { .. } => {}
        }
    }

    /// Follows the body of a loop: what all have that leave it by `break`.
    fn inside(&mut self, body: &'u [Stmt]) -> Here<F::Fact> {
        self.breaks.push(None);
        self.block(body);
        self.breaks.pop().flatten()
    }

    /// Goes on after a loop: its condition does not hold, or a `break` left it.
    fn leave(&mut self, cond: Option<&'u Expr>, left: Here<F::Fact>) {
        match cond {
            Some(cond) if constant(cond).is_none_or(|value| value == 0) => self.learn(cond, false),
            _ => self.here = None,
        }
        self.join(left);
    }

    fn learn(&mut self, cond: &'u Expr, outcome: bool) {
        if let Some(here) = &mut self.here {
            self.facts.learns(cond, outcome, here);
        }
    }

    /// The body of a `switch`: its cases are reached with what holds before.
    fn cases(&mut self, body: &'u [Stmt], head: &Here<F::Fact>) {
        for statement in body {
            match &statement.kind {
                StmtKind::Case(..) | StmtKind::Default => self.here.clone_from(head),
                StmtKind::Block(inner) => self.cases(inner, head),
                _ => self.statement(statement),
            }
        }
    }

    /// An expression that is perhaps not evaluated.
    fn maybe(&mut self, expr: &'u Expr) {
        let before = self.here.clone();
        self.expr(expr);
        self.join(before);
    }

    fn lvalue(&mut self, lvalue: &'u Lvalue) {
        match &lvalue.kind {
            LvalueKind::Local(_) | LvalueKind::Object(_) => {}
            LvalueKind::Deref(e) | LvalueKind::Temporary(e) => self.expr(e),
            LvalueKind::Member(inner, ..) => self.lvalue(inner),
            LvalueKind::Element(inner, index) => {
                self.lvalue(inner);
                self.expr(index);
            }
        }
    }

    fn expr(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Load(place) | ExprKind::Address(place) => self.lvalue(place),
            ExprKind::Unary(_, e) | ExprKind::Not(e) | ExprKind::Convert(e) => self.expr(e),
            ExprKind::Arithmetic(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Difference(a, b, _)
            | ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Elvis(a, b) => {
                self.expr(a);
                self.maybe(b);
            }
            ExprKind::Conditional(cond, a, b) => {
                self.expr(cond);
                let before = self.here.clone();
                self.learn(cond, true);
                self.expr(a);
                let after = std::mem::replace(&mut self.here, before);
                self.learn(cond, false);
                self.expr(b);
                self.join(after);
            }
            ExprKind::Assign(place, value) | ExprKind::AssignWith { place, value, .. } => {
                self.lvalue(place);
                self.expr(value);
            }
            ExprKind::Call(callee, args) => {
                args.iter().for_each(|arg| self.expr(arg));
                if let Callee::Pointer(pointer) = callee {
                    self.expr(pointer);
                }
            }
            ExprKind::Statement(block, value) => {
                self.block(block);
                value.iter().for_each(|value| self.expr(value));
            }
        }
        if let Some(event) = event_of(expr) {
            self.event(event);
        }
        if let ExprKind::Call(callee, _) = &expr.kind
            && self.facts.ends(callee)
        {
            self.here = None;
        }
    }
}

/// The event of an expression itself, without its parts.
fn event_of(expr: &Expr) -> Option<Event<'_>> {
    Some(match &expr.kind {
        ExprKind::Load(place) => Event::Read(place),
        ExprKind::Address(place) => Event::Addressed(place),
        ExprKind::Assign(place, _) => Event::Written(place),
        ExprKind::AssignWith { place, .. } => Event::Changed(place),
        ExprKind::Call(callee, args) => Event::Called(callee, args),
        _ => return None,
    })
}

/// Whether statements may be left by `continue`.
fn may_continue(block: &[Stmt]) -> bool {
    let mut found = false;
    let mut see = |statement: &Stmt| found |= matches!(statement.kind, StmtKind::Continue);
    each_statement(block, &mut see);
    for statement in block {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                if let ExprKind::Statement(block, _) = &expr.kind {
                    each_statement(block, &mut see);
                }
            });
        });
    }
    found
}

/// Whether a `switch` has a case for all other values.
fn has_default(block: &[Stmt]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StmtKind::Default => true,
        StmtKind::Block(inner) => has_default(inner),
        _ => false,
    })
}
