//! # Declarations
//! Types, variables and functions, outside of functions and in blocks (C11 6.7).

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::conversions::unsupported;
use super::designators::span_of;
use super::literals::VARIABLE_LENGTH;
use super::scope::Meaning;
use super::spelling::opaque_named;
use super::words::has_attribute;
use crate::c::tree::{self, Declaration, Init, InitDeclarator, Name, Storage, TypeWords};
use crate::c::typed::{Local, Object, Part, Stmt, StmtKind};
use crate::c::types::Type;

impl<'t> Checker<'t> {
    /// A declaration outside of functions.
    pub fn file_declaration(&mut self, declaration: &'t Declaration) {
        let Some(base) = self.base(declaration) else { return };
        for InitDeclarator { declarator, init } in &declaration.declarators {
            let Some(name) = &declarator.name else { continue };
            self.note_constant(&declaration.specifiers, declarator);
            let ty = base.clone().and_then(|base| self.declared_type(base, declarator));
            let Some(ty) = ty else {
                self.bind(name, Meaning::Wrong);
                continue;
            };
            match ty {
                ty if declaration.specifiers.storage == Some(Storage::Typedef) => {
                    self.typedef(name, ty);
                }
                Type::Function(signature) => {
                    let id = self.add_function(name, signature);
                    self.declare_name(name, Meaning::Function(id));
                }
                Type::Void => self.void_variable(name),
                ty => {
                    let specifiers = &declaration.specifiers;
                    let attributes = [&specifiers.attributes, &declarator.attributes];
                    if attributes.iter().any(|a| has_attribute(a, "alias")) {
                        let message = format!(
                            "`{}` is another name of a variable (`alias`), which is not supported",
                            name.text
                        );
                        self.advise(name.span, message, "use the first name everywhere");
                    }
                    if attributes.iter().any(|a| has_attribute(a, "asm")) {
                        let message = format!(
                            "`{}` has another name for the linker (`asm`), which another variable may have, too: that is not supported",
                            name.text
                        );
                        self.advise(name.span, message, "remove the `asm`, and use one name");
                    }
                    let global = self.declare_global(name, ty, specifiers, init.as_ref());
                    self.declare_name(name, Meaning::Global(global));
                }
            }
        }
    }

    /// The type before the declarators, `Some(None)` if it is wrong; nothing if only a type is declared.
    #[allow(clippy::option_option)]
    fn base(&mut self, declaration: &Declaration) -> Option<Option<Type>> {
        let specifiers = &declaration.specifiers;
        if !declaration.declarators.is_empty() {
            return Some(self.specified(specifiers));
        }
        match &specifiers.ty {
            TypeWords::Record(record) if record.members.is_none() => self.forward(record),
            _ => {
                self.specified(specifiers);
            }
        }
        None
    }

    /// Gives a name with linkage its meaning; it may be declared often, but always as the same kind of thing.
    pub fn declare_name(&mut self, name: &Name, meaning: Meaning) {
        if let Some((earlier, span)) = self.lookup_here(&name.text) {
            let (agree, span) =
                (std::mem::discriminant(earlier) == std::mem::discriminant(&meaning), *span);
            if agree || matches!(earlier, Meaning::Wrong) {
                return;
            }
            self.twice(name, span);
        }
        self.bind(name, meaning);
    }

    fn typedef(&mut self, name: &Name, ty: Type) {
        let ty = match opaque_named(&name.text) {
            Some(opaque) => Type::Opaque(opaque),
            None => ty,
        };
        if let Type::Record(id) = &ty
            && let Some(record) = self.types.records.get_mut(id.0 as usize)
            && record.name.is_empty()
        {
            record.name = name.text.to_string();
        }
        match self.lookup_here(&name.text) {
            Some((Meaning::Typedef(earlier), span)) => {
                let (earlier, span) = (earlier.clone(), *span);
                if !self.compatible(&earlier, &ty) {
                    self.conflict(name, &earlier, span);
                }
                self.bind(name, Meaning::Typedef(ty));
            }
            _ => self.bind_once(name, Meaning::Typedef(ty)),
        }
    }

    fn void_variable(&mut self, name: &Name) {
        let message = format!("`{}` is `void`, which has no values", name.text);
        self.advise(name.span, message, "did you mean `void *`?");
        self.bind(name, Meaning::Wrong);
    }

