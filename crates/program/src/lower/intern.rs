//! # States by number
//! Shared states, frames and origins are given numbers as they are met. Numbers are never taken
//! back, so whoever has one can look it up at any time.

use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use selvedge_model::FairChoice;

use crate::Value;
use crate::flow::{EdgeId, Loc};

/// What all threads see.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shared {
    /// The values of the shared variables.
    pub globals: Box<[Value]>,
    /// The results of a call that has returned and are not yet received. While there are some,
    /// only the receiving thread goes on.
    pub returned: Option<Box<[Value]>>,
    /// The thread ids that are on stacks, in rising order, each with how often: see [`super::ids`].
    /// Empty where nobody looks at ids.
    pub held: Box<[(u32, u32)]>,
    /// The threads that have ended and whose ids somebody still holds, sorted; empty where nothing is
    /// joined.
    pub ended: Box<[u32]>,
    /// Set once a thread went wrong.
    pub wrong: Option<Wrong>,
}

/// What went wrong, and where.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Wrong {
    pub edge: EdgeId,
    pub reason: String,
}

/// A stack symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Symbol {
    /// A frame of a procedure.
    Frame(Frame),
    /// The bottom of a thread that has to be heard of when it ends.
    Bottom {
        /// Its id if it may be joined, otherwise 0.
        id: u32,
        /// Whether its procedure leaves results: nobody takes them but the bottom.
        results: bool,
    },
}

/// A frame: where a thread stands, with the values of its locals.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub loc: Loc,
    pub locals: Box<[Value]>,
    /// The thread as the owner of locks, from 1; 0 where locks do not remember their owners.
    pub owner: u32,
}

/// Where an action comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Executed {
    /// The edges; none for the end of a thread.
    pub path: Vec<EdgeId>,
    /// The fair choices that were made, each once, in rising order.
    pub fair: Vec<FairChoice>,
}

/// A table of things by number.
pub(super) struct Interner<T> {
    table: RwLock<Table<T>>,
}

struct Table<T> {
    items: Vec<Arc<T>>,
    numbers: FxHashMap<Arc<T>, u32>,
}

impl<T: Eq + Hash> Interner<T> {
    pub fn new() -> Self {
        Interner { table: RwLock::new(Table { items: Vec::new(), numbers: FxHashMap::default() }) }
    }

    /// The number of an item, a new one if it was never met.
    pub fn number(&self, item: T) -> u32 {
        if let Some(&number) =
            self.table.read().unwrap_or_else(PoisonError::into_inner).numbers.get(&item)
        {
            return number;
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(table.items.len()).unwrap_or(u32::MAX);
        let item = Arc::new(item);
        let number = *table.numbers.entry(item.clone()).or_insert(next);
        if number == next {
            table.items.push(item);
        }
        number
    }

    /// The item of a number that was given out.
    pub fn get(&self, number: u32) -> Arc<T> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.items[number as usize].clone()
    }
}
