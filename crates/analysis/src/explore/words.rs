//! # States as words
//! A state is a word of numbers: the shared state, then its threads as *entries* (numbers of class
//! and local). A few threads are listed one by one, see [`Listed`]; many are counted, as pairs of
//! entry and number, sorted.

use std::ops::Range;

use selvedge_store::{Crew, StateSet};

use super::Classes;
use super::classes::arrangements;
use super::listed::Listed;

/// The form in which the threads of a state are written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Listed(Listed),
    Counted,
}

/// More threads than this are counted.
const MOST_LISTED: usize = 10;

/// How many states one worker counts at a time.
const STATES_PER_PIECE: u32 = 1 << 12;

impl Layout {
    /// How the threads of these classes are written down.
    pub fn new(classes: &Classes) -> Self {
        if classes.of_threads().len() <= MOST_LISTED {
            Layout::Listed(Listed::new(classes))
        } else {
            Layout::Counted
        }
    }

    /// The word of a shared state and entries, those of one class one after the other.
    pub fn word(&self, shared: u32, mut entries: Vec<u32>) -> Vec<u32> {
        let mut word = vec![shared];
        match self {
            Layout::Listed(listed) => {
                listed.sort(&mut entries);
                word.extend(entries);
            }
            Layout::Counted => {
                entries.sort_unstable();
                for same in entries.chunk_by(|a, b| a == b) {
                    let count = same.iter().fold(0u32, |count, _| count.saturating_add(1));
                    word.extend([same[0], count]);
                }
            }
        }
        word
    }

