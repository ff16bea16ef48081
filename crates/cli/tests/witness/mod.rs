//! Witnesses (`--witness`) are what the formats say (`schema.json`), and are about the text: every violation and every proof of the
//! examples in C, and of the tasks of the corpus where that is there.

mod yaml;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema() -> Validator {
    jsonschema::validator_for(&serde_json::from_str(include_str!("schema.json")).unwrap()).unwrap()
}

/// A file for a witness of this test alone.
fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("witness-{name}.yml"))
}

/// Asks about a file, in a folder; the exit code, the witness if there is one, and what is printed.
fn witness(
    folder: &Path,
    file: &str,
    options: &[&str],
    name: &str,
) -> (Option<i32>, Option<String>, String) {
    let path = scratch(name);
    let _ = fs::remove_file(&path);
    let done = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .current_dir(folder)
        .args(["verify", file, "--quiet", "--witness"])
        .arg(&path)
        .args(options)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    (done.status.code(), fs::read_to_string(path).ok(), said)
}

/// The verdicts that have witnesses.
const SAFE: i32 = 0;
const UNSAFE: i32 = 10;

/// Holds a witness against the schema and the text.
#[track_caller]
fn check(schema: &Validator, text: &str, witness: &str, code: i32, races: bool) {
    let document = yaml::read(witness).unwrap_or_else(|why| panic!("{why}\n{witness}"));
    if let Err(why) = schema.validate(&document) {
        panic!("{why} at {}\n{witness}", why.instance_path());
    }
    let [entry] = &document.as_array().unwrap()[..] else { panic!("{witness}") };
    let task = &entry["metadata"]["task"];
    let [file] = &task["input_files"].as_array().unwrap()[..] else { panic!("{witness}") };
    let hash = &task["input_file_hashes"][file.as_str().unwrap()];
    assert_eq!(*hash, sha256(text), "{witness}");
    if code == SAFE {
        assert_eq!(entry["entry_type"], "invariant_set", "{witness}");
        return;
    }
    assert_eq!(entry["entry_type"], "violation_sequence", "{witness}");
    let segments = entry["content"].as_array().unwrap();
    let mut threads = 0;
    for (number, segment) in segments.iter().enumerate() {
        let steps = segment["segment"].as_array().unwrap();
        let is_last = number + 1 == segments.len();
        let expected = if is_last && races { 2 } else { 1 };
        assert_eq!(steps.len(), expected, "{witness}");
        for step in steps {
            let waypoint = &step["waypoint"];
            assert_eq!(waypoint["type"] == "target", is_last, "{witness}");
            assert_eq!(waypoint["location"]["file_name"], *file, "{witness}");
            threads += u64::from(waypoint["type"] == "function_enter");
            // Who acts has been started before.
            let thread = waypoint["thread_id"].as_u64();
            assert!(thread.is_none_or(|thread| thread <= threads), "{witness}");
            at(text, waypoint);
        }
        if is_last && races {
            let [one, other] = &steps[..] else { panic!("{witness}") };
            assert_ne!(one["waypoint"]["thread_id"], other["waypoint"]["thread_id"], "{witness}");
        }
    }
}

/// A waypoint stands at something of its kind.
#[track_caller]
fn at(text: &str, waypoint: &Value) {
    let line = waypoint["location"]["line"].as_u64().unwrap() as usize;
    let line = text.lines().nth(line - 1).unwrap_or_else(|| panic!("no such line: {waypoint}"));
    let Some(column) = waypoint["location"]["column"].as_u64() else { return };
    let rest: String = line.chars().skip(column as usize - 1).collect();
    let fits = match waypoint["type"].as_str().unwrap() {
        "function_enter" | "function_return" => rest.starts_with(')'),
        "branching" => ["if", "while", "for"].iter().any(|word| rest.starts_with(word)),
        _ => rest.starts_with(|c: char| !c.is_whitespace() && c != ';' && c != '}'),
    };
    assert!(fits, "{waypoint} at `{rest}`");
}

