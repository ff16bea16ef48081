//! A printed program is accepted again, and printed the same.

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::testing::{Shape, random_program};
use selvedge_program::{Program, Source, print};

const SEEDS: u64 = 300;

fn shapes() -> [Shape; 4] {
    let large = Shape { globals: 8, procs: 5, statements: 6, depth: 4, ..Shape::default() };
    [Shape::default(), Shape::boolean(), Shape::plain(), large]
}

fn printed_programs() -> impl Iterator<Item = (String, Program)> {
    shapes().into_iter().flat_map(|shape| {
        (0..SEEDS).map(move |seed| {
            let program = random_program(seed, &shape);
            (print::weave(&program), program)
        })
    })
}

#[test]
fn printed_programs_are_parsed() {
    for (text, _) in printed_programs() {
        let source = Source::new("printed.weave", text);
        let (_, diagnostics) = weave::parse(&source);
        let wrong = !diagnostics.is_empty();
        let text = source.text().to_owned();
        assert!(!wrong, "{text}\n{}", Diagnostics::new(source, diagnostics));
    }
}

#[test]
fn printing_parsing_and_checking_is_a_fixpoint() {
    for (text, _) in printed_programs() {
        let source = Source::new("printed.weave", text.clone());
        let (file, mut diagnostics) = weave::parse(&source);
        let (program, more) = check(&file, &CheckOptions::default());
        diagnostics.extend(more);
        let diagnostics = Diagnostics::new(source, diagnostics);
        let Some(program) = program else {
            if diagnostics.has_errors() {
                panic!("{text}\n{diagnostics}");
            }
            println!("skipped: the checker gives no program");
            return;
        };
        let again = print::weave(&program);
        assert!(again == text, "{text}\nis printed again as\n{again}");
    }
}
