//! # Initialisers
//! Which value is for which part: braces, those that are left out, designators, strings (C11 6.7.9). The result is flat: values
//! with their offsets.

use selvedge_program::Span;

use super::Checker;
use super::arithmetic::{is_integer, of_value};
use super::designators::{is_string, span_of};
use super::parts::{MOST_PARTS, Parts};
use crate::Diagnostic;
use crate::c::tree::{self, Designator, Init};
use crate::c::typed::{Expr, Part};
use crate::c::types::Type;

/// A step to a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Descent {
    /// Into a member.
    Field(usize),
    /// Into an element, or into all from one to another.
    Elements(u64, u64),
}

/// The values in braces, and how far they are used.
pub(super) struct Cursor<'i> {
    items: &'i [(Vec<Designator>, Init)],
    at: usize,
    /// The value of the current item, once it is known.
    pub value: Option<Expr>,
    /// Whether the designators of the current item were followed.
    is_resolved: bool,
}

impl<'i> Cursor<'i> {
    fn new(items: &'i [(Vec<Designator>, Init)]) -> Self {
        Cursor { items, at: 0, value: None, is_resolved: false }
    }

    /// The current item.
    pub fn current(&self) -> Option<&'i (Vec<Designator>, Init)> {
        self.items.get(self.at)
    }

    /// Goes on to the next item.
    pub fn advance(&mut self) {
        self.at += 1;
        self.value = None;
        self.is_resolved = false;
    }
}

