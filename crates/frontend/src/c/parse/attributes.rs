//! Attributes: `__attribute__((…))` and `[[…]]`, of which names and alignments are kept.

use std::sync::Arc;

use super::Parser;
use crate::c::lexer::Token;
use crate::c::tree::{Alignment, Attributes, Name};
use crate::cursor::Parsed;

impl Parser<'_> {
    /// Whether `[[` comes so many tokens ahead.
    fn at_brackets(&self, ahead: usize) -> bool {
        self.peek_at(ahead) == Token::OpenBracket && self.peek_at(ahead + 1) == Token::OpenBracket
    }

    /// Whether an attribute comes so many tokens ahead.
    pub(super) fn at_attribute(&self, ahead: usize) -> bool {
        self.peek_at(ahead) == Token::Attribute || self.at_brackets(ahead)
    }

    /// How many tokens ahead the attributes end that begin so many tokens ahead.
    pub(super) fn after_attributes(&self, mut ahead: usize) -> usize {
        while self.at_attribute(ahead) {
            ahead += usize::from(self.peek_at(ahead) == Token::Attribute);
            let mut open = 0u32;
            loop {
                match self.peek_at(ahead) {
                    Token::OpenParen | Token::OpenBracket => open += 1,
                    Token::CloseParen | Token::CloseBracket => open = open.saturating_sub(1),
                    Token::End | Token::Semicolon | Token::OpenBrace | Token::CloseBrace => {
                        return ahead;
                    }
                    _ => {}
                }
                ahead += 1;
                if open == 0 {
                    break;
                }
            }
        }
        ahead
    }

    /// Any number of attributes.
    pub(super) fn attributes(&mut self, into: &mut Attributes) -> Parsed<()> {
        loop {
            if self.peek() == Token::Attribute {
                self.tokens.bump();
                let outer = self.expect(Token::OpenParen, "`((` after `__attribute__`")?;
                let inner = self.expect(Token::OpenParen, "`((` after `__attribute__`")?;
                self.attribute_list(Token::CloseParen, into)?;
                self.close(Token::CloseParen, inner)?;
                self.close(Token::CloseParen, outer)?;
            } else if self.at_brackets(0) {
                let outer = self.tokens.bump();
                let inner = self.tokens.bump();
                self.attribute_list(Token::CloseBracket, into)?;
                self.close(Token::CloseBracket, inner)?;
                self.close(Token::CloseBracket, outer)?;
            } else {
                return Ok(());
            }
        }
    }

    fn attribute_list(&mut self, end: Token, into: &mut Attributes) -> Parsed<()> {
        loop {
            if self.peek() == end {
                return Ok(());
            }
            if self.eat(Token::Comma) {
                continue;
            }
            self.attribute(into)?;
            // `[[gnu::packed]]`
            while self.peek() == Token::Colon && self.peek_at(1) == Token::Colon {
                into.names.pop();
                self.tokens.bump();
                self.tokens.bump();
                self.attribute(into)?;
            }
            if self.peek() != end && self.peek() != Token::Comma {
                return Err(self.expected("`,` between attributes"));
            }
        }
    }

    /// One attribute. Its name may be a keyword, as in `__attribute__((const))`.
    fn attribute(&mut self, into: &mut Attributes) -> Parsed<()> {
        let span = self.tokens.span();
        let text = self.tokens.text(span);
        if !text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return Err(self.expected("the name of an attribute"));
        }
        self.tokens.bump();
        let text = bare(text);
        let mut name: Arc<str> = self.intern(text);
        if self.peek() == Token::OpenParen {
            match text {
                "aligned" => {
                    let open = self.tokens.bump();
                    let bytes = self.nested(Self::assignment)?;
                    into.alignments.push(Alignment::Bytes(bytes));
                    self.close(Token::CloseParen, open)?;
                }
                "mode" => {
                    let mode = format!("mode({})", bare(self.tokens.text(self.tokens.span_at(1))));
                    name = mode.into();
                    self.skip_parens()?;
                }
                _ => self.skip_parens()?,
            }
        } else if text == "aligned" {
            into.alignments.push(Alignment::Most);
        }
        into.names.push(Name { text: name, span });
        Ok(())
    }

    /// Skips from `(` to the `)` that belongs to it.
    pub(super) fn skip_parens(&mut self) -> Parsed<()> {
        let start = self.tokens.span();
        let mut open = 0u32;
        loop {
            match self.peek() {
                Token::OpenParen => open += 1,
                Token::CloseParen => open = open.saturating_sub(1),
                Token::End | Token::Semicolon | Token::OpenBrace | Token::CloseBrace => {
                    return self.close(Token::CloseParen, start).map(drop);
                }
                _ => {}
            }
            self.tokens.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// `asm("name")` after a declarator: what the linker calls it.
    pub(super) fn linker_name(&mut self, into: &mut Attributes) -> Parsed<()> {
        if self.peek() == Token::Asm {
            let span = self.tokens.bump();
            let text = self.intern("asm");
            into.names.push(Name { text, span });
            let open = self.expect(Token::OpenParen, "`(` after `asm`")?;
            self.string_pieces()?;
            self.close(Token::CloseParen, open)?;
        }
        Ok(())
    }
}

/// A word without underscores at both ends.
fn bare(text: &str) -> &str {
    text.strip_prefix("__")
        .and_then(|text| text.strip_suffix("__"))
        .filter(|text| !text.is_empty())
        .unwrap_or(text)
}
