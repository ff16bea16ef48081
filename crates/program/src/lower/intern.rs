//! # States by number
//! Shared states, frames and origins are given numbers as they are met. Numbers are never taken
//! back, so whoever has one can look it up at any time.

use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;
use selvedge_core::machine::{Frame, Machine};
use selvedge_model::FairChoice;

use crate::flow::EdgeId;

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

/// What a bottom is written as: no frame has that owner.
const BOTTOM: u64 = u64::MAX;

impl Symbol {
    /// The symbol in words that are the same in every run.
    pub fn words(&self) -> Box<[u64]> {
        let mut words = Vec::new();
        match self {
            Symbol::Frame(frame) => frame.write(&mut words),
            Symbol::Bottom { id, results } => {
                words.extend([BOTTOM, u64::from(*id) << 1 | u64::from(*results)]);
            }
        }
        words.into()
    }

    /// The symbol of these words.
    pub fn read(machine: &Machine, words: &[u64]) -> Option<Self> {
        match words {
            [BOTTOM, id] => {
                Some(Symbol::Bottom { id: u32::try_from(id >> 1).ok()?, results: id & 1 == 1 })
            }
            _ => Frame::read(|loc| machine.layout_at(loc), words).map(Symbol::Frame),
        }
    }
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
pub(super) struct Interner<T: ?Sized> {
    table: RwLock<Table<T>>,
}

struct Table<T: ?Sized> {
    items: Vec<Arc<T>>,
    numbers: FxHashMap<Arc<T>, u32>,
}

impl<T: Eq + Hash + ?Sized> Interner<T> {
    pub fn new() -> Self {
        Interner { table: RwLock::new(Table { items: Vec::new(), numbers: FxHashMap::default() }) }
    }

    /// The number of an item, a new one if it was never met.
    pub fn number(&self, item: impl Into<Arc<T>> + std::borrow::Borrow<T>) -> u32 {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = table.numbers.get(item.borrow()) {
            return number;
        }
        drop(table);
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let next = u32::try_from(table.items.len()).unwrap_or(u32::MAX);
        let item = item.into();
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
