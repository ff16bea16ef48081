//! # What there is to see of a trace
//! One [`Row`] a step: who, what, and what changed. Text, JSON and pages are made from it.

use std::{fmt, iter, slice, vec};

use crate::holders::Holders;
use crate::written::{Untold, by_statement, chosen, untold};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{
    Action, Cell, Datum, Explanation, SharedId, State, Step, SymbolId, System, ThreadId, Values,
    Word, advance,
};

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The context, counted from 1.
    pub context: usize,
    /// The thread that acts.
    pub thread: ThreadId,
    /// The name of the thread.
    pub name: String,
    /// How many frames its stack has before the step.
    pub depth: usize,
    /// The statements that are executed; never empty.
    pub steps: Vec<Step>,
    /// The differences after the step, and what it wrote else; shared variables first.
    pub changes: Vec<Change>,
    /// The number of changes of shared variables among them.
    pub shared: usize,
    /// What each of several statements did, where that is known: the result of a choice is told even if it changes nothing.
    pub within: Vec<Vec<Change>>,
    /// Whether it has nothing to do with other threads: nothing shared is different, no statement mentions a
    /// shared variable, and no thread is started or has ended.
    pub is_local: bool,
}

impl Row {
    /// The statements, separated by `; `.
    #[must_use]
    pub fn words(&self) -> String {
        words(&self.steps)
    }

    /// The statements, with the changes in parentheses.
    #[must_use]
    pub fn words_with_changes(&self) -> String {
        with_changes(&self.steps, &self.changes)
    }

    /// The line of the (first) statement.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.steps.iter().find_map(|step| step.line)
    }
}

/// Statements, separated by `; `.
pub(crate) fn words(steps: &[Step]) -> String {
    let text = |step: &Step| step.text.trim_end_matches(';').replace("  [", " [");
    steps.iter().map(text).collect::<Vec<_>>().join("; ")
}

/// Statements, and what they change in parentheses.
pub(crate) fn with_changes(steps: &[Step], changes: &[Change]) -> String {
    let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
    match changes.is_empty() {
        true => words(steps),
        false => format!("{} ({})", words(steps), changes.join(", ")),
    }
}

/// Something that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A variable has another value.
    Value {
        /// The name of the variable.
        name: String,
        /// The value before the step; none for a variable that is new.
        before: Option<Datum>,
        /// The value after it.
        after: Datum,
    },
    /// It goes wrong, for this reason.
    Wrong(String),
    /// A thread of this name was started.
    Started(String),
    /// A thread was started that never acts in this run.
    StartedIdle,
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
            Change::Wrong(why) => write!(f, "goes wrong: {why}"),
            Change::Started(name) => write!(f, "starts {name}"),
            Change::StartedIdle => f.write_str("starts a thread that never acts"),
            Change::Ended => f.write_str("ends"),
        }
    }
}

/// The rows of a trace that [`selvedge_evidence::replay`] accepts, one after the other. One state is kept, not all of
/// them: those of a long run with a deep stack would fill the memory.
pub struct Rows<'a> {
    system: &'a dyn System,
    /// The steps, each with its context.
    steps: iter::Zip<slice::Iter<'a, (ThreadId, Action)>, vec::IntoIter<usize>>,
    state: State,
    /// The names of the shared variables.
    shared: FxHashSet<String>,
    /// The shared values after the row that came last.
    values: Values,
    holders: Holders,
}

impl<'a> Rows<'a> {
    /// Stands before the first step.
    #[must_use]
    pub fn new(system: &'a dyn System, trace: &'a Trace) -> Self {
        let state = trace.initial.clone();
        let values = system.describe().shared_values(state.shared);
        // Members of a struct are variables of their own; a statement may name the whole.
        let whole = |name: &str| name.split(is_sign).next().unwrap_or_default().to_owned();
        let shared = values.names().flat_map(|name| [name.to_owned(), whole(name)]).collect();
        let steps = trace.steps.iter().zip(trace.context_numbers());
        Rows { system, steps, state, shared, values, holders: Holders::new(system) }
    }

    /// The rows of a trace that goes on from here: who holds which lock is known.
    #[must_use]
    pub fn of_more(&self, more: &'a Trace) -> Self {
        let (holders, values) = (self.holders.clone(), self.values.clone());
        Rows { holders, values, ..Rows::new(self.system, more) }
    }

