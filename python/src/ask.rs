//! # Questions
//! The keywords of Python as options of the library, and the answer as an object of Python.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use selvedge::{
    Accepted, Answer, Bounds, Deadlocks, Endless, EngineName, Failure, Fairness, Heard, Limits,
    Livelock, LivelockEngine, Options, Paint, TraceOptions,
};

use crate::errors::{self, Site};
use crate::{memory, numbers, run};

/// Options, with limits as Python gives them.
pub struct Limited<'a, 'py> {
    pub options: Options,
    pub timeout: Option<f64>,
    pub memory: Option<&'a Bound<'py, PyAny>>,
}

/// Which deadlocks are meant, where nothing need be said.
pub fn deadlocks(asked: Option<bool>) -> Deadlocks {
    asked.map_or(Deadlocks::Waits, Deadlocks::if_asked)
}

/// What is handed over to Python.
struct Told {
    text: String,
    sentence: String,
    evidence: Option<String>,
    object: String,
}

impl Limited<'_, '_> {
    /// Asks a question; the answer is an `Answer` of Python.
    pub fn ask<'py>(
        self,
        py: Python<'py>,
        question: impl FnOnce(&Options) -> Result<Answer, Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let options = self.options(&notes)?;
        let cancelled = Arc::clone(&options.limits.cancelled);
        let work = move || tell(&question(&options)?);
        let told = run::beside(py, &Site::Text, Some(&cancelled), work)?;
        let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
        let make = py.import("selvedge._answers")?.getattr("_answer")?;
        make.call1((told.text, told.sentence, told.evidence, notes, told.object))
    }

    /// Has evidence checked; what comes of it is a `Recheck` of Python.
    pub fn recheck<'py>(
        self,
        py: Python<'py>,
        question: impl FnOnce(&Options) -> Result<Result<Accepted, String>, Failure> + Send + 'static,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = self.options(&Arc::default())?;
        let cancelled = Arc::clone(&options.limits.cancelled);
        let work = move || {
            let found = question(&options)?;
            Ok(found.map(|accepted| (accepted.verdict.word(), accepted.checked)))
        };
        let class = py.import("selvedge._answers")?.getattr("Recheck")?;
        match run::beside(py, &Site::Text, Some(&cancelled), work)? {
            Ok((verdict, checked)) => class.call1((true, verdict, checked, None::<&str>)),
            Err(reason) => class.call1((false, None::<&str>, None::<&str>, reason)),
        }
    }

    /// The options, with limits, and with somebody who writes notes down.
    fn options(self, notes: &Arc<Mutex<Vec<String>>>) -> PyResult<Options> {
        let timeout = self.timeout.map(|time| numbers::seconds("timeout", time)).transpose()?;
        let memory = self.memory.map(|size| numbers::count("memory", size)).transpose()?;
        let limits = Limits {
            timeout: timeout.flatten(),
            memory: memory.or_else(selvedge::default_memory_limit),
            memory_in_use: Some(memory::in_use),
            ..Limits::default()
        };
        let notes = Arc::clone(notes);
        let listener = move |heard: Heard<'_>| {
            if let Heard::Note(note) = heard {
                let note = note.strip_prefix("note: ").unwrap_or(note).to_owned();
                notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
            }
        };
        Ok(Options { limits, listener: Some(Arc::new(listener)), ..self.options })
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
