//! # Forward: post* of the one pushdown system
//! From all guesses at once, each written under the stack of its run. What is reached in the end is
//! read off the saturated automaton: a solution is a control state (1, p₂, …, p_k, p′) that reads
//! the end of all threads and, at the bottom, the guess p₂, …, p_k.

use rustc_hash::FxHashSet;
use selvedge_automata::{Control, Dfa, Psa, post_star};
use selvedge_model::System;

use super::Solution;
use super::frames::{Frame, Local};
use super::reader::{Reading, Wanted, step};
use super::sequential::Sequential;
use crate::{Budget, Pace, Stop};

/// The work that the automaton makes for each head, counted in rules.
const WORK_PER_HEAD: usize = 8;

/// The solutions for one round more than the guesses have, and a property that is broken.
pub(super) fn solve(
    system: &dyn System,
    guesses: &[Solution],
    wanted: &[Wanted<'_>],
    budget: &Budget,
) -> Result<(Vec<Solution>, Option<usize>), Stop> {
    let rounds = guesses.first().map_or(0, |guess| guess.ends.len()) + 1;
    let mut sequential = Sequential::new(system, rounds, None)?;
    let mut start = Psa::default();
    for Solution { initial, ends } in guesses {
        let (control, top) = sequential.start(*initial, ends);
        let under = sequential.symbol(Frame::Guess(ends.clone()));
        start.add_language(control, &Dfa::word([top, under]));
    }
    let mut finals: FxHashSet<Control> = FxHashSet::default();
    let mut pace = Pace::new(budget);
    let saturated = post_star(start, |control, top, out| {
        let Some(top) = top else { return Ok(()) };
        if *sequential.frames.get(top.0) == Frame::Done {
            finals.insert(control);
        }
        let known = out.len();
        sequential.rules(control, top, out)?;
        pace.spend(WORK_PER_HEAD + out.len() - known)
    })?;
    let mut solutions = Vec::new();
    let mut violated: Option<usize> = None;
    for control in finals {
        budget.check()?;
        let Local { initial, shared: ends, .. } = sequential.locals.get(control.0).clone();
        let Some((&last, guess)) = ends.split_last() else { continue };
        let reads = |wanted: Option<&Wanted<'_>>| {
            let threads = sequential.threads();
            let step = |reading: &Reading, symbol: selvedge_model::SymbolId| {
                step(wanted, threads, guess, *reading, sequential.frames.get(symbol.0))
            };
            !saturated.readings(control, Reading::Start, step).is_empty()
        };
        if !reads(None) {
            continue;
        }
        let broken = |w: &Wanted<'_>| w.may_be_broken_at(last) && reads(Some(w));
        let first = wanted.iter().take(violated.unwrap_or(wanted.len())).position(broken);
        violated = first.or(violated);
        solutions.push(Solution { initial, ends });
    }
    Ok((solutions, violated))
}
