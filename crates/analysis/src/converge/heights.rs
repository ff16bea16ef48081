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
//! states, from which another measure may exclude more. And what lies below a window was guessed from
//! what fell out of one in some state: where that state is left out, so is the guess, and whatever
//! needs it.
//!
//! **Claim.** Every state that is reachable is among those that are left, with a value of each
//! measure that is not less than the least one there: by induction over the steps, since a least
//! value is at most the one before plus the change, and a step is left out only if a value would be
//! greater than the greatest possible. `selvedge_evidence::recheck` checks just this.
//!
//! **Needs.** No threads that are started. Weights are -1, 0 and 1, for the classes in whose stacks
//! something is hidden: the height of any other stack is known. A relation such as *twice as high* is
//! not found.

mod graph;

use rustc_hash::FxHashSet;
use selvedge_evidence::{Guess, Measure};
use selvedge_model::System;

use crate::explore::Reached;
use crate::explore::windows::Windows;
use crate::{Budget, Stop};
use graph::{Graph, Least};

/// Cuts with more states than this are left as they are.
const MOST_STATES: usize = 100_000;

/// Measures beyond this many are not tried.
const MOST_MEASURES: usize = 400;

/// The result of comparing stack heights: which states of a cut remain possible, and why.
pub struct Compared {
    /// Whether each state is left.
    pub possible: Vec<bool>,
    /// Why: the least values are those of the states that are left, in their order.
    pub measures: Vec<Measure>,
    /// Guesses about what lies below that none of these states brings about.
    pub idle: FxHashSet<Guess>,
}

/// Leaves out states that measures exclude. `None` if there are none, or too many to look at.
pub fn compare(
    system: &dyn System,
    reached: &Reached<'_, Windows>,
    budget: &Budget,
) -> Result<Option<Compared>, Stop> {
    if system.starts_threads() || reached.state_count() > MOST_STATES {
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
            graph.follow_guesses();
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
    let possible = std::mem::take(&mut graph.possible);
    Ok(Some(Compared { possible, measures, idle: graph.idle() }))
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
