//! # A walk through a system
//! A run that grows step by step and can go back.

use std::fmt;

use selvedge_evidence::{ReplayError, Trace, property, replay_with, thread_name};
use selvedge_model::{
    Action, Fault, Pattern, Property, State, System, ThreadId, VisibleState, advance, enabled,
};

use selvedge_check::command::Interrupt;

/// A thread switch happens with this probability where the last thread can go on, so that runs
/// can be read.
const SWITCH: f64 = 0.3;

/// Why a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// It went wrong, for this reason.
    Wrong(String),
    /// All threads have ended.
    Ended,
    /// No thread can act, and not all have ended.
    Deadlock,
    /// What comes next cannot be said, for this reason.
    Unknown(Fault),
    /// The largest number of steps was reached.
    Steps,
    /// The schedule has no more steps.
    ScheduleEnded,
    /// Somebody asked to stop.
    Interrupted,
    /// Somebody had enough.
    Quit,
}

impl Stop {
    /// The outcome in one word, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Stop::Wrong(_) => "wrong",
            Stop::Ended => "ended",
            Stop::Deadlock => "deadlock",
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
            Stop::Unknown(fault) => write!(f, "what comes next is unknown: {fault}"),
            Stop::Steps => f.write_str("stopped; --steps N allows more"),
            Stop::ScheduleEnded => f.write_str("the schedule ends here"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Quit => f.write_str("ended by hand"),
        }
    }
}

/// Something that a thread can do now.
#[derive(Clone, Copy)]
pub struct Enabled {
    /// Who.
    pub thread: ThreadId,
    /// What.
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

    /// How many initial states there are.
    pub fn choices(&self) -> usize {
        self.initial.len()
    }

    /// Starts again, in the initial state of this number.
    pub fn restart(&mut self, index: usize) {
        self.trace = Trace::start(self.initial[index].clone());
        self.state = self.initial[index].clone();
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

    /// What can be done now: nothing, if the current state is wrong.
    pub fn enabled(&self) -> Result<Vec<Enabled>, Fault> {
        let mut all = Vec::new();
        if self.violation(self.state())?.is_none() {
            for thread in self.state().thread_ids() {
                let actions = enabled(self.system, self.state(), thread)?.into_iter();
                all.extend(actions.map(|action| Enabled { thread, action }));
            }
        }
        Ok(all)
    }

    /// Does it.
    pub fn take(&mut self, Enabled { thread, action }: Enabled) {
        self.trace.steps.push((thread, action));
        advance(&mut self.state, thread, action);
    }

    /// Goes back so many steps, or to the start.
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
        interrupt: &Interrupt,
    ) -> Stop {
        for taken in 0.. {
            let next = match self.pick(random) {
                Ok(Some(next)) => next,
                Ok(None) => return self.end().unwrap_or_else(Stop::Unknown),
                Err(fault) => return Stop::Unknown(fault),
            };
            if interrupt.is_requested() {
                return Stop::Interrupted;
            }
            if taken == steps {
                break;
            }
            self.take(next);
        }
        Stop::Steps
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

    /// How a run ended that cannot go on.
    fn end(&self) -> Result<Stop, Fault> {
        Ok(match self.violation(self.state())? {
            Some(why) => Stop::Wrong(why),
            None if self.state().threads.iter().all(|t| t.has_ended()) => Stop::Ended,
            None => Stop::Deadlock,
        })
    }

    /// Why a state is wrong, if it is. Going wrong ends a run, whatever was asked for.
    fn violation(&self, state: &State) -> Result<Option<String>, Fault> {
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
