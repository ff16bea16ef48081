//! # Statements that are made of others
//! `for` loops and guarded choices. What stands behind the parser knows `while`, `goto` and `atomic` only, so that nothing
//! else has to say what these mean.
//!
//! - `for (init; c; step) body` is `{ init; while c { body; step } }`, and `continue` in it jumps to the step.
//! - `either when g { a } or when h { b }` chooses among the branches whose guards hold, in one step: an atomic block tests a
//!   guard and jumps to its branch. If none holds, nothing of it happens, and the thread waits in front of it.
//!
//! Labels have the place in the text in their names, so that there are no two alike.

use selvedge_program::Span;

use super::elsewhere::LONGEST_ADVICE;
use super::lexer::Token;
use super::wanted::Wanted;
use super::{Parser, STEP_HINT};
use crate::Diagnostic;
use crate::cursor::Parsed;
use crate::syntax::{Cond, Expr, ExprKind, Name, Stmt, StmtKind};

/// What a branch needs to be chosen, and what it does.
type Branch = (Option<Stmt>, Vec<Stmt>);

impl Parser<'_> {
    /// Whether a `for` loop stands here, and no call of a procedure of that name: there is a `;` in its parentheses.
    pub(super) fn at_for(&self) -> bool {
        if self.tokens.current_text() != "for" || self.tokens.peek_at(1) != Token::OpenParen {
            return false;
        }
        let mut open = 0_usize;
        for ahead in 1.. {
            match self.tokens.peek_at(ahead) {
                Token::OpenParen => open += 1,
                Token::CloseParen => open -= 1,
                Token::Semicolon => return open == 1,
                Token::End | Token::OpenBrace | Token::CloseBrace => return false,
                _ => {}
            }
            if open == 0 {
                return false;
            }
        }
        false
    }

    /// `for (int i := 0; i < 3; i++) { … }`
    pub(super) fn for_statement(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.tokens.bump();
        let open = self.tokens.bump();
        let mut all = Vec::new();
        if !self.eat(Token::Semicolon) {
            self.statement(&mut all)?;
        }
        let cond = match self.peek() {
            Token::Semicolon => Cond::Expr(truth(start)),
            _ => self.cond()?,
        };
        self.expect(Token::Semicolon, Wanted::Semicolon)?;
        let step = match self.peek() {
            Token::CloseParen => None,
            Token::PlusPlus | Token::MinusMinus => {
                return Err(self.expected_with_hint(Wanted::Variable, STEP_HINT));
            }
            _ => {
                let begin = self.tokens.span();
                let kind = self.assignment_or_call()?;
                Some((kind, begin.to(self.tokens.previous())))
            }
        };
        if self.peek() == Token::Comma {
            let hint = "one statement stands here: write the others at the end of the block";
            return Err(self.expected_with_hint(Wanted::CloseParen, hint));
        }
        let close = self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        let mut body = vec![block(self.loop_body("for", self.tokens.indentation(start))?, start)];
        if let Some((kind, span)) = step {
            self.doubt_counter(&all, &cond, &body, &kind);
            let next = made("next", start, 0);
            let jumps = redirect(&mut body, &next);
            let labels = if jumps { vec![next] } else { Vec::new() };
            body.push(Stmt { labels, kind, span });
        }
        let span = start.to(close);
        all.push(Stmt { labels: Vec::new(), kind: StmtKind::While { cond, body }, span });
        into.push(Stmt { labels, kind: StmtKind::Block(all), span });
        Ok(())
    }

    /// `either { … } or { … }`, `either when g { … } or when h { … }`
    pub(super) fn either(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        // After `if (c)`, an `else` belongs to the `if`.
        let is_alone = matches!(
            self.tokens.peek_before(),
            Token::Semicolon | Token::OpenBrace | Token::CloseBrace
        );
        let span = self.tokens.bump();
        let mut branches = vec![self.guarded(true)?];
        let is_worded = self.tokens.peek_before() != Token::CloseBrace;
        while self.eat(Token::OrWord) || is_alone && self.eat_else(&branches) {
            branches.push(self.guarded(!is_worded)?);
        }
        let kind = match branches.iter().any(|(guard, _)| guard.is_some()) {
            true => StmtKind::Block(guarded_choice(branches, span)),
            false => StmtKind::Choose(branches.into_iter().map(|(_, body)| body).collect()),
        };
        into.push(Stmt { labels, kind, span });
        Ok(())
    }

    /// Moves past `else` after these branches, and reports it.
    fn eat_else(&mut self, branches: &[Branch]) -> bool {
        if self.peek() != Token::Else || self.tokens.peek_at(1) != Token::OpenBrace {
            return false;
        }
        let word = self.tokens.bump();
        let error = Diagnostic::error(word, "`or` stands between the branches of `either`");
        let guards: Option<Vec<String>> = branches
            .iter()
            .map(|(guard, _)| Some(format!("!({})", self.tokens.text(guard.as_ref()?.span))))
            .collect();
        let guards = guards.map(|guards| guards.join(" && "));
        self.tokens.report_behind(match guards.filter(|g| g.len() < LONGEST_ADVICE) {
            // A message that may be sent or received is no condition.
            Some(guards) if !guards.contains("send(") && !guards.contains("receive(") => {
                let hint = format!("write `or when {guards}`: a branch without a guard is always possible");
                error.hint(hint).fixed_by(word, format!("or when {guards}"))
            }
            _ => {
                let hint = "write `or`: one of the branches is chosen freely; `if c { … } else { … }` tests";
                error.hint(hint).fixed_by(word, "or")
            }
        });
        true
    }

    /// A branch, and what it needs to be chosen.
    fn guarded(&mut self, reports: bool) -> Parsed<Branch> {
        let guard = match self.peek() == Token::Name && self.tokens.current_text() == "when" {
            true => {
                self.tokens.bump();
                Some(self.guard()?)
            }
            false => None,
        };
        if self.peek() != Token::OpenBrace {
            let hint = match self.peek() {
                Token::OpenParen => {
                    "a condition stands after `when`: `either when g { … } or when h { … }`"
                }
                Token::Else => {
                    "a branch for all other cases says which these are: `either when g { … } or when !g { … }`"
                }
                _ => "braces stand round each branch: `either { … } or { … }`",
            };
            let in_words = self.at_statement() && !self.at_item();
            if reports || !in_words {
                let reported = self.expected_or(Wanted::OpenBrace, hint);
                if !in_words {
                    return Err(reported);
                }
            }
            // `either x := 1; or x := 2; end either;`
            return Ok((guard, self.rest_of_word_block()?));
        }
        Ok((guard, self.block()?))
    }

    /// Parses a guard: a condition, or a message that has to be sent or received: `send(c, 1)`, `x := receive(c)`.
    fn guard(&mut self) -> Parsed<Stmt> {
        let start = self.tokens.span();
        let mut targets = Vec::new();
        let communicates = |word: &str| matches!(word, "send" | "receive");
        let mut is_message =
            communicates(self.tokens.current_text()) && self.tokens.peek_at(1) == Token::OpenParen;
        if !is_message {
            if !self.is_assigned() {
                return Ok(guard_of(self.expr()?));
            }
            targets.push(self.place()?);
            self.expect(Token::Assign, Wanted::Assign)?;
            is_message = communicates(self.tokens.current_text());
        }
        if !is_message {
            let hint = "a guard is a condition, or receives a message: `when x := receive(c)`";
            return Err(self.expected_with_hint(Wanted::Receive, hint));
        }
        self.has_parts = true;
        let effect = self.effect()?;
        let span = start.to(self.tokens.previous());
        let kind = StmtKind::Effect { targets, effect };
        Ok(Stmt { labels: Vec::new(), kind, span })
    }
}

