//! # Conversions
//! Every conversion of a value is written out; one of a constant is done at once (C11 6.3, 6.5.16.1).

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{DOUBLE, INT, is_arithmetic, of_value, wrap};
use crate::c::typed::{Expr, ExprKind};
use crate::c::types::{Opaque, Type};

impl Checker<'_> {
    /// The value as one of another type, which it can be converted to.
    pub fn convert(&self, expr: Expr, ty: &Type) -> Expr {
        if expr.ty == *ty {
            return expr;
        }
        let constant = match (&expr.kind, &expr.ty, ty) {
            (
                ExprKind::Int(value),
                Type::Int { .. } | Type::Bool,
                Type::Int { bits, signed, .. },
            ) => Some(wrap(*value, *bits, *signed)),
            (ExprKind::Int(value), _, Type::Bool) => Some(i128::from(*value != 0)),
            (ExprKind::Int(0), _, Type::Pointer(_)) => Some(0),
            _ => None,
        };
        let span = expr.span;
        let kind = match constant {
            Some(value) => ExprKind::Int(value),
            None => ExprKind::Convert(Box::new(expr)),
        };
        Expr { kind, ty: ty.clone(), span }
    }

    /// The value, promoted as an operand of arithmetic.
    pub fn promote(&self, expr: Expr) -> Expr {
        let ty = self.promoted(&expr.ty);
        self.convert(expr, &ty)
    }

    /// The value, as an argument that no parameter is declared for.
    pub fn promote_argument(&self, expr: Expr) -> Expr {
        match &expr.ty {
            Type::Floating(4) => self.convert(expr, &DOUBLE),
            Type::Opaque(_) => expr,
            _ => self.promote(expr),
        }
    }

    /// Whether C converts values of one type to another without being told to.
    fn converts(&self, from: &Type, to: &Type) -> bool {
        let number = |ty: &Type| is_arithmetic(ty) || self.is_integer_inside(ty);
        match (from, to) {
            (Type::Pointer(_), Type::Pointer(_) | Type::Bool | Type::Int { .. }) => true,
            (Type::Int { .. } | Type::Bool, Type::Pointer(_)) => true,
            (Type::Pointer(_), Type::Opaque(_)) => self.is_integer_inside(to),
            (Type::Opaque(_), Type::Pointer(_)) => self.is_integer_inside(from),
            (from, to) if number(from) && number(to) => true,
            _ => from == to,
        }
    }

    fn is_integer_inside(&self, ty: &Type) -> bool {
        matches!(ty, Type::Opaque(opaque) if self.integer_of(*opaque).is_some())
    }

    /// The value as it is stored in an object of a type: by assignment, as an argument, as the result. `what` says what it is for.
    pub fn assigned(&mut self, expr: Expr, to: &Type, what: &str) -> Option<Expr> {
        let to = of_value(to);
        if self.converts(&expr.ty, &to) {
            self.doubt_conversion(&expr, &to, what);
            return Some(self.convert(expr, &to));
        }
        if let Type::Record(id) = &to
            && self.types.record(*id).is_union
            && !matches!(expr.ty, Type::Record(_) | Type::Void)
        {
            // A transparent union, as headers have them, takes what its members take.
            return Some(unsupported("a value given for a union", to, expr.span));
        }
        self.mismatch(&expr.ty, &to, what, expr.span);
        None
    }

    fn mismatch(&mut self, from: &Type, to: &Type, what: &str, span: Span) {
        let spelt = self.spell(to);
        if *from == Type::Void {
            self.advise(
                span,
                format!("this has no value, but {what} is `{spelt}`"),
                "a function that gives `void` can only be called for its effect",
            );
            return;
        }
        let given = self.spell(from);
        let hint = match (from, to) {
            (Type::Record(_) | Type::Opaque(_), Type::Pointer(_)) => "take its address with `&`",
            (Type::Pointer(_), Type::Record(_)) => "follow the pointer with `*`",
            (Type::Pointer(_), Type::Floating(_)) | (Type::Floating(_), Type::Pointer(_)) => {
                "there is no conversion between pointers and numbers with a point"
            }
            _ => "give a value of that type",
        };
        self.advise(span, format!("{what} is `{spelt}`, but this is `{given}`"), hint);
    }

    /// The value, converted by a cast.
    pub fn cast(&mut self, expr: Expr, to: &Type, span: Span) -> Option<Expr> {
        let to = of_value(to);
        if to == Type::Void || self.converts(&expr.ty, &to) {
            return Some(Expr { span, ..self.convert(expr, &to) });
        }
        match &to {
            Type::Array(..) | Type::Function(_) => {
                let spelt = self.spell(&to);
                let message = format!("nothing can be converted to `{spelt}`");
                self.advise(span, message, "did you mean a pointer?");
                None
            }
            Type::Record(id) if self.types.record(*id).is_union => {
                Some(unsupported("a cast to a union", to, span))
            }
            _ => {
                let (from, to) = (self.spell(&expr.ty), self.spell(&to));
                self.error(span, format!("`{from}` cannot be converted to `{to}`"));
                None
            }
        }
    }

    /// The value as a condition: any scalar.
    pub fn condition(&mut self, expr: Expr) -> Option<Expr> {
        match &expr.ty {
            Type::Bool | Type::Int { .. } | Type::Floating(_) | Type::Pointer(_) => Some(expr),
            Type::Opaque(_) if self.is_integer_inside(&expr.ty) => Some(self.promote(expr)),
            ty => {
                let spelt = self.spell(ty);
                self.advise(
                    expr.span,
                    format!("`{spelt}` is neither true nor false"),
                    "a condition is a number or a pointer",
                );
                None
            }
        }
    }

    /// Whether two types can be those of the same thing (C11 6.2.7).
    pub fn compatible(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Pointer(x), Type::Pointer(y)) | (Type::Atomic(x), Type::Atomic(y)) => {
                self.compatible(x, y)
            }
            (Type::Array(x, m), Type::Array(y, n)) => {
                (m.is_none() || n.is_none() || m == n) && self.compatible(x, y)
            }
            (Type::Function(x), Type::Function(y)) => {
                self.compatible(&x.result, &y.result)
                    && (x.unspecified
                        || y.unspecified
                        || x.variadic == y.variadic
                            && x.params.len() == y.params.len()
                            && x.params.iter().zip(&y.params).all(|(x, y)| self.compatible(x, y)))
            }
            _ => a == b,
        }
    }

    /// Whether it is a constant 0, which is a pointer to nothing as well (C11 6.3.2.3).
    pub fn is_null(&self, expr: &Expr) -> bool {
        match &expr.ty {
            Type::Int { .. } | Type::Bool => self.fold_int(expr) == Some(0),
            Type::Pointer(to) if **to == Type::Void => {
                matches!(expr.kind, ExprKind::Int(0))
            }
            _ => false,
        }
    }
}

/// A constant of an integer type.
pub(super) fn constant(value: i128, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(value), ty, span }
}

/// A constant of type `int`.
pub(super) fn int(value: i128, span: Span) -> Expr {
    constant(value, INT, span)
}

/// An expression that is not supported, with the type that it would have.
pub(super) fn unsupported(what: impl Into<String>, ty: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Unsupported(what.into()), ty, span }
}

/// Whether the program may look at a value of this type only through the library.
pub(super) fn is_opaque(ty: &Type) -> Option<Opaque> {
    match ty {
        Type::Opaque(opaque) => Some(*opaque),
        _ => None,
    }
}
