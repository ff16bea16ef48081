//! # Violations
//! What is found without a solver: runs of few threads that go wrong or reach the target.

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::{Trace, replay};
use selvedge_model::{Fault, Property, State, ThreadId};
use selvedge_program::inline::Inlined;
use selvedge_program::{Count, Lowering, Program, ThreadCounts};

use crate::count::Sampled;
use crate::sample::{BreadthFirst, explore};
use crate::search::Failure;
use crate::{Conclusion, Question, Report};

/// The most states to look at if sampling is all that can be done.
const FROM_BELOW: usize = 100_000;

/// With how many threads of each template of which there is any number.
pub(crate) const MOST_THREADS: u32 = 3;

impl Question<'_> {
    /// Looks for a violation only, in a program that cannot be written as formulas.
    pub(crate) fn search_below(
        &self,
        why: Failure,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<Conclusion, Failure> {
        for counts in growing(self.program, self.counts, MOST_THREADS) {
            let made = Lowering::new(Arc::clone(self.program), Arc::clone(self.source), &counts);
            let Ok(system) = made else { continue };
            let order = &mut BreadthFirst::default();
            let reached = explore(&system, self.property, FROM_BELOW, order, budget)
                .map_err(Failure::Stopped)?;
            if let Some(trace) = reached.violation {
                return Ok(Conclusion::Unsafe { counts, system: Arc::new(system), trace });
            }
            report.seen.push(Sampled {
                threads: system.thread_count(),
                states: reached.states.len(),
                abstract_states: None,
                complete: reached.complete,
            });
        }
        Err(why)
    }

    /// A violation of the program without calls, as one of the program as it was written.
    pub(crate) fn violation(
        &self,
        inlined: &Inlined,
        system: Lowering,
        trace: Trace,
        counts: ThreadCounts,
    ) -> Result<Conclusion, Failure> {
        if !inlined.changed {
            return Ok(Conclusion::Unsafe { counts, system: Arc::new(system), trace });
        }
        let fault = |message: String| Failure::Stopped(Fault::new(message).into());
        let made = Lowering::new(Arc::clone(self.program), Arc::clone(self.source), &counts);
        let original = made.map_err(|error| fault(error.to_string()))?;
        let states = replay(&system, &trace).map_err(|error| fault(error.to_string()))?;
        let threads = trace.steps.iter().map(|(thread, _)| *thread);
        let run: Vec<(ThreadId, State)> = threads.zip(states.into_iter().skip(1)).collect();
        let properties = std::slice::from_ref(self.property);
        let wanted = |state: &State| {
            Property::first_broken(properties, &original, state).map(|broken| broken.is_some())
        };
        let lifted = inlined.lift(&system, &trace.initial, &run, &original, &wanted);
        let (initial, steps) =
            lifted.map_err(|fault| Failure::Stopped(fault.into()))?.ok_or_else(|| {
                fault("a violation of the program without calls is none of the program".to_owned())
            })?;
        let trace = Trace { initial, steps };
        Ok(Conclusion::Unsafe { counts, system: Arc::new(original), trace })
    }
}

/// More and more threads, where there is any number of them.
pub(crate) fn growing(program: &Program, counts: &ThreadCounts, most: u32) -> Vec<ThreadCounts> {
    let any: Vec<&str> = program
        .threads
        .iter()
        .filter(|decl| decl.count == Count::Any && !counts.contains_key(&decl.name))
        .map(|decl| decl.name.as_str())
        .collect();
    if any.is_empty() {
        return vec![counts.clone()];
    }
    let with = |n: u32| {
        let mut counts = counts.clone();
        counts.extend(any.iter().map(|name| ((*name).to_owned(), n)));
        counts
    };
    (1..=most).map(with).collect()
}
