//! # From contexts to a run
//!
//! **Question.** A thread goes wrong after certain contexts. What is the whole run?
//!
//! **Idea.** First the contexts of every thread: values are picked along the chain, before the
//! thread and after it, so that each context ends with what the next one begins with. Then the
//! steps of every thread by itself ([`crate::path`]). Last, the steps are taken one context after
//! the other, with the step function of the model; it alone says what the run is.
//!
//! **Claim.** The run has the fewest rounds. For the values that were picked each thread takes the
//! fewest steps; a program with one thread and one initial state is shown with the fewest steps.

use selvedge_analysis::Stop;
use selvedge_bdd::{Bdd, Var};
use selvedge_core::{EdgeId, Loc};
use selvedge_evidence::Trace;
use selvedge_model::{Action, Fault, State, System, ThreadId, Word, advance, enabled};
use selvedge_program::{Lowering, Value};

use crate::path::{Goal, Taken, shortest};
use crate::places::END;
use crate::rounds::{Rounds, Violation};
use crate::{Result, chain};
use selvedge_evidence::relations::Shared;

/// The contexts of a thread: the values of the shared variables at the start and end of each.
#[derive(Clone, Default)]
struct Contexts {
    inputs: Vec<Vec<bool>>,
    outputs: Vec<Vec<bool>>,
}

/// The result of lifting a violation to a run.
#[derive(Clone, Debug)]
pub enum Lifted {
    /// The run of the violation.
    Run(Trace),
    /// The program does not take these steps: hidden variables have other values. See
    /// [`crate::Focus`].
    Broken {
        /// The steps that the program does not take.
        edges: Vec<EdgeId>,
        /// Where each thread stands at the end of each round.
        places: Vec<Vec<Loc>>,
    },
}

/// The run of a violation.
pub fn lift(rounds: &mut Rounds<'_>, violation: &Violation) -> Result<Lifted> {
    let contexts = pick_contexts(rounds, violation)?;
    let mut taken = Vec::new();
    for (thread, contexts) in contexts.iter().enumerate() {
        taken.push(steps_of(rounds, thread, contexts, thread == violation.thread)?);
    }
    let system = rounds.space.lowering;
    Ok(match replay(system, violation.rounds, &taken)? {
        Some(trace) => Lifted::Run(trace),
        None => {
            let edges = taken.iter().flatten().map(|step| step.edge).collect();
            let threads = taken.iter().enumerate();
            let places = threads.map(|(n, taken)| places(system, n, violation.rounds, taken));
            Lifted::Broken { edges, places: places.collect() }
        }
    })
}

/// Where a thread stands at the end of each round.
fn places(system: &Lowering, thread: usize, rounds: usize, taken: &[Taken]) -> Vec<Loc> {
    let entry = system.code().proc(system.start_of(thread).proc).entry;
    let before = |round| taken.iter().rfind(move |step| step.round <= round);
    (0..rounds).map(|round| before(round).and_then(|step| step.loc).unwrap_or(entry)).collect()
}

/// Picks the contexts of all threads.
fn pick_contexts(rounds: &mut Rounds<'_>, violation: &Violation) -> Result<Vec<Contexts>> {
    let round = violation.rounds - 1;
    let threads = rounds.threads();
    let prefixes = rounds.prefixes(round, violation.thread)?;
    let suffixes = rounds.suffixes(round)?;
    let suffix = suffixes.get(violation.thread).copied();
    let space = &mut rounds.space;
    let (before, after) = chain::sides(space, round, prefixes[violation.thread], suffix)?;
    let all = space.bdds.and(violation.contexts, before)?;
    let all = space.bdds.and(all, after)?;
    let first: Vec<Vec<Var>> = (1..=round).map(|r| space.shared(Shared::Other(r))).collect();
    let ins: Vec<Vec<Var>> = (0..=round).map(|r| space.shared(Shared::In(r))).collect();
    let outs: Vec<Vec<Var>> = (0..=round).map(|r| space.shared(Shared::Out(r))).collect();
    let Some(mut values) = pick(rounds, all, &[ins.clone(), outs.clone(), first.clone()].concat())
    else {
        return Err(lost());
    };
    let later = values.split_off(2 * (round + 1));
    let outputs = values.split_off(round + 1);
    let mut contexts = vec![Contexts::default(); threads];
    contexts[violation.thread] = Contexts { inputs: values, outputs };
    // The threads before: each ends with what the next one begins with.
    for thread in (0..violation.thread).rev() {
        let outputs = contexts[thread + 1].inputs.clone();
        let effect = rounds.effects(round)[thread];
        let effect = fix(rounds, effect, &outs, &outputs)?;
        let prefix = chain::as_inputs(&mut rounds.space, round, prefixes[thread])?;
        let prefix = fix(rounds, prefix, &first, &later)?;
        let set = rounds.space.bdds.and(effect, prefix)?;
        let Some(inputs) = pick(rounds, set, &ins) else { return Err(lost()) };
        contexts[thread] = Contexts { inputs, outputs };
    }
    // The threads after: each begins with what the last one ended with, a round earlier.
    let Some(last) = round.checked_sub(1) else { return Ok(contexts) };
    for thread in violation.thread + 1..threads {
        let mut inputs = contexts[thread - 1].outputs.clone();
        inputs.truncate(round);
        let effect = rounds.effects(last)[thread];
        let effect = fix(rounds, effect, &ins[..round], &inputs)?;
        let suffix = fix(rounds, suffixes[thread], &outs[..round], &later)?;
        let pairs: Vec<_> = ins.iter().cloned().zip(outs.iter().cloned()).take(round).collect();
        let suffix = rounds.space.rename(suffix, &pairs)?;
        let set = rounds.space.bdds.and(effect, suffix)?;
        let Some(outputs) = pick(rounds, set, &outs[..round]) else { return Err(lost()) };
        contexts[thread] = Contexts { inputs, outputs };
    }
    Ok(contexts)
}

