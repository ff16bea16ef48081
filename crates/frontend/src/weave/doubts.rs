//! # Warnings
//! What can be read, and is probably not meant so by whoever comes from another language: a `;` right behind `if (c)`, a second statement that is indented
//! as if it belonged to a loop. A program that is meant as it stands is laid out otherwise, so nobody is warned of it.

use selvedge_program::{BinaryOp, Span};

use super::Parser;
use super::lexer::Token;
use crate::Diagnostic;
use crate::syntax::{Cond, ExprKind, Stmt, StmtKind, TypeKind};

impl Parser<'_> {
    /// Notes what may not be meant as it is written.
    pub(super) fn doubt(
        &mut self,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.doubts.push(Diagnostic::warning(span, message).hint(hint));
    }

    /// Where the only statement begins that belongs to an `if` or a loop, if it stands without braces on a line of its own.
    pub(super) fn only_statement(&self) -> Option<Span> {
        let plain = !matches!(self.peek(), Token::OpenBrace | Token::Semicolon);
        (plain && self.tokens.on_new_line()).then(|| self.tokens.span())
    }

    /// The `;` right behind the condition of an `if` or a loop.
    pub(super) fn empty_body(&self) -> Option<Span> {
        let alone = self.tokens.span();
        (self.peek() == Token::Semicolon && self.tokens.previous().end == alone.start)
            .then_some(alone)
    }

    /// Warns of a `;` that ends an `if` or a loop before what seems to be its body.
    pub(super) fn doubt_body(&mut self, alone: Span, word: &str) {
        let message = format!("this `;` is all that belongs to the `{word}`");
        let hint = "leave it out if what follows belongs to it; write `{ }` if nothing does";
        self.doubt(alone, message, hint);
    }

    /// Warns of a `;` right behind an `else` on whose line more follows.
    pub(super) fn doubt_else(&mut self, word: Span) {
        let alone = self.tokens.span();
        let next = self.tokens.peek_at(1);
        let follows = !matches!(next, Token::CloseBrace | Token::End)
            && self.tokens.is_on_one_line(alone.to(self.tokens.span_at(1)));
        if self.peek() == Token::Semicolon && word.end == alone.start && follows {
            self.doubt_body(alone, "else");
        }
    }

    /// Warns of `for (int[0..3] i := 0; i <= 3; i++)`, which ends when `i` is 4: that is no value of its type.
    pub(super) fn doubt_counter(
        &mut self,
        init: &[Stmt],
        cond: &Cond,
        body: &[Stmt],
        step: &StmtKind,
    ) {
        let [Stmt { kind: StmtKind::Local(counter), .. }] = init else { return };
        let (TypeKind::Range(low, high), Cond::Expr(cond)) = (&counter.ty.kind, cond) else {
            return;
        };
        let ExprKind::Binary(op, left, last) = &cond.kind else { return };
        let StmtKind::Assign { targets, values, .. } = step else { return };
        let ([target], [value]) = (targets.as_slice(), values.as_slice()) else { return };
        let ExprKind::Binary(BinaryOp::Add, _, one) = &value.kind else { return };
        let name = &counter.name.text;
        let is_counter = left.brief().as_ref() == Some(name) && target.name.text == *name;
        let (Some(high), Some(last), Some(low)) = (high.brief(), last.brief(), low.brief()) else {
            return;
        };
        let after = match high.parse::<i64>() {
            Ok(high) => high.saturating_add(1).to_string(),
            Err(_) => format!("{high} + 1"),
        };
        let is_too_far = match op {
            BinaryOp::Le => last == high,
            BinaryOp::Lt => last == after,
            _ => false,
        };
        if !is_counter || !is_too_far || one.brief().as_deref() != Some("1") || may_leave(body) {
            return;
        }
        let message =
            format!("this loop ends when `{name}` is {after}, which does not fit its type");
        self.doubt(counter.ty.span, message, format!("declare `int[{low}..{after}] {name}`"));
    }

    /// Warns of a statement that stands below the only one of an `if` or a loop as if it belonged to it, too: as far to the right, and
    /// farther than the `if`.
    pub(super) fn doubt_indentation(&mut self, only: Span, outer: Option<usize>, word: &str) {
        let here = self.tokens.span();
        let column = self.tokens.indentation(here);
        let is_below = self.at_statement() && self.peek() != Token::Semicolon && column.is_some();
        if is_below && column == self.tokens.indentation(only) && outer < column && outer.is_some()
        {
            let message = format!("this does not belong to the `{word}` above it");
            let hint = "write braces round both: `{ … }`; or indent this less";
            self.doubt(here, message, hint);
        }
    }
}

/// Whether statements may leave the loop that they are in, but for its condition.
fn may_leave(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::EndThread => true,
        StmtKind::Block(inner) | StmtKind::Atomic(inner) => may_leave(inner),
        StmtKind::While { body, .. } => may_leave(body),
        StmtKind::If { then, otherwise, .. } => may_leave(then) || may_leave(otherwise),
        StmtKind::Choose(branches) => branches.iter().any(|branch| may_leave(branch)),
        _ => false,
    })
}
