//! # Following states in waves
//!
//! **Question.** All steps from all states are wanted, in the order of one worker. What can several workers do of that side by side?
//!
//! **Idea.** The next states are followed together, as many as a rule says that knows nothing of workers. Workers make their steps from moves that are known; moves that are not known are found by one worker, in order,
//! and then the others go on where they stopped. So all rows of the wave are there before any of them gets a number; [`StateSet::number_rows`] gives the numbers, in the order of the wave.
//!
//! **Claim.** States, steps and moves have the numbers that they have if one state is followed after the other: moves are found in that order, and rows are numbered in that order.
//!
//! **Needs.** States that are narrow rows, so no threads that are started.

use std::ops::Range;

use rustc_hash::FxHashMap;
use selvedge_store::{Column, Crew, Row, StateSet};

use super::{Edge, Graph, Move, Moves, work_of_moves};
use crate::{Budget, Pace, Stop};

/// States are followed one by one while there are fewer than this, unless a test asks for waves.
pub const FEW_STATES: usize = 1 << 15;

/// How many threads move in a wave, and in one that is worth while.
const THREADS_PER_WAVE: usize = 1 << 15;
const FEW_THREADS: usize = 1 << 11;

/// How many pieces a wave has: one worker follows the states of a piece.
const PIECES: usize = 16;

/// Settings and buffers for following states in waves.
pub(super) struct Waves {
    /// From this many states on, there are waves.
    from: usize,
    /// States are no narrow rows, and never will be.
    are_over: bool,
    /// The workers, once there is enough to do for them.
    crew: Option<Crew>,
    /// The rows that steps lead to, by pieces, and what is noted beside them.
    rows: Vec<Vec<u128>>,
    made: Vec<Made>,
    /// The numbers of the states that steps lead to.
    numbers: Vec<u32>,
}

impl Waves {
    pub fn from(states: usize) -> Self {
        Waves {
            from: states,
            are_over: false,
            crew: None,
            rows: Vec::new(),
            made: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

/// The steps from the states of a piece.
#[derive(Default)]
struct Made {
    states: Range<u32>,
    /// The state and the place of the thread that come next.
    next: (u32, usize),
    /// The place of the thread that acts and its action, for each step.
    steps: Vec<(u32, u32)>,
    /// How many steps there are up to the end of each state.
    ends: Vec<usize>,
    /// What it takes to make them: see [`Pace`].
    work: usize,
    /// The threads whose moves are not known, with their shared states.
    unknown: Vec<(u32, u32)>,
    /// Numbers that do not fit into their columns, with the places of the columns.
    wide: Vec<(usize, u32)>,
    /// A step starts a thread: states have no place for it.
    starts: bool,
}

impl Made {
    /// Clears the results and begins with a range of states.
    fn begin(&mut self, states: Range<u32>) {
        self.next = (states.start, 0);
        self.states = states;
        self.steps.clear();
        self.ends.clear();
        self.work = 0;
        self.unknown.clear();
        self.wide.clear();
        self.starts = false;
    }
}

/// What is known before a wave; workers read it side by side.
#[derive(Clone, Copy)]
struct Known<'g> {
    states: &'g StateSet,
    moves: &'g [Move],
    known: &'g FxHashMap<(u32, u32), Moves>,
    first: Column,
    places: &'g [Column],
}

impl Known<'_> {
    /// Makes steps, up to the first thread whose moves are not known. Of the others it is said which moves are missing, too.
    fn make<R: Row>(&self, made: &mut Made, to: &mut Vec<u128>) {
        let (first, mut from) = made.next;
        let mut goes_on = true;
        for state in first..made.states.end {
            let row = R::of(self.states.row(state));
            let shared = row.get(self.first);
            for (place, &column) in self.places.iter().enumerate().skip(from) {
                let head = (shared, row.get(column));
                let Some(&Moves { start, end, .. }) = self.known.get(&head) else {
                    if goes_on {
                        made.next = (state, place);
                        goes_on = false;
                    }
                    made.unknown.push(head);
                    continue;
                };
                if !goes_on {
                    continue;
                }
                made.work += work_of_moves(start..end, 1 + self.places.len());
                for action in start..end {
                    let Move { action: step, after, spawn, .. } = &self.moves[action as usize];
                    made.starts |= spawn.is_some();
                    for (into, wanted, number) in
                        [(self.first, 0, step.shared.0), (column, 1 + place, *after)]
                    {
                        if !into.holds(number) {
                            made.wide.push((wanted, number));
                        }
                    }
                    if made.wide.is_empty() {
                        let next = row.put(self.first, step.shared.0).put(column, *after);
                        to.push(next.whole());
                    }
                    // Places have 32-bit numbers.
                    made.steps.push((place as u32, action));
                }
            }
            from = 0;
            if goes_on {
                made.ends.push(made.steps.len());
            }
        }
        if goes_on {
            made.next = (made.states.end, 0);
        }
    }
}

impl Graph<'_> {
    /// Follows states in waves once there are this many.
    pub fn with_waves_from(mut self, states: usize) -> Self {
        self.waves = Waves::from(states);
        self
    }

