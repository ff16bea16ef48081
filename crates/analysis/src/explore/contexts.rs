//! # Contexts
//!
//! **Question.** Which states do at most k contexts reach, and what is new at each k?
//!
//! **Idea.** Bound by bound. A state that is new at bound k was reached in the contexts of some of
//! its threads; those go on within the bound. At bound k + 1 all the others have their turn. So
//! every thread moves from every state exactly once, at the first bound that allows it, and only
//! states that were new at the last bound are looked at again.
//!
//! **Claim.** After k calls of [`ContextExplorer::advance`], the states are R_k exactly
//! [CUBA, Sec. 2.3]; with [`super::languages`] they are the aggregate configurations of Qadeer and
//! Rehof, whose union is R_k [Thm. 3]. If nothing is new at a bound, nothing is new at any later
//! one [CUBA, Lemma 7]; for sets of stacks too, since a bound depends only on what was new before.
//!
//! **Needs.** With [`super::stacks`]: each context reaches finitely many states, or the run ends
//! by its budget.

use selvedge_evidence::Evidence;
use selvedge_model::{Property, SharedId, System, TemplateId, VisibleState};

use super::classes::arrangements;
use super::moved::Moved;
use super::space::{Entry, Space};
use super::target::Target;
use super::visible::{Seen, Visible};
use super::{Batch, Classes, Explorer, Locals, StateSet};
use crate::{Budget, Stop};

/// What is seen at a bound. Numbers are without symmetry reduction; `None` is too large to count,
/// or infinite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The number of contexts.
    pub contexts: usize,
    /// How many states at most this many contexts reach.
    pub states: Option<u128>,
    /// How many of them need exactly this many.
    pub new_states: Option<u128>,
    /// How many visible states at most this many contexts reach.
    pub visible: Option<u128>,
    /// How many of them need exactly this many.
    pub new_visible: Option<u128>,
    /// How many words of the explorer are new: 0 means that the sequence has collapsed.
    pub new_stored: usize,
}

/// Explores context by context.
pub struct ContextExplorer<'a, L> {
    space: Space<'a, L>,
    states: StateSet,
    /// The first state that is new at the current bound.
    new_from: u32,
    /// Which threads of the new states have moved already.
    moved: Moved,
    /// The visible states. None while every state is as visible as it can be: then the states are
    /// the visible states.
    visible: Option<Visible>,
    /// How many visible states each completed bound reaches.
    visible_until: Vec<u32>,
    observations: Vec<Observation>,
}

/// How many threads move together.
const THREADS_PER_BATCH: usize = 32;

/// How many batches are done between two looks at the budget.
const BATCHES_PER_CHECK: usize = 256;

/// How many states are looked at between two looks at the budget.
const STATES_PER_CHECK: usize = 4096;

/// What making moves needs for a moment, kept for its memory.
#[derive(Default)]
struct Scratch {
    word: Vec<u32>,
    next: Vec<u32>,
    batch: Batch,
    /// The entry of the thread that moved, for each word of the batch.
    moved: Vec<u32>,
}

impl<'a, L: Locals> ContextExplorer<'a, L> {
    /// Starts at bound 0: the initial states.
    pub fn new(system: &'a dyn System, locals: L, symmetry: bool) -> Result<Self, Stop> {
        let (space, initial) = Space::new(system, locals, symmetry)?;
        let mut explorer = ContextExplorer {
            space,
            states: StateSet::default(),
            new_from: 0,
            moved: Moved::default(),
            visible: None,
            visible_until: Vec::new(),
            observations: Vec::new(),
        };
        for word in &initial {
            explorer.states.insert(word);
        }
        explorer.observe(&Budget::default())?;
        Ok(explorer)
    }

