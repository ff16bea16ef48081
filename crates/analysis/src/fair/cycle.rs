//! # A cycle through a part
//!
//! **Question.** A strongly connected part of the graph meets all conditions. Which cycle through it
//! does so by itself, and is short?
//!
//! **Idea.** A cycle has *needs*: each thread that acts in the part is to act in it; with weak
//! fairness, one that does not is to rest at a state; and a fair choice that it makes is to come out
//! both ways, unless others take its place. From a state, go to the nearest step that meets a need that is left, and so on, and
//! home in the end. What has a choice come out one way only is tried again with the other way as a
//! need. Of several states to begin with, the one with the shortest lasso is taken.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use selvedge_evidence::Lasso;
use selvedge_model::{Endless, FairChoice, Fairness};

use super::graph::Graph;
use super::streett::Part;
use crate::{Budget, Stop};

/// The most states that are tried as the beginning of the period.
const MOST_STARTS: usize = 64;

/// The most steps that trying them may take.
const MOST_WORK: usize = 4_000_000;

/// A requirement that a cycle must meet to be fair.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// A step of the thread.
    Act(u32),
    /// A state at which the thread does not ask to act.
    Rest(u32),
    /// A choice of the thread that comes out like this, or another thread in its place.
    Choice(u32, FairChoice),
}

/// A lasso through a part that meets all conditions.
pub(super) fn lasso(
    graph: &Graph<'_>,
    part: &Part,
    endless: Endless,
    budget: &Budget,
) -> Result<Lasso, Stop> {
    let search = CycleSearch { graph, part, endless };
    let edges: usize = part.states.iter().map(|&s| graph.edges_of(s).len()).sum();
    let needs = search.needs();
    let work = edges.saturating_mul(needs.len() + 1).max(1);
    let starts = (MOST_WORK / work).clamp(1, MOST_STARTS);
    let mut best: Option<(u32, usize, Vec<usize>)> = None;
    for &start in part.states.iter().take(starts) {
        budget.check()?;
        let cycle = search.cycle(start, &needs);
        let length = graph.way_to(start).1.len() + 2 * cycle.len();
        if best.as_ref().is_none_or(|(_, least, _)| length < *least) {
            best = Some((start, length, cycle));
        }
    }
    let (start, _, mut cycle) = best.unwrap_or_default();
    let (initial, mut edges) = graph.way_to(start);
    begin_with_a_switch(graph, &mut edges, &mut cycle);
    let stem = edges.len();
    edges.extend(cycle);
    let mut stem_and_period = graph.run(initial, &edges);
    let period = stem_and_period.steps.split_off(stem);
    Ok(Lasso { stem: stem_and_period, period, endless })
}

/// A context that goes on from one period to the next is shown as one: the period begins after it.
fn begin_with_a_switch(graph: &Graph<'_>, stem: &mut Vec<usize>, period: &mut [usize]) {
    let who = |edge: &usize| graph.edge(*edge).thread;
    let first = period.iter().take_while(|edge| who(edge) == who(&period[0])).count();
    let goes_on = period.last().map(who) == period.first().map(who);
    if goes_on && first < period.len() {
        stem.extend_from_slice(&period[..first]);
        period.rotate_left(first);
    }
}

struct CycleSearch<'a> {
    graph: &'a Graph<'a>,
    part: &'a Part,
    endless: Endless,
}