/// Values for lists of variables.
fn pick(rounds: &Rounds<'_>, set: Bdd, lists: &[Vec<Var>]) -> Option<Vec<Vec<bool>>> {
    let mut values = rounds.space.bdds.pick_total(set, &lists.concat())?.into_iter();
    Some(lists.iter().map(|list| values.by_ref().take(list.len()).collect()).collect())
}

/// The literals that give values to lists of variables.
fn literals(lists: &[Vec<Var>], values: &[Vec<bool>]) -> Vec<(Var, bool)> {
    let lists = lists.iter().zip(values);
    let mut literals: Vec<_> =
        lists.flat_map(|(vars, values)| vars.iter().copied().zip(values.iter().copied())).collect();
    literals.sort_unstable();
    literals
}

/// A relation restricted to these values of some variables.
fn fix(rounds: &mut Rounds<'_>, set: Bdd, lists: &[Vec<Var>], values: &[Vec<bool>]) -> Result<Bdd> {
    rounds.space.bdds.restrict(set, &literals(lists, values))
}

/// The steps of one thread.
fn steps_of(
    rounds: &mut Rounds<'_>,
    thread: usize,
    contexts: &Contexts,
    goes_wrong: bool,
) -> Result<Vec<Taken>> {
    let start = rounds.space.lowering.start_of(thread);
    let mut inputs = Vec::new();
    for round in 0..contexts.inputs.len() {
        let space = &mut rounds.space;
        let ins: Vec<_> = (0..=round).map(|r| space.shared(Shared::In(r))).collect();
        let outs: Vec<_> = (0..round).map(|r| space.shared(Shared::Out(r))).collect();
        let mut all = literals(&ins, &contexts.inputs);
        all.extend(literals(&outs, &contexts.outputs));
        all.sort_unstable();
        inputs.push(space.bdds.cube_of(&all)?);
    }
    let Some(last) = contexts.inputs.len().checked_sub(1) else { return Ok(Vec::new()) };
    let goal = if goes_wrong {
        Goal::Wrong
    } else {
        let outs = [rounds.space.shared(Shared::Out(last))];
        Goal::Stop(rounds.space.bdds.cube_of(&literals(&outs, &contexts.outputs[last..]))?)
    };
    let keep = rounds.diagrams();
    let Rounds { space, steps, .. } = rounds;
    shortest(space, steps, start, &inputs, goal, &keep)?.ok_or_else(lost)
}

/// Takes the steps of all threads in order, with the step function of the model. None
/// if one of them cannot be taken.
fn replay(system: &Lowering, rounds: usize, taken: &[Vec<Taken>]) -> Result<Option<Trace>> {
    let Some(initial) = system.initial()?.into_iter().next() else { return Err(lost()) };
    let mut trace = Trace::start(initial);
    let mut state = trace.initial.clone();
    for round in 0..rounds {
        for (thread, taken) in taken.iter().enumerate() {
            let thread = ThreadId::from(thread);
            for step in taken.iter().filter(|step| step.round == round) {
                if step.inside {
                    continue; // a part of a step that goes on
                }
                let actions = enabled(system, &state, thread)?.into_iter();
                let action =
                    actions.into_iter().find(|action| fits(system, &state, thread, action, step));
                let Some(action) = action else { return Ok(None) };
                advance(&mut state, thread, action);
                trace.steps.push((thread, action));
                if step.loc == Some(END)
                    && let Some(&end) = enabled(system, &state, thread)?.first()
                {
                    advance(&mut state, thread, end);
                    trace.steps.push((thread, end));
                }
            }
        }
    }
    Ok(Some(trace))
}

/// Whether an action leads to what is known after a step.
fn fits(system: &Lowering, state: &State, thread: ThreadId, action: &Action, step: &Taken) -> bool {
    let Some(loc) = step.loc else { return system.wrong(action.shared).is_some() };
    let agree = |seen: &Value, known: &Value| {
        *seen == Value::Open || *known == Value::Open || seen == known
    };
    if system.wrong(action.shared).is_some()
        || !system.values_of(action.shared).iter().zip(&step.globals).all(|(a, b)| agree(a, b))
    {
        return false;
    }
    if loc == END {
        return action.word == Word::Pop;
    }
    let results = system.results_of(action.shared);
    if !results.iter().zip(&step.results).all(|(a, b)| agree(a, b)) {
        return false;
    }
    let top = match action.word {
        Word::Rewrite(top) | Word::Push { top, .. } => Some(top),
        Word::Pop => state.threads[thread.index()].stack.iter().nth(1),
    };
    let Some((at, locals)) = top.and_then(|top| system.frame_of_symbol(top)) else { return false };
    at == loc && step.locals.iter().all(|(slot, value)| agree(&locals[*slot], value))
}

/// A violation always has a run.
pub fn lost() -> Stop {
    let message = "a run that was found cannot be put together: please report this as a bug";
    Stop::Fault(Fault::new(message))
}
