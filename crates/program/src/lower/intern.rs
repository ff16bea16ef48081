//! # States by number
//! Shared states, frames and origins are given numbers as they are met. Numbers are never taken
//! back, so whoever has one can look it up at any time.

use std::hash::Hash;
use std::hint::black_box;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use selvedge_core::Loc;
use selvedge_core::machine::{Frame, Machine};
use selvedge_model::{FairChoice, Fault, SharedId, SymbolId};
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
        /// Whether its procedure leaves results: only the bottom takes them.
        results: bool,
    },
}

/// Marks the bottom where symbols are written: no frame has this owner.
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
pub(super) struct WayStep {
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

/// Things by number, for several readers at a time.
pub(super) struct Numbered<T> {
    interner: RwLock<Interner<T>>,
}

impl<T: Eq + Hash + Clone> Numbered<T> {
    pub fn new(interner: Interner<T>) -> Self {
        Numbered { interner: RwLock::new(interner) }
    }

    /// The number of a thing, a new one if it was never met.
    pub fn number(&self, thing: &T) -> Result<u32, Fault> {
        // Calls rarely compete, so one look-up under the lock is enough, whether the thing is new or not.
        let mut interner = self.interner.write().unwrap_or_else(PoisonError::into_inner);
        interner.intern_hashed(hash::of(thing), thing).map_err(full)
    }

    /// Looks at the thing of a number that was given out.
    pub fn look<R>(&self, number: u32, look: impl FnOnce(&T) -> R) -> R {
        look(self.interner.read().unwrap_or_else(PoisonError::into_inner).get(number))
    }
}

/// Shared states and stack symbols by number, written as words, for several readers at a time. A step needs both, so both are behind one lock.
pub(super) struct States {
    kept: RwLock<Kept>,
}

/// The words of shared states and of stack symbols.
pub(super) struct Kept {
    shared: Lists,
    symbols: Lists,
}

impl States {
    pub fn new() -> Self {
        let (shared, symbols) = (Lists::of("shared states"), Lists::of("frames"));
        States { kept: RwLock::new(Kept { shared, symbols }) }
    }

    /// Looks at what is kept. Nothing is numbered meanwhile.
    pub fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the states to add new ones; readers wait.
    pub fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.kept.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// The words of a shared state.
    #[inline]
    pub fn shared(&self, shared: SharedId) -> &[u64] {
        self.shared.get(shared.0)
    }

    /// The words of a stack symbol.
    #[inline]
    pub fn symbol(&self, symbol: SymbolId) -> &[u64] {
        self.symbols.get(symbol.0)
    }

    /// The number of a shared state, a new one if it was never met.
    pub fn number_shared(&mut self, words: &[u64]) -> Result<SharedId, Fault> {
        self.number_hashed(hash::of(words), words)
    }

    /// Numbers a shared state whose hash is known.
    #[inline]
    pub fn number_hashed(&mut self, hash: u64, words: &[u64]) -> Result<SharedId, Fault> {
        self.shared.intern_hashed(hash, words).map(SharedId).map_err(full)
    }

    /// Reads what a shared state with this hash would be compared with, so that it is near at hand.
    #[inline]
    pub fn touch_shared(&self, hash: u64) {
        black_box(self.shared.touch(hash));
    }

    /// The number of a stack symbol, a new one if it was never met.
    #[inline]
    pub fn number_symbol(&mut self, words: &[u64]) -> Result<SymbolId, Fault> {
        self.symbols.intern_hashed(hash::of(words), words).map(SymbolId).map_err(full)
    }
}

fn full(full: Full) -> Fault {
    Fault::new(full.to_string())
}
