//! Expressions: operators by precedence.

use super::Parser;
use crate::c::lexer::Token;
use crate::c::tree::{Binary, Expr, ExprKind};
use crate::cursor::Parsed;

/// The operator that a token stands for, and how tightly it binds.
fn operator(token: Token) -> Option<(Binary, u32)> {
    Some(match token {
        Token::Or => (Binary::Or, 1),
        Token::And => (Binary::And, 2),
        Token::BitOr => (Binary::BitOr, 3),
        Token::BitXor => (Binary::BitXor, 4),
        Token::BitAnd => (Binary::BitAnd, 5),
        Token::Equal => (Binary::Eq, 6),
        Token::NotEqual => (Binary::Ne, 6),
        Token::Less => (Binary::Lt, 7),
        Token::AtMost => (Binary::Le, 7),
        Token::Greater => (Binary::Gt, 7),
        Token::AtLeast => (Binary::Ge, 7),
        Token::ShiftLeft => (Binary::ShiftLeft, 8),
        Token::ShiftRight => (Binary::ShiftRight, 8),
        Token::Plus => (Binary::Add, 9),
        Token::Minus => (Binary::Sub, 9),
        Token::Star => (Binary::Mul, 10),
        Token::Slash => (Binary::Div, 10),
        Token::Percent => (Binary::Rem, 10),
        _ => return None,
    })
}

/// The operator of an assignment, if the token is one of these.
fn assignment_operator(token: Token) -> Option<Option<Binary>> {
    Some(match token {
        Token::Assign => None,
        Token::MulAssign => Some(Binary::Mul),
        Token::DivAssign => Some(Binary::Div),
        Token::RemAssign => Some(Binary::Rem),
        Token::AddAssign => Some(Binary::Add),
        Token::SubAssign => Some(Binary::Sub),
        Token::ShiftLeftAssign => Some(Binary::ShiftLeft),
        Token::ShiftRightAssign => Some(Binary::ShiftRight),
        Token::AndAssign => Some(Binary::BitAnd),
        Token::XorAssign => Some(Binary::BitXor),
        Token::OrAssign => Some(Binary::BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression, with commas between its parts.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.chain(|p| {
            let mut left = p.assignment()?;
            while p.eat(Token::Comma) {
                let right = p.assignment()?;
                left = p.binary_node(Binary::Comma, left, right)?;
            }
            Ok(left)
        })
    }

    /// Parses an expression without commas.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.chain(|p| {
            let place = p.conditional()?;
            let Some(op) = assignment_operator(p.peek()) else { return Ok(place) };
            p.tokens.bump();
            let value = p.nested(Self::assignment)?;
            p.taller()?;
            let span = place.span.to(value.span);
            Ok(Expr { kind: ExprKind::Assign(op, Box::new(place), Box::new(value)), span })
        })
    }

    /// `c ? a : b`, or what binds tighter.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        self.chain(|p| {
            let cond = p.binary(1)?;
            if p.peek() != Token::Question {
                return Ok(cond);
            }
            p.tokens.bump();
            let then = match p.peek() {
                Token::Colon => None,
                _ => Some(Box::new(p.nested(Self::expression)?)),
            };
            p.expect(Token::Colon, "`:` of the `?` before")?;
            let otherwise = p.nested(Self::conditional)?;
            p.taller()?;
            let span = cond.span.to(otherwise.span);
            Ok(Expr {
                kind: ExprKind::Conditional(Box::new(cond), then, Box::new(otherwise)),
                span,
            })
        })
    }

    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: u32) -> Parsed<Expr> {
        self.chain(|p| {
            let mut left = p.cast()?;
            while let Some((op, level)) = operator(p.peek())
                && level >= least
            {
                p.tokens.bump();
                let right = p.binary(level + 1)?;
                left = p.binary_node(op, left, right)?;
            }
            Ok(left)
        })
    }

    fn binary_node(&mut self, op: Binary, left: Expr, right: Expr) -> Parsed<Expr> {
        self.taller()?;
        let span = left.span.to(right.span);
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span })
    }
}
