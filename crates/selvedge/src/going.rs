//! # Answers that go on
//! Where [`Options::keep`](crate::Options::keep) asks for it, an answer keeps what its engine has explored: a larger bound, and what is
//! new at each bound, go on from there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use selvedge_analysis::engine::{self, Exploration, Method, Outcome, Shown, Table};
use selvedge_analysis::{Bound, Resource};
use selvedge_check::Opened;
use selvedge_model::{Fused, Property, System};

use crate::answer::{Answer, By};
use crate::options::Options;
use crate::question::Question;
use crate::{Failure, check, reduced};

/// An exploration that can go on, with the system that it is about.
pub(crate) struct Going {
    /// The system with fewer states, if that was explored.
    fused: Option<Arc<Fused>>,
    exploration: Mutex<Exploration>,
}

impl Going {
    pub(crate) fn new(fused: Option<Arc<Fused>>, exploration: Exploration) -> Self {
        Going { fused, exploration: Mutex::new(exploration) }
    }

    fn exploration(&self) -> MutexGuard<'_, Exploration> {
        self.exploration.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The question, about the system that was explored.
    fn explored<'a>(&'a self, question: &Question, opened: &'a Opened) -> engine::Question<'a> {
        let plain = question.explored(opened, Method::Auto);
        match &self.fused {
            Some(fused) => engine::Question { system: &**fused as &dyn System, ..plain },
            None => plain,
        }
    }

    /// What is new at each bound of this resource, up to the largest one; `None` if something else was counted.
    pub(crate) fn table(
        &self,
        question: &Question,
        opened: &Opened,
        (resource, most): (Resource, Option<usize>),
        shown: Shown,
    ) -> Option<Table> {
        let mut exploration = self.exploration();
        let explored = self.explored(question, opened);
        let (budget, tell) = (question.budget(), question.tell());
        (exploration.bound().resource == resource)
            .then(|| exploration.table(&explored, most, shown, budget, &tell))
    }

    /// Whether there is a violation within a bound that is no smaller than those so far.
    fn check(&self, question: &Question, opened: &Opened, bound: Bound) -> Option<Outcome> {
        let mut exploration = self.exploration();
        let reached = exploration.bound();
        if reached.resource != bound.resource || reached.count > bound.count {
            return None;
        }
        let explored = self.explored(question, opened);
        let (budget, tell) = (question.budget(), question.tell());
        let outcome = exploration.check(&explored, bound.count, budget, &tell);
        Some(match &self.fused {
            Some(fused) => reduced::told(fused, opened, outcome, budget),
            None => outcome,
        })
    }
}

impl Answer {
    /// Asks the same question with another bound. If the exploration was [kept](Options::keep) and the bound is no smaller, it goes on
    /// where it was; otherwise the question is asked anew. Of the options, limits and listener may be others than before.
    ///
    /// ```
    /// use selvedge::{Bound, InputOptions, Options, Subject, VerdictName, check};
    ///
    /// let text = "int[0..4] x := 0; void add() { x := x + 1; assert x < 3; } thread add * 3;";
    /// let subject = Subject::parse("add.weave", text, InputOptions::default())?;
    /// let options = Options { keep: true, ..Options::default() };
    /// let answer = check(&subject, Bound::contexts(1), &options)?;
    /// assert_eq!(answer.name(), VerdictName::Bounded);
    /// let answer = answer.further(3, &options)?;
    /// assert_eq!(answer.name(), VerdictName::Unsafe);
    /// # Ok::<(), selvedge::Failure>(())
    /// ```
    pub fn further(self, count: usize, options: &Options) -> Result<Answer, Failure> {
        let By::States { question, opened, going, .. } = self.by else {
            return Err(Failure::usage("only an answer within a bound can go on to a larger one"));
        };
        let Some(bound) = question.bound().map(|bound| Bound { count, ..bound }) else {
            return Err(Failure::usage("only an answer within a bound can go on to a larger one"));
        };
        let subject = question.subject().clone();
        // Of a deadlock that threads make which begin late, the number of contexts is asked about once more.
        let waits = opened.properties.iter().any(Property::is_about_deadlocks);
        let Some(going) = going.filter(|_| !waits && question.started.is_none()) else {
            return check(&subject, bound, options);
        };
        let (answer, cost) = options.measured(|options| -> Result<_, Failure> {
            let budget = options.budget();
            let question = question.going_on(bound, options, &budget);
            let Some(outcome) = going.check(&question, &opened, bound) else { return Ok(None) };
            let answer = Answer::of_states(&question, &opened, outcome)?.going(Some(going));
            let is_doubted = answer.doubt(&subject).is_some();
            Ok((!is_doubted).then(|| answer.covering(&subject, options, &budget)))
        });
        match answer? {
            Some(answer) => Ok(answer.after(cost)),
            None => check(&subject, bound, options),
        }
    }
}
