//! # Words, packed
//! Words of numbers one after the other, each in as few bytes as it needs. While all words have the
//! same length they are *rows* of a table: a column has as many bits as its numbers need, a row
//! whole bytes. Rows of up to 128 bits are read and compared in one go. When a number comes that is too large for its column, all rows are written anew, a
//! block at a time. Words of different lengths are kept as they are.
//!
//! Rows come in blocks, so that there is never more room than for one block too many, and nothing
//! is copied when there are more of them.

use std::ops::Deref;

/// Packed words, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    count: usize,
    columns: Vec<Column>,
    /// The bytes of a row.
    bytes: usize,
    /// All bits of a row, if it is read in one go.
    all: Option<u128>,
    /// Rows, and after them [`MARGIN`] bytes that are 0.
    blocks: Vec<Vec<u8>>,
    /// If lengths differ: the words, and where each one ends.
    loose: Option<Loose>,
}

/// A column: where it begins in a row, in bits, and the numbers that it can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Column {
    start: usize,
    mask: u32,
}

#[derive(Clone, Debug, Default)]
struct Loose {
    words: Vec<u32>,
    ends: Vec<u64>,
}

/// How many rows a block has.
const ROWS_PER_BLOCK: usize = 1 << 14;

/// Rows are read and written sixteen bytes at a time, the last one of a block too.
const MARGIN: usize = 16;

impl Rows {
    /// How many words there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Adds a word.
    pub fn push(&mut self, word: &[u32]) {
        if self.count == 0 {
            self.loose = None;
            self.arrange(word.iter().map(|&number| mask(number)).collect());
        }
        if self.loose.is_none() && word.len() != self.columns.len() {
            self.loosen();
        }
        self.count += 1;
        if let Some(Loose { words, ends }) = &mut self.loose {
            words.extend_from_slice(word);
            ends.push(words.len() as u64);
            return;
        }
        if word.iter().zip(&self.columns).any(|(&number, column)| number > column.mask) {
            self.widen(word);
        }
        self.push_row(word);
    }

    /// The word of a number.
    pub fn get(&self, number: usize) -> Word {
        match &self.loose {
            Some(loose) => Word::new(loose.get(number).iter().copied()),
            None => Word::new(unpack(self.row(number), &self.columns, self.all)),
        }
    }

    /// Puts the word of a number in the place of another one.
    pub fn read(&self, number: usize, word: &mut Vec<u32>) {
        word.clear();
        match &self.loose {
            Some(loose) => word.extend_from_slice(loose.get(number)),
            None => word.extend(unpack(self.row(number), &self.columns, self.all)),
        }
    }

    /// The first number of a word; 0 if it is empty.
    pub fn first(&self, number: usize) -> u32 {
        match &self.loose {
            Some(loose) => loose.get(number).first().copied().unwrap_or(0),
            None => self.columns.first().map_or(0, |&column| read(self.row(number), column)),
        }
    }

    /// Whether the word of a number is this one.
    pub fn is(&self, number: usize, word: &[u32]) -> bool {
        match &self.loose {
            Some(loose) => loose.get(number) == word,
            None => {
                let row = self.row(number);
                let fits = |(column, &number): (&Column, &u32)| number <= column.mask;
                let same = |(&column, &wanted): (&Column, &u32)| read(row, column) == wanted;
                let mut pairs = self.columns.iter().zip(word);
                word.len() == self.columns.len()
                    && match self.all {
                        Some(all) => pairs.all(fits) && load(row) & all == self.pack(word),
                        None => pairs.all(same),
                    }
            }
        }
    }

    /// The bytes that the words take.
    pub fn capacity(&self) -> usize {
        let loose = self.loose.as_ref();
        let loose = loose.map_or(0, |l| l.words.capacity() * 4 + l.ends.capacity() * 8);
        self.blocks.iter().map(Vec::capacity).sum::<usize>() + loose
    }

    /// A row with what follows it.
    fn row(&self, number: usize) -> &[u8] {
        &self.blocks[number / ROWS_PER_BLOCK][number % ROWS_PER_BLOCK * self.bytes..]
    }

