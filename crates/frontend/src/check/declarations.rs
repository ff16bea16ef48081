//! # Declarations of local variables
//! A declaration is executed: it sets the variable to its first value. Without one the variable
//! holds any value, a thread id `none`. That is so anyway when a procedure begins; the declaration
//! is a step only if it may be executed again: inside of a loop, or after a label.

use selvedge_program::{Expr, ExprKind, LocalId, Place, Span, StmtKind, Type, Value, VarRef};

use super::expressions::Typer;
use super::items::Item;
use super::statements::{Body, Sequence};
use crate::Diagnostic;
use crate::foreign;
use crate::syntax::{self, Init, TypeKind, VarDecl};

impl<'a> Body<'_, 'a> {
    /// Checks the declaration of a local variable.
    pub fn declaration(&mut self, decl: &'a VarDecl, span: Span, sequence: &mut Sequence) {
        if self.foreign_statement(decl, span) {
            return;
        }
        let ty = self.typer.variable_type(decl);
        let ty = ty.filter(|ty| self.is_local_type(ty, decl));
        let id = self.typer.scope.add(&decl.name, ty.clone());
        if let Some(kind) = self.first_value(id, ty.as_ref(), decl) {
            sequence.push(kind, span);
        }
        self.typer.reveal(id);
    }

    /// Local variables that get their first values in one step.
    pub fn together(
        &mut self,
        variables: &'a [VarDecl],
        effect: Option<&'a syntax::Effect>,
        is_set: bool,
        span: Span,
        sequence: &mut Sequence,
    ) {
        let mut ids = Vec::new();
        for decl in variables {
            let ty = self.typer.variable_type(decl);
            let ty = ty.filter(|ty| self.is_local_type(ty, decl));
            ids.push((self.typer.scope.add(&decl.name, ty.clone()), ty, decl));
        }
        if let Some(kind) = self.first_values(&ids, effect, is_set, span) {
            sequence.push(kind, span);
        }
        // They have one place in the text: one of them is enough to say that the name is taken.
        let mut was_taken = false;
        for (id, ..) in ids {
            let is_taken = self.typer.scope.is_alive(id);
            match was_taken && is_taken {
                true => drop(self.typer.scope.reveal(id)),
                false => self.typer.reveal(id),
            }
            was_taken |= is_taken;
        }
    }

    /// The statement that sets variables at once; nothing if none is needed, or after a problem.
    fn first_values(
        &mut self,
        variables: &[(LocalId, Option<Type>, &'a VarDecl)],
        effect: Option<&'a syntax::Effect>,
        is_set: bool,
        span: Span,
    ) -> Option<StmtKind> {
        if let Some(effect) = effect {
            let place = |(id, ty, decl): &(LocalId, Option<Type>, &'a VarDecl)| {
                let (var, span) = (VarRef::Local(*id), decl.name.span);
                ty.clone().map(|ty| Place { var, indices: Vec::new(), ty, span })
            };
            let places = variables.iter().map(place).collect();
            return self.effect(places, effect);
        }
        let (mut targets, mut values, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (id, ty, decl) in variables {
            let (var, at) = (VarRef::Local(*id), decl.name.span);
            let Some(ty) = ty else { continue };
            let elements = self.typer.all_elements(var, ty, at)?;
            match &decl.init {
                Some(Init::Expr(expr)) => {
                    let given = match (&expr.kind, ty) {
                        (syntax::ExprKind::Place(place), Type::Array { .. })
                            if !self.typer.is_no_thread(place, Some(ty.scalar())) =>
                        {
                            self.typer.elements_of(expr, ty, &decl.name)
                        }
                        _ => self.typer.spread(expr, ty, &decl.name, &mut |typer, expr, scalar| {
                            typer.stored(expr, scalar, at)
                        }),
                    };
                    values.extend(given?);
                    targets.extend(elements);
                }
                _ if *ty.scalar() == Type::ThreadId => {
                    let kind = ExprKind::Const(Value::Small(0));
                    let none = Expr { kind, ty: Type::ThreadId, span: at };
                    values.extend(vec![none; elements.len()]);
                    targets.extend(elements);
                }
                _ => open.extend(elements),
            }
        }
        let has_values = variables.iter().any(|(_, _, decl)| decl.init.is_some());
        if is_set || (!has_values && self.loops == 0 && !self.after_label) {
            return None;
        }
        let set =
            (!targets.is_empty()).then_some(StmtKind::Assign { targets, values, constrain: None });
        let any = (!open.is_empty()).then_some(StmtKind::Havoc(open));
        match (set, any) {
            (Some(set), Some(any)) => {
                let one = |kind| selvedge_program::Stmt { labels: Vec::new(), kind, span };
                Some(StmtKind::Atomic(vec![one(set), one(any)]))
            }
            (set, any) => set.or(any),
        }
    }

    /// Reports `signal c;` and the like, which looks like a variable of an unknown type.
    fn foreign_statement(&mut self, decl: &'a VarDecl, span: Span) -> bool {
        let TypeKind::Named(word) = &decl.ty.kind else { return false };
        let is_type = self.typer.items.find(&word.text).is_some() || decl.init.is_some();
        let Some(operation) = foreign::operation(&word.text).filter(|_| !is_type) else {
            return false;
        };
        let message = format!("there is no `{}` statement", word.text);
        let operation = self.typer.done_with(operation, &decl.name);
        let advice = operation.advice(&[&decl.name.text]);
        self.typer.problems.push(Diagnostic::error(span, message).hint(advice));
        true
    }

    /// The statement that sets the variable; nothing if none is needed, or after a problem.
    fn first_value(
        &mut self,
        id: LocalId,
        ty: Option<&Type>,
        decl: &'a VarDecl,
    ) -> Option<StmtKind> {
        let var = VarRef::Local(id);
        let span = decl.name.span;
        match (&decl.init, ty) {
            (None, None) => None,
            (None, Some(_)) if self.loops == 0 && !self.after_label => None,
            (None, Some(ty)) if *ty.scalar() == Type::ThreadId => {
                let targets = self.typer.all_elements(var, ty, span)?;
                let none =
                    Expr { kind: ExprKind::Const(Value::Small(0)), ty: Type::ThreadId, span };
                let values = vec![none; targets.len()];
                Some(StmtKind::Assign { targets, values, constrain: None })
            }
            (None, Some(ty)) => self.typer.all_elements(var, ty, span).map(StmtKind::Havoc),
            (Some(Init::Expr(expr)), None) => {
                self.typer.infer(expr);
                None
            }
            (Some(Init::Expr(expr)), Some(ty)) => {
                let targets = self.typer.all_elements(var, ty, span)?;
                let values =
                    self.typer.spread(expr, ty, &decl.name, &mut |typer, expr, scalar| {
                        typer.stored(expr, scalar, span)
                    })?;
                Some(StmtKind::Assign { targets, values, constrain: None })
            }
            (Some(Init::Effect(effect)), ty) => {
                if let Some(Type::Array { .. }) = ty {
                    self.typer.problems.push(
                        Diagnostic::error(effect.span, "an array cannot be set to a single result")
                            .hint("declare it first, then assign to an element"),
                    );
                    return None;
                }
                let place = ty.map(|ty| Place { var, indices: Vec::new(), ty: ty.clone(), span });
                self.effect(vec![place], effect)
            }
        }
    }

    fn is_local_type(&mut self, ty: &Type, decl: &VarDecl) -> bool {
        if *ty.scalar() != Type::Lock {
            return true;
        }
        let name = &decl.name.text;
        let is_shared = matches!(self.typer.items.find(name), Some(Item::Global(_)));
        if is_shared && decl.init.is_none() && decl.dims.is_empty() {
            let message = format!("this declares a lock `{name}` of its own, and acquires nothing");
            self.typer.problems.push(
                Diagnostic::error(decl.ty.span.to(decl.name.span), message)
                    .hint(format!("write `acquire {name};` or `lock({name});`")),
            );
            return false;
        }
        self.typer.problems.push(
            Diagnostic::error(decl.name.span, format!("the lock `{name}` cannot be local"))
                .hint("a lock is there for several threads: declare it outside of the procedures"),
        );
        false
    }
}

impl Typer<'_, '_> {
    /// From here on the name of a local variable means this one; reports if it is taken.
    pub fn reveal(&mut self, id: LocalId) {
        let Err(first) = self.scope.reveal(id) else { return };
        let (local, first) = (self.scope.local(id), self.scope.local(first));
        if local.ty.is_none() {
            // Its declaration was reported, and may be none.
            return;
        }
        self.problems.push(
            Diagnostic::error(
                local.span,
                format!("there is a local variable `{}` already", local.written),
            )
            .label("declared again here")
            .related(first.span, "first declared here")
            .hint("give one of them another name"),
        );
    }
}