    /// Does not follow states with more threads than this, if there is a limit.
    #[must_use]
    pub fn with_at_most_threads(mut self, most: Option<usize>) -> Self {
        self.space.most_threads = most;
        self
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

    /// The classes of the threads.
    #[must_use]
    pub fn classes(&self) -> &Classes {
        &self.space.classes
    }

    /// The states that were reached: the shared state, and how many threads there are of which
    /// class and local.
    pub fn states(&self) -> impl Iterator<Item = (SharedId, Vec<(Entry, u32)>)> {
        (0..self.states.len() as u32).map(|number| {
            let word = self.states.get(number);
            (SharedId(word[0]), self.space.kinds(word))
        })
    }

    fn visible_at(&self, bound: usize) -> std::ops::Range<u32> {
        let start = bound.checked_sub(1).map_or(0, |before| self.visible_until[before]);
        start..self.visible_until[bound]
    }

    /// The shared state of a visible state.
    fn visible_shared(&self, number: u32) -> u32 {
        match &self.visible {
            Some(visible) => visible.shared(number),
            None => self.states.get(number)[0],
        }
    }

    /// The threads of a visible state, with how many there are of each.
    fn visible_threads(&self, number: u32) -> Vec<(Seen, u32)> {
        match &self.visible {
            Some(visible) => visible.threads(number),
            None => {
                let kinds = self.space.kinds(self.states.get(number)).into_iter();
                let top = |local| self.space.locals.tops(local).first().copied().flatten();
                kinds.map(|((class, local), count)| ((class, top(local)), count)).collect()
            }
        }
    }

    /// One of the visible states that a stored one stands for.
    fn arrange(&self, number: u32) -> VisibleState {
        let mut threads = self.visible_threads(number);
        let mut take = |class: u32| {
            let wanted = |((c, _), count): &&mut (Seen, u32)| *c == class && *count > 0;
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
        VisibleState { shared: SharedId(self.visible_shared(number)), tops }
    }

    /// Makes all moves of some threads of some states.
    fn move_threads(
        &mut self,
        threads: &[(u32, u32)],
        scratch: &mut Scratch,
        work: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        let Scratch { word, next, batch, moved } = scratch;
        batch.clear();
        moved.clear();
        for &(state, position) in threads {
            word.clear();
            word.extend_from_slice(self.states.get(state));
            let entry = self.space.layout.entries(word).nth(position as usize);
            let Some((from, _)) = entry else { continue };
            let (start, end) = self.space.moves_of(word[0], from)?;
            for index in start..end {
                if let Some(entry) = self.space.step(word, from, index, next) {
                    batch.push(next);
                    moved.push(entry);
                }
            }
        }
        let Self { states, space, moved: all_moved, new_from, .. } = self;
        states.insert_all(batch, |index, number| {
            let Some(new) = number.checked_sub(*new_from) else {
                return; // all threads move from there at this bound at the latest
            };
            let position = space.layout.position(batch.get(index), moved[index]);
            if all_moved.set(new, position) && !L::WHOLE_CONTEXTS {
                work.push((number, position));
            }
        });
        Ok(())
    }

    /// Counts what is new at this bound.
    fn observe(&mut self, budget: &Budget) -> Result<(), Stop> {
        let new = self.new_from..self.states.len() as u32;
        if self.visible.is_none() && !self.space.locals.are_visible() {
            // So far the visible states were the states.
            self.visible = Some(Visible::new(self.space.layout));
            self.see(0..self.new_from, &Budget::default())?;
        }
        let first_visible = self.visible_until.last().copied().unwrap_or(0);
        let new_states = if L::WHOLE_CONTEXTS { None } else { self.count_states(new.clone()) };
        let new_visible = if self.visible.is_some() {
            self.see(new.clone(), budget)?;
            self.visible.as_ref().and_then(|visible| {
                let mut numbers = first_visible..visible.len();
                numbers.try_fold(0, |total, number| sum(Some(total), visible.weight(number)))
            })
        } else {
            self.count_states(new.clone())
        };
        self.visible_until.push(self.visible.as_ref().map_or(new.end, Visible::len));
        let last = self.observations.last();
        self.observations.push(Observation {
            contexts: self.observations.len(),
            states: sum(last.map_or(Some(0), |o| o.states), new_states),
            new_states,
            visible: sum(last.map_or(Some(0), |o| o.visible), new_visible),
            new_visible,
            new_stored: new.len(),
        });
        Ok(())
    }

    /// How many states these stand for.
    fn count_states(&self, numbers: std::ops::Range<u32>) -> Option<u128> {
        if self.space.classes.are_single() {
            return Some(numbers.len() as u128);
        }
        numbers.into_iter().try_fold(0, |total, number| {
            let entries = self.space.layout.entries(self.states.get(number));
            let kinds = entries.map(|(entry, count)| (self.space.entry(entry).0, count));
            sum(Some(total), arrangements(kinds))
        })
    }

    /// Adds what is visible of these states.
    fn see(&mut self, numbers: std::ops::Range<u32>, budget: &Budget) -> Result<(), Stop> {
        let Some(visible) = &mut self.visible else { return Ok(()) };
        for number in numbers {
            if (number as usize).is_multiple_of(STATES_PER_CHECK) {
                budget.check()?;
            }
            let word = self.states.get(number);
            let seen = |((class, local), count): (Entry, u32)| {
                let tops = self.space.locals.tops(local).into_iter();
                (tops.map(|top| (class, top)).collect(), count)
            };
            let threads: Vec<_> = self.space.kinds(word).into_iter().map(seen).collect();
            visible.add(word[0], &threads);
        }
        Ok(())
    }
}

impl<L: Locals> Explorer for ContextExplorer<'_, L> {
    fn name(&self) -> &'static str {
        L::ENGINE
    }

