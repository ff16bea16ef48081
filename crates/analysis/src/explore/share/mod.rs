//! # A share of the states
//!
//! **Question.** Several workers, perhaps on several machines, explore one system. Who stores what, and who moves from where?
//!
//! **Idea.** A state belongs to one worker, by the hash of a part of what it is ([`Split`]). Its owner stores it, knows which of its threads have moved at which
//! bound, and moves them; a state that comes of a move is sent to its owner, together with the thread that moved. Numbers are each worker's own business (`wire`).
//!
//! **Claim.** Bound by bound, the shares together are what [`super::ContextExplorer`] reaches. A thread moves from a state once, at the first
//! bound that allows it, whenever the state arrives within the bound: an owner that hears of a state and of a thread that got there does what
//! one worker alone does with them, and neither which states are new at a bound nor which threads have moved depends on the order in which it hears of them.
//! A state that was sent before, with the same thread, tells its owner nothing.
//!
//! **Needs.** That a bound ends for nobody before all parcels have arrived and nobody has work left: that is for whoever carries the
//! parcels to know. Single stacks.

mod back;
mod collect;
mod recent;
mod route;
mod rows;
mod save;
mod say;
mod seen;
mod split;
mod wire;

use std::ops::Range;

use selvedge_model::System;
use selvedge_store::{Batch, Bytes, Columns, Row};

use super::moved::Moved;
use super::moving::{GONE, Scratch};
use super::reached::Reached;
use super::stacks::Stacks;
use crate::{Budget, Pace, Stop};
use back::Chase;
pub use back::{Hunt, Hunted, Place, WayEnd};
pub use collect::Collected;
use recent::Recent;
pub use route::Route;
use rows::{Away, Form};
pub use save::Loading;
use say::{hear_word, tell_word};
pub use seen::Noticed;
pub use split::Split;
pub use wire::Parcel;
use wire::{Kind, Names};

/// How many threads move together.
const THREADS_PER_BATCH: usize = 1 << 8;

/// How many states that came from elsewhere, or go there, are looked up together.
const TOGETHER: usize = 1 << 12;

/// How states are explored, the same for all workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Whether interchangeable threads are counted.
    pub symmetry: bool,
    /// Stacks higher than this end the exploration.
    pub highest: Option<u32>,
    /// States with more threads than this are not followed.
    pub most_threads: Option<usize>,
}

/// The current task of a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Task {
    /// Moves the threads of its states.
    Explore,
    /// Sends these states to a worker.
    Send { to: usize, states: Range<u32> },
    /// Looks for the states that lead to others.
    Back,
}

/// Counts of moves, and of states sent and received.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Moves that were made.
    pub moves: u64,
    /// States that were sent to their owners, with repetitions.
    pub sent: u64,
    /// States that were not sent because they had been a moment before.
    pub spared: u64,
    /// Bytes that were sent.
    pub bytes: u64,
    /// Parcels that were sent.
    pub parcels: u64,
    /// States that came from elsewhere.
    pub received: u64,
    /// Those of them that the owner had already, with the thread that got there.
    pub known: u64,
}

/// The states that belong to one worker.
pub struct Share<'a> {
    reached: Reached<'a, Stacks>,
    index: usize,
    names: Names,
    split: Split,
    /// Which threads of the new states have moved already, at this bound and at the one before.
    moved: Moved,
    before: Moved,
    /// The states that were new at the last bound, and those that nobody has looked at.
    frontier: Range<u32>,
    waiting: Range<u32>,
    /// Threads of new states that are to move.
    work: Vec<(u32, u32)>,
    task: Task,
    scratch: Scratch,
    /// States of a batch that belong to this worker, and where the threads are that moved.
    own: Batch,
    own_moved: Vec<u32>,
    /// Rows that belong to others, the columns that they have, and how they are sent.
    away: Vec<Away>,
    columns: Option<Columns>,
    form: Option<Form>,
    recent: Recent,
    traffic: Traffic,
    collected: Option<Collected>,
    /// The way back from a violation, where it was asked for.
    chase: Option<Chase>,
    /// Whether another run has found the states of earlier bounds.
    was_loaded: bool,
    /// The largest number of threads of the states up to a number.
    largest: (usize, u32),
}

impl<'a> Share<'a> {
    /// The share of a worker: of the initial states, those that belong to it.
    pub fn new(
        system: &'a dyn System,
        terms: Terms,
        split: Split,
        (index, peers): (usize, usize),
    ) -> Result<Self, Stop> {
        let stacks = terms.highest.map_or_else(Stacks::default, Stacks::up_to);
        let mut reached = Reached::new(system, stacks, terms.symmetry)?;
        reached.space.most_threads = terms.most_threads;
        // A worker is one of many already.
        reached.waves_from = u32::MAX;
        let mut share = Share {
            reached,
            index,
            names: Names::new(index, peers),
            split,
            moved: Moved::default(),
            before: Moved::default(),
            frontier: 0..0,
            waiting: 0..0,
            work: Vec::new(),
            task: Task::Explore,
            scratch: Scratch::default(),
            own: Batch::default(),
            own_moved: Vec::new(),
            away: Vec::new(),
            columns: None,
            form: None,
            recent: Recent::default(),
            traffic: Traffic::default(),
            collected: None,
            chase: None,
            was_loaded: false,
            largest: (0, 0),
        };
        let all = std::mem::take(&mut share.reached.states);
        for number in 0..all.end() {
            let word = all.get(number).to_vec();
            if share.owner_of(&word) == index {
                share.reached.states.insert(&word)?;
            }
        }
        Ok(share)
    }

