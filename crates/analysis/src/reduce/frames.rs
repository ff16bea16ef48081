//! # Symbols and control states of the one pushdown system
//! They are what Fig. 4 of Lal and Reps makes them, and get numbers when they are first met.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use selvedge_model::{SharedId, SymbolId};

/// A stack symbol of the one pushdown system. Threads do not share symbols, even where they share
/// a template: the stacks of all of them lie on each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Frame {
    /// A symbol of a thread.
    Symbol(u32, SymbolId),
    /// What a thread with an empty stack has: threads never empty their stacks.
    Bottom(u32),
    /// The lowest symbols of the stack that a thread has in an initial state, with the bottom,
    /// still to be unfolded. All of them together are the start of the thread, eᵢ.
    Rest { thread: u32, initial: u32, height: u32 },
    /// A symbol on the bottom, still to be unfolded: what a thread pushes two symbols on, if its
    /// stack is empty.
    Over(u32, SymbolId),
    /// All threads are done: e_{n+1}.
    Done,
    /// Under all stacks: what was guessed for this run.
    Guess(Vec<SharedId>),
}

/// A control state: (k, p₁, …, p_K), and in which initial state the run began.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Local {
    pub initial: u32,
    /// The round of the thread, counted from 0.
    pub round: u32,
    /// The shared state of each round.
    pub shared: Vec<SharedId>,
}

/// Things by number.
#[derive(Debug)]
pub(super) struct Numbers<T> {
    things: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { things: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    /// The number of a thing.
    pub fn number(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = self.things.len() as u32;
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }

    /// The thing of a number that was given out.
    pub fn get(&self, number: u32) -> &T {
        &self.things[number as usize]
    }
}
