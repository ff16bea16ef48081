//! # Arithmetic that may go wrong
//! What an operator gives, and what has to hold for it: divisors that are not 0, shifts by no more bits than there are, and, where that is asked for, results that fit.

use selvedge_program::{BinaryOp, Expr, Span, StmtKind, Type};

use super::access::adapt;
use super::arithmetic::{binary, convert, divide, int, known_truth, negate};
use super::faults::Fault;
use super::function::Fun;
use crate::c::typed::Arithmetic;

impl<'u> Fun<'_, 'u> {
    /// An operation on two values of one type.
    pub(super) fn arithmetic(&mut self, op: Arithmetic, a: Expr, b: Expr, span: Span) -> Expr {
        let is_shift = matches!(op, Arithmetic::ShiftLeft | Arithmetic::ShiftRight);
        let (a, b) = match is_shift {
            true => {
                let (a, b) = (self.local_value(a, span), self.local_value(b, span));
                self.check_shift(&a, &b, span);
                (a, b)
            }
            false => {
                let b = adapt(b, &a.ty);
                (a, b)
            }
        };
        self.check_overflow(op, &a, &b, span);
        let op = match op {
            Arithmetic::Div | Arithmetic::Rem => {
                let zero = binary(BinaryOp::Eq, b.clone(), int(0, &b.ty), span);
                if known_truth(&zero) != Some(false) {
                    let b_known = self.local_value(b.clone(), span);
                    let zero = binary(BinaryOp::Ne, b_known.clone(), int(0, &b.ty), span);
                    self.branch(
                        zero,
                        span,
                        |_| {},
                        |fun| fun.undefined(Fault::DividedByZero, span),
                    );
                    return divide(a, b_known, op == Arithmetic::Rem, span);
                }
                return divide(a, b, op == Arithmetic::Rem, span);
            }
            Arithmetic::Mul => BinaryOp::Mul,
            Arithmetic::Add => BinaryOp::Add,
            Arithmetic::Sub => BinaryOp::Sub,
            Arithmetic::ShiftLeft => BinaryOp::ShiftLeft,
            Arithmetic::ShiftRight => BinaryOp::ShiftRight,
            Arithmetic::BitAnd => BinaryOp::BitAnd,
            Arithmetic::BitXor => BinaryOp::BitXor,
            Arithmetic::BitOr => BinaryOp::BitOr,
        };
        binary(op, a, b, span)
    }

    /// A shift by fewer bits than there are: others are undefined, and what machines do differs.
    pub(super) fn check_shift(&mut self, a: &Expr, b: &Expr, span: Span) {
        let Type::Machine { bits, .. } = a.ty else { return };
        let by = convert(b.clone(), &Type::Int);
        let not_negative = binary(BinaryOp::Le, int(0, &Type::Int), by.clone(), span);
        let not_too_far = binary(BinaryOp::Lt, by, int(bits, &Type::Int), span);
        let fits = binary(BinaryOp::And, not_negative, not_too_far, span);
        if self.lower.options.overflow {
            return self.require_to_fit(fits, span);
        }
        let reason = "a shift by a negative number, or by as many bits as there are or more";
        self.branch(fits, span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
    }

    /// Goes wrong unless a result fits into its type.
    pub(super) fn require_to_fit(&mut self, fits: Expr, span: Span) {
        if known_truth(&fits) != Some(true) {
            let reason = "the result does not fit into its type";
            self.lower.program.reasons.insert(span, reason.to_owned());
            self.emit(StmtKind::Assert(fits), span);
        }
    }

    /// Whether a result fits into its signed type, if that is asked for.
    pub(super) fn check_overflow(&mut self, op: Arithmetic, a: &Expr, b: &Expr, span: Span) {
        let Type::Machine { signed: true, .. } = a.ty else { return };
        let wide = match op {
            Arithmetic::Add => BinaryOp::Add,
            Arithmetic::Sub => BinaryOp::Sub,
            Arithmetic::Mul => BinaryOp::Mul,
            Arithmetic::Div | Arithmetic::Rem => BinaryOp::Div,
            Arithmetic::ShiftLeft => BinaryOp::ShiftLeft,
            _ => return,
        };
        if !self.lower.options.overflow {
            return;
        }
        let Some((lo, hi)) = a.ty.bounds() else { return };
        let Type::Machine { bits, .. } = a.ty else { return };
        let unsigned = Type::Machine { bits, signed: false };
        let (bit_pattern, by) = (convert(a.clone(), &unsigned), b.clone());
        let int_of = |e: &Expr| convert(e.clone(), &Type::Int);
        let (a, b) = (int_of(a), int_of(b));
        let fits = match wide {
            BinaryOp::Div => {
                // Only the least number divided by -1 does not fit.
                let least = binary(BinaryOp::Eq, a, int(lo, &Type::Int), span);
                let minus_one = binary(BinaryOp::Eq, b, int(-1, &Type::Int), span);
                negate(binary(BinaryOp::And, least, minus_one, span))
            }
            BinaryOp::ShiftLeft => {
                // No bit gets lost, and none becomes the sign; the bits of a negative number are more than all of these.
                let most = binary(BinaryOp::ShiftRight, int(hi, &unsigned), by, span);
                binary(BinaryOp::Le, bit_pattern, most, span)
            }
            _ => {
                let value = binary(wide, a, b, span);
                let low = binary(BinaryOp::Le, int(lo, &Type::Int), value.clone(), span);
                let high = binary(BinaryOp::Le, value, int(hi, &Type::Int), span);
                binary(BinaryOp::And, low, high, span)
            }
        };
        self.require_to_fit(fits, span);
    }
}
