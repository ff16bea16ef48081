//! # A share that is kept
//!
//! **Question.** A run of hours ends: a machine is switched off. How does another one go on, with another number of workers?
//!
//! **Idea.** After a bound, a worker says its states as it would say them to another worker ([`super::wire`]): those of earlier bounds, then the new ones with the threads that have
//! moved to them. Whoever goes on reads what all workers said, and takes the states that belong to it.
//!
//! **Claim.** What follows from the states at a bound, and from who has moved at it, is the rest of the exploration: so the shares that were read go on as those would have that were written.
//!
//! **Needs.** That bytes come back as they were: that is for whoever keeps them to see to. What they say is checked all the same, so that no bytes lead to a panic.

use super::wire::{self, Names, garbled};
use super::{GONE, Share, TOGETHER, Task, hear_word, tell_word};
use crate::Stop;

/// The kinds of chunks: states of earlier bounds, and new ones.
const EARLIER: u8 = 0;
const NEW: u8 = 1;

/// Numbers of what is read, as those who wrote it gave them.
pub struct Loading(Names);

impl Loading {
    /// Begins to read what one worker wrote.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Loading(Names::new(0, 1))
    }
}

impl Share<'_> {
    /// Says all states, in chunks, after a bound.
    pub fn save(&mut self, mut keep: impl FnMut(&[u8]) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut names = Names::new(0, 1);
        let (new_from, end) = (self.reached.new_from, self.reached.states.end());
        let mut word = Vec::new();
        let mut positions = Vec::new();
        for (kind, states) in [(EARLIER, 0..new_from), (NEW, new_from..end)] {
            for number in states {
                let Share { reached, moved, .. } = &mut *self;
                positions.clear();
                if kind == NEW {
                    reached.positions(number, &mut word, |position| {
                        if moved.has(number - new_from, position) {
                            positions.push(position);
                        }
                    });
                }
                reached.states.read(number, &mut word);
                // A state that nobody has moved to is said once, any other one with each that has.
                if positions.is_empty() {
                    positions.push(GONE);
                }
                for &position in &positions {
                    tell_word(&reached.space, &mut names, 0, &word, position);
                }
                chunks(&mut names, kind, &mut keep)?;
            }
            names.flush();
            chunks(&mut names, kind, &mut keep)?;
        }
        Ok(())
    }

    /// Begins to read what was kept after a bound, in the place of what is there.
    pub fn begin_to_load(&mut self) {
        self.reached.new_from = u32::MAX;
    }

    /// Reads a chunk and takes the states that belong to this worker: those of earlier bounds, or the new ones. All chunks are read for both, and what earlier
    /// ones say is heard twice.
    pub fn load(&mut self, from: &mut Loading, chunk: &[u8], new: bool) -> Result<(), Stop> {
        let Some((&kind, bytes)) = chunk.split_first() else { return Err(garbled()) };
        if kind > NEW {
            return Err(garbled());
        }
        let space = &mut self.reached.space;
        let mut rest =
            from.0.hear(0, bytes, |kind, content| wire::read_name(space, kind, content))?;
        if (kind == NEW) != new {
            return Ok(());
        }
        let rest = &mut rest;
        let mut word = Vec::new();
        while !rest.is_empty() {
            let entry = hear_word(&self.reached.space, &from.0, 0, rest, &mut word)?;
            if self.owner_of(&word) == self.index {
                let layout = &self.reached.space.layout;
                let position = entry.and_then(|entry| layout.position(&word, entry));
                self.own.push(&word);
                self.own_moved.push(position.unwrap_or(GONE));
            }
            if self.own_moved.len() >= TOGETHER || rest.is_empty() {
                if let Some(largest) = &self.reached.space.largest {
                    self.reached.states.make_room(largest);
                }
                self.insert()?;
            }
        }
        Ok(())
    }

    /// All states of earlier bounds were read.
    pub fn has_loaded_earlier(&mut self) {
        self.reached.new_from = self.reached.states.end();
    }

    /// All states were read, those of a bound and of all before it: the exploration goes on from there.
    pub fn has_loaded(&mut self, bound: usize) {
        self.work.clear();
        self.waiting = 0..0;
        self.task = Task::Explore;
        self.was_loaded = true;
        let (earlier, end) = (self.reached.new_from, self.reached.states.end());
        let until: Vec<u32> = (0..bound).map(|_| earlier).chain([end]).collect();
        self.reached.visible_until.clone_from(&until);
        self.reached.states_until = until;
    }
}

/// Hands on what is ready.
fn chunks(
    names: &mut Names,
    kind: u8,
    keep: &mut impl FnMut(&[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    for parcel in names.ready.drain(..) {
        let mut chunk = Vec::with_capacity(parcel.bytes.len() + 1);
        chunk.push(kind);
        chunk.extend_from_slice(&parcel.bytes);
        keep(&chunk)?;
    }
    Ok(())
}
