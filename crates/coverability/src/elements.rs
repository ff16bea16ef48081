//! # Smallest states
//! An element stands for all states that cover it. Elements are kept in an antichain, up to the
//! number of threads that were already started after them: of two elements the one is redundant that
//! covers the other, unless it needs fewer threads.

use rustc_hash::FxHashMap;

/// A shared state and some local states, in rising order, each as many times as there are such
/// threads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Element {
    pub place: u32,
    pub kinds: Box<[u32]>,
}

impl Element {
    /// The local states are given in any order.
    pub fn new(place: u32, mut kinds: Vec<u32>) -> Self {
        kinds.sort_unstable();
        Element { place, kinds: kinds.into() }
    }
}

/// Whether every number of one list is in the other one, as many times. Both are in rising order.
pub(crate) fn is_contained(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|kind| rest.any(|other| other == kind))
}

/// Elements, each with the number of threads that are started after it.
#[derive(Default)]
pub(crate) struct Antichain {
    elements: Vec<(Element, u32)>,
    /// Where the elements are, by their shared state and their first local state.
    by_first: FxHashMap<(u32, Option<u32>), Vec<Listed>>,
}

/// An element of a list: most that are not contained in another one are seen not to be without a look at them.
struct Listed {
    at: usize,
    bits: u64,
}

/// A bit for each local state, which some of them share: a list that contains another one has all of its bits.
fn bits(kinds: &[u32]) -> u64 {
    kinds.iter().fold(0, |bits, kind| bits | 1 << (kind % 64))
}

impl Antichain {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether an element is redundant.
    pub fn covers(&self, element: &Element, started: u32) -> bool {
        let there = bits(&element.kinds);
        let with_first = |first: Option<u32>| {
            self.by_first.get(&(element.place, first)).is_some_and(|list| {
                list.iter().filter(|listed| listed.bits & !there == 0).any(|listed| {
                    let (known, since) = &self.elements[listed.at];
                    *since <= started && is_contained(&known.kinds, &element.kinds)
                })
            })
        };
        let mut last = None;
        with_first(None)
            || element.kinds.iter().any(|&kind| {
                let is_new = last.replace(kind) != Some(kind);
                is_new && with_first(Some(kind))
            })
    }

    pub fn insert(&mut self, element: Element, started: u32) {
        let key = (element.place, element.kinds.first().copied());
        let listed = Listed { at: self.elements.len(), bits: bits(&element.kinds) };
        self.by_first.entry(key).or_default().push(listed);
        self.elements.push((element, started));
    }

    /// The smallest elements, however many threads are started after them.
    pub fn smallest(&self) -> Vec<&Element> {
        let mut all: Vec<&Element> = self.elements.iter().map(|(element, _)| element).collect();
        all.sort_unstable_by_key(|element| (element.kinds.len(), *element));
        all.dedup();
        let mut kept = Antichain::default();
        all.retain(|element| {
            let is_new = !kept.covers(element, 0);
            if is_new {
                kept.insert(Element::clone(element), 0);
            }
            is_new
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contained_means_as_many_times() {
        assert!(is_contained(&[], &[]));
        assert!(is_contained(&[1, 1, 3], &[0, 1, 1, 2, 3]));
        assert!(!is_contained(&[1, 1], &[0, 1, 2]));
        assert!(!is_contained(&[4], &[0, 1, 2]));
        assert!(!is_contained(&[1], &[]));
    }

    #[test]
    fn fewer_started_threads_are_worth_keeping() {
        let element = |kinds: &[u32]| Element::new(0, kinds.to_vec());
        let mut chain = Antichain::default();
        chain.insert(element(&[2]), 1);
        assert!(chain.covers(&element(&[2, 1]), 1));
        assert!(!chain.covers(&element(&[2, 1]), 0));
        chain.insert(element(&[1, 2]), 0);
        assert!(chain.covers(&element(&[3, 2, 1]), 0));
        assert!(!chain.covers(&Element::new(1, vec![2]), 5));
        assert_eq!(chain.smallest(), [&element(&[2])]);
        chain.insert(element(&[]), 7);
        assert_eq!(chain.smallest(), [&element(&[])]);
    }
}
