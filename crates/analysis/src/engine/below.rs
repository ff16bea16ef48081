//! The exploration from below, by whatever explorer fits.

use selvedge_evidence::{Evidence, Trace, Violation, replay_with};
use selvedge_model::{Fault, Property};

use super::spread::Spread;
use super::{Event, Fewest, Listener, MANY_STARTED, Method, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::converge::finite_contexts::all_finite;
use crate::explore::languages::Languages;
use crate::explore::share::Terms;
use crate::explore::shortest::shortest_violation;
use crate::explore::stacks::Stacks;
use crate::explore::windows::Cut;
use crate::explore::{ContextExplorer, Explorer, Locals, RoundExplorer, SystemRef};
use crate::{Bound, Budget, Resource, Stop};

/// Stacks higher than this raise the question whether contexts are finite.
pub(super) const SUSPICIOUS_HEIGHT: u32 = 64;

pub(super) struct Below<'a> {
    start: Start<'a>,
    pub explorer: Box<dyn Explorer + 'a>,
    /// Up to which height stacks are followed without a second thought; `None`: any.
    highest: Option<u32>,
    /// For single states: the largest bound within which there are finitely many.
    finite_until: usize,
    /// What the schedule of a violation minimizes.
    fewest: Fewest,
    /// Whether nothing else is broken within its bound.
    is_alone: bool,
}

/// The parameters of an exploration from below.
#[derive(Clone)]
pub(super) struct Start<'a> {
    pub system: SystemRef<'a>,
    pub method: Method,
    pub symmetry: bool,
    pub resource: Resource,
    pub most_threads: Option<usize>,
    /// Where single states are explored, if not here.
    pub spread: Option<&'a dyn Spread>,
}

impl<'a> Start<'a> {
    /// Takes the parameters from a question.
    pub fn of(question: &Question<'a>, resource: Resource, most_threads: Option<usize>) -> Self {
        let Question { system, method, symmetry, .. } = *question;
        Start { system: system.into(), method, symmetry, resource, most_threads, spread: None }
    }

    /// Takes the parameters from a question whose single states are explored elsewhere, context by context.
    pub fn spread(
        question: &Question<'a>,
        spread: &'a dyn Spread,
        most_threads: Option<usize>,
    ) -> Self {
        let start = Start::of(question, Resource::Contexts, most_threads);
        Start { method: Method::Explicit, spread: Some(spread), ..start }
    }
}

impl<'a> Below<'a> {
    pub fn new(start: Start<'a>) -> Result<Self, Stop> {
        let explorer = match start.method {
            Method::Auto | Method::Explicit | Method::Generators | Method::Cuts => {
                start.single(Some(SUSPICIOUS_HEIGHT))?
            }
            Method::Symbolic => start.symbolic()?,
            Method::Reduction(_) => {
                let message = "the sequential reduction answers the bounded question with rounds";
                return Err(Fault::new(message).into());
            }
            Method::Coverability => {
                let message = "coverability answers the question without a bound";
                return Err(Fault::new(message).into());
            }
        };
        let highest = Some(SUSPICIOUS_HEIGHT);
        let (fewest, is_alone) = (Fewest::Steps, false);
        Ok(Below { start, explorer, highest, finite_until: 0, fewest, is_alone })
    }

    /// The resource that bounds count.
    pub fn resource(&self) -> Resource {
        self.start.resource
    }

