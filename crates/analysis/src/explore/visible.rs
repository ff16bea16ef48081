//! # Visible states
//! What is seen of the states that were reached: the shared state and the top of each stack. A
//! set of stacks shows every top that one of them has, so a state of sets stands for many visible
//! states; most of them were seen before, with a state that shows as much and more.

use std::iter::repeat_n;
use std::ops::Range;

use rustc_hash::FxHashMap;
use selvedge_model::SymbolId;
use selvedge_store::{Arrival, Batch, Bytes, Column, Crew, Full, Interner, Row, Sifted, StateSet};

use super::Classes;
use super::words::Layout;

/// A thread as it is seen: its class and the top of its stack.
pub(super) type Glimpse = (u32, Option<SymbolId>);

/// The visible states that were reached, in the order in which they were found.
#[derive(Debug)]
pub(super) struct Visible {
    layout: Layout,
    seen: Interner<Glimpse>,
    states: StateSet,
    /// What each entry shows, if it has a single top; [`UNKNOWN`] until it was looked at.
    of_entry: Vec<u32>,
    /// Visible states that are not in the set yet.
    waiting: Batch,
    /// The largest number of a shared state that somebody has told of.
    most_shared: u32,
    /// Visible states that several workers have made, and that they make.
    made: [Vec<Vec<Arrival<u128>>>; 2],
    /// How many entries such workers know, and the largest numbers of what is seen of them, in the place of the shared state and of each thread.
    met: u32,
    most_seen: Vec<u32>,
    /// Sets of what may be seen of one thread, by number.
    ranges: Interner<Vec<Glimpse>>,
    /// States of such sets that were added.
    added: StateSet,
    /// For each shared state, those of them that no other one covers, as sets with counts.
    widest: FxHashMap<u32, Vec<Vec<(u32, u32)>>>,
}

const UNKNOWN: u32 = u32::MAX;

/// Words of more numbers than this are not made in place.
const MOST_COLUMNS: usize = 12;

/// How many states one worker looks at, at a time.
const STATES_PER_PIECE: u32 = 1 << 10;

/// How many pieces are made beside each other.
const PIECES: u32 = 32;

/// How many visible states are looked up together.
const TOGETHER: usize = 1 << 8;

impl Visible {
    pub fn new(layout: Layout) -> Self {
        Visible {
            layout,
            seen: Interner::of("tops of threads"),
            states: StateSet::default(),
            of_entry: Vec::new(),
            waiting: Batch::default(),
            most_shared: 0,
            made: Default::default(),
            met: 0,
            most_seen: Vec::new(),
            ranges: Interner::of("sets of tops"),
            added: StateSet::default(),
            widest: FxHashMap::default(),
        }
    }

    /// The number of the visible state that comes next.
    pub fn end(&self) -> u32 {
        self.states.end()
    }

    /// Adds what is visible of a state in which each thread shows one top: `top` says what is seen of an
    /// entry. The word of the state is changed. Not before [`Visible::flush`] is it in the set.
    pub fn add_tops(&mut self, word: &mut [u32], top: impl Fn(u32) -> Glimpse) -> Result<(), Full> {
        match &self.layout {
            Layout::Listed(listed) => {
                for entry in &mut word[1..] {
                    *entry = match self.of_entry.get(*entry as usize) {
                        Some(&known) if known != UNKNOWN => known,
                        _ => meet(&mut self.of_entry, &mut self.seen, *entry, &top)?,
                    };
                }
                listed.sort(&mut word[1..]);
                self.waiting.push(word);
            }
            Layout::Counted => {
                let mut tops = Vec::new();
                for (entry, count) in self.layout.entries(word) {
                    let seen = self.seen.intern(top(entry))?;
                    tops.extend(repeat_n(seen, count as usize));
                }
                self.waiting.push(&self.layout.word(word[0], tops));
            }
        }
        if self.waiting.len() >= TOGETHER { self.flush() } else { Ok(()) }
    }

