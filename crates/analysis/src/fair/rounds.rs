//! # Lassos in rounds, state by state
//!
//! **Question.** Is there a lasso with so many rounds before the period and in it, where each thread
//! has one context in a round?
//!
//! **Idea.** First the states that so many rounds reach, each with the first context in which it is
//! reached; every thread moves from a state once. From each of them, the rounds of the period: they
//! have to come back to it. A thread that has had its last context there stands where it stood at the
//! start, since nobody else moves it; most ways end at that. Which threads act is guessed: the others
//! must not be able to (strong fairness) or not always (weak). If all act, nobody has to be looked
//! after, and what a context can do is remembered (`contexts`).
//!
//! **Claim.** Exact for programs without recursion, and what is found is a lasso in any case: unlike
//! the translation to a program with one thread, which guesses the shared variables at the start of
//! each round [Atig, Bouajjani, Emmi, Lal 2012, Sec. 4], nothing is looked at that does not occur. In
//! exchange the threads are not looked at one by one.
//!
//! **Needs.** Few threads, none of them started, no fair choices, and stacks that do not grow.

use rustc_hash::FxHashMap;
use selvedge_evidence::{Lasso, Trace};
use selvedge_model::{Endless, Fairness, System};
use selvedge_store::{Full, Id};

use super::Rounds;
use super::contexts::{Contexts, Period, Taken};
use super::graph::{Graph, GraphStep};
use crate::{Budget, Pace, Stop};

/// With more threads than this there are too many states.
const MOST_THREADS: usize = 4;

/// So many states are tried as the beginning of a period in the order in which they are reached.
const NEAR: usize = 1 << 7;

/// The result of a search for a lasso within a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Within {
    /// There is a lasso.
    Lasso(Lasso),
    /// There is no lasso within the bound.
    None,
    /// The system is not for this search.
    Refused,
}

/// Looks for a lasso with at most `stem` rounds before the period, and `lasso` rounds in it.
pub fn within(
    system: &dyn System,
    Rounds { stem, lasso }: Rounds,
    endless: Endless,
    budget: &Budget,
) -> Result<Within, Stop> {
    let graph = Graph::new(system, endless)?;
    let threads = graph.states().checked_sub(1).map_or(0, |_| graph.thread_count(0));
    if system.drops_threads() || threads > MOST_THREADS {
        return Ok(Within::Refused);
    }
    let mut search = RoundSearch {
        graph,
        threads,
        rounds: lasso,
        endless,
        known: Vec::new(),
        steps: Vec::new(),
        contexts: Contexts::default(),
        refused: false,
        pace: Pace::new(budget),
    };
    let Some(reached) = search.stem(stem)? else { return Ok(Within::Refused) };
    for at in near_then_spread(reached.len()) {
        let (state, _) = reached[at];
        let found = search.period(state)?;
        if search.refused {
            return Ok(Within::Refused);
        }
        if let Some(period) = found {
            let stem = search.way_to(&reached, state);
            return Ok(Within::Lasso(Lasso { stem, period, endless }));
        }
    }
    Ok(Within::None)
}

/// All positions of a list: the first ones in order, the others in sweeps from one end to the other, a
/// wide step at a time. A period from a near state has a short stem; of many states, neighbours
/// mostly have none for the same reason.
fn near_then_spread(count: usize) -> impl Iterator<Item = usize> {
    let near = count.min(NEAR);
    let step = (count - near).isqrt().max(1);
    (0..near).chain((near..near + step).flat_map(move |first| (first..count).step_by(step)))
}

/// The states of a stem, each with the step by which it was reached first, from which state.
type Reached = Vec<(u32, Option<(u32, GraphStep)>)>;

/// A point of a period: the state, who has acted, and who could not act at some point.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Point {
    state: u32,
    acted: u32,
    rested: u32,
}

struct RoundSearch<'a, 'b> {
    graph: Graph<'a>,
    threads: usize,
    /// How many rounds the period has.
    rounds: usize,
    endless: Endless,
    /// The steps of each thread from each state, as ranges, once they were asked for.
    known: Vec<Option<(u32, u32)>>,
    steps: Vec<GraphStep>,
    contexts: Contexts,
    refused: bool,
    pace: Pace<'b>,
}

/// The number of the step that comes next.
fn step_number(steps: &[GraphStep]) -> Result<u32, Full> {
    u32::from_index(steps.len()).ok_or(Full { what: "steps", most: steps.len() })
}

impl RoundSearch<'_, '_> {
    /// The steps of a thread from a state, as a range.
    fn steps_of(&mut self, state: u32, thread: usize) -> Result<(u32, u32), Stop> {
        let at = state as usize * self.threads + thread;
        if let Some(Some(known)) = self.known.get(at) {
            return Ok(*known);
        }
        let start = step_number(&self.steps)?;
        let steps = self.graph.steps_of(state, thread)?;
        for step in &steps {
            self.refused |= !self.graph.is_plain(*step);
        }
        self.steps.extend(steps);
        if self.known.len() <= at {
            self.known.resize(self.graph.states() * self.threads, None);
        }
        let known = (start, step_number(&self.steps)?);
        self.known[at] = Some(known);
        Ok(known)
    }

