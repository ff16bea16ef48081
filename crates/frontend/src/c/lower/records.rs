//! # Values of several scalars
//! Structures and arrays that are read, written and copied as wholes: scalar by scalar, in the order of their places.

use selvedge_program::make::read;
use selvedge_program::{Expr, ExprKind as Kind, Span};

use super::access::Access;
use super::function::Fun;
use crate::c::typed::{self as c, ExprKind};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// The scalars of a record.
    pub(super) fn record(&mut self, expr: &'u c::Expr) -> Vec<Expr> {
        let span = expr.span;
        let cells = self.lower.cells(&expr.ty);
        match &expr.kind {
            ExprKind::Load(lvalue) => {
                let access = self.access(lvalue);
                self.load_all(&access, &lvalue.ty, span)
            }
            ExprKind::Call(callee, args) => self.call(expr, callee, args),
            ExprKind::Assign(place, value) => {
                let values = self.record(value);
                let access = self.access(place);
                let (access, values) = self.apart(access, values, span);
                self.store_all(&access, &place.ty, &values, span);
                values
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.record(b)
            }
            ExprKind::Convert(inner) => self.record(inner),
            ExprKind::Statement(block, value) => {
                self.statements(block);
                match value {
                    Some(value) => self.record(value),
                    None => cells.iter().map(|cell| Fun::nothing(&cell.ty)).collect(),
                }
            }
            ExprKind::Conditional(cond, a, b) => {
                let cond = self.test(cond);
                let places: Vec<_> = cells.iter().map(|cell| self.temp(&cell.ty, span)).collect();
                let give = |fun: &mut Self, which: &'u c::Expr| {
                    let values = fun.record(which);
                    for (place, value) in places.iter().zip(values) {
                        fun.assign(place.clone(), value, span);
                    }
                };
                self.branch(cond, span, |fun| give(fun, a), |fun| give(fun, b));
                places.into_iter().map(read).collect()
            }
            _ => {
                self.limit(span, "a value of a structure made in this way".to_owned());
                cells.iter().map(|cell| Fun::nothing(&cell.ty)).collect()
            }
        }
    }

    /// What is accessed and the values for it, if writing some of the scalars changes neither where the others are nor what they get:
    /// `a[0] = a[a[0].next]`.
    pub(super) fn apart(
        &mut self,
        access: Access,
        values: Vec<Expr>,
        span: Span,
    ) -> (Access, Vec<Expr>) {
        if values.len() < 2 {
            return (access, values);
        }
        let has_index = |value: &Expr| matches!(&value.kind, Kind::Read(place) if place.indices.iter().any(|i| super::arithmetic::known(i).is_none()));
        let values = match values.iter().any(has_index) {
            true => values.into_iter().map(|value| self.simple(value, span)).collect(),
            false => values,
        };
        let access = match access {
            Access::Named { stored, way, indices, strides, offset } => {
                let indices = indices.into_iter().map(|index| self.simple(index, span)).collect();
                Access::Named { stored, way, indices, strides, offset }
            }
            Access::Pointed { address, targets } => {
                Access::Pointed { address: self.simple(address, span), targets }
            }
            other => other,
        };
        (access, values)
    }

    /// Reads all scalars of something.
    pub(super) fn load_all(&mut self, access: &Access, ty: &CType, span: Span) -> Vec<Expr> {
        self.copy_floats(ty, span);
        if let CType::Atomic(inner) = ty {
            return self.whole(span, |fun| {
                let values = fun.load_all(access, inner, span);
                values.into_iter().map(|value| fun.settled(value, span)).collect()
            });
        }
        let cells = self.lower.cells(ty);
        cells.iter().map(|cell| self.load_cell(access, cell, span)).collect()
    }

    /// Copies of numbers with fractions inside of structures are not looked at.
    pub(super) fn copy_floats(&mut self, ty: &CType, span: Span) {
        if !self.lower.options.races {
            return;
        }
        let with = super::memory::Shapes { floats: true, ..self.lower.shapes };
        let has_floats = |leaf: &super::memory::Leaf| matches!(leaf.c, CType::Floating(_));
        if with.leaves(ty).unwrap_or_default().iter().any(has_floats) {
            self.limit(
                span,
                "a copy of a structure with numbers with fractions, of which races are looked for"
                    .to_owned(),
            );
        }
    }

    /// One access of a structure that is `_Atomic`: one step.
    fn whole<T: Default>(&mut self, span: Span, access: impl FnOnce(&mut Self) -> T) -> T {
        if self.lower.options.races {
            let reason = "an access of an atomic structure, of which races are looked for";
            self.limit(span, reason.to_owned());
            return T::default();
        }
        let mut found = T::default();
        self.section(span, |fun| found = access(fun));
        found
    }

    /// Writes all scalars of something.
    pub(super) fn store_all(&mut self, access: &Access, ty: &CType, values: &[Expr], span: Span) {
        if let CType::Atomic(inner) = ty {
            return self.whole(span, |fun| fun.store_all(access, inner, values, span));
        }
        for (cell, value) in self.lower.cells(ty).iter().zip(values) {
            self.store_cell(access, cell, value, span);
        }
    }
}
