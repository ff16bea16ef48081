//! # Fairness
//! Which infinite runs count. A run is *strongly* fair if every thread that can act infinitely often
//! does so infinitely often; *weakly* fair if every thread that can act from some point on, without
//! a break, does so infinitely often. Under both, a *fair choice* that a thread makes infinitely
//! often comes out either way infinitely often.

use std::fmt;

use crate::{Fault, State, System, ThreadId, enabled};

/// The fairness that an infinite run must satisfy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Fairness {
    /// No condition: any infinite run counts.
    None,
    /// A thread that can act from some point on acts infinitely often.
    Weak,
    /// A thread that can act infinitely often acts infinitely often.
    #[default]
    Strong,
}

impl Fairness {
    /// All of them, the weakest first.
    pub const ALL: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

    /// The name, as on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }
}

impl fmt::Display for Fairness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the text at which a fair choice is made: the same number in every run on the same
/// text. Each thread that comes there makes choices of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FairPlace(pub u32);

/// A fair choice and how it came out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FairChoice {
    /// Where it was made.
    pub place: FairPlace,
    /// How it came out.
    pub outcome: bool,
}

impl FairChoice {
    /// This choice with the other outcome.
    #[must_use]
    pub fn other(self) -> Self {
        FairChoice { outcome: !self.outcome, ..self }
    }
}

/// Which infinite runs are meant: the fairness, and whether threads may have ended in them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Endless {
    /// The fairness that a run must satisfy.
    pub fairness: Fairness,
    /// Whether a thread may have ended while others go on for ever, as in the definition: who has
    /// ended is not enabled. If not, a run counts only if every thread acts infinitely often or waits.
    /// (Without fairness, any thread may have ended.)
    pub ended: bool,
}

impl Default for Endless {
    /// Strongly fair runs, whoever has ended [Atig, Bouajjani, Emmi, Lal 2012, Sec. 2].
    fn default() -> Self {
        Endless { fairness: Fairness::default(), ended: true }
    }
}

impl Endless {
    /// Whether a thread asks to act at a state: it can act there, or has ended where nobody may
    /// have. A run does not count if a thread asks infinitely often (strong) or from some point on
    /// (weak), and acts only finitely often. In the midst of a step of another thread it has no break:
    /// what counts is whether it can act before and after it.
    pub fn asks(self, system: &dyn System, state: &State, thread: ThreadId) -> Result<bool, Fault> {
        if self.fairness == Fairness::Weak && system.is_between(state.shared) {
            return Ok(true);
        }
        let ended = state.threads[thread.index()].has_ended();
        Ok((ended && !self.ended) || !enabled(system, state, thread)?.is_empty())
    }
}
