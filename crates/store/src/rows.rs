//! # Words, packed
//! Words of numbers one after the other, each in as few bytes as it needs. While all words have the
//! same length they are *rows* of a table, see [`Columns`]; a row has whole bytes. When a number
//! comes that is too large for its column, all rows are written anew, a block at a time. Words of
//! different lengths are kept as they are.
//!
//! Rows come in large blocks, so that there is never more room than for one block too many, and nothing
//! is copied when there are more of them.

use std::ops::Deref;

use crate::bytes::make_room;
use crate::{Bytes, Column, Columns, Crew, Row};

/// Packed words, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    count: usize,
    columns: Columns,
    /// The bytes of a row; 0 before there is any.
    bytes: usize,
    /// All bits of a narrow row.
    all: u128,
    /// Rows, and after them at least [`MARGIN`] bytes that are 0.
    blocks: Vec<Vec<u8>>,
    /// If lengths differ: the words, and where each one ends.
    loose: Option<Loose>,
}

#[derive(Clone, Debug, Default)]
struct Loose {
    words: Vec<u32>,
    ends: Vec<u64>,
}

/// How many rows a block has: so many that it takes up large pages of memory. Tests have small blocks, to see more of them.
const ROWS_PER_BLOCK: usize = if cfg!(test) { 1 << 14 } else { 1 << 20 };

/// Up to this many rows, the first block doubles; then it grows by a quarter.
const FEW_ROWS: usize = ROWS_PER_BLOCK >> 6;

/// Rows are read and written sixteen bytes at a time, the last one of a block too.
const MARGIN: usize = 16;

/// How many rows there is room for at first.
const FIRST_ROWS: usize = 16;

impl Rows {
    /// How many words there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The columns, if all words have one length.
    #[inline]
    pub fn columns(&self) -> Option<&Columns> {
        self.loose.is_none().then_some(&self.columns)
    }

    /// Whether words are narrow rows.
    #[inline]
    pub fn are_narrow(&self) -> bool {
        self.loose.is_none() && self.columns.is_narrow()
    }

    /// Whether there is room for a word as things are.
    #[inline]
    pub fn has_room(&self, word: &[u32]) -> bool {
        self.bytes > 0 && word.len() == self.columns.len() && self.columns.hold(word)
    }

    /// Prepares for a word of these numbers, with the workers of a crew: whether all words are written in another way since.
    pub fn make_room(&mut self, numbers: &[u32], crew: &Crew) -> bool {
        if self.loose.is_some() {
            return false;
        }
        if self.bytes == 0 {
            self.arrange(Columns::for_numbers(numbers));
            return true;
        }
        if numbers.len() != self.columns.len() {
            self.loosen();
            return true;
        }
        let widens = !self.columns.hold(numbers);
        if widens {
            self.widen(numbers, crew);
        }
        widens
    }

    /// Adds a word that there is room for.
    pub fn push(&mut self, word: &[u32]) {
        if self.are_narrow() {
            self.push_row(self.columns.pack(word));
            return;
        }
        if let Some(Loose { words, ends }) = &mut self.loose {
            make_room(words, word.len());
            words.extend_from_slice(word);
            make_room(ends, 1);
            ends.push(words.len() as u64);
        } else {
            let row = next_row(&mut self.blocks, self.count, self.bytes);
            for (&number, &column) in word.iter().zip(self.columns.list()) {
                write(row, column, number);
            }
        }
        self.count += 1;
    }

    /// Adds a narrow row.
    #[inline]
    pub fn push_row(&mut self, row: u128) {
        let to = next_row(&mut self.blocks, self.count, self.bytes);
        to[..MARGIN].copy_from_slice(&row.to_le_bytes());
        self.count += 1;
    }

    /// The narrow row of a number.
    #[inline]
    pub fn row(&self, number: usize) -> u128 {
        load(self.at(number)) & self.all
    }

    /// The word of a number.
    #[inline]
    pub fn get(&self, number: usize) -> Word {
        match &self.loose {
            Some(loose) => Word::new(loose.get(number).iter().copied()),
            None => Word::new(self.unpack(number)),
        }
    }

    /// Puts the word of a number in the place of another one.
    #[inline]
    pub fn read(&self, number: usize, word: &mut Vec<u32>) {
        word.clear();
        match &self.loose {
            Some(loose) => word.extend_from_slice(loose.get(number)),
            None => word.extend(self.unpack(number)),
        }
    }

