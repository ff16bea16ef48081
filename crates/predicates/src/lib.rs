//! # Predicates
//!
//! **Question.** A program has integers without bounds, and perhaps any number of threads. Can a thread
//! go wrong?
//!
//! **Idea.** From below, states of few threads are listed ([`sample`]): a wrong one is a violation. From
//! above, an invariant over views of two threads is sought ([`search`]): what holds of every two
//! threads is written with predicates ([`pool`]), as the strongest statement of a shape that no
//! sample refutes ([`learn`]). What a proof does not need is left out ([`minimize`]), and what is left
//! is checked by `selvedge-smt`, which knows nothing of all this.

pub mod count;
pub mod learn;
pub mod minimize;
pub mod pool;
pub mod sample;
pub mod search;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::Trace;
use selvedge_program::flow::{self, Flow};
use selvedge_program::{Count, Lowering, Predicate, Program, Source, ThreadCounts};
use selvedge_smt::certificate::Certificate;
use selvedge_smt::invariant::Invariant;
use selvedge_smt::layout::Layout;
use selvedge_smt::solver::{Query, Solver, SolverError, SolverOptions};
use selvedge_smt::{Checked, Flaw, recheck};

use learn::Shape;
use pool::{Pool, Reach};
use sample::{BreadthFirst, Snapshot, explore};
use search::{Failure, Search};

/// How many states are looked at from below, for each number of threads.
const SAMPLES: usize = 3000;

/// With how many threads of each template of which there is any number.
const MOST_THREADS: u32 = 3;

/// What is asked.
pub struct Question<'a> {
    /// The program.
    pub program: &'a Arc<Program>,
    /// Its text.
    pub source: &'a Arc<Source>,
    /// Numbers of threads that replace those of the program.
    pub counts: &'a ThreadCounts,
    /// The solver.
    pub solver: SolverOptions,
    /// Whether only the predicates of the program are used.
    pub only_given: bool,
}

/// What was found out.
pub enum Answer {
    /// No thread goes wrong.
    Safe(Proof),
    /// A run with so many threads goes wrong.
    Unsafe {
        /// The numbers of threads.
        counts: ThreadCounts,
        /// The program with these numbers.
        system: Arc<Lowering>,
        /// The run.
        trace: Trace,
    },
    /// Neither was found.
    Unknown(Failure),
}

/// Why no thread goes wrong.
pub struct Proof {
    /// The invariant.
    pub certificate: Certificate,
    /// What its check says.
    pub checked: Checked,
    /// How many questions the search asked.
    pub asked: usize,
}

/// One attempt: how many threads a view has, which predicates, and what is said with them.
type Attempt = (usize, Reach, Shape);

/// Looks for a violation and for a proof. The questions of the proof are shown to `keep`.
pub fn verify(
    question: &Question<'_>,
    budget: &Budget,
    keep: &mut dyn FnMut(&str, &Query),
) -> Answer {
    match attempt(question, budget, keep) {
        Ok(answer) => answer,
        Err(failure) => Answer::Unknown(failure),
    }
}

