//! # Constant expressions
//! The value of an expression that does not depend on a run, in the exact width of its type.

use super::Checker;
use super::arithmetic::wrap;
use crate::c::tree;
use crate::c::typed::{Arithmetic, Compare, Expr, ExprKind, Lvalue, LvalueKind, Unary};
use crate::c::types::Type;

/// A constant value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Constant {
    /// An integer, a truth value, or an address that is a number.
    Int(i128),
    /// A number with a fraction.
    Floating(f64),
}

impl Constant {
    fn is_zero(self) -> bool {
        match self {
            Constant::Int(value) => value == 0,
            Constant::Floating(value) => value == 0.0,
        }
    }
}

impl Checker<'_> {
    /// The integer that an expression must be; reports what is not constant.
    pub fn constant_int(&mut self, expr: &tree::Expr, what: &str) -> Option<i128> {
        let mark = self.mark();
        let value = self.value(expr);
        self.forget(&mark);
        let value = value?;
        if !super::arithmetic::is_integer(&value.ty) {
            let spelt = self.spell(&value.ty);
            self.error(expr.span, format!("{what} is an integer, not `{spelt}`"));
            return None;
        }
        let folded = self.fold_int(&value);
        if folded.is_none() {
            self.advise(
                expr.span,
                format!("{what} must be constant"),
                "use numbers, enumerators and `sizeof`; a variable is not constant, even if it is `const`",
            );
        }
        folded
    }

    /// The integer that an expression is, if it is constant.
    pub fn fold_int(&self, expr: &Expr) -> Option<i128> {
        match self.fold(expr)? {
            Constant::Int(value) => Some(value),
            Constant::Floating(_) => None,
        }
    }

    /// The value of an expression, if it is constant.
    pub fn fold(&self, expr: &Expr) -> Option<Constant> {
        let value = match &expr.kind {
            ExprKind::Int(value) => Constant::Int(*value),
            ExprKind::Floating(value) => Constant::Floating(*value),
            ExprKind::Convert(inner) => self.fold(inner)?,
            ExprKind::Unary(op, inner) => match (op, self.fold(inner)?) {
                (Unary::Minus, Constant::Int(value)) => Constant::Int(value.wrapping_neg()),
                (Unary::Minus, Constant::Floating(value)) => Constant::Floating(-value),
                (Unary::Complement, Constant::Int(value)) => Constant::Int(!value),
                (Unary::Complement, Constant::Floating(_)) => return None,
            },
            ExprKind::Not(inner) => Constant::Int(i128::from(self.fold(inner)?.is_zero())),
            ExprKind::Arithmetic(op, a, b) => self.fold_arithmetic(*op, a, b)?,
            ExprKind::Compare(op, a, b) => {
                Constant::Int(i128::from(compare(*op, self.fold(a)?, self.fold(b)?)?))
            }
            ExprKind::And(a, b) => {
                let both = !self.fold(a)?.is_zero() && !self.fold(b)?.is_zero();
                Constant::Int(i128::from(both))
            }
            ExprKind::Or(a, b) => {
                let either = !self.fold(a)?.is_zero() || !self.fold(b)?.is_zero();
                Constant::Int(i128::from(either))
            }
            ExprKind::Conditional(c, a, b) => {
                if self.fold(c)?.is_zero() {
                    self.fold(b)?
                } else {
                    self.fold(a)?
                }
            }
            ExprKind::Elvis(c, b) => {
                let first = self.fold(c)?;
                if first.is_zero() { self.fold(b)? } else { first }
            }
            ExprKind::Address(place) => Constant::Int(self.fold_address(place)?),
            ExprKind::Offset(pointer, by) => {
                Constant::Int(self.fold_int(pointer)?.wrapping_add(self.fold_int(by)?))
            }
            ExprKind::Difference(a, b, size) if *size > 0 => {
                let bytes = self.fold_int(a)?.wrapping_sub(self.fold_int(b)?);
                Constant::Int(bytes / i128::from(*size))
            }
            _ => return None,
        };
        self.as_type(value, &expr.ty)
    }

    /// The constant as one of a type.
    fn as_type(&self, value: Constant, ty: &Type) -> Option<Constant> {
        Some(match (ty, value) {
            (Type::Int { bits, signed, .. }, Constant::Int(value)) => {
                Constant::Int(wrap(value, *bits, *signed))
            }
            (Type::Int { bits, signed, .. }, Constant::Floating(value)) => {
                let whole = value.trunc();
                if whole.is_nan() || whole.abs() >= 1.7e38 {
                    return None;
                }
                // In range, as was just seen; and whole.
                #[allow(clippy::cast_possible_truncation)]
                let whole = whole as i128;
                if wrap(whole, *bits, *signed) != whole {
                    return None;
                }
                Constant::Int(whole)
            }
            (Type::Bool, value) => Constant::Int(i128::from(!value.is_zero())),
            (Type::Floating(bytes), value) => {
                let value = match value {
                    #[allow(clippy::cast_precision_loss)]
                    Constant::Int(value) => value as f64,
                    Constant::Floating(value) => value,
                };
                #[allow(clippy::cast_possible_truncation)]
                Constant::Floating(if *bytes == 4 { f64::from(value as f32) } else { value })
            }
            (Type::Pointer(_), Constant::Int(value)) => {
                Constant::Int(wrap(value, self.pointer_bits(), false))
            }
            (Type::Opaque(opaque), Constant::Int(_)) => {
                return self.as_type(value, &self.integer_of(*opaque)?);
            }
            _ => return None,
        })
    }

    fn fold_arithmetic(&self, op: Arithmetic, a: &Expr, b: &Expr) -> Option<Constant> {
        match (self.fold(a)?, self.fold(b)?) {
            (Constant::Int(x), Constant::Int(y)) => {
                let bits = match &a.ty {
                    Type::Int { bits, .. } => *bits,
                    _ => return None,
                };
                integers(op, x, y, bits).map(Constant::Int)
            }
            (Constant::Floating(x), Constant::Floating(y)) => Some(Constant::Floating(match op {
                Arithmetic::Mul => x * y,
                Arithmetic::Div if y != 0.0 => x / y,
                Arithmetic::Add => x + y,
                Arithmetic::Sub => x - y,
                _ => return None,
            })),
            _ => None,
        }
    }

    /// The address of a place that is at a number: `&((struct s *) 0)->m`.
    fn fold_address(&self, place: &Lvalue) -> Option<i128> {
        match &place.kind {
            LvalueKind::Deref(pointer) => self.fold_int(pointer),
            LvalueKind::Member(base, id, field) => {
                let offset = self.types.record(*id).fields.get(*field)?.offset;
                Some(self.fold_address(base)?.wrapping_add(i128::from(offset)))
            }
            LvalueKind::Element(base, index) => {
                let size = i128::from(self.types.size(&place.ty)?);
                let by = self.fold_int(index)?.wrapping_mul(size);
                Some(self.fold_address(base)?.wrapping_add(by))
            }
            _ => None,
        }
    }
}

