//! Operands: casts, operators with one operand, calls, members, literals, and extensions of GNU C.

use selvedge_program::Span;

use super::Parser;
use crate::Diagnostic;
use crate::c::lexer::Token;
use crate::c::literals::{Encoding, character, decode, number, unquote};
use crate::c::tree::{Designator, Expr, ExprKind, Specifiers, TypeName, TypeWords, Unary};
use crate::cursor::{Parsed, Reported};

impl Parser<'_> {
    /// `(type) e`, or what binds tighter.
    pub(super) fn cast(&mut self) -> Parsed<Expr> {
        if self.peek() != Token::OpenParen || !(self.at_type(1) || self.at_unknown_cast()) {
            return self.unary();
        }
        self.nested(|p| {
            let start = p.tokens.span();
            let ty = p.type_in_parens()?;
            if p.peek() == Token::OpenBrace {
                let literal = p.compound_literal(ty, start)?;
                return p.postfix(literal);
            }
            let operand = p.cast()?;
            let span = start.to(operand.span);
            Ok(Expr { kind: ExprKind::Cast(Box::new(ty), Box::new(operand)), span })
        })
    }

    /// Whether `(foo *)` follows, or `(foo) x`, where `foo` was not declared: a cast to a type that is not known.
    fn at_unknown_cast(&self) -> bool {
        if self.peek_at(1) != Token::Name {
            return false;
        }
        let stars = (2..).take_while(|&at| self.peek_at(at) == Token::Star).count();
        let names_operand = || {
            let next = self.peek_at(3);
            matches!(
                next,
                Token::Name | Token::Number | Token::Character | Token::String | Token::Sizeof
            )
        };
        self.peek_at(2 + stars) == Token::CloseParen
            && (stars > 0 || names_operand())
            && self.meaning(self.tokens.text(self.tokens.span_at(1))).is_none()
    }

    fn type_in_parens(&mut self) -> Parsed<TypeName> {
        let open = self.tokens.bump();
        let ty = self.type_name()?;
        self.close(Token::CloseParen, open)?;
        Ok(ty)
    }

    /// `{ … }` after a type.
    fn compound_literal(&mut self, ty: TypeName, start: Span) -> Parsed<Expr> {
        let (parts, span) = self.nested(Self::initialiser_list)?;
        Ok(Expr { kind: ExprKind::Compound(Box::new(ty), parts), span: start.to(span) })
    }

    /// An operator in front of its operand, or what binds tighter.
    fn unary(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Token::PlusPlus | Token::MinusMinus => self.nested(Self::step_before),
            Token::BitAnd
            | Token::Star
            | Token::Plus
            | Token::Minus
            | Token::Tilde
            | Token::Not => self.nested(Self::prefix),
            Token::Sizeof => self.nested(Self::size_of),
            Token::Alignof => self.nested(Self::align_of),
            Token::Extension => {
                self.tokens.bump();
                self.nested(Self::cast)
            }
            Token::Real | Token::Imag => self.nested(|p| {
                let what = if p.peek() == Token::Real { "__real__" } else { "__imag__" };
                let start = p.tokens.bump();
                let operand = p.cast()?;
                Ok(Expr { kind: ExprKind::Unsupported(what), span: start.to(operand.span) })
            }),
            Token::And if self.peek_at(1) == Token::Name => {
                let start = self.tokens.bump();
                let span = start.to(self.tokens.bump());
                Ok(Expr { kind: ExprKind::Unsupported("the address of a label"), span })
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(primary)
            }
        }
    }

    fn step_before(&mut self) -> Parsed<Expr> {
        let up = self.peek() == Token::PlusPlus;
        let start = self.tokens.bump();
        let place = Box::new(self.cast()?);
        let span = start.to(place.span);
        Ok(Expr { kind: ExprKind::Step { place, up, postfix: false }, span })
    }

    fn prefix(&mut self) -> Parsed<Expr> {
        let op = match self.peek() {
            Token::BitAnd => Unary::Address,
            Token::Star => Unary::Deref,
            Token::Plus => Unary::Plus,
            Token::Minus => Unary::Minus,
            Token::Tilde => Unary::Complement,
            _ => Unary::Not,
        };
        let start = self.tokens.bump();
        let operand = self.cast()?;
        let span = start.to(operand.span);
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }

    /// `sizeof e` or `sizeof (type)`
    fn size_of(&mut self) -> Parsed<Expr> {
        let start = self.tokens.bump();
        let kind = match self.type_or_operand()? {
            Ok(ty) => ExprKind::SizeofType(Box::new(ty)),
            Err(operand) => ExprKind::SizeofExpr(Box::new(operand)),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    /// `_Alignof (type)`; GNU has it for expressions as well.
    fn align_of(&mut self) -> Parsed<Expr> {
        let start = self.tokens.bump();
        let mut preferred = self.tokens.text(start) != "_Alignof";
        let ty = match self.type_or_operand()? {
            Ok(ty) => ty,
            Err(operand) => {
                // Members are where the layout of their structure says.
                let is_member = matches!(operand.kind, ExprKind::Member(..) | ExprKind::Arrow(..));
                preferred &= !is_member;
                let span = operand.span;
                let ty = TypeWords::TypeofExpr(Box::new(operand));
                TypeName { specifiers: Specifiers::of(ty, span), declarator: self.no_declarator() }
            }
        };
        Ok(Expr { kind: ExprKind::Alignof(Box::new(ty), preferred), span: self.since(start) })
    }

    /// A type in parentheses, or an operand.
    fn type_or_operand(&mut self) -> Parsed<Result<TypeName, Expr>> {
        if self.peek() != Token::OpenParen || !self.at_type(1) {
            return self.unary().map(Err);
        }
        let start = self.tokens.span();
        let ty = self.type_in_parens()?;
        if self.peek() == Token::OpenBrace {
            let literal = self.compound_literal(ty, start)?;
            return self.postfix(literal).map(Err);
        }
        Ok(Ok(ty))
    }

    /// Calls, members, indices and steps after an operand.
    fn postfix(&mut self, operand: Expr) -> Parsed<Expr> {
        let mut expr = operand;
        loop {
            let start = expr.span;
            let token = self.peek();
            let kind = match token {
                Token::OpenParen => {
                    let arguments = self.nested(Self::arguments)?;
                    ExprKind::Call(Box::new(expr), arguments)
                }
                Token::OpenBracket => {
                    let index = self.nested(Self::subscript)?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Token::Dot | Token::Arrow => {
                    self.tokens.bump();
                    let name = self.member_name()?;
                    match token {
                        Token::Dot => ExprKind::Member(Box::new(expr), name),
                        _ => ExprKind::Arrow(Box::new(expr), name),
                    }
                }
                Token::PlusPlus | Token::MinusMinus => {
                    self.tokens.bump();
                    ExprKind::Step {
                        place: Box::new(expr),
                        up: token == Token::PlusPlus,
                        postfix: true,
                    }
                }
                _ => return Ok(expr),
            };
            self.taller()?;
            expr = Expr { kind, span: self.since(start) };
        }
    }

    fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let open = self.tokens.bump();
        let mut arguments = Vec::new();
        if self.peek() != Token::CloseParen {
            arguments = self.list(Self::assignment)?;
        }
        self.close(Token::CloseParen, open)?;
        Ok(arguments)
    }

    fn subscript(&mut self) -> Parsed<Expr> {
        let open = self.tokens.bump();
        let index = self.expression()?;
        self.close(Token::CloseBracket, open)?;
        Ok(index)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.tokens.span();
        let kind = match self.peek() {
            Token::Name => {
                self.foreign_constant();
                ExprKind::Name(self.take_name().text)
            }
            Token::Number => self.literal(number)?,
            Token::Character => self.literal(character)?,
            Token::String => {
                let (units, encoding) = self.string_pieces()?;
                ExprKind::String(units, encoding.width())
            }
            Token::FunctionName => {
                self.tokens.bump();
                let name = self.function.as_deref().unwrap_or("");
                ExprKind::String(name.bytes().map(u32::from).collect(), 1)
            }
            Token::OpenParen => return self.nested(Self::parenthesised),
            Token::Generic => self.nested(Self::generic)?,
            Token::VaArg | Token::Offsetof | Token::Compatible | Token::Choose => {
                self.nested(Self::builtin)?
            }
            _ => return Err(self.no_operand()),
        };
        Ok(Expr { kind, span: self.since(start) })
    }

    fn no_operand(&mut self) -> Reported {
        match self.peek() {
            token if self.at_specifier(0) && token != Token::Name => self.expected_with_hint(
                "an expression",
                Some("a type stands here in a declaration, a cast or `sizeof`"),
            ),
            Token::OpenBrace => self.expected_with_hint(
                "an expression",
                Some("a list in braces needs a type before it: `(type) { … }`"),
            ),
            _ => self.expected("an expression"),
        }
    }

    /// `(e)` or `({ … })`
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.tokens.bump();
        let kind = if self.peek() == Token::OpenBrace {
            ExprKind::Statement(Box::new(self.block()?))
        } else {
            self.expression()?.kind
        };
        let close = self.close(Token::CloseParen, open)?;
        Ok(Expr { kind, span: open.to(close) })
    }

    /// A number or a character.
    fn literal(&mut self, read: fn(&str) -> Result<ExprKind, String>) -> Parsed<ExprKind> {
        let text = self.tokens.current_text();
        let span = self.tokens.span();
        match read(text) {
            Ok(kind) => {
                self.tokens.bump();
                Ok(kind)
            }
            Err(message) => {
                self.tokens.unexpected(Diagnostic::error(span, message));
                self.tokens.bump();
                Ok(ExprKind::Unsupported("a mistake"))
            }
        }
    }

    /// Strings side by side, as one.
    pub(super) fn string_pieces(&mut self) -> Parsed<(Vec<u32>, Encoding)> {
        if self.peek() != Token::String {
            return Err(self.expected("a string"));
        }
        let mut pieces = Vec::new();
        while self.peek() == Token::String {
            let (encoding, inside) = unquote(self.tokens.current_text(), '"');
            pieces.push((encoding, inside, self.tokens.bump()));
        }
        let encoding = pieces.iter().map(|piece| piece.0).max().unwrap_or(Encoding::Bytes);
        let mut units = Vec::new();
        for (_, inside, span) in pieces {
            if let Err(message) = decode(inside, encoding, &mut units) {
                self.tokens.report(Diagnostic::error(span, message));
            }
        }
        Ok((units, encoding))
    }

    /// `_Generic(e, type: a, default: b)`
    fn generic(&mut self) -> Parsed<ExprKind> {
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(` after `_Generic`")?;
        let chooses = Box::new(self.assignment()?);
        let mut choices = Vec::new();
        while self.eat(Token::Comma) {
            let ty = if self.eat(Token::Default) { None } else { Some(self.type_name()?) };
            self.expect(Token::Colon, "`:` after the type")?;
            choices.push((ty, self.assignment()?));
        }
        self.close(Token::CloseParen, open)?;
        Ok(ExprKind::Generic(chooses, choices))
    }

    /// Parses what looks like a call, but has types among its arguments.
    fn builtin(&mut self) -> Parsed<ExprKind> {
        let token = self.peek();
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(`")?;
        let kind = match token {
            Token::VaArg => {
                let list = Box::new(self.assignment()?);
                self.comma()?;
                ExprKind::VaArg(list, Box::new(self.type_name()?))
            }
            Token::Offsetof => {
                let ty = Box::new(self.type_name()?);
                self.comma()?;
                let mut path = vec![Designator::Member(self.member_name()?)];
                path.append(&mut self.designators()?);
                ExprKind::Offsetof(ty, path)
            }
            Token::Compatible => {
                let left = Box::new(self.type_name()?);
                self.comma()?;
                ExprKind::Compatible(left, Box::new(self.type_name()?))
            }
            _ => {
                let chooses = Box::new(self.assignment()?);
                self.comma()?;
                let then = Box::new(self.assignment()?);
                self.comma()?;
                ExprKind::Choose(chooses, then, Box::new(self.assignment()?))
            }
        };
        self.close(Token::CloseParen, open)?;
        Ok(kind)
    }

    fn comma(&mut self) -> Parsed<()> {
        self.expect(Token::Comma, "`,`").map(drop)
    }
}
