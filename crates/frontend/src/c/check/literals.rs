//! # Literals
//! Numbers, characters, strings, and compound literals, which are variables without a name.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{CHAR, INT, UNSIGNED_LONG_LONG, wrap};
use super::conversions::{constant, unsupported};
use super::operands::Operand;
use crate::c::tree::{Designator, Init, Rank, TypeName};
use crate::c::typed::{
    Expr, ExprKind, Local, Lvalue, LvalueKind, Object, ObjectId, Part, Stmt, StmtKind,
};
use crate::c::types::{DataModel, Type};

impl Checker<'_> {
    /// An integer constant, with the first type that holds it.
    pub fn integer_constant(
        &mut self,
        value: u128,
        octal_or_hex: bool,
        unsigned: bool,
        rank: Rank,
        span: Span,
    ) -> Expr {
        let signed = i128::try_from(value).unwrap_or(i128::MAX);
        match self.constant_type(value, rank, unsigned, octal_or_hex) {
            Some(ty) => constant(signed, ty, span),
            None => {
                let hint = "the largest integer is 18446744073709551615, with the suffix `u`";
                self.advise(span, "no type holds this number", hint);
                constant(wrap(signed, 64, false), UNSIGNED_LONG_LONG, span)
            }
        }
    }

    /// A character constant: an `int` whose value is that of the character, or one of the type of the characters of a string with the same prefix.
    pub fn character_constant(&self, value: u128, unsigned: bool, rank: Rank, span: Span) -> Expr {
        let ty = match (rank, unsigned) {
            (Rank::Short, _) => self.character_type(2),
            (Rank::Long, _) => self.character_type(4),
            (_, true) => self.integer(Rank::Int, false),
            (_, false) => INT,
        };
        let value = u32::try_from(value & u128::from(u32::MAX)).unwrap_or(0);
        constant(character_value(value, &ty), ty, span)
    }

    /// The type of the characters of a string.
    fn character_type(&self, width: u32) -> Type {
        match (width, self.types.model) {
            (1, _) => CHAR,
            (2, _) => Type::Int { bits: 16, signed: false, rank: 1 },
            // `wchar_t` in glibc.
            (_, DataModel::Ilp32) => self.integer(Rank::Long, true),
            (_, DataModel::Lp64) => INT,
        }
    }

    /// A string: an array that lives as long as the program.
    pub fn string(&mut self, text: &[u32], width: u32, span: Span) -> Operand {
        let ty = self.character_type(width);
        let mut init = Vec::new();
        let mut offset = 0_u64;
        for character in text {
            if *character != 0 {
                let value = constant(character_value(*character, &ty), ty.clone(), span);
                init.push(Part { offset, value });
            }
            offset += u64::from(width.max(1));
        }
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX - 1) + 1;
        let ty = Type::Array(Arc::new(ty), Some(length));
        let id = self.add_object(Object {
            name: quoted(text),
            ty: ty.clone(),
            init,
            thread_local: false,
            is_string: true,
            is_extern: false,
            span,
        });
        Operand::Place(Lvalue { kind: LvalueKind::Object(id), ty, span })
    }

    /// `__func__`: the name of the function as a string.
    pub fn function_name(&mut self, span: Span) -> Operand {
        let name = self.body.as_ref().map(|body| body.name.clone()).unwrap_or_default();
        let text: Vec<u32> = name.bytes().map(u32::from).collect();
        self.string(&text, 1, span)
    }

    /// `(type) { … }`: a variable that comes to life where it is written; outside of functions, one that lives as long as the program.
    pub fn compound(
        &mut self,
        name: &TypeName,
        items: &[(Vec<Designator>, Init)],
        span: Span,
    ) -> Option<Operand> {
        self.has_variable_length = false;
        let ty = self.type_name(name)?;
        if std::mem::take(&mut self.has_variable_length) {
            let value = unsupported(VARIABLE_LENGTH, ty, span);
            return Some(Operand::Value(value));
        }
        let (ty, parts) = self.initial_list(&ty, items, span)?;
        if self.body.is_none() {
            let init = self.constant_parts(parts)?;
            let id = self.add_object(Object {
                name: "(literal)".to_owned(),
                ty: ty.clone(),
                init,
                thread_local: false,
                is_string: false,
                is_extern: false,
                span,
            });
            return Some(Operand::Place(Lvalue { kind: LvalueKind::Object(id), ty, span }));
        }
        let local = self.add_local(Local { name: "(literal)".to_owned(), ty: ty.clone(), span })?;
        let place = Lvalue { kind: LvalueKind::Local(local), ty: ty.clone(), span };
        let declare = Stmt { kind: StmtKind::Declare(local, Some(parts)), span };
        let pointer_ty = Type::Pointer(Arc::new(ty.clone()));
        let address =
            Expr { kind: ExprKind::Address(Box::new(place)), ty: pointer_ty.clone(), span };
        let kind = ExprKind::Statement(vec![declare], Some(Box::new(address)));
        let pointer = Expr { kind, ty: pointer_ty, span };
        Some(Operand::Place(Lvalue { kind: LvalueKind::Deref(Box::new(pointer)), ty, span }))
    }

    /// The place of an object.
    pub fn object_place(&self, id: ObjectId, span: Span) -> Option<Operand> {
        let ty = self.objects.get(id.index())?.ty.clone();
        Some(Operand::Place(Lvalue { kind: LvalueKind::Object(id), ty, span }))
    }
}

/// The name of arrays whose length is not constant, in messages.
pub(super) const VARIABLE_LENGTH: &str = "an array whose length is not constant";

/// The value of a character in a string, as its type holds it.
pub(super) fn character_value(character: u32, ty: &Type) -> i128 {
    match ty {
        Type::Int { bits, signed, .. } => wrap(i128::from(character), *bits, *signed),
        _ => i128::from(character),
    }
}

/// A string as C writes it, for people: at most 40 characters of it.
fn quoted(text: &[u32]) -> String {
    let mut shown = String::from("\"");
    for character in text.iter().take(40) {
        match char::from_u32(*character) {
            Some('\n') => shown.push_str("\\n"),
            Some('\t') => shown.push_str("\\t"),
            Some('"') => shown.push_str("\\\""),
            Some('\\') => shown.push_str("\\\\"),
            Some(c) if !c.is_control() && (c.is_ascii() || *character > 255) => shown.push(c),
            _ => shown.push_str(&format!("\\x{character:02x}")),
        }
    }
    if text.len() > 40 {
        shown.push('…');
    }
    shown.push('"');
    shown
}
