//! Steps by hand, on the page of `selvedge explore`.

use std::fs;

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{Explorer, example, folder};

const WRONG: &str = "document.querySelector('#badge').textContent === 'unsafe'";

/// Waits until the choices at a step of the run are there.
fn choices(browser: &Browser, step: usize) -> Vec<String> {
    browser.wait_for(&format!(
        "page.step === {step} && page.walker.look && page.walker.look.path.length === {step} + 1"
    ));
    let list = browser.run(
        "return [...document.querySelectorAll('#choices .choice')].map((e) => e.innerText.replace(/\\s+/g, ' '))",
    );
    let list = list.as_array().cloned().unwrap_or_default();
    list.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
}

#[test]
fn what_if_another_thread_had_gone_first() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    // Nothing can follow the failure.
    assert_eq!(choices(&browser, 8), Vec::<String>::new());
    assert!(browser.text("#ends").contains("assertion failed"));
    // At the start, both workers can read; the schedule takes one of the two.
    browser.keys("body", "\u{e011}");
    let first = choices(&browser, 0);
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[0].contains("worker#1") && first[1].contains("worker#2"), "{first:?}");
    assert!(first[0].contains("seen = 0"), "what would change: {first:?}");
    assert_eq!(browser.run("return document.querySelectorAll('.choice.taken').length"), json!(1));
    let taken = browser.run("return document.querySelector('.choice.taken').dataset.choice");
    // The step that the run takes goes on with it; another one begins a branch.
    browser.click(".choice.taken");
    choices(&browser, 1);
    assert_eq!(browser.run("return page.isBranch"), json!(false));
    browser.keys("body", "\u{e012}");
    choices(&browser, 0);
    browser.click(".choice:not(.taken)");
    browser.wait_for("page.isBranch && page.run.length === 1");
    let other = browser.run("return String(page.path[1])");
    assert_ne!(other, taken);
    // On by the keys: whoever goes first alone ends without a failure.
    for step in 1..4 {
        choices(&browser, step);
        browser.keys("body", if other == json!("0") { "1" } else { "2" });
        browser.wait_for(&format!("page.run.length === {}", step + 1));
    }
    choices(&browser, 4);
    // A step back, and another branch from there.
    browser.keys("body", "\u{e012}");
    assert_eq!(browser.run("return [page.step, page.run.length]"), json!([3, 4]));
    browser.screenshot("what-if", 1280);
    browser.screenshot("what-if", 400);
    // Back to what was found.
    browser.keys("body", "a");
    assert_eq!(browser.text("#wrong"), "line 17: assertion failed");
    browser.no_errors();
}

#[test]
fn a_link_leads_to_a_state_and_a_bookmark_is_one() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.keys("body", "\u{e011}");
    choices(&browser, 0);
    browser.click(".choice:not(.taken)");
    browser.wait_for("page.isBranch && page.run.length === 1");
    choices(&browser, 1);
    browser.keys("body", "b");
    browser.wait_for("location.hash.includes('path=')");
    let (link, values) = (browser.run("return location.href"), browser.text("#stacks"));
    assert!(browser.text("#bookmarks").contains("step 1"), "{}", browser.text("#bookmarks"));
    // Another window at the same address shows the same state.
    browser.new_window();
    browser.open(link.as_str().unwrap());
    browser.wait_for("page.isBranch && page.run.length === 1");
    assert_eq!(browser.text("#stacks"), values);
    // So does the bookmark, from elsewhere.
    browser.keys("body", "a");
    browser.wait_for("!page.isBranch");
    browser.click("#bookmarks a");
    browser.wait_for("page.isBranch && page.run.length === 1");
    assert_eq!(browser.text("#stacks"), values);
    // A link with other options asks with them.
    browser.run("document.querySelector('#threads-worker').value = '1'");
    browser.click("#restart");
    browser.wait_for("document.querySelector('#badge').textContent === 'safe'");
    browser.click("#by-hand");
    browser.wait_for("page.run && page.run.length === 0 && location.hash.includes('ask=')");
    let link = browser.run("return location.href");
    browser.new_window();
    browser.open(link.as_str().unwrap());
    browser.wait_for("document.querySelector('#badge').textContent === 'safe'");
    browser.wait_for("page.run && page.run.schedule.threads.length === 1");
    browser.no_errors();
}

#[test]
fn who_cannot_move_says_why() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("waits").join("waits.weave");
    let text = "lock m;\nbool go := false;\nvoid left() { acquire m; assume go; release m; }\n\
                void right() { acquire m; release m; }\nthread left;\nthread right;\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &["--deadlock"]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.wait_for("document.querySelectorAll('.waits li').length === 2");
    let waits = browser.text(".waits");
    assert!(
        waits.contains("left waits at line 3: assume go") && waits.contains("go = false"),
        "{waits}"
    );
    assert!(waits.contains("right waits at line 4: acquire m (m = held by left)"), "{waits}");
    assert!(browser.text("#wrong").contains("deadlock"), "a run that ends in one says so");
    browser.screenshot("waits", 1280);
    // What a choice would do is told with who holds the lock.
    browser.keys("body", "\u{e011}");
    let list = choices(&browser, 0);
    let right = list.iter().position(|text| text.contains("right line 4")).unwrap();
    browser.keys("body", &(right + 1).to_string());
    let list = choices(&browser, 1);
    assert!(list.iter().any(|text| text.contains("m: held by right → free")), "{list:?}");
    browser.no_errors();
}

