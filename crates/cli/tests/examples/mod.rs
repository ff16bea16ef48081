//! `verify` on all examples, and `livelock` on some: the verdicts, the bounds and the exit codes of
//! `expected.tsv`.

mod headers;
mod tasks;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use serde_json::Value;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// One line of the list.
struct Row {
    file: String,
    options: Vec<String>,
    verdict: String,
    /// How many, and of what: `3 contexts`, written `3`, or `2 threads`.
    bound: Option<(u64, String)>,
    run: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(examples().join("expected.tsv")).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, options, verdict, bound, run] = fields[..] else { panic!("{line}") };
        let (number, what) = bound.split_once(' ').unwrap_or((bound, "contexts"));
        let what = what.trim_end_matches('s').to_owned();
        Row {
            file: file.to_owned(),
            options: options.split_whitespace().map(str::to_owned).collect(),
            verdict: verdict.to_owned(),
            bound: number.parse().ok().map(|number| (number, what)),
            run: run.to_owned(),
        }
    };
    text.lines().skip(1).map(row).collect()
}

/// Whether there is a solver for the rows that need one; says so if not.
fn has_solver() -> bool {
    let found = Command::new("z3").arg("--version").output().is_ok();
    if !found {
        eprintln!("the examples that need an SMT solver are skipped: there is no z3");
    }
    found
}

/// What a command says of an example, with the name for messages. Nothing is printed beside it.
fn answer(command: &str, row: &Row, options: &[String]) -> (Value, Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg(command)
        .arg(examples().join(&row.file))
        .args(options)
        .args(["--format", "json", "--quiet"])
        .output()
        .unwrap();
    let name = format!("{command} {} {}", row.file, options.join(" "));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
    let answer = serde_json::from_slice(&output.stdout).expect("one JSON object");
    (answer, output.status.code(), name)
}

/// A number from the environment: `SELVEDGE_RUNS=20` asks each example so often with one worker and so often with two,
/// and `SELVEDGE_BUSY=4` keeps so many other processes busy meanwhile.
fn setting(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The verdicts are those of the list; and times and memory aside, an answer depends neither on the load of the machine nor on
/// the number of workers.
#[test]
fn examples_have_the_expected_verdicts_and_the_same_answers() {
    let solver = has_solver();
    let (runs, busy) = (setting("SELVEDGE_RUNS", 1), setting("SELVEDGE_BUSY", 0));
    let keep_busy = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let mut others: Vec<std::process::Child> = (0..busy).map(keep_busy).collect();
    let asked = |row: &&Row| row.run == "test" || (row.run == "solver" && solver);
    let mut different = Vec::new();
    for row in rows().iter().filter(asked) {
        let mut first = None;
        for run in 0..2 * runs {
            let mut options = row.options.clone();
            options.extend(["--jobs".to_owned(), (1 + run % 2).to_string()]);
            let (mut answer, status, name) = answer("verify", row, &options);
            check_row(row, &answer, status, &name);
            answer["time_s"] = Value::Null;
            answer["peak_memory_bytes"] = Value::Null;
            // It says how many workers were asked for.
            answer["command"] = Value::Null;
            let text = answer.to_string();
            match &first {
                None => first = Some(text),
                Some(first) if *first != text => different.push(format!("{first}\n{text}")),
                Some(_) => {}
            }
        }
    }
    for other in &mut others {
        let _ = other.kill().and_then(|()| other.wait());
    }
    assert!(different.is_empty(), "{different:#?}");
}

/// An answer is the one that the list expects.
fn check_row(row: &Row, answer: &Value, status: Option<i32>, name: &str) {
    assert_eq!(answer["verdict"], row.verdict, "{name}");
    if let Some((number, what)) = &row.bound {
        assert_eq!(answer["bound"][format!("{what}s")].as_u64(), Some(*number), "{name}");
    }
    let code = match row.verdict.as_str() {
        "safe" => 0,
        "unsafe" => 10,
        _ => 20,
    };
    assert_eq!(status, Some(code), "{name}");
    let is_unsafe = row.verdict == "unsafe";
    assert_eq!(answer["trace"].is_array(), is_unsafe, "{name}");
    assert_eq!(answer["reason"].is_string(), row.verdict == "unknown", "{name}");
    assert!(answer["time_s"].as_f64().is_some_and(|time| time > 0.0), "{name}");
    assert!(answer["peak_memory_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{name}");
}

#[test]
fn livelocks_have_the_expected_verdicts() {
    let rows = rows();
    let asked = rows.iter().filter(|row| row.run == "livelock");
    assert!(asked.clone().count() > 10);
    for row in asked {
        let (answer, status, name) = answer("livelock", row, &row.options);
        assert_eq!(answer["verdict"], row.verdict, "{name}");
        assert_eq!(answer["property"], "fair-termination", "{name}");
        let is_found = row.verdict == "nonterminating";
        assert_eq!(status, Some(if is_found { 11 } else { 0 }), "{name}");
        assert_eq!(answer["lasso"].is_object(), is_found, "{name}");
        let period = answer["lasso"]["period"].as_array();
        assert_eq!(period.is_some_and(|steps| !steps.is_empty()), is_found, "{name}");
    }
}

/// Every example stands in the list and in the text, and they say the same.
#[test]
fn the_list_and_the_text_agree() {
    let text = fs::read_to_string(examples().join("README.md")).unwrap();
    let rows = rows();
    let mut files = Vec::new();
    collect(&examples(), &mut files).unwrap();
    assert!(files.len() > 30);
    for file in files {
        let name = file.strip_prefix(examples()).unwrap().to_str().unwrap().replace('\\', "/");
        let line = text.lines().find(|line| line.contains(&format!("]({name})")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in README.md"));
        assert!(rows.iter().any(|row| row.file == name), "{name} is not in expected.tsv");
        for row in rows.iter().filter(|row| row.file == name && row.verdict == "unsafe") {
            // Where single contexts are infinite, the fewest are not known.
            let said = match &row.bound {
                None => "unsafe".to_owned(),
                Some((1, what)) => format!("unsafe, 1 {what}"),
                Some((number, what)) => format!("unsafe, {number} {what}s"),
            };
            assert!(line.contains(&said), "{name}: README.md does not say `{said}`");
        }
        let safe = |row: &&Row| row.file == name && row.verdict == "safe" && row.run != "livelock";
        let is_safe = rows.iter().find(safe).is_some();
        assert!(is_safe || !line.contains("| safe"), "{name}: README.md says safe");
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e != "md" && e != "tsv" && e != "prop") {
            files.push(path);
        }
    }
    Ok(())
}
