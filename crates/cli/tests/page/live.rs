//! `selvedge explore`.

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{Explorer, example};

#[test]
fn a_violation_is_found_and_stepped_through() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for("document.querySelector('#badge').textContent === 'unsafe'");
    assert!(browser.text("#sentence").contains("line 17: assertion failed"));
    // It opens at the failure.
    browser.wait_for("document.querySelector('#now')");
    assert_eq!(browser.text("#wrong"), "line 17: assertion failed");
    // All steps forward, by the keys.
    browser.keys("body", "\u{e011}");
    assert!(browser.text("#now").starts_with("start"));
    let steps = browser.run("return page.run.length").as_u64().unwrap();
    for _ in 0..steps {
        browser.keys("body", "\u{e014}");
    }
    assert_eq!(browser.text("#wrong"), "line 17: assertion failed");
    assert!(browser.text(".code .lit").contains("assert count == 2"));
    assert!(browser.text("#now").contains(&format!("step {steps} of {steps}")));
    // The values that it fails with.
    let values = browser.text("#shared");
    assert!(values.contains("count\t1") && values.contains("finished\t2"), "{values}");
    browser.screenshot("race", 1280);
    browser.screenshot("race", 400);
    // Back: one step, a context, the start.
    browser.keys("body", "\u{e012}");
    assert!(browser.text("#now").contains(&format!("step {} of", steps - 1)));
    browser.keys("body", "p");
    assert!(browser.text("#now").contains("context 2"), "{}", browser.text("#now"));
    browser.keys("body", "\u{e011}");
    assert!(browser.text("#now").starts_with("start"));
    browser.keys("body", "n");
    assert!(browser.text("#now").contains("context 1"));
    // What a step changes is marked.
    browser.click("#next");
    browser.click("#next");
    assert!(browser.text("#shared .changed").contains('1'), "{}", browser.text("#shared"));
    browser.click("#last");
    assert_eq!(browser.text("#wrong"), "line 17: assertion failed");
    // The list of steps says what changes, the program where everybody stands and with which values.
    let changes = browser.text(".steps .row.lit .news");
    assert!(browser.text("#steps").contains("count: 0 → 1"), "{changes}");
    browser.resize(1280, 900);
    browser.run("go(2)");
    let marks = "return [...document.querySelectorAll('.code .at')].map((e) => e.textContent).sort().join()";
    assert_eq!(browser.run(marks), json!("worker#1,worker#2"));
    assert!(browser.text(".code .vals").contains("count = 0"), "{}", browser.text(".code .vals"));
    assert_eq!(
        browser.run("return document.querySelectorAll('.code .tok-word').length > 5"),
        json!(true)
    );
    // Whoever stands at a line and with which values is in the frame, at each width.
    let is_in_frame = "const code = document.querySelector('.code'); const edge = code.getBoundingClientRect().right; \
                       return code.scrollLeft === 0 && [...code.querySelectorAll('.at, .vals')].every((e) => e.offsetWidth > 0 && e.getBoundingClientRect().right <= edge)";
    for width in [1280, 820, 400] {
        browser.resize(width, 900);
        for step in 0..=steps {
            browser.run(&format!("go({step})"));
            assert_eq!(browser.run(is_in_frame), json!(true), "{width} pixels, step {step}");
        }
        assert!(browser.text(".code .lit .vals").contains("count = 1, finished = 2"));
    }
    browser.resize(1280, 900);
    // Long lines are scrolled, or wrapped, and the button says which.
    let fits =
        "const code = document.querySelector('.code'); return code.scrollWidth <= code.clientWidth";
    let scrolls = "return getComputedStyle(document.querySelector('.code')).overflowX";
    assert_eq!((browser.run(fits), browser.run(scrolls)), (json!(false), json!("auto")));
    let colour = "return getComputedStyle(document.querySelector('#wrap')).backgroundColor";
    let before = browser.run(colour);
    browser.click("#wrap");
    assert_eq!(browser.run(fits), json!(true));
    assert_ne!(browser.run(colour), before);
    // How a condition came out can be read where there is little room for it.
    browser.resize(400, 900);
    let outcome = "const e = document.querySelectorAll('.steps .outcome'); \
                   return [...e].some((e) => e.innerText.includes('[yes]') && e.scrollWidth <= e.clientWidth)";
    assert_eq!(browser.run(outcome), json!(true));
    // A path is broken behind a folder; what cannot be set looks like it.
    let parts = "return [...document.querySelectorAll('#command .part')].every((e) => e.getClientRects().length === 1 && e.offsetHeight < 24)";
    assert_eq!(browser.run(parts), json!(true));
    let command = browser.text("#command");
    assert!(
        command.starts_with("selvedge verify ") && command.ends_with("/start/race.weave"),
        "{command}"
    );
    let faded = "return getComputedStyle(document.querySelector('#bound')).opacity < 1";
    assert_eq!(browser.run(faded), json!(true));
    browser.no_errors();
}

