//! # Rows on the wire
//! Where states are narrow rows, a state is sent as a row of numbers on the wire, with one more column for the position of the thread that moved. All records of a parcel have one size, so that
//! a state is written, and read, in one go. A parcel begins with the widths of its columns; with none, what follows is said number by number ([`super::say`]).
//!
//! **Claim.** Numbers on the wire fit into their columns. They are given out one by one, and to things that have a number of the sender: no number on the wire is above the largest of these. Threads of all classes have one
//! list of numbers, so that the columns of all threads are as wide as the widest one of the sender.

use std::hint::black_box;

use selvedge_model::Fault;
use selvedge_store::{Column, Columns, Row};

use super::super::moving::GONE;
use super::super::words::Layout;
use super::split::{shared_hash, thread_hash};
use super::wire::{self, Kind, garbled};
use super::{Share, TOGETHER};
use crate::Stop;

/// The most bits of a record.
const WIDEST: usize = 128;

/// The layout of the records in a parcel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// The shared state, the threads, and the position of the thread that moved, counted from 1; 0 if it is gone.
    columns: Columns,
    /// How many bytes a record has.
    size: usize,
}

impl Form {
    /// The records of states with these columns, if they are not too wide.
    pub fn of(columns: &Columns) -> Option<Self> {
        let (first, threads) = columns.list().split_first()?;
        let widest = threads.iter().map(|&column| column.most()).max().unwrap_or(0);
        let mut most = vec![widest; columns.len() + 1];
        most[0] = first.most();
        most[columns.len()] = u32::try_from(threads.len()).ok()?;
        Self::with(&most)
    }

    fn with(most: &[u32]) -> Option<Self> {
        let columns = Columns::for_numbers(most);
        let size = columns.bits().div_ceil(8).max(1);
        (columns.bits() <= WIDEST).then_some(Form { columns, size })
    }

    /// Whether a record is half as long at most.
    pub fn is_half(&self) -> bool {
        self.size <= 8
    }

    /// Writes how records are read.
    pub fn write(&self, out: &mut Vec<u8>) {
        let columns = self.columns.list();
        wire::write(columns.len() as u64, out);
        out.extend(columns.iter().map(|column| column.most().count_ones() as u8));
    }

    /// Reads how records are read; `None` if there are none.
    pub fn read(rest: &mut &[u8]) -> Result<Option<Self>, Stop> {
        let count = wire::read(rest)? as usize;
        let (widths, after) = rest.split_at_checked(count).ok_or_else(garbled)?;
        *rest = after;
        if widths.is_empty() {
            return Ok(None);
        }
        let most = widths.iter().map(|&width| match width {
            0 => Ok(0),
            1..=32 => Ok(u32::MAX >> (32 - width)),
            _ => Err(garbled()),
        });
        let most: Vec<u32> = most.collect::<Result<_, Stop>>()?;
        Self::with(&most).map(Some).ok_or_else(garbled)
    }

    /// Reads the record at a place.
    #[inline]
    fn record<R: Row>(&self, records: &[u8], at: usize) -> R {
        let mut bytes = [0; 16];
        match records.get(at..at + 8) {
            Some(half) if self.size <= 8 => bytes[..8].copy_from_slice(half),
            _ => bytes[..self.size].copy_from_slice(&records[at..at + self.size]),
        }
        // What lies above belongs to the next record, and to no column.
        R::of(u128::from_le_bytes(bytes))
    }
}

/// A record has no room for what it is to say, which would be a mistake of this module.
#[cold]
fn too_narrow() -> Stop {
    Stop::Fault(Fault::new("a state does not fit into the form in which it is sent"))
}

/// A state that belongs to another worker, as a row.
#[derive(Clone, Copy)]
pub(super) struct Away {
    row: u128,
    /// Where the thread is that moved.
    at: u32,
    to: u32,
}

