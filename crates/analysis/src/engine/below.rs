//! The exploration from below, by whatever explorer fits.

use selvedge_evidence::{Evidence, Trace, Violation, replay_with};
use selvedge_model::Fault;

use super::{Event, Listener, Method, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::converge::finite_contexts::all_finite;
use crate::explore::languages::Languages;
use crate::explore::shortest::shortest_violation;
use crate::explore::stacks::Stacks;
use crate::explore::windows::Cut;
use crate::explore::{ContextExplorer, Explorer, Locals, RoundExplorer};
use crate::{Bound, Budget, Resource, Stop};

/// Stacks higher than this raise the question whether contexts are finite.
const SUSPICIOUS_HEIGHT: u32 = 64;

pub(super) struct Below<'a> {
    start: Start<'a>,
    pub explorer: Box<dyn Explorer + 'a>,
}

/// What explorers start with.
#[derive(Clone, Copy)]
struct Start<'a> {
    question: Question<'a>,
    resource: Resource,
    most_threads: Option<usize>,
}

impl<'a> Below<'a> {
    pub fn new(
        question: Question<'a>,
        resource: Resource,
        most_threads: Option<usize>,
    ) -> Result<Self, Stop> {
        let start = Start { question, resource, most_threads };
        let explorer = match question.method {
            Method::Auto => start.explorer(Stacks::up_to(SUSPICIOUS_HEIGHT))?,
            Method::Explicit => start.explorer(Stacks::default())?,
            Method::Symbolic => start.symbolic()?,
            Method::Reduction(_) => {
                let message = "the sequential reduction answers the bounded question with rounds";
                return Err(Fault { message: message.to_owned(), line: None }.into());
            }
        };
        Ok(Below { start, explorer })
    }

    /// Explores up to a bound, a violation, a collapse, or until `enough` says so.
    pub fn run(
        &mut self,
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
            let properties = self.start.question.properties;
            if let Some((property, _)) = self.explorer.violation(bound, properties) {
                let trace = schedule(&self.start.question, within, self.start.most_threads, budget);
                // The shortest schedule may lead to another violation.
                let shown =
                    trace.as_ref().ok().and_then(|trace| broken_by(&self.start.question, trace));
                let property = shown.unwrap_or(property);
                return Verdict::Unsafe { bound: within, property, trace };
            }
            if self.explorer.has_collapsed() {
                return if self.explorer.has_left_out() {
                    // Nothing is new with so many threads; with more of them, who knows.
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

    fn advance(&mut self, budget: &Budget) -> Result<(), Stop> {
        match self.explorer.advance(budget) {
            Err(Stop::HighStack) => {}
            other => return other.map(|_| ()),
        }
        // The stacks grow. If single contexts are infinite, states cannot be listed.
        let Question { system, symmetry, .. } = self.start.question;
        let most = self.start.most_threads;
        let finite = Above::with_at_most_threads(system, Cut::tight(1), symmetry, most, budget)
            .and_then(|above| all_finite(system, &above))?;
        let mut explorer =
            if finite { self.start.explorer(Stacks::default())? } else { self.start.symbolic()? };
        while explorer.bound() <= self.explorer.bound() {
            explorer.advance(budget)?;
        }
        self.explorer = explorer;
        Ok(())
    }

    /// What the verdict rests on, if that was asked for.
    pub fn evidence(&self, verdict: &Verdict) -> Option<Evidence> {
        match verdict {
            _ if !self.start.question.evidence => None,
            Verdict::Safe(_) => Some(self.explorer.certificate()),
            _ => violation(verdict),
        }
    }

    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        let mut outcome = Outcome {
            engine: self.explorer.name(),
            observations: self.explorer.observations().to_vec(),
            cuts: Vec::new(),
            collapse: None,
            most_threads: self.start.most_threads,
            evidence: None,
            verdict,
        };
        if matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.collapse = outcome.last_growth();
        }
        outcome
    }
}

impl<'a> Start<'a> {
    fn symbolic(&self) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let most = self.most_threads;
        self.explorer(most.map_or_else(Languages::default, Languages::starting_at_most))
    }

    fn explorer<L: Locals + 'a>(&self, locals: L) -> Result<Box<dyn Explorer + 'a>, Stop> {
        let Question { system, symmetry, .. } = self.question;
        Ok(match self.resource {
            Resource::Contexts => {
                let explorer = ContextExplorer::new(system, locals, symmetry)?;
                Box::new(explorer.with_at_most_threads(self.most_threads))
            }
            Resource::Rounds => Box::new(RoundExplorer::new(system, locals)?),
        })
    }
}

/// The shortest schedule that shows a violation within a bound that is known to have one.
pub(super) fn schedule(
    question: &Question<'_>,
    bound: Bound,
    most_threads: Option<usize>,
    budget: &Budget,
) -> Result<Trace, Stop> {
    let Question { system, properties, .. } = question;
    shortest_violation(*system, properties, bound, most_threads, budget)?.ok_or(Stop::Cancelled)
}

/// The property that the last state of a run breaks.
pub(super) fn broken_by(question: &Question<'_>, trace: &Trace) -> Option<usize> {
    let Question { system, properties, .. } = question;
    let last = replay_with(*system, trace, |_| {}).ok()?;
    let templates: Vec<_> = last.threads.iter().map(|t| t.template).collect();
    properties.iter().position(|p| p.is_violated_by(*system, &last.visible(), &templates))
}

/// A violation with a schedule, as evidence.
pub(super) fn violation(verdict: &Verdict) -> Option<Evidence> {
    let Verdict::Unsafe { property, trace: Ok(trace), .. } = verdict else { return None };
    let (contexts, property) = (trace.contexts(), *property);
    Some(Evidence::Violation(Violation { trace: trace.clone(), contexts, property }))
}
