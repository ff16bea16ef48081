//! # The shortest schedule
//!
//! **Question.** A violation needs k contexts, or k rounds. Which schedule shows it within this
//! bound and with the fewest steps?
//!
//! **Idea.** Breadth first by steps, over states with the thread that acted last. A pair that was
//! reached before within no larger bound is not looked at again, since whatever follows costs the
//! same; more than the bound is not followed. The first violation that comes up has the fewest
//! steps among all schedules within the bound.
//!
//! Where the states within the bound are known, those of them are found first that lead to a violation with few enough contexts to go
//! (`relevant`); no others are looked at. Where that is too much to be kept, only those are left out that no shortest
//! schedule can pass through: at a state s that needs a bound of m(s), it has used m(s) of the bound, or m(s) + 1.
//!
//! **Claim.** That leaves no shortest schedule out. Let the violation need k contexts, and let a schedule with k contexts be
//! at s in its context j. From m(s) contexts that lead to s, one more of the thread that goes on, and those that follow,
//! m(s) + 1 + (k - j) are enough; since k are needed, j is at most m(s) + 1. The same holds for rounds, where whoever goes on
//! does so in the next round at the latest.
//!
//! **Needs.** That the bound is the smallest one; then the search ends, even where single contexts reach
//! infinitely many states.

use rustc_hash::FxHashMap;
use selvedge_evidence::Trace;
use selvedge_model::{Property, State, System, ThreadId, step};
use selvedge_store::{Full, Links};

use super::Locals;
use super::places::put_in_place;
use super::reached::Reached;
use super::relevant::Relevant;
use super::stacks::Stacks;
use super::target::Target;
use crate::{Bound, Budget, Pace, Resource, Stop};

/// Marks that no thread has acted yet.
const NOBODY: u32 = u32::MAX;

/// A state and the entry of the thread that acted last, with how it was reached.
struct Node {
    state: u32,
    last: u32,
    /// The contexts or rounds so far.
    used: u32,
}

/// The schedule that breaks one of the properties within the bound with the fewest steps, if there
/// is one.
pub fn shortest_violation(
    system: &dyn System,
    properties: &[Property],
    bound: Bound,
    most_threads: Option<usize>,
    budget: &Budget,
) -> Result<Option<Trace>, Stop> {
    // Threads that are alike have their turns of a round at different times.
    let symmetry = bound.resource == Resource::Contexts;
    let mut reached = Reached::new(system, Stacks::default(), symmetry)?;
    reached.space.most_threads = most_threads;
    reached.shortest(properties, bound, budget)
}

impl<L: Locals> Reached<'_, L> {
    /// The schedule that breaks one of the properties within the bound with the fewest steps. What was reached before
    /// must be all that is within the bound, with one of its bounds after the other; or the initial states alone.
    pub(super) fn shortest(
        &mut self,
        properties: &[Property],
        bound: Bound,
        budget: &Budget,
    ) -> Result<Option<Trace>, Stop> {
        let classes = &self.space.classes;
        let targets = properties.iter().map(|p| Target::new(p, classes)).collect();
        let first = self.states_until.first().copied();
        let mut search = ShortestSearch {
            properties,
            targets,
            nodes: Vec::new(),
            links: Links::default(),
            best: FxHashMap::default(),
            bound,
            relevant: None,
            reached: self,
        };
        search.look_back(budget)?;
        for state in 0..first.unwrap_or(search.reached.states.end()) {
            search.add(Node { state, last: NOBODY, used: 0 }, None)?;
        }
        search.run(budget)?.map(|found| search.trace(found)).transpose()
    }

    /// The smallest bound that reaches a state, where it is known.
    pub(super) fn needed(&self, state: u32) -> Option<usize> {
        let known = self.states_until.last().is_some_and(|&end| state < end);
        known.then(|| self.states_until.partition_point(|&until| until <= state))
    }

    /// Whether a state breaks a property.
    pub(super) fn is_hit(&self, targets: &mut [Target], state: u32) -> Result<bool, Stop> {
        let word = self.states.get(state);
        let see = || self.tops_of(&word);
        Ok(self.space.hit(targets, word[0], see)?.is_some()
            || self.space.hit_stacks(targets, &word).is_some())
    }

    /// The entry of a thread of a state, if it was met.
    pub(super) fn entry_of(&mut self, state: &State, thread: ThreadId) -> Option<u32> {
        let class = self.space.class_of(state, thread);
        let acting = &state.threads[thread.index()];
        let local = self.space.locals.of_stack(class, &acting.stack).ok()?;
        self.space.find((class, local))
    }
}

