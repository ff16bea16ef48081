//! Certificates and violations with keys in the place of ids, and back.

use std::hash::Hash;

use crate::{
    AggregateCertificate, AggregateThread, CountedState, CutCertificate, CutThread, Guess, Measure,
    ResolveFault, Schedule, Trace, Violation, Window,
};
use rustc_hash::FxHashMap;
use selvedge_automata::Dfa;
use selvedge_model::{Budget, SharedId, System};
use serde::{Deserialize, Serialize};

use super::EvidenceError;

/// A [`CutCertificate`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CutText {
    depth: usize,
    classes: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    started: Vec<String>,
    shared: Vec<String>,
    symbols: Vec<String>,
    guesses: Vec<(u32, Vec<u32>, u32, bool)>,
    kinds: Vec<(u32, Vec<u32>, bool)>,
    states: Vec<Vec<u32>>,
    /// The weights of the classes, and the least value in each state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    measures: Vec<(Vec<i32>, Vec<Option<i64>>)>,
}

/// An [`AggregateCertificate`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AggregateText {
    classes: Vec<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    started: Vec<String>,
    shared: Vec<String>,
    symbols: Vec<String>,
    languages: Vec<Vec<LanguageState>>,
    kinds: Vec<(u32, u32)>,
    states: Vec<Vec<u32>>,
}

/// Whether a state of an automaton accepts, and its symbols with where they lead.
type LanguageState = (bool, Vec<(u32, u32)>);

/// A [`Violation`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ViolationText {
    property: usize,
    contexts: usize,
    /// The lines of a [`Schedule`].
    schedule: Vec<String>,
}

impl CutText {
    pub fn new(system: &dyn System, certificate: &CutCertificate) -> Self {
        let mut shared = Table::new(|shared| system.keys().shared_key(shared));
        let mut symbols = Table::new(|symbol| system.keys().symbol_key(symbol));
        let kind = |CutThread { class, window }: &CutThread| {
            let symbols = window.symbols.iter().map(|&s| symbols.number(s)).collect();
            (*class, symbols, window.hidden)
        };
        let kinds = certificate.kinds.iter().map(kind).collect();
        let guess = |Guess { class, above, below, more }: &Guess| {
            let above = above.iter().map(|&symbol| symbols.number(symbol)).collect();
            (*class, above, symbols.number(*below), *more)
        };
        let measure = |m: &Measure| (m.weights.clone(), m.least.clone());
        CutText {
            depth: certificate.depth,
            classes: write_classes(system, &certificate.classes),
            started: certificate.started.iter().map(|&t| system.keys().template_key(t)).collect(),
            guesses: certificate.guesses.iter().map(guess).collect(),
            kinds,
            states: write_states(&certificate.states, &mut shared),
            measures: certificate.measures.iter().map(measure).collect(),
            shared: shared.keys,
            symbols: symbols.keys,
        }
    }

    pub fn read(&self, system: &dyn System) -> Result<CutCertificate, EvidenceError> {
        let shared = find(&self.shared, "shared state", |key| system.keys().find_shared_key(key))?;
        let symbols = find(&self.symbols, "symbol", |key| system.keys().find_symbol_key(key))?;
        let symbol = |number: u32| at(&symbols, number, "symbol");
        let mut guesses = Vec::with_capacity(self.guesses.len());
        for &(class, ref above, below, more) in &self.guesses {
            let above = above.iter().map(|&s| symbol(s)).collect::<Result<_, _>>()?;
            guesses.push(Guess { class, above, below: symbol(below)?, more });
        }
        let mut kinds = Vec::with_capacity(self.kinds.len());
        for (class, window, hidden) in &self.kinds {
            let symbols = window.iter().map(|&s| symbol(s)).collect::<Result<_, _>>()?;
            kinds.push(CutThread { class: *class, window: Window { symbols, hidden: *hidden } });
        }
        let measure = |(weights, least): &(Vec<i32>, Vec<Option<i64>>)| Measure {
            weights: weights.clone(),
            least: least.clone(),
        };
        Ok(CutCertificate {
            classes: read_classes(system, &self.classes)?,
            started: find(&self.started, "template", |key| system.keys().find_template_key(key))?,
            depth: self.depth,
            guesses,
            kinds,
            states: read_states(&self.states, &shared)?,
            measures: self.measures.iter().map(measure).collect(),
        })
    }
}

