//! # What an operator means
//!
//! **Question.** `&&`, `!=`, `+` on eight bits, a conversion: what are they in the core?
//!
//! **Idea.** Said once, over anything that is built of the operations of the core: code, claims, constants.

use num_bigint::BigInt;
use selvedge_core::{Binary, Site, Unary, Value, number};

use crate::{BinaryOp, Type, UnaryOp};

/// Something that operations of the core can be built of.
pub(crate) trait Node: Clone {
    /// Makes a truth value.
    fn truth(value: bool) -> Self;
    /// Makes a number.
    fn int(value: i64) -> Self;
    /// Whether it may be written twice: it is small, and has the same value both times.
    fn may_be_repeated(&self) -> bool;
    /// Applies an operation with one operand.
    fn unary(op: Unary, a: Self) -> Self;
    /// Applies an operation with two operands.
    fn binary(op: Binary, a: Self, b: Self, at: Site) -> Self;
    /// The second if the first holds, otherwise the third; the other one does not matter.
    fn choice(cond: Self, then: Self, otherwise: Self) -> Self;
}

/// An operator applied to an operand of a type, for a result of a type.
pub(crate) fn unary<N: Node>(op: UnaryOp, ty: &Type, a: N, from: &Type) -> N {
    match op {
        UnaryOp::Not => N::unary(Unary::Not, a),
        // In two's complement `~a` is one less than `-a`.
        UnaryOp::BitNot => wrapped(N::binary(Binary::Sub, N::int(-1), a, Site(0)), ty),
        UnaryOp::Neg => wrapped(N::unary(Unary::Neg, a), ty),
        UnaryOp::Convert if is_within(from, ty) => a,
        UnaryOp::Convert => wrapped(a, ty),
    }
}

/// An operator applied to two operands, for a result of a type.
pub(crate) fn binary<N: Node>(op: BinaryOp, ty: &Type, a: N, b: N, at: Site) -> N {
    match op {
        BinaryOp::And => N::choice(a, b, N::truth(false)),
        BinaryOp::Or => N::choice(a, N::truth(true), b),
        BinaryOp::Implies => N::choice(a, b, N::truth(true)),
        _ => {
            let Some(core) = op.operator().core else {
                return N::unary(Unary::Not, N::binary(Binary::Eq, a, b, at));
            };
            let b = match *ty {
                // A shift by as many bits as there are, or more, leaves nothing. A large power of 2 is never computed.
                Type::Machine { bits, .. } if core == Binary::ShiftLeft && b.may_be_repeated() => {
                    let bits = i64::from(bits);
                    let all = N::binary(Binary::Ge, b.clone(), N::int(bits), at);
                    N::choice(all, N::int(bits), b)
                }
                _ => b,
            };
            let value = N::binary(core, a, b, at);
            if leaves(core) { wrapped(value, ty) } else { value }
        }
    }
}

/// The value as one of a type: a machine integer is wrapped to its bits.
fn wrapped<N: Node>(value: N, ty: &Type) -> N {
    match *ty {
        Type::Machine { bits, signed } => N::unary(Unary::Wrap { bits, signed }, value),
        _ => value,
    }
}

/// Whether the result on machine integers may need more bits. A quotient does for the least number divided by -1.
fn leaves(op: Binary) -> bool {
    use Binary::{Add, Div, Mul, ShiftLeft, Sub};
    matches!(op, Add | Sub | Mul | Div | ShiftLeft)
}

fn is_within(from: &Type, to: &Type) -> bool {
    match (from.bounds(), to.bounds()) {
        (Some((least, greatest)), Some((lo, hi))) => lo <= least && greatest <= hi,
        (_, bounds) => bounds.is_none(),
    }
}

/// Why an operation on constants has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// The divisor is 0.
    DivisionByZero,
    /// A number of bits to shift by is negative.
    NegativeShift,
    /// A number has more bits than are computed with.
    TooLarge,
}

impl Undefined {
    /// Messages about the constant that has no value, and about the operand that is the cause.
    #[must_use]
    pub fn message(self) -> (&'static str, &'static str) {
        match self {
            Undefined::DivisionByZero => ("this constant divides by zero", "this is 0"),
            Undefined::NegativeShift => {
                ("this constant shifts by a negative number", "this is negative")
            }
            Undefined::TooLarge => ("this constant is too large", "this has too many bits"),
        }
    }
}

/// A constant, unless there is none.
type Constant = Result<Value, Undefined>;

impl Node for Constant {
    fn truth(value: bool) -> Self {
        Ok(value.into())
    }

    fn int(value: i64) -> Self {
        Ok(Value::Small(value))
    }

    fn may_be_repeated(&self) -> bool {
        true
    }

    fn unary(op: Unary, a: Self) -> Self {
        let a = a?;
        Ok(match op {
            Unary::Not => (!a.is_true()).into(),
            Unary::Neg => number::negate(&a),
            Unary::Wrap { bits, signed } => number::wrap(&a, bits, signed),
            // No constant is a started thread.
            Unary::Ended => Value::TRUE,
        })
    }

    fn binary(op: Binary, a: Self, b: Self, _: Site) -> Self {
        let (a, b) = (a?, b?);
        if matches!(op, Binary::Div | Binary::Mod) && b == Value::Small(0) {
            return Err(Undefined::DivisionByZero);
        }
        if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) && is_negative(&b) {
            return Err(Undefined::NegativeShift);
        }
        number::binary(op, &a, &b).map_err(|_| Undefined::TooLarge)
    }

    fn choice(cond: Self, then: Self, otherwise: Self) -> Self {
        if cond?.is_true() { then } else { otherwise }
    }
}

impl UnaryOp {
    /// The operator applied to a constant, for a result of a type.
    pub fn apply(self, ty: &Type, a: &BigInt) -> Result<BigInt, Undefined> {
        known(unary(self, ty, Ok(Value::from_big(a.clone())), &Type::Int))
    }
}

impl BinaryOp {
    /// The operator applied to two constants, for a result of a type.
    pub fn apply(self, ty: &Type, a: &BigInt, b: &BigInt) -> Result<BigInt, Undefined> {
        let constant = |n: &BigInt| Ok(Value::from_big(n.clone()));
        known(binary(self, ty, constant(a), constant(b), Site(0)))
    }
}

fn is_negative(value: &Value) -> bool {
    value.to_big().is_some_and(|n| n < BigInt::ZERO)
}

fn known(value: Constant) -> Result<BigInt, Undefined> {
    value?.to_big().ok_or(Undefined::TooLarge)
}
