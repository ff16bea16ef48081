//! Texts that are too deep, too long, or too much: one clear message, at once.

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use selvedge_program::Source;

use crate::weave::parse;

const MANY: usize = 300_000;

/// The messages for a text, which must come fast, on a small stack.
fn messages(text: String) -> Vec<String> {
    let work = move || {
        let start = Instant::now();
        let (file, diagnostics) = parse(&Source::new("test.weave", text));
        drop(file);
        assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
        diagnostics.into_iter().map(|d| d.message).collect()
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work);
    thread.expect("a thread starts").join().expect("the parser does not panic")
}

#[track_caller]
fn check(text: String, want: Expect) {
    want.assert_eq(&messages(text).join("\n"));
}

#[track_caller]
fn check_too_deep(text: String) {
    assert_eq!(messages(text), ["this is nested too deeply"]);
}

fn in_body(repeated: &str) -> String {
    format!("void f() {{ {}", repeated.repeat(MANY))
}

fn in_expr(before: &str, repeated: &str, after: &str) -> String {
    format!("void f() {{ x := {before}{}{after}; }}", repeated.repeat(MANY))
}

#[test]
fn deep_statements() {
    for repeated in [
        "{",
        "if (x)",
        "if (x) { ",
        "while x {",
        "either {",
        "atomic { ",
        "else ",
        "if (x) ; else ",
        "L: { M: ",
        "either { } or { ",
        "void g() { ",
        "if (a | b & c == d + e * f) { while (a) ",
    ] {
        check_too_deep(in_body(repeated).replace("else else", "else; else"));
    }
}

#[test]
fn deep_expressions() {
    for repeated in [
        "(",
        "!",
        "-",
        "not ",
        "{",
        "a[",
        "f(",
        "- (",
        "a ? ",
        "a ? b : ",
        "a ==> ",
        "{ 1 .. ",
        "schoose[",
        "schoose[a, ",
        "forall i: ",
        "#{i : ",
        "cas(x, ",
        "a | b & c == d + e * -(",
    ] {
        check_too_deep(in_expr("", repeated, ""));
    }
}

#[test]
fn tall_expressions() {
    for repeated in [" - a", " / a", " % a", " + a - b", " * a / b", " | a ^ b"] {
        check_too_deep(in_expr("a", repeated, ""));
    }
    // Each level of parentheses adds only some of the height.
    let level = |inner: String| format!("({inner}{})", " - a".repeat(10));
    check_too_deep(in_expr(&(0..100).fold("a".to_owned(), |inner, _| level(inner)), "", ""));
}

#[test]
fn long_chains() {
    for repeated in [" & a", " || a", " + a", " * a", " ^ a", " + a - b == c | d"] {
        check(in_expr("a", repeated, ""), expect![""]);
    }
    check(in_body("L: ") + "; }", expect![""]);
    check(in_body(";") + "}", expect![""]);
}

#[test]
fn long_lists() {
    check(format!("bool x{} := true;", ", x".repeat(MANY)), expect![""]);
    let long = "1 + ".repeat(1000);
    check(format!("int[0..{long}1] x{};", ", x".repeat(MANY)), expect![""]);
    check(format!("int x{} := {long}1;", ", x".repeat(MANY)), expect![""]);
}

#[test]
fn long_numbers() {
    check(format!("const N = {};", "9".repeat(10_000)), expect![""]);
    check(format!("const N = {};", "9".repeat(MANY)), expect![""]);
}

#[test]
fn many_mistakes() {
    assert_eq!(messages("@ ".repeat(MANY)).len(), 1000);
    assert_eq!(messages("@".repeat(MANY)).len(), 1);
    assert_eq!(messages("}".repeat(MANY)).len(), 1000);
    assert_eq!(messages("void f() { x = 1; } ".repeat(MANY / 10)).len(), 1000);
    check(format!("void f() {{ x := a{}; }}", " < b".repeat(MANY)), expect![""]);
    check(format!("void f() {{ x := a{}; }}", " f(".repeat(MANY)), expect![""]);
}
