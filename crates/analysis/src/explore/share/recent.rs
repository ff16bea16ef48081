//! # What was sent before
//! Most states are reached more than once. A table remembers states that were sent, whole, with the threads that got there at this bound, or that it was at an earlier one. Whoever got to a state in the same way
//! tells its owner nothing when it gets there again; and a state that was sent at an earlier bound tells nothing whoever gets there: all of its threads move from there anyway.
//!
//! A place has a row, and marks in the bits that are left: a state takes eight bytes, or sixteen. Places lie in buckets, a line of memory or two, which have the rows that were met last.
//! The table grows with the states that the worker stores, so that it is a small part of them; what does not fit any more is forgotten, and sent again.

use std::ops::{BitAnd, BitOr};

use selvedge_store::{Columns, Row, hash};

use super::super::moving::GONE;

/// There is a place for one in so many states that the worker stores; more of them while the table is small, since that costs little.
const STATES_PER_PLACE: usize = 6;
const WHILE_SMALL: usize = 4;

/// How many places a small table has at most.
const SMALL: usize = 1 << 18;

/// How many places there are at least, and at most.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 22;

/// How many places a row may be in, side by side.
const WAYS: usize = 8;

/// The bits of a place that are no marks of threads, beside the row: whether there is a state, and whether it was sent at an earlier bound.
const FLAGS: usize = 2;

/// A place of 64 or of 128 bits.
trait Place: Row + BitAnd<Output = Self> + BitOr<Output = Self> {}

impl Place for u64 {}
impl Place for u128 {}

/// Places side by side; what was met last comes first.
#[derive(Clone)]
#[repr(align(64))]
struct Bucket<P>([P; WAYS]);

/// States that were sent, as narrow rows, each in a bucket that its hash gives it.
pub(super) struct Recent {
    table: Table,
    /// How many buckets there are.
    buckets: usize,
    /// How many bits a row has, and how many marks of threads there is room for.
    bits: usize,
    marks: usize,
    /// What the bits of rows mean.
    columns: Option<Columns>,
}

enum Table {
    None,
    Narrow(Vec<Bucket<u64>>),
    Wide(Vec<Bucket<u128>>),
}

/// What a place says beside its row.
#[derive(Clone, Copy)]
struct Marks<P> {
    row: P,
    present: P,
    earlier: P,
    /// Of which the owner learns nothing if one of them is there already.
    thread: P,
}

impl Default for Recent {
    fn default() -> Self {
        Recent { table: Table::None, buckets: FEWEST / WAYS, bits: 0, marks: 0, columns: None }
    }
}

impl Recent {
    /// Forgets all rows if bits of rows mean something else now.
    pub fn renew(&mut self, columns: &Columns) {
        if self.columns.as_ref() == Some(columns) {
            return;
        }
        let (bits, threads) = (columns.bits(), columns.len().saturating_sub(1));
        let most = if bits + FLAGS + threads <= 64 { 64 } else { 128 };
        self.columns = Some(columns.clone());
        (self.table, self.bits, self.marks) = match (most - FLAGS).checked_sub(bits) {
            // Rows that leave no room for marks are not remembered.
            None => (Table::None, 0, 0),
            Some(room) if most == 64 => (Table::Narrow(empty(self.buckets)), bits, room),
            Some(room) => (Table::Wide(empty(self.buckets)), bits, room),
        };
    }

    /// Notes that a bound begins.
    pub fn advance(&mut self) {
        let (present, earlier) = (1 << self.bits, 2 << self.bits);
        match &mut self.table {
            Table::None => {}
            Table::Narrow(buckets) => age(buckets, present as u64, earlier as u64),
            Table::Wide(buckets) => age(buckets, present, earlier),
        }
    }

    /// Grows the table for a worker that stores `states` states.
    pub fn grow(&mut self, states: usize) {
        let wanted = places(states) / WAYS;
        if wanted < self.buckets + self.buckets / 4 {
            return;
        }
        self.buckets = wanted;
        let all = (1 << self.bits) - 1;
        match &mut self.table {
            Table::None => {}
            Table::Narrow(buckets) => spread(buckets, wanted, all),
            Table::Wide(buckets) => spread(buckets, wanted, all),
        }
    }

