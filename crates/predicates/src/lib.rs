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
//!
//! ```
//! use selvedge_analysis::Budget;
//! use selvedge_frontend::{Input, LoadOptions, parse};
//! use selvedge_model::Property;
//! use selvedge_predicates::{Answer, Question, verify};
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
//!     Answer::Safe(proof) => println!("{}", proof.checked),
//!     Answer::Unsafe { .. } => panic!("there is no violation"),
//!     Answer::Unknown(why) => println!("{why}"), // there is no solver on this machine
//! }
//! ```

pub mod count;
pub mod learn;
pub mod minimize;
pub mod pool;
pub mod sample;
pub mod search;

use std::sync::Arc;

use selvedge_analysis::Budget;
use selvedge_evidence::{Trace, replay};
use selvedge_model::{Fault, Property, State, ThreadId};
use selvedge_program::inline::Inlined;
use selvedge_program::{Count, Lowering, Predicate, Program, Source, ThreadCounts};
use selvedge_smt::bounds::bounds;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::goal::Goal;
use selvedge_smt::invariant::Invariant;
use selvedge_smt::laws::laws;
use selvedge_smt::layout::Layout;
use selvedge_smt::prepared::Prepared;
use selvedge_smt::solver::{Query, Solver, SolverError, SolverOptions};
use selvedge_smt::{Checked, Flaw, recheck};

use count::{Seen, abstract_states};
use learn::Shape;
use pool::{Pool, Reach};
use sample::{BreadthFirst, Snapshot, explore};
use search::{Failure, Known, Search};

/// How many states are looked at from below, for each number of threads.
const SAMPLES: usize = 3000;

/// How many if that is all that can be done.
const FROM_BELOW: usize = 100_000;

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
    /// What must not happen: that a thread goes wrong, or that a target is reached.
    pub property: &'a Property,
    /// The solver.
    pub solver: SolverOptions,
    /// Whether only the predicates of the program are used.
    pub only_given: bool,
}

/// What was found out, and what was seen on the way.
pub struct Report {
    /// What was reached from below, with growing numbers of threads.
    pub seen: Vec<Seen>,
    /// The answer.
    pub answer: Answer,
    /// How many questions the solver was asked.
    pub asked: usize,
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
}

/// One attempt: how many threads a view has, which predicates, what is said with them, and whether laws
/// of counting are known.
type Attempt = (usize, Reach, Shape, bool);

/// Looks for a violation and for a proof. What is tried is told; the questions of the proof are shown
/// to `keep`.
pub fn verify(
    question: &Question<'_>,
    budget: &Budget,
    tell: &dyn Fn(&str),
    keep: &mut dyn FnMut(&str, &Query),
) -> Report {
    let mut report =
        Report { seen: Vec::new(), answer: Answer::Unknown(Failure::TooLarge), asked: 0 };
    report.answer = match attempt(question, budget, tell, keep, &mut report) {
        Ok(answer) => answer,
        // Whoever stopped the solver had a reason.
        Err(failure @ Failure::Solver(SolverError::Stopped)) => {
            Answer::Unknown(budget.check().err().map_or(failure, Failure::Stopped))
        }
        Err(failure) => Answer::Unknown(failure),
    };
    report
}

