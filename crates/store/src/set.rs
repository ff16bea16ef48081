//! # Sets of states
//! States are short words of numbers, packed one after the other in the order in which they come
//! (`rows`), with a hash table of their numbers beside it (`table`). No state is ever represented by
//! its hash alone.
//!
//! Where words are narrow rows ([`Columns`]), who makes states may work on rows directly: it asks
//! for the columns ([`StateSet::narrow`]), changes a few bits of a row, and adds the result.
//! The columns stay as they are while only rows are added.

use std::hint::black_box;

use crate::rows::{Rows, Word};
use crate::table::{Likely, Table};
use crate::{Batch, Bytes, Columns, Crew, Full, Id, Row, hash};

/// A set of words; each gets a number, in the order in which they come.
#[derive(Clone, Debug)]
pub struct StateSet {
    pub(crate) rows: Rows,
    pub(crate) table: Table<u32>,
    /// The most words that the set may hold.
    pub(crate) most: usize,
}

/// Is told the numbers of the rows that are added.
pub trait Tell {
    /// Reads what will be needed when this number is told, so that it is near at hand.
    fn expect(&self, _number: u32) -> u8 {
        0
    }

    /// Whether it changes anything to be told the number of a row that is in the set, with its note. What changes nothing now must change nothing later.
    fn matters(&self, number: u32, note: u16) -> bool;

    /// Is told the number of a row, and its note.
    fn tell(&mut self, number: u32, note: u16);
}

/// Ignores the numbers.
impl Tell for () {
    fn matters(&self, _number: u32, _note: u16) -> bool {
        false
    }

    fn tell(&mut self, _number: u32, _note: u16) {}
}

/// A row that is on its way into a set.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<R> {
    row: R,
    note: u16,
    /// Whether its look-up found it, if it was sifted.
    is_known: bool,
    /// The number of a row that is known. Else the slot where its look-up ended, if it was sifted: a table of `u32` has no more slots than that.
    place: u32,
}

impl<R> Arrival<R> {
    /// A row with a note.
    #[inline]
    pub fn new(row: R, note: u16) -> Self {
        Arrival { row, note, is_known: false, place: 0 }
    }
}

/// The state of a table when rows were sifted against it; their places hold only while it is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sifted {
    /// How many slots the table had, and how many bits a row: if one of them is another, so are the places.
    slots: usize,
    bits: usize,
}

/// How many rows are looked up together.
const TOGETHER: usize = 64;

/// Where the look-ups of a few rows compare first.
struct Places {
    hashes: [u64; TOGETHER],
    likely: [Likely; TOGETHER],
}

impl Default for Places {
    fn default() -> Self {
        Places { hashes: [0; TOGETHER], likely: [Likely::default(); TOGETHER] }
    }
}

impl Places {
    /// Finds the places of rows. The memory that the look-ups need is asked for all at once, so that they wait for it together.
    #[inline]
    fn find<R: Row>(
        &mut self,
        set: &StateSet,
        rows: impl ExactSizeIterator<Item = R>,
        to: &impl Tell,
    ) {
        let (count, mut touched) = (rows.len(), 0);
        for (hash, row) in self.hashes.iter_mut().zip(rows) {
            *hash = hash::of_row(row.whole());
            touched ^= set.table.touch(*hash);
        }
        black_box(touched);
        let near = |number| set.near(number, to);
        for (place, &hash) in self.likely.iter_mut().zip(&self.hashes[..count]) {
            let (likely, number) = set.table.likely(hash);
            *place = likely;
            touched ^= number.map_or(0, near);
        }
        black_box(touched);
    }

    /// Takes over the places of rows that were sifted, and asks for the memory that is needed there.
    #[inline]
    fn recall<R: Row>(&mut self, set: &StateSet, rows: &[Arrival<R>], to: &impl Tell) {
        let mut touched = 0;
        for ((hash, place), arrival) in self.hashes.iter_mut().zip(&mut self.likely).zip(rows) {
            if arrival.is_known {
                touched ^= u64::from(to.expect(arrival.place));
                continue;
            }
            (*hash, *place) = (hash::of_row(arrival.row.whole()), Likely(arrival.place as usize));
            touched ^= set.table.touch_at(*place);
        }
        black_box(touched);
        for (index, _) in rows.iter().enumerate().filter(|(_, arrival)| !arrival.is_known) {
            let number = set.table.number_at(self.likely[index], self.hashes[index]);
            touched ^= number.map_or(0, |number| set.near(number, to));
        }
        black_box(touched);
    }