    /// Reads where a row is looked for, so that it is near at hand.
    #[inline]
    pub fn touch(&self, row: u128) -> u64 {
        let at = bucket(row, self.buckets);
        match &self.table {
            Table::None => 0,
            Table::Narrow(buckets) => buckets.get(at).map_or(0, |bucket| bucket.0[0]),
            Table::Wide(buckets) => buckets.get(at).map_or(0, |bucket| bucket.0[0] as u64),
        }
    }

    /// Whether a state was not sent before in such a way that its owner learns nothing, with the position of a thread. It is now.
    #[inline]
    pub fn is_new(&mut self, row: u128, at: u32) -> bool {
        let (present, earlier) = (1 << self.bits, 2 << self.bits);
        let thread = match at {
            // Nobody goes on from there: that the state is there is all that there is to say.
            GONE => present,
            at if (at as usize) < self.marks => 4 << (self.bits + at as usize),
            _ => 0,
        };
        let marks = Marks { row: present - 1, present, earlier, thread };
        let at = bucket(row, self.buckets);
        match &mut self.table {
            Table::None => true,
            Table::Narrow(buckets) => {
                buckets.get_mut(at).is_none_or(|bucket| note(bucket, row as u64, marks.of()))
            }
            Table::Wide(buckets) => {
                buckets.get_mut(at).is_none_or(|bucket| note(bucket, row, marks))
            }
        }
    }
}

impl Marks<u128> {
    /// The marks of a place with fewer bits.
    #[inline]
    fn of<P: Row>(self) -> Marks<P> {
        let Marks { row, present, earlier, thread } = self;
        let [row, present, earlier, thread] = [row, present, earlier, thread].map(P::of);
        Marks { row, present, earlier, thread }
    }
}

/// How many places there are for so many states.
fn places(states: usize) -> usize {
    (states / WHILE_SMALL).min(SMALL).max(states / STATES_PER_PLACE).clamp(FEWEST, MOST)
}

fn empty<P: Row>(buckets: usize) -> Vec<Bucket<P>> {
    vec![Bucket([P::of(0); WAYS]); buckets]
}

/// The bucket of a row.
#[inline]
fn bucket(row: u128, buckets: usize) -> usize {
    (((hash::of_row(row) >> 32) * buckets as u64) >> 32) as usize
}

/// Notes a row with its marks; whether its owner learns something. What was met least lately is forgotten.
#[inline]
fn note<P: Place>(bucket: &mut Bucket<P>, new: P, marks: Marks<P>) -> bool {
    let Marks { row, present, earlier, thread } = marks;
    let (nothing, places) = (P::of(0), &mut bucket.0);
    let found = places.iter().position(|&place| place & (row | present) == new | present);
    let (at, known) = found.map_or((WAYS - 1, new), |at| (at, places[at]));
    places[..=at].rotate_right(1);
    places[0] = known | present | thread;
    known & (earlier | thread) == nothing
}

/// Notes of all states that they were sent at an earlier bound.
fn age<P: Place>(buckets: &mut [Bucket<P>], present: P, earlier: P) {
    for place in buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
        if *place & present == present {
            *place = *place | earlier;
        }
    }
}

