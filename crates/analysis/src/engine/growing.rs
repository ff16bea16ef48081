//! # More and more threads
//!
//! **Question.** Of some threads there may be any number, and their stacks grow. How few of them break
//! a property, and with how few contexts?
//!
//! **Idea.** From below, in stages: stage s has s more threads than the system has in any case, in all
//! the ways in which they can be chosen, and 4·s contexts. Each violation is met in some stage. From above
//! ([`selvedge_coverability`]), each stage cuts all stacks, one symbol deeper than the one before, and counts the threads, unless that takes
//! too much work: then the next stage does more of it. Either no
//! number of them breaks a property in the cut, and that is a proof; or some number does, and then no
//! smaller one breaks it in the system. The run that shows this is followed with whole stacks: where that
//! works, it is a violation, with as few threads as can be.
//!
//! **Claim.** Of a violation with n threads and c contexts that is found from below: no other one with n
//! threads has fewer contexts, and none with fewer threads has as few. Where every smaller number of threads
//! was explored to its end, or is excluded from above, no violation has fewer threads.
//!
//! **Needs.** Properties that stay broken when threads are added.

use std::collections::BTreeSet;

use selvedge_coverability::{Attempt, Decision, Stacks, Workers, attempt};
use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{System, smallest_violations};

use super::below::{Below, Start, violation};
use super::counted::Counted;
use super::cover::{LOOK, drops};
use super::{Event, Listener, Outcome, Proof, Question, Verdict};
use crate::converge::above::Above;
use crate::explore::windows;
use crate::{Bound, Budget, Resource, Stop};

/// How many contexts each stage adds.
const CONTEXTS: usize = 4;

/// How much work is done for a cut, in moves of an explorer; and how many times as much is done for it in the next stage.
const FIRST_WORK: u64 = 1 << 15;
const MORE_WORK: u64 = 8;

/// Cuts deeper than this are not tried.
const DEEPEST_CUT: usize = 6;

/// Cuts deeper than this are not tried where threads are started and contexts are explored beside.
pub(super) const DEEPEST_CUT_OF_STARTED: usize = 3;

/// Cuts deeper than this are not tried to show that a number of threads breaks nothing.
const DEEPEST_CUT_OF_FEWER: usize = 3;

/// With more threads than this, a run from above is not looked for once more with the fewest contexts.
const FEW_THREADS: usize = 5;

/// The engine that explores more and more threads.
const BELOW: &str = "growing-threads";

/// The engine that counts threads with cut stacks.
pub(super) const ABOVE: &str = "cuts-and-counting";

/// Whether any number of threads reaches a violation, where stacks grow.
pub(super) fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    let mut growing = Growing {
        question: *question,
        fixed: question.system.threads().len(),
        settled: BTreeSet::new(),
        least: 0,
        completed: None,
    };
    let answered = growing.prepare().and_then(|()| {
        let (mut depth, mut deepest, mut work) = (1, DEEPEST_CUT, FIRST_WORK);
        for stage in 1.. {
            if let Some(outcome) = growing.explore(stage, budget, tell)? {
                return Ok(outcome);
            }
            if depth <= deepest {
                match growing.cut_and_count(depth, &budget.with_work(work), tell) {
                    Ok(Some(outcome)) => return Ok(outcome),
                    Ok(None) => depth += 1,
                    // More threads come first: there may be no end to what they do.
                    Err(Stop::Work) => work = work.saturating_mul(MORE_WORK),
                    // There are too many local states, and there are more in deeper cuts.
                    Err(Stop::Fault(_)) => deepest = 0,
                    Err(stop) => return Err(stop),
                }
            }
        }
        Err(Stop::Cancelled)
    });
    answered.unwrap_or_else(|stop| {
        let verdict = Verdict::Unknown { stop, completed: growing.completed };
        outcome(BELOW, verdict)
    })
}

struct Growing<'a> {
    question: Question<'a>,
    /// The number of threads that are always there.
    fixed: usize,
    /// Numbers of threads that break nothing, with any number of contexts.
    settled: BTreeSet<Vec<usize>>,
    /// No violation has fewer threads.
    least: usize,
    completed: Option<Bound>,
}

/// A violation of a number of threads.
struct Shown {
    contexts: usize,
    verdict: Verdict,
}

