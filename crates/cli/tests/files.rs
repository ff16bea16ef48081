//! What becomes of the files that Selvedge writes, and of those that were there before.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RACE: &str = "int[0..2] x := 0;\nvoid w() { x := x + 1; assert x < 2; }\nthread w * 2;\n";

/// An empty folder with a program that goes wrong.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("race.weave"), RACE).unwrap();
    folder
}

fn selvedge(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.current_dir(folder).args(arguments);
    command
}

/// Runs to the end; the exit code and what is said.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = selvedge(folder, arguments).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Checks that a command that writes to standard output by its name adds to a log, and takes nothing from it.
fn adds_to_a_log(name: &str, arguments: &[&str], expected: &[&str]) {
    let folder = folder(name);
    let log = folder.join("log");
    fs::write(&log, "before\n").unwrap();
    let append = OpenOptions::new().append(true).open(&log).unwrap();
    let status = selvedge(&folder, arguments).stdout(append).stderr(Stdio::null()).status();
    assert!(matches!(status.unwrap().code(), Some(0 | 10)));
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.starts_with("before\n"), "{text}");
    for part in expected {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    assert_eq!(names(&folder), ["log", "race.weave"]);
}

#[test]
fn a_log_behind_standard_output_is_added_to() {
    let evidence = ["verify", "race.weave", "--evidence", "/dev/stdout"];
    adds_to_a_log("evidence-log", &evidence, &["\"violation\"", "unsafe: a schedule"]);
    let converted = ["convert", "race.weave", "--to", "weave", "-o", "/dev/stdout"];
    adds_to_a_log("convert-log", &converted, &["assert x < 2"]);
    let converted = ["convert", "race.weave", "--to", "weave", "-o", "/proc/self/fd/1"];
    adds_to_a_log("convert-proc-log", &converted, &["assert x < 2"]);
    let sequential = ["sequentialize", "race.weave", "--rounds", "1", "-o", "/dev/fd/1"];
    adds_to_a_log("sequential-log", &sequential, &["assert"]);
}

#[test]
fn a_new_file_behind_standard_output_has_all_of_it() {
    let folder = folder("new-log");
    let log = File::create(folder.join("log")).unwrap();
    let arguments = ["verify", "race.weave", "--evidence", "/dev/stdout"];
    let status = selvedge(&folder, &arguments).stdout(log).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(10));
    let text = fs::read_to_string(folder.join("log")).unwrap();
    assert!(text.contains("\"violation\"") && text.contains("unsafe: a schedule"), "{text}");
}

#[test]
fn a_link_to_standard_output_is_standard_output() {
    let folder = folder("link-to-output");
    symlink("/dev/stdout", folder.join("here")).unwrap();
    let output =
        selvedge(&folder, &["convert", "race.weave", "--to", "weave", "-o", "here"]).output();
    assert!(String::from_utf8_lossy(&output.unwrap().stdout).contains("assert x < 2"));
    assert_eq!(fs::read_link(folder.join("here")).unwrap(), Path::new("/dev/stdout"));
}

#[test]
fn a_link_to_nothing_is_refused() {
    let folder = folder("dangling");
    symlink("gone/there.weave", folder.join("out.weave")).unwrap();
    let (code, said) = run(&folder, &["convert", "race.weave", "--to", "weave", "-o", "out.weave"]);
    assert_eq!(code, Some(66));
    assert_eq!(
        said,
        "error: cannot write out.weave: this is a link to gone/there.weave, which is not there; \
         remove the link or name its target\n"
    );
    assert_eq!(names(&folder), ["out.weave", "race.weave"]);
}

#[test]
fn a_link_to_a_file_stays_a_link() {
    let folder = folder("link");
    fs::write(folder.join("target.weave"), "old").unwrap();
    symlink("target.weave", folder.join("out.weave")).unwrap();
    let (code, said) = run(&folder, &["convert", "race.weave", "--to", "weave", "-o", "out.weave"]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert_eq!(fs::read_link(folder.join("out.weave")).unwrap(), Path::new("target.weave"));
    assert!(fs::read_to_string(folder.join("target.weave")).unwrap().contains("assert x < 2"));
}

#[test]
fn names_may_be_as_long_as_the_file_system_allows() {
    let folder = folder("long");
    let name = format!("{}.json", "n".repeat(250));
    let (code, said) = run(&folder, &["verify", "race.weave", "--evidence", &name]);
    assert_eq!(code, Some(10), "{said}");
    assert_eq!(names(&folder), [name, "race.weave".to_owned()]);
}

#[test]
fn several_files_need_the_name_of_a_file() {
    let folder = folder("several");
    fs::write(folder.join("s.cpds"), fs::read(fig1()).unwrap()).unwrap();
    let (code, said) = run(&folder, &["convert", "s.cpds", "--to", "pds", "-o", "/dev/stdout"]);
    assert_eq!(code, Some(64), "{said}");
    assert!(said.contains("several files are written"), "{said}");
    assert!(!Path::new("/dev/stdout.init").exists());
}

fn fig1() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cuba/fig1.cpds")
}

#[test]
fn the_input_of_sequentialize_is_not_overwritten() {
    let folder = folder("input");
    let (code, said) =
        run(&folder, &["sequentialize", "race.weave", "--rounds", "1", "-o", "./race.weave"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("this would overwrite the input race.weave"), "{said}");
    assert_eq!(fs::read_to_string(folder.join("race.weave")).unwrap(), RACE);
}
