//! # A walk through a system
//! A run that grows step by step and can go back: chosen by hand, at random, or towards something (`search`). The steps are
//! those of the model ([`enabled`], [`advance`]); there is no other definition of one.
//!
//! **Paths.** Which step was taken is its number among all that could be taken there, so a state is named by a list of numbers: the
//! initial state, then the choices. The same path leads to the same state in every process, and nobody has to keep states for whoever
//! asks for one ([`Walk::at`]).

mod evidence;
mod follow;
mod script;
mod search;

use std::fmt;

use selvedge_check::{Deadlocks, Failure, Opened, Subject, Wanted};
use selvedge_evidence::{ReplayError, Trace, property, replay_with, same_effect, thread_name};
use selvedge_model::{
    Action, Fault, Heads, Pattern, Property, State, System, ThreadId, VisibleState, Waiting, Word,
    advance, enabled,
};

pub use evidence::{Shown, of_evidence};
pub use follow::follow;
pub use script::{Script, Simulated, simulate, simulation};
pub use search::{Found, Near, near, nearest};

/// Opens a subject for a walk: in the form in which deadlocks or runs that never end are looked for, if such a run is walked, and
/// otherwise as it is written.
pub fn open(subject: &Subject, deadlock: Deadlocks, endless: bool) -> Result<Opened, Failure> {
    match (endless, subject.deadlocks(deadlock)) {
        (true, _) => subject.with_all_threads(),
        (_, Deadlocks::No) => subject.system(),
        (_, deadlock) => subject.for_engine(Wanted { deadlock, any_number: false }),
    }
}

/// A thread switch happens with this probability where the last thread can go on, so that runs
/// can be read.
const SWITCH: f64 = 0.3;

/// Why a walk ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It went wrong, for this reason.
    Wrong(String),
    /// All threads have ended.
    Ended,
    /// No thread can act, and not all have ended.
    Deadlock,
    /// Every thread that can act leaves the state as it is, for ever: the program has ended, or turns in circles.
    Idle,
    /// The next actions cannot be found, for this reason.
    Unknown(Fault),
    /// The largest number of steps was reached.
    Steps,
    /// The schedule has no more steps.
    ScheduleEnded,
    /// An interrupt was requested.
    Interrupted,
    /// The user ended the walk.
    Quit,
}

impl Stop {
    /// The outcome in one word, for programs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Stop::Wrong(_) => "wrong",
            Stop::Ended => "ended",
            Stop::Deadlock => "deadlock",
            Stop::Idle => "idle",
            Stop::Unknown(_) => "unknown",
            Stop::Steps => "steps",
            Stop::ScheduleEnded => "schedule",
            Stop::Interrupted | Stop::Quit => "interrupted",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Wrong(why) => write!(f, "it goes wrong: {why}"),
            Stop::Ended => f.write_str("all threads have ended"),
            Stop::Deadlock => f.write_str("deadlock: no thread can act"),
            Stop::Idle => f.write_str("nothing changes any more"),
            Stop::Unknown(fault) => write!(f, "what comes next is unknown: {fault}"),
            Stop::Steps => f.write_str("stopped after as many steps as were asked for"),
            Stop::ScheduleEnded => f.write_str("the schedule ends here"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Quit => f.write_str("ended by hand"),
        }
    }
}

/// Something that a thread can do now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Enabled {
    /// The thread that can act.
    pub thread: ThreadId,
    /// The action that it can take.
    pub action: Action,
}

/// A run so far. Only the current state is kept, so that a long run with a deep stack takes memory
/// for its steps and not for their squares.
pub struct Walk<'s> {
    system: &'s dyn System,
    properties: &'s [Property],
    initial: Vec<State>,
    trace: Trace,
    state: State,
}

impl<'s> Walk<'s> {
    /// Starts in the first initial state.
    pub fn start(system: &'s dyn System, properties: &'s [Property]) -> Result<Self, Fault> {
        let initial = system.initial()?;
        let first = initial
            .first()
            .cloned()
            .ok_or_else(|| Fault::new("the system has no initial state"))?;
        let trace = Trace::start(first.clone());
        Ok(Walk { system, properties, initial, trace, state: first })
    }

