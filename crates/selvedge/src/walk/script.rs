//! # What a text says about who acts
//! A schedule that somebody wrote, or the run of evidence: what `selvedge simulate --schedule` reads, and `Program.simulate` of Python.

use selvedge_check::{Failure, Opened, Subject};
use selvedge_evidence::{ResolveError, ResolveFault, Schedule};
use selvedge_model::System;
use selvedge_report::json::{Simulation, VERSION};
use selvedge_report::run::Steps;
use selvedge_report::waits;

use super::{Shown, Stop, Walk, follow, of_evidence};

/// A source for the steps of a walk.
pub enum Script {
    /// A schedule as text.
    Schedule(Schedule),
    /// The run of an answer, from its evidence, which was checked.
    Evidence(Box<Shown>),
}

impl Script {
    /// Reads a schedule, or evidence about a subject.
    pub fn read(subject: &Subject, text: &str) -> Result<Self, Failure> {
        match text.trim_start().starts_with('{') {
            true => of_evidence(subject, text).map(|shown| Script::Evidence(Box::new(shown))),
            false => Schedule::parse(text)
                .map(Script::Schedule)
                .map_err(|why| Failure::input(why.to_string())),
        }
    }

    /// Opens what is walked.
    pub fn opened(&self, subject: &Subject) -> Result<Opened, Failure> {
        match self {
            Script::Schedule(_) => subject.system(),
            Script::Evidence(shown) => Ok(shown.opened.clone()),
        }
    }

    /// Takes the steps; or says why they cannot be taken.
    pub fn follow(&self, walk: &mut Walk<'_>) -> Result<(), String> {
        match self {
            Script::Schedule(schedule) => {
                let trace = schedule.to_trace(walk.system()).map_err(|why| {
                    let waits = why_blocked(schedule, walk.system(), &why);
                    waits.map_or(why.to_string(), |waits| format!("{why}: {waits}"))
                })?;
                walk.replay(trace).map_err(|why| why.to_string())
            }
            Script::Evidence(shown) => follow(walk, &*shown.about.system, &shown.trace),
        }
    }
}

/// What a thread waits for that a schedule lets act where it cannot.
fn why_blocked(schedule: &Schedule, system: &dyn System, why: &ResolveError) -> Option<String> {
    let ResolveFault::Blocked(name) = &why.fault else { return None };
    let before = schedule.first(why.step.checked_sub(1)?).to_trace(system).ok()?;
    Some(match waits::of(system, &before, name) {
        Some(waits) => format!("it waits at {waits}"),
        None => "it has ended".to_owned(),
    })
}

/// A run that has ended.
pub struct Simulated {
    /// The run, for other programs.
    pub object: Simulation,
    /// The schedule that leads along it again.
    pub schedule: String,
}

/// Follows a script, or walks at random from a seed, so many steps at most.
pub fn simulate(
    subject: &Subject,
    script: Option<&str>,
    (seed, steps): (u64, u64),
    is_interrupted: impl Fn() -> bool,
) -> Result<Simulated, Failure> {
    let script = script.map(|text| Script::read(subject, text)).transpose()?;
    let opened = script.as_ref().map_or_else(|| subject.system(), |it| it.opened(subject))?;
    let mut walk = Walk::start(opened.system.as_ref(), &opened.properties)?;
    let stop = match &script {
        Some(script) => {
            script.follow(&mut walk).map_err(Failure::input)?;
            walk.status()?.unwrap_or(Stop::ScheduleEnded)
        }
        None => {
            let mut random = fastrand::Rng::with_seed(seed);
            walk.restart_anywhere(&mut random);
            walk.wander(steps, &mut random, is_interrupted)
        }
    };
    let seed = script.is_none().then_some(seed);
    let schedule = Schedule::from_trace(walk.system(), walk.trace()).map_err(Failure::bug)?;
    let object = simulation(opened.source.name(), &walk, &stop, seed);
    Ok(Simulated { object, schedule: schedule.to_string() })
}

/// A run that has ended, for other programs.
#[must_use]
pub fn simulation(file: &str, walk: &Walk<'_>, stop: &Stop, seed: Option<u64>) -> Simulation {
    Simulation {
        selvedge: VERSION,
        file: file.to_owned(),
        outcome: stop.word(),
        reason: stop.to_string(),
        seed,
        contexts: walk.trace().contexts(),
        trace: Steps::new(walk.system(), walk.trace()).collect(),
    }
}
