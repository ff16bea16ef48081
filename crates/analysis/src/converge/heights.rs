//! # Heights of stacks
//!
//! **Question.** A cut treats what is hidden in each stack on its own. Which of its states are
//! impossible because one stack can only shrink while another one grows?
//!
//! **Idea.** A *measure* gives a weight to each class of threads; its value in a state is the sum of
//! the heights of all stacks, each times its weight. A step changes the value by the weight of the
//! thread that acts, times what its stack grows by. So the least value in each state of the cut is
//! the length of a shortest path. Where that is greater than any value that stacks with the windows
//! of the state can have, no run leads there, and the step is not followed. What is left is fewer
//! states, from which another measure may exclude more.
//!
//! **Claim.** Every state that is reachable is among those that are left, with a value of each
//! measure that is not less than the least one there: by induction over the steps, since a least
//! value is at most the one before plus the change, and a step is left out only if a value would be
//! greater than the greatest possible. `selvedge_evidence::recheck` checks just this.
//!
//! **Needs.** No threads that are started. Weights are -1, 0 and 1, for the classes in whose stacks
//! something is hidden: the height of any other stack is known. A relation such as *twice as high* is
//! not found.

use std::collections::VecDeque;
use std::collections::hash_map::Entry::Vacant;

use rustc_hash::FxHashMap;
use selvedge_evidence::{CountedState, Measure};
use selvedge_model::{SharedId, System};

use crate::explore::windows::{Window, Windows};
use crate::explore::{Locals, Reached};
use crate::{Budget, Stop, certify};

/// The class and the local of a thread.
type Entry = (u32, u32);

/// Cuts with more states than this are left as they are.
const MOST_STATES: usize = 100_000;

/// Measures beyond this many are not tried.
const MOST_MEASURES: usize = 400;

/// A value that falls this far below any that excludes a state is given up.
const SLACK: i64 = 8;

/// How many steps are followed between two looks at the budget.
const STEPS_PER_CHECK: usize = 4096;

/// What is left of the states of a cut.
pub struct Compared {
    /// Whether each state is left.
    pub possible: Vec<bool>,
    /// Why: the least values are those of the states that are left, in their order.
    pub measures: Vec<Measure>,
}

/// Leaves out states that measures exclude. `None` if there are none, or too many to look at.
pub fn compare(
    system: &dyn System,
    reached: &Reached<'_, Windows>,
    budget: &Budget,
) -> Result<Option<Compared>, Stop> {
    if system.starts_threads() || reached.len() > MOST_STATES {
        return Ok(None);
    }
    let mut graph = Graph::new(system, reached, budget)?;
    let candidates = weights(&graph.hiding());
    let mut found: Vec<(&[i32], Vec<Least>)> = Vec::new();
    // Until no measure excludes a state any more.
    let (mut next, mut since) = (0, 0);
    while since < candidates.len() {
        let weights = &candidates[next];
        let most = graph.most(weights);
        let least = graph.least(weights, &most, budget)?;
        since += 1;
        if graph.exclude(weights, &least, &most) {
            found.push((weights, least));
            since = 0;
        }
        next = (next + 1) % candidates.len();
    }
    if found.is_empty() {
        return Ok(None);
    }
    let left = |least: &Vec<Least>| {
        let left = least.iter().zip(&graph.possible).filter(|&(_, &possible)| possible);
        left.map(|(least, _)| least.value()).collect()
    };
    let measure = |(weights, least): &(&[i32], Vec<Least>)| Measure {
        weights: weights.to_vec(),
        least: left(least),
    };
    let measures = found.iter().map(measure).collect();
    Ok(Some(Compared { possible: graph.possible, measures }))
}