    fn push_row(&mut self, word: &[u32]) {
        let has_room = |block: &Vec<u8>| block.len() < ROWS_PER_BLOCK * self.bytes + MARGIN;
        if !self.blocks.last().is_some_and(has_room) {
            // The first block grows as it is filled: most sets are small.
            let room = if self.blocks.is_empty() { 1 } else { ROWS_PER_BLOCK };
            let mut block = Vec::with_capacity(room * self.bytes + MARGIN);
            block.resize(MARGIN, 0);
            self.blocks.push(block);
        }
        let packed = self.all.map(|_| self.pack(word));
        let Some(block) = self.blocks.last_mut() else { return };
        let start = block.len() - MARGIN;
        block.resize(block.len() + self.bytes, 0);
        if let Some(packed) = packed {
            block[start..start + MARGIN].copy_from_slice(&packed.to_le_bytes());
            return;
        }
        for (&number, &column) in word.iter().zip(&self.columns) {
            write(&mut block[start..], column, number);
        }
    }

    /// A word that fits the columns, as a row that is read in one go.
    fn pack(&self, word: &[u32]) -> u128 {
        let columns = self.columns.iter().zip(word);
        columns.fold(0, |row, (column, &number)| row | u128::from(number) << column.start)
    }

    /// Makes columns for numbers up to these.
    fn arrange(&mut self, masks: Vec<u32>) {
        let mut start = 0;
        self.columns.clear();
        for mask in masks {
            self.columns.push(Column { start, mask });
            start += mask.count_ones() as usize;
        }
        self.bytes = start.div_ceil(8).max(1);
        let unused = 128usize.checked_sub(start);
        self.all = unused.map(|unused| u128::MAX.checked_shr(unused as u32).unwrap_or(0));
    }

    /// Makes all columns wide enough for a word.
    fn widen(&mut self, word: &[u32]) {
        let (columns, all, bytes) = (self.columns.clone(), self.all, self.bytes);
        let wider = |(column, &number): (&Column, &u32)| {
            // A bit more, so that this does not happen again soon.
            if number > column.mask { mask(number) << 1 | 1 } else { column.mask }
        };
        self.arrange(columns.iter().zip(word).map(wider).collect());
        let mut left = self.count - 1;
        for block in std::mem::take(&mut self.blocks) {
            for row in 0..left.min(ROWS_PER_BLOCK) {
                let word = Word::new(unpack(&block[row * bytes..], &columns, all));
                self.push_row(&word);
            }
            left = left.saturating_sub(ROWS_PER_BLOCK);
        }
    }

    /// Gives up the table when a word of another length comes.
    fn loosen(&mut self) {
        let mut loose = Loose::default();
        for number in 0..self.count {
            loose.words.extend_from_slice(&self.get(number));
            loose.ends.push(loose.words.len() as u64);
        }
        self.blocks = Vec::new();
        self.loose = Some(loose);
    }
}

impl Loose {
    fn get(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start as usize..self.ends[number] as usize]
    }
}

/// All bits that a number may need.
fn mask(number: u32) -> u32 {
    u32::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

/// The numbers of a row; `all` are its bits, if it is read in one go.
fn unpack(row: &[u8], columns: &[Column], all: Option<u128>) -> impl ExactSizeIterator<Item = u32> {
    let packed = if all.is_some() { load(row) } else { 0 };
    columns.iter().map(move |&column| match all {
        Some(_) => (packed >> column.start) as u32 & column.mask,
        None => read(row, column),
    })
}

fn load(row: &[u8]) -> u128 {
    u128::from_le_bytes(row[..MARGIN].try_into().unwrap_or_default())
}

fn read(row: &[u8], column: Column) -> u32 {
    let at = column.start / 8;
    let bytes = row[at..at + 8].try_into().unwrap_or_default();
    (u64::from_le_bytes(bytes) >> (column.start % 8)) as u32 & column.mask
}

fn write(row: &mut [u8], column: Column, number: u32) {
    let bytes = &mut row[column.start / 8..][..8];
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

    fn deref(&self) -> &[u32] {
        if self.length > SHORT { &self.long } else { &self.short[..self.length] }
    }
}

#[cfg(test)]
mod tests {
    use super::{ROWS_PER_BLOCK, Rows};

    /// Numbers of all sizes, words of one length or of several, more than a block of them.
    #[test]
    fn words_are_read_as_they_were_written() {
        let mut rng = fastrand::Rng::with_seed(8);
        for case in 0..60 {
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
                rows.push(&word);
                words.push(word);
            }
            assert_eq!(rows.len(), words.len());
            for (number, word) in words.iter().enumerate() {
                assert_eq!(*rows.get(number), word[..], "case {case}");
                assert_eq!(rows.first(number), word.first().copied().unwrap_or(0));
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