impl Checker<'_> {
    /// The parts of an initialiser, and the type: that of an array without a length has one now.
    pub fn initial(&mut self, ty: &Type, init: &Init, span: Span) -> Option<(Type, Vec<Part>)> {
        self.initially(ty, span, |c, parts| c.fill(parts, ty, 0, init))
    }

    /// The parts of values in braces, as [`Self::initial`] does it.
    pub fn initial_list(
        &mut self,
        ty: &Type,
        items: &[(Vec<Designator>, Init)],
        span: Span,
    ) -> Option<(Type, Vec<Part>)> {
        self.initially(ty, span, |c, parts| c.fill_braces(parts, ty, 0, items, span))
    }

    fn initially(
        &mut self,
        ty: &Type,
        span: Span,
        fill: impl FnOnce(&mut Self, &mut Parts) -> Option<Type>,
    ) -> Option<(Type, Vec<Part>)> {
        let known = match ty {
            Type::Array(element, None) => self.types.size(element),
            ty => self.types.size(ty),
        };
        if known.is_none() || matches!(ty, Type::Void | Type::Function(_)) {
            self.incomplete(ty, span);
            return None;
        }
        let mut parts = Parts::default();
        let ty = fill(self, &mut parts)?;
        (!parts.failed).then(|| (ty, parts.finish()))
    }

    /// Puts what an initialiser says for a part of a type at an offset. Gives the type, with the length of an array.
    fn fill(&mut self, parts: &mut Parts, ty: &Type, at: u64, init: &Init) -> Option<Type> {
        let expr = match init {
            Init::List(items, span) => return self.fill_braces(parts, ty, at, items, *span),
            Init::Expr(expr) => expr,
        };
        let inner = of_value(ty);
        match (&inner, &expr.kind) {
            (Type::Opaque(opaque), tree::ExprKind::Compound(_, items)) => {
                self.fill_opaque(parts, *opaque, at, items);
            }
            (Type::Opaque(_), _) => match self.value(expr) {
                // An opaque object is 0 already.
                Some(value) if self.fold_int(&value) == Some(0) => {}
                Some(value) => self.fill_value(parts, &inner, at, value),
                None => parts.failed = true,
            },
            (Type::Array(element, length), tree::ExprKind::String(text, width))
                if is_integer(&of_value(element)) =>
            {
                return self.fill_string(parts, element, *length, at, (text, *width, expr.span));
            }
            (Type::Array(..) | Type::Record(_), tree::ExprKind::Compound(name, items))
                if self
                    .quietly(|c| c.type_name(name))
                    .is_some_and(|of| self.compatible(&of, &inner)) =>
            {
                return self.fill_braces(parts, &inner, at, items, expr.span);
            }
            (Type::Array(..), _) => {
                self.advise(
                    expr.span,
                    "an array cannot start as one value",
                    "write its elements in braces, as in `{1, 2, 3}`",
                );
                parts.failed = true;
            }
            _ => match self.value(expr) {
                Some(value) => self.fill_value(parts, &inner, at, value),
                None => parts.failed = true,
            },
        }
        Some(ty.clone())
    }

    /// Puts what values in braces say.
    fn fill_braces(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        items: &[(Vec<Designator>, Init)],
        span: Span,
    ) -> Option<Type> {
        let inner = of_value(ty);
        match (&inner, items) {
            (Type::Opaque(opaque), _) => self.fill_opaque(parts, *opaque, at, items),
            (Type::Array(element, _), [(designators, Init::Expr(only))])
                if designators.is_empty() && is_string(only) && is_integer(&of_value(element)) =>
            {
                return self.fill(parts, ty, at, &items[0].1);
            }
            (Type::Array(..) | Type::Record(_), _) => {
                parts.restart(at, self.types.size(&inner).unwrap_or(0));
                return self.fill_list(parts, &inner, at, items, span);
            }
            (_, []) => {}
            (_, [(designators, first), ..]) => {
                if !designators.is_empty() {
                    self.error(span, "a scalar has no parts");
                    parts.failed = true;
                    return None;
                }
                self.excess(items.get(1));
                return self.fill(parts, ty, at, first);
            }
        }
        Some(ty.clone())
    }

    /// Puts a value for a part of a type at an offset.
    pub fn fill_value(&mut self, parts: &mut Parts, ty: &Type, at: u64, value: Expr) {
        let size = self.types.size(ty).unwrap_or(1);
        match self.assigned(value, ty, "what is initialised") {
            Some(value) => parts.put(at, size, value),
            None => parts.failed = true,
        }
    }

    fn fill_list(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        items: &[(Vec<Designator>, Init)],
        span: Span,
    ) -> Option<Type> {
        let mut cursor = Cursor::new(items);
        let seen = self.fill_parts(parts, ty, at, &mut cursor, true, &[])?;
        if !parts.failed {
            self.excess(cursor.current());
        }
        match ty {
            Type::Array(element, None) => {
                let ty = Type::Array(element.clone(), Some(seen));
                if self.types.size(&ty).is_none_or(|size| size > i64::MAX.unsigned_abs()) {
                    self.error(span, "this array is too long");
                    return None;
                }
                Some(ty)
            }
            _ => Some(ty.clone()),
        }
    }

    fn excess(&mut self, item: Option<&(Vec<Designator>, Init)>) {
        if let Some((_, init)) = item {
            self.problems.push(
                Diagnostic::warning(span_of(init), "there are more values than places for them")
                    .hint("the values from here on are dropped"),
            );
        }
    }

    /// Fills the parts of an array or a record, one after the other. Without braces of its own, it leaves what does not fit, and
    /// what has designators, to the one around it. Gives one more than the largest index.
    fn fill_parts(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        cursor: &mut Cursor<'_>,
        braced: bool,
        steps: &[Descent],
    ) -> Option<u64> {
        parts.depth += 1;
        let seen = self.fill_parts_inside(parts, ty, at, cursor, braced, steps);
        parts.depth -= 1;
        seen
    }

    fn fill_parts_inside(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        cursor: &mut Cursor<'_>,
        braced: bool,
        steps: &[Descent],
    ) -> Option<u64> {
        let mut steps: Vec<Descent> = steps.to_vec();
        let (mut position, mut seen) = (0_u64, 0_u64);
        while let Some((designators, _)) = cursor.current() {
            if steps.is_empty() && !designators.is_empty() && !cursor.is_resolved {
                if !braced {
                    break;
                }
                steps = self.resolve(ty, designators)?;
                cursor.is_resolved = true;
            }
            let (first, last) = match steps.first() {
                None => (position, position),
                Some(Descent::Field(field)) => {
                    let field = u64::try_from(*field).ok()?;
                    (field, field)
                }
                Some(Descent::Elements(first, last)) => (*first, *last),
            };
            let Some((part_ty, offset, bits)) = self.part(ty, first) else { break };
            let is_union = matches!(ty, Type::Record(id) if self.types.record(*id).is_union);
            if is_union {
                parts.choose(at, self.types.size(ty).unwrap_or(0), first);
            }
            let here = at.checked_add(offset)?;
            let before = cursor.at;
            let rest = steps.get(1..).unwrap_or_default();
            if let Some(name) = bits {
                self.fill_bit_field(parts, &part_ty, here, &name, cursor);
            } else if first == last {
                self.fill_part(parts, &part_ty, here, cursor, rest)?;
            } else {
                self.fill_range(parts, &part_ty, here, last - first, cursor, rest)?;
            }
            steps.clear();
            position = last.saturating_add(1);
            seen = seen.max(position);
            if cursor.at == before && matches!(ty, Type::Array(..)) {
                break;
            }
            if is_union {
                position = u64::MAX;
            }
            if parts.len() > MOST_PARTS {
                let span = cursor.items.first().map(|(_, init)| span_of(init))?;
                self.error(span, "this initialiser has too many parts");
                return None;
            }
        }
        Some(seen)
    }

    /// Fills an element and those after it, up to a count, with the current value. Values that follow go on from the last one.
    fn fill_range(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        more: u64,
        cursor: &mut Cursor<'_>,
        steps: &[Descent],
    ) -> Option<()> {
        let item = cursor.items.get(cursor.at..=cursor.at)?;
        let (_, init) = item.first()?;
        let size = self.types.size(ty)?;
        let most = u64::try_from(MOST_PARTS).ok()?;
        if let (Init::List(..), []) = (init, steps) {
            let mut one = Parts::default();
            self.fill(&mut one, ty, 0, init)?;
            parts.failed |= one.failed;
            if more.saturating_mul(u64::try_from(one.len()).ok()?) > most {
                self.error(span_of(init), "this initialiser has too many parts");
                return None;
            }
            for i in 0..=more {
                parts.put_all(at.checked_add(i.checked_mul(size)?)?, size, &one);
            }
            cursor.advance();
            return Some(());
        }
        if more > most {
            self.error(span_of(init), "this initialiser has too many parts");
            return None;
        }
        if let Init::Expr(expr) = init
            && !is_string(expr)
            && !matches!(expr.kind, tree::ExprKind::Compound(..))
        {
            cursor.value = Some(self.current_value(expr, cursor)?);
        }
        for i in 0..more {
            let value = cursor.value.clone();
            let mut once = Cursor { items: item, at: 0, value, is_resolved: true };
            self.fill_part(parts, ty, at.checked_add(i.checked_mul(size)?)?, &mut once, steps)?;
        }
        self.fill_part(parts, ty, at.checked_add(more.checked_mul(size)?)?, cursor, steps)
    }

    /// The type of a part, where it is, and its name if it is a bit-field.
    fn part(&self, ty: &Type, position: u64) -> Option<(Type, u64, Option<String>)> {
        match ty {
            Type::Array(element, length) => {
                if length.is_some_and(|length| position >= length) {
                    return None;
                }
                let offset = self.types.size(element)?.checked_mul(position)?;
                Some(((**element).clone(), offset, None))
            }
            Type::Record(id) => {
                let field = self.types.record(*id).fields.get(usize::try_from(position).ok()?)?;
                let bits = field.bits.map(|_| field.name.clone());
                Some((field.ty.clone(), field.offset, bits))
            }
            _ => None,
        }
    }

    /// Fills one part with the current value, or, if it has parts itself and no braces, with as many as it needs.
    fn fill_part(
        &mut self,
        parts: &mut Parts,
        ty: &Type,
        at: u64,
        cursor: &mut Cursor<'_>,
        steps: &[Descent],
    ) -> Option<()> {
        let inner = of_value(ty);
        if !steps.is_empty() {
            self.fill_parts(parts, &inner, at, cursor, false, steps)?;
            return Some(());
        }
        let (_, init) = cursor.current()?;
        if let Type::Array(_, None) = &inner
            && !matches!(init, Init::List(items, _) if items.is_empty())
        {
            self.advise(
                span_of(init),
                "values for an array without a length at the end of a record are not supported",
                "give the array a length",
            );
            return None;
        }
        let expr = match init {
            Init::List(..) => None,
            Init::Expr(expr) => Some(expr),
        };
        match (&inner, expr) {
            (Type::Array(element, _), Some(expr))
                if is_string(expr) && is_integer(&of_value(element)) => {}
            (Type::Array(..), Some(expr)) if !matches!(expr.kind, tree::ExprKind::Compound(..)) => {
                self.fill_parts(parts, &inner, at, cursor, false, &[])?;
                return Some(());
            }
            (Type::Record(_), Some(expr)) if is_string(expr) => {
                self.fill_parts(parts, &inner, at, cursor, false, &[])?;
                return Some(());
            }
            (Type::Record(_), Some(expr)) => {
                match self.current_value(expr, cursor) {
                    Some(value) if value.ty == inner => {
                        self.fill_value(parts, &inner, at, value);
                        cursor.advance();
                    }
                    Some(value) => {
                        cursor.value = Some(value);
                        self.fill_parts(parts, &inner, at, cursor, false, &[])?;
                    }
                    None => {
                        parts.failed = true;
                        cursor.advance();
                    }
                }
                return Some(());
            }
            (Type::Opaque(_) | Type::Array(..), _) | (_, None) => {}
            (_, Some(expr)) => {
                match self.current_value(expr, cursor) {
                    Some(value) => self.fill_value(parts, &inner, at, value),
                    None => parts.failed = true,
                }
                cursor.advance();
                return Some(());
            }
        }
        self.fill(parts, ty, at, init)?;
        cursor.advance();
        Some(())
    }

    /// The value of the current item, which is looked at once only.
    fn current_value(&mut self, expr: &tree::Expr, cursor: &mut Cursor<'_>) -> Option<Expr> {
        match cursor.value.take() {
            Some(value) => Some(value),
            None => self.value(expr),
        }
    }
}
