//! # Questions
//! The keywords of Python as options of the library, and what comes of a question as an object of Python.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::prelude::*;
use selvedge::{
    Accepted, Answer, Bounds, CommandLine, Deadlocks, Endless, EngineName, Failure, Fairness,
    Limits, Livelock, LivelockEngine, Options, Paint, Subject, TraceOptions, walk,
};
use selvedge_report::{json, page};

use crate::errors::{self, Site};
use crate::hear::{Ear, Teller};
use crate::{command, memory, numbers, run};

/// Options, with limits as Python gives them, and with who wants to know how far the run is.
pub struct Limited<'a, 'py> {
    pub options: Options,
    pub timeout: Option<f64>,
    pub memory: Option<&'a Bound<'py, PyAny>>,
    pub progress: Option<Py<PyAny>>,
    /// The largest bound that is looked at, if there is one.
    pub most: Option<selvedge::Bound>,
    /// The command line that asks it again, without limits.
    pub command: Option<CommandLine>,
}

/// Which deadlocks are meant, where nothing need be said.
pub fn deadlocks(asked: Option<bool>) -> Deadlocks {
    asked.map_or(Deadlocks::Waits, Deadlocks::if_asked)
}

/// Adds what was said of deadlocks to a command line.
pub fn about_deadlocks(line: CommandLine, asked: Option<bool>) -> CommandLine {
    line.flag("--deadlock", asked == Some(true)).flag("--no-deadlock", asked == Some(false))
}

/// What is handed over to Python.
struct Told {
    text: String,
    sentence: String,
    evidence: Option<String>,
    object: String,
}

impl Told {
    /// An `Answer` of Python.
    fn answer(self, py: Python<'_>, notes: Vec<String>) -> PyResult<Bound<'_, PyAny>> {
        let make = py.import("selvedge._answers")?.getattr("_answer")?;
        make.call1((self.text, self.sentence, self.evidence, notes, self.object))
    }
}

impl Limited<'_, '_> {
    /// Asks a question; the answer is an `Answer` of Python.
    pub fn ask<'py>(
        self,
        py: Python<'py>,
        question: impl FnOnce(&Options) -> Result<Answer, Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (told, notes) = self.run(py, move |options, command| {
            let answer = question(options)?;
            tell(&asked_by(answer, command))
        })?;
        told.answer(py, notes)
    }

    /// Asks a question; what comes of it is a `Report` of Python.
    pub fn report<'py>(
        self,
        py: Python<'py>,
        question: impl FnOnce(&Options) -> Result<Answer, Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ((told, texts), notes) = self.run(py, move |options, command| {
            let answer = asked_by(question(options)?, command);
            let document = answer.document(answer.table_of_page().as_ref());
            let sarif = json::print(&answer.sarif());
            Ok((tell(&answer)?, (page::html(&document), page::markdown(&document), sarif)))
        })?;
        let (html, markdown, sarif) = texts;
        let answer = told.answer(py, notes)?;
        let class = py.import("selvedge._reports")?.getattr("Report")?;
        class.call1((answer, html, markdown, sarif))
    }

    /// Asks for a table or a grid, which have a text and an object; what comes of it is an object of Python that the named function makes.
    pub fn tabulate<'py>(
        self,
        py: Python<'py>,
        make: &str,
        question: impl FnOnce(&Options) -> Result<(String, String, String), Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ((text, csv, object), notes) = self.run(py, move |options, _| question(options))?;
        py.import("selvedge._tables")?.getattr(make)?.call1((text, csv, notes, object))
    }

    /// Has evidence checked; what comes of it is a `Recheck` of Python.
    pub fn recheck<'py>(
        self,
        py: Python<'py>,
        question: impl FnOnce(&Options) -> Result<Result<Accepted, String>, Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (found, _) = self.run(py, move |options, _| {
            let found = question(options)?;
            Ok(found.map(|accepted| (accepted.verdict.word(), accepted.checked)))
        })?;
        let class = py.import("selvedge._answers")?.getattr("Recheck")?;
        match found {
            Ok((verdict, checked)) => class.call1((true, verdict, checked, None::<&str>)),
            Err(reason) => class.call1((false, None::<&str>, None::<&str>, reason)),
        }
    }

    /// Lets something run beside the interpreter that is heard; what came of it, and the notes.
    fn run<T: Send + 'static>(
        self,
        py: Python<'_>,
        work: impl FnOnce(&Options, Option<String>) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<(T, Vec<String>)> {
        let timeout = self.timeout.map(|time| numbers::seconds("timeout", time)).transpose()?;
        let memory = self.memory.map(|size| numbers::count("memory", size)).transpose()?;
        let line = self.command.map(|line| command::limited(line, self.timeout, memory).finish());
        let limits = Limits {
            timeout: timeout.flatten(),
            memory: memory.or_else(selvedge::default_memory_limit),
            memory_in_use: Some(memory::in_use),
            ..Limits::default()
        };
        let ear = Ear::new(self.options.moves.clone());
        let listener = Some(ear.listener(self.most));
        let options = Options { limits, listener, ..self.options };
        let cancelled = Arc::clone(&options.limits.cancelled);
        let mut teller = Teller::new(ear.clone(), self.progress);
        let hear = &mut |py: Python<'_>| teller.tell(py);
        let work = move || work(&options, line);
        let found = run::beside(py, &Site::Text, Some(&cancelled), hear, work)?;
        Ok((found, ear.notes()))
    }
}

