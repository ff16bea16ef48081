//! # Sets of states
//! States are short words of numbers, packed one after the other in the order in which they come
//! (`rows`), with a hash table of their numbers beside it. A slot of the table has 32 bits:
//! the number, which needs no more bits than the table has slots, and in the bits that are left a
//! part of the hash, so that a look-up touches the table once and the words only where one is
//! probably found. No state is ever represented by its hash alone.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::rows::{Rows, Word};

/// A set of words; each gets a number, in the order in which they come.
#[derive(Clone, Debug, Default)]
pub struct StateSet {
    words: Rows,
    /// A power of two of slots, at most three quarters full: the lower bits of a slot, as many as
    /// the position of a slot has, are the number plus one, the upper bits those of the hash; 0 is
    /// an empty slot.
    table: Vec<u32>,
}

const SMALLEST_TABLE: usize = 64;

/// How many words are put into a larger table at once.
const MOVED_TOGETHER: usize = 64;

impl StateSet {
    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The word of a number.
    #[must_use]
    pub fn get(&self, number: u32) -> Word {
        self.words.get(number as usize)
    }

    /// Puts the word of a number in the place of another one.
    pub fn read(&self, number: u32, word: &mut Vec<u32>) {
        self.words.read(number as usize, word);
    }

    /// The first number of a word; 0 if it is empty.
    #[must_use]
    pub fn first(&self, number: u32) -> u32 {
        self.words.first(number as usize)
    }

    /// Adds a word; its number, and whether it is new.
    pub fn insert(&mut self, word: &[u32]) -> (u32, bool) {
        self.insert_hashed(hash(word), word)
    }

    /// Adds many words; tells each number in turn. The memory that the look-ups need is asked for
    /// all at once, so that they wait for it together and not one after the other.
    pub fn insert_all(&mut self, batch: &Batch, mut tell: impl FnMut(usize, u32)) {
        if !self.table.is_empty() {
            let slots = Slots::of(self.table.len());
            let touch = |sum: u32, &hash: &u64| sum ^ self.table[slots.first(hash)];
            std::hint::black_box(batch.hashes.iter().fold(0, touch));
            let touch = |sum: u32, &hash: &u64| {
                let found = slots.number(self.table[slots.first(hash)], hash);
                sum ^ found.map_or(0, |number| self.first(number))
            };
            std::hint::black_box(batch.hashes.iter().fold(0, touch));
        }
        let mut start = 0;
        for (index, (&hash, &end)) in batch.hashes.iter().zip(&batch.ends).enumerate() {
            let (number, _) = self.insert_hashed(hash, &batch.words[start..end]);
            start = end;
            tell(index, number);
        }
    }

    fn insert_hashed(&mut self, hash: u64, word: &[u32]) -> (u32, bool) {
        if self.len() * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let slot = match self.look_up(hash, word) {
            Ok(number) => return (number, false),
            Err(slot) => slot,
        };
        let number = self.len() as u32;
        self.words.push(word);
        self.table[slot] = Slots::of(self.table.len()).entry(hash, number);
        (number, true)
    }

    /// The number of a word, if it is in the set.
    #[must_use]
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        if self.table.is_empty() { None } else { self.look_up(hash(word), word).ok() }
    }

    /// The number of a word, or the empty slot where it belongs.
    fn look_up(&self, hash: u64, word: &[u32]) -> Result<u32, usize> {
        let slots = Slots::of(self.table.len());
        let mut slot = slots.first(hash);
        loop {
            let found = self.table[slot];
            if found == 0 {
                return Err(slot);
            }
            if let Some(number) = slots.number(found, hash)
                && self.words.is(number as usize, word)
            {
                return Ok(number);
            }
            slot = slots.next(slot);
        }
    }

    fn grow(&mut self) {
        let length = (self.table.len() * 2).max(SMALLEST_TABLE);
        // The old table is not needed any more: the words say it all.
        self.table = Vec::new();
        let mut table = vec![0; length];
        let slots = Slots::of(length);
        let mut hashes = Vec::with_capacity(MOVED_TOGETHER);
        let mut word = Vec::new();
        for first in (0..self.len()).step_by(MOVED_TOGETHER) {
            let numbers = first..self.len().min(first + MOVED_TOGETHER);
            hashes.clear();
            for number in numbers.clone() {
                self.words.read(number, &mut word);
                hashes.push(hash(&word));
            }
            // The memory is asked for all at once, as in `insert_all`.
            let touch = |sum: u32, &hash: &u64| sum ^ table[slots.first(hash)];
            std::hint::black_box(hashes.iter().fold(0, touch));
            for (number, &hash) in numbers.zip(&hashes) {
                let mut slot = slots.first(hash);
                while table[slot] != 0 {
                    slot = slots.next(slot);
                }
                table[slot] = slots.entry(hash, number as u32);
            }
        }
        self.table = table;
    }

    /// The bytes that the set takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.capacity() + self.table.capacity() * 4
    }
}

/// How the slots of a table are read.
#[derive(Clone, Copy)]
struct Slots {
    /// The bits of a position, and of a number.
    mask: u32,
}

impl Slots {
    /// For a table of this length, a power of two.
    fn of(length: usize) -> Self {
        Slots { mask: (length - 1) as u32 }
    }

    /// Where to look first.
    fn first(self, hash: u64) -> usize {
        (hash as u32 & self.mask) as usize
    }

    /// Where to look after that.
    fn next(self, slot: usize) -> usize {
        (slot + 1) & self.mask as usize
    }

    fn entry(self, hash: u64, number: u32) -> u32 {
        (hash >> 32) as u32 & !self.mask | (number + 1)
    }

    /// The number in a slot, if there is one and the bits of the hash are these.
    fn number(self, found: u32, hash: u64) -> Option<u32> {
        let likely = found != 0 && (found ^ (hash >> 32) as u32) & !self.mask == 0;
        likely.then(|| (found & self.mask) - 1)
    }
}

/// Words that are to be added together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    words: Vec<u32>,
    ends: Vec<usize>,
    hashes: Vec<u64>,
}

impl Batch {
    /// Adds a word.
    pub fn push(&mut self, word: &[u32]) {
        self.words.extend_from_slice(word);
        self.ends.push(self.words.len());
        self.hashes.push(hash(word));
    }

    /// A word, by its position.
    #[must_use]
    pub fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.words[start..self.ends[index]]
    }

    /// Forgets all words.
    pub fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
        self.hashes.clear();
    }
}

fn hash(word: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::StateSet;

    #[test]
    fn words_keep_their_numbers() {
        let mut rng = fastrand::Rng::with_seed(5);
        for same_length in [true, false] {
            let mut set = StateSet::default();
            let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
            assert_eq!(set.find(&[1, 2, 3]), None);
            for _ in 0..5000 {
                let length = if same_length { 3 } else { rng.usize(0..4) };
                let word: Vec<u32> = (0..length).map(|_| rng.u32(0..12)).collect();
                let next = numbers.len() as u32;
                let number = *numbers.entry(word.clone()).or_insert(next);
                assert_eq!(set.find(&word).is_none(), number == next);
                assert_eq!(set.insert(&word), (number, number == next));
                assert_eq!(*set.get(number), word[..]);
            }
            assert_eq!(set.len(), numbers.len());
        }
    }
}
