//! Fair runs, the slow way: guess, and look.
//!
//! A run that never ends takes some steps infinitely often. Guess who takes part in that (the
//! threads that act infinitely often), and which fair choices are made infinitely often. What the
//! guess rules out is taken out of the graph; what it promises must be found together in a set of
//! states that all reach each other. Every guess is tried.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_model::{Endless, FairChoice, FairPlace, Fairness, State, System, ThreadId, step};

pub struct Graph {
    pub states: Vec<State>,
    edges: Vec<Edge>,
    /// Who can act, state by state.
    enabled: Vec<Vec<bool>>,
    /// Whether a state is in the midst of a step.
    between: Vec<bool>,
}

struct Edge {
    from: usize,
    to: usize,
    thread: usize,
    choices: Vec<FairChoice>,
}

impl Graph {
    /// All states, unless there are more than so many or the system cannot tell.
    pub fn new(system: &dyn System, most: usize) -> Option<Graph> {
        let (states, edges, enabled, between) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut graph = Graph { states, edges, enabled, between };
        let mut numbers: BTreeMap<State, usize> = BTreeMap::new();
        for state in system.initial().ok()? {
            if !numbers.contains_key(&state) {
                numbers.insert(state.clone(), graph.states.len());
                graph.states.push(state);
            }
        }
        let mut from = 0;
        while let Some(state) = graph.states.get(from).cloned() {
            let mut enabled = Vec::new();
            for thread in state.thread_ids() {
                let steps = step(system, &state, thread).ok()?;
                enabled.push(!steps.is_empty());
                for (action, after) in steps {
                    let to = *numbers.entry(after.clone()).or_insert(graph.states.len());
                    if to == graph.states.len() {
                        graph.states.push(after);
                    }
                    let choices = system.fair_choices(action.origin);
                    graph.edges.push(Edge { from, to, thread: thread.index(), choices });
                }
            }
            if graph.states.len() > most {
                return None;
            }
            graph.enabled.push(enabled);
            graph.between.push(system.is_between(state.shared));
            from += 1;
        }
        Some(graph)
    }

    /// Whether there is a run that counts.
    pub fn goes_on(&self, endless: Endless) -> bool {
        let threads = self.states.iter().map(|s| s.threads.len()).max().unwrap_or(0);
        let made = self.edges.iter().flat_map(|e| e.choices.iter().map(|c| (e.thread, c.place)));
        let places: Vec<(usize, FairPlace)> = made.collect::<BTreeSet<_>>().into_iter().collect();
        if endless.fairness == Fairness::None {
            return self.classes(|_| true, |_| true).iter().any(|class| !class.1.is_empty());
        }
        let guesses = 1u32 << (threads + places.len());
        (0..guesses).any(|guess| {
            let acts = |thread: usize| guess >> thread & 1 == 1;
            let makes = |at: usize| guess >> (threads + at) & 1 == 1;
            let rests = |state: usize| {
                let idle = (0..self.states[state].threads.len()).filter(|&t| !acts(t));
                idle.into_iter().all(|t| !self.asks(endless, state, t))
            };
            let allowed = |edge: &Edge| {
                let at = |c: &FairChoice| places.binary_search(&(edge.thread, c.place)).unwrap();
                acts(edge.thread) && edge.choices.iter().all(|c| makes(at(c)))
            };
            let stays = |state: usize| endless.fairness == Fairness::Weak || rests(state);
            self.classes(stays, allowed).iter().any(|(states, edges)| {
                let there = self.states[states[0]].threads.len();
                let has_acts =
                    (0..threads).filter(|&t| acts(t)).all(|t| edges.iter().any(|e| e.thread == t));
                let has_rests = (0..there)
                    .filter(|&t| !acts(t))
                    .all(|t| states.iter().any(|&s| !self.between[s] && !self.asks(endless, s, t)));
                let has_choices = (0..places.len()).filter(|&at| makes(at)).all(|at| {
                    let (thread, place) = places[at];
                    [false, true].iter().all(|&outcome| {
                        let choice = FairChoice { place, outcome };
                        edges.iter().any(|e| e.thread == thread && e.choices.contains(&choice))
                    })
                });
                !edges.is_empty() && has_acts && has_rests && has_choices
            })
        })
    }

    fn asks(&self, endless: Endless, state: usize, thread: usize) -> bool {
        let ended = self.states[state].threads[ThreadId::from(thread).index()].stack.0.is_empty();
        self.enabled[state][thread] || (ended && !endless.ended)
    }

    /// The sets of states that all reach each other, with the edges inside.
    fn classes(
        &self,
        stays: impl Fn(usize) -> bool,
        allowed: impl Fn(&Edge) -> bool,
    ) -> Vec<(Vec<usize>, Vec<&Edge>)> {
        let count = self.states.len();
        let edges: Vec<&Edge> =
            self.edges.iter().filter(|e| stays(e.from) && stays(e.to) && allowed(e)).collect();
        let mut after = vec![Vec::new(); count];
        let mut before = vec![Vec::new(); count];
        for edge in &edges {
            after[edge.from].push(edge.to);
            before[edge.to].push(edge.from);
        }
        let reach = |start: usize, next: &[Vec<usize>]| {
            let mut seen = vec![false; count];
            let mut work = vec![start];
            while let Some(state) = work.pop() {
                if !std::mem::replace(&mut seen[state], true) {
                    work.extend(&next[state]);
                }
            }
            seen
        };
        let mut class = vec![usize::MAX; count];
        let mut classes: Vec<(Vec<usize>, Vec<&Edge>)> = Vec::new();
        for start in (0..count).filter(|&s| stays(s)) {
            if class[start] == usize::MAX {
                let (there, back) = (reach(start, &after), reach(start, &before));
                let states: Vec<usize> = (0..count).filter(|&s| there[s] && back[s]).collect();
                states.iter().for_each(|&s| class[s] = classes.len());
                classes.push((states, Vec::new()));
            }
        }
        for edge in edges {
            if class[edge.from] == class[edge.to] {
                classes[class[edge.from]].1.push(edge);
            }
        }
        classes
    }
}