impl Share<'_> {
    /// Divides a batch of rows into what is stored here and what is sent.
    pub(super) fn sort_rows<R: Row>(&mut self) {
        let Share { reached, names, scratch, own, own_moved, away, .. } = self;
        let (split, index) = (self.split, self.index);
        let space = &reached.space;
        let Some(columns) = reached.states.narrow() else { return };
        let Some((&first, places)) = columns.list().split_first() else { return };
        let Layout::Listed(listed) = &space.layout else { return };
        let is_in = |&(&thread, _): &(&usize, _)| {
            split.has(&space.classes, space.classes.of_thread(thread))
        };
        let threads = listed.threads().iter().zip(places).filter(is_in);
        let keyed: Vec<Column> = threads.map(|(_, &place)| place).collect();
        for (&row, &at) in scratch.batch.rows().iter().zip(&scratch.moved) {
            let numbers = R::of(row);
            let mut key = 0_u64;
            if split.shared {
                key = shared_hash(space, names, numbers.get(first));
            }
            for &place in &keyed {
                key = key.wrapping_add(thread_hash(space, names, numbers.get(place)));
            }
            let to = names.owner(key);
            if to == index {
                own.push_row(row);
                own_moved.push(at);
            } else {
                away.push(Away { row, at, to: to as u32 });
            }
        }
    }

    /// Sends rows that belong to others, unless they were sent before.
    pub(super) fn send_rows<R: Row>(&mut self, form: &Form) -> Result<(), Stop> {
        let Share { reached, names, away, recent, traffic, columns, .. } = self;
        let space = &reached.space;
        let (Some(columns), [shared_to, threads_to @ .., position]) =
            (columns, form.columns.list())
        else {
            return Err(too_narrow());
        };
        names.set_form(Some(form));
        // Touches the memory of all look-ups first, so that they wait for it together.
        black_box(away.iter().fold(0, |sum, &Away { row, .. }| sum ^ recent.touch(row)));
        for Away { row, at, to } in away.drain(..) {
            if !recent.is_new(row, at) {
                traffic.spared += 1;
                continue;
            }
            traffic.sent += 1;
            let (numbers, to) = (R::of(row), to as usize);
            let mut record = R::of(0).put(*position, at.wrapping_add(1));
            let mut is_whole = true;
            let mut columns = columns.list().iter();
            if let Some(&first) = columns.next() {
                let shared = numbers.get(first);
                let name = names.name(to, Kind::Shared, shared, |out| {
                    wire::write_shared(&*space.system, shared, out);
                });
                is_whole &= shared_to.holds(name);
                record = record.put(*shared_to, name);
            }
            for (&place, &place_to) in columns.zip(threads_to) {
                let entry = numbers.get(place);
                let name =
                    names.name(to, Kind::Entry, entry, |out| wire::write_entry(space, entry, out));
                is_whole &= place_to.holds(name);
                record = record.put(place_to, name);
            }
            if !is_whole {
                return Err(too_narrow());
            }
            names.say(to, record.whole(), form.size);
        }
        Ok(())
    }

    /// Takes rows that another worker sent.
    pub(super) fn receive_rows<R: Row>(
        &mut self,
        from: usize,
        form: &Form,
        records: &[u8],
    ) -> Result<(), Stop> {
        let Some(largest) = &self.reached.space.largest else { return Err(garbled()) };
        let columns = form.columns.list();
        if columns.len() != largest.len() + 1 || !records.len().is_multiple_of(form.size) {
            return Err(garbled());
        }
        let [numbers @ .., position] = columns else { return Err(garbled()) };
        let mut word = Vec::new();
        for records in records.chunks(form.size * TOGETHER) {
            let Share { reached, names, own, own_moved, .. } = &mut *self;
            let layout = &reached.space.layout;
            let Layout::Listed(listed) = layout else { return Err(garbled()) };
            // No two threads of a state are interchangeable: nothing has to be sorted.
            let single = reached.states.narrow().filter(|_| listed.are_single());
            for at in (0..records.len()).step_by(form.size) {
                let record: R = form.record(records, at);
                let position = record.get(*position).wrapping_sub(1);
                if position != GONE && position as usize >= numbers.len() - 1 {
                    return Err(garbled());
                }
                let mut kind = Kind::Shared;
                if let Some(single) = single {
                    let mut row = R::of(0);
                    for (&column, &place) in numbers.iter().zip(single.list()) {
                        let number = names.named(from, kind, record.get(column))?;
                        if !place.holds(number) {
                            return Err(garbled());
                        }
                        row = row.put(place, number);
                        kind = Kind::Entry;
                    }
                    own.push_row(row.whole());
                    own_moved.push(position);
                } else {
                    word.clear();
                    for &column in numbers {
                        word.push(names.named(from, kind, record.get(column))?);
                        kind = Kind::Entry;
                    }
                    let entry = layout.at(&word, position);
                    listed.sort(&mut word[1..]);
                    own.push(&word);
                    let position = entry.and_then(|entry| layout.position(&word, entry));
                    own_moved.push(position.unwrap_or(GONE));
                }
            }
            self.insert_received()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use selvedge_store::{Columns, Row};

    use super::super::super::moving::GONE;
    use super::super::wire::Names;
    use super::Form;

    /// Forms and records are read as they were written.
    #[test]
    fn records_are_read_again() {
        let mut rng = fastrand::Rng::with_seed(3);
        for case in 0..500 {
            let threads = 1 + case % 9;
            let widths: Vec<u32> = (0..=threads).map(|_| rng.u32(1..12)).collect();
            let most: Vec<u32> = widths.iter().map(|&width| rng.u32(0..1 << width)).collect();
            let Some(form) = Form::of(&Columns::for_numbers(&most)) else { continue };
            let columns = form.columns.list();
            assert_eq!(columns.len(), most.len() + 1);
            let mut names = Names::new(0, 2);
            names.set_form(Some(&form));
            let states: Vec<Vec<u32>> = (0..rng.usize(1..50))
                .map(|_| columns.iter().map(|column| rng.u32(0..=column.most())).collect())
                .collect();
            for state in &states {
                names.say(1, form.columns.pack(state), form.size);
            }
            names.flush();
            let bytes = &names.ready[0].bytes;
            let mut other = Names::new(1, 2);
            let rest = &mut other.hear(0, bytes, |_, _| unreachable!("nothing is named")).unwrap();
            assert_eq!(Form::read(rest).unwrap(), Some(form.clone()));
            assert_eq!(rest.len(), states.len() * form.size);
            for (number, state) in states.iter().enumerate() {
                let whole: u128 = form.record(rest, number * form.size);
                let read: Vec<u32> = columns.iter().map(|&column| whole.get(column)).collect();
                assert_eq!(&read, state, "{form:?}");
                if form.is_half() {
                    let half: u64 = form.record(rest, number * form.size);
                    assert!(columns.iter().all(|&column| half.get(column) == whole.get(column)));
                }
            }
        }
    }

    /// All threads have room for the numbers of all classes, and states that are too wide have no form.
    #[test]
    fn columns_have_room_for_names() {
        let form = Form::of(&Columns::for_numbers(&[900, 3, 100])).unwrap();
        let widths: Vec<u32> = form.columns.list().iter().map(|column| column.most()).collect();
        assert_eq!(widths, [1023, 127, 127, 3]);
        assert!(form.columns.list()[3].holds(GONE.wrapping_add(1)));
        assert_eq!(Form::of(&Columns::for_numbers(&[u32::MAX; 4])), None);
        assert!(Form::read(&mut &[2, 33, 1][..]).is_err());
        assert!(Form::read(&mut &[5, 32, 32, 32, 32, 1][..]).is_err());
        assert!(Form::read(&mut &[9, 1][..]).is_err());
    }
}
