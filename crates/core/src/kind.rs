//! # Kinds of slots
//! Every scalar is an integer underneath. A kind says which integers a slot may hold, and what happens when
//! another one is to be stored there.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;

use crate::Value;

/// Which integers a slot holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A truth value: 0 or 1.
    Bool,
    /// Any integer.
    Int,
    /// The integers of a range; storing another one goes wrong.
    Range(Arc<Range>),
    /// So many values from 0 on, and nothing else is ever stored: enumerators, owners of locks.
    Tag(u64),
    /// A machine integer of so many bits. What is stored has been wrapped: see [`crate::Unary::Wrap`].
    Machine {
        /// How many bits it has.
        bits: u32,
        /// Whether it may be negative.
        signed: bool,
    },
    /// A started thread by its number, or 0.
    Thread,
}

/// The integers from one to another, both included.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The least value.
    pub lo: BigInt,
    /// The greatest value.
    pub hi: BigInt,
    /// Both, if they are small.
    small: Option<(i64, i64)>,
}

impl Range {
    /// Whether a number is in the range.
    #[must_use]
    pub fn contains(&self, value: &Value) -> bool {
        match (value, self.small) {
            (Value::Small(n), Some((lo, hi))) => (lo..=hi).contains(n),
            _ => value.to_big().is_none_or(|n| self.lo <= n && n <= self.hi),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "int[{}..{}]", self.lo, self.hi)
    }
}

/// So many values, from the first on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The least value.
    pub first: i64,
    /// How many values there are, at least 1.
    pub count: u64,
}

impl Kind {
    /// The kind of the integers of a range.
    #[must_use]
    pub fn range(lo: BigInt, hi: BigInt) -> Kind {
        let small = i64::try_from(&lo).ok().zip(i64::try_from(&hi).ok());
        Kind::Range(Arc::new(Range { lo, hi, small }))
    }

    /// The range that whatever is stored has to be in, where that is not certain.
    #[must_use]
    pub fn limits(&self) -> Option<&Range> {
        match self {
            Kind::Range(range) => Some(range),
            _ => None,
        }
    }

    /// The least and the greatest value; `None` for all integers.
    #[must_use]
    pub fn bounds(&self) -> Option<(BigInt, BigInt)> {
        let zero_to = |hi: u64| Some((BigInt::ZERO, BigInt::from(hi)));
        match self {
            Kind::Int => None,
            Kind::Bool => zero_to(1),
            Kind::Tag(count) => zero_to(count.saturating_sub(1)),
            // Threads are not chosen: whoever has none holds 0.
            Kind::Thread => zero_to(0),
            Kind::Range(range) => Some((range.lo.clone(), range.hi.clone())),
            Kind::Machine { bits, signed } => {
                let half = BigInt::from(1) << bits.saturating_sub(1);
                Some(match signed {
                    true => (-&half, half - 1),
                    false => (BigInt::ZERO, (half << 1) - 1),
                })
            }
        }
    }

    /// Whether a value is one of this kind; whoever is a thread is not asked for its number.
    #[must_use]
    pub fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Int | Kind::Thread, _) => true,
            (Kind::Range(range), _) => range.contains(value),
            (Kind::Bool, Value::Small(n)) => (0..=1).contains(n),
            (Kind::Tag(count), Value::Small(n)) => u64::try_from(*n).is_ok_and(|n| n < *count),
            _ => match (self.bounds(), value.to_big()) {
                (Some((lo, hi)), Some(n)) => lo <= n && n <= hi,
                _ => true,
            },
        }
    }

    /// The values, if they are not too many to be told apart by a small number.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        let from_zero = |count: u64| Some(Span { first: 0, count: count.max(1) });
        match self {
            Kind::Bool => from_zero(2),
            Kind::Tag(count) => from_zero(*count),
            Kind::Thread => from_zero(1),
            _ => {
                let (lo, hi) = self.bounds()?;
                let first = i64::try_from(&lo).ok()?;
                let count = u64::try_from(hi - lo + 1u32).ok()?;
                Some(Span { first, count: count.max(1) })
            }
        }
    }
}
