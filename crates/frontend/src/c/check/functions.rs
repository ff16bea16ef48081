//! # Functions
//! What is declared of a function, and its body, which is checked once it is reached.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use selvedge_program::Span;

use super::arithmetic::INT;
use super::conversions::unsupported;
use super::literals::VARIABLE_LENGTH;
use super::scope::{Meaning, Scope};
use super::switches::Cases;
use super::words::has_attribute;
use super::{Checker, Work, number};
use crate::Diagnostic;
use crate::c::tree::{self, Derived, Name, Storage};
use crate::c::typed::{Function, FunctionId, LabelId, Local, LocalId, Stmt, StmtKind};
use crate::c::types::{Signature, Type};
use crate::check::similar::did_you_mean;

/// Facts about a function that are only needed while it is checked.
#[derive(Clone, Debug)]
pub(super) struct FunctionFacts<'t> {
    /// Its type.
    pub signature: Arc<Signature>,
    /// Its body, if there is one.
    pub definition: Option<&'t tree::Function>,
    /// Whether it is reached from `main`.
    pub reached: bool,
    /// Whether a parameter is a pointer to arrays whose length is not constant.
    pub has_variable_length: bool,
}

/// The function whose body is being checked.
#[derive(Debug)]
pub(super) struct Body {
    /// Its name.
    pub name: String,
    /// The type of its result.
    pub result: Type,
    /// Parameters and local variables so far.
    pub locals: Vec<Local>,
    /// Labels so far.
    pub labels: Vec<Label>,
    /// Labels by name.
    pub labels_by_name: FxHashMap<Arc<str>, LabelId>,
    /// How many loops there are around this place.
    pub loops: usize,
    /// The `switch` statements around this place, the innermost last.
    pub switches: Vec<Cases>,
}

/// A label of a function.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// Its name.
    pub name: Arc<str>,
    /// Where it stands, once that is known.
    pub place: Option<Span>,
    /// Where it was first named.
    pub named: Span,
}

impl<'t> Checker<'t> {
    /// Declares a function that has a body. The body is checked if somebody calls it.
    pub fn define_function(&mut self, function: &'t tree::Function) {
        let Some(name) = &function.declarator.name else { return };
        self.has_variable_length = false;
        let base = self.specified(&function.specifiers);
        let ty = base.and_then(|base| self.declared_type(base, &function.declarator));
        let Some(Type::Function(signature)) = ty else {
            if ty.is_some() {
                self.error(name.span, format!("`{}` has a body, but is no function", name.text));
            }
            self.bind(name, Meaning::Wrong);
            return;
        };
        self.doubt_result_type(function);
        self.note_constant_parameters(&function.declarator);
        let mut locals = named_parameters(&signature, &function.declarator.derived);
        let signature = if function.old_style.is_empty() {
            signature
        } else {
            self.old_style(&function.old_style, &mut locals);
            let params = locals.iter().map(|local| local.ty.clone()).collect();
            Arc::new(Signature { params, unspecified: true, ..(*signature).clone() })
        };
        let has_variable_length = std::mem::take(&mut self.has_variable_length);
        for attributes in [&function.specifiers.attributes, &function.declarator.attributes] {
            if has_attribute(attributes, "constructor") || has_attribute(attributes, "destructor") {
                self.advise(
                    name.span,
                    format!("`{}` runs outside of `main`, which is not supported", name.text),
                    "call it in `main`",
                );
            }
        }
        let is_inline = function.specifiers.inline;
        let id = self.add_function(name, signature.clone());
        self.declare_name(name, Meaning::Function(id));
        let first = self.known[id.index()].definition;
        if let Some(first) = first {
            // GNU C has definitions for inlining beside the real one.
            if !is_inline && !first.specifiers.inline {
                let place = first.declarator.name.as_ref().map_or(first.span, |name| name.span);
                self.problems.push(
                    Diagnostic::error(name.span, format!("`{}` has two bodies", name.text))
                        .related(place, "the first one")
                        .hint("remove one of them"),
                );
            }
            if is_inline && function.specifiers.storage == Some(Storage::Extern) {
                return;
            }
        }
        let known = &mut self.known[id.index()];
        known.definition = Some(function);
        known.signature = signature;
        known.has_variable_length = has_variable_length;
        let into = &mut self.functions[id.index()];
        into.params = locals.len();
        into.locals = locals;
        into.span = name.span;
    }

    /// Gives parameters the types that are declared between them and the body.
    fn old_style(&mut self, declarations: &[tree::Declaration], locals: &mut [Local]) {
        for declaration in declarations {
            let Some(base) = self.specified(&declaration.specifiers) else { continue };
            for tree::InitDeclarator { declarator, .. } in &declaration.declarators {
                let Some(ty) = self.declared_type(base.clone(), declarator) else { continue };
                let Some(name) = &declarator.name else { continue };
                match locals.iter_mut().find(|local| *local.name == *name.text) {
                    Some(local) => {
                        local.ty = match ty {
                            Type::Array(element, _) => Type::Pointer(element),
                            ty @ Type::Function(_) => Type::Pointer(Arc::new(ty)),
                            ty => ty,
                        }
                    }
                    None => self.error(name.span, format!("there is no parameter `{}`", name.text)),
                }
            }
        }
    }

