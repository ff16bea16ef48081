//! # Threads in a list
//! The threads of the initial states have places in the list, those of one class next to each other;
//! within a class they are interchangeable, so their entries are sorted. After them come threads
//! that were started, sorted too. So a move of a thread changes the entries of its class
//! alone: where states are narrow rows ([`selvedge_store::Columns`]), a few bits of a row.

use std::ops::Range;

use selvedge_store::{Column, Row};

use super::Classes;

/// Which places of a list belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Listed {
    /// For each place, the thread of the initial states that it belongs to at first.
    threads: Vec<usize>,
    /// For each place, where the places of its class begin and end.
    groups: Vec<(usize, usize)>,
    /// How many lists there are if all entries differ.
    most: u64,
}

impl Listed {
    /// Places for the threads of these classes: few of them.
    pub fn new(classes: &Classes) -> Self {
        let of_thread = classes.of_threads();
        let mut threads: Vec<usize> = (0..of_thread.len()).collect();
        threads.sort_by_key(|&thread| of_thread[thread]);
        let mut listed = Listed { threads, groups: Vec::new(), most: 1 };
        for group in listed.threads.chunk_by(|&a, &b| of_thread[a] == of_thread[b]) {
            let begin = listed.groups.len();
            listed.groups.extend(group.iter().map(|_| (begin, begin + group.len())));
            listed.most = (1..=group.len() as u64).fold(listed.most, u64::saturating_mul);
        }
        listed
    }

    /// The place of each thread of the initial states, in the order of places.
    pub fn threads(&self) -> &[usize] {
        &self.threads
    }

    /// Whether a word has the threads of the initial states and no others.
    pub fn is_all(&self, word: &[u32]) -> bool {
        word.len() == 1 + self.groups.len()
    }

    /// The places of the threads that are like this thread of the initial states.
    pub fn places_like(&self, thread: usize) -> Range<usize> {
        let place = self.threads.iter().position(|&other| other == thread);
        let (begin, end) =
            place.and_then(|place| self.groups.get(place).copied()).unwrap_or((0, 0));
        begin..end
    }

    /// Where the places begin and end that a place belongs to.
    fn group(&self, place: usize, length: usize) -> (usize, usize) {
        self.groups.get(place).copied().unwrap_or((self.groups.len(), length))
    }

    /// Sorts entries within their classes.
    #[inline]
    pub fn sort(&self, entries: &mut [u32]) {
        let mut begin = 0;
        while begin < entries.len() {
            let (_, end) = self.group(begin, entries.len());
            if end - begin > 1 {
                entries[begin..end].sort_unstable();
            }
            begin = end;
        }
    }

    /// Makes all entries of a class its largest one.
    pub fn level(&self, entries: &mut [u32]) {
        let mut begin = 0;
        while begin < entries.len() {
            let (_, end) = self.group(begin, entries.len());
            let most = entries[begin..end].iter().copied().max().unwrap_or(0);
            entries[begin..end].fill(most);
            begin = end;
        }
    }

    /// Replaces the first entry `from`.
    pub fn replace(&self, entries: &mut [u32], from: u32, to: u32) {
        if let Some(place) = entries.iter().position(|&entry| entry == from) {
            entries[place] = to;
            let (begin, end) = self.group(place, entries.len());
            entries[begin..end].sort_unstable();
        }
    }

    /// Adds a thread that was started to a word.
    pub fn add(&self, word: &mut Vec<u32>, entry: u32) {
        let first = 1 + self.groups.len();
        let at = first + word[first..].partition_point(|&e| e < entry);
        word.insert(at, entry);
    }

    /// Whether rows with these columns have the threads of the initial states and no others.
    pub fn has_columns(&self, columns: &[Column]) -> bool {
        columns.len() == 1 + self.groups.len()
    }

    /// Whether no two places belong together, so that a word stands for one list.
    pub fn are_single(&self) -> bool {
        self.most == 1
    }

