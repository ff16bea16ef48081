//! Machine integers, as Rust has them.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Type, UnaryOp};

use crate::oracle::values::Outcome;

/// Does something with the Rust type of a machine integer; `None` for other types.
macro_rules! with_rust_type {
    ($ty:expr, $run:ident($($arg:expr),*)) => {
        match $ty {
            Type::Machine { bits: 8, signed: false } => Some($run::<u8>($($arg),*)),
            Type::Machine { bits: 16, signed: false } => Some($run::<u16>($($arg),*)),
            Type::Machine { bits: 32, signed: false } => Some($run::<u32>($($arg),*)),
            Type::Machine { bits: 64, signed: false } => Some($run::<u64>($($arg),*)),
            Type::Machine { bits: 8, signed: true } => Some($run::<i8>($($arg),*)),
            Type::Machine { bits: 16, signed: true } => Some($run::<i16>($($arg),*)),
            Type::Machine { bits: 32, signed: true } => Some($run::<i32>($($arg),*)),
            Type::Machine { bits: 64, signed: true } => Some($run::<i64>($($arg),*)),
            _ => None,
        }
    };
}

/// What the tests ask of a machine integer.
trait Rust: Copy + Into<BigInt> {
    fn from_low(bits: u64) -> Self;
    fn negated(self) -> Self;
    fn with_bits_changed(self) -> Self;
    fn shifted(self, op: BinaryOp, by: u32) -> Option<Self>;
    fn with(self, op: BinaryOp, other: Self) -> Option<Self>;
}

macro_rules! rust {
    ($($name:ident)*) => { $(
        impl Rust for $name {
            fn from_low(bits: u64) -> Self {
                bits as $name
            }

            fn negated(self) -> Self {
                self.wrapping_neg()
            }

            fn with_bits_changed(self) -> Self {
                !self
            }

            fn shifted(self, op: BinaryOp, by: u32) -> Option<Self> {
                match op {
                    BinaryOp::ShiftLeft => Some(self.checked_shl(by).unwrap_or(0)),
                    // One bit after the other.
                    BinaryOp::ShiftRight => Some((0..by.min(64)).fold(self, |n, _| n >> 1)),
                    _ => None,
                }
            }

            fn with(self, op: BinaryOp, other: Self) -> Option<Self> {
                Some(match op {
                    BinaryOp::Add => self.wrapping_add(other),
                    BinaryOp::Sub => self.wrapping_sub(other),
                    BinaryOp::Mul => self.wrapping_mul(other),
                    BinaryOp::Div if other != 0 => self.wrapping_div_euclid(other),
                    BinaryOp::Mod if other != 0 => self.wrapping_rem_euclid(other),
                    BinaryOp::BitAnd => self & other,
                    BinaryOp::BitOr => self | other,
                    BinaryOp::BitXor => self ^ other,
                    _ => return None,
                })
            }
        }
    )* };
}
rust! { u8 u16 u32 u64 i8 i16 i32 i64 }

fn low<T: Rust>(n: &BigInt) -> T {
    T::from_low(u64::try_from(n & BigInt::from(u64::MAX)).expect("64 bits"))
}

fn unary_in<T: Rust>(op: UnaryOp, a: &BigInt) -> BigInt {
    let a = low::<T>(a);
    match op {
        UnaryOp::Neg => a.negated().into(),
        UnaryOp::BitNot => a.with_bits_changed().into(),
        UnaryOp::Convert => a.into(),
        UnaryOp::Not => panic!("no number"),
    }
}

fn binary_in<T: Rust>(op: BinaryOp, a: &BigInt, b: &BigInt) -> Outcome {
    if let BinaryOp::ShiftLeft | BinaryOp::ShiftRight = op {
        // No number is shifted by a negative amount; what is too large for Rust is too far for all bits.
        let by = u32::try_from(b).or_else(|_| match *b < BigInt::ZERO {
            true => Err(()),
            false => Ok(u32::MAX),
        });
        return low::<T>(a).shifted(op, by.ok()?).map(Into::into);
    }
    low::<T>(a).with(op, low(b)).map(Into::into)
}

/// An operation with one operand; `None` where no machine integer comes out.
pub fn unary(ty: &Type, op: UnaryOp, a: &BigInt) -> Option<BigInt> {
    with_rust_type!(ty, unary_in(op, a))
}

/// An operation with two operands; `None` where no machine integer comes out.
pub fn binary(ty: &Type, op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<Outcome> {
    with_rust_type!(ty, binary_in(op, a, b))
}
