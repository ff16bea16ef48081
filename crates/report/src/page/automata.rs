//! # Stacks as automata
//! What a certificate says about the stacks of each kind of thread, whatever the shared state is: one
//! pushdown store automaton a kind. A certificate with sets of stacks has them; one with cut stacks
//! says what may lie below what, and that is an automaton, too.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_automata::Dfa;
use selvedge_evidence::{AggregateCertificate, CutCertificate, Evidence};
use selvedge_model::{SymbolId, System, TemplateId};

use super::Automaton;
use crate::invariant::templates;
use crate::view::place_name;

/// Larger automata are not drawn.
const MOST_STATES: usize = 60;
const MOST_EDGES: usize = 400;

/// More sets of stacks than this are not put together.
const MOST_LANGUAGES: usize = 3_000;

/// The stacks of each kind of thread, and what is left out.
#[must_use]
pub fn automata(system: &dyn System, evidence: &Evidence) -> (Vec<Automaton>, Vec<String>) {
    let (languages, above) = match evidence {
        Evidence::Aggregate(certificate) => (of_sets(system, certificate), false),
        Evidence::Cut(certificate) => (of_cuts(system, certificate), true),
        Evidence::Reduced(reduced) => return automata(system, &reduced.proof),
        _ => return (Vec::new(), Vec::new()),
    };
    let (mut drawn, mut notes) = (Vec::new(), Vec::new());
    for (template, language) in languages {
        let name = system.describe().template_name(template);
        let edges: usize = match &language {
            Some(dfa) => (0..dfa.state_count()).map(|s| dfa.edges(s as u32).len()).sum(),
            None => usize::MAX,
        };
        match language {
            Some(dfa) if dfa.state_count() <= MOST_STATES && edges <= MOST_EDGES => {
                let title = match above {
                    false => format!("stacks of {name}"),
                    true => format!("stacks that {name} may have, seen from above"),
                };
                drawn.push(draw(system, title, &dfa));
            }
            _ => notes
                .push(format!("the automaton of the stacks of {name} is too large to be drawn")),
        }
    }
    (drawn, notes)
}

/// Frames that differ in the values of their variables are one in the picture.
fn draw(system: &dyn System, title: String, dfa: &Dfa) -> Automaton {
    let states = 0..dfa.state_count() as u32;
    let mut edges: BTreeMap<(u32, u32), BTreeSet<String>> = BTreeMap::new();
    for from in states.clone() {
        for &(symbol, to) in dfa.edges(from) {
            edges.entry((from, to)).or_default().insert(place_name(system, symbol));
        }
    }
    let edge = |((from, to), names): ((u32, u32), BTreeSet<String>)| {
        (from, to, names.into_iter().collect())
    };
    Automaton {
        title,
        accepting: states.map(|state| dfa.accepts_at(state)).collect(),
        edges: edges.into_iter().map(edge).collect(),
    }
}

type Languages = BTreeMap<TemplateId, Option<Dfa>>;

/// The union of the sets of each template; none if it grows too large.
fn of_sets(system: &dyn System, certificate: &AggregateCertificate) -> Languages {
    let templates = templates(system, &certificate.classes, &certificate.started);
    let mut numbers: BTreeMap<TemplateId, BTreeSet<u32>> = BTreeMap::new();
    for kind in &certificate.kinds {
        if let Some(&template) = templates.get(kind.class as usize) {
            numbers.entry(template).or_default().insert(kind.language);
        }
    }
    let union = |(template, numbers): (TemplateId, BTreeSet<u32>)| {
        let few = numbers.len() <= MOST_LANGUAGES;
        let mut all = few.then(Dfa::default);
        for number in numbers {
            let language = certificate.languages.get(number as usize);
            all = all.zip(language).map(|(all, more)| all.combine(more, |a, b| a || b));
            all = all.filter(|all| all.state_count() <= 4 * MOST_STATES);
        }
        (template, all)
    };
    numbers.into_iter().map(union).collect()
}

