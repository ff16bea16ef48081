//! # Lassos as text
//!
//! ```json
//! "lasso": { "fairness": "strong", "ended": false, "stem": ["one"], "period": ["two", "one * 2"] }
//! ```
//!
//! Stem and period are the lines of one schedule, cut in two.

use crate::{Lasso, Schedule};
use selvedge_model::{Budget, Endless, Fairness, System};
use serde::{Deserialize, Serialize};

use super::EvidenceError;
use super::keys::{follow, not_followed, read_schedule};

/// A [`Lasso`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LassoText {
    fairness: String,
    ended: bool,
    stem: Vec<String>,
    period: Vec<String>,
}

impl LassoText {
    pub fn new(system: &dyn System, lasso: &Lasso) -> Result<Self, EvidenceError> {
        let mut stem = Schedule::from_trace(system, &lasso.unrolled(1))
            .map_err(|error| EvidenceError::new(error.to_string()))?;
        let steps = stem.steps.split_off(lasso.stem.steps.len());
        let period = Schedule { steps, ..Schedule::default() };
        let lines = |schedule: Schedule| schedule.to_string().lines().map(str::to_owned).collect();
        Ok(LassoText {
            fairness: lasso.endless.fairness.to_string(),
            ended: lasso.endless.ended,
            stem: lines(stem),
            period: lines(period),
        })
    }

    pub fn read(&self, system: &dyn System, budget: &Budget) -> Result<Lasso, EvidenceError> {
        let endless = read_endless(&self.fairness, self.ended)?;
        let mut schedule = read_schedule(&self.stem, budget)?;
        let period = read_schedule(&self.period, budget)?;
        if period.initial > 0 || !period.threads.is_empty() {
            return Err(not_followed("the period does not start in an initial state of its own"));
        }
        let stem = schedule.len();
        schedule.steps.extend(period.steps);
        let mut trace = follow(&schedule, system, budget)?;
        let period = trace.steps.split_off(stem);
        Ok(Lasso { stem: trace, period, endless })
    }
}

/// The question that evidence answers.
pub(super) fn read_endless(fairness: &str, ended: bool) -> Result<Endless, EvidenceError> {
    let known = Fairness::ALL.into_iter().find(|f| f.name() == fairness);
    let fairness =
        known.ok_or_else(|| EvidenceError::new(format!("there is no fairness `{fairness}`")))?;
    Ok(Endless { fairness, ended })
}
