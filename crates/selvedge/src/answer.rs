//! # Answers
//! What was found out, for people and for other programs, with what it rests on. Here it is made and completed; what it settles, how it is told,
//! and what can be checked of it are modules of their own.

mod evidence;
mod standing;
mod table;
mod told;

use selvedge_analysis::engine::{Fewest, Outcome, Verdict as Found};
use selvedge_analysis::{Budget, Stop, fair};
use selvedge_check::{Opened, Subject};
use selvedge_evidence::{Trace, replay_with};
use selvedge_model::{Endless, Property, State, Waiting};
use selvedge_program::Source;
use selvedge_report::advice::Recursion;
use selvedge_report::answer;
use selvedge_report::coverage::Covered;
use selvedge_report::deadlocks::LeftOut;
use selvedge_report::json::VerdictName;
use selvedge_report::processes::Process;
use selvedge_report::run::Lasso;

use crate::going::Going;
use crate::options::{Cost, Options};
use crate::predicates::Views;
use crate::question::Question;
use crate::verdict::{Counterexample, Proof, Rule, Unknown, Verdict, Within};
use crate::{Failure, coverage, growth};

/// The answer to a question.
pub struct Answer {
    pub(crate) by: By,
    /// The coverage of the text, if nothing goes wrong.
    covered: Option<Covered>,
    /// A recursion because of which the search may have no end, or assertions are not reached.
    recursion: Option<Recursion>,
    /// Why it is not known whether there are deadlocks, although they were asked for.
    undecided: Option<String>,
    /// The deadlocks that were not asked about.
    left_out: LeftOut,
    /// The resources of each process, where several explored.
    processes: Vec<Process>,
    cost: Cost,
    /// The command line that asks it again, if one asked.
    command: Option<String>,
}

/// The result behind an answer, by the kind of engine that found it.
pub(crate) enum By {
    /// Engines that follow states. Where there is a schedule, the last state is what its replay ends in.
    /// What was explored may be there, to go on from.
    States {
        question: Box<Question>,
        opened: Opened,
        outcome: Outcome,
        last: Option<State>,
        going: Option<Box<Going>>,
    },
    /// Predicates: a proof, or none.
    Views(Box<Views>),
    /// The search for a run that never ends.
    Endless { opened: Opened, endless: Endless, outcome: fair::Outcome },
}

impl Answer {
    /// Makes an answer of engines that follow states. Its schedule is replayed.
    pub(crate) fn of_states(
        question: &Question,
        opened: &Opened,
        outcome: Outcome,
    ) -> Result<Self, Failure> {
        has_no_limits(opened);
        let last = match &outcome.verdict {
            Found::Unsafe { trace, .. } => Some(replayed(opened, trace)?),
            _ => None,
        };
        let question = Box::new(question.clone());
        let by = By::States { question, opened: opened.clone(), outcome, last, going: None };
        Ok(Answer::found(by))
    }

    /// The answer, with what was explored for it.
    pub(crate) fn going(mut self, kept: Option<Box<Going>>) -> Self {
        if let By::States { going, .. } = &mut self.by {
            *going = kept;
        }
        self
    }

    fn found(by: By) -> Self {
        let (undecided, left_out) = (None, LeftOut::Nothing);
        let (processes, cost) = (Vec::new(), Cost::default());
        let (covered, recursion, command) = (None, None, None);
        Answer { by, covered, recursion, undecided, left_out, processes, cost, command }
    }

    /// The answer with what some run reaches, if nothing goes wrong; no answer if all assertions have to be reached and one is not. With a recursion without end
    /// where that explains why there is no answer, or why an assertion is not reached.
    pub(crate) fn covering(
        mut self,
        subject: &Subject,
        options: &Options,
        budget: &Budget,
    ) -> Self {
        let asked = match &self.by {
            By::States { question, .. } => question.bound(),
            _ => None,
        };
        let followed = match (&self.by, self.name()) {
            (
                By::States { question, opened, outcome, .. },
                VerdictName::Safe | VerdictName::Bounded,
            ) => {
                let is_written = question.started.is_none();
                is_written.then(|| coverage::followed(subject, opened, &outcome.verdict)).flatten()
            }
            (By::Views(_), VerdictName::Safe) => None,
            (By::States { outcome, .. }, VerdictName::Unknown) => {
                let is_asked = came_to_no_end(&outcome.verdict);
                self.recursion = is_asked.then(|| growth::recursion(subject)).flatten();
                return self;
            }
            _ => return self,
        };
        self.covered = followed.or_else(|| coverage::tried(subject, asked, options, budget));
        let Some(why) = self.covered.as_ref().and_then(Covered::unreached) else { return self };
        self.recursion = growth::recursion(subject).filter(Recursion::is_endless);
        match options.require_reached {
            true => self.stopped(why),
            false => self,
        }
    }

