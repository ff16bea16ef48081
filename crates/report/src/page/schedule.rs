//! # Schedules, step by step
//! The first state, and what each step changes: the values of shared variables, and the topmost
//! frames of one stack. Frames, places and statements that occur again are written once, and named
//! by their number. A page that wants the state after a step takes the first one and follows.

use std::collections::HashMap;
use std::hash::Hash;

use selvedge_evidence::{Lasso, Trace, thread_name};
use selvedge_model::{Action, State, SymbolId, System, ThreadId, Values, Word, advance};
use serde::Serialize;

use crate::text::contexts::Contexts;
use crate::view::{Change, Rows, place_name, statements};

/// A run, step by step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Schedule {
    /// The threads; those that are started come after the others.
    pub threads: Vec<ScheduledThread>,
    /// The shared variables, and their values at the start.
    pub shared: Vec<(String, String)>,
    /// The stack of each thread at the start, lowest frame first.
    pub stacks: Vec<Vec<usize>>,
    /// The places at which frames stand.
    pub places: Vec<PlaceView>,
    /// Frames: a place, and the values of its variables.
    pub frames: Vec<(usize, Vec<String>)>,
    /// Statements, and their lines.
    pub statements: Vec<(String, Option<u32>)>,
    /// The steps.
    pub steps: Vec<StepView>,
    /// The step with which the period of a run that never ends begins.
    pub period: Option<usize>,
    /// A long run in few lines: number, thread, lines, steps and changes of each context. The page has lanes instead.
    #[serde(skip)]
    pub contexts: Vec<[String; 5]>,
    /// What is wrong in the last state, if something is.
    pub wrong: Option<String>,
}

/// A thread of the schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ScheduledThread {
    /// Its name.
    pub name: String,
    /// The step that starts it; none if it is there at the start.
    pub started: Option<usize>,
}

/// A place at which frames stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct PlaceView {
    /// Its name: `worker:12`.
    pub name: String,
    /// The line of the text.
    pub line: Option<u32>,
    /// The statement that is executed next.
    pub next: Option<String>,
    /// The variables of the frame.
    pub variables: Vec<String>,
}

/// One step of the schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StepView {
    /// The number of the thread that acts.
    pub t: usize,
    /// The numbers of the statements.
    pub s: Vec<usize>,
    /// How many frames are taken from the stack.
    pub pop: usize,
    /// The frames that are put on it, the topmost last.
    pub push: Vec<usize>,
    /// The shared variables that change, and their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub v: Vec<(usize, String)>,
    /// What it changes and writes, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub c: Vec<String>,
    /// The stack of the thread that is started, if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<usize>>,
}

/// The run of a trace that [`selvedge_evidence::replay`] accepts.
#[must_use]
pub fn of_trace(system: &dyn System, trace: &Trace) -> Schedule {
    let mut writer = Writer::new(system);
    let mut state = trace.initial.clone();
    let mut shared = texts(system.describe().shared_values(state.shared));
    let stacks: Vec<_> = state.thread_ids().map(|id| writer.stack(&state, id)).collect();
    let thread = |state: &State, id, started| {
        let name = thread_name(system, state, id);
        ScheduledThread { name, started }
    };
    let mut threads: Vec<_> = state.thread_ids().map(|id| thread(&state, id, None)).collect();
    let first = shared.clone();
    let mut variables = shared.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let mut rows = Rows::new(system, trace);
    let mut contexts = Contexts::default();
    let mut steps = Vec::with_capacity(trace.steps.len());
    for (index, (id, action)) in trace.steps.iter().enumerate() {
        let before = (state.shared, state.threads.len(), state.threads[id.index()].stack.0.len());
        advance(&mut state, *id, *action);
        let row = rows.next();
        if let Some(row) = &row {
            contexts.see(row, rows.values());
        }
        let told = row.map(|row| row.changes).unwrap_or_default();
        // That it goes wrong, and why, is said once, of the last step.
        let told = told.iter().filter(|change| !matches!(change, Change::Wrong(_)));
        let c = told.map(ToString::to_string).collect();
        let mut v = Vec::new();
        if state.shared != before.0 {
            let mut now = texts(rows.values().clone());
            if system.wrong(state.shared).is_some() {
                // That it is wrong, and why, is no value of a variable.
                now.retain(|(name, _)| variables.contains(name));
            }
            for (name, value) in &now {
                if !shared.contains(&(name.clone(), value.clone())) {
                    v.push((position(&mut variables, name), value.clone()));
                }
            }
            // A state that went wrong may say nothing of its values; they stay as they were.
            if !now.is_empty() {
                shared = now;
            }
        }
        let start = (state.threads.len() > before.1).then(|| {
            let new = ThreadId::from(state.threads.len() - 1);
            threads.push(thread(&state, new, Some(index)));
            writer.stack(&state, new)
        });
        let push = writer.pushed(action);
        let left = state.threads[id.index()].stack.0.len() - push.len();
        let s = writer.statements(action);
        steps.push(StepView { t: id.index(), s, pop: before.2 - left, push, v, c, start });
    }
    let contexts = match contexts.help(steps.len()) {
        true => contexts.rows(rows.holders()),
        false => Vec::new(),
    };
    let mut shared = first;
    let known = shared.len();
    shared.extend(variables.split_off(known).into_iter().map(|name| (name, String::new())));
    Schedule {
        threads,
        shared,
        stacks,
        places: writer.places.list,
        frames: writer.frames.list,
        statements: writer.statements.list,
        steps,
        period: None,
        contexts,
        wrong: system.wrong(state.shared),
    }
}

