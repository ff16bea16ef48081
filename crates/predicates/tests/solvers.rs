//! Solvers that do not do what they should: each is a reason for *unknown*, after a few attempts.
#![cfg(unix)]

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use selvedge_analysis::Budget;
use selvedge_predicates::search::Failure;
use selvedge_predicates::{Conclusion, Question, verify};
use selvedge_smt::solver::SolverOptions;
use support::example;

/// How long a question may take that is not answered.
const SHORT: Duration = Duration::from_millis(300);

/// How long a question may take that has to be answered, however busy the machine is.
const LONG: Duration = Duration::from_secs(3600);

/// No more solvers than this are started, and each is asked one question.
const ATTEMPTS: usize = 8;

fn reason(name: &str, patience: Duration, script: &str) -> String {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("solvers");
    std::fs::create_dir_all(&directory).expect("a place for files");
    let solver = directory.join(name);
    let attempts = directory.join(format!("{name}-attempts"));
    std::fs::write(&attempts, "").expect("written");
    let count = format!("echo once more >> '{}'", attempts.display());
    std::fs::write(&solver, format!("#!/bin/sh\n{count}\n{script}\n")).expect("written");
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).expect("set");
    let answer = answer(solver.to_str().expect("plain"), patience);
    let attempts = std::fs::read_to_string(attempts).expect("written").lines().count();
    assert!(attempts <= ATTEMPTS, "{name}: {attempts} solvers were started");
    answer
}

fn answer(solver: &str, patience: Duration) -> String {
    let program = example("program-p.weave");
    let question = Question {
        program: &program.program,
        source: &program.source,
        counts: &program.counts,
        property: &program.property,
        solver: SolverOptions { program: solver.to_owned(), patience, ..SolverOptions::default() },
        only_given: false,
    };
    let report = verify(&question, &Budget::default(), &|_| {}, &mut |_, _| {});
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

/// A solver that is waited for in vain ends after ten minutes, and that is another reason.
#[test]
fn a_solver_that_hangs_is_given_up() {
    let slow = "the solver thought about one question for more than 0.3 s";
    assert_eq!(reason("sleeps", SHORT, "exec sleep 600"), slow);
    // Reads everything, and says nothing.
    assert_eq!(reason("listens", SHORT, "while read line; do :; done"), slow);
    // Says that there is a solution, and not which.
    assert_eq!(reason("half", SHORT, &format!("{}; exec sleep 600", always("sat"))), slow);
}

#[test]
fn a_solver_that_dies_is_given_up() {
    let died = "the solver ended in the middle of a question";
    assert_eq!(reason("dies", LONG, "exit 3"), died);
    assert_eq!(reason("dies-later", LONG, "read line; read line; exit 0"), died);
}

#[test]
fn a_solver_that_does_not_know_is_no_proof() {
    assert_eq!(reason("unsure", LONG, &always("unknown")), "the solver does not know: it gives up");
}

#[test]
fn nonsense_is_no_proof() {
    let none = "the solver gave an answer that is none: ";
    assert_eq!(reason("odd", LONG, &always("unsat?")), format!("{none}unsat?"));
    let complains = reason("complains", LONG, &always("(error \"line 7: who knows\")"));
    assert_eq!(complains, format!("{none}(error \"line 7: who knows\")"));
    let values = reason("values", LONG, &always("sat\n((|s| many))"));
    assert!(values.starts_with(none), "{values}");
}

#[test]
fn a_missing_solver_says_what_to_install() {
    let what = "install the package `z3`, or name another solver with --solver";
    let missing = answer("there-is-no-such-solver", LONG);
    let here = "this needs an SMT solver, and there is no `there-is-no-such-solver` here";
    assert_eq!(missing, format!("{here}: {what}"));
    let directory = env!("CARGO_TARGET_TMPDIR");
    let denied = answer(directory, LONG);
    let started = format!("`{directory}` cannot be started (Permission denied)");
    assert_eq!(denied, format!("this needs an SMT solver, and {started}: {what}"));
}
