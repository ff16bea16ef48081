//! Reads every table of the benchmark corpus and compares it with what is known about it.
//! Where the corpus is not there, the tests say so and pass.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_frontend::tables::{TableInput, print};
use selvedge_frontend::{Input, LoadError, LoadOptions, load};
use selvedge_model::{Pattern, Property, System, Tables, TemplateId};

/// The corpus, if it is there.
fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !path.is_dir() {
        println!("skipped: there is no corpus beside the project");
        return None;
    }
    Some(path)
}

/// All files below a folder that have this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the entry can be read").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> TableInput {
    match load(path, &LoadOptions::default()) {
        Ok(Input::Tables { input, .. }) => input,
        Ok(Input::Program { .. }) => panic!("{} is a table", path.display()),
        Err(error) => panic!("{error}"),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// `bluetooth1-12` has one thread of the first kind, two of the second, and a counter;
/// `stefan-16` has sixteen.
fn threads_by_name(stem: &str) -> usize {
    let (name, numbers) = stem.rsplit_once('-').expect("a name with numbers");
    match name {
        "stefan" | "dekker" => numbers.parse().expect("a number"),
        _ => {
            let digits: usize = numbers.bytes().map(|b| usize::from(b - b'0')).sum();
            digits + usize::from(name.starts_with("bluetooth"))
        }
    }
}

#[test]
fn pushdown_systems() {
    let Some(corpus) = corpus() else { return };
    let files = files(&corpus.join("cpds"), "pds");
    assert!(files.len() >= 32, "only {} files", files.len());
    for path in files {
        let name = stem(&path);
        if !path.with_extension("init").exists() {
            let error = load(&path, &LoadOptions::default()).expect_err("no initial state");
            assert!(matches!(&error, LoadError::Unusable(m) if m.contains("--init")), "{error}");
            continue;
        }
        let TableInput { tables, targets } = read(&path);
        assert_eq!(tables.threads().len(), threads_by_name(&name), "{name}");
        assert_eq!(targets.len(), usize::from(path.with_extension("spec").exists()), "{name}");
        assert_eq!(tables.initial().expect("listed").len(), 1, "{name}");
        if name.starts_with("stefan") {
            assert_eq!(tables.template_count(), 1, "{name}: all threads are alike");
        }
    }
}

#[test]
fn equal_threads_share_a_template() {
    let Some(corpus) = corpus() else { return };
    let read = |path: &str| read(&corpus.join("cpds").join(path)).tables;
    // Both stoppers are alike; the two adders of -21 are not.
    assert_eq!(read("pldi18/bluetooth1/bluetooth1-12.pds").template_count(), 3);
    assert_eq!(read("pldi18/proc-2/proc-2-22.pds").template_count(), 2);
    assert_eq!(read("pldi18/k-induction/k-induction-11.pds").template_count(), 2);
}

/// `tts: 5 shared, 24 local, 27 transitions` in the list of all items.
fn known_counts(manifest: &str, path: &str) -> [usize; 3] {
    let line = manifest.lines().find(|l| l.starts_with(path)).expect("the item is listed");
    let (_, counts) = line.split_once("tts: ").expect("counts are listed");
    let mut numbers = counts.split([' ', ',', '\t', ';']).filter_map(|word| word.parse().ok());
    [(); 3].map(|()| numbers.next().expect("three counts"))
}

#[test]
fn thread_transition_systems() {
    let Some(corpus) = corpus() else { return };
    let manifest = fs::read_to_string(corpus.join("MANIFEST.tsv")).expect("there is a list");
    let files = files(&corpus.join("bp"), "tts");
    assert_eq!(files.len(), 14);
    for path in files {
        let name = path.strip_prefix(&corpus).expect("below").display().to_string();
        let TableInput { tables, targets } = read(&path);
        let [shared, local, transitions] = known_counts(&manifest, &name);
        assert_eq!(tables.shared_count(), shared, "{name}");
        assert!(tables.symbol_count() <= local, "{name}");
        // Some files repeat a transition; it is one rule.
        let text = fs::read_to_string(&path).expect("it was read before");
        let lines = text.lines().map(str::trim).filter(|l| !l.starts_with('#')).skip(1);
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        let distinct: BTreeSet<_> = lines.iter().collect();
        assert_eq!(lines.len(), transitions, "{name}");
        assert_eq!(tables.rules(TemplateId(0)).len(), distinct.len(), "{name}");
        assert_eq!(tables.threads().len(), 1, "{name}");
        assert!(tables.initial().expect("listed").len() >= 2, "{name}: two shared states at least");
        assert!(tables.rules(TemplateId(0)).iter().any(|rule| rule.spawn.is_some()), "{name}");
        let [Property::Unreachable(Pattern::Somewhere { shared: Some(_), symbol, .. })] =
            targets[..]
        else {
            panic!("{name}: {targets:?}")
        };
        // The error state is the last local state.
        assert_eq!(tables.symbol_number(symbol), u32::try_from(local - 1).ok(), "{name}");
    }
}

#[test]
fn printed_tables_are_read_again() {
    let Some(corpus) = corpus() else { return };
    let mut paths = files(&corpus, "pds");
    paths.retain(|path| path.with_extension("init").exists());
    paths.extend(files(&corpus, "tts"));
    for path in paths {
        let input = read(&path);
        let text = print::cpds(&input.tables, &input.targets).expect("names are words");
        let source = selvedge_program::Source::new("printed.cpds", text.as_str());
        let again = selvedge_frontend::tables::read(
            selvedge_frontend::tables::Format::Cpds,
            &source,
            &Default::default(),
        )
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(print::cpds(&again.tables, &again.targets).as_ref(), Ok(&text));
        assert_eq!(facts(&again.tables), facts(&input.tables), "{}", path.display());
        assert_eq!(again.targets, input.targets, "{}", path.display());
    }
}

/// What does not depend on how a table is written.
fn facts(tables: &Tables) -> (usize, usize, Vec<String>, Vec<selvedge_model::State>) {
    let threads = tables.threads().iter().map(|t| t.name.clone()).collect();
    let initial = tables.initial().expect("listed");
    (tables.shared_count(), tables.symbol_count(), threads, initial)
}