    /// What some run reaches, if nothing goes wrong.
    #[must_use]
    pub fn covered(&self) -> Option<&Covered> {
        self.covered.as_ref()
    }

    /// The answer under the name of another engine, which asked the one that gave it.
    #[must_use]
    pub fn by(mut self, engine: &'static str) -> Self {
        match &mut self.by {
            By::States { outcome, .. } => outcome.engine = engine,
            By::Endless { outcome, .. } => outcome.engine = engine,
            By::Views(_) => {}
        }
        self
    }

    /// Lets go of the budget of the engine that gave it: what is asked next has this one.
    pub(crate) fn within(mut self, budget: &Budget) -> Self {
        if let By::States { question, .. } = &mut self.by {
            **question = question.within(budget);
        }
        self
    }

    /// The run as one of a program that says nothing of these numbers of threads. With others, fewer contexts may be enough.
    pub(crate) fn with_chosen_threads(
        mut self,
        subject: &Subject,
        chosen: Vec<(String, u32)>,
    ) -> Self {
        if let By::States { opened, outcome, .. } = &mut self.by {
            (opened.options, opened.chosen) = (subject.options().clone(), chosen);
            let why = "it was looked for with these numbers of threads only";
            outcome.fewest = Fewest::Unknown(Stop::Beyond(why.to_owned()));
        }
        self
    }

    /// The answer without what was found: nothing is known but the bound within which nothing goes wrong, and why.
    pub(crate) fn stopped(mut self, reason: String) -> Self {
        match &mut self.by {
            By::States { outcome, last, .. } => {
                let completed = match outcome.verdict {
                    Found::Bounded { bound } => Some(bound),
                    _ => None,
                };
                outcome.verdict = Found::Unknown { stop: Stop::Beyond(reason), completed };
                outcome.evidence = None;
                *last = None;
            }
            By::Views(views) => views.stop(Stop::Beyond(reason)),
            By::Endless { .. } => {}
        }
        self
    }

