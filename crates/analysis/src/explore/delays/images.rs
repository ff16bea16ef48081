//! Images: where a thread can get by a step.

use std::ops::Range;

use selvedge_store::{Batch, Full, Id, Row};

use crate::explore::Reached;
use crate::explore::moving::KnownRows;
use crate::explore::stacks::Stacks;
use crate::explore::waves::FEW_STATES;
use crate::explore::words::Layout;
use crate::{Budget, Pace, Stop};

/// How many states are followed together without a wave.
const STATES_PER_BATCH: usize = 32;

/// How many pieces a wave has: one worker follows the states of a piece.
const PIECES: usize = 16;

/// Fewer states than this are not followed in a wave.
const FEW_TOGETHER: usize = 1 << 10;

/// Where configurations lead to by a step, found once.
pub(super) struct Images {
    /// For each configuration, where its part of `edges` begins; 0 if that is not known.
    pub begins: Vec<u32>,
    /// The number of successors, then the successors.
    pub edges: Vec<u32>,
    batch: Batch,
    /// The configurations of the batch, with how many words of it each has.
    counts: Vec<(usize, u32)>,
    word: Vec<u32>,
    next: Vec<u32>,
    entries: Vec<u32>,
    /// The number of points that were followed.
    pub followed: u64,
    /// The rows of a wave, by pieces, and what is noted beside them.
    rows: Vec<Vec<u128>>,
    made: Vec<Made>,
    /// The states of a wave, and the numbers of the states after them.
    together: Vec<u32>,
    numbers: Vec<u32>,
}

/// What a worker records besides the rows of a piece.
#[derive(Default)]
struct Made {
    /// How many rows each state has.
    counts: Vec<u32>,
    /// Shared states and entries whose moves are not known.
    unknown: Vec<(u32, u32)>,
    work: usize,
}

impl Made {
    /// Lets the threads in some places move from some states.
    fn make<R: Row>(
        &mut self,
        rows: KnownRows<'_>,
        states: &[u32],
        places: Range<usize>,
        to: &mut Vec<u128>,
    ) {
        to.clear();
        self.counts.clear();
        self.unknown.clear();
        self.work = 0;
        for &state in states {
            let mut count = 0;
            let tell = |row: R| {
                to.push(row.whole());
                count += 1;
            };
            self.work += rows.turn(state, places.clone(), &mut self.unknown, tell);
            self.counts.push(count);
        }
    }
}

impl Default for Images {
    fn default() -> Self {
        // An image begins after the first edge: 0 is for those that are not known.
        Images {
            begins: Vec::new(),
            edges: vec![0],
            batch: Batch::default(),
            counts: Vec::new(),
            word: Vec::new(),
            next: Vec::new(),
            entries: Vec::new(),
            followed: 0,
            rows: Vec::new(),
            made: Vec::new(),
            together: Vec::new(),
            numbers: Vec::new(),
        }
    }
}

