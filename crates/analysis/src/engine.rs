//! # The engine
//!
//! The only loop. [`check`] answers the bounded question; [`table`](fn@table) counts what is new at
//! each bound; [`verify`] works from both sides until one of them has an answer:
//!
//! - from below, bound by bound: a violation ends it, with the smallest bound; so does a bound at
//!   which nothing is new;
//! - from above, cut by cut: a Z_j without a violation ends it, and is the proof.
//!
//! Where there may be any number of threads, coverability ([`selvedge_coverability`]) decides; where their
//! stacks grow, too, more and more threads are explored from below and cut stacks are counted from above (`growing`).

mod below;
mod counted;
mod cover;
pub mod delays;
mod exploration;
mod generators;
pub mod grid;
mod growing;
mod pincer;
mod reduction;
mod schedules;
mod spread;
mod table;
mod turns;

use std::sync::atomic::{AtomicUsize, Ordering};

use selvedge_evidence::{Evidence, Trace};
use selvedge_model::{Fault, Pattern, Property, System};

use crate::explore::stacks::Stacks;
use crate::explore::windows::Cut;
use crate::explore::{Locals, Observation};
use crate::reduce::Direction;
use crate::{Bound, Budget, Resource, Stop};
use below::Start;
pub use counted::Counted;
use exploration::explore;
pub use exploration::{Exploration, Keeper};
use pincer::pincer;
pub use spread::{Spread, check_spread, verify_spread};
pub use table::{Automata, Shown, SymbolicState, Table, table};
pub use turns::{Candidate, FAVOURED, LEADING, Reply, Turn, in_turns};

/// A safety question about a system, and how to explore for its answer.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The system. If it starts threads, it must be one that may drop them (see
    /// [`System::starts_threads`]); but not if deadlocks are asked for, since a thread that was
    /// dropped might move.
    pub system: &'a dyn System,
    /// The properties that must hold. If there are none, the question is which visible states are reachable.
    pub properties: &'a [Property],
    /// How to explore from below.
    pub method: Method,
    /// Whether interchangeable threads are counted instead of listed.
    pub symmetry: bool,
    /// Whether the outcome should carry its evidence, which can be large.
    pub evidence: bool,
}

impl Question<'_> {
    /// Whether there is nothing to violate, so that all visible states are asked for.
    fn is_about_everything(&self) -> bool {
        self.properties.is_empty()
    }

    /// Whether every thread matters, also one that never acts: nothing can be dropped.
    fn needs_all_threads(&self) -> bool {
        self.properties.iter().any(Property::is_about_deadlocks)
    }
}

/// A method of exploration. Some are only for bounded questions, some only for unbounded ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Single states while stacks stay low, sets of stacks where contexts are infinite.
    #[default]
    Auto,
    /// Lists single states.
    Explicit,
    /// Represents the stacks of a thread by regular sets.
    Symbolic,
    /// All threads as one pushdown system: for a bound on rounds only.
    Reduction(Direction),
    /// Backward, over any number of threads: without a bound only.
    Coverability,
    /// Context by context, with the generator test at plateaus: without a bound only.
    Generators,
    /// Stacks cut ever deeper, from above alone: without a bound only. It proves, and finds no violation.
    Cuts,
}

/// Steps that concern one thread alone ride along with the step before: see [`selvedge_model::Fused`].
pub const LOCAL_STEPS: &str = "local-steps";

/// What is done while a lock is held is part of a step that others see: see [`selvedge_model::Movers`].
pub const MOVERS: &str = "movers";

/// Threads wait where the order in which they act does not matter: see [`selvedge_model::Stubborn`].
pub const STUBBORN_SETS: &str = "stubborn-sets";

/// What the schedule of a violation minimizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fewest {
    /// First what the bound counts, then the number of steps.
    Steps,
    /// First what the bound counts, then the number of steps without those that ride along.
    FusedSteps,
    /// Only what the bound counts: the search for fewer steps ended early.
    Bound(Stop),
    /// Perhaps nothing: the search for a smaller bound ended early.
    Unknown(Stop),
}

