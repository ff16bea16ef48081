//! Programs that are right: those of the language reference, and what becomes of declarations,
//! labels, constants and predicates.

mod made_of_others;
mod reference;
mod results;
mod soup;
mod with_parts;
mod words;

use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostic, Diagnostics, weave};
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
    // What a small program is about is often no more than a declaration, or a call.
    let is_small = |problem: &Diagnostic| {
        let tells = |words| problem.message.contains(words);
        tells("is never acquired") || tells("this call never comes back")
    };
    let problems: Vec<_> = problems.into_iter().filter(|problem| !is_small(problem)).collect();
    let found = Diagnostics::new(source, [syntax, problems].concat());
    assert_eq!(found.list, [], "{found}");
    program.expect("there is a program if there is no problem")
}