    /// Adds what is visible of a state that is a narrow row: see [`Visible::add_tops`].
    pub fn add_row<R: Row>(
        &mut self,
        columns: &[Column],
        row: R,
        top: impl Fn(u32) -> Glimpse,
    ) -> Result<(), Full> {
        let mut short = [0; MOST_COLUMNS];
        let Some(word) = short.get_mut(..columns.len()) else {
            let mut long: Vec<u32> = columns.iter().map(|&column| row.get(column)).collect();
            return self.add_tops(&mut long, top);
        };
        let (Layout::Listed(listed), false) = (&self.layout, columns.is_empty()) else {
            word.iter_mut().zip(columns).for_each(|(to, &column)| *to = row.get(column));
            return self.add_tops(word, top);
        };
        word[0] = row.get(columns[0]);
        for (to, &column) in word[1..].iter_mut().zip(&columns[1..]) {
            let entry = row.get(column);
            *to = match self.of_entry.get(entry as usize) {
                Some(&known) if known != UNKNOWN => known,
                _ => meet(&mut self.of_entry, &mut self.seen, entry, &top)?,
            };
        }
        listed.sort(&mut word[1..]);
        match self.states.narrow() {
            Some(columns) if columns.len() == word.len() && columns.hold(word) => {
                self.waiting.push_row(columns.pack(word));
            }
            _ => self.add_wider(word)?,
        }
        if self.waiting.len() >= TOGETHER { self.flush() } else { Ok(()) }
    }

    /// Adds what is visible of states that are narrow rows, with all workers of a crew, if that can be done. So many entries are known; `top` says what is seen of one.
    pub fn add_wave(
        &mut self,
        states: &StateSet,
        numbers: Range<u32>,
        (entries, classes): (u32, &Classes),
        crew: &Crew,
        top: impl Fn(u32) -> Glimpse,
    ) -> Result<bool, Full> {
        let (Layout::Listed(listed), Some(columns)) = (&self.layout, states.narrow()) else {
            return Ok(false);
        };
        if columns.len() > MOST_COLUMNS || !listed.has_columns(columns.list()) {
            return Ok(false);
        }
        self.states.insert_all(&mut self.waiting, |_, _, _| {})?;
        // Columns are as wide as any of these states needs them.
        self.most_seen.resize(columns.len(), 0);
        for entry in self.met..entries {
            let seen = meet(&mut self.of_entry, &mut self.seen, entry, &top)?;
            let (class, _) = *self.seen.get(seen);
            for (most, &thread) in self.most_seen[1..].iter_mut().zip(listed.threads()) {
                if classes.of_thread(thread) == class {
                    *most = seen.max(*most);
                }
            }
        }
        self.met = entries;
        self.most_seen[0] = self.most_shared;
        self.states.make_room_with(&self.most_seen, crew);
        let Some(narrow) = self.states.narrow() else { return Ok(false) };
        let (of_entry, narrow) = (&self.of_entry, narrow.clone());
        let make = |(some, to): (Range<u32>, &mut Vec<Arrival<u128>>)| {
            // Lists that lie side by side would slow down workers that write to them.
            let mut rows = std::mem::take(to);
            rows.clear();
            let mut short = [0; MOST_COLUMNS];
            let word = &mut short[..columns.len()];
            for number in some {
                let row = states.row(number);
                for (to, &column) in word.iter_mut().zip(columns.list()) {
                    *to = row.get(column);
                }
                word[1..].iter_mut().for_each(|entry| *entry = of_entry[*entry as usize]);
                listed.sort(&mut word[1..]);
                debug_assert!(narrow.hold(word), "columns are too narrow for {word:?}");
                rows.push(Arrival::new(narrow.pack(word), 0));
            }
            *to = rows;
        };
        // Some are put into the set while others are made.
        let [mut made, mut making] = std::mem::take(&mut self.made);
        let (set, mut next, mut added) = (&mut self.states, numbers, Ok(()));
        let mut sifted = Sifted::default();
        while added.is_ok() && !(next.is_empty() && made.is_empty()) {
            let start = next.start;
            next.start = next.end.min(start.saturating_add(STATES_PER_PIECE * PIECES));
            let starts = (start..next.start).step_by(STATES_PER_PIECE as usize);
            making.resize_with(starts.len(), Vec::new);
            let end = |from: u32| next.start.min(from.saturating_add(STATES_PER_PIECE));
            let parts = starts.map(|from| from..end(from)).zip(&mut making).collect();
            crew.each_beside(parts, make, || {
                added = made.iter().try_for_each(|rows| set.insert_rows(rows, sifted, &mut ()));
            });
            // There is room for all of them before they look for their places.
            set.expect_more(making.iter().map(Vec::len).sum(), crew);
            if crew.workers() > 1 {
                sifted = set.sifted();
                crew.each(making.iter_mut().collect(), |to| {
                    let mut rows = std::mem::take(to);
                    set.sift(&mut rows, &());
                    *to = rows;
                });
            }
            made.clear();
            std::mem::swap(&mut made, &mut making);
        }
        self.made = [made, making];
        added.map(|()| true)
    }

    /// Expects visible states with shared states up to this number.
    pub fn expect_shared(&mut self, most: u32) {
        self.most_shared = self.most_shared.max(most);
    }

