//! # Explorations that run elsewhere
//! Workers of this process, or of several machines, explore single states; the loop that decides what comes next is the one of [`super::check`]. It works from below alone: a
//! proof is a bound at which nothing is new.

use super::below::Start;
use super::{
    Listener, Outcome, Question, explored, most_threads, refuse_any_number,
    verify_with_more_and_more_threads,
};
use crate::explore::Explorer;
use crate::explore::share::Terms;
use crate::{Bound, Budget, Resource, Stop};

/// Makes explorers of single states, context by context, whose states are elsewhere.
pub trait Spread: Sync {
    /// An explorer at bound 0.
    fn explorer<'a>(&'a self, terms: Terms) -> Result<Box<dyn Explorer + 'a>, Stop>;
}

/// Whether a violation is reachable within so many contexts.
pub fn check_spread(
    question: &Question<'_>,
    spread: &dyn Spread,
    contexts: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let bound = Bound::contexts(contexts);
    if let Some(outcome) = refuse_any_number(question, Resource::Contexts) {
        return outcome;
    }
    let start = Start::spread(question, spread, most_threads(question, bound));
    explored(question, start, None, contexts, budget, tell)
}

/// Whether a violation is reachable at all.
pub fn verify_spread(
    question: &Question<'_>,
    spread: &dyn Spread,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let check = |bound: Bound| check_spread(question, spread, bound.count, budget, tell);
    if question.system.starts_threads() && !question.needs_all_threads() {
        return verify_with_more_and_more_threads(&check);
    }
    check(Bound::contexts(usize::MAX))
}