    /// The shared values after the row that came last, with those who hold the locks.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The state after the row that came last.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The threads that hold locks after the last row.
    pub(crate) fn holders(&self) -> &Holders {
        &self.holders
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let (&(thread, action), context) = self.steps.next()?;
        let (system, state) = (self.system, &mut self.state);
        let (name, before) = (thread_name(system, state, thread), Before::of(state, thread));
        let steps = statements(system, &action);
        let deeds = before
            .top
            .map_or_else(Vec::new, |top| system.describe().deeds(before.shared, top, &action));
        advance(state, thread, action);
        let mut shared = Vec::new();
        if before.shared != state.shared {
            let values = system.describe().shared_values(state.shared);
            let values = self.holders.follow(&name, values);
            shared = differences(&self.values, &values);
            // What a state knows of what went wrong is no variable.
            if let Some(why) = system.wrong(state.shared) {
                tell_wrong(&mut shared, why);
            }
            self.values = values;
        }
        let is_wrong = system.wrong(state.shared).is_some();
        let mut count = shared.len();
        let (mut changes, is_quiet) = changes(system, thread, &action, &before, state, shared);
        let top = state.threads[thread.index()].stack.top();
        let after = |cell: Cell, name: &str| match cell {
            Cell::Shared(_) => self.values.get(name).cloned(),
            Cell::Own { .. } => system.describe().symbol_values(top?).get(name).cloned(),
        };
        // What goes wrong comes to nothing.
        let done = &deeds[..deeds.len() - usize::from(is_wrong && !deeds.is_empty())];
        let Untold { shared, own } = untold(done, &changes, &self.holders, &after);
        changes.extend(own);
        let news = shared.len();
        changes.splice(count..count, shared);
        count += news;
        changes.extend(chosen(&deeds, &changes));
        let starts = steps.iter().any(|step| starts(&step.text));
        if starts && action.spawn.is_none() && system.drops_threads() && !is_wrong {
            changes.push(Change::StartedIdle);
        }
        let concerns = |step: &Step| mentions(&step.text, &self.shared) || joins(&step.text);
        let is_local = is_quiet && !starts && !steps.iter().any(concerns);
        let within = match steps.len() {
            2.. if deeds.len() == steps.len() => {
                (0..deeds.len()).map(|at| by_statement(&name, &deeds, at, &self.holders)).collect()
            }
            _ => Vec::new(),
        };
        let depth = before.depth;
        Some(Row { context, thread, name, depth, steps, changes, shared: count, within, is_local })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.steps.size_hint()
    }
}

impl ExactSizeIterator for Rows<'_> {}

/// Replaces the value that says why a state is wrong by what it says.
fn tell_wrong(changes: &mut [Change], why: String) {
    let is_it = |change: &&mut Change| matches!(change, Change::Value { before: None, after, .. } if *after == why.as_str());
    if let Some(change) = changes.iter_mut().rev().find(is_it) {
        *change = Change::Wrong(why);
    }
}

/// Tells the steps of a statement that follow each other in a context as one: the last one says how it went, all of them what changed. What comes after it is what comes after the last one.
pub(crate) fn together<T>(rows: Vec<(Row, T)>) -> Vec<(Row, T)> {
    let plain = |row: &Row| {
        let text = |step: &Step| step.text.split("  [").next().unwrap_or_default().to_owned();
        (
            row.context,
            row.thread,
            row.depth,
            row.line(),
            row.steps.iter().map(text).collect::<Vec<_>>(),
        )
    };
    let mut told: Vec<(Row, T)> = Vec::new();
    let count = rows.len();
    for (number, (row, then)) in rows.into_iter().enumerate() {
        // A step of no statement is told if there is something to tell.
        let is_nothing = row.changes.is_empty() && row.steps.iter().all(|step| step.text == "…");
        let begins = told.last().is_none_or(|(last, _)| last.context != row.context);
        if is_nothing && !begins && number + 1 < count {
            if let Some((_, after)) = told.last_mut() {
                *after = then;
            }
            continue;
        }
        let (last, after) = match told.last_mut() {
            Some((last, after)) if plain(last) == plain(&row) => (last, after),
            _ => {
                told.push((row, then));
                continue;
            }
        };
        last.is_local &= row.is_local;
        last.steps = row.steps;
        // Nobody else acted since the thread let go of the mutex.
        for step in &mut last.steps {
            if let Some(call) = step.text.strip_suffix("[wakes]") {
                step.text = format!("{call}[wakes without a signal]");
            }
        }
        last.within.clear();
        *after = then;
        for change in row.changes {
            merge(&mut last.changes, change);
        }
    }
    told
}

/// Adds a change to those before it: a variable that changes again has changed once, and not at all if it is what it was.
fn merge(changes: &mut Vec<Change>, change: Change) {
    let Change::Value { name, after, .. } = &change else { return changes.push(change) };
    let is_it = |earlier: &Change| matches!(earlier, Change::Value { name: of, .. } if of == name);
    let Some(position) = changes.iter().position(is_it) else { return changes.push(change) };
    let Change::Value { before, after: known, .. } = &mut changes[position] else { return };
    let was_one = before.as_ref() != Some(known);
    known.clone_from(after);
    if was_one && before.as_ref() == Some(known) {
        changes.remove(position);
    }
}

