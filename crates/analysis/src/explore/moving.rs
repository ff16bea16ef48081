//! # Moves from many states together
//! Where states are narrow rows of a set, a move is made by changing a few bits of a row; otherwise
//! by changing a list of numbers. Either way the results wait in a batch, so that the set finds them
//! together.

use std::hint::black_box;
use std::ops::Range;

use selvedge_store::{Batch, Column, Columns, Row, StateSet};

use super::Locals;
use super::listed::Listed;
use super::reached::Reached;
use super::space::Remembered;
use super::words::Layout;
use crate::{Pace, Stop};

/// After how many moves a batch is full.
const MOVES_PER_BATCH: usize = 1 << 14;

/// Where states are long, no more numbers than this are in a batch, so that limits are heard of in time.
const WORDS_PER_BATCH: usize = 1 << 22;

/// A state that is longer than this is more work: with thousands of threads that were started, a move is mostly copying.
const WORDS_PER_MOVE: usize = 32;

/// Buffers for making moves, reused to avoid allocation.
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

/// The position of a thread that is gone: it has ended and is forgotten.
pub(super) const GONE: u32 = u32::MAX;

/// Moves that are known, and how rows change with them: workers make moves with it side by side.
#[derive(Clone, Copy)]
pub(super) struct KnownMoves<'r> {
    remembered: Remembered<'r>,
    listed: &'r Listed,
    /// The columns of the shared state and of the threads.
    first: Column,
    places: &'r [Column],
}

/// States as rows, and the moves that are known.
#[derive(Clone, Copy)]
pub(super) struct KnownRows<'r> {
    states: &'r StateSet,
    moves: KnownMoves<'r>,
}

impl<'r> KnownMoves<'r> {
    /// For rows with these columns, if there are any.
    pub fn of(
        columns: &'r Columns,
        remembered: Remembered<'r>,
        listed: &'r Listed,
    ) -> Option<Self> {
        let (&first, places) = columns.list().split_first()?;
        Some(KnownMoves { remembered, listed, first, places })
    }

    /// Makes the moves of a thread, given by a row and its position there; tells each row that comes of them, with the position of the thread. A step
    /// that changes nothing leads to where the thread is moving from, and is not told. Says how many moves there are, if they are known.
    #[inline(always)]
    pub fn make<R: Row>(
        &self,
        row: R,
        position: u32,
        mut tell: impl FnMut(R, u32),
    ) -> Option<usize> {
        let Some(&place) = self.places.get(position as usize) else { return Some(0) };
        let moves = self.remembered.moves(row.get(self.first), row.get(place))?;
        for step in moves {
            let shared = row.put(self.first, step.shared.0);
            let (next, at) = self.listed.patch(self.places, shared, position as usize, step.entry);
            if next != row {
                tell(next, at);
            }
        }
        Some(moves.len())
    }

    /// Reads where the moves of a thread are looked for, so that it is near at hand.
    #[inline]
    pub fn touch<R: Row>(&self, row: R, position: u32) -> u32 {
        let place = self.places.get(position as usize);
        place.map_or(0, |&place| self.remembered.touch(row.get(self.first), row.get(place)))
    }

    /// Tells the positions of the different threads of a row.
    #[inline]
    pub fn positions<R: Row>(&self, row: R, tell: impl FnMut(u32)) {
        positions(row, self.places, tell);
    }

    /// Whether the moves of an entry at a shared state are known.
    pub fn knows(&self, shared: u32, entry: u32) -> bool {
        self.remembered.moves(shared, entry).is_some()
    }

    /// Makes the moves of the different threads in some places of a row, those that change nothing, too; tells each row. Where one of them cannot move, the row itself is told once.
    /// Says how much work that is, and adds those whose moves are not known by shared state and entry; then some rows are missing.
    #[inline]
    pub fn turn<R: Row>(
        &self,
        row: R,
        places: Range<usize>,
        unknown: &mut Vec<(u32, u32)>,
        mut tell: impl FnMut(R),
    ) -> usize {
        let shared = row.get(self.first);
        let (mut work, mut stays, mut last) = (0, false, None);
        for place in places {
            let entry = row.get(self.places[place]);
            // An entry that stands after itself has moved.
            if last.replace(entry) == Some(entry) {
                continue;
            }
            let Some(moves) = self.remembered.moves(shared, entry) else {
                unknown.push((shared, entry));
                continue;
            };
            work += 1 + moves.len();
            stays |= moves.is_empty();
            for step in moves {
                let next = row.put(self.first, step.shared.0);
                tell(self.listed.patch(self.places, next, place, step.entry).0);
            }
        }
        if stays {
            tell(row);
        }
        work
    }

