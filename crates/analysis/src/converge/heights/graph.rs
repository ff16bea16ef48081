//! The states of a cut with the steps between them, and least values of measures as shortest paths.

use std::collections::VecDeque;
use std::collections::hash_map::Entry::Vacant;
use std::mem::replace;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_evidence::{CountedState, Guess};
use selvedge_model::{SharedId, SymbolId, System, Word};
use selvedge_store::Interner;

use crate::explore::windows::{Window, Windows};
use crate::explore::{Locals, Reached};
use crate::{Budget, Pace, Stop, certify};

/// The class and the local of a thread.
type Entry = (u32, u32);

/// A step of one thread: the state it leaves behind, and how high its stack is then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HeightStep {
    /// The shared state after.
    shared: SharedId,
    /// The kind of the thread after.
    kind: u32,
    /// By how many symbols its stack grows; negative where it shrinks.
    growth: i32,
    /// The guess about what a pop uncovers.
    uses: Option<u32>,
}

/// The steps of a kind of thread at a shared state, with the guesses about symbols that leave its window.
#[derive(Default)]
struct Doings {
    steps: Vec<HeightStep>,
    makes: Vec<u32>,
}

/// A value that falls this far below any that excludes a state is given up.
const SLACK: i64 = 8;

/// The least value of a measure in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Least {
    /// No least value is known, or there is none.
    Unknown,
    At(i64),
    /// The state is not reached.
    Unreached,
}

impl Least {
    pub fn value(self) -> Option<i64> {
        match self {
            Least::At(value) => Some(value),
            Least::Unknown | Least::Unreached => None,
        }
    }

    fn plus(self, change: i64) -> Self {
        match self {
            Least::At(value) => Least::At(value + change),
            other => other,
        }
    }

    /// Whether it is greater than the greatest possible value.
    fn exceeds(self, most: Option<i64>) -> bool {
        matches!((self, most), (Least::At(value), Some(most)) if value > most)
    }
}

/// A step from one state of the cut to another.
struct Edge {
    to: u32,
    /// The class of the thread that acts, and what its stack grows by.
    class: u32,
    growth: i32,
    /// The guess about what a pop uncovers.
    uses: Option<u32>,
    possible: bool,
}

/// A stack, as far as its height is known.
#[derive(Clone, Copy)]
struct Tall {
    class: u32,
    /// The number of visible symbols.
    height: i64,
    /// Whether there are more symbols below.
    hidden: bool,
}

/// The states of a cut with the steps between them.
pub(super) struct Graph {
    states: Vec<CountedState>,
    kinds: Vec<Tall>,
    edges: Vec<Edge>,
    /// Where the edges of each state end.
    ends: Vec<usize>,
    /// All guesses, and which of them come with each state.
    guesses: Interner<Guess>,
    makes: Vec<Box<[u32]>>,
    /// Those that stacks come with at the start.
    first: Vec<u32>,
    /// Which guesses count; `None` if all do.
    counts: Option<Vec<bool>>,
    /// How many symbols of each stack are kept.
    depth: usize,
    /// The initial states, each with the heights of its stacks by class.
    initial: Vec<(u32, Vec<(u32, i64)>)>,
    /// Whether each state is left.
    pub possible: Vec<bool>,
}

