//! Inputs and places that mean no good: files without an end, odd names, full disks, two writers at
//! once, long runs. Each ends soon, with a message and the exit code for it, and leaves nothing
//! half-written.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = "void f() { f(); }\nthread t { f(); }\n";

/// A new folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn selvedge(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

#[track_caller]
fn check(result: &Output, code: i32, message: &str) {
    let said = String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status.code(), Some(code), "{said}");
    assert!(said.contains(message), "{said}");
    assert!(!said.contains("bug"), "{said}");
}

#[track_caller]
fn refused(folder: &Path, file: impl AsRef<OsStr>, code: i32, message: &str) {
    let arguments = [OsStr::new("simulate"), file.as_ref()];
    check(&selvedge(folder, &arguments).output().unwrap(), code, message);
}

#[test]
fn what_has_no_end_is_not_read() {
    let folder = folder("no-end");
    let made = Command::new("mkfifo").arg(folder.join("pipe.weave")).status().unwrap();
    assert!(made.success());
    symlink("/dev/zero", folder.join("zero.cpds")).unwrap();
    symlink("loop.bp", folder.join("loop.bp")).unwrap();
    refused(&folder, "pipe.weave", 66, "this is a pipe or a device");
    refused(&folder, "zero.cpds", 66, "this is a pipe or a device");
    refused(&folder, "loop.bp", 66, "cannot read loop.bp: ");
    fs::write(folder.join("t.weave"), PROGRAM).unwrap();
    let result = selvedge(&folder, &["simulate", "t.weave", "--schedule", "pipe.weave"]).output();
    check(&result.unwrap(), 66, "cannot read pipe.weave: this is a pipe or a device");
    // A broken link beside a table is no reason to go on without what it stands for.
    fs::write(folder.join("t.pds"), "1\nPDA 1 1\n0 1 -> 0 1\n").unwrap();
    fs::write(folder.join("t.init"), "0|1").unwrap();
    symlink("nowhere", folder.join("t.spec")).unwrap();
    refused(&folder, "t.pds", 66, "cannot read t.spec: there is no such file");
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    let folder = folder("no-text");
    fs::write(folder.join("latin.weave"), b"bool x;\n// caf\xe9\n").unwrap();
    refused(&folder, "latin.weave", 65, "latin.weave:2:7: byte 0xe9 is not UTF-8 text");
    for ending in ["weave", "bp", "cpds", "pds", "tts"] {
        let file = format!("open.{ending}");
        fs::write(folder.join(&file), "(".repeat(1_000_000)).unwrap();
        refused(&folder, &file, 65, &format!("--> {file}:1:"));
    }
    fs::write(
        folder.join("deep.weave"),
        format!("void main() {{ bool x := {}", "(".repeat(1_000_000)),
    )
    .unwrap();
    refused(&folder, "deep.weave", 65, "nested too deeply\n --> deep.weave:1:224");
}

#[test]
fn files_that_may_not_be_read_or_written() {
    let folder = folder("rights");
    let file = folder.join("t.weave");
    fs::write(&file, PROGRAM).unwrap();
    let convert = |to: &str| {
        selvedge(&folder, &["convert", "t.weave", "--to", "weave", "-o", to]).output().unwrap()
    };
    check(&convert("/dev/full"), 66, "cannot write /dev/full: no space is left there");
    check(&convert("."), 66, "cannot write .: this is a directory");
    check(
        &convert("nowhere/x.weave"),
        66,
        "cannot write nowhere/x.weave: there is no directory nowhere",
    );
    fs::write(folder.join("kept.weave"), "kept").unwrap();
    fs::set_permissions(folder.join("kept.weave"), fs::Permissions::from_mode(0o444)).unwrap();
    check(&convert("kept.weave"), 66, "read-only");
    assert_eq!(fs::read_to_string(folder.join("kept.weave")).unwrap(), "kept");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    if File::open(&file).is_err() {
        refused(&folder, "t.weave", 66, "cannot read t.weave: permission denied");
    }
}

