//! # Waves of moves
//!
//! **Question.** One exploration, several workers: how do they come to the states, and to the numbers of states, of one worker alone?
//!
//! **Idea.** Threads move in waves: some thousands of them at once, taken from what there is to do by a rule that knows nothing of workers. Three things are done side by side: workers make the moves of a wave that are
//! known; one of them puts what came of the wave before into the set of states; and one finds the moves that the wave before did not know. So each of the three has what it changes to itself, and a wave carries the rows
//! that it moves from: nobody looks into the set while it changes.
//!
//! **Claim.** Which states are reached, and their numbers, are the same for any number of workers: the threads of a wave, its rows and their order follow from what there was to do and from what was known
//! two waves before, and numbers are given in that order.
//!
//! **Needs.** States that are narrow rows, with moves that occur again and again. Small explorations, and those with other states, are left to one worker.

use std::hint::black_box;
use std::ops::Range;

use selvedge_store::{Arrival, Crew, Full, Row, Sifted, StateSet, Tell};

use super::Locals;
use super::moved::Moved;
use super::moving::{GONE, KnownMoves, positions};
use super::reached::Reached;
use super::words::Layout;
use crate::{Budget, Pace, Stop};

/// How many threads move in a wave at most.
const THREADS_PER_WAVE: usize = 1 << 15;

/// How many pieces a large wave has: one worker moves the threads of a piece.
const PIECES: usize = 64;

/// How many threads a piece has at least, if there are as many.
const FEW_PER_PIECE: usize = 1 << 8;

/// How many threads of a state that waits are counted, whatever their number is.
const THREADS_OF_A_STATE: usize = 4;

/// How many threads are looked at together: the memory that their moves need is asked for all at once.
const TOGETHER: usize = 64;

/// There are no waves with fewer states than this, unless a test asks for them.
pub(super) const FEW_STATES: u32 = 1 << 15;

/// Fewer threads than this do not move in a wave.
const FEW_THREADS: usize = 1 << 11;

/// How many threads move without a wave after one in which most moves were not known.
const PAUSE: usize = 1 << 18;

/// The share of unknown moves, as a fraction, beyond which waves pause.
const MOST_UNKNOWN: (usize, usize) = (3, 4);

/// Threads on their way from one state to the next.
#[derive(Default)]
pub(super) struct Waves {
    /// The threads that move next.
    next: Vec<Mover>,
    /// The results of the last wave that are not in the set yet, by pieces.
    made: Vec<Made>,
    /// Threads of the last wave whose moves are not known.
    unknown: Vec<Unknown>,
    /// Memory for the wave after the next one, and for what comes of the next one.
    after_next: Vec<Mover>,
    making: Vec<Made>,
    /// What the rows of the last wave know of the set, if they were looked up.
    sifted: Sifted,
    /// The number of threads that move before the next wave.
    pause: usize,
}

/// A thread that moves, by the number of a state and its position, with the row of the state; or all threads of a state that waits, if there is no position.
struct Mover {
    row: u128,
    state: u32,
    position: Option<u32>,
}

/// The results of a piece of a wave.
#[derive(Default)]
struct Made {
    /// The rows, each with the position of the thread that moved: as half rows, if that is enough.
    half: Vec<Arrival<u64>>,
    whole: Vec<Arrival<u128>>,
    /// Threads whose moves are not known.
    unknown: Vec<Unknown>,
    /// How many threads moved, or have moves that are not known, and how much work that was.
    threads: usize,
    work: usize,
}

/// A thread whose moves are not known.
struct Unknown {
    thread: (u32, u32),
    /// Its shared state and its entry.
    head: (u32, u32),
}

