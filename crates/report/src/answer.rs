//! # Answers
//! A verdict in words that say what was found or proved, and what that does not promise. The
//! same as JSON is in [`crate::json`].

mod fewest;
mod threads;

use std::time::Duration;

use selvedge_analysis::engine::{LOCAL_STEPS, MOVERS, Outcome, Proof, STUBBORN_SETS, Verdict};
use selvedge_analysis::{Bound, Resource, Stop};
use selvedge_evidence::property;
use selvedge_model::{NotUpward, Property, State, System};

use crate::advice::{AdviceContext, advice};
use crate::amount::{amount, bytes, seconds};
use crate::coverage::Covered;
use crate::deadlocks::{Deadlocks, limits};
use crate::processes::Process;
use crate::style::{Paint, Role};
use crate::text::{self, TraceOptions, count};
use crate::why::{Why, why};
use crate::{json, processes, proof, waits};

/// The answer to a question about a system.
#[derive(Clone, Copy)]
pub struct AboutStates<'a> {
    /// The file.
    pub file: &'a str,
    /// The system.
    pub system: &'a dyn System,
    /// The properties that were checked.
    pub properties: &'a [Property],
    /// The outcome of the engine.
    pub outcome: &'a Outcome,
    /// What was asked, for advice where there is no answer.
    pub asked: AdviceContext<'a>,
    /// The state that a replay of the trace ends in, if there is a trace.
    pub last: Option<&'a State>,
    /// The coverage of the text, if that is known.
    pub covered: Option<&'a Covered>,
    /// What the answer leaves open about deadlocks.
    pub deadlocks: Deadlocks<'a>,
    /// The resources of each process, where several explored.
    pub processes: &'a [Process],
    /// How long it took.
    pub time: Duration,
    /// The largest amount of memory that was in use.
    pub peak_memory: u64,
}

/// A line under the verdict: what it is about, and the text.
pub type Detail = (&'static str, String);

/// An answer in words, before it is laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The verdict.
    pub verdict: json::VerdictName,
    /// Whether that is good or bad.
    pub role: Role,
    /// What was found or proved, in a sentence.
    pub sentence: String,
    /// Lines with a label each: why, what it does not promise, what it took.
    pub details: Vec<Detail>,
}

impl Summary {
    /// The sentence, and the lines in two columns.
    pub(crate) fn text(&self, paint: Paint) -> String {
        let word = paint.paint(self.role, self.verdict.word());
        format!("{word}: {}\n{}", self.sentence, layout(&self.details, paint))
    }
}

/// The answer for people.
#[must_use]
pub fn text(answer: &AboutStates<'_>, options: TraceOptions) -> String {
    let why = why_violated(answer);
    let mut shown = explained(answer, &why).text(options.paint);
    if let Verdict::Unsafe { trace, .. } = &answer.outcome.verdict {
        shown += &format!("\n{}", text::trace_with(answer.system, trace, &why.steps, options));
    }
    shown
}

/// Where the values come from because of which a property is broken.
pub(crate) fn why_violated(answer: &AboutStates<'_>) -> Why {
    let Verdict::Unsafe { property, trace, .. } = &answer.outcome.verdict else {
        return Why::default();
    };
    why(answer.system, answer.properties.get(*property), trace)
}

/// The answer as labelled lines of text.
#[must_use]
pub fn summary(answer: &AboutStates<'_>) -> Summary {
    explained(answer, &why_violated(answer))
}