#[test]
fn an_answer_that_cannot_be_printed_is_no_answer() {
    let folder = folder("full");
    fs::write(folder.join("t.weave"), PROGRAM).unwrap();
    for arguments in [
        &["convert", "t.weave", "--to", "weave"][..],
        &["simulate", "t.weave"],
        &["man"],
        &["--help"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let result = selvedge(&folder, arguments).stdout(full).output().unwrap();
        check(&result, 66, "error: cannot print the answer: no space is left there");
    }
}

#[test]
fn odd_names_are_shown_in_one_line() {
    let folder = folder("names");
    for (name, shown) in [
        (&b"a b.weave"[..], "a b.weave"),
        (b"a\nb.weave", "a\\nb.weave"),
        (b"a\x1b[31mb.weave", "a\\u{1b}[31mb.weave"),
        (b"a\xffb.weave", "a\u{fffd}b.weave"),
    ] {
        let name = OsStr::from_bytes(name);
        refused(&folder, name, 66, &format!("error: cannot read {shown}: there is no such file"));
        fs::write(folder.join(name), PROGRAM).unwrap();
        let result = selvedge(&folder, &[OsStr::new("check-syntax"), name]).output().unwrap();
        let said = String::from_utf8_lossy(&result.stdout).into_owned();
        assert!(said.starts_with(&format!("{shown}: ok (")), "{said}");
    }
}

#[test]
fn two_writers_leave_one_whole_file() {
    let folder = folder("writers");
    // One text is long, the other short; a mixture would be neither.
    let long: String = (0..5000).map(|n| format!("bool x{n};\n")).collect();
    fs::write(folder.join("long.weave"), format!("{long}{PROGRAM}")).unwrap();
    fs::write(folder.join("short.weave"), PROGRAM).unwrap();
    let convert = |file: &str| {
        let to = ["convert", file, "--to", "weave", "--output", "out.weave"];
        selvedge(&folder, &to).spawn().unwrap()
    };
    let print = |file: &str| {
        selvedge(&folder, &["convert", file, "--to", "weave"]).output().unwrap().stdout
    };
    let whole = [print("long.weave"), print("short.weave")];
    for _ in 0..5 {
        let writers = ["long.weave", "short.weave", "long.weave", "short.weave"].map(convert);
        for mut writer in writers {
            assert!(writer.wait().unwrap().success());
            assert!(whole.contains(&fs::read(folder.join("out.weave")).unwrap()));
        }
    }
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 3, "nothing else is left behind");
}