    /// The workers.
    pub fn crew(&mut self, budget: &Budget) -> &Crew {
        self.waves.crew.get_or_insert_with(|| Crew::of(budget.crew))
    }

    /// Follows the next states together, if they are enough, but none from this one on; whether it did.
    pub(super) fn follow_wave(
        &mut self,
        most: usize,
        pace: &mut Pace<'_>,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let waiting = self.states().min(most) - self.followed();
        if self.waves.are_over || self.states() < self.waves.from {
            return Ok(false);
        }
        let threads = self.thread_count(self.followed_end()).max(1);
        let least = if self.waves.from < FEW_STATES { 1 } else { FEW_THREADS };
        if waiting * threads < least {
            return Ok(false);
        }
        self.crew(budget);
        let mut waves = std::mem::replace(&mut self.waves, Waves::from(0));
        let count = waiting.min((THREADS_PER_WAVE / threads).max(1));
        let done = self.follow_together(&mut waves, count, pace);
        self.waves = waves;
        done
    }

    fn follow_together(
        &mut self,
        waves: &mut Waves,
        count: usize,
        pace: &mut Pace<'_>,
    ) -> Result<bool, Stop> {
        let Waves { are_over, crew, rows, made, numbers, .. } = waves;
        let Some(crew) = crew else { return Ok(false) };
        if !self.make_steps(crew, rows, made, count)? {
            *are_over = true;
            return Ok(false);
        }
        pace.spend(made.iter().map(|made| made.work).sum())?;
        numbers.clear();
        self.states.number_rows(rows, crew, numbers)?;
        let mut numbers = numbers.iter();
        for Made { states, steps, ends, .. } in made {
            let mut start = 0;
            for (from, &end) in states.zip(&*ends) {
                for (&(thread, action), &to) in steps[start..end].iter().zip(&mut numbers) {
                    // States that are new come in the order of their numbers.
                    if to as usize == self.found_by.len() {
                        self.found_by.push(Some((from, self.edges.len())));
                    }
                    self.edges.push(Edge { to, thread, action });
                }
                self.ends.push(self.edges.len());
                start = end;
            }
        }
        Ok(true)
    }

    /// Makes the rows of the states after all steps from the next states; not if they are no narrow rows.
    fn make_steps(
        &mut self,
        crew: &Crew,
        rows: &mut Vec<Vec<u128>>,
        made: &mut Vec<Made>,
        count: usize,
    ) -> Result<bool, Stop> {
        let first = self.followed_end();
        let mut room = self.word(first);
        self.make_room(&room);
        let mut is_ready = false;
        loop {
            let Some(columns) = self.states.narrow() else { return Ok(false) };
            let Some((&column, places)) = columns.list().split_first() else { return Ok(false) };
            if !std::mem::replace(&mut is_ready, true) {
                let pieces = pieces(first, count);
                rows.resize_with(pieces.len(), Vec::new);
                rows.iter_mut().for_each(Vec::clear);
                made.resize_with(pieces.len(), Made::default);
                made.iter_mut().zip(pieces).for_each(|(made, states)| made.begin(states));
            }
            let Graph { states, moves, known, .. } = &*self;
            let known = Known { states, moves, known, first: column, places };
            let is_half = columns.bits() <= 64;
            let parts: Vec<_> = made.iter_mut().zip(&mut *rows).collect();
            let parts = parts.into_iter().filter(|(made, _)| made.next.0 < made.states.end);
            crew.each(parts.collect(), |(made, to)| {
                // Lists that lie side by side would slow down workers that write to them.
                let (mut steps, mut rows) = (std::mem::take(made), std::mem::take(to));
                if is_half {
                    known.make::<u64>(&mut steps, &mut rows);
                } else {
                    known.make::<u128>(&mut steps, &mut rows);
                }
                (*made, *to) = (steps, rows);
            });
            if made.iter().any(|made| made.starts) {
                return Ok(false);
            }
            let is_done = made.iter().all(|made| made.next.0 == made.states.end);
            for head in made.iter_mut().flat_map(|made| made.unknown.drain(..)) {
                self.moves_of(head.0, head.1)?;
            }
            for (place, number) in made.iter_mut().flat_map(|made| made.wide.drain(..)) {
                room[place] = room[place].max(number);
                is_ready = false;
            }
            if is_done && is_ready {
                return Ok(true);
            }
            self.states.make_room(&room);
        }
    }
}

/// Divides some states from one on.
fn pieces(first: u32, count: usize) -> Vec<Range<u32>> {
    // They have 32-bit numbers.
    let end = first.saturating_add(count as u32);
    let at_once = count.div_ceil(PIECES).max(1);
    let starts = (first..end).step_by(at_once);
    starts.map(|start| start..end.min(start.saturating_add(at_once as u32))).collect()
}
