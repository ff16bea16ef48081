//! Statements that contain others, and blocks of them; what begins a statement or a declaration.

use selvedge_program::Span;

use super::Parser;
use super::lexer::{Token, is_reserved};
use super::wanted::Wanted;
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::diagnostic::write;
use crate::foreign::{self};
use crate::syntax::{Cond, Expr, ExprKind, Name, Stmt, StmtKind};

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        let open = self.expect(Token::OpenBrace, Wanted::OpenBrace)?;
        let mut body = Vec::new();
        loop {
            self.skip_directives();
            match self.peek() {
                Token::CloseBrace => {
                    self.tokens.bump();
                    return Ok(body);
                }
                Token::End => {
                    self.unclosed(open);
                    return Ok(body);
                }
                _ if self.at_item() => {
                    if self.tokens.at_margin() {
                        self.unclosed(open);
                        return Ok(body);
                    }
                    self.item_inside(open);
                }
                _ => self.statement_or_skip(&mut body),
            }
        }
    }

    fn unclosed(&mut self, open: Span) {
        let message = write("`}`", &self.tokens.quote());
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = error.related(open, "this block is not closed");
        self.tokens.unexpected(error.hint("add the missing `}`"));
    }

    /// Reports a declaration that belongs to the top of the file, and takes it as if it was there.
    fn item_inside(&mut self, open: Span) {
        let is_typed = self.at_builtin_after(1);
        if self.peek() == Token::Const && (is_typed || self.tokens.peek_at(2) == Token::Colon) {
            let name = self.tokens.text(self.tokens.span_at(if is_typed { 2 } else { 1 }));
            let local = match is_typed {
                true => {
                    let ty = self.tokens.text(self.tokens.span_at(1));
                    format!("write `{ty} {name} := …;`")
                }
                false => self.declaration_of(1),
            };
            let hint = format!(
                "{local}, a local variable; at the top of the file, `const {name} = …;` has no type"
            );
            self.mistake(
                self.tokens.span(),
                "a constant cannot be declared inside a procedure",
                hint,
            );
            self.skip_statement(self.tokens.position());
            return;
        }
        let what = match self.peek() {
            Token::Const => "a constant",
            Token::Enum => "an enumeration",
            Token::Thread => "a thread",
            Token::Predicate => "a predicate",
            Token::Name if self.at_struct() => "a struct",
            _ => "a procedure",
        };
        let message = format!("{what} cannot be declared inside a procedure");
        let error = Diagnostic::error(self.tokens.span(), message);
        let error = error.related(open, "inside this block");
        let hint = self.started_inside();
        let hint = hint
            .unwrap_or_else(|| "move it to the top of the file, or add a missing `}`".to_owned());
        self.tokens.unexpected(error.hint(hint));
        let before = self.tokens.position();
        // A block can hold such a declaration, and that a block: this is nesting, too.
        let inside = self.tokens.enter().and_then(|()| self.item());
        self.tokens.leave();
        if inside.is_err() {
            self.skip_statement(before);
        }
    }

    /// What to write instead of `thread t := f();` in a procedure.
    fn started_inside(&self) -> Option<String> {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let is_started = matches!(self.tokens.peek_at(2), Token::Assign | Token::Equal)
            && (self.tokens.peek_at(3), self.tokens.peek_at(4)) == (Token::Name, Token::OpenParen);
        (self.peek() == Token::Thread && is_started).then(|| {
            let (name, called) = (text(1), text(3));
            format!(
                "a thread is started here by `tid {name} := async {called}(…);`; one that is there from the start stands outside of the procedures"
            )
        })
    }

    pub(super) fn statement_or_skip(&mut self, into: &mut Vec<Stmt>) {
        let before = self.tokens.position();
        if self.statement(into).is_err() {
            self.skip_statement(before);
        }
    }

    /// One statement with its labels. A declaration of several variables gives several.
    pub(super) fn statement(&mut self, into: &mut Vec<Stmt>) -> Parsed<()> {
        self.tokens.enter()?;
        let labels = self.labels();
        let is_let = self.at_let();
        if !is_let {
            self.skip_modifiers();
            self.skip_struct_word();
        }
        self.begin();
        let result = match self.peek() {
            _ if is_let => Err(self.no_let()),
            _ if self.at_guards() => {
                self.no_guards();
                Ok(())
            }
            // What it would end was reported.
            _ if self.tokens.has_mistakes() && self.at_word_end() => {
                self.word_end();
                Ok(())
            }
            Token::Atomic if self.tokens.peek_at(1) == Token::Dot => Err(self.no_package()),
            Token::If | Token::While | Token::Either | Token::Atomic | Token::OpenBrace => {
                self.compound(labels, into)
            }
            Token::Name if self.at_for() || self.at_do() => self.compound(labels, into),
            Token::CloseBrace if !labels.is_empty() => {
                let span = self.tokens.after_previous();
                into.push(Stmt { labels, kind: StmtKind::Empty, span });
                Ok(())
            }
            _ => self.simple(labels, into),
        };
        self.tokens.leave();
        result
    }

    /// `L: M:`
    fn labels(&mut self) -> Vec<Name> {
        let mut labels = Vec::new();
        while self.tokens.peek_at(1) == Token::Colon {
            let reserved = is_reserved(self.peek(), self.tokens.current_text());
            if self.peek() != Token::Name && !reserved || self.tokens.peek_at(2) == Token::Colon {
                break;
            }
            if let Ok(label) = self.name(Wanted::Label) {
                labels.push(label);
            }
            self.tokens.bump();
        }
        labels
    }

    /// A statement that contains others. There is one frame of this function on the stack for
    /// each level of nesting, so it only tells the constructs apart.
    fn compound(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        match self.peek() {
            Token::If => self.if_statement(labels, into),
            Token::While => self.while_statement(labels, into),
            Token::Either => self.either(labels, into),
            Token::Name if self.at_do() => self.do_while(into),
            Token::Name => self.for_statement(labels, into),
            _ => self.block_statement(labels, into),
        }
    }

    fn if_statement(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        let (cond, span) = self.condition("if")?;
        let alone = self.empty_body();
        let is_worded = self.at_word_block();
        let outer = self.tokens.indentation(span);
        let only = self.only_statement();
        let then = self.branch()?;
        if let Some(only) = only {
            self.doubt_indentation(only, outer, "if");
        }
        if let Some(alone) = alone
            && self.peek() != Token::Else
        {
            self.doubt_body(alone, "if");
        }
        let otherwise = match self.peek() {
            Token::Else if is_worded && self.tokens.peek_at(1) != Token::If => {
                self.tokens.bump();
                self.rest_of_word_block()?
            }
            Token::Else => {
                let word = self.tokens.bump();
                self.doubt_else(word);
                self.branch()?
            }
            Token::Name if self.at_else_if() => {
                let message = format!("there is no {} statement", self.tokens.quote());
                if !is_worded {
                    self.replaceable(self.tokens.span(), message, "write `else if`", "else if");
                }
                let mut body = Vec::new();
                self.tokens.enter()?;
                self.in_word_block = is_worded;
                let result = self.if_statement(Vec::new(), &mut body);
                self.tokens.leave();
                result?;
                body
            }
            _ => Vec::new(),
        };
        into.push(Stmt { labels, kind: StmtKind::If { cond, then, otherwise }, span });
        Ok(())
    }

    /// Whether another language's word for `else if` stands here, with a condition after it.
    pub(super) fn at_else_if(&self) -> bool {
        matches!(self.tokens.current_text(), "elif" | "elsif" | "elseif")
            && match self.tokens.peek_at(1) {
                Token::OpenParen => {
                    self.after_parens(1).is_some_and(|after| after != Token::Semicolon)
                }
                Token::Name | Token::Not | Token::NotWord | Token::True | Token::Number => true,
                _ => false,
            }
    }

    fn while_statement(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        let (cond, span) = self.condition("while")?;
        let body = self.loop_body("while", self.tokens.indentation(span))?;
        into.push(Stmt { labels, kind: StmtKind::While { cond, body }, span });
        Ok(())
    }

    /// The body of a loop.
    pub(super) fn loop_body(&mut self, word: &str, outer: Option<usize>) -> Parsed<Vec<Stmt>> {
        let alone = self.empty_body();
        let only = self.only_statement();
        let body = self.branch()?;
        if let Some(only) = only {
            self.doubt_indentation(only, outer, word);
        }
        let is_last = self.peek() == Token::CloseBrace || self.tokens.on_new_line();
        if let Some(alone) = alone
            && (self.peek() == Token::OpenBrace || !is_last)
        {
            self.doubt_body(alone, word);
        }
        Ok(body)
    }

    /// `{ … }` or `atomic { … }`
    pub(super) fn block_statement(
        &mut self,
        labels: Vec<Name>,
        into: &mut Vec<Stmt>,
    ) -> Parsed<()> {
        let span = self.tokens.span();
        let atomic = self.eat(Token::Atomic);
        let body = self.block()?;
        let kind = if atomic { StmtKind::Atomic(body) } else { StmtKind::Block(body) };
        into.push(Stmt { labels, kind, span });
        Ok(())
    }

    /// A block or a single statement.
    pub(super) fn branch(&mut self) -> Parsed<Vec<Stmt>> {
        if self.peek() == Token::OpenBrace {
            return self.block();
        }
        if self.at_word_block() {
            return self.word_block();
        }
        let mut body = Vec::new();
        self.statement(&mut body)?;
        Ok(body)
    }

    /// What `if` or `while` tests, and the place of both. After a mistake in it, goes on with the
    /// body if there is one.
    fn condition(&mut self, word: &str) -> Parsed<(Cond, Span)> {
        let start = self.tokens.bump();
        let first = self.tokens.position();
        if self.at_statements() {
            let hint = match word {
                "if" => "write `if c { … }`; what is done otherwise is `else { … }`",
                _ => "write `while c { … }`; `while true { … }` goes on for ever",
            };
            self.expected_with_hint(Wanted::Condition, hint);
            let nothing = Expr { kind: ExprKind::Any, span: start };
            return Ok((Cond::Expr(nothing), start));
        }
        let cond = match self.cond() {
            Ok(cond) => cond,
            Err(Reported) if self.skip_to_body() => {
                let nothing = Expr { kind: ExprKind::Any, span: start };
                return Ok((Cond::Expr(nothing), start));
            }
            Err(Reported) => return Err(Reported),
        };
        let span = start.to(self.tokens.previous());
        let in_parens = self.last_parens == (first, self.tokens.position());
        if !in_parens && self.peek() != Token::OpenBrace && !self.at_word_block() {
            if !self.at_statement() {
                return Err(self.expected(Wanted::OpenBrace));
            }
            if foreign::between(self.tokens.text(self.tokens.previous())).is_some() {
                return Err(self.expected(Wanted::Expression));
            }
            let message = format!("`{word}` without braces needs parentheses round its condition");
            let hint = format!("write `{word} (…) statement` or `{word} … {{ … }}`");
            self.tokens.unexpected(Diagnostic::error(span, message).hint(hint));
        }
        Ok((cond, span))
    }

    /// Whether statements in braces stand here, and no choice among values.
    fn at_statements(&self) -> bool {
        let ends = |token: &Token| {
            matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End)
        };
        let mut inside = (1..).map(|ahead| self.tokens.peek_at(ahead));
        self.peek() == Token::OpenBrace && inside.find(ends) == Some(Token::Semicolon)
    }

    /// Whether the current token begins a declaration that belongs to the top of a file.
    pub(super) fn at_item(&self) -> bool {
        let next = |ahead| self.tokens.peek_at(ahead);
        match self.peek() {
            Token::Void | Token::Proc => next(2) == Token::OpenParen,
            Token::Enum => (next(1), next(2)) != (Token::Name, Token::Name),
            Token::Thread if next(1) == Token::Colon => false,
            Token::Thread | Token::Const | Token::Predicate => true,
            Token::OpenParen => matches!(next(1), Token::Bool | Token::Int),
            Token::Name if self.at_struct() => true,
            _ => {
                (self.at_builtin() || (self.peek() == Token::Name && self.tokens.at_margin()))
                    && (next(1), next(2)) == (Token::Name, Token::OpenParen)
                    && !self.at_foreign_start()
                    && !self.at_fair_process()
            }
        }
    }

    /// Whether the current token can begin a statement.
    pub(super) fn at_statement(&self) -> bool {
        self.at_type()
            || matches!(
                self.peek(),
                Token::Name
                    | Token::Semicolon
                    | Token::OpenBrace
                    | Token::Var
                    | Token::Local
                    | Token::Skip
                    | Token::Havoc
                    | Token::If
                    | Token::While
                    | Token::Either
                    | Token::Goto
                    | Token::Break
                    | Token::Continue
                    | Token::Return
                    | Token::Assume
                    | Token::Wait
                    | Token::Assert
                    | Token::Atomic
                    | Token::AtomicBegin
                    | Token::AtomicEnd
                    | Token::Acquire
                    | Token::Release
                    | Token::Unlock
                    | Token::Call
                    | Token::Async
                    | Token::Join
                    | Token::StartThread
                    | Token::EndThread
                    | Token::TryLock
                    | Token::Cas
                    | Token::FetchAndAdd
            )
    }
}
