//! The top level of a file: declarations and functions.

use super::declarators::Naming;
use super::specifiers::{SpecifierPlace, defines};
use super::{Meaning, Parser};
use crate::Diagnostic;
use crate::c::lexer::Token;
use crate::c::tree::{
    Attributes, BlockItem, Declaration, Declarator, Derived, Function, InitDeclarator, Item, Name,
    Specifiers, Storage, Unit,
};
use crate::cursor::{Parsed, Reported};

impl Parser<'_> {
    /// Parses a whole file.
    pub(super) fn unit(&mut self) -> Unit {
        let mut items = Vec::new();
        while self.peek() != Token::End {
            let first = self.tokens.position();
            if self.item(&mut items).is_err() {
                self.skip_item(first);
            }
            // Whatever happens, the next look is at another token.
            if self.tokens.position() == first {
                self.tokens.bump();
            }
        }
        Unit { items }
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.peek() {
            Token::Semicolon => {
                self.tokens.bump();
            }
            Token::Asm => {
                let start = self.tokens.bump();
                self.assembly()?;
                items.push(Item::Asm(self.since(start)));
            }
            Token::StaticAssert => self.static_assert()?,
            Token::CloseBrace => {
                let error = Diagnostic::error(self.tokens.span(), "this `}` closes nothing");
                self.tokens.unexpected(error.hint("is there one `}` too many before it?"));
                self.tokens.bump();
            }
            _ => items.push(match self.declaration()? {
                BlockItem::Function(function) => Item::Function(function),
                BlockItem::Declaration(declaration) => Item::Declaration(declaration),
                BlockItem::Stmt(stmt) => Item::Asm(stmt.span),
            }),
        }
        Ok(())
    }

    /// Parses `_Static_assert (…);`; checking it is left to the compiler.
    pub(super) fn static_assert(&mut self) -> Parsed<()> {
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(`")?;
        self.nested(Self::conditional)?;
        if self.eat(Token::Comma) {
            self.string_pieces()?;
        }
        self.close(Token::CloseParen, open)?;
        self.semicolon("`_Static_assert`")
    }

    /// A declaration, or a function with its body.
    pub(super) fn declaration(&mut self) -> Parsed<BlockItem> {
        let start = self.tokens.span();
        let first = self.tokens.position();
        if self.at_foreign_word() && self.peek_at(1) != Token::OpenParen {
            return Err(self.expected("a declaration"));
        }
        let mut specifiers = self.specifiers(SpecifierPlace::Declaration)?;
        let says_nothing = self.tokens.position() == first;
        if says_nothing && self.peek() != Token::Name && self.peek() != Token::Star {
            return Err(self.no_declaration());
        }
        let mut declarators = Vec::new();
        if self.peek() != Token::Semicolon && !self.ends_type(&specifiers) {
            loop {
                let declarator = self.declarator(Naming::Required)?;
                if declarators.is_empty() && self.at_body(&declarator) {
                    return self.function(specifiers, declarator).map(BlockItem::Function);
                }
                declarators.push(self.init_declarator(&specifiers, declarator)?);
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        if let [only] = declarators.as_slice() {
            specifiers.noreturn |= is_noreturn(&only.declarator);
        }
        if self.peek() == Token::OpenBrace {
            let hint = "a function has its parameters in parentheses before its body: `f(void)`";
            return Err(self.expected_with_hint("`;`", Some(hint)));
        }
        self.semicolon("a declaration")?;
        Ok(BlockItem::Declaration(Declaration { specifiers, declarators, span: self.since(start) }))
    }

    /// Whether a type alone was declared, and only its `;` is missing.
    fn ends_type(&self, specifiers: &Specifiers) -> bool {
        defines(&specifiers.ty)
            && specifiers.storage != Some(Storage::Typedef)
            && (self.peek() == Token::End
                || self.tokens.on_new_line()
                    && (self.at_specifier(0) || self.peek() == Token::CloseBrace))
    }

    fn no_declaration(&mut self) -> Reported {
        let is_statement =
            super::recovery::begins_statement(self.peek()) || self.peek() == Token::OpenBrace;
        let hint = is_statement.then_some(
            "statements stand inside of a function; is there one `}` too many before it?",
        );
        self.expected_with_hint("a declaration", hint)
    }

    /// Whether the body of a function follows, or declarations of its parameters in the old style.
    fn at_body(&self, declarator: &Declarator) -> bool {
        let Some(Derived::Function { params, unspecified, .. }) = declarator.derived.first() else {
            return false;
        };
        self.peek() == Token::OpenBrace || (*unspecified && !params.is_empty() && self.at_type(0))
    }

    fn init_declarator(
        &mut self,
        specifiers: &Specifiers,
        declarator: Declarator,
    ) -> Parsed<InitDeclarator> {
        let is_type = specifiers.storage == Some(Storage::Typedef);
        if let Some(name) = &declarator.name {
            self.declare(&name.text, if is_type { Meaning::Type } else { Meaning::Value });
        }
        self.names_for_types(&declarator);
        let init = if self.eat(Token::Assign) { Some(self.initialiser()?) } else { None };
        Ok(InitDeclarator { declarator, init })
    }

    /// Reports `f(a, b);`, where the names must be types.
    fn names_for_types(&mut self, declarator: &Declarator) {
        let Some(Derived::Function { params, unspecified: true, .. }) = declarator.derived.first()
        else {
            return;
        };
        let names: Vec<Name> =
            params.iter().filter_map(|param| param.declarator.name.clone()).collect();
        for name in &names {
            if self.meaning(&name.text).is_none() {
                self.unknown_type(name);
            }
        }
    }

    /// A function, after its name and parameters.
    fn function(&mut self, mut specifiers: Specifiers, declarator: Declarator) -> Parsed<Function> {
        specifiers.noreturn |= is_noreturn(&declarator);
        let name = declarator.name.as_ref().map(|name| name.text.clone());
        if let Some(name) = &name {
            self.declare(name, Meaning::Value);
        }
        let function = std::mem::replace(&mut self.function, name);
        let labels = std::mem::take(&mut self.labels);
        let start = specifiers.span.to(declarator.span);
        let result = self.scoped(|p| {
            p.declare_parameters(&declarator);
            let old_style = p.old_declarations()?;
            let body = p.nested(Self::block)?;
            Ok((old_style, body))
        });
        self.function = function;
        self.labels = labels;
        let (old_style, body) = result?;
        let span = start.to(body.span);
        Ok(Function { specifiers, declarator, old_style, body, span })
    }

    /// The declarations between the parameters and the body, in the old style.
    fn old_declarations(&mut self) -> Parsed<Vec<Declaration>> {
        let mut list = Vec::new();
        while self.peek() != Token::OpenBrace {
            if !self.at_type(0) {
                return Err(self.expected("`{`, the body of the function"));
            }
            if let BlockItem::Declaration(declaration) = self.nested(Self::declaration)? {
                list.push(declaration);
            }
        }
        Ok(list)
    }

    /// Whether a declaration begins here, and no statement.
    pub(super) fn at_declaration(&self) -> bool {
        let mut ahead = 0;
        while self.peek_at(ahead) == Token::Extension {
            ahead += 1;
        }
        if self.at_attribute(ahead) {
            let after = self.after_attributes(ahead);
            return self.at_specifier(after)
                || (self.peek_at(after) == Token::Name && self.peek_at(after + 1) == Token::Name);
        }
        if self.peek_at(ahead) != Token::Name {
            return self.at_specifier(ahead);
        }
        if self.peek_at(ahead + 1) == Token::Colon {
            return false;
        }
        self.at_specifier(ahead) || self.at_unknown_type(ahead)
    }

    /// Whether a name that is no type is used as one: `foo x`, or `foo *x;` where neither is known.
    fn at_unknown_type(&self, mut ahead: usize) -> bool {
        let name = self.tokens.text(self.tokens.span_at(ahead));
        ahead += 1;
        if self.peek_at(ahead) == Token::Name {
            return true;
        }
        let stars = (0..).take_while(|at| self.peek_at(ahead + at) == Token::Star).count();
        ahead += stars;
        stars > 0
            && self.meaning(name).is_none()
            && self.peek_at(ahead) == Token::Name
            && self.meaning(self.tokens.text(self.tokens.span_at(ahead))).is_none()
            && matches!(self.peek_at(ahead + 1), Token::Semicolon | Token::Assign | Token::Comma)
    }
}

/// Whether an attribute after the declarator says that a function does not return.
fn is_noreturn(declarator: &Declarator) -> bool {
    let attributes = Attributes { names: declarator.attributes.clone(), alignments: Vec::new() };
    attributes.has("noreturn")
}
