//! # Constant values of objects
//! What an object that lives as long as the program may hold at first: numbers, and addresses of objects and functions (C11 6.6).

use super::Checker;
use super::conversions::constant;
use super::fold::Constant;
use crate::c::typed::{Expr, ExprKind, Lvalue, LvalueKind, Part};
use crate::c::types::Type;

impl Checker<'_> {
    /// The parts as constants; reports those that are none.
    pub fn constant_parts(&mut self, parts: Vec<Part>) -> Option<Vec<Part>> {
        let mut constants = Vec::new();
        let mut whole = true;
        for Part { offset, value } in parts {
            match self.as_constant(&value) {
                Some(value) => constants.push(Part { offset, value }),
                None => {
                    whole = false;
                    self.advise(
                        value.span,
                        "this is not constant",
                        "what lives as long as the program starts with numbers and addresses; assign the rest in `main`",
                    );
                }
            }
        }
        whole.then_some(constants)
    }

    /// The expression as a constant: a number, an address, a function, or conversions of these; nothing if it is none.
    pub fn as_constant(&self, expr: &Expr) -> Option<Expr> {
        if let Some(value) = self.fold(expr) {
            return Some(self.number_of(value, &expr.ty, expr));
        }
        let again = |kind| Some(Expr { kind, ty: expr.ty.clone(), span: expr.span });
        match &expr.kind {
            ExprKind::Function(_) | ExprKind::Unsupported(_) => Some(expr.clone()),
            ExprKind::Address(place) => {
                again(ExprKind::Address(Box::new(self.constant_place(place)?)))
            }
            ExprKind::Offset(pointer, by) => {
                let pointer = self.as_constant(pointer)?;
                let by = self.as_constant(by)?;
                again(ExprKind::Offset(Box::new(pointer), Box::new(by)))
            }
            // A part of an address is not known before the program is loaded.
            ExprKind::Convert(_)
                if self
                    .types
                    .size(&expr.ty)
                    .is_none_or(|size| size < self.types.pointer_size()) =>
            {
                None
            }
            ExprKind::Convert(inner) => {
                again(ExprKind::Convert(Box::new(self.as_constant(inner)?)))
            }
            ExprKind::Conditional(c, a, b) => match self.fold(c)? {
                Constant::Int(0) => self.as_constant(b),
                Constant::Int(_) => self.as_constant(a),
                Constant::Floating(value) => self.as_constant(if value == 0.0 { b } else { a }),
            },
            _ => None,
        }
    }

    fn number_of(&self, value: Constant, ty: &Type, expr: &Expr) -> Expr {
        match value {
            Constant::Floating(value) => {
                Expr { kind: ExprKind::Floating(value), ty: ty.clone(), span: expr.span }
            }
            Constant::Int(value) => match ty {
                Type::Pointer(_) | Type::Opaque(_)
                    if value != 0 || !matches!(ty, Type::Pointer(_)) =>
                {
                    self.convert(constant(value, self.size_type(), expr.span), ty)
                }
                _ => constant(value, ty.clone(), expr.span),
            },
        }
    }

    fn constant_place(&self, place: &Lvalue) -> Option<Lvalue> {
        let kind = match &place.kind {
            LvalueKind::Object(id) if !self.objects.get(id.index())?.thread_local => {
                LvalueKind::Object(*id)
            }
            LvalueKind::Deref(pointer) => LvalueKind::Deref(Box::new(self.as_constant(pointer)?)),
            LvalueKind::Member(base, id, field) => {
                LvalueKind::Member(Box::new(self.constant_place(base)?), *id, *field)
            }
            LvalueKind::Element(base, index) => {
                let base = self.constant_place(base)?;
                LvalueKind::Element(Box::new(base), Box::new(self.as_constant(index)?))
            }
            _ => return None,
        };
        Some(Lvalue { kind, ty: place.ty.clone(), span: place.span })
    }
}
