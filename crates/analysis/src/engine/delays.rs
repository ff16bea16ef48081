//! # Rounds and delays
//!
//! [`check`] is the bounded question. [`verify`] is Alg. 1 of Johnson and Wahl, with exact sets R(r, d):
//! more rounds until one of them shows nothing new, then more delays, until n - 1 in a row show nothing
//! new; whatever is new starts it again. Then the abstract states are tested for closure.
//!
//! Where the test fails, the paper has no answer. Here the exploration goes on: with one more symbol
//! of each stack if the choice is ours, with what was asked for otherwise. And where the *states* have
//! not grown along the whole plateau, they are all there are: every action respects the abstraction
//! that hides nothing.

use selvedge_evidence::{Evidence, recheck};

use super::below::{broken_by, violation};
use super::{Event, Listener, Outcome, Proof, Question, Verdict};
use crate::converge::closure::{self, Closure};
use crate::explore::shortest_delays::shortest_with_delays;
use crate::explore::{Abstraction, DelayExplorer, Observe};
use crate::{Bound, Budget, Stop};

/// How to look for a proof.
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

/// Whether a violation is reachable within so many rounds and delays.
pub(super) fn check(
    question: &Question<'_>,
    rounds: usize,
    delays: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    run(question, budget, tell, |run| {
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
    })
}

/// Whether a violation is reachable at all. Without properties: which visible states are.
pub fn verify(
    question: &Question<'_>,
    options: &Options,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    run(question, budget, tell, |run| {
        let observe = options.observe.clone().unwrap_or(Observe::top(1));
        run.abstraction = Some(Abstraction::new(question.system, observe));
        run.look();
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
                run.look();
            } else if options.observe.is_some() && failures >= MOST_FAILURES {
                return Err(End::Stop(Stop::NotClosed(obstacle)));
            }
        }
    })
}

/// Why an exploration ends.
enum End {
    Stop(Stop),
    /// A violation was reached.
    Violation(usize),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stop(stop)
    }
}

/// Which bound is raised.
#[derive(Clone, Copy)]
enum Side {
    Round,
    Delay,
}

enum Plateau {
    Closed(Proof),
    /// Not closed; why.
    Open(String),
}

struct Run<'r, 'a> {
    question: &'r Question<'a>,
    budget: &'r Budget,
    tell: Listener<'r>,
    explorer: DelayExplorer<'a>,
    abstraction: Option<Abstraction<'a>>,
    /// What the proof rests on, where that is not the explorer's.
    certificate: Option<Evidence>,
}

/// Explores as it is told, and makes an outcome of it.
fn run<'a>(
    question: &Question<'a>,
    budget: &Budget,
    tell: Listener<'_>,
    explore: impl FnOnce(&mut Run<'_, 'a>) -> Result<Verdict, End>,
) -> Outcome {
    let resource = Bound::round_robin(0, 0).resource;
    let explorer = match DelayExplorer::new(question.system) {
        Ok(explorer) => explorer,
        Err(stop) => return Outcome::unknown(stop, resource),
    };
    let mut run = Run { question, budget, tell, explorer, abstraction: None, certificate: None };
    let verdict = run.seen().and_then(|()| explore(&mut run));
    let verdict = verdict.unwrap_or_else(|end| run.end(end));
    let mut outcome = Outcome {
        observations: run.explorer.observations().to_vec(),
        verdict,
        ..Outcome::unknown(Stop::Cancelled, resource)
    };
    if let Verdict::Safe(proof) = outcome.verdict {
        let knows_visible = !matches!(
            proof,
            Proof::Closure { top: 0, .. } | Proof::Closure { some_shared: true, .. }
        );
        outcome.collapse = outcome.last_growth().filter(|_| knows_visible);
    }
    outcome.evidence = match &outcome.verdict {
        _ if !question.evidence => None,
        Verdict::Safe(Proof::Closure { .. }) => run.certificate,
        Verdict::Safe(_) => Some(run.explorer.certificate()),
        verdict => violation(verdict),
    };
    outcome
}

impl Run<'_, '_> {
    /// Raises a bound; how many states and abstract states are new.
    fn advance(&mut self, side: Side) -> Result<(usize, usize), End> {
        let observation = match side {
            Side::Round => self.explorer.advance_round(self.budget)?,
            Side::Delay => self.explorer.advance_delay(self.budget)?,
        };
        let new = observation.new_stored;
        self.seen()?;
        Ok((new, self.look()))
    }

