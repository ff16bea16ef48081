//! # Numbers
//! Arithmetic on values without bounds: fast where both operands are small, exact where they are not.
//! Division is such that the remainder is never negative. Bit operators see a number in two's complement
//! with as many bits as it takes.

use num_bigint::BigInt;

use crate::{Binary, Value};

/// Integers with more bits are not computed with: repeated squaring would fill the memory.
pub const MOST_BITS: u64 = 1 << 16;

/// A number has more than [`MOST_BITS`] bits, or an operand has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

/// The result of an operation on two numbers. A divisor must not be 0.
pub fn binary(op: Binary, left: &Value, right: &Value) -> Result<Value, TooLarge> {
    if op == Binary::Eq {
        return Ok((left == right).into());
    }
    if let (Value::Small(a), Value::Small(b)) = (left, right)
        && let Some(value) = small(op, *a, *b)
    {
        return Ok(value);
    }
    let (Some(a), Some(b)) = (left.to_big(), right.to_big()) else { return Err(TooLarge) };
    // What a product or a shift would take is known before it is computed.
    let bits = match op {
        Binary::Mul => a.bits() + b.bits(),
        Binary::ShiftLeft => u64::try_from(&b).map_or(0, |by| a.bits().saturating_add(by)),
        _ => a.bits().max(b.bits()),
    };
    if bits > MOST_BITS { Err(TooLarge) } else { big(op, &a, &b).ok_or(TooLarge) }
}

/// The number with its sign changed.
#[must_use]
pub fn negate(value: &Value) -> Value {
    match value.small().and_then(i64::checked_neg) {
        Some(n) => Value::Small(n),
        None => value.to_big().map_or(Value::Open, |n| Value::from_big(-n)),
    }
}

/// Wraps a number: the result has `bits` bits and agrees with it in its last bits.
#[must_use]
pub fn wrap(value: &Value, bits: u32, signed: bool) -> Value {
    if let Value::Small(n) = value
        && bits < 63
    {
        let rest = *n & ((1_i64 << bits) - 1);
        let negative = signed && bits > 0 && rest >> (bits - 1) == 1;
        return Value::Small(if negative { rest - (1_i64 << bits) } else { rest });
    }
    let Some(n) = value.to_big() else { return Value::Open };
    let modulus = BigInt::from(1) << bits;
    let mut rest = &n % &modulus;
    if rest < BigInt::ZERO {
        rest += &modulus;
    }
    if signed && rest >= &modulus >> 1 {
        rest -= modulus;
    }
    Value::from_big(rest)
}

/// The operation where nothing overflows.
fn small(op: Binary, a: i64, b: i64) -> Option<Value> {
    let number = match op {
        Binary::Eq => return Some((a == b).into()),
        Binary::Lt => return Some((a < b).into()),
        Binary::Le => return Some((a <= b).into()),
        Binary::Gt => return Some((a > b).into()),
        Binary::Ge => return Some((a >= b).into()),
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div_euclid(b),
        Binary::Mod => a.checked_rem_euclid(b),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::ShiftLeft => {
            let by = u32::try_from(b).ok().filter(|&by| by < 63)?;
            a.checked_mul(1_i64 << by)
        }
        Binary::ShiftRight => Some(a >> u32::try_from(b).ok()?.min(63)),
    };
    number.map(Value::Small)
}

fn big(op: Binary, a: &BigInt, b: &BigInt) -> Option<Value> {
    Some(match op {
        Binary::Eq => (a == b).into(),
        Binary::Lt => (a < b).into(),
        Binary::Le => (a <= b).into(),
        Binary::Gt => (a > b).into(),
        Binary::Ge => (a >= b).into(),
        Binary::Add => Value::from_big(a + b),
        Binary::Sub => Value::from_big(a - b),
        Binary::Mul => Value::from_big(a * b),
        Binary::Div | Binary::Mod => {
            if *b == BigInt::ZERO {
                return None;
            }
            // Division of big integers truncates.
            let (mut quotient, mut remainder) = (a / b, a % b);
            if remainder < BigInt::ZERO {
                let up = *b > BigInt::ZERO;
                quotient += if up { -1 } else { 1 };
                remainder += if up { b.clone() } else { -b };
            }
            Value::from_big(if op == Binary::Div { quotient } else { remainder })
        }
        Binary::BitAnd => Value::from_big(a & b),
        Binary::BitOr => Value::from_big(a | b),
        Binary::BitXor => Value::from_big(a ^ b),
        Binary::ShiftLeft => Value::from_big(a << u64::try_from(b).ok()?),
        // A shift by more bits than there are leaves the sign.
        Binary::ShiftRight => {
            Value::from_big(a >> u64::try_from(b).unwrap_or(u64::MAX).min(a.bits() + 1))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{binary, wrap};
    use crate::{Binary, Value};
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn value(n: i128) -> Value {
        Value::from_big(BigInt::from(n))
    }

    fn expected(op: Binary, a: i128, b: i128) -> Option<i128> {
        Some(match op {
            Binary::Eq => i128::from(a == b),
            Binary::Lt => i128::from(a < b),
            Binary::Le => i128::from(a <= b),
            Binary::Gt => i128::from(a > b),
            Binary::Ge => i128::from(a >= b),
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a.checked_mul(b)?,
            Binary::Div if b != 0 => a.div_euclid(b),
            Binary::Mod if b != 0 => a.rem_euclid(b),
            Binary::BitAnd => a & b,
            Binary::BitOr => a | b,
            Binary::BitXor => a ^ b,
            Binary::ShiftLeft if (0..30).contains(&b) => a << b,
            Binary::ShiftRight if (0..127).contains(&b) => a >> b,
            _ => return None,
        })
    }

    const EVERY: [Binary; 15] = [
        Binary::Eq,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Mod,
        Binary::BitAnd,
        Binary::BitOr,
        Binary::BitXor,
        Binary::ShiftLeft,
        Binary::ShiftRight,
    ];

    fn near_limits() -> impl Strategy<Value = i128> {
        let limit = i128::from(i64::MAX);
        prop_oneof![
            -40..40_i128,
            limit - 3..limit + 4,
            -limit - 4..3 - limit,
            any::<i64>().prop_map(i128::from)
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_wider_integers(a in near_limits(), b in near_limits()) {
            for op in EVERY {
                if let Some(n) = expected(op, a, b) {
                    prop_assert_eq!(binary(op, &value(a), &value(b)), Ok(value(n)), "{:?} {} {}", op, a, b);
                }
            }
        }

        #[test]
        fn wraps_as_machines_do(n in near_limits()) {
            let numbers = [
                (8, true, i128::from(n as i8)), (8, false, i128::from(n as u8)),
                (32, true, i128::from(n as i32)), (32, false, i128::from(n as u32)),
                (63, false, n & ((1 << 63) - 1)),
                (64, true, i128::from(n as i64)), (64, false, i128::from(n as u64)),
            ];
            for (bits, signed, expected) in numbers {
                prop_assert_eq!(wrap(&value(n), bits, signed), value(expected), "{} bits of {}", bits, n);
            }
        }
    }
}
