//! # Answers
//! What was found out, for people and for other programs, with what it rests on.

use selvedge_analysis::engine::{self, Fewest, Outcome, Table, Verdict as Found};
use selvedge_analysis::{Budget, Resource, Stop, fair};
use selvedge_evidence::format::{Document, Options as Given, Subject, digest};
use selvedge_evidence::{Trace, property, replay_with};
use selvedge_frontend::c::lower::Limit;
use selvedge_model::{Endless, Property, State, Waiting};
use selvedge_program::Source;
use selvedge_report::advice::Recursion;
use selvedge_report::coverage::Covered;
use selvedge_report::deadlocks::{Deadlocks, LeftOut};
use selvedge_report::json::{self, Observation, VerdictName};
use selvedge_report::processes::Process;
use selvedge_report::run::Lasso;
use selvedge_report::text::TraceOptions;
use selvedge_report::{advice, answer, livelock, page, predicates as by_predicates, sarif};
use selvedge_smt::solver::Query;

use crate::going::Going;
use crate::heard::Heard;
use crate::options::{Cost, Options};
use crate::predicates::Views;
use crate::question::Question;
use crate::table::SHORT_LIST;
use crate::verdict::{Counterexample, Proof, Rule, Unknown, Verdict, Within};
use crate::{Failure, coverage, growth};
use selvedge_check::{Deadlocks as Asked, Opened, evidence_options};

/// How much work is done for the observation table beside an answer, in moves: a few seconds.
const FOR_TABLE: u64 = 5 << 20;

/// The answer to a question.
pub struct Answer {
    pub(crate) by: By,
    /// The coverage of the text, if nothing goes wrong.
    covered: Option<Covered>,
    /// A recursion because of which the search may have no end, if it came to none.
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

