//! # Streett conditions
//!
//! **Question.** Is there a strongly connected part of the graph in which every thread that asks to
//! act does so, and every fair choice that is made comes out both ways?
//!
//! **Idea.** Find the strongly connected parts. One that breaks a condition (a thread asks and never
//! acts; a choice comes out one way only) has no fair run that asks infinitely often; so what asks
//! is taken out of it, and the rest is looked at again [Emerson, Lei 1987]. A condition that was used
//! once is never broken again in what is left: the depth is the number of conditions.
//!
//! **Claim.** A part that breaks no condition has a run through all of its states and steps, which is
//! fair. If none is left, the parts in the order in which they were found, level by level, are ranks
//! as [`selvedge_evidence::FairTermination`] wants them: a step leads to a part that was found
//! before, or stays in its own.

use std::collections::BTreeSet;

use selvedge_evidence::{Helpful, Level};
use selvedge_model::{Endless, FairChoice, Fairness, ThreadId};

use super::graph::Graph;
use crate::{Budget, Pace, Stop};

/// This many edges are looked at in the time of one move of an explorer.
const EDGES_PER_MOVE: usize = 16;

/// The result of looking for a part that is fair.
pub(super) enum Emptiness {
    /// A part that meets all conditions.
    Part(Part),
    /// There is no such part. Holds the levels of each state, if they are wanted.
    Nothing(Option<Vec<Vec<Level>>>),
}

/// A strongly connected part of the graph.
pub(super) struct Part {
    /// Its states, in rising order.
    pub states: Vec<u32>,
    /// Steps inside of it that must not be taken.
    dead: Vec<bool>,
    /// The part that each state belongs to; this one has the number of its states.
    owner: Vec<u32>,
    number: u32,
}

impl Part {
    /// The steps from a state that stay in the part.
    pub fn edges(&self, graph: &Graph<'_>, state: u32) -> impl Iterator<Item = usize> {
        graph.edges_of(state).filter(move |&edge| {
            let to = graph.edge(edge).to as usize;
            !self.dead[edge] && self.owner.get(to) == Some(&self.number)
        })
    }
}

/// Looks for a part of what was followed that meets all conditions; of several, the one that is
/// reached first.
pub(super) fn search(
    graph: &Graph<'_>,
    endless: Endless,
    wants_levels: bool,
    budget: &Budget,
) -> Result<Emptiness, Stop> {
    let followed = graph.followed();
    let mut search = PartSearch {
        graph,
        endless,
        owner: vec![0; followed],
        owners: 1,
        dead: vec![false; graph.edge_count()],
        order: vec![0; followed],
        levels: wants_levels.then(|| vec![Vec::new(); followed]),
        pace: Pace::new(budget),
    };
    let mut best = None;
    let mut work = vec![((0..graph.followed_end()).collect::<Vec<_>>(), 0)];
    while let Some((states, owner)) = work.pop() {
        for (rank, component) in (0_u32..).zip(search.components(&states, owner)?) {
            let number = search.take(&component);
            let helpful = match search.broken(&component, number)? {
                Status::Still => None,
                Status::Broken(helpful) => Some(helpful),
                Status::Fine => {
                    let near = component.iter().min();
                    if best
                        .as_ref()
                        .is_none_or(|(best, _): &(Vec<u32>, u32)| near < best.iter().min())
                    {
                        best = Some((component, number));
                    }
                    continue;
                }
            };
            if let Some(levels) = &mut search.levels {
                let level = Level { rank, helpful };
                component.iter().for_each(|&state| levels[state as usize].push(level));
            }
            if let Some(helpful) = helpful {
                let rest = search.without(helpful, component, number)?;
                if !rest.is_empty() {
                    let number = search.take(&rest);
                    work.push((rest, number));
                }
            }
        }
    }
    let PartSearch { owner, dead, levels, .. } = search;
    Ok(match best {
        Some((mut states, number)) => {
            states.sort_unstable();
            Emptiness::Part(Part { states, dead, owner, number })
        }
        None => Emptiness::Nothing(levels),
    })
}

/// Whether a component meets the conditions of fairness.
enum Status {
    /// No step stays in it.
    Still,
    /// This is asked for and never happens.
    Broken(Helpful),
    /// All conditions are met.
    Fine,
}

struct PartSearch<'g> {
    graph: &'g Graph<'g>,
    endless: Endless,
    /// The part that each state belongs to at the moment.
    owner: Vec<u32>,
    owners: u32,
    /// Steps that were taken out.
    dead: Vec<bool>,
    /// For the components: when a state was met, from 1; 0 if it was not.
    order: Vec<u32>,
    levels: Option<Vec<Vec<Level>>>,
    pace: Pace<'g>,
}

