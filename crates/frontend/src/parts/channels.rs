//! # Channels
//! A channel that holds messages is how many there are and what they are, the oldest first. Each operation is one step, which waits where it has to.
//!
//! One that holds none lets sender and receiver meet: its number is 0 if nobody sends, 1 if somebody offers a message, and 2 if that was taken. The sender offers and
//! then waits until it was taken, in two steps; the receiver takes what is offered, in one.
//!
//! **Claim.** What is meant is one step in which a message goes from a sender that waits to a receiver that waits. *Nothing is lost*: let the sender offer right before, and leave right
//! after. *Nothing is added*: who offers has nothing else to do, and stands still in both; who was taken from can always leave, so no other sender waits for ever. Where nobody can act, nothing was
//! taken that is not left.

use selvedge_program::{BinaryOp, Span, UnaryOp};

use super::Writer;
use super::operations::{Operation, Verb};
use super::places::{NamedPart, leaf_place};
use super::shapes::{Channel, Kind, Made};
use super::values::number;
use crate::Diagnostic;
use crate::check::walk;
use crate::syntax::{Cond, Expr, ExprKind, PlaceExpr, Stmt, StmtKind, StructDecl};

impl<'f> Writer<'f> {
    /// An operation whose result goes to places as they are written.
    pub(super) fn communicate(
        &mut self,
        operation: Operation<'f>,
        targets: &[PlaceExpr],
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        let message = match (&operation.of, operation.verb) {
            (Some((channel, ..)), Verb::Receive) => Some(self.kind(channel.message)),
            _ => None,
        };
        let places = match (targets, message) {
            ([], _) => Some(Vec::new()),
            (_, _) if operation.verb == Verb::Send || targets.len() > 1 => {
                let results = if operation.verb == Verb::Send { "no result" } else { "one result" };
                let message = format!("`{}` has {results}", operation.verb.name());
                let hint = format!("write `{}`", operation.verb.example());
                self.report(Diagnostic::error(span, message).hint(hint));
                None
            }
            ([target], Some(Kind::Struct(of))) => match self.struct_at(target) {
                Some(decl) if std::ptr::eq(decl, of) => {
                    self.set_leaves(target, decl).map(|(places, _)| places)
                }
                _ => {
                    let message = format!("a message is a `{}`, but this is none", of.name.text);
                    let problem = Diagnostic::error(target.span, message);
                    self.wrong(problem.related(of.name.span, "declared here"), target.span)
                }
            },
            ([target, ..], _) => self.place(target).map(|place| vec![place]),
        };
        match places {
            Some(places) => self.perform(operation, places, span, into),
            None => self.wrong.push(span),
        }
    }

    /// An operation whose result goes to places without parts.
    pub(super) fn communicate_to(
        &mut self,
        operation: Operation<'f>,
        targets: Vec<PlaceExpr>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        self.communicate_leaves(operation, targets, None, span, into);
    }

