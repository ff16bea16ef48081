//! # The engine
//!
//! The only loop. [`check`] answers the bounded question; [`verify`] works from both sides until
//! one of them has an answer:
//!
//! - from below, bound by bound: a violation ends it, with the fewest contexts; so does a bound at
//!   which nothing is new;
//! - from above, cut by cut: a Z_j without a violation ends it, and is the proof.

mod below;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Property, System};

use crate::converge::above::Above;
use crate::explore::windows::Cut;
use crate::explore::{Explorer, Observation};
use crate::{Budget, Stop};
use below::Below;

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
    /// Whether the outcome should carry its evidence, which can be large.
    pub evidence: bool,
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
    /// What the answer rests on: if it was asked for, the verdict is safe or unsafe, and there is
    /// a schedule for a violation.
    pub evidence: Option<Evidence>,
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
    let mut verdict = below.run(contexts, budget, tell, |_| false);
    if most_threads.is_some() && matches!(verdict, Verdict::Safe(_)) {
        // Nothing is new with this many threads, which says nothing about more of them.
        verdict = Verdict::Bounded { contexts };
    }
    let evidence = below.evidence(&verdict);
    Outcome { evidence, ..below.outcome(verdict) }
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

/// What one cut came to.
struct FromAbove {
    seen: CutSeen,
    /// If there is no violation, and evidence is wanted.
    certificate: Option<Evidence>,
}

/// A cut at a time, until one has no violation, or it makes no sense to go on.
fn from_above(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
    found: &mpsc::Sender<FromAbove>,
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
        let wanted = question.evidence && !violated;
        let certificate = wanted.then(|| above.explorer().certificate());
        if found.send(FromAbove { seen, certificate }).is_err() || !violated || exact {
            return;
        }
    }
}

fn pincer(
    question: &Question<'_>,
    budget: &Budget,
    tell: Listener<'_>,
    from_above: &mpsc::Receiver<FromAbove>,
) -> Outcome {
    let mut cuts: Vec<CutSeen> = Vec::new();
    let mut certificate: Option<Evidence> = None;
    let mut receive = |cuts: &mut Vec<CutSeen>, found: FromAbove| {
        cuts.push(found.seen);
        certificate = found.certificate;
    };
    let mut below = match Below::new(*question, None) {
        Ok(below) => below,
        Err(stop) => return Outcome::unknown(stop),
    };
    let mut give_up: Option<Instant> = None;
    let verdict = below.run(usize::MAX, budget, tell, |below| {
        from_above.try_iter().for_each(|found| receive(&mut cuts, found));
        let Some(proof) = cuts.last().filter(|seen| !seen.violated) else { return false };
        // Proved. Only the bound of the collapse is still of interest.
        let deadline = *give_up.get_or_insert_with(|| Instant::now() + GRACE);
        below.visible_kinds() == proof.kinds || Instant::now() > deadline
    });
    if !matches!(verdict, Verdict::Unsafe { .. } | Verdict::Safe(_))
        && cuts.last().is_none_or(|seen| seen.violated)
    {
        // Nothing to be had from below; wait for what comes from above.
        from_above.iter().for_each(|found| receive(&mut cuts, found));
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
    // A cut is mostly smaller than what a repetition rests on.
    let from_above = certificate.filter(|_| matches!(outcome.verdict, Verdict::Safe(_)));
    outcome.evidence = from_above.or_else(|| below.evidence(&outcome.verdict));
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

impl Outcome {
    fn unknown(stop: Stop) -> Self {
        Outcome {
            verdict: Verdict::Unknown { stop, completed: None },
            engine: "contexts-explicit",
            observations: Vec::new(),
            cuts: Vec::new(),
            collapse: None,
            evidence: None,
        }
    }

    /// The last bound at which a visible state was new.
    fn last_growth(&self) -> Option<usize> {
        self.observations.iter().rposition(|o| o.new_visible != Some(0))
    }
}
