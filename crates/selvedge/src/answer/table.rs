//! # The table beside an answer
//! What is new at each bound, made when somebody wants to see it: from what was explored for the answer, or anew.

use selvedge_analysis::Resource;
use selvedge_analysis::Stop;
use selvedge_analysis::engine::{Table, Verdict as Found};
use selvedge_model::Property;

use super::{Answer, By};
use crate::heard::Heard;
use crate::table::SHORT_LIST;

/// How much work is done for the observation table beside an answer, in moves: a few seconds.
const FOR_TABLE: u64 = 5 << 20;

impl Answer {
    /// The table beside an answer on a page: a few seconds of work, and no long lists.
    #[must_use]
    pub fn table_of_page(&self) -> Option<Table> {
        self.table(SHORT_LIST, FOR_TABLE)
    }

    /// What is new at each bound, as far as so much work allows, in moves of an explorer; nothing where there is no such table. Of
    /// the new visible states, lists up to so long are there. If the exploration was [kept](crate::Options::keep) it goes on, and the states are
    /// those that the answer counts; otherwise every state is explored anew.
    #[must_use]
    pub fn table(&self, listed: usize, work: u64) -> Option<Table> {
        let By::States { question, opened, outcome, going, .. } = &self.by else { return None };
        let system = &*opened.system;
        let (resource, most) = match question.bound() {
            Some(bound) => (bound.resource, Some(bound.count)),
            None => (Resource::Contexts, None),
        };
        let is_other = matches!(resource, Resource::RoundRobin { .. } | Resource::Threads);
        let deadlock = opened.properties.iter().any(Property::is_about_deadlocks);
        let is_cancelled = matches!(outcome.verdict, Found::Unknown { stop: Stop::Cancelled, .. });
        if is_cancelled
            || is_other
            || !system.any_number().is_empty()
            || (deadlock && system.starts_threads())
        {
            return None;
        }
        let words = "the answer is there; now the observation table";
        question.options().tell(Heard::Trying(words));
        let question = question.within(&question.budget().with_work(work));
        let on = going.as_ref().filter(|_| question.started.is_none());
        on.and_then(|going| going.table(&question, opened, (resource, most), listed.into()))
            .or_else(|| Some(question.table(opened, resource, most, listed.into())))
    }
}
