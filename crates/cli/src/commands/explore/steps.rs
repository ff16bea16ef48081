//! # Steps by hand
//! A page names a state by its path and says where to go from there; the system is opened anew for each such request, so that nothing is kept
//! between them and nothing grows. Every request has an end: so many choices, so many states, so much time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use selvedge::walk::{self, Enabled, Found, Stop, Walk};
use selvedge::{Answer, Budget, Failure, Opened, Subject};
use selvedge_frontend::Input;
use selvedge_model::{Fault, State};
use selvedge_program::Count;
use selvedge_report::page::{Go, Graph, Look, Posed, Wander, Way};

use crate::commands::pose::PoseArgs;
use crate::memory;

/// Longer paths are not followed.
const LONGEST_PATH: usize = 20_000;

/// No walk takes more random steps at once.
const MOST_STEPS: u32 = 1_000;

/// The most states to look at in a search for the nearest wanted one.
const MOST_STATES: usize = 50_000;

/// The most states near the current one to show, and the most steps to them.
const MOST_NEAR: usize = 60;
const FARTHEST: usize = 8;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The number of threads of a walk where there may be any number.
const FEW: u32 = 2;

/// Goes where a page wants to go.
pub fn look(args: &PoseArgs, subject: &Subject, wander: &Wander) -> Result<Look, Failure> {
    if wander.path.len() > LONGEST_PATH {
        return Err(Failure::usage(format!("a path has at most {LONGEST_PATH} choices")));
    }
    let end = Instant::now() + PATIENCE;
    let budget = Budget {
        deadline: Some(end),
        memory: args.engine.limits.memory.or_else(selvedge::default_memory_limit),
        memory_in_use: Some(memory::in_use),
        ..Budget::default()
    };
    let subject = counted(subject, &wander.ask.threads).within(&budget);
    let opened = open(&subject, args)?;
    let system = &*opened.system;
    let (mut walk, taken) = Walk::at(system, &opened.properties, &wander.path)?;
    let mut said = (taken < wander.path.len()).then(|| {
        let all = wander.path.len().saturating_sub(1);
        format!("the path leads only as far as step {} of {all}", taken.saturating_sub(1))
    });
    let mut near = None;
    if said.is_none() {
        let is_late = || Instant::now() > end;
        match wander.go {
            Go::Near { steps } => near = Some(graph(&walk, steps.min(FARTHEST))?),
            go => said = wander_on(&mut walk, go, is_late)?,
        }
    }
    let enabled: Vec<_> =
        walk.enabled()?.into_iter().map(|Enabled { thread, action }| (thread, action)).collect();
    let stop = if enabled.is_empty() { Some(walk.end()?.to_string()) } else { None };
    let path = (walk.path()?, walk.choices());
    let look = Look::new(system, path, walk.trace(), walk.state(), &enabled, stop);
    Ok(Look { said, near, ..look })
}

/// The subject with numbers for all threads: a walk has as many as the page says, or a few.
fn counted(subject: &Subject, given: &BTreeMap<String, u32>) -> Subject {
    let mut threads: Vec<(String, u32)> = given.clone().into_iter().collect();
    if let Some(Input::Program { program, .. }) = subject.input() {
        for thread in program.threads.iter().filter(|thread| thread.count == Count::Any) {
            if !given.contains_key(&thread.name) {
                threads.push((thread.name.clone(), FEW));
            }
        }
    }
    subject.with_threads(threads)
}

fn open(subject: &Subject, args: &PoseArgs) -> Result<Opened, Failure> {
    walk::open(subject, args.deadlocks(), args.ask().question == Posed::Livelock)
}