impl PartSearch<'_> {
    /// Makes a part of these states.
    fn take(&mut self, states: &[u32]) -> u32 {
        let number = self.owners;
        self.owners += 1;
        states.iter().for_each(|&state| self.owner[state as usize] = number);
        number
    }

    /// The steps from a state that stay in a part.
    fn inside(&self, state: u32, owner: u32) -> impl Iterator<Item = usize> {
        self.graph.edges_of(state).filter(move |&edge| {
            let to = self.graph.edge(edge).to as usize;
            !self.dead[edge] && self.owner.get(to) == Some(&owner)
        })
    }

    /// The strongly connected components of a part [Tarjan 1972]: those that a component can reach
    /// come before it.
    fn components(&mut self, states: &[u32], owner: u32) -> Result<Vec<Vec<u32>>, Stop> {
        let mut found = Vec::new();
        for &state in states {
            self.order[state as usize] = 0;
        }
        let mut met = 0;
        let mut low = vec![0u32; 1]; // by order
        let mut open: Vec<u32> = Vec::new();
        let mut is_open = vec![false; 1]; // by order
        let mut path: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
        for &root in states {
            if self.order[root as usize] != 0 {
                continue;
            }
            let mut enter = Some(root);
            loop {
                if let Some(state) = enter.take() {
                    let edges = self.graph.edges_of(state);
                    self.pace.spend(1 + edges.len() / EDGES_PER_MOVE)?;
                    met += 1;
                    self.order[state as usize] = met;
                    low.push(met);
                    is_open.push(true);
                    open.push(state);
                    path.push((state, edges));
                }
                let Some((state, edges)) = path.last_mut() else { break };
                let state = *state;
                let here = self.order[state as usize] as usize;
                if let Some(edge) = edges.next() {
                    let to = self.graph.edge(edge).to;
                    if self.dead[edge] || self.owner.get(to as usize) != Some(&owner) {
                        continue;
                    }
                    match self.order[to as usize] {
                        0 => enter = Some(to),
                        there if is_open[there as usize] => low[here] = low[here].min(there),
                        _ => {}
                    }
                    continue;
                }
                path.pop();
                if let Some((before, _)) = path.last() {
                    let before = self.order[*before as usize] as usize;
                    low[before] = low[before].min(low[here]);
                }
                if low[here] as usize == here {
                    let first = open.iter().rposition(|&s| s == state).unwrap_or(0);
                    let component = open.split_off(first);
                    for &member in &component {
                        is_open[self.order[member as usize] as usize] = false;
                    }
                    found.push(component);
                }
            }
        }
        Ok(found)
    }

    /// The condition that a component breaks.
    fn broken(&mut self, component: &[u32], owner: u32) -> Result<Status, Stop> {
        let mut acts = vec![false; self.graph.thread_count(component[0])];
        let mut choices: BTreeSet<(u32, FairChoice)> = BTreeSet::new();
        // Places with a new thread again and again, each of which chooses finitely often.
        let mut filled: BTreeSet<u32> = BTreeSet::new();
        let mut is_still = true;
        for &state in component {
            self.pace.spend(1 + self.graph.edges_of(state).len() / EDGES_PER_MOVE)?;
            for edge in self.inside(state, owner) {
                let thread = self.graph.edge(edge).thread;
                is_still = false;
                acts[thread as usize] = true;
                choices.extend(self.graph.choices(edge).iter().map(|&choice| (thread, choice)));
                filled.extend(self.graph.fills(edge));
            }
        }
        if is_still {
            return Ok(Status::Still);
        }
        if self.endless.fairness == Fairness::None {
            return Ok(Status::Fine);
        }
        let idle: Vec<usize> = (0..acts.len()).filter(|&thread| !acts[thread]).collect();
        if let Some(thread) = self.neglected(component, idle)? {
            return Ok(Status::Broken(Helpful::Thread(ThreadId::from(thread))));
        }
        let is_one_sided = |(thread, choice): &&(u32, FairChoice)| {
            !choices.contains(&(*thread, choice.other())) && !filled.contains(thread)
        };
        let one_sided = choices.iter().find(is_one_sided);
        Ok(one_sided.map_or(Status::Fine, |&(thread, choice)| {
            Status::Broken(Helpful::Choice(ThreadId(thread), choice.other()))
        }))
    }

    /// The first of the threads that do not act which asks to: at some state, or, for weak fairness,
    /// at all states.
    fn neglected(
        &mut self,
        component: &[u32],
        mut idle: Vec<usize>,
    ) -> Result<Option<usize>, Stop> {
        let is_weak = self.endless.fairness == Fairness::Weak;
        let mut first = None;
        for &state in component {
            if idle.is_empty() {
                break;
            }
            self.pace.spend(1 + idle.len())?;
            let asks = self.graph.asking(self.endless, state);
            if is_weak {
                idle.retain(|&thread| asks(thread));
            } else if let Some(at) = idle.iter().position(|&thread| asks(thread)) {
                // Only a thread before this one is of interest now.
                first = Some(idle[at]);
                idle.truncate(at);
            }
        }
        Ok(if is_weak { idle.first().copied() } else { first })
    }

    /// What is left of a component without the states, or with dead edges, that demand what never happens.
    fn without(
        &mut self,
        helpful: Helpful,
        component: Vec<u32>,
        owner: u32,
    ) -> Result<Vec<u32>, Stop> {
        self.pace.spend(component.len())?;
        Ok(match helpful {
            Helpful::Thread(thread) if self.endless.fairness == Fairness::Strong => {
                let rests = |state: &u32| !self.graph.asks(self.endless, *state, thread.0);
                component.into_iter().filter(rests).collect()
            }
            // The thread asks to act in every state.
            Helpful::Thread(_) => Vec::new(),
            Helpful::Choice(thread, choice) => {
                let makes = |&edge: &usize| {
                    self.graph.edge(edge).thread == thread.0
                        && self.graph.choices(edge).contains(&choice.other())
                };
                let inside = component.iter().flat_map(|&state| self.inside(state, owner));
                let asking: Vec<usize> = inside.filter(makes).collect();
                asking.into_iter().for_each(|edge| self.dead[edge] = true);
                component
            }
        })
    }
}
