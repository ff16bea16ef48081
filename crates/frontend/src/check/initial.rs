//! # First values
//! A variable has one first value for each of its slots. A list `{1, 2, 3}` gives the elements of
//! an array one by one, anything else goes to all of them alike.

use selvedge_program::{Type, Value};

use super::counted;
use super::expressions::{Typer, not_constant};
use super::items::{Global, Items};
use super::scope::{Mode, Scope};
use super::sync;
use crate::Diagnostic;
use crate::syntax::{Expr, ExprKind, Init, Name, VarDecl};

/// Finds types and first values of the shared variables.
pub(super) fn globals(items: &mut Items, problems: &mut Vec<Diagnostic>) {
    for position in 0..items.globals.len() {
        let decl = items.globals[position].decl;
        if let Some(word) = items.word(&decl.ty) {
            sync::declare(items, position, word, problems);
            continue;
        }
        let mut scope = Scope::new(Mode::Constant);
        let mut typer = Typer { items, problems, scope: &mut scope };
        let ty = typer.variable_type(decl);
        let init = ty.as_ref().and_then(|ty| typer.first_values(decl, ty)).unwrap_or_default();
        items.globals[position] = Global { ty, init, ..Global::new(decl) };
    }
}

impl<'a> Typer<'_, 'a> {
    /// The first values of a shared variable.
    fn first_values(&mut self, decl: &'a VarDecl, ty: &Type) -> Option<Vec<Value>> {
        match &decl.init {
            None => Some(vec![unset(ty.scalar()); ty.slots()]),
            Some(Init::Expr(expr)) => {
                self.spread(expr, ty, &decl.name, &mut |typer, expr, scalar| {
                    typer.first_value(expr, scalar, decl)
                })
            }
            Some(Init::Effect(effect)) => {
                self.problems.push(
                    Diagnostic::error(
                        effect.span,
                        "the first value of a shared variable must be constant",
                    )
                    .hint("assign the result in a procedure, before other threads are started"),
                );
                None
            }
        }
    }

    fn first_value(&mut self, expr: &'a Expr, ty: &Type, decl: &'a VarDecl) -> Option<Value> {
        match (&expr.kind, ty) {
            // Not even the integers are too many here: which one it is stays open.
            (ExprKind::Any, ty) if *ty != Type::ThreadId => Some(Value::Open),
            _ => {
                let value = self.stored(expr, ty, decl.name.span)?;
                match super::fold::fold(&value, None) {
                    Ok(value) => Some(Value::from_big(value)),
                    Err(reason) => {
                        self.problems.push(
                            not_constant(reason, "the first value of a shared variable").hint(
                                "without a first value, a variable holds any value of its type",
                            ),
                        );
                        None
                    }
                }
            }
        }
    }

    /// One value for each slot of a variable: `scalar` checks a value of the element type.
    pub fn spread<T: Clone>(
        &mut self,
        expr: &'a Expr,
        ty: &Type,
        decl: &Name,
        scalar: &mut impl FnMut(&mut Self, &'a Expr, &Type) -> Option<T>,
    ) -> Option<Vec<T>> {
        if *ty.scalar() == Type::Lock {
            self.problems.push(
                Diagnostic::error(expr.span, "a lock has no first value")
                    .hint("locks are free at the start"),
            );
            return None;
        }
        let Type::Array { element, length } = ty else {
            return scalar(self, expr, ty).map(|value| vec![value]);
        };
        let ExprKind::Braces(list) = &expr.kind else {
            let one = self.spread(expr, element, decl, scalar)?;
            return Some(vec![one; *length as usize].concat());
        };
        let parts: Vec<Option<Vec<T>>> =
            list.iter().map(|part| self.spread(part, element, decl, scalar)).collect();
        if list.len() != *length as usize {
            let name = &decl.text;
            let given = counted(list.len(), "value", "values");
            let wanted = counted(*length as usize, "element", "elements");
            let message = format!("{given} for an array of {wanted}");
            let hint = match **element {
                Type::Array { .. } => format!("`{name}` needs one `{{…}}` for each row"),
                _ => "one value without braces goes to all elements".to_owned(),
            };
            self.problems.push(
                Diagnostic::error(expr.span, message)
                    .related(decl.span, "declared here")
                    .hint(hint),
            );
            return None;
        }
        let parts: Vec<Vec<T>> = parts.into_iter().collect::<Option<_>>()?;
        Some(parts.concat())
    }
}

/// The value of a slot that is not initialised.
fn unset(scalar: &Type) -> Value {
    match scalar {
        Type::Lock | Type::ThreadId => Value::Small(0),
        _ => Value::Open,
    }
}
