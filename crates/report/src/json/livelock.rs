//! Runs that never end, as objects.

use selvedge_analysis::fair::{Rounds, Verdict as Found};
use selvedge_evidence::{Checked, Lasso as Run, Part, thread_name};
use selvedge_model::{Endless, Fairness, System};
use serde::Serialize;

use super::{Answer, Bound, TraceStep, VERSION, Verdict, trace};
use crate::livelock::{self, PROPERTY};

/// The answer of `selvedge livelock`: that of the other commands, and the lasso.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Livelock {
    /// What every answer has.
    #[serde(flatten)]
    pub answer: Answer,
    /// Which runs were looked for.
    pub asked: Asked,
    /// The run, if there is one.
    pub lasso: Option<Lasso>,
}

/// Which runs that never end were looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Asked {
    /// How fair they are: `strong`, `weak` or `none`.
    pub fairness: &'static str,
    /// Whether threads may have ended in them.
    pub ended: bool,
}

impl From<Endless> for Asked {
    fn from(Endless { fairness, ended }: Endless) -> Self {
        Asked { fairness: fairness.name(), ended: ended || fairness == Fairness::None }
    }
}

/// A run that never ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lasso {
    /// How fair it is: `strong`, `weak` or `none`.
    pub fairness: &'static str,
    /// Whether threads were allowed to have ended.
    pub ended: bool,
    /// The steps before the period.
    pub stem: Vec<TraceStep>,
    /// What is repeated. Contexts are counted on from the stem.
    pub period: Vec<TraceStep>,
    /// What each thread does in the periods.
    pub threads: Vec<LassoThread>,
}

/// A thread in the periods.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LassoThread {
    /// Its name.
    pub thread: String,
    /// `acts`, `waits`, `hindered`, `starved` or `ended`.
    pub part: &'static str,
    /// By how many frames its stack grows in each period.
    pub grows: usize,
}

impl From<Rounds> for Bound {
    fn from(Rounds { stem, lasso }: Rounds) -> Self {
        Bound { stem: Some(stem), lasso: Some(lasso), ..Bound::default() }
    }
}

impl Livelock {
    /// An answer as an object.
    #[must_use]
    pub fn new(answer: &livelock::Answer<'_>) -> Self {
        let outcome = answer.outcome;
        let (verdict, bound, reason) = match &outcome.verdict {
            Found::Nonterminating { .. } => (Verdict::Nonterminating, None, None),
            Found::Terminating { .. } => (Verdict::Safe, None, None),
            Found::Bounded(rounds) => (Verdict::Bounded, Some(*rounds), None),
            Found::Unknown { stop, completed } => (Verdict::Unknown, *completed, Some(stop)),
        };
        let is_proof = matches!(outcome.verdict, Found::Terminating { .. });
        let lasso = match &outcome.verdict {
            Found::Nonterminating { lasso, checked } => {
                Some(Lasso::new(answer.system, lasso, checked))
            }
            _ => None,
        };
        let asked = Asked::from(answer.endless);
        let answer = Answer {
            selvedge: VERSION,
            file: answer.file.to_owned(),
            verdict,
            property: PROPERTY.to_owned(),
            engine: Some(outcome.engine.to_owned()),
            bound: bound.map(Bound::from),
            observations: Vec::new(),
            reason: reason.map(ToString::to_string),
            violation: None,
            proof: is_proof.then(|| livelock::proof_in_words(outcome)),
            collapse: None,
            time_s: Some(answer.time.as_secs_f64()),
            peak_memory_bytes: Some(answer.peak_memory),
            trace: None,
            evidence: None,
        };
        Livelock { answer, asked, lasso }
    }
}

impl Lasso {
    fn new(system: &dyn System, lasso: &Run, checked: &Checked) -> Self {
        let mut stem = trace(system, &lasso.unrolled(1));
        let period = stem.split_off(lasso.stem.steps.len().min(stem.len()));
        let threads = match checked {
            Checked::Lasso { threads, .. } => threads.as_slice(),
            _ => &[],
        };
        let mut state = lasso.stem.initial.clone();
        for (thread, action) in &lasso.stem.steps {
            selvedge_model::advance(&mut state, *thread, *action);
        }
        let threads = state.thread_ids().zip(threads).map(|(id, found)| LassoThread {
            thread: thread_name(system, &state, id),
            part: match found.part {
                Part::Acts => "acts",
                Part::Waits => "waits",
                Part::Hindered => "hindered",
                Part::Starved => "starved",
                Part::Ended => "ended",
            },
            grows: found.growth,
        });
        let Asked { fairness, ended } = Asked::from(lasso.endless);
        Lasso { fairness, ended, stem, period, threads: threads.collect() }
    }
}
