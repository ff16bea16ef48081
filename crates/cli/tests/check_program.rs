//! `selvedge-check` and `selvedge recheck` say the same of everything: of what the engines write, and of what somebody has
//! changed in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use fastrand::Rng;
use serde_json::{Value, json};

/// How many changes are made to each piece of evidence, beside those that are listed.
const CHANGES: usize = 6;

fn selvedge(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.env("NO_COLOR", "1").args(arguments).output().expect("it runs")
}

/// The other program, which belongs to another package: built on demand, beside this one and with the features that its
/// crates have for this one, so that they are not built once more.
fn checker() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let beside = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a folder");
        let profile = match beside.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--quiet", "--bins"])
            .args(["--package", "selvedge-check", "--package", "selvedge-cli"])
            .args(["--profile", profile, "--target-dir"])
            .arg(target)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
            .output()
            .expect("cargo runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        beside.join("selvedge-check").with_extension(std::env::consts::EXE_EXTENSION)
    })
}

fn check(arguments: &[&str]) -> Output {
    Command::new(checker()).args(arguments).output().expect("it runs")
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    path.to_str().expect("plain names").to_owned()
}

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-program");
    std::fs::create_dir_all(&directory).expect("a place for files");
    directory.join(name)
}

/// What both say of evidence, which is the same: how they end.
fn agreed(evidence: &Path, file: &str, options: &[&str]) -> i32 {
    let arguments = [&[evidence.to_str().expect("plain names"), file], options].concat();
    let by_command = selvedge(&[&["recheck"], &arguments[..]].concat());
    let by_program = check(&arguments);
    assert_eq!(by_command, by_program, "{arguments:?}");
    by_command.status.code().expect("it ends by itself")
}

/// A question with an answer, and how the check of its evidence is asked for.
struct Case {
    /// The command, with options that are for it alone.
    asks: &'static [&'static str],
    file: &'static str,
    options: &'static [&'static str],
}

/// Every kind of evidence, and every option.
const CASES: [Case; 19] = [
    Case { asks: &["verify"], file: "start/race.weave", options: &["--threads", "worker=3"] },
    Case { asks: &["verify"], file: "start/mutex.weave", options: &[] },
    Case { asks: &["verify"], file: "start/parity.weave", options: &[] },
    Case { asks: &["verify"], file: "start/recursion.weave", options: &[] },
    Case { asks: &["verify"], file: "cuba/fig1.cpds", options: &[] },
    Case { asks: &["verify"], file: "cuba/fig2.cpds", options: &["--target", "1|4,9"] },
    Case { asks: &["verify"], file: "cuba/fig2.cpds", options: &["--deadlock"] },
    Case { asks: &["verify"], file: "locks/philosophers.weave", options: &["--deadlock"] },
    Case { asks: &["verify"], file: "any/reader-writer.weave", options: &[] },
    Case { asks: &["verify"], file: "any/reader-writer.weave", options: &["--const", "BUG=true"] },
    Case { asks: &["verify"], file: "any/handshake.tts", options: &[] },
    Case { asks: &["livelock", "--none-ended"], file: "livelock/fig1a.weave", options: &[] },
    Case { asks: &["livelock"], file: "livelock/started-workers.weave", options: &[] },
    Case { asks: &["livelock", "--fairness", "weak"], file: "livelock/fig1b.weave", options: &[] },
    Case {
        asks: &["check", "--rounds", "1", "--engine", "lazy"],
        file: "sequentialization/carry.weave",
        options: &[],
    },
    Case { asks: &["verify", "--engine", "symbolic"], file: "start/recursion.weave", options: &[] },
    // Need a C compiler.
    Case { asks: &["livelock"], file: "c/polite.c", options: &[] },
    Case { asks: &["livelock"], file: "c/polite-ordered.c", options: &[] },
    // Needs a solver.
    Case {
        asks: &["verify", "--engine", "predicates"],
        file: "delays/program-p.weave",
        options: &[],
    },
];

