//! What transcripts cannot show: readers that go away, and Ctrl-C.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn simulate(arguments: &[&str]) -> Child {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/simulate.in/fig1.cpds");
    Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("simulate")
        .arg(file)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_reader_that_goes_away_changes_nothing() {
    // The target is reached at once, and nobody reads about it.
    let mut child = simulate(&["--target", "*|*,*"]);
    drop(child.stdout.take());
    let result = child.wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(10));
    assert_eq!(String::from_utf8_lossy(&result.stderr), "");
}

#[test]
fn the_end_of_the_input_ends_an_interactive_run() {
    let mut child = simulate(&["--interactive"]);
    child.stdin.take().unwrap().write_all(b"1\n").unwrap();
    let result = child.wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(0));
    let text = String::from_utf8_lossy(&result.stdout);
    assert!(text.ends_with("1 step in 1 context: ended by hand\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_was_done() {
    let mut child = simulate(&["--interactive"]);
    child.stdin.as_mut().unwrap().write_all(b"1\n").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("after 1 step") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the simulator ended too early");
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("last state"), "{rest}");
    assert!(rest.ends_with("1 step in 1 context: interrupted\n"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A question that takes longer than anybody wants to wait.
#[cfg(unix)]
fn long_question(command: &str) -> Child {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/locks/filter.weave");
    Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([command, "-v", "--const", "N=5"])
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_what_is_known() {
    let text = interrupted("verify", " 1 context:", "-INT");
    assert!(text.contains("completed  no violation within "), "{text}");
}

#[cfg(unix)]
#[test]
fn a_request_to_end_is_the_same() {
    let text = interrupted("verify", " 1 context:", "-TERM");
    assert!(text.contains("completed  no violation within "), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_search_for_livelocks() {
    let text = interrupted("livelock", " states, ", "-INT");
    assert!(text.contains("try     once more with more patience"), "{text}");
}

/// What is printed by a command that gets a signal after it has said something.
#[cfg(unix)]
fn interrupted(command: &str, after: &str, signal: &str) -> String {
    let mut child = long_question(command);
    let mut notes = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(after) {
        line.clear();
        assert_ne!(notes.read_line(&mut line).unwrap(), 0, "it ended too early");
    }
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    std::thread::spawn(move || std::io::copy(&mut notes, &mut std::io::sink()));
    let result = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    assert!(text.starts_with("unknown: the run was interrupted\n"), "{text}");
    assert_eq!(result.status.code(), Some(20));
    text
}

/// The answer about an example, without the colours of the test's own surroundings.
fn coloured(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/start/race.weave");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.arg("verify").arg(file).args(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "TERM"] {
        command.env_remove(name);
    }
    let result = command.envs(environment.iter().copied()).output().unwrap();
    assert_eq!(result.status.code(), Some(10));
    String::from_utf8(result.stdout).unwrap()
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let has_colours = |text: &str| text.contains('\u{1b}');
    let plain = coloured(&[], &[("TERM", "xterm-256color")]);
    assert!(!has_colours(&plain), "a pipe is no terminal");
    assert!(has_colours(&coloured(&["--color", "always"], &[])));
    assert!(!has_colours(&coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")])));
    assert!(!has_colours(&coloured(&[], &[("NO_COLOR", "1"), ("TERM", "xterm-256color")])));
}

/// What a terminal of 80 columns gets from a question about an example, without colours. Somebody presses Ctrl-C there once enough was said.
#[cfg(target_os = "linux")]
fn on_a_terminal(
    arguments: &str,
    example: &str,
    is_enough: impl Fn(&str) -> bool,
) -> Option<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let command = format!(
        "stty cols 80 rows 24 -echo; '{}' {arguments} '{}'",
        env!("CARGO_BIN_EXE_selvedge"),
        file.display()
    );
    let script = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut script) = script else {
        eprintln!("skipped: there is no `script`, which makes a terminal");
        return None;
    };
    let (mut keys, mut output) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let (mut said, mut part) = (Vec::new(), [0; 4096]);
    let mut is_interrupted = false;
    loop {
        let length = output.read(&mut part).unwrap_or(0);
        if length == 0 {
            break;
        }
        said.extend_from_slice(&part[..length]);
        if !is_interrupted && is_enough(&String::from_utf8_lossy(&said)) {
            keys.write_all(b"\x03").unwrap();
            is_interrupted = true;
        }
    }
    script.wait().unwrap();
    Some(String::from_utf8_lossy(&said).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_how_far_a_run_is_and_what_is_done() {
    // Goes back to the start of the line and clears it.
    const CLEAR: &str = "\r\u{1b}[2K";
    // Nobody waits for the end of it.
    let ask = |command: &str, wanted: &str| {
        let is_enough = |said: &str| {
            let drawn = said.split(CLEAR).filter(|line| line.contains("exploring "));
            drawn.filter(|line| line.contains(wanted)).count() > 1
        };
        let arguments = format!("{command} --const N=6 --timeout 1000h");
        on_a_terminal(&arguments, "locks/filter.weave", is_enough)
    };
    let Some(said) = ask("check --contexts 40", " moves/s") else { return };
    let mut lines: Vec<&str> = said.split(CLEAR).collect();
    let answer = lines.pop().unwrap();
    assert!(answer.starts_with("unknown: the run was interrupted"), "{said:?}");
    assert_eq!(lines.first(), Some(&""), "nothing but the line and the answer: {said:?}");
    for line in &lines[1..] {
        assert!(line.chars().count() < 80, "a longer line cannot be taken back: {line}");
        assert!(line.contains("exploring ") && line.contains(" of 40"), "{line}");
        assert!(line.contains(" s (0 %) "), "{line}: a thousand hours have begun");
    }

    // Where no bound was asked for there is a limit alone.
    let said = ask("verify", "exploring ").unwrap();
    let drawn = said.split(CLEAR).filter(|line| line.contains("exploring "));
    let drawn: Vec<&str> = drawn.collect();
    assert!(drawn.len() > 1, "{said:?}");
    assert!(drawn.iter().all(|line| !line.contains(" of ") && line.contains(" (0 %)")), "{said:?}");
}

/// At 80 columns, all words of a schedule are whole, and no line is longer than the terminal is wide.
#[cfg(target_os = "linux")]
#[test]
fn no_word_of_a_schedule_is_broken_at_the_edge_of_a_terminal() {
    let example = "structures/treiber-stack.weave";
    let Some(said) = on_a_terminal("verify --quiet", example, |_| false) else { return };
    let answer = |text: &str| {
        let effort = |word: &str| word == "effort";
        let words = text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        // What it cost differs from run to run.
        let (before, after) = words.split_at(words.iter().position(|word| effort(word)).unwrap());
        let first = after.iter().position(|word| word == "first").unwrap();
        [before, &after[first..]].concat()
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
    let pipe = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["verify", "--quiet"])
        .arg(file)
        .output()
        .unwrap();
    let wide = String::from_utf8(pipe.stdout).unwrap();
    assert!(wide.lines().any(|line| line.chars().count() > 80), "there is something to fold");
    for line in said.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    assert_eq!(answer(&said), answer(&wide));
}
