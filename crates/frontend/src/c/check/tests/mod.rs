//! # Tests of the checker

mod expressions;
mod gcc;
mod gcc_objects;
mod initial;
mod mistakes;
mod programs;
mod robust;
mod show;

use std::fmt::Write;

use crate::c::typed::Unit;
use crate::c::types::DataModel;
use crate::c::{check, parse};
use crate::{Diagnostic, Severity};

/// Parses and checks a text that the parser accepts.
fn checked(text: &str, model: DataModel) -> (Unit, Vec<Diagnostic>) {
    let (tree, problems) = parse(text);
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    check(&tree, model)
}

/// Checks a text without mistakes.
fn right(text: &str, model: DataModel) -> Unit {
    let (unit, problems) = checked(text, model);
    let wrong: Vec<&Diagnostic> =
        problems.iter().filter(|p| p.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{text}");
    unit
}

/// What `main` does, as text; for 32 bits.
fn main_of(text: &str) -> String {
    let unit = right(text, DataModel::Ilp32);
    let main = unit.functions.iter().find(|function| function.name == "main").unwrap();
    show::function(&unit, main)
}

/// All objects with their types and first values, as text.
fn objects_of(text: &str, model: DataModel) -> String {
    let unit = right(text, model);
    let mut shown = String::new();
    for object in &unit.objects {
        let (ty, init) = (show::ty(&unit, &object.ty), show::parts(&unit, &object.init));
        writeln!(shown, "{ty} {} = {init}", object.name).unwrap();
    }
    shown
}

/// What is wrong with a text: message, hint, and the text it is about.
fn mistakes(text: &str) -> String {
    let (_, mut problems) = checked(text, DataModel::Ilp32);
    problems.sort_by_key(|problem| problem.label.span.start);
    let mut shown = String::new();
    for problem in problems {
        let span = problem.label.span;
        let about = &text[span.start as usize..span.end as usize];
        let word = if problem.severity == Severity::Error { "error" } else { "warning" };
        write!(shown, "{word} at `{about}`: {}", problem.message).unwrap();
        for related in &problem.related {
            let span = related.span;
            let there = &text[span.start as usize..span.end as usize];
            write!(shown, " [`{there}`: {}]", related.text).unwrap();
        }
        match &problem.hint {
            Some(hint) => writeln!(shown, "; {hint}").unwrap(),
            None => writeln!(shown).unwrap(),
        }
    }
    shown
}
