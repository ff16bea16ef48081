//! # Answers
//! What was found out, for people and for other programs, with what it rests on.

use selvedge_analysis::engine::{self, Outcome, Table, Verdict as Found};
use selvedge_analysis::{Budget, Resource, Stop, fair};
use selvedge_evidence::format::{Document, Options as Given, Subject, digest};
use selvedge_evidence::{Trace, property, replay_with};
use selvedge_frontend::c::lower::Limit;
use selvedge_model::{Endless, Property, State};
use selvedge_program::Source;
use selvedge_report::coverage::Covered;
use selvedge_report::json::{self, Observation, VerdictName};
use selvedge_report::run::Lasso;
use selvedge_report::text::TraceOptions;
use selvedge_report::{advice, answer, livelock, page, predicates as by_predicates, sarif};
use selvedge_smt::solver::Query;

use crate::options::{Cost, Heard, Options};
use crate::predicates::Views;
use crate::question::Question;
use crate::verdict::{Counterexample, Proof, Rule, Unknown, Verdict, Within};
use crate::{Failure, coverage};
use selvedge_check::Opened;
use selvedge_check::evidence_options;

/// The answer to a question.
pub struct Answer {
    pub(crate) by: By,
    /// What some run reaches, if nothing goes wrong.
    covered: Option<Covered>,
    cost: Cost,
}

/// What it was found by.
pub(crate) enum By {
    /// Engines that follow states. Where there is a schedule, the last state is what its replay ends in.
    States { question: Box<Question>, opened: Opened, outcome: Outcome, last: Option<State> },
    /// Predicates: a proof, or none.
    Views(Box<Views>),
    /// The search for a run that never ends.
    Endless { opened: Opened, endless: Endless, outcome: fair::Outcome },
}

impl Answer {
    /// What engines that follow states found out. A schedule is replayed.
    pub(crate) fn of_states(
        question: &Question,
        opened: &Opened,
        outcome: Outcome,
    ) -> Result<Self, Failure> {
        has_no_limits(opened);
        let last = match &outcome.verdict {
            Found::Unsafe { trace: Ok(trace), .. } => Some(replayed(opened, trace)?),
            _ => None,
        };
        let question = Box::new(question.clone());
        let by = By::States { question, opened: opened.clone(), outcome, last };
        Ok(Answer::found(by))
    }

    fn found(by: By) -> Self {
        Answer { by, covered: None, cost: Cost::default() }
    }

    /// The answer with what some run reaches, if nothing goes wrong; no answer if all assertions have to be reached and one is not.
    pub(crate) fn covering(
        mut self,
        subject: &selvedge_check::Subject,
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
            _ => return self,
        };
        self.covered = followed.or_else(|| coverage::tried(subject, asked, options, budget));
        match self.covered.as_ref().and_then(Covered::unreached) {
            Some(why) if options.require_reached => self.stopped(why),
            _ => self,
        }
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

    /// Why a violation is none yet: its run ends in a place that cannot be followed any further, or the program does more than the
    /// text there.
    pub(crate) fn doubt(&self, subject: &selvedge_check::Subject) -> Option<String> {
        let By::States { opened, outcome, .. } = &self.by else { return None };
        let Found::Unsafe { .. } = &outcome.verdict else { return None };
        let beyond = subject.beyond()?;
        let line = |span: selvedge_program::Span| opened.source.line(span.start);
        if let Some(limit) = self.limit(subject) {
            return Some(format!("line {} cannot be followed: {}", line(limit.span), limit.reason));
        }
        let many = beyond.approximations.first()?;
        Some(format!(
            "a violation was found, but perhaps the program has none: at line {}, {}",
            line(many.span),
            many.reason
        ))
    }

