//! The symbolic states of a table, and what single contexts do, as pushdown store automata [CUBA, Fig. 4].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use selvedge_analysis::engine::SymbolicState;
use selvedge_automata::Dfa;
use selvedge_model::{SharedId, System};
use serde::Serialize;

use super::TableReport;
use super::names::Names;
use crate::dot::quote;
use crate::language::language;

/// Of more ends of contexts than this, the rest is counted.
const MOST_ENDS: usize = 4;

impl TableReport<'_> {
    /// The symbolic states that are new at a bound, if they are to be listed.
    pub(super) fn symbolic(&self, bound: usize, names: &Names) -> Option<Vec<String>> {
        let listed = self.table.automata.as_ref()?.new_states.get(bound)?.as_ref()?;
        let mut shown: Vec<_> =
            listed.iter().map(|state| show(self.system, state, names)).collect();
        shown.sort_unstable();
        Some(shown)
    }

    /// What a context of each kind of thread may leave on its stack.
    pub(super) fn about_contexts(&self, names: &Names) -> Vec<(&'static str, String)> {
        let contexts = self.table.automata.as_ref().and_then(|a| a.contexts.as_ref());
        let line = |(shared, stacks): &(SharedId, Dfa)| {
            format!(
                "⟨{}|{}⟩",
                self.system.describe().show_shared(*shared),
                expression(stacks, names)
            )
        };
        let of = contexts.into_iter().flatten().map(|automaton| {
            let name = self.system.describe().template_name(automaton.template);
            // A context that begins anywhere may go wrong also where the program does not: that is told last.
            let is_wrong = |(shared, _): &&(SharedId, Dfa)| self.system.wrong(*shared).is_some();
            let (wrong, right): (Vec<_>, Vec<_>) = automaton.stacks.iter().partition(is_wrong);
            let mut lines: Vec<_> = right.into_iter().chain(wrong).map(line).collect();
            let more = lines.len().saturating_sub(MOST_ENDS);
            lines.truncate(MOST_ENDS);
            if more > 0 {
                lines.push(format!("and in {more} other ways (--format json has them)"));
            }
            (
                "one context",
                format!(
                    "of {name} alone, from any symbol, whether a run gets there or not, ends at {}",
                    lines.join(" ")
                ),
            )
        });
        of.collect()
    }

    /// What the symbols of the listed automata are called, if automata are listed.
    pub(super) fn names(&self) -> Option<Names> {
        self.table.automata.as_ref().map(|automata| Names::new(self.system, automata))
    }

    /// The automata as pictures for Graphviz: one cluster for each symbolic state and thread, and one for
    /// what contexts of each kind of thread do.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph automata {\n  rankdir=LR;\n");
        let names = self.names();
        let mut number = 0;
        let mut draw = |title: &str, automata: &[(String, &Dfa)]| {
            let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={};", quote(title));
            for (index, (start, dfa)) in automata.iter().enumerate() {
                let node = |state: u32| format!("a{number}_{index}_{state}");
                let _ = writeln!(
                    text,
                    "    s{number}_{index} [shape=plaintext, label={}];\n    s{number}_{index} -> {};",
                    quote(start),
                    node(0)
                );
                for state in 0..dfa.state_count() as u32 {
                    let shape = if dfa.accepts_at(state) { "doublecircle" } else { "circle" };
                    let _ = writeln!(text, "    {} [label=\"\", shape={shape}];", node(state));
                    for &(symbol, to) in dfa.edges(state) {
                        let label = quote(names.as_ref().map_or("", |names| names.of(symbol)));
                        let _ =
                            writeln!(text, "    {} -> {} [label={label}];", node(state), node(to));
                    }
                }
            }
            text += "  }\n";
            number += 1;
        };
        if let Some(automata) = &self.table.automata {
            let threads = self.system.threads();
            for (bound, states) in automata.new_states.iter().enumerate() {
                for state in states.iter().flatten() {
                    let shared = self.system.describe().show_shared(state.shared);
                    let named = state.stacks.iter().zip(0..).map(|(dfa, thread)| {
                        (threads.get(thread).map_or("started".to_owned(), |t| t.name.clone()), dfa)
                    });
                    let title = format!("{} {bound}: {shared}", self.unit());
                    draw(&title, &named.collect::<Vec<_>>());
                }
            }
            for automaton in automata.contexts.iter().flatten() {
                let name = self.system.describe().template_name(automaton.template);
                let of = automaton.stacks.iter();
                let of: Vec<_> =
                    of.map(|(q, dfa)| (self.system.describe().show_shared(*q), dfa)).collect();
                draw(&format!("contexts of {name}"), &of);
            }
        }
        text + "}\n"
    }

    pub(super) fn json_automata(&self) -> Option<JsonAutomata> {
        let automata = self.table.automata.as_ref()?;
        let names = Names::new(self.system, automata);
        let mut languages = Numbered { names, numbers: BTreeMap::new(), list: Vec::new() };
        let states = automata.new_states.iter().map(|states| {
            let states = states.as_ref()?.iter().map(|state| JsonSymbolicState {
                shared: self.system.describe().show_shared(state.shared),
                stacks: state.stacks.iter().map(|stacks| languages.number(stacks)).collect(),
            });
            Some(states.collect())
        });
        let states = states.collect();
        let contexts = automata.contexts.as_ref().map(|contexts| {
            let of = contexts.iter().map(|automaton| JsonContexts {
                thread: self.system.describe().template_name(automaton.template),
                ends: (automaton.stacks.iter())
                    .map(|(shared, stacks)| JsonEnd {
                        shared: self.system.describe().show_shared(*shared),
                        stacks: languages.number(stacks),
                    })
                    .collect(),
            });
            of.collect()
        });
        Some(JsonAutomata { languages: languages.list, states, contexts })
    }
}

