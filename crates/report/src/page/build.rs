//! Makes documents of answers.

use std::time::Duration;

use selvedge_analysis::engine::{Outcome, Table, Verdict as Found};
use selvedge_analysis::{Bound, fair};
use selvedge_evidence::{Evidence, property};
use selvedge_model::System;
use selvedge_program::Program;

use super::observations::{above, below, collapse};
use super::{
    Document, Invariant, InvariantPlace, PageQuestion, Reply, Schedule, automata, of_lasso,
    of_trace,
};
use crate::answer::{self, AboutStates, Summary};
use crate::coverage::Covered;
use crate::json::VERSION;
use crate::{invariant, livelock, predicates, proof};

/// Schedules with more steps than this are not shown.
const MOST_STEPS: usize = 200_000;

/// Invariants with more places than this are not shown.
const MOST_PLACES: usize = 2_000;

/// The file that a document is about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The file.
    pub file: &'a str,
    /// Its text.
    pub source: &'a str,
    /// The bound, if there is one.
    pub bound: Option<Bound>,
    /// The program, if it is one: the types of its variables say what is restricted.
    pub program: Option<&'a Program>,
}

/// The document of an answer, with the observation table that was made beside it.
#[must_use]
pub fn of_answer(
    subject: Subject<'_>,
    answer: &AboutStates<'_>,
    table: Option<&Table>,
) -> Document {
    let (system, outcome) = (answer.system, answer.outcome);
    let asked = property::name(system, answer.properties);
    let reply = reply(answer::summary(answer), outcome.engine, answer.time, answer.peak_memory);
    let within = match subject.bound {
        Some(bound) => format!("within {bound}"),
        None => "with any number of contexts".to_owned(),
    };
    let question = match answer::violations(answer) {
        none if none.is_empty() => format!("Which visible states are reached {within}?"),
        all => format!("Is there a schedule that {}, {within}?", all.join(" or ")),
    };
    let mut document = Document::new(subject, (question, asked), threads(system), reply);
    document.unit = unit(outcome, table);
    document.below = below(system, outcome, table);
    document.above = above(outcome, table);
    document.collapse = collapse(outcome, table);
    document.never = answer.covered.map(Covered::never).unwrap_or_default();
    match &outcome.verdict {
        Found::Unsafe { bound, trace, .. } => {
            document.violation = Some(bound.count);
            if trace.steps.len() <= MOST_STEPS {
                let schedule = of_trace(system, trace);
                // A target or a deadlock is wrong because of what was asked.
                let wrong = schedule.wrong.clone().or_else(|| answer::violation(answer));
                document.schedule = Some(Schedule { wrong, ..schedule });
            } else {
                document.notes.push(too_long(trace.steps.len()));
            }
        }
        Found::Safe(proof) => {
            let why = proof::in_words(outcome, *proof, answer.properties.is_empty());
            let places = (outcome.evidence.as_ref()).and_then(|evidence| {
                invariant::places(system, subject.program, evidence, MOST_PLACES)
            });
            if places.is_none() {
                document.notes.push(
                    "the invariant is not shown: it has too many places, or was not written down"
                        .to_owned(),
                );
            }
            document.invariant = Some(Invariant { why, places: places.unwrap_or_default() });
        }
        Found::Bounded { .. } | Found::Unknown { .. } => {}
    }
    let of_table = table.and_then(|table| table.outcome.evidence.as_ref());
    if let Some(evidence) = outcome.evidence.as_ref().filter(has_stacks).or(of_table) {
        document.draw(system, evidence);
    }
    document
}

