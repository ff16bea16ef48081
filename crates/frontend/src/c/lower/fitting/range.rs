//! Intervals of integers: what operators give, as mathematical integers, and what types hold.

use crate::c::typed::{Arithmetic, Compare};

/// All integers from the first to the second.
pub(super) type Range = (i128, i128);

/// The least range that has both.
pub(super) fn hull(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Whether a range is inside of another one.
pub(super) fn is_inside(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// What an operation gives, before it is made to fit, and whether it surely is one that C defines; `bits` is the width of its type.
pub(super) fn operate(
    op: Arithmetic,
    a: Range,
    b: Range,
    bits: u32,
    all: Range,
) -> (Range, Defined) {
    let corners = |of: &dyn Fn(i128, i128) -> i128, bs: &[i128]| {
        let values = [a.0, a.1].into_iter().flat_map(|x| bs.iter().map(move |&y| (x, y)));
        let values: Vec<i128> = values.map(|(x, y)| of(x, y)).collect();
        let (least, most) = (values.iter().min().copied(), values.iter().max().copied());
        least.zip(most).unwrap_or(all)
    };
    let ends = [b.0, b.1];
    let fine = Defined::Always;
    match op {
        Arithmetic::Add => (corners(&i128::saturating_add, &ends), fine),
        Arithmetic::Sub => (corners(&i128::saturating_sub, &ends), fine),
        Arithmetic::Mul => (corners(&i128::saturating_mul, &ends), fine),
        Arithmetic::Div | Arithmetic::Rem => {
            // A division by 0 is no result that does not fit; a run ends there.
            let divisors: Vec<i128> =
                [b.0, b.1, -1, 1].into_iter().filter(|&d| d != 0 && b.0 <= d && d <= b.1).collect();
            let quotient = corners(&|x, y| x / y, &divisors);
            // The numerator may be 0 in between, where the quotient is.
            let quotient = if a.0 <= 0 && a.1 >= 0 { hull(quotient, (0, 0)) } else { quotient };
            let least_by_minus_one = a.0 == all.0 && all.0 < 0 && b.0 <= -1 && b.1 >= -1;
            let defined = if least_by_minus_one { Defined::Perhaps } else { fine };
            if op == Arithmetic::Div {
                return (quotient, defined);
            }
            let most = b.0.unsigned_abs().max(b.1.unsigned_abs()).max(1) - 1;
            let most = i128::try_from(most).unwrap_or(i128::MAX);
            let below = if a.0 < 0 { a.0.max(-most) } else { 0 };
            let above = if a.1 > 0 { a.1.min(most) } else { 0 };
            ((below, above), defined)
        }
        Arithmetic::ShiftLeft | Arithmetic::ShiftRight => {
            if b.0 < 0 || b.1 >= i128::from(bits) {
                return (all, Defined::Perhaps);
            }
            if op == Arithmetic::ShiftLeft {
                // Of a negative number, it is undefined whatever comes out.
                let defined = if a.0 < 0 && all.0 < 0 { Defined::Perhaps } else { fine };
                return (corners(&|x, y| x.saturating_mul(1 << y), &ends), defined);
            }
            (corners(&|x, y| x >> y, &ends), fine)
        }
        Arithmetic::BitAnd => match (a.0 >= 0, b.0 >= 0) {
            (true, true) => ((0, a.1.min(b.1)), fine),
            (true, false) => ((0, a.1), fine),
            (false, true) => ((0, b.1), fine),
            (false, false) => (all, fine),
        },
        Arithmetic::BitOr | Arithmetic::BitXor => match a.0 >= 0 && b.0 >= 0 {
            true => {
                let bits = 128 - a.1.max(b.1).leading_zeros();
                ((0, (1_i128 << bits.min(126)) - 1), fine)
            }
            false => (all, fine),
        },
    }
}

/// Whether C says what comes out of an operation, given that it fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Defined {
    Always,
    Perhaps,
}

/// The comparison with its sides exchanged.
pub(super) fn mirrored(op: Compare) -> Compare {
    match op {
        Compare::Lt => Compare::Gt,
        Compare::Le => Compare::Ge,
        Compare::Gt => Compare::Lt,
        Compare::Ge => Compare::Le,
        Compare::Eq | Compare::Ne => op,
    }
}

/// The comparison that holds where this one does not.
pub(super) fn opposite(op: Compare) -> Compare {
    match op {
        Compare::Lt => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
    }
}

/// The numbers of a range that compare so with some number of another one; none if there are none.
pub(super) fn refined(a: Range, op: Compare, b: Range) -> Option<Range> {
    let (mut lo, mut hi) = a;
    match op {
        Compare::Lt => hi = hi.min(b.1 - 1),
        Compare::Le => hi = hi.min(b.1),
        Compare::Gt => lo = lo.max(b.0 + 1),
        Compare::Ge => lo = lo.max(b.0),
        Compare::Eq => (lo, hi) = (lo.max(b.0), hi.min(b.1)),
        Compare::Ne if b.0 == b.1 => {
            lo += i128::from(lo == b.0);
            hi -= i128::from(hi == b.0);
        }
        Compare::Ne => {}
    }
    (lo <= hi).then_some((lo, hi))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Range = (-8, 7);

    /// Every operation on all small ranges of numbers of four bits has all results that single numbers have.
    #[test]
    fn ranges_have_all_results() {
        use Arithmetic::*;
        let all: Vec<Range> = (-8..8).flat_map(|lo| (lo..8).map(move |hi| (lo, hi))).collect();
        for op in [Add, Sub, Mul, Div, Rem, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor] {
            for &a in &all {
                for &b in &all {
                    let (range, defined) = operate(op, a, b, 4, INT);
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            let shift = (0..4).contains(&y);
                            let (value, fine) = match op {
                                Add => (x + y, true),
                                Sub => (x - y, true),
                                Mul => (x * y, true),
                                Div | Rem if y == 0 => continue,
                                Div => (x / y, !(x == -8 && y == -1)),
                                Rem => (x % y, !(x == -8 && y == -1)),
                                ShiftLeft | ShiftRight if !shift => (range.0, false),
                                ShiftLeft => (x << y, x >= 0),
                                ShiftRight => (x >> y, true),
                                BitAnd => (x & y, true),
                                BitOr => (x | y, true),
                                BitXor => (x ^ y, true),
                            };
                            // What C perhaps does not define is no proof, whatever the range says.
                            let is_open = defined == Defined::Perhaps;
                            let is_there = is_inside((value, value), range);
                            assert!(is_there || is_open, "{op:?} {x} {y} {range:?}");
                            assert!(fine || is_open, "{op:?} {x} {y}");
                        }
                    }
                }
            }
        }
    }

    /// What a comparison leaves has every number that compares so.
    #[test]
    fn comparisons_keep_what_holds() {
        use Compare::*;
        let all: Vec<Range> = (-3..3).flat_map(|lo| (lo..3).map(move |hi| (lo, hi))).collect();
        for op in [Lt, Le, Gt, Ge, Eq, Ne] {
            let holds = |op, x: i128, y: i128| match op {
                Lt => x < y,
                Le => x <= y,
                Gt => x > y,
                Ge => x >= y,
                Eq => x == y,
                Ne => x != y,
            };
            for &a in &all {
                for &b in &all {
                    let left = refined(a, op, b);
                    for x in a.0..=a.1 {
                        for y in b.0..=b.1 {
                            assert_eq!(holds(op, x, y), holds(mirrored(op), y, x));
                            assert_ne!(holds(op, x, y), holds(opposite(op), x, y));
                            let kept = left.is_some_and(|left| is_inside((x, x), left));
                            assert!(kept || !holds(op, x, y), "{a:?} {op:?} {b:?}: {x} {y}");
                        }
                    }
                }
            }
        }
    }
}
