//! Evidence that takes for ever to check: the check ends when it is told to, and says so. Nothing here looks at a clock: a
//! check that does not hear of its limit says something else, or does not end, and whoever runs the tests ends it.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use selvedge_evidence::format::digest;
use serde_json::{Value, json};

/// Goes on for ever.
const PROGRAM: &str =
    "bool flag := false; void worker() { while (true) flag := !flag; } thread worker;";

/// How often to look whether a process is gone that was ended already.
const LOOKS: usize = 3000;

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
        "selvedge": env!("CARGO_PKG_VERSION"), "evidence": 3, "file": "endless.weave",
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

/// The end of a check that the guard has to end: one that reads to the end of the text refuses the evidence.
fn ended_by_guard(output: &Output, why: &str) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(20), "{said}");
    assert!(said.starts_with(&format!("unknown: {why}\n  completed  nothing\n")), "{said}");
    assert!(output.stderr.is_empty());
}

/// Sees that a check hears of its limit by itself. Where the machine keeps it waiting the guard may be first, as it should, and
/// then it is asked once more; a check that hears nothing leaves it to the guard every time.
fn heeded(why: &str, ask: impl Fn() -> Output) {
    for _ in 0..20 {
        let output = ask();
        if output.status.code() != Some(20) {
            return refused(&output, why);
        }
        ended_by_guard(&output, why);
    }
    panic!("only the guard hears that {why}");
}

/// Sends a signal to a program; what it said.
fn signalled(child: Child, signal: &str) -> Output {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("there is such a command").success());
    child.wait_with_output().expect("it ends")
}

/// Waits until a program hears signals, and has computed for a while.
fn at_work(mut child: Child) -> Child {
    let place = PathBuf::from(format!("/proc/{}", child.id()));
    if !place.exists() {
        thread::sleep(Duration::from_millis(700));
        return child;
    }
    let is_at_work = || {
        let status = fs::read_to_string(place.join("status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // SIGINT and SIGTERM, counted from one.
        let hears = caught.is_some_and(|mask| mask & (1 << 1) != 0 && mask & (1 << 14) != 0);
        let stat = fs::read_to_string(place.join("stat")).unwrap_or_default();
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        // In user mode: hundredths of a second.
        let computed = fields.nth(11).and_then(|ticks| ticks.parse::<u64>().ok());
        hears && computed.is_some_and(|ticks| ticks >= 20)
    };
    while !is_at_work() {
        assert!(child.try_wait().expect("it is there").is_none(), "it ended by itself");
        thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn time_is_heeded() {
    let path = written("time.json", &long_run(50));
    heeded("the time limit was reached", || {
        command(&path, &["--timeout", "1s"]).output().expect("it runs")
    });
}

#[test]
fn memory_is_heeded() {
    let path = written("memory.json", &long_run(1000));
    heeded("the memory limit was reached", || {
        command(&path, &["--memory", "200MB"]).output().expect("it runs")
    });
}

#[test]
fn a_file_without_end_is_not_read_to_its_end() {
    heeded("the memory limit was reached", || {
        command(Path::new("/dev/zero"), &["--memory", "50MB"]).output().expect("it runs")
    });
}

/// What is read takes many times the memory of its text.
#[test]
fn memory_is_heeded_while_evidence_is_read() {
    let states = vec!["[]"; 4_000_000].join(",");
    let text = evidence("cut", json!({ "states": [0] })).replace("[0]", &format!("[{states}]"));
    assert!(text.len() < 20_000_000);
    let path = written("wide.json", &text);
    heeded("the memory limit was reached", || {
        command(&path, &["--memory", "80MB"]).output().expect("it runs")
    });
}

#[test]
fn signals_end_the_check() {
    for signal in ["-INT", "-TERM"] {
        let path = written("signal.json", &long_run(50));
        heeded("the run was interrupted", || {
            let child = at_work(command(&path, &[]).spawn().expect("it runs"));
            signalled(child, signal)
        });
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
    let is_gone = (0..LOOKS).any(|_| {
        thread::sleep(Duration::from_millis(20));
        !is_there(process.trim())
    });
    assert!(is_gone, "a child of the solver is still there");
}

#[test]
fn a_solver_ends_with_the_check_and_so_does_what_it_started() {
    heeded("the time limit was reached", || {
        // A second may be too short to start the solver: then there is nothing to see.
        let started = (0..20).find_map(|_| {
            let (solver, children) = idle_solver("idle");
            let asked = ["--timeout", "1s", "--solver", solver.to_str().expect("plain names")];
            let output = command(&asks_a_solver(), &asked).output().expect("it runs");
            children.exists().then_some((output, children))
        });
        let (output, children) = started.expect("the solver is started");
        assert_gone(&children);
        output
    });
}

#[test]
fn a_solver_ends_with_ctrl_c_and_so_does_what_it_started() {
    heeded("the run was interrupted", || {
        let (solver, children) = idle_solver("interrupted");
        let asked = ["--solver", solver.to_str().expect("plain names")];
        let mut child = command(&asks_a_solver(), &asked).spawn().expect("it runs");
        // The solver was started, and started another process.
        while !children.exists() {
            assert!(child.try_wait().expect("it is there").is_none(), "it ended by itself");
            thread::sleep(Duration::from_millis(5));
        }
        let output = signalled(child, "-INT");
        assert_gone(&children);
        output
    });
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
    let output = check(&["--timeout", "200ms"]).output().expect("it runs");
    ended_by_guard(&output, "the time limit was reached");
    let output = check(&["--memory", "80MB"]).output().expect("it runs");
    ended_by_guard(&output, "the memory limit was reached");
    let child = at_work(check(&[]).spawn().expect("it runs"));
    ended_by_guard(&signalled(child, "-INT"), "the run was interrupted");
}