/// The result of an engine: a verdict, with what was observed on the way.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the system is safe.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: &'static str,
    /// What was seen from below, bound by bound.
    pub observations: Vec<Observation>,
    /// What was seen from above, cut by cut.
    pub cuts: Vec<CutSeen>,
    /// The bound at which the visible states collapsed, if that is known.
    pub collapse: Option<Bound>,
    /// How states were left out, by name: [`LOCAL_STEPS`], [`MOVERS`], [`STUBBORN_SETS`].
    pub reductions: Vec<&'static str>,
    /// What the schedule of a violation minimizes.
    pub fewest: Fewest,
    /// Whether it is known that no other property is broken within the bound of a violation.
    pub is_alone: bool,
    /// If the system starts threads: states with more threads than this were not followed; if it
    /// is safe, there are none.
    pub most_threads: Option<usize>,
    /// What the answer rests on: if it was asked for, and the verdict is safe or unsafe.
    pub evidence: Option<Evidence>,
}

/// What one cut of the stacks leaves.
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
    /// Whether nothing was cut off, so that exactly what is reachable is left.
    pub exact: bool,
}

/// Whether some schedule breaks a property, as far as the engine found out.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No violation under any schedule.
    Safe(Proof),
    /// A violation, with the smallest bound that shows it.
    Unsafe {
        /// The bound that shows the violation.
        bound: Bound,
        /// The index of the broken property in the question.
        property: usize,
        /// A schedule that shows it; of what it has the fewest, [`Outcome::fewest`] says.
        trace: Trace,
    },
    /// No violation within this bound. Not a proof.
    Bounded {
        /// The bound that was completed.
        bound: Bound,
    },
    /// The engine ended without an answer.
    Unknown {
        /// Why it ended.
        stop: Stop,
        /// The largest bound that was completed without a violation.
        completed: Option<Bound>,
    },
}

/// Why a system is safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No state was new at this bound.
    Repetition {
        /// The bound at which no state was new.
        bound: Bound,
    },
    /// The cut leaves no violation.
    Cut(Cut),
    /// What is observed stopped growing, and is closed under the actions that depend on what is
    /// hidden.
    Closure {
        /// The rounds and delays at the end of the plateau.
        bound: Bound,
        /// How many symbols of each stack are observed.
        top: usize,
        /// Whether some shared variables are not.
        some_shared: bool,
        /// How many abstract states there are.
        states: usize,
    },
    /// The visible states stopped growing, and no generator that may be reached is missing.
    Generators {
        /// The bound at which the test passed.
        bound: Bound,
        /// How many generators are in Z.
        generators: usize,
    },
    /// Every schedule was followed, but that threads wait where the order does not matter.
    Schedules {
        /// How many states were met.
        states: usize,
        /// At how many of them threads wait.
        waits: usize,
    },
    /// The summaries of all procedures of the only thread leave no violation.
    Summaries,
    /// No number of threads leads to a violation.
    Coverability {
        /// How many smallest states there are from which one could be reached.
        dangerous: usize,
    },
    /// No number of threads leads to a violation, with stacks that are cut.
    CutsAndCounting {
        /// How many symbols of each stack are kept.
        depth: usize,
        /// How many smallest states there are from which a violation could be reached.
        dangerous: usize,
        /// How many relations there are between heights of stacks and numbers of threads.
        relations: usize,
    },
}

/// Progress that an engine reports while it runs.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A bound was completed from below.
    Bound {
        /// What was observed at the bound.
        observation: &'a Observation,
        /// How many words are stored, and the bytes that they take.
        stored: (usize, usize),
    },
    /// A cut was completed from above.
    Cut(CutSeen),
}