/// The lines of an answer, with what is known of why a property is broken.
fn explained(answer: &AboutStates<'_>, why: &Why) -> Summary {
    let (verdict, role, more) = match &answer.outcome.verdict {
        Verdict::Safe(proof) => (json::VerdictName::Safe, Role::Good, why_safe(answer, *proof)),
        Verdict::Unsafe { bound, property, trace } => {
            let property = answer.properties.get(*property);
            let mut details = match property {
                Some(Property::NoDeadlock(_)) => waits::at_end(answer.system, trace),
                _ => Vec::new(),
            };
            details.extend(why.lines.iter().map(|line| ("why", line.clone())));
            details.extend(
                fewest::about_trace(answer, *bound, property).map(|fewest| ("fewest", fewest)),
            );
            details.extend(deadlocks_beside(answer, property));
            (json::VerdictName::Unsafe, Role::Bad, details)
        }
        Verdict::Bounded { .. } => {
            (json::VerdictName::Bounded, Role::Change, unsaid(answer).into_iter().collect())
        }
        Verdict::Unknown { stop, completed } => {
            (json::VerdictName::Unknown, Role::Change, what_is_known(answer, stop, *completed))
        }
    };
    let mut details: Vec<Detail> = answer.deadlocks.unasked().into_iter().chain(more).collect();
    // Whoever sees a run that goes wrong does not ask what else there may be.
    let is_violated = verdict == json::VerdictName::Unsafe;
    details.extend(answer.deadlocks.detail().filter(|_| !is_violated));
    details.extend(answer.covered.into_iter().flat_map(Covered::details));
    // It explains why an assertion is not reached; where there is no answer, it stands before what to try.
    let is_answered = !matches!(answer.outcome.verdict, Verdict::Unknown { .. });
    details.extend(recursion(answer).filter(|_| is_answered));
    details.extend(threads::threads(answer));
    details.push(("effort", effort(answer.outcome, answer.time, answer.peak_memory)));
    details.extend(processes::details(answer.processes));
    let sentence = sentence(answer);
    Summary { verdict, role, sentence, details }
}

/// A recursion without end that explains the answer.
fn recursion(answer: &AboutStates<'_>) -> Option<Detail> {
    answer.asked.recursion.map(|recursion| ("recursion", recursion.to_string()))
}

/// What was proved or found, or why neither, in one sentence.
#[must_use]
pub fn sentence(answer: &AboutStates<'_>) -> String {
    match &answer.outcome.verdict {
        Verdict::Safe(_) => safe(answer),
        Verdict::Unsafe { bound, property, trace } => {
            unsafe_sentence(answer, *bound, trace.steps.len(), answer.properties.get(*property))
        }
        Verdict::Bounded { bound } => format!(
            "{} within {}; this is not a proof: `selvedge verify` looks for one",
            no_violation(answer),
            with_switches(*bound)
        ),
        Verdict::Unknown { stop, .. } => stop.to_string(),
    }
}

/// What to try where there is no answer, if there is something.
#[must_use]
pub fn advised(answer: &AboutStates<'_>) -> Option<String> {
    match &answer.outcome.verdict {
        Verdict::Unknown { stop, completed } => advice(answer, stop, *completed),
        _ => None,
    }
}

/// Lines with a label each, in two columns.
pub(crate) fn layout(details: &[Detail], paint: Paint) -> String {
    let width = details.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let line = |(label, text): &Detail| {
        format!("  {}  {text}\n", paint.paint(Role::Faint, &format!("{label:width$}")))
    };
    details.iter().map(line).collect()
}

fn safe(answer: &AboutStates<'_>) -> String {
    let threads = match answer.asked.is_shown_by_text {
        true => "the program".to_owned(),
        false => threads::these_threads(answer.system),
    };
    match answer.properties {
        [] => "nothing can be violated: there is no target, and all visible states are known"
            .to_owned(),
        _ => {
            let all = violations(answer).join(" or ");
            format!("no schedule of {threads} {all}, with any number of contexts")
        }
    }
}

