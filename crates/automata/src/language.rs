//! Stack languages by number: equal languages have equal ids.

use rustc_hash::FxHashMap;
use selvedge_model::SymbolId;

use crate::Dfa;

/// A stack language. Ids of one [`Languages`] are equal exactly if the languages are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LanguageId(pub u32);

/// All stack languages that were met.
#[derive(Clone, Debug, Default)]
pub struct Languages {
    automata: Vec<Dfa>,
    ids: FxHashMap<Dfa, LanguageId>,
}

impl Languages {
    /// The id of a language.
    pub fn intern(&mut self, automaton: Dfa) -> LanguageId {
        if let Some(&id) = self.ids.get(&automaton) {
            return id;
        }
        let id = LanguageId(self.automata.len() as u32);
        self.automata.push(automaton.clone());
        self.ids.insert(automaton, id);
        id
    }

    /// The language of one word, given top first.
    pub fn word(&mut self, word: impl IntoIterator<Item = SymbolId>) -> LanguageId {
        self.intern(Dfa::word(word))
    }

    /// The words in both languages.
    pub fn intersection(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        let automaton = self.get(a).combine(self.get(b), |a, b| a && b);
        self.intern(automaton)
    }

    /// The words in one of the languages.
    pub fn union(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        let automaton = self.get(a).combine(self.get(b), |a, b| a || b);
        self.intern(automaton)
    }

    /// The words in the first language that are not in the second.
    pub fn difference(&mut self, a: LanguageId, b: LanguageId) -> LanguageId {
        let automaton = self.get(a).combine(self.get(b), |a, b| a && !b);
        self.intern(automaton)
    }

    /// The automaton of a language.
    #[must_use]
    pub fn get(&self, id: LanguageId) -> &Dfa {
        &self.automata[id.0 as usize]
    }

    /// How many languages were met.
    #[must_use]
    pub fn len(&self) -> usize {
        self.automata.len()
    }

    /// Whether none was met.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.automata.is_empty()
    }

    /// All languages, by id.
    pub fn iter(&self) -> impl Iterator<Item = (LanguageId, &Dfa)> {
        (0..).map(LanguageId).zip(&self.automata)
    }
}
