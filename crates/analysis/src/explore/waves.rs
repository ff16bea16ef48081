//! # Waves of moves
//!
//! **Question.** One exploration, several workers: how do they come to the states, and to the numbers of states, of one worker alone?
//!
//! **Idea.** Threads move in waves: some thousands of them at once, taken from what there is to do by a rule that knows nothing of workers. Workers make the moves of a wave side by side, from what is known. Then all rows
//! of the wave are put into the set ([`selvedge_store::Wave`]); meanwhile one worker finds the moves that are not known, in order, and their threads are the first ones of the next wave.
//!
//! **Claim.** Which states are reached, and their numbers, are the same for any number of workers: the rows of a wave and their order follow from what there was to do and from what was known
//! before it; and the numbers follow from the wave.
//!
//! **Needs.** States that are narrow rows, with moves that occur again and again. Small explorations, and those with other states, are left to one worker.

use std::ops::Range;

use selvedge_store::{Ask, Piece, Row, Wave};

use super::Locals;
use super::moved::Moved;
use super::moving::{GONE, KnownRows};
use super::reached::Reached;
use crate::{Budget, Pace, Stop};

/// How many threads move in a wave.
const THREADS_PER_WAVE: usize = 1 << 15;

/// How many pieces a large wave has: one worker moves the threads of a piece.
const PIECES: usize = 16;

/// How many threads a piece has at least, if there are as many.
const FEW_PER_PIECE: usize = 1 << 9;

/// With fewer states than this there are no waves, unless somebody wants them.
pub(super) const FEW_STATES: u32 = 1 << 15;

/// Fewer threads than this do not move in a wave.
const FEW_THREADS: usize = 1 << 11;

/// How many threads move without a wave after one in which most moves were not known.
const PAUSE: usize = 1 << 18;

/// What share of moves that are not known is too much for waves.
const MOST_UNKNOWN: (usize, usize) = (3, 4);

/// What the workers of an explorer need for a wave.
#[derive(Default)]
pub(super) struct Waves {
    wave: Wave,
    made: Vec<Made>,
    /// How many threads are to move before the next wave.
    pause: usize,
}

/// What a worker notes beside the rows of a piece.
#[derive(Default)]
struct Made {
    /// Threads whose moves are not known.
    unknown: Vec<Unknown>,
    /// How many threads there were.
    threads: usize,
    /// How many moves there were.
    work: usize,
}

/// A thread whose moves are not known.
struct Unknown {
    thread: (u32, u32),
    /// Its shared state and its entry.
    head: (u32, u32),
}

impl Waves {
    /// Whether the next threads are to move in a wave: if there are many of them, by the number of those that go on and of states that wait.
    pub fn are_next<L: Locals>(
        &self,
        reached: &Reached<'_, L>,
        work: usize,
        waiting: usize,
    ) -> bool {
        let states = reached.states.end();
        // Whoever wants waves early has small ones, too.
        let least = if reached.waves_from < FEW_STATES { 1 } else { FEW_THREADS };
        let are_many = states >= reached.waves_from && work + waiting >= least;
        are_many && self.pause == 0 && !L::WHOLE_CONTEXTS && reached.known_rows().is_some()
    }

    /// Notes that so many threads moved without a wave.
    pub fn passed(&mut self, threads: usize) {
        self.pause = self.pause.saturating_sub(threads);
    }