#[test]
fn a_proof_shows_where_it_collapsed() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("cuba/fig1.cpds"), &[]);
    browser.open(&explorer.url);
    browser.wait_for("document.querySelector('#badge').textContent === 'safe'");
    assert!(browser.text("#sentence").contains("no schedule of these 2 threads"));
    assert_eq!(
        browser.run("return document.querySelector('#mark-collapse').textContent"),
        json!("collapse at 5")
    );
    assert!(browser.text(".row.is-collapse").starts_with('5'));
    let plateau = browser.text(".row.is-flat");
    assert!(plateau.starts_with('3') && plateau.contains("plateau"), "{plateau}");
    assert!(browser.text("#proof").contains("stack cut of depth 1"));
    // Automata are folded away until somebody looks at them.
    assert_eq!(browser.run("return document.querySelectorAll('#automata svg').length"), json!(0));
    browser.wait_for("document.querySelectorAll('#automata details').length === 2");
    browser
        .run("document.querySelectorAll('#automata details').forEach((e) => { e.open = true; })");
    browser.wait_for("document.querySelectorAll('#automata svg').length === 2");
    browser.screenshot("fig1", 1280);
    browser.screenshot("fig1", 400);
    browser.no_errors();
}

#[test]
fn a_long_run_is_cancelled_and_another_one_asked_for() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("locks/filter.weave"), &["--const", "N=5"]);
    browser.open(&explorer.url);
    // Its numbers are there while it runs.
    browser.wait_for("page.data.below.length > 2");
    browser.wait_for("document.querySelector('#chart svg')");
    assert_eq!(browser.text("#badge"), "running");
    browser.screenshot("running", 1280);
    // A second page has a run of its own.
    let first = browser.window();
    let second = browser.new_window();
    browser.open(&explorer.url);
    browser.wait_for("page.data.below.length > 2");
    browser.click("#cancel");
    browser.wait_for("document.querySelector('#badge').textContent === 'unknown'");
    assert!(browser.text("#sentence").contains("the run was interrupted"));
    browser.look_at(&first);
    assert_eq!(browser.text("#badge"), "running", "the first page goes on");
    browser.click("#cancel");
    browser.wait_for("document.querySelector('#badge').textContent === 'unknown'");
    // Another question, with a bound.
    browser.look_at(&second);
    browser.run("const q = document.querySelector('#question'); q.value = 'contexts'; q.dispatchEvent(new Event('change'))");
    browser.run("document.querySelector('#bound').value = '2'");
    browser.click("#restart");
    browser.wait_for("document.querySelector('#badge').textContent === 'bounded'");
    assert!(browser.text("#sentence").contains("within 2 contexts"));
    browser.no_errors();
}

#[test]
fn threads_and_engines_can_be_changed() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for("document.querySelector('#badge').textContent === 'unsafe'");
    browser.run("document.querySelector('#threads-worker').value = '1'");
    browser.click("#restart");
    browser.wait_for("document.querySelector('#badge').textContent === 'safe'");
    assert!(browser.text("#sentence").contains("this one thread"));
    assert_eq!(browser.text("#schedule"), "", "the old schedule is gone");
    // An engine that does not answer this says so.
    browser.run("document.querySelector('#engine').value = 'lazy'");
    browser.click("#restart");
    browser.wait_for("document.querySelector('#badge').textContent === 'no answer'");
    assert!(
        browser.text("#sentence").contains("`check` with `rounds`"),
        "{}",
        browser.text("#sentence")
    );
    browser.no_errors();
}

#[test]
fn the_page_is_light_or_dark() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    let ground = "return getComputedStyle(document.body).backgroundColor";
    browser.prefer("dark");
    browser.open(&explorer.url);
    browser.wait_for("document.querySelector('#badge').textContent === 'unsafe'");
    let dark = browser.run(ground);
    browser.screenshot("race-dark", 1280);
    browser.screenshot("race-dark", 400);
    browser.click("#theme");
    let light = browser.run(ground);
    assert_ne!(dark, light);
    browser.prefer("light");
    browser.click("#theme");
    assert_eq!(browser.run(ground), dark);
    browser.no_errors();
}
