//! Operands of operators, and effects.

use num_bigint::BigInt;
use selvedge_program::{Quantifier, Span};

use super::declarations::bound;
use super::lexer::{Token, is_reserved};
use super::misplaced::NO_ADDRESSES;
use super::wanted::Wanted;
use super::{Parser, STEP_HINT, only_replacement};
use crate::Diagnostic;
use crate::cursor::Parsed;
use crate::foreign;
use crate::syntax::{
    Effect, EffectKind, Expr, ExprKind, Item, MemberExpr, PlaceExpr, TypeExpr, TypeKind,
};

/// The most digits of a number: reading takes more than linear time.
const LONGEST_NUMBER: usize = 10_000;

impl Parser<'_> {
    /// An operand: a constant, a variable, a choice, something in parentheses; or an effect, which
    /// is put aside.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        self.height = 1;
        match self.peek() {
            Token::OpenParen if self.at_cast() => self.cast(),
            Token::OpenParen => self.parenthesised(),
            Token::Name => self.named(),
            Token::Atomic if self.tokens.peek_at(1) == Token::Dot => Err(self.no_package()),
            Token::OpenBrace => self.choice(),
            Token::Int | Token::Machine => self.conversion(),
            Token::Fair => self.fair_choice(),
            Token::Schoose => self.schoose(),
            Token::Forall => self.quantified(Quantifier::Forall),
            Token::Exists => self.quantified(Quantifier::Exists),
            Token::Hash => self.count_threads(),
            Token::Prime => {
                let start = self.tokens.bump();
                let place = self.place()?;
                let span = start.to(place.span);
                Ok(Expr { kind: ExprKind::Primed(place), span })
            }
            Token::TryLock | Token::Cas | Token::FetchAndAdd | Token::Async | Token::Call => {
                self.effect_aside()
            }
            _ => self.constant_operand(),
        }
    }

    /// An operand of one token.
    fn constant_operand(&mut self) -> Parsed<Expr> {
        let kind = match self.peek() {
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Star => ExprKind::Any,
            Token::Number => {
                self.may_be_octal();
                ExprKind::Int(self.number()?)
            }
            Token::PlusPlus | Token::MinusMinus => {
                return Err(self.expected_with_hint(Wanted::Expression, STEP_HINT));
            }
            Token::BitAnd if self.tokens.peek_before() == Token::BitAnd => {
                let hint = "write `&&`, without a blank in it";
                return Err(self.expected_with_hint(Wanted::Expression, hint));
            }
            Token::BitAnd => {
                return Err(self.expected_with_hint(Wanted::Expression, NO_ADDRESSES));
            }
            Token::Dot => {
                let hint = "members are listed in the order of the struct, without their names: `{1, false}`";
                return Err(self.expected_or(Wanted::Expression, hint));
            }
            Token::OpenBracket => {
                let hint = "all elements of an array are `{0, 1, 2}`, or one value for all where it is declared, as in \
                            `int a[3] := 0;`; `a[1] := 2;` sets one";
                return Err(self.expected_or(Wanted::Expression, hint));
            }
            _ => return Err(self.expected(Wanted::Expression)),
        };
        Ok(Expr { kind, span: self.tokens.bump() })
    }

    /// `fair *`
    fn fair_choice(&mut self) -> Parsed<Expr> {
        let start = self.tokens.bump();
        let star = self.expect(Token::Star, Wanted::Star)?;
        Ok(Expr { kind: ExprKind::Fair, span: start.to(star) })
    }

    fn number(&mut self) -> Parsed<BigInt> {
        let digits = self.tokens.current_text();
        if digits.len() <= LONGEST_NUMBER
            && let Some(number) = BigInt::parse_bytes(digits.as_bytes(), 10)
        {
            return Ok(number);
        }
        let message = format!("this number has {} digits", digits.len());
        let error = Diagnostic::error(self.tokens.span(), message);
        let hint = format!("a number may have {LONGEST_NUMBER} digits");
        Err(self.tokens.unexpected(error.hint(hint)))
    }

    /// Warns of `010`, which is 8 in C.
    fn may_be_octal(&mut self) {
        let digits = self.tokens.current_text();
        if digits.starts_with('0')
            && let Ok(octal @ 8..) = u64::from_str_radix(digits, 8)
        {
            let number = digits.trim_start_matches('0');
            let message = format!("`{digits}` is {number} here, and {octal} in C");
            let hint = format!("write `{number}`, or `{octal}` if that is meant");
            self.doubt(self.tokens.span(), message, hint);
        }
    }

    /// Whether a type in parentheses stands here, with an operand after it.
    fn at_cast(&self) -> bool {
        let next = |ahead| self.tokens.peek_at(ahead);
        matches!(next(1), Token::Bool | Token::Int | Token::Machine) && next(2) == Token::CloseParen
    }

    /// Reports `(u8) x`, and takes it for `u8(x)`.
    fn cast(&mut self) -> Parsed<Expr> {
        let open = self.tokens.bump();
        let word = self.tokens.current_text();
        let kind = match self.peek() {
            Token::Bool => None,
            Token::Machine => Some(self.machine_integer()),
            _ => Some(TypeKind::Int),
        };
        self.tokens.bump();
        let close = self.tokens.bump();
        let span = open.to(close);
        self.tokens.enter()?;
        let operand = self.unary();
        self.tokens.leave();
        let operand = operand?;
        let text = self.tokens.text(operand.span);
        let (message, hint) = match kind {
            None => ("a number is compared to make a truth value", format!("write `{text} != 0`")),
            Some(_) => {
                let in_parens =
                    text.starts_with('(') && !matches!(operand.kind, ExprKind::Convert(..));
                let operand = if in_parens { text.to_owned() } else { format!("({text})") };
                let message = "the type of a conversion stands before the parentheses";
                (message, format!("write `{word}{operand}`"))
            }
        };
        let whole = open.to(operand.span);
        let error = Diagnostic::error(span, message).hint(hint.as_str());
        let error = match only_replacement(&hint).filter(|_| kind.is_some()) {
            Some(text) => error.fixed_by(whole, text),
            None => error,
        };
        self.tokens.report(error);
        let Some(kind) = kind else { return Ok(operand) };
        self.grow(self.height)?;
        let kind = ExprKind::Convert(TypeExpr { kind, span }, Box::new(operand));
        Ok(Expr { kind, span: whole })
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        let first = self.tokens.position();
        let open = self.tokens.bump();
        let mut inner = self.open_expr()?;
        if (self.peek(), self.tokens.peek_at(1)) == (Token::Comma, Token::Unreadable) {
            // The text after an assertion, which was reported.
            self.tokens.bump();
        }
        let close = self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        self.last_parens = (first, self.tokens.position());
        inner.span = open.to(close);
        Ok(inner)
    }

    /// Parses what begins with a name: a place, a call, `i.x`, `i.at L`, `at L`.
    fn named(&mut self) -> Parsed<Expr> {
        match self.tokens.peek_at(1) {
            Token::OpenParen => self.effect_aside(),
            Token::Dot => self.of_thread(),
            Token::Name if self.tokens.current_text() == "at" => {
                let start = self.tokens.bump();
                let label = self.bump_name();
                let span = start.to(label.span);
                Ok(Expr { kind: ExprKind::At(None, label), span })
            }
            _ => {
                if let Some(reported) = self.foreign_start() {
                    return Err(reported);
                }
                if let Some(length) = self.path_length() {
                    return match self.tokens.peek_at(length) {
                        Token::OpenParen => Err(self.path_call(length)),
                        _ => Ok(self.qualified(length)),
                    };
                }
                if let Some(value) = self.named_value() {
                    return value;
                }
                let place = self.place()?;
                let span = place.span;
                Ok(Expr { kind: ExprKind::Place(place), span })
            }
        }
    }

    /// Reports `pair{1, 2}`, the value of a struct with its name, and takes it for the value.
    fn named_value(&mut self) -> Option<Parsed<Expr>> {
        let name = self.tokens.current_text();
        let is_struct = self.items.iter().any(|item| match item {
            Item::Struct(decl) => decl.name.text == name,
            _ => false,
        });
        if !is_struct || !self.at_values(1) {
            return None;
        }
        let word = self.tokens.bump();
        let error = Diagnostic::error(word, "the value of a struct stands without its name");
        let hint = "leave the name out: `x := {1, 2};`";
        self.tokens.report_behind(error.hint(hint).fixed_by(word, ""));
        Some(self.choice())
    }

    /// Whether values in braces stand so many tokens ahead, and no block.
    fn at_values(&self, ahead: usize) -> bool {
        let mut open = 0_usize;
        for ahead in ahead.. {
            let next = self.tokens.peek_at(ahead + 1);
            match self.tokens.peek_at(ahead) {
                Token::OpenBrace if next != Token::CloseBrace => open += 1,
                Token::CloseBrace if open == 1 => {
                    return matches!(next, Token::CloseParen | Token::Comma | Token::Semicolon);
                }
                Token::CloseBrace if open > 1 => open -= 1,
                Token::OpenBrace
                | Token::CloseBrace
                | Token::Semicolon
                | Token::Colon
                | Token::If
                | Token::While
                | Token::Either
                | Token::Atomic
                | Token::Skip
                | Token::End => return false,
                _ if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Reports `Phase::Idle`, a path of so many tokens, and takes it for `Idle`.
    fn qualified(&mut self, length: usize) -> Expr {
        let start = self.tokens.span();
        let of = self.tokens.text(self.tokens.span_at(length.saturating_sub(4)));
        for _ in 1..length {
            self.tokens.bump();
        }
        let name = self.bump_name();
        let span = start.to(name.span);
        let ty = foreign::machine_integer(of);
        let bound = ty.and_then(|ty| bound(&ty, &name.text));
        let meant = bound.map_or_else(|| name.text.clone(), |number| number.to_string());
        let error = Diagnostic::error(span, "a name stands without the name of its type")
            .hint(format!("write `{meant}`"))
            .fixed_by(span, meant);
        self.tokens.report(error);
        let place = PlaceExpr { span: name.span, name, indices: Vec::new(), members: Vec::new() };
        Expr { kind: ExprKind::Place(place), span }
    }

    /// `i.x` or `i.at L`; `a.x` of a variable that is no thread.
    fn of_thread(&mut self) -> Parsed<Expr> {
        let is_at = self.tokens.peek_at(3) == Token::Name
            && self.tokens.text(self.tokens.span_at(2)) == "at";
        let is_bound = self.binders.iter().any(|name| name == self.tokens.current_text());
        let is_counter = self.in_predicate && self.tokens.text(self.tokens.span_at(2)) == "pc";
        if !is_at && !is_bound && !is_counter {
            let place = self.place()?;
            let span = place.span;
            return Ok(Expr { kind: ExprKind::Place(place), span });
        }
        let thread = self.bump_name();
        self.tokens.bump();
        let name = self.name(Wanted::LocalOrAt)?;
        let start = thread.span;
        if name.text == "at" && self.peek() == Token::Name {
            let label = self.bump_name();
            let span = start.to(label.span);
            return Ok(Expr { kind: ExprKind::At(Some(thread), label), span });
        }
        if self.peek() == Token::OpenBracket {
            let error = Diagnostic::error(self.tokens.span(), "this cannot have an index");
            let hint = "only a variable that is no array can be named for another thread";
            return Err(self.tokens.unexpected(error.hint(hint)));
        }
        let span = start.to(name.span);
        Ok(Expr { kind: ExprKind::LocalOf(thread, name), span })
    }

    /// A variable or an element of an array; the height is that of the tallest index and one.
    pub(super) fn place(&mut self) -> Parsed<PlaceExpr> {
        let name = self.name(Wanted::Variable)?;
        let mut indices = Vec::new();
        let mut tallest = 0;
        while self.peek() == Token::OpenBracket {
            let open = self.tokens.bump();
            if self.peek() == Token::CloseBracket {
                let hint = "`a[0]` is one element; `a := {1, 2, 3};` sets all of them";
                return Err(self.expected_with_hint(Wanted::Expression, hint));
            }
            indices.push(self.expr()?);
            tallest = tallest.max(self.height);
            self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        }
        let mut members = Vec::new();
        while self.peek() == Token::Dot {
            let member = self.tokens.text(self.tokens.span_at(1));
            let is_operation =
                is_reserved(self.tokens.peek_at(1), member) && foreign::operation(member).is_some();
            if self.tokens.peek_at(2) == Token::OpenParen || is_operation {
                return Err(self.no_method(name.span.to(self.tokens.previous())));
            }
            self.tokens.bump();
            self.has_parts = true;
            let member = self.name(Wanted::MemberName)?;
            let mut indices = Vec::new();
            while self.peek() == Token::OpenBracket {
                let open = self.tokens.bump();
                indices.push(self.expr()?);
                tallest = tallest.max(self.height);
                self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
            }
            members.push(MemberExpr { name: member, indices });
        }
        self.grow(tallest)?;
        let span = name.span.to(self.tokens.previous());
        Ok(PlaceExpr { name, indices, members, span })
    }

    /// Expressions with commas between them; the height is that of the tallest.
    fn expressions(&mut self) -> Parsed<Vec<Expr>> {
        let mut tallest = 0;
        let list = self.list(|p| {
            let expr = p.expr();
            tallest = tallest.max(p.height);
            expr
        });
        self.height = tallest;
        list
    }

    /// `{a, b, c}` or `{a .. b}`
    fn choice(&mut self) -> Parsed<Expr> {
        let open = self.tokens.bump();
        let choice = self.choice_rest(open);
        choice.inspect_err(|_| self.skip_braces())
    }

    fn choice_rest(&mut self, open: Span) -> Parsed<Expr> {
        let mut list = self.expressions()?;
        let mut tallest = self.height;
        let mut last = None;
        if list.len() == 1 && self.eat(Token::DotDot) {
            last = Some(self.expr()?);
            tallest = tallest.max(self.height);
        }
        let wanted = if last.is_some() { Wanted::CloseBrace } else { Wanted::CommaOrCloseBrace };
        let close = self.expect_closing(Token::CloseBrace, wanted, open)?;
        self.grow(tallest)?;
        let kind = match (last, list.pop()) {
            (Some(hi), Some(lo)) => ExprKind::Between(Box::new(lo), Box::new(hi)),
            (_, popped) => {
                list.extend(popped);
                ExprKind::Braces(list)
            }
        };
        Ok(Expr { kind, span: open.to(close) })
    }

    /// `schoose[p, n]`
    fn schoose(&mut self) -> Parsed<Expr> {
        let start = self.tokens.bump();
        let open = self.expect(Token::OpenBracket, Wanted::OpenBracket)?;
        let positive = self.expr()?;
        let tallest = self.height;
        self.expect(Token::Comma, Wanted::Comma)?;
        let negative = self.expr()?;
        let close = self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        self.grow(tallest.max(self.height))?;
        let kind = ExprKind::Schoose(Box::new(positive), Box::new(negative));
        Ok(Expr { kind, span: start.to(close) })
    }

    /// `forall i: e`, `exists i != self: e`; reaches as far to the right as it can.
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.tokens.bump();
        self.quantified_rest(start, quantifier)
    }

    /// `#{i : e}`
    fn count_threads(&mut self) -> Parsed<Expr> {
        let start = self.tokens.bump();
        let open = self.expect(Token::OpenBrace, Wanted::OpenBrace)?;
        let count = self.quantified_rest(start, Quantifier::Count).and_then(|mut expr| {
            expr.span =
                start.to(self.expect_closing(Token::CloseBrace, Wanted::CloseBrace, open)?);
            Ok(expr)
        });
        count.inspect_err(|_| self.skip_braces())
    }

    fn quantified_rest(&mut self, start: Span, quantifier: Quantifier) -> Parsed<Expr> {
        if self.at_builtin() {
            return Err(self.expected(Wanted::Binder));
        }
        let binder = self.name(Wanted::Binder)?;
        let others_only = self.eat(Token::NotEqual);
        if others_only {
            if self.tokens.current_text() != "self" {
                return Err(self.expected(Wanted::Itself));
            }
            self.tokens.bump();
        }
        self.expect(
            Token::Colon,
            if others_only { Wanted::Colon } else { Wanted::ColonOrNotSelf },
        )?;
        self.binders.push(binder.text.clone());
        let body = self.open_expr();
        self.binders.pop();
        let body = Box::new(body?);
        self.grow(self.height)?;
        let span = start.to(body.span);
        Ok(Expr { kind: ExprKind::Quantified { quantifier, binder, others_only, body }, span })
    }

    /// An effect inside an expression: a call is a part of it, any other one is put aside, and a placeholder stands for it.
    fn effect_aside(&mut self) -> Parsed<Expr> {
        self.eat(Token::Call);
        // Effects inside effects cost more of the stack than expressions.
        self.tokens.enter()?;
        self.height = 0;
        let effect = self.effect();
        self.tokens.leave();
        let effect = effect?;
        let span = effect.span;
        if let EffectKind::Call(name, args) = effect.kind {
            self.grow(self.height)?;
            return Ok(Expr { kind: ExprKind::Call(name, args), span });
        }
        self.effects.push(effect);
        self.height = 1;
        Ok(Expr { kind: ExprKind::Any, span })
    }

    /// A call, `async`, `trylock`, `cas` or `fetch_and_add`.
    pub(super) fn effect(&mut self) -> Parsed<Effect> {
        let start = self.tokens.span();
        let kind = match self.peek() {
            Token::Async => {
                self.tokens.bump();
                let name = self.name(Wanted::Started)?;
                EffectKind::Async(name, self.arguments()?)
            }
            Token::TryLock | Token::Cas | Token::FetchAndAdd => self.atomic_operation()?,
            _ => {
                if self.tokens.peek_at(2) == Token::BitAnd
                    && self.tokens.peek_at(1) == Token::OpenParen
                    && let Some(does) = foreign::operation(self.tokens.current_text())
                {
                    return Err(self.done_by_address(does));
                }
                if let Some(reported) = self.no_made_channel() {
                    return Err(reported);
                }
                let name = self.name(Wanted::Callee)?;
                EffectKind::Call(name, self.arguments()?)
            }
        };
        Ok(Effect { kind, span: start.to(self.tokens.previous()) })
    }

    fn atomic_operation(&mut self) -> Parsed<EffectKind> {
        let word = self.peek();
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, Wanted::OpenParen)?;
        let place = self.place()?;
        let kind = match word {
            Token::TryLock => EffectKind::TryLock(place),
            Token::Cas => {
                self.expect(Token::Comma, Wanted::ExpectedValue)?;
                let expected = Box::new(self.expr()?);
                self.expect(Token::Comma, Wanted::NewValue)?;
                EffectKind::CompareAndSwap(place, expected, Box::new(self.expr()?))
            }
            _ => {
                let amount = match self.eat(Token::Comma) {
                    true => Some(Box::new(self.expr()?)),
                    false => None,
                };
                EffectKind::FetchAndAdd(place, amount)
            }
        };
        self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        Ok(kind)
    }

    /// `(e, f)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.expect(Token::OpenParen, Wanted::OpenParen)?;
        if self.eat(Token::CloseParen) {
            return Ok(Vec::new());
        }
        let list = self.expressions()?;
        if self.peek() == Token::Colon {
            let hint = "arguments have no names; `x := {lo .. hi};` chooses a number";
            return Err(self.expected_with_hint(Wanted::CommaOrCloseParen, hint));
        }
        self.expect_closing(Token::CloseParen, Wanted::CommaOrCloseParen, open)?;
        Ok(list)
    }
}
