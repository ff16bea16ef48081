//! Names, and what stands around them: pointers, arrays, functions and their parameters.

use super::specifiers::SpecifierPlace;
use super::{Meaning, Parser};
use crate::c::lexer::Token;
use crate::c::tree::{
    Attributes, Declarator, Derived, Name, Param, Qualifiers, Specifiers, TypeWords,
};
use crate::cursor::{Parsed, Reported};

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Naming {
    /// A name is required, as in a declaration.
    Required,
    /// A name is optional, as in a parameter.
    Optional,
    /// There is no name, as in a type.
    Never,
}

impl Parser<'_> {
    /// A name, and what stands around it; with attributes at its end.
    pub(super) fn declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let mut declarator = self.no_declarator();
        let start = self.tokens.span();
        let before = self.tokens.position();
        self.nested(|p| p.declarator_into(naming, &mut declarator))?;
        self.attributes_of(&mut declarator)?;
        if self.tokens.position() > before {
            declarator.span = self.since(start);
        }
        Ok(declarator)
    }

    /// A declarator that is not there.
    pub(super) fn no_declarator(&self) -> Declarator {
        Declarator {
            name: None,
            derived: Vec::new(),
            attributes: Vec::new(),
            alignments: Vec::new(),
            span: self.tokens.after_previous(),
        }
    }

    /// What stands after a declarator: the name that the linker sees, and attributes.
    pub(super) fn attributes_of(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        let mut attributes = Attributes::default();
        self.linker_name(&mut attributes)?;
        self.attributes(&mut attributes)?;
        declarator.attributes.append(&mut attributes.names);
        declarator.alignments.append(&mut attributes.alignments);
        Ok(())
    }

    fn declarator_into(&mut self, naming: Naming, declarator: &mut Declarator) -> Parsed<()> {
        let mut pointers = Vec::new();
        loop {
            self.attributes_of(declarator)?;
            match self.peek() {
                Token::Star => {
                    self.tokens.bump();
                    pointers.push(Qualifiers::default());
                }
                Token::Const | Token::Volatile | Token::Restrict | Token::Atomic
                    if !pointers.is_empty() =>
                {
                    if let Some(last) = pointers.last_mut() {
                        self.qualifier(last);
                    }
                }
                Token::Extension => {
                    self.tokens.bump();
                }
                Token::BitAnd | Token::And => {
                    let span = self.tokens.bump();
                    self.mistake(
                        span,
                        "C has no references",
                        "write a pointer: `*` in the place of `&`",
                    );
                }
                _ => break,
            }
        }
        match self.peek() {
            Token::Name if naming != Naming::Never => declarator.name = Some(self.take_name()),
            Token::OpenParen if self.is_inner_declarator(naming) => {
                let open = self.tokens.bump();
                self.nested(|p| p.declarator_into(naming, declarator))?;
                self.close(Token::CloseParen, open)?;
            }
            _ if naming == Naming::Required => return Err(self.no_name()),
            _ => {}
        }
        self.suffixes(declarator)?;
        declarator.derived.extend(pointers.into_iter().rev().map(Derived::Pointer));
        Ok(())
    }

    fn no_name(&mut self) -> Reported {
        let text = self.tokens.current_text();
        let hint = match self.peek() {
            Token::String if self.tokens.text(self.tokens.previous()) == "extern" => {
                Some("`extern \"C\"` is C++; leave it out".to_owned())
            }
            Token::String | Token::Number | Token::Character => None,
            _ if text.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                Some(format!("`{text}` is a keyword: choose another name"))
            }
            _ => None,
        };
        self.expected_with_hint("a name", hint.as_deref())
    }

    /// Whether the `(` here is round a declarator, and does not begin parameters.
    fn is_inner_declarator(&self, naming: Naming) -> bool {
        if naming == Naming::Required {
            return true;
        }
        let next = self.after_attributes(1);
        match self.peek_at(next) {
            Token::Star | Token::OpenParen | Token::OpenBracket => true,
            Token::Name => naming == Naming::Optional && !self.at_specifier(next),
            _ => false,
        }
    }

    /// Arrays and parameters after a name.
    fn suffixes(&mut self, declarator: &mut Declarator) -> Parsed<()> {
        loop {
            match self.peek() {
                Token::OpenBracket if self.at_attribute(0) => self.attributes_of(declarator)?,
                Token::OpenBracket => {
                    let array = self.nested(Self::array)?;
                    declarator.derived.push(array);
                }
                Token::OpenParen => {
                    let function = self.nested(|p| p.scoped(Self::parameters))?;
                    declarator.derived.push(function);
                }
                _ => return Ok(()),
            }
        }
    }

    fn array(&mut self) -> Parsed<Derived> {
        let open = self.tokens.bump();
        while matches!(
            self.peek(),
            Token::Static | Token::Const | Token::Volatile | Token::Restrict | Token::Atomic
        ) {
            self.tokens.bump();
        }
        if self.peek() == Token::Star && self.peek_at(1) == Token::CloseBracket {
            self.tokens.bump();
        }
        let length = match self.peek() {
            Token::CloseBracket => None,
            _ => Some(Box::new(self.assignment()?)),
        };
        self.close(Token::CloseBracket, open)?;
        Ok(Derived::Array(length))
    }

    fn parameters(&mut self) -> Parsed<Derived> {
        let open = self.tokens.bump();
        let (mut params, mut variadic, mut unspecified) = (Vec::new(), false, false);
        if self.peek() == Token::CloseParen {
            unspecified = true;
        } else if self.peek() == Token::Void && self.peek_at(1) == Token::CloseParen {
            self.tokens.bump();
        } else if self.at_old_style() {
            unspecified = true;
            params = self.list(|p| Ok(p.old_parameter()))?;
        } else {
            loop {
                if self.eat(Token::Dots) {
                    variadic = true;
                    break;
                }
                params.push(self.parameter()?);
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        self.close(Token::CloseParen, open)?;
        Ok(Derived::Function { params, variadic, unspecified })
    }

    /// Whether there are names alone up to the `)`, none of them a type.
    fn at_old_style(&self) -> bool {
        let mut ahead = 0;
        loop {
            if self.peek_at(ahead) != Token::Name || self.at_specifier(ahead) {
                return false;
            }
            match self.peek_at(ahead + 1) {
                Token::Comma => ahead += 2,
                Token::CloseParen => return true,
                _ => return false,
            }
        }
    }

    fn old_parameter(&mut self) -> Param {
        let name = self.take_name();
        let span = name.span;
        let specifiers = Specifiers::of(TypeWords::Missing, span);
        Param {
            specifiers,
            declarator: Declarator { name: Some(name), span, ..self.no_declarator() },
        }
    }

    fn parameter(&mut self) -> Parsed<Param> {
        let specifiers = self.specifiers(SpecifierPlace::Type)?;
        let declarator = self.declarator(Naming::Optional)?;
        if let Some(name) = &declarator.name {
            self.declare(&name.text, Meaning::Value);
        }
        Ok(Param { specifiers, declarator })
    }

    /// Notes the names of the parameters of a function whose body follows.
    pub(super) fn declare_parameters(&mut self, declarator: &Declarator) {
        let Some(Derived::Function { params, .. }) = declarator.derived.first() else { return };
        for Name { text, .. } in params.iter().filter_map(|param| param.declarator.name.as_ref()) {
            self.declare(text, Meaning::Value);
        }
    }
}
