//! # Names
//! What the things of a table are called in its source. Most are numbers and are kept as
//! numbers: a table with a million symbols holds no million strings, and shared states that are
//! numbered in a row are only counted.

use std::borrow::Cow;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::{SharedId, SymbolId, TemplateId};

/// The name of a shared state or a stack symbol. A word that is written like a number *is* a
/// number, so equal names are equal values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// A number, written without leading zeros.
    Number(u32),
    /// Any other word.
    Word(Box<str>),
}

impl Name {
    /// The name as text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Name::Number(n) => Cow::Owned(n.to_string()),
            Name::Word(word) => Cow::Borrowed(word),
        }
    }
}

impl From<u32> for Name {
    fn from(number: u32) -> Self {
        Name::Number(number)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let is_number = text.bytes().all(|b| b.is_ascii_digit());
        let is_plain = text == "0" || !text.starts_with('0');
        match text.parse() {
            Ok(number) if is_number && is_plain => Name::Number(number),
            _ => Name::Word(text.into()),
        }
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Name::from(text.as_str())
    }
}

impl From<&String> for Name {
    fn from(text: &String) -> Self {
        Name::from(text.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Number(n) => n.fmt(f),
            Name::Word(word) => f.write_str(word),
        }
    }
}

/// The names of the shared states: first those that are numbered from 0, then the others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SharedNames {
    numbered: u32,
    others: Vec<Name>,
    index: FxHashMap<Name, SharedId>,
}

impl SharedNames {
    pub(crate) fn count(&self) -> usize {
        self.numbered as usize + self.others.len()
    }

    pub(crate) fn numbered(&self) -> u32 {
        self.numbered
    }

    /// Makes sure that the first `count` shared states are numbered. Only before others exist.
    pub(crate) fn number(&mut self, count: u32) {
        assert!(self.others.is_empty(), "numbered shared states come before named ones");
        self.numbered = self.numbered.max(count);
    }

    pub(crate) fn find_or_add(&mut self, name: Name) -> SharedId {
        if let Some(known) = self.find(&name) {
            return known;
        }
        let id = SharedId::from(self.count());
        if self.others.is_empty() && name == Name::Number(self.numbered) {
            self.numbered += 1;
        } else {
            self.others.push(name.clone());
            self.index.insert(name, id);
        }
        id
    }

    pub(crate) fn find(&self, name: &Name) -> Option<SharedId> {
        match *name {
            Name::Number(n) if n < self.numbered => Some(SharedId(n)),
            _ => self.index.get(name).copied(),
        }
    }

    pub(crate) fn name(&self, shared: SharedId) -> Cow<'_, str> {
        match shared.0.checked_sub(self.numbered) {
            Some(other) => self.others[other as usize].text(),
            None => Cow::Owned(shared.0.to_string()),
        }
    }
}

/// The names of the symbols. Symbols of different templates are different even where their names
/// are the same.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SymbolNames {
    list: Vec<(TemplateId, Name)>,
    index: FxHashMap<(TemplateId, Name), SymbolId>,
}

impl SymbolNames {
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn find_or_add(&mut self, template: TemplateId, name: Name) -> SymbolId {
        let next = SymbolId::from(self.list.len());
        let entry = (template, name);
        let id = *self.index.entry(entry.clone()).or_insert(next);
        if id == next {
            self.list.push(entry);
        }
        id
    }

    pub(crate) fn find(&self, template: TemplateId, name: Name) -> Option<SymbolId> {
        self.index.get(&(template, name)).copied()
    }

    pub(crate) fn template(&self, symbol: SymbolId) -> TemplateId {
        self.list[symbol.index()].0
    }

    pub(crate) fn name(&self, symbol: SymbolId) -> &Name {
        &self.list[symbol.index()].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_a_number_is_a_number() {
        assert_eq!(Name::from("17"), Name::Number(17));
        assert_eq!(Name::from("0"), Name::Number(0));
        for word in ["", "017", "00", "+1", "4294967296", "x"] {
            assert_eq!(Name::from(word), Name::Word(word.into()));
        }
    }

    #[test]
    fn numbered_shared_states_are_only_counted() {
        let mut names = SharedNames::default();
        names.number(4_000_000_000);
        assert_eq!(names.find(&Name::from("3999999999")), Some(SharedId(3_999_999_999)));
        assert_eq!(names.find(&Name::from("4000000000")), None);
        let idle = names.find_or_add("idle".into());
        assert_eq!((names.name(idle).as_ref(), names.name(SharedId(7)).as_ref()), ("idle", "7"));
    }

    #[test]
    fn names_in_a_row_are_numbered() {
        let mut names = SharedNames::default();
        let ids = ["0", "1", "x", "2", "1"].map(|n| names.find_or_add(n.into()).0);
        assert_eq!((ids, names.numbered(), names.count()), ([0, 1, 2, 3, 1], 2, 4));
    }
}
