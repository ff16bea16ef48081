//! # States by number
//! Shared states, frames and origins are given numbers as they are met. Numbers are never taken
//! back, so whoever has one can look it up at any time.

use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

use selvedge_core::Loc;
use selvedge_core::machine::{Frame, Machine};
use selvedge_model::{FairChoice, Fault};
use selvedge_store::{Full, Interner, Lists, hash};

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
    /// Writes the symbol in words that are the same in every run.
    pub fn write(&self, out: &mut Vec<u64>) {
        match self {
            Symbol::Frame(frame) => frame.write(out),
            Symbol::Bottom { id, results } => {
                out.extend([BOTTOM, u64::from(*id) << 1 | u64::from(*results)]);
            }
        }
    }

    /// Where the frame of these words stands, if they are those of one.
    pub fn location(words: &[u64]) -> Option<Loc> {
        if words[0] == BOTTOM { None } else { Some(Frame::location_of(words)) }
    }

    /// The symbol of words that were written for this machine.
    pub fn again(machine: &Machine, words: &[u64]) -> Self {
        match words {
            [BOTTOM, id] => Symbol::Bottom { id: (id >> 1) as u32, results: id & 1 == 1 },
            _ => Symbol::Frame(Frame::again(machine, words)),
        }
    }

    /// Becomes the symbol of words that were written for this machine, in the memory that it has.
    pub fn become_again(&mut self, machine: &Machine, words: &[u64]) {
        match self {
            Symbol::Frame(frame) if words[0] != BOTTOM => frame.become_again(machine, words),
            _ => *self = Symbol::again(machine, words),
        }
    }

    /// The symbol of these words, if they are those of one.
    pub fn read(machine: &Machine, words: &[u64]) -> Option<Self> {
        match words {
            [BOTTOM, id] => {
                Some(Symbol::Bottom { id: u32::try_from(id >> 1).ok()?, results: id & 1 == 1 })
            }
            _ => Frame::read(|loc| machine.layout_at(loc), words).map(Symbol::Frame),
        }
    }
}

/// An edge that was executed after others. Long ways that begin alike are stored once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Step {
    /// The number of the step before.
    pub before: Option<u32>,
    pub edge: EdgeId,
}

/// Where an action comes from, as it is stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Stored {
    /// The number of the last step; none for the end of a thread.
    pub last: Option<u32>,
    /// The fair choices that were made, each once, in rising order.
    pub fair: Vec<FairChoice>,
}

/// Where an action comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Executed {
    /// The edges; none for the end of a thread.
    pub path: Vec<EdgeId>,
    /// The fair choices that were made, each once, in rising order.
    pub fair: Vec<FairChoice>,
}

/// Things by number, for several readers at a time. They are kept by an interner.
pub(super) struct Numbered<I> {
    interner: RwLock<I>,
}

/// Gives numbers to things, and keeps each once.
pub(super) trait Keeper {
    /// What a thing is looked at as.
    type Thing: Hash + ?Sized;

    fn intern(&mut self, hash: u64, thing: &Self::Thing) -> Result<u32, Full>;

    fn get(&self, number: u32) -> &Self::Thing;
}

impl<T: Eq + Hash + Clone> Keeper for Interner<T> {
    type Thing = T;

    fn intern(&mut self, hash: u64, thing: &T) -> Result<u32, Full> {
        self.intern_hashed(hash, thing)
    }

    fn get(&self, number: u32) -> &T {
        self.get(number)
    }
}

impl Keeper for Lists {
    type Thing = [u64];

    #[inline]
    fn intern(&mut self, hash: u64, list: &[u64]) -> Result<u32, Full> {
        self.intern_hashed(hash, list)
    }

    #[inline]
    fn get(&self, number: u32) -> &[u64] {
        self.get(number)
    }
}

impl<I: Keeper> Numbered<I> {
    pub fn new(interner: I) -> Self {
        Numbered { interner: RwLock::new(interner) }
    }

    /// The number of a thing, a new one if it was never met.
    pub fn number(&self, thing: &I::Thing) -> Result<u32, Fault> {
        // Nobody else asks at the same time, as a rule: one look-up is enough, whether or not it is new.
        let mut interner = self.interner.write().unwrap_or_else(PoisonError::into_inner);
        let number = interner.intern(hash::of(thing), thing);
        number.map_err(|full| Fault::new(full.to_string()))
    }

    /// Looks at the thing of a number that was given out.
    pub fn look<R>(&self, number: u32, look: impl FnOnce(&I::Thing) -> R) -> R {
        look(self.interner.read().unwrap_or_else(PoisonError::into_inner).get(number))
    }
}
