//! # Programs
//! The functions `load` and `parse`, and the class `Program` with the questions.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping};
use selvedge::{Deadlocks, InputOptions, Options, Subject};

use crate::ask::{self, Limited};
use crate::errors::{self, Site};
use crate::{numbers, run};

/// Reads a program or a table from a file. The ending of its name tells the language.
///
/// `threads` gives numbers of threads, `consts` values of constants, by name; `init` the initial state of a `.pds`;
/// `target` what must not be reached, in the place of what the file says; `property` what is asked of a program in C alone:
/// `unreach-call`, `valid-memsafety`, `no-overflow` or `no-data-race`.
///
/// Raises `InputError` if it is wrong, `OptionError` if the options do not go with it, `OSError` if it cannot be read.
#[pyfunction]
#[pyo3(signature = (path, *, threads=None, consts=None, init=None, target=None, property=None))]
#[allow(clippy::too_many_arguments)] // They are the keywords of Python.
pub fn load(
    py: Python<'_>,
    path: PathBuf,
    threads: Option<&Bound<'_, PyMapping>>,
    consts: Option<&Bound<'_, PyMapping>>,
    init: Option<String>,
    target: Option<String>,
    property: Option<String>,
) -> PyResult<Program> {
    let mut options = inputs(threads, consts, init, target)?;
    if let Some(property) = property {
        options =
            options.only(&property).map_err(|failure| errors::option(&failure.to_string()))?;
    }
    let site = Site::File(path.clone());
    let subject = run::beside(py, &site, None, move || Subject::read(&path, options))?;
    Ok(Program { subject: Arc::new(subject) })
}

/// Reads a program or a table from a string. The ending of `name` tells the language; messages and answers call it so.
///
/// The options are those of `load`.
#[pyfunction]
#[pyo3(signature = (text, name="program.weave".to_owned(), *, threads=None, consts=None, init=None, target=None, property=None),
       text_signature = "(text, name='program.weave', *, threads=None, consts=None, init=None, target=None, property=None)")]
#[allow(clippy::too_many_arguments)] // They are the keywords of Python.
pub fn parse(
    py: Python<'_>,
    text: String,
    name: String,
    threads: Option<&Bound<'_, PyMapping>>,
    consts: Option<&Bound<'_, PyMapping>>,
    init: Option<String>,
    target: Option<String>,
    property: Option<String>,
) -> PyResult<Program> {
    let mut options = inputs(threads, consts, init, target)?;
    if let Some(property) = property {
        options =
            options.only(&property).map_err(|failure| errors::option(&failure.to_string()))?;
    }
    let work = move || Subject::parse(&name, text, options);
    let subject = run::beside(py, &Site::Text, None, work)?;
    Ok(Program { subject: Arc::new(subject) })
}

/// What is said about an input beside its text.
fn inputs(
    threads: Option<&Bound<'_, PyMapping>>,
    consts: Option<&Bound<'_, PyMapping>>,
    init: Option<String>,
    target: Option<String>,
) -> PyResult<InputOptions> {
    let threads = numbers::named("threads", threads, numbers::few)?;
    let consts = numbers::named("consts", consts, numbers::integer)?;
    Ok(InputOptions { threads, consts, init, target, ..InputOptions::default() })
}

/// A program or a table that was read: see `load` and `parse`.
///
/// Its methods ask questions about it, each as often as you like and from any thread. While they look for an answer,
/// other threads of Python run; Ctrl-C ends the search, if the main thread waits for it.
#[pyclass(frozen, module = "selvedge")]
pub struct Program {
    subject: Arc<Subject>,
}

#[pymethods]
impl Program {
    /// The name of the file or text.
    #[getter]
    fn file(&self) -> &str {
        self.subject.source().name()
    }