    /// Goes where a path leads, as far as there is such a way; nothing may follow a state that is wrong. How many choices of
    /// the path were taken: all of them, or the first ones.
    pub fn at(
        system: &'s dyn System,
        properties: &'s [Property],
        path: &[usize],
    ) -> Result<(Self, usize), Fault> {
        let mut walk = Walk::start(system, properties)?;
        let Some((&first, choices)) = path.split_first() else { return Ok((walk, 0)) };
        if first >= walk.choices() {
            return Ok((walk, 0));
        }
        walk.restart(first);
        for (taken, &choice) in choices.iter().enumerate() {
            match walk.enabled()?.get(choice) {
                Some(&next) => walk.take(next),
                None => return Ok((walk, taken + 1)),
            }
        }
        Ok((walk, path.len()))
    }

    /// The path that leads to the current state.
    pub fn path(&self) -> Result<Vec<usize>, Fault> {
        let first = self.initial.iter().position(|state| *state == self.trace.initial);
        let mut path = vec![first.unwrap_or(0)];
        let mut state = self.trace.initial.clone();
        for &(thread, action) in &self.trace.steps {
            let mut number = 0;
            for earlier in state.thread_ids().filter(|id| id.index() < thread.index()) {
                number += enabled(self.system, &state, earlier)?.len();
            }
            let own = enabled(self.system, &state, thread)?;
            let exact = own.iter().position(|other| *other == action);
            let alike = || own.iter().position(|other| same_effect(other, &action));
            path.push(number + exact.or_else(alike).unwrap_or(0));
            advance(&mut state, thread, action);
        }
        Ok(path)
    }

    /// The number of initial states to choose from.
    pub fn choices(&self) -> usize {
        self.initial.len()
    }

    /// Starts again, in the initial state of this number.
    pub fn restart(&mut self, index: usize) {
        self.trace = Trace::start(self.initial[index].clone());
        self.state = self.initial[index].clone();
    }

    /// Starts again, in any of the initial states.
    pub fn restart_anywhere(&mut self, random: &mut fastrand::Rng) {
        if self.choices() > 1 {
            self.restart(random.usize(..self.choices()));
        }
    }

    /// Goes where a trace goes, up to where it first goes wrong.
    pub fn replay(&mut self, trace: Trace) -> Result<(), ReplayError> {
        let (mut visited, mut wrong) = (0, None);
        replay_with(self.system, &trace, |state| {
            if wrong.is_none() && matches!(self.violation(state), Ok(Some(_))) {
                wrong = Some(visited);
            }
            visited += 1;
        })?;
        self.trace = trace;
        self.cut(wrong.unwrap_or(usize::MAX));
        Ok(())
    }

