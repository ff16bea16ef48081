//! # Bounds
//! What an exploration from below is bounded by. A *context* is a run of one thread; a *round* is
//! one context of each thread, in their order, any of which may be empty. With a bound on *delays*, a
//! round is one *step* of each thread, in their order; a delay lets a thread miss its step.

use std::fmt;

use selvedge_model::{Fault, System};

/// What a bound counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// Contexts, of any thread in any order.
    Contexts,
    /// Rounds: contexts of all threads, in their order.
    Rounds,
    /// Threads, whatever they do.
    Threads,
    /// Contexts of runs with a limited number of threads, in a system that may have any number.
    ContextsOf {
        /// How many threads there are at the most.
        threads: usize,
    },
    /// Rounds of single steps of all threads in order, with a limited number of delays.
    RoundRobin {
        /// How often a thread that can act may miss its step.
        delays: usize,
        /// Whether threads that are alike may have changed places at any time. More is reached within
        /// such a bound, and nothing that is not reachable at all.
        interchanged: bool,
    },
}

impl Resource {
    /// Whether threads that are alike may have changed places.
    #[must_use]
    pub fn interchanges(self) -> bool {
        matches!(self, Resource::RoundRobin { interchanged: true, .. })
    }

    /// A bound of `count` on this resource.
    #[must_use]
    pub fn bound(self, count: usize) -> Bound {
        Bound { resource: self, count }
    }

    /// One of them, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Resource::Contexts | Resource::ContextsOf { .. } => "context",
            Resource::Rounds | Resource::RoundRobin { .. } => "round",
            Resource::Threads => "thread",
        }
    }
}

/// A limit on contexts, rounds or threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    /// The resource that is bounded.
    pub resource: Resource,
    /// The largest amount of it.
    pub count: usize,
}

impl Bound {
    /// A bound on the number of contexts.
    #[must_use]
    pub fn contexts(count: usize) -> Self {
        Resource::Contexts.bound(count)
    }

    /// A bound on the number of rounds.
    #[must_use]
    pub fn rounds(count: usize) -> Self {
        Resource::Rounds.bound(count)
    }

    /// A bound on the number of threads.
    #[must_use]
    pub fn threads(count: usize) -> Self {
        Resource::Threads.bound(count)
    }

    /// A bound on the number of rounds of single steps, and on the number of delays.
    #[must_use]
    pub fn round_robin(rounds: usize, delays: usize) -> Self {
        Resource::RoundRobin { delays, interchanged: false }.bound(rounds)
    }
}

/// `3 contexts`, `1 round`, `5 contexts of 3 threads`, `4 rounds of single steps with 1 delay`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        write!(f, "{} {}{}", self.count, self.resource.name(), plural(self.count))?;
        match self.resource {
            Resource::Contexts | Resource::Rounds | Resource::Threads => Ok(()),
            Resource::ContextsOf { threads } => {
                write!(f, " of {threads} thread{}", plural(threads))
            }
            Resource::RoundRobin { delays, interchanged } => {
                write!(f, " of single steps with {delays} delay{}", plural(delays))?;
                f.write_str(if interchanged { ", threads that are alike interchanged" } else { "" })
            }
        }
    }
}

/// Why there are no rounds of a system that starts threads.
pub(crate) fn needs_fixed_threads(system: &dyn System) -> Option<Fault> {
    system.starts_threads().then(|| {
        Fault::new("rounds need a fixed set of threads, and this system starts some; use contexts")
    })
}
