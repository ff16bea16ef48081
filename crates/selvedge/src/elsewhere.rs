//! # Explorations that run elsewhere
//!
//! **Question.** Several processes explore one system, each from the text. How do they open the same one?
//!
//! **Idea.** A question says which deadlocks count; which local steps ride along is decided on the way to an answer ([`crate::reduced`]), and so is how a program in C is read. A [`Form`] has
//! all of it in a few words. The process that asks sends the word, and every other one opens the form of the same subject with the same options.
//!
//! **Needs.** That subject and options are the same everywhere: that is for those to find out who connect the processes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use selvedge_analysis::engine::{Method, Spread};
use selvedge_analysis::{Bound, Budget, Resource, Stop};
use selvedge_check::{Deadlocks, Opened, Reading, Subject};
use selvedge_model::{Property, System};
use selvedge_report::processes::Process;

use crate::heard::Listener;
use crate::options::Options;
use crate::question::Question;
use crate::{EngineName, Failure, reduced};

/// Explores single states, in this process and perhaps in others: see [`Options::elsewhere`].
pub trait Elsewhere: Send + Sync {
    /// Explorers of a form of the subject, which this process has opened already.
    fn of<'a>(&'a self, form: Form, opened: &FormOpened) -> Box<dyn Spread + 'a>;

    /// The places of the text that runs have got to, in all processes.
    fn places(&self, budget: &Budget) -> Result<Vec<u32>, Stop>;

    /// Sets a listener for the progress of all processes.
    fn listen(&self, listener: Listener);

    /// The resources that each process has used.
    fn processes(&self) -> Vec<Process>;
}

/// Which system is made of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Form {
    /// The reading of a program in C.
    pub reading: Reading,
    /// Which deadlocks count.
    pub deadlock: Deadlocks,
    /// Which steps ride along with others.
    pub fusing: Fusing,
}

/// Which steps ride along with others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fusing {
    /// No steps ride along.
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
        let Reading { ends_at_limits, heap } = self.reading;
        let limits = if ends_at_limits { "ending" } else { "failing" };
        write!(f, "{deadlock} {fusing} {limits} {heap}")
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("there is no form `{text}` of a system");
        let words: Vec<&str> = text.split(' ').collect();
        let [deadlock, fusing, limits, heap] = words[..] else { return Err(unknown()) };
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
        let ends_at_limits = match limits {
            "ending" => true,
            "failing" => false,
            _ => return Err(unknown()),
        };
        let heap = heap.parse().map_err(|_| unknown())?;
        Ok(Form { reading: Reading { ends_at_limits, heap }, deadlock, fusing })
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
        let other = match form.reading == subject.reading() {
            true => None,
            false => Some(subject.read_as(form.reading)?),
        };
        let subject = other.as_ref().unwrap_or(subject);
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
    let others = "leave --hosts, --checkpoint and --resume out, or ask on one machine";
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
                for (ends_at_limits, heap) in [(false, 5), (true, 80)] {
                    let reading = Reading { ends_at_limits, heap };
                    let form = Form { reading, deadlock, fusing };
                    assert_eq!(form.to_string().parse(), Ok(form));
                }
            }
        }
        let wrong = ["", "waits", "waits plain ", "waits plain failing", "plain waits failing 5"];
        for wrong in wrong.into_iter().chain(["waits plain failing -5", "waits plain failing 5 "]) {
            assert!(wrong.parse::<Form>().is_err(), "{wrong}");
        }
    }
}