    /// Explores up to a bound, a violation, a collapse, or until `enough` says so. It can be called again with a larger bound, or about
    /// other properties, and goes on where it was.
    pub fn run(
        &mut self,
        question: &Question<'_>,
        most: usize,
        budget: &Budget,
        tell: Listener<'_>,
        mut enough: impl FnMut(&dyn Explorer) -> bool,
    ) -> Verdict {
        loop {
            let bound = self.explorer.bound();
            let observation = &self.explorer.observations()[bound];
            tell(Event::Bound { observation, stored: self.explorer.stored() });
            let within = observation.bound;
            let violation = match self.explorer.violation(bound, question.properties) {
                Ok(violation) => violation,
                Err(stop) => {
                    return Verdict::Unknown { stop, completed: before(within) };
                }
            };
            if let Some(property) = violation {
                let trace = match self.show(question, within, budget) {
                    Ok(trace) => trace,
                    Err(stop) => return Verdict::Unknown { stop, completed: before(within) },
                };
                // The schedule may lead to another violation.
                let property = broken_by(question, &trace).unwrap_or(property);
                self.is_alone = self.is_alone(question, bound, property);
                return Verdict::Unsafe { bound: within, property, trace };
            }
            if question.needs_all_threads() && self.explorer.has_left_out() {
                return Verdict::Unknown { stop: too_many(), completed: before(within) };
            }
            if self.explorer.has_collapsed() {
                return if self.explorer.has_left_out() {
                    // Nothing is new with this many threads, but more threads might reach more.
                    Verdict::Bounded { bound: self.start.resource.bound(most) }
                } else {
                    Verdict::Safe(Proof::Repetition { bound: within })
                };
            }
            if bound >= most || enough(&*self.explorer) {
                return Verdict::Bounded { bound: within };
            }
            if let Err(stop) = self.advance(budget) {
                return Verdict::Unknown { stop, completed: Some(within) };
            }
        }
    }

    /// Whether no other property than this one is broken at a bound, before which none is.
    fn is_alone(&self, question: &Question<'_>, bound: usize, property: usize) -> bool {
        let mut others = question.properties.to_vec();
        others.remove(property);
        // An exploration elsewhere is not asked a second time.
        self.start.spread.is_none() && self.explorer.violation(bound, &others) == Ok(None)
    }

    /// A schedule of a violation at the current bound: the shortest one, or another if something ends the search for it.
    fn show(
        &mut self,
        question: &Question<'_>,
        bound: Bound,
        budget: &Budget,
    ) -> Result<Trace, Stop> {
        let any = self.explorer.run(question.properties, budget)?.ok_or(Stop::Cancelled)?;
        let shortest = match question.needs_all_threads() && self.explorer.has_left_out() {
            // A schedule with more threads than are followed may be shorter.
            true => schedule(question, bound, budget),
            false => {
                let found = self.explorer.shortest(question.properties, budget);
                found.and_then(|trace| trace.ok_or(Stop::Cancelled))
            }
        };
        Ok(shortest.unwrap_or_else(|stop| {
            self.fewest = Fewest::Bound(stop);
            any
        }))
    }

    fn advance(&mut self, budget: &Budget) -> Result<(), Stop> {
        loop {
            match self.explorer.advance(budget) {
                Err(Stop::HighStack) => {}
                other => return other.map(|_| ()),
            }
            // The stacks grow. If single contexts are infinite, states cannot be listed.
            let bound = self.explorer.bound() + 1;
            if self.finite_until < bound && self.highest.is_some() {
                let Start { system, symmetry, method, most_threads, .. } = self.start.clone();
                let system = &*system;
                let finite = Above::with_at_most_threads(
                    system,
                    Cut::tight(1),
                    symmetry,
                    most_threads,
                    budget,
                )
                .and_then(|above| all_finite(system, &above, budget))?;
                if finite {
                    self.highest = None;
                } else if method == Method::Explicit {
                    self.refuse_infinite(bound, budget)?;
                } else {
                    return self.go_on_with(self.start.symbolic()?, bound, budget);
                }
            }
            // Finitely many, and high: begin again, and follow them further up.
            self.highest = self.highest.map(|highest| highest.saturating_mul(4));
            self.go_on_with(self.start.single(self.highest)?, bound - 1, budget)?;
        }
    }

    /// Takes another explorer, once it has come to a bound.
    fn go_on_with(
        &mut self,
        mut explorer: Box<dyn Explorer + 'a>,
        bound: usize,
        budget: &Budget,
    ) -> Result<(), Stop> {
        while explorer.bound() < bound {
            match explorer.advance(budget) {
                // Higher stacks belong to bounds that are known to be finite.
                Err(Stop::HighStack) if self.highest.is_some() => {
                    self.highest = self.highest.map(|highest| highest.saturating_mul(4));
                    explorer = self.start.single(self.highest)?;
                }
                other => drop(other?),
            }
        }
        self.explorer = explorer;
        Ok(())
    }