/// Descriptions of what would violate the question's properties.
pub(crate) fn violations(answer: &AboutStates<'_>) -> Vec<String> {
    let asked = |property| answer.properties.contains(&property);
    let is_target = |property: &&Property| matches!(property, Property::Unreachable(_));
    let targets: Vec<&Property> = answer.properties.iter().filter(is_target).collect();
    let mut all = Vec::new();
    if asked(Property::NeverWrong) {
        all.push(answer.system.describe().goes_wrong().to_owned());
    }
    match targets[..] {
        [] => {}
        [one] => all.push(format!("reaches {}", property::one(answer.system, one))),
        _ => all.push(format!("reaches one of the {} targets", targets.len())),
    }
    if answer.properties.iter().any(Property::is_about_deadlocks) {
        all.push("ends in a deadlock".to_owned());
    }
    all
}

fn why_safe(answer: &AboutStates<'_>, proof: Proof) -> Vec<Detail> {
    let outcome = answer.outcome;
    let mut details =
        vec![("proof", proof::in_words(outcome, proof, answer.properties.is_empty()))];
    if let Some(collapse) = outcome.collapse {
        let visible =
            outcome.observations.iter().find(|o| o.bound == collapse).and_then(|o| o.visible);
        details.push((
            "collapse",
            match visible {
                Some(1) => format!("the one visible state is reached within {collapse}"),
                _ => {
                    format!(
                        "all {} are reached within {collapse}",
                        amount(visible, "visible state")
                    )
                }
            },
        ));
    }
    details.extend(unsaid(answer));
    if !answer.asked.assumptions.is_empty() {
        details.push(("assumes", answer.asked.assumptions.join("; ")));
    }
    details
}

/// What the answer to a question about properties says nothing about.
fn unsaid(answer: &AboutStates<'_>) -> Option<Detail> {
    if answer.properties.is_empty() {
        return None;
    }
    let is_any = answer.system.starts_threads()
        || !answer.system.any_number().is_empty()
        || answer.asked.is_shown_by_text;
    let other = (!is_any).then_some("other numbers of threads");
    let unsaid = other.into_iter().chain(answer.deadlocks.limits());
    let ends = match answer.system.any_number().is_empty() {
        true => "whether the threads end (`selvedge livelock`)",
        false => "whether the threads end",
    };
    Some(("limits", limits(unsaid.chain([ends]))))
}

/// Why it is safe, in a sentence.
#[must_use]
pub fn proof(answer: &AboutStates<'_>) -> Option<String> {
    let Verdict::Safe(proof) = answer.outcome.verdict else { return None };
    Some(proof::in_words(answer.outcome, proof, answer.properties.is_empty()))
}

fn unsafe_sentence(
    answer: &AboutStates<'_>,
    bound: Bound,
    steps: usize,
    property: Option<&Property>,
) -> String {
    if steps == 0 && matches!(property, Some(Property::NoDeadlock(_))) {
        return "the program is in a deadlock from the start: no thread can act".to_owned();
    }
    let with = with_switches(bound);
    let steps = format!(" and {}", count(steps, "step"));
    let why = answer.last.and_then(|state| answer.system.wrong(state.shared));
    match (property, why) {
        (Some(target @ Property::Unreachable(_)), _) => {
            let target = property::one(answer.system, target);
            format!("a schedule with {with}{steps} reaches {target}")
        }
        (Some(Property::NoDeadlock(_)), _) => {
            format!("a schedule with {with}{steps} ends in a deadlock: no thread can act")
        }
        (_, Some(why)) => format!("a schedule with {with}{steps} goes wrong: {why}"),
        (_, None) => format!("a schedule with {with}{steps} goes wrong"),
    }
}

/// Which of the properties is broken, by its name, if one is.
pub(crate) fn broken(answer: &AboutStates<'_>) -> Option<String> {
    let Verdict::Unsafe { property, .. } = &answer.outcome.verdict else { return None };
    Some(property::one(answer.system, answer.properties.get(*property)?))
}

/// What goes wrong, if something does, or which target is reached.
#[must_use]
pub fn violation(answer: &AboutStates<'_>) -> Option<String> {
    let Verdict::Unsafe { property, .. } = &answer.outcome.verdict else { return None };
    match answer.properties.get(*property) {
        Some(target @ Property::Unreachable(_)) => {
            Some(format!("{} is reached", property::one(answer.system, target)))
        }
        Some(Property::NoDeadlock(_)) => Some("a deadlock".to_owned()),
        _ => answer.last.and_then(|state| answer.system.wrong(state.shared)),
    }
}