    /// The different entries of a word with their numbers.
    pub fn entries<'w>(&self, word: &'w [u32]) -> impl Iterator<Item = (u32, u32)> + use<'w> {
        let counted = matches!(self, Layout::Counted);
        let mut rest = &word[1..];
        std::iter::from_fn(move || {
            let &entry = rest.first()?;
            if counted {
                let count = rest[1];
                rest = &rest[2..];
                return Some((entry, count));
            }
            let mut count = 0;
            while rest.first() == Some(&entry) {
                rest = &rest[1..];
                count += 1;
            }
            Some((entry, count))
        })
    }

    /// Where the different entries of a word are: their *positions*, by which explorers refer to them.
    pub fn positions<'w>(&self, word: &'w [u32]) -> impl Iterator<Item = u32> + use<'w> {
        let counted = matches!(self, Layout::Counted);
        let width = if counted { 2 } else { 1 };
        let firsts = (0..).zip(word[1..].chunks_exact(width)).zip(word);
        // An entry that stands after itself was told before.
        firsts
            .filter(move |&((at, entry), before)| counted || at == 0 || entry[0] != *before)
            .map(|((at, _), _)| at)
    }

    /// The entry at a position.
    pub fn at(&self, word: &[u32], position: u32) -> Option<u32> {
        let width = if matches!(self, Layout::Counted) { 2 } else { 1 };
        word.get(1 + position as usize * width).copied()
    }

    /// The position of an entry, if the word has it.
    pub fn position(&self, word: &[u32], entry: u32) -> Option<u32> {
        let width = if matches!(self, Layout::Counted) { 2 } else { 1 };
        let entries = (0..).zip(word[1..].iter().step_by(width));
        entries.into_iter().find(|&(_, &e)| e == entry).map(|(at, _)| at)
    }

    /// How many threads a word has.
    pub fn threads(&self, word: &[u32]) -> usize {
        match self {
            Layout::Listed(_) => word.len() - 1,
            Layout::Counted => word[1..].iter().skip(1).step_by(2).map(|&n| n as usize).sum(),
        }
    }

    /// How many lists of threads a word stands for; `class` says which class an entry has. `None` if
    /// that does not fit.
    pub fn arrangements(&self, word: &[u32], class: impl Fn(u32) -> u32) -> Option<u128> {
        match self {
            Layout::Listed(listed) if listed.is_all(word) => Some(listed.arrangements(word)),
            _ => arrangements(self.entries(word).map(|(entry, count)| (class(entry), count))),
        }
    }

    /// How many lists of threads some words of a set stand for, together.
    pub fn arrangements_of(
        &self,
        states: &StateSet,
        mut numbers: Range<u32>,
        class: impl Fn(u32) -> u32,
        crew: &Crew,
    ) -> Option<u128> {
        if let (Layout::Listed(listed), Some(columns)) = (self, states.narrow())
            && listed.has_columns(columns.list())
        {
            if listed.are_single() {
                return Some(numbers.len() as u128);
            }
            let places = &columns.list()[1..];
            let count = |some: Range<u32>| {
                let mut rows = some.map(|number| states.row(number));
                rows.try_fold(0, |total: u128, row| {
                    total.checked_add(listed.arrangements_of_row(places, row))
                })
            };
            let starts = numbers.clone().step_by(STATES_PER_PIECE as usize);
            let mut counts = vec![Some(0); starts.len()];
            let end = |start: u32| numbers.end.min(start.saturating_add(STATES_PER_PIECE));
            let pieces = starts.map(|start| start..end(start)).zip(&mut counts);
            crew.each(pieces.collect(), |(some, to)| *to = count(some));
            return counts.into_iter().try_fold(0, |total: u128, some| total.checked_add(some?));
        }
        let mut word = Vec::new();
        numbers.try_fold(0, |total: u128, number| {
            states.read(number, &mut word);
            total.checked_add(self.arrangements(&word, &class)?)
        })
    }

    /// Changes a word: one thread with entry `from` becomes `to`, of the same class.
    pub fn replace(&self, word: &mut Vec<u32>, from: u32, to: u32) {
        match self {
            _ if from == to => {}
            Layout::Listed(listed) => listed.replace(&mut word[1..], from, to),
            Layout::Counted => {
                self.remove(word, from);
                self.add(word, to);
            }
        }
    }

    /// Adds a thread that was started to a word.
    pub fn add(&self, word: &mut Vec<u32>, entry: u32) {
        match self {
            Layout::Listed(listed) => listed.add(word, entry),
            Layout::Counted => {
                let pairs = word[1..].chunks_exact(2);
                let at = 1 + 2 * pairs.take_while(|pair| pair[0] < entry).count();
                if word.get(at) == Some(&entry) {
                    // So many threads do not fit into any memory.
                    word[at + 1] = word[at + 1].saturating_add(1);
                } else {
                    word.splice(at..at, [entry, 1]);
                }
            }
        }
    }

    /// Takes a thread out of a word.
    pub fn remove(&self, word: &mut Vec<u32>, entry: u32) {
        let Some(position) = self.position(word, entry) else { return };
        match self {
            Layout::Listed(_) => {
                word.remove(1 + position as usize);
            }
            Layout::Counted => {
                let at = 1 + 2 * position as usize;
                if word[at + 1] > 1 {
                    word[at + 1] -= 1;
                } else {
                    word.drain(at..at + 2);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Classes;
    use super::{Layout, Listed};

    #[test]
    fn both_layouts_say_the_same() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let mut entries: Vec<u32> = (0..rng.usize(1..8)).map(|_| rng.u32(0..5)).collect();
            let classes = Classes::all_alike(entries.len());
            let layouts = [Layout::Listed(Listed::new(&classes)), Layout::Counted];
            let mut words = layouts.clone().map(|layout| layout.word(9, entries.clone()));
            for _ in 0..6 {
                let (at, to) = (rng.usize(0..entries.len()), rng.u32(0..5));
                for (layout, word) in layouts.iter().zip(&mut words) {
                    layout.replace(word, entries[at], to);
                }
                entries[at] = to;
                let mut seen = Vec::new();
                for (layout, word) in layouts.iter().zip(&words) {
                    assert_eq!(*word, layout.word(9, entries.clone()));
                    assert_eq!(layout.threads(word), entries.len());
                    let positions: Vec<u32> = layout.positions(word).collect();
                    let kinds: Vec<(u32, u32)> = layout.entries(word).collect();
                    assert_eq!(positions.len(), kinds.len());
                    for (&position, &(entry, count)) in positions.iter().zip(&kinds) {
                        assert_eq!(layout.position(word, entry), Some(position));
                        assert_eq!(layout.at(word, position), Some(entry));
                        let same = entries.iter().filter(|&&e| e == entry).count();
                        assert_eq!(count as usize, same);
                    }
                    assert_eq!(layout.position(word, 5), None);
                    seen.push((kinds, layout.arrangements(word, |_| 0)));
                }
                assert_eq!(seen[0], seen[1]);
            }
        }
    }
}
