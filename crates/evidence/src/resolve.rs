//! # From schedules to traces and back
//! A schedule names threads and choices; the system says which actions these are.

use std::fmt;

use selvedge_model::{
    Action, Budget, Fault, Pace, State, Stop, System, Thread, ThreadId, advance, enabled,
};

use crate::{ReplayError, Schedule, ScheduledStep, Trace, replay_with, same_effect, thread_name};

/// Why a schedule cannot be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolveError {
    /// The step that cannot be taken, counted from 1; 0 is the first state.
    pub step: usize,
    /// The line of the schedule; 0 if it has no text.
    pub line: usize,
    /// The fault of the step.
    pub fault: ResolveFault,
}

/// Why a step of a schedule cannot be resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResolveFault {
    /// There are only this many initial states.
    NoSuchInitial(usize),
    /// There is no template of this name of which there is any number of threads; these are there.
    NoSuchTemplate(String, Vec<String>),
    /// There is no thread of this name; these are there.
    NoSuchThread(String, Vec<String>),
    /// The thread cannot act here.
    Blocked(String),
    /// The thread has this many choices, and the schedule asks for another one.
    NoSuchChoice(String, usize),
    /// The thread has this many choices, and the schedule does not say which.
    ManyChoices(String, usize),
    /// The system cannot say what its actions are.
    System(Fault),
    /// The budget was used up.
    Stopped(Stop),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if self.step > 0 {
            write!(f, "step {}: ", self.step)?;
        }
        match &self.fault {
            ResolveFault::NoSuchInitial(count) => {
                write!(f, "the initial states are numbered from 1 to {count}")
            }
            ResolveFault::NoSuchTemplate(name, known) if known.is_empty() => {
                write!(f, "there is a fixed number of threads, also of {name}")
            }
            ResolveFault::NoSuchTemplate(name, known) => write!(
                f,
                "of {name} there is no number to be given; there is any number of {}",
                known.join(", ")
            ),
            ResolveFault::NoSuchThread(name, known) => {
                write!(f, "there is no thread {name} here; the threads are {}", known.join(", "))
            }
            ResolveFault::Blocked(name) => write!(f, "thread {name} cannot act here"),
            ResolveFault::NoSuchChoice(name, count) => {
                write!(f, "the choices of {name} here are numbered from 1 to {count}")
            }
            ResolveFault::ManyChoices(name, count) => write!(
                f,
                "{name} has {count} choices here; write `{name} choice N` with N from 1 to {count}"
            ),
            ResolveFault::System(fault) => fault.fmt(f),
            ResolveFault::Stopped(stop) => stop.fmt(f),
        }
    }
}

impl std::error::Error for ResolveError {}

impl Schedule {
    /// The run that the schedule describes.
    pub fn to_trace(&self, system: &dyn System) -> Result<Trace, ResolveError> {
        self.to_trace_within(system, &Budget::default())
    }

    /// The run that the schedule describes, unless the budget ends before it does.
    pub fn to_trace_within(
        &self,
        system: &dyn System,
        budget: &Budget,
    ) -> Result<Trace, ResolveError> {
        let mut pace = Pace::new(budget);
        let start = |fault| ResolveError { step: 0, line: 0, fault };
        let mut initial = system.initial().map_err(|f| start(ResolveFault::System(f)))?;
        if self.initial >= initial.len() {
            return Err(start(ResolveFault::NoSuchInitial(initial.len())));
        }
        let mut state = initial.swap_remove(self.initial);
        for (name, number) in &self.threads {
            let any = system.any_number();
            let named =
                any.iter().find(|any| system.describe().template_name(any.template) == *name);
            let Some(&any) = named else {
                let known =
                    any.iter().map(|any| system.describe().template_name(any.template)).collect();
                return Err(start(ResolveFault::NoSuchTemplate(name.clone(), known)));
            };
            state.threads.extend(std::iter::repeat_n(Thread::from(any), *number));
        }
        let mut trace = Trace::start(state.clone());
        let repeated = self.steps.iter().flat_map(|step| std::iter::repeat_n(step, step.times));
        for (index, scheduled) in repeated.enumerate() {
            let error = |fault| ResolveError { step: index + 1, line: scheduled.line, fault };
            let named = state.threads.len();
            pace.spend(named).map_err(|stop| error(ResolveFault::Stopped(stop)))?;
            let (thread, action) = choose(system, &state, scheduled).map_err(error)?;
            trace.steps.push((thread, action));
            advance(&mut state, thread, action);
        }
        Ok(trace)
    }