    /// The first number of a word; 0 if it is empty.
    #[inline]
    pub fn first(&self, number: usize) -> u32 {
        match &self.loose {
            Some(loose) => loose.get(number).first().copied().unwrap_or(0),
            None => self.columns.list().first().map_or(0, |&column| read(self.at(number), column)),
        }
    }

    /// Whether the word of a number is this one, where rows are not narrow.
    pub fn is(&self, number: usize, word: &[u32]) -> bool {
        match &self.loose {
            Some(loose) => loose.get(number) == word,
            None => {
                let row = self.at(number);
                let same = |(&column, &wanted): (&Column, &u32)| read(row, column) == wanted;
                word.len() == self.columns.len() && self.columns.list().iter().zip(word).all(same)
            }
        }
    }

    /// A row with what follows it.
    #[inline]
    fn at(&self, number: usize) -> &[u8] {
        &self.blocks[number / ROWS_PER_BLOCK][number % ROWS_PER_BLOCK * self.bytes..]
    }

    #[inline]
    fn unpack(&self, number: usize) -> impl ExactSizeIterator<Item = u32> {
        let (bytes, narrow) = (self.at(number), self.columns.is_narrow());
        let row = if narrow { load(bytes) } else { 0 };
        let columns = self.columns.list().iter();
        columns.map(move |&column| if narrow { row.get(column) } else { read(bytes, column) })
    }

    fn arrange(&mut self, columns: Columns) {
        (self.bytes, self.all) = (columns.bytes(), columns.all());
        self.columns = columns;
    }

    /// Makes all columns wide enough for these numbers. Each block is written anew by one worker, and the old one goes.
    fn widen(&mut self, numbers: &[u32], crew: &Crew) {
        let wider = self.columns.widened(numbers);
        let old = std::mem::take(&mut self.blocks);
        let (columns, bytes, count) = (self.columns.clone(), self.bytes, self.count);
        self.arrange(wider);
        let mut blocks = vec![Vec::new(); old.len()];
        let parts: Vec<_> = old.into_iter().zip(&mut blocks).enumerate().collect();
        let wider = &self.columns;
        crew.each(parts, |(number, (old, to))| {
            let rows = (count - number * ROWS_PER_BLOCK).min(ROWS_PER_BLOCK);
            *to = rewritten(&old, rows, (&columns, bytes), wider);
        });
        self.blocks = blocks;
    }

    /// Gives up the table when a word of another length comes.
    fn loosen(&mut self) {
        let mut loose = Loose::default();
        for number in 0..self.count {
            loose.words.extend(self.unpack(number));
            loose.ends.push(loose.words.len() as u64);
        }
        self.blocks = Vec::new();
        self.loose = Some(loose);
    }
}

impl Bytes for Rows {
    fn bytes(&self) -> usize {
        let loose = self.loose.as_ref().map_or(0, |l| l.words.bytes() + l.ends.bytes());
        self.blocks.iter().map(Bytes::bytes).sum::<usize>() + loose
    }
}

impl Loose {
    fn get(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[number] as usize]
    }
}

/// The bytes of one more row than there are, with what follows it.
#[inline]
fn next_row(blocks: &mut Vec<Vec<u8>>, count: usize, bytes: usize) -> &mut [u8] {
    let (block, row) = (count / ROWS_PER_BLOCK, count % ROWS_PER_BLOCK);
    if block == blocks.len() {
        // The first block grows as it is filled: most sets are small.
        let rows = if block == 0 { FIRST_ROWS } else { ROWS_PER_BLOCK };
        blocks.push(vec![0; rows * bytes + MARGIN]);
    }
    let block = &mut blocks[block];
    if block.len() < (row + 1) * bytes + MARGIN {
        let more = if row < FEW_ROWS { row } else { row / 4 };
        let length = (row + more).min(ROWS_PER_BLOCK) * bytes + MARGIN;
        block.reserve_exact(length - block.len());
        block.resize(length, 0);
    }
    &mut block[row * bytes..]
}

