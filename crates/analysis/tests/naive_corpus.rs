//! The naive enumerator on published systems: what is new at each bound is known from an
//! independent complete search.

use std::path::{Path, PathBuf};

use selvedge_analysis::naive::Naive;
use selvedge_frontend::{Input, LoadError, LoadOptions, load};

/// Systems that are small enough for the naive enumerator.
const SYSTEMS: [&str; 4] = ["bluetooth1-11", "bst-insert-11", "filecrawler-12", "dekker-2"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/cpds/pldi18")
}

/// What is new at each bound: visible states, and states.
#[derive(PartialEq, Debug)]
struct Sequence {
    visible: Vec<usize>,
    global: Vec<usize>,
}

fn numbers(field: &str) -> Vec<usize> {
    field.split(' ').map(|n| n.parse().expect("a list of numbers")).collect()
}

fn published(table: &str, name: &str) -> Sequence {
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |title| header.iter().position(|&t| t == title).expect("a known column");
    let row = lines.find(|row| row[0] == name).expect("a row for each system");
    Sequence {
        visible: numbers(row[column("recomputed_new_visible")]),
        global: numbers(row[column("recomputed_new_global")]),
    }
}

fn enumerated(path: &Path) -> Result<Sequence, LoadError> {
    let Input::Tables { input, .. } = load(path, &LoadOptions::default())? else {
        panic!("{} is not a table", path.display())
    };
    let mut naive = Naive::new(&input.tables).unwrap();
    let mut level = naive.level();
    let mut sequence = Sequence { visible: Vec::new(), global: Vec::new() };
    while !level.has_collapsed() {
        sequence.visible.push(level.new_visible);
        sequence.global.push(level.new_states);
        level = naive.advance().unwrap();
    }
    Ok(sequence)
}

#[test]
fn published_systems_have_the_known_sequences() {
    let Ok(table) = std::fs::read_to_string(corpus().join("SEQUENCES.tsv")) else {
        println!("skipped: the corpus of published systems is not beside this repository");
        return;
    };
    for name in SYSTEMS {
        let (family, _) = name.rsplit_once('-').expect("a family and a variant");
        let path = corpus().join(family).join(name).with_extension("pds");
        match enumerated(&path) {
            Ok(sequence) => assert_eq!(sequence, published(&table, name), "{name}"),
            Err(LoadError::Unusable(why)) if why.contains("unknown kind of file") => {
                println!("skipped: {why}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
