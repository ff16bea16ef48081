//! Long schedules and long tables: how large a report is, and how much the page does for a step.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{folder, report};

/// Two threads that take turns, so that each context is needed; each counts a while in its turn, and
/// calls. After so many turns an assertion fails.
fn turns(folder: &Path, turns: usize, counts: usize) -> PathBuf {
    let mut text = String::new();
    let _ = write!(
        text,
        "int[0..{turns}] turns := 0;\nbool first := true;\n\
         void count() {{\n  int[0..{counts}] i := 0;\n  while (i < {counts}) {{\n    i := i + 1;\n  }}\n}}\n\
         void play(bool me) {{\n  while (turns < {turns}) {{\n    assume first == me;\n    count();\n    \
         assert turns < {};\n    turns := turns + 1;\n    first := !me;\n  }}\n}}\n\
         thread one = play(true);\nthread two = play(false);\n",
        turns - 1
    );
    let file = folder.join("turns.weave");
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn a_report_of_five_thousand_steps_is_small() {
    let folder = folder("size");
    let file = turns(&folder, 40, 60);
    let (url, size) = report(&file, &folder.join("report.html"), &[]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let steps = page.matches("\"pop\":").count();
    assert!(steps >= 5_000, "{steps} steps");
    assert!(size < 3_000_000, "{size} bytes for {steps} steps");
    println!("{steps} steps: {size} bytes");
    let Some(browser) = Browser::start() else { return };
    browser.requests();
    browser.open(&url);
    browser.keys("body", "\u{e010}");
    assert!(browser.text("#wrong").contains("assertion failed"));
    let requests = browser.requests();
    assert!(
        requests.iter().all(|r| r.starts_with("file:") || r.starts_with("data:")),
        "{requests:?}"
    );
    browser.no_errors();
}

/// A step costs the same however long the schedule is: what it makes the page do is counted, since nobody knows how fast the machine is.
#[test]
fn a_step_of_ten_thousand_costs_no_more_than_one_of_few() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder("speed");
    let file = turns(&folder, 202, 24);
    let (url, _) = report(&file, &folder.join("report.html"), &[]);
    browser.open(&url);
    let steps = browser.run("return page.run.length").as_u64().unwrap();
    let bounds = browser.run("return page.data.below.length").as_u64().unwrap();
    assert!(steps >= 10_000 && bounds >= 200, "{steps} steps, {bounds} bounds");
    // What went once through all steps would be more than that, for each of them.
    let most = steps / 2;
    browser.run(&format!("go({most})"));
    for (what, script) in [
        ("forward", "go(page.step + 1)"),
        ("back", "go(page.step - 1)"),
        ("anywhere", "go((page.step * 7919 + 4001) % page.run.length)"),
        ("contexts", "goContext(1)"),
        ("table", "page.table.list.reveal((page.step * 7) % page.data.below.length)"),
    ] {
        let worst = (0..20).map(|_| browser.work(script)).max().unwrap();
        println!("{what}: {worst}");
        assert!(worst < most, "{what}: {worst} pieces of code and changes");
    }
    // The chart shows each bound, and nothing else that grows.
    let drawn = browser.work("chart(byId('chart'), page.data)");
    println!("chart: {drawn}");
    assert!((bounds..100 * bounds).contains(&drawn), "{drawn} for {bounds} bounds");
    // Only what is seen is there.
    let elements = browser.run("return document.querySelectorAll('*').length").as_u64().unwrap();
    assert!(elements < 3_000, "{elements} elements");
    browser.keys("body", "\u{e010}");
    assert!(browser.text("#now").contains(&format!("step {steps} of {steps}")));
    assert_eq!(browser.run("return document.querySelectorAll('.lanes .cursor').length"), json!(1));
    browser.screenshot("long", 1280);
    browser.screenshot("long", 400);
    browser.no_errors();
}