    fn advance(&mut self, budget: &Budget) -> Result<&Observation, Stop> {
        let frontier = self.new_from..self.states.len() as u32;
        let before = std::mem::take(&mut self.moved);
        self.new_from = frontier.end;
        let mut scratch = Scratch::default();
        let mut work: Vec<(u32, u32)> = Vec::new();
        let mut until_check = BATCHES_PER_CHECK;
        let mut waiting = frontier.clone();
        loop {
            while work.len() < THREADS_PER_BATCH
                && let Some(state) = waiting.next()
            {
                let kinds = self.space.layout.entries(self.states.get(state)).count() as u32;
                let unmoved = |&position: &u32| !before.has(state - frontier.start, position);
                work.extend((0..kinds).filter(unmoved).map(|position| (state, position)));
            }
            if work.is_empty() {
                break;
            }
            let batch = work.split_off(work.len().saturating_sub(THREADS_PER_BATCH));
            self.move_threads(&batch, &mut scratch, &mut work)?;
            until_check -= 1;
            if until_check == 0 {
                budget.check()?;
                until_check = BATCHES_PER_CHECK;
            }
        }
        budget.check()?;
        self.observe(budget)?;
        Ok(&self.observations[self.observations.len() - 1])
    }

    fn observations(&self) -> &[Observation] {
        &self.observations
    }

    fn has_left_out(&self) -> bool {
        self.space.has_left_out()
    }

    fn largest(&self) -> usize {
        let threads = |word| self.space.layout.entries(word).map(|(_, count)| count as usize).sum();
        (0..self.states.len() as u32).map(|n| threads(self.states.get(n))).max().unwrap_or(0)
    }

    fn violation(&self, bound: usize, properties: &[Property]) -> Option<(usize, VisibleState)> {
        let Space { system, classes, .. } = &self.space;
        let mut targets: Vec<_> = properties.iter().map(|p| Target::new(p, classes)).collect();
        self.visible_at(bound).find_map(|number| {
            let shared = self.visible_shared(number);
            if !targets.iter_mut().any(|target| target.may_be_hit(*system, shared)) {
                return None;
            }
            let threads = self.visible_threads(number);
            let hit = |target: &mut Target| {
                target.may_be_hit(*system, shared) && target.is_hit(classes, &threads)
            };
            Some((targets.iter_mut().position(hit)?, self.arrange(number)))
        })
    }

    fn new_visible(&self, bound: usize) -> Vec<VisibleState> {
        self.visible_at(bound).map(|number| self.arrange(number)).collect()
    }

    fn visible_kinds(&self) -> usize {
        self.visible_until.last().map_or(0, |&end| end as usize)
    }

    fn stored(&self) -> (usize, usize) {
        (self.states.len(), self.states.bytes())
    }

    fn certificate(&self) -> Evidence {
        L::certify(self)
    }
}

fn sum(a: Option<u128>, b: Option<u128>) -> Option<u128> {
    a?.checked_add(b?)
}
