//! # Single schedules
//!
//! **Question.** Sixteen threads have to be started, run and joined before something goes wrong. Nobody gets there who looks at all schedules with few contexts first.
//!
//! **Idea.** Follow some schedules, one after the other, from the start to the end: first those that stay with a thread as long as it can act, then those that switch now and then, at places that
//! are chosen as if by chance, but the same ones in every run.
//!
//! **Claim.** A run that goes wrong is a violation, like any other. Nothing else is said; nor whether a schedule with fewer contexts goes wrong as well, unless a short search finds one.

use selvedge_analysis::Bound;
use selvedge_analysis::engine::{self, Fewest, Method, Outcome, Verdict};
use selvedge_evidence::{Evidence, Trace, Violation};
use selvedge_model::{Action, Pace, Property, State, System, ThreadId, advance, enabled};

use crate::EngineName;
use crate::answer::Answer;
use crate::question::Question;
use selvedge_check::{Deadlocks, Opened};

/// How much work the other engines do alone, in moves: several seconds. Those who count contexts tell the fewest.
pub(crate) const HEAD_START: u64 = 1 << 23;

/// How many schedules are followed.
const WALKS: u64 = 400;

/// No schedule is followed for more steps than this.
const LONGEST: usize = 30_000;

/// A thread that acts so often without a pause has to let others act.
const PATIENCE: usize = 3_000;

/// The work that a single step, and a look at what a thread can do, count as, in moves of an explorer.
const OF_A_STEP: usize = 16;
const OF_A_LOOK: usize = 8;

/// How much work is done for a schedule with fewer contexts, in moves: some seconds.
const FOR_CONTEXTS: u64 = 1 << 22;

/// Whether single schedules are followed beside all others: of programs in C, for what goes wrong.
pub(crate) fn take_part(question: &Question) -> bool {
    let asked = question.options();
    asked.engine == EngineName::Auto
        && question.bound().is_none()
        && asked.deadlock == Deadlocks::No
        && question.subject().is_c()
        && question.opened().is_ok_and(|opened| opened.properties == [Property::NeverWrong])
}

/// A violation along one of some schedules.
pub(crate) fn violation(question: &Question) -> Option<Answer> {
    let opened = question.opened().ok()?;
    let system: &dyn System = &*opened.system;
    let initial = system.initial().ok()?;
    let mut pace = Pace::new(question.budget());
    for number in 0..WALKS {
        let chance = &mut Chance(number);
        let first = initial.get(chance.below(initial.len()))?;
        let walk = Walk { system, chance, manner: Manner::of(number) };
        match walk.follow(first.clone(), &mut pace) {
            Ok(Some(trace)) => return told(question, opened, trace),
            Ok(None) => {}
            Err(_) => return None,
        }
    }
    None
}

/// The answer with a run; with fewer contexts, if that is soon found.
fn told(question: &Question, opened: &Opened, trace: Trace) -> Option<Answer> {
    let bound = Bound::contexts(trace.contexts());
    let few = question.budget().with_work(FOR_CONTEXTS);
    let explored = question.explored(opened, Method::Auto);
    let fewest = engine::check(&explored, bound, &few, &question.tell());
    let stop = match fewest.verdict {
        Verdict::Unsafe { .. } => return Answer::of_states(question, opened, fewest).ok(),
        Verdict::Unknown { stop, .. } => stop,
        // The run is a violation within that bound: an engine that says otherwise is not believed.
        Verdict::Bounded { .. } | Verdict::Safe(_) => return None,
    };
    let shown = Violation { trace: trace.clone(), contexts: trace.contexts(), property: 0 };
    let outcome = Outcome {
        verdict: Verdict::Unsafe { bound, property: 0, trace },
        engine: "walks",
        observations: Vec::new(),
        cuts: Vec::new(),
        collapse: None,
        reductions: Vec::new(),
        fewest: Fewest::Unknown(stop),
        is_alone: false,
        most_threads: None,
        evidence: Some(Evidence::Violation(shown)),
    };
    Answer::of_states(question, opened, outcome).ok()
}

