//! Assignments and calls: the statements that begin with a name.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Span};

use super::Parser;
use super::lexer::Token;
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::{self, Operation};
use crate::syntax::{Effect, EffectKind, Expr, ExprKind, PlaceExpr, StmtKind};

/// How many tokens of a condition that stands alone are repeated.
const LONGEST_CONDITION: usize = 20;

impl Parser<'_> {
    /// `x := e`, `x, y := f(e)`, `f(e)`, `x++` and so on, without the `;`.
    pub(super) fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        if let Some(hint) = foreign_word(self.tokens.current_text(), self.tokens.peek_at(1)) {
            let message = match self.tokens.current_text() {
                "for" => "a `for` has three parts, in parentheses".to_owned(),
                _ => format!("there is no {} statement", self.tokens.quote()),
            };
            let error = Diagnostic::error(self.tokens.span(), message);
            return Err(self.tokens.unexpected(error.hint(hint)));
        }
        if let Some(hint) = self.generic_type() {
            return Err(self.expected_with_hint("a statement", hint));
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
            Token::Less if self.tokens.peek_at(1) == Token::Minus => Err(self.expected("`:=`")),
            Token::Minus if self.tokens.peek_at(1) == Token::Greater => Err(self.expected("`:=`")),
            Token::Prime => Err(self.expected("`:=`")),
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
                        match self.peek() {
                            Token::Not => format!(
                                "write `send({channel}, …);`, for a `chan[2] int {channel};`"
                            ),
                            _ => format!(
                                "write `x := receive({channel});`, for a `chan[2] int {channel};`"
                            ),
                        }
                    }
                };
                Err(self.expected_with_hint("`:=`", hint))
            }
            _ => self.assignment(first),
        }
    }

    /// Reports `m.lock()`, at the `.`, after what it is a method of.
    pub(super) fn no_method(&mut self, of: Span) -> Reported {
        let object = self.tokens.text(of);
        let span = self.tokens.span();
        self.tokens.bump();
        let word = self.tokens.current_text();
        let argument = match (self.tokens.peek_at(2), self.tokens.peek_at(3)) {
            (Token::Name, Token::CloseParen) => Some(self.tokens.text(self.tokens.span_at(2))),
            _ => None,
        };
        let objects: Vec<&str> = [object].into_iter().chain(argument).collect();
        let advice = foreign::operation(word).map(|does| match does {
            Operation::Start => "write `async f(…);` for a procedure `f`".to_owned(),
            does => does.advice(&objects),
        });
        let asked = match word.to_ascii_lowercase().replace('_', "").as_str() {
            "empty" | "isempty" => Some("empty"),
            "full" | "isfull" => Some("full"),
            _ => None,
        };
        let asked =
            asked.map(|member| format!("write `{object}.{member}`, for a `chan[2] int {object};`"));
        let advice = advice.or(asked).or_else(|| foreign::method(word).map(str::to_owned));
        let hint =
            advice.unwrap_or_else(|| format!("write a procedure, and call it: `{word}(…);`"));
        let message = format!("`{object}` has no methods, such as `{word}`");
        let error = Diagnostic::error(span.to(self.tokens.span()), message);
        self.tokens.unexpected(error.hint(hint))
    }

    /// Reports `atomic_store(&n, 1)`: what is done with a variable in other languages, by its address.
    pub(super) fn done_by_address(&mut self, does: Operation) -> Reported {
        let mut objects = Vec::new();
        for ahead in 2.. {
            match self.tokens.peek_at(ahead) {
                Token::Name => objects.push(self.tokens.text(self.tokens.span_at(ahead))),
                Token::CloseParen | Token::Semicolon | Token::End => break,
                _ => {}
            }
        }
        objects.retain(|name| *name != "NULL");
        let hint = match (does, objects.as_slice()) {
            (Operation::Start, [thread, procedure, ..]) => {
                format!("write `{thread} := async {procedure}(…);`, for a `tid {thread};`")
            }
            _ => does.advice(&objects),
        };
        let message = format!("there is no procedure {}", self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        self.tokens.unexpected(error.hint(hint))
    }

    /// Whether `spawn f(` stands here, or another word for it.
    pub(super) fn at_foreign_start(&self) -> bool {
        (self.tokens.peek_at(1), self.tokens.peek_at(2)) == (Token::Name, Token::OpenParen)
            && foreign::operation(self.tokens.current_text()) == Some(Operation::Start)
    }

    /// Reports `spawn f(…)`, if it stands here.
    pub(super) fn foreign_start(&mut self) -> Option<Reported> {
        if !self.at_foreign_start() {
            return None;
        }
        let message = format!("there is no {} statement", self.tokens.quote());
        let procedure = self.tokens.text(self.tokens.span_at(1));
        let error = Diagnostic::error(self.tokens.span(), message);
        Some(self.tokens.unexpected(error.hint(Operation::Start.advice(&[procedure]))))
    }

    /// `call f(e)`, `call x, y := f(e)`, after `call`.
    pub(super) fn call(&mut self) -> Parsed<StmtKind> {
        if self.peek() != Token::Name {
            return Err(self.expected("the call of a procedure"));
        }
        let start = self.tokens.span();
        let statement = self.assignment_or_call()?;
        if !matches!(statement, StmtKind::Effect { .. }) {
            let span = start.to(self.tokens.previous());
            self.mistake(span, "this is not a call", "leave out `call`");
        }
        Ok(statement)
    }

    /// The rest of an assignment after its first target.
    fn assignment(&mut self, first: PlaceExpr) -> Parsed<StmtKind> {
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
        Err(self.expected_or("`;`", hint))
    }

    /// How many tokens ahead a condition ends that stands alone.
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

    /// Whether `->` stands so many tokens ahead.
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

    /// `:=`, or what is often written in its place.
    fn assign_sign(&mut self, targets: &[PlaceExpr]) -> Parsed<()> {
        let span = self.tokens.span();
        match self.peek() {
            Token::Assign => {}
            Token::Equal if self.tokens.peek_at(1) == Token::Colon => {
                let both = span.to(self.tokens.span_at(1));
                self.mistake(both, "`=:` does not assign", "write := to assign");
                self.tokens.bump();
            }
            Token::Equal => self.mistake(span, "`=` does not assign", "write := to assign"),
            token
                if matches!(
                    token,
                    Token::Less | Token::AtMost | Token::Greater | Token::AtLeast | Token::NotEqual
                ) || token == Token::EqualEqual && self.is_guard() =>
            {
                let start = targets.first().map_or(span, |place| place.span);
                let last = self.tokens.span_at(self.condition_end() - 1);
                let condition = self.tokens.text(start.to(last));
                let hint = format!(
                    "`assume {condition};` waits until it holds, `assert {condition};` checks that it does"
                );
                let error = Diagnostic::error(span, "a comparison is not a statement").hint(hint);
                return Err(self.tokens.unexpected(error));
            }
            Token::EqualEqual => {
                let hint = "write := to assign, or `assume` or `assert` before the comparison";
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
                let hint = does.or_else(|| self.foreign_beginning().map(str::to_owned));
                let hint = hint
                    .unwrap_or_else(|| format!("`{name} := value;` assigns, `{name}(…);` calls"));
                return Err(self.expected_with_hint("`:=`", hint));
            }
            _ => return Err(self.expected("`,` or `:=`")),
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

/// What there is in the place of `do :: g -> … od`.
pub(super) const GUARDS: &str =
    "write `either when g { … } or when h { … }`, inside of `while true { … }` to repeat it";

/// What to write in the place of a word that begins a statement in other languages. They are
/// names here, so what follows must be something that does not follow a name.
pub(super) fn foreign_word(word: &str, next: Token) -> Option<&'static str> {
    let (hint, before_name, before_paren) = match word {
        "for" => ("write `for (int i := 0; i < 3; i++) { … }`", true, true),
        "do" if next == Token::Colon => (GUARDS, true, true),
        "do" | "repeat" => ("write `while c { … }`", true, false),
        "switch" => ("write `if c { … } else if d { … } else { … }`", true, true),
        "elif" | "elsif" | "elseif" => ("write `else if`", true, false),
        "then" => ("write `if c { … }`", true, false),
        "begin" => ("write `{`", true, false),
        "end" | "fi" | "od" | "done" => ("write `}`", false, false),
        _ => return None,
    };
    let fits = match next {
        Token::Name => before_name,
        Token::OpenParen => before_paren,
        Token::Colon => word == "do",
        Token::OpenBrace | Token::CloseBrace | Token::Semicolon => true,
        _ => false,
    };
    fits.then_some(hint)
}