/// A symbolic state: `⟨q|w,w⟩` with expressions for sets of stacks.
fn show(system: &dyn System, state: &SymbolicState, names: &Names) -> String {
    let stacks = state.stacks.iter().map(|dfa| expression(dfa, names));
    format!(
        "⟨{}|{}⟩",
        system.describe().show_shared(state.shared),
        stacks.collect::<Vec<_>>().join(",")
    )
}

fn expression(stacks: &Dfa, names: &Names) -> String {
    language(stacks, |symbol| names.of(symbol).to_owned())
}

/// Automata, each once.
struct Numbered {
    names: Names,
    numbers: BTreeMap<String, usize>,
    list: Vec<JsonLanguage>,
}

impl Numbered {
    fn number(&mut self, dfa: &Dfa) -> usize {
        let key = dfa.to_text(|symbol| symbol.0.to_string());
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let states = 0..dfa.state_count() as u32;
        let edges = states
            .clone()
            .flat_map(|from| dfa.edges(from).iter().map(move |&(symbol, to)| (from, symbol, to)));
        let edges = edges.map(|(from, symbol, to)| JsonEdge {
            from,
            symbol: self.names.of(symbol).to_owned(),
            to,
        });
        let number = self.list.len();
        self.list.push(JsonLanguage {
            expression: expression(dfa, &self.names),
            finite: dfa.is_finite(),
            accepting: states.map(|state| dfa.accepts_at(state)).collect(),
            edges: edges.collect(),
        });
        self.numbers.insert(key, number);
        number
    }
}

/// The automata of a table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonAutomata {
    /// The sets of stacks.
    pub languages: Vec<JsonLanguage>,
    /// The symbolic states that are new at each bound; not listed where they are too many.
    pub states: Vec<Option<Vec<JsonSymbolicState>>>,
    /// What contexts of each kind of thread may leave on its stack.
    pub contexts: Option<Vec<JsonContexts>>,
}

/// A set of stacks, as a deterministic automaton that reads them from the top; it begins in state 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonLanguage {
    /// The set as an expression.
    pub expression: String,
    /// Whether it is finite.
    pub finite: bool,
    /// Which states accept.
    pub accepting: Vec<bool>,
    /// The edges.
    pub edges: Vec<JsonEdge>,
}

/// An edge of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonEdge {
    /// The state it leaves.
    pub from: u32,
    /// The stack symbol that is read.
    pub symbol: String,
    /// The state it leads to.
    pub to: u32,
}

/// A shared state, and the set of stacks of each thread as a number in the list of languages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonSymbolicState {
    /// The shared state.
    pub shared: String,
    /// The sets.
    pub stacks: Vec<usize>,
}

/// What contexts of one kind of thread may leave on its stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonContexts {
    /// The kind of thread.
    pub thread: String,
    /// The shared states in which a context can end.
    pub ends: Vec<JsonEnd>,
}

/// A shared state in which a context can end, with the stacks that it may leave there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct JsonEnd {
    /// The shared state.
    pub shared: String,
    /// The set of stacks, as a number in the list of languages.
    pub stacks: usize,
}