/// The run of a lasso: its stem, and its period once.
#[must_use]
pub fn of_lasso(system: &dyn System, lasso: &Lasso) -> Schedule {
    let period = Some(lasso.stem.steps.len());
    // The contexts of the period are counted by themselves.
    Schedule { period, contexts: Vec::new(), ..of_trace(system, &lasso.unrolled(1)) }
}

/// Names and values as the page shows them.
fn texts(values: Values) -> Vec<(String, String)> {
    values.into_iter().map(|(name, value)| (name, value.to_string())).collect()
}

fn position(names: &mut Vec<String>, name: &String) -> usize {
    names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.clone());
        names.len() - 1
    })
}

/// A list in which everything occurs once.
struct Interned<T> {
    list: Vec<T>,
    numbers: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Interned<T> {
    fn new() -> Self {
        Interned { list: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, item: T) -> usize {
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.list.push(item.clone());
            self.list.len() - 1
        })
    }
}

struct Writer<'a> {
    system: &'a dyn System,
    symbols: HashMap<SymbolId, usize>,
    places: Interned<PlaceView>,
    frames: Interned<(usize, Vec<String>)>,
    statements: Interned<(String, Option<u32>)>,
}

impl<'a> Writer<'a> {
    fn new(system: &'a dyn System) -> Self {
        let (places, frames, statements) = (Interned::new(), Interned::new(), Interned::new());
        Writer { system, symbols: HashMap::new(), places, frames, statements }
    }

    fn frame(&mut self, symbol: SymbolId) -> usize {
        if let Some(&number) = self.symbols.get(&symbol) {
            return number;
        }
        let values = self.system.describe().symbol_values(symbol);
        let name = place_name(self.system, symbol);
        let (variables, values) = texts(values).into_iter().unzip();
        let place = self.places.number(PlaceView {
            name,
            line: self.system.describe().symbol_line(symbol),
            next: self.system.describe().statement(symbol),
            variables,
        });
        let number = self.frames.number((place, values));
        self.symbols.insert(symbol, number);
        number
    }

    fn stack(&mut self, state: &State, id: ThreadId) -> Vec<usize> {
        let mut frames: Vec<_> = state.threads[id.index()].stack.iter().collect();
        frames.reverse();
        frames.into_iter().map(|symbol| self.frame(symbol)).collect()
    }

    /// The frames that an action puts on the stack, the topmost last.
    fn pushed(&mut self, action: &Action) -> Vec<usize> {
        match action.word {
            Word::Pop => Vec::new(),
            Word::Rewrite(top) => vec![self.frame(top)],
            Word::Push { top, under } => vec![self.frame(under), self.frame(top)],
        }
    }

    fn statements(&mut self, action: &Action) -> Vec<usize> {
        let steps = statements(self.system, action);
        let one = |step: selvedge_model::Step| {
            let words: Vec<_> = step.text.split_whitespace().collect();
            self.statements.number((words.join(" "), step.line))
        };
        steps.into_iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counter, counter_run};

    /// Following the changes gives the states of the run.
    #[test]
    fn changes_lead_to_the_states_of_the_run() {
        let trace = counter_run();
        let schedule = of_trace(&Counter, &trace);
        let mut shared = schedule.shared.clone();
        let mut stacks = schedule.stacks.clone();
        let mut state = trace.initial.clone();
        for (step, (id, action)) in schedule.steps.iter().zip(&trace.steps) {
            advance(&mut state, *id, *action);
            for (variable, value) in &step.v {
                shared[*variable].1.clone_from(value);
            }
            let stack = &mut stacks[step.t];
            stack.truncate(stack.len() - step.pop);
            stack.extend(&step.push);
            stacks.extend(step.start.clone());
            assert_eq!(shared, texts(Counter.describe().shared_values(state.shared)));
            for (id, stack) in state.thread_ids().zip(&stacks) {
                let show = |frame: &usize| {
                    let (place, values) = &schedule.frames[*frame];
                    (schedule.places[*place].name.clone(), values.clone())
                };
                let symbols = state.threads[id.index()].stack.0.iter();
                let expected = symbols.map(|&symbol| {
                    let values = Counter.describe().symbol_values(symbol);
                    (
                        place_name(&Counter, symbol),
                        texts(values).into_iter().map(|(_, v)| v).collect(),
                    )
                });
                assert_eq!(
                    stack.iter().map(show).collect::<Vec<_>>(),
                    expected.collect::<Vec<_>>()
                );
            }
        }
        assert_eq!(stacks.len(), 3);
        assert_eq!(schedule.threads[2].started, Some(2));
    }
}
