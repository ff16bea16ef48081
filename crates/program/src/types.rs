//! Types of values. Every scalar is an integer underneath; types say which integers, and how
//! they are written.

use num_bigint::BigInt;
use selvedge_core::Kind;

use crate::EnumId;

/// The type of a variable or an expression.
///
/// Front ends that come later add their own kinds here (pointers into a bounded heap, maps): engines see only slots with values and never match on this type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`: any integer, of any size.
    Int,
    /// `int[lo..hi]`: the integers from `lo` to `hi`, both included.
    Range {
        /// The least value.
        lo: BigInt,
        /// The greatest value.
        hi: BigInt,
    },
    /// `u8`, `i32` and so on: what is computed with it wraps around.
    Machine {
        /// How many bits it has: 8, 16, 32 or 64.
        bits: u32,
        /// Whether it may be negative.
        signed: bool,
    },
    /// An enumeration.
    Enum(EnumId),
    /// `lock`: free or held.
    Lock,
    /// `tid`: a thread that was started with `async`, or `none`.
    ThreadId,
    /// A fixed number of elements of one type.
    Array {
        /// The type of each element.
        element: Box<Type>,
        /// How many there are.
        length: u32,
    },
}

impl Type {
    /// How many scalar slots a variable of this type takes.
    #[must_use]
    pub fn slots(&self) -> usize {
        match self {
            Type::Array { element, length } => element.slots() * *length as usize,
            _ => 1,
        }
    }

    /// How many elements it has in each dimension; none for a scalar.
    pub fn lengths(&self) -> impl Iterator<Item = u32> {
        crate::compile::dimensions(self).map(|(length, _)| length)
    }

    /// The type of the scalars in it: itself, or the innermost element type.
    #[must_use]
    pub fn scalar(&self) -> &Type {
        match self {
            Type::Array { element, .. } => element.scalar(),
            scalar => scalar,
        }
    }

    /// Whether there is no end of its scalars.
    #[must_use]
    pub fn is_unbounded(&self) -> bool {
        *self.scalar() == Type::Int
    }

    /// Whether it has integers, and more of them than could be listed: no bounds, or more than 16 bits of a machine integer.
    #[must_use]
    pub fn has_wide_integers(&self) -> bool {
        match self.scalar() {
            Type::Int => true,
            Type::Machine { bits, .. } => *bits > 16,
            _ => false,
        }
    }

    /// Whether values of the type are added, compared and counted with.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Int | Type::Range { .. } | Type::Machine { .. })
    }

    /// Whether it is a machine integer. Those go with nothing but their own type.
    #[must_use]
    pub fn is_machine(&self) -> bool {
        matches!(self, Type::Machine { .. })
    }

    /// The machine integer with a name, as in `u8`.
    #[must_use]
    pub fn machine(name: &str) -> Option<Type> {
        let (sign, bits) = name.split_at_checked(1)?;
        let signed = match sign {
            "i" => true,
            "u" => false,
            _ => return None,
        };
        let bits = [8, 16, 32, 64].into_iter().find(|width: &u32| width.to_string() == bits)?;
        Some(Type::Machine { bits, signed })
    }

    /// The least and the greatest value, where they are integers with bounds.
    #[must_use]
    pub fn bounds(&self) -> Option<(BigInt, BigInt)> {
        match *self {
            Type::Range { ref lo, ref hi } => Some((lo.clone(), hi.clone())),
            Type::Machine { bits, signed } => Kind::Machine { bits, signed }.bounds(),
            _ => None,
        }
    }

    /// An integer type as it is written.
    #[must_use]
    pub fn integer_name(&self) -> Option<String> {
        match self {
            Type::Int => Some("int".to_owned()),
            Type::Range { lo, hi } => Some(format!("int[{lo}..{hi}]")),
            Type::Machine { bits, signed } => {
                Some(format!("{}{bits}", if *signed { 'i' } else { 'u' }))
            }
            _ => None,
        }
    }
}
