//! # The engine
//!
//! The only loop. [`check`] answers the bounded question; [`table`](fn@table) counts what is new at
//! each bound; [`verify`] works from both sides until one of them has an answer:
//!
//! - from below, bound by bound: a violation ends it, with the fewest contexts; so does a bound at
//!   which nothing is new;
//! - from above, cut by cut: a Z_j without a violation ends it, and is the proof.

mod below;
mod pincer;
mod table;

use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Pattern, Property, System};

use crate::explore::Observation;
use crate::explore::windows::Cut;
use crate::{Budget, Stop};
use below::Below;
use pincer::pincer;
pub use table::{Table, table};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The system. If it starts threads, it must be one that may drop them (see
    /// [`System::starts_threads`]).
    pub system: &'a dyn System,
    /// What must not be reached. If there is nothing, the question is which visible states are.
    pub properties: &'a [Property],
    /// How to explore from below.
    pub method: Method,
    /// Whether interchangeable threads are counted instead of listed.
    pub symmetry: bool,
    /// Whether the outcome should carry its evidence, which can be large.
    pub evidence: bool,
}

impl Question<'_> {
    /// Whether there is nothing to violate, so that all visible states are asked for.
    fn is_about_everything(&self) -> bool {
        self.properties.is_empty()
    }
}

/// How to explore from below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Single states while stacks stay low, sets of stacks where contexts are infinite.
    #[default]
    Auto,
    /// Single states.
    Explicit,
    /// Sets of stacks.
    Symbolic,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// What was seen from below, bound by bound.
    pub observations: Vec<Observation>,
    /// What was seen from above, cut by cut.
    pub cuts: Vec<CutSeen>,
    /// The bound at which the visible states collapsed, if that is known.
    pub collapse: Option<usize>,
    /// If the system starts threads: states with more threads than this were not followed; if it
    /// is safe, there are none.
    pub most_threads: Option<usize>,
    /// What the answer rests on: if it was asked for, the verdict is safe or unsafe, and there is
    /// a schedule for a violation.
    pub evidence: Option<Evidence>,
}

/// What was seen with one cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutSeen {
    /// How the stacks were cut.
    pub cut: Cut,
    /// How many visible states are left, without symmetry reduction.
    pub visible: Option<u128>,
    /// How many of them there are up to permutations of interchangeable threads.
    pub kinds: usize,
    /// Whether a violation is among them.
    pub violated: bool,
    /// Whether nothing was cut off, so that exactly what is reachable is left.
    pub exact: bool,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No violation under any schedule.
    Safe(Proof),
    /// A violation, with the fewest contexts that show it.
    Unsafe {
        /// The number of contexts.
        contexts: usize,
        /// Which property it breaks.
        property: usize,
        /// The schedule with the fewest steps, or why it could not be made.
        trace: Result<Trace, Stop>,
    },
    /// No violation within this many contexts. Not a proof.
    Bounded {
        /// The number of contexts.
        contexts: usize,
    },
    /// No answer.
    Unknown {
        /// Why.
        stop: Stop,
        /// The largest number of contexts that was completed without a violation.
        completed: Option<usize>,
    },
}

/// Why a system is safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No state was new at this number of contexts.
    Repetition {
        /// The number of contexts.
        contexts: usize,
    },
    /// The cut leaves no violation.
    Cut(Cut),
}

/// What happens while an engine runs.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A bound was completed from below.
    Bound {
        /// What was seen.
        observation: &'a Observation,
        /// How many words are stored, and the bytes that they take.
        stored: (usize, usize),
    },
    /// A cut was completed from above.
    Cut(CutSeen),
}

/// Told about events.
pub type Listener<'a> = &'a (dyn Fn(Event<'_>) + Sync);

/// Whether a violation is reachable within so many contexts.
pub fn check(
    question: &Question<'_>,
    contexts: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let starts_threads = question.system.starts_threads();
    let most_threads = starts_threads.then(|| threads_needed(question, contexts));
    let mut below = match Below::new(*question, most_threads) {
        Ok(below) => below,
        Err(stop) => return Outcome::unknown(stop),
    };
    let verdict = below.run(contexts, budget, tell, |_| false);
    let evidence = below.evidence(&verdict);
    Outcome { evidence, ..below.outcome(verdict) }
}

/// Whether a violation is reachable at all. Without properties: which visible states are.
pub fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    if question.system.starts_threads() {
        verify_with_more_and_more_threads(question, budget, tell)
    } else {
        pincer(question, None, budget, tell, None)
    }
}

/// How many threads there have to be, so that a violation within so many contexts is not missed.
///
/// All that act after the first context may have been started; those that are started and never
/// act can be dropped, unless the target is about them.
fn threads_needed(question: &Question<'_>, contexts: usize) -> usize {
    let first = question.system.threads().len();
    let idle = |property: &Property| match property {
        Property::Unreachable(Pattern::Somewhere { .. }) => 1,
        Property::Unreachable(Pattern::Tuple { tops, .. }) => tops.len().saturating_sub(first),
        Property::NeverWrong => 0,
    };
    let idle = question.properties.iter().map(idle).max().unwrap_or(0);
    first + contexts.saturating_sub(1) + if contexts > 0 { idle } else { 0 }
}

/// Systems that start threads: k contexts are checked with k threads, for growing k [Qadeer and
/// Rehof, Sec. 4].
fn verify_with_more_and_more_threads(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let mut last: Option<Outcome> = None;
    for contexts in 1.. {
        let mut outcome = check(question, contexts, budget, tell);
        match &mut outcome.verdict {
            Verdict::Bounded { .. } => {}
            Verdict::Unknown { completed, .. } => {
                *completed = contexts.checked_sub(1);
                let seen = last.map(|o| o.observations);
                outcome.observations = seen.unwrap_or(outcome.observations);
                return outcome;
            }
            _ => return outcome,
        }
        last = Some(outcome);
    }
    last.unwrap_or_else(|| Outcome::unknown(Stop::Cancelled))
}

impl Outcome {
    fn unknown(stop: Stop) -> Self {
        Outcome {
            verdict: Verdict::Unknown { stop, completed: None },
            engine: "contexts-explicit",
            observations: Vec::new(),
            cuts: Vec::new(),
            collapse: None,
            most_threads: None,
            evidence: None,
        }
    }

    /// How many words the states are stored in, up to the last bound: fewer than there are states
    /// where one stands for its permutations, or for infinitely many.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.observations.iter().map(|seen| seen.new_stored).sum()
    }

    /// The last bound at which a visible state was new.
    fn last_growth(&self) -> Option<usize> {
        self.observations.iter().rposition(|o| o.new_visible != Some(0))
    }
}
