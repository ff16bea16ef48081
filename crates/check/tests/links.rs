//! What checks an answer shares no code with what found it: the searches are not among the crates that `selvedge-check` is
//! made of, nor among those that its tests need.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Every crate that searches, and those that run or show searches.
const SEARCHES: [&str; 8] = [
    "selvedge-analysis",
    "selvedge-sequential",
    "selvedge-predicates",
    "selvedge-coverability",
    "selvedge-report",
    "selvedge",
    "selvedge-web",
    "selvedge-lsp",
];

/// The crates that a crate of the workspace is made of, with all its features and tests.
fn crates_of(package: &str) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--all-features", "--prefix", "none", "--format", "{p}"])
        .args(["--edges", "normal,build,dev", "--package", package])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let lines = String::from_utf8(tree.stdout).expect("text");
    lines.lines().filter_map(|line| Some(line.split(' ').next()?.to_owned())).collect()
}

#[test]
fn the_checker_links_no_search() {
    let crates = crates_of("selvedge-check");
    assert!(crates.contains("selvedge-evidence") && crates.contains("selvedge-smt"), "{crates:?}");
    let found: Vec<&&str> = SEARCHES.iter().filter(|name| crates.contains(**name)).collect();
    assert!(found.is_empty(), "selvedge-check sees {found:?}");
}

/// The names above are those of crates: whoever renames one has to look here.
#[test]
fn the_searches_are_where_they_are_used() {
    let crates = crates_of("selvedge-cli");
    let missing: Vec<&&str> = SEARCHES.iter().filter(|name| !crates.contains(**name)).collect();
    assert!(missing.is_empty(), "there is no {missing:?}");
}
