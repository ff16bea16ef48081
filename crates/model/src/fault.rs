//! Why a system cannot say what its actions are.

use std::fmt;

use crate::Stop;

/// A system met something that it cannot enumerate: a choice from infinitely many values, an
/// atomic block that does not end. An explorer that sees a fault answers *unknown* with this
/// reason; it never goes on without the missing actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What happened, and what to do about it.
    pub message: String,
    /// Where in the source: a line number, if there is one.
    pub line: Option<u32>,
    /// Why the system did not go on, if nothing is wrong with it: a limit was reached while it made a list of actions.
    pub stop: Option<Box<Stop>>,
}

impl Fault {
    /// A fault at no place.
    pub fn new(message: impl Into<String>) -> Self {
        Fault { message: message.into(), line: None, stop: None }
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Fault(fault) => fault,
            stop => Fault { stop: Some(Box::new(stop.clone())), ..Fault::new(stop.to_string()) },
        }
    }
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
