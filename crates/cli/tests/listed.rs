//! Every file with tests is part of a test program: a crate with `autotests = false` builds none that its list does not name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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
