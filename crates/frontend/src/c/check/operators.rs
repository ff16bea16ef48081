//! # Operators
//! The types of operands and results (C11 6.5.3 to 6.5.15, 6.5.17). Long chains such as `a + b + c + …` are followed in a loop.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{INT, is_arithmetic, is_integer};
use super::conversions::is_opaque;
use crate::c::tree::{self, Binary};
use crate::c::typed::{Arithmetic, Compare, Expr, ExprKind, Unary};
use crate::c::types::Type;

/// The most operators that may follow each other without parentheses.
const LONGEST_CHAIN: usize = 1000;

impl Checker<'_> {
    /// `+e`, `-e`, `~e`, `!e`
    pub fn unary(&mut self, op: tree::Unary, of: &tree::Expr, span: Span) -> Option<Expr> {
        let value = self.value(of)?;
        let (sign, fits) = match op {
            tree::Unary::Not => {
                let value = self.condition(value)?;
                return Some(Expr { kind: ExprKind::Not(Box::new(value)), ty: INT, span });
            }
            tree::Unary::Complement => ("~", is_integer(&self.promoted(&value.ty))),
            tree::Unary::Minus => ("-", is_arithmetic(&self.promoted(&value.ty))),
            _ => ("+", is_arithmetic(&self.promoted(&value.ty))),
        };
        if !fits {
            let spelt = self.spell(&value.ty);
            self.error(span, format!("`{sign}` cannot be applied to `{spelt}`"));
            return None;
        }
        let value = self.promote(value);
        let ty = value.ty.clone();
        let op = match op {
            tree::Unary::Complement => Unary::Complement,
            tree::Unary::Minus => Unary::Minus,
            _ => return Some(Expr { span, ..value }),
        };
        Some(Expr { kind: ExprKind::Unary(op, Box::new(value)), ty, span })
    }

    /// Operators with two operands, from the leftmost on.
    pub fn binary_chain(&mut self, expr: &tree::Expr) -> Option<Expr> {
        let mut chain = Vec::new();
        let mut left = expr;
        while let tree::ExprKind::Binary(op, a, b) = &left.kind {
            chain.push((*op, &**b, left.span));
            left = a;
        }
        if chain.len() > LONGEST_CHAIN {
            self.advise(
                expr.span,
                format!("more than {LONGEST_CHAIN} operators follow each other"),
                "compute a part of it first",
            );
            return None;
        }
        let mut value = self.value(left);
        for (op, right, span) in chain.into_iter().rev() {
            let right = self.value(right);
            value = match (value, right) {
                (Some(a), Some(b)) => self.binary(op, a, b, span),
                _ => None,
            };
        }
        value
    }

    /// `a op b`
    pub fn binary(&mut self, op: Binary, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        if let Some(op) = comparison(op) {
            return self.compare(op, a, b, span);
        }
        match op {
            Binary::And | Binary::Or => {
                let (a, b) = (self.condition(a), self.condition(b));
                let (a, b) = (Box::new(a?), Box::new(b?));
                let kind = if op == Binary::And { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
                Some(Expr { kind, ty: INT, span })
            }
            Binary::Comma => {
                let ty = b.ty.clone();
                Some(Expr { kind: ExprKind::Comma(Box::new(a), Box::new(b)), ty, span })
            }
            Binary::Add | Binary::Sub if is_pointer(&a) || is_pointer(&b) => {
                self.pointer_sum(op == Binary::Sub, a, b, span)
            }
            _ => self.arithmetic(op, a, b, span),
        }
    }

    fn arithmetic(&mut self, op: Binary, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        let wrong = |checker: &mut Self, a: &Expr, b: &Expr| {
            let (x, y) = (checker.spell(&a.ty), checker.spell(&b.ty));
            checker.error(span, format!("`{x}` and `{y}` are no operands of `{}`", symbol(op)));
        };
        let operator = arithmetic(op)?;
        if matches!(operator, Arithmetic::ShiftLeft | Arithmetic::ShiftRight) {
            let (x, y) = (self.promoted(&a.ty), self.promoted(&b.ty));
            if !is_integer(&x) || !is_integer(&y) {
                wrong(self, &a, &b);
                return None;
            }
            let (a, b) = (self.promote(a), self.promote(b));
            let kind = ExprKind::Arithmetic(operator, Box::new(a), Box::new(b));
            return Some(Expr { kind, ty: x, span });
        }
        let Some(ty) = self.common(&a.ty, &b.ty).filter(|ty| is_integer(ty) || !integers_only(op))
        else {
            wrong(self, &a, &b);
            return None;
        };
        let (a, b) = (self.convert(a, &ty), self.convert(b, &ty));
        let kind = ExprKind::Arithmetic(operator, Box::new(a), Box::new(b));
        Some(Expr { kind, ty, span })
    }

    /// `p + i`, `i + p`, `p - i`, `p - q`
    fn pointer_sum(&mut self, minus: bool, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        match (&a.ty, &b.ty) {
            (Type::Pointer(to), Type::Pointer(_)) if minus => {
                let Some(size) = self.types.size(to) else {
                    self.incomplete(&to.clone(), span);
                    return None;
                };
                let kind = ExprKind::Difference(Box::new(a), Box::new(b), size.max(1));
                Some(Expr { kind, ty: self.difference_type(), span })
            }
            (Type::Pointer(_), ty) if is_integer(ty) => self.moved(a, b, minus, span),
            (ty, Type::Pointer(_)) if is_integer(ty) && !minus => self.moved(b, a, false, span),
            _ => {
                let (x, y) = (self.spell(&a.ty), self.spell(&b.ty));
                let sign = if minus { "-" } else { "+" };
                self.advise(
                    span,
                    format!("`{x}` and `{y}` are no operands of `{sign}`"),
                    "a pointer can be moved by an integer, and subtracted from a pointer",
                );
                None
            }
        }
    }

    fn compare(&mut self, op: Compare, a: Expr, b: Expr, span: Span) -> Option<Expr> {
        let is_equality = matches!(op, Compare::Eq | Compare::Ne);
        let ty = match (&a.ty, &b.ty) {
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => self.meeting_pointer(&a, &b),
            (Type::Opaque(opaque), _) | (_, Type::Opaque(opaque))
                if is_equality && self.integer_of(*opaque).is_some() =>
            {
                let fits = |expr: &Expr| match is_opaque(&expr.ty) {
                    Some(other) => other == *opaque,
                    None => is_integer(&expr.ty),
                };
                (fits(&a) && fits(&b)).then_some(Type::Opaque(*opaque))
            }
            _ => self.common(&a.ty, &b.ty),
        };
        let Some(ty) = ty else {
            let (x, y) = (self.spell(&a.ty), self.spell(&b.ty));
            let hint = match (&a.ty, &b.ty) {
                (Type::Record(_), Type::Record(_)) => "compare their members",
                _ => "compare numbers with numbers, and pointers with pointers",
            };
            self.advise(span, format!("`{x}` and `{y}` cannot be compared"), hint);
            return None;
        };
        let (a, b) = (self.convert(a, &ty), self.convert(b, &ty));
        Some(Expr { kind: ExprKind::Compare(op, Box::new(a), Box::new(b)), ty: INT, span })
    }

    /// The pointer type in which two values meet, of which one is a pointer.
    fn meeting_pointer(&self, a: &Expr, b: &Expr) -> Option<Type> {
        let void = Type::Pointer(Arc::new(Type::Void));
        match (&a.ty, &b.ty) {
            (Type::Pointer(x), Type::Pointer(y)) => Some(if x == y || self.is_null(b) {
                a.ty.clone()
            } else if self.is_null(a) || self.compatible(x, y) {
                b.ty.clone()
            } else {
                void
            }),
            (Type::Pointer(_), ty) if is_integer(ty) => Some(a.ty.clone()),
            (ty, Type::Pointer(_)) if is_integer(ty) => Some(b.ty.clone()),
            (Type::Pointer(_), Type::Opaque(o)) | (Type::Opaque(o), Type::Pointer(_)) => {
                self.integer_of(*o).map(|_| Type::Opaque(*o))
            }
            _ => None,
        }
    }

    /// `c ? a : b`, and `c ?: b`
    pub fn conditional(
        &mut self,
        c: &tree::Expr,
        a: Option<&tree::Expr>,
        b: &tree::Expr,
        span: Span,
    ) -> Option<Expr> {
        let condition = self.value(c);
        let condition = condition.and_then(|value| self.condition(value));
        let first = match a {
            Some(a) => self.value(a),
            None => condition.clone(),
        };
        let second = self.value(b);
        let (condition, first, second) = (condition?, first?, second?);
        let Some(ty) = self.meeting(&first, &second) else {
            let (x, y) = (self.spell(&first.ty), self.spell(&second.ty));
            self.advise(
                span,
                format!("one choice is `{x}`, the other `{y}`"),
                "both choices of `?:` need the same type",
            );
            return None;
        };
        let second = Box::new(self.convert(second, &ty));
        let kind = match a {
            Some(_) => {
                let first = Box::new(self.convert(first, &ty));
                ExprKind::Conditional(Box::new(condition), first, second)
            }
            None => ExprKind::Elvis(Box::new(condition), second),
        };
        Some(Expr { kind, ty, span })
    }

    /// The type of a choice between two values.
    fn meeting(&self, a: &Expr, b: &Expr) -> Option<Type> {
        match (&a.ty, &b.ty) {
            (Type::Void, _) | (_, Type::Void) => Some(Type::Void),
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => self.meeting_pointer(a, b),
            (x, y) if x == y && !is_arithmetic(x) => Some(x.clone()),
            (x, y) => self.common(x, y),
        }
    }
}

