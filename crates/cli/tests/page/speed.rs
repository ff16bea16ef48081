//! Long schedules and long tables: how large a report is, and how long a step takes on the page.

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

/// A frame has 16 ms; that is for the median, and no step may take three of them.
#[test]
fn ten_thousand_steps_and_two_hundred_bounds_stay_smooth() {
    let Some(browser) = Browser::start() else { return };
    let folder = folder("speed");
    let file = turns(&folder, 202, 24);
    let (url, _) = report(&file, &folder.join("report.html"), &[]);
    browser.open(&url);
    let steps = browser.run("return page.run.length").as_u64().unwrap();
    let bounds = browser.run("return page.data.below.length").as_u64().unwrap();
    assert!(steps >= 10_000 && bounds >= 200, "{steps} steps, {bounds} bounds");
    // Each is done and laid out 300 times, three times over: other programs may get in the way of one
    // of them, but what is slow is slow each time.
    let measure = |what: &str, script: &str| {
        let times = browser.run(&format!(
            "const from = page.step; const best = []; let first; for (let again = 0; again < 3; again++) {{ \
             go(from); for (let n = 0; n < 300; n++) {{ const start = performance.now(); {script}; \
             document.body.offsetHeight; const time = performance.now() - start; \
             best[n] = again ? Math.min(best[n], time) : time; }} \
             if (!again) first = best.slice().sort((a, b) => a - b); }} \
             best.sort((a, b) => a - b); return [best[150], best[299], first[150], first[299]]"
        ));
        let [median, worst, first, slowest] = [0, 1, 2, 3].map(|n| times[n].as_f64().unwrap());
        println!(
            "{what}: median {median:.1} ms, worst {worst:.1} ms (at first {first:.1} and {slowest:.1} ms)"
        );
        assert!(median < 16.0, "{what}: the median is {median} ms");
        assert!(worst < 50.0, "{what}: the worst is {worst} ms");
    };
    measure("forward", "go(page.step + 1)");
    measure("back", "go(page.step - 1)");
    measure("anywhere", "go((n * 7919) % page.run.length)");
    measure("contexts", "goContext(1)");
    measure("table", "page.table.list.reveal((n * 7) % 200)");
    measure("chart", "chart(byId('chart'), page.data)");
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
