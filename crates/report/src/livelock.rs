//! # Answers about runs that never end
//! The lasso in terms of the source: how it is reached, what is repeated, and why that is fair to
//! each thread.

use std::time::Duration;

use selvedge_analysis::Stop;
use selvedge_analysis::fair::{Outcome, Rounds, Verdict};
use selvedge_evidence::{Checked, Lasso, LassoThread, Part, property, replay_with, thread_name};
use selvedge_model::{Endless, Fairness, State, System, ThreadId};

use crate::advice::after_fault;
use crate::amount::{bytes, seconds};
use crate::answer::Summary;
use crate::json;
use crate::style::Role;
use crate::text::{self, TraceOptions, count, place};

/// What the question is called.
pub const PROPERTY: &str = property::FAIR_TERMINATION;

/// The answer to a question about a system.
#[derive(Clone, Copy)]
pub struct AboutRuns<'a> {
    /// The file.
    pub file: &'a str,
    /// The system.
    pub system: &'a dyn System,
    /// The kind of runs that was asked about.
    pub endless: Endless,
    /// The outcome of the engine.
    pub outcome: &'a Outcome,
    /// A variable of type `int`, which may hold ever larger values.
    pub unbounded: Option<&'a str>,
    /// How long it took.
    pub time: Duration,
    /// The largest amount of memory that was in use.
    pub peak_memory: u64,
}

/// The answer for people.
#[must_use]
pub fn text(answer: &AboutRuns<'_>, options: TraceOptions) -> String {
    let mut shown = summary(answer).text(options.paint);
    if let Verdict::Nonterminating { lasso, .. } = &answer.outcome.verdict {
        shown += &format!("\n{}", text::lasso(answer.system, lasso, options));
    }
    shown
}

/// The answer in words.
#[must_use]
pub fn summary(answer: &AboutRuns<'_>) -> Summary {
    let (verdict, role, mut details) = match &answer.outcome.verdict {
        Verdict::Nonterminating { lasso, checked } => {
            let details = why_fair(answer.system, lasso, checked);
            (json::VerdictName::Nonterminating, Role::Bad, details)
        }
        Verdict::Terminating { with_ended } => {
            let mut details: Vec<_> = proof(answer).map(|why| ("proof", why)).into_iter().collect();
            if with_ended.is_some() {
                let shows = "once a thread has ended, others can go on for ever: leave out --none-ended to see how";
                details.push(("ended", shows.to_owned()));
            }
            let limits = "nothing is said about assertions, deadlocks and other numbers of threads";
            details.push(("limits", limits.to_owned()));
            (json::VerdictName::Safe, Role::Good, details)
        }
        Verdict::Bounded(_) => (json::VerdictName::Bounded, Role::Change, Vec::new()),
        Verdict::Unknown { stop, completed } => {
            let mut details = Vec::new();
            let done = completed.map(|rounds| ("completed", none_within(answer, rounds)));
            details.extend(done);
            details.extend(advice(answer, stop).map(|advice| ("try", advice)));
            (json::VerdictName::Unknown, Role::Change, details)
        }
    };
    details.push(("effort", effort(answer)));
    let sentence = sentence(answer);
    Summary { verdict, role, sentence, details }
}

/// What was proved or found, or why neither, in one sentence.
#[must_use]
pub fn sentence(answer: &AboutRuns<'_>) -> String {
    match &answer.outcome.verdict {
        Verdict::Nonterminating { lasso, checked } => nonterminating(answer, lasso, checked),
        Verdict::Terminating { .. } => format!("no {} goes on for ever", runs(answer.endless)),
        Verdict::Bounded(rounds) => {
            format!("{}; this is not a proof", none_within(answer, *rounds))
        }
        Verdict::Unknown { stop, .. } => stop.to_string(),
    }
}

/// What to try where there is no answer, if there is something.
#[must_use]
pub fn advised(answer: &AboutRuns<'_>) -> Option<String> {
    match &answer.outcome.verdict {
        Verdict::Unknown { stop, .. } => advice(answer, stop),
        _ => None,
    }
}

/// A description of the kind of runs that was asked about.
pub(crate) fn runs(endless: Endless) -> String {
    match endless {
        Endless { fairness: Fairness::None, .. } => "run".to_owned(),
        Endless { fairness, ended: true } => format!("{fairness}ly fair run"),
        Endless { fairness, ended: false } => {
            format!("{fairness}ly fair run in which no thread has ended")
        }
    }
}

fn nonterminating(answer: &AboutRuns<'_>, lasso: &Lasso, checked: &Checked) -> String {
    let kind = runs(answer.endless);
    let stem = match lasso.stem.steps.len() {
        0 => "from the start".to_owned(),
        steps => format!("after {}", count(steps, "step")),
    };
    let (contexts, steps) = (lasso.period_contexts().len(), lasso.period.len());
    let verb = if steps == 1 { "is" } else { "are" };
    format!(
        "a {kind} never ends: {stem}, {} in {} {verb} repeated for ever{}",
        count(steps, "step"),
        count(contexts, "context"),
        who_has_ended(answer.system, lasso, checked),
    )
}

