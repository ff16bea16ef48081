//! # The computed cache
//! **Question.** Was this operation carried out on these operands before?
//!
//! **Idea.** One table for all operations. An entry has one place only, and a new entry replaces
//! what is there: forgetting costs time, never correctness. The cache grows with the number of
//! nodes, and further if entries are replaced often: an operation may look at millions of pairs
//! of nodes and make none.
//!
//! **Claim.** What is found was stored for the same operation and operands, and all nodes that an
//! entry speaks of are in use.

use crate::Bdd;
use crate::table::hash;

/// The smallest number of entries: 4 KiB.
const FEWEST: usize = 1 << 8;
/// The number of entries that is worth while even for few nodes, if the cache is busy: 16 MiB.
const BUSY: usize = 1 << 20;
/// The largest number of entries: 1 GiB.
const MOST: usize = 1 << 26;

/// The operations that are remembered, with operands that are no nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    And,
    Xor,
    /// If-then-else; this is the third operand.
    Ite(Bdd),
    Disjoint,
    Exists(u32),
    AndExists(u32),
    Rename(u32),
    Simplify,
}

/// The number of bits for a set of variables or a renaming.
const ARGUMENT: u32 = 27;
/// Sets of variables and renamings have numbers below this.
pub(crate) const MAX_ARGUMENT: usize = 1 << ARGUMENT;

impl Operation {
    /// Handles have 31 bits, so the upper bit tells the third operand of `Ite` from all else.
    #[inline]
    fn code(self) -> u32 {
        let (kind, argument) = match self {
            Operation::Ite(h) => return h.0,
            Operation::And => (0, 0),
            Operation::Xor => (1, 0),
            Operation::Disjoint => (2, 0),
            Operation::Exists(set) => (3, set),
            Operation::AndExists(set) => (4, set),
            Operation::Rename(renaming) => (5, renaming),
            Operation::Simplify => (6, 0),
        };
        1 << 31 | kind << ARGUMENT | argument
    }
}

/// An entry without a first operand is empty: no operation on a constant is ever stored.
#[derive(Clone, Copy, Debug)]
struct Entry {
    f: Bdd,
    g: Bdd,
    code: u32,
    result: Bdd,
}

const EMPTY: Entry = Entry { f: Bdd::FALSE, g: Bdd::FALSE, code: 0, result: Bdd::FALSE };

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    entries: Vec<Entry>,
    shift: u32,
    /// How many entries were replaced by others since the size has changed.
    replaced: usize,
}

impl Cache {
    pub fn new(nodes: usize) -> Cache {
        let mut cache = Cache { entries: Vec::new(), shift: 0, replaced: 0 };
        cache.resize(Self::size_for(nodes));
        cache
    }

    #[inline]
    pub fn get(&self, operation: Operation, f: Bdd, g: Bdd) -> Option<Bdd> {
        let code = operation.code();
        let entry = &self.entries[self.place(f, g, code)];
        (entry.f == f && entry.g == g && entry.code == code).then_some(entry.result)
    }

    #[inline]
    pub fn put(&mut self, operation: Operation, f: Bdd, g: Bdd, result: Bdd) {
        let code = operation.code();
        let place = self.place(f, g, code);
        let entry = &mut self.entries[place];
        self.replaced += usize::from(!entry.f.is_constant());
        *entry = Entry { f, g, code, result };
    }

    /// The least number of entries for this many nodes, a power of two.
    pub fn size_for(nodes: usize) -> usize {
        (nodes / 4).next_power_of_two().clamp(FEWEST, MOST)
    }

    /// The size to grow to, if the cache is busy and may be larger beside so many nodes.
    pub fn wanted_size(&self, nodes: usize) -> Option<usize> {
        let size = 2 * self.entries.len();
        let is_busy = self.replaced > self.entries.len();
        (is_busy && size <= nodes.clamp(BUSY, MOST)).then_some(size)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn bytes_of(entries: usize) -> usize {
        entries * size_of::<Entry>()
    }

    pub fn bytes(&self) -> usize {
        Self::bytes_of(self.entries.len())
    }

    /// Changes the size, a power of two; entries are kept as far as they have a place.
    pub fn resize(&mut self, size: usize) {
        if size == self.entries.len() {
            return;
        }
        self.replaced = 0;
        self.shift = 64 - size.trailing_zeros();
        for entry in std::mem::replace(&mut self.entries, vec![EMPTY; size]) {
            if !entry.f.is_constant() {
                let place = self.place(entry.f, entry.g, entry.code);
                self.entries[place] = entry;
            }
        }
    }

    /// Forgets what speaks of other nodes than these.
    pub fn retain(&mut self, is_live: impl Fn(Bdd) -> bool) {
        for entry in &mut self.entries {
            let third = if entry.code >> 31 == 0 { Bdd(entry.code) } else { Bdd::FALSE };
            let nodes = [entry.f, entry.g, third, entry.result];
            if !entry.f.is_constant() && !nodes.into_iter().all(&is_live) {
                *entry = EMPTY;
            }
        }
    }

    #[inline]
    fn place(&self, f: Bdd, g: Bdd, code: u32) -> usize {
        (hash(f.0, g.0, code) >> self.shift) as usize
    }
}
