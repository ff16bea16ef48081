//! # Expressions
//! The types of expressions (C11 6.5); operators, calls and literals have files of their own.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{INT, of_value};
use super::conversions::{constant, int, unsupported};
use super::literals::VARIABLE_LENGTH;
use super::operands::Operand;
use super::scope::Meaning;
use crate::c::tree::{self, Designator, ExprKind as Written, TypeName, Unary};
use crate::c::typed::{Expr, ExprKind, Lvalue, LvalueKind};
use crate::c::types::Type;

impl Checker<'_> {
    /// The value of an expression.
    pub fn value(&mut self, expr: &tree::Expr) -> Option<Expr> {
        let operand = self.operand(expr)?;
        self.rvalue(operand)
    }

    /// Checks an expression that may be used as a place.
    pub fn operand(&mut self, expr: &tree::Expr) -> Option<Operand> {
        if self.depth >= super::DEEPEST {
            self.advise(
                expr.span,
                "this expression is nested too deeply",
                "compute a part of it first",
            );
            return None;
        }
        self.depth += 1;
        let result = self.operand_inner(expr);
        self.depth -= 1;
        result
    }

    fn operand_inner(&mut self, expr: &tree::Expr) -> Option<Operand> {
        let span = expr.span;
        match &expr.kind {
            Written::Name(name) => self.name(name, span),
            Written::Integer { value, character: true, unsigned, rank, .. } => {
                let value = self.character_constant(*value, *unsigned, *rank, span);
                Some(Operand::Value(value))
            }
            Written::Integer { value, octal_or_hex, unsigned, rank, .. } => {
                let value = self.integer_constant(*value, *octal_or_hex, *unsigned, *rank, span);
                Some(Operand::Value(value))
            }
            Written::Floating(value, bytes) => {
                let kind = ExprKind::Floating(*value);
                Some(Operand::Value(Expr { kind, ty: self.floating(*bytes), span }))
            }
            Written::String(text, width) => Some(self.string(text, *width, span)),
            Written::Call(callee, args) => self.call(callee, args, span).map(Operand::Value),
            Written::Index(a, i) => {
                let (a, i) = (self.operand(a), self.operand(i));
                self.element(a?, i?, span)
            }
            Written::Member(base, name) => {
                let base = self.operand(base)?;
                self.member(base, name, span)
            }
            Written::Arrow(base, name) => {
                let pointer = self.value(base)?;
                self.arrow(pointer, name, span)
            }
            Written::Step { place, up, postfix } => {
                self.step(place, *up, *postfix, span).map(Operand::Value)
            }
            Written::Unary(Unary::Address, of) => self.address(of, span).map(Operand::Value),
            Written::Unary(Unary::Deref, of) => {
                let pointer = self.value(of)?;
                self.deref(pointer, span)
            }
            Written::Unary(op, of) => self.unary(*op, of, span).map(Operand::Value),
            Written::Unsupported(what) => {
                // `&&label` is a pointer; parts of complex numbers are numbers.
                let ty = if what.starts_with("__") || what.contains("complex") {
                    super::arithmetic::DOUBLE
                } else {
                    Type::Pointer(Arc::new(Type::Void))
                };
                Some(Operand::Value(unsupported(*what, ty, span)))
            }
            Written::Binary(..) => self.binary_chain(expr).map(Operand::Value),
            Written::Assign(op, place, value) => {
                self.assign(*op, place, value, span).map(Operand::Value)
            }
            Written::Conditional(c, a, b) => {
                self.conditional(c, a.as_deref(), b, span).map(Operand::Value)
            }
            Written::Cast(name, of) => self.cast_expression(name, of, span).map(Operand::Value),
            Written::Compound(name, items) => self.compound(name, items, span),
            Written::SizeofExpr(of) => {
                if let Some(size) = self.sizeof_varying(of, span) {
                    return Some(Operand::Value(size));
                }
                self.has_variable_length = false;
                let ty = self.type_of(of)?;
                self.sizeof(&ty, span).map(Operand::Value)
            }
            Written::SizeofType(name) => {
                self.has_variable_length = false;
                let ty = self.type_name(name)?;
                self.sizeof(&ty, span).map(Operand::Value)
            }
            Written::Alignof(name, preferred) => {
                let ty = self.type_name(name)?;
                let align = match preferred {
                    true => self.types.preferred_align(&ty),
                    false => self.types.align(&ty),
                };
                let align = i128::from(align);
                Some(Operand::Value(constant(align, self.size_type(), span)))
            }
            Written::Statement(block) => self.statement_expression(block, span).map(Operand::Value),
            Written::Offsetof(name, path) => self.offsetof(name, path, span).map(Operand::Value),
            Written::Compatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let (a, b) = (a?, b?);
                let same = self.compatible(&a, &b);
                if same && is_blurred(&a) {
                    return Some(Operand::Value(unsupported(BLURRED, INT, span)));
                }
                Some(Operand::Value(int(i128::from(same), span)))
            }
            Written::Choose(c, a, b) => {
                let chosen =
                    self.constant_int(c, "the first argument of `__builtin_choose_expr`")?;
                self.operand(if chosen == 0 { b } else { a })
            }
            Written::Generic(of, choices) => self.generic(of, choices, span),
            Written::VaArg(list, name) => {
                let list = self.value(list);
                let ty = self.type_name(name)?;
                list?;
                let ty = of_value(&ty);
                Some(Operand::Value(unsupported("`va_arg`", ty, span)))
            }
        }
    }

    /// Resolves a name in an expression.
    fn name(&mut self, name: &str, span: Span) -> Option<Operand> {
        match self.lookup(name).cloned() {
            Some(Meaning::Enumerator(value, ty)) => Some(Operand::Value(constant(value, ty, span))),
            Some(Meaning::Local(id)) => {
                let ty = self.body.as_ref()?.locals.get(id.index())?.ty.clone();
                Some(Operand::Place(Lvalue { kind: LvalueKind::Local(id), ty, span }))
            }
            Some(Meaning::Varying { pointer, .. }) => self.varying_value(pointer, span),
            Some(Meaning::Object(id)) => self.object_place(id, span),
            Some(Meaning::Global(global)) => self.global_place(global, span),
            Some(Meaning::Function(id)) => Some(Operand::Function(id, span)),
            Some(Meaning::Wrong) => None,
            Some(Meaning::Typedef(_)) => {
                self.advise(
                    span,
                    format!("`{name}` is a type, not a value"),
                    "use a variable of it",
                );
                None
            }
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                Some(self.function_name(span))
            }
            None => {
                self.unknown(name, span);
                None
            }
        }
    }

    fn arrow(&mut self, pointer: Expr, name: &tree::Name, span: Span) -> Option<Operand> {
        if !matches!(pointer.ty, Type::Pointer(_)) {
            let spelt = self.spell(&pointer.ty);
            let hint = match pointer.ty {
                Type::Record(_) => format!("it is the record itself: `.{}`", name.text),
                _ => "only a pointer can be followed".to_owned(),
            };
            self.advise(name.span, format!("`{spelt}` is no pointer"), hint);
            return None;
        }
        let place = self.deref(pointer, span)?;
        self.member(place, name, span)
    }

    /// `&e`
    fn address(&mut self, of: &tree::Expr, span: Span) -> Option<Expr> {
        if let Some(address) = self.address_of_varying(of, span) {
            return Some(address);
        }
        match self.operand(of)? {
            function @ Operand::Function(..) => self.rvalue(function),
            Operand::Place(place) => {
                if let Some(name) = self.bit_field_name(&place) {
                    self.error(span, format!("the bit-field `{name}` has no address"));
                    return None;
                }
                let ty = Type::Pointer(Arc::new(place.ty.clone()));
                Some(Expr { span, ..self.address_as(place, ty) })
            }
            Operand::Value(_) => {
                self.advise(
                    span,
                    "a value has no address",
                    "store it in a variable, and take the address of that",
                );
                None
            }
        }
    }

    fn cast_expression(&mut self, name: &TypeName, of: &tree::Expr, span: Span) -> Option<Expr> {
        self.has_variable_length = false;
        let ty = self.type_name(name);
        let variable = std::mem::take(&mut self.has_variable_length);
        let value = self.value(of);
        let (ty, value) = (ty?, value?);
        if variable {
            return Some(unsupported(VARIABLE_LENGTH, ty, span));
        }
        self.cast(value, &ty, span)
    }

    /// The size of a type, as a constant.
    fn sizeof(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        let result = self.size_type();
        if std::mem::take(&mut self.has_variable_length) {
            return Some(unsupported(VARIABLE_LENGTH, result, span));
        }
        match self.types.size(ty) {
            Some(size) => Some(constant(i128::from(size), result, span)),
            None => {
                self.incomplete(ty, span);
                None
            }
        }
    }

    /// `__builtin_offsetof(type, member)`
    fn offsetof(&mut self, name: &TypeName, path: &[Designator], span: Span) -> Option<Expr> {
        let mut ty = self.type_name(name)?;
        let mut offset = 0_i128;
        for designator in path {
            match (designator, of_value(&ty)) {
                (Designator::Member(name), Type::Record(id)) => {
                    for (id, field) in self.find_member(id, name)? {
                        let field = self.types.record(id).fields.get(field)?;
                        offset = offset.saturating_add(i128::from(field.offset));
                        ty = field.ty.clone();
                    }
                }
                (Designator::Index(index), Type::Array(element, _)) => {
                    let index = self.value(index)?;
                    let Some(index) = self.fold_int(&index) else {
                        let what = "`offsetof` with an index that is not constant";
                        return Some(unsupported(what, self.size_type(), span));
                    };
                    let size = i128::from(self.types.size(&element)?);
                    offset = offset.saturating_add(index.saturating_mul(size));
                    ty = (*element).clone();
                }
                (_, other) => {
                    let spelt = self.spell(&other);
                    self.error(span, format!("`{spelt}` has no such part"));
                    return None;
                }
            }
        }
        let bits = self.pointer_bits();
        Some(constant(super::arithmetic::wrap(offset, bits, false), self.size_type(), span))
    }

    /// `_Generic`: the expression for the type of the first one, which is not evaluated.
    fn generic(
        &mut self,
        of: &tree::Expr,
        choices: &[(Option<TypeName>, tree::Expr)],
        span: Span,
    ) -> Option<Operand> {
        let mark = self.mark();
        let value = self.value(of);
        self.forget(&mark);
        let ty = value?.ty;
        let (mut default, mut fitting) = (None, Vec::new());
        for (name, expr) in choices {
            match name {
                None => default = Some(expr),
                Some(name) => {
                    if self.type_name(name).is_some_and(|other| self.compatible(&ty, &other)) {
                        let qualifiers = name.specifiers.qualifiers;
                        let has_more = qualifiers.is_const || qualifiers.is_volatile;
                        fitting.push((expr, has_more));
                    }
                }
            }
        }
        let others = fitting.len() > 1 || default.is_some();
        match (fitting.first(), default) {
            (Some(&(expr, has_more)), _) if others && (has_more || is_blurred(&ty)) => {
                let ty = match self.operand(expr)? {
                    Operand::Place(place) => place.ty,
                    Operand::Value(value) => value.ty,
                    function => self.rvalue(function)?.ty,
                };
                Some(Operand::Value(unsupported(BLURRED, of_value(&ty), span)))
            }
            (Some(&(expr, _)), _) | (None, Some(expr)) => self.operand(expr),
            (None, None) => {
                let spelt = self.spell(&ty);
                let message = format!("no choice is for `{spelt}`");
                self.advise(span, message, "add one, or `default:`");
                None
            }
        }
    }
}

/// Why it is not known whether two types are the same.
const BLURRED: &str =
    "a choice by types that may differ in `const` behind a pointer, or in the sign of `char`";

/// Whether types that C tells apart look the same as this one: nobody keeps what is `const` behind a pointer, and `char` is `signed char`.
fn is_blurred(ty: &Type) -> bool {
    match ty {
        Type::Pointer(to) => match &**to {
            Type::Function(signature) => {
                is_blurred(&signature.result) || signature.params.iter().any(is_blurred)
            }
            _ => true,
        },
        Type::Array(inner, _) | Type::Atomic(inner) => is_blurred(inner),
        Type::Int { bits: 8, signed: true, .. } => true,
        _ => false,
    }
}
