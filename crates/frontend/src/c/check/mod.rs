//! # Types of a C program
//! From C as it is written ([`tree`]) to C with its types ([`typed`]).
//!
//! **Idea.** One pass over the text declares what stands outside of functions: types, variables, functions. Then a list of work
//! that starts with `main` checks the bodies of functions and the initialisers of variables that are reached, each of which may
//! name others. Headers declare thousands of things of which a program uses ten, so nothing else becomes part of the result.
//!
//! **Mistakes.** All are reported at once. An expression that is wrong has no type (`None`), and what contains it says nothing more.
//! What is right in C but not supported is [`typed::ExprKind::Unsupported`] in its place: it matters only if a run gets there.
//!
//! **Doubts.** Types do not carry `const`. Pointers and integers mix, as in C before 1999; conversions are written out, and what is probably not meant is a warning (`doubts`).

mod arithmetic;
mod assignments;
mod builtins;
mod calls;
mod constants;
mod conversions;
mod declarations;
mod designators;
mod doubts;
mod enumerations;
mod expressions;
mod fold;
mod functions;
mod headers;
mod initialisers;
mod literals;
mod operands;
mod operators;
mod parts;
mod records;
mod scope;
mod spelling;
mod statements;
mod switches;
#[cfg(test)]
mod tests;
mod variables;
mod varying;
mod words;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use self::doubts::Constant;
use self::functions::{Body, FunctionFacts};
use self::scope::Scope;
use self::variables::Global;
use super::deep::on_a_deep_stack;
use super::tree;
use super::typed::{Function, FunctionId, Object, ObjectId, Unit};
use super::types::{DataModel, Types};
use crate::Diagnostic;
use crate::check::similar::did_you_mean;

/// Expressions may be nested so deep; the parser allows less of most things.
const DEEPEST: usize = 600;

/// Gives names their meaning and expressions their types, for everything that is reached from `main`.
#[must_use]
pub fn check(unit: &tree::Unit, model: DataModel) -> (Unit, Vec<Diagnostic>) {
    on_a_deep_stack(|| check_here(unit, model))
}

fn check_here(unit: &tree::Unit, model: DataModel) -> (Unit, Vec<Diagnostic>) {
    let mut checker = Checker::new(model);
    for item in &unit.items {
        match item {
            tree::Item::Function(function) => checker.define_function(function),
            tree::Item::Declaration(declaration) => checker.file_declaration(declaration),
            tree::Item::Asm(_) => {}
        }
    }
    checker.finish_globals();
    checker.start();
    while let Some(work) = checker.work.pop() {
        match work {
            Work::Function(id) => checker.check_body(id),
            Work::Global(global) => checker.check_global(global),
        }
    }
    let Checker { types, objects, functions, problems, .. } = checker;
    (Unit { types, objects, functions }, problems)
}

/// Something that is reached and still to be checked.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// The body of a function.
    Function(FunctionId),
    /// The initialiser of a variable, by its number among the globals.
    Global(usize),
}

/// Holds scopes, types and what was reached while a unit is checked.
struct Checker<'t> {
    /// Structures and unions.
    types: Types,
    /// The mistakes so far.
    problems: Vec<Diagnostic>,
    /// The meanings of names: outside of functions first, the innermost block last.
    scopes: Vec<Scope>,
    /// Variables with linkage, also those that are never used.
    globals: Vec<Global<'t>>,
    /// Variables with linkage by name, whatever hides them.
    linked: FxHashMap<Arc<str>, usize>,
    /// Objects of the result.
    objects: Vec<Object>,
    /// Functions of the result.
    functions: Vec<Function>,
    /// Further facts about each function.
    known: Vec<FunctionFacts<'t>>,
    /// Functions by name, whatever hides them.
    functions_by_name: FxHashMap<Arc<str>, FunctionId>,
    /// Functions and objects that are reached and not checked yet.
    work: Vec<Work>,
    /// The function whose body is being checked.
    body: Option<Body>,
    /// Whether an array of variable length was met since this was last asked.
    has_variable_length: bool,
    /// What declarations say is constant, by the places of their names.
    constants: FxHashMap<Span, Constant>,
    /// How deep the expression is nested that is being checked.
    depth: usize,
}

