//! # Special parts of initialisers
//! Designators, strings for arrays, bit-fields, and objects of the library, whose initialisers only the library understands.

use std::sync::Arc;

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::of_value;
use super::conversions::{constant, int, unsupported};
use super::initialisers::{Cursor, Descent};
use super::literals::character_value;
use super::operands::bit_field;
use super::parts::Parts;
use crate::Diagnostic;
use crate::c::tree::{self, Designator, Init};
use crate::c::types::{DataModel, Opaque, Type};

impl Checker<'_> {
    /// The way that designators go.
    pub fn resolve(&mut self, ty: &Type, designators: &[Designator]) -> Option<Vec<Descent>> {
        let mut ty = of_value(ty);
        let mut steps = Vec::new();
        for designator in designators {
            match (designator, &ty) {
                (Designator::Member(name), Type::Record(id)) => {
                    let path = self.find_member(*id, name)?;
                    for (id, field) in path {
                        steps.push(Descent::Field(field));
                        ty = of_value(&self.types.record(id).fields.get(field)?.ty);
                    }
                }
                (Designator::Index(index), Type::Array(element, length)) => {
                    let first = self.designated_index(index, *length)?;
                    steps.push(Descent::Elements(first, first));
                    ty = of_value(element);
                }
                (Designator::Range(from, to), Type::Array(element, length)) => {
                    let first = self.designated_index(from, *length)?;
                    let last = self.designated_index(to, *length)?;
                    if last < first {
                        self.error(to.span, "this range ends before it starts");
                        return None;
                    }
                    steps.push(Descent::Elements(first, last));
                    ty = of_value(element);
                }
                (Designator::Member(name), _) => {
                    let spelt = self.spell(&ty);
                    self.error(name.span, format!("`{spelt}` has no member `{}`", name.text));
                    return None;
                }
                (Designator::Index(index) | Designator::Range(index, _), _) => {
                    let spelt = self.spell(&ty);
                    self.error(index.span, format!("`{spelt}` has no elements"));
                    return None;
                }
            }
        }
        Some(steps)
    }

    fn designated_index(&mut self, index: &tree::Expr, length: Option<u64>) -> Option<u64> {
        let value = self.constant_int(index, "the index in an initialiser")?;
        match u64::try_from(value) {
            Ok(value) if value < length.unwrap_or(1 << 40) => Some(value),
            _ => {
                self.error(index.span, format!("there is no element {value} in this array"));
                None
            }
        }
    }

    /// Fills an array with the characters of a string.
    pub fn fill_string(
        &mut self,
        parts: &mut Parts,
        element: &Arc<Type>,
        length: Option<u64>,
        at: u64,
        (text, width, span): (&[u32], u32, Span),
    ) -> Option<Type> {
        let size = self.types.size(element)?;
        if size != u64::from(width) {
            let spelt = self.spell(element);
            self.error(span, format!("the characters of this string are no `{spelt}`"));
            parts.failed = true;
            return None;
        }
        let given = u64::try_from(text.len()).ok()?;
        let length = length.unwrap_or(given + 1);
        if given > length {
            self.problems.push(
                Diagnostic::warning(
                    span,
                    format!("the string does not fit into {length} characters"),
                )
                .hint("make the array longer"),
            );
        }
        parts.clear(at, size.checked_mul(length)?);
        let ty = of_value(element);
        for (i, character) in (0..length).zip(text) {
            if *character != 0 {
                let value = constant(character_value(*character, &ty), ty.clone(), span);
                parts.put(at.checked_add(i.checked_mul(size)?)?, size, value);
            }
        }
        Some(Type::Array(element.clone(), Some(length)))
    }

    /// Fills a bit-field, which is supported only where it is 0.
    pub fn fill_bit_field(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        name: &str,
        cursor: &mut Cursor<'_>,
    ) {
        let Some((_, init)) = cursor.current() else { return };
        let value = match init {
            Init::Expr(expr) => match cursor.value.take() {
                Some(value) => Some(value),
                None => self.value(expr),
            },
            Init::List(..) => None,
        };
        match value {
            Some(value) if self.fold_int(&value) == Some(0) => {}
            Some(value) => parts.put(at, 0, unsupported(bit_field(name), ty.clone(), value.span)),
            None => parts.failed = true,
        }
        cursor.advance();
    }

    /// Fills what the library knows. Of a mutex only its kind matters: it is put where the mutex starts, unless it is the normal one.
    pub fn fill_opaque(
        &mut self,
        parts: &mut Parts,
        opaque: Opaque,
        at: u64,
        items: &[(Vec<Designator>, Init)],
    ) {
        if opaque != Opaque::Mutex {
            return;
        }
        // In glibc, the members before it are the lock, the count, the owner, and, with 64 bits, the number of users.
        let mut before = match self.types.model {
            DataModel::Ilp32 => 3,
            DataModel::Lp64 => 4,
        };
        let Some(kind) = nth_value(items, &mut before) else { return };
        let value = self.quietly(|c| c.constant_int(kind, "the kind of a mutex"));
        if let Some(value) = value.filter(|value| *value != 0) {
            parts.put(at, 0, int(value, kind.span));
        }
    }
}

/// The value with a number in a nest of braces, counted from 0.
fn nth_value<'i>(items: &'i [(Vec<Designator>, Init)], left: &mut usize) -> Option<&'i tree::Expr> {
    items.iter().find_map(|(_, init)| match init {
        Init::List(items, _) => nth_value(items, left),
        Init::Expr(expr) if *left == 0 => Some(expr),
        Init::Expr(_) => {
            *left -= 1;
            None
        }
    })
}

/// Whether it is a string.
pub(super) fn is_string(expr: &tree::Expr) -> bool {
    matches!(expr.kind, tree::ExprKind::String(..))
}

/// Where an initialiser stands.
pub(super) fn span_of(init: &Init) -> Span {
    match init {
        Init::Expr(expr) => expr.span,
        Init::List(_, span) => *span,
    }
}
