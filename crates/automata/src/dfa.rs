//! # Canonical automata
//! A partial deterministic automaton that is minimal, has no useless state, and whose states are
//! numbered breadth first along sorted symbols. Every regular language has exactly one.

use std::fmt::Write;

use rustc_hash::FxHashMap;
use selvedge_model::SymbolId;
use selvedge_store::number;

/// A deterministic automaton in canonical form. State 0 is the first; the empty language has no
/// state at all.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dfa {
    states: Vec<State>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct State {
    accepting: bool,
    /// The outgoing edges, sorted by symbol.
    edges: Box<[(SymbolId, u32)]>,
}

/// A deterministic automaton on its way to canonical form.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawDfa {
    pub accepting: Vec<bool>,
    pub edges: Vec<Vec<(SymbolId, u32)>>,
}

impl RawDfa {
    pub fn add_state(&mut self, accepting: bool) -> u32 {
        let state = number(self.accepting.len());
        self.accepting.push(accepting);
        self.edges.push(Vec::new());
        state
    }

    /// The canonical automaton of what is accepted from each of these states.
    pub fn canonical(mut self, starts: &[u32]) -> Vec<Dfa> {
        for edges in &mut self.edges {
            edges.sort_unstable();
        }
        self.remove_dead_ends();
        let classes = self.equivalence_classes();
        starts.iter().map(|&start| self.extract(start, &classes)).collect()
    }

    /// Drops edges to states from which nothing is accepted.
    fn remove_dead_ends(&mut self) {
        let mut into = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for &(_, to) in edges {
                into[to as usize].push(number(from));
            }
        }
        let mut live = self.accepting.clone();
        let mut work: Vec<u32> = (0..number(live.len())).filter(|&s| live[s as usize]).collect();
        while let Some(state) = work.pop() {
            for &from in &into[state as usize] {
                if !std::mem::replace(&mut live[from as usize], true) {
                    work.push(from);
                }
            }
        }
        for (state, edges) in self.edges.iter_mut().enumerate() {
            if live[state] {
                edges.retain(|&(_, to)| live[to as usize]);
            } else {
                edges.clear();
            }
        }
    }

    /// The coarsest partition that respects acceptance and edges (Moore), as a class number for
    /// each state.
    fn equivalence_classes(&self) -> Vec<u32> {
        let mut classes: Vec<u32> = self.accepting.iter().map(|&a| u32::from(a)).collect();
        let mut count = 0;
        loop {
            let mut numbers: FxHashMap<(u32, Vec<(SymbolId, u32)>), u32> = FxHashMap::default();
            let next: Vec<u32> = (0..classes.len())
                .map(|state| {
                    let edges = self.edges[state].iter();
                    let signature = edges.map(|&(symbol, to)| (symbol, classes[to as usize]));
                    let key = (classes[state], signature.collect());
                    let fresh = number(numbers.len());
                    *numbers.entry(key).or_insert(fresh)
                })
                .collect();
            let grown = numbers.len() != count;
            count = numbers.len();
            classes = next;
            if !grown {
                return classes;
            }
        }
    }

    /// The part reachable from a state, one state for each class, numbered breadth first.
    fn extract(&self, start: u32, classes: &[u32]) -> Dfa {
        if !self.accepting[start as usize] && self.edges[start as usize].is_empty() {
            return Dfa::default();
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut order = vec![start];
        numbers.insert(classes[start as usize], 0);
        let mut states = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let state = order[at] as usize;
            let edges = self.edges[state].iter().map(|&(symbol, to)| {
                let fresh = number(order.len());
                let class = *numbers.entry(classes[to as usize]).or_insert(fresh);
                if class == fresh {
                    order.push(to);
                }
                (symbol, class)
            });
            states.push(State { edges: edges.collect(), accepting: self.accepting[state] });
            at += 1;
        }
        Dfa { states }
    }
}

impl Dfa {
    /// The language of one word, given top first.
    #[must_use]
    pub fn word(word: impl IntoIterator<Item = SymbolId>) -> Dfa {
        let mut states: Vec<State> = Vec::new();
        for symbol in word {
            let next = number(states.len() + 1);
            states.push(State { accepting: false, edges: Box::new([(symbol, next)]) });
        }
        states.push(State { accepting: true, edges: Box::default() });
        Dfa { states }
    }