/// How a schedule chooses the next thread.
#[derive(Clone, Copy, Debug)]
struct Manner {
    /// In how many of a thousand steps another thread is next although the last one could go on.
    switches: usize,
    /// The thread that is next where one must be chosen.
    next: Next,
}

#[derive(Clone, Copy, Debug)]
enum Next {
    /// The one that was started first.
    First,
    /// The one that was started last.
    Last,
    /// Any thread, by chance.
    Any,
}

impl Manner {
    fn of(number: u64) -> Manner {
        let switches = [0, 0, 0, 2, 20, 100, 300, 5][(number % 8) as usize];
        let next = match number {
            0 => Next::First,
            1 => Next::Last,
            _ => Next::Any,
        };
        Manner { switches, next }
    }
}

/// Numbers that look as if they were chosen by chance, and are the same everywhere.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % (end.max(1) as u64)) as usize
    }
}

/// Says that a schedule is not followed any further: a limit was reached, or what comes next cannot be said.
struct Ended;

struct Walk<'a> {
    system: &'a dyn System,
    chance: &'a mut Chance,
    manner: Manner,
}

impl Walk<'_> {
    /// The run if it goes wrong.
    fn follow(mut self, first: State, pace: &mut Pace<'_>) -> Result<Option<Trace>, Ended> {
        let mut trace = Trace::start(first.clone());
        let mut state = first;
        let mut last: Option<ThreadId> = None;
        let mut stayed = 0;
        // Threads that only went round since something changed.
        let mut idle: Vec<ThreadId> = Vec::new();
        while trace.steps.len() < LONGEST {
            if self.system.wrong(state.shared).is_some() {
                return Ok(Some(trace));
            }
            pace.spend(OF_A_STEP + state.threads.len()).map_err(|_| Ended)?;
            let stays = stayed < PATIENCE && self.chance.below(1000) >= self.manner.switches;
            let chosen = match last.filter(|last| stays && !idle.contains(last)) {
                Some(last) => self.step_of(&state, last)?.map(|action| (last, action)),
                None => None,
            };
            let chosen = match chosen {
                Some(chosen) => Some(chosen),
                None => {
                    stayed = 0;
                    pace.spend(OF_A_LOOK * state.threads.len()).map_err(|_| Ended)?;
                    self.another(&state, last, &idle)?
                }
            };
            let Some((thread, action)) = chosen else { return Ok(None) };
            let before = state.threads[thread.index()].stack.top();
            let shared = state.shared;
            trace.steps.push((thread, action));
            advance(&mut state, thread, action);
            let moved = state.shared != shared
                || action.spawn.is_some()
                || state.threads[thread.index()].stack.top() != before;
            match moved {
                true => idle.clear(),
                false => idle.push(thread),
            }
            stayed += 1;
            last = Some(thread);
        }
        Ok(None)
    }

    /// One of the steps that a thread can make; none in which a thread that is to be started is dropped.
    fn step_of(&mut self, state: &State, thread: ThreadId) -> Result<Option<Action>, Ended> {
        let mut actions = enabled(self.system, state, thread).map_err(|_| Ended)?;
        if actions.iter().any(|action| action.spawn.is_some()) {
            actions.retain(|action| action.spawn.is_some());
        }
        Ok((!actions.is_empty()).then(|| actions[self.chance.below(actions.len())]))
    }

    /// A step of another thread than the last one, if there is one; otherwise of the last one.
    fn another(
        &mut self,
        state: &State,
        last: Option<ThreadId>,
        idle: &[ThreadId],
    ) -> Result<Option<(ThreadId, Action)>, Ended> {
        let mut others: Vec<ThreadId> = state.thread_ids().filter(|t| Some(*t) != last).collect();
        match self.manner.next {
            Next::First => {}
            Next::Last => others.reverse(),
            Next::Any => {
                for end in (1..others.len()).rev() {
                    others.swap(end, self.chance.below(end + 1));
                }
            }
        }
        for thread in others.into_iter().chain(last).filter(|thread| !idle.contains(thread)) {
            if let Some(action) = self.step_of(state, thread)? {
                return Ok(Some((thread, action)));
            }
        }
        Ok(None)
    }
}
