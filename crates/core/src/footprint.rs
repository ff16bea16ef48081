//! # Footprints
//!
//! **Question.** What may a step read and write? Two steps that do not touch the same slot can be exchanged;
//! one that touches its own frame only concerns nobody else.
//!
//! **Idea.** The evaluator runs once more, in a domain of [`Interval`]s that writes down every slot it sees. An
//! index is known as far as its kind and the expression tell, so `a[i]` is a piece of `a`.
//!
//! **Claim.** Whatever a run of the edge reads or writes, from any state, is in its footprint. Reading a slot
//! that is open chooses its value, so it is written, too. (What a run touches exactly at one state is
//! [`crate::Machine::touched`].)

use std::ops::Range;

use crate::{
    Area, Binary, Code, Domain, Edge, Effect, Failure, Instruction, Kind, Limits, Place, Site,
    Source, Target, Unary, Value, evaluate,
};

/// Slots of one memory, as ranges in rising order that do not touch each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slots(Vec<Range<usize>>);

impl Slots {
    /// Adds slots.
    pub fn add(&mut self, slots: Range<usize>) {
        if slots.is_empty() {
            return;
        }
        let first = self.0.partition_point(|known| known.end < slots.start);
        let last = self.0.partition_point(|known| known.start <= slots.end);
        let joined = self.0[first..last]
            .iter()
            .fold(slots, |joined, known| joined.start.min(known.start)..joined.end.max(known.end));
        self.0.splice(first..last, [joined]);
    }

    /// Whether a slot is among them.
    #[must_use]
    pub fn contains(&self, slot: usize) -> bool {
        self.0
            .get(self.0.partition_point(|known| known.end <= slot))
            .is_some_and(|known| known.start <= slot)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(Range::clone)
    }

    /// Whether some slot is in both.
    #[must_use]
    pub fn meets(&self, other: &Slots) -> bool {
        self.0.iter().any(|slots| {
            let next = other.0.partition_point(|known| known.end <= slots.start);
            other.0.get(next).is_some_and(|known| known.start < slots.end)
        })
    }

    /// Whether all of the others are among them.
    #[must_use]
    pub fn covers(&self, other: &Slots) -> bool {
        other.0.iter().all(|slots| {
            let at = self.0.partition_point(|known| known.end < slots.end);
            self.0.get(at).is_some_and(|known| known.start <= slots.start)
        })
    }
}

/// What a step touches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// The shared slots that it reads.
    pub reads: Slots,
    /// The shared slots that it writes.
    pub writes: Slots,
    /// The slots of its frame that it reads.
    pub own_reads: Slots,
    /// The slots of its frame that it writes.
    pub own_writes: Slots,
    /// Whether threads are started, joined or counted, or results are on their way.
    pub others: bool,
}

impl Footprint {
    /// Whether nobody else can tell that it was taken, and nobody else can prevent it.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && !self.others
    }

    /// Whether two steps of different threads do the same in either order.
    #[must_use]
    pub fn commutes_with(&self, other: &Footprint) -> bool {
        !(self.others && other.others)
            && !self.writes.meets(&other.reads)
            && !self.writes.meets(&other.writes)
            && !self.reads.meets(&other.writes)
    }

    /// Whether everything that the other touches is touched here.
    #[must_use]
    pub fn covers(&self, other: &Footprint) -> bool {
        self.reads.covers(&other.reads)
            && self.writes.covers(&other.writes)
            && self.own_reads.covers(&other.own_reads)
            && self.own_writes.covers(&other.own_writes)
            && (self.others || !other.others)
    }

    pub(crate) fn read(&mut self, area: Area, slots: Range<usize>) {
        match area {
            Area::Shared => self.reads.add(slots),
            Area::Frame => self.own_reads.add(slots),
            Area::New | Area::Results => {}
        }
    }

    pub(crate) fn write(&mut self, area: Area, slots: Range<usize>) {
        match area {
            Area::Shared => self.writes.add(slots),
            Area::Frame => self.own_writes.add(slots),
            Area::Results => self.others = true,
            Area::New => {}
        }
    }
}

/// The footprints of all edges of a program.
#[must_use]
pub fn footprints(code: &Code) -> Vec<Footprint> {
    let open = Slots::may_be_open(code);
    code.edges.iter().map(|edge| footprint(code, &open, edge)).collect()
}

fn footprint(code: &Code, open: &Slots, edge: &Edge) -> Footprint {
    let mut domain = Intervals { open, footprint: Footprint::default() };
    // Intervals follow every way, so nothing stops them.
    let Ok(()) = evaluate::execute(&mut domain, &edge.code, edge.temps);
    let mut footprint = domain.footprint;
    let holds_threads = |proc| code.proc(proc).frame.iter().any(|slot| slot.kind == Kind::Thread);
    let proc = code.location(edge.from).proc;
    let entered = match edge.control {
        crate::Control::Call(proc) => holds_threads(proc),
        crate::Control::Receive(_) => true,
        _ => false,
    };
    let shares = |slot: usize| code.shared[slot].kind == Kind::Thread;
    footprint.others |= edge.starts
        || entered
        || holds_threads(proc)
        || footprint.writes.iter().any(shares)
        || (edge.control == crate::Control::Return && !code.proc(proc).results.is_empty());
    footprint
}

impl Slots {
    /// The shared slots that may be open in some state.
    fn may_be_open(code: &Code) -> Slots {
        let mut open = Slots::default();
        for (slot, declared) in code.shared.iter().enumerate() {
            if declared.first == Value::Open {
                open.add(slot..slot + 1);
            }
        }
        for edge in &code.edges {
            for instruction in &edge.code {
                let Instruction::Store { to, value: Source::Any | Source::Result(..), .. } =
                    instruction
                else {
                    continue;
                };
                let place = match to {
                    Target::Place(place) => Some(place),
                    Target::Located(temp) => edge.code.iter().find_map(|other| match other {
                        Instruction::Locate(found, place) if found == temp => Some(place),
                        _ => None,
                    }),
                };
                if let Some(place) = place.filter(|place| place.area == Area::Shared) {
                    let last = place.indices.iter().fold(place.first, |last, index| {
                        last + (index.length as usize).saturating_sub(1) * index.stride
                    });
                    open.add(place.first..last + 1);
                }
            }
        }
        open
    }
}

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
struct Intervals<'a> {
    open: &'a Slots,
    footprint: Footprint,
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

#[cfg(test)]
mod tests {
    use super::Slots;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Ranges = Vec<(usize, usize)>;

    fn slots(ranges: &Ranges) -> (Slots, BTreeSet<usize>) {
        let (mut slots, mut set) = (Slots::default(), BTreeSet::new());
        for &(from, length) in ranges {
            slots.add(from..from + length);
            set.extend(from..from + length);
        }
        (slots, set)
    }

    proptest! {
        #[test]
        fn ranges_are_sets(
            a in proptest::collection::vec((0..30_usize, 0..6_usize), 0..6),
            b in proptest::collection::vec((0..30_usize, 0..6_usize), 0..6),
        ) {
            let ((slots, set), (others, other_set)) = (slots(&a), slots(&b));
            prop_assert_eq!(slots.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            for slot in 0..40 {
                prop_assert_eq!(slots.contains(slot), set.contains(&slot));
            }
            prop_assert_eq!(slots.meets(&others), !set.is_disjoint(&other_set));
            prop_assert_eq!(slots.covers(&others), set.is_superset(&other_set));
        }
    }
}
