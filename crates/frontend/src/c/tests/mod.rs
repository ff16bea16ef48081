//! Tests of the parser: what it reads, what it says about mistakes, what it survives, and gcc as an oracle.

mod declarations;
mod expressions;
mod gcc;
mod mistakes;
mod outline;
mod statements;
mod survival;
mod tokens;

use expect_test::Expect;
use selvedge_program::Source;

use super::parse;
use super::tree::Unit;
use crate::Diagnostics;

/// Parses a text that is right.
fn read(text: &str) -> Unit {
    let (unit, diagnostics) = parse(text);
    let list = Diagnostics::new(Source::new("test.c", text), diagnostics);
    assert!(list.list.is_empty(), "{list}");
    unit
}

/// Compares the tree of a text that is right.
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&outline::unit(&read(text)));
}

/// Compares the trees of texts that are right, each with its own.
fn check_each(pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        assert_eq!(outline::unit(&read(text)), *expected, "for {text}");
    }
}
