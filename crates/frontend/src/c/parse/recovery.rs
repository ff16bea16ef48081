//! Messages about mistakes, and where to go on after them.

use selvedge_program::Span;

use super::{DEEPEST, Meaning, Parser};
use crate::Diagnostic;
use crate::c::lexer::Token;
use crate::c::tree::Name;
use crate::cursor::{Parsed, Reported};
use crate::diagnostic::write;

/// What to do about a word of C++ that means nothing in C.
fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "class" | "template" | "namespace" | "using" | "public" | "private" | "protected"
        | "virtual" | "friend" | "mutable" | "explicit" | "constexpr" | "decltype" | "typename" => {
            "this is a word of C++; only C is read"
        }
        "new" | "delete" => "this is a word of C++; C has `malloc` and `free`",
        "try" | "catch" | "throw" | "noexcept" => "this is a word of C++; C has no exceptions",
        _ => return None,
    })
}

/// What to do about a name that a header declares, or newer C, if it is not declared.
fn undeclared_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "bool" | "true" | "false" => "include `<stdbool.h>`; C itself has `_Bool`, 1 and 0",
        "nullptr" => "write `NULL`, or `(void *) 0`",
        "thread_local" => "include `<threads.h>`, or write `_Thread_local`",
        "static_assert" => "include `<assert.h>`, or write `_Static_assert`",
        "alignas" | "alignof" => "include `<stdalign.h>`",
        "noreturn" => "include `<stdnoreturn.h>`, or write `_Noreturn`",
        "size_t" | "ptrdiff_t" | "wchar_t" | "NULL" | "max_align_t" => "include `<stddef.h>`",
        "int8_t" | "int16_t" | "int32_t" | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t"
        | "uint64_t" | "intptr_t" | "uintptr_t" | "intmax_t" | "uintmax_t" => {
            "include `<stdint.h>`"
        }
        "FILE" => "include `<stdio.h>`",
        "va_list" => "include `<stdarg.h>`",
        "sem_t" => "include `<semaphore.h>`",
        "time_t" | "clock_t" => "include `<time.h>`",
        "ssize_t" | "pid_t" | "off_t" | "uint" | "ushort" | "ulong" => "include `<sys/types.h>`",
        "thrd_t" | "mtx_t" | "cnd_t" | "once_flag" | "tss_t" => "include `<threads.h>`",
        _ if word.starts_with("atomic_") => "include `<stdatomic.h>`",
        _ if word.starts_with("pthread_") => "include `<pthread.h>`",
        _ => return foreign_word(word),
    })
}