impl Growing<'_> {
    /// Refuses properties that more threads may repair.
    fn prepare(&self) -> Result<(), Stop> {
        let Question { system, properties, .. } = self.question;
        for state in system.initial()? {
            smallest_violations(system, properties, state.shared, &[])
                .map_err(|why| selvedge_model::Fault::new(why.to_string()))?;
        }
        Ok(())
    }

    /// Explores with up to `stage` more threads, and with more contexts in proportion.
    fn explore(
        &mut self,
        stage: usize,
        budget: &Budget,
        tell: Listener<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        let contexts = stage * CONTEXTS;
        let first = usize::from(self.fixed == 0);
        for threads in self.least.max(self.fixed + first)..=self.fixed + stage {
            if let Some(shown) = self.with_threads(threads, contexts, budget, tell)? {
                return self.found(threads, shown, budget).map(Some);
            }
        }
        self.completed = Some(Resource::ContextsOf { threads: self.fixed + stage }.bound(contexts));
        Ok(None)
    }

    /// Finds the violation with this many threads that has the fewest contexts, up to `contexts`.
    fn with_threads(
        &mut self,
        threads: usize,
        contexts: usize,
        budget: &Budget,
        tell: Listener<'_>,
    ) -> Result<Option<Shown>, Stop> {
        let mut best: Option<Shown> = None;
        for numbers in self.numbers(threads) {
            let most = match &best {
                Some(Shown { contexts: 0, .. }) => break,
                Some(shown) => shown.contexts - 1,
                None => contexts,
            };
            if self.settled.contains(&numbers) {
                continue;
            }
            let system = Counted::new(self.question.system, &numbers);
            let question = Question { system: &system, evidence: false, ..self.question };
            let most_threads = system.starts_threads().then_some(threads);
            let mut below = Below::new(Start::of(&question, Resource::Contexts, most_threads))?;
            let note = |event: Event<'_>| match event {
                Event::Bound { observation, stored } => {
                    let mut observation = observation.clone();
                    observation.bound.resource = Resource::ContextsOf { threads };
                    tell(Event::Bound { observation: &observation, stored });
                }
                cut @ Event::Cut(_) => tell(cut),
            };
            match below.run(&question, most, budget, &note, |_| false) {
                Verdict::Unsafe { bound, property, trace } => {
                    let verdict = Verdict::Unsafe { bound, property, trace };
                    best = Some(Shown { contexts: bound.count, verdict });
                }
                Verdict::Safe(_) => {
                    self.settled.insert(numbers);
                }
                Verdict::Bounded { .. } => {}
                Verdict::Unknown { stop, .. } => return Err(stop),
            }
        }
        Ok(best)
    }

    /// The ways to have so many threads: how many there are of each of which there is any number. Where
    /// threads are started, some of them may be.
    fn numbers(&self, threads: usize) -> Vec<Vec<usize>> {
        let Question { system, .. } = self.question;
        let kinds = system.any_number().len();
        let more = threads.saturating_sub(self.fixed);
        let least = if system.starts_threads() { 0 } else { more };
        (least..=more).rev().flat_map(|sum| ways(kinds, sum)).collect()
    }

    /// Makes the outcome of a violation with this many threads.
    fn found(&mut self, threads: usize, shown: Shown, budget: &Budget) -> Result<Outcome, Stop> {
        let fewest = self.are_fewest(threads, budget)?;
        let Shown { contexts, verdict } = shown;
        let Verdict::Unsafe { property, trace, .. } = verdict else { return Err(Stop::Cancelled) };
        let bound = match fewest {
            true => Bound::threads(threads),
            false => Resource::ContextsOf { threads }.bound(contexts),
        };
        let mut outcome = outcome(BELOW, Verdict::Unsafe { bound, property, trace });
        outcome.most_threads = self.question.system.starts_threads().then_some(threads);
        outcome.evidence = violation(&outcome.verdict).filter(|_| self.question.evidence);
        Ok(outcome)
    }

    /// Whether no smaller number of threads breaks a property, with any number of contexts.
    fn are_fewest(&mut self, threads: usize, budget: &Budget) -> Result<bool, Stop> {
        for fewer in self.least.max(self.fixed).max(1)..threads {
            for numbers in self.numbers(fewer) {
                if !self.settled.contains(&numbers) && !self.is_harmless(&numbers, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether cut stacks show that these threads break nothing.
    fn is_harmless(&self, numbers: &[usize], budget: &Budget) -> Result<bool, Stop> {
        let Question { system, properties, symmetry, .. } = self.question;
        if system.starts_threads() {
            return Ok(false);
        }
        let counted = Counted::new(system, numbers);
        for depth in 1..=DEEPEST_CUT_OF_FEWER {
            let above = Above::explore(&counted, windows::Cut::tight(depth), symmetry, budget)?;
            if above.violation(properties)?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Cuts the stacks to `depth` symbols, and decides for any number of threads by counting.
    fn cut_and_count(
        &mut self,
        depth: usize,
        budget: &Budget,
        tell: Listener<'_>,
    ) -> Result<Option<Outcome>, Stop> {
        match cut(&self.question, depth, budget)? {
            Cut::Safe(outcome) => Ok(Some(outcome)),
            Cut::Unsafe { threads, property, trace } => {
                // No violation has fewer threads; perhaps one has fewer contexts. Where threads are started,
                // those count here that never run.
                let starts = self.question.system.starts_threads();
                let bound = Bound::threads(threads);
                self.least = threads;
                if (1..=FEW_THREADS).contains(&threads)
                    && !starts
                    && let Some(shown) =
                        self.with_threads(threads, trace.contexts(), budget, tell)?
                {
                    return self.found(threads, shown, budget).map(Some);
                }
                let dropped = drops(self.question.system, &trace);
                let mut outcome = outcome(ABOVE, Verdict::Unsafe { bound, property, trace });
                outcome.most_threads = dropped.then_some(threads);
                outcome.evidence = violation(&outcome.verdict).filter(|_| self.question.evidence);
                Ok(Some(outcome))
            }
            Cut::Open { threads } => {
                if !self.question.system.starts_threads() {
                    self.least = self.least.max(threads);
                }
                Ok(None)
            }
        }
    }
}

/// The answer of a cut at one depth for any number of threads.
pub(super) enum Cut {
    /// No number of threads breaks a property.
    Safe(Outcome),
    /// This many threads break a property, and no fewer do.
    Unsafe {
        /// How many threads the run has.
        threads: usize,
        /// The number of the property that it breaks.
        property: usize,
        /// The run that breaks it.
        trace: Trace,
    },
    /// No violation has fewer threads than this.
    Open {
        /// The least number of threads that a violation needs.
        threads: usize,
    },
}

/// Cuts the stacks to `depth` symbols, and asks coverability about any number of threads.
pub(super) fn cut(question: &Question<'_>, depth: usize, budget: &Budget) -> Result<Cut, Stop> {
    let Question { system, properties, evidence, .. } = *question;
    Ok(
        match attempt(system, properties, Stacks::Cut(depth), Workers::of(budget.crew), &|| {
            budget.after(LOOK)
        })? {
            Attempt::Decided(Decision::Safe(certificate)) => {
                let (dangerous, relations) =
                    (certificate.dangerous.len(), certificate.relations.len());
                let proof = Proof::CutsAndCounting { depth, dangerous, relations };
                let mut outcome = outcome(ABOVE, Verdict::Safe(proof));
                outcome.evidence = evidence.then_some(Evidence::Cover(certificate));
                Cut::Safe(outcome)
            }
            Attempt::Decided(Decision::Unsafe { threads, property, trace }) => {
                Cut::Unsafe { threads, property, trace }
            }
            Attempt::Spurious { threads } => Cut::Open { threads },
            Attempt::Grows(fault) => return Err(fault.into()),
        },
    )
}

/// All lists of `kinds` numbers with this sum, the largest first number first.
fn ways(kinds: usize, sum: usize) -> Vec<Vec<usize>> {
    match kinds {
        0 => {
            if sum == 0 {
                vec![Vec::new()]
            } else {
                Vec::new()
            }
        }
        1 => vec![vec![sum]],
        _ => {
            let with = |first: usize| {
                ways(kinds - 1, sum - first).into_iter().map(move |mut rest| {
                    rest.insert(0, first);
                    rest
                })
            };
            (0..=sum).rev().flat_map(with).collect()
        }
    }
}

fn outcome(engine: &'static str, verdict: Verdict) -> Outcome {
    Outcome { engine, verdict, ..Outcome::unknown(Stop::Cancelled, Resource::Contexts) }
}

#[cfg(test)]
mod tests {
    use super::ways;

    #[test]
    fn every_way_once() {
        assert_eq!(ways(1, 3), [[3]]);
        assert_eq!(ways(2, 2), [[2, 0], [1, 1], [0, 2]]);
        assert_eq!(ways(3, 4).len(), 15);
        assert!(ways(0, 1).is_empty());
        assert_eq!(ways(0, 0), [[0; 0]]);
    }
}