/// Of an array, the element that somebody waits for is told, and which one a step changed.
#[test]
fn elements_of_arrays_are_told_one_by_one() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("locks/philosophers.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.wait_for("document.querySelectorAll('.waits li').length === 3");
    let waits = browser.text(".waits");
    let one = "philosopher#1 waits at line 20: acquire fork[(me + 1) % N] (fork[1] = held by philosopher#2, me = 0)";
    assert!(waits.contains(one), "{waits}");
    let news =
        "return [...document.querySelectorAll('#shared .was')].map((e) => e.textContent).join()";
    assert_eq!(browser.run(news), json!("free"), "{}", browser.text("#shared"));
    assert_eq!(
        browser.text("#shared .changed"),
        "[held by philosopher#1, held by philosopher#2, free held by philosopher#3]"
    );
    // The last step says how it ends.
    let news = browser.text(".steps .row.lit .news");
    assert!(news.starts_with("goes wrong, fork[2]: "), "{news}");
    browser.screenshot("elements-of-locks", 1280);
    browser.no_errors();
}

#[test]
fn walks_are_guided_or_random() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.keys("body", "\u{e011}");
    choices(&browser, 0);
    // To the nearest failure: as many steps as the shortest run, whatever its contexts.
    browser.keys("body", "f");
    browser.wait_for("page.isBranch && page.run.schedule.wrong");
    assert!(browser.text("#wrong").contains("assertion failed"));
    // From a state after which nothing goes wrong, nobody gets there.
    browser.keys("body", "\u{e011}");
    choices(&browser, 0);
    browser.click(".walks .thread-0");
    browser.wait_for("page.run.length > 2 && page.step === page.run.length");
    let steps = browser.run("return page.run.length").as_u64().unwrap();
    choices(&browser, steps as usize);
    browser.click("#to-wrong");
    browser.wait_for("!document.querySelector('#said').hidden");
    assert!(
        browser.text("#said").contains("can be reached from here goes wrong"),
        "{}",
        browser.text("#said")
    );
    // After the failure there is nothing.
    browser.keys("body", "a");
    choices(&browser, 8);
    browser.keys("body", "f");
    browser.wait_for(
        "document.querySelector('#said').textContent === 'no other state can be reached from here'",
    );
    // To a line, and at random to an end.
    browser.keys("body", "\u{e011}");
    choices(&browser, 0);
    browser.run("document.querySelector('#line').value = '16'");
    browser.click("#to-line");
    browser.wait_for("page.step > 0 && page.step === page.run.length && page.source.places.some((p) => p && p.line === 16)");
    browser.keys("body", "r");
    browser.wait_for("page.walker.look && page.walker.look.end && page.step === page.run.length");
    browser.no_errors();
}

#[test]
fn the_states_near_by_are_a_graph() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.keys("body", "\u{e011}");
    choices(&browser, 0);
    browser.keys("body", "g");
    browser.wait_for("document.querySelector('#near-graph svg .here')");
    // Both read, in any order: four states within two steps that do nothing but read, and two that write.
    let nodes =
        browser.run("return document.querySelectorAll('#near-graph .node').length").as_u64();
    assert_eq!(nodes, Some(6));
    browser.screenshot("near", 1280);
    browser.screenshot("near", 400);
    browser.run("document.querySelector('#near-graph .node[data-node=\"3\"]').dispatchEvent(new Event('click'))");
    browser.wait_for("page.isBranch && page.run.length === 2");
    // The last state is red, if it is near.
    browser.keys("body", "a");
    browser.run("go(page.run.length - 2)");
    browser.wait_for("document.querySelector('#near-graph .wrong')");
    browser.no_errors();
}

#[test]
fn keys_are_explained() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start(&example("start/race.weave"), &[]);
    browser.open(&explorer.url);
    browser.wait_for(WRONG);
    browser.keys("body", "?");
    assert_eq!(browser.run("return document.querySelector('#help').open"), json!(true));
    assert!(
        browser
            .run("return document.querySelector('#help').innerText")
            .as_str()
            .unwrap()
            .contains("nearest failure")
    );
    browser.keys("#help", "\u{e00c}");
    assert_eq!(browser.run("return document.querySelector('#help').open"), json!(false));
    // At 400 pixels the steps can be taken wherever the page is scrolled to.
    browser.resize(400, 800);
    let seen = "const r = document.querySelector('#next').getBoundingClientRect(); return r.top >= 0 && r.bottom <= 800 && r.right <= 400";
    for scroll in ["0", "500", "document.body.scrollHeight / 2"] {
        browser.run(&format!("scrollTo(0, {scroll})"));
        assert_eq!(browser.run(seen), json!(true), "scrolled to {scroll}");
    }
    browser.no_errors();
}