    /// An operation whose result goes to the leaves of a struct, or to a variable without parts.
    pub(super) fn communicate_leaves(
        &mut self,
        operation: Operation<'f>,
        targets: Vec<PlaceExpr>,
        of: Option<&'f StructDecl>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        if let (Some((channel, ..)), Verb::Receive) = (&operation.of, operation.verb) {
            let fits = match (self.kind(channel.message), of) {
                (Kind::Struct(a), Some(b)) => std::ptr::eq(a, b),
                (Kind::Struct(_), None) => false,
                (_, of) => of.is_none(),
            };
            if !fits {
                let is = super::notes::type_text(channel.message);
                let problem =
                    Diagnostic::error(span, format!("a message of this channel is a `{is}`"));
                self.report(problem);
                self.wrong.push(span);
                return;
            }
        } else if operation.verb == Verb::Send || of.is_some() {
            let message = format!("`{}` has no such result", operation.verb.name());
            let hint = format!("write `{}`", operation.verb.example());
            self.report(Diagnostic::error(span, message).hint(hint));
            self.wrong.push(span);
            return;
        }
        self.perform(operation, targets, span, into);
    }

    /// The steps of an operation whose result goes to places without parts; to none if there are none.
    fn perform(
        &mut self,
        operation: Operation<'f>,
        results: Vec<PlaceExpr>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        let verb = operation.verb;
        let places = if verb == Verb::Receive { results.clone() } else { Vec::new() };
        let Some(parts) = self.parts_of(operation, places) else {
            self.wrong.push(span);
            return;
        };
        let plain = |kind| Stmt { labels: Vec::new(), kind, span };
        let truth = |b| Expr { kind: ExprKind::Bool(b), span };
        if verb.tries() {
            let mut done = parts.assign;
            let mut otherwise = Vec::new();
            if let (Some(result), StmtKind::Assign { targets, values, .. }) =
                (results.into_iter().next(), &mut done)
            {
                targets.push(result.clone());
                values.push(truth(true));
                otherwise.push(plain(StmtKind::Assign {
                    targets: vec![result],
                    values: vec![truth(false)],
                    constrain: None,
                }));
            }
            let kind =
                StmtKind::If { cond: Cond::Expr(parts.guard), then: vec![plain(done)], otherwise };
            self.in_one_step(vec![plain(kind)], span, into);
            return;
        }
        let step = vec![plain(StmtKind::Assume(parts.guard)), plain(parts.assign)];
        self.in_one_step(step, span, into);
        if let Some((guard, assign)) = parts.then {
            if let Some(&atomic) = self.atomics.last() {
                let message = "nobody can receive inside of `atomic`";
                let hint = "no other thread acts before the block ends, and the channel holds no messages: send before or \
                            after it, or let the channel hold some, as in `chan[1] int c;`";
                let problem = Diagnostic::error(span, message).hint(hint);
                self.report(problem.related(atomic, "inside of this block"));
                self.wrong.push(span);
                return;
            }
            let step = vec![plain(StmtKind::Assume(guard)), plain(assign)];
            self.in_one_step(step, span, into);
        }
    }

    /// Statements that are one step.
    fn in_one_step(&mut self, stmts: Vec<Stmt>, span: Span, into: &mut Vec<Stmt>) {
        match self.atomics.is_empty() {
            true => {
                into.push(Stmt { labels: Vec::new(), kind: StmtKind::Atomic(stmts), span });
            }
            false => into.extend(stmts),
        }
    }

    /// Tries an operation, and goes on with the first of two blocks if it was done (`negated`: if it was not), else with the second.
    pub(super) fn try_branch(
        &mut self,
        (operation, negated): (Operation<'f>, bool),
        [then, otherwise]: [Vec<Stmt>; 2],
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        let [yes, no, end] = ["yes", "no", "end"].map(|word| self.made_label(word, span));
        let Some(attempt) = self.attempt((operation, negated), [&yes, &no], span) else {
            into.extend(then);
            into.extend(otherwise);
            return;
        };
        let plain = |kind| Stmt { labels: Vec::new(), kind, span };
        into.push(attempt);
        into.push(Stmt { labels: vec![yes], kind: StmtKind::Block(then), span });
        into.push(plain(StmtKind::Goto(vec![end.clone()])));
        into.push(Stmt { labels: vec![no], kind: StmtKind::Block(otherwise), span });
        into.push(Stmt { labels: vec![end], kind: StmtKind::Empty, span });
    }

    /// Tries an operation again and again, and executes a block each time that it was done (`negated`: that it was not).
    pub(super) fn try_loop(
        &mut self,
        tried: (Operation<'f>, bool),
        body: Vec<Stmt>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) {
        let [again, end] = ["again", "end"].map(|word| self.made_label(word, span));
        let Some(attempt) = self.attempt(tried, [&again, &end], span) else {
            into.extend(body);
            return;
        };
        let body =
            vec![attempt, Stmt { labels: vec![again.clone()], kind: StmtKind::Block(body), span }];
        let always = Cond::Expr(Expr { kind: ExprKind::Bool(true), span });
        into.push(Stmt { labels: Vec::new(), kind: StmtKind::While { cond: always, body }, span });
        into.push(Stmt { labels: vec![end], kind: StmtKind::Empty, span });
    }

    /// Tries an operation in one step, and jumps to the first of two labels if it was done, else to the second; `negated`, the other way round.
    /// The test in it comes out as the condition does that was written.
    fn attempt(
        &mut self,
        (operation, negated): (Operation<'f>, bool),
        [yes, no]: [&crate::syntax::Name; 2],
        span: Span,
    ) -> Option<Stmt> {
        let parts = self.parts_of(operation, Vec::new());
        let Some(parts) = parts else {
            self.wrong.push(span);
            return None;
        };
        let plain = |kind| Stmt { labels: Vec::new(), kind, span };
        let goto = |label: &crate::syntax::Name| plain(StmtKind::Goto(vec![label.clone()]));
        let guard = parts.guard;
        let kind = match negated {
            false => StmtKind::If {
                cond: Cond::Expr(guard),
                then: vec![plain(parts.assign), goto(yes)],
                otherwise: vec![goto(no)],
            },
            true => StmtKind::If {
                cond: Cond::Expr(Expr {
                    span: guard.span,
                    kind: ExprKind::Unary(UnaryOp::Not, Box::new(guard)),
                }),
                then: vec![goto(yes)],
                otherwise: vec![plain(parts.assign), goto(no)],
            },
        };
        Some(plain(StmtKind::Atomic(vec![plain(kind)])))
    }

    /// The guards and assignments of a channel operation.
    fn parts_of(&mut self, operation: Operation<'f>, targets: Vec<PlaceExpr>) -> Option<Parts> {
        let Operation { verb, of, arg, swap, span } = operation;
        if let Some(swap) = swap {
            return self.swapped(&swap, span);
        }
        let (channel, found, place) = of?;
        if verb == Verb::Receive || verb == Verb::TryReceive {
            let targets = match (verb, arg) {
                (Verb::TryReceive, Some(arg)) => self.received_into(&arg, channel)?,
                _ => targets,
            };
            return Some(self.received(channel, &found, &place, targets, span));
        }
        debug_assert!(verb.sends());
        let arg = arg?;
        let values = match self.kind(channel.message) {
            Kind::Struct(decl) => self.value(&arg, decl)?,
            _ => vec![self.expr(&arg)],
        };
        if channel.meets() {
            if verb == Verb::TrySend {
                let message =
                    "nobody knows whether somebody receives: the channel holds no messages";
                let hint = "let it hold some, as in `chan[1] int c;`, or `send`, which waits";
                return self.wrong(Diagnostic::error(span, message).hint(hint), span);
            }
            self.is_steady(&found)?;
        }
        Some(self.sent(channel, &found, &place, values, span))
    }

    /// Where `tryreceive(c, x)` puts a message.
    fn received_into(&mut self, arg: &Expr, channel: Channel<'f>) -> Option<Vec<PlaceExpr>> {
        let ExprKind::Place(target) = &arg.kind else {
            self.expr(arg);
            let message = "`tryreceive` needs a variable for the message";
            let hint = "write `if tryreceive(c, x) { … }`";
            return self.wrong(Diagnostic::error(arg.span, message).hint(hint), arg.span);
        };
        match (self.kind(channel.message), self.struct_at(target)) {
            (Kind::Struct(of), Some(decl)) if std::ptr::eq(of, decl) => {
                Some(self.set_leaves(target, decl)?.0)
            }
            (Kind::Struct(of), _) => {
                let message = format!("a message is a `{}`, but this is none", of.name.text);
                let problem = Diagnostic::error(target.span, message);
                self.wrong(problem.related(of.name.span, "declared here"), target.span)
            }
            _ => Some(vec![self.place(target)?]),
        }
    }

    /// Reports an index that may change while a sender waits.
    fn is_steady(&mut self, found: &NamedPart<'f>) -> Option<()> {
        let mut shared = None;
        for index in &found.indices {
            walk::expressions(index, &mut |e| {
                if let ExprKind::Place(place) = &e.kind {
                    let name = place.name.text.split(['[', '.']).next().unwrap_or_default();
                    let is_local = self.scopes.iter().any(|scope| scope.contains_key(name));
                    // The numbers that a parameter stands for are local.
                    let is_made = name.contains('$');
                    if !is_local && !is_made && self.globals.contains_key(name) {
                        shared = Some(e.span);
                    }
                }
            });
        }
        let Some(span) = shared else { return Some(()) };
        let message = "this index may change while the thread waits";
        let hint = "copy it to a local variable before";
        self.wrong(Diagnostic::error(span, message).hint(hint), span)
    }

    /// The places of a message, of the one at a position where there are several.
    fn message(
        &self,
        channel: Channel<'f>,
        found: &NamedPart<'f>,
        place: &PlaceExpr,
        position: Option<Expr>,
    ) -> Vec<(PlaceExpr, Made<'f>)> {
        let leaves = self.leaves(channel.message).into_iter();
        let made = leaves.map(|leaf| {
            let brackets = if channel.room > 0 && !leaf.path.is_empty() { "[]" } else { "" };
            let mut one = leaf_place(found, &format!(".items{brackets}{}", leaf.path), place);
            one.indices.extend(position.clone());
            (one, leaf.ty)
        });
        made.collect()
    }

    fn sent(
        &self,
        channel: Channel<'f>,
        found: &NamedPart<'f>,
        place: &PlaceExpr,
        mut values: Vec<Expr>,
        span: Span,
    ) -> Parts {
        let length = leaf_place(found, ".length", place);
        let read = Expr { kind: ExprKind::Place(length.clone()), span };
        let binary = |op, right| binary(op, read.clone(), right, span);
        let position = (channel.room > 0).then(|| read.clone());
        let message = self.message(channel, found, place, position);
        let mut targets: Vec<PlaceExpr> = message.into_iter().map(|(place, _)| place).collect();
        targets.push(length.clone());
        if channel.room > 0 {
            values.push(binary(BinaryOp::Add, number(1, span)));
            let room = i32::try_from(channel.room).unwrap_or(i32::MAX);
            let guard = binary(BinaryOp::Lt, number(room, span));
            return Parts { guard, assign: set(targets, values), then: None };
        }
        values.push(number(1, span));
        let guard = binary(BinaryOp::Eq, number(0, span));
        let taken = binary(BinaryOp::Eq, number(2, span));
        let leave = set(vec![length], vec![number(0, span)]);
        Parts { guard, assign: set(targets, values), then: Some((taken, leave)) }
    }

    fn received(
        &self,
        channel: Channel<'f>,
        found: &NamedPart<'f>,
        place: &PlaceExpr,
        results: Vec<PlaceExpr>,
        span: Span,
    ) -> Parts {
        let length = leaf_place(found, ".length", place);
        let read = Expr { kind: ExprKind::Place(length.clone()), span };
        let at = |n: u32| (channel.room > 0).then(|| number(i32::try_from(n).unwrap_or(0), span));
        let value = |place: PlaceExpr| Expr { kind: ExprKind::Place(place), span };
        let (mut targets, mut values) = (Vec::new(), Vec::new());
        let oldest = self.message(channel, found, place, at(0));
        for (result, (item, _)) in results.into_iter().zip(oldest) {
            targets.push(result);
            values.push(value(item));
        }
        let last = channel.room.max(1) - 1;
        for n in 0..=last {
            let here = self.message(channel, found, place, at(n));
            let next = self.message(channel, found, place, at(n + 1));
            for ((here, ty), (next, _)) in here.into_iter().zip(next) {
                targets.push(here);
                values.push(match n < last {
                    true => value(next),
                    false => self.least_value(&ty, span),
                });
            }
        }
        targets.push(length);
        let (guard, after) = match channel.room > 0 {
            true => (
                binary(BinaryOp::Gt, read.clone(), number(0, span), span),
                binary(BinaryOp::Sub, read, number(1, span), span),
            ),
            false => (binary(BinaryOp::Eq, read, number(1, span), span), number(2, span)),
        };
        values.push(after);
        Parts { guard, assign: set(targets, values), then: None }
    }
}

/// The steps of an operation.
pub(super) struct Parts {
    /// The condition for the operation.
    pub guard: Expr,
    /// The assignment that is then made.
    pub assign: StmtKind,
    /// What the thread then waits for, and the assignment after that.
    pub then: Option<(Expr, StmtKind)>,
}

fn set(targets: Vec<PlaceExpr>, values: Vec<Expr>) -> StmtKind {
    StmtKind::Assign { targets, values, constrain: None }
}

fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
}