/// Gives a table another number of buckets.
fn spread<P: Place>(buckets: &mut Vec<Bucket<P>>, count: usize, row: u128) {
    let old = std::mem::replace(buckets, empty(count));
    for bucket_before in old {
        // The last place of a bucket has the oldest row.
        for &place in bucket_before.0.iter().rev().filter(|&&place| place != P::of(0)) {
            let places = &mut buckets[bucket(place.whole() & row, count)].0;
            places.rotate_right(1);
            places[0] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_store::Columns;

    use super::super::super::moving::GONE;
    use super::{FEWEST, Recent, SMALL, STATES_PER_PLACE, Table, WHILE_SMALL, places};

    /// Columns of a shared state and of threads with rows of so many bits.
    fn columns(bits: u32, threads: usize) -> Columns {
        let mut most = vec![0; 1 + threads];
        for bit in 0..bits as usize {
            most[bit % (1 + threads)] = most[bit % (1 + threads)] << 1 | 1;
        }
        let columns = Columns::for_numbers(&most);
        assert_eq!(columns.bits(), bits as usize);
        columns
    }

    #[test]
    fn rows_of_other_columns_are_other_states() {
        let mut recent = Recent::default();
        let [narrow, wide] = [columns(6, 2), columns(60, 7)];
        recent.renew(&narrow);
        assert!(recent.is_new(5, 0) && recent.is_new(5, 1));
        assert!(!recent.is_new(5, 0));
        recent.renew(&narrow);
        assert!(!recent.is_new(5, 1));
        recent.renew(&wide);
        assert!(recent.is_new(5, 1));
    }

    /// A state of an earlier bound is new to nobody; one of this bound is, for each thread that gets there.
    #[test]
    fn earlier_bounds_count_for_all_threads() {
        for (bits, threads) in [(20, 6), (56, 6), (57, 6), (90, 6), (120, 6), (64, 64)] {
            let mut recent = Recent::default();
            recent.renew(&columns(bits, threads));
            let row = 1 << (bits - 1) | 5;
            assert!(recent.is_new(row, 3) && recent.is_new(row, 4), "{bits} bits");
            assert!(!recent.is_new(row, 3) && !recent.is_new(row, GONE));
            recent.advance();
            assert!(!recent.is_new(row, 5) && !recent.is_new(row, 40) && recent.is_new(row | 8, 5));
            assert!(recent.is_new(0, GONE) && !recent.is_new(0, GONE) && recent.is_new(0, 2));
        }
    }

    /// A thread whose mark has no room is told at the bound at which a state was sent, and not later.
    #[test]
    fn threads_without_a_mark_are_told() {
        for (bits, threads, without) in [(124, 6, 2), (126, 6, 0), (80, 60, 50)] {
            let mut recent = Recent::default();
            recent.renew(&columns(bits, threads));
            assert!(recent.is_new(7, without) && recent.is_new(7, without), "{bits} bits");
            assert!((0..without).all(|at| recent.is_new(7, at)), "{bits} bits");
            assert!(recent.is_new(7, without) && !recent.is_new(7, GONE));
            recent.advance();
            assert!(!recent.is_new(7, without));
        }
        let mut recent = Recent::default();
        recent.renew(&columns(127, 6));
        assert!(matches!(recent.table, Table::None));
        assert!(recent.is_new(7, 0) && recent.is_new(7, 0));
    }

    #[test]
    fn rows_stay_when_the_table_grows() {
        for bits in [50, 70] {
            let mut recent = Recent::default();
            recent.renew(&columns(bits, 3));
            let spread = |row: u128| row << 20 | row;
            let rows = || (1..100).map(spread);
            assert!(rows().all(|row| recent.is_new(row, 0)));
            let before = recent.buckets;
            recent.grow(8 * FEWEST * WHILE_SMALL);
            assert_eq!(recent.buckets, 8 * before);
            assert_eq!(rows().filter(|&row| recent.is_new(row, 0)).count(), 0);
            assert!(recent.is_new(spread(100), 0));
        }
    }

    #[test]
    fn small_tables_have_more_places_for_a_state() {
        assert_eq!(places(0), FEWEST);
        assert_eq!(places(SMALL), SMALL / WHILE_SMALL);
        assert_eq!(places(5 * SMALL), SMALL);
        assert_eq!(places(3 * STATES_PER_PLACE * SMALL), 3 * SMALL);
    }

    /// What is met again and again stays.
    #[test]
    fn what_was_met_last_is_remembered() {
        let mut recent = Recent::default();
        recent.renew(&columns(40, 3));
        assert!(recent.is_new(3, 1));
        for row in 100..50_000 {
            recent.is_new(row, 0);
            assert!(!recent.is_new(3, 1));
        }
        assert!(recent.is_new(100, 0), "there is no room for all");
    }
}
