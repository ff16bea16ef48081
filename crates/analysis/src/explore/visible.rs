//! # Visible states
//! What is seen of the states that were reached: the shared state and the top of each stack. A
//! set of stacks shows every top that one of them has.

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
}

impl Visible {
    pub fn new(layout: Layout) -> Self {
        Visible {
            layout,
            seen: Vec::new(),
            numbers: FxHashMap::default(),
            states: StateSet::default(),
        }
    }

    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    /// Adds everything that is visible of a state: `threads` has, for each kind of thread, what
    /// may be seen of it and how many there are.
    pub fn add(&mut self, shared: u32, threads: &[(Vec<Seen>, u32)]) {
        let mut chosen = Vec::new();
        self.choose(shared, threads, 0, &mut chosen);
    }

    /// Chooses for the threads from the first kind on, with tops from `from` on.
    fn choose(
        &mut self,
        shared: u32,
        threads: &[(Vec<Seen>, u32)],
        from: usize,
        chosen: &mut Vec<u32>,
    ) {
        let Some(((options, count), rest)) = threads.split_first() else {
            let word = self.layout.word(shared, chosen.clone());
            self.states.insert(&word);
            return;
        };
        if *count == 0 {
            self.choose(shared, rest, 0, chosen);
            return;
        }
        // Threads of one kind are interchangeable: their tops are chosen in order.
        for at in from..options.len() {
            let number = self.number(options[at]);
            if at + 1 == options.len() {
                chosen.extend(std::iter::repeat_n(number, *count as usize));
                self.choose(shared, rest, 0, chosen);
                chosen.truncate(chosen.len() - *count as usize);
            } else {
                let mut fewer = threads.to_vec();
                fewer[0].1 -= 1;
                chosen.push(number);
                self.choose(shared, &fewer, at, chosen);
                chosen.pop();
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
        self.states.get(number)[0]
    }

    /// The threads of a visible state, with how many there are of each.
    pub fn threads(&self, number: u32) -> Vec<(Seen, u32)> {
        let threads = self.layout.entries(self.states.get(number));
        threads.map(|(entry, count)| (self.seen[entry as usize], count)).collect()
    }

    /// How many visible states this one stands for.
    pub fn weight(&self, number: u32) -> Option<u128> {
        let word = self.states.get(number);
        arrangements(self.layout.entries(word).map(|(e, count)| (self.seen[e as usize].0, count)))
    }
}
