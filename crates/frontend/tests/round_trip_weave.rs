//! A printed program is accepted again, and printed the same.

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Program, Source, print};

fn shapes() -> [Shape; 6] {
    let large = Shape { globals: 8, procs: 5, statements: 6, depth: 4, ..Shape::default() };
    let fair = Shape { fair: true, ..Shape::plain() };
    let machine = Shape { machine: true, ..large.clone() };
    [Shape::default(), Shape::boolean(), Shape::plain(), large, fair, machine]
}

/// The program that a text means; panics with the text if it is not accepted.
fn read(text: &str) -> Program {
    let source = Source::new("printed.weave", text);
    let (file, mut diagnostics) = weave::parse(&source);
    let (program, more) = check(&file, &CheckOptions::default());
    diagnostics.extend(more);
    let diagnostics = Diagnostics::new(source, diagnostics);
    assert!(!diagnostics.has_errors(), "{text}\n{diagnostics}");
    program.expect("a program, since there are no errors")
}

/// Prints and reads the programs of these seeds in all shapes.
fn round_trips(seeds: std::ops::Range<u64>) {
    for shape in shapes() {
        for seed in seeds.clone() {
            let text = print::weave(&random_program(seed, &shape));
            let again = print::weave(&read(&text));
            assert!(again == text, "seed {seed}:\n{text}\nis printed again as\n{again}");
        }
    }
}

/// `SELVEDGE_SEEDS=10000` makes it thorough.
#[test]
fn printing_parsing_and_checking_is_a_fixpoint() {
    let seeds = std::env::var("SELVEDGE_SEEDS").ok().and_then(|n| n.parse().ok());
    round_trips(0..seeds.unwrap_or(300));
}
