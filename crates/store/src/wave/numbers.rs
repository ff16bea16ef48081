//! The numbers of rows that are new, in the order of their wave.

use super::Ask;
use super::looked::{Looked, New};
use crate::Crew;
use crate::set::StateSet;
use crate::table::{Division, Stretch};

/// Some rows of a wave, to be taken in their order, and how many there are.
#[derive(Debug, Default)]
pub(super) struct Order {
    bits: Vec<u64>,
    /// How many come before the rows of each word of bits.
    before: Vec<u32>,
    all: usize,
    /// The rows of each piece that are new.
    sorted: Vec<Vec<u128>>,
}

impl Order {
    /// Forgets all rows of a wave that has so many.
    pub fn clear(&mut self, rows: usize) {
        self.bits.clear();
        self.bits.resize(rows.div_ceil(64), 0);
    }

    #[inline]
    pub fn set(&mut self, at: u32) {
        self.bits[at as usize / 64] |= 1 << (at % 64);
    }

    /// Counts the rows; says how many there are.
    pub fn count(&mut self) -> usize {
        self.before.clear();
        let mut before = 0;
        for word in &self.bits {
            self.before.push(before);
            before += word.count_ones();
        }
        self.all = before as usize;
        self.all
    }

    /// How many of the rows come before one.
    #[inline]
    pub fn rank(&self, at: u32) -> usize {
        let (word, below) = (at as usize / 64, (1u64 << (at % 64)) - 1);
        self.before[word] as usize + (self.bits[word] & below).count_ones() as usize
    }

    /// How many of the rows come before one, which may be the one after the last.
    fn rank_before(&self, at: u32) -> usize {
        if at as usize / 64 < self.bits.len() { self.rank(at) } else { self.all }
    }
}

/// What is left to do when it is known which rows are new.
enum Numbering<'w> {
    /// Tells the slots of a part.
    Settle { stretch: Stretch<'w, u32>, looked: &'w mut Looked, new: &'w [New] },
    /// Puts the new rows from one row of the wave to another in order.
    Sort { start: u32, end: u32, to: &'w mut Vec<u128> },
}

impl StateSet {
    /// Gives numbers to all new rows, in the order of the wave: tells the slots, asks about them, and adds the rows. The last part is of rows that are at slots of others; pieces end
    /// with these rows.
    pub(super) fn give_numbers(
        &mut self,
        (order, looked): (&mut Order, &mut [Looked]),
        ends: &[u32],
        (crew, division): (&Crew, Division),
        (asked, first): (&impl Ask, u32),
    ) {
        let Some(&more) = ends.last() else { return };
        order.clear(more as usize);
        looked.iter().flat_map(|looked| &looked.at).for_each(|&at| order.set(at));
        order.count();
        let new: Vec<Vec<New>> =
            looked.iter_mut().map(|looked| std::mem::take(&mut looked.new)).collect();
        let mut sorted = std::mem::take(&mut order.sorted);
        sorted.resize_with(ends.len(), Vec::new);
        let order_of = &*order;
        let number = |at: u32| first + order_of.rank(at) as u32;
        // One worker tells the slots of a part, or puts the rows of a piece in order.
        let starts = std::iter::once(&0).chain(ends);
        let sort = starts.zip(ends).zip(&mut sorted).map(|((&start, &end), to)| Numbering::Sort {
            start,
            end,
            to,
        });
        let stretches = self.table.stretches(division).into_iter();
        let (inside, late) = looked.split_at_mut(division.parts());
        let settle = stretches
            .zip(inside)
            .zip(&new)
            .map(|((stretch, looked), new)| Numbering::Settle { stretch, looked, new });
        crew.each(settle.chain(sort).collect(), |numbering| match numbering {
            Numbering::Settle { mut stretch, looked: to, new } => {
                let mut looked = std::mem::take(to);
                looked.settle(new, &mut stretch, number, asked);
                *to = looked;
            }
            Numbering::Sort { start, end, to } => {
                let mut rows = std::mem::take(to);
                rows.clear();
                let before = order_of.rank_before(start);
                rows.resize(order_of.rank_before(end) - before, 0);
                for new in &new {
                    let begin = new.partition_point(|new| new.mark.at < start);
                    for new in new[begin..].iter().take_while(|new| new.mark.at < end) {
                        rows[order_of.rank(new.mark.at) - before] = new.row;
                    }
                }
                *to = rows;
            }
        });
        let whole = &mut self.table.stretches(Division::whole(&self.table));
        if let (Some(whole), [late]) = (whole.first_mut(), late) {
            late.settle(new.last().map_or(&[], |new| &new[..]), whole, number, asked);
        }
        sorted.iter().flatten().for_each(|&row| self.rows.push_row(row));
        for (looked, new) in looked.iter_mut().zip(new) {
            looked.new = new;
        }
        order.sorted = sorted;
    }
}
