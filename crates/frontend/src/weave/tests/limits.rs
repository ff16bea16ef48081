//! Texts that are too deep, too long, or too much: one clear message, after not much more work than as
//! much ordinary text takes.

use std::sync::OnceLock;
use std::time::Duration;

use expect_test::{Expect, expect};
use selvedge_program::Source;

use crate::effort;
use crate::weave::parse;

const MANY: usize = 100_000;

/// How many times as long as a megabyte of ordinary small texts any text may take. What grows with the square of the text
/// takes hundreds of times as long.
const TIMES: u32 = 20;

/// How many small texts are a megabyte.
const TEXTS: usize = 256;

/// How long any text may take.
fn most() -> Duration {
    static ORDINARY: OnceLock<Duration> = OnceLock::new();
    let ordinary = ORDINARY.get_or_init(|| {
        let statement = "if (a && !b) { x := a + (b - c) * d; }\n";
        let body = statement.repeat((1 << 20) / TEXTS / statement.len());
        let source = Source::new("test.weave", format!("void f() {{\n{body}}}\n"));
        effort::of(|| assert!((0..TEXTS).all(|_| parse(&source).1.is_empty())))
    });
    TIMES * *ordinary
}

/// The messages for a text, which must come without much effort, on a small stack.
fn messages(text: String) -> Vec<String> {
    let most = most();
    let work = move || {
        let what = format!("{text:.40}");
        let source = Source::new("test.weave", text);
        let diagnostics = effort::within(most, what, || parse(&source).1);
        diagnostics.into_iter().map(|d| d.message).collect()
    };
    let thread = std::thread::Builder::new().stack_size(1_500_000).spawn(work);
    thread.expect("a thread starts").join().expect("the parser does not panic")
}

#[track_caller]
fn check(text: String, want: Expect) {
    want.assert_eq(&messages(text).join("\n"));
}

#[track_caller]
fn check_too_deep(text: String) {
    let mut messages = messages(text);
    messages.truncate(3);
    assert_eq!(messages, ["this is nested too deeply"]);
}

fn in_body(repeated: &str) -> String {
    format!("void f() {{ {}", repeated.repeat(MANY))
}

fn in_expr(before: &str, repeated: &str, after: &str) -> String {
    format!("void f() {{ x := {before}{}{after}; }}", repeated.repeat(MANY))
}

#[test]
fn deep_statements() {
    // A mistake at each level, but an end of it.
    assert_eq!(messages(in_body("else ")).len(), 201);
    assert!(messages(in_body("void g() { ")).len() <= 201);
    for repeated in [
        "{",
        "if (x)",
        "if (x) { ",
        "while x {",
        "either {",
        "atomic { ",
        "if (x) ; else ",
        "L: { M: ",
        "either { } or { ",
        "if (a | b & c == d + e * f) { while (a) ",
    ] {
        check_too_deep(in_body(repeated));
    }
}

#[test]
fn deep_expressions() {
    for repeated in [
        "(",
        "!",
        "- ",
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
        "a | b & c == d + e * (",
    ] {
        check_too_deep(in_expr("", repeated, "a"));
    }
}

#[test]
fn tall_expressions() {
    for repeated in [" - a", " / a", " % a", " + a - b", " * a / b", " << a >> b"] {
        check_too_deep(in_expr("a", repeated, ""));
    }
    // Each level of parentheses adds only some of the height.
    let level = |inner: String| format!("({inner}{})", " - a".repeat(10));
    check_too_deep(in_expr(&(0..100).fold("a".to_owned(), |inner, _| level(inner)), "", ""));
}

#[test]
fn long_chains() {
    for repeated in [" & a", " || a", " + a", " * a", " ^ a", " + a - b == c || d"] {
        check(in_expr("a", repeated, ""), expect![""]);
    }
    check(in_body("L: ") + "; }", expect![""]);
    check(in_body(";") + "}", expect![""]);
}

#[test]
fn long_lists() {
    check(format!("bool x{} := true;", ", x".repeat(MANY)), expect![""]);
    let long = "1 + ".repeat(1000);
    check(
        format!("int[0..{long}1] x{};", ", x".repeat(MANY)),
        expect!["this is too long to stand for so many variables"],
    );
    check(
        format!("var x{}: int := {long}1;", ", x".repeat(MANY)),
        expect!["this is too long to stand for so many variables"],
    );
}

#[test]
fn long_numbers() {
    check(format!("const N = {};", "9".repeat(10_000)), expect![""]);
    check(format!("const N = {};", "9".repeat(MANY)), expect!["this number has 100000 digits"]);
}

#[test]
fn many_mistakes() {
    assert_eq!(messages("@;\n".repeat(MANY)).len(), 10);
    assert_eq!(messages("@".repeat(MANY)).len(), 1);
    assert_eq!(messages("}\n".repeat(MANY)).len(), 1000);
    // What stands in one line is one mistake.
    assert_eq!(messages("@ ".repeat(MANY)).len(), 1);
    assert_eq!(messages("}".repeat(MANY)).len(), 1);
    assert_eq!(messages("void f() { x = 1; } ".repeat(MANY / 10)).len(), 1000);
    check(
        format!("void f() {{ x := a{}; }}", " < b".repeat(MANY)),
        expect!["comparisons cannot be chained"],
    );
    check(format!("void f() {{ x := a{}; }}", " f(".repeat(MANY)), expect!["write `;` before `f`"]);
}

/// A text of another language is not reported character by character.
#[test]
fn many_pieces_that_are_no_tokens() {
    for piece in ["@;\n", "f(\"a\");\n"] {
        let source = Source::new("test.weave", format!("void g() {{\n{}}}\n", piece.repeat(30)));
        let (_, diagnostics) = parse(&source);
        let unreadable = diagnostics.iter().filter(|d| {
            d.message.contains("does not belong") || d.message.contains("there are no strings")
        });
        assert_eq!(unreadable.count(), 10, "{piece}");
    }
}
