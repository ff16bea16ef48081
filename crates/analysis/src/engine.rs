//! # The engine
//!
//! The only loop. [`check`] answers the bounded question; [`verify`] works from both sides until
//! one of them has an answer:
//!
//! - from below, bound by bound: a violation ends it, with the fewest contexts; so does a bound at
//!   which nothing is new;
//! - from above, cut by cut: a Z_j without a violation ends it, and is the proof.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use selvedge_evidence::Trace;
use selvedge_model::{Property, System};

use crate::converge::above::Above;
use crate::converge::finite_contexts::all_finite;
use crate::explore::languages::Languages;
use crate::explore::shortest::shortest_violation;
use crate::explore::stacks::Stacks;
use crate::explore::windows::Cut;
use crate::explore::{ContextExplorer, Explorer, Observation};
use crate::{Budget, Stop};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The system. If it starts threads, it must be one that may drop them (see
    /// [`System::starts_threads`]).
    pub system: &'a dyn System,
    /// What must not be reached.
    pub properties: &'a [Property],
    /// How to explore from below.
    pub method: Method,
    /// Whether interchangeable threads are counted instead of listed.
    pub symmetry: bool,
}

/// How to explore from below.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Single states while stacks stay low, sets of stacks where contexts are infinite.
    #[default]
    Auto,
    /// Single states.
    Explicit,
    /// Sets of stacks.
    Symbolic,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// What was seen from below, bound by bound.
    pub observations: Vec<Observation>,
    /// What was seen from above, cut by cut.
    pub cuts: Vec<CutSeen>,
    /// The bound at which the visible states collapsed, if that is known.
    pub collapse: Option<usize>,
}

/// What was seen with one cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutSeen {
    /// How the stacks were cut.
    pub cut: Cut,
    /// How many visible states are left, without symmetry reduction.
    pub visible: Option<u128>,
    /// How many of them there are up to permutations of interchangeable threads.
    pub kinds: usize,
    /// Whether a violation is among them.
    pub violated: bool,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No violation under any schedule.
    Safe(Proof),
    /// A violation, with the fewest contexts that show it.
    Unsafe {
        /// The number of contexts.
        contexts: usize,
        /// Which property it breaks.
        property: usize,
        /// The schedule with the fewest steps, or why it could not be made.
        trace: Result<Trace, Stop>,
    },
    /// No violation within this many contexts. Not a proof.
    Bounded {
        /// The number of contexts.
        contexts: usize,
    },
    /// No answer.
    Unknown {
        /// Why.
        stop: Stop,
        /// The largest number of contexts that was completed without a violation.
        completed: Option<usize>,
    },
}

/// Why a system is safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No state was new at this number of contexts.
    Repetition {
        /// The number of contexts.
        contexts: usize,
    },
    /// The cut leaves no violation.
    Cut(Cut),
}

/// What happens while an engine runs.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A bound was completed from below.
    Bound {
        /// What was seen.
        observation: &'a Observation,
        /// How many words are stored, and the bytes that they take.
        stored: (usize, usize),
    },
    /// A cut was completed from above.
    Cut(CutSeen),
}

/// Told about events.
pub type Listener<'a> = &'a (dyn Fn(Event<'_>) + Sync);

/// Stacks higher than this raise the question whether contexts are finite.
const SUSPICIOUS_HEIGHT: u32 = 64;

/// Cuts deeper than this are not tried.
const DEEPEST_CUT: usize = 8;

/// How long exploration from below goes on after a proof from above, to find the bound at which
/// the visible states collapsed.
const GRACE: Duration = Duration::from_secs(2);

/// Whether a violation is reachable within so many contexts.
pub fn check(
    question: &Question<'_>,
    contexts: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let most_threads = question.system.starts_threads().then_some(contexts.max(1));
    let mut below = match Below::new(*question, most_threads) {
        Ok(below) => below,
        Err(stop) => return Outcome::unknown(stop),
    };
    let verdict = below.run(contexts, budget, tell, |_| false);
    below.outcome(verdict)
}

/// Whether a violation is reachable at all.
pub fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    if question.system.starts_threads() {
        return verify_with_more_and_more_threads(question, budget, tell);
    }
    let done = Arc::new(AtomicBool::new(false));
    let mut worker_budget = budget.clone();
    worker_budget.cancelled.push(Arc::clone(&done));
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        let worker = worker_budget.clone();
        scope.spawn(move || from_above(question, &worker, tell, &send));
        let outcome = pincer(question, &worker_budget, tell, &receive);
        done.store(true, Ordering::Relaxed);
        outcome
    })
}

/// A cut at a time, until one has no violation, or it makes no sense to go on.
fn from_above(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
    found: &mpsc::Sender<CutSeen>,
) {
    for depth in 1..=DEEPEST_CUT {
        let cut = Cut::tight(depth);
        let Ok(above) = Above::explore(question.system, cut, question.symmetry, budget) else {
            return;
        };
        let violated = above.violation(question.properties).is_some();
        let kinds = above.explorer().visible_kinds();
        let seen = CutSeen { cut, visible: above.visible(), kinds, violated };
        tell(Event::Cut(seen));
        let exact = above.is_exact();
        if found.send(seen).is_err() || !violated || exact {
            return;
        }
    }
}