/// The SHA-256 hash of a text.
fn sha256(text: &str) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn all_answers_about_the_examples_have_witnesses() {
    let schema = schema();
    let examples = root().join("examples");
    let list = fs::read_to_string(examples.join("expected.tsv")).unwrap();
    let (mut violations, mut proofs) = (0, 0);
    for line in list.lines().filter(|line| line.starts_with("c/")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let options: Vec<&str> = fields[1].split_whitespace().collect();
        let is_asked = fields[4] == "test" && (fields[2] == "unsafe" || violations > proofs);
        if !is_asked {
            continue;
        }
        let (code, witness, _) = witness(&examples, fields[0], &options, "examples");
        let text = fs::read_to_string(examples.join(fields[0])).unwrap();
        let is_deadlock = options.contains(&"--deadlock") && code == Some(UNSAFE);
        match (code, witness) {
            // The formats have no word for it.
            (_, witness) if is_deadlock => assert_eq!(witness, None, "{line}"),
            (Some(code @ (SAFE | UNSAFE)), Some(witness)) => {
                let races = code == UNSAFE && options.contains(&"no-data-race");
                check(&schema, &text, &witness, code, races);
                *if code == SAFE { &mut proofs } else { &mut violations } += 1;
            }
            (code, _) => panic!("{line}: {code:?}"),
        }
    }
    assert!(violations > 12 && proofs > 5, "{violations} violations, {proofs} proofs");
}

/// All tasks of the corpus that have a violation and are answered soon; `SELVEDGE_CORPUS_TIMEOUT=60s` gives them more time.
#[test]
fn violations_in_the_corpus_have_witnesses() {
    let corpus = root().join("../shared/corpus/c");
    let Ok(list) = fs::read_to_string(corpus.join("TASKS.tsv")) else {
        eprintln!("the witnesses of the corpus are skipped: there is no {}", corpus.display());
        return;
    };
    let timeout = std::env::var("SELVEDGE_CORPUS_TIMEOUT").unwrap_or_else(|_| "2s".to_owned());
    let (schema, mut answered) = (schema(), 0);
    for line in list.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let properties = ["unreach-call", "no-data-race", "valid-memsafety", "no-overflow"];
        for (property, expected) in properties.into_iter().zip(&fields[2..6]) {
            if *expected != "false" {
                continue;
            }
            let model = fields[1].to_lowercase();
            let options = ["--property", property, "--data-model", &model, "--timeout", &timeout];
            let (code, witness, _) = witness(&corpus, fields[0], &options, "corpus");
            if code == Some(UNSAFE) {
                let text = fs::read_to_string(corpus.join(fields[0])).unwrap();
                let witness = witness.unwrap_or_else(|| panic!("{line} has no witness"));
                check(&schema, &text, &witness, UNSAFE, property == "no-data-race");
                answered += 1;
            }
        }
    }
    assert!(answered > 10, "{answered} violations");
    eprintln!("{answered} violations of the corpus have witnesses");
}

#[test]
fn two_runs_write_the_same_but_for_the_time() {
    let write = |name| {
        let (code, text, _) = witness(&root().join("examples"), "c/race.c", &["--jobs", "2"], name);
        assert_eq!(code, Some(UNSAFE));
        let text = text.unwrap();
        let is_time = |line: &&str| !line.trim_start().starts_with("creation_time:");
        assert_eq!(text.lines().filter(|line| !is_time(line)).count(), 1);
        text.lines().filter(is_time).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(write("first"), write("second"));
}

#[test]
fn what_is_no_witness_is_refused_by_the_schema() {
    let schema = schema();
    let (_, text, _) = witness(&root().join("examples"), "c/race.c", &[], "refused");
    let text = text.unwrap();
    assert!(schema.is_valid(&yaml::read(&text).unwrap()));
    let changes = [
        ("\"violation_sequence\"", "\"invariant_set\""),
        ("\"2.2\"", "\"2.0\""),
        ("type: \"assumption\"", "type: \"hope\""),
        ("type: \"assumption\"", "type: \"target\""),
        ("type: \"target\"", "type: \"assumption\""),
        ("thread_id: 1", "thread_id: -1"),
        ("data_model: \"LP64\"", "data_model: \"64bit\""),
        ("line: ", "column: "),
        ("producer:", "maker:"),
        ("language: \"C\"\n", ""),
    ];
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        let is_valid = yaml::read(&changed).is_ok_and(|document| schema.is_valid(&document));
        assert!(!is_valid, "{from} -> {to}");
    }
}