    /// Ends a run with single states at a bound that reaches infinitely many of them: exactly where sets
    /// of stacks are infinite.
    fn refuse_infinite(&mut self, bound: usize, budget: &Budget) -> Result<(), Stop> {
        let mut sets = self.start.symbolic()?;
        while sets.bound() < bound {
            sets.advance(budget)?;
        }
        if !sets.is_finite() {
            return Err(Stop::InfiniteContext);
        }
        self.finite_until = bound;
        Ok(())
    }

    /// The evidence for a verdict, if the question wants it.
    pub fn evidence(&self, question: &Question<'_>, verdict: &Verdict) -> Option<Evidence> {
        match verdict {
            _ if !question.evidence => None,
            Verdict::Safe(_) => Some(self.explorer.certificate()),
            _ => violation(verdict),
        }
    }

    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        let mut outcome = Outcome {
            observations: self.explorer.observations().to_vec(),
            fewest: self.fewest.clone(),
            is_alone: self.is_alone,
            most_threads: self.start.most_threads,
            ..Outcome::new(self.explorer.name(), verdict)
        };
        if matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.collapse = outcome.last_growth();
            // A safe verdict leaves no thread out: the largest number that occurred is the limit.
            outcome.most_threads = self.start.most_threads.map(|_| self.explorer.largest());
        }
        outcome
    }
}

/// The bound that was completed before this one.
fn before(bound: Bound) -> Option<Bound> {
    bound.count.checked_sub(1).map(|count| Bound { count, ..bound })
}

/// There is no exploration under such a bound.
fn no_bound(what: &str) -> Stop {
    Stop::Fault(Fault::new(format!("nothing is explored up to {what}")))
}

/// With more threads than are followed there may be a deadlock.
fn too_many() -> Stop {
    let message = format!(
        "more than {MANY_STARTED} threads are started; states with so many of them are not looked \
         at, and may be deadlocks"
    );
    Stop::Fault(Fault::new(message))
}

impl<'a> Start<'a> {
    /// Single states, with stacks up to a height.
    fn single(&self, highest: Option<u32>) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let Some(spread) = self.spread else {
            return self.explorer(highest.map_or_else(Stacks::default, Stacks::up_to));
        };
        let (symmetry, most_threads) = (self.symmetry, self.most_threads);
        spread.explorer(Terms { symmetry, highest, most_threads })
    }

    fn symbolic(&self) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let most = self.most_threads;
        self.explorer(most.map_or_else(Languages::default, Languages::starting_at_most))
    }

    fn explorer<L: Locals + 'a>(&self, locals: L) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let (system, symmetry) = (self.system.clone(), self.symmetry);
        Ok(match self.resource {
            Resource::Contexts | Resource::ContextsOf { .. } => {
                let explorer = ContextExplorer::of(system, locals, symmetry)?;
                Box::new(explorer.with_at_most_threads(self.most_threads))
            }
            Resource::Rounds | Resource::RoundRobin { .. } => {
                Box::new(RoundExplorer::of(system, locals)?)
            }
            Resource::Threads => return Err(no_bound("a number of threads")),
        })
    }
}

/// The shortest schedule that shows a violation within a bound that is known to have one.
pub(super) fn schedule(
    question: &Question<'_>,
    bound: Bound,
    budget: &Budget,
) -> Result<Trace, Stop> {
    let Question { system, properties, .. } = question;
    shortest_violation(*system, properties, bound, None, budget)?.ok_or(Stop::Cancelled)
}

/// The property that the last state of a run breaks.
pub(super) fn broken_by(question: &Question<'_>, trace: &Trace) -> Option<usize> {
    let Question { system, properties, .. } = question;
    let last = replay_with(*system, trace, |_| {}).ok()?;
    Property::first_broken(properties, *system, &last).ok().flatten()
}

/// A violation with a schedule, as evidence.
pub(super) fn violation(verdict: &Verdict) -> Option<Evidence> {
    let Verdict::Unsafe { property, trace, .. } = verdict else { return None };
    let (contexts, property) = (trace.contexts(), *property);
    Some(Evidence::Violation(Violation { trace: trace.clone(), contexts, property }))
}
