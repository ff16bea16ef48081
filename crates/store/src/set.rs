//! # Sets of states
//! States are short words of numbers, packed one after the other in the order in which they come
//! (`rows`), with a hash table of their numbers beside it (`table`). No state is ever represented by
//! its hash alone.
//!
//! Where words are narrow rows ([`Columns`]), who makes states may work on rows directly: it asks
//! for the columns ([`StateSet::narrow`]), changes a few bits of a row, and adds the result.
//! The columns stay as they are while only rows are added.

use std::hint::black_box;

use crate::rows::{Rows, Word};
use crate::table::{Likely, Table};
use crate::{Batch, Bytes, Columns, Full, Id, hash};

/// A set of words; each gets a number, in the order in which they come.
#[derive(Clone, Debug)]
pub struct StateSet {
    pub(crate) rows: Rows,
    pub(crate) table: Table<u32>,
    /// With so many words it is full.
    pub(crate) most: usize,
}

impl Default for StateSet {
    fn default() -> Self {
        StateSet { rows: Rows::default(), table: Table::default(), most: Table::<u32>::most() }
    }
}

impl StateSet {
    /// Lets the set be full with so many words, or when there are no more numbers.
    pub fn limit(&mut self, most: Option<usize>) {
        let numbers = Table::<u32>::most();
        self.most = most.map_or(numbers, |most| most.min(numbers));
    }

    /// How many words there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the word that comes next.
    #[must_use]
    #[inline]
    pub fn end(&self) -> u32 {
        // A set has fewer words than there are numbers: see `enter`.
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// The word of a number.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> Word {
        self.rows.get(number.index())
    }

    /// Puts the word of a number in the place of another one.
    #[inline]
    pub fn read(&self, number: u32, word: &mut Vec<u32>) {
        self.rows.read(number.index(), word);
    }

    /// The first number of a word; 0 if it is empty.
    #[must_use]
    #[inline]
    pub fn first(&self, number: u32) -> u32 {
        self.rows.first(number.index())
    }

    /// The columns, if words are narrow rows.
    #[must_use]
    #[inline]
    pub fn narrow(&self) -> Option<&Columns> {
        self.rows.columns().filter(|columns| columns.is_narrow() && !columns.is_empty())
    }

    /// The row of a number, where words are narrow rows.
    #[must_use]
    #[inline]
    pub fn row(&self, number: u32) -> u128 {
        self.rows.row(number.index())
    }

    /// Prepares for words with numbers up to these.
    #[inline]
    pub fn make_room(&mut self, most: &[u32]) {
        if !self.rows.has_room(most) && self.rows.make_room(most) {
            let rows = &self.rows;
            self.table.renew(rows.len(), |number| hash_of(rows, number));
        }
    }

    /// Adds a word; its number, and whether it is new.
    pub fn insert(&mut self, word: &[u32]) -> Result<(u32, bool), Full> {
        self.make_room(word);
        if self.rows.are_narrow() {
            let row = self.rows.columns().map_or(0, |columns| columns.pack(word));
            return self.insert_row(hash::of_row(row), row);
        }
        let hash = hash::of_word(word);
        if let Ok(number) = self.table.find(hash, |number| self.rows.is(number, word)) {
            return Ok((number as u32, false));
        }
        let number = self.enter(hash)?;
        self.rows.push(word);
        Ok((number, true))
    }

    /// Adds a row, for which there is room.
    #[inline(always)]
    pub(crate) fn insert_within(&mut self, likely: Likely, hash: u64, row: u128) -> (u32, bool) {
        match self.table.find_from(likely, hash, |number| self.rows.row(number) == row) {
            Ok(number) => (number as u32, false),
            Err(vacant) => {
                let number = self.end();
                self.table.fill(vacant, hash, number.index());
                self.rows.push_row(row);
                (number, true)
            }
        }
    }

