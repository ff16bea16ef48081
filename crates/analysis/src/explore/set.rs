//! # Sets of states
//! States are short words of numbers in one arena, in the order in which they come, with a hash
//! table of their numbers beside it. A slot of the table holds a number and 32 bits of the hash, so
//! that a look-up touches the table once and the arena only where the word is probably found. No
//! state is ever represented by its hash alone.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// A set of words; each gets a number, in the order in which they come.
#[derive(Clone, Debug, Default)]
pub struct StateSet {
    words: Vec<u32>,
    /// Where each word ends, unless all have the same length.
    ends: Vec<u64>,
    /// The length of all words, while there is only one.
    width: Option<usize>,
    count: u32,
    /// A power of two of slots, at most three quarters full: the upper half of a slot is the upper
    /// half of the hash, the lower half the number plus one; 0 is an empty slot.
    table: Vec<u64>,
}

const SMALLEST_TABLE: usize = 64;

impl StateSet {
    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The word of a number.
    #[must_use]
    pub fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let (start, end) = match self.width {
            Some(width) => (number * width, (number + 1) * width),
            None => {
                let start = if number == 0 { 0 } else { self.ends[number - 1] };
                (start as usize, self.ends[number] as usize)
            }
        };
        &self.words[start..end]
    }

    /// Adds a word; its number, and whether it is new.
    pub fn insert(&mut self, word: &[u32]) -> (u32, bool) {
        self.insert_hashed(hash(word), word)
    }

    /// Adds many words; tells each number in turn. The memory that the look-ups need is asked for
    /// all at once, so that they wait for it together and not one after the other.
    pub fn insert_all(&mut self, batch: &Batch, mut tell: impl FnMut(usize, u32)) {
        if !self.table.is_empty() {
            let slot = |hash: u64| self.table[hash as usize & (self.table.len() - 1)];
            let touch = |sum: u64, hash: &u64| sum ^ slot(*hash);
            std::hint::black_box(batch.hashes.iter().fold(0, touch));
            let touch = |sum: u32, hash: &u64| {
                let found = slot(*hash);
                let likely = found != 0 && (found ^ hash) >> 32 == 0;
                let word = if likely { self.get(found as u32 - 1) } else { &[] };
                sum ^ word.first().copied().unwrap_or(0)
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
        self.make_room_for(word.len());
        let number = self.count;
        self.words.extend_from_slice(word);
        if self.width.is_none() {
            self.ends.push(self.words.len() as u64);
        }
        self.count += 1;
        self.table[slot] = entry(hash, number);
        (number, true)
    }

    /// The number of a word, if it is in the set.
    #[must_use]
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        if self.table.is_empty() { None } else { self.look_up(hash(word), word).ok() }
    }

    /// The number of a word, or the empty slot where it belongs.
    fn look_up(&self, hash: u64, word: &[u32]) -> Result<u32, usize> {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.table[slot];
            if found == 0 {
                return Err(slot);
            }
            let number = found as u32 - 1;
            if (found ^ hash) >> 32 == 0 && same(self.get(number), word) {
                return Ok(number);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let slots = (self.table.len() * 2).max(SMALLEST_TABLE);
        // The old table is not needed any more: the words say it all.
        self.table = Vec::new();
        let mut table = vec![0; slots];
        for number in 0..self.count {
            let hash = hash(self.get(number));
            let mut slot = hash as usize & (slots - 1);
            while table[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            table[slot] = entry(hash, number);
        }
        self.table = table;
    }

    /// Gives up the common width when a word of another length comes.
    fn make_room_for(&mut self, length: usize) {
        match self.width {
            None if self.count == 0 => self.width = Some(length),
            Some(width) if width != length => {
                self.ends = (1..=u64::from(self.count)).map(|n| n * width as u64).collect();
                self.width = None;
            }
            _ => {}
        }
    }

    /// The bytes that the set takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.capacity() * 4 + self.ends.capacity() * 8 + self.table.capacity() * 8
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

fn entry(hash: u64, number: u32) -> u64 {
    (hash & !u64::from(u32::MAX)) | u64::from(number + 1)
}

/// Words are short; comparing them in place beats a call.
fn same(a: &[u32], b: &[u32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
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
                assert_eq!(set.get(number), word);
            }
            assert_eq!(set.len(), numbers.len());
        }
    }
}