/// The evidence of a case; `None` if it needs a solver, and there is none.
fn evidence(number: usize, case: &Case) -> Option<Value> {
    if case.asks.contains(&"predicates") && Command::new("z3").arg("--version").output().is_err() {
        eprintln!("{}: skipped: there is no z3", case.file);
        return None;
    }
    if case.file.ends_with(".c") && Command::new("cc").arg("--version").output().is_err() {
        eprintln!("{}: skipped: there is no C compiler", case.file);
        return None;
    }
    let path = place(&format!("{number}.json"));
    let _ = std::fs::remove_file(&path);
    let (file, to) = (example(case.file), path.to_str().expect("plain names").to_owned());
    let answered = selvedge(&[case.asks, &[&file, "--evidence", &to, "-q"], case.options].concat());
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|_| panic!("{}: {answered:?}", case.file));
    Some(serde_json::from_str(&text).expect("JSON"))
}

/// Changes of single fields, each of which has to be refused.
fn listed_changes(genuine: &Value) -> Vec<String> {
    let with = |name: &str, value: Value| {
        let mut changed = genuine.clone();
        changed[name] = value;
        changed.to_string()
    };
    let twice = |name: &str| {
        let text = genuine.to_string();
        let again = format!("{{\"{name}\":{},", genuine[name]);
        text.replacen('{', &again, 1)
    };
    let mut changes = vec![
        with("property", json!("something else")),
        with("property", json!("")),
        with("selvedge", json!("99.0.0")),
        with("selvedge", json!("new")),
        with("evidence", json!(4)),
        with("evidence", json!(2)),
        with("digest", json!("sha256:0")),
        with("options", json!({ "threads": { "nobody": 1 } })),
        with("options", json!({ "remark": 1 })),
        with("chosen", json!({ "nobody": 2 })),
        with("kind", json!("proof")),
        with("remark", json!("nobody looks at this")),
        twice("property"),
        twice("kind"),
        String::new(),
        "[]".to_owned(),
    ];
    let kind = genuine["kind"].as_str().expect("a kind");
    let mut changed = genuine.clone();
    changed[kind]["remark"] = json!(1);
    changes.push(changed.to_string());
    for other in ["cut", "lasso", "violation", "summaries"].iter().filter(|other| **other != kind) {
        changes.push(with("kind", json!(other)));
    }
    changes
}

