//! Random texts: the parser answers, whatever they are.

use proptest::prelude::*;
use selvedge_program::Source;

use crate::Diagnostics;
use crate::weave::parse;

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "const", "enum", "var", "shared", "local", "void", "proc", "thread", "predicate", "bool", "int", "u8", "i64",
    "lock", "mutex", "tid", "skip", "havoc", "constrain", "if", "else", "while", "either", "goto",
    "break", "continue", "return", "assume", "wait", "assert", "atomic", "atomic_begin",
    "atomic_end", "acquire", "release", "unlock", "call", "async", "join", "start_thread",
    "end_thread", "trylock", "cas", "fetch_and_add", "true", "false", "none", "schoose", "forall",
    "exists", "or", "and", "not", "in", "at", "self", "pc", "any", "for", "x", "y", "f", "L", "0",
    "1", "42", "7up", "||", "&&", "!", "^", "&", "|", "~", "<<", ">>", "==>", "==", "!=", "<", "<=", ">",
    ">=", "+", "-", "*", "/", "%", "?", ":=", "=", "++", "--", "+=", "-=", "*=", "(", ")", "[", "]", "{", "}", "(", ")",
    "{", "}", ";", ";", ";", ",", ":", ".", "..", "'", "#", "\n", "\n", "// c\n", "/*", "*/", "@",
    "semaphore", "semaphore[0..2]", "condition", "barrier", "notify", "all", "wait x, y", "é", "≠", "∧", "i.x", "i.at L", "x :=", "f(", "void f() {", "bool x", "if (x)", "int[0..3]", "u8(",
];

/// Parses, renders what is wrong, and checks what holds for every text.
fn answers(text: &str) {
    let source = Source::new("soup.weave", text);
    let (file, diagnostics) = parse(&source);
    let starts = diagnostics.iter().map(|d| d.label.span.start);
    assert!(starts.is_sorted(), "diagnostics are in order");
    for diagnostic in &diagnostics {
        let span = diagnostic.label.span;
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{diagnostic:?}");
        assert!(text.is_char_boundary(span.start as usize));
        assert!(text.is_char_boundary(span.end as usize));
    }
    let _ = super::show::file(&file);
    let _ = Diagnostics::new(source, diagnostics).render(false);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        answers(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn characters(text in "\\PC{0,200}") {
        answers(&text);
    }

    #[test]
    fn words(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..120)) {
        answers(&words.join(" "));
    }

    #[test]
    fn words_in_a_body(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..120)) {
        answers(&format!("void f() {{ {} }}", words.join(" ")));
    }

    #[test]
    fn words_without_spaces(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)) {
        answers(&words.concat());
    }
}