    /// What may not be meant as it is written.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = self.subject.warnings().map(selvedge::places);
        errors::diagnostics(py, found.unwrap_or_default())
    }

    fn __repr__(&self) -> String {
        format!("<Program {}>", self.file())
    }

    /// Proves or refutes, for every schedule: `safe`, `unsafe`, or `unknown` with the reason.
    ///
    /// Where threads of a `.weave` program wait for each other, deadlocks in which they do are violations; `deadlock=True` looks for all of
    /// them, `deadlock=False` for none. `symmetry=False` lists interchangeable threads one by one, `reduction=False`
    /// stores also the states between steps that concern one thread alone. The run stops after `timeout` seconds, or when `memory` bytes are in use (80 % of the machine if left out). With `evidence`, the
    /// answer carries what it rests on. `jobs` engines may work at the same time (1 if left out); the answer is the same with any
    /// number. `solver` is an SMT solver, for integers without bounds only; `predicates="given"`
    /// lets such a proof use those of the program alone. `observe` says what `engine="delays"` sees of a state.
    #[pyo3(signature = (*, engine="auto", deadlock=None, symmetry=true, reduction=true, timeout=None, memory=None, jobs=None, evidence=false,
                        solver="z3", predicates="auto", observe=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of Python.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        engine: &str,
        deadlock: Option<bool>,
        symmetry: bool,
        reduction: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        jobs: Option<&Bound<'py, PyAny>>,
        evidence: bool,
        solver: &str,
        predicates: &str,
        observe: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options {
            engine: ask::engine(engine)?,
            observe,
            only_given_predicates: ask::only_given(predicates)?,
            deadlock: ask::deadlocks(deadlock),
            symmetry,
            reduction,
            evidence,
            solver: Some(solver.to_owned()),
            jobs: ask::jobs(jobs)?,
            ..Options::default()
        };
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory }
            .ask(py, move |options| selvedge::verify(&subject, options))
    }

    /// Looks for a violation within a bound: `unsafe`, `bounded` if there is none, which is no proof, or `unknown`.
    ///
    /// The bound is `contexts`, or `rounds`, or `rounds` of single steps with `delays`. With `rounds`, `started` says how many
    /// of the threads that statements start may act, where the text does not show how many there are. The other options are
    /// those of `verify`.
    #[pyo3(signature = (*, contexts=None, rounds=None, delays=None, started=None, engine="auto", deadlock=false, symmetry=true, reduction=true,
                        timeout=None, memory=None, jobs=None, evidence=false))]
    #[allow(clippy::too_many_arguments)]
    fn check<'py>(
        &self,
        py: Python<'py>,
        contexts: Option<&Bound<'py, PyAny>>,
        rounds: Option<&Bound<'py, PyAny>>,
        delays: Option<&Bound<'py, PyAny>>,
        started: Option<&Bound<'py, PyAny>>,
        engine: &str,
        deadlock: bool,
        symmetry: bool,
        reduction: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        jobs: Option<&Bound<'py, PyAny>>,
        evidence: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        if started.is_some() && rounds.is_none() {
            return Err(errors::option("started: this is for rounds: give rounds, too"));
        }
        let bound = ask::bound(contexts, rounds, delays)?;
        let options = Options {
            engine: ask::engine(engine)?,
            started: started.map(|number| numbers::few("started", number)).transpose()?,
            deadlock: Deadlocks::if_asked(deadlock),
            symmetry,
            reduction,
            evidence,
            jobs: ask::jobs(jobs)?,
            ..Options::default()
        };
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory }
            .ask(py, move |options| selvedge::check(&subject, bound, options))
    }

    /// Looks for a fair run that never ends: `nonterminating` with a lasso, `safe` if there is none, or `unknown`.
    ///
    /// `fairness` is `strong`, `weak` or `none`; with `none_ended`, only runs count in which no thread has ended. With `stem` and
    /// `lasso`, only runs are looked for that repeat themselves after so many rounds; that there is none is then
    /// `bounded`. `engine` is `auto`, `exact` or `rounds`.
    #[pyo3(signature = (*, fairness="strong", none_ended=false, stem=None, lasso=None, engine="auto", timeout=None,
                        memory=None, evidence=false))]
    #[allow(clippy::too_many_arguments)]
    fn livelock<'py>(
        &self,
        py: Python<'py>,
        fairness: &str,
        none_ended: bool,
        stem: Option<&Bound<'py, PyAny>>,
        lasso: Option<&Bound<'py, PyAny>>,
        engine: &str,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        evidence: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let which = ask::livelock(fairness, none_ended, stem, lasso, engine)?;
        let options = Options { evidence, ..Options::default() };
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory }
            .ask(py, move |options| selvedge::livelock(&subject, &which, options))
    }
    /// Checks evidence, as text, about this program: nothing that the search did is believed.
    ///
    /// The program and `deadlock` have to be those that it was made with.
    #[pyo3(signature = (evidence, *, deadlock=false, solver="z3", timeout=None, memory=None))]
    fn recheck<'py>(
        &self,
        py: Python<'py>,
        evidence: String,
        deadlock: bool,
        solver: &str,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = Options {
            deadlock: Deadlocks::if_asked(deadlock),
            solver: Some(solver.to_owned()),
            ..Options::default()
        };
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory }
            .recheck(py, move |options| selvedge::recheck(&subject, &evidence, options))
    }
}