    /// Begins the next bound.
    pub fn advance(&mut self, budget: &Budget) {
        self.reached.states.limit(budget.states);
        self.frontier = self.reached.new_from..self.reached.states.end();
        self.waiting = self.frontier.clone();
        self.before = std::mem::take(&mut self.moved);
        self.reached.new_from = self.frontier.end;
        self.task = Task::Explore;
        self.chase = None;
        if self.names.peers() > 1 {
            self.recent.advance();
        }
    }

    /// Whether there is nothing to do but to wait for parcels.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        match &self.task {
            Task::Explore => self.work.is_empty() && self.waiting.is_empty(),
            Task::Send { states, .. } => states.is_empty(),
            Task::Back => self.chase.as_ref().is_none_or(Chase::is_idle),
        }
    }

    /// Works for a while, and puts what is for others into `out`; all of it, if nothing is left to do.
    pub fn work(
        &mut self,
        portion: usize,
        budget: &Budget,
        out: &mut Vec<Parcel>,
    ) -> Result<(), Stop> {
        match self.task.clone() {
            Task::Explore => self.explore(portion, budget)?,
            Task::Send { to, states } => {
                let states = self.send(to, states, portion)?;
                self.task = Task::Send { to, states };
            }
            Task::Back => self.look_back(portion, budget)?,
        }
        if self.is_idle() {
            self.names.flush();
        }
        for parcel in &self.names.ready {
            self.traffic.parcels += 1;
            self.traffic.bytes += parcel.bytes.len() as u64;
        }
        out.append(&mut self.names.ready);
        Ok(())
    }

    /// Takes what another worker sent.
    pub fn receive(&mut self, parcel: &Parcel) -> Result<(), Stop> {
        let Share { names, reached, .. } = self;
        let items = names.hear(parcel.from, &parcel.bytes, |kind, content| {
            wire::read_name(&mut reached.space, kind, content)
        })?;
        match self.task {
            Task::Explore => self.receive_states(parcel.from, items),
            Task::Send { .. } => self.receive_collected(parcel.from, items),
            Task::Back => self.receive_places(parcel.from, items),
        }
    }

    /// Forgets what there was to do, because the exploration ends.
    pub fn give_up(&mut self) {
        self.work.clear();
        self.waiting = 0..0;
        self.task = Task::Explore;
        self.chase = None;
        self.names.ready.clear();
        self.away.clear();
    }

    /// How much was sent so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// How many states this worker stores, and the bytes that they take.
    #[must_use]
    pub fn stored(&self) -> (usize, usize) {
        (self.reached.states.len(), self.reached.bytes())
    }

    fn explore(&mut self, portion: usize, budget: &Budget) -> Result<(), Stop> {
        let mut pace = Pace::new(budget);
        let (mut word, mut batch) = (Vec::new(), Vec::new());
        let mut done = 0;
        while done < portion {
            let Share { reached, work, waiting, before, frontier, .. } = self;
            while work.len() < THREADS_PER_BATCH
                && let Some(state) = waiting.next()
            {
                reached.positions(state, &mut word, |position| {
                    if !before.has(state - frontier.start, position) {
                        work.push((state, position));
                    }
                });
            }
            if work.is_empty() {
                break;
            }
            batch.clear();
            batch.extend(work.drain(work.len().saturating_sub(THREADS_PER_BATCH)..));
            let moved = reached.moves(&batch, &mut self.scratch, &mut pace)?;
            work.extend_from_slice(&batch[moved..]);
            done += self.scratch.batch.len() + moved;
            self.traffic.moves += self.scratch.batch.len() as u64;
            self.sort_out()?;
            self.insert()?;
        }
        self.send_away()
    }

    /// Divides a batch of moves into what is stored here and what is sent.
    fn sort_out(&mut self) -> Result<(), Stop> {
        if self.scratch.batch.is_empty() {
            return Ok(());
        }
        let narrow = self.reached.states.narrow().filter(|_| !self.scratch.batch.rows().is_empty());
        if narrow != self.columns.as_ref() {
            let narrow = narrow.cloned();
            // Bits of rows mean something else from here on.
            self.send_away()?;
            self.form = narrow.as_ref().and_then(Form::of);
            if let Some(columns) = &narrow {
                self.recent.renew(columns);
            }
            self.columns = narrow;
        }
        match &self.form {
            Some(form) if form.is_half() => self.sort_rows::<u64>(),
            Some(_) => self.sort_rows::<u128>(),
            None => self.sort_words(),
        }
        if self.away.len() >= TOGETHER { self.send_away() } else { Ok(()) }
    }

    /// Sends the rows that belong to others.
    fn send_away(&mut self) -> Result<(), Stop> {
        let Some(form) = self.form.take_if(|_| !self.away.is_empty()) else { return Ok(()) };
        self.recent.grow(self.reached.states.len());
        let sent = match form.is_half() {
            true => self.send_rows::<u64>(&form),
            false => self.send_rows::<u128>(&form),
        };
        self.form = Some(form);
        sent
    }

    /// Divides a batch of states that are too wide for records.
    fn sort_words(&mut self) {
        let batch = std::mem::take(&mut self.scratch.batch);
        let moved = std::mem::take(&mut self.scratch.moved);
        self.names.set_form(None);
        let columns = self.columns.take();
        let columns_of_rows = columns.as_ref().map_or(&[][..], Columns::list);
        let mut word = Vec::new();
        for (&row, &at) in batch.rows().iter().zip(&moved) {
            word.clear();
            word.extend(columns_of_rows.iter().map(|&column| row.get(column)));
            self.sort_word(&word, at);
        }
        for (word, &at) in batch.words().zip(&moved[batch.rows().len()..]) {
            self.sort_word(word, at);
        }
        self.columns = columns;
        (self.scratch.batch, self.scratch.moved) = (batch, moved);
    }

    fn sort_word(&mut self, word: &[u32], at: u32) {
        let to = self.owner_of(word);
        if to == self.index {
            self.own.push(word);
            self.own_moved.push(at);
        } else {
            self.traffic.sent += 1;
            self.names.begin(to);
            self.tell_word(to, word, at);
        }
    }

    /// The worker that a state belongs to.
    fn owner_of(&mut self, word: &[u32]) -> usize {
        let Share { reached, names, split, .. } = self;
        let key = split.key(&reached.space, names, word);
        names.owner(key)
    }

    /// The hash of what a state is: the sum over its parts.
    fn content(&mut self, word: &[u32]) -> u64 {
        let Share { reached, names, .. } = self;
        let space = &reached.space;
        let system = &*space.system;
        let mut sum =
            names.hash(Kind::Shared, word[0], |out| wire::write_shared(system, word[0], out));
        for (entry, count) in space.layout.entries(word) {
            let hash = names.hash(Kind::Entry, entry, |out| wire::write_entry(space, entry, out));
            sum = sum.wrapping_add(hash.wrapping_mul(u64::from(count)));
        }
        sum
    }

    /// Says a state to a worker, and where the thread is that moved.
    fn tell_word(&mut self, to: usize, word: &[u32], at: u32) {
        let Share { reached, names, .. } = self;
        tell_word(&reached.space, names, to, word, at);
    }

    /// Reads a state; the entry of the thread that moved, if it is still there.
    fn hear_word(
        &self,
        from: usize,
        rest: &mut &[u8],
        word: &mut Vec<u32>,
    ) -> Result<Option<u32>, Stop> {
        hear_word(&self.reached.space, &self.names, from, rest, word)
    }

    fn receive_states(&mut self, from: usize, mut items: &[u8]) -> Result<(), Stop> {
        if items.is_empty() {
            return Ok(());
        }
        // A column is as wide for each thread of a class.
        if let Some(largest) = &self.reached.space.largest {
            self.reached.states.make_room(largest);
        }
        let rest = &mut items;
        if let Some(form) = Form::read(rest)? {
            let bits = self.reached.states.narrow().map_or(0, Columns::bits);
            return match form.is_half() && bits <= 64 {
                true => self.receive_rows::<u64>(from, &form, rest),
                false => self.receive_rows::<u128>(from, &form, rest),
            };
        }
        let mut word = Vec::new();
        while !rest.is_empty() {
            let entry = self.hear_word(from, rest, &mut word)?;
            let position = entry.and_then(|entry| self.reached.space.layout.position(&word, entry));
            self.own.push(&word);
            self.own_moved.push(position.unwrap_or(GONE));
            if self.own_moved.len() >= TOGETHER || rest.is_empty() {
                self.insert_received()?;
            }
        }
        Ok(())
    }

    /// Adds states that came from elsewhere.
    fn insert_received(&mut self) -> Result<(), Stop> {
        let (before, heard) = (self.work.len(), self.own_moved.len());
        self.insert()?;
        self.traffic.received += heard as u64;
        self.traffic.known += (heard - (self.work.len() - before)) as u64;
        Ok(())
    }

    /// Adds the states that belong to this worker; the thread that moved goes on from those that are new.
    fn insert(&mut self) -> Result<(), Stop> {
        let Share { reached, own, own_moved, moved, work, .. } = self;
        let new_from = reached.new_from;
        let inserted = reached.states.insert_all(own, |index, number, _| {
            let Some(new) = number.checked_sub(new_from) else {
                return; // all threads move from there at this bound at the latest
            };
            let position = own_moved[index];
            if position != GONE && moved.set(new, position) {
                work.push((number, position));
            }
        });
        own.clear();
        own_moved.clear();
        Ok(inserted?)
    }
}