impl CycleSearch<'_> {
    /// The requirements that every cycle must meet.
    fn needs(&self) -> BTreeSet<Need> {
        let fairness = self.endless.fairness;
        let Some(&first) = self.part.states.first().filter(|_| fairness != Fairness::None) else {
            return BTreeSet::new();
        };
        // Threads have 32-bit numbers, so there are no more of them.
        let threads = u32::try_from(self.graph.thread_count(first)).unwrap_or(u32::MAX);
        let inside = self.part.states.iter().flat_map(|&s| self.part.edges(self.graph, s));
        let acting: BTreeSet<u32> = inside.map(|edge| self.graph.edge(edge).thread).collect();
        let need = |thread| match acting.contains(&thread) {
            true => Some(Need::Act(thread)),
            false => (fairness == Fairness::Weak).then_some(Need::Rest(thread)),
        };
        (0..threads).filter_map(need).collect()
    }

    /// A cycle from a state that has what it needs, as a list of edges.
    fn cycle(&self, start: u32, needs: &BTreeSet<Need>) -> Vec<usize> {
        let mut needs = needs.clone();
        loop {
            let cycle = self.tour(start, needs.clone());
            if self.endless.fairness == Fairness::None {
                return cycle;
            }
            let made: BTreeSet<(u32, FairChoice)> = cycle
                .iter()
                .flat_map(|&e| self.graph.choices(e).iter().map(move |&c| (e, c)))
                .map(|(edge, choice)| (self.graph.edge(edge).thread, choice))
                .collect();
            let filled: BTreeSet<u32> = cycle.iter().filter_map(|&e| self.graph.fills(e)).collect();
            let missing = made.iter().filter(|(thread, choice)| {
                !made.contains(&(*thread, choice.other())) && !filled.contains(thread)
            });
            let before = needs.len();
            needs.extend(missing.map(|&(thread, choice)| Need::Choice(thread, choice.other())));
            if needs.len() == before {
                return cycle;
            }
        }
    }

    /// From a state through all that is needed, and back.
    fn tour(&self, start: u32, mut needs: BTreeSet<Need>) -> Vec<usize> {
        let last = |tour: &[usize]| tour.last().map(|&edge| self.graph.edge(edge).thread);
        let mut tour = Vec::new();
        let mut at = start;
        needs.retain(|need| !self.rests(at, *need));
        while !needs.is_empty() {
            let way = self
                .nearest(at, last(&tour), |edge| needs.iter().any(|need| self.meets(edge, *need)));
            if way.is_empty() {
                break; // not in a part that meets all conditions
            }
            for edge in way {
                needs.retain(|need| !self.meets(edge, *need));
                at = self.graph.edge(edge).to;
                tour.push(edge);
            }
        }
        if at != start || tour.is_empty() {
            let home = |edge| self.graph.edge(edge).to == start;
            tour.extend(self.nearest(at, last(&tour), home));
        }
        tour
    }

    fn meets(&self, edge: usize, need: Need) -> bool {
        let taken = self.graph.edge(edge);
        match need {
            Need::Act(thread) => taken.thread == thread,
            Need::Choice(thread, choice) => {
                (taken.thread == thread && self.graph.choices(edge).contains(&choice))
                    || self.graph.fills(edge) == Some(thread)
            }
            Need::Rest(_) => self.rests(taken.to, need),
        }
    }

    /// Whether a state meets the need of a thread that rests.
    fn rests(&self, state: u32, need: Need) -> bool {
        let Need::Rest(thread) = need else { return false };
        !self.graph.asks(self.endless, state, thread)
    }

    /// A shortest way inside of the part that ends with a wanted step. `last` is the thread that
    /// acted before.
    fn nearest(&self, from: u32, last: Option<u32>, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut found_by: FxHashMap<u32, Option<(u32, usize)>> = FxHashMap::default();
        found_by.insert(from, None);
        let mut queue = vec![from];
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            next += 1;
            let mut edges: Vec<usize> = self.part.edges(self.graph, state).collect();
            // Among ways of the same length, one with fewer switches is easier to read.
            let last = found_by[&state].map(|(_, edge)| self.graph.edge(edge).thread).or(last);
            edges.sort_by_key(|&edge| Some(self.graph.edge(edge).thread) != last);
            for edge in edges {
                if wanted(edge) {
                    let mut way = vec![edge];
                    let mut at = state;
                    while let Some(Some((before, edge))) = found_by.get(&at) {
                        way.push(*edge);
                        at = *before;
                    }
                    way.reverse();
                    return way;
                }
                let to = self.graph.edge(edge).to;
                found_by.entry(to).or_insert_with(|| {
                    queue.push(to);
                    Some((state, edge))
                });
            }
        }
        Vec::new()
    }
}