impl Parser<'_> {
    /// Whether a name stands here, and `:=` before the next `{`.
    fn is_assigned(&self) -> bool {
        if self.peek() != Token::Name {
            return false;
        }
        let mut following = (1..).map(|ahead| self.tokens.peek_at(ahead));
        let ends = |token: &Token| {
            matches!(
                token,
                Token::Assign
                    | Token::OpenBrace
                    | Token::CloseBrace
                    | Token::Semicolon
                    | Token::End
            )
        };
        following.find(ends) == Some(Token::Assign)
    }
}

/// A choice among the branches whose guards hold.
fn guarded_choice(branches: Vec<Branch>, span: Span) -> Vec<Stmt> {
    let plain = |kind, span| Stmt { labels: Vec::new(), kind, span };
    let end = made("end", span, 0);
    let mut ways = Vec::new();
    let mut bodies = Vec::new();
    let last = branches.len();
    for (number, (guard, body)) in (1..).zip(branches) {
        let guard = guard.unwrap_or_else(|| guard_of(truth(span)));
        let way = made("when", span, number);
        let place = guard.span;
        ways.push(vec![guard, plain(StmtKind::Goto(vec![way.clone()]), place)]);
        bodies.push(Stmt { labels: vec![way], kind: StmtKind::Block(body), span });
        if number < last {
            bodies.push(plain(StmtKind::Goto(vec![end.clone()]), span));
        }
    }
    let choice = plain(StmtKind::Choose(ways), span);
    let mut all = vec![plain(StmtKind::Atomic(vec![choice]), span)];
    all.append(&mut bodies);
    all.push(Stmt { labels: vec![end], kind: StmtKind::Empty, span });
    all
}

/// Makes jumps to a label of what goes on with the loop round these statements; says whether there are any.
fn redirect(body: &mut [Stmt], next: &Name) -> bool {
    let mut found = false;
    for stmt in body {
        found |= match &mut stmt.kind {
            StmtKind::Continue => {
                stmt.kind = StmtKind::Goto(vec![next.clone()]);
                true
            }
            StmtKind::Block(inner) | StmtKind::Atomic(inner) => redirect(inner, next),
            StmtKind::If { then, otherwise, .. } => {
                redirect(then, next) | redirect(otherwise, next)
            }
            StmtKind::Choose(branches) => {
                branches.iter_mut().fold(false, |found, b| redirect(b, next) | found)
            }
            _ => false,
        };
    }
    found
}

/// A label that is written nowhere.
fn made(word: &str, at: Span, number: usize) -> Name {
    let text = match number {
        0 => format!("{word}${}", at.start),
        _ => format!("{word}${}${number}", at.start),
    };
    Name { text, span: Span { start: at.start, end: at.start } }
}

/// A condition that has to hold.
fn guard_of(condition: Expr) -> Stmt {
    let span = condition.span;
    Stmt { labels: Vec::new(), kind: StmtKind::Assume(condition), span }
}

fn truth(span: Span) -> Expr {
    Expr { kind: ExprKind::Bool(true), span }
}

fn block(body: Vec<Stmt>, span: Span) -> Stmt {
    Stmt { labels: Vec::new(), kind: StmtKind::Block(body), span }
}
