//! # Names of engines
//! What they are called on the command line, in Python and on the page.

use std::fmt;
use std::str::FromStr;

use selvedge_analysis::engine::Method;
use selvedge_analysis::reduce::Direction;

use super::Engines;
use crate::Failure;

/// The name of an engine, or of all that fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum EngineName {
    /// All engines that suit the question, in turns: see [`verify`](crate::verify).
    #[default]
    Auto,
    /// Single states or sets of stacks, context by context, and cuts from above.
    Contexts,
    /// Explores single states.
    Explicit,
    /// Explores with sets of stacks.
    Symbolic,
    /// Explores with cut stacks, from above.
    Cuts,
    /// All threads as one pushdown system, explored forward.
    Pds,
    /// All threads as one pushdown system, explored backward.
    PdsBackward,
    /// Summaries over decision diagrams, for what really occurs.
    Lazy,
    /// Summaries for what occurs after the last context.
    Near,
    /// Summaries for whatever other threads might do.
    Eager,
    /// Invariants over predicates, with an SMT solver.
    Predicates,
    /// Backward, over any number of threads.
    Coverability,
    /// Single states, in rounds of single steps with delays.
    Delays,
    /// Contexts, with the generator test of the CUBA paper at plateaus.
    Generators,
    /// One that is registered beside those that are built in: see [`Engines::with`](crate::Engines::with).
    Other(&'static str),
}

impl EngineName {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Auto => "auto",
            EngineName::Contexts => "contexts",
            EngineName::Other(name) => name,
            EngineName::Explicit => "explicit",
            EngineName::Symbolic => "symbolic",
            EngineName::Cuts => "cuts",
            EngineName::Pds => "pds",
            EngineName::PdsBackward => "pds-backward",
            EngineName::Lazy => "lazy",
            EngineName::Near => "near",
            EngineName::Eager => "eager",
            EngineName::Predicates => "predicates",
            EngineName::Coverability => "coverability",
            EngineName::Delays => "delays",
            EngineName::Generators => "generators",
        }
    }
}

impl EngineName {
    /// How the context engines explore if it is meant.
    pub(crate) fn method(self) -> Method {
        match self {
            EngineName::Explicit => Method::Explicit,
            EngineName::Symbolic => Method::Symbolic,
            EngineName::Pds => Method::Reduction(Direction::Forward),
            EngineName::PdsBackward => Method::Reduction(Direction::Backward),
            EngineName::Coverability => Method::Coverability,
            EngineName::Generators => Method::Generators,
            EngineName::Cuts => Method::Cuts,
            _ => Method::Auto,
        }
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads the name of an engine that is built in.
impl FromStr for EngineName {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Self, Failure> {
        Engines::default().parse(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_again() {
        let engines = Engines::default();
        for (engine, about) in engines.names() {
            assert_eq!(engine.name().parse::<EngineName>().unwrap(), engine);
            assert!(!about.is_empty());
        }
        let wrong = "lasy".parse::<EngineName>().unwrap_err().to_string();
        assert_eq!(wrong, "there is no engine `lasy`; did you mean `lazy`?");
    }
}
