//! # What there is to see of a trace
//! One [`Row`] a step: who, what, and what changed. Text, JSON and pages are made from it.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{
    Action, Explanation, SharedId, State, Step, SymbolId, System, ThreadId, Word, advance,
};

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
    /// Whether it has nothing to do with other threads: nothing shared is different, no statement mentions a
    /// shared variable, and no thread has started or ended.
    pub is_local: bool,
}

impl Row {
    /// The statements, separated by `; `.
    #[must_use]
    pub fn words(&self) -> String {
        let texts: Vec<_> = self.steps.iter().map(|step| step.text.trim_end_matches(';')).collect();
        texts.join("; ")
    }

    /// The same, with what is different afterwards in parentheses.
    #[must_use]
    pub fn words_with_changes(&self) -> String {
        let changes: Vec<_> = self.changes.iter().map(ToString::to_string).collect();
        match changes.is_empty() {
            true => self.words(),
            false => format!("{} ({})", self.words(), changes.join(", ")),
        }
    }

    /// The line of the (first) statement.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.steps.iter().find_map(|step| step.line)
    }
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

/// Visits the row of each step of a trace that [`selvedge_evidence::replay`] accepts, with the state
/// after it; the answer is the last state. One state is kept, not all of them: those of a long run with a deep stack would fill the memory.
pub fn each_row(system: &dyn System, trace: &Trace, mut visit: impl FnMut(Row, &State)) -> State {
    let mut state = trace.initial.clone();
    let shared = system.describe().shared_values(state.shared);
    let shared: FxHashSet<&str> = shared.iter().map(|(name, _)| name.as_str()).collect();
    for (&(thread, action), context) in trace.steps.iter().zip(trace.context_numbers()) {
        let (name, before) = (thread_name(system, &state, thread), Before::of(&state, thread));
        advance(&mut state, thread, action);
        let steps = statements(system, &action);
        let (changes, is_quiet) = changes(system, thread, &action, &before, &state);
        let is_local = is_quiet && !steps.iter().any(|step| mentions(&step.text, &shared));
        visit(Row { context, thread, name, depth: before.depth, steps, changes, is_local }, &state);
    }
    state
}

/// Whether a text has one of these names.
fn mentions(text: &str, names: &FxHashSet<&str>) -> bool {
    let is_sign = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
    text.split(is_sign).any(|word| names.contains(word))
}

/// What is needed of the state before a step to see what the step changed.
struct Before {
    shared: SharedId,
    top: Option<SymbolId>,
    depth: usize,
    threads: usize,
}

impl Before {
    fn of(state: &State, thread: ThreadId) -> Self {
        let stack = &state.threads[thread.index()].stack;
        let (top, depth) = (stack.top(), stack.0.len());
        Before { shared: state.shared, top, depth, threads: state.threads.len() }
    }
}

/// The statements of an action; where the system has no words for it, its effect.
#[must_use]
pub fn statements(system: &dyn System, action: &Action) -> Vec<Step> {
    let Explanation { steps } = system.describe().explain(action.origin);
    if !steps.is_empty() {
        return steps;
    }
    let word: Vec<_> = action.word.symbols().map(|s| system.describe().show_symbol(s)).collect();
    let word = if word.is_empty() { "-".to_owned() } else { word.join(" ") };
    vec![Step {
        text: format!("-> {} {word}", system.describe().show_shared(action.shared)),
        line: None,
    }]
}

/// A stack symbol without the values of its variables, which stand in brackets after the place.
#[must_use]
pub fn place_name(system: &dyn System, symbol: SymbolId) -> String {
    let shown = system.describe().show_symbol(symbol);
    match shown.split_once('(') {
        Some((place, _)) if !system.describe().symbol_values(symbol).is_empty() => place.to_owned(),
        _ => shown,
    }
}

/// Of deeper stacks only so many frames are shown; the rest is counted.
const SHOWN_FRAMES: usize = 40;

/// The stack of a thread, top first.
#[must_use]
pub fn show_stack(system: &dyn System, state: &State, thread: ThreadId) -> String {
    let stack = &state.threads[thread.index()].stack;
    let mut shown: Vec<_> =
        stack.iter().take(SHOWN_FRAMES).map(|s| system.describe().show_symbol(s)).collect();
    if stack.0.len() > SHOWN_FRAMES {
        shown.push(format!("… {} more", stack.0.len() - SHOWN_FRAMES));
    }
    if shown.is_empty() { "-".to_owned() } else { shown.join(" | ") }
}

/// What a step changed, and whether no other thread can notice it.
fn changes(
    system: &dyn System,
    thread: ThreadId,
    action: &Action,
    before: &Before,
    after: &State,
) -> (Vec<Change>, bool) {
    let mut changes = Vec::new();
    if before.shared != after.shared {
        let [old, new] =
            [before.shared, after.shared].map(|shared| system.describe().shared_values(shared));
        changes = differences(&old, &new);
    }
    let mut is_quiet = changes.is_empty();
    let top = after.threads[thread.index()].stack.top();
    let values =
        |top: Option<SymbolId>| top.map_or(Vec::new(), |s| system.describe().symbol_values(s));
    match action.word {
        Word::Rewrite(_) => changes.extend(differences(&values(before.top), &values(top))),
        Word::Push { .. } => changes.extend(differences(&[], &values(top))),
        Word::Pop => {}
    }
    if after.threads.len() > before.threads {
        is_quiet = false;
        let started = ThreadId::from(after.threads.len() - 1);
        changes.push(Change::Started(thread_name(system, after, started)));
    }
    if before.top.is_some() && top.is_none() {
        is_quiet = false;
        changes.push(Change::Ended);
    }
    (changes, is_quiet)
}

/// The values of `after` that `before` does not have. That a variable may have any value is no
/// news when nothing was known of it before.
pub(crate) fn differences(before: &[(String, String)], after: &[(String, String)]) -> Vec<Change> {
    let known: FxHashMap<&String, &String> = before.iter().rev().map(|(n, v)| (n, v)).collect();
    let old = |name: &String| known.get(name).copied();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_mentions_whole_words() {
        let names = ["x", "top"].into_iter().collect();
        assert!(mentions("if (cas(top, a, b)) [yes]", &names));
        assert!(mentions("y := x", &names));
        assert!(!mentions("stop := x_1 + $x + 1", &names));
    }
}
