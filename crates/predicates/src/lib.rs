//! # Predicates
//!
//! **Question.** A program has integers without bounds, and perhaps any number of threads. Can a thread
//! go wrong?
//!
//! **Idea.** From below, states of few threads are listed ([`sample`]): a wrong one is a violation. From
//! above, an invariant over views of two threads is sought ([`search`]): what holds of every two
//! threads is written with predicates ([`pool`]), as the strongest statement of a shape that no
//! sample refutes ([`learn`]). What a proof does not need is left out ([`minimize`]), and what is left
//! is checked by `selvedge-smt`, which knows nothing of all this. [`delays`] reaches states in rounds with
//! delays, and stops where the abstract states do, as Johnson and Wahl have it.
//!
//! ```
//! use selvedge_analysis::Budget;
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::Property;
//! use selvedge_predicates::{Conclusion, Question, verify};
//! use selvedge_program::ThreadCounts;
//! use selvedge_smt::solver::SolverOptions;
//!
//! // Tickets are numbers without an end, and there is any number of threads.
//! let text = "int next := 0; int served := 0;
//!             void take() { int mine := fetch_and_add(next); assert next > mine; }
//!             thread take * any;";
//! let input = parse("tickets.weave".as_ref(), text.to_owned(), &LoadOptions::default()).unwrap();
//! let Input::Program { program, source, .. } = input else { panic!() };
//! let question = Question {
//!     program: &program,
//!     source: &source,
//!     counts: &ThreadCounts::default(),
//!     property: &Property::NeverWrong,
//!     solver: SolverOptions::default(),
//!     only_given: false,
//! };
//! match verify(&question, &Budget::default(), &|_| {}, &mut |_, _| {}).answer {
//!     Conclusion::Safe(proof) => println!("{}", proof.checked),
//!     Conclusion::Unsafe { .. } => panic!("there is no violation"),
//!     Conclusion::Unknown(why) => println!("{why}"), // there is no solver on this machine
//! }
//! ```

mod below;
pub mod count;
pub mod delays;
pub mod learn;
pub mod minimize;
pub mod pool;
mod prove;
pub mod sample;
pub mod search;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::Trace;
use selvedge_model::Property;
use selvedge_program::{Lowering, Predicate, Program, Source, ThreadCounts};
use selvedge_smt::Checked;
use selvedge_smt::bounds::bounds;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::laws::laws;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, SolverError, SolverOptions};

use below::{MOST_THREADS, growing};
use count::{Sampled, abstract_states};
use delays::Course;
use prove::{Prover, attempts};
use sample::{BreadthFirst, Snapshot, explore};
use search::{Failure, ProofTask};

/// How many states are looked at from below, for each number of threads.
const SAMPLES: usize = 3000;

/// A question to be answered by predicates.
pub struct Question<'a> {
    /// The program to prove.
    pub program: &'a Arc<Program>,
    /// The text of the program.
    pub source: &'a Arc<Source>,
    /// Numbers of threads that replace those of the program.
    pub counts: &'a ThreadCounts,
    /// The property to prove: that no thread goes wrong, or that a target is not reached.
    pub property: &'a Property,
    /// The solver.
    pub solver: SolverOptions,
    /// Whether only the predicates of the program are used.
    pub only_given: bool,
}

/// A conclusion, with what was explored and tried on the way.
pub struct Report {
    /// The states sampled from below, with growing numbers of threads.
    pub seen: Vec<Sampled>,
    /// How rounds and delays were raised, if they were.
    pub courses: Vec<Course>,
    /// The conclusion of the search.
    pub answer: Conclusion,
    /// How many questions the solver was asked.
    pub asked: usize,
}

/// The result of the search.
pub enum Conclusion {
    /// No thread goes wrong.
    Safe(Proof),
    /// A run with these numbers of threads goes wrong.
    Unsafe {
        /// The numbers of threads.
        counts: ThreadCounts,
        /// The program with these numbers.
        system: Arc<Lowering>,
        /// The run.
        trace: Trace,
    },
    /// Neither a violation nor a proof was found, for this reason.
    Unknown(Failure),
}

/// A proof that no thread goes wrong.
pub struct Proof {
    /// The invariant.
    pub certificate: Certificate,
    /// The result of checking the invariant.
    pub checked: Checked,
}

/// Looks for a violation and for a proof. What is tried is told; the questions of the proof are shown
/// to `keep`.
pub fn verify(
    question: &Question<'_>,
    budget: &Budget,
    tell: &dyn Fn(&str),
    keep: &mut dyn FnMut(&str, &Query),
) -> Report {
    Report::of(budget, |report| attempt(question, budget, tell, keep, report))
}

impl Report {
    /// Runs a search that may fail.
    fn of(
        budget: &Budget,
        search: impl FnOnce(&mut Report) -> Result<Conclusion, Failure>,
    ) -> Report {
        let mut report = Report {
            seen: Vec::new(),
            courses: Vec::new(),
            answer: Conclusion::Unknown(Failure::TooLarge),
            asked: 0,
        };
        report.answer = match search(&mut report) {
            Ok(answer) => answer,
            // The solver was stopped by the budget: report why.
            Err(failure @ Failure::Solver(SolverError::Stopped)) => {
                Conclusion::Unknown(budget.look().err().map_or(failure, Failure::Stopped))
            }
            Err(failure) => Conclusion::Unknown(failure),
        };
        report
    }
}

fn attempt(
    question: &Question<'_>,
    budget: &Budget,
    tell: &dyn Fn(&str),
    keep: &mut dyn FnMut(&str, &Query),
    report: &mut Report,
) -> Result<Conclusion, Failure> {
    let Question { program, source, counts, .. } = *question;
    let prepared = match Prepared::new(program, source) {
        Ok(prepared) => prepared,
        Err(refusal) => return question.search_below(refusal.into(), budget, report),
    };
    let layout = prepared.layout(counts)?;
    let goal = prepared.goal(&layout, question.property)?;
    let property = prepared.property(question.property)?;
    let plain = &prepared.inlined.program;
    let given: Vec<&Predicate> = plain.predicates.iter().collect();
    let mut states: Vec<Snapshot> = Vec::new();
    for counts in growing(program, counts, MOST_THREADS) {
        let Ok(system) = Lowering::new(Arc::clone(plain), Arc::clone(source), &counts) else {
            continue; // no thread at all
        };
        let order = &mut BreadthFirst::default();
        let reached =
            explore(&system, &property, SAMPLES, order, budget).map_err(Failure::Stopped)?;
        if let Some(trace) = reached.violation {
            return question.violation(&prepared.inlined, system, trace, counts);
        }
        let snapshots = reached.snapshots(&system, &layout);
        // Predicates of a called procedure have a meaning in its bodies only, which are not told apart here.
        let is_counted = !given.is_empty() && !prepared.inlined.moved_predicates;
        let count = || abstract_states(&layout, &given, &snapshots).len();
        report.seen.push(Sampled {
            threads: system.thread_count(),
            states: snapshots.len(),
            abstract_states: is_counted.then(count),
            complete: reached.complete,
        });
        states.extend(snapshots);
    }
    let (bounds, laws) = (bounds(&layout, source)?, laws(&layout, source)?);
    let known = ProofTask {
        layout: &layout,
        source,
        read: &prepared.read,
        goal: &goal,
        bounds: &bounds,
        laws: &laws,
    };
    let attempts = attempts(layout.threads(), !given.is_empty(), question.only_given);
    let mut prover = Prover { question, known, given, states, budget, tell, asked: 0 };
    let answer = prover.prove(&attempts, keep);
    report.asked += prover.asked;
    answer
}
