//! Whatever the input, the parser comes back, after not much more work than as much ordinary text takes, and
//! says something short.

use std::sync::OnceLock;
use std::time::Duration;

use proptest::prelude::*;

use crate::c::{Lines, on_a_deep_stack, parse};
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
        let statement = "if (a && !b) x = a + (b - c) * f(d);\n";
        let body = statement.repeat(MEGABYTE / TEXTS / statement.len());
        let text = format!("void f(void) {{\n{body}}}\n");
        on_a_deep_stack(|| effort::of(|| assert!((0..TEXTS).all(|_| parse(&text).1.is_empty()))))
    });
    TIMES * *ordinary
}

/// Parses and drops a text without much effort; gives the number of mistakes.
fn mistakes(text: &str) -> usize {
    // Effort is that of one thread.
    on_a_deep_stack(|| effort::within(most(), format!("{text:.40}"), || looked_at(text)))
}

fn looked_at(text: &str) -> usize {
    let (unit, diagnostics) = parse(text);
    let lines = Lines::new("any.c", text);
    drop(unit);
    for d in &diagnostics {
        for label in d.related.iter().chain([&d.label]) {
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(text.get(start..end).is_some(), "a place inside the text: {d:?}");
            assert!(lines.place(label.span.start).1 > 0);
        }
        assert!(d.message.len() < 200, "a short message: {}", d.message);
    }
    assert!(diagnostics.is_sorted_by_key(|d| d.label.span.start));
    diagnostics.len()
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn a_megabyte_of_one_thing_is_one_mistake() {
    for part in [
        "(",
        "!",
        "- ",
        "(int)",
        "a ? ",
        "a ? b : ",
        "a = ",
        "f(",
        "a[",
        "({",
        "sizeof ",
        "sizeof (int) {",
        "a || b && c | d ^ e & f == g < h << i + j * (",
        "a + ",
        "a, ",
        "({ if (",
        "__extension__ ",
        "_Generic(a, int: ",
    ] {
        let text = part.repeat(MEGABYTE / part.len());
        assert_eq!(mistakes(&format!("void f(void) {{ x = {text}")), 1, "for many {part}");
    }
    for part in [
        "{",
        "if (a) ",
        "while (a) {",
        "do ",
        "for (;;) ",
        "switch (a) ",
        "a: ",
        "case 1: ",
        "if (a) ; else ",
        "if (a) {} else ",
        "int f(void) {",
        "struct { ",
        "for (int i = ({ ",
    ] {
        let text = part.repeat(MEGABYTE / part.len());
        assert_eq!(mistakes(&format!("void f(void) {{ {text}")), 1, "for many {part}");
    }
    for part in [
        "struct {",
        "int (",
        "int (*f)(",
        "int f(int (",
        "int x = {",
        "typeof(",
        "int x[sizeof(int[",
        "enum { A = ({",
        "_Atomic(",
    ] {
        let text = part.repeat(MEGABYTE / part.len());
        assert_eq!(mistakes(&text), 1, "for many {part}");
    }
    assert_eq!(mistakes(&format!("int {}x;", "*".repeat(MEGABYTE))), 0, "pointers are no nesting");
    assert_eq!(mistakes(&"@".repeat(MEGABYTE)), 1);
}

#[test]
fn much_of_anything_ends() {
    for part in [
        "@ ",
        ")",
        "}",
        "; ",
        "void ",
        "int x",
        "int x = 1, ",
        "f(",
        "f() ",
        "if ",
        "if (x) a ",
        "else ",
        "'",
        "\"",
        "a: ",
        "goto ",
        "x, ",
        "* ",
        "/*",
        "//",
        "\n",
        "1 ",
        "struct s ",
        "struct s {",
        "struct s { int x; } ",
        "enum {",
        "enum { A, ",
        "[[",
        "[[a]] ",
        "__attribute__((",
        "__attribute__((; ",
        "__attribute__((a)) ",
        "asm(",
        "asm(\"\" : ",
        "#",
        "# 1 \"x\"\n",
        "#define x\n",
        "\\\n",
        "T x; ",
        "T *x; ",
        "int f(a, b",
        "int f(a) ",
        "_Static_assert(",
        ". ",
        "... ",
        "case ",
        "x = {",
        "[1] = ",
        "\"a\" ",
        "'a' ",
        "0x",
        "1e",
        "99999999999999999999999",
        "typedef int T; ",
        "typedef ",
        "__extension__ ",
        "sizeof(",
        "({ ",
        "({ }) ",
        "_Generic(",
        "return ",
        "}{",
        "){",
        "int main() {",
        "# ",
        "x # 1\n",
        "\0",
        "é ",
        "int é; ",
        "\"\\",
        "'\\",
        "L",
        "u8\"",
    ] {
        let text = part.repeat(MEGABYTE / 8 / part.len());
        mistakes(&format!("void f(void) {{ {text}"));
        mistakes(&text);
    }
}

#[test]
fn what_is_just_allowed_is_read_and_dropped() {
    let body = |text: String| mistakes(&format!("void f(void) {{ {text} }}"));
    let depth = 190;
    assert_eq!(body(format!("{}a{};", "(".repeat(depth), ")".repeat(depth))), 0);
    // As many frames as there can be for a level.
    let all = "a ? b : c || b && c | d ^ e & f == g < h << i + j * (";
    let levels = 75;
    assert_eq!(body(format!("{}a{};", all.repeat(levels), ")".repeat(levels))), 0);
    assert_eq!(body(format!("{}a;", "!".repeat(depth))), 0);
    assert_eq!(body(format!("{}a{};", "f(".repeat(depth), ")".repeat(depth))), 0);
    assert_eq!(body(format!("{}a;{}", "({ ".repeat(60), "; });".repeat(60))), 0);
    assert_eq!(body(format!("{};{}", "if (a) {".repeat(90), "}".repeat(90))), 0);
    assert_eq!(body(format!("{};", "if (a) ; else ".repeat(900))), 0);
    assert_eq!(body(format!("{};", "case 1: ".repeat(900))), 0);
    assert_eq!(body(format!("a{};", " - b".repeat(900))), 0);
    assert_eq!(body(format!("a{};", ".b".repeat(900))), 0);
    assert_eq!(mistakes(&format!("{}int x;{}", "struct {".repeat(90), "} y;".repeat(90))), 0);
    assert_eq!(mistakes(&format!("int a = {}1{};", "{".repeat(depth), "}".repeat(depth))), 0);
    // Many of them side by side are no nesting.
    assert_eq!(body("a = b + (c - d); x.y = 1, z = 2;".repeat(10_000)), 0);
}

/// Pieces of programs, for soup.
const PIECES: &[&str] = &[
    "int",
    "unsigned",
    "char",
    "void",
    "struct",
    "union",
    "enum",
    "typedef",
    "extern",
    "static",
    "const",
    "_Atomic",
    "typeof",
    "__attribute__((packed))",
    "__extension__",
    "_Static_assert",
    "if",
    "else",
    "while",
    "do",
    "for",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "continue",
    "return",
    "asm",
    "__label__",
    "sizeof",
    "_Generic",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ";",
    ",",
    ":",
    "?",
    ".",
    "->",
    "...",
    "=",
    "+=",
    "++",
    "+",
    "*",
    "&",
    "&&",
    "!",
    "<",
    "==",
    "x",
    "y",
    "T",
    "f(",
    "1",
    "0x",
    "'a'",
    "\"s\"",
    "\n",
    "#",
    "/*",
    "//",
    "@",
    "é",
    "class",
    "bool",
    "l:",
    "[[",
    "({",
    "})",
    "int x = 1;",
    "void f(void) {",
    "typedef int T;",
    "struct s { int a; };",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        mistakes(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_characters(text in "\\PC{0,200}") {
        mistakes(&format!("void main(void) {{ {text}"));
    }

    #[test]
    fn token_soup(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..200)) {
        let soup = pieces.join(" ");
        mistakes(&format!("void main(void) {{ {soup}"));
        mistakes(&soup);
    }
}
