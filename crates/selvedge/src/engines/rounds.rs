//! Rounds, each thread by itself, with summaries over decision diagrams.

use selvedge_analysis::engine::FAVOURED;
use selvedge_analysis::{Bound, Resource};
use selvedge_sequential::{self as summaries, Guesses, engine as sequential};

use super::{Engine, EngineName, Portions, only, refuse_delays};
use crate::Failure;
use crate::answer::Answer;
use crate::question::Question;

/// How much work the other engines do alone, in moves: about a second.
const HEAD_START: u64 = 1 << 20;

/// An engine that makes summaries.
pub(super) struct InRounds {
    pub name: EngineName,
    pub guesses: Guesses,
}

impl Engine for InRounds {
    fn name(&self) -> EngineName {
        self.name
    }

    fn about(&self) -> &'static str {
        match self.guesses {
            Guesses::Lazy => {
                "Summaries over decision diagrams, for what really occurs: for `check` with rounds of a \
                 program"
            }
            Guesses::Near => {
                "Summaries for what occurs after the last context, whatever was before; sorted out \
                 afterwards"
            }
            Guesses::Eager => {
                "Summaries for whatever other threads might do, sorted out afterwards"
            }
        }
    }

    fn refuses_bound(&self, resource: Option<Resource>) -> Option<Failure> {
        match resource {
            Some(resource @ Resource::RoundRobin { .. }) => refuse_delays(resource),
            Some(Resource::Rounds) => None,
            _ => only(self.name, "`check` with `rounds`"),
        }
    }

    fn refuses(&self, question: &Question) -> Option<Failure> {
        let opened = match question.opened() {
            Ok(opened) => opened,
            Err(why) => return Some(why),
        };
        opened.program.is_none().then(|| {
            Failure::usage(
                "the engines `lazy`, `near` and `eager` need a program; for a table there are `explicit`, \
                 `symbolic`, `pds` and `pds-backward`",
            )
        })
    }

    /// Without a bound a violation is sought with more and more rounds.
    fn place(&self, question: &Question) -> Option<Portions> {
        let opened = question.opened().ok()?;
        let asked = sequential::RoundsQuestion {
            program: opened.program.as_deref()?,
            properties: &opened.properties,
            evidence: false,
        };
        let is_first = self.guesses == Guesses::Lazy;
        let has_answer = !opened.properties.is_empty() && asked.refusal().is_none();
        let shares = match question.bound().map(|bound| bound.resource) {
            None => 1,
            Some(Resource::Rounds) => FAVOURED,
            Some(_) => return None,
        };
        (is_first && has_answer).then_some(Portions::later(HEAD_START, shares))
    }

    fn answer(&self, question: &Question) -> Result<Answer, Failure> {
        let opened = question.opened()?;
        let Some(program) = opened.program.as_deref() else {
            return Err(Failure::usage("summaries are made of programs"));
        };
        let evidence = question.options().evidence;
        let asked =
            sequential::RoundsQuestion { program, properties: &opened.properties, evidence };
        let options = summaries::Options { guesses: self.guesses, ..summaries::Options::default() };
        let rounds = question.bound().map_or(usize::MAX, |Bound { count, .. }| count);
        let (budget, tell) = (question.budget(), question.tell());
        let outcome = match question.options().engine {
            // Others tell how far they are.
            EngineName::Auto => sequential::check(&asked, rounds, options, budget, &|_| {}),
            _ => sequential::check(&asked, rounds, options, budget, &tell),
        };
        Answer::of_states(question, opened, outcome)
    }
}
