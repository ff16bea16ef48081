//! Predicates, with a solver.

use selvedge_analysis::Resource;

use super::{Engine, EngineName, FAVOURED, Portions, only};
use crate::Failure;
use crate::answer::Answer;
use crate::predicates::{self, accompany, come_first, join};
use crate::question::Question;

/// How much work the other engines do alone where integers have no bounds, in moves: a moment.
const HEAD_START: u64 = 1 << 16;

/// How much they do where threads are started again and again, and states may well have an end: a tenth of a second or two.
const BESIDE_STARTED: u64 = 1 << 20;

/// The engine that proves by invariants over predicates.
pub(super) struct ByPredicates;

impl Engine for ByPredicates {
    fn name(&self) -> EngineName {
        EngineName::Predicates
    }

    fn about(&self) -> &'static str {
        "Invariants over predicates, with an SMT solver: for `verify` of a program with integers without \
         bounds, or any number of threads"
    }

    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure> {
        resource.and_then(|_| only(self.name(), "`verify`"))
    }

    fn place(&self, question: &Question) -> Option<Portions> {
        if question.bound().is_none() && come_first(question) {
            Some(Portions::FIRST)
        } else if join(question) {
            Some(Portions::later(HEAD_START, 2 * FAVOURED))
        } else {
            accompany(question).then_some(Portions::beside(BESIDE_STARTED))
        }
    }

    fn answer(&self, question: &Question) -> Result<Answer, Failure> {
        predicates::find(question)
    }
}