impl Graph {
    /// All states that were reached, and all steps.
    pub fn new(
        system: &dyn System,
        reached: &Reached<'_, Windows>,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        // Every window is there and no guess is new, but steps are looked at as if there could be.
        let mut windows = reached.locals().clone();
        let classes = reached.classes();
        let (states, kinds) = certify::states(reached);
        let numbers: FxHashMap<&CountedState, u32> = states.iter().zip(0..).collect();
        let number_of: FxHashMap<Entry, u32> = kinds.iter().copied().zip(0..).collect();
        let mut known: FxHashMap<(SharedId, u32), Doings> = FxHashMap::default();
        let mut guesses: Interner<Guess> = Interner::of("guesses");
        let (mut edges, mut ends) = (Vec::new(), Vec::with_capacity(states.len()));
        let mut makes = Vec::with_capacity(states.len());
        let mut pace = Pace::new(budget);
        for state in &states {
            let mut made: Vec<u32> = Vec::new();
            for &(kind, _) in &state.threads {
                let (class, local) = kinds[kind as usize];
                if let Vacant(vacant) = known.entry((state.shared, kind)) {
                    let mut found = Doings::default();
                    let window = windows.get(local).clone();
                    let has_top = !window.symbols.is_empty();
                    let hiding = windows.hiding(class, &window);
                    let thread = (class, state.shared, local);
                    windows.steps(
                        system,
                        classes.template(class),
                        thread,
                        |windows, action, after| {
                            let growth = action.word.symbols().count() as i32 - i32::from(has_top);
                            let after_word = window.after(action.word);
                            for (above, below) in windows.outside(class, &after_word, window.hidden)
                            {
                                found.makes.push(guesses.intern(certify::guess_of(&above, below))?);
                            }
                            let mut uses = None;
                            let Window { symbols, hidden } = windows.get(after);
                            if action.word == Word::Pop
                                && let (Some(above), Some(&symbol)) = (&hiding, symbols.last())
                            {
                                let guess = certify::guess_of(above, (symbol, *hidden));
                                uses = Some(guesses.intern(guess)?);
                            }
                            let kind = number_of.get(&(class, after));
                            found.steps.extend(kind.map(|&kind| HeightStep {
                                shared: action.shared,
                                kind,
                                growth,
                                uses,
                            }));
                            Ok(())
                        },
                    )?;
                    found.steps.sort_unstable();
                    found.steps.dedup();
                    vacant.insert(found);
                }
                let doings = &known[&(state.shared, kind)];
                pace.spend(1 + doings.steps.len())?;
                made.extend(&doings.makes);
                for &HeightStep { shared, kind: after, growth, uses } in &doings.steps {
                    let to = numbers.get(&state.after(shared, kind, after)).copied();
                    edges.extend(to.map(|to| Edge { to, class, growth, uses, possible: true }));
                }
            }
            made.sort_unstable();
            made.dedup();
            makes.push(made.into());
            ends.push(edges.len());
        }
        let (mut initial, mut first) = (Vec::new(), Vec::new());
        for state in system.initial()? {
            let mut found = Vec::new();
            let mut heights = Vec::new();
            for (thread, &class) in state.threads.iter().zip(classes.of_threads()) {
                let local = windows.of_stack(class, &thread.stack)?;
                found.extend(number_of.get(&(class, local)));
                let symbols: Vec<SymbolId> = thread.stack.iter().collect();
                for (above, below) in windows.outside(class, &symbols, false) {
                    first.push(guesses.intern(certify::guess_of(&above, below))?);
                }
                heights.push((class, thread.stack.iter().count() as i64));
            }
            let number = numbers.get(&CountedState::of_kinds(state.shared, found));
            initial.extend(number.map(|&number| (number, heights)));
        }
        let tall = |&(class, local): &Entry| {
            let Window { symbols, hidden } = windows.get(local);
            Tall { class, height: symbols.len() as i64, hidden: *hidden }
        };
        let kinds: Vec<Tall> = kinds.iter().map(tall).collect();
        let possible = vec![true; states.len()];
        let (counts, depth) = (None, windows.depth());
        Ok(Graph {
            states,
            kinds,
            edges,
            ends,
            guesses,
            makes,
            first,
            counts,
            depth,
            initial,
            possible,
        })
    }

    /// For each class, whether something is hidden in one of its stacks.
    pub fn hiding(&self) -> Vec<bool> {
        let classes = self.kinds.iter().map(|kind| kind.class as usize + 1).max().unwrap_or(0);
        let mut hides = vec![false; classes];
        for kind in &self.kinds {
            hides[kind.class as usize] |= kind.hidden;
        }
        hides
    }