/// What remains to be done at a bound.
pub(super) struct Todo<'t, M> {
    /// Threads that go on, by the number of a state and a position.
    pub work: &'t mut Vec<(u32, u32)>,
    /// States from which no thread has moved at this bound.
    pub waiting: &'t mut Range<u32>,
    /// The first state from which a thread that gets there goes on, and which threads of such states have moved.
    pub new_from: u32,
    pub moved: &'t mut Moved,
    /// Whether a thread moves from a state that waits, by the number of the state and its position.
    pub moves_on: &'t M,
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
        // A low limit asks for waves early: then small ones are made, too.
        let least = if reached.waves_from < FEW_STATES { 1 } else { FEW_THREADS };
        let are_many = states >= reached.waves_from && work + waiting >= least;
        are_many && self.pause == 0 && !L::WHOLE_CONTEXTS && reached.known_rows().is_some()
    }

    /// Notes that `threads` threads moved without a wave.
    pub fn passed(&mut self, threads: usize) {
        self.pause = self.pause.saturating_sub(threads);
    }

    /// Lets threads move, wave after wave, while there are many: the last ones of `work`, and if those are few, threads of the next states that wait. Where a thread comes to a state that is new at this
    /// bound, and had not moved from it, it goes on, and `work` hears of it.
    pub fn run<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        mut todo: Todo<'_, impl Fn(u32, u32) -> bool + Send + Sync>,
        pace: &mut Pace<'_>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        // A run that ended before its time may have left something on its way.
        self.made.iter_mut().for_each(Made::clear);
        self.next.clear();
        self.unknown.clear();
        let crew = reached.crew(budget);
        loop {
            if let Some(largest) = &reached.space.largest
                && !reached.states.holds(largest)
            {
                // Rows that are on their way have the columns of before.
                self.settle(&mut reached.states, &mut todo)?;
                reached.states.make_room_with(largest, &crew);
            }
            reached.space.has_grown = false;
            let threads = todo.work.len() + self.next.len() + self.unknown.len();
            if !self.are_next(reached, threads, todo.waiting.len()) {
                return Ok(self.settle(&mut reached.states, &mut todo)?);
            }
            self.step(reached, &mut todo, &crew, pace)?;
        }
    }

    /// Lets one wave move, while what came of the one before is put into the set.
    fn step<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        todo: &mut Todo<'_, impl Fn(u32, u32) -> bool + Send + Sync>,
        crew: &Crew,
        pace: &mut Pace<'_>,
    ) -> Result<(), Stop> {
        let Reached { states, space, .. } = reached;
        let Layout::Listed(listed) = space.layout.clone() else { return Ok(()) };
        let Some(columns) = states.narrow().cloned() else { return Ok(()) };
        let known = space.set_aside();
        let Some(moves) = KnownMoves::of(&columns, known.remembered(), &listed) else {
            return Ok(space.put_back(known)?);
        };
        let moves_on = todo.moves_on;
        let Waves { next, made, sifted, unknown, after_next, making, .. } = self;
        let per_piece = (next.len() / PIECES).max(FEW_PER_PIECE);
        making.resize_with(next.len().div_ceil(per_piece), Made::default);
        let mut inserted = Ok(());
        let insert = Task::Insert(Box::new(|| {
            inserted = todo.insert(states, made, *sifted);
            todo.choose(states, after_next);
        }));
        let mut tasks: Vec<_> = next.chunks(per_piece).zip(making).map(Task::make).collect();
        // The second worker begins with the second task.
        tasks.insert(tasks.len().min(1), insert);
        let is_half = columns.bits() <= 64;
        let work = |task: Task<'_>| match task {
            Task::Insert(insert) => insert(),
            Task::Make(movers, to) => {
                // Lists that lie side by side would slow down workers that write to them.
                let mut made = std::mem::take(to);
                made.clear();
                if is_half {
                    made.make::<u64>(movers, moves, moves_on);
                } else {
                    made.make::<u128>(movers, moves, moves_on);
                }
                *to = made;
            }
        };
        let mut found = Ok(());
        crew.each_beside(tasks, work, || {
            // Some were found for an earlier wave.
            let heads = unknown.iter().map(|unknown| unknown.head);
            let mut heads = heads.filter(|&(shared, entry)| !moves.knows(shared, entry));
            found = heads
                .try_for_each(|(shared, entry)| space.moves_of(shared, entry, pace).map(|_| ()));
        });
        space.put_back(known)?;
        found?;
        inserted?;
        self.sift(states, todo, crew);
        pace.spend(self.making.iter().map(|made| made.work).sum())?;
        todo.work.extend(self.unknown.drain(..).map(|unknown| unknown.thread));
        self.unknown.extend(self.making.iter_mut().flat_map(|made| made.unknown.drain(..)));
        let moving: usize = self.making.iter().map(|made| made.threads).sum();
        if self.unknown.len() > moving * MOST_UNKNOWN.0 / MOST_UNKNOWN.1 {
            self.pause = PAUSE;
        }
        std::mem::swap(&mut self.made, &mut self.making);
        std::mem::swap(&mut self.next, &mut self.after_next);
        Ok(())
    }

    /// Looks up the results of a wave with all workers, and drops rows that are known and change nothing.
    fn sift(
        &mut self,
        states: &mut StateSet,
        todo: &mut Todo<'_, impl Fn(u32, u32) -> bool>,
        crew: &Crew,
    ) {
        // There is room for all of them before they look for their places.
        states.expect_more(self.making.iter().map(Made::rows).sum(), crew);
        self.sifted = Sifted::default();
        if crew.workers() == 1 {
            return;
        }
        let Todo { work, moved, new_from, .. } = todo;
        let goes_on = GoesOn { new_from: *new_from, moved, work };
        self.sifted = states.sifted();
        let states = &*states;
        crew.each(self.making.iter_mut().collect(), |to| {
            let mut made = std::mem::take(to);
            states.sift(&mut made.half, &goes_on);
            states.sift(&mut made.whole, &goes_on);
            *to = made;
        });
    }

    /// Puts the pending results into the set, and gives all pending threads back to `todo`.
    fn settle(
        &mut self,
        states: &mut StateSet,
        todo: &mut Todo<'_, impl Fn(u32, u32) -> bool>,
    ) -> Result<(), Full> {
        todo.insert(states, &mut self.made, self.sifted)?;
        let places = states.narrow().and_then(|columns| columns.list().get(1..));
        for Mover { row, state, position } in self.next.drain(..) {
            match position {
                Some(position) => todo.work.push((state, position)),
                None => positions(row, places.unwrap_or_default(), |position| {
                    if (todo.moves_on)(state, position) {
                        todo.work.push((state, position));
                    }
                }),
            }
        }
        todo.work.extend(self.unknown.drain(..).map(|unknown| unknown.thread));
        Ok(())
    }
}

