//! # What is near a state
//! All states within a few steps, or the nearest one that is wanted: breadth first, with whole states, and with an end to how many
//! are looked at. What is said of *all* states is said only if none was left out.

use rustc_hash::FxHashMap;
use selvedge_model::{Action, Fault, State, ThreadId, step_with};

use super::Walk;

/// The states near the current one, and the steps between them.
pub struct Near {
    /// The states, the one that was begun with first, each with the choices that lead to it from there.
    pub states: Vec<(State, Vec<usize>)>,
    /// The steps between them: from, to, who acts, and what it does.
    pub edges: Vec<(usize, usize, ThreadId, Action)>,
    /// Whether there are more such states than are listed.
    pub is_cut: bool,
}

/// The states within `steps` steps of the current one, at most `most` of them.
pub fn near(walk: &Walk<'_>, steps: usize, most: usize) -> Result<Near, Fault> {
    let start = walk.state().clone();
    let mut numbers: FxHashMap<State, usize> = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut found = Near { states: vec![(start, Vec::new())], edges: Vec::new(), is_cut: false };
    let mut next = 0;
    while let Some((state, path)) = found.states.get(next).cloned() {
        if path.len() == steps {
            break;
        }
        for (choice, step) in walk.enabled_at(&state)?.into_iter().enumerate() {
            let after = step_with(&state, step.thread, step.action);
            let to = match numbers.get(&after) {
                Some(&number) => number,
                None if found.states.len() >= most => {
                    found.is_cut = true;
                    continue;
                }
                None => {
                    let longer = path.iter().copied().chain([choice]).collect();
                    numbers.insert(after.clone(), found.states.len());
                    found.states.push((after, longer));
                    found.states.len() - 1
                }
            };
            found.edges.push((next, to, step.thread, step.action));
        }
        next += 1;
    }
    Ok(found)
}

/// The result of a search for a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// These choices lead to what was wanted, and none fewer.
    Choices(Vec<usize>),
    /// No state is wanted: all states from here on, this many, were looked at.
    Nowhere(usize),
    /// None was found among this many states, and there are more.
    GaveUp(usize),
}

/// Finds the nearest wanted state other than the current one, among at most `most` states.
pub fn nearest(
    walk: &Walk<'_>,
    most: usize,
    is_wanted: impl Fn(&State) -> Result<bool, Fault>,
    is_interrupted: impl Fn() -> bool,
) -> Result<Found, Fault> {
    let start = walk.state().clone();
    let mut states = vec![(start.clone(), 0, 0)];
    let mut numbers: FxHashMap<State, usize> = FxHashMap::from_iter([(start, 0)]);
    let mut next = 0;
    while next < states.len() {
        let state = states[next].0.clone();
        for (choice, step) in walk.enabled_at(&state)?.into_iter().enumerate() {
            let after = step_with(&state, step.thread, step.action);
            if numbers.contains_key(&after) {
                continue;
            }
            let is_found = is_wanted(&after)?;
            numbers.insert(after.clone(), states.len());
            states.push((after, next, choice));
            if is_found {
                return Ok(Found::Choices(choices(&states)));
            }
            if states.len() >= most || is_interrupted() {
                return Ok(Found::GaveUp(states.len()));
            }
        }
        next += 1;
    }
    Ok(Found::Nowhere(states.len()))
}

/// The choices that lead to the last state of a list in which each has the one before it.
fn choices(states: &[(State, usize, usize)]) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = states.len() - 1;
    while at > 0 {
        let (_, before, choice) = states[at];
        path.push(choice);
        at = before;
    }
    path.reverse();
    path
}