    fn iter(&self) -> impl Iterator<Item = (u64, Likely)> + '_ {
        self.hashes.iter().copied().zip(self.likely.iter().copied())
    }
}

impl Default for StateSet {
    fn default() -> Self {
        StateSet { rows: Rows::default(), table: Table::default(), most: Table::<u32>::most() }
    }
}

impl StateSet {
    /// Limits the number of words; without a limit, the numbers that there are limit it.
    pub fn limit(&mut self, most: Option<usize>) {
        let numbers = Table::<u32>::most();
        self.most = most.map_or(numbers, |most| most.min(numbers));
    }

    /// How many words there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the word that comes next.
    #[must_use]
    #[inline]
    pub fn end(&self) -> u32 {
        // A set has fewer words than there are numbers: see `enter`.
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// The word of a number.
    #[must_use]
    #[inline]
    pub fn get(&self, number: u32) -> Word {
        self.rows.get(number.index())
    }

    /// Puts the word of a number in the place of another one.
    #[inline]
    pub fn read(&self, number: u32, word: &mut Vec<u32>) {
        self.rows.read(number.index(), word);
    }

    /// The first number of a word; 0 if it is empty.
    #[must_use]
    #[inline]
    pub fn first(&self, number: u32) -> u32 {
        self.rows.first(number.index())
    }

    /// The columns, if words are narrow rows.
    #[must_use]
    #[inline]
    pub fn narrow(&self) -> Option<&Columns> {
        self.rows.columns().filter(|columns| columns.is_narrow() && !columns.is_empty())
    }

    /// The row of a number, where words are narrow rows.
    #[must_use]
    #[inline]
    pub fn row(&self, number: u32) -> u128 {
        self.rows.row(number.index())
    }

    /// Whether there is room for words with numbers up to these.
    #[must_use]
    pub fn holds(&self, most: &[u32]) -> bool {
        self.rows.has_room(most)
    }

    /// Prepares for words with numbers up to these.
    #[inline]
    pub fn make_room(&mut self, most: &[u32]) {
        if !self.rows.has_room(most) {
            self.make_room_with(most, &Crew::default());
        }
    }

    /// Prepares for words with numbers up to these, with all workers of a crew.
    pub fn make_room_with(&mut self, most: &[u32], crew: &Crew) {
        if !self.rows.has_room(most) && self.rows.make_room(most, crew) {
            let rows = &self.rows;
            self.table.renew_with(crew, rows.len(), |number| hash_of(rows, number));
        }
    }

    /// Adds a word; its number, and whether it is new.
    pub fn insert(&mut self, word: &[u32]) -> Result<(u32, bool), Full> {
        self.make_room(word);
        if self.rows.are_narrow() {
            let row = self.rows.columns().map_or(0, |columns| columns.pack(word));
            return self.insert_row(hash::of_row(row), row);
        }
        let hash = hash::of_word(word);
        if let Ok(number) = self.table.find(hash, |number| self.rows.is(number, word)) {
            return Ok((number as u32, false));
        }
        let number = self.enter(hash)?;
        self.rows.push(word);
        Ok((number, true))
    }

    /// Adds a row, for which there is room.
    #[inline(always)]
    pub(crate) fn insert_within(&mut self, likely: Likely, hash: u64, row: u128) -> (u32, bool) {
        match self.table.find_from(likely, hash, |number| self.rows.row(number) == row) {
            Ok(number) => (number as u32, false),
            Err(vacant) => {
                let number = self.end();
                self.table.fill(vacant, hash, number.index());
                self.rows.push_row(row);
                (number, true)
            }
        }
    }

    pub(crate) fn insert_row(&mut self, hash: u64, row: u128) -> Result<(u32, bool), Full> {
        let vacant = match self.table.find(hash, |number| self.rows.row(number) == row) {
            Ok(number) => return Ok((number as u32, false)),
            Err(vacant) => vacant,
        };
        let mut number = self.end();
        if self.table.has_room(self.len()) && self.len() < self.most {
            self.table.fill(vacant, hash, number.index());
        } else {
            number = self.enter(hash)?;
        }
        self.rows.push_row(row);
        Ok((number, true))
    }

    /// Puts the next number into the table.
    #[cold]
    fn enter(&mut self, hash: u64) -> Result<u32, Full> {
        let count = self.len();
        let number = u32::from_index(count).filter(|_| count < self.most);
        let number = number.ok_or(Full { what: "states", most: self.most })?;
        if !self.table.has_room(count) {
            let rows = &self.rows;
            if rows.are_narrow() {
                self.table.grow(count, |number| hash::of_row(rows.row(number)));
            } else {
                self.table.grow(count, |number| hash_of(rows, number));
            }
        }
        if let Err(vacant) = self.table.find(hash, |_| false) {
            self.table.fill(vacant, hash, count);
        }
        Ok(number)
    }

    /// Adds many words; tells each number in turn, and whether it is new. The memory that the
    /// look-ups need is asked for all at once, so that they wait for it together and not one after
    /// the other. The batch is used up.
    #[inline]
    pub fn insert_all(
        &mut self,
        batch: &mut Batch,
        mut tell: impl FnMut(usize, u32, bool),
    ) -> Result<(), Full> {
        for word in batch.words() {
            self.make_room(word);
        }
        if let Some(columns) = self.narrow() {
            batch.pack(columns);
            let Batch { rows, hashes, likely, .. } = batch;
            hashes.clear();
            hashes.extend(rows.iter().map(|&row| hash::of_row(row)));
            black_box(hashes.iter().fold(0, |sum, &hash| sum ^ self.table.touch(hash)));
            let mut touched = 0;
            likely.clear();
            likely.extend(hashes.iter().map(|&hash| {
                let (likely, number) = self.table.likely(hash);
                touched ^= number.map_or(0, |number| self.rows.row(number));
                likely
            }));
            black_box(touched);
            let most = self.len() + rows.len();
            if self.table.has_room(most) && most <= self.most {
                let looked_for = hashes.iter().zip(rows.iter()).zip(likely.iter());
                for (index, ((&hash, &row), &likely)) in looked_for.enumerate() {
                    let (number, new) = self.insert_within(likely, hash, row);
                    tell(index, number, new);
                }
            } else {
                for (index, (&hash, &row)) in hashes.iter().zip(rows.iter()).enumerate() {
                    let (number, new) = self.insert_row(hash, row)?;
                    tell(index, number, new);
                }
            }
        } else {
            for (index, word) in batch.words().enumerate() {
                let (number, new) = self.insert(word)?;
                tell(index, number, new);
            }
        }
        batch.clear();
        Ok(())
    }

    /// Prepares for so many more words with all workers of a crew, where words are narrow rows: what is in the set finds its place in a larger table, if it has to.
    pub fn expect_more(&mut self, more: usize, crew: &Crew) {
        let (count, rows) = (self.len(), &self.rows);
        let more = more.min(self.most - count.min(self.most));
        if rows.are_narrow() && !self.table.has_room(count + more) {
            self.table.grow_with(crew, count, more + 1, |number| hash::of_row(rows.row(number)));
        }
    }

    /// Reads what is needed to compare with this number and to tell it, so that it is near at hand.
    #[inline]
    fn near(&self, number: usize, to: &impl Tell) -> u64 {
        self.rows.row(number) as u64 ^ u64::from(to.expect(number as u32))
    }

    /// Adds rows, each with a note; tells each number in turn. Those that were sifted are not looked up again: what was found then has its number still.
    pub fn insert_rows<R: Row>(
        &mut self,
        rows: &[Arrival<R>],
        sifted: Sifted,
        to: &mut impl Tell,
    ) -> Result<(), Full> {
        let mut places = Places::default();
        for some in rows.chunks(TOGETHER) {
            if sifted == self.sifted() {
                places.recall(self, some, to);
            } else {
                places.find(self, some.iter().map(|arrival| arrival.row), to);
            }
            let most = self.len() + some.len();
            let has_room = self.table.has_room(most) && most <= self.most;
            for (arrival, (hash, likely)) in some.iter().zip(places.iter()) {
                let number = if arrival.is_known {
                    arrival.place
                } else if has_room {
                    self.insert_within(likely, hash, arrival.row.whole()).0
                } else {
                    self.insert_row(hash, arrival.row.whole())?.0
                };
                to.tell(number, arrival.note);
            }
        }
        Ok(())
    }

    /// The state of the table now, for rows that are sifted against it.
    #[must_use]
    pub fn sifted(&self) -> Sifted {
        let bits = self.narrow().map_or(0, Columns::bits);
        Sifted { slots: self.table.slots(), bits }
    }

    /// Looks up rows, and leaves out those that are in the set and whose numbers need not be told; of the others it notes which number they have, or where they belong. Workers do this side by side.
    pub fn sift<R: Row>(&self, rows: &mut Vec<Arrival<R>>, to: &impl Tell) {
        let (mut places, mut kept) = (Places::default(), 0);
        for start in (0..rows.len()).step_by(TOGETHER) {
            let end = rows.len().min(start + TOGETHER);
            places.find(self, rows[start..end].iter().map(|arrival| arrival.row), to);
            for (index, (hash, likely)) in (start..end).zip(places.iter()) {
                let Arrival { row, note, .. } = rows[index];
                let is = |number| R::of(self.rows.row(number)) == row;
                let (Likely(slot), number) = self.table.end_of(likely, hash, is);
                let place = number.unwrap_or(slot) as u32;
                rows[kept] = Arrival { row, note, is_known: number.is_some(), place };
                kept += usize::from(number.is_none() || to.matters(place, note));
            }
        }
        rows.truncate(kept);
    }

    /// Adds the rows of several lists with all workers of a crew; their numbers are added to `numbers`, in the order of the rows.
    pub fn number_rows(
        &mut self,
        lists: &[Vec<u128>],
        crew: &Crew,
        numbers: &mut Vec<u32>,
    ) -> Result<(), Full> {
        self.expect_more(lists.iter().map(Vec::len).sum(), crew);
        let mut known: Vec<Vec<Option<u32>>> = vec![Vec::new(); lists.len()];
        if crew.workers() > 1 {
            let set = &*self;
            crew.each(lists.iter().zip(&mut known).collect(), |(rows, to)| *to = set.known(rows));
        }
        for (rows, known) in lists.iter().zip(known) {
            // One worker looks only once.
            let known = known.into_iter().chain(std::iter::repeat(None));
            for (&row, known) in rows.iter().zip(known) {
                let number = match known {
                    Some(number) => number,
                    None => self.insert_row(hash::of_row(row), row)?.0,
                };
                numbers.push(number);
            }
        }
        Ok(())
    }

    /// The numbers of the rows that are in the set.
    fn known(&self, rows: &[u128]) -> Vec<Option<u32>> {
        let (mut places, mut known) = (Places::default(), Vec::with_capacity(rows.len()));
        for some in rows.chunks(TOGETHER) {
            places.find(self, some.iter().copied(), &());
            for (&row, (hash, likely)) in some.iter().zip(places.iter()) {
                let found = self.table.find_from(likely, hash, |n| self.rows.row(n) == row);
                known.push(found.ok().map(|number| number as u32));
            }
        }
        known
    }

    /// The number of a word, if it is in the set.
    #[must_use]
    pub fn find(&self, word: &[u32]) -> Option<u32> {
        let found = if self.rows.are_narrow() {
            let columns = self.rows.columns()?;
            if word.len() != columns.len() || !columns.hold(word) {
                return None;
            }
            let row = columns.pack(word);
            self.table.find(hash::of_row(row), |number| self.rows.row(number) == row)
        } else {
            self.table.find(hash::of_word(word), |number| self.rows.is(number, word))
        };
        found.ok().and_then(u32::from_index)
    }
}

impl Bytes for StateSet {
    fn bytes(&self) -> usize {
        self.rows.bytes() + self.table.bytes()
    }
}

/// The hash by which a word is found.
fn hash_of(rows: &Rows, number: usize) -> u64 {
    if rows.are_narrow() {
        hash::of_row(rows.row(number))
    } else {
        hash::of_word(&rows.get(number))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::{Arrival, Sifted, StateSet, Tell};
    use crate::{Crew, Full};

    /// Wants to hear of each number and note once.
    #[derive(Default)]
    struct Once(HashSet<(u32, u16)>, Vec<(u32, u16)>);

    impl Tell for Once {
        fn matters(&self, number: u32, note: u16) -> bool {
            !self.0.contains(&(number, note))
        }

        fn tell(&mut self, number: u32, note: u16) {
            if self.0.insert((number, note)) {
                self.1.push((number, note));
            }
        }
    }

    /// Rows have the numbers that a map gives them in their order, and what is told is the same, whether rows are sifted before or not, for any number of workers.
    #[test]
    fn sifting_and_workers_change_nothing() -> Result<(), Full> {
        let mut grown = 0;
        for (case, widest) in [3_u32, 1 << 31, 3, 1 << 31].into_iter().enumerate() {
            // Few different rows, so that many are equal, or many.
            let most = [2_000, 60_000][case / 2];
            let mut first: Option<Vec<(u32, u16)>> = None;
            for workers in [1, 2, 3] {
                let crew = Crew::of(workers);
                let mut rng = fastrand::Rng::with_seed(case as u64);
                let (mut set, mut told) = (StateSet::default(), Once::default());
                set.insert(&[1, widest, widest])?;
                let mut known: HashMap<Vec<u32>, u32> =
                    HashMap::from([(vec![1, widest, widest], 0)]);
                for wave in 0..40_u32 {
                    // Columns become wider on the way.
                    set.make_room_with(
                        &[most.min(8 << wave.min(20)), widest.max(8), widest],
                        &crew,
                    );
                    let bits = set.narrow().map_or(0, crate::Columns::bits);
                    assert_eq!(bits > 64, widest > 3, "rows of both widths are tried");
                    let upto = most.min(8 << wave.min(20));
                    let count = rng.usize(0..3_000);
                    let mut word = || vec![rng.u32(0..upto), rng.u32(..8), rng.u32(..3)];
                    let words: Vec<Vec<u32>> = (0..count).map(|_| word()).collect();
                    let columns = set.narrow().cloned().unwrap_or_default();
                    let notes = (0..5).cycle();
                    let rows = words.iter().map(|word| columns.pack(word)).zip(notes.clone());
                    let mut rows: Vec<Arrival<u128>> =
                        rows.map(|(row, note)| Arrival::new(row, note)).collect();
                    if wave % 5 == 4 {
                        // Numbers are the same if they are all asked for.
                        let lists = words.chunks(100);
                        let pack =
                            |words: &[Vec<u32>]| words.iter().map(|w| columns.pack(w)).collect();
                        let lists: Vec<Vec<u128>> = lists.map(pack).collect();
                        let mut numbers = Vec::new();
                        set.number_rows(&lists, &crew, &mut numbers)?;
                        let find = |word: &Vec<u32>| set.find(word);
                        assert!(words.iter().map(find).eq(numbers.into_iter().map(Some)));
                    }
                    // Where there is no room for all, the places that they found are forgotten.
                    if wave % 3 > 0 {
                        set.expect_more(rows.len(), &crew);
                    }
                    let mut sifted = Sifted::default();
                    if workers > 1 {
                        let before = rows.len();
                        sifted = set.sifted();
                        set.sift(&mut rows, &told);
                        assert!(wave < 30 || most > 2_000 || rows.len() < before);
                    }
                    if wave % 3 == 1 {
                        set.expect_more(4 * set.len(), &crew);
                        grown += usize::from(sifted != set.sifted());
                    }
                    set.insert_rows(&rows, sifted, &mut told)?;
                    for (word, note) in words.into_iter().zip(notes) {
                        let next = known.len() as u32;
                        let expected = *known.entry(word.clone()).or_insert(next);
                        assert_eq!(set.find(&word), Some(expected));
                        assert!(told.0.contains(&(expected, note)));
                    }
                    assert_eq!(set.len(), known.len());
                }
                assert!(known.iter().all(|(word, &number)| *set.get(number) == word[..]));
                let told = told.1;
                assert_eq!(*first.get_or_insert_with(|| told.clone()), told, "{workers} workers");
            }
        }
        assert!(grown > 10, "{grown} tables grew between sifting and inserting");
        Ok(())
    }

    /// A set that is full says so, and has as many rows as it may have.
    #[test]
    fn a_full_set_takes_no_more() -> Result<(), Full> {
        let mut set = StateSet::default();
        set.insert(&[1000])?;
        set.limit(Some(100));
        let mut rows: Vec<Arrival<u64>> = (0..200).map(|row| Arrival::new(row, 0)).collect();
        set.expect_more(rows.len(), &Crew::of(2));
        set.sift(&mut rows, &());
        let added = set.insert_rows(&rows, set.sifted(), &mut ());
        assert_eq!(added, Err(Full { what: "states", most: 100 }));
        assert_eq!(set.len(), 100);
        Ok(())
    }
}
