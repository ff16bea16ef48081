//! # Contexts
//!
//! **Question.** Which states do at most k contexts reach, and what is new at each k?
//!
//! **Idea.** Bound by bound. A state that is new at bound k was reached in the contexts of some of
//! its threads; those go on within the bound. At bound k + 1 all the others have their turn. So
//! every thread moves from every state exactly once, at the first bound that allows it, and only
//! states that were new at the last bound are looked at again.
//!
//! **Claim.** After k calls of [`super::Explorer::advance`], the states are R_k exactly
//! [CUBA, Sec. 2.3]; with [`super::languages`] they are the aggregate configurations of Qadeer and
//! Rehof, whose union is R_k [Thm. 3]. If nothing is new at a bound, nothing is new at any later
//! one [CUBA, Lemma 7]; for sets of stacks too, since a bound depends only on what was new before.
//!
//! **Needs.** With [`super::stacks`]: each context reaches finitely many states, or the run ends
//! by its budget.

use selvedge_model::System;
use selvedge_store::Full;

use super::bounded::{Bookkeeping, BoundedExplorer, THREADS_PER_BATCH};
use super::moved::Moved;
use super::moving::{GONE, Scratch};
use super::reached::Reached;
use super::waves::{Todo, Waves};
use super::{Locals, SystemRef};
use crate::{Budget, Pace, Resource, Stop};

/// Explores context by context.
pub type ContextExplorer<'a, L> = BoundedExplorer<'a, L, Contexts>;

/// The bookkeeping of contexts.
#[derive(Default)]
pub struct Contexts {
    /// Which threads of the new states have moved already.
    moved: Moved,
    waves: Waves,
}

impl<'a, L: Locals> ContextExplorer<'a, L> {
    /// Starts at bound 0: the initial states.
    pub fn new(system: &'a dyn System, locals: L, symmetry: bool) -> Result<Self, Stop> {
        Self::of(system.into(), locals, symmetry)
    }

    /// Starts at bound 0, with a system that is borrowed or shared.
    pub fn of(system: SystemRef<'a>, locals: L, symmetry: bool) -> Result<Self, Stop> {
        BoundedExplorer::start(Reached::new(system, locals, symmetry)?, Contexts::default())
    }

    /// Does not follow states with more threads than this, if there is a limit.
    #[must_use]
    pub fn with_at_most_threads(mut self, most: Option<usize>) -> Self {
        self.reached.space.most_threads = most;
        self
    }
}

impl Bookkeeping for Contexts {
    const RESOURCE: Resource = Resource::Contexts;

    fn advance<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let frontier = reached.new_from..reached.states.end();
        let before = std::mem::take(&mut self.moved);
        reached.new_from = frontier.end;
        let mut scratch = Scratch::default();
        let (mut work, mut batch): (Vec<(u32, u32)>, Vec<_>) = Default::default();
        let mut word = Vec::new();
        let mut pace = Pace::new(budget);
        let mut waiting = frontier.clone();
        loop {
            if self.waves.are_next(reached, work.len(), waiting.len()) {
                let todo = Todo {
                    work: &mut work,
                    waiting: &mut waiting,
                    new_from: frontier.end,
                    moved: &mut self.moved,
                    moves_on: &|state, position| !before.has(state - frontier.start, position),
                };
                self.waves.run(reached, todo, &mut pace, budget)?;
                continue;
            }
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
                return Ok(());
            }
            batch.clear();
            batch.extend(work.drain(work.len().saturating_sub(THREADS_PER_BATCH)..));
            let done = reached.moves(&batch, &mut scratch, &mut pace)?;
            work.extend_from_slice(&batch[done..]);
            self.waves.passed(done);
            self.insert(reached, &mut scratch, &mut work)?;
        }
    }
}

impl Contexts {
    /// Adds the states of a batch of moves; the thread that moved goes on from those that are new.
    fn insert<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        scratch: &mut Scratch,
        work: &mut Vec<(u32, u32)>,
    ) -> Result<(), Full> {
        let Scratch { batch, moved, .. } = scratch;
        let new_from = reached.new_from;
        reached.states.insert_all(batch, |index, number, _| {
            let Some(new) = number.checked_sub(new_from) else {
                return; // all threads move from there at this bound at the latest
            };
            let position = moved[index];
            if position != GONE && self.moved.set(new, position) && !L::WHOLE_CONTEXTS {
                work.push((number, position));
            }
        })
    }
}