/// The answer, with the command line that asks for it, if there is one.
fn asked_by(answer: Answer, command: Option<String>) -> Answer {
    match command {
        Some(command) => answer.asked_by(command),
        None => answer,
    }
}

/// An answer as texts.
fn tell(answer: &Answer) -> Result<Told, Failure> {
    Ok(Told {
        text: answer.text(TraceOptions { full: false, paint: Paint { colours: false } }),
        sentence: answer.sentence(),
        evidence: answer.evidence()?.map(|evidence| evidence.to_text()),
        object: answer.json(None),
    })
}

/// Walks; what comes of it is a `Simulation` of Python.
pub fn simulate<'py>(
    py: Python<'py>,
    subject: Arc<Subject>,
    schedule: Option<String>,
    seed_and_steps: (u64, u64),
) -> PyResult<Bound<'py, PyAny>> {
    let cancelled = Options::default().limits.cancelled;
    let flag = Arc::clone(&cancelled);
    let work = move || {
        let is_interrupted = || flag.load(Ordering::Relaxed);
        let found = walk::simulate(&subject, schedule.as_deref(), seed_and_steps, is_interrupted)?;
        Ok((found.schedule, json::print(&found.object)))
    };
    let (schedule, object) = run::beside(py, &Site::Text, Some(&cancelled), &mut |_| Ok(()), work)?;
    py.import("selvedge._reports")?.getattr("_simulation")?.call1((schedule, object))
}

/// The engine of a name.
pub fn engine(name: &str) -> PyResult<EngineName> {
    name.parse().map_err(|failure: Failure| errors::option(&failure.to_string()))
}

/// How many engines may work at the same time.
pub fn jobs(number: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    match number.map(|number| numbers::count("jobs", number)).transpose()? {
        Some(0) => Err(errors::option("jobs: somebody has to work: give 1 or more")),
        number => Ok(number.unwrap_or(1)),
    }
}

/// The names of the engines.
#[pyfunction]
pub fn engines() -> Vec<String> {
    Options::default().engines.names().map(|(name, _)| name.name().to_owned()).collect()
}

/// Whether proofs use the predicates of the program alone.
pub fn only_given(name: &str) -> PyResult<bool> {
    one_of("predicates", name, &[("auto", false), ("given", true)])
}

/// Exactly one bound.
pub fn bound(
    contexts: Option<&Bound<'_, PyAny>>,
    rounds: Option<&Bound<'_, PyAny>>,
    delays: Option<&Bound<'_, PyAny>>,
) -> PyResult<selvedge::Bound> {
    let count = |name, number: Option<&Bound<'_, PyAny>>| {
        number.map(|number| numbers::count(name, number)).transpose()
    };
    match (count("contexts", contexts)?, count("rounds", rounds)?, count("delays", delays)?) {
        (Some(contexts), None, None) => Ok(selvedge::Bound::contexts(contexts)),
        (None, Some(rounds), None) => Ok(selvedge::Bound::rounds(rounds)),
        (None, Some(rounds), Some(delays)) => Ok(selvedge::Bound::round_robin(rounds, delays)),
        _ => Err(errors::option("give one bound: contexts, or rounds, or rounds and delays")),
    }
}

/// Which runs that never end are looked for.
pub fn livelock(
    fairness: &str,
    none_ended: bool,
    stem: Option<&Bound<'_, PyAny>>,
    lasso: Option<&Bound<'_, PyAny>>,
    engine: &str,
) -> PyResult<Livelock> {
    const FAIRNESS: [Fairness; 3] = [Fairness::Strong, Fairness::Weak, Fairness::None];
    let fairness = one_of("fairness", fairness, &FAIRNESS.map(|known| (known.name(), known)))?;
    let engines = [
        ("auto", LivelockEngine::Auto),
        ("exact", LivelockEngine::Exact),
        ("rounds", LivelockEngine::Rounds),
    ];
    let engine = one_of("engine", engine, &engines)?;
    let bounds = match (stem, lasso) {
        (None, None) => None,
        (Some(stem), Some(lasso)) => Some(Bounds {
            stem: numbers::few("stem", stem)?,
            lasso: numbers::rounds("lasso", lasso)?,
        }),
        _ => return Err(errors::option("give both stem and lasso, or neither")),
    };
    Ok(Livelock { endless: Endless { fairness, ended: !none_ended }, bounds, engine })
}

/// The value of a name.
fn one_of<T: Copy>(kind: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        errors::option(&format!("{kind}: {}", selvedge::suggest::unknown("value", name, &names)))
    })
}