/// More threads than this are counted, not named.
const MOST_NAMES: usize = 3;

/// The threads that have ended before the period, at the end of a sentence.
fn who_has_ended(system: &dyn System, lasso: &Lasso, checked: &Checked) -> String {
    let Checked::Lasso { threads, .. } = checked else { return String::new() };
    let Ok(start) = replay_with(system, &lasso.stem, |_| {}) else { return String::new() };
    let each = start.thread_ids().zip(threads).filter(|(_, thread)| thread.part == Part::Ended);
    let names: Vec<String> = each.map(|(id, _)| thread_name(system, &start, id)).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!("; {name} has ended"),
        [names @ .., last] if names.len() < MOST_NAMES => {
            format!("; {} and {last} have ended", names.join(", "))
        }
        names => format!("; {} have ended", count(names.len(), "thread")),
    }
}

/// Why no run goes on for ever, in a sentence, if that is so.
#[must_use]
pub fn proof(answer: &AboutRuns<'_>) -> Option<String> {
    let Verdict::Terminating { .. } = answer.outcome.verdict else { return None };
    Some(match answer.outcome.states {
        Some(states) => {
            format!("all {} were seen, and no cycle of them is one", count(states, "state"))
        }
        None => "no cycle is one".to_owned(),
    })
}

fn none_within(answer: &AboutRuns<'_>, Rounds { stem, lasso }: Rounds) -> String {
    let kind = runs(answer.endless);
    format!(
        "no periodic {kind} within {} before the period and {lasso} in it",
        count(stem, "round")
    )
}

/// Lines on what each thread does in the period, which show that the run is fair.
fn why_fair(system: &dyn System, lasso: &Lasso, checked: &Checked) -> Vec<(&'static str, String)> {
    let Checked::Lasso { threads, .. } = checked else { return Vec::new() };
    let Ok(start) = replay_with(system, &lasso.stem, |_| {}) else { return Vec::new() };
    let mut details = Vec::new();
    for (id, LassoThread { part, growth }) in start.thread_ids().zip(threads) {
        let name = thread_name(system, &start, id);
        let mut text = format!("{name} {}", what_it_does(system, lasso, &start, id, *part));
        if *growth > 0 {
            text += &format!("; its stack grows by {} each time", count(*growth, "frame"));
        }
        details.push(("thread", text));
    }
    let grows = threads.iter().any(|thread| thread.growth > 0);
    let stacks = match grows {
        false => "all stacks",
        true => "the part of each stack that is looked at",
    };
    let mut repeats = format!("the shared state and {stacks} are the same after each period");
    if lasso.period.iter().any(|(_, action)| action.spawn.is_some()) {
        repeats += "; for each thread that it starts, one ends";
    }
    details.push(("repeats", repeats));
    details
}

fn what_it_does(
    system: &dyn System,
    lasso: &Lasso,
    start: &State,
    id: ThreadId,
    part: Part,
) -> String {
    let at = || {
        let top = start.threads[id.index()].stack.top();
        let statement = top.and_then(|top| system.describe().statement(top));
        let what = statement.map_or(String::new(), |text| format!(": {text}"));
        format!("at {}{what}", place(system, start, id))
    };
    match part {
        Part::Acts => {
            let steps = lasso.period.iter().filter(|(thread, _)| *thread == id).count();
            format!("acts: {} in each period", count(steps, "step"))
        }
        Part::Waits => format!("waits, and can never act, {}", at()),
        Part::Hindered => format!("waits, and can act at some moments but not always, {}", at()),
        Part::Starved => format!("could act, but never gets a turn, {}", at()),
        Part::Ended => "has ended".to_owned(),
    }
}

/// What to try, if there is something.
fn advice(answer: &AboutRuns<'_>, stop: &Stop) -> Option<String> {
    let more = match stop {
        Stop::Timeout => "more time (--timeout)",
        Stop::Memory => "more memory (--memory)",
        Stop::Cancelled => "once more with more patience",
        Stop::HighStack | Stop::InfiniteContext => "a bound on the recursion",
        Stop::Fault(fault) => return Some(after_fault(fault)),
        Stop::Full(_) => return Some("fewer threads or smaller constants".to_owned()),
        Stop::NotClosed(_)
        | Stop::Work
        | Stop::Beyond(_)
        | Stop::Lost(_)
        | Stop::OnlyDeadlocks { .. } => return None,
    };
    let range = answer.unbounded.map_or(String::new(), |name| {
        format!(", a range for `{name}` if it keeps growing (`int[0..9] {name}`)")
    });
    Some(format!("{more}{range}, or fewer threads or smaller constants"))
}

fn effort(answer: &AboutRuns<'_>) -> String {
    let mut parts = vec![answer.outcome.engine.to_owned()];
    parts.extend(answer.outcome.states.map(|states| count(states, "state")));
    parts.extend([seconds(answer.time), bytes(answer.peak_memory)]);
    parts.join(", ")
}
