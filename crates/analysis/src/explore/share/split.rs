//! # Whose a state is
//!
//! **Question.** A state belongs to the worker that a hash of it says. A hash of what: how few states have to travel?
//!
//! **Idea.** A hash of a *part* of the state. What does not change with a move does not change the owner: if the part is the shared state, a thread that only reads leads to
//! states of the same owner; if it is one thread, all other threads do. The part has to have many values, each in a small share of the states, or owners have unequal shares. So a sample of states
//! and moves is looked at beforehand, and the part is taken with which the worker that has most to do has least to do.
//!
//! Of a thread, what is visible counts, and not the whole stack. So states that look alike belong to the same worker, and visible states need not be sent to be counted once.
//!
//! **Claim.** Any part is right: owners follow from what a state is, and each process has the same part. It decides how much is sent, and nothing else.
//!
//! **Needs.** A system of its own for the sample: it goes where a question with a bound may not, and nobody is to notice.

use rustc_hash::FxHashMap;
use selvedge_model::System;
use selvedge_store::{Columns, Row, hash};

use super::super::classes::Classes;
use super::super::moving::Scratch;
use super::super::reached::Reached;
use super::super::space::Space;
use super::super::stacks::Stacks;
use super::Terms;
use super::wire::{self, Kind, Names};
use crate::{Budget, Pace, Stop};

/// How many states of a layer of the sample are followed.
const BEAM: usize = 32;

/// How many moves the sample has, about.
const MOVES: usize = 1 << 14;

/// The number of states, and of moves, on which a split is tried.
const TRIED: usize = 1 << 11;

/// Stacks of the sample are not higher than this.
const HIGHEST: u32 = 64;

/// Where there are more parts than this, no three of them are tried together.
const MANY_PARTS: usize = 12;

/// The bit of classes that have none of their own, and of those whose threads are started.
const OTHERS: u32 = 63;

/// The cost of a state that is sent, relative to one that stays.
const COST_OF_SENDING: f64 = 2.0;

/// What it costs that a thread at a shared state is met by several workers, each of which finds its moves, beside making all moves.
const COST_OF_HEADS: f64 = 0.3;

/// The part of a state that says whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// Whether the shared state is in it.
    pub shared: bool,
    /// A bit for each class whose threads are in it; the last one is for all classes that have none of their own.
    pub classes: u64,
}

impl Split {
    /// Splits by the whole state.
    pub const WHOLE: Split = Split { shared: true, classes: u64::MAX };

    /// Whether threads of a class are in it.
    pub(super) fn has(self, classes: &Classes, class: u32) -> bool {
        self.classes & 1 << bit(classes, class) != 0
    }

    /// The hash of this part of a state.
    pub(super) fn key(self, space: &Space<'_, Stacks>, names: &mut Names, word: &[u32]) -> u64 {
        let mut sum = 0_u64;
        if self.shared {
            sum = shared_hash(space, names, word[0]);
        }
        for (entry, count) in space.layout.entries(word) {
            if self.has(&space.classes, space.entry(entry).0) {
                let hash = thread_hash(space, names, entry);
                sum = sum.wrapping_add(hash.wrapping_mul(u64::from(count)));
            }
        }
        sum
    }

    /// Finds the split that leaves `workers` workers the least to do, from a sample of states.
    #[must_use]
    pub fn choose(system: &dyn System, terms: Terms, workers: usize, budget: &Budget) -> Self {
        if workers < 2 {
            return Split::WHOLE;
        }
        // What ends a sample ends the exploration as well, in words of its own.
        match Sample::new(system, terms, budget) {
            Ok(sample) => sample.best(workers),
            Err(_) => Split::WHOLE,
        }
    }
}

fn bit(classes: &Classes, class: u32) -> u32 {
    if classes.is_started(class) { OTHERS } else { class.min(OTHERS) }
}

/// The hash of a shared state, by what it is.
#[inline]
pub(super) fn shared_hash(space: &Space<'_, Stacks>, names: &mut Names, shared: u32) -> u64 {
    names.hash(Kind::Shared, shared, |out| wire::write_shared(&*space.system, shared, out))
}