    pub(crate) fn insert_row(&mut self, hash: u64, row: u128) -> Result<(u32, bool), Full> {
        let vacant = match self.table.find(hash, |number| self.rows.row(number) == row) {
            Ok(number) => return Ok((number as u32, false)),
            Err(vacant) => vacant,
        };
        let mut number = self.end();
        if self.table.has_room(self.len()) && self.len() < self.most {
            self.table.fill(vacant, hash, number.index());
        } else {
            number = self.enter(hash)?;
        }
        self.rows.push_row(row);
        Ok((number, true))
    }

    /// Puts the next number into the table.
    #[cold]
    fn enter(&mut self, hash: u64) -> Result<u32, Full> {
        let count = self.len();
        let number = u32::from_index(count).filter(|_| count < self.most);
        let number = number.ok_or(Full { what: "states", most: self.most })?;
        if !self.table.has_room(count) {
            let rows = &self.rows;
            if rows.are_narrow() {
                self.table.grow(count, |number| hash::of_row(rows.row(number)));
            } else {
                self.table.grow(count, |number| hash_of(rows, number));
            }
        }
        if let Err(vacant) = self.table.find(hash, |_| false) {
            self.table.fill(vacant, hash, count);
        }
        Ok(number)
    }

    /// Adds many words; tells each number in turn, and whether it is new. The memory that the
    /// look-ups need is asked for all at once, so that they wait for it together and not one after
    /// the other. The batch is used up.
    #[inline]
    pub fn insert_all(
        &mut self,
        batch: &mut Batch,
        mut tell: impl FnMut(usize, u32, bool),
    ) -> Result<(), Full> {
        for word in batch.words() {
            self.make_room(word);
        }
        if let Some(columns) = self.narrow() {
            batch.pack(columns);
            let Batch { rows, hashes, likely, .. } = batch;
            hashes.clear();
            hashes.extend(rows.iter().map(|&row| hash::of_row(row)));
            black_box(hashes.iter().fold(0, |sum, &hash| sum ^ self.table.touch(hash)));
            let mut touched = 0;
            likely.clear();
            likely.extend(hashes.iter().map(|&hash| {
                let (likely, number) = self.table.likely(hash);
                touched ^= number.map_or(0, |number| self.rows.row(number));
                likely
            }));
            black_box(touched);
            let most = self.len() + rows.len();
            if self.table.has_room(most) && most <= self.most {
                let looked_for = hashes.iter().zip(rows.iter()).zip(likely.iter());
                for (index, ((&hash, &row), &likely)) in looked_for.enumerate() {
                    let (number, new) = self.insert_within(likely, hash, row);
                    tell(index, number, new);
                }
            } else {
                for (index, (&hash, &row)) in hashes.iter().zip(rows.iter()).enumerate() {
                    let (number, new) = self.insert_row(hash, row)?;
                    tell(index, number, new);
                }
            }
        } else {
            for (index, word) in batch.words().enumerate() {
                let (number, new) = self.insert(word)?;
                tell(index, number, new);
            }
        }
        batch.clear();
        Ok(())
    }

    /// The number of a word, if it is in the set.
    #[must_use]
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        let found = if self.rows.are_narrow() {
            let columns = self.rows.columns()?;
            if word.len() != columns.len() || !columns.hold(word) {
                return None;
            }
            let row = columns.pack(word);
            self.table.find(hash::of_row(row), |number| self.rows.row(number) == row)
        } else {
            self.table.find(hash::of_word(word), |number| self.rows.is(number, word))
        };
        found.ok().and_then(u32::from_index)
    }
}

impl Bytes for StateSet {
    fn bytes(&self) -> usize {
        self.rows.bytes() + self.table.bytes()
    }
}

/// The hash by which a word is found.
fn hash_of(rows: &Rows, number: usize) -> u64 {
    if rows.are_narrow() {
        hash::of_row(rows.row(number))
    } else {
        hash::of_word(&rows.get(number))
    }
}
