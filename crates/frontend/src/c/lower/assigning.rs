//! # Assignments
//! `a = b`, `a += b`, `a++`: one step that reads and one that writes; a single step where the object is `_Atomic`.

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span, Type};

use super::access::{adapt, strip};
use super::arithmetic::{binary, convert};
use super::function::Fun;
use super::stale::takes_apart;
use crate::c::typed::{self as c, Arithmetic, Lvalue};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// `a = b`; the value only if it is wanted.
    pub(super) fn assign_scalar(
        &mut self,
        place: &'u Lvalue,
        value: &'u c::Expr,
        wanted: bool,
        span: Span,
    ) -> Expr {
        let access = self.access(place);
        let ty = self.type_of(&place.ty, span);
        let value = match self.holds_vague(place) {
            true => {
                self.effect(value);
                Fun::nothing(&ty)
            }
            false => self.scalar(value),
        };
        let value = adapt(value, &ty);
        let value = if wanted { self.settled(value, span) } else { value };
        self.store(&access, &place.ty, &value, span);
        if wanted { self.load_again(&access, place, value) } else { value }
    }

    pub(super) fn assign_with(
        &mut self,
        place: &'u Lvalue,
        op: Arithmetic,
        value: &'u c::Expr,
        at: &CType,
        postfix: bool,
        span: Span,
    ) -> Expr {
        let access = self.access(place);
        if matches!(strip(&place.ty), CType::Floating(_)) || matches!(at, CType::Floating(_)) {
            self.effect(value);
            if !matches!(strip(&place.ty), CType::Floating(_)) {
                self.limit(span, "a number with a fraction that becomes an integer".to_owned());
            }
            return Fun::nothing(&Type::Bool);
        }
        if self.holds_vague(place) {
            self.effect(value);
            if self.lower.options.overflow {
                self.limit(span, "arithmetic with a value from outside".to_owned());
            }
            let ty = self.type_of(&place.ty, span);
            let _ = self.load(&access, &place.ty, span);
            self.store(&access, &place.ty, &Fun::nothing(&ty), span);
            return Fun::nothing(&ty);
        }
        let operand = self.scalar(value);
        let operand = self.settled(operand, span);
        let ty = self.type_of(&place.ty, span);
        let wide = self.type_of(at, span);
        let is_pointer = matches!(strip(&place.ty), CType::Pointer(_));
        let mut combine = |fun: &mut Self, old: Expr| {
            let old = adapt(old, &wide);
            let new = match is_pointer {
                true => binary(BinaryOp::Add, old.clone(), convert(operand.clone(), &old.ty), span),
                false => fun.arithmetic(op, old, operand.clone(), span),
            };
            adapt(new, &ty)
        };
        if matches!(place.ty, CType::Atomic(_)) {
            let old = self.exchange(&access, &place.ty, span, &mut combine);
            if takes_apart(op) && !is_pointer {
                let rivals = self.assigned_rivals(place, value);
                self.check_rivals(&old, &operand, &rivals, span);
            }
            return if postfix { old } else { combine(self, old) };
        }
        let old = self.load(&access, &place.ty, span);
        let old = self.simple(old, span);
        // `a++` of a local variable has its value from before.
        let old = match postfix {
            true => {
                let kept = self.temp(&ty, span);
                self.assign(kept.clone(), old, span);
                read(kept)
            }
            false => old,
        };
        if takes_apart(op) && !is_pointer {
            let rivals = self.assigned_rivals(place, value);
            self.check_rivals(&old, &operand, &rivals, span);
        }
        let new = combine(self, old.clone());
        self.store(&access, &place.ty, &new, span);
        if postfix { old } else { self.load_again(&access, place, new) }
    }

    /// The value that was just written: that of the variable, if no other thread can change it.
    fn load_again(&mut self, access: &super::access::Access, place: &'u Lvalue, new: Expr) -> Expr {
        use super::access::Access;
        match access {
            Access::Named { stored, .. }
                if stored
                    .leaves
                    .iter()
                    .all(|(_, var)| matches!(var, selvedge_program::VarRef::Local(_))) =>
            {
                self.load(access, &place.ty, place.span)
            }
            _ => new,
        }
    }
}
