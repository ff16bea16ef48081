//! # What was sent before
//! Most states are reached more than once. A table remembers states that were sent, whole, with the bound at which that was and the threads that got there then. Whoever got to a state in the same way
//! tells its owner nothing when it gets there again; and a state that was sent at an earlier bound tells nothing whoever gets there: all of its threads move from there anyway.
//!
//! The table grows with the states that the worker stores, so that it is a small part of them; what does not fit any more is forgotten, and sent again.

use selvedge_store::{Columns, hash};

/// There is a place for one in so many states that the worker stores.
const STATES_PER_PLACE: usize = 8;

/// How many places there are at least, and at most.
const FEWEST: usize = 1 << 12;
const MOST: usize = 1 << 22;

/// How many places a row may be in, side by side.
const WAYS: usize = 2;

/// How many threads a mark has bits for.
const MARKED: u32 = 16;

/// A place: the parts of a row, and then its mark: the bound, counted from 1, and a bit for each thread that got there. A mark of 0: nothing.
type Place<const P: usize> = [u32; P];

/// States that were sent, as narrow rows, each in a place that its hash gives it.
pub(super) struct Recent {
    /// Places of rows of up to 64 bits, or of up to 128: one of them is empty.
    narrow: Vec<Place<3>>,
    wide: Vec<Place<5>>,
    /// How many buckets there are, a power of two.
    buckets: usize,
    /// The bound, counted from 1.
    bound: u32,
    /// What the bits of rows mean.
    columns: Option<Columns>,
}

impl Default for Recent {
    fn default() -> Self {
        let (narrow, wide) = (Vec::new(), Vec::new());
        Recent { narrow, wide, buckets: FEWEST / WAYS, bound: 1, columns: None }
    }
}

impl Recent {
    /// Forgets all rows if bits of rows mean something else now.
    pub fn renew(&mut self, columns: &Columns) {
        if self.columns.as_ref() != Some(columns) {
            self.columns = Some(columns.clone());
            let places = self.buckets * WAYS;
            (self.narrow, self.wide) = match columns.bits() <= 64 {
                true => (vec![[0; 3]; places], Vec::new()),
                false => (Vec::new(), vec![[0; 5]; places]),
            };
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
        if buckets > self.buckets {
            self.buckets = buckets;
            grow(&mut self.narrow, buckets);
            grow(&mut self.wide, buckets);
        }
    }

    /// Reads where a row is looked for, so that it is near at hand.
    #[inline]
    pub fn touch(&self, row: u128) -> u32 {
        let at = bucket(row, self.buckets);
        match self.wide.is_empty() {
            true => self.narrow.get(at).map_or(0, |place| place[0]),
            false => self.wide.get(at).map_or(0, |place| place[0]),
        }
    }

    /// Whether a state was not sent before in such a way that its owner learns nothing, with the position of a thread. It is now.
    #[inline]
    pub fn is_new(&mut self, row: u128, at: u32) -> bool {
        let thread = if at < MARKED { 1 << at } else { 0 };
        let mark = self.bound << MARKED | thread;
        let [a, b, c, d] = parts(row);
        if self.wide.is_empty() {
            note(&mut self.narrow, self.buckets, row, [a, b, mark])
        } else {
            note(&mut self.wide, self.buckets, row, [a, b, c, d, mark])
        }
    }
}

fn parts(row: u128) -> [u32; 4] {
    [row as u32, (row >> 32) as u32, (row >> 64) as u32, (row >> 96) as u32]
}

/// Where the places of a row begin.
#[inline]
fn bucket(row: u128, buckets: usize) -> usize {
    (hash::of_row(row) as usize & (buckets - 1)) * WAYS
}

/// Notes a row with its mark; whether its owner learns something. The oldest row of a bucket is forgotten.
#[inline]
fn note<const P: usize>(places: &mut [Place<P>], buckets: usize, row: u128, new: Place<P>) -> bool {
    let at = bucket(row, buckets);
    let Some(places) = places.get_mut(at..at + WAYS) else { return true };
    let thread = new[P - 1] & ((1 << MARKED) - 1);
    for place in &mut *places {
        let mark = place[P - 1];
        let is_same = (0..P - 1).fold(mark != 0, |same, part| same & (place[part] == new[part]));
        if is_same {
            if mark >> MARKED < new[P - 1] >> MARKED || mark & thread != 0 {
                return false;
            }
            place[P - 1] |= thread;
            return true;
        }
    }
    places.rotate_right(1);
    places[0] = new;
    true
}

/// Gives a table more buckets, if it has any.
fn grow<const P: usize>(places: &mut Vec<Place<P>>, buckets: usize) {
    if places.is_empty() {
        return;
    }
    let old = std::mem::replace(places, vec![[0; P]; buckets * WAYS]);
    // The last place of a bucket has the oldest row.
    for place in old.into_iter().rev().filter(|place| place[P - 1] != 0) {
        let row = place[..P - 1].iter().rev().fold(0, |row, &part| row << 32 | u128::from(part));
        let at = bucket(row, buckets);
        let bucket = &mut places[at..at + WAYS];
        bucket.rotate_right(1);
        bucket[0] = place;
    }
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
            let size = recent.narrow.len() + recent.wide.len();
            recent.advance(8 * FEWEST * STATES_PER_PLACE);
            assert_eq!(recent.narrow.len() + recent.wide.len(), 8 * size);
            assert_eq!(rows().filter(|&row| recent.is_new(row, 0)).count(), 0);
            assert!(recent.is_new(spread(100), 0));
        }
    }
}
