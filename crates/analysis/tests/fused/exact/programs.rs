//! Random programs of several kinds, and the examples.

use std::sync::Arc;

use selvedge_frontend::{Input, LoadOptions, parse};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Count, Program, ThreadCounts, print};

use crate::fused::generated::{random_locked, random_ring};
use crate::support;

/// The features that the sample has to have, each with the words that show it in a program's text.
pub(super) const FEATURES: [(&str, &[&str]); 14] = [
    ("locks", &["acquire m", "acquire n", "acquire k", "acquire lock", "lock("]),
    ("arrays of locks", &["acquire k[", "acquire s["]),
    ("trylock", &["trylock("]),
    ("local computation", &["l := (l", "l := 2;", "i := 1 - i"]),
    ("recursion", &["inside();", "deep(me", "grow(me", "dive(2)", "down(1)", "sum(me"]),
    ("arrays", &["d[i]", "cell[", "a[x"]),
    ("started threads", &["async "]),
    ("joins", &["join "]),
    ("asserts on locals", &["assert l"]),
    ("conditions", &["wait w, m", "notify"]),
    ("channels", &["send(c", "receive(c"]),
    ("cas", &["cas("]),
    (
        "sections that call",
        &["atomic { deep", "atomic { inside", "atomic { l := sum", "atomic { raise"],
    ),
    ("parameters that stand for others", &["with(m", "with(k", "put(cell", "put(s["]),
];

/// A random program of one of several kinds.
pub(super) fn program(seed: u64) -> (Program, String) {
    let shapes = [
        Shape { locals: 3, boolean_programs: false, jumps: false, ..Shape::default() },
        Shape { locals: 3, statements: 4, boolean_programs: false, ..Shape::default() },
        Shape { thread_ids: true, chosen_indices: true, ..Shape::default() },
    ];
    let text = match seed % 4 {
        0 => {
            let program = random_program(seed, &shapes[(seed / 4 % 3) as usize]);
            let text = print::weave(&program);
            return (program, text);
        }
        1 | 2 => random_locked(seed),
        _ => random_ring(seed),
    };
    (support::read_weave(&text), text)
}

/// The program of an example, with what its options say of it; `None` if it is asked about in another way.
pub(super) fn example(
    file: &str,
    text: &str,
    options: &str,
) -> Option<(Arc<Program>, ThreadCounts)> {
    let (mut load, mut counts) = (LoadOptions::default(), ThreadCounts::default());
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let mut named = || words.next().and_then(|named| named.split_once('='));
        match word {
            "--deadlock" | "--no-deadlock" | "--none-ended" => {}
            "--fairness" => _ = words.next(),
            "--threads" => {
                let (name, number) = named()?;
                counts.insert(name.to_owned(), number.parse().ok()?);
            }
            "--const" => {
                let (name, value) = named()?;
                let value = match value {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().ok()?,
                };
                load.check.consts.insert(name.to_owned(), value.into());
            }
            _ => return None,
        }
    }
    let Ok(Input::Program { program, .. }) = parse(file.as_ref(), text.to_owned(), &load) else {
        return None;
    };
    for any in program.threads.iter().filter(|thread| thread.count == Count::Any) {
        counts.entry(any.name.clone()).or_insert(1);
    }
    Some((program, counts))
}
