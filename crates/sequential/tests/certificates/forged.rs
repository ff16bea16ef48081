//! Somebody wants to prove that a program never goes wrong, and it does: with relations of the program
//! in which what goes wrong waits instead, or is not looked at, and with parts of them. Every claim here
//! is false, so that every one has to be refused.

use selvedge_analysis::engine::Verdict;
use selvedge_evidence::{Evidence, SummaryCertificate, recheck as recheck_states};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Block, Lowering, Program, Stmt, StmtKind};
use selvedge_sequential::engine::{RoundsQuestion, check_focused};
use selvedge_sequential::{Focus, Options};

use crate::certificates::{PROPERTIES, alone, budget, check, mutations, proof, without};

/// How many changes of one certificate are tried, of those that there are.
const CHANGES: usize = 24;

/// What is put in the place of an assertion.
#[derive(Clone, Copy, PartialEq)]
enum Instead {
    Wait,
    Skip,
}

/// The program with something else in the place of all assertions.
fn neighbour(program: &Program, instead: Instead) -> Program {
    let mut changed = program.clone();
    changed.procs.iter_mut().for_each(|proc| replace(&mut proc.body, instead));
    changed
}

fn replace(block: &mut Block, instead: Instead) {
    for Stmt { kind, .. } in block {
        match kind {
            StmtKind::Assert(condition) => {
                *kind = match instead {
                    Instead::Wait => StmtKind::Assume(condition.clone()),
                    Instead::Skip => StmtKind::Skip,
                };
            }
            StmtKind::If { then, otherwise, .. } => {
                replace(then, instead);
                replace(otherwise, instead);
            }
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => replace(body, instead),
            StmtKind::Choose(blocks) => blocks.iter_mut().for_each(|b| replace(b, instead)),
            _ => {}
        }
    }
}

/// Whether a run goes wrong that the step function has walked.
fn goes_wrong(program: &Lowering) -> bool {
    let asked = RoundsQuestion { program, properties: &PROPERTIES, evidence: true };
    let focus = Ok(Focus::all(program));
    let outcome = check_focused(&asked, 1, Options::default(), focus, &budget(), &|_| {});
    match (outcome.verdict, outcome.evidence) {
        (Verdict::Unsafe { .. }, Some(evidence @ Evidence::Violation(_))) => {
            recheck_states(program, &PROPERTIES, &evidence).is_ok()
        }
        _ => false,
    }
}

#[test]
fn no_false_claim_is_accepted() {
    let mut dice = fastrand::Rng::with_seed(5);
    let (mut programs, mut refused) = (0, 0);
    for seed in 0..600 {
        let shape = Shape { numbers: seed % 2 == 0, ..Shape::default() };
        let text = random_program(seed, &shape);
        let Some(program) = alone(text.clone()).filter(goes_wrong) else { continue };
        let mut claim = |forged: &SummaryCertificate, what: &str| {
            let checked = check(&program, forged);
            assert!(checked.is_err(), "seed {seed}, {what}: {checked:?}");
            refused += 1;
        };
        programs += 1;
        for instead in [Instead::Wait, Instead::Skip] {
            let Some(other) = alone(neighbour(&text, instead)) else { continue };
            let Some(genuine) = proof(&other, Options::default(), Focus::all(&other)) else {
                continue; // it goes wrong in another way, too
            };
            claim(&genuine, "of a neighbour");
            let mut changes = mutations(&genuine);
            dice.shuffle(&mut changes);
            for (what, changed) in changes.into_iter().take(CHANGES) {
                claim(&changed, &what);
            }
            let places = genuine.thread.len() + genuine.procedures.len();
            for _ in 0..CHANGES {
                let place = dice.usize(0..places.max(1));
                if let Some(changed) = without(&genuine, place, &mut dice) {
                    claim(&changed, "without some values");
                }
            }
        }
        claim(&SummaryCertificate::default(), "nothing at all");
    }
    println!("{refused} forged for {programs} programs");
    assert!(programs >= 30 && refused >= 1000, "{refused} forged for {programs} programs");
}
