//! # Explorations that run elsewhere
//!
//! **Question.** Several processes explore one system, each from the text. How do they open the same one?
//!
//! **Idea.** A question says which deadlocks count, and which local steps ride along is decided on the way to an answer ([`crate::reduced`]). A [`Form`] has
//! both in a word. The process that asks sends the word, and every other one opens the form of the same subject with the same options.
//!
//! **Needs.** That subject and options are the same everywhere: that is for those to find out who connect the processes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Spread};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_check::{Deadlocks, Opened, Subject};
use selvedge_model::{Property, System};
use selvedge_report::processes::Process;

use crate::options::{Listener, Options};
use crate::question::Question;
use crate::{EngineName, Failure, reduced};

/// Explores single states, in this process and perhaps in others: see [`Options::elsewhere`].
pub trait Elsewhere: Send + Sync {
    /// Explorers of a form of the subject, which this process has opened already.
    fn of<'a>(&'a self, form: Form, opened: &FormOpened) -> Box<dyn Spread + 'a>;

    /// The places of the text that runs have got to, in all processes.
    fn places(&self, budget: &Budget) -> Result<Vec<u32>, Stop>;

    /// Lets somebody hear how far all processes are.
    fn listen(&self, listener: Listener);

    /// What each process has used.
    fn processes(&self) -> Vec<Process>;
}

/// Which system is made of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// Which deadlocks count.
    pub deadlock: Deadlocks,
    /// Which steps ride along with others.
    pub fusing: Fusing,
}

/// Which steps ride along with others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fusing {
    /// None.
    Nothing,
    /// Those that concern one thread alone.
    LocalSteps,
    /// Those that concern one thread alone; threads begin with their first step that others see.
    BeginningLater,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deadlock = match self.deadlock {
            Deadlocks::No => "no-deadlocks",
            Deadlocks::Waits => "waits",
            Deadlocks::All => "deadlocks",
        };
        let fusing = match self.fusing {
            Fusing::Nothing => "plain",
            Fusing::LocalSteps => "fused",
            Fusing::BeginningLater => "later",
        };
        write!(f, "{deadlock} {fusing}")
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("there is no form `{text}` of a system");
        let (deadlock, fusing) = text.split_once(' ').ok_or_else(unknown)?;
        let deadlock = match deadlock {
            "no-deadlocks" => Deadlocks::No,
            "waits" => Deadlocks::Waits,
            "deadlocks" => Deadlocks::All,
            _ => return Err(unknown()),
        };
        let fusing = match fusing {
            "plain" => Fusing::Nothing,
            "fused" => Fusing::LocalSteps,
            "later" => Fusing::BeginningLater,
            _ => return Err(unknown()),
        };
        Ok(Form { deadlock, fusing })
    }
}

/// A form of a subject that was opened.
#[derive(Clone)]
pub struct FormOpened {
    /// The system that is explored.
    pub system: Arc<dyn System>,
    /// The subject as the question has it, which is below the system.
    pub opened: Opened,
}

impl FormOpened {
    /// Opens a form for a question with these options.
    pub fn new(
        subject: &Subject,
        bound: Option<Bound>,
        options: &Options,
        form: Form,
    ) -> Result<Self, Failure> {
        let options = Options { deadlock: form.deadlock, ..options.clone() };
        let question = Question::new(subject, bound, &options, options.budget());
        let opened = question.opened()?.clone();
        let system = reduced::in_form(&question, &opened, Method::Explicit, form.fusing)
            .ok_or_else(|| Failure::bug(format!("the form `{form}` is none of this subject")))?;
        Ok(FormOpened { system, opened })
    }

    /// The properties that are asked about, in the order of the answer.
    #[must_use]
    pub fn properties(&self) -> &[Property] {
        &self.opened.properties
    }

    /// The places of the text that runs have got to, as far as this process has followed them.
    #[must_use]
    pub fn places(&self) -> Vec<u32> {
        self.opened.program.as_ref().map_or_else(Vec::new, |program| program.noted_places())
    }
}

/// Why a question is not answered by explorations that run elsewhere, if it is not.
pub fn refuses_elsewhere(
    subject: &Subject,
    bound: Option<Bound>,
    engine: EngineName,
) -> Option<Failure> {
    let others = "leave --hosts, --checkpoint and --resume away, or ask on one machine";
    if !matches!(engine, EngineName::Auto | EngineName::Explicit) {
        return Some(Failure::usage(format!(
            "several processes explore single states: the engine `{engine}` works in one process only; {others}"
        )));
    }
    if let Some(bound) = bound
        && bound.resource != Resource::Contexts
    {
        return Some(Failure::usage(format!(
            "several processes count contexts: rounds and delays are explored by one process only; {others}"
        )));
    }
    if subject.is_c() {
        return Some(Failure::usage(format!(
            "programs in C are asked about in several forms, which one process makes: they do not run distributed; {others}"
        )));
    }
    if subject.has_any_number() && bound.is_none() {
        return Some(Failure::usage(format!(
            "any number of threads has no list of states that several processes could share: give a number with --threads, or {others}"
        )));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_again() {
        for deadlock in [Deadlocks::No, Deadlocks::Waits, Deadlocks::All] {
            for fusing in [Fusing::Nothing, Fusing::LocalSteps, Fusing::BeginningLater] {
                let form = Form { deadlock, fusing };
                assert_eq!(form.to_string().parse(), Ok(form));
            }
        }
        for wrong in ["", "waits", "waits plain ", "plain waits", "waits plain later"] {
            assert!(wrong.parse::<Form>().is_err(), "{wrong}");
        }
    }
}
