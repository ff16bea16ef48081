//! States that are added together, so that their accesses to memory wait together.

use crate::Columns;
use crate::table::Likely;

/// Words, or narrow rows by the columns of a set, in order.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Words one after the other, and where each of them ends.
    pub(crate) words: Vec<u32>,
    pub(crate) ends: Vec<usize>,
    /// Narrow rows. They come before the words, if there are both.
    pub(crate) rows: Vec<u128>,
    /// Buffers that the set uses while it inserts.
    pub(crate) hashes: Vec<u64>,
    pub(crate) likely: Vec<Likely>,
}

impl Batch {
    /// Adds a word.
    #[inline]
    pub fn push(&mut self, word: &[u32]) {
        self.words.extend_from_slice(word);
        self.ends.push(self.words.len());
    }

    /// Adds a row by the columns that the set has now: see [`crate::StateSet::narrow`].
    #[inline]
    pub fn push_row(&mut self, row: u128) {
        self.rows.push(row);
    }

    /// How many states there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len() + self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all states.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.rows.clear();
    }

    /// The narrow rows, which come before the words.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> &[u128] {
        &self.rows
    }

    /// The words.
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = &[u32]> {
        words(&self.words, &self.ends)
    }

    /// Packs the words into rows.
    pub(crate) fn pack(&mut self, columns: &Columns) {
        let Batch { words: numbers, ends, rows, .. } = self;
        rows.extend(words(numbers, ends).map(|word| columns.pack(word)));
        ends.clear();
    }
}

#[inline]
fn words<'a>(numbers: &'a [u32], ends: &'a [usize]) -> impl Iterator<Item = &'a [u32]> {
    let starts = std::iter::once(&0).chain(ends);
    starts.zip(ends).map(|(&start, &end)| &numbers[start..end])
}
