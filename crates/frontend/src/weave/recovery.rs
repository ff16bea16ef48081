//! # Going on after a mistake
//! **Question.** Where does the next thing begin that can be read on its own?
//!
//! **Idea.** Behind the next `;`, behind the next block in braces, or at a declaration at the left margin. What stands between belongs to
//! the mistake, so nothing in it is reported a second time.

use super::Parser;
use super::lexer::Token;

impl Parser<'_> {
    /// After a mistake in a statement: skips the rest of it, and at least one token.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let from = self.tokens.position();
        self.skip(false);
        self.forgive_from(from);
        let stuck = self.tokens.position() == start;
        if stuck && !matches!(self.peek(), Token::CloseBrace | Token::End) {
            self.tokens.bump();
        }
    }

    /// After a mistake in a declaration: skips the rest of it.
    pub(super) fn skip_item(&mut self) {
        let from = self.tokens.position();
        self.skip(true);
        // What follows on its last line is a part of it, too.
        while !matches!(self.peek(), Token::End)
            && !self.tokens.at_margin()
            && !self.at_item()
            && !self.at_builtin()
        {
            let before = self.tokens.position();
            self.skip(true);
            if self.tokens.position() == before {
                self.tokens.bump();
            }
        }
        self.forgive_from(from);
    }

    /// Skips to after the next `;`, or after the next block in braces, or to a `}` (and past it,
    /// at the top of a file), or to a declaration at the left margin. What stands in parentheses
    /// is skipped as a whole, unless a line ends with `;` there.
    fn skip(&mut self, at_top: bool) {
        let mut parens = 0_usize;
        let mut braces = 0_usize;
        loop {
            match self.peek() {
                Token::End => return,
                Token::OpenParen | Token::OpenBracket => parens += 1,
                Token::CloseParen | Token::CloseBracket => parens = parens.saturating_sub(1),
                Token::OpenBrace => braces += 1,
                Token::CloseBrace if braces > 1 => braces -= 1,
                Token::CloseBrace if braces == 1 || at_top => {
                    self.tokens.bump();
                    if braces == 1 && matches!(self.peek(), Token::Else | Token::OrWord) {
                        braces = 0;
                        continue;
                    }
                    // `f(|| { … });`: no statement begins with what follows, so it is the rest of this one.
                    let ends_line = self.tokens.on_new_line() || self.peek() == Token::CloseBrace;
                    if braces == 1 && !ends_line && !self.at_statement() && !self.at_item() {
                        braces = 0;
                        parens = 0;
                        continue;
                    }
                    return;
                }
                Token::CloseBrace => return,
                Token::Semicolon if braces == 0 => {
                    self.tokens.bump();
                    if parens == 0 || self.tokens.on_new_line() {
                        return;
                    }
                    continue;
                }
                _ if self.at_item() && self.tokens.at_margin() => return,
                _ => {}
            }
            self.tokens.bump();
        }
    }

    /// After a mistake inside the braces of an expression: skips past the closing one, so that it
    /// is not taken for the end of a block.
    pub(super) fn skip_braces(&mut self) {
        while !matches!(self.peek(), Token::End | Token::Semicolon | Token::OpenBrace) {
            if self.eat(Token::CloseBrace) {
                return;
            }
            self.tokens.bump();
        }
    }

    /// After a mistake in the head of something with a body: skips to the `{` of the body, if
    /// there is one.
    pub(super) fn skip_to_body(&mut self) -> bool {
        loop {
            match self.peek() {
                Token::OpenBrace => return true,
                Token::End | Token::Semicolon | Token::CloseBrace => return false,
                _ if self.at_item() && self.tokens.at_margin() => return false,
                _ => self.tokens.bump(),
            };
        }
    }
}