#[test]
fn a_file_is_replaced_where_it_is() {
    let folder = folder("replace");
    fs::write(folder.join("t.weave"), PROGRAM).unwrap();
    fs::create_dir(folder.join("there")).unwrap();
    let file = folder.join("there/real.weave");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("there/real.weave", folder.join("link.weave")).unwrap();
    let to = ["convert", "t.weave", "--to", "weave", "-o", "link.weave"];
    check(&selvedge(&folder, &to).output().unwrap(), 0, "");
    assert!(folder.join("link.weave").is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("thread t"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn long_runs_take_memory_in_proportion() {
    let folder = folder("long");
    fs::write(folder.join("deep.weave"), PROGRAM).unwrap();
    fs::write(folder.join("many.weave"), "void f() { async f(); async f(); }\nthread t { f(); }\n")
        .unwrap();
    // With a copy of the stack for each step, the first would need 20 GB; with one of each thread
    // for each thread and step, the second would not end.
    for arguments in [["deep.weave", "100000"], ["many.weave", "3000"]] {
        let [file, steps] = arguments;
        let limited =
            format!("ulimit -v 2000000; exec \"$0\" simulate {file} --steps {steps} --seed 1");
        let mut command = Command::new("sh");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_selvedge")]).current_dir(&folder);
        let result = command.output().unwrap();
        check(&result, 0, "");
        let said = String::from_utf8_lossy(&result.stdout).into_owned();
        assert!(said.contains(&format!("\n{steps} steps in ")), "{}", &said[said.len() - 200..]);
    }
}

/// Each state has 60,001 successors: limits must hold by moves, not by states.
#[test]
fn limits_hold_where_a_statement_has_very_many_outcomes() {
    let folder = folder("outcomes");
    let program = "int[0..60000] a := 0; int[0..60000] b := 0;\n\
        thread x { while (true) { a := {0 .. 60000}; } }\n\
        thread y { while (true) { b := {0 .. 60000}; } }\n";
    fs::write(folder.join("t.weave"), program).unwrap();
    let limits: [&[&str]; 2] = [&["--timeout", "1s"], &["--timeout", "20s", "--memory", "60MB"]];
    let questions: [&[&str]; 4] = [
        &["verify"],
        &["check", "--contexts", "3"],
        &["check", "--rounds", "3", "--engine", "pds"],
        &["check", "--rounds", "3", "--delays", "2"],
    ];
    for (question, limit) in questions.iter().flat_map(|q| limits.map(|l| (q, l))) {
        let arguments = [&["-k", "1", "60", env!("CARGO_BIN_EXE_selvedge")], *question, limit];
        let mut command = Command::new("timeout");
        command.current_dir(&folder).args(arguments.concat()).arg("t.weave");
        let result = command.output().unwrap();
        let said = String::from_utf8_lossy(&result.stdout);
        assert_eq!(result.status.code(), Some(20), "{question:?} {limit:?}: {said}");
        assert!(said.contains("limit was reached"), "{question:?} {limit:?}: {said}");
    }
}

#[test]
fn limits_hold_while_a_long_program_is_prepared() {
    let folder = folder("long");
    let line = "  x := !x; y := x; x := y != x; y := !y;\n";
    let text = format!("bool x; bool y;\nthread t * 2 {{\n{} }}\n", line.repeat(20_000));
    fs::write(folder.join("long.weave"), text).unwrap();
    // Without a limit there is an answer after minutes, or none.
    let asked = ["livelock", "long.weave", "--timeout", "1s", "-q"];
    let result = selvedge(&folder, &asked).output().unwrap();
    assert_eq!(result.status.code(), Some(20), "{result:?}");
    let said = String::from_utf8_lossy(&result.stdout);
    assert!(said.contains("the time limit was reached"), "{said}");
}

#[test]
fn thousands_of_threads_and_variables_are_too_many_for_an_answer_not_for_us() {
    let folder = folder("many");
    let threads = "bool x; thread t[i] * 10000 { x := i > 3; }\n";
    fs::write(folder.join("threads.weave"), threads).unwrap();
    let asked = ["verify", "threads.weave", "--timeout", "1s", "-q"];
    assert_eq!(selvedge(&folder, &asked).output().unwrap().status.code(), Some(20));

    // Ten times as many variables are ten times as much work, and not a hundred times.
    let [few, many] = [10_000, 100_000].map(|count| effort_of_variables(&folder, count));
    assert!(many < 40.0 * few, "{few} s and {many} s");
}

/// How many seconds the program computes until it finds what is wrong with a program of so many variables.
fn effort_of_variables(folder: &Path, count: usize) -> f64 {
    let variables: String = (0..count).map(|n| format!("bool v{n} := false;\n")).collect();
    let text = variables + "thread t { v7 := true; assert !v7; }\n";
    fs::write(folder.join("variables.weave"), text).unwrap();
    // The shell says how long it and what it started has computed: one line for itself, one for the others.
    let script = "\"$0\" verify variables.weave -q >verdict; code=$?; times; exit $code";
    let mut shell = Command::new("bash");
    shell.current_dir(folder).args(["-c", script, env!("CARGO_BIN_EXE_selvedge")]);
    let result = shell.env("NO_COLOR", "1").env("LC_ALL", "C").output().unwrap();
    assert_eq!(result.status.code(), Some(10), "{result:?}");
    let said = String::from_utf8(result.stdout).unwrap();
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    said.lines().nth(1).unwrap().split_whitespace().map(seconds).sum()
}
