//! # Types from their words
//! What the specifiers and declarators of a declaration mean (C11 6.7.2, 6.7.6).

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{CHAR, INT, of_value};
use super::scope::Meaning;
use crate::c::tree::{self, Declarator, Derived, Param, Rank, Specifiers, TypeName, TypeWords};
use crate::c::typed::Local;
use crate::c::types::{DataModel, Opaque, Signature, Type};

/// The most levels of a type, and the most types in it altogether.
const DEEPEST: usize = 150;
const LARGEST: usize = 3000;

impl Checker<'_> {
    /// The type that specifiers name, `_Atomic` included.
    pub fn specified(&mut self, specifiers: &Specifiers) -> Option<Type> {
        let ty = match &specifiers.ty {
            TypeWords::Void => Type::Void,
            TypeWords::Bool => Type::Bool,
            TypeWords::Char(sign) => {
                Type::Int { bits: 8, signed: sign.unwrap_or(CHAR_IS_SIGNED), rank: 0 }
            }
            TypeWords::Integer(rank, signed) => self.integer(*rank, *signed),
            TypeWords::Floating(bytes) => self.floating(*bytes),
            TypeWords::Named(name) => match self.lookup(&name.text) {
                Some(Meaning::Typedef(ty)) => ty.clone(),
                Some(Meaning::Wrong) => return None,
                _ => {
                    let message = format!("`{}` is not a type here", name.text);
                    self.advise(name.span, message, "include the header that declares it");
                    return None;
                }
            },
            TypeWords::Record(record) => self.record(record)?,
            TypeWords::Enum(enumeration) => self.enumeration(enumeration)?,
            TypeWords::TypeofExpr(expr) => {
                let ty = self.type_of(expr)?;
                self.has_variable_length |= self.named_varying(expr).is_some();
                ty
            }
            TypeWords::TypeofType(name) => self.type_name(name)?,
            TypeWords::Atomic(name) => atomic(self.type_name(name)?),
            TypeWords::Auto => {
                self.advise(
                    specifiers.span,
                    "`__auto_type` needs one value to take its type from",
                    "write the type",
                );
                return None;
            }
            TypeWords::VaList => Type::Opaque(Opaque::VaList),
            TypeWords::Missing => INT,
        };
        let ty = self.with_mode(ty, &specifiers.attributes);
        Some(if specifiers.qualifiers.is_atomic { atomic(ty) } else { ty })
    }

    /// The type of a number with a point, by its bytes: `long double` depends on the model.
    pub fn floating(&self, bytes: u32) -> Type {
        Type::Floating(match (bytes, self.types.model) {
            (12, DataModel::Lp64) => 16,
            (24, DataModel::Lp64) => 32,
            (bytes, _) => bytes,
        })
    }

    /// An integer of another width, where an attribute `mode` says so.
    pub fn with_mode(&self, ty: Type, attributes: &[tree::Name]) -> Type {
        // Several numbers at once: kept without a value, as numbers with a point are.
        if has_attribute(attributes, "vector_size") {
            return Type::Floating(16);
        }
        let Type::Int { signed, .. } = ty else { return ty };
        let mode = attributes.iter().find_map(|a| argument(&a.text, "mode"));
        match mode.map(|mode| mode.trim_matches('_')) {
            Some("QI" | "byte") => Type::Int { bits: 8, signed, rank: 0 },
            Some("HI") => self.integer(Rank::Short, signed),
            Some("SI") => self.integer(Rank::Int, signed),
            Some("DI") if self.types.model == DataModel::Lp64 => self.integer(Rank::Long, signed),
            Some("DI") => self.integer(Rank::LongLong, signed),
            Some("TI") => self.integer(Rank::Int128, signed),
            Some("word" | "pointer") => self.integer(Rank::Long, signed),
            _ => ty,
        }
    }

    /// The type of an expression that is not evaluated; an array stays one.
    pub fn type_of(&mut self, expr: &tree::Expr) -> Option<Type> {
        let mark = self.mark();
        let operand = self.operand(expr);
        self.forget(&mark);
        let operand = operand?;
        Some(self.operand_type(&operand))
    }

    /// The type that a type name stands for.
    pub fn type_name(&mut self, name: &TypeName) -> Option<Type> {
        let base = self.specified(&name.specifiers)?;
        self.declared_type(base, &name.declarator)
    }

    /// The type that a declarator makes of the type before it.
    pub fn declared_type(&mut self, base: Type, declarator: &Declarator) -> Option<Type> {
        let base = self.with_mode(base, &declarator.attributes);
        self.derive(base, &declarator.derived, declarator.span)
    }

    /// The type that pointers, arrays and functions make of a type.
    pub fn derive(&mut self, base: Type, derived: &[Derived], span: Span) -> Option<Type> {
        if derived.len() > DEEPEST {
            self.too_large_type(span);
            return None;
        }
        let mut ty = base;
        for step in derived.iter().rev() {
            ty = match step {
                Derived::Pointer(qualifiers) => {
                    let pointer = Type::Pointer(Arc::new(ty));
                    if qualifiers.is_atomic { atomic(pointer) } else { pointer }
                }
                Derived::Array(length) => {
                    let wrong = match &ty {
                        Type::Void => Some("nothing"),
                        Type::Function(_) => Some("functions"),
                        _ => None,
                    };
                    if let Some(what) = wrong {
                        self.error(span, format!("there are no arrays of {what}"));
                        return None;
                    }
                    let length = match length {
                        Some(length) => Some(self.array_length(length)?),
                        None => None,
                    };
                    Type::Array(Arc::new(ty), length)
                }
                Derived::Function { params, variadic, unspecified } => {
                    let what = match &ty {
                        Type::Function(_) => Some("a function"),
                        Type::Array(..) => Some("an array"),
                        _ => None,
                    };
                    if let Some(what) = what {
                        self.error(span, format!("a function cannot give {what}"));
                        return None;
                    }
                    let params = self.parameters(params)?;
                    Type::Function(Arc::new(Signature {
                        result: of_value(&ty),
                        params: params.into_iter().map(|param| param.ty).collect(),
                        variadic: *variadic,
                        unspecified: *unspecified,
                    }))
                }
            };
        }
        self.bounded(ty, span)
    }

    /// The type, unless it is too large to be handled.
    pub fn bounded(&mut self, ty: Type, span: Span) -> Option<Type> {
        let mut left = LARGEST;
        if is_small(&ty, DEEPEST, &mut left) {
            return Some(ty);
        }
        self.too_large_type(span);
        None
    }

    fn too_large_type(&mut self, span: Span) {
        self.advise(span, "this type has too many parts", "name a part of it as a `struct`");
    }

    /// The length of an array. If it is not constant, this is noted, and the length is 1.
    fn array_length(&mut self, length: &tree::Expr) -> Option<u64> {
        let value = self.value(length)?;
        if !super::arithmetic::is_integer(&value.ty) {
            let ty = self.spell(&value.ty);
            self.error(length.span, format!("the length of an array is an integer, not `{ty}`"));
            return None;
        }
        match self.fold_int(&value) {
            Some(n) => match u64::try_from(n) {
                Ok(n) if n <= i64::MAX.unsigned_abs() => Some(n),
                Ok(_) => {
                    self.error(length.span, "this array is too long");
                    None
                }
                Err(_) => {
                    self.error(length.span, format!("an array cannot have {n} elements"));
                    None
                }
            },
            None if self.body.is_some() => {
                self.has_variable_length = true;
                Some(1)
            }
            None => {
                self.advise(
                    length.span,
                    "the length of an array outside of functions must be constant",
                    "use a number, an enumerator, or `sizeof`",
                );
                None
            }
        }
    }

    /// The parameters of a function; arrays and functions are pointers.
    pub fn parameters(&mut self, params: &[Param]) -> Option<Vec<Local>> {
        let mut locals = Vec::new();
        for param in params {
            locals.push(self.parameter(param)?);
        }
        Some(locals)
    }

    fn parameter(&mut self, param: &Param) -> Option<Local> {
        let base = self.specified(&param.specifiers)?;
        let declarator = &param.declarator;
        let base = self.with_mode(base, &declarator.attributes);
        let ty = match declarator.derived.split_first() {
            // The length of the outermost array says nothing, and may name other parameters.
            Some((Derived::Array(_), inner)) => {
                let element = match self.quietly(|c| c.derive(base.clone(), inner, declarator.span))
                {
                    Some(element) => element,
                    None if has_array(inner) => {
                        self.has_variable_length = true;
                        Type::Void
                    }
                    None => self.derive(base, inner, declarator.span)?,
                };
                Type::Pointer(Arc::new(element))
            }
            _ => match self.derive(base, &declarator.derived, declarator.span)? {
                Type::Array(element, _) => Type::Pointer(element),
                ty @ Type::Function(_) => Type::Pointer(Arc::new(ty)),
                ty => ty,
            },
        };
        let (name, span) = match &declarator.name {
            Some(name) => (name.text.to_string(), name.span),
            None => (String::new(), param.specifiers.span),
        };
        if ty == Type::Void {
            self.advise(span, "a parameter of type `void` has no value", "did you mean `void *`?");
            return None;
        }
        Some(Local { name, ty, span })
    }
}