    /// The schedule of a run.
    pub fn from_trace(system: &dyn System, trace: &Trace) -> Result<Schedule, ReplayError> {
        replay_with(system, trace, |_| {})?;
        let error =
            |step| move |fault| ReplayError { step, fault: crate::ReplayFault::System(fault) };
        let all = system.initial().map_err(error(0))?;
        // Threads of which there is any number come after the others.
        let (first, more) = trace.initial.threads.split_at(system.threads().len());
        let begins = |s: &State| s.shared == trace.initial.shared && s.threads == first;
        let initial = all.iter().position(begins).unwrap_or(0);
        let names = more.iter().map(|thread| system.describe().template_name(thread.template));
        let names: Vec<String> = names.collect();
        let alike = names.chunk_by(|a, b| a == b);
        let threads = alike.map(|names| (names[0].clone(), names.len())).collect();
        let mut steps = Vec::with_capacity(trace.steps.len());
        let mut state = trace.initial.clone();
        for (index, (thread, action)) in trace.steps.iter().enumerate() {
            let listed = enabled(system, &state, *thread).map_err(error(index + 1))?;
            let exact = listed.iter().position(|a| a == action);
            let position = exact.or_else(|| listed.iter().position(|a| same_effect(a, action)));
            let choice = position.filter(|_| listed.len() > 1).map(|p| p + 1);
            let name = thread_name(system, &state, *thread);
            steps.push(ScheduledStep { thread: name, choice, times: 1, line: 0 });
            advance(&mut state, *thread, *action);
        }
        Ok(Schedule { initial, threads, steps })
    }
}

fn choose(
    system: &dyn System,
    state: &State,
    scheduled: &ScheduledStep,
) -> Result<(ThreadId, Action), ResolveFault> {
    let name = &scheduled.thread;
    let named = |id: &ThreadId| thread_name(system, state, *id) == *name;
    let Some(thread) = state.thread_ids().find(named) else {
        let known = state.thread_ids().map(|id| thread_name(system, state, id)).collect();
        return Err(ResolveFault::NoSuchThread(name.clone(), known));
    };
    let listed = enabled(system, state, thread).map_err(ResolveFault::System)?;
    let index = match (scheduled.choice, listed.len()) {
        (_, 0) => return Err(ResolveFault::Blocked(name.clone())),
        (None, 1) => 0,
        (None, count) => return Err(ResolveFault::ManyChoices(name.clone(), count)),
        (Some(choice), count) if choice == 0 || choice > count => {
            return Err(ResolveFault::NoSuchChoice(name.clone(), count));
        }
        (Some(choice), _) => choice - 1,
    };
    Ok((thread, listed[index]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fig1, run, spawner};
    use expect_test::{Expect, expect};

    #[test]
    fn schedules_of_runs_lead_to_the_same_runs() {
        let system = fig1();
        let trace = run(&system, &[(0, 0), (1, 0), (1, 0), (0, 0)]);
        let schedule = Schedule::from_trace(&system, &trace).unwrap();
        expect![[r#"
            T1
            T2 * 2
            T1
        "#]]
        .assert_eq(&schedule.to_string());
        assert_eq!(schedule.to_trace(&system).unwrap(), trace);
    }

    #[test]
    fn threads_that_were_started_have_names() {
        let system = spawner();
        let trace = run(&system, &[(0, 0), (1, 0), (2, 2), (1, 1)]);
        let schedule = Schedule::from_trace(&system, &trace).unwrap();
        expect![[r#"
            w choice 1
            w#2 choice 1
            w#3 choice 3
            w#2 choice 2
        "#]]
        .assert_eq(&schedule.to_string());
        let text = Schedule::parse(&schedule.to_string()).unwrap();
        assert_eq!(text.to_trace(&system).unwrap(), trace);
    }

    #[test]
    fn says_why_a_schedule_cannot_be_followed() {
        let check = |text: &str, expected: Expect| {
            let schedule = Schedule::parse(text).unwrap();
            expected.assert_eq(&schedule.to_trace(&spawner()).unwrap_err().to_string());
        };
        check("initial 3", expect!["the initial states are numbered from 1 to 1"]);
        check(
            "w choice 1\nv",
            expect!["line 2: step 2: there is no thread v here; the threads are w, w#2"],
        );
        check(
            "w",
            expect!["line 1: step 1: w has 3 choices here; write `w choice N` with N from 1 to 3"],
        );
        check(
            "w choice 4",
            expect!["line 1: step 1: the choices of w here are numbered from 1 to 3"],
        );
        check("w choice 3\n\nw", expect!["line 3: step 2: thread w cannot act here"]);
    }
}
