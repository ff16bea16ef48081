//! Which integers an expression can be, as far as types and operators tell.

use num_bigint::BigInt;

use crate::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The least and the greatest value, both included.
pub(crate) type Interval = (BigInt, BigInt);

/// The values of an expression; `None` if there is no bound.
pub(crate) fn interval(e: &Expr) -> Option<Interval> {
    let found = match &e.kind {
        ExprKind::Const(value) => value.to_big().map(|n| (n.clone(), n)),
        ExprKind::Read(place) | ExprKind::Primed(place) => place.ty.bounds(),
        ExprKind::Unary(UnaryOp::Neg, a) => interval(a).map(|(lo, hi)| (-hi, -lo)),
        ExprKind::Unary(UnaryOp::Convert, a) => interval(a),
        ExprKind::Binary(op, a, b) => binary(*op, interval(a), interval(b)),
        ExprKind::IfThenElse(_, a, b) => hull([interval(a), interval(b)]),
        ExprKind::OneOf(list) => hull(list.iter().map(interval)),
        ExprKind::Between(a, b) => {
            interval(a).zip(interval(b)).map(|((lo, _), (_, hi))| (lo.clone(), hi.max(lo)))
        }
        _ => None,
    };
    match (found, e.ty.bounds()) {
        // What leaves a machine type comes back somewhere else in it.
        (Some((lo, hi)), Some((least, greatest)))
            if e.ty.is_machine() && (lo < least || hi > greatest) =>
        {
            Some((least, greatest))
        }
        (found, bounds) => found.or(bounds),
    }
}

fn binary(op: BinaryOp, a: Option<Interval>, b: Option<Interval>) -> Option<Interval> {
    let greatest = |(lo, hi): &Interval| lo.magnitude().max(hi.magnitude()).clone();
    match (op, a, b) {
        (BinaryOp::Add, Some(a), Some(b)) => Some((a.0 + b.0, a.1 + b.1)),
        (BinaryOp::Sub, Some(a), Some(b)) => Some((a.0 - b.1, a.1 - b.0)),
        (BinaryOp::Mul, Some(a), Some(b)) => {
            let corners = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
            Some((corners.iter().min()?.clone(), corners.iter().max()?.clone()))
        }
        // A quotient is never further from 0 than what is divided.
        (BinaryOp::Div, Some(a), _) => {
            let most = BigInt::from(greatest(&a));
            Some((-most.clone(), most))
        }
        (BinaryOp::Mod, _, Some(b)) => {
            let most = BigInt::from(greatest(&b));
            let last: BigInt = most - 1;
            Some((BigInt::ZERO, last.max(BigInt::ZERO)))
        }
        _ => None,
    }
}

fn hull(list: impl IntoIterator<Item = Option<Interval>>) -> Option<Interval> {
    let mut all: Option<Interval> = None;
    for one in list {
        let (lo, hi) = one?;
        all = Some(match all {
            None => (lo, hi),
            Some((least, greatest)) => (least.min(lo), greatest.max(hi)),
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::{binary, expr, number, range, some_value};
    use crate::{ExprKind, Span, Type};

    #[test]
    fn bounds_hold_for_all_small_operands() {
        use BinaryOp::{Add, Div, Mod, Mul, Sub};
        let any = |lo: i64, hi: i64| expr(ExprKind::Any, range(lo, hi), Span::default());
        for (lo, hi, below, above) in [(-3, 2, -2, 4), (0, 5, 1, 3), (-4, -1, -3, -1)] {
            for op in [Add, Sub, Mul, Div, Mod] {
                let all = interval(&binary(op, any(lo, hi), any(below, above))).unwrap();
                for (a, b) in (lo..=hi).flat_map(|a| (below..=above).map(move |b| (a, b))) {
                    let value = match op {
                        Add => a + b,
                        Sub => a - b,
                        Mul => a * b,
                        _ if b == 0 => continue,
                        Div => a.div_euclid(b),
                        _ => a.rem_euclid(b),
                    };
                    assert!(all.0 <= value.into() && all.1 >= value.into(), "{op:?} {a} {b}");
                }
            }
        }
        assert_eq!(interval(&number(7)), Some((7.into(), 7.into())));
        assert_eq!(interval(&some_value(&Type::Int)), Some((0.into(), 0.into())));
        assert_eq!(interval(&expr(ExprKind::Any, Type::Int, Span::default())), None);
    }
}
