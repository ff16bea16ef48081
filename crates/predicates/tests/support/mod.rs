//! What the tests have in common.
#![allow(dead_code)]

use std::path::Path;
use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::target::target;
use selvedge_frontend::weave;
use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::Property;
use selvedge_predicates::{Question, Report, verify};
use selvedge_program::{Program, Source, ThreadCounts};
use selvedge_smt::certificate::Certificate;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Solver, SolverOptions};
use selvedge_smt::{Checked, Flaw, recheck};

/// A program with its text.
pub struct Example {
    pub program: Arc<Program>,
    pub source: Arc<Source>,
    pub counts: ThreadCounts,
    pub property: Property,
}

/// An example of `examples/delays`.
pub fn example(name: &str) -> Example {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/delays").join(name);
    match load(&path, &LoadOptions::default()) {
        Ok(Input::Program { program, source, .. }) => {
            Example { program, source, counts: ThreadCounts::new(), property: Property::NeverWrong }
        }
        _ => panic!("{name} is no program"),
    }
}

impl Example {
    /// The same with so many threads of a template.
    pub fn with(mut self, name: &str, count: u32) -> Self {
        self.counts.insert(name.to_owned(), count);
        self
    }

    /// The same with only the predicates of these names.
    pub fn only(mut self, names: &[&str]) -> Self {
        let mut program = Program::clone(&self.program);
        program.predicates.retain(|predicate| names.contains(&predicate.name.as_str()));
        self.program = Arc::new(program);
        self
    }

    /// The same with more text at its end.
    pub fn with_text(self, more: &str) -> Self {
        let text = format!("{}\n{more}\n", self.source.text());
        Example { counts: self.counts, ..Example::of(&text) }
    }

    /// A program from its text.
    pub fn of(text: &str) -> Self {
        let source = Arc::new(Source::new("test.weave", text));
        let (file, mistakes) = weave::parse(&source);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let (program, mistakes) = check(&file, &CheckOptions::default());
        let program = Arc::new(program.unwrap_or_else(|| panic!("{mistakes:?}")));
        Example { program, source, counts: ThreadCounts::new(), property: Property::NeverWrong }
    }

    /// Asks whether a target is reached.
    pub fn target(mut self, text: &str) -> Self {
        self.property = match target(text, &self.program, &self.source) {
            Ok(property) => property,
            Err(why) => panic!("{why:?}"),
        };
        self
    }

    pub fn verify(&self, only_given: bool) -> Report {
        let question = Question {
            program: &self.program,
            source: &self.source,
            counts: &self.counts,
            property: &self.property,
            solver: SolverOptions::default(),
            only_given,
        };
        verify(&question, &Budget::default(), &|_| {}, &mut |_, _| {})
    }

    pub fn recheck(&self, certificate: &Certificate) -> Result<Checked, Flaw> {
        let prepared = Prepared::new(&self.program, &self.source).expect("a flow graph");
        let layout = prepared.layout(&self.counts).expect("a layout");
        let mut solver = Solver::start(&SolverOptions::default()).expect("a solver");
        let goal = prepared.goal(&layout, &self.property).expect("a goal");
        let silent = &mut |_: &str, _: &_| {};
        recheck(&layout, &self.source, &goal, certificate, &mut solver, &|| false, silent)
    }
}

/// Whether there is a solver; says so if not.
pub fn has_solver(test: &str) -> bool {
    let found = Solver::start(&SolverOptions::default());
    if let Err(error) = &found {
        eprintln!("{test}: skipped: {error}");
    }
    found.is_ok()
}
