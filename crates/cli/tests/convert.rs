//! A program that is converted has the verdict that it had, or is refused.

use std::path::Path;
use std::process::{Command, Output};

fn selvedge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env("NO_COLOR", "1").args(arguments).output().expect("it runs")
}

/// Programs with locks: what they do, and whether the text shows who holds them.
const LOCKS: [(&str, bool); 7] = [
    // Released where it was taken.
    (
        "lock m; bool x := false; thread t * 2 { acquire m; x := !x; assert x; x := !x; release m; }",
        true,
    ),
    // Held by nobody, for a thread that tries.
    (
        "lock m; bool x := false; thread t * 2 { if (trylock(m)) { x := true; release m; } assert !x; }",
        true,
    ),
    // Taken twice: a thread waits for itself.
    ("lock m; thread t { acquire m; acquire m; assert false; }", true),
    // Taken in one procedure, released in another, by the same thread.
    ("lock m; bool x; void give() { release m; } thread t * 2 { acquire m; give(); }", false),
    // Taken by one thread, released by another.
    (
        "lock m; bool h := false; thread a { acquire m; h := true; } thread b { wait(h); release m; }",
        false,
    ),
    // Never taken.
    ("lock m; thread a { release m; }", false),
    // Released twice.
    ("lock m; thread a * 2 { acquire m; release m; release m; }", false),
];

#[test]
fn locks_keep_their_verdicts_as_variables() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert");
    std::fs::create_dir_all(&directory).expect("a place for files");
    for (number, (text, is_evident)) in LOCKS.into_iter().enumerate() {
        let path = |ending: &str| directory.join(format!("{number}.{ending}"));
        let (program, converted) = (path("weave"), path("bp"));
        std::fs::write(&program, text).expect("it can be written");
        let names = [&program, &converted].map(|path| path.to_str().expect("plain").to_owned());
        let result = selvedge(&["convert", &names[0], "--to", "bp", "-o", &names[1]]);
        let notes = String::from_utf8_lossy(&result.stderr);
        if is_evident {
            assert_eq!(result.status.code(), Some(0), "{text}: {notes}");
            let verdict = |name: &str, more: &[&str]| {
                selvedge(&[&["verify", name, "-q"], more].concat()).status.code()
            };
            // Locks that are variables are nothing that anybody waits for.
            let verdicts = [verdict(&names[0], &["--no-deadlock"]), verdict(&names[1], &[])];
            assert_eq!(verdicts[0], verdicts[1], "{text}");
        } else {
            assert_eq!(result.status.code(), Some(65), "{text}");
            assert!(notes.contains(".weave:1: this release may be executed by"), "{notes}");
        }
    }
}

/// A file in a folder of its own, and its name.
fn written(name: &str, text: &str) -> String {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convert");
    std::fs::create_dir_all(&directory).expect("a place for files");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("it can be written");
    path.to_str().expect("plain").to_owned()
}

#[test]
fn given_numbers_of_threads_are_those_of_the_result() {
    let text = "int[0..4] n := 0; void add() { n := n + 1; assert n < 3; }";
    for (name, count) in [("two", "2"), ("any", "any")] {
        let program = written(&format!("{name}.weave"), &format!("{text} thread add * {count};"));
        for ending in ["bp", "weave"] {
            for (given, code) in [("add=2", Some(0)), ("add=3", Some(10))] {
                let threads = ["--threads", given];
                assert_eq!(
                    selvedge(&["verify", &program, "-q", threads[0], given]).status.code(),
                    code
                );
                let other = written(&format!("{name}-{given}.{ending}"), "");
                let to = ["convert", &program, "--to", ending, "-o", &other, threads[0], given];
                assert_eq!(selvedge(&to).status.code(), Some(0));
                assert_eq!(selvedge(&["verify", &other, "-q"]).status.code(), code, "{other}");
            }
        }
    }
}

#[test]
fn a_number_of_a_thread_that_nobody_reads_can_be_sequentialized() {
    let program = written("unread.weave", "bool b := false; thread t[i] * 2 { b := true; }");
    let result = selvedge(&["sequentialize", &program, "--rounds", "2"]);
    let other = written("unread-2.weave", &String::from_utf8_lossy(&result.stdout));
    let verified = selvedge(&["verify", &other, "-q"]);
    assert_eq!(verified.status.code(), Some(0), "{}", String::from_utf8_lossy(&verified.stderr));
}
