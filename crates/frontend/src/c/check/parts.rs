//! # Parts of an initialiser
//! Values by their place. A later value for the same place replaces the earlier one; otherwise values keep the order of the text.

use std::collections::BTreeMap;

use crate::c::typed::{Expr, Part};

/// The most parts that an initialiser may have.
pub(super) const MOST_PARTS: usize = 1 << 20;

/// The values of an initialiser so far.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The values, by offset and by their number in the text.
    values: BTreeMap<(u64, usize), Expr>,
    /// The member of each union that has a value, by the offset of the union and how many records and arrays it is in.
    members: BTreeMap<(u64, usize), u64>,
    /// How many records and arrays are being filled, one in the other.
    pub depth: usize,
    /// How many values were put.
    next: usize,
    /// Whether a value is wrong, which was reported.
    pub failed: bool,
}

impl Parts {
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Forgets the values that start in a range of bytes.
    pub fn clear(&mut self, offset: u64, size: u64) {
        let end = offset.saturating_add(size);
        let old: Vec<(u64, usize)> =
            self.values.range((offset, 0)..(end, 0)).map(|(key, _)| *key).collect();
        for key in old {
            self.values.remove(&key);
        }
    }

    /// Forgets everything that was said of a part, which takes a range of bytes.
    pub fn restart(&mut self, offset: u64, size: u64) {
        self.clear(offset, size);
        let end = offset.saturating_add(size);
        let inside = self.members.range((offset, 0)..(end, 0)).map(|(key, _)| *key);
        let old: Vec<_> = inside.filter(|(_, depth)| *depth > self.depth).collect();
        for key in old {
            self.members.remove(&key);
        }
    }

    /// Notes that a member of the union that is being filled gets a value. Values of another member are forgotten.
    pub fn choose(&mut self, offset: u64, size: u64, member: u64) {
        let union = (offset, self.depth);
        if self.members.get(&union) != Some(&member) {
            self.restart(offset, size);
            self.members.insert(union, member);
        }
    }

    /// Puts a value of `size` bytes at an offset.
    pub fn put(&mut self, offset: u64, size: u64, value: Expr) {
        self.clear(offset, size);
        self.values.insert((offset, self.next), value);
        self.next += 1;
    }

    /// Puts the values of another initialiser, moved by `shift` bytes.
    pub fn put_all(&mut self, shift: u64, size: u64, other: &Parts) {
        self.restart(shift, size);
        for ((offset, _), value) in &other.values {
            self.values.insert((shift.saturating_add(*offset), self.next), value.clone());
            self.next += 1;
        }
    }

    /// The parts, in the order of the text.
    pub fn finish(self) -> Vec<Part> {
        let mut all: Vec<((u64, usize), Expr)> = self.values.into_iter().collect();
        all.sort_by_key(|((_, order), _)| *order);
        all.into_iter().map(|((offset, _), value)| Part { offset, value }).collect()
    }
}
