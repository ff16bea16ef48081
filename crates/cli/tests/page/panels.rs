//! What the panels of the page tell: values beside lines, changes on narrow screens, and only what is restricted.

use std::fs;

use serde_json::json;

use crate::page::browser::Browser;
use crate::page::{Explorer, folder};

fn is(verdict: &str) -> String {
    format!("document.querySelector('#badge').textContent === '{verdict}'")
}

#[test]
fn elements_stand_beside_their_lines() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("elements").join("slots.weave");
    let text = "int[0..3] next[4] := {0, 2, 3, 0};\nbool owned[4] := false;\nvoid take(int[0..3] x) {\n  \
                assert !owned[x], \"taken twice, with a long text that needs its room\";\n  owned[x] := true;\n}\n\
                thread a { take(2); }\nthread b { take(2); }\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("unsafe"));
    browser.wait_for("document.querySelector('#now')");
    browser.resize(1280, 900);
    let values = browser.text(".code .lit .vals");
    assert_eq!(values, "owned[2] = true, x = 2");
    // An index that is not known says nothing of one element.
    let whole = "return page.run.elements(1, ['a[i + 1] := 0;'], 'a', '[1,[2,3]]', new Map([['i', '0']])).join()";
    assert_eq!(browser.run(whole), json!("a = [1,[2,3]]"));
    assert_eq!(browser.run("return elementsOf('[1,[2,3],x]').join(' ')"), json!("1 [2,3] x"));
    // On a narrow screen the changes are in view, whatever the statement, and a number stands beside its line.
    browser.resize(400, 900);
    let beside = "const line = document.querySelector('.code .lit'); const top = (name) => line.querySelector(name).getBoundingClientRect().top; \
                  return line.classList.contains('standing') && Math.abs(top('.n') - top('.t')) < 2";
    assert_eq!(browser.run(beside), json!(true));
    browser.run("go(page.run.length - 1)");
    let seen = "const list = document.querySelector('.steps'); const edge = list.getBoundingClientRect().right; \
                const news = [...list.querySelectorAll('.row:not(.head) .news')].filter((e) => e.textContent); \
                return [news.length > 0, news.every((e) => e.getBoundingClientRect().right <= edge && e.offsetWidth > 20), \
                list.scrollWidth <= list.clientWidth]";
    assert_eq!(browser.run(seen), json!([true, true, true]));
    browser.screenshot("elements", 400);
    browser.screenshot("elements", 1280);
    browser.no_errors();
}

/// A proof about what nobody reaches says so, and where.
#[test]
fn what_no_schedule_executes_is_faded() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("never").join("vacuous.weave");
    let text = "bool go := false;\nint[0..3] x := 0;\nthread t {\n  assume go;\n  x := 2;\n  assert x == 1;\n}\n\
                thread u { x := 1; assert x >= 0; }\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("safe"));
    let answer = browser.text("#verdict");
    assert!(
        answer.contains("1 of 2 assertions: no schedule gets to the assertion in line 6"),
        "{answer}"
    );
    let faded =
        "return [...document.querySelectorAll('.code .never .n')].map((e) => e.textContent).join()";
    assert_eq!(browser.run(faded), json!("5,6"));
    let colours = "const of = (line) => getComputedStyle(document.querySelectorAll('.code .t')[line - 1]).color; return of(5) !== of(4)";
    assert_eq!(browser.run(colours), json!(true));
    browser.screenshot("never", 1280);
    browser.no_errors();
}

#[test]
fn what_holds_everywhere_is_said_once() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("everywhere").join("turns.weave");
    let text = "lock m;\ncondition c;\nint[0..1] turn := 0;\nint done := 0;\nvoid act(int[0..1] me) {\n  acquire m;\n  \
                while (turn != me) wait c, m;\n  done := done + 1;\n  turn := 1 - turn;\n  notify all c;\n  release m;\n}\n\
                thread a = act(0);\nthread b = act(1);\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("safe"));
    browser.wait_for("document.querySelector('#proof .facts')");
    let rows = browser.run(
        "return [...document.querySelectorAll('#proof .facts tbody tr')].map((e) => e.innerText.replace(/\\s+/g, ' ').trim())",
    );
    let rows: Vec<&str> = rows.as_array().unwrap().iter().filter_map(|row| row.as_str()).collect();
    assert!(rows[0].starts_with("all everywhere"), "{rows:?}");
    assert!(rows[0].contains("done = 0..2"), "{rows:?}");
    assert!(rows[1..].iter().all(|row| !row.contains("done = 0..2")), "{rows:?}");
    // What is restricted at a line stays there.
    assert!(rows[1..].iter().any(|row| row.contains("m = held")), "{rows:?}");
    browser.screenshot("everywhere", 1280);
    browser.no_errors();
}

#[test]
fn the_first_state_may_be_wrong_already() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("first").join("channels.weave");
    let text = "chan[1] bool a, b;\nthread left { bool x := receive(a); send(b, x); }\n\
                thread right { bool y := receive(b); send(a, y); }\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.open(&explorer.url);
    browser.wait_for(&is("unsafe"));
    browser.wait_for("document.querySelector('#wrong')");
    assert!(browser.text("#now").contains("the first state"), "{}", browser.text("#now"));
    assert!(browser.text("#wrong").contains("deadlock"));
    let answer = browser.run("return document.body.innerText");
    let circle = "left waits at a for right; right waits at b for left";
    assert!(answer.as_str().unwrap().contains(circle), "{answer}");
    browser.no_errors();
}

#[test]
fn the_step_stays_in_view_whatever_the_width() {
    let Some(browser) = Browser::start() else { return };
    let file = folder("width").join("long.weave");
    let text = "int[0..20] n := 0;\nthread a { while (n < 20) n := n + 1; assert false; }\n";
    fs::write(&file, text).unwrap();
    let explorer = Explorer::start(&file, &[]);
    browser.resize(400, 900);
    browser.open(&explorer.url);
    browser.wait_for(&is("unsafe"));
    browser.wait_for("document.querySelector('.steps .lit')");
    let in_view = "(() => { const list = document.querySelector('.steps').getBoundingClientRect(); \
                   const row = document.querySelector('.steps .lit').getBoundingClientRect(); \
                   const head = document.querySelector('.steps .head').getBoundingClientRect().height; \
                   return row.top >= list.top + head && row.bottom <= list.bottom; })()";
    assert!(browser.run("return page.run.length").as_u64().unwrap() > 20);
    for width in [400, 1280, 400] {
        browser.resize(width, 900);
        browser.wait_for(in_view);
    }
    browser.no_errors();
}
