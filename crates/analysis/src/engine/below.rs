//! The exploration from below, by whatever explorer fits.

use selvedge_evidence::{Evidence, Trace, Violation, replay_with};

use super::{Event, Listener, Method, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::converge::finite_contexts::all_finite;
use crate::explore::languages::Languages;
use crate::explore::shortest::shortest_violation;
use crate::explore::stacks::Stacks;
use crate::explore::windows::Cut;
use crate::explore::{ContextExplorer, Explorer};
use crate::{Budget, Stop};

/// Stacks higher than this raise the question whether contexts are finite.
const SUSPICIOUS_HEIGHT: u32 = 64;

pub(super) struct Below<'a> {
    question: Question<'a>,
    most_threads: Option<usize>,
    pub explorer: Box<dyn Explorer + 'a>,
}

impl<'a> Below<'a> {
    pub fn new(question: Question<'a>, most_threads: Option<usize>) -> Result<Self, Stop> {
        let explorer = match question.method {
            Method::Auto => explicit(&question, most_threads, Stacks::up_to(SUSPICIOUS_HEIGHT))?,
            Method::Explicit => explicit(&question, most_threads, Stacks::default())?,
            Method::Symbolic => symbolic(&question, most_threads)?,
        };
        Ok(Below { question, most_threads, explorer })
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
            if let Some((property, _)) = self.explorer.violation(bound, self.question.properties) {
                let trace = self.trace(bound, budget);
                // The shortest schedule may lead to another violation.
                let shown = trace.as_ref().ok().and_then(|trace| self.broken_by(trace));
                let property = shown.unwrap_or(property);
                return Verdict::Unsafe { contexts: bound, property, trace };
            }
            if self.explorer.has_collapsed() {
                return if self.explorer.has_left_out() {
                    // Nothing is new with so many threads; with more of them, who knows.
                    Verdict::Bounded { contexts: most }
                } else {
                    Verdict::Safe(Proof::Repetition { contexts: bound })
                };
            }
            if bound >= most || enough(&*self.explorer) {
                return Verdict::Bounded { contexts: bound };
            }
            if let Err(stop) = self.advance(budget) {
                return Verdict::Unknown { stop, completed: Some(bound) };
            }
        }
    }

    fn advance(&mut self, budget: &Budget) -> Result<(), Stop> {
        match self.explorer.advance(budget) {
            Err(Stop::HighStack) => {}
            other => return other.map(|_| ()),
        }
        // The stacks grow. If single contexts are infinite, states cannot be listed.
        let Question { system, symmetry, .. } = self.question;
        let most = self.most_threads;
        let finite = Above::with_at_most_threads(system, Cut::tight(1), symmetry, most, budget)
            .and_then(|above| all_finite(system, &above))?;
        let mut explorer = if finite {
            explicit(&self.question, most, Stacks::default())?
        } else {
            symbolic(&self.question, most)?
        };
        while explorer.bound() <= self.explorer.bound() {
            explorer.advance(budget)?;
        }
        self.explorer = explorer;
        Ok(())
    }

    fn trace(&self, contexts: usize, budget: &Budget) -> Result<Trace, Stop> {
        let Question { system, properties, .. } = self.question;
        shortest_violation(system, properties, contexts, self.most_threads, budget)?
            .ok_or(Stop::Cancelled)
    }

    /// The property that the last state of a run breaks.
    fn broken_by(&self, trace: &Trace) -> Option<usize> {
        let Question { system, properties, .. } = self.question;
        let last = replay_with(system, trace, |_| {}).ok()?;
        let templates: Vec<_> = last.threads.iter().map(|t| t.template).collect();
        properties.iter().position(|p| p.is_violated_by(system, &last.visible(), &templates))
    }

    /// What the verdict rests on, if that was asked for.
    pub fn evidence(&self, verdict: &Verdict) -> Option<Evidence> {
        match verdict {
            _ if !self.question.evidence => None,
            Verdict::Safe(_) => Some(self.explorer.certificate()),
            Verdict::Unsafe { contexts, property, trace: Ok(trace) } => {
                let (contexts, property) = (*contexts, *property);
                Some(Evidence::Violation(Violation { trace: trace.clone(), contexts, property }))
            }
            _ => None,
        }
    }

    pub fn outcome(&self, verdict: Verdict) -> Outcome {
        let mut outcome = Outcome {
            engine: self.explorer.name(),
            observations: self.explorer.observations().to_vec(),
            cuts: Vec::new(),
            collapse: None,
            most_threads: self.most_threads,
            evidence: None,
            verdict,
        };
        if matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.collapse = outcome.last_growth();
            // Nothing was left out.
            outcome.most_threads = self.most_threads.map(|_| self.explorer.largest());
        }
        outcome
    }
}

fn explicit<'a>(
    question: &Question<'a>,
    most_threads: Option<usize>,
    stacks: Stacks,
) -> Result<Box<dyn Explorer + 'a>, Stop> {
    let explorer = ContextExplorer::new(question.system, stacks, question.symmetry)?;
    Ok(Box::new(explorer.with_at_most_threads(most_threads)))
}

fn symbolic<'a>(
    question: &Question<'a>,
    most_threads: Option<usize>,
) -> Result<Box<dyn Explorer + 'a>, Stop> {
    let languages = most_threads.map_or_else(Languages::default, Languages::starting_at_most);
    let explorer = ContextExplorer::new(question.system, languages, question.symmetry)?;
    Ok(Box::new(explorer.with_at_most_threads(most_threads)))
}