fn attempt(
    question: &Question<'_>,
    budget: &Budget,
    keep: &mut dyn FnMut(&str, &Query),
) -> Result<Answer, Failure> {
    let Question { program, source, counts, .. } = *question;
    let flow = flow_of(program)?;
    let layout = Layout::new(program, &flow, counts)?;
    let mut states: Vec<Snapshot> = Vec::new();
    for counts in growing(program, counts) {
        let Ok(system) = Lowering::new(Arc::clone(program), Arc::clone(source), &counts) else {
            continue; // no thread at all
        };
        let reached = explore(&system, &layout, SAMPLES, &mut BreadthFirst::default(), budget)
            .map_err(Failure::Stopped)?;
        if let Some(trace) = reached.violation {
            return Ok(Answer::Unsafe { counts, system: Arc::new(system), trace });
        }
        states.extend(reached.states);
    }
    let mut solver = Solver::start(&question.solver).map_err(Failure::Solver)?;
    let given: Vec<&Predicate> = program.predicates.iter().collect();
    let mut last = Failure::TooLarge;
    for (width, reach, shape) in attempts(layout.threads(), question.only_given) {
        let pool = Pool::new(&layout, source, given.clone(), reach)?;
        let mut search = Search::new(&layout, source, &pool, width, shape);
        search.seed(&states);
        match search.run(&mut solver, budget) {
            Ok(invariant) => {
                let invariant = invariant.clone();
                let found = Found { layout: &layout, search: &search, invariant };
                return found.proof(question, solver, budget, keep);
            }
            Err(failure @ (Failure::Obstacle { .. } | Failure::TooLarge)) => last = failure,
            Err(Failure::Solver(error @ (SolverError::Unknown(_) | SolverError::Slow(_)))) => {
                last = Failure::Solver(error);
                solver = Solver::start(&question.solver).map_err(Failure::Solver)?;
            }
            Err(failure) => return Err(failure),
        }
    }
    Err(last)
}

/// The flow graph of a program.
pub fn flow_of(program: &Program) -> Result<Flow, Failure> {
    flow::build(program).map_err(|error| {
        Failure::Stopped(selvedge_model::Fault { message: error.message, line: None }.into())
    })
}

/// What to try, cheap attempts first.
fn attempts(threads: Option<u32>, only_given: bool) -> Vec<Attempt> {
    let all = threads.map_or(usize::MAX, |n| n as usize);
    let pairs = all.min(2);
    if only_given {
        return vec![(pairs, Reach::Given, Shape::Views)];
    }
    let mut attempts = vec![
        (pairs, Reach::Compared, Shape::Clauses(1)),
        (pairs, Reach::Compared, Shape::Clauses(2)),
        (pairs, Reach::Shifted, Shape::Clauses(2)),
    ];
    if all == 3 {
        attempts.push((3, Reach::Compared, Shape::Clauses(2)));
    }
    attempts
}

/// More and more threads, where there is any number of them.
fn growing(program: &Program, counts: &ThreadCounts) -> Vec<ThreadCounts> {
    let any: Vec<&str> = program
        .threads
        .iter()
        .filter(|decl| decl.count == Count::Any && !counts.contains_key(&decl.name))
        .map(|decl| decl.name.as_str())
        .collect();
    if any.is_empty() {
        return vec![counts.clone()];
    }
    let with = |n: u32| {
        let mut counts = counts.clone();
        counts.extend(any.iter().map(|name| ((*name).to_owned(), n)));
        counts
    };
    (1..=MOST_THREADS).map(with).collect()
}

/// An invariant that was found.
struct Found<'a> {
    layout: &'a Layout<'a>,
    search: &'a Search<'a>,
    invariant: Invariant,
}

impl Found<'_> {
    /// Makes the invariant small, and has it checked.
    fn proof(
        self,
        question: &Question<'_>,
        mut solver: Solver,
        budget: &Budget,
        keep: &mut dyn FnMut(&str, &Query),
    ) -> Result<Answer, Failure> {
        let Found { layout, search, invariant } = self;
        let cores = SolverOptions { cores: true, ..question.solver.clone() };
        let small = Solver::start(&cores).and_then(|mut solver| {
            minimize::minimize(layout, &invariant, search.obligations(), &mut solver, budget)
        });
        // If that does not work out, the proof is longer than it need be.
        let invariant = small.ok().flatten().unwrap_or(invariant);
        let certificate = Certificate::new(layout, &invariant);
        let stop = || budget.check().is_err();
        let checked = recheck(layout, question.source, &certificate, &mut solver, &stop, keep)
            .map_err(|flaw| match flaw {
                Flaw::Program(refusal) => Failure::Refused(refusal),
                Flaw::Solver(error) => Failure::Solver(error),
                Flaw::Form(what) | Flaw::Open(what) => {
                    Failure::Obstacle { obstacle: what, guess: None }
                }
            })?;
        Ok(Answer::Safe(Proof { certificate, checked, asked: solver.asked }))
    }
}
