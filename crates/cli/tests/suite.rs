//! The tests as a whole: no file with tests is left out (a crate with `autotests = false` builds none that its list does not
//! name), and what is skipped is told at the end.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;

/// What a manifest and the lists of modules leave out: files and folders in `tests` that nobody names.
fn left_out(tests: &Path, manifest: &str) -> Vec<String> {
    let list = fs::read_to_string(tests.join("main.rs")).unwrap_or_default();
    let mut named: BTreeSet<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .chain(
            manifest.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')),
        )
        .collect();
    named.insert("main");
    let entries = fs::read_dir(tests).unwrap().map(|entry| entry.unwrap().path());
    let mut left: Vec<String> = entries
        .filter(|path| {
            path.extension().is_some_and(|end| end == "rs") || path.join("mod.rs").exists()
        })
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| !named.contains(name.as_str()))
        .collect();
    left.sort();
    left
}

#[test]
fn every_file_with_tests_is_listed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut looked_at = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("autotests = false") {
            let left = left_out(&folder.join("tests"), &manifest);
            assert!(left.is_empty(), "{}: not in tests/main.rs: {left:?}", folder.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 5, "only {looked_at} crates list their tests");
}

#[test]
fn a_file_that_is_not_listed_is_noticed() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let left = left_out(&tests, "");
    assert_eq!(left, ["limits"], "the manifest names it, and an empty manifest does not");
}

/// What nextest, `cargo test` without it, pytest, unittest and scripts write.
#[cfg(unix)]
const LOGS: [(&str, &str); 6] = [
    ("summary", "      3 s  tests\n"),
    ("tests.log", "     Summary [   0.748s] 5 tests run: 4 passed, 1 failed, 9 skipped\n"),
    (
        "tests.xml",
        "<testsuites name=\"nextest-run\">\n<testcase name=\"a::b\" classname=\"c\">\n<system-out>\nskipped: no &lt;z3&gt;\n\
         </system-out>\n<system-err>SKIPPED: book: no compiler\n</system-err>\n</testcase>\n\
         <testcase name=\"lines_are_skipped\">\n<system-out>fine</system-out>\n</testcase>\n</testsuites>\n",
    ),
    (
        "docs.log",
        "test result: ok. 7 passed; 0 failed; 0 ignored\n---- old stdout ----\nall are skipped: no z3\n\nsuccesses:\n    old\n",
    ),
    (
        "Python.log",
        "SKIPPED [1] tests/test_x.py:5: no pandas\n==== 87 passed, 1 skipped in 2.34s ====\n",
    ),
    ("BenchExec.log", "Ran 12 tests in 3s\nscripts/test-benchexec: skipped: there is no python3\n"),
];

#[test]
#[cfg(unix)]
fn what_is_skipped_is_counted_and_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("summary-of-tests");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in LOGS {
        fs::write(folder.join(name), text).unwrap();
    }
    let sources = folder.join("sources");
    fs::create_dir_all(&sources).unwrap();
    let attributes =
        ["#[test]", "#[ignore = \"takes a day\"]", "fn long() {}", "#[ignore]", "fn other() {}"];
    fs::write(sources.join("a.rs"), attributes.join("\n")).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/test-summary");
    let said = Command::new(script).arg(&folder).arg(&sources).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    expect_test::expect![[r#"

        steps:
              3 s  tests
        tests: 111 ran, 1 failed
        skipped: 7
          SKIPPED [1] tests/test_x.py:5: no pandas
          a::b: SKIPPED: book: no compiler
          a::b: skipped: no <z3>
          old: all are skipped: no z3
          scripts/test-benchexec: skipped: there is no python3
          long: skipped: takes a day
          other: skipped: no reason is given
    "#]]
    .assert_eq(&String::from_utf8_lossy(&said.stdout));
}
