//! # Where numbers are found
//! A hash table of numbers; what they are numbers of is elsewhere. A slot has as many bits as a
//! number may have: the number takes no more of them than the table has slots, and a part of the
//! hash has those that are left. So a look-up touches the table once, and what it looks for
//! only where that is probably found.

use std::hint::black_box;
use std::marker::PhantomData;

use crate::{Bytes, Crew, Slot};

/// A hash table of numbers; what they stand for is kept elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Table<S> {
    /// A power of two of slots, at most seven eighths full: the lower bits of a slot, as many as
    /// the position of a slot has, are the number plus one, the upper bits those of the hash; 0 is
    /// an empty slot.
    slots: Vec<S>,
}

/// An empty slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacant(usize);

/// The first slot that is empty or has this part of a hash.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Likely(pub usize);

const SMALLEST: usize = 64;

/// How many numbers a table with so many slots has before it grows. Slots that are next to each other are in
/// one line of the cache, so that a full table costs few more accesses to memory than an empty one.
#[inline]
fn room(slots: usize) -> usize {
    slots / 8 * 7
}

/// How many bytes a page of memory has, at least.
const PAGE: usize = 1 << 12;

/// How many numbers are put into a larger table at once.
const MOVED_TOGETHER: usize = 64;

impl<S> Default for Table<S> {
    fn default() -> Self {
        Table { slots: Vec::new() }
    }
}

impl<S: Slot> Table<S> {
    /// How many numbers the largest table has: three quarters of its slots, as no larger one can follow.
    pub fn most() -> usize {
        let slots = 1u128 << S::BITS;
        usize::try_from(slots / 4 * 3).unwrap_or(usize::MAX)
    }

    /// Whether one more number fits beside the first `count`.
    #[inline]
    pub fn has_room(&self, count: usize) -> bool {
        count < room(self.slots.len())
    }

    /// Makes room for one more number beside the first `count`.
    pub fn grow(&mut self, count: usize, hash: impl FnMut(usize) -> u64) {
        let mut length = (self.slots.len() * 2).max(SMALLEST);
        while count >= room(length) {
            length *= 2;
        }
        self.rebuild(length, count, hash);
    }

    /// Finds new places for the first `count` numbers, whose hashes have changed, with several workers.
    pub fn renew_with(&mut self, crew: &Crew, count: usize, hash: impl Fn(usize) -> u64 + Sync) {
        self.rebuild_with(crew, self.slots.len(), count, hash);
    }

    fn rebuild(&mut self, length: usize, count: usize, mut hash: impl FnMut(usize) -> u64) {
        // The old table goes first: never are there two of them.
        self.slots = Vec::new();
        self.slots = vec![S::truncate(0); length];
        settle(&mut self.slots);
        let Some(places) = self.places() else { return };
        let mut hashes = Vec::with_capacity(MOVED_TOGETHER);
        for first in (0..count).step_by(MOVED_TOGETHER) {
            let numbers = first..count.min(first + MOVED_TOGETHER);
            hashes.clear();
            hashes.extend(numbers.clone().map(&mut hash));
            // Touches the memory of all look-ups first, so that they wait for it together.
            black_box(hashes.iter().fold(0, |sum, &hash| sum ^ self.touch(hash)));
            for (number, &hash) in numbers.zip(&hashes) {
                let mut place = places.first(hash);
                while self.slots[place].bits() != 0 {
                    place = places.next(place);
                }
                self.slots[place] = places.slot(hash, number);
            }
        }
    }

    /// The number with this hash for which `is` holds, or the slot where it belongs. There must be room.
    #[inline]
    pub fn find(&self, hash: u64, is: impl Fn(usize) -> bool) -> Result<usize, Vacant> {
        let first = self.places().map_or(0, |places| places.first(hash));
        self.find_from(Likely(first), hash, is)
    }

    /// Like [`Table::find`], from the slot that [`Table::likely`] gave. Numbers may have been added since.
    #[inline]
    pub fn find_from(
        &self,
        Likely(mut place): Likely,
        hash: u64,
        is: impl Fn(usize) -> bool,
    ) -> Result<usize, Vacant> {
        let Some(places) = self.places() else { return Err(Vacant(0)) };
        loop {
            let found = self.slots[place];
            if found.bits() == 0 {
                return Err(Vacant(place));
            }
            if let Some(number) = places.number(found, hash)
                && is(number)
            {
                return Ok(number);
            }
            place = places.next(place);
        }
    }

