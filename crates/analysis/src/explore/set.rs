//! # Sets of states
//! States are short words of numbers in one arena, with a hash table of their positions beside
//! it. No state is ever represented by its hash alone.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
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
    table: HashTable<u32>,
}

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
        let (start, end) = self.range(number as usize);
        &self.words[start..end]
    }

    fn range(&self, number: usize) -> (usize, usize) {
        match self.width {
            Some(width) => (number * width, (number + 1) * width),
            None => {
                let start = if number == 0 { 0 } else { self.ends[number - 1] };
                (start as usize, self.ends[number] as usize)
            }
        }
    }

    /// Adds a word; its number, and whether it is new.
    pub fn insert(&mut self, word: &[u32]) -> (u32, bool) {
        let hash = hash(word);
        if let Some(&number) = self.table.find(hash, |&n| self.get(n) == word) {
            return (number, false);
        }
        self.make_room_for(word.len());
        let number = self.count;
        self.words.extend_from_slice(word);
        if self.width.is_none() {
            self.ends.push(self.words.len() as u64);
        }
        self.count += 1;
        let (words, ends, width) = (&self.words, &self.ends, self.width);
        let rehash = |&n: &u32| {
            let n = n as usize;
            let (start, end) = match width {
                Some(width) => (n * width, (n + 1) * width),
                None => (if n == 0 { 0 } else { ends[n - 1] as usize }, ends[n] as usize),
            };
            self::hash(&words[start..end])
        };
        self.table.insert_unique(hash, number, rehash);
        (number, true)
    }

    /// The number of a word, if it is in the set.
    #[must_use]
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        self.table.find(hash(word), |&n| self.get(n) == word).copied()
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
        self.words.capacity() * 4 + self.ends.capacity() * 8 + self.table.allocation_size()
    }
}

fn hash(word: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    word.hash(&mut hasher);
    hasher.finish()
}
