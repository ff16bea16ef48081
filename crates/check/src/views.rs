//! # Programs with any number of threads
//! What a proof by predicates is about, and the check of it by a solver.

use std::sync::Arc;

use selvedge_evidence::property;
use selvedge_frontend::Input;
use selvedge_model::{Budget, Pattern, Property};
use selvedge_program::slots::{Slots, fixed_starts, slots, starts_threads};
use selvedge_program::{Program, Source, ThreadCounts};
use selvedge_smt::certificate::Certificate;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, Solver, SolverOptions};
use selvedge_smt::{Checked, recheck};

use crate::Failure;
use crate::subject::{InputOptions, Subject, Wanted};

/// A program, with the numbers of threads that the options give.
#[derive(Clone)]
pub struct Parameterized {
    /// The program.
    pub program: Arc<Program>,
    /// Its text.
    pub source: Arc<Source>,
    /// The numbers of threads that the options give.
    pub counts: ThreadCounts,
    /// The property to check.
    pub property: Property,
    /// The options that the text was read with.
    pub options: InputOptions,
    /// Whether threads that are started are there from the beginning: a proof is one of the program, a violation need not be.
    pub is_wider: bool,
}

/// The program with threads that are there from the beginning in the place of those that it starts; nothing if it starts none, or they cannot be.
fn standing(program: &Program) -> Option<Arc<Program>> {
    if !starts_threads(program) {
        return None;
    }
    let wanted = match fixed_starts(program) {
        Some(_) => Slots::Fixed,
        None => Slots::Any,
    };
    slots(program, wanted).ok().map(|made| Arc::new(made.program))
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
        let property = target.clone().unwrap_or(Property::NeverWrong);
        let standing = match property {
            Property::NeverWrong => standing(program),
            _ => None,
        };
        Ok(Parameterized {
            is_wider: standing.is_some(),
            program: standing.unwrap_or_else(|| Arc::clone(program)),
            source: Arc::clone(source),
            counts: subject.thread_counts()?,
            property,
            options: subject.options().clone(),
        })
    }

    /// The program as it starts its threads, for a violation.
    #[must_use]
    pub fn as_written(&self, subject: &Subject) -> Self {
        match subject.input() {
            Some(Input::Program { program, .. }) => {
                Parameterized { program: Arc::clone(program), is_wider: false, ..self.clone() }
            }
            _ => self.clone(),
        }
    }

    /// What a subject is where all cases are followed: values from outside stay what they are, however many there are. The options are those of
    /// the subject.
    pub fn keeping_values(subject: &Subject) -> Result<Self, Failure> {
        let kept = Parameterized::new(&subject.keeping_values()?)?;
        Ok(Parameterized { options: subject.options().clone(), ..kept })
    }

    /// The name of the property in reports and evidence.
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
    pub fn check(
        &self,
        certificate: &Certificate,
        solver: &str,
        budget: &Budget,
        queries: &mut Vec<(String, Query)>,
    ) -> Result<Checked, String> {
        let Parameterized { program, source, counts, property, .. } = self;
        let prepared = Prepared::new(program, source).map_err(|e| e.to_string())?;
        let layout = match certificate.is_by_cases() {
            true => prepared.layout_of_steps(counts),
            false => prepared.layout(counts),
        };
        let layout = layout.map_err(|e| e.to_string())?;
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
