//! # Statements that contain no others
//! What stands between two `;`: declarations of local variables, and what a word begins (`assert`, `acquire`, `wait`, …). Assignments and calls, which begin with a name, are in `assignments`.

use selvedge_program::Span;

use super::elsewhere::{GUARDS, foreign_word};
use super::lexer::Token;
use super::misplaced::CONDITION_ALONE;
use super::wanted::Wanted;
use super::{Parser, STEP_HINT};
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::Operation;
use crate::syntax::{Init, Item, Name, Stmt, StmtKind, VarDecl};

impl Parser<'_> {
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

    /// A statement that contains no other.
    pub(super) fn simple(&mut self, labels: Vec<Name>, into: &mut Vec<Stmt>) -> Parsed<()> {
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
            _ if self.at_type() => {
                return match self.no_await() {
                    Some(reported) => Err(reported),
                    None => self.locals(labels, into),
                };
            }
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
        if matches!(token, Token::OpenParen | Token::Not | Token::NotWord)
            && let Some(reported) = self.no_chosen_statements(self.tokens.span())
        {
            return Err(reported);
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
        let noted = self.foreign_types.len();
        self.note_type(&variables);
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
        let ended = self.expect_semicolon();
        if ended.is_err() {
            self.foreign_types.truncate(noted);
        }
        ended
    }
}
