//! # Answers, told
//!
//! **Question.** One answer is read by people, by other programs, by code hosts and on a page. How do all of them read the same?
//!
//! **Idea.** The kinds of results have a view each, made in one place ([`Answer::each`]), and every form is written of these views. What is said beside
//! the result (what it cost, what it leaves open about deadlocks, which command line asked) is added here, and nowhere else.

use selvedge_analysis::engine::Table;
use selvedge_report::deadlocks::Deadlocks;
use selvedge_report::json::{self, Observation};
use selvedge_report::text::TraceOptions;
use selvedge_report::{advice, answer, livelock, page, predicates as by_predicates, sarif};

use super::{Answer, By};
use crate::options::Cost;

impl Answer {
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

    /// Why it is safe, in a sentence.
    pub(super) fn proof(&self) -> String {
        self.each(answer::proof, by_predicates::proof, livelock::proof).unwrap_or_default()
    }

    /// Calls the function for the kind of the result, with a view of it for reports.
    pub(super) fn each<T>(
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