    /// Lets threads move: the last ones of `work`, and if those are few, threads of the next states that wait. Where a thread comes to a state that is new at this bound, and had not
    /// moved from it, it goes on, and `work` hears of it. Threads whose moves had to be found stay in `work`.
    pub fn run<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        Todo { work, waiting, moved, new_from, moves_on }: Todo<
            '_,
            impl Fn(u32, u32) -> bool + Sync,
        >,
        pace: &mut Pace<'_>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if let Some(largest) = &reached.space.largest {
            reached.states.make_room(largest);
            reached.space.has_grown = false;
        }
        let threads = reached.space.system.threads().len().max(1);
        let first = work.len().saturating_sub(THREADS_PER_WAVE);
        let room = (THREADS_PER_WAVE - (work.len() - first)) / threads;
        let states = waiting.start..waiting.end.min(waiting.start.saturating_add(room as u32));
        let crew = reached.crew(budget);
        let moving = work.len() - first + states.len() * threads;
        let per_piece = (moving / PIECES).max(FEW_PER_PIECE);
        let mut pieces: Vec<Part<'_>> =
            work[first..].chunks(per_piece).map(Part::Threads).collect();
        let at_once = (per_piece / threads).max(1);
        let starts = states.clone().step_by(at_once);
        pieces.extend(starts.map(|start| {
            Part::States(start..states.end.min(start.saturating_add(at_once as u32)))
        }));
        let count = pieces.len();
        reached.states.begin_wave(&mut self.wave, count, &crew);
        self.made.resize_with(count, Made::default);
        let Some(rows) = reached.known_rows() else { return Ok(()) };
        let is_half = rows.bits() <= 64;
        let parts = pieces.into_iter().zip(&mut self.wave.pieces).zip(&mut self.made);
        crew.each(parts.collect(), |((part, piece), made)| {
            // Lists that lie side by side would slow down workers that write to them.
            let (mut rows_made, mut notes) = (std::mem::take(piece), std::mem::take(made));
            notes.clear();
            if is_half {
                notes.make::<u64>(rows, part, &moves_on, &mut rows_made);
            } else {
                notes.make::<u128>(rows, part, &moves_on, &mut rows_made);
            }
            (*piece, *made) = (rows_made, notes);
        });
        let unknown = self.made.iter().map(|made| made.unknown.len()).sum::<usize>();
        let moving: usize = self.made.iter().map(|made| made.threads).sum();
        if unknown > moving * MOST_UNKNOWN.0 / MOST_UNKNOWN.1 {
            self.pause = PAUSE;
        }
        pace.spend(self.made.iter().map(|made| made.work).sum())?;
        work.truncate(first);
        waiting.start = states.end;
        let new = (reached.states.end() - new_from) as usize + self.wave.len();
        moved.make_room(new, threads);
        let goes_on = GoesOn { new_from, moved };
        let Reached { states, space, .. } = reached;
        let Waves { wave, made, .. } = self;
        let mut found = Ok(());
        // Moves are found while others look for states.
        let find = || {
            let mut heads = made.iter().flat_map(|made| &made.unknown);
            found = heads.try_for_each(|&Unknown { head: (shared, entry), .. }| {
                space.moves_of(shared, entry, pace).map(|_| ())
            });
        };
        states.insert_wave(wave, &crew, (&goes_on, work), find)?;
        work.extend(made.iter().flat_map(|made| &made.unknown).map(|unknown| unknown.thread));
        found
    }
}

/// What there is to do at a bound.
pub(super) struct Todo<'t, M> {
    /// Threads that go on, by the number of a state and a position.
    pub work: &'t mut Vec<(u32, u32)>,
    /// States from which nobody has moved at this bound.
    pub waiting: &'t mut Range<u32>,
    /// The first state from which a thread that gets there goes on, and which threads of such states have moved.
    pub new_from: u32,
    pub moved: &'t mut Moved,
    /// Whether a thread moves from a state that waits, by the number of the state and its position.
    pub moves_on: M,
}

/// Whether the thread that got to a state goes on from there. The note is its position.
struct GoesOn<'t> {
    new_from: u32,
    moved: &'t Moved,
}

impl Ask for GoesOn<'_> {
    #[inline]
    fn expect(&self, number: u32) -> u8 {
        number.checked_sub(self.new_from).map_or(0, |new| self.moved.touch(new))
    }

    #[inline]
    fn ask(&self, number: u32, position: u32) -> bool {
        // From an older state all threads that may move at this bound do so.
        let new = number.checked_sub(self.new_from).filter(|_| position != GONE);
        new.is_some_and(|new| self.moved.set_within(new, position))
    }
}

/// What one worker does at a time.
enum Part<'t> {
    Threads(&'t [(u32, u32)]),
    States(Range<u32>),
}

impl Made {
    /// Makes the moves of some threads that are known.
    fn make<R: Row>(
        &mut self,
        rows: KnownRows<'_>,
        part: Part<'_>,
        moves_on: impl Fn(u32, u32) -> bool,
        piece: &mut Piece,
    ) {
        let mut make = |thread| {
            self.threads += 1;
            let moves = rows.moves::<R>(thread, |row, at| piece.push(row.whole(), at));
            match moves {
                Some(moves) => self.work += 1 + moves,
                None => {
                    let head = rows.head(thread);
                    self.unknown.extend(head.map(|head| Unknown { thread, head }));
                }
            }
        };
        match part {
            Part::Threads(threads) => threads.iter().copied().for_each(make),
            Part::States(states) => {
                for state in states {
                    rows.positions::<R>(state, |position| {
                        if moves_on(state, position) {
                            make((state, position));
                        }
                    });
                }
            }
        }
    }

    fn clear(&mut self) {
        self.unknown.clear();
        (self.threads, self.work) = (0, 0);
    }
}
