//! Initialisers of variables.

use selvedge_program::Span;

use super::Parser;
use crate::c::lexer::Token;
use crate::c::tree::{Designator, Init, Name};
use crate::cursor::Parsed;

/// The parts between braces, each with what it is for.
pub(super) type Parts = Vec<(Vec<Designator>, Init)>;

impl Parser<'_> {
    /// A value, or `{ … }`.
    pub(super) fn initialiser(&mut self) -> Parsed<Init> {
        if self.peek() != Token::OpenBrace {
            return Ok(Init::Expr(self.nested(Self::assignment)?));
        }
        let (parts, span) = self.nested(Self::initialiser_list)?;
        Ok(Init::List(parts, span))
    }

    /// `{ … }`
    pub(super) fn initialiser_list(&mut self) -> Parsed<(Parts, Span)> {
        let open = self.tokens.bump();
        let mut parts = Vec::new();
        while self.peek() != Token::CloseBrace {
            let designators = self.designation()?;
            parts.push((designators, self.initialiser()?));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        let close = self.close(Token::CloseBrace, open)?;
        Ok((parts, open.to(close)))
    }

    /// `.a[2] =`, or `a:` as GNU once had it.
    fn designation(&mut self) -> Parsed<Vec<Designator>> {
        if self.peek() == Token::Name && self.peek_at(1) == Token::Colon {
            let name = self.take_name();
            self.tokens.bump();
            return Ok(vec![Designator::Member(name)]);
        }
        let designators = self.designators()?;
        // GNU lets `=` be left out after `[i]`.
        if !designators.is_empty()
            && !self.eat(Token::Assign)
            && matches!(designators.last(), Some(Designator::Member(_)))
        {
            return Err(self.expected("`=` after the member"));
        }
        Ok(designators)
    }

    /// Any number of `.a` and `[i]`.
    pub(super) fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            match self.peek() {
                Token::Dot => {
                    self.tokens.bump();
                    designators.push(Designator::Member(self.member_name()?));
                }
                Token::OpenBracket => designators.push(self.nested(Self::index)?),
                _ => return Ok(designators),
            }
        }
    }

    fn index(&mut self) -> Parsed<Designator> {
        let open = self.tokens.bump();
        let from = self.expression()?;
        let index = match self.eat(Token::Dots) {
            true => Designator::Range(from, self.conditional()?),
            false => Designator::Index(from),
        };
        self.close(Token::CloseBracket, open)?;
        Ok(index)
    }

    /// The name of a member.
    pub(super) fn member_name(&mut self) -> Parsed<Name> {
        if self.peek() == Token::Name {
            Ok(self.take_name())
        } else {
            Err(self.expected("the name of a member"))
        }
    }
}
