//! What the program reaches, by contexts: one set of states after the other, as the definition
//! says.

use std::collections::{BTreeSet, HashSet};

use selvedge_program::{Program, Type, Value};

use crate::oracle::machine::{State, initial};
use crate::oracle::statements::Actor;
use crate::oracle::values::gave_up;

/// More states, or more configurations inside of an atomic block, are too many for a test.
const MOST: usize = 600;

/// What at most so many contexts reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reached {
    /// The values of the shared variables, slot by slot.
    pub shared: BTreeSet<Vec<String>>,
    /// Whether the program goes wrong.
    pub wrong: bool,
}

/// What is reached within each number of contexts from 0; nothing if it is too much.
pub fn reached(program: &Program, bound: usize) -> Option<Vec<Reached>> {
    reached_with(program, bound, &Limits { states: MOST, starts: usize::MAX })
}

/// How far the interpreter goes.
pub struct Limits {
    /// More states than this are too many.
    pub states: usize,
    /// No more threads than this are started.
    pub starts: usize,
}

/// What is reached within limits; nothing if there are too many states.
pub fn reached_with(program: &Program, bound: usize, limits: &Limits) -> Option<Vec<Reached>> {
    gave_up();
    let mut states: HashSet<State> = initial(program, limits.states)?.into_iter().collect();
    let mut wrong = false;
    let shown = |states: &HashSet<State>| states.iter().map(|s| show(program, s)).collect();
    let mut levels = vec![Reached { shared: shown(&states), wrong }];
    for _ in 0..bound {
        let mut more = states.clone();
        let threads = states.iter().map(|s| s.threads.len()).max().unwrap_or(0);
        for thread in 0..threads {
            let mut seen = states.clone();
            let mut work: Vec<State> = states.iter().cloned().collect();
            while let Some(state) = work.pop() {
                if state.threads.len() <= thread {
                    continue;
                }
                let (next, goes_wrong) = steps(program, &state, thread)?;
                wrong |= goes_wrong;
                let next = next.into_iter().filter(|state| state.started <= limits.starts);
                work.extend(next.filter(|state| seen.insert(state.clone())));
                if seen.len() > limits.states || more.len() > limits.states {
                    return None;
                }
            }
            more.extend(seen);
        }
        if gave_up() {
            return None;
        }
        states = more;
        levels.push(Reached { shared: shown(&states), wrong });
    }
    Some(levels)
}

/// The steps of a thread, and whether one goes wrong. A step does not end inside of an atomic
/// block.
fn steps(program: &Program, state: &State, thread: usize) -> Option<(HashSet<State>, bool)> {
    let (mut done, mut inside, mut wrong) = (HashSet::new(), HashSet::new(), false);
    let mut work = vec![state.clone()];
    while let Some(state) = work.pop() {
        for result in (Actor { program, state: &state, thread }).act() {
            match result {
                None => wrong = true,
                Some(next) if next.threads[thread].is_atomic(program) => {
                    if inside.insert(next.clone()) {
                        work.push(next);
                    }
                }
                Some(next) => drop(done.insert(next)),
            }
        }
        if inside.len() > MOST {
            return None;
        }
    }
    Some((done, wrong))
}

fn show(program: &Program, state: &State) -> Vec<String> {
    let variables = program.globals.iter().zip(&state.globals);
    let slots =
        variables.flat_map(|(variable, slots)| slots.iter().map(|slot| (&variable.ty, slot)));
    let shown =
        |(ty, slot): (_, &num_bigint::BigInt)| program.datum(ty, &Value::from_big(slot.clone()));
    let shown = slots.map(|slot| shown(slot).to_string()).collect();
    renamed(program, shown)
}

/// The values of the shared variables with thread ids by the order in which they occur: which numbers
/// they are is nobody's business.
pub fn renamed(program: &Program, mut values: Vec<String>) -> Vec<String> {
    let types = program.globals.iter().flat_map(|g| std::iter::repeat_n(&g.ty, g.ty.slots()));
    let mut met: Vec<String> = Vec::new();
    for (value, ty) in values.iter_mut().zip(types) {
        if *ty.scalar() == Type::ThreadId && value != "none" {
            let at = met.iter().position(|id| id == value).unwrap_or_else(|| {
                met.push(value.clone());
                met.len() - 1
            });
            *value = format!("thread {at}");
        }
    }
    values
}
