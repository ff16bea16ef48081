//! # Values
//! One scalar. Integers have no fixed size: small ones are kept inline, large ones as big
//! integers, and the two never overlap, so equality is structural.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigInt;

/// The value of one slot.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// Not chosen yet. An uninitialised variable holds every value of its type; which one is
    /// decided when it is first read (see the decision record on lazy choices).
    Open,
    /// An integer that fits; Booleans are 0 and 1, enumerators their position, locks 0 when free.
    Small(i64),
    /// An integer that does not fit `Small`.
    Big(Arc<BigInt>),
}

impl Value {
    /// The truth values.
    pub const FALSE: Value = Value::Small(0);
    /// See [`Value::FALSE`].
    pub const TRUE: Value = Value::Small(1);

    /// The value of an integer.
    #[must_use]
    pub fn from_big(n: BigInt) -> Value {
        match i64::try_from(&n) {
            Ok(small) => Value::Small(small),
            Err(_) => Value::Big(Arc::new(n)),
        }
    }

    /// The value as an integer; `None` when open.
    #[must_use]
    pub fn to_big(&self) -> Option<BigInt> {
        match self {
            Value::Open => None,
            Value::Small(n) => Some(BigInt::from(*n)),
            Value::Big(n) => Some((**n).clone()),
        }
    }

    /// The value as a small integer, if it is one.
    #[must_use]
    pub fn small(&self) -> Option<i64> {
        match self {
            Value::Small(n) => Some(*n),
            _ => None,
        }
    }

    /// Whether the value is an integer other than 0.
    #[must_use]
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Small(0) | Value::Open)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Small(i64::from(b))
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Small(n)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Open => f.write_str("?"),
            Value::Small(n) => n.fmt(f),
            Value::Big(n) => n.fmt(f),
        }
    }
}