/// Windows, and below their lowest symbols whatever may lie there.
fn of_cuts(system: &dyn System, certificate: &CutCertificate) -> Languages {
    let templates = templates(system, &certificate.classes, &certificate.started);
    let mut builders: BTreeMap<TemplateId, Cuts> = BTreeMap::new();
    for guess in &certificate.guesses {
        if let Some(&template) = templates.get(guess.class as usize) {
            let builder = builders.entry(template).or_default();
            let known = builder.below.entry(guess.above.to_vec()).or_default();
            known.insert((guess.below, guess.more));
            builder.told = guess.above.len();
        }
    }
    for kind in &certificate.kinds {
        if let Some(&template) = templates.get(kind.class as usize) {
            let window = (kind.window.symbols.to_vec(), kind.window.hidden);
            builders.entry(template).or_default().windows.insert(window);
        }
    }
    builders.into_iter().map(|(template, cuts)| (template, cuts.language())).collect()
}

/// The guesses: for symbols above, the symbols that may lie below and whether there is more.
type Below = BTreeMap<Vec<SymbolId>, BTreeSet<(SymbolId, bool)>>;

#[derive(Default)]
struct Cuts {
    below: Below,
    /// The number of symbols that a guess names above the symbol below.
    told: usize,
    windows: BTreeSet<(Vec<SymbolId>, bool)>,
}

impl Cuts {
    /// The stacks that begin with a window and go on with what may lie below. States are sets of
    /// *rests*: what of a stack is still to come.
    fn language(&self) -> Option<Dfa> {
        if self.windows.len() > MOST_LANGUAGES {
            return None;
        }
        let start: BTreeSet<Rest> = self
            .windows
            .iter()
            .map(|(symbols, more)| Rest { above: vec![], symbols: symbols.clone(), more: *more })
            .collect();
        let mut states: Vec<(bool, Vec<(SymbolId, u32)>)> = Vec::new();
        let accepts = |set: &BTreeSet<Rest>| set.iter().any(|r| r.symbols.is_empty() && !r.more);
        states.push((accepts(&start), Vec::new()));
        let mut numbers = BTreeMap::from([(start.clone(), 0)]);
        let mut work = vec![start];
        while let Some(set) = work.pop() {
            let from: u32 = numbers[&set];
            let mut next: BTreeMap<SymbolId, BTreeSet<Rest>> = BTreeMap::new();
            for rest in &set {
                for (symbol, after) in rest.next(self) {
                    next.entry(symbol).or_default().insert(after);
                }
            }
            for (symbol, set) in next {
                let to = match numbers.get(&set) {
                    Some(&to) => to,
                    None => {
                        let to = states.len() as u32;
                        states.push((accepts(&set), Vec::new()));
                        numbers.insert(set.clone(), to);
                        work.push(set);
                        to
                    }
                };
                states[from as usize].1.push((symbol, to));
            }
            if numbers.len() > 40 * MOST_STATES {
                return None;
            }
        }
        Dfa::from_states(states)
    }
}

/// The rest of a stack that is still to be read: these symbols, and perhaps hidden ones below.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Rest {
    /// The symbols above them, as far as guesses name them.
    above: Vec<SymbolId>,
    symbols: Vec<SymbolId>,
    more: bool,
}

impl Rest {
    fn next(&self, cuts: &Cuts) -> Vec<(SymbolId, Rest)> {
        let below = |symbol: SymbolId, symbols: &[SymbolId], more: bool| {
            // Where nothing is hidden, nobody asks for what lies above.
            let mut above = if more { self.above.clone() } else { Vec::new() };
            above.extend(more.then_some(symbol));
            above.drain(..above.len().saturating_sub(cuts.told));
            (symbol, Rest { above, symbols: symbols.to_vec(), more })
        };
        if let Some((&first, symbols)) = self.symbols.split_first() {
            return vec![below(first, symbols, self.more)];
        }
        let guesses = cuts.below.get(&self.above).filter(|_| self.more);
        let go = |&(symbol, more): &(SymbolId, bool)| below(symbol, &[], more);
        guesses.into_iter().flatten().map(go).collect()
    }
}
