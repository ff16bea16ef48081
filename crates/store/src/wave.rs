//! # Many rows at once, by several workers
//!
//! **Question.** Most of the time of an exploration goes into finding states in a set. How do several workers do that, with the numbers that one worker gives?
//!
//! **Idea.** Rows come in waves, divided into *parts* by the slots of the table at which their look-ups begin. One worker looks up all rows of a part. A row that is new takes an empty slot, and
//! says for now which new row of its part it is. When all parts are done, the new rows get their numbers in the order of the wave, and the slots are told. A look-up that would leave the
//! slots of its part waits for all others: such rows are few, and equal rows wait together.
//!
//! **Claim.** Numbers are those that [`StateSet::insert`] gives, row by row. Equal rows begin at the same slot, so they are in the same part, and one worker meets them, in their order: the
//! first one is the one that is new.
//!
//! **Needs.** Narrow rows.

mod looked;
mod numbers;

use crate::set::StateSet;
use crate::table::{Division, Stretch};
use crate::{Crew, Full, Row, hash};
use looked::{Looked, New, Places, TOGETHER};
use numbers::Order;

/// How many parts there are for each worker, so that nobody waits long for another one.
const PARTS_EACH: usize = 8;

/// Rows that are added together, in pieces that several workers make: see [`StateSet::begin_wave`].
#[derive(Debug, Default)]
pub struct Wave {
    /// The pieces, in their order.
    pub pieces: Vec<Piece>,
    looked: Vec<Looked>,
    order: Order,
}

/// Rows that one worker has made, by the columns that the set has now: see [`StateSet::narrow`].
#[derive(Debug, Default)]
pub struct Piece {
    division: Division,
    is_wide: bool,
    count: u32,
    parts: Vec<Made>,
}

/// Rows of one part, with who made them: as half rows, if that is enough.
#[derive(Debug, Default)]
struct Made {
    half: Vec<(u64, Mark)>,
    whole: Vec<(u128, Mark)>,
}

/// Which row of a wave it is, and a note of whoever made it.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: u32,
    note: u32,
}

/// What is asked about the rows of a wave.
pub trait Ask: Sync {
    /// Reads what an answer about a number will need, so that it is near at hand.
    fn expect(&self, _number: u32) -> u8 {
        0
    }

    /// Answers about a row, with the number that it has, and its note.
    fn ask(&self, number: u32, note: u32) -> bool;
}

impl<F: Fn(u32, u32) -> bool + Sync> Ask for F {
    fn ask(&self, number: u32, note: u32) -> bool {
        self(number, note)
    }
}

