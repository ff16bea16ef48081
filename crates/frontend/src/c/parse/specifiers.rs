//! The words before declarators: storage, qualifiers, and those for a type.

use selvedge_program::Span;

use super::declarators::Naming;
use super::{Meaning, Parser};
use crate::c::lexer::Token;
use crate::c::literals::LONG_DOUBLE;
use crate::c::tree::{
    Alignment, Attributes, Qualifiers, Rank, Specifiers, Storage, TypeName, TypeWords,
};
use crate::cursor::Parsed;

/// The construct that specifiers belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpecifierPlace {
    /// A declaration at the top of a file, in a block, or of parameters in the old style: `int` may be missing.
    Declaration,
    /// A parameter, a member, or a type in an expression: there is a type, if only one that is not known.
    Type,
}

/// How often each word of a numeric type was written.
#[derive(Default)]
struct Words {
    signed: u32,
    unsigned: u32,
    short: u32,
    long: u32,
    int: u32,
    char: u32,
    int128: u32,
    float: u32,
    double: u32,
    complex: u32,
}

impl Words {
    /// Counts a word, if it is one.
    fn count(&mut self, token: Token) -> bool {
        let count = match token {
            Token::Signed => &mut self.signed,
            Token::Unsigned => &mut self.unsigned,
            Token::Short => &mut self.short,
            Token::Long => &mut self.long,
            Token::Int => &mut self.int,
            Token::Char => &mut self.char,
            Token::Int128 => &mut self.int128,
            Token::Float => &mut self.float,
            Token::Double => &mut self.double,
            Token::Complex => &mut self.complex,
            _ => return false,
        };
        *count = count.saturating_add(1);
        true
    }

    fn is_empty(&self) -> bool {
        self.total() == 0
    }

    fn total(&self) -> u32 {
        let integer =
            [self.signed, self.unsigned, self.short, self.long, self.int, self.char, self.int128];
        let floating = [self.float, self.double, self.complex];
        integer.into_iter().chain(floating).fold(0, u32::saturating_add)
    }

    /// The type that the words stand for; `None` if they do not fit together.
    fn ty(&self) -> Option<TypeWords> {
        let signs = self.signed + self.unsigned;
        let kinds =
            self.short + self.char + self.int128 + self.float + self.double + self.long.min(1);
        let fits = signs <= 1 && self.int <= 1 && self.complex <= 1 && self.long <= 2 && kinds <= 1;
        let long_double = self.double == 1 && self.long == 1 && kinds == 2 && signs + self.int == 0;
        let times = 1 + self.complex;
        if long_double && self.complex <= 1 {
            return Some(TypeWords::Floating(LONG_DOUBLE * times));
        }
        if !fits {
            return None;
        }
        if self.float + self.double == 1 {
            let bytes = if self.float == 1 { 4 } else { 8 };
            return (signs + self.int == 0).then_some(TypeWords::Floating(bytes * times));
        }
        if self.complex == 1 {
            // GNU has complex integers; `_Complex` alone is one of `double`.
            return (self.total() == 1).then_some(TypeWords::Floating(16));
        }
        let signed = self.unsigned == 0;
        if self.char == 1 {
            return (self.int == 0).then_some(TypeWords::Char((signs == 1).then_some(signed)));
        }
        let rank = match (self.short, self.long) {
            _ if self.int128 == 1 => {
                return (self.int == 0).then_some(TypeWords::Integer(Rank::Int128, signed));
            }
            (1, _) => Rank::Short,
            (_, 1) => Rank::Long,
            (_, 2) => Rank::LongLong,
            _ => Rank::Int,
        };
        Some(TypeWords::Integer(rank, signed))
    }
}

/// The types that GNU knows by name, unless a program declares them otherwise.
fn known_type(name: &str) -> Option<TypeWords> {
    Some(match name {
        "__builtin_va_list" => TypeWords::VaList,
        "__int128_t" => TypeWords::Integer(Rank::Int128, true),
        "__uint128_t" => TypeWords::Integer(Rank::Int128, false),
        "_Float16" | "__fp16" | "__bf16" => TypeWords::Floating(2),
        "_Float32" | "_Decimal32" => TypeWords::Floating(4),
        "_Float64" | "_Float32x" | "_Decimal64" => TypeWords::Floating(8),
        "__float80" => TypeWords::Floating(LONG_DOUBLE),
        "_Float128" | "__float128" | "_Float64x" | "_Decimal128" | "__ibm128" => {
            TypeWords::Floating(16)
        }
        _ => return None,
    })
}

/// Whether a type is told here, with its members or enumerators.
pub(super) fn defines(ty: &TypeWords) -> bool {
    match ty {
        TypeWords::Record(record) => record.members.is_some(),
        TypeWords::Enum(enumeration) => enumeration.enumerators.is_some(),
        _ => false,
    }
}

