//! # Arrays whose length is not constant
//! `int a[n];` in a function asks for room where it is declared, and `a` stands for the address of its first element (C11 6.7.6.2): a variable keeps the length, another one the address.
//! Only the outermost length may vary; `&a` and types that are made of such an array are not supported.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::conversions::{constant, unsupported};
use super::literals::VARIABLE_LENGTH;
use super::operands::Operand;
use super::scope::Meaning;
use crate::c::tree::{self, Declarator, Derived, ExprKind as Written, Name};
use crate::c::typed::{
    Arithmetic, Callee, Expr, ExprKind, Local, LocalId, Lvalue, LvalueKind, Part, Stmt, StmtKind,
    VARYING,
};
use crate::c::types::Type;

impl Checker<'_> {
    /// Declares an array of so many elements as the text computes; nothing if something else of its type varies.
    pub fn varying(
        &mut self,
        name: &Name,
        base: Type,
        declarator: &Declarator,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let (Derived::Array(Some(length)), inner) = declarator.derived.split_first()? else {
            return None;
        };
        let base = self.with_mode(base, &declarator.attributes);
        let element = self.derive(base, inner, declarator.span)?;
        if std::mem::take(&mut self.has_variable_length) {
            return None;
        }
        let each = i128::from(self.types.size(&element)?);
        let count = self.value(length)?;
        let size = self.size_type();
        let count = self.convert(count, &size);
        let text = format!("{}.length", name.text);
        let counted = self.add_local(Local { name: text, ty: size.clone(), span: name.span })?;
        let ty = Type::Pointer(Arc::new(element));
        let own = Local { name: name.text.to_string(), ty: ty.clone(), span: name.span };
        let pointer = self.add_local(own)?;
        self.bind_once(name, Meaning::Varying { pointer, length: counted });
        let bytes = self.varying_size(counted, each, name.span);
        let call = ExprKind::Call(Callee::Builtin(VARYING.to_owned()), vec![bytes]);
        let room = Expr { kind: call, ty: Type::Pointer(Arc::new(Type::Void)), span: name.span };
        let room = Expr { kind: ExprKind::Convert(Box::new(room)), ty, span: name.span };
        for (local, value) in [(counted, count), (pointer, room)] {
            let parts = vec![Part { offset: 0, value }];
            out.push(Stmt { kind: StmtKind::Declare(local, Some(parts)), span });
        }
        Some(())
    }

    /// The variables of such an array, if an expression is its name: its address and its length.
    pub fn named_varying(&self, expr: &tree::Expr) -> Option<(LocalId, LocalId)> {
        let Written::Name(name) = &expr.kind else { return None };
        match self.lookup(name)? {
            Meaning::Varying { pointer, length } => Some((*pointer, *length)),
            _ => None,
        }
    }

    /// What the name of such an array stands for: the address of its first element.
    pub fn varying_value(&self, pointer: LocalId, span: Span) -> Option<Operand> {
        let ty = self.body.as_ref()?.locals.get(pointer.index())?.ty.clone();
        Some(Operand::Value(read(pointer, ty, span)))
    }

    /// `sizeof a`, if `a` is such an array.
    pub fn sizeof_varying(&self, of: &tree::Expr, span: Span) -> Option<Expr> {
        let (pointer, length) = self.named_varying(of)?;
        let Type::Pointer(element) = &self.body.as_ref()?.locals.get(pointer.index())?.ty else {
            return None;
        };
        let each = i128::from(self.types.size(element)?);
        Some(self.varying_size(length, each, span))
    }

    /// `&a`, if `a` is such an array: not supported.
    pub fn address_of_varying(&self, of: &tree::Expr, span: Span) -> Option<Expr> {
        let (pointer, _) = self.named_varying(of)?;
        let ty = self.body.as_ref()?.locals.get(pointer.index())?.ty.clone();
        let what = format!("the address of {VARIABLE_LENGTH}");
        Some(unsupported(what, Type::Pointer(Arc::new(ty)), span))
    }

    /// How many bytes so many elements take.
    fn varying_size(&self, length: LocalId, each: i128, span: Span) -> Expr {
        let ty = self.size_type();
        let (count, each) = (read(length, ty.clone(), span), constant(each, ty.clone(), span));
        let kind = ExprKind::Arithmetic(Arithmetic::Mul, Box::new(count), Box::new(each));
        Expr { kind, ty, span }
    }
}

/// Reads a local variable.
fn read(local: LocalId, ty: Type, span: Span) -> Expr {
    let place = Lvalue { kind: LvalueKind::Local(local), ty: ty.clone(), span };
    Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
}