/// Whether a text has one of these names.
fn mentions(text: &str, names: &FxHashSet<String>) -> bool {
    text.split(is_sign).any(|word| names.contains(word))
}

/// Whether a statement starts a thread: whoever reads a schedule wants to know, even if that thread does nothing in it.
fn starts(text: &str) -> bool {
    const WORDS: [&str; 3] = ["async", "start_thread", "thread_create"];
    text.split(is_sign).any(|word| WORDS.contains(&word))
}

/// Whether a statement waits for the end of a thread, which has to do with that thread even if it had ended already.
fn joins(text: &str) -> bool {
    const WORDS: [&str; 4] = ["join", "pthread_join", "thrd_join", "thread_join"];
    text.split(is_sign).any(|word| WORDS.contains(&word))
}

/// The words of a text.
pub(crate) fn mentioned(text: &str) -> FxHashSet<String> {
    text.split(is_sign).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether it belongs to no name.
fn is_sign(c: char) -> bool {
    !(c.is_alphanumeric() || c == '_' || c == '$')
}

/// The parts of a state that show what the next step changed.
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
pub(crate) const SHOWN_FRAMES: usize = 40;

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

/// What a step changed, those of shared variables first, and whether no other thread can notice it.
fn changes(
    system: &dyn System,
    thread: ThreadId,
    action: &Action,
    before: &Before,
    after: &State,
    mut changes: Vec<Change>,
) -> (Vec<Change>, bool) {
    let mut is_quiet = changes.is_empty();
    let top = after.threads[thread.index()].stack.top();
    let values = |top: Option<SymbolId>| {
        top.map_or(Values::default(), |s| system.describe().symbol_values(s))
    };
    match action.word {
        Word::Rewrite(_) => changes.extend(differences(&values(before.top), &values(top))),
        Word::Push { .. } => changes.extend(differences(&Values::default(), &values(top))),
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

/// Of an array with more elements that change, all of it is told.
pub(crate) const MOST_ELEMENTS: usize = 4;

/// The values of `after` that `before` does not have; of an array, the elements. That a variable may have any value is no
/// news when nothing was known of it before.
pub(crate) fn differences(before: &Values, after: &Values) -> Vec<Change> {
    let known: FxHashMap<&str, &Datum> = before.iter().collect();
    let mut changes = Vec::new();
    for (name, value) in after.iter() {
        match known.get(name) {
            Some(old) if *old == value => {}
            Some(old) => {
                let mut elements = Vec::new();
                by_element(name, old, value, &mut elements);
                match elements.len() > MOST_ELEMENTS {
                    true => changes.push(changed(name, Some(old), value)),
                    false => changes.extend(elements),
                }
            }
            None if *value == Datum::Any => {}
            None => changes.push(changed(name, None, value)),
        }
    }
    changes
}

pub(crate) fn changed(name: &str, before: Option<&Datum>, after: &Datum) -> Change {
    Change::Value { name: name.to_owned(), before: before.cloned(), after: after.clone() }
}

/// The elements that differ, `a[2]` or `b[1][0]`; the value itself if it has none.
fn by_element(name: &str, before: &Datum, after: &Datum, changes: &mut Vec<Change>) {
    match (before, after) {
        (Datum::List(old), Datum::List(new)) if old.len() == new.len() => {
            let pairs = old.iter().zip(new).enumerate();
            for (at, (old, new)) in pairs.filter(|(_, (old, new))| old != new) {
                by_element(&format!("{name}[{at}]"), old, new, changes);
            }
        }
        _ => changes.push(changed(name, Some(before), after)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_told_by_their_elements() {
        let row = |numbers: &[i64]| Datum::List(numbers.iter().map(|&n| n.into()).collect());
        let values = |rows: &[&[i64]]| -> Values {
            let a = Datum::List(rows.iter().map(|numbers| row(numbers)).collect());
            [("a".to_owned(), a)].into_iter().collect()
        };
        let told = |before: &Values, after: &Values| {
            let changes = differences(before, after);
            changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        let first = values(&[&[0, 0, 0], &[0, 0, 0]]);
        assert_eq!(
            told(&first, &values(&[&[0, 0, 1], &[2, 0, 0]])),
            "a[0][2]: 0 → 1, a[1][0]: 0 → 2"
        );
        let all = values(&[&[1, 1, 1], &[1, 1, 1]]);
        assert_eq!(told(&first, &all), "a: [[0,0,0],[0,0,0]] → [[1,1,1],[1,1,1]]");
    }

    #[test]
    fn a_text_mentions_whole_words() {
        let names = ["x", "top"].into_iter().map(String::from).collect();
        assert!(mentions("if (cas(top, a, b)) [yes]", &names));
        assert!(mentions("y := x", &names));
        assert!(!mentions("stop := x_1 + $x + 1", &names));
    }
}