    /// Adds a word that the columns are too narrow for. All rows are written anew for that, so columns become as wide as others
    /// will need them soon: for shared states that are known, and for all threads of a class what one of them needs.
    #[cold]
    fn add_wider(&mut self, word: &[u32]) -> Result<(), Full> {
        // Rows that wait have the columns of now, and come first.
        self.flush()?;
        let mut most = word.to_vec();
        if let (Layout::Listed(listed), Some((shared, entries))) =
            (&self.layout, most.split_first_mut())
        {
            *shared = self.most_shared.max(*shared);
            listed.level(entries);
        }
        self.states.make_room(&most);
        self.states.insert(word)?;
        Ok(())
    }

    /// Puts what waits into the set.
    pub fn flush(&mut self) -> Result<(), Full> {
        self.states.insert_all(&mut self.waiting, |_, _, _| {})
    }

    /// Adds everything that is visible of a state: `threads` has, for each kind of thread, what
    /// may be seen of it and how many there are.
    pub fn add(&mut self, shared: u32, threads: &[(Vec<Glimpse>, u32)]) -> Result<(), Full> {
        let several = threads.iter().any(|(options, _)| options.len() > 1);
        if several && self.is_covered(shared, threads)? {
            return Ok(());
        }
        self.choose(shared, threads)
    }

    /// Whether all of this was added before. If not, notes that it is added now.
    fn is_covered(&mut self, shared: u32, threads: &[(Vec<Glimpse>, u32)]) -> Result<bool, Full> {
        let mut entries = Vec::new();
        for (options, count) in threads {
            let number = self.ranges.intern_ref(&options[..])?;
            entries.extend(repeat_n(number, *count as usize));
        }
        let word = Layout::Counted.word(shared, entries);
        if !self.added.insert(&word)?.1 {
            return Ok(true);
        }
        let counts: Vec<(u32, u32)> = Layout::Counted.entries(&word).collect();
        let mut widest = self.widest.remove(&shared).unwrap_or_default();
        let covered = widest.iter().any(|wide| self.covers(wide, &counts));
        if !covered {
            widest.retain(|narrow| !self.covers(&counts, narrow));
            widest.push(counts);
        }
        self.widest.insert(shared, widest);
        Ok(covered)
    }

