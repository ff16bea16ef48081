//! By the definition: which runs of so many rounds come back to where the period began. For programs
//! without calls, where a thread that is at the same place with the same values can do the same.

use std::collections::HashSet;

use selvedge_model::{Endless, Fairness, State, System, ThreadId, enabled, step};
use selvedge_program::Lowering;
use selvedge_sequential::livelock::Bounds;

/// More states than this are not looked at, nor more ways through a period.
const MOST_STATES: usize = 150;
const MOST_WAYS: usize = 100_000;

/// Whether there is a lasso within the bounds; `None` if there is too much to look at.
pub fn lasso(system: &Lowering, bounds: Bounds, endless: Endless) -> Option<bool> {
    let mut states: HashSet<State> = system.initial().ok()?.into_iter().collect();
    let threads: Vec<ThreadId> = (0..system.threads().len()).map(ThreadId::from).collect();
    for _ in 0..bounds.stem_rounds() {
        for &thread in &threads {
            let mut work: Vec<State> = states.iter().cloned().collect();
            while let Some(state) = work.pop() {
                for (_, next) in step(system, &state, thread).ok()? {
                    if states.insert(next.clone()) {
                        work.push(next);
                    }
                }
            }
            if states.len() > MOST_STATES {
                return None;
            }
        }
    }
    for start in states {
        if comes_back(system, &threads, &start, bounds.lasso as usize, endless)? {
            return Some(true);
        }
    }
    Some(false)
}

/// A point of a period: how many contexts are over, who has acted, who could act, and who could not.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Point {
    contexts: usize,
    state: State,
    acted: u32,
    could: u32,
    could_not: u32,
}

impl Point {
    fn look(mut self, system: &Lowering, threads: &[ThreadId]) -> Option<Self> {
        // A result on its way hinders nobody.
        if system.is_between(self.state.shared) {
            return Some(self);
        }
        for (bit, &thread) in threads.iter().enumerate() {
            let can = !enabled(system, &self.state, thread).ok()?.is_empty();
            *(if can { &mut self.could } else { &mut self.could_not }) |= 1 << bit;
        }
        Some(self)
    }

    /// Whether the period may be over here.
    fn is_fair(&self, start: &State, threads: &[ThreadId], endless: Endless) -> bool {
        let is_fair = |bit: usize, thread: &ThreadId| {
            let has = |set: u32| set & 1 << bit != 0;
            let ended = start.threads[thread.index()].has_ended();
            match endless.fairness {
                Fairness::None => true,
                _ if ended => endless.ended,
                Fairness::Strong => has(self.acted) || !has(self.could),
                Fairness::Weak => has(self.acted) || has(self.could_not),
            }
        };
        self.acted != 0 && threads.iter().enumerate().all(|(bit, thread)| is_fair(bit, thread))
    }
}

fn comes_back(
    system: &Lowering,
    threads: &[ThreadId],
    start: &State,
    rounds: usize,
    endless: Endless,
) -> Option<bool> {
    let first = Point { contexts: 0, state: start.clone(), acted: 0, could: 0, could_not: 0 };
    let first = first.look(system, threads)?;
    let mut seen = HashSet::from([first.clone()]);
    let mut work = vec![first];
    while let Some(point) = work.pop() {
        let mut next = Vec::new();
        if point.contexts == rounds * threads.len() {
            if point.state == *start && point.is_fair(start, threads, endless) {
                return Some(true);
            }
        } else {
            let bit = point.contexts % threads.len();
            for (_, state) in step(system, &point.state, threads[bit]).ok()? {
                let acted = point.acted | 1 << bit;
                next.push(Point { state, acted, ..point.clone() }.look(system, threads)?);
            }
            next.push(Point { contexts: point.contexts + 1, ..point });
        }
        work.extend(next.into_iter().filter(|point| seen.insert(point.clone())));
        if seen.len() > MOST_WAYS {
            return None;
        }
    }
    Some(false)
}
