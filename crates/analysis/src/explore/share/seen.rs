//! # What is seen of a share
//! States that look alike belong to the same worker, whatever lies below the tops of their stacks ([`super::split`]). So each worker looks at its own states, and what it sees is
//! counted by no other one. While every stack is its top, the visible states are the states.

use selvedge_model::Property;
use selvedge_store::Crew;

use super::super::Locals;
use super::super::reached::Reached;
use super::super::visible::Visible;
use super::{Share, Task};
use crate::{Budget, Stop};

/// The counts of one worker at a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noticed {
    /// How many words are new.
    pub new_stored: usize,
    /// How many states they stand for.
    pub new_states: Option<u128>,
    /// How many visible states are new, of those that this worker counts.
    pub new_visible: Option<u128>,
    /// The first property that one of them breaks.
    pub broken: Option<usize>,
}

impl Share<'_> {
    /// Whether all that is known of each thread can be seen, as far as this worker knows.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.reached.visible.is_none() && self.reached.space.locals.are_visible()
    }

    /// The largest number of threads of a state.
    #[must_use]
    pub fn largest(&mut self) -> usize {
        let Reached { space, states, .. } = &self.reached;
        let (most, until) = &mut self.largest;
        // Where no threads are started, all states have as many.
        let numbers = match space.largest {
            Some(_) => 0..states.end().min(1),
            None => *until..states.end(),
        };
        for number in numbers {
            *most = space.layout.threads(&states.get(number)).max(*most);
        }
        *until = states.end();
        *most
    }

    /// Whether states were not followed because they have too many threads.
    #[must_use]
    pub fn has_left_out(&self) -> bool {
        self.reached.space.has_left_out()
    }

    /// Looks at what is visible of the states before this bound, or of those that are new.
    pub fn show(&mut self, earlier: bool, budget: &Budget) -> Result<(), Stop> {
        let layout = &self.reached.space.layout;
        self.reached.visible.get_or_insert_with(|| Visible::new(layout.clone()));
        let new_from = self.reached.new_from;
        let states = match earlier {
            true => 0..new_from,
            false => new_from..self.reached.states.end(),
        };
        self.reached.see(states, budget)?;
        if earlier {
            self.have_shown();
        }
        Ok(())
    }

    /// Notes that what was looked at so far was seen before.
    fn have_shown(&mut self) {
        if let (Some(visible), Some(last)) =
            (&self.reached.visible, self.reached.visible_until.last_mut())
        {
            *last = visible.end();
        }
    }

    /// Counts what is new at this bound, and looks for a violation, once all has been told.
    pub fn notice(&mut self, properties: &[Property], budget: &Budget) -> Result<Noticed, Stop> {
        let reached = &mut self.reached;
        let new = reached.new_from..reached.states.end();
        // Each process is one worker.
        let alone = Crew::default();
        let new_states = reached.count_states(new.clone(), &alone, budget)?;
        let first = reached.visible_until.last().copied().unwrap_or(0);
        let new_visible = match &reached.visible {
            Some(visible) => visible.weight(first..visible.end(), &alone),
            None => new_states,
        };
        reached.states_until.push(new.end);
        reached.visible_until.push(reached.visible.as_ref().map_or(new.end, Visible::end));
        let bound = reached.states_until.len() - 1;
        let broken = reached.violation(bound, properties)?.map(|(property, _)| property);
        self.task = Task::Explore;
        Ok(Noticed { new_stored: new.len(), new_states, new_visible, broken })
    }
}