    /// Whether each thread of `narrow` can be given to a thread of `wide` that shows as much: a
    /// flow from the sets of the one to the sets of the other, found path by path.
    fn covers(&self, wide: &[(u32, u32)], narrow: &[(u32, u32)]) -> bool {
        let within = |n: u32, w: u32| {
            let wide = self.ranges.get(w);
            self.ranges.get(n).iter().all(|seen| wide.contains(seen))
        };
        let mut room: Vec<u32> = wide.iter().map(|&(_, count)| count).collect();
        let mut flow = vec![vec![0u32; wide.len()]; narrow.len()];
        for (source, &(_, count)) in narrow.iter().enumerate() {
            for _ in 0..count {
                let fits = |from: usize, to: usize| within(narrow[from].0, wide[to].0);
                if !augment(source, &fits, &mut room, &mut flow, &mut vec![false; wide.len()]) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds each choice of tops. Threads of one kind are interchangeable: their tops are in order.
    fn choose(&mut self, shared: u32, threads: &[(Vec<Glimpse>, u32)]) -> Result<(), Full> {
        let kind = |(index, (_, count)): (usize, &(_, u32))| repeat_n(index, *count as usize);
        let kinds: Vec<usize> = threads.iter().enumerate().flat_map(kind).collect();
        if kinds.iter().any(|&kind| threads[kind].0.is_empty()) {
            return Ok(());
        }
        let mut tops = vec![0; kinds.len()];
        loop {
            let chosen = kinds.iter().zip(&tops);
            let chosen = chosen.map(|(&kind, &top)| self.seen.intern(threads[kind].0[top]));
            let word = self.layout.word(shared, chosen.collect::<Result<_, Full>>()?);
            self.states.insert(&word)?;
            let can_rise = |place: &usize| tops[*place] + 1 < threads[kinds[*place]].0.len();
            let Some(place) = (0..tops.len()).rev().find(can_rise) else { return Ok(()) };
            let top = tops[place] + 1;
            for later in place..tops.len() {
                tops[later] = if kinds[later] == kinds[place] { top } else { 0 };
            }
        }
    }

    /// The shared state of a visible state.
    pub fn shared(&self, number: u32) -> u32 {
        self.states.first(number)
    }

    /// The threads of a visible state, with how many there are of each.
    pub fn threads(&self, number: u32) -> Vec<(Glimpse, u32)> {
        let word = self.states.get(number);
        let threads = self.layout.entries(&word);
        threads.map(|(entry, count)| (*self.seen.get(entry), count)).collect()
    }

    /// How many visible states these stand for.
    pub fn weight(&self, numbers: Range<u32>, crew: &Crew) -> Option<u128> {
        let class = |entry| self.seen.get(entry).0;
        self.layout.arrangements_of(&self.states, numbers, class, crew)
    }
}

impl Bytes for Visible {
    fn bytes(&self) -> usize {
        let sets = self.widest.values().flatten().map(|set| set.capacity() * 8).sum::<usize>();
        let own =
            [&self.seen as &dyn Bytes, &self.states, &self.of_entry, &self.ranges, &self.added];
        selvedge_store::total(&own) + sets
    }
}

/// Notes what is seen of an entry.
#[cold]
fn meet(
    of_entry: &mut Vec<u32>,
    seen: &mut Interner<Glimpse>,
    entry: u32,
    top: impl Fn(u32) -> Glimpse,
) -> Result<u32, Full> {
    let number = seen.intern(top(entry))?;
    if of_entry.len() <= entry as usize {
        of_entry.resize(entry as usize + 1, UNKNOWN);
    }
    of_entry[entry as usize] = number;
    Ok(number)
}

/// Finds room for one more thread of `source`, moving others if need be.
fn augment(
    source: usize,
    fits: &impl Fn(usize, usize) -> bool,
    room: &mut [u32],
    flow: &mut [Vec<u32>],
    tried: &mut [bool],
) -> bool {
    for to in 0..room.len() {
        if tried[to] || !fits(source, to) {
            continue;
        }
        tried[to] = true;
        let freed = if room[to] > 0 {
            room[to] -= 1;
            true
        } else {
            (0..flow.len()).any(|other| {
                let moved = flow[other][to] > 0 && augment(other, fits, room, flow, tried);
                if moved {
                    flow[other][to] -= 1;
                }
                moved
            })
        };
        if freed {
            flow[source][to] += 1;
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use selvedge_model::SymbolId;
    use selvedge_store::{Crew, Full, StateSet};

    use super::super::Classes;
    use super::super::listed::Listed;
    use super::{Layout, Visible};

    /// One visible state is enough for columns that hold what others of its class and of known shared states need.
    #[test]
    fn columns_are_as_wide_as_others_will_need_them() -> Result<(), Full> {
        let layout = Layout::Listed(Listed::new(&Classes::of_sizes(&[3])));
        let mut states = StateSet::default();
        states.insert(&layout.word(0, vec![0, 1, 2]))?;
        let columns = states.narrow().expect("words are short").clone();
        let mut visible = Visible::new(layout);
        visible.expect_shared(1000);
        visible.add_row(columns.list(), states.row(0), |entry| (0, Some(SymbolId(entry))))?;
        visible.flush()?;
        let wide = visible.states.narrow().expect("words are short");
        assert!(wide.hold(&[1000, 2, 2, 2]) && !wide.hold(&[1000, 4, 2, 2]));
        assert_eq!((visible.end(), visible.shared(0)), (1, 0));
        Ok(())
    }

    /// What is visible of rows is what is visible of words, in the same order, also where columns of visible states
    /// become wider on the way.
    #[test]
    fn rows_show_what_words_show() -> Result<(), Full> {
        let mut rng = fastrand::Rng::with_seed(11);
        for case in 0..40 {
            let classes = Classes::of_sizes(&[1 + case % 3, 2]);
            let layout = Layout::Listed(Listed::new(&classes));
            let top = |entry: u32| (entry % 2, Some(SymbolId(entry / 3)));
            let mut states = StateSet::default();
            for number in 0..1500_u32 {
                let most = 2 + number / 20;
                let entries = classes.of_threads().iter().map(|_| rng.u32(0..most)).collect();
                states.insert(&layout.word(rng.u32(0..most), entries))?;
            }
            let [mut by_words, mut by_rows] = [(); 2].map(|()| Visible::new(layout.clone()));
            let mut word = Vec::new();
            let columns = states.narrow().expect("words are short").clone();
            for number in 0..states.end() {
                states.read(number, &mut word);
                by_words.add_tops(&mut word, top)?;
                by_rows.add_row(columns.list(), states.row(number), top)?;
            }
            by_words.flush()?;
            by_rows.flush()?;
            assert_eq!(by_rows.end(), by_words.end());
            for number in 0..by_words.end() {
                assert_eq!(by_rows.shared(number), by_words.shared(number), "case {case}");
                assert_eq!(by_rows.threads(number), by_words.threads(number), "case {case}");
            }
            let weight = |visible: &Visible| visible.weight(0..visible.end(), &Crew::default());
            assert_eq!(weight(&by_rows), weight(&by_words));
        }
        Ok(())
    }
}
