//! # What was sent before
//! Most states are reached more than once. A table remembers states that were sent, whole, with the bound at which that was and the threads that got there then. Whoever got to a state in the same way
//! tells its owner nothing when it gets there again; and a state that was sent at an earlier bound tells nothing whoever gets there: all of its threads move from there anyway.
//!
//! The table grows with the states that the worker stores, so that it is a small part of them; what does not fit any more is forgotten, and sent again.

use selvedge_store::{Columns, hash};

/// There is a place for one in so many states that the worker stores.
const STATES_PER_PLACE: usize = 4;

/// How many places there are at least, and at most.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 22;

/// How many places a row may be in, side by side.
const WAYS: usize = 2;

/// A row of up to 128 bits, in parts, and its mark; a place of narrower ones has fewer parts.
const PARTS: usize = 5;

/// How many threads a mark has bits for.
const MARKED: u32 = 16;

/// States that were sent, as narrow rows, each in a place that its hash gives it.
pub(super) struct Recent {
    /// The parts of a row, and then its mark: the bound, counted from 1, and a bit for each thread that got there. 0: nothing.
    places: Vec<u32>,
    /// How many parts a place has.
    parts: usize,
    /// How many buckets there are, a power of two.
    buckets: usize,
    /// The bound, counted from 1.
    bound: u32,
    /// What the bits of rows mean.
    columns: Option<Columns>,
}

impl Default for Recent {
    fn default() -> Self {
        Recent { places: Vec::new(), parts: PARTS, buckets: FEWEST / WAYS, bound: 1, columns: None }
    }
}

impl Recent {
    /// Forgets all rows if bits of rows mean something else now.
    pub fn renew(&mut self, columns: &Columns) {
        if self.columns.as_ref() != Some(columns) {
            self.columns = Some(columns.clone());
            self.parts = if columns.bits() <= 64 { 3 } else { PARTS };
            self.places.clear();
            self.places.resize(self.buckets * WAYS * self.parts, 0);
        }
    }

    /// Notes that a bound begins, with so many states; the table grows with them.
    pub fn advance(&mut self, states: usize) {
        self.bound += 1;
        if self.bound >> (32 - MARKED) != 0 {
            (self.bound, self.columns) = (1, None);
        }
        let wanted = (states / STATES_PER_PLACE).clamp(FEWEST, MOST) / WAYS;
        let buckets = wanted.next_power_of_two();
        if buckets <= self.buckets || self.places.is_empty() {
            self.buckets = self.buckets.max(buckets);
            return;
        }
        self.buckets = buckets;
        let old = std::mem::take(&mut self.places);
        self.places.resize(buckets * WAYS * self.parts, 0);
        // The last place of a bucket has the oldest row.
        for place in old.chunks_exact(self.parts).rev() {
            let mut copy = [0; PARTS];
            copy[..self.parts].copy_from_slice(place);
            if copy[self.parts - 1] != 0 {
                let bucket = self.bucket(row_of(&copy[..self.parts - 1]));
                self.put(bucket, &copy);
            }
        }
    }

    /// Whether a state was not sent before in such a way that its owner learns nothing, with the position of a thread. It is now.
    #[inline]
    pub fn is_new(&mut self, row: u128, at: u32) -> bool {
        let bucket = self.bucket(row);
        let parts = [row as u32, (row >> 32) as u32, (row >> 64) as u32, (row >> 96) as u32];
        let (length, last) = (self.parts, self.parts - 1);
        let thread = if at < MARKED { 1 << at } else { 0 };
        for place in self.places[bucket..bucket + WAYS * length].chunks_exact_mut(length) {
            let mark = place[last];
            if mark != 0 && place[..last] == parts[..last] {
                if mark >> MARKED < self.bound || mark & thread != 0 {
                    return false;
                }
                place[last] |= thread;
                return true;
            }
        }
        let mut place = [0; PARTS];
        place[..last].copy_from_slice(&parts[..last]);
        place[last] = self.bound << MARKED | thread;
        self.put(bucket, &place);
        true
    }

    /// Where the places of a row begin.
    #[inline]
    fn bucket(&self, row: u128) -> usize {
        (hash::of_row(row) as usize & (self.buckets - 1)) * WAYS * self.parts
    }

    /// Puts a row into a bucket; the oldest one there is forgotten.
    #[inline]
    fn put(&mut self, bucket: usize, place: &[u32; PARTS]) {
        let parts = self.parts;
        self.places.copy_within(bucket..bucket + (WAYS - 1) * parts, bucket + parts);
        self.places[bucket..bucket + parts].copy_from_slice(&place[..parts]);
    }
}

/// A row of its parts.
fn row_of(parts: &[u32]) -> u128 {
    parts.iter().rev().fold(0, |row, &part| row << 32 | u128::from(part))
}

#[cfg(test)]
mod tests {
    use selvedge_store::Columns;

    use super::{FEWEST, Recent, STATES_PER_PLACE};

    #[test]
    fn rows_of_other_columns_are_other_states() {
        let mut recent = Recent::default();
        let [narrow, wide] = [[3, 3], [3, 300]].map(|most| Columns::for_numbers(&most));
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
        let mut recent = Recent::default();
        recent.renew(&Columns::for_numbers(&[u32::MAX; 3]));
        let row = 7 << 90 | 5;
        assert!(recent.is_new(row, 3) && recent.is_new(row, 4) && !recent.is_new(row, 3));
        assert!(recent.is_new(row, 40) && recent.is_new(row, 40), "it has no bit");
        recent.advance(0);
        assert!(!recent.is_new(row, 5) && !recent.is_new(row, 40) && recent.is_new(row | 8, 5));
        for _ in 0..1 << 16 {
            recent.advance(0);
        }
        recent.renew(&Columns::for_numbers(&[u32::MAX; 3]));
        assert!(recent.is_new(row, 5), "so many bounds are not told apart");
    }

    #[test]
    fn rows_stay_when_the_table_grows() {
        for most in [[u32::MAX; 2].as_slice(), &[u32::MAX; 4]] {
            let mut recent = Recent::default();
            recent.renew(&Columns::for_numbers(most));
            let spread = |row: u128| row << 20 | row;
            let rows = || (1..100).map(spread);
            assert!(rows().all(|row| recent.is_new(row, 0)));
            let size = recent.places.len();
            recent.advance(8 * FEWEST * STATES_PER_PLACE);
            assert_eq!(recent.places.len(), 8 * size);
            assert_eq!(rows().filter(|&row| recent.is_new(row, 0)).count(), 0);
            assert!(recent.is_new(spread(100), 0));
        }
    }
}