/// Rewrites the rows of a block with wider columns.
fn rewritten(
    old: &[u8],
    rows: usize,
    (columns, bytes): (&Columns, usize),
    wider: &Columns,
) -> Vec<u8> {
    let room = if rows < ROWS_PER_BLOCK { rows.next_power_of_two() } else { rows };
    let mut new = vec![0; room.max(FIRST_ROWS) * wider.bytes() + MARGIN];
    let pairs = columns.list().iter().copied().zip(wider.list().iter().copied());
    let pairs: Vec<(Column, Column)> = pairs.collect();
    for row in 0..rows {
        let (from, to) = (&old[row * bytes..], &mut new[row * wider.bytes()..]);
        if columns.is_narrow() && wider.is_narrow() {
            let row = load(from);
            let put = |sum, &(column, wide): &(Column, Column)| {
                sum | u128::from(row.get(column)) << wide.start
            };
            // What follows a row is written after it.
            to[..MARGIN].copy_from_slice(&pairs.iter().fold(0_u128, put).to_le_bytes());
        } else {
            let whole = if columns.is_narrow() { load(from) } else { 0 };
            for &(column, wide) in &pairs {
                let number =
                    if columns.is_narrow() { whole.get(column) } else { read(from, column) };
                write(to, wide, number);
            }
        }
    }
    new
}

#[inline]
fn load(row: &[u8]) -> u128 {
    u128::from_le_bytes(row[..MARGIN].try_into().unwrap_or_default())
}

#[inline]
fn read(row: &[u8], column: Column) -> u32 {
    let at = column.start as usize / 8;
    let bytes = row[at..at + 8].try_into().unwrap_or_default();
    (u64::from_le_bytes(bytes) >> (column.start % 8)) as u32 & column.mask
}

fn write(row: &mut [u8], column: Column, number: u32) {
    let bytes = &mut row[column.start as usize / 8..][..8];
    let there = u64::from_le_bytes((&*bytes).try_into().unwrap_or_default());
    let with = there | u64::from(number) << (column.start % 8);
    bytes.copy_from_slice(&with.to_le_bytes());
}

/// Longer words than this are put elsewhere.
const SHORT: usize = 12;

/// A word that was read.
#[derive(Clone, Debug, Default)]
pub struct Word {
    length: usize,
    short: [u32; SHORT],
    long: Vec<u32>,
}

impl Word {
    #[inline]
    fn new(numbers: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut word = Word { length: numbers.len(), ..Word::default() };
        if word.length > SHORT {
            word.long = numbers.collect();
        } else {
            word.short.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
        }
        word
    }
}

impl Deref for Word {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        if self.length > SHORT { &self.long } else { &self.short[..self.length] }
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS_PER_BLOCK, Row, Rows};
    use crate::Crew;

    /// Numbers of all sizes, words of one length or of several, more than a block of them.
    #[test]
    fn words_are_read_as_they_were_written() {
        let mut rng = fastrand::Rng::with_seed(8);
        let crews = [Crew::of(1), Crew::of(2)];
        for case in 0..60 {
            let crew = &crews[case % 2];
            let length = rng.usize(0..16);
            let several = case % 4 == 0;
            let count = if case % 10 == 1 { 2 * ROWS_PER_BLOCK + 5 } else { 300 };
            let mut rows = Rows::default();
            let mut words: Vec<Vec<u32>> = Vec::new();
            for number in 0..count {
                let length = if several && number > 50 { rng.usize(0..16) } else { length };
                let bits = rng.u32(0..=if number % 100 == 99 { 32 } else { 7 });
                let number = |rng: &mut fastrand::Rng| {
                    u32::MAX.checked_shr(32 - bits).map_or(0, |most| rng.u32(0..=most))
                };
                let word: Vec<u32> = (0..length).map(|_| number(&mut rng)).collect();
                rows.make_room(&word, crew);
                rows.push(&word);
                words.push(word);
            }
            assert_eq!(rows.len(), words.len());
            for (number, word) in words.iter().enumerate() {
                assert_eq!(*rows.get(number), word[..], "case {case}");
                assert_eq!(rows.first(number), word.first().copied().unwrap_or(0));
                if let Some(columns) = rows.columns().filter(|_| rows.are_narrow()) {
                    assert_eq!(rows.row(number), columns.pack(word), "case {case}");
                    for (&column, &number_there) in columns.list().iter().zip(word) {
                        assert_eq!(rows.row(number).get(column), number_there);
                        if columns.bits() <= 64 {
                            assert_eq!(u64::of(rows.row(number)).get(column), number_there);
                        }
                    }
                    continue;
                }
                assert!(rows.is(number, word));
                let mut other = word.clone();
                if let Some(last) = other.last_mut() {
                    *last ^= 1 << rng.u32(0..32);
                    assert!(!rows.is(number, &other), "case {case}");
                }
                other.push(0);
                assert!(!rows.is(number, &other), "case {case}");
            }
        }
    }
}
