//! # Reserved words as names
//! Whoever calls a variable `lock` is told of it once, where it is declared. After that the word is a name wherever what stands beside it would not
//! fit the word: in `lock := 1;`, not in `lock m;`.

use super::Parser;
use super::lexer::{Token, is_reserved};
use super::wanted::Wanted;
use crate::Diagnostic;
use crate::cursor::Parsed;
use crate::syntax::Name;

impl Parser<'_> {
    /// A name that must stand here. A reserved word in its place is a mistake, but clearly meant
    /// as a name if what follows a name follows it.
    pub(super) fn name(&mut self, what: Wanted) -> Parsed<Name> {
        if self.peek() == Token::Name {
            return Ok(self.bump_name());
        }
        let reserved = is_reserved(self.peek(), self.tokens.current_text());
        if !reserved {
            return Err(self.expected(what));
        }
        let word = self.tokens.current_text();
        let meant = may_follow_name(self.tokens.peek_at(1));
        if meant && self.misnamed.iter().any(|known| known == word) {
            return Ok(self.bump_name());
        }
        let span = self.tokens.span();
        let message =
            format!("expected {}, but {} is a reserved word", what.phrase(), self.tokens.quote());
        let error = Diagnostic::error(span, message).hint("choose another name");
        let reported = self.tokens.unexpected(error);
        if !meant {
            return Err(reported);
        }
        self.misnamed.push(word.to_owned());
        let name = self.bump_name();
        self.take_as_name(&name.text);
        Ok(name)
    }

    /// Whether a type stands here with a reserved word after it that is meant as a name: `semaphore mutex := 1;`.
    pub(super) fn at_misnamed(&self) -> bool {
        let word = self.tokens.text(self.tokens.span_at(1));
        self.peek() == Token::Name
            && is_reserved(self.tokens.peek_at(1), word)
            && matches!(self.tokens.current_text(), "semaphore" | "condition" | "barrier")
            && matches!(
                self.tokens.peek_at(2),
                Token::Assign | Token::Equal | Token::Comma | Token::Semicolon | Token::OpenBracket
            )
    }

    /// Makes a name of a reserved word in the rest of the file, where it is used as one.
    fn take_as_name(&mut self, word: &str) {
        let from = self.tokens.position();
        for position in from..self.tokens.length() {
            let token = self.tokens.token_of(position);
            if self.tokens.text(self.tokens.span_of(position)) != word || token == Token::Name {
                continue;
            }
            let before = self.tokens.token_of(position - 1);
            let next = self.tokens.token_of(position + 1);
            let is_call =
                next == Token::OpenParen && self.tokens.token_of(position + 2) == Token::CloseParen;
            if is_call || is_used(before, token, next) {
                self.tokens.rename(position, Token::Name);
            }
        }
    }
}

/// Whether a token may follow a name that is declared or used.
fn may_follow_name(next: Token) -> bool {
    matches!(
        next,
        Token::Assign
            | Token::Equal
            | Token::Comma
            | Token::Semicolon
            | Token::Colon
            | Token::OpenParen
            | Token::CloseParen
            | Token::OpenBracket
            | Token::OpenBrace
            | Token::CloseBrace
            | Token::Star
    )
}

/// Whether a reserved word between two tokens is used as the name of a variable.
fn is_used(before: Token, word: Token, next: Token) -> bool {
    let ends =
        matches!(next, Token::Semicolon | Token::Comma | Token::CloseParen | Token::CloseBracket);
    match word {
        // Values and types stand where names do.
        Token::True | Token::False | Token::Bool | Token::Int | Token::Machine | Token::Tid => {
            false
        }
        _ => {
            ends && !matches!(before, Token::Semicolon | Token::OpenBrace | Token::CloseBrace)
                || matches!(
                    next,
                    Token::Assign
                        | Token::OpenBracket
                        | Token::Dot
                        | Token::PlusPlus
                        | Token::MinusMinus
                        | Token::PlusAssign
                        | Token::MinusAssign
                        | Token::EqualEqual
                        | Token::NotEqual
                        | Token::Less
                        | Token::AtMost
                        | Token::Greater
                        | Token::AtLeast
                        | Token::Plus
                )
        }
    }
}