/// The unwrapped result of an operator on two integers of this many bits; `None` if C does not define it.
fn integers(op: Arithmetic, x: i128, y: i128, bits: u32) -> Option<i128> {
    let shift = || u32::try_from(y).ok().filter(|by| *by < bits);
    Some(match op {
        Arithmetic::Mul => x.wrapping_mul(y),
        Arithmetic::Div => x.checked_div(y)?,
        Arithmetic::Rem => x.checked_rem(y)?,
        Arithmetic::Add => x.wrapping_add(y),
        Arithmetic::Sub => x.wrapping_sub(y),
        Arithmetic::ShiftLeft => x.wrapping_shl(shift()?),
        Arithmetic::ShiftRight => x >> shift()?,
        Arithmetic::BitAnd => x & y,
        Arithmetic::BitXor => x ^ y,
        Arithmetic::BitOr => x | y,
    })
}

fn compare(op: Compare, a: Constant, b: Constant) -> Option<bool> {
    let order = match (a, b) {
        (Constant::Int(a), Constant::Int(b)) => Some(a.cmp(&b)),
        (Constant::Floating(a), Constant::Floating(b)) => a.partial_cmp(&b),
        _ => return None,
    };
    Some(match op {
        Compare::Lt => order.is_some_and(std::cmp::Ordering::is_lt),
        Compare::Le => order.is_some_and(std::cmp::Ordering::is_le),
        Compare::Gt => order.is_some_and(std::cmp::Ordering::is_gt),
        Compare::Ge => order.is_some_and(std::cmp::Ordering::is_ge),
        Compare::Eq => order.is_some_and(std::cmp::Ordering::is_eq),
        Compare::Ne => !order.is_some_and(std::cmp::Ordering::is_eq),
    })
}