    /// The shared state and the entry of a thread: what its moves are found by.
    pub fn head<R: Row>(&self, row: R, position: u32) -> Option<(u32, u32)> {
        let &place = self.places.get(position as usize)?;
        Some((row.get(self.first), row.get(place)))
    }
}

/// Tells the positions of the different threads of a row whose threads have these columns.
#[inline]
pub(super) fn positions<R: Row>(row: R, places: &[Column], mut tell: impl FnMut(u32)) {
    let mut last = None;
    for (position, &column) in (0..).zip(places) {
        // An entry that stands after itself was told before.
        let entry = Some(row.get(column));
        if last != entry {
            last = entry;
            tell(position);
        }
    }
}

impl KnownRows<'_> {
    /// How many bits a row has.
    pub fn bits(&self) -> usize {
        self.states.narrow().map_or(0, Columns::bits)
    }

    /// As [`KnownMoves::turn`], for a state.
    #[inline]
    pub fn turn<R: Row>(
        &self,
        state: u32,
        places: Range<usize>,
        unknown: &mut Vec<(u32, u32)>,
        tell: impl FnMut(R),
    ) -> usize {
        self.moves.turn(R::of(self.states.row(state)), places, unknown, tell)
    }
}

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
            let Some(&thread) = threads.get(done) else { break };
            if to.moved.len() > MOVES_PER_BATCH {
                break;
            }
            // The moves of this thread are not known yet, nor are those of others, probably.
            if !std::mem::replace(&mut asked_for, true) {
                self.touch_moves::<R>(&threads[done..]);
            }
            self.find_row_moves(thread, pace)?;
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
        let Some(rows) = self.known_rows() else { return Ok(0) };
        for (done, &thread) in threads.iter().enumerate() {
            let (state, position) = thread;
            let row = R::of(rows.states.row(state));
            let made = rows.moves.make(row, position, |next, at| {
                batch.push_row(next.whole());
                moved.push(at);
            });
            let Some(made) = made else { return Ok(done) };
            pace.spend(1 + made)?;
            if moved.len() > MOVES_PER_BATCH {
                return Ok(done + 1);
            }
        }
        Ok(threads.len())
    }

    /// The states as rows with the moves that are known, if states are narrow rows that have a place for each thread.
    pub(super) fn known_rows(&self) -> Option<KnownRows<'_>> {
        self.space.largest.as_ref()?;
        let Layout::Listed(listed) = &self.space.layout else { return None };
        let moves = KnownMoves::of(self.states.narrow()?, self.space.remembered(), listed)?;
        Some(KnownRows { states: &self.states, moves })
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
            pace.spend(1 + range.len() * (1 + word.len() / WORDS_PER_MOVE))?;
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

    /// Finds the moves of a thread of a state that is a row, if they are not known.
    pub(super) fn find_row_moves(
        &mut self,
        (state, position): (u32, u32),
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let Some(columns) = self.states.narrow() else { return Ok(()) };
        let row = self.states.row(state);
        let place = columns.list().get(1 + position as usize);
        let (Some(&first), Some(&place)) = (columns.list().first(), place) else { return Ok(()) };
        self.space.moves_of(row.get(first), row.get(place), pace).map(|_| ())
    }

    /// Tells the positions of the different threads of a state.
    #[inline]
    pub(super) fn positions(&self, state: u32, word: &mut Vec<u32>, mut tell: impl FnMut(u32)) {
        if let Some(rows) = self.known_rows() {
            return rows.moves.positions(rows.states.row(state), tell);
        }
        self.states.read(state, word);
        self.space.layout.positions(word).for_each(&mut tell);
    }
}
