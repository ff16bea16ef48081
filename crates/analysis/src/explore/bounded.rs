//! # Bound by bound
//! An explorer is what was reached, with the bookkeeping of a resource: explorers differ in
//! bookkeeping only.

use selvedge_automata::Dfa;
use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Property, SharedId, VisibleState};
use selvedge_store::Bytes;

use super::reached::{Observation, Reached};
use super::shortest::shortest_violation;
use super::space::Space;
use super::{Explorer, Locals};
use crate::{Budget, Resource, Stop};

/// How many threads move together.
pub(super) const THREADS_PER_BATCH: usize = 32;

/// Which threads move from which states at which bound.
pub trait Bookkeeping: Send {
    /// The resource that bounds count.
    const RESOURCE: Resource;

    /// Adds the states that the next bound reaches.
    fn advance<L: Locals>(
        &mut self,
        reached: &mut Reached<'_, L>,
        budget: &Budget,
    ) -> Result<(), Stop>;
}

/// An explorer that raises its bound step by step.
pub struct BoundedExplorer<'a, L, B> {
    pub(super) reached: Reached<'a, L>,
    bookkeeping: B,
}

impl<'a, L: Locals, B: Bookkeeping> BoundedExplorer<'a, L, B> {
    /// Starts at bound 0: the initial states.
    pub(super) fn start(mut reached: Reached<'a, L>, bookkeeping: B) -> Result<Self, Stop> {
        reached.observe(B::RESOURCE.bound(0), &Budget::default())?;
        Ok(BoundedExplorer { reached, bookkeeping })
    }

    /// The states that were reached.
    #[must_use]
    pub fn reached(&self) -> &Reached<'a, L> {
        &self.reached
    }

    /// Keeps only some of the states, given by number, as if they had been there from the start and
    /// nothing else were reached. Right if it is known that none of the others is reachable.
    pub(crate) fn keep(&mut self, keep: impl Fn(u32) -> bool) -> Result<(), Stop> {
        self.reached.keep(keep)?;
        self.reached.observe(B::RESOURCE.bound(0), &Budget::default())?;
        self.reached.new_from = self.reached.states.end();
        self.reached.observe(B::RESOURCE.bound(1), &Budget::default())
    }

    /// Lets threads move in waves once there are `states` states, even if that is not worth while.
    #[must_use]
    pub fn with_waves_from(mut self, states: u32) -> Self {
        self.reached.waves_from = states;
        self
    }

    /// The locals.
    #[must_use]
    pub fn locals(&self) -> &L {
        self.reached.locals()
    }

    /// The locals, for another exploration.
    #[must_use]
    pub fn into_locals(self) -> L {
        self.reached.into_locals()
    }
}

impl<L: Locals, B: Bookkeeping> Explorer for BoundedExplorer<'_, L, B> {
    fn name(&self) -> &'static str {
        L::engine(B::RESOURCE)
    }

    fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        self.reached.states.limit(budget.states);
        self.bookkeeping.advance(&mut self.reached, budget)?;
        budget.check()?;
        self.reached.observe(B::RESOURCE.bound(self.bound() + 1), budget)?;
        Ok(&self.observations()[self.bound()])
    }

    fn observations(&self) -> &[Observation] {
        &self.reached.observations
    }

    fn has_left_out(&self) -> bool {
        self.reached.space.has_left_out()
    }

    fn largest(&self) -> usize {
        self.reached.largest()
    }

    fn violation(&self, bound: usize, properties: &[Property]) -> Result<Option<usize>, Stop> {
        let found = self.reached.violation(bound, properties)?;
        Ok(found.map(|(property, _)| property))
    }

    fn run(&mut self, properties: &[Property], budget: &Budget) -> Result<Option<Trace>, Stop> {
        self.reached.run(properties, B::RESOURCE.bound(self.bound()), budget).map(Some)
    }

    fn shortest(
        &mut self,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Option<Trace>, Stop> {
        let bound = B::RESOURCE.bound(self.bound());
        if L::WHOLE_CONTEXTS {
            // Sets of stacks have no single steps.
            let Space { system, most_threads, .. } = &self.reached.space;
            return shortest_violation(&**system, properties, bound, *most_threads, budget);
        }
        self.reached.shortest(properties, bound, budget)
    }

    fn new_visible(&self, bound: usize) -> Vec<VisibleState> {
        self.reached.new_visible(bound)
    }

    fn new_sets(&self, bound: usize) -> Vec<(SharedId, Vec<Dfa>)> {
        self.reached.new_sets(bound)
    }

    fn is_finite(&self) -> bool {
        self.reached.is_finite()
    }

    fn visible_kinds(&self) -> usize {
        self.reached.visible_kinds()
    }

    fn stored(&self) -> (usize, usize) {
        (self.reached.states.len(), self.reached.bytes())
    }

    fn certificate(&self) -> Evidence {
        L::certify(&self.reached)
    }
}
