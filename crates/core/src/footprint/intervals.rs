//! # The domain of intervals
//! A value is all numbers from one to another. Every slot that is read or written on any way is written down.

use super::{Footprint, Slots};
use crate::{Area, Binary, Domain, Effect, Failure, Kind, Limits, Place, Site, Unary, Value};

/// The numbers from one to another; `None` is without end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least number.
    pub lo: Option<i64>,
    /// The greatest number.
    pub hi: Option<i64>,
}

impl Interval {
    /// All numbers.
    pub const ALL: Interval = Interval { lo: None, hi: None };

    /// One number.
    #[must_use]
    pub fn one(n: i64) -> Self {
        Interval { lo: Some(n), hi: Some(n) }
    }

    /// The numbers of a kind.
    #[must_use]
    pub fn of(kind: &Kind) -> Self {
        // Names of threads have no end.
        let bounds = kind.bounds().filter(|_| *kind != Kind::Thread);
        bounds.map_or(Interval::ALL, |(lo, hi)| Interval {
            lo: i64::try_from(lo).ok(),
            hi: i64::try_from(hi).ok(),
        })
    }

    /// The least interval with the numbers of both.
    #[must_use]
    pub fn join(self, other: Interval) -> Self {
        Interval {
            lo: self.lo.zip(other.lo).map(|(a, b)| a.min(b)),
            hi: self.hi.zip(other.hi).map(|(a, b)| a.max(b)),
        }
    }

    fn truth(self) -> Option<bool> {
        match (self.lo, self.hi) {
            (Some(0), Some(0)) => Some(false),
            (Some(lo), _) if lo > 0 => Some(true),
            _ => None,
        }
    }

    fn less(self, other: Interval, or_equal: bool) -> Interval {
        let below = |a: i64, b: i64| a < b || (or_equal && a == b);
        let known = match (self.hi.zip(other.lo), self.lo.zip(other.hi)) {
            (Some((a, b)), _) if below(a, b) => Some(1),
            (_, Some((a, b))) if !below(a, b) => Some(0),
            _ => None,
        };
        known.map_or(Interval { lo: Some(0), hi: Some(1) }, Interval::one)
    }

    fn negated(self) -> Interval {
        let negate = |n: Option<i64>| n.and_then(i64::checked_neg);
        Interval { lo: negate(self.hi), hi: negate(self.lo) }
    }

    fn plus(self, other: Interval) -> Interval {
        let add = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Interval { lo: add(self.lo, other.lo), hi: add(self.hi, other.hi) }
    }
}

/// The domain of intervals, with what was touched so far.
pub(super) struct Intervals<'a> {
    /// The shared slots that may be open.
    pub open: &'a Slots,
    /// The slots that were read or written so far.
    pub footprint: Footprint,
}

/// Slots from one to another, both included.
type Piece = (Area, usize, usize);