impl AggregateText {
    pub fn new(system: &dyn System, certificate: &AggregateCertificate) -> Self {
        let mut shared = Table::new(|shared| system.keys().shared_key(shared));
        let mut symbols = Table::new(|symbol| system.keys().symbol_key(symbol));
        let mut language = |dfa: &Dfa| {
            let state = |number: u32| {
                let edges = dfa.edges(number).iter().map(|&(s, to)| (symbols.number(s), to));
                (dfa.accepts_at(number), edges.collect())
            };
            (0..dfa.state_count() as u32).map(state).collect()
        };
        let kinds = certificate.kinds.iter().map(|kind| (kind.class, kind.language));
        AggregateText {
            classes: write_classes(system, &certificate.classes),
            started: certificate.started.iter().map(|&t| system.keys().template_key(t)).collect(),
            languages: certificate.languages.iter().map(&mut language).collect(),
            kinds: kinds.collect(),
            states: write_states(&certificate.states, &mut shared),
            shared: shared.keys,
            symbols: symbols.keys,
        }
    }

    pub fn read(&self, system: &dyn System) -> Result<AggregateCertificate, EvidenceError> {
        let shared = find(&self.shared, "shared state", |key| system.keys().find_shared_key(key))?;
        let symbols = find(&self.symbols, "symbol", |key| system.keys().find_symbol_key(key))?;
        let mut languages = Vec::with_capacity(self.languages.len());
        for (number, language) in self.languages.iter().enumerate() {
            let mut states = Vec::with_capacity(language.len());
            for (accepting, edges) in language {
                let edge = |&(s, to): &(u32, u32)| Ok((at(&symbols, s, "symbol")?, to));
                states.push((*accepting, edges.iter().map(edge).collect::<Result<_, _>>()?));
            }
            let wrong = || EvidenceError::new(format!("language {number} is no automaton"));
            languages.push(Dfa::from_states(states).ok_or_else(wrong)?);
        }
        let kinds = self.kinds.iter().map(|&(class, language)| AggregateThread { class, language });
        Ok(AggregateCertificate {
            classes: read_classes(system, &self.classes)?,
            started: find(&self.started, "template", |key| system.keys().find_template_key(key))?,
            languages,
            kinds: kinds.collect(),
            states: read_states(&self.states, &shared)?,
        })
    }
}

impl ViolationText {
    pub fn new(system: &dyn System, violation: &Violation) -> Result<Self, EvidenceError> {
        let schedule = Schedule::from_trace(system, &violation.trace)
            .map_err(|error| EvidenceError::new(error.to_string()))?;
        Ok(ViolationText {
            property: violation.property,
            contexts: violation.contexts,
            schedule: schedule.to_string().lines().map(str::to_owned).collect(),
        })
    }

    pub fn read(&self, system: &dyn System, budget: &Budget) -> Result<Violation, EvidenceError> {
        let trace = follow(&read_schedule(&self.schedule, budget)?, system, budget)?;
        Ok(Violation { trace, contexts: self.contexts, property: self.property })
    }
}

/// Reads a schedule. A short line may stand for many steps, so that the budget is looked at after each.
pub(super) fn read_schedule(lines: &[String], budget: &Budget) -> Result<Schedule, EvidenceError> {
    let mut schedule = Schedule::default();
    for (index, line) in lines.iter().flat_map(|line| line.split('\n')).enumerate() {
        schedule.read_line(line, index + 1).map_err(not_followed)?;
        budget.check().map_err(|stop| EvidenceError::unfinished(&stop))?;
    }
    Ok(schedule)
}

/// The run of a schedule.
pub(super) fn follow(
    schedule: &Schedule,
    system: &dyn System,
    budget: &Budget,
) -> Result<Trace, EvidenceError> {
    schedule.to_trace_within(system, budget).map_err(|error| match error.fault {
        ResolveFault::Stopped(stop) => EvidenceError::unfinished(&stop),
        _ => not_followed(error),
    })
}

