//! The task definitions for BenchExec (`benches/benchexec/tasks`) say what `expected.tsv` says: one for each
//! example with its constants, targets and numbers of threads, with a verdict for each property.
//! `UPDATE_EXPECT=1 cargo test -p selvedge-cli --test examples` writes them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::examples::{Row, collect, examples, rows};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/benchexec")
}

/// What an engine may do is no part of a task; nor are limits, which are BenchExec's.
const NOT_OF_THE_TASK: [&str; 4] = ["--predicates", "--timeout", "--engine", "--observe"];

/// What may be asked of programs in C.
const PROPERTIES: [&str; 4] = ["unreach-call", "valid-memsafety", "no-overflow", "no-data-race"];

/// One input with its options, and what is expected of it, property by property.
struct Task {
    file: String,
    options: Vec<String>,
    /// Nothing, if it is not known whether the property holds.
    expected: BTreeMap<&'static str, Option<bool>>,
}

/// The property of a name.
fn known(name: Option<&String>) -> &'static str {
    let name = name.expect("a property after --property");
    PROPERTIES.into_iter().find(|known| known == name).expect("a property that is known")
}

/// The property that a line of the list asks about, and the options that are left.
fn question(row: &Row) -> (&'static str, Vec<String>) {
    let is_c = row.file.ends_with(".c");
    let mut property = match row.run.as_str() {
        "livelock" => "termination",
        // Without a word about properties, of programs in C more is asked than assertions.
        _ if is_c => "safety",
        _ => "unreach-call",
    };
    let mut left = Vec::new();
    let mut words = row.options.iter();
    while let Some(word) = words.next() {
        if word == "--deadlock" {
            property = "no-deadlock";
        } else if word == "--no-deadlock" {
            property = "unreach-call";
        } else if word == "--property" {
            property = known(words.next());
        } else if NOT_OF_THE_TASK.contains(&word.as_str()) {
            words.next();
        } else {
            left.push(word.clone());
        }
    }
    (property, left)
}

/// The task definitions, by name. BenchExec names its logs after them, without folders.
fn tasks() -> BTreeMap<String, Task> {
    let mut tasks: BTreeMap<String, Task> = BTreeMap::new();
    let rows = rows();
    // Where a line says what holds without deadlocks, the one beside it is about two properties at once.
    let is_about_both = |row: &Row| {
        let without = [vec!["--no-deadlock".to_owned()], row.options.clone()].concat();
        row.run != "livelock"
            && rows.iter().any(|other| other.file == row.file && other.options == without)
    };
    for row in rows.iter().filter(|row| !is_about_both(row)) {
        let (property, options) = question(row);
        let expected = match row.verdict.as_str() {
            "safe" => Some(true),
            "unsafe" | "nonterminating" => Some(false),
            "unknown" => None,
            other => panic!("{}: {other}", row.file),
        };
        let name = [vec![row.file.clone()], options.clone()].concat().join(" ");

        let words = options.join(" ");
        let words =
            words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let words = words.collect::<Vec<_>>().join("-");
        let dot = if words.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{words}.yml", row.file.replace('/', "-"));
        let task = tasks.entry(path).or_insert_with(|| Task {
            file: row.file.clone(),
            options: options.clone(),
            expected: BTreeMap::new(),
        });
        let is_same = task.file == row.file && task.options == options;
        assert!(is_same, "two tasks have the name of `{name}`");
        let before = task.expected.insert(property, expected);
        assert!(before.is_none_or(|it| it == expected), "{name}: two verdicts for {property}");
    }
    tasks
}

/// A task definition as YAML. All words are quoted; none has a character that would have to be escaped.
fn print(task: &Task) -> String {
    let quoted = |text: &str| {
        assert!(!text.contains(['\'', '\n']), "{text}");
        format!("'{text}'")
    };
    let example = format!("../../../examples/{}", task.file);
    let mut text = "format_version: '2.0'\n\n".to_owned();
    writeln!(text, "input_files: {}", quoted(&example)).unwrap();
    if let Some(stem) = example.strip_suffix(".tts") {
        writeln!(text, "required_files: {}", quoted(&format!("{stem}.prop"))).unwrap();
    }
    text.push_str("\nproperties:\n");
    for (property, expected) in &task.expected {
        let file = format!("../properties/{property}.prp");
        writeln!(text, "  - property_file: {}", quoted(&file)).unwrap();
        if let Some(expected) = expected {
            writeln!(text, "    expected_verdict: {expected}").unwrap();
        }
    }
    let kind = match task.file.rsplit('.').next().unwrap_or_default() {
        "c" => "C",
        other => other,
    };
    writeln!(text, "\noptions:\n  language: {}", quoted(kind)).unwrap();
    if !task.options.is_empty() {
        let words: Vec<_> = task.options.iter().map(|word| quoted(word)).collect();
        writeln!(text, "  arguments: [{}]", words.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_task_definitions_say_what_the_list_says() {
    let folder = folder();
    let tasks = tasks();
    let mut files = Vec::new();
    collect(&examples(), &mut files).unwrap();
    for file in files {
        let name = file.strip_prefix(examples()).unwrap().to_str().unwrap().replace('\\', "/");
        let is_listed = tasks.values().any(|task| task.file == name);
        assert!(is_listed, "{name} has no task");
    }
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    if update {
        let _ = fs::remove_dir_all(folder.join("tasks"));
        fs::create_dir_all(folder.join("tasks")).unwrap();
    }
    for (path, task) in &tasks {
        for property in task.expected.keys() {
            assert!(folder.join(format!("properties/{property}.prp")).is_file(), "{property}");
        }
        let file = folder.join("tasks").join(path);
        if update {
            fs::write(&file, print(task)).unwrap();
        }
        let said = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            said,
            print(task),
            "{path} is not what expected.tsv says: UPDATE_EXPECT=1 writes it"
        );
    }
    let mut written = Vec::new();
    collect(&folder.join("tasks"), &mut written).unwrap();
    assert_eq!(written.len(), tasks.len(), "a task without a line in expected.tsv");
}
