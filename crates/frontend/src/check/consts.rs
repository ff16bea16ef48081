//! # Constants
//! A constant may be defined by constants that come before or after it, but not, in the end, by
//! itself. The order is found with a stack of our own: a long chain of constants is not a deep
//! recursion.

use num_bigint::BigInt;
use selvedge_program::{Span, Type, Value};

use super::expressions::Typer;
use super::items::{Item, Items};
use super::scope::{Mode, Scope};
use super::similar::did_you_mean;
use super::{CheckOptions, quoted, walk};
use crate::Diagnostic;
use crate::syntax::{Expr, ExprKind};

/// Finds the values of all constants.
pub(super) fn evaluate(items: &mut Items, options: &CheckOptions, problems: &mut Vec<Diagnostic>) {
    for position in order(items, problems) {
        let decl = items.consts[position].decl;
        let mut scope = Scope::new(Mode::Constant);
        let mut typer = Typer { items, problems, scope: &mut scope };
        let mut value =
            typer.constant(&decl.value, None, &format!("the value of `{}`", decl.name.text));
        if let (Some((ty, value)), Some(given)) = (&mut value, options.consts.get(&decl.name.text))
        {
            match replacement(ty, given) {
                Ok(new) => *value = new,
                Err(reason) => problems.push(
                    Diagnostic::error(
                        decl.name.span,
                        format!("`--const {}={given}` does not fit: {reason}", decl.name.text),
                    )
                    .label("the constant that is replaced"),
                ),
            }
        }
        items.consts[position].value = value;
    }
    unknown_replacements(items, options, problems);
}

/// The value that the command line gives to a constant.
fn replacement(ty: &Type, given: &BigInt) -> Result<Value, &'static str> {
    let value = Value::from_big(given.clone());
    match ty {
        Type::Bool if value == Value::TRUE || value == Value::FALSE => Ok(value),
        Type::Bool => Err("the constant is a truth value, so only 0 and 1 are possible"),
        Type::Machine { .. } if ty.bounds().is_some_and(|(lo, hi)| *given < lo || *given > hi) => {
            Err("the constant is a machine integer, and does not hold this")
        }
        Type::Enum(_) => Err("the constant is an enumerator, not a number"),
        _ => Ok(value),
    }
}

fn unknown_replacements(items: &Items, options: &CheckOptions, problems: &mut Vec<Diagnostic>) {
    let known: Vec<&str> = items.names(|item| matches!(item, Item::Const(_))).collect();
    for name in options.consts.keys().filter(|name| !known.contains(&name.as_str())) {
        let list = match known.as_slice() {
            [] => "the file declares none".to_owned(),
            known => format!("known constants are {}", quoted(known.iter().copied())),
        };
        let mut problem = Diagnostic::error(
            Span::default(),
            format!("`--const {name}=…`: there is no constant `{name}`; {list}"),
        );
        problem.hint = did_you_mean(name, known.iter().copied());
        problems.push(problem);
    }
}

/// All constants, those that are needed first. A cycle is reported; its members come in some order.
fn order(items: &Items, problems: &mut Vec<Diagnostic>) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut seen = vec![Visit::Not; items.consts.len()];
    let mut order = Vec::new();
    for root in 0..items.consts.len() {
        if seen[root] != Visit::Not {
            continue;
        }
        let mut stack = vec![(root, needs(items, &items.consts[root].decl.value))];
        seen[root] = Visit::Open;
        while let Some((position, open)) = stack.last_mut() {
            let position = *position;
            let Some(next) = open.pop() else {
                seen[position] = Visit::Done;
                order.push(position);
                stack.pop();
                continue;
            };
            match seen[next] {
                Visit::Done => {}
                Visit::Open => {
                    let from = stack.iter().position(|(p, _)| *p == next).unwrap_or(0);
                    let members: Vec<usize> = stack[from..].iter().map(|(p, _)| *p).collect();
                    problems.push(cycle(items, &members));
                }
                Visit::Not => {
                    seen[next] = Visit::Open;
                    stack.push((next, needs(items, &items.consts[next].decl.value)));
                }
            }
        }
    }
    order
}

fn cycle(items: &Items, members: &[usize]) -> Diagnostic {
    let name = |position: usize| &items.consts[position].decl.name;
    let first = name(members[0]);
    let mut problem = Diagnostic::error(
        first.span,
        format!("the constant `{}` is defined by itself", first.text),
    )
    .hint("give one of the constants a value that does not depend on the others");
    for &member in members[1..].iter().take(5) {
        problem = problem.related(name(member).span, "by way of this one");
    }
    problem
}

/// The constants that an expression mentions.
fn needs(items: &Items, expr: &Expr) -> Vec<usize> {
    let mut needs = Vec::new();
    walk::expressions(expr, &mut |e| {
        if let ExprKind::Place(place) = &e.kind
            && let Some(Item::Const(position)) = items.find(&place.name.text)
        {
            needs.push(position);
        }
    });
    needs.reverse();
    needs
}
