//! `struct`, `union` and `enum`.

use super::declarators::Naming;
use super::specifiers::SpecifierPlace;
use super::{Meaning, Parser};
use crate::c::lexer::Token;
use crate::c::tree::{Attributes, Declarator, Enumeration, Expr, Member, Name, Record, TypeWords};
use crate::cursor::Parsed;

impl Parser<'_> {
    /// `struct s { … }`
    pub(super) fn record(&mut self) -> Parsed<TypeWords> {
        let is_union = self.peek() == Token::Union;
        let start = self.tokens.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let span = self.since(start);
        if tag.is_some() {
            self.attributes(&mut attributes)?;
        }
        let mut members = None;
        if self.peek() == Token::OpenBrace {
            members = Some(self.nested(Self::members)?);
            self.attributes(&mut attributes)?;
            self.pack(start.start, &mut attributes);
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(TypeWords::Record(Record {
            is_union,
            tag,
            members,
            attributes: attributes.names,
            alignments: attributes.alignments,
            span,
        }))
    }

    fn tag(&mut self) -> Option<Name> {
        (self.peek() == Token::Name).then(|| self.take_name())
    }

    /// Adds what `#pragma pack` says of a record that begins here.
    fn pack(&mut self, start: u32, attributes: &mut Attributes) {
        let after = self.packs.partition_point(|pack| pack.start <= start);
        let pack = after.checked_sub(1).and_then(|at| self.packs.get(at));
        if let Some(bytes) = pack.and_then(|pack| pack.bytes) {
            attributes
                .names
                .push(Name { text: format!("pack({bytes})").into(), span: self.tokens.previous() });
        }
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.tokens.bump();
        let mut members = Vec::new();
        loop {
            match self.peek() {
                Token::CloseBrace => {
                    self.tokens.bump();
                    return Ok(members);
                }
                Token::End => return self.close(Token::CloseBrace, open).map(|_| members),
                Token::Semicolon => {
                    self.tokens.bump();
                }
                Token::StaticAssert => self.static_assert()?,
                _ => {
                    let first = self.tokens.position();
                    match self.member() {
                        Ok(member) => members.push(member),
                        Err(_) => self.skip_statement(first),
                    }
                }
            }
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.tokens.span();
        let specifiers = self.specifiers(SpecifierPlace::Type)?;
        let mut declarators = Vec::new();
        if self.peek() != Token::Semicolon
            && !(self.peek() == Token::CloseBrace && is_record(&specifiers.ty))
        {
            declarators = self.list(Self::member_declarator)?;
        }
        if self.peek() == Token::Assign {
            let hint = "a member has no value of its own: initialise the variables of this type";
            return Err(self.expected_with_hint("`;`", Some(hint)));
        }
        self.no_storage(&specifiers, "a member");
        // GNU lets the last `;` be left out.
        if self.peek() != Token::CloseBrace {
            self.semicolon("a member")?;
        }
        Ok(Member { specifiers, declarators, span: self.since(start) })
    }

    /// A name, the width of a bit-field, or both.
    fn member_declarator(&mut self) -> Parsed<(Declarator, Option<Expr>)> {
        let mut declarator = if self.peek() == Token::Colon {
            self.no_declarator()
        } else {
            self.declarator(Naming::Required)?
        };
        let width = if self.eat(Token::Colon) { Some(self.conditional()?) } else { None };
        self.attributes_of(&mut declarator)?;
        Ok((declarator, width))
    }

    /// `enum e { … }`
    pub(super) fn enumeration(&mut self) -> Parsed<TypeWords> {
        let start = self.tokens.bump();
        let mut attributes = Attributes::default();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let span = self.since(start);
        let mut enumerators = None;
        if self.peek() == Token::OpenBrace {
            enumerators = Some(self.nested(Self::enumerators)?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(TypeWords::Enum(Enumeration { tag, enumerators, attributes: attributes.names, span }))
    }

    fn enumerators(&mut self) -> Parsed<Vec<(Name, Option<Expr>)>> {
        let open = self.tokens.bump();
        let mut enumerators = Vec::new();
        while self.peek() == Token::Name {
            let name = self.take_name();
            self.attributes(&mut Attributes::default())?;
            let value = if self.eat(Token::Assign) { Some(self.conditional()?) } else { None };
            self.declare(&name.text, Meaning::Value);
            enumerators.push((name, value));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        if enumerators.is_empty() && self.peek() == Token::CloseBrace {
            self.expected("the name of an enumerator");
        }
        self.close(Token::CloseBrace, open)?;
        Ok(enumerators)
    }
}

fn is_record(ty: &TypeWords) -> bool {
    matches!(ty, TypeWords::Record(_))
}
