//! # Boolean programs (`.bp`)
//!
//! Programs whose variables are all Boolean, as predicate abstraction makes them. Two dialects
//! share one grammar (see `docs/language.md`): the *classic* one of sequential tools, with
//! procedures and `if … fi`, and that of SATABS, flat, with `start_thread goto l` and
//! `constrain`. A file may mix them.
//!
//! **Idea.** `lexer` cuts the whole text into tokens. A parser by recursive descent, one file
//! for each level of the grammar (`items`, `blocks`, `statements`, `expressions`), walks
//! over them once. What it cannot read it reports, gives up the smallest construct around it
//! (`parser::Abandon`), skips to a place where reading can go on, and continues: so one run finds
//! all mistakes, and a mistake is reported once.
//!
//! **Limits.** Statements and expressions together may be nested 200 levels deep; the
//! tree is then never deeper than that, so nothing that walks it runs out of stack. A chain
//! `a & b & …` of any length is a balanced tree.

mod blocks;
mod expressions;
mod foreign;
mod items;
mod lexer;
mod parser;
mod statements;
#[cfg(test)]
mod tests;

use selvedge_model::Patience;
use selvedge_program::Source;

use crate::{Diagnostic, syntax};

/// Parses a file. The tree holds whatever could be understood; the diagnostics are in the order
/// of their places.
#[must_use]
pub fn parse(source: &Source) -> (syntax::File, Vec<Diagnostic>) {
    parse_within(source, &Patience::default())
}

/// Parses a file, or the beginning of it for which there is patience.
pub(crate) fn parse_within(
    source: &Source,
    patience: &Patience,
) -> (syntax::File, Vec<Diagnostic>) {
    let mut parser = parser::Parser::new(source, patience);
    let file = parser.file();
    parser.reject_foreign_calls(&file);
    (file, parser.finish())
}
