//! A program as `.weave` text: declarations. For statements see `weave_statements`.

use std::collections::BTreeMap;

use super::expr::{ExprPrinter, Names};
use super::names::{ProgramNames, Scope};
use super::weave_statements::StatementPrinter;
use crate::{
    Count, Expr, ExprKind, Predicate, ProcId, Procedure, Program, Span, ThreadDecl, Type, Value,
};

/// The program as `.weave` text. Parsing and checking the text gives the same program again, up
/// to the names of local variables that would hide something (see `docs/language.md`).
#[must_use]
pub fn weave(program: &Program) -> String {
    let names = ProgramNames::new(program);
    let scopes: Vec<Scope<'_>> = (program.procs.iter().enumerate())
        .map(|(id, proc)| {
            let predicates = || {
                let here = |p: &&Predicate| p.scope.is_some_and(|s| s.index() == id);
                program.predicates.iter().filter(here)
            };
            Scope::inside(&names, proc, |scope| {
                procedure(scope, "", proc, &program.texts);
                predicates().for_each(|p| drop(ExprPrinter::expr(scope, &p.expr)));
            })
        })
        .collect();
    let sections = [
        program
            .enums
            .iter()
            .enumerate()
            .map(|(id, e)| {
                let outside = Scope::outside(&names);
                let of =
                    |position| outside.constant(&Type::Enum(crate::EnumId(id as u32)), &position);
                let count = e.enumerators.len() as i64;
                let enumerators: Vec<_> = (0..count).map(|n| of(Value::Small(n))).collect();
                format!("enum {} {{ {} }}\n", names.enums[id], enumerators.join(", "))
            })
            .collect(),
        (0..program.globals.len()).map(|id| global(program, &names, id)).collect(),
        (program.procs.iter().zip(&scopes).enumerate())
            .map(|(id, (proc, scope))| {
                procedure(scope, names.proc(ProcId(id as u32)), proc, &program.texts)
            })
            .collect::<Vec<_>>()
            .join("\n"),
        (program.threads.iter().zip(&names.threads))
            .map(|(t, name)| thread(&names, name, t))
            .collect(),
        (program.predicates.iter().zip(&names.predicates))
            .map(|(p, name)| predicate(&names, &scopes, name, p))
            .collect(),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|s: &String| !s.is_empty()).collect();
    sections.join("\n")
}

/// `[2][3]` for an array.
fn dimensions(ty: &Type) -> String {
    match ty {
        Type::Array { element, length } => format!("[{length}]{}", dimensions(element)),
        _ => String::new(),
    }
}

fn global(program: &Program, names: &ProgramNames, id: usize) -> String {
    let variable = &program.globals[id];
    let name = names.global(crate::GlobalId(id as u32));
    let ty = names.scalar(&variable.ty);
    let init = match first_value(names, &variable.ty, &variable.init) {
        Some(value) => format!(" := {value}"),
        None => String::new(),
    };
    format!("{ty} {name}{}{init};\n", dimensions(&variable.ty))
}

/// The first value of a shared variable, unless it is what it is without one.
fn first_value(names: &ProgramNames, ty: &Type, slots: &[Value]) -> Option<String> {
    let default = match ty.scalar() {
        Type::Lock | Type::ThreadId => Value::Small(0),
        _ => Value::Open,
    };
    let first = slots.first().unwrap_or(&default);
    if slots.iter().all(|slot| slot == first) {
        return (*first != default).then(|| names.constant(ty, first));
    }
    Some(elements(names, ty, slots))
}

/// `{1, 2}`, or `{{1, 2}, {3, 4}}` for several dimensions.
fn elements(names: &ProgramNames, ty: &Type, slots: &[Value]) -> String {
    match ty {
        Type::Array { element, .. } => {
            let parts = slots.chunks(element.slots().max(1));
            let parts: Vec<_> = parts.map(|part| elements(names, element, part)).collect();
            format!("{{{}}}", parts.join(", "))
        }
        _ => slots.first().map_or_else(|| "*".to_owned(), |value| names.constant(ty, value)),
    }
}

fn procedure(
    scope: &Scope<'_>,
    name: &str,
    proc: &Procedure,
    texts: &BTreeMap<Span, String>,
) -> String {
    let result = match &proc.results[..] {
        [] => "void".to_owned(),
        [one] => scope.scalar(one),
        several => {
            let types: Vec<_> = several.iter().map(|ty| scope.scalar(ty)).collect();
            format!("({})", types.join(", "))
        }
    };
    let variable = |index: usize| {
        let ty = &proc.locals[index].ty;
        (scope.scalar(ty), format!("{}{}", scope.local(index), dimensions(ty)))
    };
    let params = (0..proc.params).map(variable).map(|(ty, name)| format!("{ty} {name}"));
    let params = params.collect::<Vec<_>>().join(", ");
    // Neighbours of one type are declared together.
    let mut locals: Vec<(String, String)> = Vec::new();
    for (ty, name) in (proc.params..proc.locals.len()).map(variable) {
        match locals.last_mut() {
            Some((last, names)) if *last == ty => *names += &format!(", {name}"),
            _ => locals.push((ty, name)),
        }
    }
    let mut printer = StatementPrinter::new(scope, texts);
    for (ty, names) in locals {
        printer.line(&format!("{ty} {names};"));
    }
    printer.block(&proc.body);
    format!("{result} {name}({params}) {{\n{}}}\n", printer.finish())
}

fn thread(names: &ProgramNames, name: &str, thread: &ThreadDecl) -> String {
    let scope = Scope::outside(names);
    let args: Vec<_> = thread.args.iter().map(|arg| ExprPrinter::expr(&scope, arg)).collect();
    let numbered = thread.args.iter().any(mentions_instance);
    let binder = if numbered { format!("[{}]", scope.instance()) } else { String::new() };
    let count = match thread.count {
        Count::Fixed(1) => String::new(),
        Count::Fixed(n) => format!(" * {n}"),
        Count::Any => " * any".to_owned(),
    };
    let proc = names.proc(thread.proc);
    let entry = if proc == name && args.is_empty() {
        String::new()
    } else {
        format!(" = {proc}({})", args.join(", "))
    };
    format!("thread {name}{binder}{count}{entry};\n")
}

/// Whether an argument of a thread depends on the number of the instance.
fn mentions_instance(arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Instance => true,
        ExprKind::Unary(_, a) => mentions_instance(a),
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            mentions_instance(a) || mentions_instance(b)
        }
        ExprKind::IfThenElse(a, b, c) => [a, b, c].into_iter().any(|e| mentions_instance(e)),
        ExprKind::OneOf(list) => list.iter().any(mentions_instance),
        _ => false,
    }
}

fn predicate(
    names: &ProgramNames,
    scopes: &[Scope<'_>],
    name: &str,
    predicate: &Predicate,
) -> String {
    match predicate.scope {
        Some(proc) => {
            let expr = ExprPrinter::expr(&scopes[proc.index()], &predicate.expr);
            format!("predicate {name} in {}: {expr};\n", names.proc(proc))
        }
        None => {
            let expr = ExprPrinter::expr(&Scope::outside(names), &predicate.expr);
            format!("predicate {name}: {expr};\n")
        }
    }
}