/// A task for one worker.
enum Task<'t> {
    Insert(Box<dyn FnOnce() + Send + 't>),
    Make(&'t [Mover], &'t mut Made),
}

impl<'t> Task<'t> {
    fn make((movers, to): (&'t [Mover], &'t mut Made)) -> Self {
        Task::Make(movers, to)
    }
}

impl<M: Fn(u32, u32) -> bool> Todo<'_, M> {
    /// Puts what came of a wave into the set. The list is used up.
    fn insert(
        &mut self,
        states: &mut StateSet,
        made: &mut [Made],
        sifted: Sifted,
    ) -> Result<(), Full> {
        let Todo { work, moved, new_from, .. } = self;
        let mut goes_on = GoesOn { new_from: *new_from, moved, work };
        for Made { half, whole, .. } in made {
            states.insert_rows(half, sifted, &mut goes_on)?;
            states.insert_rows(whole, sifted, &mut goes_on)?;
            half.clear();
            whole.clear();
        }
        Ok(())
    }

    /// Chooses the threads of a wave: half of what there is, if it is less than two waves, so that two of them are always under way.
    fn choose(&mut self, states: &StateSet, to: &mut Vec<Mover>) {
        to.clear();
        let all = self.work.len() + self.waiting.len();
        let most = THREADS_PER_WAVE.min(all.div_ceil(2));
        let first = self.work.len() - most.min(self.work.len());
        let row = |state| states.row(state);
        let moves = |(state, position)| Mover { row: row(state), state, position: Some(position) };
        to.extend(self.work.drain(first..).map(moves));
        // A state that waits is as much work as several threads.
        let more = (most - to.len()).div_ceil(THREADS_OF_A_STATE).min(self.waiting.len());
        let end = self.waiting.start + more as u32;
        to.extend((self.waiting.start..end).map(|state| Mover {
            row: row(state),
            state,
            position: None,
        }));
        self.waiting.start = end;
    }
}