fn is_pointer(expr: &Expr) -> bool {
    matches!(expr.ty, Type::Pointer(_))
}

fn integers_only(op: Binary) -> bool {
    matches!(op, Binary::Rem | Binary::BitAnd | Binary::BitXor | Binary::BitOr)
}

fn comparison(op: Binary) -> Option<Compare> {
    Some(match op {
        Binary::Lt => Compare::Lt,
        Binary::Le => Compare::Le,
        Binary::Gt => Compare::Gt,
        Binary::Ge => Compare::Ge,
        Binary::Eq => Compare::Eq,
        Binary::Ne => Compare::Ne,
        _ => return None,
    })
}

/// The operator of arithmetic, for those that are one.
pub(super) fn arithmetic(op: Binary) -> Option<Arithmetic> {
    Some(match op {
        Binary::Mul => Arithmetic::Mul,
        Binary::Div => Arithmetic::Div,
        Binary::Rem => Arithmetic::Rem,
        Binary::Add => Arithmetic::Add,
        Binary::Sub => Arithmetic::Sub,
        Binary::ShiftLeft => Arithmetic::ShiftLeft,
        Binary::ShiftRight => Arithmetic::ShiftRight,
        Binary::BitAnd => Arithmetic::BitAnd,
        Binary::BitXor => Arithmetic::BitXor,
        Binary::BitOr => Arithmetic::BitOr,
        _ => return None,
    })
}

/// An operator as C writes it.
pub(super) fn symbol(op: Binary) -> &'static str {
    match op {
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::BitAnd => "&",
        Binary::BitXor => "^",
        Binary::BitOr => "|",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Comma => ",",
    }
}
