//! # Types
//! From types as written to types of the program, which types go together, and how types are
//! called when people are told about them.

use num_bigint::BigInt;
use selvedge_program::{EnumId, Span, Type};

use super::expressions::Typer;
use super::items::{Item, Items};
use super::quoted;
use super::similar::WORDS;
use super::sync::Word;
use crate::Diagnostic;
use crate::foreign;
use crate::syntax::{Expr, Name, TypeExpr, TypeKind, VarDecl};

/// The greatest length of an array.
const LONGEST_ARRAY: u32 = 65_536;
/// The greatest number of elements of a variable, over all dimensions.
const MOST_SLOTS: usize = 65_536;
/// The greatest number of elements of all arrays of a program together.
const MOST_ELEMENTS: usize = 4 * MOST_SLOTS;
/// The greatest number of dimensions.
const MOST_DIMENSIONS: usize = 3;

const HINT: &str = "a verifier looks at every state; small arrays often show the same mistakes";

/// Whether a value of one type may be stored in a place of another, or compared with it. Integers
/// go together whatever their ranges are; that a value is in range is checked when it is stored. Machine
/// integers go with their own type only.
pub(super) fn compatible(a: &Type, b: &Type) -> bool {
    let plain = |ty: &Type| ty.is_integer() && !ty.is_machine();
    a == b || plain(a) && plain(b)
}

/// The type that holds the values of both of two compatible types.
pub(super) fn join(a: &Type, b: &Type) -> Type {
    if a == b { a.clone() } else { Type::Int }
}

impl Items<'_> {
    /// A value of the type, for people: "a truth value".
    pub fn a_value(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "a truth value".to_owned(),
            Type::Int | Type::Range { .. } => "an integer".to_owned(),
            Type::Machine { signed, .. } => {
                let article = if *signed { "an" } else { "a" };
                format!("{article} `{}`", ty.integer_name().unwrap_or_default())
            }
            Type::Enum(id) => format!("a value of `{}`", self.enums[id.index()].name.text),
            Type::Lock => "a lock".to_owned(),
            Type::ThreadId => "a thread id".to_owned(),
            Type::Array { .. } => "an array".to_owned(),
        }
    }

    /// The values of an enumeration, for people.
    pub fn all_values(&self, id: EnumId) -> String {
        let decl = &self.enums[id.index()];
        let values = quoted(decl.enumerators.iter().map(|n| n.text.as_str()));
        format!("the values of `{}` are {values}", decl.name.text)
    }
}

