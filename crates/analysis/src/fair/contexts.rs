//! # Contexts, remembered
//! What a context of a thread can do depends on the shared state and on the thread alone. So it is
//! found once for each of these pairs, and periods in which all threads act are put together from
//! contexts, without a look at the states in between.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_model::{Action, ThreadId};

use super::graph::{Graph, Pair};
use crate::{Pace, Stop};

/// A step: who acts, and what the action is.
pub(super) type Taken = (ThreadId, Action);

/// A shared state with all threads, and who has acted so far.
type Point = (Box<[u32]>, u32);

/// The points after a context, each with the one before it.
type Level = FxHashMap<Point, Point>;

/// The contexts that were looked at.
#[derive(Default)]
pub(super) struct Contexts {
    known: FxHashMap<Pair, Rc<Context>>,
    /// A step starts a thread or makes a fair choice, or a stack is high: not for this search.
    pub refused: bool,
}

/// The ends that a context of one thread can have, from where it begins.
#[derive(Default)]
struct Context {
    /// The shared states that it can end with after a step or more, by what becomes of the thread.
    ends: BTreeMap<u32, Vec<u32>>,
    /// The step by which each pair was found, and from which; the start is found when it is found
    /// again.
    found_by: FxHashMap<Pair, (Pair, Action)>,
}

/// A period that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Period<'w> {
    /// The state that it begins and ends with.
    pub start: &'w [u32],
    pub rounds: usize,
    /// Whether each thread has to act, or just one of them.
    pub all_act: bool,
}

impl Contexts {
    /// The contexts of a thread at a shared state.
    fn of(
        &mut self,
        graph: &mut Graph<'_>,
        start: Pair,
        pace: &mut Pace<'_>,
    ) -> Result<Rc<Context>, Stop> {
        if let Some(known) = self.known.get(&start) {
            return Ok(Rc::clone(known));
        }
        let mut context = Context::default();
        // The nearest first, so that the steps to each end are few.
        let mut work = vec![start];
        let mut next = 0;
        while let Some(&pair) = work.get(next) {
            next += 1;
            let moves = graph.pairs_after(pair)?;
            pace.spend(1 + moves.len())?;
            for (after, action, is_plain) in moves {
                self.refused |= !is_plain;
                if let Entry::Vacant(new) = context.found_by.entry(after) {
                    new.insert((pair, action));
                    context.ends.entry(after.local).or_default().push(after.shared);
                    if after != start {
                        work.push(after);
                    }
                }
            }
            if self.refused {
                break;
            }
        }
        let context = Rc::new(context);
        self.known.insert(start, Rc::clone(&context));
        Ok(context)
    }

    /// The steps of a period.
    pub fn come_back(
        &mut self,
        graph: &mut Graph<'_>,
        period: Period<'_>,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Vec<Taken>>, Stop> {
        let threads = period.start.len() - 1;
        let mut levels: Vec<Level> = Vec::new();
        let mut points: Vec<Point> = vec![(period.start.into(), 0)];
        for context in 0..period.rounds * threads {
            let mut level = Level::default();
            for point in &points {
                self.follow(graph, period, (context, point), &mut level, pace)?;
                if self.refused {
                    return Ok(None);
                }
            }
            points = level.keys().cloned().collect();
            // So that the same question has the same answer.
            points.sort_unstable();
            levels.push(level);
        }
        let is_home = |(word, acted): &Point| **word == *period.start && *acted != 0;
        Ok(points.into_iter().find(is_home).map(|last| self.steps(&levels, last)))
    }

    /// Adds what follows on a point by a context, which may be empty. In its last one a thread comes
    /// back to where it was at the start.
    fn follow(
        &mut self,
        graph: &mut Graph<'_>,
        Period { start, rounds, all_act }: Period<'_>,
        (context, point): (usize, &Point),
        level: &mut Level,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let threads = start.len() - 1;
        let thread = context % threads;
        let is_last = context / threads + 1 == rounds;
        let (word, acted) = point;
        let pair = Pair { shared: word[0], local: word[thread + 1] };
        let home = is_last.then_some(start[thread + 1]);
        let may_rest = !all_act || !is_last || acted & 1 << thread != 0;
        if may_rest && home.is_none_or(|home| pair.local == home) {
            level.entry(point.clone()).or_insert_with(|| point.clone());
        }
        let known = self.of(graph, pair, pace)?;
        for (&local, ends) in &known.ends {
            if home.is_some_and(|home| local != home) {
                continue;
            }
            pace.spend(ends.len())?;
            for &shared in ends {
                let mut after = word.clone();
                (after[0], after[thread + 1]) = (shared, local);
                let after = (after, acted | 1 << thread);
                level.entry(after).or_insert_with(|| point.clone());
            }
        }
        Ok(())
    }

    /// The steps of a way through contexts that ends with a point.
    fn steps(&self, levels: &[Level], last: Point) -> Vec<Taken> {
        let mut steps = Vec::new();
        let mut at = last;
        for (context, level) in levels.iter().enumerate().rev() {
            let Some(before) = level.get(&at) else { break };
            let thread = context % (at.0.len() - 1);
            let pair = |word: &[u32]| Pair { shared: word[0], local: word[thread + 1] };
            let (from, mut now) = (pair(&before.0), pair(&at.0));
            // A point that is as it was has not been left.
            let known = self.known.get(&from).filter(|_| *before != at);
            while let Some(&(earlier, action)) = known.and_then(|known| known.found_by.get(&now)) {
                steps.push((ThreadId::from(thread), action));
                now = earlier;
                if now == from {
                    break;
                }
            }
            at = before.clone();
        }
        steps.reverse();
        steps
    }
}
