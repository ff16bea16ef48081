//! `selvedge report`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{example, folder, report};

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.extension().and_then(|ending| ending.to_str()) {
            _ if path.is_dir() => collect(&path, files),
            Some("weave" | "bp" | "cpds" | "pds" | "tts") => files.push(path),
            _ => {}
        }
    }
}

/// What the data of a page says.
fn document(page: &str) -> serde_json::Value {
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

/// A question about an example that is answered after so much work on every machine: where all schedules are too many, some of them.
fn question(file: &Path, text: &str) -> Vec<String> {
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = file.file_name().and_then(|name| name.to_str());
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let bound: &[&str] = match (folder, name) {
        (Some("livelock"), _) => return words(&["--livelock"]),
        (Some("delays"), _) => &["--rounds", "1", "--delays", "0"],
        (Some("hard" | "locks"), _) | (Some("any"), Some("pool.weave" | "handshake.tts")) => {
            &["--contexts", "2"]
        }
        _ => return Vec::new(),
    };
    // Bounds are about so many threads.
    let declared = text.lines().filter_map(|line| line.strip_prefix("thread "));
    let any = declared.filter(|rest| rest.contains("* any"));
    let names = any.filter_map(|rest| rest.split([' ', '[', '(']).next());
    let counts = names.flat_map(|name| ["--threads".to_owned(), format!("{name}=2")]);
    words(bound).into_iter().chain(counts).collect()
}

/// Every example has a report of each kind.
#[test]
fn every_example_has_a_report() {
    let folder = folder("examples");
    let mut files = Vec::new();
    collect(&example("."), &mut files);
    assert!(files.len() > 40);
    let mut verdicts = BTreeSet::new();
    for (number, file) in files.iter().enumerate() {
        let (page, text) = (folder.join("report.html"), folder.join("report.md"));
        let log = folder.join("report.sarif");
        let program = fs::read_to_string(file).unwrap();
        let question = question(file, &program);
        let mut options: Vec<&str> = question.iter().map(String::as_str).collect();
        options.push("--quiet");
        report(file, &page, &options);
        let page = fs::read_to_string(&page).unwrap();
        let document = document(&page);
        assert_eq!(document["source"], program, "{file:?}");
        // A text or a log for code hosts, by turns, so that half of the time is saved.
        if number % 2 == 0 {
            report(file, &text, &options);
            let text = fs::read_to_string(&text).unwrap();
            assert!(text.contains("\n**") && text.contains("```\n"), "{file:?}: {text}");
        } else {
            report(file, &log, &options);
            let log = fs::read_to_string(&log).unwrap();
            let log: serde_json::Value = serde_json::from_str(&log).unwrap();
            assert_eq!(log["version"], "2.1.0", "{file:?}");
            assert!(!log["runs"][0]["results"].as_array().unwrap().is_empty(), "{file:?}: {log}");
        }
        let verdict = document["answer"]["verdict"].as_str().unwrap();
        let is_found = matches!(verdict, "unsafe" | "nonterminating");
        assert_eq!(document["schedule"].is_object(), is_found, "{file:?}");
        assert_eq!(document["invariant"].is_object(), verdict == "safe", "{file:?}");
        verdicts.insert(verdict.to_owned());
    }
    for verdict in ["bounded", "nonterminating", "safe", "unsafe"] {
        assert!(verdicts.contains(verdict), "{verdict} is no answer: {verdicts:?}");
    }
}

#[test]
fn a_file_shows_a_lasso_without_a_network() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder("lasso");
    let file = example("livelock/fig3a-philosophers.weave");
    let (url, _) = report(&file, &folder.join("lasso.html"), &["--livelock"]);
    browser.requests();
    browser.open(&url);
    assert_eq!(browser.text("#badge"), "nonterminating");
    assert!(browser.text("#schedule h2").contains("never ends"));
    browser.keys("body", "\u{e010}");
    assert!(browser.text("#now").contains("of the period"), "{}", browser.text("#now"));
    browser.screenshot("lasso", 1280);
    browser.screenshot("lasso", 400);
    let requests = browser.requests();
    assert!(
        requests.iter().all(|r| r.starts_with("file:") || r.starts_with("data:")),
        "{requests:?}"
    );
    assert!(requests.iter().any(|r| r.starts_with("file:")), "requests are seen");
    browser.no_errors();
}

#[test]
fn a_proof_says_what_holds_at_a_line() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder("proof");
    let file = example("bluetooth/bluetooth3.weave");
    let (url, _) = report(&file, &folder.join("proof.html"), &[]);
    browser.open(&url);
    assert_eq!(browser.text("#badge"), "safe");
    browser.click(".code .known");
    assert!(
        browser.run("return document.querySelectorAll('.facts tr.chosen').length").as_u64()
            > Some(0)
    );
    assert_eq!(browser.run("return document.querySelectorAll('.code .chosen').length"), json!(1));
    browser.screenshot("proof", 1280);
    browser.screenshot("proof", 400);
    browser.no_errors();
}
