//! Types and variables, shared and local.

use num_bigint::BigInt;
use selvedge_program::{Span, Type};

use super::Parser;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::Diagnostic;
use crate::cursor::{Parsed, Reported};
use crate::foreign::{self, NO_POINTERS};
use crate::syntax::{Expr, ExprKind, Init, Name, TypeExpr, TypeKind, VarDecl};

/// A variable of which only the name and the dimensions are known yet.
struct Bare {
    name: Name,
    dims: Vec<Expr>,
}

impl Parser<'_> {
    /// Whether the current token is a word for a type.
    pub(super) fn at_builtin(&self) -> bool {
        self.at_builtin_after(0)
    }

    /// Whether the token `ahead` places after the current one is a word for a type.
    pub(super) fn at_builtin_after(&self, ahead: usize) -> bool {
        matches!(
            self.tokens.peek_at(ahead),
            Token::Bool | Token::Int | Token::Machine | Token::Lock | Token::Mutex | Token::Tid
        )
    }

    /// Whether the type of a channel stands here: `chan[2] int`, `chan bool`, `chan Phase` with a name after it. In a
    /// procedure, that may be an element of an array.
    pub(super) fn at_channel(&self) -> bool {
        self.peek() == Token::Name
            && self.tokens.current_text() == "chan"
            && match self.tokens.peek_at(1) {
                Token::OpenBracket => true,
                Token::Name => matches!(self.tokens.peek_at(2), Token::Name),
                _ => self.at_builtin_after(1),
            }
    }

    /// `chan[2] int`
    fn channel(&mut self) -> Parsed<TypeExpr> {
        let start = self.tokens.bump();
        self.has_parts = true;
        let mut capacity = None;
        if self.peek() == Token::OpenBracket {
            let open = self.tokens.bump();
            capacity = Some(Box::new(self.expr()?));
            self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        }
        let is_array = self.at_builtin()
            && (self.tokens.peek_at(1), self.tokens.peek_at(3))
                == (Token::OpenBracket, Token::CloseBracket);
        if is_array && capacity.is_none() {
            let error = Diagnostic::error(self.tokens.span_at(1), "this is not a type");
            let hint =
                "how many messages a channel holds stands before their type: `chan[2] int c;`";
            return Err(self.tokens.unexpected(error.hint(hint)));
        }
        // A channel of channels is refused later; types inside of types are nesting.
        self.tokens.enter()?;
        let message = self.type_expr();
        self.tokens.leave();
        let message = Box::new(message?);
        let span = start.to(message.span);
        Ok(TypeExpr { kind: TypeKind::Channel { capacity, message }, span })
    }

    /// Whether a type with a name after it stands here (`bool x`, `Phase p`).
    pub(super) fn at_type(&self) -> bool {
        self.at_builtin() || (self.peek() == Token::Name && self.tokens.peek_at(1) == Token::Name)
    }

    /// Parses a type.
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.tokens.span();
        let kind = match self.peek() {
            Token::Bool => TypeKind::Bool,
            Token::Lock | Token::Mutex => TypeKind::Lock,
            Token::Tid => TypeKind::ThreadId,
            Token::Int => TypeKind::Int,
            Token::Machine => self.machine_integer(),
            // `var m: mutex`
            Token::Name if self.tokens.current_text() == "mutex" => TypeKind::Lock,
            Token::Name if self.at_channel() => return self.channel(),
            Token::Name if self.at_bounded_semaphore() => {
                self.tokens.bump();
                let range = self.range()?;
                let TypeKind::Range(lo, hi) = range.kind else { return Ok(range) };
                return Ok(TypeExpr { kind: TypeKind::Semaphore(lo, hi), span: range.span });
            }
            Token::Name => {
                let name = self.bump_name();
                return Ok(TypeExpr { span: name.span, kind: TypeKind::Named(name) });
            }
            Token::Star => {
                let hint = "`//` begins a comment, and `/* … */` is one; a type is `int`, `bool`, `lock` or another one";
                return Err(self.expected_or(Wanted::Type, hint));
            }
            _ => return Err(self.expected(Wanted::Type)),
        };
        self.tokens.bump();
        if self.peek() != Token::OpenBracket {
            return Ok(TypeExpr { kind, span: start });
        }
        if matches!(kind, TypeKind::Int) {
            self.range()
        } else {
            Err(self.length_before_name(start))
        }
    }

    /// Whether `semaphore[…` stands here. In a procedure, that is an element of an array.
    pub(super) fn at_bounded_semaphore(&self) -> bool {
        self.peek() == Token::Name
            && self.tokens.current_text() == "semaphore"
            && self.tokens.peek_at(1) == Token::OpenBracket
    }

    /// The type that the name of a machine integer stands for.
    pub(super) fn machine_integer(&self) -> TypeKind {
        Type::machine(self.tokens.current_text()).map_or(TypeKind::Int, TypeKind::Machine)
    }

    /// `u8(e)`, `int(e)`
    pub(super) fn conversion(&mut self) -> Parsed<Expr> {
        let kind = match self.peek() {
            Token::Machine => self.machine_integer(),
            _ => TypeKind::Int,
        };
        let start = self.tokens.bump();
        if self.peek() == Token::Colon
            && let TypeKind::Machine(ty) = &kind
            && let Some(number) = bound(ty, self.tokens.text(self.tokens.span_at(2)))
        {
            let error =
                Diagnostic::error(start.to(self.tokens.span_at(2)), "a type has no members");
            return Err(self.tokens.unexpected(error.hint(format!("write `{number}`"))));
        }
        if self.peek() != Token::OpenParen {
            let hint = "a type is no value; `u8(e)` makes a `u8` of another number";
            return Err(self.expected_or(Wanted::OpenParen, hint));
        }
        let open = self.tokens.bump();
        let operand = Box::new(self.open_expr()?);
        let close = self.expect_closing(Token::CloseParen, Wanted::CloseParen, open)?;
        self.grow(self.height)?;
        let ty = TypeExpr { kind, span: start };
        Ok(Expr { kind: ExprKind::Convert(ty, operand), span: start.to(close) })
    }

    /// `[lo..hi]` after `int`.
    fn range(&mut self) -> Parsed<TypeExpr> {
        let start = self.tokens.previous();
        let open = self.tokens.bump();
        if self.peek() == Token::CloseBracket {
            return Err(self.length_before_name(start));
        }
        let lo = self.expr()?;
        if self.peek() == Token::CloseBracket {
            return Err(self.length_before_name(start));
        }
        self.expect(Token::DotDot, Wanted::DotDot)?;
        let hi = self.expr()?;
        let end = self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        Ok(TypeExpr { kind: TypeKind::Range(Box::new(lo), Box::new(hi)), span: start.to(end) })
    }

    /// Reports `bool[3] x`, after the word for the type.
    fn length_before_name(&mut self, word: Span) -> Reported {
        let error = Diagnostic::error(self.tokens.span(), "this is not a type");
        let hint = match self.tokens.text(word) {
            "semaphore" => {
                "the first value stands after the name: `semaphore s := 2;`; `semaphore[0..3] s := 2;` counts up to 3"
            }
            _ => {
                "the length of an array stands after its name (`bool x[3]`); a range has two ends (`int[0..3]`)"
            }
        };
        self.tokens.unexpected(error.hint(hint))
    }

    /// Variables in one of the two styles, up to the `;`.
    pub(super) fn variables(&mut self) -> Parsed<Vec<VarDecl>> {
        if self.eat(Token::Var) {
            return Ok(self.list(Self::group)?.into_iter().flatten().collect());
        }
        let ty = self.type_expr()?;
        self.declarators(&ty)
    }

    /// `x, y: bool := false` after `var`.
    pub(super) fn group(&mut self) -> Parsed<Vec<VarDecl>> {
        let names = self.list(Self::bare)?;
        if self.peek() != Token::Colon {
            let error = Diagnostic::error(self.tokens.span(), "this variable has no type");
            let is_type = self.at_builtin() || self.peek() == Token::Name;
            let hint = match names.first().filter(|_| is_type) {
                Some(Bare { name, .. }) if self.foreign_type_here().is_some() => {
                    let ty = self.foreign_type_here().unwrap_or_default();
                    foreign::declaration(ty, &name.text).unwrap_or_default()
                }
                Some(Bare { name, .. }) => {
                    let (name, ty) = (&name.text, self.tokens.current_text());
                    format!(
                        "a `:` stands before the type: `var {name}: {ty} := …;`, or `{ty} {name} := …;`"
                    )
                }
                None => "write `var x: bool := value;`".to_owned(),
            };
            return Err(self.tokens.unexpected(error.hint(hint)));
        }
        self.tokens.bump();
        let ty = self.type_expr()?;
        if self.peek() == Token::OpenBracket {
            return Err(self.length_before_name(ty.span));
        }
        let init = self.initial_value(names.len())?;
        self.may_copy(ty.span, names.len())?;
        Ok(declare(names, &ty, init.as_ref()))
    }

    /// The word for a type of another language that stands here, without its package: `sync.Mutex`.
    fn foreign_type_here(&self) -> Option<&str> {
        let at = match (self.tokens.peek_at(1), self.tokens.peek_at(2)) {
            (Token::Dot, Token::Name) => 2,
            _ => 0,
        };
        let word = self.tokens.text(self.tokens.span_at(at));
        foreign::same_type(word).filter(|known| *known != word).map(|_| word)
    }

    /// `x, y := false, z` after the type. As in C, a value belongs to the one name before it.
    pub(super) fn declarators(&mut self, ty: &TypeExpr) -> Parsed<Vec<VarDecl>> {
        let mut declared = Vec::new();
        let mut second = None;
        loop {
            let ty = second.as_ref().unwrap_or(ty);
            let Bare { name, dims } = self.bare()?;
            let init = self.initial_value(1)?;
            if !declared.is_empty() {
                self.may_copy(ty.span, 2)?;
            }
            declared.push(VarDecl { ty: ty.clone(), name, dims, init });
            if !self.eat(Token::Comma) {
                return Ok(declared);
            }
            second = self.second_type(ty)?.or(second);
        }
    }

    /// A name with its dimensions.
    fn bare(&mut self) -> Parsed<Bare> {
        if matches!(self.peek(), Token::Star | Token::BitAnd) {
            return Err(self.expected_with_hint(Wanted::VariableName, NO_POINTERS));
        }
        if self.peek() == Token::Colon {
            let hint = "the type stands before the name, as in `u8 x;`";
            return Err(self.expected_with_hint(Wanted::VariableName, hint));
        }
        if self.at_builtin()
            && self.tokens.peek_before() == Token::Comma
            && self.tokens.peek_at(1) == Token::Name
        {
            return Err(self.expected(Wanted::VariableName));
        }
        Ok(Bare { name: self.name(Wanted::VariableName)?, dims: self.dimensions()? })
    }

    /// `[N][M]`, or nothing.
    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Expr>> {
        let mut dims = Vec::new();
        while self.peek() == Token::OpenBracket {
            let open = self.tokens.bump();
            dims.push(self.expr()?);
            if self.peek() == Token::DotDot {
                let hint = "an array has a length: `int a[4];` has the elements `a[0]` to `a[3]`; a range stands after `int`: \
                            `int[0..3] x;`";
                return Err(self.expected_with_hint(Wanted::CloseBracket, hint));
            }
            self.expect_closing(Token::CloseBracket, Wanted::CloseBracket, open)?;
        }
        Ok(dims)
    }

    /// Parses `:= value` for a number of variables, or nothing.
    fn initial_value(&mut self, variables: usize) -> Parsed<Option<Init>> {
        if !matches!(self.peek(), Token::Assign | Token::Equal) {
            return Ok(None);
        }
        self.tokens.bump();
        let (expr, effect) = self.expr_or_effect()?;
        self.no_named_value()?;
        let Some(effect) = effect else {
            self.may_copy(expr.span, variables)?;
            return Ok(Some(Init::Expr(expr)));
        };
        if variables > 1 {
            let hint = "declare the variables one by one, each with its value";
            self.mistake(
                effect.span,
                "this is done once, so it gives one variable its value",
                hint,
            );
        }
        Ok(Some(Init::Effect(effect)))
    }
}

/// The value of `MAX` or `MIN` of a machine integer.
pub(super) fn bound(ty: &Type, word: &str) -> Option<BigInt> {
    let (least, greatest) = ty.bounds()?;
    match word {
        "MAX" => Some(greatest),
        "MIN" => Some(least),
        _ => None,
    }
}

fn declare(names: Vec<Bare>, ty: &TypeExpr, init: Option<&Init>) -> Vec<VarDecl> {
    let one = |Bare { name, dims }| VarDecl { ty: ty.clone(), name, dims, init: init.cloned() };
    names.into_iter().map(one).collect()
}
