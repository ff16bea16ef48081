//! The observation table: what is new at each bound [CUBA, Fig. 1].

use selvedge_model::VisibleState;

use super::below::Below;
use super::pincer::pincer;
use super::{Listener, Outcome, Question, Verdict, refuse_any_number, threads_needed};
use crate::converge::above::Above;
use crate::converge::finite_contexts::{FiniteContexts, finite_contexts};
use crate::explore::Explorer;
use crate::explore::windows::Cut;
use crate::{Budget, Resource, Stop};

/// What is new at each bound.
#[derive(Clone, Debug)]
pub struct Table {
    /// The observations, and whether and where they collapsed. `Safe` says that they did,
    /// `Bounded` that the bound came first.
    pub outcome: Outcome,
    /// The visible states that are new at each bound, sorted; `None` where they are too many to be
    /// listed. Of states that differ by a permutation of interchangeable threads, one is given.
    pub new_visible: Vec<Option<Vec<VisibleState>>>,
    /// Whether contexts of threads of each template reach finitely many states; `None` if the
    /// budget ended before that was known.
    pub finite_contexts: Option<FiniteContexts>,
}

/// Explores until the visible states collapse, or up to a number of contexts or rounds, whatever
/// the properties are. At most `listed` new visible states are kept for each bound.
///
/// Where threads are started and no number of contexts is given, k contexts are explored with as
/// many threads as they need, for growing k, until no thread is left out.
pub fn table(
    question: &Question<'_>,
    resource: Resource,
    most: Option<usize>,
    listed: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Table {
    // Both sides count the same: with rounds, all threads are different.
    let symmetry = question.symmetry && resource == Resource::Contexts;
    let question = Question { properties: &[], symmetry, ..*question };
    let mut kept = Kept { listed, new_visible: Vec::new(), finite: None };
    let outcome = if let Some(outcome) = refuse_any_number(&question, resource) {
        outcome
    } else if question.system.starts_threads() {
        with_started_threads(&question, resource, most, budget, tell, &mut kept)
            .unwrap_or_else(|stop| Outcome::unknown(stop, resource))
    } else {
        pincer(&question, resource, most, budget, tell, Some(&mut kept))
    };
    Table { outcome, new_visible: kept.new_visible, finite_contexts: kept.finite }
}

fn with_started_threads(
    question: &Question<'_>,
    resource: Resource,
    most: Option<usize>,
    budget: &Budget,
    tell: Listener<'_>,
    kept: &mut Kept,
) -> Result<Outcome, Stop> {
    let mut last: Option<Outcome> = None;
    for bound in most.unwrap_or(1).. {
        let threads = Some(threads_needed(question, bound));
        let mut below = Below::new(*question, resource, threads)?;
        let verdict = below.run(bound, budget, tell, |_| false);
        if matches!(verdict, Verdict::Unknown { .. })
            && let Some(before) = last
        {
            // The run before got further.
            return Ok(Outcome { verdict, ..before });
        }
        let Question { system, symmetry, .. } = *question;
        let finite = Above::with_at_most_threads(system, Cut::tight(1), symmetry, threads, budget)
            .and_then(|above| finite_contexts(system, &above, budget));
        kept.fill(&*below.explorer, finite.ok());
        let is_bounded = matches!(verdict, Verdict::Bounded { .. });
        let outcome = below.outcome(verdict);
        if !is_bounded || most.is_some() {
            return Ok(outcome);
        }
        last = Some(outcome);
    }
    last.ok_or(Stop::Cancelled)
}

/// What is kept of an exploration for its table.
pub(super) struct Kept {
    listed: usize,
    new_visible: Vec<Option<Vec<VisibleState>>>,
    finite: Option<FiniteContexts>,
}

impl Kept {
    pub fn fill(&mut self, explorer: &dyn Explorer, finite: Option<FiniteContexts>) {
        let list = |bound| {
            let mut states = explorer.new_visible(bound);
            states.sort_unstable();
            (states.len() <= self.listed).then_some(states)
        };
        self.new_visible = (0..=explorer.bound()).map(list).collect();
        self.finite = finite;
    }
}
