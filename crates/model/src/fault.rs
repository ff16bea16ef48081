//! Why a system cannot say what its actions are.

use std::fmt;

/// A system met something that it cannot enumerate: a choice from infinitely many values, an
/// atomic block that does not end. An explorer that sees a fault answers *unknown* with this
/// reason; it never goes on without the missing actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened, and what to do about it.
    pub message: String,
    /// Where in the source: a line number, if there is one.
    pub line: Option<u32>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Fault {}
