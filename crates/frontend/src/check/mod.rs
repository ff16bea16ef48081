//! # The checker
//! From the untyped tree to the typed program: names, types, labels, constants. It finds *all*
//! mistakes in one go; a mistake that only follows from another one is not reported.
//!
//! The order of work is the order of need. Names first (`items`, `labels`), since everything
//! may be used before it is declared; then constants (`consts`), since types mention them; then
//! the types of shared variables (`initial`) and of procedures; then the bodies
//! (`procedures`, `statements`, `expressions`); then threads and predicates, which speak of
//! what is in the bodies.

mod calls;
mod consts;
mod declarations;
mod effects;
mod expressions;
mod fold;
mod indices;
mod initial;
mod items;
mod jumps;
mod labels;
mod machine;
mod names;
mod operators;
mod places;
mod predicates;
mod procedures;
mod returns;
mod scope;
pub(crate) mod similar;
mod statements;
mod sync;
#[cfg(test)]
mod tests;
mod threads;
mod types;
mod unknown;
mod unused;
pub(crate) mod walk;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use selvedge_model::Patience;
use selvedge_program::sync::WaitKind;
use selvedge_program::{EnumType, GlobalId, Program, Type, Variable};

pub use self::names::{Definition, Kind, Names};

use self::items::{Global, Items};
use self::scope::Local;
use self::sync::Role;
use crate::parts::{self, Notes, Written};
use crate::{Diagnostic, Severity, syntax};

/// Options for checking a program.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Values that replace those of `const` declarations (`--const NAME=VALUE`).
    pub consts: BTreeMap<String, BigInt>,
}

/// The result of checking a file.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program; there is one exactly if no problem is an error.
    pub program: Option<Program>,
    /// The mistakes and warnings.
    pub problems: Vec<Diagnostic>,
    /// The declarations, and the meaning of each name.
    pub names: Names,
}

/// Checks a file. There is a program exactly if no diagnostic is an error.
#[must_use]
pub fn check(file: &syntax::File, options: &CheckOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let (program, problems, _) = checked(file, options, None, |_, _, _| ());
    (program, problems)
}

/// Checks a file, as far as there is patience for it: what was found then says nothing.
pub(crate) fn check_within(
    file: &syntax::File,
    options: &CheckOptions,
    patience: &Patience,
) -> (Option<Program>, Vec<Diagnostic>) {
    let (program, problems, _) = checked(file, options, Some(patience), |_, _, _| ());
    (program, problems)
}

/// Like `check`, and also returns the names of the file.
#[must_use]
pub fn check_with_names(file: &syntax::File, options: &CheckOptions) -> Checked {
    let (program, problems, names) = checked(file, options, None, Names::collect);
    Checked { program, problems, names }
}

/// Checks a file; `look` sees what was resolved.
fn checked<T>(
    file: &syntax::File,
    options: &CheckOptions,
    patience: Option<&Patience>,
    look: impl FnOnce(&Items<'_>, &[Vec<Local<'_>>], &Notes) -> T,
) -> (Option<Program>, Vec<Diagnostic>, T) {
    let (program, problems, seen) = checked_parts(file, options, patience, look);
    (program, [file.doubts.clone(), problems].concat(), seen)
}

