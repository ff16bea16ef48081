//! # What was met on a walk
//! Most walks are short: a list is searched before a table would be made. Where a walk becomes long, what was met is in a table.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The most things that are kept in a list; more are kept in a table.
const FEW: usize = 16;

/// Things that were met, each with a mark.
pub(super) struct Met<T> {
    few: Vec<(T, bool)>,
    /// All of them if there are many; empty otherwise.
    many: FxHashMap<T, bool>,
}

impl<T> Default for Met<T> {
    fn default() -> Self {
        Met { few: Vec::new(), many: FxHashMap::default() }
    }
}

impl<T: Copy + Eq + Hash> Met<T> {
    /// How many things were met.
    pub fn len(&self) -> usize {
        self.few.len().max(self.many.len())
    }

    /// The mark of a thing, if it was met.
    pub fn get(&self, thing: &T) -> Option<bool> {
        if !self.many.is_empty() {
            return self.many.get(thing).copied();
        }
        self.few.iter().find(|(met, _)| met == thing).map(|&(_, mark)| mark)
    }

    /// Meets a thing, or changes its mark.
    pub fn set(&mut self, thing: T, mark: bool) {
        if !self.many.is_empty() {
            self.many.insert(thing, mark);
        } else if let Some((_, there)) = self.few.iter_mut().find(|(met, _)| *met == thing) {
            *there = mark;
        } else if self.few.len() < FEW {
            self.few.push((thing, mark));
        } else {
            self.many.extend(self.few.drain(..));
            self.many.insert(thing, mark);
        }
    }

    /// Forgets all, and keeps the memory of the list.
    pub fn clear(&mut self) {
        self.few.clear();
        if !self.many.is_empty() {
            self.many = FxHashMap::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FEW, Met};
    use std::collections::BTreeMap;

    /// Few things and many, met once and again, have the marks that a map has.
    #[test]
    fn marks_are_those_of_a_map() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut met = Met::default();
        let mut longest = 0;
        for _ in 0..200 {
            let mut map = BTreeMap::new();
            met.clear();
            let things = 1 + random(3 * FEW as u64);
            for _ in 0..2 * things {
                let (thing, mark) = (random(things), random(2) == 0);
                assert_eq!(met.get(&thing), map.get(&thing).copied());
                met.set(thing, mark);
                map.insert(thing, mark);
                assert_eq!(met.len(), map.len());
            }
            longest = longest.max(map.len());
            assert!((0..=things).all(|thing| met.get(&thing) == map.get(&thing).copied()));
        }
        assert!(longest > FEW, "{longest}");
    }
}
