//! Examples with mistakes: each file of `examples/` and each seed of the fuzz targets is read as it
//! is, and then many times with pieces left out, repeated, exchanged or put in from elsewhere. The same
//! mutations in each run; `SELVEDGE_MUTANTS` and `scripts/fuzz` look further.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use selvedge_frontend::testing::{
    survive_bp, survive_c, survive_c_whole, survive_tables, survive_weave,
};

/// How many mutants are made of the texts of one language; `SELVEDGE_MUTANTS=100000` looks further.
fn mutants() -> usize {
    std::env::var("SELVEDGE_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000)
}

/// Longer texts are not mutated, only read: short ones show the same in less time.
const LONGEST: usize = 6000;

fn collect(folder: &Path, keep: &dyn Fn(&Path) -> bool, texts: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, keep, texts);
        } else if keep(&path) {
            texts.push(fs::read_to_string(&path).unwrap());
        }
    }
}

/// The examples with an ending.
fn examples(ending: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut texts = Vec::new();
    collect(&root, &|path| path.extension().is_some_and(|e| e == ending), &mut texts);
    texts
}

/// The seeds of a fuzz target.
fn seeds(target: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut texts = Vec::new();
    collect(&root, &|_| true, &mut texts);
    texts
}

/// The pieces of a text: words, numbers, single other characters, white space.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if last.is_some_and(|last| last != kind(c) || last == 2) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(kind(c));
    }
    pieces.push(&text[start..]);
    pieces
}

const ODD: &[&str] = &[
    "\0",
    "\u{feff}",
    "é",
    "99999999999999999999",
    "-",
    "(",
    "{",
    "/*",
    "\"",
    "'",
    "\r",
    "0",
    "*",
    ";",
    ":",
    "\u{2028}",
    "#",
    "..",
    "end",
    "}",
];

/// A text with a few pieces changed; some of them come from another text.
fn mutate(text: &str, other: &str, random: &mut fastrand::Rng) -> String {
    let mut list = pieces(text);
    let others = pieces(other);
    for _ in 0..random.usize(1..5) {
        let at = random.usize(..list.len().max(1)).min(list.len());
        let end = (at + random.usize(1..8)).min(list.len());
        match random.u8(..7) {
            0 => drop(list.drain(at..end)),
            1 => list.insert(at, ODD[random.usize(..ODD.len())]),
            2 => list.insert(at, others[random.usize(..others.len())]),
            3 => list.truncate(at),
            4 => {
                let copy: Vec<&str> = list[at..end].to_vec();
                let to = random.usize(..=list.len());
                list.splice(to..to, copy);
            }
            5 if !list.is_empty() => {
                let with = random.usize(..list.len());
                list.swap(at, with);
            }
            _ => {
                let from = random.usize(..others.len());
                let until = (from + random.usize(1..20)).min(others.len());
                list.splice(at..end, others[from..until].iter().copied());
            }
        }
    }
    list.concat()
}

fn try_all(texts: &[String], survive: &(dyn Fn(&str) + std::panic::RefUnwindSafe)) {
    try_some(texts, mutants(), survive);
}

fn try_some(
    texts: &[String],
    mutants: usize,
    survive: &(dyn Fn(&str) + std::panic::RefUnwindSafe),
) {
    let read = |text: &str| {
        if let Err(panic) = panic::catch_unwind(|| survive(text)) {
            eprintln!("this text was read:\n{text}");
            panic::resume_unwind(panic);
        }
    };
    assert!(!texts.is_empty(), "there is nothing to mutate");
    texts.iter().for_each(|text| read(text));
    let short: Vec<&String> = texts.iter().filter(|t| t.len() <= LONGEST).collect();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..mutants {
        let text = short[random.usize(..short.len())];
        let other = short[random.usize(..short.len())];
        read(&mutate(text, other, &mut random));
    }
}

#[test]
fn weave() {
    let texts = [examples("weave"), seeds("weave")].concat();
    try_all(&texts, &survive_weave);
}

#[test]
fn bp() {
    let texts = [examples("bp"), seeds("bp")].concat();
    try_all(&texts, &survive_bp);
}

#[test]
fn tables() {
    let cpds = examples("cpds").into_iter().map(|text| format!("c{text}"));
    let texts: Vec<String> = cpds.chain(seeds("tables")).collect();
    try_all(&texts, &survive_tables);
}

#[test]
fn c() {
    let texts = [examples("c"), seeds("c")].concat();
    try_all(&texts, &survive_c);
}

/// What the headers declare that the examples include, as far as they use it.
const HEADERS: &str = include_str!("mutations.h");

/// Examples in C become programs, or are refused, whatever is done to them.
#[test]
fn c_as_programs() {
    let without_headers = |text: String| {
        let (directives, lines): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        let defined = directives.iter().filter_map(|line| line.strip_prefix("#define "));
        let defined: Vec<(&str, &str)> = defined.filter_map(|line| line.split_once(' ')).collect();
        let meant = |piece| match piece {
            "NULL" => "((void *) 0)",
            _ if piece.ends_with("_INITIALIZER") => "{ 0 }",
            _ => defined.iter().find(|(name, _)| *name == piece).map_or(piece, |(_, is)| *is),
        };
        let text = lines.join("\n");
        HEADERS.to_owned() + &pieces(&text).into_iter().map(meant).collect::<String>()
    };
    let texts: Vec<String> = examples("c").into_iter().map(without_headers).collect();
    let right = |text: &&String| {
        let source = selvedge_program::Source::new("any.i", text.as_str());
        selvedge_frontend::c::read(&source, &selvedge_frontend::c::Settings::default()).0.is_some()
    };
    assert!(texts.iter().filter(right).count() > 20, "the examples without headers are right");
    try_some(&texts, mutants() / 10, &survive_c_whole);
}

/// Each seed of C ends after each of its pieces, and lacks each of them.
#[test]
fn c_with_each_piece_left_out() {
    for text in seeds("c") {
        let (_, mistakes) = selvedge_frontend::c::parse(&text);
        assert_eq!(mistakes, [], "a seed is right");
        let list = pieces(&text);
        for at in 0..list.len() {
            survive_c(&list[..at].concat());
            survive_c(&[&list[..at], &list[at + 1..]].concat().concat());
        }
    }
}
