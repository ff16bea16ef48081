//! What one worker finds of the rows of a part.

use std::hint::black_box;

use super::{Ask, Made, Mark};
use crate::rows::Rows;
use crate::table::{Likely, Stretch, Vacant};
use crate::{Row, hash};

/// How many rows are looked up together.
pub(super) const TOGETHER: usize = 64;

/// What is found of the rows of a part, in their order.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// The rows.
    pub made: Made,
    pub new: Vec<New>,
    /// Which rows of the wave the new ones are.
    pub at: Vec<u32>,
    /// Rows that are equal to new ones, by their numbers among those.
    pub again: Vec<(u32, Mark)>,
    /// The rows about which the answer was yes, with their numbers.
    pub yes: Vec<(u32, Mark)>,
    /// Rows whose look-ups leave the slots of the part.
    pub beyond: Vec<(u128, Mark)>,
}

/// A row that is new.
#[derive(Clone, Copy, Debug)]
pub(super) struct New {
    pub row: u128,
    pub hash: u64,
    pub slot: Vacant,
    pub mark: Mark,
}

impl Looked {
    pub fn clear(&mut self) {
        self.made.clear();
        self.new.clear();
        self.at.clear();
        self.again.clear();
        self.yes.clear();
        self.beyond.clear();
    }

    /// Looks up rows of a part in a set of so many.
    pub fn look_up<R: Row>(
        &mut self,
        made: &[(R, Mark)],
        stretch: &mut Stretch<'_, u32>,
        (rows, count): (&Rows, usize),
        asked: &impl Ask,
    ) {
        let Looked { new, at, again, yes, beyond, .. } = self;
        let mut places = Places::default();
        for made in made.chunks(TOGETHER) {
            let near = |number| match number < count {
                true => rows.row(number) as u64 ^ u64::from(asked.expect(number as u32)),
                false => 0,
            };
            places.find(made, |hash| stretch.touch(hash), |hash| stretch.likely(hash), near);
            for ((hash, likely), &(row, mark)) in places.iter().zip(made) {
                let is = |number: usize| match number.checked_sub(count) {
                    None => R::of(rows.row(number)) == row,
                    Some(index) => R::of(new[index].row) == row,
                };
                match stretch.find_from(likely, hash, is) {
                    Some(Ok(number)) => match number.checked_sub(count) {
                        None if asked.ask(number as u32, mark.note) => {
                            yes.push((number as u32, mark));
                        }
                        None => {}
                        Some(index) => again.push((index as u32, mark)),
                    },
                    Some(Err(slot)) => {
                        stretch.fill(slot, hash, count + new.len());
                        at.push(mark.at);
                        new.push(New { row: row.whole(), hash, slot, mark });
                    }
                    None => beyond.push((row.whole(), mark)),
                }
            }
        }
    }

    /// The new rows have numbers, by their places in the wave: tells the slots, and asks about them.
    pub fn settle(
        &mut self,
        new: &[New],
        stretch: &mut Stretch<'_, u32>,
        number: impl Fn(u32) -> u32,
        asked: &impl Ask,
    ) {
        let Looked { again, yes, .. } = self;
        for &New { hash, slot, mark, .. } in new {
            let number = number(mark.at);
            stretch.fill(slot, hash, number as usize);
            if asked.ask(number, mark.note) {
                yes.push((number, mark));
            }
        }
        for &(index, mark) in &*again {
            let number = number(new[index as usize].mark.at);
            if asked.ask(number, mark.note) {
                yes.push((number, mark));
            }
        }
    }
}

/// Where the look-ups of a few rows compare first.
pub(super) struct Places {
    hashes: [u64; TOGETHER],
    likely: [Likely; TOGETHER],
}

impl Default for Places {
    fn default() -> Self {
        Places { hashes: [0; TOGETHER], likely: [Likely::default(); TOGETHER] }
    }
}

impl Places {
    /// Finds the places of rows. The memory that the look-ups need is asked for all at once, so that they wait for it together: slots with `touch`, and with `near` what belongs to the
    /// numbers that are probably found.
    #[inline]
    pub fn find<R: Row>(
        &mut self,
        made: &[(R, Mark)],
        touch: impl Fn(u64) -> u64,
        likely: impl Fn(u64) -> (Likely, Option<usize>),
        near: impl Fn(usize) -> u64,
    ) {
        let mut touched = 0;
        for (hash, (row, _)) in self.hashes.iter_mut().zip(made) {
            *hash = hash::of_row(row.whole());
            touched ^= touch(*hash);
        }
        black_box(touched);
        for (place, &hash) in self.likely.iter_mut().zip(&self.hashes[..made.len()]) {
            let (likely, number) = likely(hash);
            *place = likely;
            touched ^= number.map_or(0, &near);
        }
        black_box(touched);
    }

    pub fn iter(&self) -> impl Iterator<Item = (u64, Likely)> + '_ {
        self.hashes.iter().copied().zip(self.likely.iter().copied())
    }
}