/// The bounded statement, without the bound.
fn no_violation(answer: &AboutStates<'_>) -> String {
    if answer.properties.is_empty() {
        "there is no target; the visible states have not collapsed".to_owned()
    } else {
        "no violation".to_owned()
    }
}

/// `3 contexts (2 switches)`, `2 rounds`.
fn with_switches(bound: Bound) -> String {
    match (bound.resource, bound.count.saturating_sub(1)) {
        (Resource::Contexts, 1) => format!("{bound} (1 switch)"),
        (Resource::Contexts, switches) => format!("{bound} ({switches} switches)"),
        _ => bound.to_string(),
    }
}

fn what_is_known(answer: &AboutStates<'_>, stop: &Stop, completed: Option<Bound>) -> Vec<Detail> {
    let done = match completed {
        _ if matches!(stop, Stop::OnlyDeadlocks { .. }) => {
            let rest: Vec<Property> =
                answer.properties.iter().filter(|p| !p.is_about_deadlocks()).cloned().collect();
            match rest.as_slice() {
                [] => "nothing".to_owned(),
                rest => safe(&AboutStates { properties: rest, ..*answer }),
            }
        }
        // What is not reached was looked for beside a whole proof.
        None if answer.covered.is_some() => safe(answer),
        None => "nothing".to_owned(),
        Some(Bound { count: 0, .. }) => format!("{} in the initial states", no_violation(answer)),
        Some(bound) => format!("{} within {}", no_violation(answer), with_switches(bound)),
    };
    let mut details = vec![("completed", done)];
    if let Some(seen) = answer.outcome.cuts.last()
        && !answer.properties.is_empty()
        && answer.covered.is_none()
    {
        let depth = seen.cut.depth;
        details.push(("above", format!("a stack cut of depth {depth} does not exclude one")));
    }
    details.extend(recursion(answer));
    details.extend(advice(answer, stop, completed).map(|words| ("try", words)));
    details
}

/// What is said about deadlocks where another violation was found, and nobody looked for them.
fn deadlocks_beside(answer: &AboutStates<'_>, violated: Option<&Property>) -> Option<Detail> {
    let is_open = answer.properties.iter().any(Property::is_about_deadlocks)
        && !violated.is_some_and(Property::is_about_deadlocks)
        && !answer.system.any_number().is_empty();
    is_open.then(|| ("deadlock", format!("unknown: {}", NotUpward::Deadlock)))
}

/// A line about the time and memory that the answer took.
pub(crate) fn effort(outcome: &Outcome, time: Duration, peak_memory: u64) -> String {
    let mut parts = vec![outcome.engine.to_owned()];
    if let Some(last) = outcome.observations.last() {
        parts.push(last.bound.to_string());
        let stored = outcome.stored();
        match last.states {
            Some(states) if states != stored as u128 => {
                parts.push(amount(Some(states), "state"));
                parts.push(format!("{stored} stored"));
            }
            Some(states) => parts.push(amount(Some(states), "state")),
            None => {}
        }
        if last.visible.is_some() {
            parts.push(amount(last.visible, "visible state"));
        }
    }
    let uses = |name| outcome.reductions.contains(&name);
    if uses(STUBBORN_SETS) {
        parts.push("threads wait where the order does not matter".to_owned());
    }
    match (uses(LOCAL_STEPS), uses(MOVERS)) {
        (true, true) => parts.push("steps of one thread and inside of locks merged".to_owned()),
        (true, false) => parts.push("steps of one thread merged".to_owned()),
        (false, true) => parts.push("steps inside of locks merged".to_owned()),
        (false, false) => {}
    }
    parts.extend([seconds(time), bytes(peak_memory)]);
    parts.join(", ")
}
