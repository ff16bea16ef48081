//! # The graph of states
//! All states that can be reached, in the order of their distance from the start, and every step
//! between them: who acts, which action it is, where it leads. Those that have been *followed* are
//! the first ones; of the others it is known only that they are there.

use rustc_hash::FxHashMap;
use selvedge_evidence::Trace;
use selvedge_model::{
    Action, Endless, FairChoice, Fairness, SharedId, State, System, TemplateId, Thread, ThreadId,
};

use crate::explore::stacks::Stacks;
use crate::explore::{Locals, StateSet};
use crate::{Budget, Pace, Stop};

/// Stacks higher than this end the search: they probably grow for ever.
const HIGHEST_STACK: usize = 10_000;

/// A step from a state.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub to: u32,
    /// The position of the thread that acts.
    pub thread: u32,
    /// What it does, as a number of a move.
    action: u32,
}

/// What a thread can do at a shared state.
struct Move {
    action: Action,
    /// The thread afterwards.
    after: u32,
    spawn: Option<u32>,
    /// Its fair choices, in rising order.
    choices: Box<[FairChoice]>,
}

/// The states and steps so far.
pub(super) struct Graph<'a> {
    system: &'a dyn System,
    stacks: Stacks,
    /// Templates with stacks, by number.
    threads: Vec<(TemplateId, u32)>,
    numbers: FxHashMap<(TemplateId, u32), u32>,
    /// A shared state, then the numbers of its threads.
    states: StateSet,
    moves: Vec<Move>,
    /// The moves of a thread at a shared state, as a range.
    known: FxHashMap<(u32, u32), (u32, u32)>,
    edges: Vec<Edge>,
    /// Where the edges of each followed state end.
    ends: Vec<usize>,
    /// The edge by which each state was found first; none for the initial ones.
    found_by: Vec<Option<(u32, usize)>>,
}

impl<'a> Graph<'a> {
    /// The initial states.
    pub fn new(system: &'a dyn System) -> Result<Self, Stop> {
        let mut graph = Graph {
            system,
            stacks: Stacks::default(),
            threads: Vec::new(),
            numbers: FxHashMap::default(),
            states: StateSet::default(),
            moves: Vec::new(),
            known: FxHashMap::default(),
            edges: Vec::new(),
            ends: Vec::new(),
            found_by: Vec::new(),
        };
        for state in system.initial()? {
            let mut word = vec![state.shared.0];
            for Thread { template, stack } in &state.threads {
                // A single stack is the same in every class.
                let stack = graph.stacks.of_stack(0, stack);
                word.push(graph.number((*template, stack)));
            }
            if graph.states.insert(&word).1 {
                graph.found_by.push(None);
            }
        }
        Ok(graph)
    }

    /// How many states were found.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// How many states were followed.
    pub fn followed(&self) -> usize {
        self.ends.len()
    }

    /// Follows states until so many were followed; whether there are more.
    pub fn expand(&mut self, most: usize, budget: &Budget) -> Result<bool, Stop> {
        let mut word = Vec::new();
        let mut next = Vec::new();
        let mut pace = Pace::new(budget);
        while self.followed() < most && self.followed() < self.states() {
            let number = self.followed() as u32;
            word.clear();
            word.extend_from_slice(&self.states.get(number));
            for (thread, &local) in word[1..].iter().enumerate() {
                let (start, end) = self.moves_of(word[0], local)?;
                pace.spend(1 + (end - start) as usize)?;
                for action in start..end {
                    let Move { action: Action { shared, .. }, after, spawn, .. } =
                        self.moves[action as usize];
                    next.clear();
                    next.extend_from_slice(&word);
                    next[0] = shared.0;
                    next[thread + 1] = after;
                    next.extend(spawn);
                    let (to, new) = self.states.insert(&next);
                    if new {
                        self.found_by.push(Some((number, self.edges.len())));
                    }
                    self.edges.push(Edge { to, thread: thread as u32, action });
                }
            }
            self.ends.push(self.edges.len());
        }
        Ok(self.followed() < self.states())
    }

    fn moves_of(&mut self, shared: u32, local: u32) -> Result<(u32, u32), Stop> {
        if let Some(&range) = self.known.get(&(shared, local)) {
            return Ok(range);
        }
        let (template, stack) = self.threads[local as usize];
        let mut actions = Vec::new();
        self.system.actions(template, SharedId(shared), self.stacks.top(stack), &mut actions)?;
        let start = self.moves.len() as u32;
        for action in actions {
            let after = self.stacks.replace_top(stack, action.word);
            if self.stacks.height(after) > HIGHEST_STACK {
                return Err(Stop::HighStack);
            }
            let after = self.number((template, after));
            let spawn = action.spawn.map(|spawn| {
                let stack = self.stacks.of_word(spawn.stack);
                self.number((spawn.template, stack))
            });
            let choices = self.system.fair_choices(action.origin).into();
            self.moves.push(Move { action, after, spawn, choices });
        }
        let range = (start, self.moves.len() as u32);
        self.known.insert((shared, local), range);
        Ok(range)
    }

    fn number(&mut self, thread: (TemplateId, u32)) -> u32 {
        let next = self.threads.len() as u32;
        let number = *self.numbers.entry(thread).or_insert(next);
        if number == next {
            self.threads.push(thread);
        }
        number
    }

    /// The steps from a state that was followed, as a range.
    pub fn edges_of(&self, state: u32) -> std::ops::Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        start..self.ends[state as usize]
    }

    pub fn edge(&self, edge: usize) -> Edge {
        self.edges[edge]
    }

    /// How many steps there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The fair choices of a step.
    pub fn choices(&self, edge: usize) -> &[FairChoice] {
        &self.moves[self.edges[edge].action as usize].choices
    }

    /// Who acts, and what the action is.
    pub fn step(&self, edge: usize) -> (ThreadId, Action) {
        let Edge { thread, action, .. } = self.edges[edge];
        (ThreadId(thread), self.moves[action as usize].action)
    }

    /// How many threads a state has.
    pub fn thread_count(&self, state: u32) -> usize {
        self.states.get(state).len() - 1
    }

    /// Whether a thread asks to act at a state; see [`Endless::asks`].
    pub fn asks(&self, endless: Endless, state: u32, thread: u32) -> bool {
        let between = || self.system.is_between(SharedId(self.states.get(state)[0]));
        let ended = || !endless.ended && self.has_ended(state, thread as usize);
        let acts = |edge: usize| self.edge(edge).thread == thread;
        self.edges_of(state).any(acts)
            || ended()
            || (endless.fairness == Fairness::Weak && between())
    }

    /// Whether a thread has ended at a state.
    fn has_ended(&self, state: u32, thread: usize) -> bool {
        let local = self.states.get(state)[thread + 1];
        self.stacks.top(self.threads[local as usize].1).is_none()
    }

    /// A state of the model.
    pub fn state(&self, number: u32) -> State {
        let word = self.states.get(number);
        let threads = word[1..].iter().map(|&local| {
            let (template, stack) = self.threads[local as usize];
            Thread { template, stack: self.stacks.get(stack) }
        });
        State { shared: SharedId(word[0]), threads: threads.collect() }
    }

    /// A shortest run to a state.
    pub fn way_to(&self, state: u32) -> Trace {
        let mut steps = Vec::new();
        let mut at = state;
        while let Some((before, edge)) = self.found_by[at as usize] {
            steps.push(self.step(edge));
            at = before;
        }
        steps.reverse();
        Trace { initial: self.state(at), steps }
    }
}
