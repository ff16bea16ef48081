//! # The space of states
//! What explorers have in common: threads as numbered entries, states as words, and the moves of
//! a thread, found once and remembered.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;
use selvedge_model::{Heads, SharedId, State, System, ThreadId, is_forgotten};

use super::target::Target;
use super::visible::Seen;
use super::words::Layout;
use super::{Classes, Locals, Move};
use crate::{Pace, Stop};

/// A thread of a state: its class and its local.
pub type Entry = (u32, u32);

/// A move with entries in the place of locals.
#[derive(Clone, Debug)]
pub(super) struct EntryMove {
    pub shared: SharedId,
    pub entry: u32,
    /// Whether the thread has ended and is forgotten.
    forgotten: bool,
    /// Entries of started threads.
    pub spawns: Box<[u32]>,
}

/// A system seen through one kind of locals.
pub(super) struct Space<'a, L> {
    pub system: &'a dyn System,
    pub locals: L,
    pub classes: Classes,
    pub layout: Layout,
    /// States with more threads than this are not followed.
    pub most_threads: Option<usize>,
    /// Whether such a state was met.
    left_out: Cell<bool>,
    entries: Vec<Entry>,
    numbers: FxHashMap<Entry, u32>,
    /// The moves of an entry at a shared state, as a range of `moves`.
    known: FxHashMap<(u32, u32), (u32, u32)>,
    moves: Vec<EntryMove>,
    /// Who can act where, as far as a property asked.
    pub heads: RefCell<Heads>,
}

impl<'a, L: Locals> Space<'a, L> {
    /// The space of a system, with its initial states as words.
    pub fn new(
        system: &'a dyn System,
        locals: L,
        symmetry: bool,
    ) -> Result<(Self, Vec<Vec<u32>>), Stop> {
        let initial = system.initial()?;
        let mut space = Space {
            system,
            locals,
            classes: Classes::new(&initial, symmetry),
            layout: Layout::for_threads(system.threads().len()),
            most_threads: None,
            left_out: Cell::new(false),
            entries: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            moves: Vec::new(),
            heads: RefCell::default(),
        };
        let words = initial.iter().map(|state| space.word(state)).collect();
        Ok((space, words))
    }

    /// The class and local of an entry.
    pub fn entry(&self, number: u32) -> Entry {
        self.entries[number as usize]
    }

    /// Whether a state was not followed because it has too many threads.
    pub fn has_left_out(&self) -> bool {
        self.left_out.get() || self.locals.has_left_out()
    }

    /// The kinds of threads of a state, with how many there are of each.
    pub fn kinds(&self, word: &[u32]) -> Vec<(Entry, u32)> {
        self.layout.entries(word).map(|(entry, count)| (self.entry(entry), count)).collect()
    }

    /// The shared states at which the moves of some thread were asked for, with its entry.
    pub fn heads(&self) -> impl Iterator<Item = (SharedId, Entry)> {
        self.known.keys().map(|&(shared, entry)| (SharedId(shared), self.entry(entry)))
    }

    /// The moves of a thread, as a range for [`Space::step`]; remembered.
    pub fn moves_of(
        &mut self,
        shared: u32,
        entry: u32,
        pace: &mut Pace<'_>,
    ) -> Result<(u32, u32), Stop> {
        if let Some(&range) = self.known.get(&(shared, entry)) {
            return Ok(range);
        }
        let (class, local) = self.entry(entry);
        let mut found = Vec::new();
        let Space { system, locals, classes, .. } = &mut *self;
        let thread = (class, SharedId(shared), local);
        locals.moves(*system, classes, thread, pace, &mut found)?;
        found.sort_unstable();
        found.dedup();
        let start = self.moves.len() as u32;
        for Move { shared, local, spawns } in found {
            let entry = self.number((class, local));
            let spawns = spawns.into_iter().map(|(template, local)| {
                let class = self.classes.of_started(template);
                self.number((class, local))
            });
            let spawns = spawns.collect();
            let forgotten = self.is_forgotten((class, local));
            self.moves.push(EntryMove { shared, entry, forgotten, spawns });
        }
        let range = (start, self.moves.len() as u32);
        self.known.insert((shared, entry), range);
        Ok(range)
    }

    /// Writes into `next` what a state becomes when a thread with entry `from` makes a move; the
    /// entry of that thread after; a thread that has ended may be no part of the state any more. `None`
    /// if there would be too many threads.
    pub fn step(&self, word: &[u32], from: u32, index: u32, next: &mut Vec<u32>) -> Option<u32> {
        let step = &self.moves[index as usize];
        next.clear();
        next.extend_from_slice(word);
        next[0] = step.shared.0;
        if step.forgotten {
            self.layout.remove(next, from);
        } else {
            self.layout.replace(next, from, step.entry);
        }
        for &spawn in &step.spawns {
            self.layout.add(next, spawn);
        }
        let limit = self.most_threads.filter(|_| !step.spawns.is_empty());
        let fits = limit.is_none_or(|most| self.layout.threads(next) <= most);
        if !fits {
            self.left_out.set(true);
        }
        fits.then_some(step.entry)
    }

    /// Whether a thread has ended and is no part of a state: see [`selvedge_model::is_forgotten`].
    fn is_forgotten(&self, (class, local): Entry) -> bool {
        self.system.forgets_ended() && self.classes.is_started(class) && self.locals.is_empty(local)
    }

    /// The first target that is hit at a shared state with the threads that are seen there.
    pub fn hit(
        &self,
        targets: &mut [Target],
        shared: u32,
        see: impl Fn() -> Vec<(Seen, u32)>,
    ) -> Result<Option<usize>, Stop> {
        let mut threads = None;
        for (number, target) in targets.iter_mut().enumerate() {
            if target.may_be_hit(self.system, shared) {
                let threads = threads.get_or_insert_with(&see);
                if target.is_hit(self.system, &self.heads, &self.classes, shared, threads)? {
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
    }

    /// The first target about whole stacks that a state hits. Where locals say too much of a stack,
    /// it may be hit.
    pub fn hit_stacks(&self, targets: &[Target], word: &[u32]) -> Option<usize> {
        let mut kinds = None;
        targets.iter().position(|target| {
            target.names_stacks() && {
                let kinds = kinds.get_or_insert_with(|| self.kinds(word));
                target.is_hit_by_stacks(word[0], kinds, |(class, local), pattern| {
                    self.locals.may_be(class, local, pattern)
                })
            }
        })
    }

    fn number(&mut self, entry: Entry) -> u32 {
        let next = self.entries.len() as u32;
        let number = *self.numbers.entry(entry).or_insert(next);
        if number == next {
            self.entries.push(entry);
        }
        number
    }

    /// The number of an entry that was met.
    pub fn find(&self, entry: Entry) -> Option<u32> {
        self.numbers.get(&entry).copied()
    }

    /// The class of a thread of a state.
    pub fn class_of(&mut self, state: &State, thread: ThreadId) -> u32 {
        if thread.index() < self.system.threads().len() {
            self.classes.of_thread(thread.index())
        } else {
            self.classes.of_started(state.threads[thread.index()].template)
        }
    }

    /// A state as a word.
    pub fn word(&mut self, state: &State) -> Vec<u32> {
        let there = state.thread_ids().filter(|&t| !is_forgotten(self.system, state, t));
        let entries = there.map(|thread| {
            let class = self.class_of(state, thread);
            let local = self.locals.of_stack(class, &state.threads[thread.index()].stack);
            self.number((class, local))
        });
        let entries: Vec<u32> = entries.collect();
        self.layout.word(state.shared.0, entries)
    }
}