    /// The system.
    pub fn system(&self) -> &'s dyn System {
        self.system
    }

    /// The run so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The threads of the current state and their names.
    pub fn thread_names(&self) -> impl Iterator<Item = (ThreadId, String)> {
        let state = self.state();
        state.thread_ids().map(|id| (id, thread_name(self.system, state, id)))
    }

    /// The actions that are possible now: none if the current state is wrong.
    pub fn enabled(&self) -> Result<Vec<Enabled>, Fault> {
        self.enabled_at(self.state())
    }

    /// What can be done in a state, thread by thread, in the order that paths count.
    fn enabled_at(&self, state: &State) -> Result<Vec<Enabled>, Fault> {
        let mut all = Vec::new();
        if self.violation(state)?.is_none() {
            for thread in state.thread_ids() {
                let actions = enabled(self.system, state, thread)?.into_iter();
                all.extend(actions.map(|action| Enabled { thread, action }));
            }
        }
        Ok(all)
    }

    /// Takes an enabled action.
    pub fn take(&mut self, Enabled { thread, action }: Enabled) {
        self.trace.steps.push((thread, action));
        advance(&mut self.state, thread, action);
    }

    /// Goes back this many steps, or to the start.
    pub fn undo(&mut self, steps: usize) {
        self.cut(self.trace.steps.len().saturating_sub(steps));
    }

    /// Leaves out the steps from this one on.
    fn cut(&mut self, steps: usize) {
        self.trace.steps.truncate(steps);
        self.state = self.trace.initial.clone();
        for &(thread, action) in &self.trace.steps {
            advance(&mut self.state, thread, action);
        }
    }

    /// Why the run cannot go on, if it cannot.
    pub fn status(&self) -> Result<Option<Stop>, Fault> {
        if self.enabled()?.is_empty() { self.end().map(Some) } else { Ok(None) }
    }

    /// Takes random steps, at most this many.
    pub fn wander(
        &mut self,
        steps: u64,
        random: &mut fastrand::Rng,
        is_interrupted: impl Fn() -> bool,
    ) -> Stop {
        for taken in 0.. {
            let next = match self.pick(random) {
                Ok(Some(next)) => next,
                Ok(None) => return self.end().unwrap_or_else(Stop::Unknown),
                Err(fault) => return Stop::Unknown(fault),
            };
            if is_interrupted() {
                return Stop::Interrupted;
            }
            match self.is_idle(next) {
                Ok(false) => {}
                Ok(true) => return Stop::Idle,
                Err(fault) => return Stop::Unknown(fault),
            }
            if taken == steps {
                break;
            }
            self.take(next);
        }
        Stop::Steps
    }

    /// Whether a step leaves everything as it is, and so does whatever else can be done.
    fn is_idle(&self, next: Enabled) -> Result<bool, Fault> {
        let is_idle = |&Enabled { thread, action }: &Enabled| {
            let top = self.state.threads[thread.index()].stack.top();
            let stays = top.is_some_and(|top| action.word == Word::Rewrite(top));
            stays && action.shared == self.state.shared && action.spawn.is_none()
        };
        Ok(is_idle(&next) && self.enabled()?.iter().all(is_idle))
    }

    /// A random step of a random thread, of the last one more often than not. Threads are asked one
    /// by one, not all of them at each step.
    fn pick(&self, random: &mut fastrand::Rng) -> Result<Option<Enabled>, Fault> {
        if self.violation(self.state())?.is_some() {
            return Ok(None);
        }
        let last = self.trace.steps.last().map(|(thread, _)| *thread);
        let stay = last.filter(|_| random.f64() >= SWITCH);
        let mut others: Vec<ThreadId> =
            self.state().thread_ids().filter(|id| Some(*id) != last).collect();
        // The last thread comes first if it stays, and otherwise when no other one can act.
        let mut next = || {
            let at = random.usize(..others.len().max(1));
            (!others.is_empty()).then(|| others.swap_remove(at))
        };
        let order = stay.into_iter().chain(std::iter::from_fn(&mut next));
        let mut found = None;
        for thread in order.chain(last.filter(|_| stay.is_none())) {
            let actions = enabled(self.system, self.state(), thread)?;
            if !actions.is_empty() {
                found = Some((thread, actions));
                break;
            }
        }
        Ok(found.map(|(thread, actions)| {
            let action = actions[random.usize(..actions.len())];
            Enabled { thread, action }
        }))
    }

    /// Why the run ends in the current state, in which no thread can act.
    pub fn end(&self) -> Result<Stop, Fault> {
        self.end_at(self.state())
    }

    fn end_at(&self, state: &State) -> Result<Stop, Fault> {
        Ok(match self.violation(state)? {
            Some(why) => Stop::Wrong(why),
            None if state.threads.iter().all(|t| t.has_ended()) => Stop::Ended,
            None => Stop::Deadlock,
        })
    }

    /// Whether nobody can act in the current state, and a thread waits there in a way that is meant.
    pub fn is_deadlock(&self, waiting: &Waiting) -> Result<bool, Fault> {
        let tops: Vec<_> =
            self.state.threads.iter().map(|t| (t.template, [t.stack.top()])).collect();
        let threads = tops.iter().map(|(template, top)| (*template, &top[..]));
        Heads::default().is_deadlock(self.system, waiting, self.state.shared, threads)
    }

    /// Why a run ends in a state; `None` if some thread can act.
    pub fn ending(&self, state: &State) -> Result<Option<Stop>, Fault> {
        if self.enabled_at(state)?.is_empty() { self.end_at(state).map(Some) } else { Ok(None) }
    }

    /// Why a state is wrong, if it is. Going wrong ends a run, whatever was asked for.
    pub fn violation(&self, state: &State) -> Result<Option<String>, Fault> {
        let broken = Property::first_broken(self.properties, self.system, state)?;
        Ok(match broken.map(|number| &self.properties[number]) {
            Some(
                property @ Property::Unreachable(
                    Pattern::Together(_) | Pattern::Configuration { .. },
                ),
            ) => {
                let target = property::one(self.system, property);
                Some(format!("a target is reached: {target}"))
            }
            Some(Property::NoDeadlock(_)) => Some("deadlock: no thread can act".to_owned()),
            Some(Property::Unreachable(_)) => {
                let reached = show_visible(self.system, &state.visible());
                Some(format!("a target is reached: {reached}"))
            }
            _ => self.system.wrong(state.shared),
        })
    }
}

/// A visible state as it is written in a target.
fn show_visible(system: &dyn System, state: &VisibleState) -> String {
    let top = |top: &Option<_>| top.map_or("-".to_owned(), |s| system.describe().show_symbol(s));
    let tops: Vec<_> = state.tops.iter().map(top).collect();
    format!("{}|{}", system.describe().show_shared(state.shared), tops.join(","))
}
