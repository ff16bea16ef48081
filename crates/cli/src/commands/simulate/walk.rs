//! # A walk through a system
//! A run that grows step by step and can go back.

use std::fmt;

use selvedge_evidence::{ReplayError, Trace, replay, thread_name};
use selvedge_model::{Action, Fault, Property, State, System, ThreadId, VisibleState, step};

use crate::interrupt::Interrupt;

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
            Stop::Steps => f.write_str("stopped; --steps N allows more"),
            Stop::ScheduleEnded => f.write_str("the schedule ends here"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Quit => f.write_str("ended by hand"),
        }
    }
}

/// Something that a thread can do now.
pub struct Enabled {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub action: Action,
    /// The state afterwards.
    pub next: State,
}

/// A run so far.
pub struct Walk<'s> {
    system: &'s dyn System,
    properties: &'s [Property],
    initial: Vec<State>,
    trace: Trace,
    /// The states that were visited, the first and the current one included.
    states: Vec<State>,
}

impl<'s> Walk<'s> {
    /// Starts in the first initial state.
    pub fn start(system: &'s dyn System, properties: &'s [Property]) -> Result<Self, Fault> {
        let initial = system.initial()?;
        let first = initial.first().cloned().ok_or_else(|| Fault {
            message: "the system has no initial state".to_owned(),
            line: None,
        })?;
        let trace = Trace::start(first.clone());
        Ok(Walk { system, properties, initial, trace, states: vec![first] })
    }

    /// How many initial states there are.
    pub fn choices(&self) -> usize {
        self.initial.len()
    }

    /// Starts again, in the initial state of this number.
    pub fn restart(&mut self, index: usize) {
        self.trace = Trace::start(self.initial[index].clone());
        self.states = vec![self.initial[index].clone()];
    }

    /// Goes where a trace goes, up to where it first goes wrong.
    pub fn replay(&mut self, mut trace: Trace) -> Result<(), ReplayError> {
        self.states = replay(self.system, &trace)?;
        if let Some(wrong) = self.states.iter().position(|s| self.violation(s).is_some()) {
            self.states.truncate(wrong + 1);
            trace.steps.truncate(wrong);
        }
        self.trace = trace;
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

    /// The states that were visited.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The current state.
    pub fn state(&self) -> &State {
        self.states.last().unwrap_or(&self.trace.initial)
    }

    /// The threads of the current state and their names.
    pub fn thread_names(&self) -> impl Iterator<Item = (ThreadId, String)> {
        let state = self.state();
        state.thread_ids().map(|id| (id, thread_name(self.system, state, id)))
    }

    /// What can be done now: nothing, if the current state is wrong.
    pub fn enabled(&self) -> Result<Vec<Enabled>, Fault> {
        let mut enabled = Vec::new();
        if self.violation(self.state()).is_none() {
            for thread in self.state().thread_ids() {
                let steps = step(self.system, self.state(), thread)?.into_iter();
                enabled.extend(steps.map(|(action, next)| Enabled { thread, action, next }));
            }
        }
        Ok(enabled)
    }

    /// Does it.
    pub fn take(&mut self, Enabled { thread, action, next }: Enabled) {
        self.trace.steps.push((thread, action));
        self.states.push(next);
    }

    /// Goes back one step; says whether there was one.
    pub fn undo(&mut self) -> bool {
        let undone = self.trace.steps.pop().is_some();
        if undone {
            self.states.pop();
        }
        undone
    }

    /// Why the run cannot go on, if it cannot.
    pub fn status(&self) -> Result<Option<Stop>, Fault> {
        Ok(if self.enabled()?.is_empty() { Some(self.end()) } else { None })
    }

    /// Takes random steps, at most this many.
    pub fn wander(
        &mut self,
        steps: usize,
        random: &mut fastrand::Rng,
        interrupt: &Interrupt,
    ) -> Result<Stop, Fault> {
        for taken in 0.. {
            let mut enabled = self.enabled()?;
            if enabled.is_empty() {
                return Ok(self.end());
            }
            if interrupt.is_requested() {
                return Ok(Stop::Interrupted);
            }
            if taken == steps {
                break;
            }
            let index = self.pick(&enabled, random);
            self.take(enabled.swap_remove(index));
        }
        Ok(Stop::Steps)
    }

    /// A random choice that stays with the last thread more often than not.
    fn pick(&self, enabled: &[Enabled], random: &mut fastrand::Rng) -> usize {
        let last = self.trace.steps.last().map(|(thread, _)| *thread);
        let (same, others): (Vec<usize>, Vec<usize>) =
            (0..enabled.len()).partition(|&index| Some(enabled[index].thread) == last);
        let switch = same.is_empty() || (!others.is_empty() && random.f64() < SWITCH);
        let pool = if switch { others } else { same };
        pool[random.usize(..pool.len())]
    }

    /// How a run ended that cannot go on.
    fn end(&self) -> Stop {
        match self.violation(self.state()) {
            Some(why) => Stop::Wrong(why),
            None if self.state().threads.iter().all(|t| t.has_ended()) => Stop::Ended,
            None => Stop::Deadlock,
        }
    }

    /// Why a state is wrong, if it is.
    fn violation(&self, state: &State) -> Option<String> {
        let visible = state.visible();
        let templates: Vec<_> = state.threads.iter().map(|t| t.template).collect();
        let broken = |p: &&Property| p.is_violated_by(self.system, &visible, &templates);
        self.properties.iter().find(broken).map(|property| match property {
            Property::NeverWrong => self.system.wrong(state.shared).unwrap_or_default(),
            Property::Unreachable(_) => {
                format!("a target is reached: {}", show_visible(self.system, &visible))
            }
        })
    }
}

/// A visible state as it is written in a target.
fn show_visible(system: &dyn System, state: &VisibleState) -> String {
    let top = |top: &Option<_>| top.map_or("-".to_owned(), |s| system.show_symbol(s));
    let tops: Vec<_> = state.tops.iter().map(top).collect();
    format!("{}|{}", system.show_shared(state.shared), tops.join(","))
}
