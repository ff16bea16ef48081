//! # The threads that an answer is about
//! How many there are, and what is assumed of those that are started.

use std::collections::BTreeSet;

use selvedge_analysis::engine::Verdict;
use selvedge_model::{Property, System};

use super::{AboutStates, Detail};
use crate::advice::Started;
use crate::text::count;

/// The threads in words: `these 2 threads`, `this thread and all that it starts`.
pub(super) fn these_threads(system: &dyn System) -> String {
    let number = system.threads().len();
    let any: BTreeSet<_> = system.any_number().iter().map(|any| any.template).collect();
    if !any.is_empty() {
        let names: Vec<_> =
            any.iter().map(|&t| format!("`{}`", system.describe().template_name(t))).collect();
        let any = format!("any number of threads {}", names.join(" and "));
        let started = if system.starts_threads() { " and all that they start" } else { "" };
        return match number {
            0 => format!("{any}{started}"),
            n => format!("{} and {any}{started}", count(n, "other thread")),
        };
    }
    match (number, system.starts_threads()) {
        (1, false) => "this one thread".to_owned(),
        (n, false) => format!("these {n} threads"),
        (1, true) => "this thread and all that it starts".to_owned(),
        (n, true) => format!("these {n} threads and all that they start"),
    }
}

/// The answer's assumption about threads that are started.
pub(super) fn threads(answer: &AboutStates<'_>) -> Option<Detail> {
    if answer.properties.iter().any(Property::is_about_deadlocks) {
        return None; // nothing is left out
    }
    if let Some(started) = answer.asked.started {
        return about_started(started, &answer.outcome.verdict);
    }
    let most = count(answer.outcome.most_threads?, "thread");
    let text = match &answer.outcome.verdict {
        Verdict::Safe(_) => format!("there are never more than {most}, ended ones included"),
        Verdict::Bounded { .. } | Verdict::Unsafe { .. } => format!(
            "the search followed up to {most}; those that are started and never run are left out, since \
             they do nothing"
        ),
        Verdict::Unknown { .. } => return None,
    };
    Some(("threads", text))
}

/// What an answer that needs a fixed set of threads assumes about those that are started.
fn about_started(started: Started, verdict: &Verdict) -> Option<Detail> {
    if matches!(verdict, Verdict::Unknown { .. }) {
        return None;
    }
    if let Some(assumption) = started.assumption() {
        return Some(("assumes", format!("{assumption}; --started N changes the number")));
    }
    let words = match started.most {
        1 => "one is started, once at most; it has its turns from the beginning, and waits"
            .to_owned(),
        n => format!(
            "{n} are started, each once at most; they have their turns from the beginning, and wait"
        ),
    };
    Some(("threads", format!("{words} until then")))
}
