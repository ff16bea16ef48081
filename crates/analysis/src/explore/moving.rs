//! # Moves from many states together
//! Where states are narrow rows of a set, a move is made by changing a few bits of a row; otherwise
//! by changing a list of numbers. Either way the results wait in a batch, so that the set finds them
//! together.

use std::hint::black_box;

use selvedge_store::{Batch, Columns, Row};

use super::Locals;
use super::reached::Reached;
use super::words::Layout;
use crate::{Pace, Stop};

/// After how many moves a batch is full.
const MOVES_PER_BATCH: usize = 1 << 14;

/// Where states are long, no more numbers than this are in a batch, so that limits are heard of in time.
const WORDS_PER_BATCH: usize = 1 << 22;

/// What making moves needs for a moment, kept for its memory.
#[derive(Default)]
pub(super) struct Scratch {
    word: Vec<u32>,
    next: Vec<u32>,
    /// The states after the moves.
    pub batch: Batch,
    /// Where the thread that moved is, for each state of the batch; [`GONE`] if it has ended and is
    /// forgotten.
    pub moved: Vec<u32>,
}

/// No position.
pub(super) const GONE: u32 = u32::MAX;

impl<L: Locals> Reached<'_, L> {
    /// Finds all moves of some threads, given by the number of a state and the position of the
    /// thread in its word, as a batch to be inserted. May end early, and says how many of the
    /// threads moved; after the batch is inserted, the others can go on.
    pub(super) fn moves(
        &mut self,
        threads: &[(u32, u32)],
        to: &mut Scratch,
        pace: &mut Pace<'_>,
    ) -> Result<usize, Stop> {
        to.batch.clear();
        to.moved.clear();
        if let Some(largest) = &self.space.largest {
            self.states.make_room(largest);
            self.space.has_grown = false;
        }
        // A row has a place for each thread if all words have the same length.
        if self.space.largest.is_some() && self.states.narrow().is_some() {
            let bits = self.states.narrow().map_or(0, Columns::bits);
            if bits <= 64 {
                self.row_moves::<u64>(threads, to, pace)
            } else {
                self.row_moves::<u128>(threads, to, pace)
            }
        } else {
            self.word_moves(threads, to, pace)
        }
    }

    fn row_moves<R: Row>(
        &mut self,
        threads: &[(u32, u32)],
        to: &mut Scratch,
        pace: &mut Pace<'_>,
    ) -> Result<usize, Stop> {
        let (mut done, mut asked_for) = (0, false);
        loop {
            done += self.known_moves::<R>(&threads[done..], to, pace)?;
            let Some(&(state, position)) = threads.get(done) else { break };
            if to.moved.len() > MOVES_PER_BATCH {
                break;
            }
            // The moves of this thread are not known yet, nor are those of others, probably.
            if !std::mem::replace(&mut asked_for, true) {
                self.touch_moves::<R>(&threads[done..]);
            }
            let row = R::of(self.states.row(state));
            let Some(columns) = self.states.narrow() else { break };
            let Some((&first, places)) = columns.list().split_first() else { break };
            let Some(&place) = places.get(position as usize) else { break };
            self.space.moves_of(row.get(first), row.get(place), pace)?;
            if self.space.has_grown {
                break; // the columns may be too narrow
            }
        }
        Ok(done)
    }

    /// Asks for the memory at which the moves of threads are looked for, all at once.
    fn touch_moves<R: Row>(&self, threads: &[(u32, u32)]) {
        let Some(columns) = self.states.narrow() else { return };
        let Some((&first, places)) = columns.list().split_first() else { return };
        black_box(threads.iter().fold(0, |sum, &(state, position)| {
            let row = R::of(self.states.row(state));
            let entry = places.get(position as usize).map_or(0, |&place| row.get(place));
            sum ^ self.space.touch_moves(row.get(first), entry)
        }));
    }

    /// Makes the moves of threads up to the first one whose moves are not known, or until the batch is full.
    /// Says how many moved.
    fn known_moves<R: Row>(
        &self,
        threads: &[(u32, u32)],
        to: &mut Scratch,
        pace: &mut Pace<'_>,
    ) -> Result<usize, Stop> {
        let Scratch { batch, moved, .. } = to;
        let Some(columns) = self.states.narrow() else { return Ok(0) };
        let Some((&first, places)) = columns.list().split_first() else { return Ok(0) };
        let Layout::Listed(listed) = &self.space.layout else { return Ok(0) };
        for (done, &(state, position)) in threads.iter().enumerate() {
            let row = R::of(self.states.row(state));
            let Some(&place) = places.get(position as usize) else { continue };
            let Some(range) = self.space.known_moves(row.get(first), row.get(place)) else {
                return Ok(done);
            };
            pace.spend(1 + range.len())?;
            for step in self.space.moves(range) {
                let shared = row.put(first, step.shared.0);
                let (next, at) = listed.patch(places, shared, position as usize, step.entry);
                // A step that changes nothing leads to where the thread is moving from.
                if next != row {
                    batch.push_row(next.whole());
                    moved.push(at);
                }
            }
            if moved.len() > MOVES_PER_BATCH {
                return Ok(done + 1);
            }
        }
        Ok(threads.len())
    }

    fn word_moves(
        &mut self,
        threads: &[(u32, u32)],
        to: &mut Scratch,
        pace: &mut Pace<'_>,
    ) -> Result<usize, Stop> {
        let Scratch { word, next, batch, moved } = to;
        let mut last = None;
        for (done, &(state, position)) in threads.iter().enumerate() {
            if last != Some(state) {
                self.states.read(state, word);
                last = Some(state);
            }
            let Some(from) = self.space.layout.at(word, position) else { continue };
            let range = self.space.moves_of(word[0], from, pace)?;
            pace.spend(1 + range.len())?;
            for index in range {
                if let Some(entry) = self.space.step(word, from, index, next) {
                    batch.push(next);
                    moved.push(self.space.layout.position(next, entry).unwrap_or(GONE));
                }
            }
            if moved.len() > MOVES_PER_BATCH || moved.len() * word.len() > WORDS_PER_BATCH {
                return Ok(done + 1);
            }
        }
        Ok(threads.len())
    }

    /// Tells the positions of the different threads of a state.
    #[inline]
    pub(super) fn positions(&self, state: u32, word: &mut Vec<u32>, mut tell: impl FnMut(u32)) {
        if self.space.largest.is_some()
            && let Some(columns) = self.states.narrow()
        {
            let row = self.states.row(state);
            let mut last = None;
            for (position, &column) in (0..).zip(columns.list().iter().skip(1)) {
                // An entry that stands after itself was told before.
                let entry = Some(row.get(column));
                if last != entry {
                    last = entry;
                    tell(position);
                }
            }
            return;
        }
        self.states.read(state, word);
        self.space.layout.positions(word).for_each(&mut tell);
    }
}
