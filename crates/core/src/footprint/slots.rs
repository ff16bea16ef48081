//! Sets of slots.

use std::ops::Range;

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
