//! `selvedge report`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{example, folder, is_reported, report};

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

/// Every example has a report of each kind. An answer may be unknown for want of
/// time.
#[test]
fn every_example_has_a_report() {
    let folder = folder("examples");
    let mut files = Vec::new();
    collect(&example("."), &mut files);
    assert!(files.len() > 40);
    let mut late = 0;
    for (number, file) in files.iter().enumerate() {
        let (page, text) = (folder.join("report.html"), folder.join("report.md"));
        let log = folder.join("report.sarif");
        let mut options = vec!["--timeout", "300ms", "--quiet"];
        if file.parent().is_some_and(|parent| parent.ends_with("livelock")) {
            options.push("--livelock");
        }
        if !is_reported(file, &page, &options) {
            late += 1;
            continue;
        }
        let page = fs::read_to_string(&page).unwrap();
        let document = document(&page);
        assert_eq!(document["source"], fs::read_to_string(file).unwrap(), "{file:?}");
        // A text or a log for code hosts, by turns, so that half of the time is saved.
        let (is_text, other) = match number % 2 {
            0 => (true, &text),
            _ => (false, &log),
        };
        if !is_reported(file, other, &options) {
            late += 1;
        } else if is_text {
            let text = fs::read_to_string(&text).unwrap();
            assert!(text.contains("\n**") && text.contains("```\n"), "{file:?}: {text}");
        } else {
            let log = fs::read_to_string(&log).unwrap();
            let log: serde_json::Value = serde_json::from_str(&log).unwrap();
            assert_eq!(log["version"], "2.1.0", "{file:?}");
            assert!(!log["runs"][0]["results"].as_array().unwrap().is_empty(), "{file:?}: {log}");
        }
        let is_found =
            matches!(document["answer"]["verdict"].as_str(), Some("unsafe" | "nonterminating"));
        // Time may run out between a violation and its schedule; the answer says so.
        let details = document["answer"]["details"].as_array().unwrap();
        let is_cut_off = details.iter().any(|line| line[0] == "schedule");
        assert_eq!(document["schedule"].is_object(), is_found && !is_cut_off, "{file:?}");
        let is_proved = document["answer"]["verdict"] == "safe";
        assert_eq!(document["invariant"].is_object(), is_proved, "{file:?}");
    }
    assert!(late * 10 < files.len(), "{late} of {} were too late", files.len());
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
