//! # Values that are not kept apart
//! A value from outside that is computed with is forgotten for a proof: whatever tests it goes both ways. These say which expressions have such a value.

use selvedge_program::make::read;
use selvedge_program::{Expr, Span, StmtKind, Type};

use super::access::strip;
use super::function::Fun;
use crate::c::typed as c;
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// Whether nothing is known of a value, and what is proved is to hold for all.
    pub(super) fn is_vague(&mut self, expr: &'u c::Expr) -> bool {
        if self.lower.options.ends_at_limits || !matches!(strip(&expr.ty), CType::Int { .. }) {
            return false;
        }
        let held = self.lower.points.expr(Some(self.id), expr);
        self.any_vague(held)
    }

    pub(super) fn any_vague(
        &self,
        held: std::collections::BTreeSet<super::points::Target>,
    ) -> bool {
        held.into_iter().any(|target| match target {
            super::points::Target::Choice(call) => self.lower.choices.is_vague(call),
            _ => false,
        })
    }

    /// Whether nothing is known of what a variable holds.
    pub(super) fn holds_vague(&mut self, place: &'u c::Lvalue) -> bool {
        if self.lower.options.ends_at_limits || !matches!(strip(&place.ty), CType::Int { .. }) {
            return false;
        }
        let targets = self.lower.points.places(Some(self.id), place);
        let held = targets.into_iter().flat_map(|target| self.lower.points.held(target)).collect();
        self.any_vague(held)
    }

    /// Whether an operation computes with values of which nothing is known, or on objects that hold them.
    pub(super) fn touches_vague(&mut self, args: &'u [c::Expr]) -> bool {
        if self.lower.options.ends_at_limits {
            return false;
        }
        let mut held = std::collections::BTreeSet::new();
        for arg in args {
            for target in self.lower.points.expr(Some(self.id), arg) {
                held.extend(self.lower.points.held(target));
                held.insert(target);
            }
        }
        self.any_vague(held)
    }

    /// An expression that may be true or false.
    pub(super) fn either(&mut self, span: Span) -> Expr {
        let temp = self.temp(&Type::Bool, span);
        self.emit(StmtKind::Havoc(vec![temp.clone()]), span);
        read(temp)
    }
}
