//! # Assignments
//! `=`, `op=`, `++` and `--` (C11 6.5.2.4, 6.5.3.1, 6.5.16).

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{is_arithmetic, is_integer, of_value};
use super::conversions::{int, unsupported};
use super::operands::{Operand, bit_field};
use super::operators::{arithmetic, symbol};
use crate::c::tree::{self, Binary};
use crate::c::typed::{Arithmetic, Expr, ExprKind, Lvalue, LvalueKind};
use crate::c::types::Type;

impl Checker<'_> {
    /// `place = value`, `place op= value`
    pub fn assign(
        &mut self,
        op: Option<Binary>,
        place: &tree::Expr,
        value: &tree::Expr,
        span: Span,
    ) -> Option<Expr> {
        let place = self.changed(place);
        let value = self.value(value);
        let (place, value) = (place?, value?);
        let ty = of_value(&place.ty);
        if let Some(name) = self.bit_field_name(&place) {
            return Some(unsupported(bit_field(&name), ty, span));
        }
        match op {
            Some(op) => self.assign_with(op, place, value, false, span),
            None => {
                let value = self.assigned(value, &ty, "the left side")?;
                let kind = ExprKind::Assign(Box::new(place), Box::new(value));
                Some(Expr { kind, ty, span })
            }
        }
    }

    /// `place++` and so on.
    pub fn step(
        &mut self,
        place: &tree::Expr,
        up: bool,
        postfix: bool,
        span: Span,
    ) -> Option<Expr> {
        let place = self.changed(place)?;
        if let Some(name) = self.bit_field_name(&place) {
            return Some(unsupported(bit_field(&name), of_value(&place.ty), span));
        }
        let op = if up { Binary::Add } else { Binary::Sub };
        self.assign_with(op, place, int(1, span), postfix, span)
    }

    fn assign_with(
        &mut self,
        op: Binary,
        place: Lvalue,
        value: Expr,
        postfix: bool,
        span: Span,
    ) -> Option<Expr> {
        let ty = of_value(&place.ty);
        let wrong = |checker: &mut Self, value: &Expr| {
            let (x, y) = (checker.spell(&ty), checker.spell(&value.ty));
            let message = format!("`{x}` and `{y}` are no operands of `{}=`", symbol(op));
            checker.error(span, message);
        };
        let operator = arithmetic(op)?;
        let (operator, value, at) = match &ty {
            Type::Opaque(_) => {
                return Some(unsupported("arithmetic with a type of the library", ty, span));
            }
            Type::Pointer(_)
                if matches!(op, Binary::Add | Binary::Sub) && is_integer(&value.ty) =>
            {
                // Only the type of what it points to matters for the number of bytes.
                let pointer = Expr { kind: ExprKind::Int(0), ty: ty.clone(), span };
                let bytes = self.bytes(&pointer, value, op == Binary::Sub)?;
                (Arithmetic::Add, bytes, ty.clone())
            }
            place_ty if is_arithmetic(place_ty) => {
                let shift = matches!(op, Binary::ShiftLeft | Binary::ShiftRight);
                let integers = shift
                    || matches!(op, Binary::Rem | Binary::BitAnd | Binary::BitXor | Binary::BitOr);
                let at = if shift {
                    is_integer(&self.promoted(&value.ty)).then(|| self.promoted(place_ty))
                } else {
                    self.common(place_ty, &value.ty)
                };
                let Some(at) = at.filter(|at| !integers || is_integer(at)) else {
                    wrong(self, &value);
                    return None;
                };
                let value =
                    if shift { self.promote(value) } else { self.convert_number(value, &at) };
                (operator, value, at)
            }
            _ => {
                wrong(self, &value);
                return None;
            }
        };
        let kind = ExprKind::AssignWith {
            place: Box::new(place),
            op: operator,
            value: Box::new(value),
            at,
            postfix,
        };
        Some(Expr { kind, ty, span })
    }

    /// A number as one of another type; a constant becomes a constant with a fraction.
    fn convert_number(&self, value: Expr, ty: &Type) -> Expr {
        match (&value.kind, ty) {
            (ExprKind::Int(1), Type::Floating(_)) => {
                Expr { kind: ExprKind::Floating(1.0), ty: ty.clone(), span: value.span }
            }
            _ => self.convert(value, ty),
        }
    }

    /// The place that is changed; reports what cannot be.
    fn changed(&mut self, place: &tree::Expr) -> Option<Lvalue> {
        let operand = self.operand(place)?;
        let hint = "the left side of an assignment is a variable, an element, or a member";
        let place = match operand {
            Operand::Place(place) => place,
            other => {
                self.advise(other.span(), "this cannot be assigned to", hint);
                return None;
            }
        };
        let mut base = &place;
        while let LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) = &base.kind {
            base = inner;
        }
        if matches!(base.kind, LvalueKind::Temporary(_)) {
            self.advise(place.span, "this cannot be assigned to", hint);
            return None;
        }
        match &place.ty {
            Type::Array(..) => {
                self.advise(
                    place.span,
                    "an array cannot be assigned to",
                    "assign its elements, or use `memcpy`",
                );
                None
            }
            Type::Function(_) | Type::Void => {
                self.advise(place.span, "this cannot be assigned to", hint);
                None
            }
            ty if self.types.size(ty).is_none() => {
                self.incomplete(&ty.clone(), place.span);
                None
            }
            _ if self.refuse_constant(&place) => None,
            _ => Some(place),
        }
    }
}
