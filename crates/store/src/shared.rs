//! # Sharing between workers
//! A set or an interner is divided into parts, each behind a lock of its own; the hash of a thing
//! says to which part it belongs. Workers meet only where they are at the same part at the same time. An
//! id says the part in its lower bits, so that ids of different parts differ; which id a thing has
//! depends on who came first, and nobody may rely on it.

use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Bytes, Full, Id, Interner, StateSet, hash};

/// Parts with locks.
#[derive(Debug)]
struct Parts<P> {
    parts: Vec<Mutex<P>>,
    /// How many bits of an id say the part.
    bits: u32,
}

impl<P> Parts<P> {
    /// At least so many parts.
    fn new(parts: usize, make: impl Fn() -> P) -> Self {
        let count = parts.max(1).next_power_of_two();
        let parts = (0..count).map(|_| Mutex::new(make())).collect();
        Parts { parts, bits: count.trailing_zeros() }
    }

    /// The part that a hash belongs to. Its table looks at the lower bits of a hash and at the upper ones;
    /// this looks at those between.
    fn of_hash(&self, hash: u64) -> usize {
        (hash >> 24) as usize & (self.parts.len() - 1)
    }

    fn lock(&self, part: usize) -> MutexGuard<'_, P> {
        // A worker that panicked leaves nothing half done that others could see: parts only grow.
        self.parts[part].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of a thing of a part.
    fn id<I: Id>(&self, part: usize, index: usize, what: &'static str) -> Result<I, Full> {
        let most = (usize::MAX >> self.bits) >> 1;
        let id = (index <= most).then(|| index << self.bits | part).and_then(I::from_index);
        id.ok_or(Full { what, most: index * self.parts.len() })
    }

    /// The part and the position in it.
    fn place<I: Id>(&self, id: I) -> (usize, usize) {
        (id.index() & (self.parts.len() - 1), id.index() >> self.bits)
    }

    fn sum(&self, of: impl Fn(&P) -> usize) -> usize {
        (0..self.parts.len()).map(|part| of(&self.lock(part))).sum()
    }
}

/// An interner that several workers use at the same time.
#[derive(Debug)]
pub struct SharedInterner<T, I: Id = u32> {
    what: &'static str,
    parts: Parts<Interner<T, I>>,
}

impl<T: Hash + Eq + Clone, I: Id> SharedInterner<T, I> {
    /// An empty interner with room for so many workers.
    #[must_use]
    pub fn of(what: &'static str, workers: usize) -> Self {
        let parts = Parts::new(workers.saturating_mul(4), || Interner::of(what));
        SharedInterner { what, parts }
    }

    /// The id of a thing, a new one if it was never met.
    pub fn intern(&self, thing: T) -> Result<I, Full> {
        let part = self.parts.of_hash(hash::of(&thing));
        let index = self.parts.lock(part).intern(thing)?.index();
        self.parts.id(part, index, self.what)
    }

    /// The thing of an id that this interner gave.
    #[must_use]
    pub fn get(&self, id: I) -> Option<T> {
        let (part, index) = self.parts.place(id);
        self.parts.lock(part).things().get(index).cloned()
    }

    /// How many things there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.sum(Interner::len)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T, I: Id> Bytes for SharedInterner<T, I> {
    fn bytes(&self) -> usize {
        self.parts.sum(Bytes::bytes)
    }
}

/// A set of states that several workers use at the same time.
#[derive(Debug)]
pub struct SharedSet {
    parts: Parts<StateSet>,
}

impl SharedSet {
    /// An empty set with room for so many workers.
    #[must_use]
    pub fn new(workers: usize) -> Self {
        SharedSet { parts: Parts::new(workers.saturating_mul(16), StateSet::default) }
    }

    /// Adds a word; its id, and whether it is new.
    pub fn insert(&self, word: &[u32]) -> Result<(u64, bool), Full> {
        let part = self.parts.of_hash(hash::of_word(word));
        let (number, new) = self.parts.lock(part).insert(word)?;
        Ok((self.parts.id(part, number.index(), "states")?, new))
    }

    /// Puts the word of an id in the place of another one.
    pub fn read(&self, id: u64, word: &mut Vec<u32>) {
        let (part, index) = self.parts.place(id);
        if let Some(number) = u32::from_index(index) {
            self.parts.lock(part).read(number, word);
        }
    }

    /// How many words there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.sum(StateSet::len)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Bytes for SharedSet {
    fn bytes(&self) -> usize {
        self.parts.sum(Bytes::bytes)
    }
}