    /// Makes room for `more` numbers beside the first `count`: several workers each fill their own slots.
    pub fn grow_with(
        &mut self,
        crew: &Crew,
        count: usize,
        more: usize,
        hash: impl Fn(usize) -> u64 + Sync,
    ) {
        let mut length = self.slots.len().max(SMALLEST);
        while count + more > room(length) {
            length *= 2;
        }
        self.rebuild_with(crew, length, count, hash);
    }

    fn rebuild_with(
        &mut self,
        crew: &Crew,
        length: usize,
        count: usize,
        hash: impl Fn(usize) -> u64 + Sync,
    ) {
        if crew.workers() == 1 {
            return self.rebuild(length, count, hash);
        }
        // The old table goes first: never are there two of them.
        self.slots = Vec::new();
        self.slots = vec![S::truncate(0); length];
        // Reading what is there is cheap beside filling slots: each worker reads all, and no lists go from one to the other.
        let division = self.division(crew.workers());
        let mut beyond: Vec<Vec<(u64, usize)>> = vec![Vec::new(); division.parts()];
        let parts = self.stretches(division).into_iter().zip(&mut beyond).enumerate();
        crew.each(parts.collect(), |(part, (mut stretch, to))| {
            settle(stretch.slots);
            let (mut some, mut own) = ([(0, 0); MOVED_TOGETHER], 0);
            let mut beyond = Vec::new();
            for number in 0..count {
                // What belongs to others is written, too, and written over: half of such guesses would be wrong.
                some[own] = (hash(number), number);
                own += usize::from(division.part(some[own].0) == part);
                if own == MOVED_TOGETHER {
                    stretch.fill_all(&some, &mut beyond);
                    own = 0;
                }
            }
            stretch.fill_all(&some[..own], &mut beyond);
            *to = beyond;
        });
        for (hash, number) in beyond.into_iter().flatten() {
            if let Err(vacant) = self.find(hash, |_| false) {
                self.fill(vacant, hash, number);
            }
        }
    }

    /// Divides the slots into `parts` stretches or a few more, if there are as many slots.
    fn division(&self, parts: usize) -> Division {
        let parts = parts.max(1).next_power_of_two().min(self.slots.len().max(1));
        let mask = self.slots.len().max(1) as u64 - 1;
        Division { mask, shift: (self.slots.len().max(1) / parts).trailing_zeros() }
    }

    /// The slots in stretches.
    fn stretches(&mut self, division: Division) -> Vec<Stretch<'_, S>> {
        let Some(places) = self.places() else { return Vec::new() };
        let length = 1 << division.shift;
        let stretches = self.slots.chunks_mut(length).enumerate();
        stretches.map(|(n, slots)| Stretch { slots, start: n * length, places }).collect()
    }

    /// Puts a number into a slot.
    #[inline]
    pub fn fill(&mut self, vacant: Vacant, hash: u64, number: usize) {
        if let Some(places) = self.places() {
            self.slots[vacant.0] = places.slot(hash, number);
        }
    }

    /// Puts the next number after the first `count` into the empty slot that a look-up found, or into a larger table.
    pub fn enter(
        &mut self,
        vacant: Vacant,
        hash: u64,
        count: usize,
        hash_of: impl FnMut(usize) -> u64,
    ) {
        if self.has_room(count) {
            self.fill(vacant, hash, count);
            return;
        }
        self.grow(count, hash_of);
        if let Err(vacant) = self.find(hash, |_| false) {
            self.fill(vacant, hash, count);
        }
    }

    /// Where a look-up ends from where it would compare first: at the number with this hash for which `is` holds, or at the slot where it belongs.
    #[inline]
    pub fn end_of(
        &self,
        Likely(mut place): Likely,
        hash: u64,
        is: impl Fn(usize) -> bool,
    ) -> (Likely, Option<usize>) {
        let Some(places) = self.places() else { return (Likely(0), None) };
        loop {
            let found = self.slots[place];
            let number = places.number(found, hash);
            if found.bits() == 0 || number.is_some_and(&is) {
                return (Likely(place), number);
            }
            place = places.next(place);
        }
    }

    /// What a look-up finds where it compares first: the number that is there, if its part of the hash is the same.
    #[inline]
    pub fn number_at(&self, Likely(place): Likely, hash: u64) -> Option<usize> {
        self.places()?.number(*self.slots.get(place)?, hash)
    }

    /// The number of slots. While it stays the same, a look-up ends where it did, or behind.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Reads the slot at which a look-up begins, so that it is near at hand.
    #[inline]
    pub fn touch(&self, hash: u64) -> u64 {
        self.places().map_or(0, |places| self.slots[places.first(hash)].bits())
    }

    /// Reads a slot, so that it is near at hand.
    #[inline]
    pub fn touch_at(&self, Likely(place): Likely) -> u64 {
        self.slots.get(place).map_or(0, |slot| slot.bits())
    }

    /// Where a look-up would compare first, and the number that is there, if there is one.
    #[inline]
    pub fn likely(&self, hash: u64) -> (Likely, Option<usize>) {
        let Some(places) = self.places() else { return (Likely(0), None) };
        let mut place = places.first(hash);
        loop {
            let found = self.slots[place];
            let number = places.number(found, hash);
            if found.bits() == 0 || number.is_some() {
                return (Likely(place), number);
            }
            place = places.next(place);
        }
    }

    #[inline]
    fn places(&self) -> Option<Places<S>> {
        let mask = self.slots.len().checked_sub(1)?;
        Some(Places { mask: mask as u64, width: PhantomData })
    }
}

