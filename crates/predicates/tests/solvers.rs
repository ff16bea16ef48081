//! Solvers that do not do what they should: each is a reason for *unknown*, in time.
#![cfg(unix)]

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use selvedge_analysis::Budget;
use selvedge_predicates::search::Failure;
use selvedge_predicates::{Conclusion, Question, verify};
use selvedge_smt::solver::SolverOptions;
use support::example;

/// How long a question may take here.
const PATIENCE: Duration = Duration::from_millis(300);

/// No attempt is made more often than this, and each ends with its first question.
const ATTEMPTS: u32 = 8;

fn reason(name: &str, script: &str) -> String {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("solvers");
    std::fs::create_dir_all(&directory).expect("a place for files");
    let solver = directory.join(name);
    std::fs::write(&solver, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).expect("set");
    answer(solver.to_str().expect("plain"))
}

fn answer(solver: &str) -> String {
    let program = example("program-p.weave");
    let question = Question {
        program: &program.program,
        source: &program.source,
        counts: &program.counts,
        property: &program.property,
        solver: SolverOptions {
            program: solver.to_owned(),
            patience: PATIENCE,
            ..SolverOptions::default()
        },
        only_given: false,
    };
    let start = Instant::now();
    let report = verify(&question, &Budget::default(), &|_| {}, &mut |_, _| {});
    let most = PATIENCE * ATTEMPTS + Duration::from_secs(20);
    assert!(start.elapsed() < most, "{solver}: {:?}", start.elapsed());
    match report.answer {
        Conclusion::Unknown(Failure::Solver(error)) => error.to_string(),
        Conclusion::Unknown(other) => panic!("{solver}: {other}"),
        Conclusion::Safe(_) => panic!("{solver}: a proof"),
        Conclusion::Unsafe { .. } => panic!("{solver}: a violation"),
    }
}

/// Answers each question with the same line.
fn always(line: &str) -> String {
    format!("while read line; do case $line in *check-sat*) echo '{line}';; esac; done")
}

#[test]
fn a_solver_that_hangs_is_given_up() {
    let slow = "the solver thought about one question for more than 0.3 s";
    assert_eq!(reason("sleeps", "exec sleep 600"), slow);
    // Reads everything, and says nothing.
    assert_eq!(reason("listens", "while read line; do :; done"), slow);
    // Says that there is a solution, and not which.
    assert_eq!(reason("half", &format!("{}; exec sleep 600", always("sat"))), slow);
}

#[test]
fn a_solver_that_dies_is_given_up() {
    let died = "the solver ended in the middle of a question";
    assert_eq!(reason("dies", "exit 3"), died);
    assert_eq!(reason("dies-later", "read line; read line; exit 0"), died);
}

#[test]
fn a_solver_that_does_not_know_is_no_proof() {
    assert_eq!(reason("unsure", &always("unknown")), "the solver does not know: it gives up");
}

#[test]
fn nonsense_is_no_proof() {
    let none = "the solver gave an answer that is none: ";
    assert_eq!(reason("odd", &always("unsat?")), format!("{none}unsat?"));
    let complains = reason("complains", &always("(error \"line 7: who knows\")"));
    assert_eq!(complains, format!("{none}(error \"line 7: who knows\")"));
    let values = reason("values", &always("sat\n((|s| many))"));
    assert!(values.starts_with(none), "{values}");
}

#[test]
fn a_missing_solver_says_what_to_install() {
    let what = "install the package `z3`, or name another solver with --solver";
    let missing = answer("there-is-no-such-solver");
    let here = "this needs an SMT solver, and there is no `there-is-no-such-solver` here";
    assert_eq!(missing, format!("{here}: {what}"));
    let directory = env!("CARGO_TARGET_TMPDIR");
    let denied = answer(directory);
    let started = format!("`{directory}` cannot be started (Permission denied)");
    assert_eq!(denied, format!("this needs an SMT solver, and {started}: {what}"));
}
