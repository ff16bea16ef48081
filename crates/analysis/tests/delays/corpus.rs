//! Tables 2 and 3 of the paper, on the files that it used.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use selvedge_frontend::{Input, LoadOptions, load};
use selvedge_model::{SharedId, State, SymbolId, System, Tables};

use super::published::{Reading, run};

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/cpds").join(path)
}

fn open(name: &str) -> Option<Tables> {
    let (family, _) = name.rsplit_once('-').expect("a family and a variant");
    let path = corpus("pldi18").join(family).join(name).with_extension("pds");
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
        return None;
    }
    match load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")) {
        Input::Tables { input, .. } => Some(input.tables),
        Input::Program { .. } => panic!("{name} is a program"),
    }
}

fn top(state: &State, symbols: usize) -> (SharedId, Vec<Vec<SymbolId>>) {
    let top = |thread: &selvedge_model::Thread| thread.stack.iter().take(symbols).collect();
    (state.shared, state.threads.iter().map(top).collect())
}

#[test]
fn explore_readings() {
    for name in [
        "bluetooth1-11",
        "bluetooth2-11",
        "bluetooth3-11",
        "bst-insert-11",
        "filecrawler-12",
        "k-induction-11",
        "proc-2-22",
        "stefan-2",
        "dekker-2",
    ] {
        let Some(system) = open(name) else { return };
        let n = system.threads().len();
        for one_set in [true, false] {
            for delay_plateau in [n - 1, n] {
                for symbols in [1, 2] {
                    if !one_set
                        && (symbols == 1
                            || delay_plateau == n - 1
                            || name.starts_with("stefan")
                            || name.starts_with("k-in"))
                    {
                        continue;
                    }
                    let reading = Reading { one_set, delay_plateau };
                    let found = run(&system, |s| top(s, symbols), reading, 80).expect("ends");
                    let seen: HashSet<_> = found.states().map(|s| top(s, symbols)).collect();
                    println!(
                        "{name} one_set {one_set} plateau {delay_plateau} top {symbols}: |R| {} r,d {},{} images {} + {} states {}",
                        seen.len(),
                        found.rounds,
                        found.delays,
                        found.images_before,
                        found.images_on_plateau,
                        found.states().collect::<HashSet<_>>().len()
                    );
                }
            }
        }
    }
}
