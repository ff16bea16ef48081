//! Evidence that takes for ever to check: the check ends when it is told to, and says so.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use selvedge_evidence::format::digest;
use serde_json::{Value, json};

/// Goes on for ever.
const PROGRAM: &str =
    "bool flag := false; void worker() { while (true) flag := !flag; } thread worker;";

/// A machine with much else to do may be late by so much.
const LATE: Duration = Duration::from_secs(4);

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits");
    fs::create_dir_all(&directory).expect("a place for files");
    directory.join(name)
}

fn written(name: &str, text: &str) -> PathBuf {
    let path = place(name);
    fs::write(&path, text).expect("it can be written");
    path
}

fn command(evidence: &Path, arguments: &[&str]) -> Command {
    let program = written("endless.weave", PROGRAM);
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge-check"));
    command.arg(evidence).arg(program).args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A text that takes seconds to read: nobody looks at a budget until that is done.
fn long_text() -> PathBuf {
    let mut text = "int[0..9] x := 0;\nthread t {\n".to_owned();
    while text.len() < 30_000_000 {
        text += "  if (x == 3) { x := 5; } else { x := 7; }\n";
    }
    written("long.weave", &(text + "}\n"))
}

fn evidence(kind: &str, body: Value) -> String {
    let mut document = json!({
        "selvedge": env!("CARGO_PKG_VERSION"), "evidence": 2, "file": "endless.weave",
        "digest": digest(PROGRAM), "options": {}, "property": "assertions", "kind": kind,
    });
    document[kind] = body;
    document.to_string()
}

/// A run of so many million steps.
fn long_run(millions: usize) -> String {
    let schedule = vec!["worker * 1000000"; millions];
    evidence("violation", json!({ "property": 0, "contexts": 1, "schedule": schedule }))
}

fn refused(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(65), "{said}");
    assert!(said.contains(&format!("refused: it could not be checked: {why}")), "{said}");
    assert!(output.stdout.is_empty());
}

/// Sends a signal to a program that has been at work for a while; what it said.
fn signalled(child: Child, signal: &str) -> Output {
    thread::sleep(Duration::from_millis(700));
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is such a command").success());
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(start.elapsed() < LATE, "{:?}", start.elapsed());
    output
}

#[test]
fn time_is_heeded() {
    let path = written("time.json", &long_run(50));
    let start = Instant::now();
    let output = command(&path, &["--timeout", "1s"]).output().expect("it runs");
    refused(&output, "the time limit was reached");
    assert!(start.elapsed() < Duration::from_secs(1) + LATE, "{:?}", start.elapsed());
}

#[test]
fn memory_is_heeded() {
    let path = written("memory.json", &long_run(1000));
    let output = command(&path, &["--memory", "200MB"]).output().expect("it runs");
    refused(&output, "the memory limit was reached");
}

#[test]
fn a_file_without_end_is_not_read_to_its_end() {
    let output = command(Path::new("/dev/zero"), &["--memory", "50MB"]).output().expect("it runs");
    refused(&output, "the memory limit was reached");
}

/// What is read takes many times the memory of its text.
#[test]
fn memory_is_heeded_while_evidence_is_read() {
    let states = vec!["[]"; 4_000_000].join(",");
    let text = evidence("cut", json!({ "states": [0] })).replace("[0]", &format!("[{states}]"));
    assert!(text.len() < 20_000_000);
    let path = written("wide.json", &text);
    let output = command(&path, &["--memory", "80MB"]).output().expect("it runs");
    refused(&output, "the memory limit was reached");
}

#[test]
fn signals_end_the_check() {
    for signal in ["-INT", "-TERM"] {
        let path = written("signal.json", &long_run(50));
        let child = command(&path, &[]).spawn().expect("it runs");
        refused(&signalled(child, signal), "the run was interrupted");
    }
}

/// A proof by predicates that says nothing: enough for a solver to be asked about it.
fn asks_a_solver() -> PathBuf {
    let body = json!({ "width": 1, "predicates": [], "entries": [] });
    written("views.json", &evidence("views", body))
}

/// A solver that thinks for ever, and lets another process think for it.
fn idle_solver(name: &str) -> (PathBuf, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let children = place(&format!("{name}-children"));
    let _ = fs::remove_file(&children);
    let text = format!(
        "#!/bin/sh\nsleep 600 &\necho $! > '{}.new'\nmv '{0}.new' '{0}'\nwait\n",
        children.display()
    );
    let solver = written(name, &text);
    fs::set_permissions(&solver, fs::Permissions::from_mode(0o755)).expect("set");
    (solver, children)
}

/// Whether a process is there and does something: a zombie does nothing.
fn is_there(process: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", process]).output().expect("ps runs");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

fn assert_gone(children: &Path) {
    let process = fs::read_to_string(children).expect("the solver was started");
    let start = Instant::now();
    while is_there(process.trim()) {
        assert!(start.elapsed() < LATE, "a child of the solver is still there");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_solver_ends_with_the_check_and_so_does_what_it_started() {
    let (solver, children) = idle_solver("idle");
    let solver = solver.to_str().expect("plain names");
    let start = Instant::now();
    let asked = ["--timeout", "1s", "--solver", solver];
    let output = command(&asks_a_solver(), &asked).output().expect("it runs");
    refused(&output, "the time limit was reached");
    assert!(start.elapsed() < Duration::from_secs(1) + LATE, "{:?}", start.elapsed());
    assert_gone(&children);
}

#[test]
fn a_solver_ends_with_ctrl_c_and_so_does_what_it_started() {
    let (solver, children) = idle_solver("interrupted");
    let solver = solver.to_str().expect("plain names");
    let child = command(&asks_a_solver(), &["--solver", solver]).spawn().expect("it runs");
    refused(&signalled(child, "-INT"), "the run was interrupted");
    assert_gone(&children);
}

/// The end of a check that the guard has to end.
fn ended_by_guard(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(20), "{said}");
    assert!(said.starts_with(&format!("unknown: {why}\n  completed  nothing\n")), "{said}");
    assert!(output.stderr.is_empty());
}

#[test]
fn limits_hold_while_a_long_text_is_read() {
    let (text, evidence) = (long_text(), written("any.json", "{}"));
    let check = |limits: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge-check"));
        command.arg(&evidence).arg(&text).args(limits);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let start = Instant::now();
    let output = check(&["--timeout", "200ms"]).output().expect("it runs");
    ended_by_guard(&output, "the time limit was reached");
    // Half a second after its limit, and as much for a machine that has to start it.
    assert!(start.elapsed() < Duration::from_millis(1200), "{:?}", start.elapsed());
    let output = check(&["--memory", "80MB"]).output().expect("it runs");
    ended_by_guard(&output, "the memory limit was reached");
    let child = check(&[]).spawn().expect("it runs");
    thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is such a command").success());
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    ended_by_guard(&output, "the run was interrupted");
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}
