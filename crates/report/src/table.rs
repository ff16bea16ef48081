//! # Observation tables
//! What is new at each bound [CUBA, Fig. 1], as text, Markdown, CSV and JSON; with generators (`generators`)
//! or sets of stacks (`automata`), if they were asked for.

mod automata;
mod generators;
mod names;

use std::time::Duration;

use selvedge_analysis::engine::{Proof, Table, Verdict};
use selvedge_analysis::explore::Observation;
use selvedge_analysis::{Resource, Stop};
use selvedge_model::{System, TemplateId, VisibleState};
use serde::Serialize;

pub use automata::{
    JsonAutomata, JsonContexts, JsonEdge, JsonEnd, JsonLanguage, JsonSymbolicState,
};
pub use generators::{JsonGenerators, SeenGenerator, TestedPlateau};

use crate::amount::number;
use crate::answer::{effort, layout};
use crate::json::{self, Bound, VERSION};
use crate::lines;
use crate::proof;
use crate::style::{Paint, Role};
use crate::text::count;
use names::Names;

/// A table and what it is about.
#[derive(Clone, Copy)]
pub struct TableReport<'a> {
    /// The file.
    pub file: &'a str,
    /// The system.
    pub system: &'a dyn System,
    /// What is new at each bound.
    pub table: &'a Table,
    /// How long it took.
    pub time: Duration,
    /// The largest amount of memory that was in use.
    pub peak_memory: u64,
}

/// Lists of states go on in the next line after this many characters.
const WIDEST_LINE: usize = 100;

