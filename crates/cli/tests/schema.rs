//! What `--format json` prints is what docs/answers.schema.json says: real objects of every command
//! and of every verdict are valid; with a field too many or too few they are not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The schema of one kind of object, or of all.
fn schema(of: &str) -> Validator {
    let text = fs::read_to_string(root().join("docs/answers.schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    if !of.is_empty() {
        let object = schema.as_object_mut().unwrap();
        object.remove("anyOf");
        object.insert("$ref".to_owned(), format!("#/$defs/{of}").into());
    }
    jsonschema::validator_for(&schema).unwrap()
}

/// What a command prints, run in the folder of examples.
fn printed(arguments: &str) -> Value {
    let result = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .current_dir(root().join("examples"))
        .args(arguments.split_whitespace())
        .args(["--format", "json"])
        .output()
        .unwrap();
    serde_json::from_slice(&result.stdout).unwrap_or_else(|error| {
        panic!("{arguments}: {error}: {}", String::from_utf8_lossy(&result.stderr))
    })
}

/// Each object inside an object, itself included, by its path. Variables are not fields: the program gives their names.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            let fields = fields.iter().filter(|(name, value)| {
                let are_variables = *name == "values" || *name == "shared" && value.is_object();
                !are_variables
            });
            fields.for_each(|(name, value)| objects(value, &format!("{at}/{name}"), found));
        }
        Value::Array(items) => {
            // The items are alike: the first one stands for all.
            items.iter().take(1).for_each(|item| objects(item, &format!("{at}/0"), found));
        }
        _ => {}
    }
}

#[track_caller]
fn check(kind: &str, arguments: &str, verdict: &str) {
    let object = printed(arguments);
    let (all, own) = (schema(""), schema(kind));
    for validator in [&all, &own] {
        let errors: Vec<_> = validator.iter_errors(&object).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{arguments}: {errors:#?}\n{object:#}");
    }
    let found = object.get("verdict").or_else(|| object.get("outcome"));
    assert_eq!(found.and_then(Value::as_str).unwrap_or("-"), verdict, "{arguments}");
    let mut paths = Vec::new();
    objects(&object, "", &mut paths);
    for path in &paths {
        let fields = object.pointer(path).and_then(Value::as_object).unwrap();
        for name in fields.keys() {
            let mut without = object.clone();
            without.pointer_mut(path).and_then(Value::as_object_mut).unwrap().remove(name);
            // A bound of rounds and delays without its delays is a bound of rounds.
            let is_bound = name == "delays" || name == "interchanged";
            assert!(is_bound || !own.is_valid(&without), "{arguments}: without {path}/{name}");
        }
        let mut with = object.clone();
        let more = with.pointer_mut(path).and_then(Value::as_object_mut).unwrap();
        more.insert("surplus".to_owned(), Value::Null);
        assert!(!own.is_valid(&with), "{arguments}: with {path}/surplus");
    }
}

#[test]
fn answers() {
    check("answer", "verify start/race.weave", "unsafe");
    check("answer", "verify bluetooth/bluetooth3.weave", "safe");
    check("answer", "verify cuba/fig1.cpds --target 0|1,6", "unsafe");
    check("answer", "verify cuba/fig1.cpds --target 3|2,4.6.6", "unsafe");
    check("answer", "verify cuba/fig1.cpds --target 0|2,6 --engine generators", "safe");
    check("answer", "verify start/race.weave --deadlock", "unsafe");
    check("answer", "verify any/test-and-set.weave", "safe");
    check("answer", "verify delays/ex12.weave --engine delays", "safe");
    check("answer", "verify start/mutex.weave --engine delays", "safe");
    check("answer", "check start/race.weave --contexts 2", "bounded");
    check("answer", "check start/race.weave --rounds 2 --engine lazy", "unsafe");
    check("answer", "check start/race.weave --rounds 9 --delays 1", "unsafe");
    check(
        "answer",
        "verify hard/work-stealing.weave --const TASKS=9 --threads thief=3 --timeout 1ms",
        "unknown",
    );
}

#[test]
fn livelocks() {
    check("livelock", "livelock livelock/fig1b.weave", "nonterminating");
    check("livelock", "livelock livelock/fig1a.weave", "nonterminating");
    check("livelock", "livelock livelock/fig1a.weave --none-ended", "safe");
    check(
        "livelock",
        "livelock livelock/fig1a.weave --none-ended --engine rounds --stem 1 --lasso 1",
        "bounded",
    );
}

#[test]
fn other_commands() {
    check("table", "table cuba/fig1.cpds", "-");
    check("table", "table cuba/fig2.bp --contexts 3", "-");
    check("table", "table cuba/fig1.cpds --generators", "-");
    check("table", "table cuba/fig2.cpds --automata --contexts 2", "-");
    check("grid", "table delays/ex8.cpds --rounds 3 --delays 4 --observe shared", "-");
    check("simulation", "simulate start/race.weave --seed 1", "wrong");
    check("syntax", "check-syntax start/race.weave cuba/fig1.cpds nowhere.weave", "-");
    check("trials", "bench random --count 3", "-");
    check("failure", "verify nowhere.weave", "-");
    check("failure", "verify start/race.weave --threads nobody=2", "-");
    let evidence = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema.evidence");
    let evidence = evidence.display();
    check("answer", &format!("verify start/race.weave --evidence {evidence}"), "unsafe");
    check("recheck", &format!("recheck {evidence} start/race.weave"), "unsafe");
}

/// The version that the documentation speaks of is that of the schema.
#[test]
fn the_version_is_documented() {
    let text = fs::read_to_string(root().join("docs/answers.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let id = schema["$id"].as_str().unwrap();
    let version = id.rsplit(':').next().unwrap();
    let page = fs::read_to_string(root().join("docs/json.md")).unwrap();
    assert!(page.contains(&format!("version {version}")), "{version} is not in docs/json.md");
}
