//! # Programs
//! The functions `load` and `parse`, and the class `Program` with the questions.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping};
use selvedge::{
    CommandLine, Deadlocks, InputOptions, Livelock, Options, Paint, Resource, Shown, Subject,
};
use selvedge_report::json;

use crate::ask::{self, Limited};
use crate::command::{self, Given};
use crate::errors::{self, Site};
use crate::{numbers, run};

/// The solver that needs no name.
const SOLVER: &str = "z3";

/// How many random steps a run has where nothing is said, as on the command line.
const STEPS: u64 = 200;

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
    let given = given(threads, consts, init, target, property)?;
    let given = Given { path: Given::named(&path), ..given };
    let options = inputs(&given)?;
    let site = Site::File(path.clone());
    let read = move || Subject::read(&path, options);
    let subject = run::beside(py, &site, None, &mut |_| Ok(()), read)?;
    Ok(Program { subject: Arc::new(subject), given })
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
    let given = given(threads, consts, init, target, property)?;
    let options = inputs(&given)?;
    let read = move || Subject::parse(&name, text, options);
    let subject = run::beside(py, &Site::Text, None, &mut |_| Ok(()), read)?;
    Ok(Program { subject: Arc::new(subject), given })
}

/// What is said about an input beside its text, as Python says it.
fn given(
    threads: Option<&Bound<'_, PyMapping>>,
    consts: Option<&Bound<'_, PyMapping>>,
    init: Option<String>,
    target: Option<String>,
    property: Option<String>,
) -> PyResult<Given> {
    let threads = numbers::named("threads", threads, numbers::few)?;
    let consts = numbers::named("consts", consts, numbers::integer)?;
    Ok(Given { path: None, threads, consts, init, target, property })
}

/// What is said about an input beside its text, as the library is told.
fn inputs(given: &Given) -> PyResult<InputOptions> {
    let Given { threads, consts, init, target, property, .. } = given.clone();
    let options = InputOptions { threads, consts, init, target, ..InputOptions::default() };
    match property {
        Some(name) => options.only(&name).map_err(|failure| errors::option(&failure.to_string())),
        None => Ok(options),
    }
}

