//! The sections of the table, but for the hard family.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::run::{Measured, Row, answer, made, repository, selvedge};
use super::spin;

/// No case takes longer.
const LIMIT: [&str; 2] = ["--timeout", "120s"];

/// A number of contexts that no exploration gets to.
const MANY: [&str; 2] = ["--contexts", "1000000"];

type Print<'a> = &'a mut dyn FnMut(Row);

/// Tables below a folder outside of the repository, by name.
fn tables(folder: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|e| e == "pds")
                && path.with_extension("init").exists()
            {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    collect(&repository("../shared/corpus/cpds").join(folder), &mut files);
    files.sort();
    files
}

fn run_tables(folder: &str, print: Print<'_>) {
    let files = tables(folder);
    if files.is_empty() {
        print(Row::skipped(folder, "skipped: the corpus is not beside this repository"));
    }
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let arguments = ["verify", &file.display().to_string(), LIMIT[0], LIMIT[1]];
        print(selvedge(&name, &arguments));
    }
}

/// The systems of the CUBA paper.
pub fn published(print: Print<'_>) {
    run_tables("pldi18", print);
}

/// Larger systems of the same families, and one that is larger still.
pub fn scaled(print: Print<'_>) {
    run_tables("scaled", print);
    let file = made("stefan-64.pds");
    let written = fs::write(&file, stefan(64)).and_then(|()| {
        let zeros = vec!["0"; 64].join(",");
        fs::write(file.with_extension("init"), format!("0|{zeros}\n"))
    });
    match written {
        Ok(()) => {
            let file = file.display().to_string();
            print(selvedge("stefan-64", &["verify", &file, LIMIT[0], LIMIT[1]]));
        }
        Err(error) => print(Row::skipped("stefan-64", &error.to_string())),
    }
}

/// The stefan family: any number of threads with these five rules.
fn stefan(threads: usize) -> String {
    let mut text = "3\n".to_owned();
    for _ in 0..threads {
        let _ = writeln!(
            text,
            "PDA 0 2\n0 0 -> 1 1 0\n1 1 -> 2 2 0\n2 2 -> 0 1\n0 1 -> 0 -\n0 0 -> 0 -"
        );
    }
    text
}

fn filter_file() -> String {
    repository("examples/locks/filter.weave").display().to_string()
}

/// The filter lock with four threads, from below alone, beside SPIN.
pub fn filter(print: Print<'_>) {
    let file = filter_file();
    let all = ["check", &file, MANY[0], MANY[1], "--no-reduction"];
    print(selvedge("filter 4, all states", &all));
    print(selvedge("filter 4", &all[..4]));
    print(spin::filter(false));
    print(spin::filter(true));
}

fn bluetooth(adders: usize, stoppers: usize) -> Vec<String> {
    let file = repository("examples/bluetooth/bluetooth3.weave").display().to_string();
    let (adders, stoppers) = (format!("adder={adders}"), format!("stopper={stoppers}"));
    vec![file, "--threads".to_owned(), adders, "--threads".to_owned(), stoppers]
}

/// One program, more and more contexts.
pub fn growth_with_contexts(print: Print<'_>) {
    let program = bluetooth(2, 3);
    for contexts in (2..=16).step_by(2) {
        let contexts = contexts.to_string();
        let mut arguments = vec!["check"];
        arguments.extend(program.iter().map(String::as_str));
        arguments.extend(["--contexts", &contexts]);
        print(selvedge(&format!("bluetooth3 2+3, {contexts} contexts"), &arguments));
    }
}

/// One program, more and more threads.
pub fn growth_with_threads(print: Print<'_>) {
    for (adders, stoppers) in [(1, 1), (1, 2), (2, 2), (2, 3), (3, 3)] {
        let program = bluetooth(adders, stoppers);
        for (what, options) in [("", &[][..]), (", no symmetry", &["--no-symmetry"][..])] {
            let mut arguments = vec!["verify"];
            arguments.extend(program.iter().map(String::as_str));
            arguments.extend(LIMIT.iter().chain(options));
            print(selvedge(&format!("bluetooth3 {adders}+{stoppers}{what}"), &arguments));
        }
    }
}

/// What a second core is good for. One exploration runs on one core; two engines run side by side
/// in `verify`; two processes have nothing to do with each other.
pub fn cores(print: Print<'_>) {
    let file = filter_file();
    let below = ["check", &file, MANY[0], MANY[1]];
    print(selvedge("filter 4, one exploration (one core)", &below));
    print(selvedge("filter 4, both sides of `verify` (two cores)", &["verify", &file]));
    let together: Vec<_> = thread::scope(|scope| {
        let runs = [0, 1].map(|_| scope.spawn(|| answer(&below)));
        runs.into_iter().filter_map(|run| run.join().ok()?.ok()).collect()
    });
    let mut sum = Measured::default();
    for (one, _, _) in &together {
        sum.time = sum.time.max(one.time);
        sum.cpu += one.cpu;
        sum.memory += one.memory;
        sum.stored = Some(sum.stored.unwrap_or(0) + one.stored.unwrap_or(0));
    }
    let rate = sum.stored.unwrap_or(0) as f64 / sum.time.max(1e-3);
    print(Row {
        case: "filter 4, two processes at once (two cores)".to_owned(),
        measured: Some(sum),
        note: format!("{} runs, together {rate:.0} states/s of waiting", together.len()),
    });
}