/// The hash of what is visible of a thread, given by its entry.
#[inline]
pub(super) fn thread_hash(space: &Space<'_, Stacks>, names: &mut Names, entry: u32) -> u64 {
    names.hash(Kind::Glimpse, entry, |out| wire::write_glimpse(space, space.top(entry), out))
}

/// The hashes of the parts of a state: of the shared state, of the threads of each class, and of all others.
type Parts = Vec<u64>;

/// States and moves of a system, from many depths.
struct Sample {
    states: Vec<Parts>,
    moves: Vec<(Parts, Parts)>,
}

impl Sample {
    /// Follows a few states of each layer of steps.
    fn new(system: &dyn System, terms: Terms, budget: &Budget) -> Result<Self, Stop> {
        let highest = terms.highest.unwrap_or(HIGHEST).min(HIGHEST);
        let mut reached = Reached::new(system, Stacks::up_to(highest), terms.symmetry)?;
        reached.space.most_threads = terms.most_threads;
        let mut names = Names::new(0, 1);
        let mut pace = Pace::new(budget);
        let mut scratch = Scratch::default();
        let mut layer: Vec<u32> = (0..reached.states.end()).collect();
        let mut sample = Sample { states: Vec::new(), moves: Vec::new() };
        let (mut word, mut next) = (Vec::new(), Vec::new());
        while !layer.is_empty() && sample.moves.len() < MOVES {
            layer.sort_unstable_by_key(|&state| hash::of_row(u128::from(state)));
            layer.truncate(BEAM);
            for state in std::mem::take(&mut layer) {
                reached.states.read(state, &mut word);
                let before = parts(&reached.space, &mut names, &word);
                let mut threads = Vec::new();
                reached.positions(state, &mut next, |position| threads.push((state, position)));
                while !threads.is_empty() {
                    let moved = reached.moves(&threads, &mut scratch, &mut pace)?;
                    threads.drain(..moved);
                    let columns = reached.states.narrow().map_or(&[][..], Columns::list);
                    for &row in scratch.batch.rows() {
                        next.clear();
                        next.extend(columns.iter().map(|&column| row.get(column)));
                        let after = parts(&reached.space, &mut names, &next);
                        sample.moves.push((before.clone(), after));
                    }
                    for next in scratch.batch.words() {
                        let after = parts(&reached.space, &mut names, next);
                        sample.moves.push((before.clone(), after));
                    }
                    reached.states.insert_all(&mut scratch.batch, |_, number, is_new| {
                        if is_new {
                            layer.push(number);
                        }
                    })?;
                }
            }
        }
        for state in spread(reached.states.end() as usize) {
            reached.states.read(state as u32, &mut word);
            sample.states.push(parts(&reached.space, &mut names, &word));
        }
        let moves = spread(sample.moves.len()).map(|at| sample.moves[at].clone()).collect();
        Ok(Sample { moves, ..sample })
    }

    /// The part that costs least: one of a few, or the whole state.
    fn best(&self, workers: usize) -> Split {
        // Parts that are the same in all states say nothing.
        let Some(first) = self.states.first() else { return Split::WHOLE };
        let differ = |&part: &usize| self.states.iter().any(|state| state[part] != first[part]);
        let varying: Vec<usize> = (0..first.len()).filter(differ).collect();
        let mut best = (self.cost(&varying, workers), Split::WHOLE);
        let mut consider = |chosen: &[usize]| {
            let cost = self.cost(chosen, workers);
            if cost < best.0 {
                let last = first.len() - 1;
                let bits = chosen.iter().filter(|&&part| part > 0);
                let bits = bits.map(|&part| if part == last { OTHERS } else { part as u32 - 1 });
                let classes = bits.fold(0, |classes, bit| classes | 1 << bit);
                best = (cost, Split { shared: chosen.contains(&0), classes });
            }
        };
        for (at, &a) in varying.iter().enumerate() {
            consider(&[a]);
            for (then, &b) in varying.iter().enumerate().skip(at + 1) {
                consider(&[a, b]);
                if varying.len() <= MANY_PARTS {
                    varying[then + 1..].iter().for_each(|&c| consider(&[a, b, c]));
                }
            }
        }
        best.1
    }