/// Takes the steps that a page asks for, and says how it went.
fn wander_on(
    walk: &mut Walk<'_>,
    go: Go,
    is_late: impl Fn() -> bool,
) -> Result<Option<String>, Failure> {
    let system = walk.system();
    let lines = |state: &State| {
        let tops = state.threads.iter().filter_map(|thread| thread.stack.top());
        tops.filter_map(|top| system.describe().symbol_line(top)).collect::<Vec<u32>>()
    };
    let (found, wanted) = match go {
        Go::Here | Go::Near { .. } => return Ok(None),
        Go::Random { seed, steps } => {
            let mut random = fastrand::Rng::with_seed(seed);
            let stop = walk.wander(steps.min(MOST_STEPS).into(), &mut random, is_late);
            return Ok(match stop {
                Stop::Unknown(fault) => return Err(fault.into()),
                Stop::Steps => None,
                stop => Some(stop.to_string()),
            });
        }
        Go::Thread { thread } => return alone(walk, thread).map_err(Failure::from),
        Go::Wrong => {
            let is_wrong = |state: &State| Ok(walk.violation(state)?.is_some());
            (walk::nearest(walk, MOST_STATES, is_wrong, is_late)?, "goes wrong")
        }
        Go::Line { line } => {
            let is_there = |state: &State| Ok(lines(state).contains(&line));
            (walk::nearest(walk, MOST_STATES, is_there, is_late)?, "has a thread at this line")
        }
        Go::New => {
            let mut known = lines(&walk.trace().initial);
            let mut state = walk.trace().initial.clone();
            for &(thread, action) in &walk.trace().steps {
                selvedge_model::advance(&mut state, thread, action);
                known.extend(lines(&state));
            }
            let is_new = |state: &State| Ok(lines(state).iter().any(|line| !known.contains(line)));
            (walk::nearest(walk, MOST_STATES, is_new, is_late)?, "has a thread at a new line")
        }
    };
    Ok(match found {
        Found::Choices(choices) => {
            for choice in choices {
                if let Some(&next) = walk.enabled()?.get(choice) {
                    walk.take(next);
                }
            }
            None
        }
        Found::Nowhere(0 | 1) => Some("no other state can be reached from here".to_owned()),
        Found::Nowhere(states) => {
            Some(format!("none of the {states} states that can be reached from here {wanted}"))
        }
        Found::GaveUp(states) => {
            Some(format!("none of the nearest {states} states {wanted}; there are more"))
        }
    })
}

/// Lets one thread act as long as it can and has no choice.
fn alone(walk: &mut Walk<'_>, thread: usize) -> Result<Option<String>, Fault> {
    for steps in 0..MOST_STEPS {
        let enabled = walk.enabled()?;
        let mut own = enabled.iter().filter(|next| next.thread.index() == thread);
        match (own.next(), own.next()) {
            (Some(&next), None) => walk.take(next),
            (Some(_), Some(_)) if steps == 0 => {
                return Ok(Some("it has several ways to go on: choose one".to_owned()));
            }
            (Some(_), Some(_)) => return Ok(None),
            (None, _) => return Ok((steps == 0).then(|| "it cannot act here".to_owned())),
        }
    }
    Ok(None)
}

/// The states near the current one, as a graph.
fn graph(walk: &Walk<'_>, steps: usize) -> Result<Graph, Fault> {
    let found = walk::near(walk, steps, MOST_NEAR)?;
    let mut states = Vec::with_capacity(found.states.len());
    for (state, path) in found.states {
        let kind = match walk.ending(&state)? {
            Some(Stop::Wrong(_)) => Some("wrong"),
            Some(Stop::Deadlock) => Some("stuck"),
            Some(_) => Some("ended"),
            None => None,
        };
        states.push((state, path, kind));
    }
    Ok(Graph::new(walk.system(), &states, &found.edges, found.is_cut))
}

/// How a page gets to the states of an answer's run; `None` if there is no run, or no such way.
pub fn way(answer: &Answer, subject: &Subject, args: &PoseArgs) -> Option<Way> {
    let (opened, trace) = answer.run()?;
    if trace.steps.len() >= LONGEST_PATH {
        return None;
    }
    let mut threads: BTreeMap<String, u32> =
        opened.options.threads.iter().chain(&opened.chosen).cloned().collect();
    // Threads of which there is any number come after the others.
    let system = &*opened.system;
    for thread in trace.initial.threads.iter().skip(system.threads().len()) {
        *threads.entry(system.describe().template_name(thread.template)).or_default() += 1;
    }
    let subject = counted(subject, &threads);
    let walked = open(&subject, args).ok()?;
    let mut walk = Walk::start(&*walked.system, &walked.properties).ok()?;
    walk::follow(&mut walk, system, &trace).ok()?;
    Some(Way { path: walk.path().ok()?, threads })
}