/// The document of an answer about runs that never end.
#[must_use]
pub fn of_livelock(subject: Subject<'_>, answer: &livelock::AboutRuns<'_>) -> Document {
    let (system, outcome) = (answer.system, answer.outcome);
    let asked = livelock::PROPERTY.to_owned();
    let reply = reply(livelock::summary(answer), outcome.engine, answer.time, answer.peak_memory);
    let question = format!("Is there a {} that never ends?", livelock::runs(answer.endless));
    let mut document = Document::new(subject, (question, asked), threads(system), reply);
    match &outcome.verdict {
        fair::Verdict::Nonterminating { lasso, .. } => {
            match lasso.stem.steps.len() + lasso.period.len() {
                steps if steps <= MOST_STEPS => document.schedule = Some(of_lasso(system, lasso)),
                steps => document.notes.push(too_long(steps)),
            }
        }
        fair::Verdict::Terminating { .. } => {
            let why = livelock::proof(answer).unwrap_or_default();
            document.invariant = Some(Invariant { why, places: Vec::new() });
        }
        fair::Verdict::Bounded(_) | fair::Verdict::Unknown { .. } => {}
    }
    document
}

/// The document of a proof by predicates, or of there being none. `places` says what holds where.
#[must_use]
pub fn of_predicates(
    subject: Subject<'_>,
    answer: &predicates::ByPredicates<'_>,
    places: Vec<InvariantPlace>,
) -> Document {
    let reply = reply(predicates::summary(answer), answer.engine, answer.time, answer.peak_memory);
    let what = match answer.property {
        predicates::PROPERTY => answer.goes_wrong.to_owned(),
        target => format!("reaches {target}"),
    };
    let question = format!("Is there a schedule that {what}, with any number of contexts?");
    let asked = (question, answer.property.to_owned());
    let mut document = Document::new(subject, asked, Vec::new(), reply);
    document.unit = "threads";
    document.never = answer.covered.map(Covered::never).unwrap_or_default();
    document.invariant = predicates::proof(answer).map(|why| Invariant { why, places });
    document
}

impl Document {
    fn new(
        subject: Subject<'_>,
        (text, property): (String, String),
        threads: Vec<String>,
        answer: Reply,
    ) -> Self {
        Document {
            selvedge: VERSION,
            file: subject.file.to_owned(),
            source: subject.source.to_owned(),
            question: PageQuestion { text, property, threads, command: None },
            answer,
            unit: "contexts",
            below: Vec::new(),
            above: Vec::new(),
            collapse: None,
            violation: None,
            schedule: None,
            way: None,
            invariant: None,
            never: Vec::new(),
            automata: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn draw(&mut self, system: &dyn System, evidence: &Evidence) {
        let (drawn, notes) = automata(system, evidence);
        self.automata = drawn;
        self.notes.extend(notes);
    }
}

fn has_stacks(evidence: &&Evidence) -> bool {
    match evidence {
        Evidence::Reduced(reduced) => has_stacks(&&*reduced.proof),
        _ => matches!(evidence, Evidence::Aggregate(_) | Evidence::Cut(_)),
    }
}

fn too_long(steps: usize) -> String {
    format!(
        "the schedule has {steps} steps and is not shown; `selvedge verify --evidence` writes it"
    )
}

fn threads(system: &dyn System) -> Vec<String> {
    let any = system.any_number().into_iter();
    let any = any.map(|any| format!("{} * any", system.describe().template_name(any.template)));
    system.threads().iter().map(|thread| thread.name.clone()).chain(any).collect()
}

fn unit(outcome: &Outcome, table: Option<&Table>) -> &'static str {
    let seen = outcome.observations.first();
    let seen = seen.or_else(|| table.and_then(|table| table.outcome.observations.first()));
    seen.map_or("contexts", |seen| match seen.bound.resource.name() {
        "round" => "rounds",
        "thread" => "threads",
        _ => "contexts",
    })
}

fn reply(summary: Summary, engine: &str, time: Duration, peak_memory: u64) -> Reply {
    Reply {
        verdict: summary.verdict,
        sentence: summary.sentence,
        details: summary.details,
        engine: engine.to_owned(),
        time_s: time.as_secs_f64(),
        peak_memory_bytes: peak_memory,
    }
}
