//! Local states: a template and a whole stack, with numbers as they are met.

use rustc_hash::FxHashMap;
use selvedge_model::{Stack, SymbolId, TemplateId, Thread};

/// The local states that were met.
#[derive(Default)]
pub(crate) struct Kinds {
    numbers: FxHashMap<Thread, u32>,
    threads: Vec<Thread>,
}

impl Kinds {
    /// The number of a local state.
    pub fn number(&mut self, thread: Thread) -> u32 {
        if let Some(&number) = self.numbers.get(&thread) {
            return number;
        }
        let number = self.threads.len() as u32;
        self.threads.push(thread.clone());
        self.numbers.insert(thread, number);
        number
    }

    /// The number of a local state that was met.
    pub fn find(&self, thread: &Thread) -> Option<u32> {
        self.numbers.get(thread).copied()
    }

    pub fn len(&self) -> usize {
        self.threads.len()
    }

    pub fn template(&self, kind: u32) -> TemplateId {
        self.threads[kind as usize].template
    }

    pub fn stack(&self, kind: u32) -> &Stack {
        &self.threads[kind as usize].stack
    }

    pub fn top(&self, kind: u32) -> Option<SymbolId> {
        self.stack(kind).top()
    }
}