    /// The place that cannot be followed any further at which a run ends.
    pub(crate) fn limit<'s>(&self, subject: &'s selvedge_check::Subject) -> Option<&'s Limit> {
        let By::States { opened, .. } = &self.by else { return None };
        let at = self.last().and_then(|last| opened.program.as_ref()?.wrong_at(last.shared));
        subject.beyond()?.limits.iter().find(|limit| Some(limit.span) == at)
    }

    /// The last state of a run that goes wrong.
    pub(crate) fn last(&self) -> Option<&State> {
        let By::States { outcome, last, .. } = &self.by else { return None };
        match &outcome.verdict {
            Found::Unsafe { trace: Ok(trace), .. } => Some(last.as_ref().unwrap_or(&trace.initial)),
            _ => None,
        }
    }

    /// Whether it is a violation of a program whose runs end at limits, with no more threads than there are.
    pub(crate) fn is_violation(&self, subject: &selvedge_check::Subject) -> bool {
        let most = subject.beyond().and_then(|beyond| beyond.most_threads).unwrap_or(u32::MAX);
        let threads = self.last().map_or(0, |last| last.threads.len());
        self.name() == VerdictName::Unsafe
            && threads as u64 <= u64::from(most)
            && self.limit(subject).is_none()
    }

    /// The answer without what was found: nothing is known, and why.
    pub(crate) fn stopped(mut self, reason: String) -> Self {
        match &mut self.by {
            By::States { outcome, last, .. } => {
                outcome.verdict = Found::Unknown { stop: Stop::Beyond(reason), completed: None };
                outcome.evidence = None;
                *last = None;
            }
            By::Views(views) => views.stop(Stop::Beyond(reason)),
            By::Endless { .. } => {}
        }
        self
    }

    /// What engines that follow states found out, to be told in other words.
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

    /// The same, with what it cost.
    pub(crate) fn after(self, cost: Cost) -> Self {
        Answer { cost, ..self }
    }

    /// Why predicates have no answer, if it is theirs and they have none.
    pub(crate) fn why_no_views(&self) -> Option<String> {
        match &self.by {
            By::Views(views) => views.why_none().map(ToString::to_string),
            _ => None,
        }
    }

    /// Whether the question is answered, and with a schedule if there is a violation.
    pub(crate) fn is_known(&self) -> bool {
        match &self.by {
            By::States { outcome, .. } => engine::Reply::is_answer(outcome),
            By::Views(views) => views.why_none().is_none(),
            By::Endless { outcome, .. } => engine::Reply::is_answer(outcome),
        }
    }

    /// What is known, with what belongs to it.
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
                    run: trace
                        .as_ref()
                        .map(|trace| (trace, last.as_ref().unwrap_or(&trace.initial))),
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

    /// Why it is safe, in a sentence.
    fn proof(&self) -> String {
        self.each(answer::proof, by_predicates::proof, livelock::proof).unwrap_or_default()
    }

    /// What is known, in a word.
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

    /// What was found or proved, or why neither, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.each(answer::sentence, by_predicates::sentence, livelock::sentence)
    }

    /// The answer for people, as the command line prints it.
    #[must_use]
    pub fn text(&self, options: TraceOptions) -> String {
        self.each(
            |shown| answer::text(shown, options),
            |shown| by_predicates::text(shown, options.paint),
            |shown| livelock::text(shown, options),
        )
    }

    /// What was new at each bound.
    #[must_use]
    pub fn observations(&self) -> Vec<Observation> {
        self.object().observations
    }

    /// The answer for other programs. A lasso is not part of it.
    #[must_use]
    pub fn object(&self) -> json::Object {
        let file = self.source().name();
        self.each(
            json::Object::new,
            |shown| by_predicates::object(shown, file),
            |shown| json::Livelock::new(shown).answer,
        )
    }

    /// The same as text, with the lasso; `evidence` says where the evidence was written.
    #[must_use]
    pub fn json(&self, evidence: Option<String>) -> String {
        if let By::Endless { .. } = &self.by {
            let endless = |shown: &livelock::AboutRuns<'_>| Some(json::Livelock::new(shown));
            if let Some(mut object) = self.each(|_| None, |_| None, endless) {
                object.answer.evidence = evidence;
                return json::print(&object);
            }
        }
        json::print(&json::Object { evidence, ..self.object() })
    }

    /// The answer for code hosts and editors.
    #[must_use]
    pub fn sarif(&self) -> sarif::Log {
        let (source, exit) = (self.source(), self.name().exit_code());
        self.each(
            |shown| sarif::answer(shown, source, exit),
            |shown| sarif::by_predicates(shown, source, exit),
            |shown| sarif::endless(shown, source, exit),
        )
    }

    /// The answer as a page, with the [table](Self::table) that was made beside it.
    #[must_use]
    pub fn document(&self, table: Option<&Table>) -> page::Document {
        let source = self.source();
        let bound = match &self.by {
            By::States { question, .. } => question.bound(),
            _ => None,
        };
        let places = match &self.by {
            By::Views(views) => views.places(),
            _ => Vec::new(),
        };
        let subject = page::Subject { file: source.name(), source: source.written(), bound };
        self.each(
            |shown| page::of_answer(subject, shown, table),
            |shown| page::of_predicates(subject, shown, places),
            |shown| page::of_livelock(subject, shown),
        )
    }

    /// What is new at each bound, as far as so much work allows, in moves of an explorer; nothing where there is no such table. Of
    /// the new visible states, lists up to so long are there.
    #[must_use]
    pub fn table(&self, listed: usize, work: u64) -> Option<Table> {
        let By::States { question, opened, outcome, .. } = &self.by else { return None };
        let system = &*opened.system;
        let (resource, most) = match question.bound() {
            Some(bound) => (bound.resource, Some(bound.count)),
            None => (Resource::Contexts, None),
        };
        let is_other = matches!(resource, Resource::RoundRobin { .. } | Resource::Threads);
        let deadlock = opened.properties.contains(&Property::NoDeadlock);
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
        Some(question.table(opened, resource, most, listed.into()))
    }

    /// What the answer rests on, for [`recheck`](crate::recheck); there is some only if that was asked for.
    pub fn evidence(&self) -> Result<Option<Document>, Failure> {
        let (opened, property, evidence) = match &self.by {
            By::Views(views) => {
                let subject = &views.subject;
                let property = subject.property_name();
                let options = evidence_options(&subject.options, false);
                let about = about(&subject.source, options, &[], property);
                return Ok(views.certificate().map(|proof| Document::of_views(about, proof)));
            }
            By::States { opened, outcome, .. } => {
                let property = property::name(&*opened.system, &opened.properties);
                (opened, property, &outcome.evidence)
            }
            By::Endless { opened, outcome, .. } => {
                (opened, livelock::PROPERTY.to_owned(), &outcome.evidence)
            }
        };
        let Some(evidence) = evidence else { return Ok(None) };
        let deadlock = opened.properties.contains(&Property::NoDeadlock);
        let options = evidence_options(&opened.options, deadlock);
        let about = about(&opened.source, options, &opened.chosen, property);
        Document::new(&*opened.system, about, evidence).map(Some).map_err(Failure::bug)
    }

    /// What the solver was asked about a proof by predicates: what each question is about, and the question.
    #[must_use]
    pub fn queries(&self) -> &[(String, Query)] {
        match &self.by {
            By::Views(views) if views.certificate().is_some() => &views.queries,
            _ => &[],
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

    /// Does with it what there is to do for its kind.
    fn each<T>(
        &self,
        states: impl FnOnce(&answer::AboutStates<'_>) -> T,
        views: impl FnOnce(&by_predicates::ByPredicates<'_>) -> T,
        runs: impl FnOnce(&livelock::AboutRuns<'_>) -> T,
    ) -> T {
        let Cost { time, peak_memory } = self.cost;
        match &self.by {
            By::Views(found) => found.shown(self.covered.as_ref(), self.cost, views),
            By::States { question, opened, outcome, last } => states(&answer::AboutStates {
                file: opened.source.name(),
                system: &*opened.system,
                properties: &opened.properties,
                outcome,
                asked: advice::Asked {
                    method: question.options().engine.method(),
                    bound: question.bound(),
                    unbounded: opened.unbounded.as_deref(),
                    started: question.started,
                    assumptions: question.subject().beyond().map_or(&[], |b| &b.assumptions),
                },
                last: last.as_ref(),
                covered: self.covered.as_ref(),
                time,
                peak_memory,
            }),
            By::Endless { opened, endless, outcome } => runs(&livelock::AboutRuns {
                file: opened.source.name(),
                system: &*opened.system,
                endless: *endless,
                outcome,
                unbounded: opened.unbounded.as_deref(),
                time,
                peak_memory,
            }),
        }
    }
}

/// What evidence is about.
fn about(source: &Source, options: Given, chosen: &[(String, u32)], property: String) -> Subject {
    Subject {
        file: source.name().to_owned(),
        digest: digest(source.text()),
        options,
        chosen: chosen.iter().cloned().collect(),
        property,
    }
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
