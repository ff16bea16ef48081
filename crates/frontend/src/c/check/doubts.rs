//! # What is probably not meant
//! Warnings about what C allows and nobody wants: numbers as pointers, pointers of other types, `=` where `==` was meant; and the mistake of changing what is `const`.
//!
//! **`const`** is no part of types here. Declarations are remembered by where they stand: whether the variable is constant, and whether what it points to is. That is told of variables,
//! their parts, and what a pointer with a name points to; whoever casts it away, or hides it in a `typedef`, is not noticed.

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::is_integer;
use crate::Diagnostic;
use crate::c::tree::{self, Binary, Declarator, Derived, Qualifiers, Specifiers, TypeWords};
use crate::c::typed::{Expr, ExprKind, Lvalue, LvalueKind};
use crate::c::types::Type;

/// The parts of a declaration that are constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Constant {
    /// The variable, or the elements of an array.
    itself: bool,
    /// Whether what it points to is constant, or what its elements point to.
    target: bool,
}

impl Checker<'_> {
    fn doubt(&mut self, span: Span, message: impl Into<String>, hint: impl Into<String>) {
        self.problems.push(Diagnostic::warning(span, message).hint(hint));
    }

    /// Warns about a doubtful conversion that C makes implicitly.
    pub fn doubt_conversion(&mut self, expr: &Expr, to: &Type, what: &str) {
        let text = self.text_of(expr);
        let hint = match (&expr.ty, to) {
            (Type::Pointer(_), Type::Int { rank: 0, .. }) if text == Some(1) => {
                "a single character stands in single quotes: `'…'`"
            }
            (Type::Pointer(_), Type::Int { .. }) if text.is_some() => {
                "a number is written without quotes; a text is kept in a `char *`"
            }
            (Type::Pointer(to), Type::Int { .. }) if matches!(**to, Type::Function(_)) => {
                "call the function: write `()` behind its name"
            }
            (Type::Pointer(_), Type::Int { .. }) => {
                "follow the pointer with `*`, or write a cast if its address is meant"
            }
            (Type::Pointer(_), Type::Opaque(_)) => "give the value itself, without `&`",
            (Type::Opaque(_), Type::Pointer(_)) => "take its address with `&`",
            (from, Type::Pointer(_)) if is_integer(from) && !self.is_null(expr) => {
                "take the address of a variable with `&`, or write a cast if the number is one"
            }
            (Type::Pointer(from), Type::Pointer(to)) if !self.may_point(from, to) => {
                match (&**from, &**to) {
                    (Type::Function(_), Type::Function(_)) => {
                        "give a function that takes and returns just that"
                    }
                    _ => "give a pointer of that type, or write a cast if this is meant",
                }
            }
            _ => return,
        };
        let (given, wanted) = (self.spell(&expr.ty), self.spell(to));
        self.doubt(expr.span, format!("{what} is `{wanted}`, but this is `{given}`"), hint);
    }

    /// The length of a text that stands in the program.
    fn text_of(&self, expr: &Expr) -> Option<u64> {
        let ExprKind::Address(place) = &expr.kind else { return None };
        let LvalueKind::Object(id) = place.kind else { return None };
        let object = self.objects.get(id.index()).filter(|object| object.is_string)?;
        match object.ty {
            Type::Array(_, Some(length)) => Some(length.saturating_sub(1)),
            _ => None,
        }
    }

    /// Whether a pointer to the one may be taken for a pointer to the other without a word.
    fn may_point(&self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Void, _) | (_, Type::Void) => true,
            (Type::Atomic(from), to) => self.may_point(from, to),
            (from, Type::Atomic(to)) => self.may_point(from, to),
            (Type::Pointer(from), Type::Pointer(to)) => self.may_point(from, to),
            // Signs, enumerations and the integers behind types of the library.
            (from, to) if is_integer(&self.promoted(from)) && is_integer(&self.promoted(to)) => {
                self.types.size(from) == self.types.size(to)
            }
            _ => self.compatible(from, to),
        }
    }

    /// Looks at a condition: `=` for `==`. Who means it writes another pair of parentheses.
    pub fn doubt_condition(&mut self, expr: &tree::Expr) {
        if let tree::ExprKind::Assign(None, place, _) = &expr.kind
            && place.span.start == expr.span.start
        {
            self.doubt(
                expr.span,
                "this condition is an assignment",
                "did you mean `==`? If not, put it into another pair of parentheses",
            );
        }
    }

    /// Looks at an expression whose value is dropped: `==` for `=`.
    pub fn doubt_statement(&mut self, expr: &tree::Expr) {
        if let tree::ExprKind::Binary(Binary::Eq, ..) = &expr.kind {
            self.doubt(expr.span, "the result of this comparison is dropped", "did you mean `=`?");
        }
    }

    /// Looks at what stands before the name of a function with a body.
    pub fn doubt_result_type(&mut self, function: &tree::Function) {
        if let (TypeWords::Missing, Some(name)) =
            (&function.specifiers.ty, &function.declarator.name)
        {
            let message =
                format!("`{}` has no type for its result, which is taken as `int`", name.text);
            self.doubt(name.span, message, format!("write `int {}(…)`, or `void`", name.text));
        }
    }

    /// Looks at `return` in a function that gives something else.
    pub fn doubt_return(&mut self, value: Option<&Expr>, result: &Type, span: Span) {
        match value {
            Some(value) if *result == Type::Void && value.ty != Type::Void => self.doubt(
                value.span,
                "the function gives `void`, but this is a value, which is dropped",
                "remove it, or write the type of the result before the name of the function",
            ),
            None if *result != Type::Void => {
                let spelt = self.spell(result);
                let message =
                    format!("the result of the function is `{spelt}`, but nothing is given");
                self.doubt(span, message, "add a value, or make the function `void`");
            }
            _ => {}
        }
    }

    /// Remembers what a declaration says is constant.
    pub fn note_constant(&mut self, specifiers: &Specifiers, declarator: &Declarator) {
        self.note(specifiers, declarator, false);
    }

    /// Remembers what the parameters of a function say is constant; those that are arrays are pointers.
    pub fn note_constant_parameters(&mut self, declarator: &Declarator) {
        let Some(Derived::Function { params, .. }) = declarator.derived.first() else { return };
        for param in params {
            self.note(&param.specifiers, &param.declarator, true);
        }
    }

    fn note(&mut self, specifiers: &Specifiers, declarator: &Declarator, is_param: bool) {
        let Some(name) = &declarator.name else { return };
        // A `typedef` may be an array, which is a pointer as a parameter.
        if is_param && matches!(specifiers.ty, TypeWords::Named(_)) && declarator.derived.is_empty()
        {
            return;
        }
        let constant = constant(specifiers.qualifiers, &declarator.derived, is_param);
        if constant != Constant::default() {
            self.constants.insert(name.span, constant);
        }
    }

    /// Reports a change of what is constant; whether it is.
    pub fn refuse_constant(&mut self, place: &Lvalue) -> bool {
        let Some((name, declared, is_target)) = self.constant_root(place) else { return false };
        let message = match is_target {
            true => format!("what `{name}` points to is `const`, so it cannot be changed"),
            false => format!("`{name}` is `const`, so it cannot be changed"),
        };
        self.problems.push(
            Diagnostic::error(place.span, message)
                .related(declared, "declared here")
                .hint("remove the `const`, or change a copy"),
        );
        true
    }

    /// The variable that says that a place is constant: its name, where it is declared, and whether it is what the variable points to.
    fn constant_root(&self, place: &Lvalue) -> Option<(String, Span, bool)> {
        let mut place = place;
        let mut is_target = false;
        loop {
            match &place.kind {
                LvalueKind::Element(inner, _) => place = inner,
                LvalueKind::Member(inner, ..) if !is_target => place = inner,
                LvalueKind::Deref(pointer) if !is_target => {
                    let mut pointer = pointer;
                    while let ExprKind::Offset(inner, _) = &pointer.kind {
                        pointer = inner;
                    }
                    let ExprKind::Load(from) = &pointer.kind else { return None };
                    (place, is_target) = (from, true);
                }
                LvalueKind::Local(id) => {
                    let local = self.body.as_ref()?.locals.get(id.index())?;
                    return self.is_constant(&local.name, local.span, is_target);
                }
                LvalueKind::Object(id) => {
                    let object = self.objects.get(id.index())?;
                    let name = object.name.rsplit('.').next().unwrap_or_default();
                    return self.is_constant(name, object.span, is_target);
                }
                _ => return None,
            }
        }
    }

    fn is_constant(&self, name: &str, span: Span, is_target: bool) -> Option<(String, Span, bool)> {
        let known = self.constants.get(&span)?;
        let says = if is_target { known.target } else { known.itself };
        says.then(|| (name.to_owned(), span, is_target))
    }
}

/// What a declaration says is constant: the type before it, and what stands around the name, from the name outward.
fn constant(base: Qualifiers, derived: &[Derived], is_param: bool) -> Constant {
    // What is behind the arrays at the front: whether it is constant, and what is further out.
    let behind = |mut derived: &[Derived]| {
        while let [Derived::Array(_), rest @ ..] = derived {
            derived = rest;
        }
        match derived {
            [] => (base.is_const, None),
            [Derived::Pointer(own), rest @ ..] => (own.is_const, Some(rest.to_vec())),
            _ => (false, None),
        }
    };
    if let ([Derived::Array(_), rest @ ..], true) = (derived, is_param) {
        return Constant { itself: false, target: behind(rest).0 };
    }
    let (itself, rest) = behind(derived);
    Constant { itself, target: rest.is_some_and(|rest| behind(&rest).0) }
}