fn attempt(
    question: &Question<'_>,
    budget: &Budget,
    tell: &dyn Fn(&str),
    keep: &mut dyn FnMut(&str, &Query),
    report: &mut Report,
) -> Result<Answer, Failure> {
    let Question { program, source, counts, .. } = *question;
    let prepared = match Prepared::new(program, source) {
        Ok(prepared) => prepared,
        Err(refusal) => return question.from_below(refusal.into(), budget, report),
    };
    let layout = prepared.layout(counts)?;
    let goal = prepared.goal(&layout, question.property)?;
    let property = prepared.property(question.property)?;
    let plain = &prepared.inlined.program;
    let given: Vec<&Predicate> = plain.predicates.iter().collect();
    let mut states: Vec<Snapshot> = Vec::new();
    for counts in growing(program, counts) {
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
        report.seen.push(Seen {
            threads: system.thread_count(),
            states: snapshots.len(),
            abstract_states: is_counted.then(count),
            complete: reached.complete,
        });
        states.extend(snapshots);
    }
    let mut solver = Solver::start(&question.solver).map_err(Failure::Solver)?;
    let (bounds, laws) = (bounds(&layout, source)?, laws(&layout, source)?);
    let mut last = Failure::NoPredicates;
    for (width, reach, shape, counts) in
        attempts(layout.threads(), !given.is_empty(), question.only_given)
    {
        if counts && laws.is_empty() {
            continue;
        }
        let laws = if counts { &laws[..] } else { &[] };
        let known = Known { layout: &layout, source, goal: &goal, bounds: &bounds, laws };
        let pool = Pool::new(&layout, source, given.clone(), reach)?;
        let mut search = Search::new(known, &pool, width, shape);
        search.seed(&states);
        let before = solver.asked;
        let ran = search.run(&mut solver, budget).cloned();
        report.asked += solver.asked - before;
        let end = ran.as_ref().err().map_or("found an invariant".to_owned(), ToString::to_string);
        let views =
            if width == 1 { "each thread".to_owned() } else { format!("every {width} threads") };
        let counted = if counts { ", numbers of threads" } else { "" };
        tell(&format!("{views}, {shape}{counted}: {end}"));
        match ran {
            Ok(invariant) => {
                let found = Found { layout: &layout, goal: &goal, search: &search, invariant };
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

impl Question<'_> {
    /// Looks for a violation only, in a program that cannot be written as formulas.
    fn from_below(
        &self,
        why: Failure,
        budget: &Budget,
        report: &mut Report,
    ) -> Result<Answer, Failure> {
        for counts in growing(self.program, self.counts) {
            let made = Lowering::new(Arc::clone(self.program), Arc::clone(self.source), &counts);
            let Ok(system) = made else { continue };
            let order = &mut BreadthFirst::default();
            let reached = explore(&system, self.property, FROM_BELOW, order, budget)
                .map_err(Failure::Stopped)?;
            if let Some(trace) = reached.violation {
                return Ok(Answer::Unsafe { counts, system: Arc::new(system), trace });
            }
            report.seen.push(Seen {
                threads: system.thread_count(),
                states: reached.states.len(),
                abstract_states: None,
                complete: reached.complete,
            });
        }
        Err(why)
    }

    /// A violation of the program without calls, as one of the program as it was written.
    fn violation(
        &self,
        inlined: &Inlined,
        system: Lowering,
        trace: Trace,
        counts: ThreadCounts,
    ) -> Result<Answer, Failure> {
        if !inlined.changed {
            return Ok(Answer::Unsafe { counts, system: Arc::new(system), trace });
        }
        let fault = |message: String| Failure::Stopped(Fault { message, line: None }.into());
        let made = Lowering::new(Arc::clone(self.program), Arc::clone(self.source), &counts);
        let original = made.map_err(|error| fault(error.to_string()))?;
        let states = replay(&system, &trace).map_err(|error| fault(error.to_string()))?;
        let threads = trace.steps.iter().map(|(thread, _)| *thread);
        let run: Vec<(ThreadId, State)> = threads.zip(states.into_iter().skip(1)).collect();
        let properties = std::slice::from_ref(self.property);
        let wanted = |state: &State| {
            Property::first_broken(properties, &original, state).map(|broken| broken.is_some())
        };
        let lifted = inlined.lift(&system, &trace.initial, &run, &original, &wanted);
        let (initial, steps) =
            lifted.map_err(|fault| Failure::Stopped(fault.into()))?.ok_or_else(|| {
                fault("a violation of the program without calls is none of the program".to_owned())
            })?;
        let trace = Trace { initial, steps };
        Ok(Answer::Unsafe { counts, system: Arc::new(original), trace })
    }
}

/// What to try, cheap attempts first.
fn attempts(threads: Option<u64>, given: bool, only_given: bool) -> Vec<Attempt> {
    let all = threads.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let pairs = all.min(2);
    let mut attempts = Vec::new();
    if given {
        attempts.push((pairs, Reach::GIVEN, Shape::Views, false));
        attempts.extend((all == 3).then_some((3, Reach::GIVEN, Shape::Views, false)));
    }
    if !only_given {
        attempts.extend([
            (pairs, Reach::COMPARED, Shape::Clauses(1), false),
            (pairs, Reach::COMPARED, Shape::Clauses(1), true),
            (pairs, Reach::SHIFTED, Shape::Clauses(2), false),
            (pairs, Reach::COMPARED, Shape::Clauses(2), false),
            (pairs, Reach::WHOLE, Shape::Clauses(2), false),
            (pairs, Reach::ALL, Shape::Clauses(2), false),
            (pairs, Reach::COMPARED, Shape::Clauses(2), true),
        ]);
        if all == 3 {
            attempts.push((3, Reach::WITHIN, Shape::Clauses(2), false));
            attempts.push((3, Reach::WITHIN, Shape::Clauses(3), false));
        }
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
    goal: &'a Goal,
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
        let Found { layout, goal, search, invariant } = self;
        let source = question.source;
        let cores = SolverOptions { cores: true, ..question.solver.clone() };
        let small = Solver::start(&cores).and_then(|mut solver| {
            minimize::minimize(layout, &invariant, search.obligations(), &mut solver, budget)
        });
        // If that does not work out, the proof is longer than it need be.
        let mut invariant = small.ok().flatten().unwrap_or(invariant);
        let stop = || budget.check().is_err();
        // Most proofs need no bounds, and few of the laws.
        let mut holds_without = |invariant: &Invariant| -> Result<bool, Failure> {
            let certificate = Certificate::new(layout, invariant);
            let silent = &mut |_: &str, _: &Query| {};
            let checked = recheck(layout, source, goal, &certificate, &mut solver, &stop, silent);
            if checked.is_err() {
                solver = Solver::start(&question.solver).map_err(Failure::Solver)?;
            }
            Ok(checked.is_ok())
        };
        let bounds = std::mem::take(&mut invariant.bounds);
        if !bounds.is_empty() && !holds_without(&invariant)? {
            invariant.bounds = bounds;
        }
        for number in (0..invariant.laws.len()).rev() {
            let law = invariant.laws.remove(number);
            if !holds_without(&invariant)? {
                invariant.laws.insert(number, law);
            }
        }
        let certificate = Certificate::new(layout, &invariant);
        let checked = recheck(layout, source, goal, &certificate, &mut solver, &stop, keep)
            .map_err(|flaw| match flaw {
                Flaw::Program(refusal) => Failure::Refused(refusal),
                Flaw::Solver(error) => Failure::Solver(error),
                Flaw::Form(what) | Flaw::Open(what) => {
                    Failure::Obstacle { obstacle: what, guess: None }
                }
            })?;
        Ok(Answer::Safe(Proof { certificate, checked }))
    }
}
