//! What is said about texts that are wrong: where, what, and what to do.

mod declarations;
mod statements;

use expect_test::Expect;

use crate::Diagnostic;
use crate::c::parse;

/// Each text, and below it what is said: the place as it stands in the text, the message, other places, and what to do.
fn check_texts(texts: &[&str], expected: &Expect) {
    let shown: Vec<String> = texts.iter().map(|text| explained(text, 0, text.len())).collect();
    expected.assert_eq(&shown.concat());
}

/// Compares what is said about bodies of a function.
fn check_bodies(bodies: &[&str], expected: &Expect) {
    let shown = bodies.iter().map(|body| {
        let before = "int f(int a) { ";
        let text = format!("{before}{body} }}");
        explained(&text, before.len(), before.len() + body.len())
    });
    expected.assert_eq(&shown.collect::<String>());
}

fn explained(text: &str, from: usize, to: usize) -> String {
    let (_, diagnostics) = parse(text);
    let ordered = diagnostics.is_sorted_by_key(|d| d.label.span.start);
    assert!(ordered, "diagnostics out of order for {text}");
    let list: String = diagnostics.iter().map(|d| line(text, d)).collect();
    format!("{}\n{list}", &text[from..to])
}

fn line(text: &str, d: &Diagnostic) -> String {
    let at = |span: selvedge_program::Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        let before = text[..start].chars().rev().take(6).collect::<Vec<_>>();
        let before: String = before.into_iter().rev().collect();
        let mut place = format!("{before}«{}»", &text[start..end]);
        place = place.replace('\n', "⏎");
        place
    };
    let mut shown = format!("    {}: {}", at(d.label.span), d.message);
    for other in &d.related {
        shown += &format!(" ({}: {})", at(other.span), other.text);
    }
    if let Some(hint) = &d.hint {
        shown += &format!("; {hint}");
    }
    shown + "\n"
}
