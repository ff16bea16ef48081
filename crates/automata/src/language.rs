//! Stack languages by number: equal languages have equal ids.

use selvedge_model::SymbolId;
use selvedge_store::{Full, Id, Interner};

use crate::Dfa;

/// A stack language. Ids of one [`Languages`] are equal exactly if the languages are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LanguageId(pub u32);

/// All stack languages that were met.
#[derive(Clone, Debug)]
pub struct Languages {
    automata: Interner<Dfa, LanguageId>,
}

impl Id for LanguageId {
    type Slot = u32;

    fn from_index(index: usize) -> Option<Self> {
        u32::from_index(index).map(LanguageId)
    }

    fn index(self) -> usize {
        self.0.index()
    }
}

impl Default for Languages {
    fn default() -> Self {
        Languages { automata: Interner::of("sets of stacks") }
    }
}

impl Languages {
    /// The id of a language.
    pub fn intern(&mut self, automaton: Dfa) -> Result<LanguageId, Full> {
        self.automata.intern(automaton)
    }

    /// The language of one word, given top first.
    pub fn word(&mut self, word: impl IntoIterator<Item = SymbolId>) -> Result<LanguageId, Full> {
        self.intern(Dfa::word(word))
    }

    /// The words in both languages.
    pub fn intersection(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Full> {
        let automaton = self.get(a).combine(self.get(b), |a, b| a && b);
        self.intern(automaton)
    }

    /// The words in one of the languages.
    pub fn union(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Full> {
        let automaton = self.get(a).combine(self.get(b), |a, b| a || b);
        self.intern(automaton)
    }

    /// The words in the first language that are not in the second.
    pub fn difference(&mut self, a: LanguageId, b: LanguageId) -> Result<LanguageId, Full> {
        let automaton = self.get(a).combine(self.get(b), |a, b| a && !b);
        self.intern(automaton)
    }

    /// The automaton of a language.
    #[must_use]
    pub fn get(&self, id: LanguageId) -> &Dfa {
        self.automata.get(id)
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
        self.automata.iter()
    }
}
