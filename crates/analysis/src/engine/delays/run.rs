//! A run: raising bounds, looking at what is new, testing for closure.

use selvedge_evidence::{Evidence, recheck};
use selvedge_model::Property;

use super::Effort;
use crate::converge::closure::{self, Closure};
use crate::engine::below::{broken_by, violation};
use crate::engine::{Event, Listener, Outcome, Proof, Question, Verdict};
use crate::explore::shortest_delays::shortest_with_delays;
use crate::explore::{Abstraction, DelayExplorer};
use crate::{Bound, Budget, Stop};

/// Why an exploration ends.
pub enum End {
    /// There is no answer.
    Stop(Stop),
    /// A violation was reached.
    Violation(usize),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        End::Stop(stop)
    }
}

/// A delay is added after this many rounds that each found something new.
const PATIENCE: usize = 64;

/// The bound to raise next.
#[derive(Clone, Copy)]
pub enum Side {
    /// The number of rounds.
    Round,
    /// The number of delays.
    Delay,
}

/// The result of the closure test at a plateau.
pub enum Plateau {
    /// The abstract states are closed, which is a proof.
    Closed(Proof),
    /// They are not closed, for this reason.
    Open(String),
}

/// An exploration that is going on.
pub struct Run<'r, 'a> {
    pub question: &'r Question<'a>,
    budget: &'r Budget,
    tell: Listener<'r>,
    pub explorer: DelayExplorer<'a>,
    pub abstraction: Option<Abstraction<'a>>,
    /// The evidence for the proof, where the explorer cannot give it.
    certificate: Option<Evidence>,
    /// Images until the last abstract state was found.
    images_before: u64,
    /// Whether a violation was found whose bounds are not those of R(r, d), so that it is to be looked for again.
    look_again: bool,
}

/// The result of a run.
pub struct Explored {
    pub outcome: Outcome,
    pub effort: Effort,
    /// Whether a violation was found among interchanged threads, which says nothing of its bounds and has no schedule: it is to be looked
    /// for again without.
    pub look_again: bool,
}

/// Runs `explore` on a new explorer and makes an outcome of its verdict.
pub fn run<'a>(
    question: &Question<'a>,
    interchanged: bool,
    budget: &Budget,
    tell: Listener<'_>,
    explore: impl FnOnce(&mut Run<'_, 'a>) -> Result<Verdict, End>,
) -> Explored {
    let resource = Bound::round_robin(0, 0).resource;
    let explorer = match interchanged {
        true => DelayExplorer::interchanging(question.system),
        false => DelayExplorer::new(question.system),
    };
    let explorer = match explorer {
        Ok(explorer) => explorer,
        Err(stop) => {
            let (outcome, effort) = (Outcome::unknown(stop, resource), Effort::default());
            return Explored { outcome, effort, look_again: false };
        }
    };
    let mut run = Run {
        question,
        budget,
        tell,
        explorer,
        abstraction: None,
        certificate: None,
        images_before: 0,
        look_again: false,
    };
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
    // Where all of a state is seen, abstract states are not listed: then they are the states.
    let states = outcome.observations.last().and_then(|seen| seen.states);
    let abstract_states = match &run.abstraction {
        Some(abstraction) if abstraction.is_whole() => states,
        abstraction => abstraction.as_ref().map(|seen| seen.len() as u128),
    };
    let effort = Effort {
        images_before: run.images_before,
        images: run.explorer.images(),
        abstract_states: abstract_states.and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
    };
    Explored { outcome, effort, look_again: run.look_again }
}

impl Run<'_, '_> {
    /// Raises a bound; how many states and abstract states are new.
    pub fn advance(&mut self, side: Side) -> Result<(usize, usize), End> {
        // A bound that adds nothing is no work, and there may be many of them.
        self.budget.check()?;
        let observation = match side {
            Side::Round => self.explorer.advance_round(self.budget)?,
            Side::Delay => self.explorer.advance_delay(self.budget)?,
        };
        let new = observation.new_stored;
        self.seen()?;
        let new_abstract = self.look()?;
        if new_abstract > 0 {
            self.images_before = self.explorer.images();
        }
        Ok((new, new_abstract))
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

    /// Looks at what is new; how many abstract states are.
    pub fn look(&mut self) -> Result<usize, Stop> {
        let reached = self.explorer.reached();
        Ok(self.abstraction.as_mut().map_or(Ok(0), |seen| seen.look(reached))?)
    }

    /// Goes to the end of the next plateau, and tests for closure there.
    pub fn plateau(&mut self, closure: Closure) -> Result<Plateau, End> {
        let needed = self.question.system.threads().len().saturating_sub(1);
        loop {
            let mut new_states;
            let mut new;
            let mut growing = 0;
            loop {
                if self.explorer.has_collapsed() {
                    return Ok(Plateau::Closed(self.repetition()));
                }
                // Where what is observed has no end, rounds alone may never show what a delay does.
                growing += 1;
                if growing % PATIENCE == 0 {
                    self.advance(Side::Delay)?;
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
        if closure != Closure::All {
            return Ok(None);
        }
        Ok(Some(self.close(closure)?).filter(|end| matches!(end, Plateau::Closed(_))))
    }

    fn repetition(&self) -> Proof {
        Proof::Repetition { bound: self.explorer.bound() }
    }

    /// Tests whether the abstract states are closed.
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
        let decides = abstraction.observe.sees_visible_states()
            && !self.question.properties.iter().any(Property::needs_stacks);
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
    fn end(&mut self, end: End) -> Verdict {
        let Question { system, properties, .. } = self.question;
        let completed = self.explorer.observations().last().map(|o| o.bound);
        let property = match end {
            End::Stop(stop) => return Verdict::Unknown { stop, completed },
            End::Violation(property) => property,
        };
        // The last bound is the one with the violation.
        let mut before = self.explorer.observations().iter().rev().skip(1);
        let completed = before.next().map(|o| o.bound);
        if self.explorer.interchanges() {
            self.look_again = true;
            return Verdict::Unknown { stop: Stop::Cancelled, completed };
        }
        let Bound { count: rounds, .. } = self.explorer.bound();
        let delays = self.explorer.delays();
        match shortest_with_delays(*system, properties, rounds, delays, self.budget) {
            Ok(Some((trace, bound))) => {
                let property = broken_by(self.question, &trace).unwrap_or(property);
                Verdict::Unsafe { bound, property, trace }
            }
            Ok(None) => Verdict::Unknown { stop: Stop::Cancelled, completed },
            Err(stop) => Verdict::Unknown { stop, completed },
        }
    }
}
