//! # Names of stack symbols
//! **Question.** What is a stack symbol called where automata are listed?
//! **Idea.** What it is called everywhere: a procedure and a line. Where two statements of a line are in the list, that would be one name
//! for two symbols, and a set of both would look like a set of one. Those symbols are named with their statements, and numbered where
//! even these are the same.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_analysis::engine::Automata;
use selvedge_automata::Dfa;
use selvedge_model::{SymbolId, System};

/// A name for each symbol of some automata; no two symbols have the same.
pub(super) struct Names(BTreeMap<SymbolId, String>);

impl Names {
    pub fn new(system: &dyn System, automata: &Automata) -> Names {
        let listed = automata.new_states.iter().flatten().flatten().flat_map(|state| &state.stacks);
        let contexts = automata.contexts.iter().flatten();
        let ends = contexts.flat_map(|of| of.stacks.iter().map(|(_, stacks)| stacks));
        let symbols: BTreeSet<SymbolId> = listed.chain(ends).flat_map(symbols).collect();
        let describe = system.describe();
        let mut names: BTreeMap<_, _> =
            symbols.into_iter().map(|symbol| (symbol, describe.show_symbol(symbol))).collect();
        tell_apart(&mut names, |symbol, _| {
            describe.statement(symbol).map_or_else(String::new, |text| format!(" ({text})"))
        });
        tell_apart(&mut names, |_, number| format!(" #{number}"));
        Names(names)
    }

    pub fn of(&self, symbol: SymbolId) -> &str {
        self.0.get(&symbol).map_or("", String::as_str)
    }
}

/// All symbols on the edges of an automaton.
fn symbols(dfa: &Dfa) -> impl Iterator<Item = SymbolId> {
    let states = 0..dfa.state_count() as u32;
    states.flat_map(|state| dfa.edges(state).iter().map(|&(symbol, _)| symbol))
}

/// Adds to each name that several symbols have what `more` says of the symbol and of its number among these.
fn tell_apart(names: &mut BTreeMap<SymbolId, String>, more: impl Fn(SymbolId, usize) -> String) {
    let mut same: BTreeMap<String, Vec<SymbolId>> = BTreeMap::new();
    for (&symbol, name) in names.iter() {
        same.entry(name.clone()).or_default().push(symbol);
    }
    for symbols in same.into_values().filter(|symbols| symbols.len() > 1) {
        for (symbol, number) in symbols.into_iter().zip(1..) {
            names.entry(symbol).or_default().push_str(&more(symbol, number));
        }
    }
}
