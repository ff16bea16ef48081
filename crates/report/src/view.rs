//! # What there is to see of a trace
//! One [`Row`] a step: who, what, and what changed. Text, JSON and pages are made from it.

use std::fmt;

use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{Action, Explanation, State, Step, System, ThreadId, Word};

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The context, counted from 1.
    pub context: usize,
    /// Who acts.
    pub thread: ThreadId,
    /// Its name.
    pub name: String,
    /// How many frames its stack has before the step.
    pub depth: usize,
    /// The statements that are executed; never empty.
    pub steps: Vec<Step>,
    /// What is different afterwards.
    pub changes: Vec<Change>,
}

/// Something that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A variable has another value.
    Value {
        /// The variable.
        name: String,
        /// The value before the step; none for a variable that is new.
        before: Option<String>,
        /// The value after it.
        after: String,
    },
    /// A thread of this name was started.
    Started(String),
    /// The thread that acted has ended.
    Ended,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Value { name, before: Some(before), after } => {
                write!(f, "{name}: {before} → {after}")
            }
            Change::Value { name, before: None, after } => write!(f, "{name} = {after}"),
            Change::Started(name) => write!(f, "starts {name}"),
            Change::Ended => f.write_str("ends"),
        }
    }
}

/// The rows of a trace. `states` are those that a replay of it visits.
#[must_use]
pub fn rows(system: &dyn System, trace: &Trace, states: &[State]) -> Vec<Row> {
    let contexts = trace.context_numbers();
    let steps = trace.steps.iter().zip(states.windows(2)).zip(contexts);
    steps
        .map(|(((thread, action), pair), context)| {
            row(system, context, *thread, action, &pair[0], &pair[1])
        })
        .collect()
}

/// The row of one step.
#[must_use]
pub fn row(
    system: &dyn System,
    context: usize,
    thread: ThreadId,
    action: &Action,
    before: &State,
    after: &State,
) -> Row {
    Row {
        context,
        thread,
        name: thread_name(system, before, thread),
        depth: before.threads[thread.index()].stack.0.len(),
        steps: statements(system, action),
        changes: changes(system, thread, action, before, after),
    }
}

/// The statements of an action; where the system has no words for it, its effect.
#[must_use]
pub fn statements(system: &dyn System, action: &Action) -> Vec<Step> {
    let Explanation { steps } = system.explain(action.origin);
    if !steps.is_empty() {
        return steps;
    }
    let word: Vec<_> = action.word.symbols().map(|s| system.show_symbol(s)).collect();
    let word = if word.is_empty() { "-".to_owned() } else { word.join(" ") };
    vec![Step { text: format!("-> {} {word}", system.show_shared(action.shared)), line: None }]
}

/// The stack of a thread, top first.
#[must_use]
pub fn show_stack(system: &dyn System, state: &State, thread: ThreadId) -> String {
    let stack = &state.threads[thread.index()].stack;
    let symbols: Vec<_> = stack.iter().map(|s| system.show_symbol(s)).collect();
    if symbols.is_empty() { "-".to_owned() } else { symbols.join(" | ") }
}

fn changes(
    system: &dyn System,
    thread: ThreadId,
    action: &Action,
    before: &State,
    after: &State,
) -> Vec<Change> {
    let shared = |state: &State| system.shared_values(state.shared);
    let mut changes = differences(&shared(before), &shared(after));
    let stack = |state: &State| state.threads[thread.index()].stack.top();
    let values = |state: &State| stack(state).map_or(Vec::new(), |s| system.symbol_values(s));
    match action.word {
        Word::Rewrite(_) => changes.extend(differences(&values(before), &values(after))),
        Word::Push { .. } => changes.extend(differences(&[], &values(after))),
        Word::Pop => {}
    }
    if after.threads.len() > before.threads.len() {
        let started = ThreadId::from(after.threads.len() - 1);
        changes.push(Change::Started(thread_name(system, after, started)));
    }
    if stack(before).is_some() && stack(after).is_none() {
        changes.push(Change::Ended);
    }
    changes
}

/// The values of `after` that `before` does not have. That a variable may have any value is no
/// news when nothing was known of it before.
fn differences(before: &[(String, String)], after: &[(String, String)]) -> Vec<Change> {
    let old = |name: &String| before.iter().find(|(n, _)| n == name).map(|(_, v)| v);
    after
        .iter()
        .filter(|(name, value)| old(name).map_or(value != "?", |before| before != value))
        .map(|(name, value)| Change::Value {
            name: name.clone(),
            before: old(name).cloned(),
            after: value.clone(),
        })
        .collect()
}
