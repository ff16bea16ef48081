//! # Whether those who go first are enough, looked at while it is used
//! Somebody who chooses as another one does, and compares: from the state, all that the other threads can do is followed for a
//! while, and at each state on the way every one of their steps is exchanged with every step of those that go first. For tests.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;

use super::{Choose, Interference, Standing};
use crate::{
    Action, SharedId, Stack, State, SymbolId, System, TemplateId, Thread, ThreadId, enabled,
    step_with,
};

/// The most states that are followed from each choice.
const MOST_STATES: usize = 200;

/// Wraps an interference and checks its choices while they are used.
pub struct Watched {
    system: Arc<dyn System>,
    who: Arc<dyn Interference>,
    found: Mutex<Tally>,
}

#[derive(Default)]
struct Tally {
    choices: usize,
    first_flaw: Option<String>,
}

impl Watched {
    /// Watches who chooses among the threads of a system, whose steps are those that are exchanged.
    #[must_use]
    pub fn new(system: Arc<dyn System>, who: Arc<dyn Interference>) -> Self {
        Watched { system, who, found: Mutex::default() }
    }

    /// The number of choices that were checked.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).choices
    }

    /// Describes the first choice that was wrong, if one was.
    #[must_use]
    pub fn flaw(&self) -> Option<String> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).first_flaw.clone()
    }

    /// Whether threads are not enough at a state, and why. All that is wrong or cannot be listed ends a run.
    #[must_use]
    pub fn disproof(system: &dyn System, state: &State, enough: &[ThreadId]) -> Option<String> {
        let acts = |state: &State, thread| enabled(system, state, thread).unwrap_or_default();
        let fine = |state: &State| system.wrong(state.shared).is_none();
        let can_act = |&thread: &ThreadId| !acts(state, thread).is_empty();
        if state.thread_ids().any(|thread| can_act(&thread)) && !enough.iter().any(can_act) {
            return Some(format!("none of {enough:?} can act at {state:?}"));
        }
        let mut known: FxHashSet<State> = [state.clone()].into_iter().collect();
        let mut open = vec![state.clone()];
        while let Some(at) = open.pop() {
            // A result that is on its way is in the midst of a step.
            let is_between = system.is_between(at.shared);
            for &first in enough.iter().filter(|_| !is_between) {
                let is = acts(&at, first).is_empty();
                let was = acts(state, first).is_empty();
                if is != was {
                    return Some(format!("{first:?} waits or acts at {at:?}, unlike at {state:?}"));
                }
            }
            for other in at.thread_ids().filter(|thread| !enough.contains(thread)) {
                for action in acts(&at, other) {
                    let after = step_with(&at, other, action);
                    if let (false, Some(why)) =
                        (is_between, not_exchanged(system, &at, &after, other, action, enough))
                    {
                        return Some(why);
                    }
                    let is_new = fine(&after) && known.len() < MOST_STATES;
                    if is_new && known.insert(after.clone()) {
                        open.push(after);
                    }
                }
            }
        }
        None
    }
}

/// Whether a step of another thread cannot be taken after a step of one that goes first, with the same end.
fn not_exchanged(
    system: &dyn System,
    at: &State,
    after: &State,
    other: ThreadId,
    action: Action,
    enough: &[ThreadId],
) -> Option<String> {
    let acts = |state: &State, thread| enabled(system, state, thread).unwrap_or_default();
    for &first in enough {
        for own in acts(at, first) {
            let between = step_with(at, first, own);
            // Whoever goes wrong first was found; and so is whoever goes wrong after.
            if system.wrong(between.shared).is_some() || system.is_between(between.shared) {
                continue;
            }
            let mut then = acts(&between, other).into_iter();
            let does = |found: &Action| found.word == action.word && found.spawn == action.spawn;
            if let Some(why) = system.wrong(after.shared) {
                if !then.any(|found| system.wrong(found.shared).as_ref() == Some(&why)) {
                    return Some(format!("{other:?} goes wrong at {at:?}, not after {first:?}"));
                }
                continue;
            }
            let found: Vec<State> =
                then.filter(does).map(|found| step_with(&between, other, found)).collect();
            if system.is_between(after.shared) {
                if found.is_empty() {
                    return Some(format!("{other:?} returns at {at:?}, not after {first:?}"));
                }
                continue;
            }
            let last: Vec<State> =
                acts(after, first).into_iter().map(|own| step_with(after, first, own)).collect();
            // Started threads stand in the order in which they were started.
            let sorted = |mut state: State| {
                state.threads.sort_unstable();
                state
            };
            let last: FxHashSet<State> = last.into_iter().map(sorted).collect();
            if !found.into_iter().map(sorted).any(|state| last.contains(&state)) {
                return Some(format!("{first:?} and {other:?} cannot be exchanged at {at:?}"));
            }
        }
    }
    None
}

impl Interference for Watched {
    fn chooser(&self) -> Box<dyn Choose + '_> {
        Box::new(Watching { of: self, chooser: self.who.chooser(), threads: Vec::new() })
    }
}

struct Watching<'w> {
    of: &'w Watched,
    chooser: Box<dyn Choose + 'w>,
    /// The threads that have numbers.
    threads: Vec<(u32, Thread)>,
}

impl Choose for Watching<'_> {
    fn thread(&mut self, template: TemplateId, stack: &[SymbolId]) -> u32 {
        let number = self.chooser.thread(template, stack);
        self.threads.push((number, Thread { template, stack: Stack(stack.to_vec()) }));
        number
    }

    fn choose(&mut self, shared: SharedId, threads: &[Standing], enough: &mut Vec<bool>) -> bool {
        if !self.chooser.choose(shared, threads, enough) {
            return false;
        }
        let find = |standing: &Standing| {
            let found = self.threads.iter().find(|(number, _)| *number == standing.thread);
            found.map(|(_, thread)| thread.clone())
        };
        let Some(list) = threads.iter().map(find).collect::<Option<Vec<Thread>>>() else {
            return false;
        };
        let state = State { shared, threads: list };
        let first: Vec<ThreadId> =
            (0..enough.len()).filter(|&thread| enough[thread]).map(ThreadId::from).collect();
        let flaw = Watched::disproof(&*self.of.system, &state, &first);
        let mut found = self.of.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.choices += 1;
        found.first_flaw = found.first_flaw.take().or(flaw);
        true
    }
}