    /// Tells what was seen, and ends if that is a violation.
    fn seen(&self) -> Result<(), End> {
        if let Some(observation) = self.explorer.observations().last() {
            (self.tell)(Event::Bound { observation, stored: self.explorer.stored() });
        }
        match self.explorer.violation(self.question.properties)? {
            Some((property, _)) => Err(End::Violation(property)),
            None => Ok(()),
        }
    }

    fn look(&mut self) -> usize {
        self.abstraction.as_mut().map_or(0, |seen| seen.look(self.explorer.reached()))
    }

    /// Goes to the end of the next plateau, and tests for closure there.
    fn plateau(&mut self, closure: Closure) -> Result<Plateau, End> {
        let needed = self.question.system.threads().len().saturating_sub(1);
        loop {
            let mut new_states;
            let mut new;
            loop {
                if self.explorer.has_collapsed() {
                    return Ok(Plateau::Closed(self.repetition()));
                }
                (new_states, new) = self.advance(Side::Round)?;
                if let Some(closed) = self.closed_at_once(closure)? {
                    return Ok(closed);
                }
                if new == 0 {
                    break;
                }
            }
            for _ in 0..needed {
                let (states, abstract_states) = self.advance(Side::Delay)?;
                if let Some(closed) = self.closed_at_once(closure)? {
                    return Ok(closed);
                }
                new_states += states;
                new = abstract_states;
                if new > 0 {
                    break;
                }
            }
            if new == 0 && new_states == 0 {
                return Ok(Plateau::Closed(self.repetition()));
            }
            if new == 0 {
                return self.close(closure);
            }
        }
    }

    /// The test at every bound, if that is wanted.
    fn closed_at_once(&mut self, closure: Closure) -> Result<Option<Plateau>, End> {
        if closure == Closure::Disrespectful {
            return Ok(None);
        }
        Ok(Some(self.close(closure)?).filter(|end| matches!(end, Plateau::Closed(_))))
    }

    fn repetition(&self) -> Proof {
        Proof::Repetition { bound: self.explorer.bound() }
    }

    /// The test for closure.
    fn close(&mut self, closure: Closure) -> Result<Plateau, End> {
        let Some(abstraction) = &mut self.abstraction else {
            return Ok(Plateau::Open("nothing is observed".to_owned()));
        };
        if abstraction.is_whole() {
            return Ok(Plateau::Open("the states still grow".to_owned()));
        }
        if let Some(obstacle) = closure::test(abstraction, closure)? {
            return Ok(Plateau::Open(obstacle.0));
        }
        let decides = abstraction.observe.sees_visible_states();
        if self.question.evidence || !decides {
            let Some(certificate) = closure::certificate(abstraction) else {
                return Ok(Plateau::Open("there is too much behind what is observed".to_owned()));
            };
            // What is observed may not tell whether a property is broken: then what is behind it does.
            let Question { system, properties, .. } = self.question;
            if !decides && self.question.is_about_everything() {
                return Ok(Plateau::Open("visible states are not observed".to_owned()));
            }
            if !decides && let Err(refusal) = recheck(*system, properties, &certificate) {
                return Ok(Plateau::Open(refusal.to_string()));
            }
            self.certificate = Some(certificate);
        }
        Ok(Plateau::Closed(Proof::Closure {
            bound: self.explorer.bound(),
            top: abstraction.observe.top,
            some_shared: abstraction.observe.shared.is_some(),
            states: abstraction.len(),
        }))
    }

    /// The verdict of an exploration that ended early.
    fn end(&self, end: End) -> Verdict {
        let Question { system, properties, .. } = self.question;
        let property = match end {
            End::Stop(stop) => {
                let completed = self.explorer.observations().last().map(|o| o.bound);
                return Verdict::Unknown { stop, completed };
            }
            End::Violation(property) => property,
        };
        let Bound { count: rounds, .. } = self.explorer.bound();
        let delays = self.explorer.delays();
        match shortest_with_delays(*system, properties, rounds, delays, self.budget) {
            Ok(Some((trace, bound))) => {
                let property = broken_by(self.question, &trace).unwrap_or(property);
                Verdict::Unsafe { bound, property, trace: Ok(trace) }
            }
            Ok(None) => Verdict::Unsafe {
                bound: self.explorer.bound(),
                property,
                trace: Err(Stop::Cancelled),
            },
            Err(stop) => {
                Verdict::Unsafe { bound: self.explorer.bound(), property, trace: Err(stop) }
            }
        }
    }
}