/// Whether `char` has a sign: it has on the machines whose data models these are.
const CHAR_IS_SIGNED: bool = matches!(CHAR, Type::Int { signed: true, .. });

/// The `_Atomic` version of a type.
pub(super) fn atomic(ty: Type) -> Type {
    match ty {
        Type::Atomic(_) => ty,
        // Only the library changes its own types.
        Type::Opaque(_) => ty,
        ty => Type::Atomic(Arc::new(ty)),
    }
}

/// The text in parentheses after the name of an attribute.
pub(super) fn argument<'a>(attribute: &'a str, name: &str) -> Option<&'a str> {
    let (word, rest) = attribute.split_once('(')?;
    (word.trim().trim_matches('_') == name).then(|| rest.trim_end_matches(')').trim())
}

/// Whether an attribute is there, with or without an argument.
pub(super) fn has_attribute(attributes: &[tree::Name], name: &str) -> bool {
    attributes.iter().any(|attribute| {
        let word = attribute.text.split('(').next().unwrap_or_default();
        word.trim().trim_matches('_') == name
    })
}

fn has_array(derived: &[Derived]) -> bool {
    derived.iter().any(|step| matches!(step, Derived::Array(Some(_))))
}

/// Whether a type has few parts.
fn is_small(ty: &Type, depth: usize, left: &mut usize) -> bool {
    if depth == 0 || *left == 0 {
        return false;
    }
    *left -= 1;
    match ty {
        Type::Pointer(inner) | Type::Array(inner, _) | Type::Atomic(inner) => {
            is_small(inner, depth - 1, left)
        }
        Type::Function(signature) => {
            is_small(&signature.result, depth - 1, left)
                && signature.params.iter().all(|param| is_small(param, depth - 1, left))
        }
        _ => true,
    }
}
