//! # Types of arithmetic
//! Which type an integer constant has, what a small integer is promoted to, and which type two operands meet in (C11 6.3.1, 6.4.4.1).

use super::Checker;
use crate::c::tree::Rank;
use crate::c::types::{DataModel, Opaque, Type};

/// `char`, which has a sign.
pub(super) const CHAR: Type = Type::Int { bits: 8, signed: true, rank: 0 };
/// `int`
pub(super) const INT: Type = Type::Int { bits: 32, signed: true, rank: 2 };
/// `unsigned int`
pub(super) const UNSIGNED: Type = Type::Int { bits: 32, signed: false, rank: 2 };
/// `long long`
pub(super) const LONG_LONG: Type = Type::Int { bits: 64, signed: true, rank: 4 };
/// `unsigned long long`
pub(super) const UNSIGNED_LONG_LONG: Type = Type::Int { bits: 64, signed: false, rank: 4 };
/// `double`
pub(super) const DOUBLE: Type = Type::Floating(8);

impl Checker<'_> {
    /// An integer type by its word.
    pub fn integer(&self, rank: Rank, signed: bool) -> Type {
        let (bits, rank) = match rank {
            Rank::Short => (16, 1),
            Rank::Int => (32, 2),
            Rank::Long => (self.pointer_bits(), 3),
            Rank::LongLong => (64, 4),
            Rank::Int128 => (128, 5),
        };
        Type::Int { bits, signed, rank }
    }

    /// How many bits a pointer has.
    pub fn pointer_bits(&self) -> u32 {
        match self.types.model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// `size_t`
    pub fn size_type(&self) -> Type {
        match self.types.model {
            DataModel::Ilp32 => UNSIGNED,
            DataModel::Lp64 => self.integer(Rank::Long, false),
        }
    }

    /// `ptrdiff_t`: a signed integer of the width of a pointer.
    pub fn difference_type(&self) -> Type {
        match self.types.model {
            DataModel::Ilp32 => INT,
            DataModel::Lp64 => self.integer(Rank::Long, true),
        }
    }

    /// The integer that glibc has for a type of its library, where it has one.
    pub fn integer_of(&self, opaque: Opaque) -> Option<Type> {
        match opaque {
            Opaque::Thread => Some(self.integer(Rank::Long, false)),
            Opaque::Key => Some(UNSIGNED),
            Opaque::Once | Opaque::SpinLock => Some(INT),
            _ => None,
        }
    }

    /// The type that an operand of arithmetic is promoted to: at least `int`.
    pub fn promoted(&self, ty: &Type) -> Type {
        match ty {
            Type::Bool => INT,
            Type::Int { rank, .. } if *rank < 2 => INT,
            Type::Opaque(opaque) => self.integer_of(*opaque).unwrap_or_else(|| ty.clone()),
            _ => ty.clone(),
        }
    }

    /// The type in which two numbers meet; nothing if one of them is no number.
    pub fn common(&self, a: &Type, b: &Type) -> Option<Type> {
        let (a, b) = (self.promoted(a), self.promoted(b));
        match (&a, &b) {
            (Type::Floating(x), Type::Floating(y)) => Some(Type::Floating(*x.max(y))),
            (Type::Floating(_), Type::Int { .. }) => Some(a),
            (Type::Int { .. }, Type::Floating(_)) => Some(b),
            (
                Type::Int { bits: m, signed: s, rank: r },
                Type::Int { bits: n, signed: t, rank: q },
            ) => {
                if s == t {
                    return Some(if r >= q { a } else { b });
                }
                let (unsigned, signed) =
                    if *s { ((*n, *q), (*m, *r)) } else { ((*m, *r), (*n, *q)) };
                Some(if unsigned.1 >= signed.1 {
                    Type::Int { bits: unsigned.0, signed: false, rank: unsigned.1 }
                } else {
                    // The signed type has the higher rank; it is good enough if it holds all values of the other.
                    Type::Int { bits: signed.0, signed: signed.0 > unsigned.0, rank: signed.1 }
                })
            }
            _ => None,
        }
    }

    /// The first type that holds a constant; nothing if none does.
    pub fn constant_type(
        &self,
        value: u128,
        least: Rank,
        unsigned: bool,
        octal_or_hex: bool,
    ) -> Option<Type> {
        for rank in [Rank::Int, Rank::Long, Rank::LongLong] {
            if rank < least {
                continue;
            }
            let Type::Int { bits, .. } = self.integer(rank, true) else { continue };
            if !unsigned && value >> (bits - 1) == 0 {
                return Some(self.integer(rank, true));
            }
            if (unsigned || octal_or_hex) && value >> bits == 0 {
                return Some(self.integer(rank, false));
            }
        }
        // As in C90, a decimal constant that is too large for the signed types is unsigned after all.
        (value >> 64 == 0).then_some(UNSIGNED_LONG_LONG)
    }
}

/// The value as an integer of this many bits holds it.
pub(super) fn wrap(value: i128, bits: u32, signed: bool) -> i128 {
    if bits == 0 || bits >= 128 {
        return value;
    }
    let modulus = 1_i128 << bits;
    let rest = value.rem_euclid(modulus);
    if signed && rest >= modulus / 2 { rest - modulus } else { rest }
}

/// A type without `_Atomic`: that of a value.
pub(super) fn of_value(ty: &Type) -> Type {
    match ty {
        Type::Atomic(inner) => (**inner).clone(),
        _ => ty.clone(),
    }
}

/// Whether it is a number.
pub(super) fn is_arithmetic(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. } | Type::Floating(_))
}

/// Whether it is an integer.
pub(super) fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. })
}
