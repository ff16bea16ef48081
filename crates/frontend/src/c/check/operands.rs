//! # Operands
//! What an expression is before it is used: a value, a place, or a function. Places are read, and arrays and functions become
//! pointers, only where C says so (C11 6.3.2.1).

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{INT, is_integer, of_value};
use super::conversions::{constant, int, is_opaque, unsupported};
use super::spelling::name_of;
use crate::c::tree::Name;
use crate::c::typed::{Arithmetic, Expr, ExprKind, FunctionId, Lvalue, LvalueKind};
use crate::c::types::{RecordId, Type};
use crate::check::similar::did_you_mean;

/// The meaning of an expression before it is used: a value, a place or a function.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A value.
    Value(Expr),
    /// Something that can be read, written, or pointed to.
    Place(Lvalue),
    /// A function by name.
    Function(FunctionId, Span),
}

impl Operand {
    /// The place in the text.
    pub fn span(&self) -> Span {
        match self {
            Operand::Value(expr) => expr.span,
            Operand::Place(place) => place.span,
            Operand::Function(_, span) => *span,
        }
    }
}

impl Checker<'_> {
    /// The type of an operand that is not used: an array stays one.
    pub fn operand_type(&self, operand: &Operand) -> Type {
        match operand {
            Operand::Value(expr) => expr.ty.clone(),
            Operand::Place(place) => place.ty.clone(),
            Operand::Function(id, _) => Type::Function(self.known[id.index()].signature.clone()),
        }
    }

    /// The value of an operand: places are read, arrays and functions become pointers.
    pub fn rvalue(&mut self, operand: Operand) -> Option<Expr> {
        match operand {
            Operand::Value(expr) => Some(expr),
            Operand::Function(id, span) => {
                self.reach_function(id);
                let ty = Type::Function(self.known[id.index()].signature.clone());
                Some(Expr { kind: ExprKind::Function(id), ty: Type::Pointer(Arc::new(ty)), span })
            }
            Operand::Place(place) => match place.ty.clone() {
                Type::Array(element, _) => Some(self.address_as(place, Type::Pointer(element))),
                ty @ Type::Function(_) => Some(self.address_as(place, Type::Pointer(Arc::new(ty)))),
                _ => self.load(place),
            },
        }
    }

    /// The address of a place, as a pointer of some type.
    pub fn address_as(&self, place: Lvalue, ty: Type) -> Expr {
        let span = place.span;
        match place.kind {
            LvalueKind::Deref(pointer) if pointer.ty == ty => Expr { span, ..*pointer },
            // A literal that is an array: its variable comes to life and is pointed to.
            LvalueKind::Deref(pointer) => match *pointer {
                Expr { kind: ExprKind::Statement(statements, Some(last)), .. }
                    if matches!(last.kind, ExprKind::Address(_)) =>
                {
                    let last = Box::new(Expr { ty: ty.clone(), ..*last });
                    Expr { kind: ExprKind::Statement(statements, Some(last)), ty, span }
                }
                pointer => {
                    let kind = LvalueKind::Deref(Box::new(pointer));
                    let place = Lvalue { kind, ty: place.ty, span };
                    Expr { kind: ExprKind::Address(Box::new(place)), ty, span }
                }
            },
            kind => {
                let place = Lvalue { kind, ..place };
                Expr { kind: ExprKind::Address(Box::new(place)), ty, span }
            }
        }
    }

    /// The value of a place.
    pub fn load(&mut self, place: Lvalue) -> Option<Expr> {
        let span = place.span;
        let ty = of_value(&place.ty);
        if let Some(name) = self.bit_field_name(&place) {
            return Some(unsupported(bit_field(&name), ty, span));
        }
        if ty == Type::Void {
            let LvalueKind::Deref(pointer) = place.kind else { return None };
            return Some(Expr { kind: ExprKind::Convert(pointer), ty, span });
        }
        if self.types.size(&ty).is_none() {
            self.incomplete(&ty, span);
            return None;
        }
        Some(match place.kind {
            LvalueKind::Temporary(value) => *value,
            // What a literal of record type holds: its variable comes to life and is read.
            LvalueKind::Deref(pointer) => match *pointer {
                Expr {
                    kind: ExprKind::Statement(statements, Some(last)),
                    ty: pointer_ty,
                    span: at,
                } => match *last {
                    Expr { kind: ExprKind::Address(inner), .. } if of_value(&inner.ty) == ty => {
                        let load = Expr { kind: ExprKind::Load(inner), ty: ty.clone(), span };
                        let kind = ExprKind::Statement(statements, Some(Box::new(load)));
                        Expr { kind, ty, span }
                    }
                    last => {
                        let kind = ExprKind::Statement(statements, Some(Box::new(last)));
                        let pointer = Expr { kind, ty: pointer_ty, span: at };
                        load_through(pointer, place.ty, span)
                    }
                },
                pointer => load_through(pointer, place.ty, span),
            },
            kind => {
                let place = Lvalue { kind, ..place };
                Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
            }
        })
    }

    /// The name of the bit-field that a place is.
    pub fn bit_field_name(&self, place: &Lvalue) -> Option<String> {
        let LvalueKind::Member(_, id, field) = &place.kind else { return None };
        let field = self.types.record(*id).fields.get(*field)?;
        field.bits.is_some().then(|| field.name.clone())
    }

    /// Reports that nothing is known of a type where its size matters.
    pub fn incomplete(&mut self, ty: &Type, span: Span) {
        let spelt = self.spell(ty);
        let hint = match ty {
            Type::Array(_, None) => "give its length",
            Type::Record(_) => "define it, or include the header that does",
            _ => "use a type whose size is known",
        };
        self.advise(span, format!("the size of `{spelt}` is not known here"), hint);
    }

    /// The place that a pointer points to.
    pub fn deref(&mut self, pointer: Expr, span: Span) -> Option<Operand> {
        let Type::Pointer(to) = pointer.ty.clone() else {
            let spelt = self.spell(&pointer.ty);
            self.advise(span, format!("`{spelt}` is no pointer"), "only a pointer can be followed");
            return None;
        };
        let kind = match pointer.kind {
            ExprKind::Function(id) if matches!(*to, Type::Function(_)) => {
                return Some(Operand::Function(id, span));
            }
            ExprKind::Address(place) if place.ty == *to => {
                return Some(Operand::Place(Lvalue { span, ..*place }));
            }
            ExprKind::Address(place) if matches!(&place.ty, Type::Array(element, _) if **element == *to) => {
                LvalueKind::Element(place, Box::new(int(0, span)))
            }
            kind => LvalueKind::Deref(Box::new(Expr { kind, ..pointer })),
        };
        Some(Operand::Place(Lvalue { kind, ty: (*to).clone(), span }))
    }

    /// A pointer moved by a number of elements, forward or back.
    pub fn moved(&mut self, pointer: Expr, by: Expr, back: bool, span: Span) -> Option<Expr> {
        let offset = self.bytes(&pointer, by, back)?;
        let ty = pointer.ty.clone();
        Some(Expr { kind: ExprKind::Offset(Box::new(pointer), Box::new(offset)), ty, span })
    }

    /// The number of bytes that a number of elements takes, for what a pointer points to.
    pub fn bytes(&mut self, pointer: &Expr, by: Expr, back: bool) -> Option<Expr> {
        let Type::Pointer(to) = &pointer.ty else { return None };
        let Some(size) = self.types.size(to) else {
            self.incomplete(to, pointer.span);
            return None;
        };
        let ty = self.difference_type();
        let by = self.convert(self.promote(by), &ty);
        let size = if back { -i128::from(size) } else { i128::from(size) };
        let span = by.span;
        Some(match by.kind {
            ExprKind::Int(n) => {
                let bits = self.pointer_bits();
                constant(super::arithmetic::wrap(n.saturating_mul(size), bits, true), ty, span)
            }
            _ if size == 1 => by,
            _ => {
                let size = constant(size, ty.clone(), span);
                let kind = ExprKind::Arithmetic(Arithmetic::Mul, Box::new(by), Box::new(size));
                Expr { kind, ty, span }
            }
        })
    }

    /// `a[i]`, or `i[a]`.
    pub fn element(&mut self, a: Operand, i: Operand, span: Span) -> Option<Operand> {
        let is_array = |operand: &Operand| {
            matches!(operand, Operand::Place(Lvalue { ty: Type::Array(..), .. }))
        };
        let (base, index) = if !is_array(&a) && is_array(&i) { (i, a) } else { (a, i) };
        let index = self.rvalue(index)?;
        if let Operand::Place(place) = base {
            if let Type::Array(element, _) = place.ty.clone() {
                let index = self.index(index)?;
                let kind = LvalueKind::Element(Box::new(place), Box::new(index));
                return Some(Operand::Place(Lvalue { kind, ty: (*element).clone(), span }));
            }
            let base = self.rvalue(Operand::Place(place))?;
            return self.element_of_pointer(base, index, span);
        }
        let base = self.rvalue(base)?;
        self.element_of_pointer(base, index, span)
    }

    fn element_of_pointer(&mut self, a: Expr, i: Expr, span: Span) -> Option<Operand> {
        let (pointer, index) = match (&a.ty, &i.ty) {
            (Type::Pointer(_), _) => (a, i),
            (_, Type::Pointer(_)) => (i, a),
            (ty, _) => {
                let (spelt, is_void) = (self.spell(ty), *ty == Type::Void);
                let hint = match is_void {
                    true => {
                        "the lengths of an array after the first one must be constant, also where it is a parameter, as in `int a[n][4]`"
                    }
                    false => "only arrays and pointers can be indexed",
                };
                self.advise(a.span, format!("`{spelt}` has no elements"), hint);
                return None;
            }
        };
        let index = self.index(index)?;
        let moved = self.moved(pointer, index, false, span)?;
        self.deref(moved, span)
    }

    /// An index: an integer.
    fn index(&mut self, index: Expr) -> Option<Expr> {
        if is_integer(&index.ty) {
            return Some(self.promote(index));
        }
        let spelt = self.spell(&index.ty);
        self.error(index.span, format!("an index is an integer, not `{spelt}`"));
        None
    }

    /// `e.m`
    pub fn member(&mut self, base: Operand, name: &Name, span: Span) -> Option<Operand> {
        let place = match base {
            Operand::Place(place) => place,
            Operand::Value(value) => {
                let (ty, span) = (value.ty.clone(), value.span);
                Lvalue { kind: LvalueKind::Temporary(Box::new(value)), ty, span }
            }
            Operand::Function(_, span) => {
                self.error(span, "a function has no members");
                return None;
            }
        };
        let ty = of_value(&place.ty);
        if let Some(opaque) = is_opaque(&ty) {
            let what = format!("looking into a `{}`", name_of(opaque));
            let pointer = unsupported(what, Type::Pointer(Arc::new(INT)), span);
            let kind = LvalueKind::Deref(Box::new(pointer));
            return Some(Operand::Place(Lvalue { kind, ty: INT, span }));
        }
        let Type::Record(id) = ty else {
            let spelt = self.spell(&ty);
            let hint = match &ty {
                Type::Pointer(to) if matches!(**to, Type::Record(_)) => {
                    format!("follow the pointer: `->{}`", name.text)
                }
                _ => "only structures and unions have members".to_owned(),
            };
            self.advise(name.span, format!("`{spelt}` has no member `{}`", name.text), hint);
            return None;
        };
        let path = self.find_member(id, name)?;
        let mut place = place;
        for (id, field) in path {
            let ty = self.types.record(id).fields.get(field)?.ty.clone();
            place = Lvalue { kind: LvalueKind::Member(Box::new(place), id, field), ty, span };
        }
        Some(Operand::Place(place))
    }

    /// The way to a member, through records without a name; reports that there is none.
    pub fn find_member(&mut self, id: RecordId, name: &Name) -> Option<Vec<(RecordId, usize)>> {
        let mut path = Vec::new();
        if self.path(id, &name.text, &mut path) {
            path.reverse();
            return Some(path);
        }
        let record = self.types.record(id);
        let spelt = self.spell(&Type::Record(id));
        let (message, hint) = if record.size.is_none() {
            (
                format!("the members of `{spelt}` are not known here"),
                Some("define it, or include the header that does".to_owned()),
            )
        } else {
            let known = record.fields.iter().map(|field| field.name.as_str());
            let known = known.filter(|name| !name.is_empty());
            let hint = did_you_mean(&name.text, known.clone()).or_else(|| {
                let all: Vec<String> = known.take(8).map(|name| format!("`{name}`")).collect();
                (!all.is_empty()).then(|| format!("it has {}", all.join(", ")))
            });
            (format!("`{spelt}` has no member `{}`", name.text), hint)
        };
        let mut problem = crate::Diagnostic::error(name.span, message);
        problem.hint = hint;
        self.problems.push(problem);
        None
    }

    /// Finds the way to a member, the last step first.
    fn path(&self, id: RecordId, name: &str, path: &mut Vec<(RecordId, usize)>) -> bool {
        for (i, field) in self.types.record(id).fields.iter().enumerate() {
            let found = match &field.ty {
                Type::Record(inner) if field.name.is_empty() => self.path(*inner, name, path),
                _ => !field.name.is_empty() && field.name == name,
            };
            if found {
                path.push((id, i));
                return true;
            }
        }
        false
    }
}

/// Says that a bit-field is not supported.
pub(super) fn bit_field(name: &str) -> String {
    format!("the bit-field `{name}`")
}

fn load_through(pointer: Expr, ty: Type, span: Span) -> Expr {
    let value = of_value(&ty);
    let place = Lvalue { kind: LvalueKind::Deref(Box::new(pointer)), ty, span };
    Expr { kind: ExprKind::Load(Box::new(place)), ty: value, span }
}
