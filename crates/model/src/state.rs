//! States, stacks and what is visible of them.

use crate::{SharedId, SymbolId, TemplateId, ThreadId, Word};

/// A stack. The top is the *last* element, so that pushing is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stack(pub Vec<SymbolId>);

impl Stack {
    /// A stack from symbols given top first, as they are written.
    #[must_use]
    pub fn top_first(symbols: impl IntoIterator<Item = SymbolId>) -> Self {
        let mut symbols: Vec<_> = symbols.into_iter().collect();
        symbols.reverse();
        Stack(symbols)
    }

    /// The symbol on top, or `None` for the empty stack.
    #[must_use]
    pub fn top(&self) -> Option<SymbolId> {
        self.0.last().copied()
    }

    /// The symbols, top first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = SymbolId> {
        self.0.iter().rev().copied()
    }

    /// Replaces the top (nothing, on the empty stack) by `word`.
    pub fn replace_top(&mut self, word: Word) {
        self.0.pop();
        self.0.extend(word.symbols().rev());
    }
}

/// One thread in a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Thread {
    /// The template whose rules it follows.
    pub template: TemplateId,
    /// Its stack.
    pub stack: Stack,
}

impl Thread {
    /// Whether the stack is empty. A thread of a *program* then has ended; a thread of a table
    /// may go on if the table has actions on the empty stack.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.stack.0.is_empty()
    }
}

/// A global state: the shared state and each thread's stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The state that all threads see.
    pub shared: SharedId,
    /// The threads, in the order in which they were started.
    pub threads: Vec<Thread>,
}

impl State {
    /// The ids of the threads of this state.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::from)
    }

    /// The visible part: the shared state and the top of each stack.
    #[must_use]
    pub fn visible(&self) -> VisibleState {
        VisibleState {
            shared: self.shared,
            tops: self.threads.iter().map(|t| t.stack.top()).collect(),
        }
    }
}

/// The shared state plus each stack's top; `None` is the empty stack.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VisibleState {
    /// The state that all threads see.
    pub shared: SharedId,
    /// The top of each thread's stack.
    pub tops: Vec<Option<SymbolId>>,
}
