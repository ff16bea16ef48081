//! # What was reached
//! The states of an exploration, and what is seen of them, bound by bound. In which order threads
//! move, and which of them move within a bound, is the business of a [`super::Bookkeeping`].

use std::sync::Arc;

use selvedge_automata::Dfa;
use selvedge_model::{Property, SharedId, TemplateId, VisibleState};
use selvedge_store::{Bytes, Crew, Full, StateSet};

use super::space::{Entry, Space};
use super::target::Target;
use super::visible::{Glimpse, Visible};
use super::waves::FEW_STATES;
use super::{Classes, Locals, SystemRef};
use crate::{Bound, Budget, Stop};

/// What is seen at a bound. Numbers are without symmetry reduction; `None` is too large to count,
/// or infinite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The bound that was completed.
    pub bound: Bound,
    /// How many states are reached within the bound.
    pub states: Option<u128>,
    /// How many of them need exactly this bound.
    pub new_states: Option<u128>,
    /// How many visible states are reached within the bound.
    pub visible: Option<u128>,
    /// How many of them need exactly this bound.
    pub new_visible: Option<u128>,
    /// How many words of the explorer are new: 0 means that the sequence has collapsed.
    pub new_stored: usize,
}

/// The states that were reached.
pub struct Reached<'a, L> {
    pub(super) space: Space<'a, L>,
    pub(super) states: StateSet,
    /// The first state that is new at the current bound.
    pub(super) new_from: u32,
    /// The visible states. None while every state is as visible as it can be: then the states are
    /// the visible states.
    pub(super) visible: Option<Visible>,
    /// How many visible states each completed bound reaches.
    pub(super) visible_until: Vec<u32>,
    /// How many states each completed bound reaches.
    pub(super) states_until: Vec<u32>,
    pub(super) observations: Vec<Observation>,
    /// From this many states on, threads move in waves.
    pub(super) waves_from: u32,
    /// The workers, once there is enough to do for them.
    crew: Option<Arc<Crew>>,
}

impl<'a, L: Locals> Reached<'a, L> {
    /// Starts with the initial states.
    pub(super) fn new(
        system: impl Into<SystemRef<'a>>,
        locals: L,
        symmetry: bool,
    ) -> Result<Self, Stop> {
        let (space, initial) = Space::new(system.into(), locals, symmetry)?;
        let mut reached = Reached {
            space,
            states: StateSet::default(),
            new_from: 0,
            visible: None,
            visible_until: Vec::new(),
            states_until: Vec::new(),
            observations: Vec::new(),
            waves_from: FEW_STATES,
            crew: None,
        };
        for word in &initial {
            reached.states.insert(word)?;
        }
        Ok(reached)
    }

    /// The workers of this exploration.
    pub(super) fn crew(&mut self, budget: &Budget) -> Arc<Crew> {
        let crew = self.crew.get_or_insert_with(|| Arc::new(Crew::of(budget.crew)));
        Arc::clone(crew)
    }

    /// Forgets all states but some, and all that was seen.
    pub(super) fn keep(&mut self, keep: impl Fn(u32) -> bool) -> Result<(), Full> {
        let all = std::mem::take(&mut self.states);
        for number in (0..all.end()).filter(|&number| keep(number)) {
            self.states.insert(&all.get(number))?;
        }
        self.new_from = 0;
        self.visible = None;
        self.visible_until.clear();
        self.states_until.clear();
        self.observations.clear();
        Ok(())
    }

    /// The locals.
    #[must_use]
    pub fn locals(&self) -> &L {
        &self.space.locals
    }

    /// The locals, for another exploration.
    #[must_use]
    pub fn into_locals(self) -> L {
        self.space.locals
    }

    /// The shared states and locals of threads, with their templates, at which moves were asked
    /// for.
    pub fn heads(&self) -> impl Iterator<Item = (SharedId, TemplateId, u32)> {
        let template = |class| self.space.classes.template(class);
        self.space.heads().map(move |(shared, (class, local))| (shared, template(class), local))
    }