    /// A declaration in a block.
    pub fn block_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) {
        let specifiers = &declaration.specifiers;
        if matches!(specifiers.ty, TypeWords::Auto) {
            for item in &declaration.declarators {
                self.auto(item, out);
            }
            return;
        }
        self.has_variable_length = false;
        let Some(base) = self.base(declaration) else { return };
        let base_varies = std::mem::take(&mut self.has_variable_length);
        for item in &declaration.declarators {
            let Some(name) = &item.declarator.name else { continue };
            self.note_constant(specifiers, &item.declarator);
            let ty = base.clone().and_then(|base| self.declared_type(base, &item.declarator));
            let varies = std::mem::take(&mut self.has_variable_length) || base_varies;
            let Some(ty) = ty else {
                self.bind(name, Meaning::Wrong);
                continue;
            };
            let span = declared_span(declaration, item);
            let may_vary = specifiers.storage.is_none_or(|s| s == Storage::Automatic)
                && !specifiers.thread_local
                && item.init.is_none()
                && !base_varies;
            if varies
                && may_vary
                && let Some(base) = &base
                && self.varying(name, base.clone(), &item.declarator, span, out).is_some()
            {
                continue;
            }
            if varies {
                let value = unsupported(VARIABLE_LENGTH, Type::Void, span);
                out.push(Stmt { kind: StmtKind::Expr(value), span });
            }
            let cleanup = [&specifiers.attributes, &item.declarator.attributes]
                .into_iter()
                .any(|attributes| has_attribute(attributes, "cleanup"));
            if cleanup {
                let value = unsupported("the attribute `cleanup`", Type::Void, span);
                out.push(Stmt { kind: StmtKind::Expr(value), span });
            }
            self.block_item(name, ty, specifiers, item.init.as_ref(), span, out);
        }
    }

    fn block_item(
        &mut self,
        name: &Name,
        ty: Type,
        specifiers: &tree::Specifiers,
        init: Option<&Init>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        match (ty, specifiers.storage) {
            (ty, Some(Storage::Typedef)) => self.typedef(name, ty),
            (Type::Function(signature), _) => {
                let id = self.add_function(name, signature);
                self.declare_name(name, Meaning::Function(id));
            }
            (Type::Void, _) => self.void_variable(name),
            (ty, Some(Storage::Extern)) => {
                let global = self.declare_global(name, ty, specifiers, None);
                self.declare_name(name, Meaning::Global(global));
            }
            (ty, Some(Storage::Static)) => self.static_variable(name, ty, specifiers, init),
            (ty, _) if specifiers.thread_local => self.static_variable(name, ty, specifiers, init),
            (ty, _) => {
                let local = Local { name: name.text.to_string(), ty: ty.clone(), span: name.span };
                let Some(id) = self.add_local(local) else {
                    self.bind(name, Meaning::Wrong);
                    return;
                };
                self.bind_once(name, Meaning::Local(id));
                let parts = match init {
                    Some(init) => {
                        let Some((ty, parts)) = self.initial(&ty, init, name.span) else {
                            return;
                        };
                        if let Some(body) = &mut self.body
                            && let Some(local) = body.locals.get_mut(id.index())
                        {
                            local.ty = ty;
                        }
                        Some(parts)
                    }
                    None if self.types.size(&ty).is_none() => {
                        self.incomplete(&ty, name.span);
                        return;
                    }
                    None => None,
                };
                out.push(Stmt { kind: StmtKind::Declare(id, parts), span });
            }
        }
    }

    /// A static variable of a function: an object that only the function knows by name.
    fn static_variable(
        &mut self,
        name: &Name,
        ty: Type,
        specifiers: &tree::Specifiers,
        init: Option<&Init>,
    ) {
        let function = self.body.as_ref().map(|body| body.name.clone()).unwrap_or_default();
        let id = self.add_object(Object {
            name: format!("{function}.{}", name.text),
            ty: ty.clone(),
            init: Vec::new(),
            thread_local: specifiers.thread_local,
            is_string: false,
            is_extern: false,
            span: name.span,
        });
        self.bind_once(name, Meaning::Object(id));
        match init {
            Some(init) => {
                let Some((ty, parts)) = self.initial(&ty, init, name.span) else { return };
                let Some(parts) = self.constant_parts(parts) else { return };
                let object = &mut self.objects[id.index()];
                object.ty = ty;
                object.init = parts;
            }
            None if self.types.size(&ty).is_none() => self.incomplete(&ty, name.span),
            None => {}
        }
    }

    /// `__auto_type x = e;`: a variable of the type of its value.
    fn auto(&mut self, item: &InitDeclarator, out: &mut Vec<Stmt>) {
        let Some(name) = &item.declarator.name else { return };
        let Some(Init::Expr(expr)) = &item.init else {
            self.advise(name.span, "`__auto_type` needs a value to take its type from", "add one");
            self.bind(name, Meaning::Wrong);
            return;
        };
        let value = self.value(expr);
        let local = value.as_ref().and_then(|value| {
            let local =
                Local { name: name.text.to_string(), ty: value.ty.clone(), span: name.span };
            self.add_local(local)
        });
        let (Some(value), Some(id)) = (value, local) else {
            self.bind(name, Meaning::Wrong);
            return;
        };
        self.bind_once(name, Meaning::Local(id));
        let span = item.declarator.span.to(expr.span);
        let parts = vec![Part { offset: 0, value }];
        out.push(Stmt { kind: StmtKind::Declare(id, Some(parts)), span });
    }

    /// A function inside of a function, which is not supported: it is declared, for those who call it.
    pub fn nested_function(&mut self, function: &tree::Function, out: &mut Vec<Stmt>) {
        let Some(name) = &function.declarator.name else { return };
        let base = self.specified(&function.specifiers);
        let ty = base.and_then(|base| self.declared_type(base, &function.declarator));
        let Some(Type::Function(signature)) = ty else {
            self.bind(name, Meaning::Wrong);
            return;
        };
        let outer = self.body.as_ref().map(|body| body.name.clone()).unwrap_or_default();
        let full = Name { text: Arc::from(format!("{outer}.{}", name.text)), span: name.span };
        let id = self.add_function(&full, signature);
        self.bind_once(name, Meaning::Function(id));
        let span = name.span;
        let value = unsupported("a function inside of a function", Type::Void, span);
        out.push(Stmt { kind: StmtKind::Expr(value), span });
    }
}

/// Where a variable is declared: the whole declaration, if it is the only one.
fn declared_span(declaration: &Declaration, item: &InitDeclarator) -> Span {
    match (&item.init, declaration.declarators.len()) {
        (_, 1) => declaration.span,
        (Some(init), _) => item.declarator.span.to(span_of(init)),
        (None, _) => item.declarator.span,
    }
}