    /// How many lists of threads a word stands for that has no others.
    pub fn arrangements(&self, word: &[u32]) -> u128 {
        self.arrangements_among(word[1..].iter().copied())
    }

    /// How many lists of threads a row stands for that has no others. The columns are those of the entries.
    #[inline]
    pub fn arrangements_of_row<R: Row>(&self, columns: &[Column], row: R) -> u128 {
        self.arrangements_among(columns.iter().map(|&column| row.get(column)))
    }

    #[inline]
    fn arrangements_among(&self, entries: impl Iterator<Item = u32>) -> u128 {
        let (mut same, mut run, mut last) = (1, 1, None);
        for entry in entries {
            run = if last == Some(entry) { run + 1 } else { 1 };
            same *= run;
            last = Some(entry);
        }
        u128::from(if same == 1 { self.most } else { self.most / same })
    }

    /// A row in which the thread at a place has another entry, and the first place that has this entry.
    /// The columns are those of the entries; the place is the first one with the entry that is there.
    #[inline]
    pub fn patch<R: Row>(&self, columns: &[Column], row: R, place: usize, to: u32) -> (R, u32) {
        let (begin, end) = self.groups[place];
        let (mut row, mut place) = (row, place);
        // What is smaller moves down, what is larger up, until the entry is in order.
        while place + 1 < end {
            let above = row.get(columns[place + 1]);
            if above >= to {
                break;
            }
            row = row.put(columns[place], above);
            place += 1;
        }
        while place > begin {
            let below = row.get(columns[place - 1]);
            if below <= to {
                break;
            }
            row = row.put(columns[place], below);
            place -= 1;
        }
        row = row.put(columns[place], to);
        while place > begin && row.get(columns[place - 1]) == to {
            place -= 1;
        }
        (row, place as u32)
    }
}

#[cfg(test)]
mod tests {
    use selvedge_store::Columns;

    use super::{Classes, Listed};

    /// A changed row is the row of the changed word.
    #[test]
    fn rows_are_changed_as_words_are() {
        let mut rng = fastrand::Rng::with_seed(6);
        for case in 0..2000 {
            let classes = Classes::of_sizes(&[1 + case % 4, 1 + case % 3, 2]);
            let listed = Listed::new(&classes);
            let of_place = |place: usize| classes.of_thread(listed.threads()[place]);
            let places = classes.of_threads().len();
            // Entries of different classes differ.
            let mut random = |place: usize| of_place(place) + 3 * rng.u32(0..4);
            let mut entries: Vec<u32> = (0..places).map(&mut random).collect();
            let tos: Vec<u32> = (0..places).map(&mut random).collect();
            listed.sort(&mut entries);
            let columns = Columns::for_numbers(&vec![12; places]);
            for place in 0..places {
                if place > 0 && entries[place] == entries[place - 1] {
                    continue;
                }
                let row = columns.pack(&entries);
                let word: Vec<u32> = std::iter::once(0).chain(entries.iter().copied()).collect();
                let lists = listed.arrangements(&word);
                assert_eq!(listed.arrangements_of_row(columns.list(), row), lists);
                let counts = super::super::classes::arrangements(
                    (0..places).map(|place| (of_place(place), 1)),
                );
                let differ = entries.windows(2).all(|pair| pair[0] != pair[1]);
                assert_eq!(Some(lists) == counts, differ);
                let half = listed.patch(columns.list(), row as u64, place, tos[place]);
                let (row, at) = listed.patch(columns.list(), row, place, tos[place]);
                assert_eq!((u128::from(half.0), half.1), (row, at));
                let mut word = entries.clone();
                listed.replace(&mut word, entries[place], tos[place]);
                assert_eq!(row, columns.pack(&word));
                assert_eq!(word.iter().position(|&e| e == tos[place]), Some(at as usize));
            }
        }
    }
}
