//! # Attempts
//! Which invariants are sought, in which order; what is found is made small and has to be checked.

use selvedge_analysis::Budget;
use selvedge_program::Predicate;
use selvedge_smt::certificate::Certificate;
use selvedge_smt::invariant::Invariant;
use selvedge_smt::solver::{Query, Solver, SolverError, SolverOptions};
use selvedge_smt::{Flaw, recheck};

use crate::learn::Shape;
use crate::minimize;
use crate::pool::{Pool, Reach};
use crate::sample::Snapshot;
use crate::search::{Failure, ProofTask, Search};
use crate::{Conclusion, Proof, Question};

/// One try at a proof: how large its views are, and which predicates it may use.
#[derive(Clone, Copy)]
pub(crate) struct Attempt {
    /// How many threads a view has.
    pub width: usize,
    /// The predicates that it may use.
    pub reach: Reach,
    /// The form of the statements over the predicates.
    pub shape: Shape,
    /// Whether laws of counting are known.
    pub counts: bool,
}

/// A search for a proof.
pub(crate) struct Prover<'a> {
    pub question: &'a Question<'a>,
    pub known: ProofTask<'a>,
    pub given: Vec<&'a Predicate>,
    /// States that were reached from below.
    pub states: Vec<Snapshot>,
    pub budget: &'a Budget,
    pub tell: &'a dyn Fn(&str),
    /// How many questions the solver was asked.
    pub asked: usize,
}

impl Prover<'_> {
    /// Tries one after the other; the last obstacle if none leads to a proof.
    pub fn prove(
        &mut self,
        attempts: &[Attempt],
        keep: &mut dyn FnMut(&str, &Query),
    ) -> Result<Conclusion, Failure> {
        let options = &self.question.solver;
        let mut solver = Solver::start(options).map_err(Failure::Solver)?;
        let mut last = Failure::NoPredicates;
        for &Attempt { width, reach, shape, counts } in attempts {
            let laws = self.known.laws;
            if counts && laws.is_empty() {
                continue;
            }
            let known = ProofTask { laws: if counts { laws } else { &[] }, ..self.known };
            let pool = Pool::new(known, self.given.clone(), reach)?;
            if reach.whole && !pool.has_whole() {
                continue; // tried before
            }
            let mut search = Search::new(known, &pool, width, shape);
            search.seed(&self.states);
            let before = solver.asked;
            let ran = search.run(&mut solver, self.budget).cloned();
            self.asked += solver.asked - before;
            let found = || "found an invariant".to_owned();
            let end = ran.as_ref().err().map_or_else(found, ToString::to_string);
            let views = match width {
                1 => "each thread".to_owned(),
                _ => format!("every {width} threads"),
            };
            let counted = if counts { ", numbers of threads" } else { "" };
            (self.tell)(&format!("{views}, {shape}{counted}: {end}"));
            match ran {
                Ok(invariant) => {
                    let found = FoundInvariant { known, search: &search, invariant };
                    return found.proof(self.question, solver, self.budget, keep);
                }
                Err(failure @ (Failure::Obstacle { .. } | Failure::TooLarge)) => last = failure,
                Err(Failure::Solver(error @ (SolverError::Unknown(_) | SolverError::Slow(_)))) => {
                    last = Failure::Solver(error);
                    solver = Solver::start(options).map_err(Failure::Solver)?;
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(last)
    }
}

/// What to try for so many threads (`None`: any number), cheap attempts first.
pub(crate) fn attempts(threads: Option<u64>, given: bool, only_given: bool) -> Vec<Attempt> {
    let all = threads.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let pairs = all.min(2);
    let plain = |width, reach, shape| Attempt { width, reach, shape, counts: false };
    let counting = |reach, shape| Attempt { width: pairs, reach, shape, counts: true };
    let mut attempts = Vec::new();
    if given {
        attempts.push(plain(pairs, Reach::GIVEN, Shape::Views));
        attempts.extend((all == 3).then(|| plain(3, Reach::GIVEN, Shape::Views)));
    }
    if !only_given {
        attempts.extend([
            plain(pairs, Reach::COMPARED, Shape::Clauses(1)),
            counting(Reach::COMPARED, Shape::Clauses(1)),
            plain(pairs, Reach::SHIFTED, Shape::Clauses(2)),
            plain(pairs, Reach::WHOLE, Shape::Clauses(2)),
            plain(pairs, Reach::COMPARED, Shape::Clauses(2)),
            plain(pairs, Reach::ALL, Shape::Clauses(2)),
            counting(Reach::COMPARED, Shape::Clauses(2)),
        ]);
        if all == 3 {
            attempts.push(plain(3, Reach::WITHIN, Shape::Clauses(2)));
            attempts.push(plain(3, Reach::WITHIN, Shape::Clauses(3)));
        }
    }
    attempts
}

/// An invariant that was found.
struct FoundInvariant<'a> {
    known: ProofTask<'a>,
    search: &'a Search<'a>,
    invariant: Invariant,
}

impl FoundInvariant<'_> {
    /// Makes the invariant small, and has it checked.
    fn proof(
        self,
        question: &Question<'_>,
        mut solver: Solver,
        budget: &Budget,
        keep: &mut dyn FnMut(&str, &Query),
    ) -> Result<Conclusion, Failure> {
        let FoundInvariant { known, search, invariant } = self;
        let ProofTask { layout, source, goal, .. } = known;
        let cores = SolverOptions { cores: true, ..question.solver.clone() };
        let small = Solver::start(&cores).and_then(|mut solver| {
            minimize::minimize(layout, &invariant, search.obligations(), &mut solver, budget)
        });
        // If that does not work out, the proof is longer than it need be.
        let mut invariant = small.ok().flatten().unwrap_or(invariant);
        let stop = || budget.look().is_err();
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
        Ok(Conclusion::Safe(Proof { certificate, checked }))
    }
}