/// Checks a file, with its parts if it has some; `look` sees what was resolved.
fn checked_parts<T>(
    file: &syntax::File,
    options: &CheckOptions,
    patience: Option<&Patience>,
    look: impl FnOnce(&Items<'_>, &[Vec<Local<'_>>], &Notes) -> T,
) -> (Option<Program>, Vec<Diagnostic>, T) {
    if !file.has_parts {
        let nothing = Notes::default();
        return without_parts(file, options, patience, |items, locals| {
            look(items, locals, &nothing)
        });
    }
    let Written { file, mut problems, wrong, notes, uncalled } =
        parts::without_parts(file, &options.consts);
    let look = |items: &Items<'_>, locals: &[Vec<Local<'_>>]| look(items, locals, &notes);
    let (mut program, more, seen) = match uncalled.is_empty() {
        true => without_parts(&file, options, patience, look),
        false => {
            let mut all = file.clone();
            all.items.extend(uncalled);
            let (program, more, seen) = without_parts(&all, options, patience, look);
            let program =
                program.and_then(|_| without_parts(&file, options, patience, |_, _| ()).0);
            (program, more, seen)
        }
    };
    let is_repeated = |problem: &Diagnostic| {
        let span = problem.label.span;
        wrong.iter().any(|w| *w == span || (span.start < w.end && w.start < span.end))
    };
    let is_error = |problem: &Diagnostic| problem.severity == Severity::Error;
    let known = problems.iter().any(is_error);
    for problem in more {
        if known && problem.severity == Severity::Warning {
            // What is not used may be used where a mistake is.
            continue;
        }
        // The copies of a procedure have the same mistakes.
        if !(problems.contains(&problem) || known && is_repeated(&problem)) {
            problems.push(problem);
        }
    }
    if problems.iter().any(is_error) {
        program = None;
    }
    (program, problems, seen)
}

/// Checks a file without parts; `look` sees what was resolved.
fn without_parts<'a, T>(
    file: &'a syntax::File,
    options: &CheckOptions,
    patience: Option<&'a Patience>,
    look: impl FnOnce(&Items<'_>, &[Vec<Local<'_>>]) -> T,
) -> (Option<Program>, Vec<Diagnostic>, T) {
    let mut problems = Vec::new();
    let mut items = Items::collect(file, &mut problems);
    items.patience = patience;
    consts::evaluate(&mut items, options, &mut problems);
    initial::globals(&mut items, &mut problems);
    procedures::signatures(&mut items, &mut problems);
    let procedures::Bodies { procs, locals, texts } = procedures::bodies(&items, &mut problems);
    if !items.lasts() {
        let seen = look(&items, &locals);
        return (None, problems, seen);
    }
    let threads = threads::threads(&items, &mut problems);
    let predicates = predicates::predicates(&items, &locals, &mut problems);
    let unused = unused::warnings(&items);
    let seen = look(&items, &locals);
    if problems.iter().any(|p| p.severity == Severity::Error) {
        return (None, problems, seen);
    }
    let enums = items.enums.iter().map(|decl| EnumType {
        name: decl.name.text.clone(),
        enumerators: decl.enumerators.iter().map(|name| name.text.clone()).collect(),
    });
    let program = Program {
        reasons: Default::default(),
        texts,
        waited_for: waited_for(&items),
        telling: None,
        enums: enums.collect(),
        globals: items
            .globals
            .iter()
            .map(shared_variable)
            .chain(items.made.iter().cloned())
            .collect(),
        procs,
        threads,
        predicates,
    };
    problems.extend(returns::warnings(&program, patience));
    problems.extend(unused);
    (Some(program), problems, seen)
}

/// The counters of semaphores, conditions, barriers and channels.
fn waited_for(items: &Items<'_>) -> BTreeMap<GlobalId, WaitKind> {
    let mut counters = BTreeMap::new();
    for (global, id) in items.globals.iter().zip(0..) {
        let (kind, made) = match global.role {
            Role::Plain => continue,
            Role::Semaphore => (WaitKind::Semaphore, None),
            Role::Condition { called } => (WaitKind::Condition, Some(called)),
            Role::Barrier { leaving, .. } => (WaitKind::Barrier, Some(leaving)),
            Role::Channel => (WaitKind::Channel, None),
        };
        counters.extend([GlobalId(id)].into_iter().chain(made).map(|id| (id, kind)));
    }
    counters
}

fn shared_variable(global: &Global) -> Variable {
    Variable {
        name: global.decl.name.text.clone(),
        ty: global.ty.clone().unwrap_or(Type::Bool),
        init: global.init.clone(),
        counts_threads: matches!(global.role, Role::Condition { .. }),
        looks: None,
        span: global.decl.name.span,
    }
}

/// Names in backquotes, with commas.
fn quoted<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A number of things: "no values", "1 value", "2 values".
pub(crate) fn counted(number: usize, one: &str, many: &str) -> String {
    match number {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{number} {many}"),
    }
}
