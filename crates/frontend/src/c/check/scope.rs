//! # Scopes
//! What a name means at a place: ordinary names, and the tags of structures, unions and enumerations, which are apart.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use super::Checker;
use super::headers::declared_by;
use crate::Diagnostic;
use crate::c::tree::Name;
use crate::c::typed::{FunctionId, LocalId, ObjectId};
use crate::c::types::{RecordId, Type};
use crate::check::similar::did_you_mean;

/// After this many problems, similar names are no longer looked for: each search looks at all names.
const ENOUGH_PROBLEMS: usize = 100;

/// The meaning of an ordinary name.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A type.
    Typedef(Type),
    /// A constant of an enumeration.
    Enumerator(i128, Type),
    /// A variable with linkage, by its number among the globals.
    Global(usize),
    /// A static variable of a function.
    Object(ObjectId),
    /// A parameter or a local variable.
    Local(LocalId),
    /// A local array whose length is not constant, by the variables that keep its address and its length.
    Varying {
        /// The variable with its address.
        pointer: LocalId,
        /// The variable with the number of its elements.
        length: LocalId,
    },
    /// A function.
    Function(FunctionId),
    /// Something whose declaration is wrong, which was reported.
    Wrong,
}

/// The meaning of a tag.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// A structure or a union.
    Record(RecordId),
    /// An enumeration, as an integer, and whether its constants were told.
    Enum(Type, bool),
}

/// The names of a block, or of the file.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Ordinary names, and where they were declared.
    pub names: FxHashMap<Arc<str>, (Meaning, Span)>,
    /// Tags, and where they were declared.
    pub tags: FxHashMap<Arc<str>, (Tag, Span)>,
}

impl Checker<'_> {
    /// Checks a part of the text whose names end with it.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// The innermost scope.
    pub fn innermost(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// The meaning of a name here.
    pub fn lookup(&self, name: &str) -> Option<&Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name)).map(|(meaning, _)| meaning)
    }

    /// The meaning of a tag here.
    pub fn lookup_tag(&self, name: &str) -> Option<&Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(name)).map(|(tag, _)| tag)
    }

    /// The meaning of a name in the innermost scope, and where it was declared.
    pub fn lookup_here(&self, name: &str) -> Option<&(Meaning, Span)> {
        self.scopes.last().and_then(|scope| scope.names.get(name))
    }

    /// Gives a name a meaning, from here to the end of the block.
    pub fn bind(&mut self, name: &Name, meaning: Meaning) {
        self.innermost().names.insert(name.text.clone(), (meaning, name.span));
    }

    /// Gives a name a meaning that it may have only once in a block.
    pub fn bind_once(&mut self, name: &Name, meaning: Meaning) {
        if let Some((_, span)) = self.lookup_here(&name.text) {
            let span = *span;
            self.twice(name, span);
        }
        self.bind(name, meaning);
    }

    /// Reports a second declaration of a name.
    pub fn twice(&mut self, name: &Name, first: Span) {
        self.problems.push(
            Diagnostic::error(name.span, format!("`{}` is declared twice", name.text))
                .related(first, "declared here first")
                .hint("rename one of them, or remove it"),
        );
    }

    /// Reports a name without a meaning.
    pub fn unknown(&mut self, text: &str, span: Span) {
        let header = declared_by(text).map(|header| format!("include `{header}`"));
        let hint = (self.problems.len() < ENOUGH_PROBLEMS && header.is_none())
            .then(|| {
                let names = self.scopes.iter().rev().flat_map(|scope| scope.names.iter());
                let mut known: Vec<&str> = names
                    .filter(|(_, (meaning, _))| !matches!(meaning, Meaning::Typedef(_)))
                    .map(|(name, _)| &**name)
                    .collect();
                known.sort_unstable();
                did_you_mean(text, known)
            })
            .flatten()
            .or(header)
            .unwrap_or_else(|| {
                format!("declare it, as in `int {text};`, or include the header that does")
            });
        self.advise(span, format!("`{text}` is not declared"), hint);
    }
}
