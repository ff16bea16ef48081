//! Runs that never end, as objects.

use selvedge_analysis::fair::{Rounds, Verdict as Found};
use selvedge_model::{Endless, Fairness};
use serde::Serialize;

use super::{Bound, Object, VERSION, VerdictName};
use crate::livelock::{self, PROPERTY};
use crate::run::Lasso;

/// The answer of `selvedge livelock`: that of the other commands, and the lasso.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Livelock {
    /// What every answer has.
    #[serde(flatten)]
    pub answer: Object,
    /// Which runs were looked for.
    pub asked: EndlessRuns,
    /// The run, if there is one.
    pub lasso: Option<Lasso>,
}

/// Which runs that never end were looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EndlessRuns {
    /// How fair they are: `strong`, `weak` or `none`.
    pub fairness: &'static str,
    /// Whether threads may have ended in them.
    pub ended: bool,
}

impl From<Endless> for EndlessRuns {
    fn from(Endless { fairness, ended }: Endless) -> Self {
        EndlessRuns { fairness: fairness.name(), ended: ended || fairness == Fairness::None }
    }
}

impl From<Rounds> for Bound {
    fn from(Rounds { stem, lasso }: Rounds) -> Self {
        Bound { stem: Some(stem), lasso: Some(lasso), ..Bound::default() }
    }
}

impl Livelock {
    /// An answer as an object.
    #[must_use]
    pub fn new(answer: &livelock::AboutRuns<'_>) -> Self {
        let outcome = answer.outcome;
        let (verdict, bound, reason) = match &outcome.verdict {
            Found::Nonterminating { .. } => (VerdictName::Nonterminating, None, None),
            Found::Terminating { .. } => (VerdictName::Safe, None, None),
            Found::Bounded(rounds) => (VerdictName::Bounded, Some(*rounds), None),
            Found::Unknown { stop, completed } => (VerdictName::Unknown, *completed, Some(stop)),
        };
        let lasso = match &outcome.verdict {
            Found::Nonterminating { lasso, checked } => {
                Some(Lasso::new(answer.system, lasso, checked))
            }
            _ => None,
        };
        let asked = EndlessRuns::from(answer.endless);
        let answer = Object {
            selvedge: VERSION,
            file: answer.file.to_owned(),
            verdict,
            property: PROPERTY.to_owned(),
            engine: Some(outcome.engine.to_owned()),
            bound: bound.map(Bound::from),
            observations: Vec::new(),
            stored_states: outcome.states,
            reductions: Vec::new(),
            assumption: None,
            undecided: None,
            reason: reason.map(ToString::to_string),
            broken: None,
            violation: None,
            why: Vec::new(),
            coverage: None,
            proof: livelock::proof(answer),
            collapse: None,
            time_s: Some(answer.time.as_secs_f64()),
            peak_memory_bytes: Some(answer.peak_memory),
            processes: Vec::new(),
            trace: None,
            evidence: None,
            command: None,
        };
        Livelock { answer, asked, lasso }
    }
}
