//! # From below
//! States that are really reached, with few threads and within a limit: they refute what does not
//! hold before a solver is asked, and a wrong one is a violation with its trace. Which states are
//! looked at first is left to an [`Order`]; breadth first gives the shortest traces.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use selvedge_analysis::{Budget, Stop};
use selvedge_evidence::Trace;
use selvedge_model::{
    Action, Property, SharedId, State, SymbolId, System, TemplateId, ThreadId, step,
};
use selvedge_program::{Lowering, Value};
use selvedge_smt::layout::{Layout, SlotInfo, Standing};
use selvedge_smt::term::{Sort, Val, Var};

/// A state as views see it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The values of the shared variables; `None` if not chosen yet.
    pub globals: Vec<Option<Val>>,
    /// The threads: where they stand, and the values of their locals.
    pub threads: Vec<(Standing, Vec<Option<Val>>)>,
}

impl Snapshot {
    /// The value of a variable of a view of the threads with these numbers.
    #[must_use]
    pub fn value(&self, of: &[usize], var: Var) -> Option<Val> {
        match var {
            Var::Global(slot) => self.globals.get(slot)?.clone(),
            Var::Local(position, slot) => self.threads[*of.get(position)?].1.get(slot)?.clone(),
            Var::Fresh(..) => None,
        }
    }

    /// The places of the threads.
    #[must_use]
    pub fn places(&self) -> Vec<Standing> {
        self.threads.iter().map(|(place, _)| *place).collect()
    }
}

/// Which state to look at next.
pub trait Order {
    /// Takes a state that was found.
    fn add(&mut self, state: usize);
    /// The next state to look at.
    fn next(&mut self) -> Option<usize>;
}

/// First found, first looked at.
#[derive(Default)]
pub struct BreadthFirst(VecDeque<usize>);

impl Order for BreadthFirst {
    fn add(&mut self, state: usize) {
        self.0.push_back(state);
    }

    fn next(&mut self) -> Option<usize> {
        self.0.pop_front()
    }
}

/// The states that sampling found.
pub struct Reached {
    /// The states.
    pub states: Vec<State>,
    /// A run that goes wrong, if there is one.
    pub violation: Option<Trace>,
    /// Whether all states were found.
    pub complete: bool,
}

/// Where a state was reached from: its predecessor, and who did what.
type From = Option<(usize, ThreadId, Action)>;

/// How many stacks all states together have at most: where there are thousands of threads, few states are looked at.
const MOST_STACKS: usize = 1 << 20;

/// Lists states of a program until one breaks the property, or the limit is reached.
pub fn explore(
    system: &Lowering,
    property: &Property,
    most: usize,
    order: &mut dyn Order,
    budget: &Budget,
) -> Result<Reached, Stop> {
    let most = most.min(MOST_STACKS / system.threads().len().max(1)).max(1);
    let mut states: Vec<(State, From)> = Vec::new();
    let mut numbers: FxHashMap<State, usize> = FxHashMap::default();
    let mut reached = Reached { states: Vec::new(), violation: None, complete: true };
    let properties = std::slice::from_ref(property);
    let breaks = |state: &State| Property::first_broken(properties, system, state);
    for state in system.initial()? {
        if numbers.insert(state.clone(), states.len()).is_none() {
            order.add(states.len());
            states.push((state, None));
        }
    }
    'search: while let Some(number) = order.next() {
        budget.check()?;
        let state = states[number].0.clone();
        if breaks(&state)?.is_some() {
            reached.violation = Some(trace(&states, number));
            reached.complete = false;
            break;
        }
        for thread in state.thread_ids() {
            // With thousands of threads, a state has thousands of steps, and each of them copies it.
            budget.look()?;
            // What cannot be listed from here, as a choice among all integers, is left out.
            let Ok(steps) = step(system, &state, thread) else {
                reached.complete = false;
                continue;
            };
            for (action, next) in steps {
                let from = Some((number, thread, action));
                if breaks(&next)?.is_some() {
                    states.push((next, from));
                    reached.violation = Some(trace(&states, states.len() - 1));
                    reached.complete = false;
                    states.pop();
                    break 'search;
                }
                if states.len() >= most {
                    reached.complete = false;
                } else if !numbers.contains_key(&next) {
                    numbers.insert(next.clone(), states.len());
                    order.add(states.len());
                    states.push((next, from));
                }
            }
        }
    }
    reached.states = states.into_iter().map(|(state, _)| state).collect();
    Ok(reached)
}

impl Reached {
    /// The states as views see them.
    #[must_use]
    pub fn snapshots(&self, system: &Lowering, layout: &Layout<'_>) -> Vec<Snapshot> {
        self.states.iter().map(|state| snapshot(system, layout, state)).collect()
    }
}

fn trace(states: &[(State, From)], mut number: usize) -> Trace {
    let mut steps = Vec::new();
    while let Some((before, thread, action)) = states[number].1 {
        steps.push((thread, action));
        number = before;
    }
    steps.reverse();
    Trace { initial: states[number].0.clone(), steps }
}

/// A state as views see it.
#[must_use]
pub fn snapshot(system: &Lowering, layout: &Layout<'_>, state: &State) -> Snapshot {
    let threads = state.threads.iter().map(|thread| (thread.template, thread.stack.top()));
    look(system, layout, state.shared, threads)
}

/// A state as views see it, of a shared state and the templates and tops of threads.
pub fn look(
    system: &Lowering,
    layout: &Layout<'_>,
    shared: SharedId,
    threads: impl Iterator<Item = (TemplateId, Option<SymbolId>)>,
) -> Snapshot {
    let values = |values: &[Value], slots: &[SlotInfo]| {
        values.iter().zip(slots).map(|(value, slot)| known(value, slot)).collect()
    };
    let threads = threads.map(|(template, top)| {
        let decl = template.index();
        let class = layout.classes.iter().position(|class| class.decl == decl).unwrap_or(0);
        match top.and_then(|top| system.frame_of_symbol(top)) {
            Some((loc, locals)) => {
                let place = Standing { class, loc: Some(loc) };
                (place, values(&locals, layout.locals_of(class)))
            }
            None => (Standing { class, loc: None }, vec![None; layout.locals_of(class).len()]),
        }
    });
    Snapshot {
        threads: threads.collect(),
        globals: values(&system.values_of(shared), &layout.globals),
    }
}

fn known(value: &Value, slot: &SlotInfo) -> Option<Val> {
    let number = value.to_big()?;
    Some(match slot.sort() {
        Sort::Bool => Val::Bool(value.is_true()),
        Sort::Int => Val::Int(number),
    })
}
