//! Programs that are right: those of the language reference, and what becomes of declarations,
//! labels, constants and predicates.

mod made_of_others;
mod reference;
mod results;
mod soup;
mod with_parts;
mod words;

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::{Program, Source};

/// The program of a text that is right.
fn program(text: &str) -> Program {
    program_with(text, &CheckOptions::default())
}

/// The same, with what the command line says.
fn program_with(text: &str, options: &CheckOptions) -> Program {
    let source = Source::new("t.weave", text);
    let (file, syntax) = weave::parse(&source);
    let (program, problems) = check(&file, options);
    let found = Diagnostics::new(source, [syntax, problems].concat());
    assert_eq!(found.list, [], "{found}");
    program.expect("there is a program if there is no problem")
}