impl TableReport<'_> {
    /// The table for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let rows: Vec<[String; 5]> = self.observations().iter().map(numbers).collect();
        let titles = [self.unit(), "states", "new", "visible", "new"];
        let width = |column: usize| {
            rows.iter().map(|row| row[column].len()).max().unwrap_or(0).max(titles[column].len())
        };
        let widths = [0, 1, 2, 3, 4].map(width);
        let line = |cells: [&str; 5]| {
            let cells = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}"));
            cells.collect::<Vec<_>>().join("  ")
        };
        let mut text = format!("{}\n", paint.paint(Role::Heading, &line(titles)));
        let margin = widths.iter().sum::<usize>() + 2 * widths.len();
        let names = self.names();
        for (bound, row) in rows.iter().enumerate() {
            let cells = [0, 1, 2, 3, 4].map(|column| row[column].as_str());
            let mut shown = line(cells);
            if let Some(mark) = self.mark(bound) {
                shown += &format!("  {}", paint.paint(Role::Faint, mark));
            }
            if let Some(unseen) = self.unseen_at_plateau(bound) {
                shown += &format!("  {}", paint.paint(Role::Faint, &unseen));
            }
            shown += &wrapped(&self.listed(bound, names.as_ref()), margin);
            text += &format!("{shown}\n");
        }
        let mut details = self.conclusion(names.as_ref());
        details.push(("effort", effort(&self.table.outcome, self.time, self.peak_memory)));
        text + "\n" + &layout(&details, paint)
    }

    /// The table in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text =
            format!("| {} | states | new states | visible | new visible | which |\n", self.unit());
        text += "| ---: | ---: | ---: | ---: | ---: | --- |\n";
        let names = self.names();
        for (bound, seen) in self.observations().iter().enumerate() {
            let states = self.listed(bound, names.as_ref());
            let escaped = states.iter().map(|state| format!("`{}`", state.replace('|', "\\|")));
            let which = self.mark(bound).map(str::to_owned).into_iter().chain(escaped);
            let which: Vec<_> = which.collect();
            text += &format!("| {} | {} |\n", numbers(seen).join(" | "), which.join(" "));
        }
        for (label, words) in self.conclusion(names.as_ref()) {
            text += &format!("\n*{label}*: {words}\n");
        }
        text
    }

    /// The table as comma-separated values.
    #[must_use]
    pub fn csv(&self) -> String {
        let names = [self.unit(), "states", "new_states", "visible", "new_visible", "plateau"];
        let names: Vec<String> = names.into_iter().chain(["which"]).map(str::to_owned).collect();
        let row = |(bound, seen): (usize, &Observation)| {
            let known = |cell: String| if cell == "-" { String::new() } else { cell };
            let is_plateau = self.mark(bound) == Some(PLATEAU);
            let which = self.states(bound).unwrap_or_default().join(" ");
            numbers(seen).map(known).into_iter().chain([is_plateau.to_string(), which]).collect()
        };
        let rows = self.observations().iter().enumerate().map(row);
        lines::write(std::iter::once(names).chain(rows))
    }

    /// The table as an object.
    #[must_use]
    pub fn json(&self) -> JsonTable {
        let outcome = &self.table.outcome;
        let row = |(bound, seen): (usize, &Observation)| Row {
            bound: seen.bound.into(),
            states: json::small(seen.states),
            new_states: json::small(seen.new_states),
            visible: json::small(seen.visible),
            new_visible: json::small(seen.new_visible),
            plateau: self.mark(bound) == Some(PLATEAU),
            which: self.states(bound),
        };
        let (proof, reason) = match &outcome.verdict {
            Verdict::Safe(proof) => (Some(proof::in_words(outcome, *proof, true)), None),
            Verdict::Unknown { stop, .. } => (None, Some(stop.to_string())),
            _ => (None, None),
        };
        let no_generators = match &self.table.generators {
            Some(Err(stop)) => Some(format!("the generators are not known: {stop}")),
            _ => None,
        };
        let reason = reason.or(no_generators);
        let finite = self.table.finite_contexts.as_ref().map(|list| {
            let one = |&(template, finite): &(TemplateId, bool)| Finite {
                thread: self.system.describe().template_name(template),
                finite,
            };
            list.iter().map(one).collect()
        });
        JsonTable {
            selvedge: VERSION,
            file: self.file.to_owned(),
            engine: outcome.engine,
            collapse: outcome.collapse.map(Bound::from),
            proof,
            observations: self.observations().iter().enumerate().map(row).collect(),
            finite_contexts: finite,
            generators: self.json_generators(),
            automata: self.json_automata(),
            reason,
            time_s: self.time.as_secs_f64(),
            peak_memory_bytes: self.peak_memory,
        }
    }

    /// What the bounds count.
    fn unit(&self) -> &'static str {
        match self.observations().first().map(|seen| seen.bound.resource) {
            Some(Resource::Rounds | Resource::RoundRobin { .. }) => "rounds",
            Some(Resource::Threads) => "threads",
            Some(Resource::ContextsOf { .. }) => "contexts",
            Some(Resource::Contexts) | None => "contexts",
        }
    }

    fn observations(&self) -> &[Observation] {
        &self.table.outcome.observations
    }

    /// The mark of a bound at which no visible state is new.
    fn mark(&self, bound: usize) -> Option<&'static str> {
        let is_flat = self.observations()[bound].new_visible == Some(0);
        let collapse = self.table.outcome.collapse;
        let is_after = collapse.is_some_and(|last| bound > last.count);
        is_flat.then_some(if is_after { COLLAPSED } else { PLATEAU })
    }

    /// The visible states that are new at a bound, if they are to be listed.
    fn states(&self, bound: usize) -> Option<Vec<String>> {
        let listed = self.table.new_visible.get(bound)?.as_ref()?;
        let shown: Vec<String> = listed.iter().map(|state| show(self.system, state)).collect();
        let is_twice = |text: &String| shown.iter().filter(|other| *other == text).count() > 1;
        let apart = |(state, text): (&VisibleState, &String)| match is_twice(text) {
            true => show_apart(self.system, state),
            false => text.clone(),
        };
        Some(listed.iter().zip(&shown).map(apart).collect())
    }

    /// What is listed for a bound: the new states with sets of stacks if they were asked for, otherwise the
    /// new visible states.
    fn listed(&self, bound: usize, names: Option<&Names>) -> Vec<String> {
        match names {
            Some(names) => self.symbolic(bound, names).unwrap_or_default(),
            None => self.states(bound).unwrap_or_default(),
        }
    }

    fn conclusion(&self, names: Option<&Names>) -> Vec<(&'static str, String)> {
        let outcome = &self.table.outcome;
        let mut details = Vec::new();
        match (&outcome.verdict, outcome.collapse) {
            (Verdict::Safe(proof), Some(last)) => {
                details.push((
                    "collapse",
                    format!("at {last}: no visible state is new with any larger number"),
                ));
                let how = if matches!(proof, Proof::Cut(_)) { "from above" } else { "repetition" };
                let words = proof::in_words(outcome, *proof, true);
                details.push(("proof", format!("{how}: {words}")));
            }
            (Verdict::Unknown { stop, .. }, _) => {
                details.push(("unknown", format!("{stop}; more visible states may follow")));
                if matches!(stop, Stop::Timeout | Stop::Memory) {
                    let way = match self.observations().last().map_or(0, |last| last.bound.count) {
                        0 => "smaller constants, or ranges for integers (`int[0..9] x`)".to_owned(),
                        most => format!(
                            "`--{} {most}`, which was completed, or smaller constants",
                            self.unit()
                        ),
                    };
                    let words = format!(
                        "{way}; `selvedge verify {}` does not need all visible states for a proof",
                        self.file
                    );
                    details.push(("try", words));
                }
            }
            _ => details.push((
                "collapse",
                format!("not seen yet: more visible states may follow with more {}", self.unit()),
            )),
        }
        if let Some(most) = outcome.most_threads {
            let words = match outcome.verdict {
                Verdict::Safe(_) => format!(
                    "there are never more than {}, ended ones included",
                    count(most, "thread")
                ),
                _ => format!("states with more than {most} are not counted"),
            };
            details.push(("threads", words));
        }
        if self.lists_kinds() {
            let words = "of states that differ by an exchange of like threads, one is shown";
            details.push(("listed", words.to_owned()));
        }
        details.extend(self.about_generators());
        details.push(("finite contexts", self.finite_contexts()));
        details.extend(names.into_iter().flat_map(|names| self.about_contexts(names)));
        details
    }

    /// Whether a state that is listed stands for others.
    fn lists_kinds(&self) -> bool {
        let listed = self.table.new_visible.iter().zip(self.observations());
        let stands_for_others = |(states, seen): (&Option<Vec<_>>, &Observation)| {
            states.as_ref().is_some_and(|s| Some(s.len() as u128) != seen.new_visible)
        };
        listed.into_iter().any(stands_for_others)
    }

    fn finite_contexts(&self) -> String {
        let Some(list) = &self.table.finite_contexts else {
            return "not known: the limit was reached first".to_owned();
        };
        let one = |&(template, finite): &(TemplateId, bool)| {
            format!(
                "{} {}",
                self.system.describe().template_name(template),
                if finite { "yes" } else { "no" }
            )
        };
        list.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Marks a bound at which no visible state is new, though more may follow.
pub(crate) const PLATEAU: &str = "plateau";

/// Marks a bound at which no visible state is new, and none follows.
pub(crate) const COLLAPSED: &str = "collapsed";

fn numbers(seen: &Observation) -> [String; 5] {
    [
        seen.bound.count.to_string(),
        number(seen.states),
        number(seen.new_states),
        number(seen.visible),
        number(seen.new_visible),
    ]
}

/// A visible state: `⟨q|a,-⟩`.
#[must_use]
pub fn show(system: &dyn System, state: &VisibleState) -> String {
    let top = |top: &Option<_>| {
        top.map_or("-".to_owned(), |symbol| system.describe().show_symbol(symbol))
    };
    let tops: Vec<_> = state.tops.iter().map(top).collect();
    format!("⟨{}|{}⟩", system.describe().show_shared(state.shared), tops.join(","))
}

/// A visible state with the statements that threads are at, for places of one line: `⟨q|lock:2 (skip),-⟩`.
fn show_apart(system: &dyn System, state: &VisibleState) -> String {
    let top = |top: &Option<_>| {
        let Some(symbol) = *top else { return "-".to_owned() };
        let shown = system.describe().show_symbol(symbol);
        match system.describe().statement(symbol) {
            Some(statement) => format!("{shown} ({statement})"),
            None => shown,
        }
    };
    let tops: Vec<_> = state.tops.iter().map(top).collect();
    format!("⟨{}|{}⟩", system.describe().show_shared(state.shared), tops.join(","))
}

/// States in lines of a readable width, after a margin.
fn wrapped(states: &[String], margin: usize) -> String {
    let mut text = String::new();
    let mut at = margin;
    for (index, state) in states.iter().enumerate() {
        let width = state.chars().count();
        let separator = if index == 0 { "  " } else { " " };
        if index > 0 && at + 1 + width > WIDEST_LINE {
            text += &format!("\n{}", " ".repeat(margin));
            at = margin;
        } else {
            text += separator;
        }
        text += state;
        at += width + 1;
    }
    text
}

/// An observation table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JsonTable {
    /// The version of Selvedge.
    pub selvedge: &'static str,
    /// The file.
    pub file: String,
    /// Which engine explored.
    pub engine: &'static str,
    /// The last bound at which a visible state is new, if that is known.
    pub collapse: Option<Bound>,
    /// Why nothing more can follow.
    pub proof: Option<String>,
    /// What is new at each bound.
    pub observations: Vec<Row>,
    /// Whether single contexts reach finitely many states, by kind of thread.
    pub finite_contexts: Option<Vec<Finite>>,
    /// G, Z and G ∩ Z, if they were asked for.
    pub generators: Option<JsonGenerators>,
    /// Sets of stacks, if they were asked for.
    pub automata: Option<JsonAutomata>,
    /// Why the table ends too early.
    pub reason: Option<String>,
    /// Wall-clock time, in seconds.
    pub time_s: f64,
    /// The largest amount of memory that was in use.
    pub peak_memory_bytes: u64,
}

/// What is new at a bound. Numbers that are infinite, or have 64 bits or more, are not known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// The bound.
    pub bound: Bound,
    /// How many states.
    pub states: Option<u64>,
    /// How many of them need this bound.
    pub new_states: Option<u64>,
    /// How many visible states.
    pub visible: Option<u64>,
    /// How many of them need this bound.
    pub new_visible: Option<u64>,
    /// Whether nothing visible is new, though the sequence has not collapsed.
    pub plateau: bool,
    /// The new visible states; of those that differ by a permutation of interchangeable threads,
    /// one. Not listed where they are too many.
    pub which: Option<Vec<String>>,
}

/// Whether contexts of one kind of thread reach finitely many states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finite {
    /// The kind of thread.
    pub thread: String,
    /// Whether contexts of such threads reach finitely many states.
    pub finite: bool,
}