/// A callback for progress events.
pub type Listener<'a> = &'a (dyn Fn(Event<'_>) + Sync);

/// Whether a violation is reachable within a bound.
pub fn check(
    question: &Question<'_>,
    bound: Bound,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    check_and_keep(question, bound, None, budget, tell)
}

/// Whether a violation is reachable within a bound; the exploration is left with the keeper, if it can go on.
pub fn check_and_keep(
    question: &Question<'_>,
    bound: Bound,
    keeper: Option<&Keeper>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    if let Some(outcome) = refuse_any_number(question, bound.resource) {
        return outcome;
    }
    if let (Method::Reduction(direction), Resource::Rounds) = (question.method, bound.resource) {
        return reduction::check(question, direction, bound.count, budget, tell).about(question);
    }
    if let Resource::RoundRobin { delays, .. } = bound.resource {
        return delays::check(question, bound.count, delays, budget, tell);
    }
    let most_threads = most_threads(question, bound);
    let start = Start::of(question, bound.resource, most_threads);
    explored(question, start, keeper, bound.count, budget, tell)
}

/// The most threads that are followed within a bound; `None` if no threads are started.
fn most_threads(question: &Question<'_>, bound: Bound) -> Option<usize> {
    question.system.starts_threads().then(|| match question.needs_all_threads() {
        true => question.system.threads().len() + MANY_STARTED,
        false => threads_needed(question, bound.count),
    })
}

/// Explores from below up to the bound `most`, and returns the outcome with its evidence.
fn explored(
    question: &Question<'_>,
    start: Start<'_>,
    keeper: Option<&Keeper>,
    most: usize,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let resource = start.resource;
    explore(start, keeper, |below| {
        let verdict = below.run(question, most, budget, tell, |_| false);
        let evidence = below.evidence(question, &verdict);
        Outcome { evidence, ..below.outcome(verdict) }.about(question)
    })
    .unwrap_or_else(|stop| Outcome::unknown(stop, resource))
}

/// How much work is done before threads wait, in moves: a few tenths of a second. Smaller questions are answered without that.
const BEFORE_SCHEDULES: u64 = 1 << 20;

/// Whether a violation is reachable at all. Without properties: which visible states are.
///
/// Contexts are counted for the smallest number of them; where that takes long, and the system says which threads may wait, all schedules
/// are followed beside it without counting, for a proof.
pub fn verify(question: &Question<'_>, budget: &Budget, tell: Listener<'_>) -> Outcome {
    verify_and_keep(question, None, budget, tell)
}

/// Whether a violation is reachable at all; the exploration from below is left with the keeper, if it can go on.
pub fn verify_and_keep(
    question: &Question<'_>,
    keeper: Option<&Keeper>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    if !schedules::fits(question) {
        return verify_counting(question, keeper, budget, tell);
    }
    let candidates = vec![
        Candidate::new(FAVOURED, |budget, _| Some(verify_counting(question, keeper, budget, tell))),
        Candidate::new(FAVOURED, |budget, _| schedules::verify(question, budget))
            .after(BEFORE_SCHEDULES),
    ];
    first_answer(candidates, budget, Resource::Contexts)
}

fn verify_counting(
    question: &Question<'_>,
    keeper: Option<&Keeper>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    if !question.system.any_number().is_empty() || question.method == Method::Coverability {
        cover::verify(question, budget, tell).about(question)
    } else if question.method == Method::Generators {
        generators::verify(question, budget, tell)
    } else if !question.system.starts_threads() {
        verify_fixed_threads(question, keeper, budget, tell)
    } else if question.method == Method::Cuts {
        cover::verify_by_cuts(question, budget).about(question)
    } else if question.needs_all_threads() {
        check(question, Resource::Contexts.bound(usize::MAX), budget, tell)
    } else if question.method == Method::Auto && !question.is_about_everything() {
        cover::verify_beside(question, budget, |budget| {
            verify_with_more_and_more_threads(&|bound| check(question, bound, budget, tell))
        })
        .about(question)
    } else {
        verify_with_more_and_more_threads(&|bound| check(question, bound, budget, tell))
    }
}

/// How much work contexts do before delays are tried, in moves: a few seconds.
const BEFORE_DELAYS: u64 = 3 << 20;

/// How much work is done for a schedule with few contexts once delays have found one, in moves: about a second.
const FOR_CONTEXTS: u64 = 1 << 21;

/// From both sides; and with rounds and delays, where after a while not even two contexts came to
/// an end: perhaps a single one never does, and there always is an end to rounds and delays.
fn verify_fixed_threads(
    question: &Question<'_>,
    keeper: Option<&Keeper>,
    budget: &Budget,
    tell: Listener<'_>,
) -> Outcome {
    let completed = AtomicUsize::new(0);
    let note = |event: Event<'_>| {
        if let Event::Bound { observation, .. } = &event {
            completed.fetch_max(observation.bound.count, Ordering::Relaxed);
        }
        tell(event);
    };
    let both_sides = |budget: &Budget| {
        explore(Start::of(question, Resource::Contexts, None), keeper, |below| {
            pincer(question, below, &[], None, budget, &note, None)
        })
        .unwrap_or_else(|stop| Outcome::unknown(stop, Resource::Contexts))
        .about(question)
    };
    if question.method != Method::Auto || question.is_about_everything() {
        return both_sides(budget);
    }
    let with_delays = |budget: &Budget| {
        if completed.load(Ordering::Relaxed) >= 2 {
            return None;
        }
        // Rounds of single steps count every step.
        let plain = question.system.before_reduction().unwrap_or(question.system);
        let plain = Question { system: plain, ..*question };
        let outcome = delays::verify(&plain, &delays::Options::default(), budget, &|_| {});
        let Verdict::Unsafe { trace, .. } = &outcome.verdict else {
            return outcome.is_answer().then_some(outcome);
        };
        // People want few contexts, and sets of stacks may tell how few.
        let symbolic = Question { method: Method::Symbolic, ..*question };
        let (bound, work) = (Bound::contexts(trace.contexts()), budget.with_work(FOR_CONTEXTS));
        let few = check(&symbolic, bound, &work, &|_| {});
        let is_shown = matches!(few.verdict, Verdict::Unsafe { .. });
        Some(if is_shown { few } else { outcome })
    };
    let candidates = vec![
        Candidate::new(FAVOURED, |budget, _| Some(both_sides(budget))),
        Candidate::new(1, |budget, _| with_delays(budget)).after(BEFORE_DELAYS),
    ];
    first_answer(candidates, budget, Resource::Contexts)
}

/// Runs engines in turns and returns the first answer; the first candidate must always have an outcome.
pub fn first_answer(
    candidates: Vec<Candidate<'_, Outcome>>,
    budget: &Budget,
    resource: Resource,
) -> Outcome {
    let nothing = || Outcome::unknown(Stop::Cancelled, resource);
    in_turns(candidates, budget).unwrap_or_else(nothing)
}

/// Refuses a bounded question about a system with any number of threads: it needs a fixed number.
fn refuse_any_number(question: &Question<'_>, resource: Resource) -> Option<Outcome> {
    let any = *question.system.any_number().first()?;
    let name = question.system.describe().template_name(any.template);
    let message =
        format!("of `{name}` there may be any number, and this question needs one: say how many");
    Some(Outcome::unknown(Fault::new(message).into(), resource))
}

/// A deadlock may have any number of threads that were started and never act. With more started
/// threads than this, the answer is unknown.
const MANY_STARTED: usize = 64;

/// How many threads there have to be, so that a violation within so many contexts is not missed.
///
/// All that act after the first context may have been started; those that are started and never
/// act can be dropped, unless the target is about them.
fn threads_needed(question: &Question<'_>, contexts: usize) -> usize {
    let first = question.system.threads().len();
    let idle = |property: &Property| match property {
        Property::Unreachable(Pattern::Somewhere { .. }) => 1,
        Property::Unreachable(Pattern::Together(wanted)) => wanted.len(),
        Property::Unreachable(Pattern::Tuple { tops, .. }) => tops.len().saturating_sub(first),
        Property::Unreachable(Pattern::Configuration { stacks, .. }) => {
            stacks.len().saturating_sub(first)
        }
        Property::NeverWrong | Property::NoDeadlock(_) => 0,
    };
    let idle = question.properties.iter().map(idle).max().unwrap_or(0);
    first.saturating_add(contexts.saturating_sub(1)).saturating_add(if contexts > 0 {
        idle
    } else {
        0
    })
}

/// Systems that start threads: k contexts are checked with k threads [Qadeer and Rehof, Sec. 4]. A number of threads serves all smaller numbers of
/// contexts, so that it is doubled: threads that were started and have not acted yet are a factor of two at most, and little is explored again.
fn verify_with_more_and_more_threads(check: &dyn Fn(Bound) -> Outcome) -> Outcome {
    let mut last: Option<Outcome> = None;
    let mut contexts = FIRST_CONTEXTS;
    loop {
        let mut outcome = check(Bound::contexts(contexts));
        let (known, seen) = match last {
            Some(Outcome { verdict: Verdict::Bounded { bound }, observations, .. }) => {
                (Some(bound), observations)
            }
            _ => (None, Vec::new()),
        };
        match &mut outcome.verdict {
            Verdict::Bounded { .. } => {}
            // This exploration got less far than the one before: report what that one completed.
            Verdict::Unknown { completed, .. } if completed.map(count) < known.map(count) => {
                *completed = known;
                outcome.observations = seen;
                return outcome;
            }
            _ => return outcome,
        }
        last = Some(outcome);
        contexts = contexts.saturating_mul(2);
    }
}

/// Within how many contexts a system is looked at first that starts threads.
const FIRST_CONTEXTS: usize = 4;

fn count(bound: Bound) -> usize {
    bound.count
}

impl Reply for Outcome {
    /// Whether the question is answered.
    fn is_answer(&self) -> bool {
        !matches!(self.verdict, Verdict::Unknown { .. })
    }
}

impl Outcome {
    /// No answer about a bound, since something stands against the question itself.
    #[must_use]
    pub fn refused(fault: Fault, resource: Resource) -> Self {
        Outcome::unknown(fault.into(), resource)
    }

    fn unknown(stop: Stop, resource: Resource) -> Self {
        Outcome::new(Stacks::engine(resource), Verdict::Unknown { stop, completed: None })
    }

    /// A verdict of an engine, with nothing observed on the way.
    #[must_use]
    pub fn new(engine: &'static str, verdict: Verdict) -> Self {
        Outcome {
            verdict,
            engine,
            observations: Vec::new(),
            cuts: Vec::new(),
            collapse: None,
            reductions: Vec::new(),
            fewest: Fewest::Steps,
            is_alone: false,
            most_threads: None,
            evidence: None,
        }
    }

    /// Notes in the outcome that local steps were left out, if the system is a reduced one.
    fn about(self, question: &Question<'_>) -> Self {
        let is_reduced = question.system.before_reduction().is_some();
        Outcome { reductions: is_reduced.then_some(LOCAL_STEPS).into_iter().collect(), ..self }
    }

    /// How many words the states are stored in, up to the last bound: fewer than there are states
    /// where one stands for its permutations, or for infinitely many.
    #[must_use]
    pub fn stored(&self) -> usize {
        if let Verdict::Safe(Proof::Schedules { states, .. }) = self.verdict {
            return states;
        }
        self.observations.iter().map(|seen| seen.new_stored).sum()
    }

    /// The last bound at which a visible state was new.
    fn last_growth(&self) -> Option<Bound> {
        self.observations.iter().rfind(|o| o.new_visible != Some(0)).map(|o| o.bound)
    }
}
