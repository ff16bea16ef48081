//! # A walk, as a page sees it
//! Where a run stands, what can be done there and what it would change, who cannot act and what for; and the states near by as a graph. A page
//! names a state by its *path*, the list of choices from the start, so that whoever answers keeps nothing.

use rustc_hash::FxHashSet;
use selvedge_evidence::{Trace, thread_name};
use selvedge_model::{Action, Awaited, Datum, State, System, ThreadId, Values};
use serde::{Deserialize, Serialize};

use super::{Ask, Schedule, of_trace};
use crate::view::{Rows, mentioned, place_name, statements, words};

/// A request for a walk. Nothing in it names a file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wander {
    /// The options of the program.
    #[serde(default)]
    pub ask: Ask,
    /// The initial state, then the choices.
    pub path: Vec<usize>,
    /// Where to go from there.
    #[serde(default)]
    pub go: Go,
}

impl Wander {
    /// Reads a request; none if the text is none.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// Where a walk goes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Go {
    /// Nowhere: what can be seen from here.
    #[default]
    Here,
    /// Takes random steps.
    Random {
        /// The seed, so that the walk can be repeated.
        seed: u64,
        /// The number of steps.
        steps: u32,
    },
    /// One thread, as far as it goes without a choice.
    Thread {
        /// The number of the thread.
        thread: usize,
    },
    /// The nearest state that is wrong.
    Wrong,
    /// The nearest state in which a thread stands at a line.
    Line {
        /// The number of the line.
        line: u32,
    },
    /// The nearest state in which a thread stands at a line where none has stood so far.
    New,
    /// Stays, and shows the states that can be reached within some steps.
    Near {
        /// The number of steps.
        steps: usize,
    },
}

/// The state at the end of a path, with what can be done there.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Look {
    /// The path that leads here.
    pub path: Vec<usize>,
    /// How many initial states there are.
    pub starts: usize,
    /// The run along the path.
    pub schedule: Schedule,
    /// The possible actions, in the order in which paths count them.
    pub next: Vec<Choice>,
    /// The threads that cannot act, and why.
    pub waits: Vec<Waiting>,
    /// Why the run ends here, if it does.
    pub end: Option<String>,
    /// The result of going somewhere, or why the path leads no further.
    pub said: Option<String>,
    /// The states near by, if they were asked for.
    pub near: Option<Graph>,
}

/// An action that is possible.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Choice {
    /// The number of the thread that acts.
    pub t: usize,
    /// The statements, with their lines.
    pub s: Vec<(String, Option<u32>)>,
    /// The changes that it would make.
    pub changes: Vec<String>,
}

/// A thread that cannot act.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Waiting {
    /// The number of the thread.
    pub t: usize,
    /// Why it cannot act, in words.
    pub why: String,
}

/// States and the steps between them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Graph {
    /// The states; the first one is where the page stands.
    pub nodes: Vec<Node>,
    /// The steps between the states.
    pub edges: Vec<Edge>,
    /// Whether states are left out, because there are many.
    pub is_cut: bool,
}

/// A state near the current one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Node {
    /// The choices that lead to it from the first state.
    pub path: Vec<usize>,
    /// The differences from the first state, line by line.
    pub lines: Vec<String>,
    /// `wrong`, `stuck`, `ended`, or nothing to speak of.
    pub kind: Option<&'static str>,
}

/// A step between states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Edge {
    /// The number of the state before the step.
    pub from: usize,
    /// The number of the state after the step.
    pub to: usize,
    /// The number of the thread that acts.
    pub t: usize,
    /// The statements of the step.
    pub text: String,
}

impl Look {
    /// Looks at the end of a run, and at what can be done there.
    #[must_use]
    pub fn new(
        system: &dyn System,
        (path, starts): (Vec<usize>, usize),
        trace: &Trace,
        state: &State,
        enabled: &[(ThreadId, Action)],
        end: Option<String>,
    ) -> Self {
        // Who holds which lock is known to who has seen the whole run.
        let mut run = Rows::new(system, trace);
        while run.next().is_some() {}
        let choice = |&(thread, action): &(ThreadId, Action)| {
            let one = Trace { initial: state.clone(), steps: vec![(thread, action)] };
            let row = run.of_more(&one).next();
            let changes = row.map(|row| row.changes).unwrap_or_default();
            Choice {
                t: thread.index(),
                s: texts(system, &action),
                changes: changes.iter().map(ToString::to_string).collect(),
            }
        };
        let can_act = |id: &ThreadId| enabled.iter().any(|(thread, _)| thread == id);
        let waiting =
            |id: ThreadId| Waiting { t: id.index(), why: why(system, state, run.values(), id) };
        Look {
            path,
            starts,
            schedule: of_trace(system, trace),
            next: enabled.iter().map(choice).collect(),
            waits: state.thread_ids().filter(|id| !can_act(id)).map(waiting).collect(),
            end,
            said: None,
            near: None,
        }
    }