impl<S: Slot> Bytes for Table<S> {
    fn bytes(&self) -> usize {
        self.slots.bytes()
    }
}

/// How the slots of a table are divided into stretches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Division {
    mask: u64,
    shift: u32,
}

impl Division {
    /// The stretch in which a look-up begins.
    #[inline]
    fn part(self, hash: u64) -> usize {
        ((hash & self.mask) >> self.shift) as usize
    }

    /// How many stretches there are.
    fn parts(self) -> usize {
        ((self.mask >> self.shift) + 1) as usize
    }
}

/// Slots of a table that lie one after the other: one worker fills them while others are at other slots.
struct Stretch<'t, S> {
    slots: &'t mut [S],
    start: usize,
    places: Places<S>,
}

/// Writes to each page of new memory. A page that is read first, as by look-ups, is one that all programs share: it is exchanged when somebody writes to it, and all workers are interrupted for that.
fn settle<S: Slot>(slots: &mut [S]) {
    for slot in slots.iter_mut().step_by(PAGE / size_of::<S>()) {
        *slot = black_box(S::truncate(0));
    }
}

impl<S: Slot> Stretch<'_, S> {
    /// Reads the slot at which a look-up begins, so that it is near at hand.
    #[inline]
    fn touch(&self, hash: u64) -> u64 {
        self.slots[self.places.first(hash) - self.start].bits()
    }

    /// The first empty slot for a hash; nothing if there is none before the end of this stretch.
    #[inline]
    fn vacant(&self, hash: u64) -> Option<Vacant> {
        let first = self.places.first(hash);
        let free = self.slots[first - self.start..].iter().position(|slot| slot.bits() == 0);
        free.map(|free| Vacant(first + free))
    }

    /// Puts numbers where they belong, which are not there yet; those that belong behind the last slot of this stretch are added to `beyond`.
    fn fill_all(&mut self, numbers: &[(u64, usize)], beyond: &mut Vec<(u64, usize)>) {
        // Touches the memory of all look-ups first, so that they wait for it together.
        black_box(numbers.iter().fold(0, |sum, &(hash, _)| sum ^ self.touch(hash)));
        for &(hash, number) in numbers {
            match self.vacant(hash) {
                Some(vacant) => self.slots[vacant.0 - self.start] = self.places.slot(hash, number),
                None => beyond.push((hash, number)),
            }
        }
    }
}

/// How the slots of a table are read.
#[derive(Clone, Copy)]
struct Places<S> {
    /// The bits of a position, and of a number.
    mask: u64,
    width: PhantomData<S>,
}

impl<S: Slot> Places<S> {
    #[inline]
    fn first(self, hash: u64) -> usize {
        (hash & self.mask) as usize
    }

    #[inline]
    fn next(self, place: usize) -> usize {
        (place + 1) & self.mask as usize
    }

    #[inline]
    fn slot(self, hash: u64, number: usize) -> S {
        S::truncate(self.tag(hash) | (number as u64 + 1))
    }

    /// The number in a slot, if there is one and the bits of the hash are these.
    #[inline]
    fn number(self, found: S, hash: u64) -> Option<usize> {
        let (bits, tag) = (found.bits(), S::truncate(self.tag(hash)).bits());
        let likely = bits != 0 && bits & !self.mask == tag;
        likely.then(|| (bits & self.mask) as usize - 1)
    }

    /// The part of a hash that a slot keeps: its upper bits.
    #[inline]
    fn tag(self, hash: u64) -> u64 {
        hash >> (64 - S::BITS) & !self.mask
    }
}
