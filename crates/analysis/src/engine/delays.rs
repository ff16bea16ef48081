//! # Rounds and delays
//!
//! `check` is the bounded question. [`verify`] is Alg. 1 of Johnson and Wahl, with exact sets R(r, d):
//! more rounds until one of them shows nothing new, then more delays, until n - 1 in a row show nothing
//! new; whatever is new starts it again. Then the abstract states are tested for closure.
//!
//! Where the test fails, the paper has no answer. Here the exploration goes on: with one more symbol
//! of each stack if the choice is ours, with what was asked for otherwise. And where the *states* have
//! not grown along the whole plateau, they are all there are: every action respects the abstraction
//! that hides nothing.
//!
//! A proof does not depend on the bounds, so that threads that are alike are interchanged there
//! (unless symmetry is not wanted). A violation that shows up is looked for again without.

mod run;

use super::{Listener, Outcome, Proof, Question, Verdict};
use crate::converge::closure::Closure;
use crate::explore::{Abstraction, Observe};
use crate::{Bound, Budget, Stop};
use run::{End, Explored, Plateau, Side, run};

/// Options of the search for a proof under rounds and delays.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is observed; by default the tops of the stacks, deeper where that is not enough.
    pub observe: Option<Observe>,
    /// Which actions the test for closure tries.
    pub closure: Closure,
}

/// Plateaus without closure, after which what was asked to be observed is found to be too little.
const MOST_FAILURES: usize = 8;

/// Stacks are not observed deeper than this unless that is asked for.
const DEEPEST: usize = 8;

/// Checks whether a violation is reachable within these rounds and delays.
pub(super) fn check(
    question: &Question<'_>,
    rounds: usize,
    delays: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let explored = run(question, false, budget, tell, |run| {
        // Rounds first: a violation then has the fewest delays within them.
        while run.explorer.bound().count < rounds && !run.explorer.has_collapsed() {
            run.advance(Side::Round)?;
        }
        for _ in 0..delays {
            if run.explorer.has_collapsed() {
                break;
            }
            run.advance(Side::Delay)?;
        }
        Ok(match run.explorer.has_collapsed() {
            true => Verdict::Safe(Proof::Repetition { bound: run.explorer.bound() }),
            false => Verdict::Bounded { bound: Bound::round_robin(rounds, delays) },
        })
    });
    explored.outcome
}

/// Whether a violation is reachable at all. Without properties: which visible states are.
pub fn verify(
    question: &Question<'_>,
    options: &Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    explore(question, options, budget, tell).0
}

/// The cost of an exploration, counted as in the paper [Tables 2 and 3].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Images that were computed before the last plateau began.
    pub images_before: u64,
    /// All images that were computed.
    pub images: u64,
    /// How many abstract states there are.
    pub abstract_states: usize,
}

/// Like [`verify`], and reports the cost.
pub fn explore(
    question: &Question<'_>,
    options: &Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> (Outcome, Effort) {
    if question.symmetry {
        let Explored { outcome, effort, look_again } =
            attempt(question, true, options, budget, tell);
        if !look_again {
            return (outcome, effort);
        }
    }
    let Explored { outcome, effort, .. } = attempt(question, false, options, budget, tell);
    (outcome, effort)
}

fn attempt(
    question: &Question<'_>,
    interchanged: bool,
    options: &Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> Explored {
    run(question, interchanged, budget, tell, |run| {
        let observe = options.observe.clone().unwrap_or(Observe::top(1));
        run.abstraction = Some(Abstraction::new(question.system, observe));
        run.look()?;
        let mut failures = 0;
        loop {
            let obstacle = match run.plateau(options.closure)? {
                Plateau::Closed(proof) => return Ok(Verdict::Safe(proof)),
                Plateau::Open(obstacle) => obstacle,
            };
            failures += 1;
            let Some(abstraction) = &run.abstraction else { continue };
            let top = abstraction.observe.top;
            if options.observe.is_none() && top < DEEPEST && !abstraction.is_whole() {
                run.abstraction = Some(Abstraction::new(question.system, Observe::top(top + 1)));
                run.look()?;
            } else if options.observe.is_some() && failures >= MOST_FAILURES {
                return Err(End::Stop(Stop::NotClosed(obstacle)));
            }
        }
    })
}