fn pincer(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
    from_above: &mpsc::Receiver<CutSeen>,
) -> Outcome {
    let mut cuts: Vec<CutSeen> = Vec::new();
    let mut below = match Below::new(*question, None) {
        Ok(below) => below,
        Err(stop) => return Outcome::unknown(stop),
    };
    let mut give_up: Option<Instant> = None;
    let verdict = below.run(usize::MAX, budget, tell, |below| {
        cuts.extend(from_above.try_iter());
        let Some(proof) = cuts.last().filter(|seen| !seen.violated) else { return false };
        // Proved. Only the bound of the collapse is still of interest.
        let deadline = *give_up.get_or_insert_with(|| Instant::now() + GRACE);
        below.visible_kinds() == proof.kinds || Instant::now() > deadline
    });
    if !matches!(verdict, Verdict::Unsafe { .. } | Verdict::Safe(_))
        && cuts.last().is_none_or(|seen| seen.violated)
    {
        // Nothing to be had from below; wait for what comes from above.
        cuts.extend(from_above.iter());
    }
    let mut outcome = below.outcome(verdict);
    if let Some(seen) = cuts.last().filter(|seen| !seen.violated)
        && !matches!(outcome.verdict, Verdict::Unsafe { .. })
    {
        let exact = below.explorer.visible_kinds() == seen.kinds;
        outcome.collapse = outcome.collapse.or(exact.then(|| outcome.last_growth()).flatten());
        if !matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.verdict = Verdict::Safe(Proof::Cut(seen.cut));
            outcome.engine = "stack-cuts";
        }
    }
    outcome.cuts = cuts;
    outcome
}

/// Systems that start threads: k contexts are checked with k threads, for growing k [Qadeer and
/// Rehof, Sec. 4].
fn verify_with_more_and_more_threads(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let mut last: Option<Outcome> = None;
    for contexts in 1.. {
        let mut outcome = check(question, contexts, budget, tell);
        match &mut outcome.verdict {
            Verdict::Bounded { .. } => {}
            // With as many threads as contexts, a repetition says nothing about more of them.
            Verdict::Safe(Proof::Repetition { .. }) if contexts > 0 => {}
            Verdict::Unknown { completed, .. } => {
                *completed = contexts.checked_sub(1);
                let seen = last.map(|o| o.observations);
                outcome.observations = seen.unwrap_or(outcome.observations);
                return outcome;
            }
            _ => return outcome,
        }
        last = Some(outcome);
    }
    last.unwrap_or_else(|| Outcome::unknown(Stop::Cancelled))
}

/// The exploration from below, by whatever explorer fits.
struct Below<'a> {
    question: Question<'a>,
    most_threads: Option<usize>,
    explorer: Box<dyn Explorer + 'a>,
}

impl<'a> Below<'a> {
    fn new(question: Question<'a>, most_threads: Option<usize>) -> Result<Self, Stop> {
        let explorer = match question.method {
            Method::Auto => explicit(&question, most_threads, Stacks::up_to(SUSPICIOUS_HEIGHT))?,
            Method::Explicit => explicit(&question, most_threads, Stacks::default())?,
            Method::Symbolic => symbolic(&question, most_threads)?,
        };
        Ok(Below { question, most_threads, explorer })
    }

    /// Explores up to a bound, a violation, a collapse, or until `enough` says so.
    fn run(
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
                return Verdict::Unsafe { contexts: bound, property, trace };
            }
            if self.explorer.has_collapsed() {
                return Verdict::Safe(Proof::Repetition { contexts: bound });
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
        let bound = self.explorer.bound();
        let Question { system, symmetry, .. } = self.question;
        let finite = Above::explore(system, Cut::tight(1), symmetry, budget)
            .and_then(|above| all_finite(system, &above))?;
        self.explorer = if finite {
            explicit(&self.question, self.most_threads, Stacks::default())?
        } else {
            symbolic(&self.question, self.most_threads)?
        };
        while self.explorer.bound() <= bound {
            self.explorer.advance(budget)?;
        }
        Ok(())
    }

    fn trace(&self, contexts: usize, budget: &Budget) -> Result<Trace, Stop> {
        let Question { system, properties, .. } = self.question;
        shortest_violation(system, properties, contexts, self.most_threads, budget)?
            .ok_or(Stop::Cancelled)
    }

    fn outcome(&self, verdict: Verdict) -> Outcome {
        let mut outcome = Outcome {
            engine: self.explorer.name(),
            observations: self.explorer.observations().to_vec(),
            cuts: Vec::new(),
            collapse: None,
            verdict,
        };
        if matches!(outcome.verdict, Verdict::Safe(_)) {
            outcome.collapse = outcome.last_growth();
        }
        outcome
    }
}

impl Outcome {
    fn unknown(stop: Stop) -> Self {
        Outcome {
            verdict: Verdict::Unknown { stop, completed: None },
            engine: "contexts-explicit",
            observations: Vec::new(),
            cuts: Vec::new(),
            collapse: None,
        }
    }

    /// The last bound at which a visible state was new.
    fn last_growth(&self) -> Option<usize> {
        self.observations.iter().rposition(|o| o.new_visible != Some(0))
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