    /// The outcome of engines that follow states.
    pub(crate) fn into_outcome(self) -> Option<Outcome> {
        match self.by {
            By::States { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    pub(crate) fn of_views(views: Views) -> Self {
        Answer::found(By::Views(Box::new(views)))
    }

    pub(crate) fn of_endless(opened: Opened, endless: Endless, outcome: fair::Outcome) -> Self {
        has_no_limits(&opened);
        Answer::found(By::Endless { opened, endless, outcome })
    }

    /// Adds the cost of the search to the answer.
    pub(crate) fn after(self, cost: Cost) -> Self {
        Answer { cost, ..self }
    }

    /// The answer of several processes, with what each of them used.
    pub(crate) fn by_processes(self, processes: Vec<Process>) -> Self {
        Answer { processes, ..self }
    }

    /// The answer to the rest of a question: whether there are deadlocks is not known.
    pub(crate) fn without_deadlocks(self, why: String) -> Self {
        Answer { undecided: Some(why), ..self }
    }

    /// The answer with a word on the deadlocks that it is not about.
    pub(crate) fn leaving_out(self, subject: &Subject) -> Self {
        let asked = match &self.by {
            By::States { opened, .. } => &opened.properties[..],
            By::Views(_) | By::Endless { .. } => &[],
        };
        let (waits, assumes) = subject.ways_to_wait();
        let left_out = match asked.iter().find(|property| property.is_about_deadlocks()) {
            Some(Property::NoDeadlock(Waiting::Anywhere)) => LeftOut::Nothing,
            None if waits => LeftOut::All,
            _ if assumes => LeftOut::Assumptions,
            _ => LeftOut::Nothing,
        };
        Answer { left_out, ..self }
    }

    /// The answer within a bound with a line that says that nobody looked for deadlocks, unless it is a schedule, or is about a
    /// target, or threads never wait for each other.
    pub(crate) fn leaving_out_within_bound(self, subject: &Subject) -> Self {
        let is_open = subject.has_waits()
            && self.left_out == LeftOut::All
            && self.name() != VerdictName::Unsafe
            && subject.options().target.is_none();
        let left_out = if is_open { LeftOut::AllWithinBound } else { self.left_out };
        Answer { left_out, ..self }
    }

    /// The answer with the command line that asks it again: whoever gets it as JSON, SARIF or a page can repeat it.
    #[must_use]
    pub fn asked_by(self, command: String) -> Self {
        Answer { command: Some(command), ..self }
    }

    /// The verdict, with its proof, its run or its reason.
    #[must_use]
    pub fn verdict(&self) -> Verdict<'_> {
        match &self.by {
            By::States { opened, outcome, last, .. } => match &outcome.verdict {
                Found::Safe(proof) => Verdict::Safe(Proof {
                    sentence: self.proof(),
                    rule: Rule::States(*proof),
                    collapse: outcome.collapse,
                }),
                Found::Unsafe { bound, trace, .. } => Verdict::Unsafe(Counterexample {
                    system: &*opened.system,
                    bound: *bound,
                    violation: self.each(answer::violation, |_| None, |_| None).unwrap_or_default(),
                    trace,
                    last: last.as_ref().unwrap_or(&trace.initial),
                }),
                Found::Bounded { bound } => Verdict::Bounded(Within::Bound(*bound)),
                Found::Unknown { stop, completed } => Verdict::Unknown(Unknown {
                    stop: Some(stop.clone()),
                    reason: stop.to_string(),
                    completed: completed.map(Within::Bound),
                }),
            },
            By::Views(views) => match views.why_none() {
                None => Verdict::Safe(Proof {
                    sentence: self.proof(),
                    rule: Rule::Predicates,
                    collapse: None,
                }),
                Some(reason) => {
                    let reason = reason.to_string();
                    Verdict::Unknown(Unknown { stop: None, reason, completed: None })
                }
            },
            By::Endless { opened, outcome, .. } => match &outcome.verdict {
                fair::Verdict::Nonterminating { lasso, checked } => {
                    Verdict::Nonterminating(Lasso::new(&*opened.system, lasso, checked))
                }
                fair::Verdict::Terminating { .. } => Verdict::Safe(Proof {
                    sentence: self.proof(),
                    rule: Rule::Termination,
                    collapse: None,
                }),
                fair::Verdict::Bounded(rounds) => Verdict::Bounded(Within::Lasso(*rounds)),
                fair::Verdict::Unknown { stop, completed } => Verdict::Unknown(Unknown {
                    stop: Some(stop.clone()),
                    reason: stop.to_string(),
                    completed: completed.map(Within::Lasso),
                }),
            },
        }
    }

    /// The run that was found, in the system that it was found in: that of a violation; of a run that never ends, its stem and its
    /// period once.
    #[must_use]
    pub fn run(&self) -> Option<(&Opened, Trace)> {
        match &self.by {
            By::States { opened, outcome, .. } => match &outcome.verdict {
                Found::Unsafe { trace, .. } => Some((opened, trace.clone())),
                _ => None,
            },
            By::Endless { opened, outcome, .. } => match &outcome.verdict {
                fair::Verdict::Nonterminating { lasso, .. } => Some((opened, lasso.unrolled(1))),
                _ => None,
            },
            By::Views(_) => None,
        }
    }

    /// The verdict in a word.
    #[must_use]
    pub fn name(&self) -> VerdictName {
        match &self.by {
            // The steps of a lasso are not made for a word.
            By::Endless { outcome, .. }
                if matches!(outcome.verdict, fair::Verdict::Nonterminating { .. }) =>
            {
                VerdictName::Nonterminating
            }
            _ => self.verdict().name(),
        }
    }

    /// The text that it is about.
    #[must_use]
    pub fn source(&self) -> &Source {
        match &self.by {
            By::States { opened, .. } => &opened.source,
            By::Views(views) => &views.subject.source,
            By::Endless { opened, .. } => &opened.source,
        }
    }
}

/// Whether a limit came before the answer, perhaps because stacks grow.
fn came_to_no_end(verdict: &Found) -> bool {
    let Found::Unknown { stop, .. } = verdict else { return false };
    matches!(
        stop,
        Stop::Timeout
            | Stop::Memory
            | Stop::Cancelled
            | Stop::Work
            | Stop::HighStack
            | Stop::InfiniteContext
    )
}

/// Lets a system be looked at after the search, however long that takes.
fn has_no_limits(opened: &Opened) {
    if let Some(program) = &opened.program {
        program.has_no_limits();
    }
}

/// Walks a schedule with the one step function, to its last state: what cannot be walked, or does not end in a
/// violation, is no answer.
fn replayed(opened: &Opened, trace: &Trace) -> Result<State, Failure> {
    let system = &*opened.system;
    let last = replay_with(system, trace, |_| {}).map_err(Failure::bug)?;
    if Property::first_broken(&opened.properties, system, &last)?.is_none() {
        return Err(Failure::bug("the schedule that was found does not end in a violation"));
    }
    Ok(last)
}
