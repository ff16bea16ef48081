//! # Programs with any number of threads
//! What a proof by predicates is about, and the check of it by a solver.

use std::sync::Arc;

use selvedge_evidence::property;
use selvedge_frontend::Input;
use selvedge_model::{Budget, Pattern, Property};
use selvedge_program::{Program, Source, ThreadCounts};
use selvedge_smt::certificate::Certificate;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, Solver, SolverOptions};
use selvedge_smt::{Checked, recheck};

use crate::Failure;
use crate::subject::{InputOptions, Subject, Wanted};

/// A program, with the numbers of threads that the options give.
pub struct Parameterized {
    /// The program.
    pub program: Arc<Program>,
    /// Its text.
    pub source: Arc<Source>,
    /// The numbers of threads that the options give.
    pub counts: ThreadCounts,
    /// What must not happen.
    pub property: Property,
    /// What was said about the text.
    pub options: InputOptions,
}

impl Parameterized {
    /// What a subject is to predicates. A table is refused.
    pub fn new(subject: &Subject) -> Result<Self, Failure> {
        let Some(Input::Program { program, source, target, .. }) = subject.input() else {
            return Err(Failure::usage("predicates are about a program, and this is a table"));
        };
        if target.is_some() {
            // A target that asks for more threads than there are is a mistake.
            subject.for_engine(Wanted { any_number: true, ..Wanted::default() })?;
        }
        Ok(Parameterized {
            program: Arc::clone(program),
            source: Arc::clone(source),
            counts: subject.thread_counts()?,
            property: target.clone().unwrap_or(Property::NeverWrong),
            options: subject.options().clone(),
        })
    }

    /// What is asked about, as reports and evidence name it.
    #[must_use]
    pub fn property_name(&self) -> String {
        match &self.property {
            Property::Unreachable(Pattern::Together(wanted)) => {
                let texts: Vec<&str> = wanted.iter().map(|thread| thread.text.as_str()).collect();
                texts.join(",")
            }
            _ => property::ASSERTIONS.to_owned(),
        }
    }

    /// Checks a proof; the questions that the solver was asked are kept.
    pub(crate) fn check(
        &self,
        certificate: &Certificate,
        solver: &str,
        budget: &Budget,
        queries: &mut Vec<(String, Query)>,
    ) -> Result<Checked, String> {
        let Parameterized { program, source, counts, property, .. } = self;
        let prepared = Prepared::new(program, source).map_err(|e| e.to_string())?;
        let layout = prepared.layout(counts).map_err(|e| e.to_string())?;
        let goal = prepared.goal(&layout, property).map_err(|e| e.to_string())?;
        let options = SolverOptions { program: solver.to_owned(), ..SolverOptions::default() };
        let mut running = Solver::start(&options).map_err(|e| e.to_string())?;
        let mut keep = |about: &str, query: &Query| queries.push((about.to_owned(), query.clone()));
        let mut stopped = std::cell::RefCell::new(None);
        let stop = || match budget.check() {
            Ok(()) => false,
            Err(why) => {
                stopped.borrow_mut().get_or_insert(why);
                true
            }
        };
        let checked = recheck(&layout, source, &goal, certificate, &mut running, &stop, &mut keep);
        match stopped.get_mut() {
            Some(why) => Err(format!("it could not be checked: {why}")),
            None => checked.map_err(|flaw| flaw.to_string()),
        }
    }
}
