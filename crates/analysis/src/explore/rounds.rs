//! # Rounds
//!
//! **Question.** Which states do at most k rounds reach, and what is new at each k? A round is one
//! context of each thread, in the order of threads; a context may be empty.
//!
//! **Idea.** Turn by turn: the turns of the threads follow each other, round after round. Since
//! threads may do nothing, a state that is reached at one turn is still there at all later ones.
//! So every thread moves from every state exactly once, at its first turn since the state was
//! reached: at a turn of a thread, only states matter that were new at this turn or at the turns
//! of the other threads before it.
//!
//! **Claim.** After k calls of [`super::Explorer::advance`], the states are those that k rounds
//! reach, which is the transition system (⇒₁*; …; ⇒ₙ*)^k of Lal and Reps [Sec. 4]; with
//! [`super::languages`], the union of the states is. If no state is new in a whole round, no state
//! is ever new again: each state was there before the round began, so each thread had its turn with
//! it, and what it did led to a state that was there; so no step leaves the states. (With sets of
//! stacks the same holds of their union: a thread that has just had a whole context adds nothing
//! by another one.)
//!
//! **Needs.** A fixed set of threads. With [`super::stacks`]: each context reaches finitely many
//! states, or the run ends by its budget. Threads are never counted as interchangeable: two of them
//! that are alike still have their turns at different times.

use selvedge_model::System;

use super::bounded::{Bookkeeping, BoundedExplorer, THREADS_PER_BATCH};
use super::moved::Moved;
use super::moving::{GONE, Scratch};
use super::reached::Reached;
use super::waves::{Todo, Waves};
use super::{Locals, SystemRef};
use crate::bound::needs_fixed_threads;
use crate::{Budget, Pace, Resource, Stop};

/// An explorer that adds one round at a time.
pub type RoundExplorer<'a, L> = BoundedExplorer<'a, L, Rounds>;

/// The bookkeeping of rounds.
pub struct Rounds {
    threads: usize,
    /// The first state that is new at each turn. Turns count from 1; the initial states were there
    /// before, at turn 0.
    new_at: Vec<u32>,
    waves: Waves,
}

impl<'a, L: Locals> RoundExplorer<'a, L> {
    /// Starts at bound 0: the initial states.
    pub fn new(system: &'a dyn System, locals: L) -> Result<Self, Stop> {
        Self::of(system.into(), locals)
    }

    /// Starts at bound 0, with a system that is borrowed or shared.
    pub fn of(system: SystemRef<'a>, locals: L) -> Result<Self, Stop> {
        if let Some(fault) = needs_fixed_threads(&*system) {
            return Err(fault.into());
        }
        let rounds =
            Rounds { threads: system.threads().len(), new_at: vec![0], waves: Waves::default() };
        BoundedExplorer::start(Reached::new(system, locals, false)?, rounds)
    }
}

impl Bookkeeping for Rounds {
    const RESOURCE: Resource = Resource::Rounds;

    fn advance<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        reached.new_from = reached.states.end();
        let mut scratch = Scratch::default();
        for thread in 0..self.threads {
            self.turn(thread, reached, &mut scratch, budget)?;
        }
        Ok(())
    }
}

impl Rounds {
    /// Lets a thread move from all states from which it has not moved.
    fn turn<L: Locals>(
        &mut self,
        thread: usize,
        reached: &mut Reached<'_, L>,
        scratch: &mut Scratch,
        budget: &Budget,
    ) -> Result<(), Stop> {
        let turn = self.new_at.len();
        let first_new = reached.states.end();
        self.new_at.push(first_new);
        // The thread had a turn with everything that was there at its last one.
        let first = turn.checked_sub(self.threads).map_or(0, |last| match last {
            0 => 0,
            last => self.new_at[last + 1],
        });
        let class = reached.space.classes.of_thread(thread);
        let mut waiting = first..first_new;
        let mut work: Vec<(u32, u32)> = Vec::new();
        let mut pace = Pace::new(budget);
        let mut moved = Moved::default();
        loop {
            if self.waves.are_next(reached, work.len(), waiting.len()) {
                // Rounds do not interchange threads, so the thread has one position.
                let at = position(reached, waiting.start.min(first_new - 1), class);
                let todo = Todo {
                    work: &mut work,
                    waiting: &mut waiting,
                    new_from: first_new,
                    moved: &mut moved,
                    moves_on: &|_, position| position == at,
                };
                self.waves.run(reached, todo, &mut pace, budget)?;
                continue;
            }
            while work.len() < THREADS_PER_BATCH
                && let Some(state) = waiting.next()
            {
                work.push((state, position(reached, state, class)));
            }
            if work.is_empty() {
                return Ok(());
            }
            // The newest first: a stack that grows without end is soon high.
            let batch = work.split_off(work.len().saturating_sub(THREADS_PER_BATCH));
            let done = reached.moves(&batch, scratch, &mut pace)?;
            work.extend_from_slice(&batch[done..]);
            self.waves.passed(done);
            let known = reached.states.end();
            reached.states.insert_all(&mut scratch.batch, |_, _, _| {})?;
            // A whole context needs no second one; otherwise the thread goes on from where it got.
            if !L::WHOLE_CONTEXTS {
                for state in known..reached.states.end() {
                    let at = position(reached, state, class);
                    if at != GONE {
                        moved.set(state - first_new, at);
                    }
                    work.push((state, at));
                }
            }
        }
    }
}

/// The position of the only thread of a class.
fn position<L: Locals>(reached: &Reached<'_, L>, state: u32, class: u32) -> u32 {
    let word = reached.states.get(state);
    let mut positions = reached.space.layout.positions(&word);
    let is_it = |&position: &u32| {
        let entry = reached.space.layout.at(&word, position);
        entry.is_some_and(|entry| reached.space.entry(entry).0 == class)
    };
    positions.find(is_it).unwrap_or(GONE)
}
