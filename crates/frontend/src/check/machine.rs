//! # Machine integers
//! They go with nothing but their own type. Constants have no type of their own: they take the one that is asked
//! for, if they fit. So the type of an operation is that of the first operand that has one.

use selvedge_program::{Expr, ExprKind, Span, Type, UnaryOp};

use super::expressions::Typer;
use super::items::Item;
use crate::Diagnostic;
use crate::syntax::{self, ExprKind as Syntax, TypeExpr};

/// Whether a machine type has all values of another one.
pub(super) fn holds(wide: &Type, narrow: &Type) -> bool {
    let bounds = wide.bounds().zip(narrow.bounds());
    bounds.is_some_and(|((low, high), (least, greatest))| low <= least && greatest <= high)
}

impl<'a> Typer<'_, 'a> {
    /// The machine type that an expression has by itself, if it has one. Reports nothing.
    pub fn machine(&self, expr: &syntax::Expr) -> Option<Type> {
        let ty = match &expr.kind {
            Syntax::Place(place) | Syntax::Primed(place) => self.declared_type(&place.name.text),
            Syntax::LocalOf(_, name) => self.declared_type(&name.text),
            Syntax::Convert(ty, _) => ty.kind.machine(),
            Syntax::Call(..) => {
                let result = self.scope.results.get(&expr.span);
                result.and_then(|&id| self.scope.local(id).ty.clone())
            }
            Syntax::Unary(_, a) => self.machine(a),
            Syntax::Binary(op, a, b) => {
                let mut own = [a, b].into_iter().take(op.operands_of_its_type());
                own.find_map(|e| self.machine(e))
            }
            Syntax::Between(a, b) | Syntax::IfThenElse(_, a, b) => {
                self.machine(a).or_else(|| self.machine(b))
            }
            Syntax::Braces(list) => list.iter().find_map(|e| self.machine(e)),
            _ => None,
        };
        ty.filter(Type::is_machine)
    }

    /// The machine type that operands have, or else that is wanted of them. Where they have several, which is a mistake: the
    /// one that is wanted, or else the widest, so that the mistake is found in an operand that can be converted.
    pub fn machine_of(&self, operands: &[&syntax::Expr], want: Option<&Type>) -> Option<Type> {
        let want = want.filter(|ty| ty.is_machine());
        let own = || operands.iter().filter_map(|e| self.machine(e));
        if let Some(want) = want.filter(|want| own().any(|ty| ty == **want)) {
            return Some(want.clone());
        }
        let wider = |a: Type, b: Type| if holds(&b, &a) { b } else { a };
        own().reduce(wider).or_else(|| want.cloned())
    }

    /// The type of the scalars of what has a name.
    fn declared_type(&self, name: &str) -> Option<Type> {
        if let Some(local) = self.scope.find(name) {
            return self.scope.local(local).ty.as_ref().map(|ty| ty.scalar().clone());
        }
        match self.items.find(name)? {
            Item::Global(id) => {
                self.items.globals[id.index()].ty.as_ref().map(|ty| ty.scalar().clone())
            }
            Item::Const(position) => {
                self.items.consts[position].value.as_ref().map(|(ty, _)| ty.clone())
            }
            _ => None,
        }
    }

    /// An integer of whatever type.
    pub fn any_integer(&mut self, expr: &'a syntax::Expr) -> Option<Expr> {
        let ty = self.machine(expr).unwrap_or(Type::Int);
        self.expect(expr, &ty)
    }

    /// `u8(e)`, `int(e)`
    pub fn convert(&mut self, ty: &'a TypeExpr, e: &'a syntax::Expr, span: Span) -> Option<Expr> {
        let ty = ty.kind.machine().unwrap_or(Type::Int);
        let operand = self.any_integer(e)?;
        Some(Expr { kind: ExprKind::Unary(UnaryOp::Convert, Box::new(operand)), ty, span })
    }

    /// A constant as a value of a machine type, if it fits.
    pub fn constant_as(&mut self, found: Expr, ty: &Type) -> Option<Expr> {
        let (ExprKind::Const(value), Some((lo, hi))) = (&found.kind, ty.bounds()) else {
            return Some(found);
        };
        if value.to_big().is_some_and(|n| lo <= n && n <= hi) {
            return Some(Expr { ty: ty.clone(), ..found });
        }
        let name = ty.integer_name().unwrap_or_default();
        let message = format!("{value} is outside of `{name}`");
        let hint = format!("it holds integers from {lo} to {hi}; `{name}({value})` wraps around");
        self.problems.push(Diagnostic::error(found.span, message).hint(hint));
        None
    }
}