    /// How many states are stored.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The classes of the threads.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.space.classes
    }

    /// The states that were reached: the shared state, and how many threads there are of which
    /// class and local.
    pub fn states(&self) -> impl Iterator<Item = (SharedId, Vec<(Entry, u32)>)> {
        (0..self.states.end()).map(|number| {
            let word = self.states.get(number);
            (SharedId(word[0]), self.space.kinds(&word))
        })
    }

    /// The states that are new at a bound.
    pub(super) fn states_at(&self, bound: usize) -> std::ops::Range<u32> {
        let start = bound.checked_sub(1).map_or(0, |before| self.states_until[before]);
        start..self.states_until[bound]
    }

    fn visible_at(&self, bound: usize) -> std::ops::Range<u32> {
        let start = bound.checked_sub(1).map_or(0, |before| self.visible_until[before]);
        start..self.visible_until[bound]
    }

    /// The shared state of a visible state.
    fn visible_shared(&self, number: u32) -> u32 {
        match &self.visible {
            Some(visible) => visible.shared(number),
            None => self.states.first(number),
        }
    }

    /// The threads of a visible state, with how many there are of each.
    fn visible_threads(&self, number: u32) -> Vec<(Glimpse, u32)> {
        match &self.visible {
            Some(visible) => visible.threads(number),
            None => self.tops_of(&self.states.get(number)),
        }
    }

    /// The threads of a state, each with one of its tops, and how many there are of each.
    pub(super) fn tops_of(&self, word: &[u32]) -> Vec<(Glimpse, u32)> {
        let kinds = self.space.kinds(word).into_iter();
        let top = |local| self.space.locals.tops(local).first().copied().flatten();
        kinds.map(|((class, local), count)| ((class, top(local)), count)).collect()
    }

    /// One of the visible states that a stored one stands for.
    fn arrange(&self, number: u32) -> VisibleState {
        self.arranged(self.visible_shared(number), self.visible_threads(number))
    }

    /// A visible state with these threads.
    fn arranged(&self, shared: u32, mut threads: Vec<(Glimpse, u32)>) -> VisibleState {
        let mut take = |class: u32| {
            let wanted = |((c, _), count): &&mut (Glimpse, u32)| *c == class && *count > 0;
            let (seen, count) = threads.iter_mut().find(wanted)?;
            *count -= 1;
            Some(seen.1)
        };
        let first = self.space.system.threads().len();
        let mut tops: Vec<_> =
            (0..first).filter_map(|thread| take(self.space.classes.of_thread(thread))).collect();
        for ((_, top), count) in threads {
            tops.extend(std::iter::repeat_n(top, count as usize));
        }
        VisibleState { shared: SharedId(shared), tops }
    }

    /// How many threads there are at most in a state.
    pub(super) fn largest(&self) -> usize {
        let threads = |number| self.space.layout.threads(&self.states.get(number));
        (0..self.states.end()).map(threads).max().unwrap_or(0)
    }

    /// See [`super::Explorer::violation`].
    pub(super) fn violation(
        &self,
        bound: usize,
        properties: &[Property],
    ) -> Result<Option<(usize, VisibleState)>, Stop> {
        let classes = &self.space.classes;
        let mut targets: Vec<_> = properties.iter().map(|p| Target::new(p, classes)).collect();
        for number in self.visible_at(bound) {
            let see = || self.visible_threads(number);
            if let Some(hit) = self.space.hit(&mut targets, self.visible_shared(number), see)? {
                return Ok(Some((hit, self.arrange(number))));
            }
        }
        if targets.iter().any(Target::names_stacks) {
            for number in self.states_at(bound) {
                let word = self.states.get(number);
                if let Some(hit) = self.space.hit_stacks(&targets, &word) {
                    return Ok(Some((hit, self.arranged(word[0], self.tops_of(&word)))));
                }
            }
        }
        Ok(None)
    }

    /// The visible states that are new at a bound, one for each permutation.
    pub(super) fn new_visible(&self, bound: usize) -> Vec<VisibleState> {
        self.visible_at(bound).map(|number| self.arrange(number)).collect()
    }

    /// The states that are new at a bound, with sets of stacks, one for each permutation.
    pub(super) fn new_sets(&self, bound: usize) -> Vec<(SharedId, Vec<Dfa>)> {
        let sets = |number| {
            let word = self.states.get(number);
            let mut kinds = self.space.kinds(&word);
            let mut take = |class: u32| {
                let wanted = |((c, _), count): &&mut (Entry, u32)| *c == class && *count > 0;
                let (entry, count) = kinds.iter_mut().find(wanted)?;
                *count -= 1;
                Some(entry.1)
            };
            let first = self.space.system.threads().len();
            let threads = (0..first).filter_map(|t| take(self.space.classes.of_thread(t)));
            let mut locals: Vec<u32> = threads.collect();
            for ((_, local), count) in kinds {
                locals.extend(std::iter::repeat_n(local, count as usize));
            }
            let stacks = locals.into_iter().map(|local| self.space.locals.stacks(local));
            (SharedId(word[0]), stacks.collect())
        };
        self.states_at(bound).map(sets).collect()
    }

    /// Whether all locals of the states stand for finitely many stacks.
    pub(super) fn is_finite(&self) -> bool {
        (0..self.states.end()).all(|number| {
            let kinds = self.space.kinds(&self.states.get(number));
            kinds.into_iter().all(|((_, local), _)| self.space.locals.is_finite(local))
        })
    }

    /// How many visible states were reached, up to permutations.
    pub(super) fn visible_kinds(&self) -> usize {
        self.visible_until.last().map_or(0, |&end| end as usize)
    }
}

impl<L> Bytes for Reached<'_, L> {
    fn bytes(&self) -> usize {
        selvedge_store::total(&[&self.space, &self.states, &self.visible])
    }
}