impl<'a> Typer<'_, 'a> {
    /// The type of a variable: of its elements, and its lengths.
    pub fn variable_type(&mut self, decl: &'a VarDecl) -> Option<Type> {
        let element = self.element_type(&decl.ty);
        self.type_of_elements(decl, element)
    }

    /// The type of a variable with these elements, and the lengths that it is declared with.
    pub fn type_of_elements(&mut self, decl: &'a VarDecl, element: Option<Type>) -> Option<Type> {
        let mut ty = element;
        let lengths: Vec<Option<u32>> = decl.dims.iter().map(|dim| self.length(dim)).collect();
        if let Some(extra) = decl.dims.get(MOST_DIMENSIONS) {
            let message = format!(
                "`{}` has {} dimensions; at most {MOST_DIMENSIONS} are possible",
                decl.name.text,
                decl.dims.len()
            );
            self.problems.push(Diagnostic::error(extra.span, message));
            return None;
        }
        for length in lengths.into_iter().rev() {
            ty = length
                .zip(ty)
                .map(|(length, element)| Type::Array { element: Box::new(element), length });
        }
        let slots = ty.as_ref().map_or(0, Type::slots);
        if slots > MOST_SLOTS {
            let message = format!(
                "`{}` has {slots} elements; at most {MOST_SLOTS} are possible",
                decl.name.text
            );
            self.problems.push(Diagnostic::error(decl.name.span, message).hint(HINT));
            return None;
        }
        if slots > 1 {
            let before = self.items.elements.get();
            self.items.elements.set(before + slots);
            if before + slots > MOST_ELEMENTS {
                // Report it only once.
                if before <= MOST_ELEMENTS {
                    let message = format!(
                        "with `{}`, the arrays have {} elements in all; at most {MOST_ELEMENTS} \
                         are possible",
                        decl.name.text,
                        before + slots
                    );
                    self.problems.push(Diagnostic::error(decl.name.span, message).hint(HINT));
                }
                return None;
            }
        }
        ty
    }

    /// A type without lengths.
    pub fn element_type(&mut self, ty: &'a TypeExpr) -> Option<Type> {
        match &ty.kind {
            TypeKind::Bool => Some(Type::Bool),
            TypeKind::Int => Some(Type::Int),
            TypeKind::Machine(ty) => Some(ty.clone()),
            TypeKind::Lock => Some(Type::Lock),
            TypeKind::ThreadId => Some(Type::ThreadId),
            TypeKind::Range(lo, hi) => self.range_type(lo, hi),
            TypeKind::Semaphore(..) => self.not_a_value(Word::Semaphore, ty.span),
            TypeKind::Channel { .. } | TypeKind::Messages(_) => {
                self.not_a_value(Word::Channel, ty.span)
            }
            TypeKind::Ref(inner) => self.element_type(inner),
            TypeKind::Named(name) => self.named_type(name),
        }
    }

    /// `int[lo..hi]`
    pub fn range_type(&mut self, lo: &'a Expr, hi: &'a Expr) -> Option<Type> {
        let (lo_value, hi_value) = (self.bound(lo), self.bound(hi));
        let (lo_value, hi_value) = lo_value.zip(hi_value)?;
        if lo_value > hi_value {
            let message = format!("`int[{lo_value}..{hi_value}]` has no values");
            let span = lo.span.to(hi.span);
            self.problems.push(
                Diagnostic::error(span, message)
                    .hint("the least value comes first, the greatest second"),
            );
            return None;
        }
        Some(Type::Range { lo: lo_value, hi: hi_value })
    }

    /// Reports a semaphore, a condition or a barrier that is not a shared variable.
    fn not_a_value(&mut self, word: Word, span: Span) -> Option<Type> {
        let message = format!("a {} is a shared variable", word.name());
        self.problems.push(
            Diagnostic::error(span, message)
                .hint("declare it outside of the procedures; to say which one, pass an index"),
        );
        None
    }

    fn named_type(&mut self, name: &'a Name) -> Option<Type> {
        match self.items.find_declared(&name.text) {
            Some((Item::Enum(id), declared)) => {
                self.items.used(name, declared);
                Some(Type::Enum(id))
            }
            Some((item, declared)) => {
                let message = format!("`{}` is {}, not a type", name.text, item.what());
                let hint = "a declaration begins with a type: `int x;`, `bool b;`";
                let problem = Diagnostic::error(name.span, message).hint(hint);
                self.problems.push(problem.related(declared, "declared here"));
                None
            }
            None => {
                if let Some(&(_, word)) = Word::ALL.iter().find(|(text, _)| *text == name.text) {
                    return self.not_a_value(word, name.span);
                }
                let mut problem =
                    Diagnostic::error(name.span, format!("there is no type `{}`", name.text));
                let known = ["bool", "int", "lock", "tid"].into_iter();
                let known = known.chain(Word::ALL.map(|(text, _)| text));
                let similar = self.similar(name, |typer| {
                    let is_type = |item| matches!(item, Item::Enum(_) | Item::Struct(_));
                    known.clone().chain(typer.items.names(is_type)).chain(WORDS).collect()
                });
                let beginning = foreign::beginning(&name.text).map(str::to_owned);
                problem.hint = foreign::ty(&name.text).or(similar).or(beginning).or_else(|| {
                    Some(
                        "types are `bool`, `int`, `int[lo..hi]`, `u8` to `i64`, `lock`, `semaphore`, `condition`, \
                         `barrier`, `chan`, `tid`, and those declared with `enum` and `struct`"
                            .to_owned(),
                    )
                });
                self.problems.push(problem);
                None
            }
        }
    }

    fn bound(&mut self, expr: &'a Expr) -> Option<BigInt> {
        self.constant(expr, Some(&Type::Int), "the bound of a type")?.1.to_big()
    }

    fn length(&mut self, expr: &'a Expr) -> Option<u32> {
        let (_, value) = self.constant(expr, Some(&Type::Int), "the length of an array")?;
        let length = value.small().and_then(|n| u32::try_from(n).ok());
        let length = length.filter(|n| (1..=LONGEST_ARRAY).contains(n));
        if length.is_none() {
            let message = format!("an array cannot have the length {value}");
            let hint = format!("lengths go from 1 to {LONGEST_ARRAY}");
            self.problems.push(Diagnostic::error(expr.span, message).hint(hint));
        }
        length
    }
}