    /// What is seen, in one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn texts(system: &dyn System, action: &Action) -> Vec<(String, Option<u32>)> {
    let one = |step: selvedge_model::Step| {
        let words: Vec<_> = step.text.split_whitespace().collect();
        (words.join(" "), step.line)
    };
    statements(system, action).into_iter().map(one).collect()
}

/// Why a thread cannot act: what it waits for, with the values that its statement is about.
fn why(system: &dyn System, state: &State, shared: &Values, id: ThreadId) -> String {
    if let Some(wrong) = system.wrong(state.shared) {
        return format!("the run has gone wrong: {wrong}");
    }
    let Some(top) = state.threads[id.index()].stack.top() else { return "has ended".to_owned() };
    if system.is_between(state.shared) {
        return "a result is on its way to a caller: nobody else acts meanwhile".to_owned();
    }
    let Some(statement) = system.describe().statement(top) else {
        let shared = system.describe().show_shared(state.shared);
        return format!("no rule for {} in {shared}", system.describe().show_symbol(top));
    };
    let own = system.describe().symbol_values(top);
    let names: FxHashSet<String> = mentioned(&statement);
    let is_meant = |name: &str| names.contains(name.split(['[', '.']).next().unwrap_or(name));
    let values = shared.iter().chain(own.iter()).filter(|(name, _)| is_meant(name));
    let awaited = system.describe().awaited(state.shared, top);
    let values: Vec<_> = values.flat_map(|(name, value)| elements(name, value, &awaited)).collect();
    let line = system.describe().symbol_line(top);
    let at = line.map_or(String::new(), |line| format!("line {line}: "));
    match values.is_empty() {
        true => format!("waits at {at}{statement}"),
        false => format!("waits at {at}{statement} ({})", values.join(", ")),
    }
}

/// What is said of a variable that a statement waits for: of an array, the elements that it does.
fn elements(name: &str, value: &Datum, awaited: &[Awaited]) -> Vec<String> {
    let element = |awaited: &Awaited| {
        let (Awaited::Variable(of) | Awaited::Lock(of)) = awaited else { return None };
        let indices = of.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
        let inner = indices
            .split("][")
            .try_fold(value, |value, index| value.elements().get(index.parse::<usize>().ok()?))?;
        Some(format!("{of} = {inner}"))
    };
    let said: Vec<String> = awaited.iter().filter_map(element).collect();
    if said.is_empty() { vec![format!("{name} = {value}")] } else { said }
}

/// The most lines that say what is different in a state.
const MOST_LINES: usize = 5;

impl Graph {
    /// States, each with the choices that lead to it and what becomes of it, and the steps between them.
    #[must_use]
    pub fn new(
        system: &dyn System,
        states: &[(State, Vec<usize>, Option<&'static str>)],
        edges: &[(usize, usize, ThreadId, Action)],
        is_cut: bool,
    ) -> Self {
        let node = |(state, path, kind): &(State, Vec<usize>, Option<&'static str>)| Node {
            path: path.clone(),
            lines: states.first().map_or(Vec::new(), |(here, ..)| news(system, here, state)),
            kind: *kind,
        };
        let edge = |&(from, to, thread, action): &(usize, usize, ThreadId, Action)| Edge {
            from,
            to,
            t: thread.index(),
            text: words(&statements(system, &action)),
        };
        Graph {
            nodes: states.iter().map(node).collect(),
            edges: edges.iter().map(edge).collect(),
            is_cut,
        }
    }
}

/// What is different in a state: values, then places.
fn news(system: &dyn System, here: &State, state: &State) -> Vec<String> {
    let old = system.describe().shared_values(here.shared);
    let new = system.describe().shared_values(state.shared);
    let known: FxHashSet<(&str, String)> =
        old.iter().map(|(name, value)| (name, value.to_string())).collect();
    let mut lines: Vec<String> = (new.iter())
        .filter(|(name, value)| !known.contains(&(*name, value.to_string())))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    for id in state.thread_ids() {
        let top = state.threads[id.index()].stack.top();
        let before = here.threads.get(id.index()).map(|thread| thread.stack.top());
        if before != Some(top) {
            let place = top.map_or("ended".to_owned(), |top| place_name(system, top));
            lines.push(format!("{}: {place}", thread_name(system, state, id)));
        }
    }
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES + 1;
        lines.truncate(MOST_LINES - 1);
        lines.push(format!("… {more} more"));
    }
    lines
}
