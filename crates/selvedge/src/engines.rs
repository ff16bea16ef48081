//! # Engines
//! Their names, and which of them answers which question.

use std::str::FromStr;

use selvedge_analysis::Resource;
use selvedge_analysis::engine::Method;
use selvedge_analysis::reduce::Direction;
use selvedge_sequential::Guesses;

use crate::{Failure, suggest};

/// How to explore from below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Whatever fits: see [`verify`](crate::verify).
    #[default]
    Auto,
    /// Single states.
    Explicit,
    /// Sets of stacks.
    Symbolic,
    /// All threads as one pushdown system, explored forward.
    Pds,
    /// The same, explored backward.
    PdsBackward,
    /// Summaries over decision diagrams, for what really occurs.
    Lazy,
    /// The same for what occurs after the last context.
    Near,
    /// The same for whatever other threads might do.
    Eager,
    /// Invariants over predicates, with an SMT solver.
    Predicates,
    /// Backward, over any number of threads.
    Coverability,
    /// Single states, in rounds of single steps with delays.
    Delays,
    /// Contexts, with the generator test of the CUBA paper at plateaus.
    Generators,
}

impl Engine {
    /// All of them.
    pub const ALL: [Engine; 12] = [
        Engine::Auto,
        Engine::Explicit,
        Engine::Symbolic,
        Engine::Pds,
        Engine::PdsBackward,
        Engine::Lazy,
        Engine::Near,
        Engine::Eager,
        Engine::Predicates,
        Engine::Coverability,
        Engine::Delays,
        Engine::Generators,
    ];

    /// What it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Symbolic => "symbolic",
            Engine::Pds => "pds",
            Engine::PdsBackward => "pds-backward",
            Engine::Lazy => "lazy",
            Engine::Near => "near",
            Engine::Eager => "eager",
            Engine::Predicates => "predicates",
            Engine::Coverability => "coverability",
            Engine::Delays => "delays",
            Engine::Generators => "generators",
        }
    }

    /// What it does, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Engine::Auto => {
                "Single states while stacks stay low, sets of stacks where contexts are infinite"
            }
            Engine::Explicit => "Single states",
            Engine::Symbolic => "Sets of stacks",
            Engine::Pds => {
                "All threads as one pushdown system, explored forward: for `check --rounds`"
            }
            Engine::PdsBackward => "The same, explored backward",
            Engine::Lazy => {
                "Summaries over decision diagrams, for what really occurs: for `check --rounds` of a \
                 program"
            }
            Engine::Near => {
                "The same for what occurs after the last context, whatever was before; sorted out \
                 afterwards"
            }
            Engine::Eager => "The same for whatever other threads might do, sorted out afterwards",
            Engine::Predicates => {
                "Invariants over predicates, with an SMT solver: for `verify` of a program with \
                 integers without bounds, or any number of threads"
            }
            Engine::Coverability => {
                "Backward, over any number of threads with finitely many local states: for `verify`"
            }
            Engine::Delays => {
                "Single states, in rounds of single steps with delays: finite even where contexts are \
                 not"
            }
            Engine::Generators => {
                "Contexts until no generator is missing at a plateau, as in Alg. 3 of the CUBA paper: for \
                 `verify`"
            }
        }
    }

    /// Refuses engines that do not know about a bound on this.
    pub fn need_bound(self, resource: Resource) -> Result<(), Failure> {
        let only = |what| Err(Failure::usage(format!("this engine answers {what} only")));
        match (self, resource) {
            (Engine::Auto | Engine::Explicit, _) => Ok(()),
            (Engine::Coverability | Engine::Predicates | Engine::Generators, _) => {
                only("`selvedge verify`")
            }
            (Engine::Delays, Resource::RoundRobin { .. }) => Ok(()),
            (Engine::Delays, _) => {
                only("`selvedge verify` and `selvedge check --rounds R --delays D`")
            }
            (_, Resource::RoundRobin { .. }) => {
                Err(Failure::usage("with --delays the engine is `delays`, which `auto` takes, too"))
            }
            (_, Resource::Rounds) | (Engine::Symbolic, Resource::Contexts) => Ok(()),
            (_, Resource::Contexts | Resource::Threads | Resource::ContextsOf { .. }) => {
                only("`selvedge check --rounds K`")
            }
        }
    }

    /// Refuses engines that need a bound.
    pub fn need_none(self) -> Result<(), Failure> {
        match self {
            Engine::Delays | Engine::Predicates | Engine::Coverability | Engine::Generators => {
                Ok(())
            }
            _ => self.need_bound(Resource::Contexts),
        }
    }

    /// Whether it may be asked about any number of threads.
    pub(crate) fn decides_any_number(self) -> bool {
        matches!(self, Engine::Auto | Engine::Coverability)
    }

    /// How the context engines explore if it is meant.
    pub(crate) fn method(self) -> Method {
        match self {
            Engine::Explicit => Method::Explicit,
            Engine::Symbolic => Method::Symbolic,
            Engine::Pds => Method::Reduction(Direction::Forward),
            Engine::PdsBackward => Method::Reduction(Direction::Backward),
            Engine::Coverability => Method::Coverability,
            Engine::Generators => Method::Generators,
            _ => Method::Auto,
        }
    }

    /// What is guessed if it is one that makes summaries.
    pub(crate) fn guesses(self) -> Option<Guesses> {
        match self {
            Engine::Lazy => Some(Guesses::Lazy),
            Engine::Near => Some(Guesses::Near),
            Engine::Eager => Some(Guesses::Eager),
            _ => None,
        }
    }
}

impl FromStr for Engine {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Self, Failure> {
        let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| {
            let known = Engine::ALL.map(Engine::name);
            Failure::usage(suggest::unknown("engine", name, &known))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_again() {
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse::<Engine>().unwrap(), engine);
        }
        let wrong = "lasy".parse::<Engine>().unwrap_err().to_string();
        assert_eq!(wrong, "there is no engine `lasy`; did you mean `lazy`?");
    }
}
