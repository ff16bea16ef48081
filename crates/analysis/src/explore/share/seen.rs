//! # What is seen of a share
//! Different states may look alike, and belong to different workers. So visible states have owners as well: each worker says what is visible of its states to those
//! owners, who count it once. While every stack is its top, the visible states are the states, and nothing is said.

use std::ops::Range;

use selvedge_model::Property;
use selvedge_store::hash;

use super::super::Locals;
use super::super::visible::Visible;
use super::super::words::Layout;
use super::wire::{self, Kind, garbled};
use super::{Share, Task};
use crate::{Budget, Stop};

/// How many visible states are remembered that were told a moment ago.
const REMEMBERED: usize = 1 << 12;

/// What one worker sees at a bound.
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
    pub fn largest(&self) -> usize {
        self.reached.largest()
    }

    /// Whether states were not followed because they have too many threads.
    #[must_use]
    pub fn has_left_out(&self) -> bool {
        self.reached.space.has_left_out()
    }

    /// Begins to tell what is visible of the states before this bound, or of those that are new.
    pub fn show(&mut self, earlier: bool) {
        let layout = &self.reached.space.layout;
        self.reached.visible.get_or_insert_with(|| Visible::new(layout.clone()));
        let new_from = self.reached.new_from;
        self.task = Task::See(match earlier {
            true => 0..new_from,
            false => new_from..self.reached.states.end(),
        });
    }

    /// Notes that what was told so far was seen before.
    pub fn have_shown(&mut self) {
        if let (Some(visible), Some(last)) =
            (&self.reached.visible, self.reached.visible_until.last_mut())
        {
            *last = visible.end();
        }
    }

    pub(super) fn see(
        &mut self,
        states: Range<u32>,
        portion: usize,
        budget: &Budget,
    ) -> Result<Range<u32>, Stop> {
        budget.look()?;
        let Some(mut visible) = self.reached.visible.take() else { return Err(garbled()) };
        let end = states.end.min(states.start.saturating_add(portion as u32));
        let mut recent: Vec<Vec<u32>> = vec![Vec::new(); REMEMBERED];
        let mut word = Vec::new();
        let mut result = Ok(end..states.end);
        for number in states.start..end {
            self.reached.states.read(number, &mut word);
            result = self.show_word(&mut visible, &word, &mut recent).and(result);
        }
        self.reached.visible = Some(visible);
        result
    }

    fn show_word(
        &mut self,
        visible: &mut Visible,
        word: &[u32],
        recent: &mut [Vec<u32>],
    ) -> Result<(), Stop> {
        let Share { reached, names, index, .. } = self;
        let space = &reached.space;
        let mut tops = Vec::with_capacity(word.len());
        for (entry, count) in space.layout.entries(word) {
            let (class, local) = space.entry(entry);
            let top = space.locals.tops(local).first().copied().flatten();
            tops.extend(std::iter::repeat_n(visible.glimpse((class, top))?, count as usize));
        }
        let word = visible.layout().word(word[0], tops);
        let place = hash::of_word(&word) as usize % recent.len();
        if recent[place] == word {
            return Ok(());
        }
        let shared = word[0];
        let mut sum =
            names.hash(Kind::Shared, shared, |out| wire::write_shared(&*space.system, shared, out));
        for (seen, count) in visible.layout().entries(&word) {
            let hash = names.hash(Kind::Glimpse, seen, |out| {
                wire::write_glimpse(space, visible.seen(seen), out);
            });
            sum = sum.wrapping_add(hash.wrapping_mul(u64::from(count)));
        }
        let to = names.owner(sum);
        if to == *index {
            visible.insert(&word)?;
        } else {
            names.tell(to, Kind::Shared, shared, |out| {
                wire::write_shared(&*space.system, shared, out);
            });
            names.tell_number(to, (word.len() - 1) as u32);
            let is_counted = matches!(visible.layout(), Layout::Counted);
            for (at, &number) in word[1..].iter().enumerate() {
                if is_counted && at % 2 == 1 {
                    names.tell_number(to, number);
                } else {
                    names.tell(to, Kind::Glimpse, number, |out| {
                        wire::write_glimpse(space, visible.seen(number), out);
                    });
                }
            }
            names.end(to);
        }
        recent[place] = word;
        Ok(())
    }

    pub(super) fn receive_visible(&mut self, from: usize, mut items: &[u8]) -> Result<(), Stop> {
        let Share { reached, names, .. } = self;
        let visible = reached.visible.as_mut().ok_or_else(garbled)?;
        let rest = &mut items;
        while !rest.is_empty() {
            let shared = names.heard(from, Kind::Shared, rest)?;
            let length = wire::read(rest)? as usize;
            let mut tops = Vec::new();
            let is_counted = matches!(visible.layout(), Layout::Counted);
            let mut left = length;
            while left > 0 {
                let seen = names.heard(from, Kind::Glimpse, rest)?;
                let count = if is_counted { wire::read(rest)? as usize } else { 1 };
                tops.extend(std::iter::repeat_n(seen, count));
                left = left.checked_sub(1 + usize::from(is_counted)).ok_or_else(garbled)?;
            }
            visible.insert(&visible.layout().word(shared, tops))?;
        }
        Ok(())
    }

    /// Counts what is new at this bound, and looks for a violation, once all has been told.
    pub fn notice(&mut self, properties: &[Property], budget: &Budget) -> Result<Noticed, Stop> {
        let reached = &mut self.reached;
        let new = reached.new_from..reached.states.end();
        let new_states = reached.count_states(new.clone(), budget)?;
        let first = reached.visible_until.last().copied().unwrap_or(0);
        let new_visible = match &reached.visible {
            Some(visible) => visible.weight(first..visible.end()),
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
