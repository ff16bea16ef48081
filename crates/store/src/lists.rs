//! # Lists with numbers
//! An interner for lists of words, which states and frames are written as. While all lists have one length, as the states of most
//! programs do, they lie one after the other, in blocks: a look-up goes from the table to the list, and nobody is asked where the
//! list is. When a list of another length comes, each has a place of its own from then on.

use crate::table::Table;
use crate::{Bytes, Full, Id};

/// Lists by number, and numbers by list. Equal lists have equal numbers, in the order in which they come.
#[derive(Clone, Debug)]
pub struct Lists {
    what: &'static str,
    count: usize,
    kept: Kept,
    table: Table<u32>,
}

#[derive(Clone, Debug)]
enum Kept {
    /// Lists of one length.
    Even {
        length: usize,
        blocks: Vec<Vec<u64>>,
    },
    Uneven(Vec<Box<[u64]>>),
}

/// How many lists a block has.
const LISTS_PER_BLOCK: usize = 1 << 10;

impl Lists {
    /// No lists. The plural says what is in them, should there be too many.
    #[must_use]
    pub fn of(what: &'static str) -> Self {
        let kept = Kept::Even { length: 0, blocks: Vec::new() };
        Lists { what, count: 0, kept, table: Table::default() }
    }

    /// How many lists there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The list of a number that was given out.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> &[u64] {
        self.kept.get(number.index())
    }

    /// The number of a list that was met, with its hash.
    #[must_use]
    #[inline]
    pub fn find_hashed(&self, hash: u64, list: &[u64]) -> Option<u32> {
        let found = self.table.find(hash, |number| self.kept.get(number) == list);
        found.ok().and_then(u32::from_index)
    }

    /// Reads what a list with this hash would be compared with, so that it is near at hand.
    #[must_use]
    #[inline]
    pub fn touch(&self, hash: u64) -> u64 {
        let (_, likely) = self.table.likely(hash);
        likely.and_then(|number| self.kept.get(number).first().copied()).unwrap_or_default()
    }

    /// The number of a list whose hash is known to be [`crate::hash::of`] it; a new one if it was never met.
    pub fn intern_hashed(&mut self, hash: u64, list: &[u64]) -> Result<u32, Full> {
        let vacant = match self.table.find(hash, |number| self.kept.get(number) == list) {
            Ok(number) => return u32::from_index(number).ok_or(self.full()),
            Err(vacant) => vacant,
        };
        let count = self.count;
        let number = u32::from_index(count).filter(|_| count < Table::<u32>::most());
        let number = number.ok_or(self.full())?;
        let kept = &self.kept;
        self.table.enter(vacant, hash, count, |number| crate::hash::of(kept.get(number)));
        self.kept.push(count, list);
        self.count += 1;
        Ok(number)
    }

    fn full(&self) -> Full {
        Full { what: self.what, most: Table::<u32>::most() }
    }
}

impl Kept {
    #[inline]
    fn get(&self, number: usize) -> &[u64] {
        match self {
            Kept::Even { length, blocks } => {
                &blocks[number / LISTS_PER_BLOCK][number % LISTS_PER_BLOCK * length..][..*length]
            }
            Kept::Uneven(lists) => &lists[number],
        }
    }

    /// Adds a list after the first `count`.
    fn push(&mut self, count: usize, list: &[u64]) {
        if let Kept::Even { length, .. } = self
            && *length != list.len()
        {
            *self = match count {
                0 => Kept::Even { length: list.len(), blocks: Vec::new() },
                _ => Kept::Uneven((0..count).map(|number| self.get(number).into()).collect()),
            };
        }
        match self {
            Kept::Even { length, blocks } => {
                if count / LISTS_PER_BLOCK == blocks.len() {
                    // The first block grows as it is filled: most interners are small.
                    let lists = if count == 0 { 0 } else { LISTS_PER_BLOCK };
                    blocks.push(Vec::with_capacity(lists * *length));
                }
                if let Some(block) = blocks.last_mut() {
                    block.extend_from_slice(list);
                }
            }
            Kept::Uneven(lists) => lists.push(list.into()),
        }
    }
}

impl Bytes for Lists {
    fn bytes(&self) -> usize {
        let kept = match &self.kept {
            Kept::Even { blocks, .. } => blocks.iter().map(Bytes::bytes).sum(),
            Kept::Uneven(lists) => {
                lists.capacity() * size_of::<Box<[u64]>>()
                    + lists.iter().map(|list| size_of_val(&**list)).sum::<usize>()
            }
        };
        kept + self.table.bytes()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{LISTS_PER_BLOCK, Lists};
    use crate::{Full, hash};

    /// Lists of one length, of length 0 too, and of several lengths from some list on; more than a block of them.
    #[test]
    fn lists_keep_their_numbers() -> Result<(), Full> {
        let mut rng = fastrand::Rng::with_seed(5);
        for case in 0..24 {
            let length = case % 4;
            let uneven_from = if case % 3 == 0 { rng.usize(0..3000) } else { usize::MAX };
            let (mut lists, mut numbers) = (Lists::of("lists"), HashMap::new());
            for step in 0..2 * LISTS_PER_BLOCK + 100 {
                let length = if step >= uneven_from { rng.usize(0..5) } else { length };
                let list: Vec<u64> = (0..length).map(|_| rng.u64(0..40)).collect();
                let next = numbers.len() as u32;
                let hash = hash::of(&list[..]);
                assert_eq!(lists.find_hashed(hash, &list), numbers.get(&list).copied());
                let number = *numbers.entry(list.clone()).or_insert(next);
                assert_eq!(lists.intern_hashed(hash, &list)?, number);
            }
            assert_eq!(lists.len(), numbers.len());
            assert!(numbers.iter().all(|(list, &number)| lists.get(number) == list));
        }
        Ok(())
    }
}