/// The note of a thread that has ended. A narrow row has fewer positions than that.
const GONE_NOTE: u16 = u16::MAX;

/// Lets threads go on from states that they have got to. The note is the position of the thread.
struct GoesOn<'t> {
    new_from: u32,
    moved: &'t mut Moved,
    work: &'t mut Vec<(u32, u32)>,
}

impl Tell for GoesOn<'_> {
    #[inline]
    fn expect(&self, number: u32) -> u8 {
        number.checked_sub(self.new_from).map_or(0, |new| self.moved.touch(new))
    }

    #[inline]
    fn matters(&self, number: u32, note: u16) -> bool {
        let new = number.checked_sub(self.new_from).filter(|_| note != GONE_NOTE);
        new.is_some_and(|new| !self.moved.has(new, note.into()))
    }

    #[inline]
    fn tell(&mut self, number: u32, note: u16) {
        // From an older state all threads that may move at this bound do so.
        if let Some(new) = number.checked_sub(self.new_from)
            && note != GONE_NOTE
            && self.moved.set(new, note.into())
        {
            self.work.push((number, note.into()));
        }
    }
}

impl Made {
    /// Makes the moves of some threads that are known.
    fn make<R: Row>(
        &mut self,
        movers: &[Mover],
        moves: KnownMoves<'_>,
        moves_on: &impl Fn(u32, u32) -> bool,
    ) {
        for some in movers.chunks(TOGETHER) {
            let touch = |mover: &Mover| {
                mover.position.map_or(0, |position| moves.touch(R::of(mover.row), position))
            };
            black_box(some.iter().fold(0, |sum, mover| sum ^ touch(mover)));
            for &Mover { row, state, position } in some {
                match position {
                    Some(position) => self.make_one(R::of(row), (state, position), moves),
                    None => moves.positions(R::of(row), |position| {
                        if moves_on(state, position) {
                            self.make_one(R::of(row), (state, position), moves);
                        }
                    }),
                }
            }
        }
    }

    /// Makes the moves of a thread, if they are known.
    #[inline]
    fn make_one<R: Row>(&mut self, row: R, thread: (u32, u32), moves: KnownMoves<'_>) {
        self.threads += 1;
        match moves.make(row, thread.1, |next, at| self.push(next, at)) {
            Some(made) => self.work += 1 + made,
            None => {
                let head = moves.head(row, thread.1);
                self.unknown.extend(head.map(|head| Unknown { thread, head }));
            }
        }
    }

    #[inline(always)]
    fn push<R: Row>(&mut self, row: R, at: u32) {
        let note = if at == GONE { GONE_NOTE } else { at as u16 };
        if size_of::<R>() == size_of::<u64>() {
            self.half.push(Arrival::new(row.whole() as u64, note));
        } else {
            self.whole.push(Arrival::new(row.whole(), note));
        }
    }

    /// How many rows there are.
    fn rows(&self) -> usize {
        self.half.len() + self.whole.len()
    }

    fn clear(&mut self) {
        self.half.clear();
        self.whole.clear();
        self.unknown.clear();
        (self.threads, self.work) = (0, 0);
    }
}