/// The error for a schedule that cannot be read or followed.
pub(super) fn not_followed(error: impl std::fmt::Display) -> EvidenceError {
    EvidenceError::new(format!("the schedule cannot be followed: {error}"))
}

/// Keys, numbered as they come.
pub(super) struct Table<I, K, F> {
    pub keys: Vec<K>,
    numbers: FxHashMap<I, u32>,
    key: F,
}

impl<I: Copy + Eq + Hash, K, F: FnMut(I) -> K> Table<I, K, F> {
    pub fn new(key: F) -> Self {
        Table { keys: Vec::new(), numbers: FxHashMap::default(), key }
    }

    pub fn number(&mut self, id: I) -> u32 {
        *self.numbers.entry(id).or_insert_with(|| {
            self.keys.push((self.key)(id));
            self.keys.len() as u32 - 1
        })
    }
}

/// The ids of keys.
pub(super) fn find<I>(
    keys: &[String],
    what: &str,
    find: impl Fn(&str) -> Option<I>,
) -> Result<Vec<I>, EvidenceError> {
    let found = |key: &String| {
        let unknown = || EvidenceError::new(format!("the system has no {what} `{key}`"));
        find(key).ok_or_else(unknown)
    };
    keys.iter().map(found).collect()
}

pub(super) fn at<I: Copy>(ids: &[I], number: u32, what: &str) -> Result<I, EvidenceError> {
    let unknown = || EvidenceError::new(format!("there is no {what} number {number}"));
    ids.get(number as usize).copied().ok_or_else(unknown)
}

/// The names of the threads of each class.
fn write_classes(system: &dyn System, classes: &[u32]) -> Vec<Vec<String>> {
    let mut names: Vec<Vec<String>> = Vec::new();
    for (thread, &class) in system.threads().iter().zip(classes) {
        names.resize(names.len().max(class as usize + 1), Vec::new());
        names[class as usize].push(thread.name.clone());
    }
    names
}

fn read_classes(system: &dyn System, names: &[Vec<String>]) -> Result<Vec<u32>, EvidenceError> {
    let mut class_of: FxHashMap<&str, u32> = FxHashMap::default();
    for (class, names) in names.iter().enumerate() {
        for name in names {
            if class_of.insert(name, class as u32).is_some() {
                return Err(EvidenceError::new(format!("thread `{name}` is in two classes")));
            }
        }
    }
    let class = |thread: &selvedge_model::ThreadInfo| {
        let missing = || EvidenceError::new(format!("thread `{}` is in no class", thread.name));
        class_of.remove(thread.name.as_str()).ok_or_else(missing)
    };
    let classes = system.threads().iter().map(class).collect::<Result<_, _>>()?;
    match class_of.keys().min() {
        Some(name) => Err(EvidenceError::new(format!("the system has no thread `{name}`"))),
        None => Ok(classes),
    }
}

pub(super) fn write_states<F: FnMut(SharedId) -> String>(
    states: &[CountedState],
    shared: &mut Table<SharedId, String, F>,
) -> Vec<Vec<u32>> {
    let state = |state: &CountedState| {
        let threads = state.threads.iter().flat_map(|&(kind, count)| [kind, count]);
        std::iter::once(shared.number(state.shared)).chain(threads).collect()
    };
    states.iter().map(state).collect()
}

pub(super) fn read_states(
    states: &[Vec<u32>],
    shared: &[SharedId],
) -> Result<Vec<CountedState>, EvidenceError> {
    let state = |(number, row): (usize, &Vec<u32>)| match row.split_first() {
        Some((&first, threads)) if threads.len() % 2 == 0 => Ok(CountedState {
            shared: at(shared, first, "shared state")?,
            threads: threads.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
        }),
        _ => Err(EvidenceError::new(format!(
            "state {number} is not a shared state with kinds and numbers of threads"
        ))),
    };
    states.iter().enumerate().map(state).collect()
}
