//! # An exploration that goes on
//!
//! **Question.** Four contexts are answered. What about five? And what is new at each bound, now that the violation is known?
//!
//! **Idea.** What was reached is kept, together with what was seen from above. The next question looks at what is new at the last
//! bound, and goes on from there.
//!
//! **Claim.** The outcome is that of a new exploration with the larger bound, and together both do as much work as that one.
//!
//! **Needs.** A fixed set of threads: with more contexts, more of those that are started would have to be followed. An exploration that
//! a limit ended within a bound is of no further use, and is not kept.

use std::sync::{Arc, Mutex, PoisonError};

use selvedge_model::System;

use super::below::{Below, Start};
use super::pincer::pincer;
use super::table::Kept;
use super::{CutSeen, Event, Listener, Outcome, Question, Shown, Table, Verdict};
use crate::explore::SystemRef;
use crate::{Bound, Budget, Stop};

/// An exploration that has answered a question, and can go on.
pub struct Exploration {
    below: Below<'static>,
    /// The cuts that were explored from above.
    cuts: Vec<CutSeen>,
}

impl Exploration {
    /// The last bound that was completed.
    #[must_use]
    pub fn bound(&self) -> Bound {
        self.below.resource().bound(self.below.explorer.bound())
    }

    /// Whether a violation is reachable within a bound, at least as large as those so far. The question is about the system that
    /// was explored and, as before, about these properties.
    pub fn check(
        &mut self,
        question: &Question<'_>,
        most: usize,
        budget: &Budget,
        tell: Listener<'_>,
    ) -> Outcome {
        let explorer = &self.below.explorer;
        for observation in explorer.observations() {
            tell(Event::Bound { observation, stored: explorer.stored() });
        }
        let verdict = self.below.run(question, most, budget, tell, |_| false);
        let evidence = self.below.evidence(question, &verdict);
        Outcome { evidence, ..self.below.outcome(verdict) }.about(question)
    }

    /// Tables what is new at each bound, up to `most` or until the visible states collapse. Properties are ignored.
    pub fn table(
        &mut self,
        question: &Question<'_>,
        most: Option<usize>,
        shown: Shown,
        budget: &Budget,
        tell: Listener<'_>,
    ) -> Table {
        let question = Question { properties: &[], ..*question };
        let outcome = pincer(&question, &mut self.below, &self.cuts, most, budget, tell, None);
        let mut kept = Kept::new(shown);
        kept.fill(&*self.below.explorer, &question, None, budget);
        kept.into_table(outcome, None)
    }
}

/// Where an engine leaves its exploration, if that can go on.
pub struct Keeper {
    system: Arc<dyn System>,
    left: Mutex<Option<Exploration>>,
}

impl Keeper {
    /// For explorations of this system.
    #[must_use]
    pub fn new(system: Arc<dyn System>) -> Self {
        Keeper { system, left: Mutex::new(None) }
    }

    /// Takes the exploration that was left here.
    #[must_use]
    pub fn into_exploration(self) -> Option<Exploration> {
        self.left.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, below: Below<'static>, outcome: &Outcome) {
        if !matches!(outcome.verdict, Verdict::Unknown { .. }) {
            let left = Exploration { below, cuts: outcome.cuts.clone() };
            *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
        }
    }
}

/// Explores from below, and leaves the exploration with the keeper if it can go on.
pub(super) fn explore(
    start: Start<'_>,
    keeper: Option<&Keeper>,
    run: impl FnOnce(&mut Below<'_>) -> Outcome,
) -> Result<Outcome, Stop> {
    let Some(keeper) = keeper.filter(|_| start.most_threads.is_none()) else {
        return Below::new(start).map(|mut below| run(&mut below));
    };
    let Start { method, symmetry, resource, most_threads, .. } = start;
    let system = SystemRef::Shared(Arc::clone(&keeper.system));
    let start = Start { system, method, symmetry, resource, most_threads, spread: None };
    let mut below = Below::new(start)?;
    let outcome = run(&mut below);
    keeper.keep(below, &outcome);
    Ok(outcome)
}