impl Domain for Intervals<'_> {
    type Value = Interval;
    type Address = Piece;
    type Halt = std::convert::Infallible;

    fn bool(&mut self, b: bool) -> Interval {
        Interval::one(b.into())
    }

    fn int(&mut self, n: &Value) -> Interval {
        n.small().map_or(Interval::ALL, Interval::one)
    }

    fn me(&mut self) -> Interval {
        Interval { lo: Some(1), hi: None }
    }

    fn unary(&mut self, op: Unary, a: Interval) -> Result<Interval, Self::Halt> {
        Ok(match op {
            Unary::Not => match a.truth() {
                Some(truth) => Interval::one((!truth).into()),
                None => Interval::of(&Kind::Bool),
            },
            Unary::Neg => a.negated(),
            Unary::Wrap { bits, signed } => {
                let all = Interval::of(&Kind::Machine { bits, signed });
                let fits = all.lo <= a.lo && a.lo.is_some() && a.hi.is_some() && a.hi <= all.hi;
                if fits { a } else { all }
            }
            Unary::Ended => {
                self.footprint.others = true;
                Interval::of(&Kind::Bool)
            }
        })
    }

    fn binary(
        &mut self,
        op: Binary,
        a: Interval,
        b: Interval,
        _: Site,
    ) -> Result<Interval, Self::Halt> {
        Ok(match op {
            Binary::Eq => {
                let differ = a.less(b, false).truth() == Some(true)
                    || b.less(a, false).truth() == Some(true);
                let same = a == b && a.lo.is_some() && a.lo == a.hi;
                match (differ, same) {
                    (true, _) => Interval::one(0),
                    (_, true) => Interval::one(1),
                    _ => Interval::of(&Kind::Bool),
                }
            }
            Binary::Lt => a.less(b, false),
            Binary::Le => a.less(b, true),
            Binary::Gt => b.less(a, false),
            Binary::Ge => b.less(a, true),
            Binary::Add => a.plus(b),
            Binary::Sub => a.plus(b.negated()),
            Binary::Mod => {
                // The remainder is not negative and below the divisor.
                let most = b.lo.filter(|&lo| lo > 0).and(b.hi).map(|hi| hi - 1);
                Interval { lo: Some(0), hi: most }
            }
            Binary::Mul
            | Binary::Div
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor
            | Binary::ShiftLeft
            | Binary::ShiftRight => Interval::ALL,
        })
    }

    fn within(&mut self, _: &Interval, _: Limits<'_>) -> Interval {
        Interval::of(&Kind::Bool)
    }

    fn truth(&self, value: &Interval) -> Option<bool> {
        value.truth()
    }

    fn position(&self, value: &Interval) -> Option<usize> {
        let only = value.lo.filter(|_| value.lo == value.hi)?;
        usize::try_from(only).ok()
    }

    fn enter(&mut self, _: &Interval, _: bool) {}

    fn leave(&mut self) {}

    fn merge(&mut self, _: Interval, a: Interval, b: Interval) -> Interval {
        a.join(b)
    }

    fn choose(&mut self, kind: &Kind, _: Option<&str>, _: Site) -> Result<Interval, Self::Halt> {
        Ok(Interval::of(kind))
    }

    fn between(&mut self, lo: Interval, hi: Interval, _: Site) -> Result<Interval, Self::Halt> {
        Ok(Interval { lo: lo.lo, hi: hi.hi })
    }

    fn fair(&mut self, _: Site) -> Result<Interval, Self::Halt> {
        Ok(Interval::of(&Kind::Bool))
    }

    fn address(&mut self, area: Area, slot: usize) -> Piece {
        (area, slot, slot)
    }

    fn element(
        &mut self,
        (area, first, last): Piece,
        index: &Interval,
        length: u32,
        stride: usize,
    ) -> Piece {
        // An index out of range goes wrong before anything is touched.
        let end = (length as usize).saturating_sub(1);
        let at = |n: Option<i64>, otherwise: usize| {
            n.map_or(otherwise, |n| usize::try_from(n).unwrap_or(0).min(end))
        };
        (area, first + at(index.lo, 0) * stride, last + at(index.hi, end) * stride)
    }

    fn load(
        &mut self,
        &(area, first, last): &Piece,
        place: &Place,
        _: bool,
    ) -> Result<Interval, Self::Halt> {
        let slots = first..last + 1;
        for slot in slots.clone() {
            if area == Area::Frame || self.open.contains(slot) {
                self.footprint.write(area, slot..slot + 1);
            }
        }
        self.footprint.read(area, slots);
        Ok(Interval::of(&place.kind))
    }

    fn store(
        &mut self,
        &(area, first, last): &Piece,
        _: &Place,
        _: Option<Interval>,
    ) -> Result<(), Self::Halt> {
        self.footprint.write(area, first..last + 1);
        Ok(())
    }

    fn result(&mut self, _: usize, kind: &Kind, _: &Place) -> Result<Option<Interval>, Self::Halt> {
        self.footprint.others = true;
        Ok(Some(Interval::of(kind)))
    }

    fn assume(&mut self, _: Interval) -> Result<(), Self::Halt> {
        Ok(())
    }

    fn require(
        &mut self,
        _: Interval,
        _: impl FnOnce() -> Failure<Interval>,
    ) -> Result<(), Self::Halt> {
        Ok(())
    }

    fn effect(&mut self, effect: Effect<'_, Piece>) -> Result<(), Self::Halt> {
        match effect {
            Effect::Snapshot | Effect::Call | Effect::Return | Effect::Frame { .. } => {}
            Effect::Take => self.footprint.others = true,
            Effect::Start(dest) => {
                self.footprint.others = true;
                if let Some(((area, first, last), _)) = dest {
                    self.footprint.write(area, first..last + 1);
                }
            }
            Effect::Fork { read_by_both, .. } => {
                self.footprint.others = true;
                for place in read_by_both {
                    self.footprint.read(place.area, place.first..place.first + 1);
                    self.footprint.write(place.area, place.first..place.first + 1);
                }
            }
        }
        Ok(())
    }
}
