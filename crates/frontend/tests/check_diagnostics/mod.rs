//! What the checker says about wrong programs: one small program for each kind of mistake, and the
//! whole message as a person sees it.

mod constants;
mod effects;
mod expressions;
mod foreign;
mod jumps;
mod machine;
mod names;
mod newcomers;
mod parts;
mod predicates;
mod recursion;
mod statements;
mod synchronisation;
mod threads;
mod types;
mod unused;

use expect_test::Expect;
use selvedge_frontend::check::{CheckOptions, check};
use selvedge_frontend::{Diagnostics, weave};
use selvedge_program::Source;

/// A mistake: what it is, a program that makes it, and what is said about it.
type Case<'a> = (&'a str, &'a str, Expect);

/// Checks each program and compares what is said.
fn diagnose<const N: usize>(cases: [Case; N]) {
    diagnose_with(&CheckOptions::default(), cases);
}

/// The same, with what the command line says.
fn diagnose_with<const N: usize>(options: &CheckOptions, cases: [Case; N]) {
    for (mistake, text, expected) in cases {
        let source = Source::new("t.weave", text);
        let (file, syntax) = weave::parse(&source);
        assert_eq!(syntax, [], "{mistake}: the syntax is meant to be right");
        let (program, problems) = check(&file, options);
        assert!(!problems.is_empty(), "{mistake}: not found");
        let found = Diagnostics::new(source, problems);
        assert_eq!(program.is_none(), found.has_errors(), "{mistake}: a program or an error");
        expected.assert_eq(&found.to_string());
    }
}
