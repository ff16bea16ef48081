//! # What is seen at a bound
//! Looks once at each state that is new: how many states it stands for, and what is visible of it.

use std::ops::Range;
use std::sync::Arc;

use selvedge_store::{Crew, Row};

use super::Locals;
use super::reached::{Observation, Reached};
use super::space::Entry;
use super::visible::Visible;
use super::waves::FEW_STATES;
use crate::{Bound, Budget, Stop};

/// How many states are looked at between two looks at the budget.
const STATES_PER_CHECK: usize = 4096;

/// How many states are looked at together with all workers, between two looks at the budget.
const STATES_PER_WAVE: u32 = 1 << 19;

/// How many threads of states are looked at between two looks at the time.
const ENTRIES_PER_LOOK: u32 = 1 << 18;

impl<L: Locals> Reached<'_, L> {
    /// Counts what is new at this bound.
    pub(super) fn observe(&mut self, bound: Bound, budget: &Budget) -> Result<(), Stop> {
        let new = self.new_from..self.states.end();
        // Few states are not worth waking anybody.
        let are_many = new.len() >= FEW_STATES as usize;
        let crew = if are_many { self.crew(budget) } else { Arc::default() };
        if self.visible.is_none() && !self.space.locals.are_visible() {
            // Until now every state was visible as it is, so no set of visible states was kept.
            self.visible = Some(Visible::new(self.space.layout.clone()));
            if let Err(stop) = self.see(0..self.new_from, budget) {
                self.visible = None;
                return Err(stop);
            }
        }
        let new_states = match L::WHOLE_CONTEXTS {
            true => None,
            false => self.count_states(new.clone(), &crew, budget)?,
        };
        let mut new_visible = new_states;
        if self.visible.is_some() {
            let first = self.visible_until.last().copied().unwrap_or(0);
            self.see(new.clone(), budget)?;
            let visible = self.visible.as_ref();
            new_visible = visible.and_then(|visible| visible.weight(first..visible.end(), &crew));
        }
        self.states_until.push(new.end);
        self.visible_until.push(self.visible.as_ref().map_or(new.end, Visible::end));
        let sum = |a: Option<u128>, b: Option<u128>| a?.checked_add(b?);
        let last = self.observations.last();
        self.observations.push(Observation {
            bound,
            states: sum(last.map_or(Some(0), |o| o.states), new_states),
            new_states,
            visible: sum(last.map_or(Some(0), |o| o.visible), new_visible),
            new_visible,
            new_stored: new.len(),
        });
        Ok(())
    }

    /// Counts the states that these words stand for; `None` if the count does not fit.
    pub(super) fn count_states(
        &self,
        numbers: Range<u32>,
        crew: &Crew,
        budget: &Budget,
    ) -> Result<Option<u128>, Stop> {
        if self.space.classes.are_single() {
            return Ok(Some(numbers.len() as u128));
        }
        let class = |entry| self.space.entry(entry).0;
        let at_once = self.states_at_once(&numbers).saturating_mul(crew.workers() as u32);
        let (mut total, mut next) = (0_u128, numbers.start);
        while next < numbers.end {
            budget.look()?;
            let end = next.saturating_add(at_once).min(numbers.end);
            let some = self.space.layout.arrangements_of(&self.states, next..end, class, crew);
            let Some(sum) = some.and_then(|some| total.checked_add(some)) else { return Ok(None) };
            (total, next) = (sum, end);
        }
        Ok(Some(total))
    }

    /// How many of these states are looked at between two looks at the time: few if they are long.
    fn states_at_once(&self, numbers: &Range<u32>) -> u32 {
        let mut word = Vec::new();
        if !numbers.is_empty() {
            self.states.read(numbers.start, &mut word);
        }
        let length = u32::try_from(word.len()).unwrap_or(u32::MAX);
        (ENTRIES_PER_LOOK / length.max(1)).max(1)
    }

    /// Adds what is visible of these states with all workers, as far as that can be done; the others are left.
    fn see_together(
        &mut self,
        mut numbers: Range<u32>,
        budget: &Budget,
    ) -> Result<Range<u32>, Stop> {
        let least = self.waves_from.max(1);
        while !L::WHOLE_CONTEXTS && numbers.len() as u32 >= least {
            let some =
                numbers.start..numbers.end.min(numbers.start.saturating_add(STATES_PER_WAVE));
            let crew = self.crew(budget);
            let Reached { visible: Some(visible), states, space, .. } = self else { break };
            // Rows are packed into columns that were made before: nobody knows how wide those have to be where threads are started.
            let Some(largest) = &space.largest else { break };
            visible.expect_shared(largest[0]);
            let top = |entry| space.top(entry);
            let entries = (space.entry_count(), &space.classes);
            if !visible.add_wave(states, some.clone(), entries, &crew, top)? {
                break;
            }
            numbers.start = some.end;
            for _ in 0..some.len() / STATES_PER_CHECK {
                budget.check()?;
            }
        }
        Ok(numbers)
    }

    /// Adds what is visible of these states.
    pub(super) fn see(&mut self, numbers: Range<u32>, budget: &Budget) -> Result<(), Stop> {
        let numbers = self.see_together(numbers, budget)?;
        // A power of two: a division for every state would be noticed.
        let at_once = self.states_at_once(&numbers).next_power_of_two();
        let Reached { visible: Some(visible), states, space, .. } = self else { return Ok(()) };
        visible.expect_shared(space.largest.as_ref().map_or(0, |most| most[0]));
        let mut word = Vec::new();
        for number in numbers {
            if number & (at_once - 1) == 0 {
                budget.look()?;
            }
            if (number as usize).is_multiple_of(STATES_PER_CHECK) {
                budget.check()?;
            }
            if !L::WHOLE_CONTEXTS {
                let top = |entry| space.top(entry);
                match states.narrow() {
                    Some(columns) if columns.bits() <= 64 => {
                        visible.add_row(columns.list(), u64::of(states.row(number)), top)?;
                    }
                    Some(columns) => visible.add_row(columns.list(), states.row(number), top)?,
                    None => {
                        states.read(number, &mut word);
                        visible.add_tops(&mut word, top)?;
                    }
                }
                continue;
            }
            states.read(number, &mut word);
            let seen = |((class, local), count): (Entry, u32)| {
                let tops = space.locals.tops(local).into_iter();
                (tops.map(|top| (class, top)).collect(), count)
            };
            let threads: Vec<_> = space.kinds(&word).into_iter().map(seen).collect();
            visible.add(word[0], &threads)?;
        }
        visible.flush()?;
        Ok(())
    }
}
