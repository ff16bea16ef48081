//! # Expressions by cases
//! A truth value becomes an expression over the bits. Anything else becomes a list of cases: the
//! values that it can have, each with the condition under which it has it.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::layout::{self, Layout};
use crate::make;
use crate::print::NotBoolean;
use crate::{BinaryOp, Expr, ExprKind, Place, ProcId, Program, Span, Type, UnaryOp, Value};

/// More combinations of values than this in one expression are not enumerated.
const MOST_CASES: usize = 1 << 12;

/// Values with the conditions under which they are had.
pub(super) type CaseList = BTreeMap<BigInt, Expr>;

/// Enumerates in one procedure.
#[derive(Clone, Copy)]
pub(super) struct Cases<'a> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub proc: ProcId,
}

impl Cases<'_> {
    /// The bits of a value where a type is, the least one first.
    pub fn encode(&self, e: &Expr, ty: &Type) -> Result<Vec<Expr>, NotBoolean> {
        let count = layout::bits(self.program, ty, e.span)?;
        if matches!(e.kind, ExprKind::Any | ExprKind::Const(Value::Open)) {
            return Ok(vec![make::any(&Type::Bool); count]);
        }
        if matches!(ty, Type::Bool | Type::Lock) {
            return Ok(vec![self.truth(e)?]);
        }
        if let ExprKind::Read(place) = &e.kind
            && place.ty == *ty
        {
            // Equal types have equal codes.
            let mut bits = vec![Vec::new(); count];
            for (slot, cond) in self.slots(place)? {
                for (all, bit) in bits.iter_mut().zip(self.bits(place, slot, false)) {
                    all.push(and(cond.clone(), bit));
                }
            }
            return Ok(bits.into_iter().map(any_of).collect());
        }
        let cases = self.cases(e)?;
        let bit = |bit: usize| {
            let has = |v: &BigInt| {
                layout::code_bit(self.program, ty, &Value::from_big(v.clone()), bit).is_true()
            };
            any_of(cases.iter().filter(|(v, _)| has(v)).map(|(_, c)| c.clone()))
        };
        Ok((0..count).map(bit).collect())
    }

    /// A truth value.
    pub fn truth(&self, e: &Expr) -> Result<Expr, NotBoolean> {
        let again = |kind| make::expr(kind, Type::Bool, e.span);
        Ok(match &e.kind {
            ExprKind::Const(_) | ExprKind::Any => e.clone(),
            // There are no fair choices in `.bp`.
            ExprKind::Fair => again(ExprKind::Any),
            ExprKind::Read(place) | ExprKind::Primed(place) => {
                let primed = matches!(e.kind, ExprKind::Primed(_));
                let mut found = Vec::new();
                for (slot, cond) in self.slots(place)? {
                    for bit in self.bits(place, slot, primed) {
                        found.push(and(cond.clone(), bit));
                    }
                }
                any_of(found)
            }
            ExprKind::Unary(UnaryOp::Not, a) => make::not(self.truth(a)?),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                match op {
                    BinaryOp::And => and(a, b),
                    BinaryOp::Or => or(a, b),
                    _ => again(ExprKind::Binary(*op, Box::new(a), Box::new(b))),
                }
            }
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) if a.ty == Type::Bool => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                again(ExprKind::Binary(*op, Box::new(a), Box::new(b)))
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.cases(a)?, self.cases(b)?);
                self.few(a.len() * b.len(), e.span)?;
                let (mut found, mut always) = (Vec::new(), true);
                for ((v, c), (w, d)) in pairs(&a, &b) {
                    let holds = match op {
                        BinaryOp::Eq => v == w,
                        BinaryOp::Ne => v != w,
                        _ => op.apply(&e.ty, v, w).is_ok_and(|v| v != BigInt::ZERO),
                    };
                    always &= holds;
                    if holds {
                        found.push(and(c.clone(), d.clone()));
                    }
                }
                if always { make::truth(true) } else { any_of(found) }
            }
            ExprKind::IfThenElse(c, a, b) => {
                let (c, a, b) = (self.truth(c)?, self.truth(a)?, self.truth(b)?);
                if_then_else(c, a, b)
            }
            ExprKind::OneOf(list) => {
                let list = list.iter().map(|a| self.truth(a)).collect::<Result<_, _>>()?;
                again(ExprKind::OneOf(list))
            }
            ExprKind::Schoose(a, b) => {
                again(ExprKind::Schoose(Box::new(self.truth(a)?), Box::new(self.truth(b)?)))
            }
            _ => return Err(refuse(e.span, "an expression that has no truth value")),
        })
    }

    /// The cases of a number or an enumerator.
    pub fn cases(&self, e: &Expr) -> Result<CaseList, NotBoolean> {
        match &e.kind {
            ExprKind::Const(value) => match value.to_big() {
                Some(n) => Ok(CaseList::from([(n, make::truth(true))])),
                None => Err(refuse(e.span, "a choice in the midst of an expression")),
            },
            ExprKind::Read(place) | ExprKind::Primed(place) => {
                let primed = matches!(e.kind, ExprKind::Primed(_));
                let mut list = CaseList::new();
                for (slot, cond) in self.slots(place)? {
                    let bits = self.bits(place, slot, primed);
                    for (value, code) in self.decode(&bits, &place.ty, e.span)? {
                        add(&mut list, value, and(cond.clone(), code));
                    }
                }
                Ok(list)
            }
            ExprKind::Unary(op, a) => {
                let mut list = CaseList::new();
                for (v, c) in self.cases(a)? {
                    if let Ok(value) = op.apply(&e.ty, &v) {
                        add(&mut list, value, c);
                    }
                }
                Ok(list)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.cases(a)?, self.cases(b)?);
                self.few(a.len() * b.len(), e.span)?;
                let mut list = CaseList::new();
                for ((v, c), (w, d)) in pairs(&a, &b) {
                    // Where there is no result, an assertion has failed before.
                    if let Ok(value) = op.apply(&e.ty, v, w) {
                        add(&mut list, value, and(c.clone(), d.clone()));
                    }
                }
                Ok(list)
            }
            ExprKind::IfThenElse(c, a, b) => {
                let c = self.truth(c)?;
                let mut list = CaseList::new();
                for (cond, part) in [(c.clone(), a), (make::not(c), b)] {
                    for (value, code) in self.cases(part)? {
                        add(&mut list, value, and(cond.clone(), code));
                    }
                }
                Ok(list)
            }
            _ => Err(refuse(e.span, "a choice in the midst of an expression")),
        }
    }

    /// The elements that a place may be, each with the condition under which it is.
    pub fn slots(&self, place: &Place) -> Result<Vec<(usize, Expr)>, NotBoolean> {
        let mut slots = vec![(0, make::truth(true))];
        let mut ty = &self.program.variable(self.proc, place.var).ty;
        for index in &place.indices {
            let Type::Array { element, length } = ty else { break };
            let cases = self.cases(index)?;
            self.few(slots.len() * cases.len(), place.span)?;
            let mut next = Vec::new();
            for (slot, cond) in &slots {
                for (value, code) in &cases {
                    let inside = usize::try_from(value).ok().filter(|i| *i < *length as usize);
                    if let Some(i) = inside {
                        next.push((slot + i * element.slots(), and(cond.clone(), code.clone())));
                    }
                }
            }
            slots = next;
            ty = element;
        }
        Ok(slots)
    }

    fn bits(&self, place: &Place, slot: usize, primed: bool) -> Vec<Expr> {
        let read = |bit: Place| match primed {
            true => make::expr(ExprKind::Primed(bit), Type::Bool, place.span),
            false => make::expr(ExprKind::Read(bit), Type::Bool, place.span),
        };
        self.layout.element(self.proc, place.var, slot).into_iter().map(read).collect()
    }

    /// The value that a group of bits stands for: codes beyond the last value mean the last value.
    fn decode(&self, bits: &[Expr], ty: &Type, span: Span) -> Result<CaseList, NotBoolean> {
        let (least, count) = layout::values(self.program, ty)
            .ok_or_else(|| refuse(span, "a value of a type that has no bits"))?;
        let codes = if bits.len() < 16 { 1usize << bits.len() } else { usize::MAX };
        self.few(codes, span)?;
        let last = usize::try_from(count - 1).unwrap_or(usize::MAX);
        let mut list = CaseList::new();
        for code in 0..last {
            let has = |(i, bit): (usize, &Expr)| {
                if code >> i & 1 == 1 { bit.clone() } else { make::not(bit.clone()) }
            };
            let all = bits.iter().enumerate().map(has).fold(make::truth(true), and);
            add(&mut list, &least + code, all);
        }
        // The last code or one beyond it, looked at from the least bit.
        let from_last = bits.iter().enumerate().fold(make::truth(true), |rest, (i, bit)| {
            if last >> i & 1 == 1 { and(bit.clone(), rest) } else { or(bit.clone(), rest) }
        });
        add(&mut list, least + last, from_last);
        Ok(list)
    }

    fn few(&self, cases: usize, span: Span) -> Result<(), NotBoolean> {
        if cases <= MOST_CASES {
            return Ok(());
        }
        Err(refuse(span, "this has too many cases to be written with bits: use smaller ranges"))
    }
}

