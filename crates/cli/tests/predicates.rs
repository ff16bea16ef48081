//! `verify` and `recheck` with a solver, and with something that is none.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn selvedge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env("NO_COLOR", "1").args(arguments).output().expect("it runs")
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/delays").join(name);
    path.to_str().expect("plain names").to_owned()
}

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("predicates");
    std::fs::create_dir_all(&directory).expect("a place for files");
    directory.join(name)
}

fn has_solver(test: &str) -> bool {
    let found = Command::new("z3").arg("--version").output().is_ok();
    if !found {
        eprintln!("{test}: skipped: there is no z3");
    }
    found
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_proof_is_written_kept_and_accepted() {
    if !has_solver("a_proof_is_written_kept_and_accepted") {
        return;
    }
    let (file, evidence, kept) = (example("ticket-lock.weave"), place("ticket.json"), place("smt"));
    let (evidence, kept) = (evidence.to_str().expect("plain"), kept.to_str().expect("plain"));
    let verified = selvedge(&["verify", &file, "--evidence", evidence, "--keep-smt", kept]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stderr));
    assert!(text(&verified.stdout).starts_with("safe: no schedule of any number of threads "));
    // A question that was kept is a file that a solver answers.
    let first = Path::new(kept).join("0001.smt2");
    let answer = Command::new("z3").arg(first).output().expect("it runs");
    assert_eq!(text(&answer.stdout).trim(), "unsat");

    let checked = selvedge(&["recheck", evidence, &file]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    let other = selvedge(&["recheck", evidence, &file, "--threads", "client=2"]);
    assert_eq!(other.status.code(), Some(65));
    let written = std::fs::read_to_string(evidence).expect("evidence");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    let entries = written["views"]["entries"].as_array().expect("entries").len();
    let mut changes: Vec<Value> = Vec::new();
    for entry in 0..entries {
        let mut without = written.clone();
        without["views"]["entries"].as_array_mut().expect("entries").remove(entry);
        changes.push(without);
    }
    // The predicates of the file prove it, by abstract states: without those at one place.
    let mut none = written.clone();
    let views = none["views"]["entries"][entries - 1]["views"].as_array_mut().expect("views");
    assert!(!views.is_empty());
    views.clear();
    changes.push(none);
    let mut other = written.clone();
    other["views"]["predicates"][0] = Value::from("(= |s| 3)");
    changes.push(other);
    for (number, change) in changes.iter().enumerate() {
        let changed = place("changed.json");
        std::fs::write(&changed, change.to_string()).expect("written");
        let refused = selvedge(&["recheck", changed.to_str().expect("plain"), &file]);
        assert_eq!(refused.status.code(), Some(65), "{number}: {change}");
        assert!(text(&refused.stderr).contains("refused: "), "{}", text(&refused.stderr));
    }
}

/// Proofs of targets and proofs by counting, written down: what they are about, and what else is refused.
#[test]
fn targets_and_laws_are_part_of_the_evidence() {
    if !has_solver("targets_and_laws_are_part_of_the_evidence") {
        return;
    }
    let refused = |evidence: &Value, more: &[&str], file: &str| {
        let changed = place("changed.json");
        std::fs::write(&changed, evidence.to_string()).expect("a file");
        let changed = changed.to_str().expect("plain");
        let checked = selvedge(&[&["recheck", changed, file], more].concat());
        assert_eq!(checked.status.code(), Some(65), "{}", text(&checked.stdout));
    };
    let read = |path: &str| -> Value {
        let written = std::fs::read_to_string(path).expect("evidence");
        serde_json::from_str(&written).expect("JSON")
    };
    let target = ["--target", "client@CS,client@CS"];
    let (file, evidence) = (example("ticket-lock-calls.weave"), place("target.json"));
    let evidence = evidence.to_str().expect("plain");
    let verified = selvedge(&[&["verify", &file, "--evidence", evidence], &target[..]].concat());
    assert!(text(&verified.stdout).contains("reaches client@CS,client@CS"));
    let checked = selvedge(&[&["recheck", evidence, &file], &target[..]].concat());
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    // It is about this target, whatever else it says of itself.
    let written = read(evidence);
    refused(&written, &["--target", "client@CS,client@31"], &file);
    let mut other = written.clone();
    other["property"] = "assertions".into();
    refused(&other, &target, &file);
    refused(&written, &target, &example("ticket-lock-calls-broken.weave"));

    let (file, evidence) = (example("semaphore.weave"), place("semaphore.json"));
    let evidence = evidence.to_str().expect("plain");
    let verified = selvedge(&["verify", &file, "--evidence", evidence]);
    assert_eq!(verified.status.code(), Some(0), "{}", text(&verified.stderr));
    assert_eq!(selvedge(&["recheck", evidence, &file]).status.code(), Some(0));
    let written = read(evidence);
    let laws = written["views"]["laws"].as_array().expect("laws").len();
    for law in 0..laws {
        for text in ["inside = 0", "free = 2", "", "free + 9 * #{user@1} = 2"] {
            let mut changed = written.clone();
            changed["views"]["laws"][law] = text.into();
            refused(&changed, &[], &file);
        }
    }
    let mut without = written.clone();
    without["views"]["laws"] = Value::Array(Vec::new());
    refused(&without, &[], &file);
}

#[test]
fn without_a_solver_the_answer_is_unknown_and_says_what_to_install() {
    let file = example("program-p.weave");
    let unknown = selvedge(&["verify", &file, "--solver", "there-is-no-such-solver"]);
    assert_eq!(unknown.status.code(), Some(20));
    let said = text(&unknown.stdout);
    let expected = "unknown: this needs an SMT solver, and there is no `there-is-no-such-solver` here: \
                    install the package `z3`, or name another solver with --solver\n";
    assert!(said.starts_with(expected), "{said}");
    // Violations need none.
    let file = example("ticket-lock-broken.weave");
    let found = selvedge(&["verify", &file, "--solver", "there-is-no-such-solver"]);
    assert_eq!(found.status.code(), Some(10));
}

/// How many threads a violation has is in the evidence; the file says `* any`.
#[test]
fn evidence_of_a_violation_needs_no_options() {
    let (file, evidence) = (example("ticket-lock-broken.weave"), place("broken.json"));
    let evidence = evidence.to_str().expect("plain");
    let found = selvedge(&["verify", &file, "--evidence", evidence]);
    assert_eq!(found.status.code(), Some(10), "{}", text(&found.stderr));
    let written = std::fs::read_to_string(evidence).expect("evidence");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    assert!(written["options"].as_object().is_some_and(|options| options.is_empty()), "{written}");
    assert!(written["chosen"].is_object(), "{written}");
    let checked = selvedge(&["recheck", evidence, &file]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).starts_with("accepted: unsafe: "), "{}", text(&checked.stdout));
}

