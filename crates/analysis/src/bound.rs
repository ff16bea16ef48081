//! # Bounds
//! What an exploration from below is bounded by. A *context* is a run of one thread; a *round* is
//! one context of each thread, in their order, any of which may be empty.

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
}

impl Resource {
    /// So many of them.
    #[must_use]
    pub fn bound(self, count: usize) -> Bound {
        Bound { resource: self, count }
    }

    /// One of them, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Resource::Contexts => "context",
            Resource::Rounds => "round",
            Resource::Threads => "thread",
        }
    }
}

/// At most so many contexts, or at most so many rounds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bound {
    /// What is counted.
    pub resource: Resource,
    /// How many there may be.
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
}

/// `3 contexts`, `1 round`.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", self.count, self.resource.name())
    }
}

/// Why there are no rounds of a system that starts threads.
pub(crate) fn needs_fixed_threads(system: &dyn System) -> Option<Fault> {
    system.starts_threads().then(|| Fault {
        message: "rounds need a fixed set of threads, and this system starts some; use contexts"
            .to_owned(),
        line: None,
    })
}
