//! # Visible states
//! What is seen of the states that were reached: the shared state and the top of each stack. A
//! set of stacks shows every top that one of them has, so a state of sets stands for many visible
//! states; most of them were seen before, with a state that shows as much and more.

use std::iter::repeat_n;

use rustc_hash::FxHashMap;
use selvedge_model::SymbolId;

use super::StateSet;
use super::classes::arrangements;
use super::words::Layout;

/// A thread as it is seen: its class and the top of its stack.
pub(super) type Seen = (u32, Option<SymbolId>);

/// The visible states that were reached, in the order in which they were found.
#[derive(Clone, Debug)]
pub(super) struct Visible {
    layout: Layout,
    seen: Vec<Seen>,
    numbers: FxHashMap<Seen, u32>,
    states: StateSet,
    /// Sets of what may be seen of one thread, by number.
    ranges: Vec<Vec<Seen>>,
    range_numbers: FxHashMap<Vec<Seen>, u32>,
    /// States of such sets that were added.
    added: StateSet,
    /// For each shared state, those of them that no other one covers, as sets with counts.
    widest: FxHashMap<u32, Vec<Vec<(u32, u32)>>>,
}

impl Visible {
    pub fn new(layout: Layout) -> Self {
        Visible {
            layout,
            seen: Vec::new(),
            numbers: FxHashMap::default(),
            states: StateSet::default(),
            ranges: Vec::new(),
            range_numbers: FxHashMap::default(),
            added: StateSet::default(),
            widest: FxHashMap::default(),
        }
    }

    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// Adds everything that is visible of a state: `threads` has, for each kind of thread, what
    /// may be seen of it and how many there are.
    pub fn add(&mut self, shared: u32, threads: &[(Vec<Seen>, u32)]) {
        let several = threads.iter().any(|(options, _)| options.len() > 1);
        if several && self.is_covered(shared, threads) {
            return;
        }
        self.choose(shared, threads);
    }

    /// Whether all of this was added before. If not, notes that it is added now.
    fn is_covered(&mut self, shared: u32, threads: &[(Vec<Seen>, u32)]) -> bool {
        let entries = threads.iter().flat_map(|(options, count)| {
            let number = self.range(options);
            std::iter::repeat_n(number, *count as usize)
        });
        let entries = entries.collect();
        let word = Layout::Counted.word(shared, entries);
        if !self.added.insert(&word).1 {
            return true;
        }
        let counts: Vec<(u32, u32)> = Layout::Counted.entries(&word).collect();
        let mut widest = self.widest.remove(&shared).unwrap_or_default();
        let covered = widest.iter().any(|wide| self.covers(wide, &counts));
        if !covered {
            widest.retain(|narrow| !self.covers(&counts, narrow));
            widest.push(counts);
        }
        self.widest.insert(shared, widest);
        covered
    }

    fn range(&mut self, options: &[Seen]) -> u32 {
        if let Some(&number) = self.range_numbers.get(options) {
            return number;
        }
        let number = self.ranges.len() as u32;
        self.ranges.push(options.to_vec());
        self.range_numbers.insert(options.to_vec(), number);
        number
    }

    /// Whether each thread of `narrow` can be given to a thread of `wide` that shows as much: a
    /// flow from the sets of the one to the sets of the other, found path by path.
    fn covers(&self, wide: &[(u32, u32)], narrow: &[(u32, u32)]) -> bool {
        let within = |n: u32, w: u32| {
            let wide = &self.ranges[w as usize];
            self.ranges[n as usize].iter().all(|seen| wide.contains(seen))
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
    fn choose(&mut self, shared: u32, threads: &[(Vec<Seen>, u32)]) {
        let kind = |(index, (_, count)): (usize, &(_, u32))| repeat_n(index, *count as usize);
        let kinds: Vec<usize> = threads.iter().enumerate().flat_map(kind).collect();
        if kinds.iter().any(|&kind| threads[kind].0.is_empty()) {
            return;
        }
        let mut tops = vec![0; kinds.len()];
        loop {
            let chosen = kinds.iter().zip(&tops);
            let chosen = chosen.map(|(&kind, &top)| self.number(threads[kind].0[top])).collect();
            let word = self.layout.word(shared, chosen);
            self.states.insert(&word);
            let can_rise = |place: &usize| tops[*place] + 1 < threads[kinds[*place]].0.len();
            let Some(place) = (0..tops.len()).rev().find(can_rise) else { return };
            let top = tops[place] + 1;
            for later in place..tops.len() {
                tops[later] = if kinds[later] == kinds[place] { top } else { 0 };
            }
        }
    }

    fn number(&mut self, seen: Seen) -> u32 {
        let next = self.seen.len() as u32;
        let number = *self.numbers.entry(seen).or_insert(next);
        if number == next {
            self.seen.push(seen);
        }
        number
    }

    /// The shared state of a visible state.
    pub fn shared(&self, number: u32) -> u32 {
        self.states.first(number)
    }

    /// The threads of a visible state, with how many there are of each.
    pub fn threads(&self, number: u32) -> Vec<(Seen, u32)> {
        let word = self.states.get(number);
        let threads = self.layout.entries(&word);
        threads.map(|(entry, count)| (self.seen[entry as usize], count)).collect()
    }

    /// How many visible states this one stands for.
    pub fn weight(&self, number: u32) -> Option<u128> {
        let word = self.states.get(number);
        arrangements(self.layout.entries(&word).map(|(e, count)| (self.seen[e as usize].0, count)))
    }
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
