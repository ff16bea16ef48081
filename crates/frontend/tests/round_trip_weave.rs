//! A printed program is accepted again, and printed the same.

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostic, Diagnostics, Severity, weave};
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

/// Random programs contain constants that never fit; the checker says so, and rightly.
fn is_about_a_constant(diagnostic: &Diagnostic) -> bool {
    let about = ["there is no integer from", "is outside of", "divides by zero"];
    about.iter().any(|text| diagnostic.message.contains(text))
}

#[test]
fn printing_parsing_and_checking_is_a_fixpoint() {
    let (mut accepted, mut refused) = (0, 0);
    for (text, _) in printed_programs() {
        let source = Source::new("printed.weave", text.clone());
        let (file, mut diagnostics) = weave::parse(&source);
        let (program, more) = check(&file, &CheckOptions::default());
        diagnostics.extend(more);
        diagnostics.retain(|d| d.severity == Severity::Error);
        match program {
            Some(program) => {
                let again = print::weave(&program);
                assert!(again == text, "{text}\nis printed again as\n{again}");
                accepted += 1;
            }
            None => {
                let mistake =
                    diagnostics.is_empty() || !diagnostics.iter().all(is_about_a_constant);
                assert!(!mistake, "{text}\n{}", Diagnostics::new(source, diagnostics));
                refused += 1;
            }
        }
    }
    // Most are accepted, or this test would say little. When it was written, 933 were and 267 not.
    assert!(accepted > 2 * refused, "{accepted} programs are accepted, {refused} refused");
}
