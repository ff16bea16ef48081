//! One line of a table.

use crate::{SharedId, SymbolId, Word};

/// One rule of a template.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rule {
    /// The shared state before.
    pub shared: SharedId,
    /// The top of the stack before; `None` for the empty stack.
    pub top: Option<SymbolId>,
    /// The shared state after.
    pub to_shared: SharedId,
    /// What replaces the top.
    pub word: Word,
    /// The symbol of a thread of the same template that the rule starts, if any.
    pub spawn: Option<SymbolId>,
    /// The line of the source, 0 if there is none.
    pub line: u32,
}

impl Rule {
    /// All of the rule except its place in the source.
    #[must_use]
    pub fn effect(&self) -> (SharedId, Option<SymbolId>, SharedId, Word, Option<SymbolId>) {
        (self.shared, self.top, self.to_shared, self.word, self.spawn)
    }

    /// The rule with other symbols: `map` says which.
    #[must_use]
    pub fn map_symbols(self, mut map: impl FnMut(SymbolId) -> SymbolId) -> Rule {
        let word = match self.word {
            Word::Pop => Word::Pop,
            Word::Rewrite(symbol) => Word::Rewrite(map(symbol)),
            Word::Push { top, under } => Word::Push { top: map(top), under: map(under) },
        };
        Rule { top: self.top.map(&mut map), word, spawn: self.spawn.map(map), ..self }
    }

    /// Sorts rules by head and drops repeated ones (the first line that has one is kept).
    pub fn tidy(rules: &mut Vec<Rule>) {
        let key = |r: &Rule| (r.effect(), r.line);
        if !rules.is_sorted_by_key(key) {
            rules.sort_unstable_by_key(key);
        }
        rules.dedup_by_key(|r| r.effect());
    }
}