/// Whether a word can only be part of a type, so that it cannot follow another one.
fn is_type_word(token: Token) -> bool {
    matches!(
        token,
        Token::Void
            | Token::Char
            | Token::Short
            | Token::Int
            | Token::Long
            | Token::Float
            | Token::Double
            | Token::Signed
            | Token::Unsigned
            | Token::Bool
            | Token::Struct
            | Token::Union
            | Token::Enum
            | Token::Typeof
    )
}

impl Parser<'_> {
    /// Whether what comes so many tokens ahead is a word of a declaration or a type.
    pub(super) fn at_specifier(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            Token::Void
            | Token::Char
            | Token::Short
            | Token::Int
            | Token::Long
            | Token::Float
            | Token::Double
            | Token::Signed
            | Token::Unsigned
            | Token::Bool
            | Token::Complex
            | Token::Int128
            | Token::Struct
            | Token::Union
            | Token::Enum
            | Token::Typeof
            | Token::AutoType
            | Token::Const
            | Token::Volatile
            | Token::Restrict
            | Token::Atomic
            | Token::Typedef
            | Token::Extern
            | Token::Static
            | Token::Automatic
            | Token::ThreadLocal
            | Token::Inline
            | Token::Noreturn
            | Token::Alignas => true,
            Token::Name => self.is_type(self.tokens.text(self.tokens.span_at(ahead))),
            _ => false,
        }
    }

    /// Whether a type begins so many tokens ahead, after `__extension__` and attributes.
    pub(super) fn at_type(&self, mut ahead: usize) -> bool {
        while self.peek_at(ahead) == Token::Extension {
            ahead += 1;
        }
        self.at_specifier(self.after_attributes(ahead))
    }

    /// Whether a name stands for a type here.
    pub(super) fn is_type(&self, name: &str) -> bool {
        match self.meaning(name) {
            Some(meaning) => meaning == Meaning::Type,
            None => known_type(name).is_some(),
        }
    }

    /// The words before declarators. Nothing is read, and nothing said, if there are none.
    pub(super) fn specifiers(&mut self, place: SpecifierPlace) -> Parsed<Specifiers> {
        let start = self.tokens.span();
        let mut found = Specifiers::of(TypeWords::Missing, start);
        let mut attributes = Attributes::default();
        let mut words = Words::default();
        let mut ty = None;
        loop {
            let token = self.peek();
            // `_Complex` says only that there are two numbers of some type.
            let has_type = ty.is_some() || words.total() > words.complex;
            if ty.as_ref().is_some_and(defines) && is_type_word(token) && self.tokens.on_new_line()
            {
                // The `;` after `struct s { … }` was forgotten.
                break;
            }
            match token {
                Token::Typedef | Token::Extern | Token::Static | Token::Automatic => {
                    self.storage(&mut found.storage)
                }
                Token::ThreadLocal => {
                    found.thread_local = true;
                    self.tokens.bump();
                }
                Token::Inline => {
                    found.inline = true;
                    self.tokens.bump();
                }
                Token::Noreturn => {
                    found.noreturn = true;
                    self.tokens.bump();
                }
                Token::Extension => {
                    self.tokens.bump();
                }
                Token::Atomic if self.peek_at(1) == Token::OpenParen => {
                    self.type_word(&mut ty, Self::atomic)?
                }
                Token::Const | Token::Volatile | Token::Restrict | Token::Atomic => {
                    self.qualifier(&mut found.qualifiers)
                }
                Token::Alignas => found.alignments.push(self.nested(Self::alignas)?),
                _ if self.at_attribute(0) => self.attributes(&mut attributes)?,
                Token::Void => self.type_word(&mut ty, |p| Ok(p.simple(TypeWords::Void)))?,
                Token::Bool => self.type_word(&mut ty, |p| Ok(p.simple(TypeWords::Bool)))?,
                Token::AutoType => self.type_word(&mut ty, |p| Ok(p.simple(TypeWords::Auto)))?,
                Token::Struct | Token::Union => self.type_word(&mut ty, Self::record)?,
                Token::Enum => self.type_word(&mut ty, Self::enumeration)?,
                Token::Typeof => self.type_word(&mut ty, |p| p.nested(Self::type_of))?,
                Token::Name if !has_type && self.at_specifier(0) => ty = Some(self.named()),
                Token::Name if !has_type && self.looks_like_type(place) => {
                    let name = self.take_name();
                    self.unknown_type(&name);
                    ty = Some(TypeWords::Named(name));
                }
                _ if words.count(token) => {
                    self.tokens.bump();
                }
                _ => break,
            }
        }
        found.span = self.since(start);
        found.noreturn |= attributes.has("noreturn") || attributes.has("_Noreturn");
        found.attributes = attributes.names;
        found.alignments.append(&mut attributes.alignments);
        found.ty = self.combine(ty, &words, found.span);
        let is_empty = matches!(found.ty, TypeWords::Missing);
        if is_empty && place == SpecifierPlace::Type {
            return Err(self.expected("a type"));
        }
        Ok(found)
    }

    /// The type of all the words.
    fn combine(&mut self, ty: Option<TypeWords>, words: &Words, span: Span) -> TypeWords {
        match ty {
            None if words.is_empty() => TypeWords::Missing,
            Some(ty) if words.is_empty() => ty,
            // `_Float128 _Complex`
            Some(TypeWords::Floating(bytes)) if words.complex == 1 && words.total() == 1 => {
                TypeWords::Floating(bytes * 2)
            }
            None if words.ty().is_some() => words.ty().unwrap_or(TypeWords::Missing),
            _ => {
                self.mistake(
                    span,
                    "these words are no type together",
                    "a declaration has one type; is a `;` or a name missing?",
                );
                ty.unwrap_or(TypeWords::Integer(Rank::Int, true))
            }
        }
    }

    /// Reads a type that is no number; a second one is a mistake.
    fn type_word(
        &mut self,
        ty: &mut Option<TypeWords>,
        read: impl FnOnce(&mut Self) -> Parsed<TypeWords>,
    ) -> Parsed<()> {
        let start = self.tokens.span();
        let read = read(self)?;
        if ty.is_some() {
            let message = "this is a second type in one declaration";
            self.mistake(self.since(start), message, "is a `;` missing before it?");
        } else {
            *ty = Some(read);
        }
        Ok(())
    }

    fn simple(&mut self, ty: TypeWords) -> TypeWords {
        self.tokens.bump();
        ty
    }

    fn storage(&mut self, storage: &mut Option<Storage>) {
        let found = match self.peek() {
            Token::Typedef => Storage::Typedef,
            Token::Extern => Storage::Extern,
            Token::Static => Storage::Static,
            _ => Storage::Automatic,
        };
        let text = self.tokens.current_text();
        let span = self.tokens.bump();
        if storage.is_some_and(|storage| storage != found) {
            self.mistake(
                span,
                format!("`{text}` does not go together with what stands before it"),
                "leave one of them out",
            );
        }
        storage.get_or_insert(found);
    }

    /// One of `const`, `volatile`, `restrict` and `_Atomic`.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) {
        match self.peek() {
            Token::Const => qualifiers.is_const = true,
            Token::Volatile => qualifiers.is_volatile = true,
            Token::Atomic => qualifiers.is_atomic = true,
            _ => {}
        }
        self.tokens.bump();
    }

    /// A typedef, or a type that GNU knows by name.
    fn named(&mut self) -> TypeWords {
        let name = self.take_name();
        known_type(&name.text).unwrap_or(TypeWords::Named(name))
    }

    /// Whether a name that is no type stands where only a type can.
    fn looks_like_type(&self, place: SpecifierPlace) -> bool {
        place == SpecifierPlace::Type || matches!(self.peek_at(1), Token::Name | Token::Star)
    }

    /// `typeof (…)`
    fn type_of(&mut self) -> Parsed<TypeWords> {
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(` after `typeof`")?;
        let ty = if self.at_type(0) {
            TypeWords::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeWords::TypeofExpr(Box::new(self.expression()?))
        };
        self.close(Token::CloseParen, open)?;
        Ok(ty)
    }

    /// `_Atomic (…)`
    fn atomic(&mut self) -> Parsed<TypeWords> {
        self.tokens.bump();
        let open = self.tokens.bump();
        let ty = self.type_name()?;
        self.close(Token::CloseParen, open)?;
        Ok(TypeWords::Atomic(Box::new(ty)))
    }

    /// `_Alignas (…)`
    fn alignas(&mut self) -> Parsed<Alignment> {
        self.tokens.bump();
        let open = self.expect(Token::OpenParen, "`(` after `_Alignas`")?;
        let alignment = if self.at_type(0) {
            Alignment::Of(self.type_name()?)
        } else {
            Alignment::Bytes(self.conditional()?)
        };
        self.close(Token::CloseParen, open)?;
        Ok(alignment)
    }

    /// Reports `static` and its kin where nothing is declared that could be kept somewhere.
    pub(super) fn no_storage(&mut self, specifiers: &Specifiers, what: &str) {
        if specifiers.storage.is_some() || specifiers.thread_local {
            let message = format!("{what} cannot be `static`, `extern`, `typedef` or the like");
            let hint = "leave that word out: only variables and functions have it";
            self.mistake(specifiers.span, message, hint);
        }
    }

    /// A type in an expression.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.nested(|p| {
            let specifiers = p.specifiers(SpecifierPlace::Type)?;
            p.no_storage(&specifiers, "a type in an expression");
            let declarator = p.declarator(Naming::Never)?;
            Ok(TypeName { specifiers, declarator })
        })
    }
}
