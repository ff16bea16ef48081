//! Alg. 1 and 2 of Johnson and Wahl (CAV 2021) as they are described, for comparison: a state is kept
//! with the rounds and delays with which it was *first* found. What the engine does instead, and why,
//! stands in `docs/decisions/0018-rounds-and-delays.md`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use selvedge_model::{State, System, ThreadId, step};

/// What the text leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// What is not followed again.
    pub sets: Sets,
    /// The length of the delay plateau; the text says n - 1.
    pub delay_plateau: usize,
    /// Whether a state that was delayed into a round that is not allowed goes on to the end of that
    /// round, as the test in Line 7 of Alg. 2 lets it.
    pub runs_over: bool,
    /// The order in which states are taken out of sets: as they were found, or at random, with a seed.
    pub order: Option<u64>,
}

impl Reading {
    /// States in the order in which they are found, and within the rounds that are allowed.
    pub fn new(sets: Sets, delay_plateau: usize) -> Self {
        Reading { sets, delay_plateau, runs_over: false, order: None }
    }
}

/// What is known already, and not followed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sets {
    /// What the same call of Alg. 2 has reached: as printed, each call begins with an empty set.
    OneForEachCall,
    /// After a delay, what any call has reached, be it a successor or a state that was delayed.
    OneForDelays,
    /// What any call has reached.
    One,
}

/// Where a program is, and who acted last.
pub type Found = (State, usize);

/// A run of Alg. 1, up to the convergence test.
pub struct Run {
    /// The rounds at the end.
    pub rounds: usize,
    /// The delays at the end.
    pub delays: usize,
    /// What was found, with rounds and delays.
    pub reached: HashMap<Found, (usize, usize)>,
    /// How often the successors of a state were computed before the last plateau began.
    pub images_before: usize,
    /// How often on the last plateau.
    pub images_on_plateau: usize,
}

impl Run {
    /// The states, without the threads that found them.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.reached.keys().map(|(state, _)| state)
    }
}

/// Runs Alg. 1 with an abstraction until it would test for convergence. `None` if that takes more
/// than so many rounds.
pub fn run<A: Eq + Hash>(
    system: &dyn System,
    observe: impl Fn(&State) -> A,
    reading: Reading,
    most_rounds: usize,
) -> Option<Run> {
    let threads = system.threads().len();
    let initial = system.initial().expect("a system");
    let mut search = Search {
        system,
        threads,
        reading,
        abstract_states: initial.iter().map(&observe).collect(),
        observe,
        order: Vec::new(),
        reached: HashMap::new(),
        images: 0,
        random: reading.order.map(fastrand::Rng::with_seed),
    };
    for state in initial {
        search.order.push((state.clone(), threads - 1));
        search.reached.insert((state, threads - 1), (0, 0));
    }
    let (mut rounds, mut delays) = (0, 0);
    // The number of images when the last abstract state was found.
    let mut plateau_from;
    loop {
        loop {
            if rounds == most_rounds {
                return None;
            }
            let frontier = search.frontier(|(r, _)| r == rounds);
            rounds += 1;
            plateau_from = search.images;
            if !search.finish_all(frontier, rounds, reading.sets == Sets::One, false) {
                break;
            }
        }
        let mut plateau = 0;
        while plateau < reading.delay_plateau {
            let mut frontier = search.frontier(|(_, d)| d == delays);
            delays += 1;
            for ((_, finder), (r, d)) in &mut frontier {
                *d += 1;
                *finder = (*finder + 1) % threads;
                *r += usize::from(*finder == 0);
            }
            let one_set = reading.sets != Sets::OneForEachCall;
            if search.finish_all(frontier, rounds, one_set, one_set) {
                break;
            }
            plateau += 1;
        }
        if plateau == reading.delay_plateau {
            return Some(Run {
                rounds,
                delays,
                images_before: plateau_from,
                images_on_plateau: search.images - plateau_from,
                reached: search.reached,
            });
        }
    }
}

struct Search<'a, A, O> {
    system: &'a dyn System,
    threads: usize,
    reading: Reading,
    observe: O,
    abstract_states: HashSet<A>,
    /// What was found, in that order.
    order: Vec<Found>,
    reached: HashMap<Found, (usize, usize)>,
    images: usize,
    random: Option<fastrand::Rng>,
}

type Costly = (Found, (usize, usize));

impl<A: Eq + Hash, O: Fn(&State) -> A> Search<'_, A, O> {
    fn frontier(&mut self, wanted: impl Fn((usize, usize)) -> bool) -> Vec<Costly> {
        let found = self.order.iter().map(|found| (found.clone(), self.reached[found]));
        let mut frontier: Vec<Costly> = found.filter(|(_, costs)| wanted(*costs)).collect();
        if let Some(random) = &mut self.random {
            random.shuffle(&mut frontier);
        }
        frontier
    }

    /// Alg. 2 for all states of a frontier, or for those that are new; whether an abstract state is.
    fn finish_all(
        &mut self,
        frontier: Vec<Costly>,
        rounds: usize,
        one_set: bool,
        only_new: bool,
    ) -> bool {
        let mut grown = false;
        for start in frontier {
            // A delay may have begun a round that is not allowed.
            let is_late = start.1.0 > rounds && !self.reading.runs_over;
            if is_late || (only_new && self.reached.contains_key(&start.0)) {
                continue;
            }
            for (found, costs) in self.finish(start, rounds, one_set) {
                grown |= self.abstract_states.insert((self.observe)(&found.0));
                if !self.reached.contains_key(&found) {
                    self.order.push(found.clone());
                    self.reached.insert(found, costs);
                }
            }
        }
        grown
    }

    /// Alg. 2: what is reached from a state up to a number of rounds, without delays.
    fn finish(&mut self, start: Costly, most: usize, one_set: bool) -> Vec<Costly> {
        let mut reached = Vec::new();
        let mut seen: HashSet<Found> = HashSet::from([start.0.clone()]);
        let mut unexplored = VecDeque::from([start]);
        while let Some(((state, finder), (rounds, delays))) = match &mut self.random {
            Some(random) if !unexplored.is_empty() => {
                let any = random.usize(0..unexplored.len());
                unexplored.swap_remove_back(any)
            }
            _ => unexplored.pop_front(),
        } {
            reached.push(((state.clone(), finder), (rounds, delays)));
            if finder == self.threads - 1 && rounds >= most {
                continue;
            }
            self.images += 1;
            let thread = (finder + 1) % self.threads;
            let rounds = rounds + usize::from(thread == 0);
            let steps = step(self.system, &state, ThreadId::from(thread)).expect("steps");
            let mut after: Vec<State> = steps.into_iter().map(|(_, state)| state).collect();
            if after.is_empty() {
                after.push(state);
            }
            for state in after {
                let found = (state, thread);
                let old = one_set && self.reached.contains_key(&found);
                if !old && seen.insert(found.clone()) {
                    unexplored.push_back((found, (rounds, delays)));
                }
            }
        }
        reached
    }
}
