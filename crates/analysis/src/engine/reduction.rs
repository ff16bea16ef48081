//! The bounded question by the sequential reduction, round by round. It tells whether there is a
//! violation; the schedule that shows it is the shortest one within the same number of rounds.

use super::below::{broken_by, schedule, violation};
use super::{Event, Listener, Outcome, Question, Verdict};
use crate::explore::Observation;
use crate::reduce::{Direction, Reduction};
use crate::{Bound, Budget, Resource};

/// Whether a violation is reachable within so many rounds.
pub(super) fn check(
    question: &Question<'_>,
    direction: Direction,
    most: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let mut outcome = Outcome {
        verdict: Verdict::Bounded { bound: Bound::rounds(most) },
        engine: match direction {
            Direction::Forward => "rounds-pds",
            Direction::Backward => "rounds-pds-backward",
        },
        ..Outcome::unknown(crate::Stop::Cancelled, Resource::Rounds)
    };
    outcome.verdict = run(question, direction, most, budget, tell, &mut outcome.observations);
    outcome.evidence = violation(&outcome.verdict).filter(|_| question.evidence);
    outcome
}

fn run(
    question: &Question<'_>,
    direction: Direction,
    most: usize,
    budget: &Budget,
    tell: Listener<'_>,
    observations: &mut Vec<Observation>,
) -> Verdict {
    let mut reduction =
        match Reduction::new(question.system, question.properties, direction, budget) {
            Ok(reduction) => reduction,
            Err(stop) => return Verdict::Unknown { stop, completed: None },
        };
    let mut before = 0;
    loop {
        let bound = Bound::rounds(reduction.rounds().rounds);
        let shared = reduction.shared().len();
        let stored = reduction.stored();
        // Stacks are not looked at: neither states nor visible states are counted.
        let observation = Observation {
            bound,
            states: None,
            new_states: None,
            visible: None,
            new_visible: None,
            new_stored: shared - before,
        };
        before = shared;
        tell(Event::Bound { observation: &observation, stored });
        observations.push(observation);
        if let Some(property) = reduction.rounds().violated {
            // Pairs of shared states have no single steps.
            let trace = match schedule(question, bound, budget) {
                Ok(trace) => trace,
                Err(stop) => {
                    let completed = bound.count.checked_sub(1).map(Bound::rounds);
                    return Verdict::Unknown { stop, completed };
                }
            };
            // The shortest schedule may lead to another violation.
            let property = broken_by(question, &trace).unwrap_or(property);
            return Verdict::Unsafe { bound, property, trace };
        }
        if bound.count >= most {
            return Verdict::Bounded { bound };
        }
        if let Err(stop) = reduction.advance(budget) {
            return Verdict::Unknown { stop, completed: Some(bound) };
        }
    }
}