    fn edges(&self, state: u32) -> &[Edge] {
        let start = (state as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.edges[start..self.ends[state as usize]]
    }

    /// The greatest value that a measure can have in each state, if there is one.
    pub fn most(&self, weights: &[i32]) -> Vec<Option<i64>> {
        let of_state = |state: &CountedState| {
            state.threads.iter().try_fold(0, |total, &(kind, count)| {
                let Tall { class, height, hidden } = self.kinds[kind as usize];
                let weight = i64::from(weights[class as usize]) * i64::from(count);
                let bounded = weight <= 0 || !hidden;
                bounded.then(|| total + weight * (height + i64::from(hidden)))
            })
        };
        self.states.iter().map(of_state).collect()
    }

    /// The least value of a measure in each state: shortest paths, in which steps are not followed
    /// that lead to a value that is greater than possible. A value that goes on falling is given up.
    pub fn least(
        &self,
        weights: &[i32],
        most: &[Option<i64>],
        budget: &Budget,
    ) -> Result<Vec<Least>, Stop> {
        let weight = |class: u32| i64::from(weights[class as usize]);
        let mut least = vec![Least::Unreached; self.states.len()];
        let mut work = VecDeque::new();
        for (state, heights) in &self.initial {
            let value = heights.iter().map(|&(class, height)| weight(class) * height).sum();
            least[*state as usize] = least[*state as usize].min(Least::At(value));
            work.push_back(*state);
        }
        let first = least.iter().filter_map(|least| least.value()).min().unwrap_or(0);
        let lowest = most.iter().flatten().copied().min().unwrap_or(0).min(first) - SLACK;
        let mut pace = Pace::new(budget);
        while let Some(state) = work.pop_front() {
            for edge in self.edges(state).iter().filter(|edge| edge.possible) {
                pace.spend(1)?;
                let change = weight(edge.class) * i64::from(edge.growth);
                let to = edge.to as usize;
                let after = match least[state as usize].plus(change) {
                    after if after.exceeds(most[to]) => continue,
                    Least::At(value) if value < lowest => Least::Unknown,
                    after => after,
                };
                if after < least[to] {
                    least[to] = after;
                    work.push_back(edge.to);
                }
            }
        }
        Ok(least)
    }

    /// Leaves out the states that a measure does not reach, and steps that it excludes; whether a
    /// state is left out that was not before.
    pub fn exclude(&mut self, weights: &[i32], least: &[Least], most: &[Option<i64>]) -> bool {
        let unreached =
            |(&possible, &least): (&bool, &Least)| possible && least == Least::Unreached;
        if !self.possible.iter().zip(least).any(unreached) {
            return false;
        }
        let mut start = 0;
        for (state, &end) in self.ends.iter().enumerate() {
            for edge in &mut self.edges[start..end] {
                let change = i64::from(weights[edge.class as usize]) * i64::from(edge.growth);
                let after = least[state].plus(change);
                edge.possible &= !after.exceeds(most[edge.to as usize]);
            }
            start = end;
            self.possible[state] &= least[state] != Least::Unreached;
        }
        true
    }

    /// Leaves out the states that need a guess about what lies below which nothing brings about any
    /// more: a guess counts from where a stack comes with it, or something falls out of sight.
    ///
    /// Where one symbol is kept, what lies below it is handed on from symbol to symbol, and all guesses
    /// count.
    pub fn follow_guesses(&mut self) {
        if self.depth < 2 {
            return;
        }
        let mut counts = vec![false; self.guesses.len()];
        let mut reached = vec![false; self.states.len()];
        // Where steps lead that need a guess.
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); self.guesses.len()];
        let mut work: Vec<u32> = self.initial.iter().map(|(state, _)| *state).collect();
        let mut made = self.first.clone();
        loop {
            for guess in made.drain(..).map(|guess| guess as usize) {
                counts[guess] = true;
                work.append(&mut waiting[guess]);
            }
            let Some(state) = work.pop() else { break };
            if !self.possible[state as usize] || replace(&mut reached[state as usize], true) {
                continue;
            }
            made.extend_from_slice(&self.makes[state as usize]);
            for edge in self.edges(state).iter().filter(|edge| edge.possible) {
                match edge.uses.map(|guess| guess as usize) {
                    Some(guess) if !counts[guess] => waiting[guess].push(edge.to),
                    _ => work.push(edge.to),
                }
            }
        }
        for edge in &mut self.edges {
            edge.possible &= edge.uses.is_none_or(|guess| counts[guess as usize]);
        }
        for (possible, reached) in self.possible.iter_mut().zip(reached) {
            *possible &= reached;
        }
        self.counts = Some(counts);
    }

    /// The guesses that nothing brings about any more.
    pub fn idle(self) -> FxHashSet<Guess> {
        let Some(counts) = self.counts else { return FxHashSet::default() };
        let each = self.guesses.things().iter().zip(counts);
        each.filter(|&(_, counts)| !counts).map(|(guess, _)| guess.clone()).collect()
    }
}
