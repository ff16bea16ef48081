//! # Explorers
//!
//! From below: what is reachable under a bound, exactly, bound by bound. Explorers differ in
//! bookkeeping only: [`contexts`] or [`rounds`] say which thread moves from which state at which
//! bound, [`reached`] is what comes of it, for every way to write down what one thread is up to
//! ([`Locals`]):
//!
//! | locals | one thread is | a move is |
//! | --- | --- | --- |
//! | [`stacks`] | one stack | one action |
//! | [`languages`] | a regular set of stacks | a whole context (post*) |
//! | [`windows`] | the top of a stack, the rest forgotten | one action: too much is reached, never too little |
//!
//! [`delays`] is bounded by two numbers, rounds and delays, and has single stacks only.
//!
//! [`schedules`] counts nothing: it answers the question without a bound, and lets threads wait where the order does not matter.
//!
//! States are sets of threads: threads of one class are interchangeable and are counted, not
//! listed ([`classes`]). With rounds every thread is a class of its own.

pub mod abstraction;
mod behind;
mod bounded;
pub mod classes;
pub mod contexts;
pub mod delays;

pub mod languages;
mod listed;
pub mod locals;
mod moved;
mod moving;
mod observe;
mod places;
pub mod reached;
mod relevant;
pub mod rounds;
pub mod schedules;
pub mod share;
pub mod shortest;
pub mod shortest_delays;
mod space;
pub mod stacks;
mod system_ref;
mod target;
mod visible;
mod waves;
pub mod windows;
mod words;

pub use abstraction::{Abstraction, Observe};
pub use bounded::{Bookkeeping, BoundedExplorer};
pub use classes::Classes;
pub use contexts::ContextExplorer;
pub use delays::DelayExplorer;
pub use locals::{Locals, Move};
pub use reached::{Observation, Reached};
pub use rounds::RoundExplorer;
pub use schedules::ScheduleExplorer;
pub use system_ref::SystemRef;

use selvedge_automata::Dfa;
use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Property, SharedId, VisibleState};

use crate::{Budget, Stop};

/// An explorer from below, whatever its locals.
pub trait Explorer: Send {
    /// The name of the explorer in reports.
    fn name(&self) -> &'static str;

    /// Goes to the next bound. If the budget ends first, the explorer is of no further use; what
    /// was seen at earlier bounds stays true.
    fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop>;

    /// What was seen at each bound so far.
    fn observations(&self) -> &[Observation];

    /// The current bound.
    fn bound(&self) -> usize {
        self.observations().len() - 1
    }

    /// Whether nothing was new at the current bound, so that nothing will ever be.
    fn has_collapsed(&self) -> bool {
        self.observations().last().is_some_and(|o| o.new_stored == 0)
    }

    /// Whether states were not followed because they have too many threads.
    fn has_left_out(&self) -> bool;

    /// The largest number of threads of a state that was reached, ended ones included.
    fn largest(&self) -> usize;

    /// The number of a property that a visible state breaks which is new at a bound.
    fn violation(&self, bound: usize, properties: &[Property]) -> Result<Option<usize>, Stop>;

    /// A schedule that breaks one of the properties, within the current bound, which must be the smallest one with a violation:
    /// from what was explored, where that says so, without another search.
    fn run(&mut self, properties: &[Property], budget: &Budget) -> Result<Option<Trace>, Stop> {
        self.shortest(properties, budget)
    }

    /// The schedule that breaks one of the properties with the fewest steps, within the current bound, which must be the
    /// smallest one with a violation.
    fn shortest(&mut self, properties: &[Property], budget: &Budget)
    -> Result<Option<Trace>, Stop>;

    /// The visible states that are new at a bound. Of states that differ by a permutation of
    /// interchangeable threads, one is given.
    fn new_visible(&self, bound: usize) -> Vec<VisibleState>;

    /// The states that are new at a bound, with the stacks of each thread as a set: of one stack, where
    /// states are single ones. Of states that differ by a permutation of interchangeable threads, one is
    /// given.
    fn new_sets(&self, bound: usize) -> Vec<(SharedId, Vec<Dfa>)>;

    /// How many words are new at a bound.
    fn new_stored(&self, bound: usize) -> usize {
        self.observations().get(bound).map_or(0, |seen| seen.new_stored)
    }

    /// Whether finitely many states were reached.
    fn is_finite(&self) -> bool;

    /// How many visible states were reached, up to permutations of interchangeable threads.
    fn visible_kinds(&self) -> usize;

    /// How many words are stored, and the bytes that they take.
    fn stored(&self) -> (usize, usize);

    /// The states that were reached, as a certificate. It holds if the exploration has collapsed.
    fn certificate(&self) -> Evidence;
}
