//! # Verdicts
//! What an answer says, with what belongs to it: the proof, the run, the reason.

use selvedge_analysis::fair::Rounds;
use selvedge_analysis::{Bound, Stop};
use selvedge_evidence::Trace;
use selvedge_model::{State, System, Values};
use selvedge_report::json::VerdictName;
use selvedge_report::run::{Lasso, Step, Steps};

/// Says what an answer comes to, and carries the proof, the run or the reason.
#[non_exhaustive]
pub enum Verdict<'a> {
    /// Proved for every schedule.
    Safe(Proof),
    /// No violation within a bound: not a proof.
    Bounded(Within),
    /// A violation was found.
    Unsafe(Counterexample<'a>),
    /// A fair run that does not end.
    Nonterminating(Lasso),
    /// Neither proved nor refuted.
    Unknown(Unknown),
}

impl Verdict<'_> {
    /// The verdict in a word.
    #[must_use]
    pub fn name(&self) -> VerdictName {
        match self {
            Verdict::Safe(_) => VerdictName::Safe,
            Verdict::Bounded(_) => VerdictName::Bounded,
            Verdict::Unsafe(_) => VerdictName::Unsafe,
            Verdict::Nonterminating(_) => VerdictName::Nonterminating,
            Verdict::Unknown(_) => VerdictName::Unknown,
        }
    }
}

/// Why the answer is safe. [`Answer::evidence`](crate::Answer::evidence) gives what can be checked of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// The argument, in a sentence.
    pub sentence: String,
    /// The rule that it follows.
    pub rule: Rule,
    /// The bound after which no visible state is new, if that is known.
    pub collapse: Option<Bound>,
}

/// The rule that a proof follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// About states and stacks: nothing new, cuts, generators, counting.
    States(crate::StatesProof),
    /// Predicates that every step keeps.
    Predicates,
    /// Every run that counts comes to an end.
    Termination,
}

/// Bounds the part of all schedules that was searched without finding a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Within {
    /// All schedules within a bound.
    Bound(Bound),
    /// Periodic runs with a limited number of rounds before the period and in it.
    Lasso(Rounds),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Unknown {
    /// What ended the search, if it was something that ends searches.
    pub stop: Option<Stop>,
    /// Why, in a sentence.
    pub reason: String,
    /// The largest bound that was completed.
    pub completed: Option<Within>,
}

/// A run that shows a violation. It was replayed.
#[derive(Clone)]
pub struct Counterexample<'a> {
    pub(crate) system: &'a dyn System,
    pub(crate) bound: Bound,
    pub(crate) violation: String,
    pub(crate) trace: &'a Trace,
    pub(crate) last: &'a State,
}

impl<'a> Counterexample<'a> {
    /// The smallest bound that shows it.
    #[must_use]
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// What goes wrong, or the target that is reached.
    #[must_use]
    pub fn violation(&self) -> &str {
        &self.violation
    }

    /// The steps, one after the other.
    #[must_use]
    pub fn steps(&self) -> Steps<'a> {
        Steps::new(self.system, self.trace)
    }

    /// The steps as they are told: those of one statement that follow each other without a switch are one.
    #[must_use]
    pub fn statements(&self) -> Vec<Step> {
        selvedge_report::run::statements(self.system, self.trace)
    }

    /// The shared variables at its end.
    #[must_use]
    pub fn last(&self) -> Values {
        self.system.describe().shared_values(self.last.shared)
    }

    /// The system that it is a run of.
    #[must_use]
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// The run of the system.
    #[must_use]
    pub fn trace(&self) -> &'a Trace {
        self.trace
    }
}
