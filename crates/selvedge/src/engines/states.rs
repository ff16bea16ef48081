//! Engines that follow states: contexts, one pushdown system for all threads, coverability; rounds and delays.

use std::sync::Arc;

use selvedge_analysis::Resource;
use selvedge_analysis::engine::{self, Method, Verdict, delays};
use selvedge_analysis::reduce::Direction;

use super::{Engine, EngineName, Portions, only, refuse_delays};
use crate::Failure;
use crate::answer::Answer;
use crate::elsewhere::{Elsewhere, FormOpened, refuses_elsewhere};
use crate::predicates;
use crate::question::Question;
use crate::reduced::explored;
use selvedge_check::Opened;

/// An engine that follows states by a method.
pub(super) struct OfStates {
    pub name: EngineName,
    pub method: Method,
}

impl Engine for OfStates {
    fn name(&self) -> EngineName {
        self.name
    }

    fn about(&self) -> &'static str {
        match self.method {
            Method::Auto => {
                "Single states while stacks stay low, sets of stacks where contexts are infinite; cut stacks from \
                 above"
            }
            Method::Explicit => "Single states",
            Method::Symbolic => "Sets of stacks",
            Method::Cuts => {
                "Stacks cut ever deeper, from above: it proves, and never finds a violation, for `verify`"
            }
            Method::Generators => {
                "Contexts until no generator is missing at a plateau, as in Alg. 3 of the CUBA paper: for \
                 `verify`"
            }
            Method::Reduction(Direction::Forward) => {
                "All threads as one pushdown system, explored forward: for `check` with rounds"
            }
            Method::Reduction(Direction::Backward) => {
                "All threads as one pushdown system, explored backward: for `check` with rounds"
            }
            Method::Coverability => {
                "Backward, over any number of threads with finitely many local states: for `verify`"
            }
        }
    }

    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure> {
        match (self.method, resource) {
            (Method::Coverability | Method::Generators | Method::Cuts, None) => None,
            (Method::Coverability | Method::Generators | Method::Cuts, Some(_)) => {
                only(self.name, "`verify`")
            }
            (Method::Explicit, _) => None,
            (_, Some(resource @ Resource::RoundRobin { .. })) => refuse_delays(resource),
            (Method::Auto | Method::Symbolic, _)
            | (Method::Reduction(_), Some(Resource::Rounds)) => None,
            (Method::Reduction(_), _) => only(self.name, "`check` with `rounds`"),
        }
    }

    fn place(&self, question: &Question) -> Option<Portions> {
        if self.method != Method::Auto || question.opened().is_err() {
            return None;
        }
        let decided_by_views = question.bound().is_none() && predicates::come_first(question);
        // Places of threads may be decided by coverability where predicates have no answer.
        let may_follow = question.subject().options().target.is_some();
        match decided_by_views {
            true if may_follow => Some(Portions { after: u64::MAX, ..Portions::FIRST }),
            true => None,
            // States may have no end; then predicates are what answers.
            false if predicates::join(question) => Some(Portions::later(0, 1)),
            // It is not known beforehand which engine is faster.
            false if predicates::accompany(question) => Some(Portions::LEADING),
            false => Some(Portions::FIRST),
        }
    }

    fn answer(&self, question: &Question) -> Result<Answer, Failure> {
        let opened = question.opened()?;
        let tell = question.tell();
        let budget = question.budget();
        if let Some(elsewhere) = question.options().elsewhere.as_deref() {
            return self.answer_elsewhere(question, opened, elsewhere);
        }
        let (outcome, going) =
            explored(question, opened, self.method, |explored, of| match question.bound() {
                None => engine::verify_and_keep(explored, of.keeper, budget, &tell),
                Some(bound) => engine::check_and_keep(explored, bound, of.keeper, budget, &tell),
            });
        Ok(Answer::of_states(question, opened, outcome)?.going(going))
    }
}

impl OfStates {
    /// Answers with an exploration that runs elsewhere.
    fn answer_elsewhere(
        &self,
        question: &Question,
        opened: &Opened,
        elsewhere: &dyn Elsewhere,
    ) -> Result<Answer, Failure> {
        let (bound, engine) = (question.bound(), self.name);
        if let Some(why) = refuses_elsewhere(question.subject(), bound, engine) {
            return Err(why);
        }
        let (tell, budget) = (question.tell(), question.budget());
        if let Some(listener) = &question.options().listener {
            elsewhere.listen(Arc::clone(listener));
        }
        let (mut outcome, _) = explored(question, opened, Method::Explicit, |explored, of| {
            let opened = FormOpened { system: Arc::clone(of.system), opened: opened.clone() };
            let spread = elsewhere.of(of.form, &opened);
            match bound {
                None => engine::verify_spread(explored, &*spread, budget, &tell),
                Some(bound) => engine::check_spread(explored, &*spread, bound.count, budget, &tell),
            }
        });
        // What runs of other processes have got to is reached; without it, nobody could say what is not.
        let is_covered = matches!(outcome.verdict, Verdict::Safe(_) | Verdict::Bounded { .. });
        if let Some(program) = opened.program.as_ref().filter(|_| is_covered) {
            match elsewhere.places(budget) {
                Ok(places) => program.note_places(&places),
                Err(stop) => {
                    let completed = outcome.observations.last().map(|last| last.bound);
                    outcome.verdict = Verdict::Unknown { stop, completed };
                    outcome.evidence = None;
                }
            }
        }
        Ok(Answer::of_states(question, opened, outcome)?.by_processes(elsewhere.processes()))
    }
}

/// Rounds of single steps, and delays.
pub(super) struct InDelays;

impl Engine for InDelays {
    fn name(&self) -> EngineName {
        EngineName::Delays
    }

    fn about(&self) -> &'static str {
        "Single states, in rounds of single steps with delays: finite even where contexts are not"
    }

    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure> {
        match resource {
            None | Some(Resource::RoundRobin { .. }) => None,
            Some(_) => only(self.name(), "`verify`, and `check` with `rounds` and `delays`,"),
        }
    }

    fn answer(&self, question: &Question) -> Result<Answer, Failure> {
        if predicates::are_observed(question.options()) {
            return predicates::in_rounds(question);
        }
        let opened = question.opened()?;
        let (explored, tell) = (question.explored(opened, Method::Auto), question.tell());
        let outcome = match question.bound() {
            None => {
                let how = question.delays(opened)?;
                delays::verify(&explored, &how, question.budget(), &tell)
            }
            Some(bound) => engine::check(&explored, bound, question.budget(), &tell),
        };
        Answer::of_states(question, opened, outcome)
    }
}
