//! Why the enumeration cannot go on.

use std::fmt;

use selvedge_model::Fault;

/// Why the enumeration cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NaiveError {
    /// There are more configurations than the limit allows; perhaps infinitely many.
    TooLarge {
        /// The limit.
        limit: usize,
        /// The largest bound that was completed.
        completed: Option<usize>,
    },
    /// The system cannot say what its actions are.
    System(Fault),
}

impl fmt::Display for NaiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NaiveError::TooLarge { limit, completed } => {
                write!(f, "more than {limit} configurations")?;
                completed.map_or(Ok(()), |k| write!(f, "; bound {k} was completed"))
            }
            NaiveError::System(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for NaiveError {}

impl From<Fault> for NaiveError {
    fn from(fault: Fault) -> Self {
        NaiveError::System(fault)
    }
}
