//! # Variables with linkage
//! Declared once or often, defined once or not at all (C11 6.2.2, 6.9.2). An object becomes part of the result when it is first used.

use std::sync::Arc;

use selvedge_program::Span;

use super::conversions::unsupported;
use super::operands::Operand;
use super::{Checker, Work};
use crate::Diagnostic;
use crate::c::tree::{self, Name, Storage};
use crate::c::typed::{Lvalue, LvalueKind, Object, ObjectId};
use crate::c::types::Type;

/// A variable with linkage.
#[derive(Clone, Debug)]
pub(super) struct Global<'t> {
    /// Its name.
    name: Arc<str>,
    /// Its type, as far as it is known.
    ty: Type,
    /// The initialiser, if it has one.
    init: Option<&'t tree::Init>,
    /// Whether each thread has one of its own.
    thread_local: bool,
    /// Whether it is defined, and not only declared.
    is_defined: bool,
    /// Its number in the result, once it is used.
    pub object: Option<ObjectId>,
    /// Its first declaration.
    span: Span,
}

impl<'t> Checker<'t> {
    /// Declares a variable, or checks that it agrees with an earlier declaration.
    pub fn declare_global(
        &mut self,
        name: &Name,
        ty: Type,
        specifiers: &tree::Specifiers,
        init: Option<&'t tree::Init>,
    ) -> usize {
        let is_defined = specifiers.storage != Some(Storage::Extern) || init.is_some();
        let thread_local = specifiers.thread_local;
        let ty = match (&ty, init) {
            (Type::Array(_, None), Some(init)) => {
                self.quietly(|c| c.initial(&ty, init, name.span)).map_or(ty.clone(), |(ty, _)| ty)
            }
            _ => ty,
        };
        if let Some(global) = self.linked.get(&name.text).copied() {
            let old = &self.globals[global];
            let (earlier, span) = (old.ty.clone(), old.span);
            if !self.compatible(&earlier, &ty) {
                self.conflict(name, &earlier, span);
                return global;
            }
            if old.init.is_some() && init.is_some() {
                let message = format!("`{}` has two initialisers", name.text);
                self.problems.push(
                    Diagnostic::error(name.span, message)
                        .related(span, "the first one")
                        .hint("remove one of them"),
                );
            }
            let into = &mut self.globals[global];
            if let (Type::Array(_, None), Type::Array(_, Some(_))) = (&earlier, &ty) {
                into.ty = ty;
            }
            into.init = into.init.or(init);
            into.is_defined |= is_defined;
            into.thread_local |= thread_local;
            return global;
        }
        self.globals.push(Global {
            name: name.text.clone(),
            ty,
            init,
            thread_local,
            is_defined,
            object: None,
            span: name.span,
        });
        let global = self.globals.len() - 1;
        self.linked.insert(name.text.clone(), global);
        global
    }

    /// Completes what is defined without an initialiser: an array without a length has one element.
    pub fn finish_globals(&mut self) {
        for global in &mut self.globals {
            if let Type::Array(element, None) = &global.ty
                && global.is_defined
            {
                global.ty = Type::Array(element.clone(), Some(1));
            }
        }
    }

    /// The place of a variable with linkage, which is reached by this.
    pub fn global_place(&mut self, global: usize, span: Span) -> Option<Operand> {
        let known = &self.globals[global];
        let ty = known.ty.clone();
        if let Some(id) = known.object {
            return Some(Operand::Place(Lvalue { kind: LvalueKind::Object(id), ty, span }));
        }
        if self.types.size(&ty).is_none() {
            if known.is_defined {
                self.incomplete(&ty, span);
                return None;
            }
            let what = format!("`{}`, whose size is not known", known.name);
            let pointer = unsupported(what, Type::Pointer(Arc::new(ty.clone())), span);
            let kind = LvalueKind::Deref(Box::new(pointer));
            return Some(Operand::Place(Lvalue { kind, ty, span }));
        }
        let object = Object {
            name: known.name.to_string(),
            ty: ty.clone(),
            init: Vec::new(),
            thread_local: known.thread_local,
            is_string: false,
            is_extern: !known.is_defined,
            span: known.span,
        };
        let id = self.add_object(object);
        self.globals[global].object = Some(id);
        self.work.push(Work::Global(global));
        Some(Operand::Place(Lvalue { kind: LvalueKind::Object(id), ty, span }))
    }

    /// Checks the initialiser of a variable that is reached.
    pub fn check_global(&mut self, global: usize) {
        let Global { ty, init, object, span, .. } = self.globals[global].clone();
        let (Some(init), Some(id)) = (init, object) else { return };
        self.scopes.truncate(1);
        let Some((_, parts)) = self.initial(&ty, init, span) else { return };
        if let Some(parts) = self.constant_parts(parts) {
            self.objects[id.index()].init = parts;
        }
    }
}