#[cfg(unix)]
#[test]
fn a_solver_that_dies_hangs_or_does_not_know_is_no_proof() {
    use std::os::unix::fs::PermissionsExt;
    let cases = [
        ("dies", "60s", "exit 0", "the solver ended"),
        (
            "unsure",
            "60s",
            "while read line; do case $line in *check-sat*) echo unknown;; esac; done",
            "does not know",
        ),
        (
            "odd",
            "60s",
            "while read line; do case $line in *check-sat*) echo perhaps;; esac; done",
            "perhaps",
        ),
        ("hangs", "2s", "exec sleep 600", "time limit"),
        ("says nothing again and again", "2s", "exec yes \"\"", "time limit"),
    ];
    for (name, time, script, reason) in cases {
        let solver = place(name);
        std::fs::write(&solver, format!("#!/bin/sh\n{script}\n")).expect("written");
        let mut permissions = std::fs::metadata(&solver).expect("there").permissions();
        permissions.set_mode(0o755);
        std::fs::set_permissions(&solver, permissions).expect("set");
        let solver = solver.to_str().expect("plain");
        let file = example("program-p.weave");
        let unknown = selvedge(&["verify", &file, "--solver", solver, "--timeout", time]);
        let said = text(&unknown.stdout);
        assert_eq!(unknown.status.code(), Some(20), "{name}: {said}");
        assert!(said.starts_with("unknown: ") && said.contains(reason), "{name}: {said}");
    }
}
