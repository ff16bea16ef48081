//! # Automata that accept configurations
//! A pushdown store automaton reads a stack from the top, starting at the state of the control
//! state: it accepts ⟨q | w⟩ if it accepts w from there (Qadeer and Rehof, Sec. 2). An automaton
//! made from languages has no edge into the state of a control state, as saturation requires.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_model::SymbolId;
use selvedge_store::{Full, number};

use crate::dfa::RawDfa;
use crate::{Dfa, LanguageId, Languages};

/// A control state, as numbered by the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Control(pub u32);

/// A pushdown store automaton. Its own states are numbered apart from control states.
#[derive(Clone, Debug, Default)]
pub struct Psa {
    /// The state of each control state that occurs.
    controls: FxHashMap<Control, u32>,
    /// The control state of a state, if it is one.
    control_of: Vec<Option<Control>>,
    accepting: Vec<bool>,
    edges: Vec<Vec<(SymbolId, u32)>>,
    known: FxHashSet<(u32, SymbolId, u32)>,
}

impl Psa {
    /// The automaton of ⟨`control` | w⟩ for all w of a language.
    #[must_use]
    pub fn of_language(control: Control, language: &Dfa) -> Psa {
        let mut psa = Psa::default();
        psa.add_language(control, language);
        psa
    }

    /// Adds ⟨`control` | w⟩ for all w of a language.
    pub fn add_language(&mut self, control: Control, language: &Dfa) {
        let start = self.control(control);
        if language.is_empty() {
            return;
        }
        // Edges may lead back to the first state of the language, so it is copied as well.
        let first = self.end();
        for state in 0..language.end() {
            self.add_state(language.accepts_at(state));
        }
        for state in 0..language.end() {
            for &(symbol, to) in language.edges(state) {
                self.add_edge(first + state, symbol, first + to);
            }
        }
        for &(symbol, to) in language.edges(0) {
            self.add_edge(start, symbol, first + to);
        }
        self.accepting[start as usize] |= language.accepts_at(0);
    }

    /// The state of a control state, made if there is none.
    pub(crate) fn control(&mut self, control: Control) -> u32 {
        if let Some(&state) = self.controls.get(&control) {
            return state;
        }
        let state = self.add_state(false);
        self.controls.insert(control, state);
        self.control_of[state as usize] = Some(control);
        state
    }

    pub(crate) fn control_of(&self, state: u32) -> Option<Control> {
        self.control_of[state as usize]
    }

    pub(crate) fn add_state(&mut self, accepting: bool) -> u32 {
        let state = self.end();
        self.accepting.push(accepting);
        self.edges.push(Vec::new());
        self.control_of.push(None);
        state
    }

    /// The number of the state that comes next.
    pub(crate) fn end(&self) -> u32 {
        number(self.accepting.len())
    }

    /// Adds an edge; whether it is new.
    pub(crate) fn add_edge(&mut self, from: u32, symbol: SymbolId, to: u32) -> bool {
        let new = self.known.insert((from, symbol, to));
        if new {
            self.edges[from as usize].push((symbol, to));
        }
        new
    }

    pub(crate) fn edges(&self, state: u32) -> &[(SymbolId, u32)] {
        &self.edges[state as usize]
    }

    pub(crate) fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Lets a state accept; whether that is new.
    pub(crate) fn accept(&mut self, state: u32) -> bool {
        !std::mem::replace(&mut self.accepting[state as usize], true)
    }

    /// The control states that occur, in order.
    #[must_use]
    pub fn controls(&self) -> Vec<Control> {
        let mut controls: Vec<_> = self.controls.keys().copied().collect();
        controls.sort_unstable();
        controls
    }

    /// Whether ⟨`control` | word⟩ is accepted; the word is given top first.
    #[must_use]
    pub fn accepts(&self, control: Control, word: impl IntoIterator<Item = SymbolId>) -> bool {
        let mut states: FxHashSet<u32> = self.controls.get(&control).copied().into_iter().collect();
        for symbol in word {
            let from = std::mem::take(&mut states);
            for state in from {
                let edges = self.edges(state).iter();
                states.extend(edges.filter(|&&(s, _)| s == symbol).map(|&(_, to)| to));
            }
        }
        states.iter().any(|&s| self.is_accepting(s))
    }

    /// Where a reader can end with the words that are accepted from a control state. A reader starts
    /// somewhere, and a symbol takes it somewhere else, or stops it.
    pub fn readings<S: Clone + Eq + Hash>(
        &self,
        control: Control,
        start: S,
        mut step: impl FnMut(&S, SymbolId) -> Option<S>,
    ) -> FxHashSet<S> {
        let first = self.controls.get(&control).map(|&state| (state, start));
        let mut seen: FxHashSet<(u32, S)> = first.iter().cloned().collect();
        let mut work: Vec<(u32, S)> = first.into_iter().collect();
        let mut ends = FxHashSet::default();
        while let Some((state, reader)) = work.pop() {
            for &(symbol, to) in self.edges(state) {
                let Some(next) = step(&reader, symbol) else { continue };
                if seen.insert((to, next.clone())) {
                    work.push((to, next));
                }
            }
            if self.is_accepting(state) {
                ends.insert(reader);
            }
        }
        ends
    }

    /// The stack language of each control state that has one, in canonical form.
    pub fn languages(&self, languages: &mut Languages) -> Result<Vec<(Control, LanguageId)>, Full> {
        let controls = self.controls();
        let starts: Vec<Vec<u32>> = controls.iter().map(|c| vec![self.controls[c]]).collect();
        let automata = self.determinize(&starts);
        let named = controls.into_iter().zip(automata).filter(|(_, dfa)| !dfa.is_empty());
        named.map(|(control, dfa)| Ok((control, languages.intern(dfa)?))).collect()
    }

    /// The canonical automaton of what is accepted from each of these sets of states.
    fn determinize(&self, starts: &[Vec<u32>]) -> Vec<Dfa> {
        let mut raw = RawDfa::default();
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut work = Vec::new();
        let mut number = |set: Vec<u32>, raw: &mut RawDfa, work: &mut Vec<(Vec<u32>, u32)>| {
            *numbers.entry(set).or_insert_with_key(|set| {
                let state = raw.add_state(set.iter().any(|&s| self.is_accepting(s)));
                work.push((set.clone(), state));
                state
            })
        };
        let firsts: Vec<u32> =
            starts.iter().map(|set| number(set.clone(), &mut raw, &mut work)).collect();
        while let Some((set, from)) = work.pop() {
            let mut edges: Vec<(SymbolId, u32)> =
                set.iter().flat_map(|&s| self.edges(s).iter().copied()).collect();
            edges.sort_unstable();
            edges.dedup();
            for same in edges.chunk_by(|a, b| a.0 == b.0) {
                let to = same.iter().map(|&(_, to)| to).collect();
                let to = number(to, &mut raw, &mut work);
                raw.edges[from as usize].push((same[0].0, to));
            }
        }
        raw.canonical(&firsts)
    }
}