    /// The answer with what some run reaches, if nothing goes wrong, and with a recursion that explains why there is none; no answer if all assertions have to be reached and one is not.
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
            (By::States { outcome, .. }, VerdictName::Unknown) => {
                let is_asked = came_to_no_end(&outcome.verdict);
                self.recursion = is_asked.then(|| growth::recursion(subject)).flatten();
                return self;
            }
            _ => return self,
        };
        self.covered = followed.or_else(|| coverage::tried(subject, asked, options, budget));
        match self.covered.as_ref().and_then(Covered::unreached) {
            Some(why) if options.require_reached => self.stopped(why),
            _ => self,
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
            Found::Unsafe { trace, .. } => Some(last.as_ref().unwrap_or(&trace.initial)),
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

    /// Whether it is a run that ends in a deadlock.
    pub(crate) fn is_deadlock(&self) -> bool {
        let By::States { opened, outcome, .. } = &self.by else { return false };
        let Found::Unsafe { property, .. } = &outcome.verdict else { return false };
        opened.properties.get(*property).is_some_and(Property::is_about_deadlocks)
    }

    /// Whether it is a run that ends in a deadlock that no further thread could undo.
    pub(crate) fn is_deadlock_for_good(&self) -> bool {
        let By::States { opened, .. } = &self.by else { return false };
        let (Some(program), Some(last)) = (&opened.program, self.last()) else { return false };
        let held = program.held_places();
        let mut left = last.threads.iter().filter(|thread| !thread.has_ended());
        let is_held = |top| opened.system.place_of(top).is_some_and(|at| held.contains(&at));
        self.is_deadlock() && left.all(|thread| thread.stack.top().is_some_and(is_held))
    }

    /// Whether it is a deadlock for which fewer contexts were still looked for when its turn was over.
    pub(crate) fn is_cut_short(&self) -> bool {
        let By::States { outcome, .. } = &self.by else { return false };
        self.is_deadlock() && outcome.fewest == Fewest::Unknown(Stop::Cancelled)
    }

    /// The run as one of a program that says nothing of these numbers of threads. With others, fewer contexts may be enough.
    pub(crate) fn with_chosen_threads(
        mut self,
        subject: &selvedge_check::Subject,
        chosen: Vec<(String, u32)>,
    ) -> Self {
        if let By::States { opened, outcome, .. } = &mut self.by {
            (opened.options, opened.chosen) = (subject.options().clone(), chosen);
            let why = "it was looked for with these numbers of threads only";
            outcome.fewest = Fewest::Unknown(Stop::Beyond(why.to_owned()));
        }
        self
    }

    /// Whether it is not known whether there are deadlocks, although they were asked for.
    pub(crate) fn is_undecided(&self) -> bool {
        self.undecided.is_some()
    }

    /// Whether the engine stopped because something could not be followed.
    pub(crate) fn is_fault(&self) -> bool {
        match &self.by {
            By::States { outcome, .. } => {
                matches!(&outcome.verdict, Found::Unknown { stop: Stop::Fault(_), .. })
            }
            By::Views(_) | By::Endless { .. } => false,
        }
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
    pub(crate) fn leaving_out(self, subject: &selvedge_check::Subject) -> Self {
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
    pub(crate) fn leaving_out_within_bound(self, subject: &selvedge_check::Subject) -> Self {
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

    /// Why it is safe, in a sentence.
    fn proof(&self) -> String {
        self.each(answer::proof, by_predicates::proof, livelock::proof).unwrap_or_default()
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

    /// The result in a sentence: what was found or proved, or why neither.
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

    /// The answer as an object for other programs, without a lasso.
    #[must_use]
    pub fn object(&self) -> json::Object {
        let file = self.source().name();
        let object = self.each(
            json::Object::new,
            |shown| by_predicates::object(shown, file),
            |shown| json::Livelock::new(shown).answer,
        );
        json::Object { command: self.command.clone(), ..object }
    }

    /// The answer as JSON, with the lasso; `evidence` says where the evidence was written.
    #[must_use]
    pub fn json(&self, evidence: Option<String>) -> String {
        if let By::Endless { .. } = &self.by {
            let endless = |shown: &livelock::AboutRuns<'_>| Some(json::Livelock::new(shown));
            if let Some(mut object) = self.each(|_| None, |_| None, endless) {
                object.answer.evidence = evidence;
                object.answer.command.clone_from(&self.command);
                return json::print(&object);
            }
        }
        json::print(&json::Object { evidence, ..self.object() })
    }

    /// The answer for code hosts and editors.
    #[must_use]
    pub fn sarif(&self) -> sarif::Log {
        let (source, exit) = (self.source(), self.name().exit_code());
        let mut log = self.each(
            |shown| sarif::answer(shown, source, exit),
            |shown| sarif::by_predicates(shown, source, exit),
            |shown| sarif::endless(shown, source, exit),
        );
        for invocation in log.runs.iter_mut().flat_map(|run| &mut run.invocations) {
            invocation.command_line.clone_from(&self.command);
        }
        log
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
        let program = match &self.by {
            By::States { opened, .. } => opened.program.as_ref().map(|lowered| lowered.program()),
            _ => None,
        };
        let (file, source) = (source.name(), source.written());
        let subject = page::Subject { file, source, bound, program };
        let mut document = self.each(
            |shown| page::of_answer(subject, shown, table),
            |shown| page::of_predicates(subject, shown, places),
            |shown| page::of_livelock(subject, shown),
        );
        document.question.command.clone_from(&self.command);
        document
    }

    /// The table beside an answer on a page: a few seconds of work, and no long lists.
    #[must_use]
    pub fn table_of_page(&self) -> Option<Table> {
        self.table(SHORT_LIST, FOR_TABLE)
    }

    /// What is new at each bound, as far as so much work allows, in moves of an explorer; nothing where there is no such table. Of
    /// the new visible states, lists up to so long are there. If the exploration was [kept](Options::keep) it goes on, and the states are
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

    /// The evidence for the answer, for [`recheck`](crate::recheck); only if it was asked for.
    pub fn evidence(&self) -> Result<Option<Document>, Failure> {
        let (opened, property, evidence) = match &self.by {
            By::Views(views) => {
                let subject = &views.subject;
                let property = subject.property_name();
                let options = evidence_options(&subject.options, Asked::No);
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
        let is_asked = |property: &Property| match property {
            Property::NoDeadlock(Waiting::Anywhere) => Some(Asked::All),
            Property::NoDeadlock(Waiting::At(_)) => Some(Asked::Waits),
            _ => None,
        };
        let deadlocks = opened.properties.iter().find_map(is_asked).unwrap_or(Asked::No);
        let options = evidence_options(&opened.options, deadlocks);
        let about = about(&opened.source, options, &opened.chosen, property);
        Document::new(&*opened.system, about, evidence).map(Some).map_err(Failure::bug)
    }

    /// The questions that the solver answered for a proof by predicates, each with what it is about.
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

    /// Calls the function for the kind of the result, with a view of it for reports.
    fn each<T>(
        &self,
        states: impl FnOnce(&answer::AboutStates<'_>) -> T,
        views: impl FnOnce(&by_predicates::ByPredicates<'_>) -> T,
        runs: impl FnOnce(&livelock::AboutRuns<'_>) -> T,
    ) -> T {
        let Cost { time, peak_memory } = self.cost;
        let unasked = match &self.by {
            By::States { question, .. } => {
                let subject = question.subject();
                unasked(subject.is_c(), &subject.options().c.options)
            }
            By::Views(views) => {
                let about = &views.subject;
                unasked(about.program.telling.is_some(), &about.options.c.options)
            }
            By::Endless { .. } => None,
        };
        let undecided = self.undecided.as_deref();
        let deadlocks = Deadlocks { left_out: self.left_out, undecided, unasked };
        match &self.by {
            By::Views(found) => found.shown(self.covered.as_ref(), deadlocks, self.cost, views),
            By::States { question, opened, outcome, last, .. } => states(&answer::AboutStates {
                file: opened.source.name(),
                system: &*opened.system,
                properties: &opened.properties,
                outcome,
                asked: advice::AdviceContext {
                    method: question.options().engine.method(),
                    bound: question.bound(),
                    unbounded: opened.unbounded.as_deref(),
                    started: question.started,
                    assumptions: question.subject().beyond().map_or(&[], |b| &b.assumptions),
                    is_shown_by_text: question.subject().reading().ends_at_limits
                        && question.subject().beyond().is_some_and(|beyond| beyond.is_quiet),
                    recursion: self.recursion.as_ref(),
                },
                last: last.as_ref(),
                covered: self.covered.as_ref(),
                deadlocks,
                processes: &self.processes,
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

/// What can be asked of a program in C beside assertions and memory, if only these were asked about.
fn unasked(is_c: bool, asked: &selvedge_frontend::c::lower::Options) -> Option<&'static str> {
    if !is_c || !asked.is_everything() {
        return None;
    }
    match (asked.races, asked.overflow) {
        (false, false) => Some("data races and overflow (--property)"),
        (false, true) => Some("data races (--property no-data-race)"),
        (true, false) => Some("overflow (--property no-overflow)"),
        (true, true) => None,
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

/// The subject that evidence is about.
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
