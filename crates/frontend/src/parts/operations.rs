//! # What is done with channels, as it is written
//! **Question.** Is `send(c, e)` an operation on a channel, on which one, and may it stand there?
//!
//! **Idea.** `send`, `receive`, `trysend` and `tryreceive` are operations unless a procedure is called so. The channel is the first argument; what is wrong with it is reported here,
//! and leaves an operation without a channel. `channels` says what the steps of an operation are.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Span, UnaryOp};

use super::Writer;
use super::places::{Meaning, NamedPart};
use super::shapes::{Channel, Kind};
use super::swaps::Swap;
use crate::Diagnostic;
use crate::syntax::{Cond, Effect, EffectKind, Expr, ExprKind, PlaceExpr, TypeExpr};

/// The most messages that a channel holds.
const MOST_MESSAGES: u32 = 64;

/// Something that is done with a channel.
pub(super) struct Operation<'f> {
    pub(super) verb: Verb,
    /// The channel; nothing after a mistake that was reported.
    pub(super) of: Option<(Channel<'f>, NamedPart<'f>, PlaceExpr)>,
    /// The value to send, or the place for a received message.
    pub(super) arg: Option<Expr>,
    /// The struct that is compared and swapped, in the place of a channel.
    pub(super) swap: Option<Swap>,
    pub(super) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    Send,
    Receive,
    TrySend,
    TryReceive,
    /// `cas` of a whole struct.
    Swap,
}

impl Verb {
    pub(super) fn of(name: &str) -> Option<Verb> {
        Some(match name {
            "send" => Verb::Send,
            "receive" => Verb::Receive,
            "trysend" => Verb::TrySend,
            "tryreceive" => Verb::TryReceive,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Verb::Send => "send",
            Verb::Receive => "receive",
            Verb::TrySend => "trysend",
            Verb::TryReceive => "tryreceive",
            Verb::Swap => "cas",
        }
    }

    pub(super) fn example(self) -> &'static str {
        match self {
            Verb::Send => "send(c, 1);",
            Verb::Receive => "x := receive(c);",
            Verb::TrySend => "b := trysend(c, 1);",
            Verb::TryReceive => "if tryreceive(c, x) { … }",
            Verb::Swap => "b := cas(x, old, new);",
        }
    }

    pub(super) fn tries(self) -> bool {
        matches!(self, Verb::TrySend | Verb::TryReceive | Verb::Swap)
    }

    pub(super) fn sends(self) -> bool {
        matches!(self, Verb::Send | Verb::TrySend)
    }
}

impl Operation<'_> {
    /// One with a mistake that was reported.
    pub(super) fn wrong(verb: Verb, span: Span) -> Self {
        Operation { verb, of: None, arg: None, swap: None, span }
    }
}

impl<'f> Writer<'f> {
    /// Reports what is wrong with the type of a channel; says whether nothing is.
    pub(super) fn check_channel(&mut self, ty: &'f TypeExpr) -> bool {
        let crate::syntax::TypeKind::Channel { capacity, message } = &ty.kind else { return true };
        let before = self.problems.len();
        if let Some(capacity) = capacity
            && self.room(Some(capacity)).is_none()
        {
            let message = "a channel cannot hold that many messages";
            let hint =
                format!("write a constant from 0 to {MOST_MESSAGES}, as in `chan[2] int c;`");
            self.report(Diagnostic::error(capacity.span, message).hint(hint));
            self.wrong.push(capacity.span);
        }
        if let Some((_, word)) = self.without_value(message) {
            let problem = Diagnostic::error(message.span, format!("a {word} cannot be sent"));
            self.report(problem.hint("send an index, or another value that says which one"));
            self.wrong.push(message.span);
        } else {
            self.is_handed(message, message.span, "a message");
        }
        self.problems.len() == before
    }

    /// How many messages a channel of this capacity holds; nothing if that is wrong.
    pub(super) fn room(&self, capacity: Option<&Expr>) -> Option<u32> {
        let Some(capacity) = capacity else { return Some(0) };
        let room = self.constant(capacity, 0)?;
        u32::try_from(room).ok().filter(|room| *room <= MOST_MESSAGES)
    }

