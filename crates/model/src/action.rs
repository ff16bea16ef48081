//! # Actions
//! An action takes a thread from a *head* (shared state and top of its stack, or the empty
//! stack) to a new shared state, with the top replaced by a word of at most two symbols.
//! Push, rewrite and pop are the words of length two, one and zero.

use crate::{SharedId, SymbolId, TemplateId};

/// What replaces the top of the stack: at most two symbols, the new top first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Word {
    /// The top is popped. On the empty stack, nothing changes.
    Pop,
    /// The top becomes this symbol. On the empty stack, the symbol is pushed.
    Rewrite(SymbolId),
    /// The top becomes `under`, and `top` is pushed on it (a call).
    Push {
        /// The new top of the stack.
        top: SymbolId,
        /// What lies under it: where the caller will go on.
        under: SymbolId,
    },
}

impl Word {
    /// The empty word: pops.
    pub const EMPTY: Word = Word::Pop;

    /// The word as symbols, new top first.
    pub fn symbols(self) -> impl DoubleEndedIterator<Item = SymbolId> {
        let (a, b) = match self {
            Word::Pop => (None, None),
            Word::Rewrite(a) => (Some(a), None),
            Word::Push { top, under } => (Some(top), Some(under)),
        };
        a.into_iter().chain(b)
    }

    /// The symbol on top of the word, if it has one.
    #[must_use]
    pub fn top(self) -> Option<SymbolId> {
        self.symbols().next()
    }

    /// The word of these symbols (new top first), or `None` for more than two.
    #[must_use]
    pub fn from_symbols(symbols: &[SymbolId]) -> Option<Word> {
        match *symbols {
            [] => Some(Word::Pop),
            [a] => Some(Word::Rewrite(a)),
            [top, under] => Some(Word::Push { top, under }),
            _ => None,
        }
    }
}

/// A thread that an action starts: its template and its stack, a word of one or two symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spawn {
    /// Which rules the new thread obeys.
    pub template: TemplateId,
    /// Its stack.
    pub stack: Word,
}

/// Where an action comes from (a rule of a table, a statement of a program), as a number that
/// the system can explain: see [`crate::Describe::explain`]. It is no part of an action's effect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin(pub u32);

/// One thing that a thread can do at a head.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action {
    /// The shared state after the action.
    pub shared: SharedId,
    /// What replaces the top of the acting thread's stack.
    pub word: Word,
    /// The thread that the action starts, if any.
    pub spawn: Option<Spawn>,
    /// Where the action comes from.
    pub origin: Origin,
}
