//! What the definition says: rounds of a program that starts threads, state by state, with the one step function.

use std::collections::{BTreeSet, HashMap, VecDeque};

use selvedge_model::{State, System, ThreadId, step};
use selvedge_program::Lowering;
use selvedge_program::flow::Command;

/// Whose turn comes when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Started threads follow each other as they were started; at most so many are.
    Started(usize),
    /// Started threads follow each other as the statements do that start them.
    Text,
}

/// A state with the turns of its threads, and who acted last.
type Configuration = (State, Vec<usize>, Option<usize>);

/// The fewest rounds in which something goes wrong, if they are at most so many; `None` if there are too many states.
pub fn fewest_rounds(program: &Lowering, order: Order, most: usize) -> Option<Option<usize>> {
    let declared = program.thread_count();
    let mut reached: HashMap<Configuration, usize> = HashMap::new();
    let mut work: VecDeque<(usize, Configuration)> = VecDeque::new();
    for state in program.initial().ok()? {
        work.push_back((0, (state, (0..declared).collect(), None)));
    }
    // Within a round everything comes before what needs one more.
    let mut next_round: VecDeque<(usize, Configuration)> = VecDeque::new();
    let mut best = None;
    while best.is_none() {
        while let Some((rounds, configuration)) = work.pop_front() {
            if reached.get(&configuration).is_some_and(|&known| known <= rounds) {
                continue;
            }
            reached.insert(configuration.clone(), rounds);
            if reached.len() > 60_000 {
                return None;
            }
            let (state, turns, last) = configuration;
            for thread in 0..state.threads.len() {
                let later = last.is_some_and(|last| turns[last] <= turns[thread]);
                let now = if later { rounds } else { rounds + 1 };
                if now > most {
                    continue;
                }
                for (action, next) in step(program, &state, ThreadId::from(thread)).ok()? {
                    let mut turns = turns.clone();
                    if action.spawn.is_some() {
                        match order {
                            Order::Started(most) if turns.len() >= declared + most => continue,
                            Order::Started(_) => turns.push(turns.len()),
                            Order::Text => {
                                let starts = |edge: &selvedge_program::flow::EdgeId| {
                                    let command = &program.flow().edge(*edge).command;
                                    matches!(
                                        command,
                                        Command::Async { .. } | Command::StartThread { .. }
                                    )
                                };
                                let edge =
                                    program.edges_of(action.origin).into_iter().find(starts)?;
                                turns.push(declared + edge.index());
                            }
                        }
                    }
                    if program.wrong(next.shared).is_some() {
                        best = Some(best.map_or(now, |best: usize| best.min(now)));
                        continue;
                    }
                    let queue = if now == rounds { &mut work } else { &mut next_round };
                    queue.push_back((now, (next, turns, Some(thread))));
                }
            }
        }
        if next_round.is_empty() {
            break;
        }
        work = std::mem::take(&mut next_round);
    }
    Some(best)
}

/// The fewest contexts in which something goes wrong, if they are at most so many; `None` if there are too many states.
pub fn fewest_contexts(program: &Lowering, most: usize) -> Option<Option<usize>> {
    let mut reached: BTreeSet<(State, Option<usize>)> = BTreeSet::new();
    let mut layer: Vec<(State, Option<usize>)> =
        program.initial().ok()?.into_iter().map(|state| (state, None)).collect();
    reached.extend(layer.iter().cloned());
    for contexts in 1..=most {
        let mut work: Vec<(State, usize)> = Vec::new();
        for (state, last) in &layer {
            for thread in (0..state.threads.len()).filter(|thread| Some(*thread) != *last) {
                work.push((state.clone(), thread));
            }
        }
        layer.clear();
        while let Some((state, thread)) = work.pop() {
            for (_, next) in step(program, &state, ThreadId::from(thread)).ok()? {
                if program.wrong(next.shared).is_some() {
                    return Some(Some(contexts));
                }
                if next.threads.len() <= program.thread_count() + most
                    && reached.insert((next.clone(), Some(thread)))
                {
                    work.push((next.clone(), thread));
                    layer.push((next, Some(thread)));
                }
            }
            if reached.len() > 60_000 {
                return None;
            }
        }
    }
    Some(None)
}