    /// The canonical automaton of one that is given state by state: whether the state accepts, and
    /// its edges. `None` if an edge leads nowhere, or two edges of a state have the same symbol.
    #[must_use]
    pub fn from_states(states: Vec<(bool, Vec<(SymbolId, u32)>)>) -> Option<Dfa> {
        let count = states.len();
        let (accepting, mut edges): (Vec<bool>, Vec<Vec<_>>) = states.into_iter().unzip();
        for edges in &mut edges {
            edges.sort_unstable();
            let leads = edges.iter().all(|&(_, to)| (to as usize) < count);
            if !leads || edges.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return None;
            }
        }
        if count == 0 {
            return Some(Dfa::default());
        }
        RawDfa { accepting, edges }.canonical(&[0]).pop()
    }

    /// The state to which a symbol leads from a state.
    #[must_use]
    pub fn next(&self, state: u32, symbol: SymbolId) -> Option<u32> {
        let edges = self.edges(state);
        edges.binary_search_by_key(&symbol, |&(s, _)| s).ok().map(|at| edges[at].1)
    }

    /// How many states there are; 0 for the empty language.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// One more than the last state.
    pub(crate) fn end(&self) -> u32 {
        number(self.states.len())
    }

    /// Whether the language is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether a state accepts.
    #[must_use]
    pub fn accepts_at(&self, state: u32) -> bool {
        self.states[state as usize].accepting
    }

    /// The edges of a state, sorted by symbol.
    #[must_use]
    pub fn edges(&self, state: u32) -> &[(SymbolId, u32)] {
        &self.states[state as usize].edges
    }

    /// Whether a word, given top first, is accepted.
    #[must_use]
    pub fn contains(&self, word: impl IntoIterator<Item = SymbolId>) -> bool {
        if self.is_empty() {
            return false;
        }
        let mut state = 0;
        for symbol in word {
            match self.next(state, symbol) {
                Some(to) => state = to,
                None => return false,
            }
        }
        self.accepts_at(state)
    }

    /// Whether finitely many words are accepted: no state is useless, so exactly if there is no
    /// cycle.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        // Kahn: a graph without cycles can be taken apart from its sources.
        let mut incoming = vec![0u32; self.states.len()];
        for state in &self.states {
            for &(_, to) in &state.edges {
                incoming[to as usize] += 1;
            }
        }
        let mut work: Vec<usize> = (0..incoming.len()).filter(|&s| incoming[s] == 0).collect();
        let mut removed = 0;
        while let Some(state) = work.pop() {
            removed += 1;
            for &(_, to) in &self.states[state].edges {
                incoming[to as usize] -= 1;
                if incoming[to as usize] == 0 {
                    work.push(to as usize);
                }
            }
        }
        removed == self.states.len()
    }

    /// What can be on top: the first symbols of the words, and `None` if the empty word is in.
    #[must_use]
    pub fn tops(&self) -> Vec<Option<SymbolId>> {
        let Some(first) = self.states.first() else { return Vec::new() };
        let empty = first.accepting.then_some(None);
        empty.into_iter().chain(first.edges.iter().map(|&(symbol, _)| Some(symbol))).collect()
    }

    /// A shortest word whose first symbol (`None` for the empty word) is one of those that are wanted.
    #[must_use]
    pub fn shortest(&self, wanted: impl Fn(Option<SymbolId>) -> bool) -> Option<Vec<SymbolId>> {
        let first = self.states.first()?;
        if first.accepting && wanted(None) {
            return Some(Vec::new());
        }
        let tops = first.edges.iter().filter(|&&(symbol, _)| wanted(Some(symbol)));
        // Each state with the symbol that was read last and the place of the one before.
        let mut open: Vec<(u32, SymbolId, Option<usize>)> =
            tops.map(|&(symbol, to)| (to, symbol, None)).collect();
        let mut seen = vec![false; self.states.len()];
        let mut at = 0;
        while let Some(&(state, symbol, mut before)) = open.get(at) {
            if self.accepts_at(state) {
                let mut word = vec![symbol];
                while let Some(place) = before {
                    word.push(open[place].1);
                    before = open[place].2;
                }
                word.reverse();
                return Some(word);
            }
            if !std::mem::replace(&mut seen[state as usize], true) {
                open.extend(self.edges(state).iter().map(|&(symbol, to)| (to, symbol, Some(at))));
            }
            at += 1;
        }
        None
    }

    /// The words of at most this length, shortest first.
    #[must_use]
    pub fn words(&self, longest: usize) -> Vec<Vec<SymbolId>> {
        let mut found = Vec::new();
        let mut level: Vec<(u32, Vec<SymbolId>)> = Vec::new();
        if !self.is_empty() {
            level.push((0, Vec::new()));
        }
        for _ in 0..=longest {
            let mut next = Vec::new();
            for (state, word) in level {
                for &(symbol, to) in self.edges(state) {
                    let mut longer = word.clone();
                    longer.push(symbol);
                    next.push((to, longer));
                }
                if self.accepts_at(state) {
                    found.push(word);
                }
            }
            level = next;
        }
        found
    }

    /// The automaton of the words for which `keep` holds of the acceptances of both automata.
    #[must_use]
    pub fn combine(&self, other: &Dfa, keep: fn(bool, bool) -> bool) -> Dfa {
        // A missing state is a state that accepts nothing.
        type Pair = (Option<u32>, Option<u32>);
        let mut raw = RawDfa::default();
        let mut numbers: FxHashMap<Pair, u32> = FxHashMap::default();
        let first = |dfa: &Dfa| (!dfa.is_empty()).then_some(0);
        let accepts = |(a, b): Pair| {
            keep(a.is_some_and(|a| self.accepts_at(a)), b.is_some_and(|b| other.accepts_at(b)))
        };
        let start = (first(self), first(other));
        numbers.insert(start, raw.add_state(accepts(start)));
        let mut work = vec![start];
        while let Some(pair) = work.pop() {
            let from = numbers[&pair];
            let left = pair.0.map_or(&[][..], |a| self.edges(a));
            let right = pair.1.map_or(&[][..], |b| other.edges(b));
            let mut next: Vec<(SymbolId, Pair)> = Vec::new();
            for &(symbol, to) in left {
                next.push((symbol, (Some(to), None)));
            }
            for &(symbol, to) in right {
                match next.iter_mut().find(|(s, _)| *s == symbol) {
                    Some((_, pair)) => pair.1 = Some(to),
                    None => next.push((symbol, (None, Some(to)))),
                }
            }
            for (symbol, pair) in next {
                let number = *numbers.entry(pair).or_insert_with(|| {
                    work.push(pair);
                    raw.add_state(accepts(pair))
                });
                raw.edges[from as usize].push((symbol, number));
            }
        }
        raw.canonical(&[0]).pop().unwrap_or_default()
    }

    /// The automaton as text, one line a state.
    #[must_use]
    pub fn to_text(&self, name: impl Fn(SymbolId) -> String) -> String {
        let mut text = String::new();
        for (number, state) in self.states.iter().enumerate() {
            let mark = if state.accepting { "*" } else { "" };
            let _ = write!(text, "{number}{mark}:");
            for &(symbol, to) in &state.edges {
                let _ = write!(text, " {}→{to}", name(symbol));
            }
            text.push('\n');
        }
        text
    }

    /// The automaton as a picture for Graphviz.
    #[must_use]
    pub fn to_dot(&self, name: impl Fn(SymbolId) -> String) -> String {
        let mut text = String::from("digraph language {\n  rankdir=LR;\n");
        for (number, state) in self.states.iter().enumerate() {
            let shape = if state.accepting { "doublecircle" } else { "circle" };
            let _ = writeln!(text, "  {number} [shape={shape}];");
            for &(symbol, to) in &state.edges {
                let label = name(symbol).replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(text, "  {number} -> {to} [label=\"{label}\"];");
            }
        }
        text + "}\n"
    }
}
