//! Whatever the input, the parser comes back, after not much more work than as much ordinary text takes, and
//! says something short.

use std::sync::OnceLock;
use std::time::Duration;

use proptest::prelude::*;
use selvedge_program::Source;

use crate::bp::parse;
use crate::effort;

/// How many times as long as a megabyte of ordinary small texts any text may take. What grows with the square of the text
/// takes hundreds of times as long.
const TIMES: u32 = 20;

/// How many small texts are a megabyte.
const TEXTS: usize = 256;

/// How long any text may take.
fn most() -> Duration {
    static ORDINARY: OnceLock<Duration> = OnceLock::new();
    let ordinary = ORDINARY.get_or_init(|| {
        let statement = "if (a & !b) then x := a | (b ^ c); fi\n";
        let body = statement.repeat(MEGABYTE / TEXTS / statement.len());
        let source = Source::new("test.bp", format!("void main() begin\n{body}end\n"));
        effort::of(|| assert!((0..TEXTS).all(|_| parse(&source).1.is_empty())))
    });
    TIMES * *ordinary
}

/// Parses and drops a text without much effort; gives the number of mistakes.
fn mistakes(text: String) -> usize {
    let source = Source::new("test.bp", text);
    let what = format!("{:.40}", source.text());
    let diagnostics = effort::within(most(), what, || parse(&source).1);
    for d in &diagnostics {
        let (start, end) = (d.label.span.start as usize, d.label.span.end as usize);
        assert!(source.text().get(start..end).is_some(), "a place inside the text: {d:?}");
        assert!(d.message.len() < 200, "a short message: {}", d.message);
    }
    diagnostics.len()
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn a_megabyte_of_one_thing_is_one_mistake() {
    for part in ["(", "!", "a => ", "a ? ", "a ? b : ", "schoose[", "a = b != ", "a ^ b | (", "~("]
    {
        let text = part.repeat(MEGABYTE / part.len());
        assert_eq!(mistakes(format!("main() begin assume {text}")), 1, "for many {part}");
    }
    for part in [
        "begin ",
        "{",
        "if a then ",
        "if (a) {",
        "while a do ",
        "if a then skip; else ",
        "l: begin ",
    ] {
        let text = part.repeat(MEGABYTE / part.len());
        assert_eq!(mistakes(format!("main() begin {text}")), 1, "for many {part}");
    }
    let text = "elsif a then ".repeat(MEGABYTE / 13);
    assert_eq!(mistakes(format!("main() begin if a then {text}")), 1, "for many elsif");
    let text = "else if (a) {} ".repeat(MEGABYTE / 15);
    assert_eq!(mistakes(format!("main() begin if (a) {{}} {text}")), 1, "for many else if");
    assert_eq!(mistakes("@".repeat(MEGABYTE)), 1);
}

#[test]
fn much_of_anything_ends() {
    for part in [
        "@ ",
        ")",
        "end ",
        "fi ",
        "; ",
        "void ",
        "decl ",
        "decl x",
        "f(",
        "f() ",
        "if ",
        "if (x) a ",
        "if a skip; ",
        "then ",
        "else ",
        "'",
        "x := f(x) & ",
        "l: ",
        "goto ",
        "x, ",
        "* ",
        "/*",
        "//",
        "bool<",
        "lock(m); ",
        "\n",
        "a & b | ",
        "1 ",
    ] {
        let text = part.repeat(MEGABYTE / 4 / part.len());
        mistakes(format!("main() begin {text}"));
        mistakes(text);
    }
}

#[test]
fn what_is_just_allowed_is_read_and_dropped() {
    let depth = 195;
    let parens = format!("assume {}a{};", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(mistakes(format!("main() begin {parens} end")), 0);
    let nots = format!("assume {}a;", "!".repeat(depth));
    assert_eq!(mistakes(format!("main() begin {nots} end")), 0);
    let (open, close) = ("if a then ".repeat(depth), "fi ".repeat(depth));
    assert_eq!(mistakes(format!("main() begin {open}{close} end")), 0);
    let (open, close) = ("while (a) { begin ".repeat(depth / 2), "end }".repeat(depth / 2));
    assert_eq!(mistakes(format!("main() begin {open}{close} end")), 0);
    let chain = "elsif a then ".repeat(depth);
    assert_eq!(mistakes(format!("main() begin if a then {chain} fi end")), 0);
}

/// Pieces of programs, for soup.
const PIECES: &[&str] = &[
    "decl",
    "void",
    "bool",
    "bool<2>",
    "dfs",
    "enforce",
    "begin",
    "end",
    "if",
    "then",
    "elsif",
    "else",
    "fi",
    "while",
    "do",
    "od",
    "skip",
    "goto",
    "return",
    "call",
    "assume",
    "assert",
    "constrain",
    "dead",
    "thread_create",
    "start_thread",
    "end_thread",
    "atomic_begin",
    "atomic_end",
    "T",
    "0",
    "1",
    "7",
    "choose",
    "schoose",
    ":=",
    ";",
    ":",
    ",",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "!",
    "&",
    "||",
    "^",
    "=",
    "!=",
    "=>",
    "?",
    "*",
    "'",
    "/*",
    "//",
    "\n",
    "x",
    "y",
    "f(",
    "f(x)",
    "l:",
    "x := ",
    "main() begin",
    "@",
    "é",
    "lock(m);",
    "break;",
    "x'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        mistakes(String::from_utf8_lossy(&bytes).into_owned());
    }

    #[test]
    fn random_characters(text in "\\PC{0,200}") {
        mistakes(format!("void main() begin {text}"));
    }

    #[test]
    fn token_soup(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..200)) {
        let soup = pieces.join(" ");
        mistakes(format!("void main() begin {soup}"));
        mistakes(soup);
    }
}