/// The weights that are tried: of the classes that hide something, the fewest first.
fn weights(hides: &[bool]) -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = vec![vec![0; hides.len()]];
    let classes = (0..hides.len()).filter(|&class| hides[class]);
    for class in classes {
        if all.len() > MOST_MEASURES {
            break;
        }
        let with = |weight: i32| {
            let set = move |weights: &Vec<i32>| {
                let mut weights = weights.clone();
                weights[class] = weight;
                weights
            };
            all.iter().map(set).collect::<Vec<_>>()
        };
        let (less, more) = (with(-1), with(1));
        all.extend(less);
        all.extend(more);
    }
    all.sort_by_key(|weights| weights.iter().filter(|&&weight| weight != 0).count());
    all.truncate(MOST_MEASURES);
    all.remove(0); // no weight at all
    all
}

/// The least value of a measure in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Least {
    /// None is known, or there is none.
    Unknown,
    At(i64),
    /// The state is not reached.
    Unreached,
}

impl Least {
    fn value(self) -> Option<i64> {
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
    possible: bool,
}

/// What is known of the height of a stack.
#[derive(Clone, Copy)]
struct Tall {
    class: u32,
    /// How many symbols are seen.
    height: i64,
    /// Whether there are more.
    hidden: bool,
}

/// The states of a cut with the steps between them.
struct Graph {
    states: Vec<CountedState>,
    kinds: Vec<Tall>,
    edges: Vec<Edge>,
    /// Where the edges of each state end.
    ends: Vec<usize>,
    /// The initial states, each with the heights of its stacks by class.
    initial: Vec<(u32, Vec<(u32, i64)>)>,
    possible: Vec<bool>,
}

impl Graph {
    fn new(
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
        let mut known: FxHashMap<(SharedId, u32), Vec<(SharedId, u32, i32)>> = FxHashMap::default();
        let (mut edges, mut ends) = (Vec::new(), Vec::with_capacity(states.len()));
        for (at, state) in states.iter().enumerate() {
            if at.is_multiple_of(STEPS_PER_CHECK) {
                budget.check()?;
            }
            for &(kind, _) in &state.threads {
                let (class, local) = kinds[kind as usize];
                if let Vacant(vacant) = known.entry((state.shared, kind)) {
                    let mut found = Vec::new();
                    let has_top = !windows.get(local).symbols.is_empty();
                    let thread = (class, state.shared, local);
                    windows.steps(
                        system,
                        classes.template(class),
                        thread,
                        |_, action, after| {
                            let growth = action.word.symbols().count() as i32 - i32::from(has_top);
                            let kind = number_of.get(&(class, after));
                            found.extend(kind.map(|&kind| (action.shared, kind, growth)));
                        },
                    )?;
                    found.sort_unstable();
                    found.dedup();
                    vacant.insert(found);
                }
                for &(shared, after, growth) in &known[&(state.shared, kind)] {
                    let to = numbers.get(&state.after(shared, kind, after)).copied();
                    edges.extend(to.map(|to| Edge { to, class, growth, possible: true }));
                }
            }
            ends.push(edges.len());
        }
        let mut initial = Vec::new();
        for state in system.initial()? {
            let mut found = Vec::new();
            let mut heights = Vec::new();
            for (thread, &class) in state.threads.iter().zip(classes.of_threads()) {
                let local = windows.of_stack(class, &thread.stack);
                found.extend(number_of.get(&(class, local)));
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
        Ok(Graph { states, kinds, edges, ends, initial, possible })
    }

    /// For each class, whether something is hidden in one of its stacks.
    fn hiding(&self) -> Vec<bool> {
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
    fn most(&self, weights: &[i32]) -> Vec<Option<i64>> {
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
    fn least(
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
        let mut steps = 0usize;
        while let Some(state) = work.pop_front() {
            for edge in self.edges(state).iter().filter(|edge| edge.possible) {
                steps += 1;
                if steps.is_multiple_of(STEPS_PER_CHECK) {
                    budget.check()?;
                }
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
    fn exclude(&mut self, weights: &[i32], least: &[Least], most: &[Option<i64>]) -> bool {
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
}