struct ShortestSearch<'r, 'a, L> {
    reached: &'r mut Reached<'a, L>,
    properties: &'r [Property],
    targets: Vec<Target>,
    /// In the order of steps.
    nodes: Vec<Node>,
    /// For each node the one before it, and the entry, before its step, of the thread that made the
    /// step.
    links: Links,
    /// The smallest bound within which a state was reached by a thread.
    best: FxHashMap<(u32, u32), u32>,
    bound: Bound,
    relevant: Option<Relevant>,
}

impl<L: Locals> ShortestSearch<'_, '_, L> {
    /// Finds out what leads to a violation, where all states within the bound are known.
    fn look_back(&mut self, budget: &Budget) -> Result<(), Stop> {
        let Bound { resource, count } = self.bound;
        let is_known = self.reached.states_until.len() == count + 1;
        let Some(contexts) =
            u32::try_from(count).ok().filter(|_| is_known && resource == Resource::Contexts)
        else {
            return Ok(());
        };
        let mut goals = Vec::new();
        for state in self.reached.states_at(count) {
            if self.reached.is_hit(&mut self.targets, state)? {
                goals.push(state);
            }
        }
        let until = self.reached.states_until.clone();
        let needed = |state: u32| until.partition_point(|&until| until <= state) as u32;
        let mut pace = Pace::new(budget);
        self.relevant = Relevant::new(self.reached, &goals, contexts, needed, &mut pace)?;
        Ok(())
    }

    /// Whether a violation may still be seen in time from a state, with so much of the bound used.
    fn may_lead_on(&self, state: u32, last: u32, used: u32) -> bool {
        let Some(relevant) = &self.relevant else {
            return self.reached.needed(state).is_none_or(|least| used as usize <= least + 1);
        };
        let in_time = |to_go: u32| (used + to_go) as usize <= self.bound.count;
        relevant.to_go(state, last).is_some_and(in_time)
    }

    fn run(&mut self, budget: &Budget) -> Result<Option<u32>, Stop> {
        let mut at = 0;
        let mut next = Vec::new();
        let mut pace = Pace::new(budget);
        while let Some(&Node { state, last, used }) = self.nodes.get(at as usize) {
            if self.reached.is_hit(&mut self.targets, state)? {
                return Ok(Some(at));
            }
            let word = self.reached.states.get(state).to_vec();
            let space = &mut self.reached.space;
            let mut entries: Vec<u32> = space.layout.entries(&word).map(|(e, _)| e).collect();
            // In the order in which they were met: which of the shortest schedules is found depends on it.
            entries.sort_unstable();
            for from in entries {
                let used = if self.goes_on(last, from) { used } else { used + 1 };
                if used as usize > self.bound.count {
                    continue;
                }
                let range = self.reached.space.moves_of(word[0], from, &mut pace)?;
                pace.spend(1 + range.len())?;
                for index in range {
                    let Some(last) = self.reached.space.step(&word, from, index, &mut next) else {
                        continue;
                    };
                    let state = match self.relevant {
                        // All that matters is known.
                        Some(_) => self.reached.states.find(&next),
                        None => Some(self.reached.states.insert(&next)?.0),
                    };
                    let Some(state) = state else { continue };
                    if !self.may_lead_on(state, last, used) {
                        continue;
                    }
                    self.add(Node { state, last, used }, Some((at, from)))?;
                }
            }
            at += 1;
        }
        Ok(None)
    }