impl Parser<'_> {
    /// Reports that something else was expected in the place of the current token.
    pub(super) fn expected(&mut self, what: &str) -> Reported {
        self.expected_with_hint(what, None)
    }

    /// Reports that something else was expected, and what to do about it.
    pub(super) fn expected_with_hint(&mut self, what: &str, hint: Option<&str>) -> Reported {
        let message = write(what, &self.tokens.quote());
        let mut error = Diagnostic::error(self.tokens.span(), message);
        if let Some(hint) = hint.or_else(|| self.hint_for_words()) {
            error = error.hint(hint);
        }
        self.tokens.unexpected(error)
    }

    /// Reports a mistake at any place.
    pub(super) fn mistake(
        &mut self,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.tokens.report(Diagnostic::error(span, message).hint(hint));
    }

    /// Moves past a token that must stand here.
    pub(super) fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        if self.peek() == token { Ok(self.tokens.bump()) } else { Err(self.expected(what)) }
    }

    /// Moves past what closes a bracket, or says which one was not closed.
    pub(super) fn close(&mut self, token: Token, open: Span) -> Parsed<Span> {
        if self.peek() == token {
            return Ok(self.tokens.bump());
        }
        let sign = match token {
            Token::CloseParen => ")",
            Token::CloseBracket => "]",
            _ => "}",
        };
        // What ends a statement cannot stand inside of brackets: the sign was forgotten, and all else may be right.
        let is_forgotten = matches!(
            self.peek(),
            Token::Semicolon | Token::OpenBrace | Token::CloseBrace | Token::End
        );
        if is_forgotten && token != Token::CloseBrace {
            let error =
                Diagnostic::error(self.tokens.after_previous(), format!("missing `{sign}`"));
            let error = error.label("expected here").related(open, "this is not closed");
            self.tokens.unexpected(error.hint(format!("add the `{sign}`")));
            return Ok(self.tokens.previous());
        }
        let message = write(&format!("`{sign}`"), &self.tokens.quote());
        let mut error =
            Diagnostic::error(self.tokens.span(), message).related(open, "this is not closed");
        if let Some(hint) = self.hint_for_words() {
            error = error.hint(hint);
        }
        Err(self.tokens.unexpected(error))
    }

    /// Moves past the `;` at the end of a statement or a declaration. Where it is missing at the end of a line, reading goes on as if it
    /// were there.
    pub(super) fn semicolon(&mut self, after: &str) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let ends =
            self.tokens.on_new_line() || matches!(self.peek(), Token::CloseBrace | Token::End);
        if !ends || self.peek() == Token::Unreadable {
            return Err(self.expected_with_hint("`;`", None));
        }
        let error =
            Diagnostic::error(self.tokens.after_previous(), "missing `;`").label("expected here");
        self.tokens.unexpected(error.hint(format!("{after} ends with `;`")));
        Ok(())
    }

    /// Reports a name that is used as a type, and takes it for one from now on: one message for all its uses.
    pub(super) fn unknown_type(&mut self, name: &Name) {
        let text = &name.text;
        let error = Diagnostic::error(name.span, format!("`{text}` is not a type here"));
        let error = match self.meaning(text) {
            Some(Meaning::Value) => {
                error.hint(format!("a variable or a function `{text}` was declared"))
            }
            _ => {
                error.hint(undeclared_word(text).unwrap_or("is a header missing, or a `typedef`?"))
            }
        };
        self.tokens.report(error);
        if let Some(outermost) = self.scopes.first_mut() {
            outermost.entry(text.clone()).or_insert(Meaning::Type);
        }
    }

    /// What to do if the current token, or the one before it, is a word that means nothing here.
    fn hint_for_words(&self) -> Option<&'static str> {
        let texts = [self.tokens.current_text(), self.tokens.text(self.tokens.previous())];
        texts.into_iter().filter(|text| self.meaning(text).is_none()).find_map(undeclared_word)
    }

    /// Whether the current token is a word of C++ that means nothing here.
    pub(super) fn at_foreign_word(&self) -> bool {
        let text = self.tokens.current_text();
        self.peek() == Token::Name && foreign_word(text).is_some() && self.meaning(text).is_none()
    }

    /// Reports a constant that C does not have, if the current token is one.
    pub(super) fn foreign_constant(&mut self) {
        let text = self.tokens.current_text();
        if matches!(text, "nullptr" | "true" | "false") && self.meaning(text).is_none() {
            let hint = undeclared_word(text).unwrap_or_default();
            self.mistake(self.tokens.span(), format!("`{text}` is not declared"), hint);
        }
    }

    /// Reports that the text is nested too deeply, and gives up on the rest of it.
    pub(super) fn too_deep(&mut self) -> Reported {
        let error = Diagnostic::error(self.tokens.span(), "this is nested too deeply");
        self.give_up(error.hint(format!(
            "there may be {DEEPEST} levels; move the inner part to a function of its own"
        )))
    }

    /// Reports that a chain is too long, and gives up on the rest of the text.
    pub(super) fn too_tall(&mut self) -> Reported {
        let error = Diagnostic::error(
            self.tokens.previous(),
            "this statement or expression has too many parts",
        );
        self.give_up(error.hint(
            "divide it: a chain of operators, labels or `else if` may have about a thousand links",
        ))
    }

    fn give_up(&mut self, error: Diagnostic) -> Reported {
        self.tokens.unexpected(error);
        self.tokens.give_up();
        Reported
    }

    /// Skips the rest of a statement in a block that cannot be read. The block ends where it would have ended.
    pub(super) fn skip_statement(&mut self, first: usize) {
        loop {
            match self.peek() {
                Token::End | Token::CloseBrace => return,
                Token::Semicolon => {
                    self.tokens.bump();
                    return;
                }
                Token::OpenBrace => {
                    // A function or a compound statement ends with its body.
                    self.skip_braces();
                    if self.peek() != Token::Semicolon && self.tokens.on_new_line() {
                        return;
                    }
                }
                token
                    if self.tokens.position() > first
                        && begins_statement(token)
                        && self.tokens.on_new_line() =>
                {
                    return;
                }
                _ => {
                    self.tokens.bump();
                }
            }
        }
    }

    /// Skips what cannot be read at the top of a file, up to what looks like the next declaration.
    pub(super) fn skip_item(&mut self, first: usize) {
        loop {
            match self.peek() {
                Token::End => return,
                Token::Semicolon | Token::CloseBrace => {
                    self.tokens.bump();
                    if self.peek() != Token::CloseBrace && self.peek() != Token::Semicolon {
                        return;
                    }
                }
                Token::OpenBrace => {
                    self.skip_braces();
                    if self.tokens.on_new_line() {
                        return;
                    }
                }
                token
                    if self.tokens.position() > first
                        && begins_item(token)
                        && self.tokens.at_margin() =>
                {
                    return;
                }
                _ => {
                    self.tokens.bump();
                }
            }
        }
    }

    /// Skips from `{` to the `}` that belongs to it.
    fn skip_braces(&mut self) {
        let mut open = 0u32;
        loop {
            match self.peek() {
                Token::End => return,
                Token::OpenBrace => open += 1,
                Token::CloseBrace => open = open.saturating_sub(1),
                _ => {}
            }
            self.tokens.bump();
            if open == 0 {
                return;
            }
        }
    }
}

/// Whether a token begins a statement and nothing else.
pub(super) fn begins_statement(token: Token) -> bool {
    matches!(
        token,
        Token::If
            | Token::While
            | Token::Do
            | Token::For
            | Token::Switch
            | Token::Case
            | Token::Default
            | Token::Goto
            | Token::Break
            | Token::Continue
            | Token::Return
    )
}

/// Whether a token often begins a declaration at the top of a file.
fn begins_item(token: Token) -> bool {
    matches!(
        token,
        Token::Void
            | Token::Char
            | Token::Short
            | Token::Int
            | Token::Long
            | Token::Unsigned
            | Token::Struct
            | Token::Union
            | Token::Enum
            | Token::Typedef
            | Token::Extern
            | Token::Static
            | Token::Inline
    )
}
