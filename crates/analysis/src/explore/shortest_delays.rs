//! # The schedule of a violation, with rounds and delays
//!
//! **Question.** A violation is within r rounds and d delays. Which schedule shows it with the fewest
//! turns, so with the fewest rounds?
//!
//! **Idea.** Turn by turn, with the fewest delays for each configuration: what is reached again at a
//! later turn with no fewer delays is not followed. Of the violations at the first turn that has one,
//! one with the fewest delays is taken.

use rustc_hash::FxHashMap;
use selvedge_evidence::Trace;
use selvedge_model::{Fault, Property, State, System, ThreadId, step};
use selvedge_store::{Full, Links, StateSet};

use super::space::Space;
use super::stacks::Stacks;
use super::target::Target;
use crate::{Bound, Budget, Pace, Stop};

/// A state at a turn.
#[derive(Clone, Copy)]
struct Node {
    state: u32,
    delays: u32,
}

/// The turn passed without a step.
const NOBODY: u32 = u32::MAX;

/// The schedule that breaks one of the properties within the bounds with the fewest turns, if there
/// is one; with the rounds and delays that it takes.
pub fn shortest_with_delays(
    system: &dyn System,
    properties: &[Property],
    rounds: usize,
    delays: usize,
    budget: &Budget,
) -> Result<Option<(Trace, Bound)>, Stop> {
    let (space, initial) = Space::new(system.into(), Stacks::default(), false)?;
    let targets = properties.iter().map(|p| Target::new(p, &space.classes)).collect();
    let mut search = DelaySearch {
        space,
        targets,
        threads: system.threads().len(),
        delays: u32::try_from(delays).unwrap_or(u32::MAX),
        states: StateSet::default(),
        hits: Vec::new(),
        nodes: Vec::new(),
        links: Links::default(),
        fewest: FxHashMap::default(),
    };
    for word in &initial {
        let (state, _) = search.states.insert(word)?;
        search.add(0, Node { state, delays: 0 }, None)?;
    }
    let mut layer = 0;
    let mut pace = Pace::new(budget);
    for turn in 0..=rounds.saturating_mul(search.threads) {
        let end = search.links.end();
        let mut found: Option<u32> = None;
        for at in layer..end {
            let Node { state, delays } = search.nodes[at as usize];
            let fewer = found.is_none_or(|best| delays < search.nodes[best as usize].delays);
            if fewer && search.is_hit(state)? {
                found = Some(at);
            }
        }
        if let Some(found) = found {
            let rounds = turn.div_ceil(search.threads.max(1));
            let bound = Bound::round_robin(rounds, search.nodes[found as usize].delays as usize);
            return Ok(Some((search.trace(found)?, bound)));
        }
        if layer == end || search.threads == 0 {
            break;
        }
        for at in layer..end {
            let known = search.nodes.len();
            search.follow(at, turn, &mut pace)?;
            pace.spend(1 + search.nodes.len() - known)?;
        }
        layer = end;
    }
    Ok(None)
}

struct DelaySearch<'a> {
    space: Space<'a, Stacks>,
    targets: Vec<Target>,
    threads: usize,
    /// The most delays.
    delays: u32,
    states: StateSet,
    /// Whether a state breaks a property, as far as that is known.
    hits: Vec<Option<bool>>,
    /// In the order of turns.
    nodes: Vec<Node>,
    /// For each node the one before it, and who took a step; [`NOBODY`] if the turn passed without one.
    links: Links,
    /// The fewest delays of each configuration.
    fewest: FxHashMap<(u32, u32), u32>,
}

impl DelaySearch<'_> {
    /// Adds what can follow on a node at a turn.
    fn follow(&mut self, at: u32, turn: usize, pace: &mut Pace<'_>) -> Result<(), Stop> {
        let Node { state, delays } = self.nodes[at as usize];
        let thread = turn % self.threads;
        let word = self.states.get(state).to_vec();
        let class = self.space.classes.of_thread(thread);
        let mut entries = self.space.layout.entries(&word);
        let entry = entries.find(|&(entry, _)| self.space.entry(entry).0 == class);
        let range = match entry {
            Some((entry, _)) => self.space.moves_of(word[0], entry, pace)?,
            None => 0..0,
        };
        let can_act = !range.is_empty();
        let mut next = Vec::new();
        for index in range {
            if let Some((entry, _)) = entry
                && self.space.step(&word, entry, index, &mut next).is_some()
            {
                let (state, _) = self.states.insert(&next)?;
                let acted = ThreadId::from(thread).0;
                self.add(turn + 1, Node { state, delays }, Some((at, acted)))?;
            }
        }
        // A thread that cannot act is passed over for nothing.
        let delays = if can_act { delays + 1 } else { delays };
        if delays <= self.delays {
            self.add(turn + 1, Node { state, delays }, Some((at, NOBODY)))?;
        }
        Ok(())
    }

    /// Adds a node, unless the configuration was reached as well before; with the one before it and
    /// who acted.
    fn add(&mut self, turn: usize, node: Node, before: Option<(u32, u32)>) -> Result<(), Full> {
        let whose = ThreadId::from(turn % self.threads.max(1)).0;
        let fewest = self.fewest.entry((node.state, whose)).or_insert(u32::MAX);
        if node.delays < *fewest {
            match before {
                Some((parent, acted)) => self.links.follow(parent, acted)?,
                None => self.links.start()?,
            };
            *fewest = node.delays;
            self.nodes.push(node);
        }
        Ok(())
    }

    fn is_hit(&mut self, state: u32) -> Result<bool, Stop> {
        if let Some(&Some(known)) = self.hits.get(state as usize) {
            return Ok(known);
        }
        let DelaySearch { space, states, targets, .. } = self;
        let word = states.get(state);
        let see = || {
            let kinds = space.kinds(&word).into_iter();
            kinds.map(|((class, local), n)| ((class, space.locals.top(local)), n)).collect()
        };
        let hit = space.hit(targets, word[0], see)?.is_some()
            || space.hit_stacks(targets, &word).is_some();
        if self.hits.len() <= state as usize {
            self.hits.resize(state as usize + 1, None);
        }
        self.hits[state as usize] = Some(hit);
        Ok(hit)
    }

    /// The schedule to a node, as steps of the model.
    fn trace(&mut self, found: u32) -> Result<Trace, Stop> {
        let (first, run) = self.links.run_to(found);
        let system = self.space.system.clone();
        let first = self.nodes[first as usize].state;
        let mut start = None;
        for state in system.initial()? {
            if self.is(&state, first)? {
                start = Some(state);
                break;
            }
        }
        let Some(mut state) = start else { return Err(lost()) };
        let mut trace = Trace { initial: state.clone(), steps: Vec::new() };
        for (acted, at) in run {
            let goal = self.nodes[at as usize].state;
            if acted == NOBODY {
                continue;
            }
            let thread = ThreadId(acted);
            let mut taken = None;
            for (action, next) in step(&*system, &state, thread)? {
                if self.is(&next, goal)? {
                    taken = Some((action, next));
                    break;
                }
            }
            let Some((action, next)) = taken else { return Err(lost()) };
            trace.steps.push((thread, action));
            state = next;
        }
        Ok(trace)
    }

    /// Whether this is the state of a number.
    fn is(&mut self, state: &State, number: u32) -> Result<bool, Full> {
        let word = self.space.word(state)?;
        Ok(*self.states.get(number) == *word)
    }
}

/// A schedule that cannot be followed is a mistake of this module, not of the input.
fn lost() -> Stop {
    Stop::Fault(Fault::new("the schedule of the violation could not be followed"))
}