    /// Whether a thread acts within the same context, or the same round, as the last one.
    fn goes_on(&self, last: u32, from: u32) -> bool {
        // Without symmetry, the classes are the threads in their order.
        let class = |entry| self.reached.space.entry(entry).0;
        match self.bound.resource {
            Resource::Contexts | Resource::ContextsOf { .. } => from == last,
            Resource::Rounds | Resource::RoundRobin { .. } => {
                last != NOBODY && class(last) <= class(from)
            }
            Resource::Threads => true,
        }
    }

    /// Adds a node, unless it was reached as well before; with the one before it and who moved.
    fn add(&mut self, node: Node, before: Option<(u32, u32)>) -> Result<(), Full> {
        let best = self.best.entry((node.state, node.last)).or_insert(u32::MAX);
        if node.used < *best {
            match before {
                Some((parent, moved)) => self.links.follow(parent, moved)?,
                None => self.links.start()?,
            };
            *best = node.used;
            self.nodes.push(node);
        }
        Ok(())
    }

    /// The schedule to a node, with real threads in the place of entries.
    fn trace(&mut self, found: u32) -> Result<Trace, Stop> {
        let (start, run) = self.links.run_to(found);
        let states = &self.reached.states;
        let first = states.get(self.nodes[start as usize].state).to_vec();
        let strides: Vec<Stride> = run
            .into_iter()
            .map(|(moves, node)| {
                let Node { state, last, .. } = self.nodes[node as usize];
                Stride { moves, after: Some(last), to: states.get(state).to_vec() }
            })
            .collect();
        self.reached.follow(&first, &strides, self.properties)
    }
}

/// A step of a schedule that is known by its states.
pub(super) struct Stride {
    /// The entry of the thread that moves.
    pub moves: u32,
    /// The entry that it has afterwards, if it is known.
    pub after: Option<u32>,
    /// The state afterwards.
    pub to: Vec<u32>,
}

impl<L: Locals> Reached<'_, L> {
    /// The schedule through these states, from the first one, with real threads in the place of entries.
    pub(super) fn follow(
        &mut self,
        first: &[u32],
        strides: &[Stride],
        properties: &[Property],
    ) -> Result<Trace, Stop> {
        let system = self.space.system.clone();
        let system = &*system;
        let initial = system.initial()?;
        let start = initial
            .into_iter()
            .find(|state| self.space.word(state).is_ok_and(|word| word == first));
        let Some(mut state) = start else { return Err(lost()) };
        let mut trace = Trace { initial: state.clone(), steps: Vec::new() };
        let mut last: Option<ThreadId> = None;
        for Stride { moves, after, to } in strides {
            // The thread that acted last goes on if it fits; otherwise any thread that does.
            let looks_right = |reached: &mut Self, thread: ThreadId| {
                reached.entry_of(&state, thread) == Some(*moves)
            };
            let mut candidates: Vec<ThreadId> = match last {
                Some(thread) if looks_right(self, thread) => vec![thread],
                _ => state.thread_ids().collect(),
            };
            candidates.retain(|&thread| looks_right(self, thread));
            let mut taken = None;
            'found: for thread in candidates {
                for (action, next) in step(system, &state, thread)? {
                    if self.space.word(&next)? != *to {
                        continue;
                    }
                    let is_meant = after.is_none() || self.entry_of(&next, thread) == *after;
                    if is_meant || taken.is_none() {
                        taken = Some((thread, action, next));
                    }
                    if is_meant {
                        break 'found;
                    }
                }
            }
            let Some((thread, action, next)) = taken else { return Err(lost()) };
            trace.steps.push((thread, action));
            state = next;
            last = Some(thread);
        }
        // A property may name its threads: they get the names that it means.
        put_in_place(system, trace, &state, properties, &self.space.classes)?.ok_or_else(lost)
    }
}

/// A schedule that cannot be followed is a mistake of this module, not of the input.
pub(super) fn lost() -> Stop {
    Stop::Fault(selvedge_model::Fault::new("the schedule of the violation could not be followed"))
}
