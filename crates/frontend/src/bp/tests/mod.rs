//! Tests of the parser: what it reads, what it says about mistakes, what it survives.

mod mistakes;
mod outline;
mod reading;
mod survival;

use expect_test::Expect;
use selvedge_program::Source;

use crate::{Diagnostics, syntax};

/// Parses a text that is right.
fn read(text: &str) -> syntax::File {
    let (file, diagnostics) = super::parse(&Source::new("test.bp", text));
    assert_eq!(diagnostics, [], "for {text}");
    file
}

/// Compares what is said about a text that is wrong.
fn check_mistakes(text: &str, expected: Expect) {
    let source = Source::new("test.bp", text);
    let (_, diagnostics) = super::parse(&source);
    let ordered = diagnostics.is_sorted_by_key(|d| d.label.span.start);
    assert!(ordered, "diagnostics out of order for {text}");
    expected.assert_eq(&Diagnostics::new(source, diagnostics).render(false));
}