    /// What the worker has to do that has most to do, beside an equal share without sending.
    fn cost(&self, chosen: &[usize], workers: usize) -> f64 {
        let key =
            |parts: &Parts| chosen.iter().fold(0_u64, |sum, &part| sum.wrapping_add(parts[part]));
        let owner = |parts: &Parts| wire::owner(key(parts), workers);
        let away = self.moves.iter().filter(|(from, to)| owner(from) != owner(to)).count();
        let sent = away as f64 / self.moves.len().max(1) as f64;
        let mut of_worker = vec![0_u32; workers];
        let mut of_key: FxHashMap<u64, u32> = FxHashMap::default();
        for state in &self.states {
            of_worker[owner(state)] += 1;
            *of_key.entry(key(state)).or_default() += 1;
        }
        let states = self.states.len().max(2) as f64;
        let largest = f64::from(of_worker.into_iter().max().unwrap_or(0));
        let above = (largest * workers as f64 / states - 1.0).max(0.0);
        // How far a share may be from the mean, if keys are as frequent as this and their owners are chosen by lot: the sample is not all.
        let pairs: f64 = of_key.values().map(|&n| f64::from(n) * (f64::from(n) - 1.0)).sum();
        let chance = ((workers - 1) as f64 * pairs / (states * (states - 1.0))).sqrt();
        let share = 1.0 + above.max(chance);
        let heads = if chosen == [0] { 0.0 } else { COST_OF_HEADS };
        share * share * (1.0 + COST_OF_SENDING * sent + heads)
    }
}

fn parts(space: &Space<'_, Stacks>, names: &mut Names, word: &[u32]) -> Parts {
    let classes = space.classes.of_threads().iter().max().map_or(0, |&class| class + 1);
    let last = 1 + classes.min(OTHERS) as usize;
    let mut parts = vec![0; last + 1];
    parts[0] = shared_hash(space, names, word[0]);
    for (entry, count) in space.layout.entries(word) {
        let part = (1 + bit(&space.classes, space.entry(entry).0) as usize).min(last);
        let hash = thread_hash(space, names, entry).wrapping_mul(u64::from(count));
        parts[part] = parts[part].wrapping_add(hash);
    }
    parts
}

/// Numbers below an end, evenly.
fn spread(end: usize) -> impl Iterator<Item = usize> {
    let step = end.div_ceil(TRIED).max(1);
    (0..end).step_by(step)
}

#[cfg(test)]
mod tests {
    use selvedge_store::hash;

    use super::{OTHERS, Sample, Split};

    /// Hashes of a shared state and of two threads, and none of others.
    fn parts(numbers: [u64; 3]) -> Vec<u64> {
        let hashes = numbers.map(|number| hash::of_row(u128::from(number)));
        hashes.into_iter().chain([0]).collect()
    }

    /// States and moves by a rule that says what a thread leads to.
    fn sample(next: impl Fn(u64) -> ([u64; 3], [u64; 3])) -> Sample {
        let moves: Vec<_> = (0..2000).map(next).map(|(a, b)| (parts(a), parts(b))).collect();
        Sample { states: moves.iter().map(|(_, to)| to.clone()).collect(), moves }
    }

    #[test]
    fn what_rarely_changes_says_whose_a_state_is() {
        // Threads read, one of ten moves writes.
        let reading = sample(|n| ([n / 4, n, n + 7], [n / 4 + u64::from(n % 10 == 0), n + 1, n]));
        assert_eq!(reading.best(2), Split { shared: true, classes: 0 });
        // Every move writes; the second thread seldom moves.
        let second = sample(|n| ([n, n, n / 8], [n + 9, n + 1, n / 8]));
        assert_eq!(second.best(2), Split { shared: false, classes: 2 });
    }

    #[test]
    fn a_part_with_few_values_does_not_divide_states() {
        let few = sample(|n| ([0, n, n / 900], [0, n + 1, n / 900]));
        let Split { classes, .. } = few.best(4);
        assert!(classes & 1 != 0, "{classes:x}");
        assert_eq!(sample(|_| ([0; 3], [0; 3])).best(2), Split::WHOLE);
        assert_eq!(Split::WHOLE.classes >> OTHERS, 1);
    }
}
