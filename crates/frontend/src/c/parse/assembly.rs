//! Instructions of a machine: `asm`.

use super::Parser;
use crate::c::lexer::Token;
use crate::c::tree::{Asm, Expr};
use crate::cursor::Parsed;

impl Parser<'_> {
    /// Parses what stands after `asm`, up to its `;`.
    pub(super) fn assembly(&mut self) -> Parsed<Asm> {
        while matches!(self.peek(), Token::Volatile | Token::Const | Token::Inline | Token::Goto) {
            self.tokens.bump();
        }
        let open = self.expect(Token::OpenParen, "`(` after `asm`")?;
        let template = self.asm_string()?;
        let mut asm =
            Asm { template, outputs: Vec::new(), inputs: Vec::new(), clobbers: Vec::new() };
        // A colon that follows another at once is an empty part.
        for part in 0..4 {
            if !self.eat(Token::Colon) {
                break;
            }
            if matches!(self.peek(), Token::Colon | Token::CloseParen) {
                continue;
            }
            match part {
                0 => asm.outputs = self.list(|p| p.nested(Self::asm_operand))?,
                1 => asm.inputs = self.list(|p| p.nested(Self::asm_operand))?,
                2 => asm.clobbers = self.list(Self::asm_string)?,
                _ => drop(self.list(Self::member_name)?),
            }
        }
        self.close(Token::CloseParen, open)?;
        self.semicolon("`asm`")?;
        Ok(asm)
    }

    /// `[name] "constraint" (expression)`
    fn asm_operand(&mut self) -> Parsed<Expr> {
        if self.peek() == Token::OpenBracket {
            let open = self.tokens.bump();
            self.member_name()?;
            self.close(Token::CloseBracket, open)?;
        }
        self.string_pieces()?;
        let open = self.expect(Token::OpenParen, "`(` and the operand")?;
        let operand = self.expression()?;
        self.close(Token::CloseParen, open)?;
        Ok(operand)
    }

    fn asm_string(&mut self) -> Parsed<String> {
        let (units, _) = self.string_pieces()?;
        Ok(units
            .into_iter()
            .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect())
    }
}
