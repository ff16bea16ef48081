//! Types of values. Every scalar is an integer underneath; types say which integers, and how
//! they are written.

use num_bigint::BigInt;

use crate::EnumId;

/// The type of a variable or an expression.
///
/// Front ends that come later add their own kinds here (machine integers of a width, pointers
/// into a bounded heap, maps): engines see only slots with values and never match on this type.
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

    /// Whether values of the type are added, compared and counted with.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Int | Type::Range { .. })
    }
}