/// Changes a digit, or takes a line out.
fn random_change(text: &str, rng: &mut Rng) -> String {
    let body = text.find("\"kind\"").expect("a kind");
    if rng.bool() {
        let mut bytes = text.as_bytes().to_vec();
        let digits: Vec<usize> =
            (body..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
        if !digits.is_empty() {
            bytes[digits[rng.usize(..digits.len())]] = b'0' + rng.u8(..10);
        }
        return String::from_utf8(bytes).expect("digits are text");
    }
    let mut lines: Vec<&str> = text.lines().collect();
    lines.remove(rng.usize(..lines.len()));
    lines.join("\n")
}

#[test]
fn both_say_the_same() {
    let mut rng = Rng::with_seed(17);
    let (mut refused, mut accepted) = (0, 0);
    let mut kinds = std::collections::BTreeSet::new();
    for (number, case) in CASES.iter().enumerate() {
        let Some(genuine) = evidence(number, case) else { continue };
        let path = place(&format!("{number}.json"));
        let text = std::fs::read_to_string(&path).expect("it was written");
        let file = example(case.file);
        kinds.insert(genuine["kind"].as_str().expect("a kind").to_owned());
        assert_eq!(agreed(&path, &file, case.options), 0, "{}", case.file);
        // A remark is all that may be changed.
        let mut remark = genuine.clone();
        remark["file"] = json!("another-name.weave");
        std::fs::write(&path, remark.to_string()).expect("it can be written");
        assert_eq!(agreed(&path, &file, case.options), 0, "{}", case.file);
        for changed in listed_changes(&genuine) {
            std::fs::write(&path, &changed).expect("it can be written");
            assert_eq!(agreed(&path, &file, case.options), 65, "{}: {changed}", case.file);
            refused += 1;
        }
        for _ in 0..CHANGES {
            std::fs::write(&path, random_change(&text, &mut rng)).expect("it can be written");
            match agreed(&path, &file, case.options) {
                0 => accepted += 1,
                _ => refused += 1,
            }
        }
    }
    println!("{refused} refused, {accepted} as good as before");
    // Every kind that the format has; one needs a solver.
    kinds.insert("views".to_owned());
    let all =
        ["aggregate", "cover", "cut", "lasso", "summaries", "termination", "views", "violation"];
    assert!(kinds.iter().eq(all), "{kinds:?}");
    assert!(refused > 300);
}

/// Over the evidence of the examples, and over each with one thing changed. `SELVEDGE_EVERY=1` takes them all; otherwise every
/// twenty-fourth.
#[test]
fn both_say_the_same_of_the_examples() {
    let every = std::env::var("SELVEDGE_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let rows = std::fs::read_to_string(example("expected.tsv")).expect("the list");
    let path = place("example.json");
    let to = path.to_str().expect("plain names");
    let mut rng = Rng::with_seed(5);
    let (mut accepted, mut refused, mut none) = (0, 0, 0);
    for row in rows.lines().skip(1).step_by(every) {
        let fields: Vec<&str> = row.split('\t').collect();
        let (file, options) =
            (example(fields[0]), fields[1].split_whitespace().collect::<Vec<_>>());
        let asks = ["verify", &file, "--evidence", to, "-q", "--timeout", "5s"];
        let _ = std::fs::remove_file(&path);
        selvedge(&[&asks[..], &options].concat());
        let Ok(text) = std::fs::read_to_string(&path) else {
            none += 1;
            continue;
        };
        // What only the search is told is not for the check.
        let known = ["--threads", "--const", "--target", "--init", "--property", "--deadlock"];
        let mut asked: Vec<&str> = Vec::new();
        for option in &options {
            let is_known = known.contains(option);
            let is_value = !option.starts_with("--")
                && asked.last().is_some_and(|last| known[..5].contains(last));
            asked.extend((is_known || is_value).then_some(*option));
        }
        assert_eq!(agreed(&path, &file, &asked), 0, "{row}");
        accepted += 1;
        std::fs::write(&path, random_change(&text, &mut rng)).expect("it can be written");
        refused += usize::from(agreed(&path, &file, &asked) != 0);
    }
    println!(
        "{accepted} accepted, {refused} of them refused once changed; {none} without evidence"
    );
    assert!(accepted > 4 && refused * 2 > accepted, "{accepted} {refused}");
}

/// What is wrong with the command line or with the files is said in the same words.
#[test]
fn failures_are_the_same() {
    let file = example("start/race.weave");
    let path = place("failures.json");
    let evidence = path.to_str().expect("plain names");
    selvedge(&["verify", &file, "--evidence", evidence, "-q"]);
    assert_eq!(agreed(&path, &file, &[]), 0);
    assert_eq!(agreed(&path, &file, &["--deadlock"]), 65);
    assert_eq!(agreed(&path, &file, &["--threads", "nobody=2"]), 64);
    assert_eq!(agreed(&path, &file, &["--threads", "worker=2"]), 65);
    assert_eq!(agreed(&path, &file, &["--target", "nobody@nowhere"]), 64);
    assert_eq!(agreed(&path, &file, &["--init", "0"]), 64);
    assert_eq!(agreed(&path, &file, &["--memory", "1KiB"]), 65);
    assert_eq!(agreed(&path, &file, &["--timeout", "0s"]), 65);
    assert_eq!(agreed(&path, &example("start/mutex.weave"), &[]), 65);
    assert_eq!(agreed(&path, "nowhere.weave", &[]), 66);
    assert_eq!(agreed(&place("none.json"), &file, &[]), 66);
    let wrong = place("wrong.weave");
    std::fs::write(&wrong, "void worker() { x := 1; } thread worker;").expect("written");
    assert_eq!(agreed(&path, wrong.to_str().expect("plain names"), &[]), 65);
    std::fs::write(&path, [0xff, 0xfe]).expect("it can be written");
    assert_eq!(agreed(&path, &file, &[]), 65);
    // The words that name the program differ, and nothing else.
    let swapped = check(&[&file, evidence]);
    assert_eq!(swapped.status.code(), Some(64));
    let said =
        String::from_utf8_lossy(&swapped.stderr).replace("selvedge-check", "selvedge recheck");
    let by_command = selvedge(&["recheck", &file, evidence]);
    assert_eq!(said, String::from_utf8_lossy(&by_command.stderr));
    assert_eq!(check(&[evidence]).status.code(), Some(64));
    assert_eq!(check(&["--help"]).status.code(), Some(0));
}
