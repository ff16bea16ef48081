//! # Calls
//! Arguments are converted to the types of parameters; those that no parameter is declared for are promoted (C11 6.5.2.2).

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::INT;
use super::builtins::is_builtin;
use super::headers::declared_by;
use super::operands::Operand;
use super::scope::Meaning;
use crate::Diagnostic;
use crate::c::tree;
use crate::c::typed::{Callee, Expr, ExprKind};
use crate::c::types::{Signature, Type};
use crate::check::similar::did_you_mean;

impl Checker<'_> {
    /// `f(x)`
    pub fn call(&mut self, callee: &tree::Expr, args: &[tree::Expr], span: Span) -> Option<Expr> {
        if let tree::ExprKind::Name(name) = &callee.kind {
            let is_defined = match self.lookup(name) {
                Some(Meaning::Function(id)) => self.known[id.index()].definition.is_some(),
                Some(_) => true,
                None => false,
            };
            if !is_defined && is_builtin(name) {
                return self.builtin(name, args, span);
            }
            if self.lookup(name).is_none() {
                self.implicit_function(name, callee.span);
            }
        }
        let operand = self.operand(callee);
        let values: Vec<Option<Expr>> = args.iter().map(|arg| self.value(arg)).collect();
        let (signature, callee, name) = match operand? {
            Operand::Function(id, _) => {
                self.reach_function(id);
                let name = self.functions[id.index()].name.clone();
                (self.known[id.index()].signature.clone(), Callee::Direct(id), name)
            }
            operand => {
                let pointer = self.rvalue(operand)?;
                let signature = match &pointer.ty {
                    Type::Pointer(to) => match &**to {
                        Type::Function(signature) => Some(signature.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(signature) = signature else {
                    let spelt = self.spell(&pointer.ty);
                    let message = format!("`{spelt}` cannot be called");
                    self.advise(callee.span, message, "only a function or a pointer to one can be");
                    return None;
                };
                let callee = match pointer.kind {
                    ExprKind::Function(id) => Callee::Direct(id),
                    kind => Callee::Pointer(Box::new(Expr { kind, ..pointer })),
                };
                (signature, callee, String::new())
            }
        };
        let args = self.arguments(&signature, values, &name, span)?;
        let ty = signature.result.clone();
        if ty != Type::Void && self.types.size(&ty).is_none() {
            self.incomplete(&ty, span);
            return None;
        }
        Some(Expr { kind: ExprKind::Call(callee, args), ty, span })
    }

    fn arguments(
        &mut self,
        signature: &Arc<Signature>,
        values: Vec<Option<Expr>>,
        name: &str,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let (given, wanted) = (values.len(), signature.params.len());
        let fits = signature.unspecified || given == wanted || given > wanted && signature.variadic;
        if !fits {
            let who =
                if name.is_empty() { "this function".to_owned() } else { format!("`{name}`") };
            let least = if signature.variadic { "at least " } else { "" };
            let plural = if wanted == 1 { "" } else { "s" };
            let are = if given == 1 { "is" } else { "are" };
            self.advise(
                span,
                format!("{who} takes {least}{wanted} argument{plural}, but {given} {are} given"),
                if given < wanted { "add what is missing" } else { "remove what is too much" },
            );
            return None;
        }
        let mut args = Vec::new();
        let mut whole = true;
        for (i, value) in values.into_iter().enumerate() {
            let value = value.and_then(|value| match signature.params.get(i) {
                Some(ty) => self.assigned(value, ty, "the parameter"),
                None if value.ty == Type::Void => {
                    self.error(value.span, "this has no value, so it is no argument");
                    None
                }
                None => Some(self.promote_argument(value)),
            });
            match value {
                Some(value) => args.push(value),
                None => whole = false,
            }
        }
        whole.then_some(args)
    }

    /// Declares a function that is called without being declared: `int f()`.
    fn implicit_function(&mut self, name: &Arc<str>, span: Span) {
        let written = tree::Name { text: name.clone(), span };
        if !self.functions_by_name.contains_key(name) {
            let known = self.scopes.iter().flat_map(|scope| &scope.names);
            let mut names: Vec<&str> = known
                .filter(|(_, (meaning, _))| matches!(meaning, Meaning::Function(_)))
                .map(|(name, _)| &**name)
                .collect();
            names.sort_unstable();
            let hint = declared_by(name).map(|header| format!("include `{header}`"));
            let hint = hint.or_else(|| did_you_mean(name, names)).unwrap_or_else(|| {
                format!("it is taken to be `int {name}()`; declare it, or include its header")
            });
            let message = format!("the function `{name}` is not declared");
            self.problems.push(Diagnostic::warning(span, message).hint(hint));
        }
        let signature = Arc::new(Signature {
            result: INT,
            params: Vec::new(),
            variadic: false,
            unspecified: true,
        });
        let id = self.add_function(&written, signature);
        if let Some(file) = self.scopes.first_mut() {
            file.names.insert(name.clone(), (Meaning::Function(id), span));
        }
    }
}