    /// The states that this many rounds reach; `None` if the system does not suit this search.
    fn stem(&mut self, rounds: usize) -> Result<Option<Reached>, Stop> {
        let mut reached: Reached = (0..self.graph.end()).map(|s| (s, None)).collect();
        let mut is_reached = vec![true; reached.len()];
        // How many of the states each thread has moved from.
        let mut moved = vec![0; self.threads];
        for context in 0..rounds * self.threads {
            let thread = context % self.threads;
            while let Some(&(state, _)) = reached.get(moved[thread]) {
                moved[thread] += 1;
                let (start, end) = self.steps_of(state, thread)?;
                self.pace.spend(1 + (end - start) as usize)?;
                for step in start..end {
                    let step = self.steps[step as usize];
                    let to = step.to as usize;
                    if is_reached.len() <= to {
                        is_reached.resize(to + 1, false);
                    }
                    if !std::mem::replace(&mut is_reached[to], true) {
                        reached.push((step.to, Some((state, step))));
                    }
                }
                if self.refused {
                    return Ok(None);
                }
            }
        }
        Ok(Some(reached))
    }

    /// The run to a state of the stem.
    fn way_to(&self, reached: &Reached, state: u32) -> Trace {
        let by: FxHashMap<u32, Option<(u32, GraphStep)>> = reached.iter().copied().collect();
        let (mut at, mut steps) = (state, Vec::new());
        while let Some(Some((before, step))) = by.get(&at) {
            steps.push(self.graph.action_of(*step));
            at = *before;
        }
        steps.reverse();
        Trace { initial: self.graph.state(at), steps }
    }

    /// The steps of a period from a state back to it, if there is one.
    fn period(&mut self, start: u32) -> Result<Option<Vec<Taken>>, Stop> {
        let word = self.graph.word(start);
        let all_act = self.endless.fairness != Fairness::None;
        let period = Period { start: &word, rounds: self.rounds, all_act };
        let found = self.contexts.come_back(&mut self.graph, period, &mut self.pace)?;
        self.refused |= self.contexts.refused;
        if found.is_some() || !all_act || self.refused {
            return Ok(found);
        }
        let everybody = (1u32 << self.threads) - 1;
        for acting in (1..everybody).rev() {
            if let Some(steps) = self.comes_back(start, acting)? {
                return Ok(Some(steps.iter().map(|step| self.graph.action_of(*step)).collect()));
            }
        }
        Ok(None)
    }

    /// A period in which exactly these threads act.
    fn comes_back(&mut self, start: u32, acting: u32) -> Result<Option<Vec<GraphStep>>, Stop> {
        let Some(first) = self.look(Point { state: start, acted: 0, rested: 0 }, acting)? else {
            return Ok(None);
        };
        let mut points = vec![first];
        let mut found_by: FxHashMap<Point, Option<(Point, GraphStep)>> = FxHashMap::default();
        found_by.insert(first, None);
        for context in 0..self.rounds * self.threads {
            let thread = context % self.threads;
            if acting & 1 << thread == 0 {
                continue;
            }
            let mut next = 0;
            while let Some(&point) = points.get(next) {
                next += 1;
                let (begin, end) = self.steps_of(point.state, thread)?;
                self.pace.spend(1 + (end - begin) as usize)?;
                for step in begin..end {
                    let step = self.steps[step as usize];
                    let acted = point.acted | 1 << thread;
                    let after = Point { state: step.to, acted, ..point };
                    let Some(after) = self.look(after, acting)? else { continue };
                    found_by.entry(after).or_insert_with(|| {
                        points.push(after);
                        Some((point, step))
                    });
                }
                if self.refused {
                    return Ok(None);
                }
            }
            // In its last context a thread comes back to where it stood.
            if context / self.threads + 1 == self.rounds {
                let there = self.graph.local(start, thread);
                points.retain(|point| {
                    let is_there = self.graph.local(point.state, thread) == there;
                    is_there && point.acted & 1 << thread != 0
                });
            }
        }
        let strangers = ((1u32 << self.threads) - 1) & !acting;
        let wanted = |point: &&Point| {
            point.state == start
                && point.acted == acting
                && (self.endless.fairness != Fairness::Weak
                    || point.rested & strangers == strangers)
        };
        let Some(&last) = points.iter().find(wanted) else { return Ok(None) };
        let (mut at, mut steps) = (last, Vec::new());
        while let Some(Some((before, step))) = found_by.get(&at) {
            steps.push(*step);
            at = *before;
        }
        steps.reverse();
        Ok(Some(steps))
    }

    /// The point with those who could not act at it; nothing if it must not be in the period.
    fn look(&mut self, mut point: Point, acting: u32) -> Result<Option<Point>, Stop> {
        if self.graph.is_between(point.state) {
            return Ok(Some(point));
        }
        let all = (0_u32..).zip(0..self.threads);
        for (number, thread) in all.filter(|(thread, _)| acting & 1 << thread == 0) {
            self.steps_of(point.state, thread)?;
            match self.graph.asks(self.endless, point.state, number) {
                true if self.endless.fairness == Fairness::Strong => return Ok(None),
                true => {}
                false => point.rested |= 1 << thread,
            }
        }
        Ok(Some(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_comes_once() {
        for count in [0, 1, NEAR, NEAR + 1, NEAR + 17, 3 * NEAR] {
            let mut all: Vec<usize> = near_then_spread(count).collect();
            assert!(all.iter().copied().take(NEAR).eq(0..count.min(NEAR)));
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count));
        }
    }
}