impl Piece {
    /// Adds a row, with a note for whoever is asked about it.
    #[inline(always)]
    pub fn push(&mut self, row: u128, note: u32) {
        let part = if self.parts.len() == 1 { 0 } else { self.division.part(hash::of_row(row)) };
        let mark = Mark { at: self.count, note };
        self.count += 1;
        let made = &mut self.parts[part];
        if self.is_wide {
            made.whole.push((row, mark));
        } else {
            made.half.push((row as u64, mark));
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn begin(&mut self, division: Division, is_wide: bool) {
        (self.division, self.is_wide, self.count) = (division, is_wide, 0);
        self.parts.resize_with(division.parts(), Made::default);
        self.parts.iter_mut().for_each(Made::clear);
    }
}

impl Made {
    fn clear(&mut self) {
        self.half.clear();
        self.whole.clear();
    }

    /// Adds the rows of a piece that begins with this row of the wave.
    fn extend(&mut self, made: &Made, start: u32) {
        let moved = |mark: Mark| Mark { at: start + mark.at, ..mark };
        self.half.extend(made.half.iter().map(|&(row, mark)| (row, moved(mark))));
        self.whole.extend(made.whole.iter().map(|&(row, mark)| (row, moved(mark))));
    }
}

impl Wave {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.iter().map(Piece::len).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl StateSet {
    /// Prepares for a wave of so many pieces, which a crew is to make and to add.
    pub fn begin_wave(&self, wave: &mut Wave, pieces: usize, crew: &Crew) {
        wave.pieces.resize_with(pieces, Piece::default);
        let is_wide = self.narrow().is_some_and(|columns| columns.bits() > 64);
        let division = self.table.division(parts(crew));
        wave.pieces.iter_mut().for_each(|piece| piece.begin(division, is_wide));
    }

    /// Adds the rows of a wave with all workers of a crew. Each row is asked about once: by several workers at the same time, but about one number by one worker after the other, in
    /// the order of the wave. Those about which the answer is yes are added to `yes` in that order, by number and note. Meanwhile whoever asks does what is `beside` that, once.
    pub fn insert_wave(
        &mut self,
        wave: &mut Wave,
        crew: &Crew,
        (asked, yes): (&impl Ask, &mut Vec<(u32, u32)>),
        beside: impl FnOnce(),
    ) -> Result<(), Full> {
        let (count, more) = (self.len(), wave.len());
        if more == 0 {
            beside();
            return Ok(());
        }
        if count + more > self.most {
            beside();
            return self.insert_in_order(wave, asked, yes);
        }
        if !self.table.has_room(count + more) {
            let rows = &self.rows;
            self.table.grow_with(crew, count, more, |number| hash::of_row(rows.row(number)));
            divide(&mut wave.pieces, self.table.division(parts(crew)));
        }
        if crew.workers() == 1 {
            beside();
            return self.insert_alone(wave, asked, yes);
        }
        let Wave { pieces, looked, order } = wave;
        let division = pieces[0].division;
        looked.truncate(division.parts());
        looked.resize_with(division.parts(), Looked::default);
        let stretches = self.table.stretches(division).into_iter();
        let (rows, parts) = (&self.rows, stretches.zip(looked.iter_mut()).enumerate());
        let look_up = |(part, (mut stretch, to)): (usize, (Stretch<'_, u32>, &mut Looked))| {
            // Lists that lie side by side would slow down workers that write to them.
            let mut looked = std::mem::take(to);
            looked.clear();
            // All rows of the part lie together, in memory that is near.
            let mut made = std::mem::take(&mut looked.made);
            let mut start = 0;
            for piece in pieces.iter() {
                made.extend(&piece.parts[part], start);
                start += piece.count;
            }
            looked.look_up(&made.half, &mut stretch, (rows, count), asked);
            looked.look_up(&made.whole, &mut stretch, (rows, count), asked);
            looked.made = made;
            *to = looked;
        };
        crew.each_beside(parts.collect(), look_up, beside);
        let late = self.look_up_beyond((looked, division), count, asked);
        looked.push(late);
        let ends: Vec<u32> = pieces
            .iter()
            .scan(0, |end, piece| {
                *end += piece.count;
                Some(*end)
            })
            .collect();
        let asked = (asked, self.end());
        self.give_numbers((order, looked), &ends, (crew, division), asked);
        order.clear(more);
        let said = looked.iter().flat_map(|looked| &looked.yes);
        said.clone().for_each(|&(_, mark)| order.set(mark.at));
        let first = yes.len();
        yes.resize(first + order.count(), (0, 0));
        for &(number, mark) in said {
            yes[first + order.rank(mark.at)] = (number, mark.note);
        }
        Ok(())
    }

    /// Looks up rows whose look-ups leave their parts. What is new of them is in slots, with the numbers that it has among them.
    fn look_up_beyond(
        &mut self,
        (looked, division): (&mut [Looked], Division),
        count: usize,
        asked: &impl Ask,
    ) -> Looked {
        let mut late = Looked::default();
        let mut beyond: Vec<(u128, Mark)> =
            looked.iter_mut().flat_map(|looked| looked.beyond.drain(..)).collect();
        // In the order of the wave, as the rows of parts are.
        beyond.sort_unstable_by_key(|(_, mark)| mark.at);
        for (row, mark) in beyond {
            let hash = hash::of_row(row);
            // A slot says which new row of its part it has, or of these.
            let is = |place: usize, number: usize| match number.checked_sub(count) {
                None => self.rows.row(number) == row,
                Some(index) => {
                    let new = match late.new.iter().any(|new| new.slot.place() == place) {
                        true => late.new.get(index),
                        false => looked[division.part_of(place)].new.get(index),
                    };
                    new.is_some_and(|new| new.row == row)
                }
            };
            match self.table.find_at(hash, is) {
                Ok(number) if number < count => {
                    if asked.ask(number as u32, mark.note) {
                        late.yes.push((number as u32, mark));
                    }
                }
                // A row of a part is not equal to one that leaves it, so this is one of these.
                Ok(number) => late.again.push(((number - count) as u32, mark)),
                Err(slot) => {
                    self.table.fill(slot, hash, count + late.new.len());
                    late.at.push(mark.at);
                    late.new.push(New { row, hash, slot, mark });
                }
            }
        }
        late
    }

    /// Adds the rows of a wave with one worker, for which there is room.
    fn insert_alone(
        &mut self,
        wave: &mut Wave,
        asked: &impl Ask,
        yes: &mut Vec<(u32, u32)>,
    ) -> Result<(), Full> {
        for piece in &wave.pieces {
            for Made { half, whole } in &piece.parts {
                self.insert_part(half, asked, yes);
                self.insert_part(whole, asked, yes);
            }
        }
        Ok(())
    }

    fn insert_part<R: Row>(
        &mut self,
        made: &[(R, Mark)],
        asked: &impl Ask,
        yes: &mut Vec<(u32, u32)>,
    ) {
        let mut places = Places::default();
        for made in made.chunks(TOGETHER) {
            let table = &self.table;
            let near =
                |number| self.rows.row(number) as u64 ^ u64::from(asked.expect(number as u32));
            places.find(made, |hash| table.touch(hash), |hash| table.likely(hash), near);
            for ((hash, likely), &(row, mark)) in places.iter().zip(made) {
                let (number, _) = self.insert_within(likely, hash, row.whole());
                if asked.ask(number, mark.note) {
                    yes.push((number, mark.note));
                }
            }
        }
    }

    /// Adds rows one by one, in the order of the wave.
    fn insert_in_order(
        &mut self,
        wave: &Wave,
        asked: &impl Ask,
        yes: &mut Vec<(u32, u32)>,
    ) -> Result<(), Full> {
        for piece in &wave.pieces {
            for (row, Mark { note, .. }) in piece.in_order() {
                let (number, _) = self.insert_row(hash::of_row(row), row)?;
                if asked.ask(number, note) {
                    yes.push((number, note));
                }
            }
        }
        Ok(())
    }
}

impl Piece {
    /// The rows, in their order.
    fn in_order(&self) -> Vec<(u128, Mark)> {
        let half = self.parts.iter().flat_map(|made| &made.half);
        let whole = self.parts.iter().flat_map(|made| &made.whole);
        let half = half.map(|&(row, mark)| (u128::from(row), mark));
        let mut rows: Vec<(u128, Mark)> = half.chain(whole.copied()).collect();
        rows.sort_by_key(|(_, mark)| mark.at);
        rows
    }
}

/// How many parts a wave has for a crew; one worker alone needs no others.
fn parts(crew: &Crew) -> usize {
    if crew.workers() == 1 { 1 } else { crew.workers() * PARTS_EACH }
}

/// Divides pieces in another way.
fn divide(pieces: &mut [Piece], division: Division) {
    for piece in pieces {
        let mut divided = Piece::default();
        divided.begin(division, piece.is_wide);
        piece.in_order().into_iter().for_each(|(row, mark)| divided.push(row, mark.note));
        *piece = divided;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Wave;
    use crate::{Columns, Crew, Full, StateSet};

    /// The numbers of rows, and what was said yes to.
    type Found = (BTreeMap<u128, u32>, Vec<(u32, u32)>);

    /// Random waves, in which many rows are equal.
    fn waves(seed: u64, columns: &Columns, most: u32) -> Vec<Vec<Vec<(u128, u32)>>> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let row = |rng: &mut fastrand::Rng| {
            (columns.pack(&[rng.u32(..most), rng.u32(..8), rng.u32(..3)]), rng.u32(..5))
        };
        let piece = |rng: &mut fastrand::Rng| {
            let rows = rng.usize(0..900);
            (0..rows).map(|_| row(rng)).collect()
        };
        let mut wave = |_| (0..rng.usize(0..12)).map(|_| piece(&mut rng)).collect();
        (0..40).map(&mut wave).collect()
    }

    /// Rows have the numbers that a map gives them in their order, for any number of workers; each is asked about once, with its number, and answers come in order.
    #[test]
    fn workers_change_nothing() -> Result<(), Full> {
        for (case, widest) in [3, 1 << 31, 3, 1 << 31].into_iter().enumerate() {
            // Few different rows, so that many are equal, or many.
            let most = [2_000, 60_000][case / 2];
            let mut first: Option<Found> = None;
            for workers in [1, 2, 3, 8] {
                let crew = Crew::of(workers);
                let mut set = StateSet::default();
                set.insert(&[most, 8, widest])?;
                set.make_room(&[most << 4, widest, widest]);
                let columns = set.narrow().cloned().unwrap_or_default();
                assert_eq!(columns.bits() > 64, widest > 3);
                let (mut wave, mut all) = (Wave::default(), Vec::new());
                let mut known: HashMap<u128, u32> = HashMap::new();
                let mut next = 1;
                for rows in waves(case as u64, &columns, most) {
                    set.begin_wave(&mut wave, rows.len(), &crew);
                    for (piece, rows) in wave.pieces.iter_mut().zip(&rows) {
                        rows.iter().for_each(|&(row, note)| piece.push(row, note));
                    }
                    let asked = AtomicUsize::new(0);
                    let mut yes = Vec::new();
                    let ask = |number: u32, note: u32| {
                        asked.fetch_add(1, Ordering::Relaxed);
                        (number ^ note).is_multiple_of(3)
                    };
                    let mut beside = 0;
                    set.insert_wave(&mut wave, &crew, (&ask, &mut yes), || beside += 1)?;
                    assert_eq!(beside, 1);
                    assert_eq!(asked.into_inner(), rows.iter().map(Vec::len).sum());
                    let mut expected = Vec::new();
                    for &(row, note) in rows.iter().flatten() {
                        let word: Vec<u32> =
                            columns.list().iter().map(|&c| crate::Row::get(row, c)).collect();
                        let number = set.find(&word).expect("it was added");
                        // Numbers are given in the order in which rows come.
                        let expected_number = *known.entry(row).or_insert_with(|| {
                            next += 1;
                            next - 1
                        });
                        assert_eq!(number, expected_number);
                        if (number ^ note).is_multiple_of(3) {
                            expected.push((number, note));
                        }
                    }
                    assert_eq!(yes, expected);
                    all.append(&mut yes);
                }
                assert_eq!(set.len(), 1 + known.len());
                assert!(known.iter().all(|(&row, &number)| set.row(number) == row));
                let found = (known.into_iter().collect(), all);
                assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "{workers}");
            }
        }
        Ok(())
    }

    /// A set that is full says so, and has as many rows as it may have.
    #[test]
    fn a_full_set_takes_no_more() -> Result<(), Full> {
        let mut set = StateSet::default();
        set.insert(&[1000])?;
        set.limit(Some(100));
        let mut wave = Wave::default();
        set.begin_wave(&mut wave, 1, &Crew::of(2));
        (0..200).for_each(|row| wave.pieces[0].push(row, 0));
        let no = |_, _| false;
        let added = set.insert_wave(&mut wave, &Crew::of(2), (&no, &mut Vec::new()), || {});
        assert_eq!(added, Err(Full { what: "states", most: 100 }));
        assert_eq!(set.len(), 100);
        Ok(())
    }
}
