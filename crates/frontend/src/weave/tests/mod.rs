//! Tests of the parser: what it understands (as compact trees), what it says to mistakes, and
//! what it does with texts that nobody would write.

mod foreign;
mod layout;
mod limits;
mod mistakes;
mod mistakes_in_items;
mod show;
mod soup;
mod trees;

use std::collections::BTreeSet;

/// The printer must know which names the lexer does not have.
#[test]
fn reserved_words_are_those_of_the_lexer() {
    let lexer = include_str!("../lexer.rs");
    let spelled = lexer.split("#[token(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let words = spelled.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
    let printer: BTreeSet<&str> = selvedge_program::print::RESERVED_WORDS.iter().copied().collect();
    assert_eq!(words.collect::<BTreeSet<_>>(), printer);
}

/// What stands before names is the same for the printer, which renames types, and for the parser.
#[test]
fn words_before_names_are_those_of_the_printer() {
    let words = super::words().filter(|word| super::words::before_words(word).is_some());
    let printer = selvedge_program::print::WORDS_BEFORE_NAMES.iter().copied();
    assert_eq!(words.collect::<BTreeSet<_>>(), printer.collect::<BTreeSet<_>>());
}