    /// Declares a function, or agrees with what was declared of it.
    pub fn add_function(&mut self, name: &Name, signature: Arc<Signature>) -> FunctionId {
        if let Some(id) = self.functions_by_name.get(&name.text).copied() {
            let old = self.known[id.index()].signature.clone();
            let agree =
                self.compatible(&Type::Function(old.clone()), &Type::Function(signature.clone()));
            if !agree && !old.unspecified {
                self.conflict(name, &Type::Function(old.clone()), self.functions[id.index()].span);
            }
            let is_open = self.known[id.index()].definition.is_none();
            if is_open && old.unspecified && old.params.is_empty() && !signature.unspecified {
                self.set_signature(id, signature);
            }
            return id;
        }
        let id = FunctionId(number(self.functions.len()));
        self.functions_by_name.insert(name.text.clone(), id);
        self.functions.push(Function {
            name: name.text.to_string(),
            result: INT,
            params: 0,
            variadic: false,
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            span: name.span,
        });
        self.known.push(FunctionFacts {
            signature: signature.clone(),
            definition: None,
            reached: false,
            has_variable_length: false,
        });
        self.set_signature(id, signature);
        id
    }

    fn set_signature(&mut self, id: FunctionId, signature: Arc<Signature>) {
        let function = &mut self.functions[id.index()];
        function.result = signature.result.clone();
        function.params = signature.params.len();
        function.variadic = signature.variadic;
        function.locals = named_parameters(&signature, &[]);
        self.known[id.index()].signature = signature;
    }

    /// Reports a declaration that does not agree with an earlier one.
    pub fn conflict(&mut self, name: &Name, earlier: &Type, span: Span) {
        let spelt = self.spell(earlier);
        self.problems.push(
            Diagnostic::error(name.span, format!("`{}` was declared with another type", name.text))
                .related(span, format!("as `{spelt}`"))
                .hint("give both declarations the same type"),
        );
    }

    /// Notes that a function is used.
    pub fn reach_function(&mut self, id: FunctionId) {
        let known = &mut self.known[id.index()];
        if !known.reached {
            known.reached = true;
            self.work.push(Work::Function(id));
        }
    }

    /// Checks the body of a function, if it has one.
    pub fn check_body(&mut self, id: FunctionId) {
        let known = &self.known[id.index()];
        let Some(definition) = known.definition else { return };
        let has_variable_length = known.has_variable_length;
        let signature = known.signature.clone();
        let function = &self.functions[id.index()];
        let locals = function.locals.clone();
        self.body = Some(Body {
            name: function.name.clone(),
            result: signature.result.clone(),
            locals: locals.clone(),
            labels: Vec::new(),
            labels_by_name: FxHashMap::default(),
            loops: 0,
            switches: Vec::new(),
        });
        self.scopes.truncate(1);
        self.scopes.push(Scope::default());
        for (i, local) in locals.iter().enumerate() {
            if !local.name.is_empty() {
                let name = Name { text: Arc::from(local.name.as_str()), span: local.span };
                self.bind_once(&name, Meaning::Local(LocalId(number(i))));
            }
            if self.types.size(&local.ty).is_none() {
                self.incomplete(&local.ty, local.span);
            }
        }
        let mut statements = Vec::new();
        if has_variable_length {
            let span = self.functions[id.index()].span;
            let value = unsupported(VARIABLE_LENGTH, Type::Void, span);
            statements.push(Stmt { kind: StmtKind::Expr(value), span });
        }
        self.items(&definition.body.items, &mut statements);
        self.scopes.truncate(1);
        let Some(body) = self.body.take() else { return };
        self.missing_labels(&body.labels);
        let into = &mut self.functions[id.index()];
        into.result = signature.result.clone();
        into.variadic = signature.variadic;
        into.locals = body.locals;
        into.labels = body.labels.iter().map(|label| label.name.to_string()).collect();
        into.body = Some(statements);
    }

    /// Adds a variable to the function.
    pub fn add_local(&mut self, local: Local) -> Option<LocalId> {
        let ty = self.bounded(local.ty, local.span)?;
        let body = self.body.as_mut()?;
        body.locals.push(Local { ty, ..local });
        Some(LocalId(number(body.locals.len() - 1)))
    }

    /// The label of a name, which stands here or is only named.
    pub fn label(&mut self, name: &Name, stands_here: bool) -> Option<LabelId> {
        let body = self.body.as_mut()?;
        let id = match body.labels_by_name.get(&name.text) {
            Some(id) => *id,
            None => {
                let id = LabelId(number(body.labels.len()));
                let label = Label { name: name.text.clone(), place: None, named: name.span };
                body.labels.push(label);
                body.labels_by_name.insert(name.text.clone(), id);
                id
            }
        };
        if stands_here {
            let first = body.labels[id.index()].place.replace(name.span);
            if let Some(first) = first {
                self.twice(name, first);
            }
        }
        Some(id)
    }

    fn missing_labels(&mut self, labels: &[Label]) {
        for label in labels.iter().filter(|label| label.place.is_none()) {
            let known =
                labels.iter().filter(|label| label.place.is_some()).map(|label| &*label.name);
            let hint = did_you_mean(&label.name, known)
                .unwrap_or_else(|| format!("write `{}:` before a statement", label.name));
            self.advise(label.named, format!("there is no label `{}`", label.name), hint);
        }
    }
}

/// The parameters of a function, with their names if the declarator has them.
fn named_parameters(signature: &Signature, derived: &[Derived]) -> Vec<Local> {
    let params = match derived.first() {
        Some(Derived::Function { params, .. }) => params.as_slice(),
        _ => &[],
    };
    let local = |(i, ty): (usize, &Type)| {
        let name = params.get(i).and_then(|param| param.declarator.name.as_ref());
        Local {
            name: name.map(|name| name.text.to_string()).unwrap_or_default(),
            ty: ty.clone(),
            span: name.map_or(Span::new(0, 0), |name| name.span),
        }
    };
    signature.params.iter().enumerate().map(local).collect()
}
