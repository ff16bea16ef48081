//! Assignments and calls: the statements that begin with a name.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Span};

use super::Parser;
use super::called_elsewhere::is_name;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::Diagnostic;
use crate::cursor::Parsed;
use crate::foreign::{self, NO_POINTERS, Operation};
use crate::syntax::{Effect, EffectKind, Expr, ExprKind, PlaceExpr, StmtKind};

/// The most tokens of a lone condition that a message repeats.
pub(super) const LONGEST_CONDITION: usize = 20;

impl Parser<'_> {
    /// `x := e`, `x, y := f(e)`, `f(e)`, `x++` and so on, without the `;`.
    pub(super) fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        if let Some(reported) = self.no_foreign_word() {
            return Err(reported);
        }
        if let Some(length) = self.path_length() {
            return Err(self.path_call(length));
        }
        if let Some(hint) = self.generic_type() {
            return Err(self.expected_with_hint(Wanted::Statement, hint));
        }
        if let Some(hint) = foreign::beginning(self.tokens.current_text())
            && self.has_body_after_parens(1)
            && !self.is_unreadable_in_parens()
        {
            let error = self.no_word(self.tokens.span()).hint(hint);
            return Err(self.tokens.unexpected(error));
        }
        if self.tokens.peek_at(1) == Token::OpenParen {
            return Ok(StmtKind::Effect { targets: Vec::new(), effect: self.effect()? });
        }
        let first = self.place()?;
        if !matches!(self.peek(), Token::Assign | Token::Equal)
            && let Some(reported) = self.no_chosen_statements(first.span)
        {
            return Err(reported);
        }
        match self.peek() {
            Token::PlusPlus => self.step(first, BinaryOp::Add),
            Token::MinusMinus => self.step(first, BinaryOp::Sub),
            Token::PlusAssign => self.update(first, BinaryOp::Add),
            Token::MinusAssign => self.update(first, BinaryOp::Sub),
            Token::ForeignAssign => {
                let quote = self.tokens.current_text();
                let operator = quote.trim_end_matches('=');
                let place = self.tokens.text(first.span);
                let hint = format!("write `{place} := {place} {operator} …`");
                let message = format!("`{quote}` does not belong to the language");
                self.mistake(self.tokens.span(), message, hint);
                self.update(first, BinaryOp::Add)
            }
            Token::Less if self.tokens.peek_at(1) == Token::Minus => {
                Err(self.expected(Wanted::Assign))
            }
            Token::Minus if self.tokens.peek_at(1) == Token::Greater => {
                Err(self.expected(Wanted::Assign))
            }
            Token::Prime => Err(self.expected(Wanted::Assign)),
            Token::Not | Token::Question => {
                let macro_like =
                    (self.peek(), self.tokens.peek_at(1)) == (Token::Not, Token::OpenParen);
                let does = foreign::operation(&first.name.text).filter(|_| macro_like);
                let hint = match does {
                    Some(does) => does.advice(&[]),
                    None if macro_like => foreign::beginning(&first.name.text).map_or_else(
                        || "there are no macros: write a procedure".to_owned(),
                        str::to_owned,
                    ),
                    None => {
                        let channel = self.tokens.text(first.span);
                        let other = self.claim_from(1);
                        // `q!!1` and `q??x` do not take the messages in their order.
                        let other = if other.starts_with(['!', '?']) { "…" } else { other };
                        match self.peek() {
                            Token::Not => format!(
                                "write `send({channel}, {other});`, for a `chan[2] int {channel};`"
                            ),
                            _ => {
                                let target = if is_name(other) { other } else { "x" };
                                format!(
                                    "write `{target} := receive({channel});`, for a `chan[2] int {channel};`"
                                )
                            }
                        }
                    }
                };
                let message = match macro_like {
                    true => format!("there is no macro `{}`", first.name.text),
                    false => format!("{} is no operation on a channel", self.tokens.quote()),
                };
                let error = Diagnostic::error(self.tokens.span(), message).hint(hint);
                let error = self.begun_elsewhere().unwrap_or(error);
                Err(self.unexpected(error))
            }
            _ => self.assignment(first),
        }
    }

    /// `call f(e)`, `call x, y := f(e)`, after `call`.
    pub(super) fn call(&mut self) -> Parsed<StmtKind> {
        if self.peek() != Token::Name {
            return Err(self.expected(Wanted::Call));
        }
        let start = self.tokens.span();
        let statement = self.assignment_or_call()?;
        if !matches!(statement, StmtKind::Effect { .. }) {
            let span = start.to(self.tokens.previous());
            let word = Span { start: start.start.saturating_sub(5), end: start.start };
            let error = Diagnostic::error(span, "this is not a call").hint("leave out `call`");
            let is_word = self.tokens.text(word) == "call ";
            self.tokens.report(if is_word { error.fixed_by(word, "") } else { error });
        }
        Ok(statement)
    }

    /// The rest of an assignment after its first target.
    fn assignment(&mut self, first: PlaceExpr) -> Parsed<StmtKind> {
        if let Some(reported) = self.joined_assignments(first.span) {
            return Err(reported);
        }
        let mut targets = vec![first];
        while self.eat(Token::Comma) {
            targets.push(self.place()?);
        }
        self.assign_sign(&targets)?;
        let (value, effect) = self.expr_or_effect()?;
        match effect {
            // A call is one of several values then.
            Some(Effect { kind: EffectKind::Call(..), .. }) if self.peek() == Token::Comma => {}
            Some(effect) if self.peek() == Token::Comma => self.refuse_effect(&effect),
            Some(effect) => return Ok(StmtKind::Effect { targets, effect }),
            None => {}
        }
        let mut values = vec![value];
        while self.eat(Token::Comma) {
            values.push(self.expr()?);
        }
        let constrain = match self.eat(Token::Constrain) {
            true => Some(self.expr()?),
            false => None,
        };
        self.no_named_value()?;
        Ok(StmtKind::Assign { targets, values, constrain })
    }

    /// Reports `pair{1, 2}` and `(pair){1, 2}`, at the brace.
    pub(super) fn no_named_value(&mut self) -> Parsed<()> {
        if self.peek() != Token::OpenBrace || self.tokens.on_new_line() {
            return Ok(());
        }
        let hint = "the value of a struct stands without its name: `x := {1, 2};`";
        Err(self.expected_or(Wanted::Semicolon, hint))
    }

    /// The number of tokens up to the end of a lone condition.
    fn condition_end(&self) -> usize {
        let ends = |ahead: &usize| {
            self.is_arrow(*ahead)
                || matches!(
                    self.tokens.peek_at(*ahead),
                    Token::Semicolon
                        | Token::Comma
                        | Token::OpenBrace
                        | Token::CloseBrace
                        | Token::End
                )
        };
        (1..LONGEST_CONDITION).find(ends).unwrap_or(LONGEST_CONDITION)
    }

    /// Whether `->` stands `ahead` tokens after the current one.
    fn is_arrow(&self, ahead: usize) -> bool {
        (self.tokens.peek_at(ahead), self.tokens.peek_at(ahead + 1))
            == (Token::Minus, Token::Greater)
    }

    /// Whether the condition that stands here is a guard, `n == 1 -> …`.
    fn is_guard(&self) -> bool {
        self.is_arrow(self.condition_end())
    }

    /// Whether something in the parentheses after the current token was reported.
    fn is_unreadable_in_parens(&self) -> bool {
        let inside = (2..).map(|ahead| self.tokens.peek_at(ahead));
        let mut inside = inside.take_while(|token| !matches!(token, Token::OpenBrace | Token::End));
        inside.any(|token| token == Token::Unreadable)
    }

    /// What to write in the place of a condition that begins there and stands alone.
    fn waits_or_checks(&self, start: Span) -> String {
        let last = self.tokens.span_at(self.condition_end() - 1);
        let condition = self.tokens.text(start.to(last));
        format!(
            "`assume {condition};` waits until it holds, `assert {condition};` checks that it does"
        )
    }

    /// `:=`, or what is often written in its place.
    fn assign_sign(&mut self, targets: &[PlaceExpr]) -> Parsed<()> {
        let span = self.tokens.span();
        match self.peek() {
            Token::Assign => {}
            Token::Equal if self.tokens.peek_at(1) == Token::Colon => {
                let both = span.to(self.tokens.span_at(1));
                self.replaceable(both, "`=:` does not assign", "write := to assign", ":=");
                self.tokens.bump();
            }
            Token::Equal => {
                self.replaceable(span, "`=` does not assign", "write := to assign", ":=");
            }
            token
                if matches!(
                    token,
                    Token::Less | Token::AtMost | Token::Greater | Token::AtLeast | Token::NotEqual
                ) || token == Token::EqualEqual && self.is_guard() =>
            {
                let hint = self.waits_or_checks(targets.first().map_or(span, |place| place.span));
                let error = Diagnostic::error(span, "a comparison is not a statement").hint(hint);
                return Err(self.tokens.unexpected(error));
            }
            Token::EqualEqual => {
                let hint = self.waits_or_checks(targets.first().map_or(span, |place| place.span));
                let hint = format!("{hint}; `:=` assigns");
                self.mistake(span, "a comparison is not a statement", hint);
            }
            _ if targets.len() == 1 => {
                if let Some(error) = self.misspelt_beginning() {
                    return Err(self.tokens.unexpected(error));
                }
                let name = &targets[0].name.text;
                let is_alone =
                    matches!(self.peek(), Token::Semicolon | Token::CloseBrace | Token::Number);
                let does = foreign::operation(name)
                    .filter(|does| is_alone || *does == Operation::Print)
                    .map(|does| does.advice(&[]));
                if let Some(does) = does {
                    let message = format!("there is no `{name}` statement");
                    let error = Diagnostic::error(targets[0].span, message).hint(does);
                    let error = self.begun_elsewhere().unwrap_or(error);
                    return Err(self.unexpected(error));
                }
                let hint = self.foreign_beginning().map(str::to_owned);
                let declares = self.peek() == Token::Star && foreign::ty(name).is_some();
                let hint = hint.or_else(|| declares.then(|| NO_POINTERS.to_owned()));
                if let Some(hint) = hint {
                    return Err(self.expected_with_hint(Wanted::Assign, hint));
                }
                let hint = format!(
                    "`{name} := value;` assigns, `{name}(…);` calls, `assume {name};` waits until it holds"
                );
                return Err(self.expected_or(Wanted::Assign, &hint));
            }
            _ => return Err(self.expected(Wanted::CommaOrAssign)),
        }
        self.tokens.bump();
        Ok(())
    }

    /// `x++` and `x--`.
    fn step(&mut self, place: PlaceExpr, op: BinaryOp) -> Parsed<StmtKind> {
        let span = self.tokens.bump();
        let one = Expr { kind: ExprKind::Int(BigInt::from(1)), span };
        self.combine(place, op, one)
    }

    /// `x += e` and `x -= e`.
    fn update(&mut self, place: PlaceExpr, op: BinaryOp) -> Parsed<StmtKind> {
        self.tokens.bump();
        let amount = self.expr()?;
        self.combine(place, op, amount)
    }

    /// The assignment `place := place op value`.
    fn combine(&mut self, place: PlaceExpr, op: BinaryOp, value: Expr) -> Parsed<StmtKind> {
        if let Some(choice) = place.all_indices().find_map(find_choice) {
            let hint = "choose the index first: `i := *;`";
            self.mistake(choice, "this index would be chosen twice", hint);
        }
        let span = place.span.to(value.span);
        let read = Expr { kind: ExprKind::Place(place.clone()), span: place.span };
        let kind = ExprKind::Binary(op, Box::new(read), Box::new(value));
        let values = vec![Expr { kind, span }];
        Ok(StmtKind::Assign { targets: vec![place], values, constrain: None })
    }
}

/// Where a free choice is made in an expression.
pub(crate) fn find_choice(expr: &Expr) -> Option<Span> {
    let among = |list: &[Expr]| list.iter().find_map(find_choice);
    match &expr.kind {
        ExprKind::Any
        | ExprKind::Fair
        | ExprKind::Braces(_)
        | ExprKind::Between(..)
        | ExprKind::Schoose(..) => Some(expr.span),
        ExprKind::Place(place) | ExprKind::Primed(place) => {
            place.all_indices().find_map(find_choice)
        }
        ExprKind::Call(_, args) => among(args),
        ExprKind::Unary(_, inner) | ExprKind::Convert(_, inner) => find_choice(inner),
        ExprKind::Binary(_, left, right) => find_choice(left).or_else(|| find_choice(right)),
        ExprKind::IfThenElse(cond, then, otherwise) => {
            [cond, then, otherwise].into_iter().find_map(|e| find_choice(e))
        }
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::NoThread
        | ExprKind::Quantified { .. }
        | ExprKind::LocalOf(..)
        | ExprKind::At(..) => None,
    }
}
