//! Symbols at which a thread is concerned with itself alone.

use std::collections::{BTreeMap, BTreeSet};

use super::Tables;
use crate::{Local, Rule, SharedId, SymbolId, TemplateId, Word};

impl Tables {
    /// The symbols whose rules are the same at all shared states, and leave them alone; of every circle of them, one is left out.
    #[must_use]
    pub fn local(&self) -> Local {
        let mut symbols = BTreeSet::new();
        for template in (0..self.template_count()).map(TemplateId::from) {
            self.add_local(self.rules(template), &mut symbols);
        }
        Local { symbols, ..Local::default() }
    }

    fn add_local(&self, rules: &[Rule], symbols: &mut BTreeSet<SymbolId>) {
        let mut heads: BTreeMap<SymbolId, BTreeMap<SharedId, BTreeSet<Word>>> = BTreeMap::new();
        let mut touching = BTreeSet::new();
        for rule in rules {
            let Some(top) = rule.top else { continue };
            if rule.to_shared != rule.shared || rule.spawn.is_some() {
                touching.insert(top);
            }
            heads.entry(top).or_default().entry(rule.shared).or_default().insert(rule.word);
        }
        let is_local = |top: &SymbolId, at: &BTreeMap<SharedId, BTreeSet<Word>>| {
            let mut words = at.values();
            let first = words.next();
            !touching.contains(top)
                && at.len() == self.shared_count()
                && words.all(|words| Some(words) == first)
        };
        // Symbols become local one after the other, unless one closes a circle.
        let mut next: BTreeMap<SymbolId, Vec<SymbolId>> = BTreeMap::new();
        for (&top, at) in heads.iter().filter(|(top, at)| is_local(top, at)) {
            let words = at.values().next().into_iter().flatten();
            let after: Vec<SymbolId> = words.flat_map(|word| word.symbols()).collect();
            if !leads_to(&next, &after, top) {
                next.insert(top, after);
            }
        }
        symbols.extend(next.into_keys());
    }
}

/// Whether a symbol is reached from some others.
fn leads_to(next: &BTreeMap<SymbolId, Vec<SymbolId>>, from: &[SymbolId], goal: SymbolId) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = from.to_vec();
    while let Some(symbol) = open.pop() {
        if symbol == goal {
            return true;
        }
        if seen.insert(symbol) {
            open.extend(next.get(&symbol).into_iter().flatten());
        }
    }
    false
}
