//! Statements, and where to go on after a mistake.

use selvedge_program::Span;

use super::elsewhere::{GUARDS, foreign_word};
use super::lexer::{Token, is_reserved};
use super::misplaced::CONDITION_ALONE;
use super::wanted::Wanted;
use super::{Parser, STEP_HINT};
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::diagnostic::write;
use crate::foreign::{self, Operation};
use crate::syntax::{Cond, Expr, ExprKind, Init, Item, Name, Stmt, StmtKind, VarDecl};

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

    /// Parses an asserted condition with its text: `e`, `e, "text"`, `(e, "text")`.
    fn asserted(&mut self) -> Parsed<StmtKind> {
        let in_parens = self.is_pair();
        let open = self.tokens.span();
        if in_parens {
            self.tokens.bump();
        }
        let claim = self.expr()?;
        let text = self.explanation()?;
        if in_parens {
            self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        }
        Ok(StmtKind::Assert(claim, text))
    }

    /// `, "text"`, if it stands here.
    pub(super) fn explanation(&mut self) -> Parsed<Option<String>> {
        if self.peek() != Token::Comma || self.tokens.peek_at(1) == Token::Unreadable {
            return Ok(None);
        }
        self.tokens.bump();
        if self.peek() != Token::Text {
            let hint =
                "`assert e, \"text\";` says what is wrong; several claims are several assertions";
            return Err(self.expected_with_hint(Wanted::Text, hint));
        }
        let text = self.tokens.current_text().trim_matches('"').to_owned();
        self.tokens.bump();
        if matches!(self.peek(), Token::Comma | Token::Plus) {
            let hint = "the text is as it stands: leave the rest out; the schedule of a violation shows every variable";
            return Err(self.expected_with_hint(Wanted::Semicolon, hint));
        }
        Ok(Some(text))
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

    /// A statement that contains no other.
    fn simple(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.tokens.span();
        let kind = match self.peek() {
            Token::Local | Token::Var => return self.locals(labels, into),
            Token::Shared => {
                let hint = "move the declaration to the top of the file, or write `local`";
                self.mistake(start, "a variable in a procedure is not shared", hint);
                return self.locals(labels, into);
            }
            Token::Else => {
                let error = Diagnostic::error(start, "this `else` belongs to no `if`");
                let is_guard = (self.tokens.peek_at(1), self.tokens.peek_at(2))
                    == (Token::Minus, Token::Greater);
                if is_guard {
                    return Err(self.tokens.unexpected(error.hint(GUARDS)));
                }
                let hint = "before `else` stands one statement or one block in braces";
                self.tokens.unexpected(error.hint(hint));
                self.tokens.bump();
                return self.statement(into);
            }
            Token::Lock if self.tokens.peek_at(1) == Token::OpenParen => {
                self.tokens.bump();
                StmtKind::Acquire(self.maybe_in_parens(Self::place)?)
            }
            Token::Name
                if foreign_word(self.tokens.current_text(), self.tokens.peek_at(1)).is_some() =>
            {
                self.assignment_or_call()?
            }
            Token::Name if self.at_notify() => self.notify()?,
            Token::Name if self.at_claim() => return Err(self.invariant_inside()),
            Token::Name if self.at_local_channel() => {
                let channel = self.written_from(0);
                let hint = format!("declare it outside of the procedures: `{channel};`");
                let error = Diagnostic::error(start, "a channel cannot be local").hint(hint);
                return Err(self.tokens.unexpected(error));
            }
            _ if self.at_type() => return self.locals(labels, into),
            Token::Name => self.assignment_or_call()?,
            _ => self.keyword_statement()?,
        };
        if let StmtKind::Acquire(lock) = &kind
            && self.peek() == Token::OpenBrace
        {
            let lock = self.tokens.text(lock.span);
            let hint = format!(
                "no block belongs to it: `acquire {lock};` before, `release {lock};` after"
            );
            return Err(self.expected_with_hint(Wanted::Semicolon, hint));
        }
        let span = start.to(self.tokens.previous());
        let ended = matches!(kind, StmtKind::Empty);
        into.push(Stmt { labels, kind, span });
        if ended { Ok(()) } else { self.expect_semicolon() }
    }

    /// A statement that its first word tells.
    fn keyword_statement(&mut self) -> Parsed<StmtKind> {
        let token = self.peek();
        if matches!(token, Token::TryLock | Token::Cas | Token::FetchAndAdd | Token::Async) {
            return Ok(StmtKind::Effect { targets: Vec::new(), effect: self.effect()? });
        }
        if matches!(token, Token::PlusPlus | Token::MinusMinus) {
            return Err(self.expected_with_hint(Wanted::Statement, STEP_HINT));
        }
        if token == Token::Thread {
            return Err(match self.path_length() {
                Some(length) => self.path_call(length),
                None => self.expected_with_hint(Wanted::Statement, Operation::Start.advice(&["f"])),
            });
        }
        if token == Token::OpenParen
            && matches!(self.after_parens(0), Some(Token::Equal | Token::Assign))
        {
            let hint = "several variables stand without parentheses: `x, y := 1, 2;`";
            return Err(self.expected_with_hint(Wanted::Statement, hint));
        }
        if token == Token::OpenParen {
            return Err(self.expected_with_hint(Wanted::Statement, CONDITION_ALONE));
        }
        if !self.at_statement() {
            return Err(self.expected(Wanted::Statement));
        }
        self.tokens.bump();
        if matches!(token, Token::Assert | Token::Assume) {
            self.no_macro();
        }
        Ok(match token {
            Token::Semicolon => StmtKind::Empty,
            Token::Skip => StmtKind::Skip,
            Token::Call => self.call()?,
            Token::Havoc => StmtKind::Havoc(self.list(Self::place)?),
            Token::Assume => StmtKind::Assume(self.expr()?),
            Token::Wait => self.wait()?,
            Token::Assert => self.asserted()?,
            Token::Goto => StmtKind::Goto(self.list(|p| p.name(Wanted::Label))?),
            Token::Break => StmtKind::Break,
            Token::Continue => StmtKind::Continue,
            Token::Return => StmtKind::Return(match self.peek() {
                Token::Semicolon | Token::CloseBrace => Vec::new(),
                _ => self.list(Self::expr)?,
            }),
            Token::AtomicBegin => StmtKind::AtomicBegin,
            Token::AtomicEnd => StmtKind::AtomicEnd,
            Token::Acquire => StmtKind::Acquire(self.maybe_in_parens(Self::place)?),
            Token::Release | Token::Unlock => StmtKind::Release(self.maybe_in_parens(Self::place)?),
            Token::Join => StmtKind::Join(self.expr()?),
            Token::StartThread => {
                self.expect(Token::Goto, Wanted::Goto)?;
                StmtKind::StartThread(self.name(Wanted::Label)?)
            }
            Token::EndThread => StmtKind::EndThread,
            _ => return Err(self.expected(Wanted::Statement)),
        })
    }

    /// Whether `invariant x == 0` stands here, and nothing that is done with a variable or a type of that name.
    fn at_claim(&self) -> bool {
        let declares = matches!(
            self.tokens.peek_at(2),
            Token::Assign | Token::Equal | Token::Semicolon | Token::Comma | Token::OpenBracket
        );
        self.at_invariant()
            && match self.tokens.peek_at(1) {
                Token::Name => !declares,
                Token::Number | Token::Not | Token::NotWord | Token::Forall | Token::Exists => true,
                _ => false,
            }
    }

    /// Reports an invariant in a procedure.
    fn invariant_inside(&mut self) -> Reported {
        let claim = self.claim_from(1);
        let hint = format!("move it to the top of the file; `assert {claim};` checks it here");
        let error =
            Diagnostic::error(self.tokens.span(), "an invariant stands outside of the procedures");
        self.tokens.unexpected(error.hint(hint))
    }

    /// Whether `chan[1] bool c` stands here, and no element of an array: a type and a name follow the brackets.
    fn at_local_channel(&self) -> bool {
        let closing = (1..8).find(|ahead| self.tokens.peek_at(*ahead) == Token::CloseBracket);
        let ty = match (self.tokens.peek_at(1), closing) {
            (Token::OpenBracket, Some(closing)) => closing + 1,
            _ => return false,
        };
        self.tokens.current_text() == "chan"
            && (self.at_builtin_after(ty) || self.tokens.peek_at(ty) == Token::Name)
    }

    /// Reports `assert!(e)`, which is no negation where it comes from.
    fn no_macro(&mut self) {
        let (word, sign) = (self.tokens.previous(), self.tokens.span());
        if self.peek() == Token::Not
            && self.tokens.text(sign) == "!"
            && self.tokens.peek_at(1) == Token::OpenParen
            && word.end == sign.start
        {
            let word = self.tokens.text(word);
            let message = format!("`{word}!(…)` can be read in two ways");
            let hint = format!(
                "write `{word} (…);` if the `!` is that of a macro, `{word} !(…);` if it negates"
            );
            self.mistake(sign, message, hint);
            self.tokens.bump();
        }
    }

    /// `(e)`, `b`, `c, m` or `(c, m)` after `wait`.
    fn wait(&mut self) -> Parsed<StmtKind> {
        if self.is_pair() {
            let open = self.tokens.bump();
            let wait = self.wait_for()?;
            self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
            return Ok(wait);
        }
        self.wait_for()
    }

    fn wait_for(&mut self) -> Parsed<StmtKind> {
        let what = self.expr()?;
        if self.peek() == Token::Name && !self.tokens.on_new_line() {
            let hint = format!(
                "a condition and its lock: `wait {}, {};`",
                self.tokens.text(what.span),
                self.tokens.current_text()
            );
            return Err(self.expected_with_hint(Wanted::CommaOrSemicolon, hint));
        }
        let lock = self.eat(Token::Comma).then(|| self.place()).transpose()?;
        Ok(StmtKind::Wait(what, lock))
    }

    /// Whether two things in parentheses stand here.
    fn is_pair(&self) -> bool {
        let mut open = 0_usize;
        for ahead in 0.. {
            match self.tokens.peek_at(ahead) {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => open += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace if open <= 1 => break,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => open -= 1,
                Token::Comma if open == 1 => return self.peek() == Token::OpenParen,
                Token::End | Token::Semicolon => break,
                _ if open == 0 => break,
                _ => {}
            }
        }
        false
    }

    /// Whether `notify c` stands here. The word is reserved nowhere else.
    fn at_notify(&self) -> bool {
        self.tokens.current_text() == "notify" && self.tokens.peek_at(1) == Token::Name
    }

    /// `notify c`, `notify all c`
    fn notify(&mut self) -> Parsed<StmtKind> {
        self.tokens.bump();
        if self.tokens.current_text() == "all" && self.tokens.peek_at(1) == Token::Name {
            self.tokens.bump();
            return Ok(StmtKind::NotifyAll(self.place()?));
        }
        if self.tokens.current_text() == "one" && self.tokens.peek_at(1) == Token::Name {
            let word = self.tokens.bump();
            let condition = self.place()?;
            let hint = format!(
                "write `notify {};`, which wakes one thread",
                self.tokens.text(condition.span)
            );
            let rest = Span { start: word.start, end: condition.span.start };
            let error = Diagnostic::error(word, "`one` is left out").hint(hint).fixed_by(rest, "");
            self.tokens.report_behind(error);
            return Ok(StmtKind::Notify(condition));
        }
        if self.tokens.current_text() == "all" && self.tokens.peek_at(1) == Token::OpenParen {
            self.tokens.bump();
            let open = self.tokens.span();
            let condition = self.maybe_in_parens(Self::place)?;
            let span = open.to(self.tokens.previous());
            let hint = format!("write `notify all {};`", self.tokens.text(condition.span));
            self.mistake(span, "a condition stands without parentheses here", hint);
            return Ok(StmtKind::NotifyAll(condition));
        }
        Ok(StmtKind::Notify(self.place()?))
    }

    /// Something, or the same in parentheses.
    fn maybe_in_parens<R>(&mut self, inner: impl Fn(&mut Self) -> Parsed<R>) -> Parsed<R> {
        if self.peek() != Token::OpenParen {
            return inner(self);
        }
        let open = self.tokens.bump();
        let result = inner(self)?;
        self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        Ok(result)
    }

    /// Whether `send c, 1;` or `receive c;` stands here.
    fn at_bare_message(&self) -> bool {
        let word = self.tokens.current_text();
        let is_type = |item: &Item| match item {
            Item::Enum(decl) => decl.name.text == word,
            Item::Struct(decl) => decl.name.text == word,
            _ => false,
        };
        matches!(word, "send" | "receive")
            && self.tokens.peek_at(1) == Token::Name
            && matches!(self.tokens.peek_at(2), Token::Comma | Token::Semicolon)
            && !self.items.iter().any(is_type)
    }

    /// Parses local variables.
    fn locals(&mut self, mut labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.tokens.span();
        if self.at_bare_message() {
            let (word, channel) = (self.tokens.current_text(), self.tokens.span_at(1));
            let channel = self.tokens.text(channel);
            let hint = match word {
                "send" => format!("write `send({channel}, …);`"),
                _ => format!("write `x := receive({channel});`, or `receive({channel});`"),
            };
            self.tokens.bump();
            return Err(self.expected_with_hint(Wanted::OpenParen, hint));
        }
        if self.peek() == Token::Name && self.tokens.peek_at(2) == Token::OpenParen {
            if let Some(reported) = self.foreign_start() {
                return Err(reported);
            }
            if let Some(error) = self.misspelt_beginning() {
                return Err(self.tokens.unexpected(error));
            }
            let hint = self.foreign_beginning().unwrap_or("`f(…);` and `call f(…);` are calls");
            return Err(self.expected_with_hint(Wanted::Statement, hint));
        }
        if matches!(self.peek(), Token::Local | Token::Shared) {
            self.tokens.bump();
        }
        let has_type_last = self.peek() == Token::Var;
        let variables = self.variables()?;
        let end = self.tokens.previous();
        let single = variables.len() == 1;
        for (number, variable) in variables.into_iter().enumerate() {
            let VarDecl { name, init, .. } = &variable;
            // Of several, each one stands for itself, with its first value; the first one has the type, too.
            let own = match init {
                _ if has_type_last => name.span,
                Some(Init::Expr(e)) => name.span.to(e.span),
                Some(Init::Effect(effect)) => name.span.to(effect.span),
                None => name.span,
            };
            let span = match number {
                _ if single => start.to(end),
                0 if !has_type_last => start.to(own),
                _ => own,
            };
            let labels = std::mem::take(&mut labels);
            into.push(Stmt { labels, kind: StmtKind::Local(variable), span });
        }
        self.expect_semicolon()
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