    /// The value of a constant that is made of numbers and names.
    fn constant(&self, expr: &Expr, depth: u32) -> Option<BigInt> {
        if depth > 50 {
            return None;
        }
        match &expr.kind {
            ExprKind::Int(n) => Some(n.clone()),
            ExprKind::Place(place) if place.indices.is_empty() && place.members.is_empty() => {
                let name = place.name.text.as_str();
                let given = self.given_consts.get(name).cloned();
                given.or_else(|| self.constant(self.consts.get(name)?, depth + 1))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a, depth + 1)?, self.constant(b, depth + 1)?);
                match op {
                    BinaryOp::Add => Some(a + b),
                    BinaryOp::Sub => Some(a - b),
                    BinaryOp::Mul => Some(a * b).filter(|product| product.bits() < 1000),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The channel operation of an effect, if it is one; a mistake in it is reported.
    pub(super) fn operation(&mut self, effect: &Effect) -> Option<Operation<'f>> {
        if let Some(swap) = self.swap(effect) {
            return Some(swap);
        }
        let EffectKind::Call(name, args) = &effect.kind else { return None };
        let verb = Verb::of(&name.text)?;
        if self.procs.contains_key(name.text.as_str()) {
            return None;
        }
        let (Some(ExprKind::Place(place)), wanted) =
            (args.first().map(|arg| &arg.kind), if verb == Verb::Receive { 1 } else { 2 })
        else {
            let problem =
                Diagnostic::error(effect.span, format!("`{}` needs a channel", verb.name()));
            let hint = self.used_like(verb, args.get(1).into_iter().chain(args.first()));
            self.report(problem.hint(hint));
            self.wrong.push(effect.span);
            return Some(Operation::wrong(verb, effect.span));
        };
        let found = match self.meaning(place) {
            Meaning::Part(found) => Some(found),
            Meaning::Wrong => None,
            Meaning::Other => match self.lookup(&place.name.text) {
                Some(variable) => {
                    let problem = Diagnostic::error(
                        place.span,
                        format!(
                            "`{}` needs a channel, but `{}` is none",
                            verb.name(),
                            place.name.text
                        ),
                    );
                    let declared = variable.declared;
                    let hint = "channels are shared variables: `chan[2] int c;`";
                    self.report(problem.related(declared, "declared here").hint(hint));
                    None
                }
                None => {
                    let message = format!("there is no channel `{}`", place.name.text);
                    let hint = format!("declare it, as in `chan[2] int {};`", place.name.text);
                    self.report(Diagnostic::error(place.span, message).hint(hint));
                    None
                }
            },
        };
        self.wrong.push(effect.span);
        let Some(found) = found else { return Some(Operation::wrong(verb, effect.span)) };
        let Kind::Channel(channel) = found.kind else {
            if !matches!(found.kind, Kind::Wrong) {
                let message = format!("`{}` needs a channel, and this is none", verb.name());
                let hint = "channels are shared variables: `chan[2] int c;`";
                let problem = Diagnostic::error(place.span, message).hint(hint);
                self.report(problem.related(found.declared, "declared here"));
            }
            return Some(Operation::wrong(verb, effect.span));
        };
        if args.len() != wanted || found.missing() > 0 || found.asked.is_some() {
            let message = match found.missing() {
                0 => format!("`{}` is not used like this", verb.name()),
                _ => "this is an array of channels; one of them is wanted here".to_owned(),
            };
            let problem = Diagnostic::error(effect.span, message);
            let hint = match found.missing() {
                0 => self.used_like(verb, args.iter()),
                _ => format!("write `{}`", verb.example()),
            };
            self.report(problem.hint(hint));
            return Some(Operation::wrong(verb, effect.span));
        }
        if self.one_choice(found.indices.iter()).is_none() {
            return Some(Operation::wrong(verb, effect.span));
        }
        self.wrong.pop();
        let arg = args.get(1).cloned();
        let (place, span) = (place.clone(), effect.span);
        Some(Operation { verb, of: Some((channel, found, place)), arg, swap: None, span })
    }

    /// How an operation is written, with a channel and what may be its message, if that is clear.
    fn used_like<'e>(&self, verb: Verb, mut args: impl Iterator<Item = &'e Expr>) -> String {
        let usual = || format!("write `{}`", verb.example());
        let Some(ExprKind::Place(channel)) = args.next().map(|arg| &arg.kind) else {
            return usual();
        };
        let is_channel =
            matches!(self.lookup(&channel.name.text).map(|v| v.kind), Some(Kind::Channel(_)));
        let channel = &channel.name.text;
        let message = args.next().and_then(Expr::brief);
        match (verb, message) {
            _ if !is_channel => usual(),
            (Verb::Send, Some(message)) => format!("write `send({channel}, {message});`"),
            (Verb::Send, None) => format!("write `send({channel}, 1);`"),
            (Verb::Receive, Some(target)) => format!("write `{target} := receive({channel});`"),
            (Verb::Receive, None) => format!("write `x := receive({channel});`"),
            _ => usual(),
        }
    }

    /// The channel operation that a condition tries, and whether it is negated.
    pub(super) fn tried(&mut self, cond: &Cond) -> Option<(Operation<'f>, bool)> {
        let call = |expr: &Expr| match &expr.kind {
            ExprKind::Call(name, args) => {
                let kind = EffectKind::Call(name.clone(), args.clone());
                Some(Effect { kind, span: expr.span })
            }
            _ => None,
        };
        let (effect, negated) = match cond {
            Cond::Effect { effect, negated } => (effect.clone(), *negated),
            Cond::Expr(expr) => match &expr.kind {
                ExprKind::Unary(UnaryOp::Not, inner) => (call(inner)?, true),
                _ => (call(expr)?, false),
            },
        };
        let mut operation = self.operation(&effect)?;
        if !operation.verb.tries() && operation.of.is_some() {
            let verb = operation.verb.name();
            let message = format!("`{verb}` waits until it is done, and is no condition");
            let hint = format!("`try{verb}` says whether it was done");
            self.report(Diagnostic::error(effect.span, message).hint(hint));
            operation.of = None;
        }
        Some((operation, negated))
    }

    /// Reports an operation on a channel inside of an expression; says whether it is one.
    pub(super) fn is_inside_expression(&mut self, name: &str, span: Span) -> bool {
        let Some(verb) = Verb::of(name) else { return false };
        if self.procs.contains_key(name) {
            return false;
        }
        let message = format!("`{}` cannot stand inside of an expression", verb.name());
        let hint = format!("it is a step of its own: `{}`", verb.example());
        self.report(Diagnostic::error(span, message).hint(hint));
        true
    }
}