fn refuse(span: Span, what: &str) -> NotBoolean {
    NotBoolean { what: what.to_owned(), span }
}

fn pairs<'l>(
    a: &'l CaseList,
    b: &'l CaseList,
) -> impl Iterator<Item = ((&'l BigInt, &'l Expr), (&'l BigInt, &'l Expr))> {
    a.iter().flat_map(move |left| b.iter().map(move |right| (left, right)))
}

fn add(list: &mut CaseList, value: BigInt, cond: Expr) {
    match list.remove(&value) {
        None => list.insert(value, cond),
        Some(before) => list.insert(value, or(before, cond)),
    };
}

fn constant(e: &Expr) -> Option<bool> {
    match &e.kind {
        ExprKind::Const(value) if *value != Value::Open => Some(value.is_true()),
        _ => None,
    }
}

pub(super) fn and(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(false), _) | (_, Some(true)) => a,
        (Some(true), _) | (_, Some(false)) => b,
        _ => make::binary(BinaryOp::And, a, b),
    }
}

pub(super) fn or(a: Expr, b: Expr) -> Expr {
    match (constant(&a), constant(&b)) {
        (Some(true), _) | (_, Some(false)) => a,
        (Some(false), _) | (_, Some(true)) => b,
        _ => make::binary(BinaryOp::Or, a, b),
    }
}

pub(super) fn if_then_else(c: Expr, a: Expr, b: Expr) -> Expr {
    match constant(&c) {
        Some(true) => a,
        Some(false) => b,
        None => make::if_then_else(c, a, b),
    }
}

/// One of these holds; halves are put together, so that long lists are not deep.
pub(super) fn any_of(list: impl IntoIterator<Item = Expr>) -> Expr {
    let mut level: Vec<Expr> = list.into_iter().collect();
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut each = level.into_iter();
        while let Some(a) = each.next() {
            next.push(match each.next() {
                Some(b) => or(a, b),
                None => a,
            });
        }
        level = next;
    }
    level.pop().unwrap_or_else(|| make::truth(false))
}