/// A program or a table that was read: see `load` and `parse`.
///
/// Its methods ask questions about it, each as often as you like and from any thread. While they look for an answer,
/// other threads of Python run; Ctrl-C ends the search, if the main thread waits for it.
#[pyclass(frozen, module = "selvedge")]
pub struct Program {
    subject: Arc<Subject>,
    given: Given,
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
    /// stores also the states between steps that concern one thread alone. With `require_reached`, an assertion that no schedule
    /// reaches makes the answer `unknown`. The run stops after `timeout` seconds, or when `memory` bytes are in use (80 % of the machine if left out). With `evidence`, the
    /// answer carries what it rests on. `jobs` engines may work at the same time (1 if left out); the answer is the same with any
    /// number. `solver` is an SMT solver, for integers without bounds only; `predicates="given"`
    /// lets such a proof use those of the program alone. `observe` says what `engine="delays"` sees of a state.
    ///
    /// `progress` is called with a `Progress` whenever a bound is completed, and otherwise about twice a second, by the thread that asked; what it
    /// raises ends the run.
    #[pyo3(signature = (*, engine="auto", deadlock=None, symmetry=true, reduction=true, require_reached=false, timeout=None, memory=None,
                        jobs=None, evidence=false, solver="z3", predicates="auto", observe=None, progress=None))]
    #[allow(clippy::too_many_arguments)] // They are the keywords of Python.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        engine: &str,
        deadlock: Option<bool>,
        symmetry: bool,
        reduction: bool,
        require_reached: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        jobs: Option<&Bound<'py, PyAny>>,
        evidence: bool,
        solver: &str,
        predicates: &str,
        observe: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let only_given_predicates = ask::only_given(predicates)?;
        let options = Options {
            engine: ask::engine(engine)?,
            observe,
            only_given_predicates,
            deadlock: ask::deadlocks(deadlock),
            symmetry,
            reduction,
            require_reached,
            evidence,
            solver: Some(solver.to_owned()),
            jobs: ask::jobs(jobs)?,
            ..Options::default()
        };
        let command = self.given.command("verify").map(|line| {
            let line = command::searched(ask::about_deadlocks(line, deadlock), &options);
            let line = line.option("--predicates", only_given_predicates.then_some("given"));
            line.option("--solver", Some(solver).filter(|name| *name != SOLVER))
        });
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory, progress, most: None, command }
            .ask(py, move |options| selvedge::verify(&subject, options))
    }

    /// Looks for a violation within a bound: `unsafe`, `bounded` if there is none, which is no proof, or `unknown`.
    ///
    /// The bound is `contexts`, or `rounds`, or `rounds` of single steps with `delays`. With `rounds`, `started` says how many
    /// of the threads that statements start may act, where the text does not show how many there are. The other options are
    /// those of `verify`.
    #[pyo3(signature = (*, contexts=None, rounds=None, delays=None, started=None, engine="auto", deadlock=false, symmetry=true, reduction=true,
                        require_reached=false, timeout=None, memory=None, jobs=None, evidence=false, progress=None))]
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
        require_reached: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        jobs: Option<&Bound<'py, PyAny>>,
        evidence: bool,
        progress: Option<Py<PyAny>>,
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
            require_reached,
            evidence,
            jobs: ask::jobs(jobs)?,
            ..Options::default()
        };
        let command = self.given.command("check").map(|line| {
            command::searched(command::bounded(line, bound).flag("--deadlock", deadlock), &options)
        });
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory, progress, most: Some(bound), command }
            .ask(py, move |options| selvedge::check(&subject, bound, options))
    }

    /// Looks for a fair run that never ends: `nonterminating` with a lasso, `safe` if there is none, or `unknown`.
    ///
    /// `fairness` is `strong`, `weak` or `none`; with `none_ended`, only runs count in which no thread has ended. With `stem` and
    /// `lasso`, only runs are looked for that repeat themselves after so many rounds; that there is none is then
    /// `bounded`. `engine` is `auto`, `exact` or `rounds`.
    #[pyo3(signature = (*, fairness="strong", none_ended=false, stem=None, lasso=None, engine="auto", timeout=None,
                        memory=None, evidence=false, progress=None))]
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
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let which = ask::livelock(fairness, none_ended, stem, lasso, engine)?;
        let options = Options { evidence, ..Options::default() };
        let command = self.given.command("livelock").map(|line| {
            line.option("--stem", which.bounds.map(|bounds| bounds.stem))
                .option("--lasso", which.bounds.map(|bounds| bounds.lasso))
                .option("--fairness", Some(fairness).filter(|name| *name != "strong"))
                .flag("--none-ended", none_ended)
                .option("--engine", Some(engine).filter(|name| *name != "auto"))
        });
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory, progress, most: None, command }
            .ask(py, move |options| selvedge::livelock(&subject, &which, options))
    }

    /// Tells what is new at each bound, whatever the assertions say: an `ObservationTable`.
    ///
    /// It goes on to the largest number of `contexts` or of `rounds`, or until nothing visible can be new. `generators=True` adds what the test of the
    /// CUBA paper looks at, `automata=True` sets of stacks. Longer lists than 30 new visible states are left out without `full`.
    #[pyo3(signature = (*, contexts=None, rounds=None, generators=false, automata=false, full=false, engine="auto", symmetry=true,
                        timeout=None, memory=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn table<'py>(
        &self,
        py: Python<'py>,
        contexts: Option<&Bound<'py, PyAny>>,
        rounds: Option<&Bound<'py, PyAny>>,
        generators: bool,
        automata: bool,
        full: bool,
        engine: &str,
        symmetry: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = |name, number: Option<&Bound<'_, PyAny>>| {
            number.map(|number| numbers::count(name, number)).transpose()
        };
        let (resource, most) = match (count("contexts", contexts)?, count("rounds", rounds)?) {
            (Some(_), Some(_)) => {
                return Err(errors::option("give one bound: contexts or rounds"));
            }
            (_, Some(rounds)) => (Resource::Rounds, Some(rounds)),
            (contexts, None) => (Resource::Contexts, contexts),
        };
        let listed = if full { usize::MAX } else { selvedge::SHORT_LIST };
        let shown = Shown { listed, generators, automata };
        let options = Options { engine: ask::engine(engine)?, symmetry, ..Options::default() };
        let subject = Arc::clone(&self.subject);
        let most_bound = most.map(|most| resource.bound(most));
        Limited { options, timeout, memory, progress, most: most_bound, command: None }.tabulate(
            py,
            "_table",
            move |options| {
                options.engines.need(options.engine, Some(Resource::Contexts))?;
                let found = selvedge::table(&subject, resource, most, shown, options)?;
                let report = found.report();
                let text = report.text(Paint { colours: false });
                Ok((text, report.csv(), json::print(&report.json())))
            },
        )
    }

    /// Tells how many states round-robin schedules reach, for all numbers up to so many `rounds` of single steps and `delays`: an
    /// `ObservationGrid`. `observe` says what is counted, names of shared variables or `top=J`; visible states if it is left out.
    #[pyo3(signature = (*, rounds, delays, observe=None, timeout=None, memory=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn grid<'py>(
        &self,
        py: Python<'py>,
        rounds: &Bound<'py, PyAny>,
        delays: &Bound<'py, PyAny>,
        observe: Option<String>,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rounds = numbers::count("rounds", rounds)?;
        let delays = numbers::count("delays", delays)?;
        let options = Options { observe, ..Options::default() };
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory, progress, most: None, command: None }.tabulate(
            py,
            "_grid",
            move |options| {
                let found = selvedge::grid(&subject, rounds, delays, options)?;
                let report = found.report();
                let text = report.text(Paint { colours: false });
                Ok((text, report.csv(), json::print(&report.json())))
            },
        )
    }

    /// Runs one schedule, step by step: a `Simulation`.
    ///
    /// The run is random, with a `seed` that repeats it, and ends when something goes wrong, when no thread can act, or after so many `steps`. With
    /// `schedule`, it is that of a text: `name`, or `name * 3`, or `name choice 2`, line by line; or that of evidence, which is checked.
    #[pyo3(signature = (*, seed=None, steps=None, schedule=None))]
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        seed: Option<&Bound<'py, PyAny>>,
        steps: Option<&Bound<'py, PyAny>>,
        schedule: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if schedule.is_some() && (seed.is_some() || steps.is_some()) {
            return Err(errors::option("a schedule is followed to its end: leave seed and steps"));
        }
        let seed = match seed {
            Some(seed) => numbers::count("seed", seed)? as u64,
            None => py.import("random")?.call_method1("getrandbits", (32,))?.extract()?,
        };
        let steps = steps.map(|steps| numbers::count("steps", steps)).transpose()?;
        let steps = steps.map_or(STEPS, |steps| steps as u64);
        ask::simulate(py, Arc::clone(&self.subject), schedule, (seed, steps))
    }

    /// Asks a question, and makes a report of its answer to read, to mail or to attach to a build: a `Report`.
    ///
    /// The question is that of `verify`; with a bound that of `check`, with `livelock` that of `livelock`.
    #[pyo3(signature = (*, contexts=None, rounds=None, delays=None, livelock=false, engine="auto", deadlock=None, symmetry=true,
                        reduction=true, require_reached=false, timeout=None, memory=None, jobs=None, solver="z3", progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn report<'py>(
        &self,
        py: Python<'py>,
        contexts: Option<&Bound<'py, PyAny>>,
        rounds: Option<&Bound<'py, PyAny>>,
        delays: Option<&Bound<'py, PyAny>>,
        livelock: bool,
        engine: &str,
        deadlock: Option<bool>,
        symmetry: bool,
        reduction: bool,
        require_reached: bool,
        timeout: Option<f64>,
        memory: Option<&Bound<'py, PyAny>>,
        jobs: Option<&Bound<'py, PyAny>>,
        solver: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_bounded = contexts.is_some() || rounds.is_some() || delays.is_some();
        let bound = is_bounded.then(|| ask::bound(contexts, rounds, delays)).transpose()?;
        if livelock && (is_bounded || engine != "auto" || deadlock.is_some() || require_reached) {
            return Err(errors::option(
                "livelock: this question has no bound, no engine, no deadlocks and no assertions",
            ));
        }
        let asked = match (livelock, bound) {
            (true, _) => Deadlocks::No,
            (_, Some(_)) => Deadlocks::if_asked(deadlock.unwrap_or(false)),
            (_, None) => ask::deadlocks(deadlock),
        };
        let options = Options {
            engine: ask::engine(engine)?,
            deadlock: asked,
            symmetry,
            reduction,
            require_reached,
            evidence: !livelock,
            keep: true,
            solver: Some(solver.to_owned()),
            jobs: ask::jobs(jobs)?,
            ..Options::default()
        };
        let command = self.reported(livelock, bound, deadlock, &options);
        let command = command.map(|line| {
            let is_asked = !livelock && bound.is_none() && solver != SOLVER;
            line.option("--solver", is_asked.then_some(solver))
        });
        let subject = Arc::clone(&self.subject);
        Limited { options, timeout, memory, progress, most: bound, command }.report(
            py,
            move |options| match bound {
                _ if livelock => selvedge::livelock(&subject, &Livelock::default(), options),
                Some(bound) => selvedge::check(&subject, bound, options),
                None => selvedge::verify(&subject, options),
            },
        )
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
        Limited { options, timeout, memory, progress: None, most: None, command: None }
            .recheck(py, move |options| selvedge::recheck(&subject, &evidence, options))
    }
}

impl Program {
    /// The command line that asks what a report answers.
    fn reported(
        &self,
        livelock: bool,
        bound: Option<selvedge::Bound>,
        deadlock: Option<bool>,
        options: &Options,
    ) -> Option<CommandLine> {
        match bound {
            _ if livelock => self.given.command("livelock"),
            Some(bound) => {
                let line = command::bounded(self.given.command("check")?, bound);
                Some(command::searched(line.flag("--deadlock", deadlock == Some(true)), options))
            }
            None => {
                let line = ask::about_deadlocks(self.given.command("verify")?, deadlock);
                Some(command::searched(line, options))
            }
        }
    }
}