/// The sizes of lists at some time, to forget what was added later.
struct Mark {
    objects: usize,
    work: usize,
    locals: usize,
    problems: usize,
}

impl Checker<'_> {
    fn new(model: DataModel) -> Self {
        Checker {
            types: Types { model, ..Types::default() },
            problems: Vec::new(),
            scopes: vec![Scope::default()],
            globals: Vec::new(),
            linked: FxHashMap::default(),
            objects: Vec::new(),
            functions: Vec::new(),
            known: Vec::new(),
            functions_by_name: FxHashMap::default(),
            work: Vec::new(),
            body: None,
            has_variable_length: false,
            constants: FxHashMap::default(),
            depth: 0,
        }
    }

    /// Reaches `main`, or says that there is none.
    fn start(&mut self) {
        let main = self.functions_by_name.get("main").copied();
        match main.filter(|id| self.known[id.index()].definition.is_some()) {
            Some(id) => {
                self.reach_function(id);
                // Who returns from `main` calls `exit`, which calls what `atexit` was given.
                let defined = |name: &str| {
                    let id = self.functions_by_name.get(name).copied();
                    id.filter(|id| self.known[id.index()].definition.is_some())
                };
                if let (Some(_), Some(exit)) = (defined("atexit"), defined("exit")) {
                    self.reach_function(exit);
                }
            }
            None => {
                let defined = self.functions.iter().zip(&self.known);
                let defined = defined.filter(|(_, known)| known.definition.is_some());
                let names: Vec<(&str, Span)> =
                    defined.map(|(function, _)| (function.name.as_str(), function.span)).collect();
                let similar = did_you_mean("main", names.iter().map(|(name, _)| *name));
                let quoted =
                    |name: &str| similar.as_ref().is_some_and(|s| s.contains(&format!("`{name}`")));
                let place = names.iter().find(|(name, _)| quoted(name)).map(|(_, span)| *span);
                let hint = match similar {
                    Some(_) => "the program starts there; is this one meant?",
                    None => {
                        "the program starts there: write `int main(void) { … }`, or give the file that has it"
                    }
                };
                self.problems.push(
                    Diagnostic::error(place.unwrap_or_default(), "there is no function `main`")
                        .hint(hint),
                );
            }
        }
    }

    /// Reports a mistake.
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Diagnostic::error(span, message));
    }

    /// Reports a mistake, and what to do about it.
    fn advise(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Diagnostic::error(span, message).hint(hint));
    }

    /// Remembers how much there is.
    fn mark(&self) -> Mark {
        Mark {
            objects: self.objects.len(),
            work: self.work.len(),
            locals: self.body.as_ref().map_or(0, |body| body.locals.len()),
            problems: self.problems.len(),
        }
    }

    /// Forgets what was reached since the mark, because it is never evaluated: the operand of `sizeof`, say. What is wrong with it stays.
    fn forget(&mut self, mark: &Mark) {
        self.objects.truncate(mark.objects);
        for work in self.work.drain(mark.work..) {
            match work {
                Work::Function(id) => self.known[id.index()].reached = false,
                Work::Global(global) => self.globals[global].object = None,
            }
        }
        if let Some(body) = &mut self.body {
            body.locals.truncate(mark.locals);
        }
    }

    /// Does something whose mistakes are not reported, and which reaches nothing.
    fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.mark();
        let result = f(self);
        self.forget(&mark);
        self.problems.truncate(mark.problems);
        result
    }

    /// Adds an object to the result.
    fn add_object(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId(number(self.objects.len() - 1))
    }
}

/// A number of things as an id. A text has less than 4 GiB, and each thing takes a byte of it.
fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