impl Images {
    /// Finds where a thread can get from these states, as far as that is not known. Where it cannot
    /// act, the state stays as it is.
    pub fn find(
        &mut self,
        reached: &mut Reached<'_, Stacks>,
        states: &[u32],
        (thread, threads): (usize, usize),
        pace: &mut Pace<'_>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if self.find_together(reached, states, (thread, threads), pace, budget)? {
            return Ok(());
        }
        for states in states.chunks(STATES_PER_BATCH) {
            self.find_some(reached, states, (thread, threads), pace)?;
        }
        Ok(())
    }

    /// Finds that for states that are narrow rows with all workers, if they are enough. States have the numbers that they have if they are followed one after the other: moves are found in that order, and rows
    /// are numbered in that order.
    fn find_together(
        &mut self,
        reached: &mut Reached<'_, Stacks>,
        states: &[u32],
        (thread, threads): (usize, usize),
        pace: &mut Pace<'_>,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let Images { begins, edges, rows: pieces, made, together, numbers, .. } = self;
        let least = if reached.waves_from < FEW_STATES { 1 } else { FEW_TOGETHER };
        let is_enough = reached.states.end() >= reached.waves_from && states.len() >= least;
        if !is_enough || reached.known_rows().is_none() {
            return Ok(false);
        }
        let Layout::Listed(listed) = &reached.space.layout else { return Ok(false) };
        let places = listed.places_like(thread);
        let crew = reached.crew(budget);
        let configuration = |state: u32| state as usize * threads + thread;
        together.clear();
        for &state in states {
            // Once, also if the state is there twice.
            let begin = &mut begins[configuration(state)];
            if *begin == 0 {
                *begin = u32::MAX;
                together.push(state);
            }
        }
        let at_once = together.len().div_ceil(PIECES).max(1);
        let count = together.len().div_ceil(at_once);
        made.resize_with(count, Made::default);
        pieces.resize_with(count, Vec::new);
        loop {
            if let Some(largest) = &reached.space.largest {
                reached.states.make_room_with(largest, &crew);
                reached.space.has_grown = false;
            }
            let Some(rows) = reached.known_rows() else {
                together.iter().for_each(|&state| begins[configuration(state)] = 0);
                return Ok(false);
            };
            let is_half = rows.bits() <= 64;
            let parts = together.chunks(at_once).zip(&mut *pieces).zip(&mut *made);
            crew.each(parts.collect(), |((states, piece), made)| {
                // Lists that lie side by side would slow down workers that write to them.
                let (mut rows_made, mut notes) = (std::mem::take(piece), std::mem::take(made));
                if is_half {
                    notes.make::<u64>(rows, states, places.clone(), &mut rows_made);
                } else {
                    notes.make::<u128>(rows, states, places.clone(), &mut rows_made);
                }
                (*piece, *made) = (rows_made, notes);
            });
            let mut unknown = made.iter().flat_map(|made| &made.unknown).peekable();
            if unknown.peek().is_none() {
                break;
            }
            for &(shared, entry) in unknown {
                reached.space.moves_of(shared, entry, pace)?;
            }
        }
        pace.spend(made.iter().map(|made| made.work).sum())?;
        expect_edges(edges.len(), together.len(), pieces.iter().map(Vec::len).sum())?;
        numbers.clear();
        reached.states.number_rows(pieces, &crew, numbers)?;
        let mut numbers = numbers.iter().copied();
        let counts = made.iter().flat_map(|made| &made.counts);
        for (&state, &count) in together.iter().zip(counts) {
            // See `expect_edges`.
            begins[configuration(state)] = edges.len() as u32;
            edges.push(count);
            edges.extend(numbers.by_ref().take(count as usize));
        }
        Ok(true)
    }

    /// Finds that for a few states.
    fn find_some(
        &mut self,
        reached: &mut Reached<'_, Stacks>,
        states: &[u32],
        (thread, threads): (usize, usize),
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let Images { begins, edges, batch, counts, word, next, entries, .. } = self;
        let class = reached.space.classes.of_thread(thread);
        batch.clear();
        counts.clear();
        for &state in states {
            let configuration = state as usize * threads + thread;
            if begins[configuration] != 0 {
                continue;
            }
            begins[configuration] = u32::MAX; // once, also if the state is there twice
            reached.states.read(state, word);
            // Several, if threads that are alike are interchanged.
            let all = reached.space.layout.entries(word).map(|(entry, _)| entry);
            entries.clear();
            entries.extend(all.filter(|&entry| reached.space.entry(entry).0 == class));
            let (mut count, mut stays) = (0, false);
            for &entry in entries.iter() {
                let before = count;
                let range = reached.space.moves_of(word[0], entry, pace)?;
                pace.spend(1 + range.len())?;
                for index in range {
                    if reached.space.step(word, entry, index, next).is_some() {
                        batch.push(next);
                        count += 1;
                    }
                }
                stays |= count == before;
            }
            if stays || count == 0 {
                batch.push(word);
                count += 1;
            }
            counts.push((configuration, count));
        }
        expect_edges(edges.len(), counts.len(), batch.len())?;
        let mut left = 0;
        let mut configurations = counts.iter();
        reached.states.insert_all(batch, |_, number, _| {
            if left == 0
                && let Some(&(configuration, count)) = configurations.next()
            {
                begins[configuration] = u32::from_index(edges.len()).unwrap_or(u32::MAX);
                edges.push(count);
                left = count;
            }
            edges.push(number);
            left -= 1;
        })?;
        Ok(())
    }
}

/// Whether all edges have 32-bit numbers, those that are to come too.
fn expect_edges(known: usize, configurations: usize, steps: usize) -> Result<(), Full> {
    let end = known.saturating_add(configurations).saturating_add(steps);
    let full = Full { what: "steps between states", most: u32::MAX as usize - 1 };
    u32::from_index(end).map(|_| ()).ok_or(full)
}
