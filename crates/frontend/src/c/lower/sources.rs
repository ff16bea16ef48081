//! # Where values come from
//!
//! **Question.** Which constants and which values from outside can a variable hold, and moved by how much?
//!
//! **Idea.** A variable whose address is never taken gets its values by assignments that the text shows. Constants, values from outside, and both of them plus or
//! minus a constant are followed from variable to variable, through calls and returns, without regard to the order of statements. Everything
//! else makes a variable *unknown*, and so do more values than a few.
//!
//! **Claim.** Whatever an expression with [`Sources::of`] is in a run, it is one of these constants, or the value that one of these calls gave (some time before) plus
//! the offset, wrapped around to the type of the call or of a wider one.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::access::strip;
use super::foreseen::{bounds, root, variable};
use super::points::Target;
use super::unread::read_early;
use super::visit::{each_expr, each_part, each_statement};
use crate::c::typed::*;
use crate::c::types::Type;

/// More values than this are not followed.
const MOST: usize = 24;

/// A possible origin of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Origin {
    Constant(i128),
    /// What a call gave, plus an offset.
    Outside(Span, i128),
}

/// The possible origins of a value; `None` if it may be anything.
type Origins = Option<BTreeSet<Origin>>;

/// The origins of what variables hold and functions return.
#[derive(Debug, Default)]
pub(super) struct Sources {
    held: BTreeMap<Target, Origins>,
    given: BTreeMap<FunctionId, Origins>,
}

impl Sources {
    /// Looks at the whole unit.
    pub(super) fn new(unit: &Unit) -> Self {
        let mut look = Look { unit, at: FunctionId(0), found: Sources::default(), grew: false };
        look.start();
        loop {
            look.grew = false;
            for (number, function) in unit.functions.iter().enumerate() {
                look.at = FunctionId(number as u32);
                look.block(function.body.as_deref().unwrap_or_default());
            }
            if !look.grew {
                return look.found;
            }
        }
    }

    /// The possible origins of a variable's value; `None` if it may be anything.
    pub(super) fn held_by(&self, variable: Target) -> Origins {
        self.held.get(&variable)?.clone()
    }

    /// The possible origins of an expression's value; `None` if it may be anything.
    pub(super) fn of(&self, unit: &Unit, at: FunctionId, expr: &Expr) -> Origins {
        match &expr.kind {
            ExprKind::Int(value) => Some(BTreeSet::from([Origin::Constant(*value)])),
            ExprKind::Load(place) => self.held.get(&variable(at, place)?)?.clone(),
            ExprKind::Convert(inner) => {
                let known = self.of(unit, at, inner)?;
                let only_constants =
                    known.iter().all(|origin| matches!(origin, Origin::Constant(_)));
                let (lo, hi) = bounds(&expr.ty)?;
                let (least, greatest) = bounds(&inner.ty)?;
                let same = lo <= least && greatest <= hi;
                let fits = |origin: &Origin| matches!(origin, Origin::Constant(value) if (lo..=hi).contains(value));
                (same || only_constants && known.iter().all(fits) && expr.ty != Type::Bool)
                    .then_some(known)
            }
            ExprKind::Arithmetic(op @ (Arithmetic::Add | Arithmetic::Sub), a, b) => {
                let sign = if *op == Arithmetic::Add { 1 } else { -1 };
                let (a, b) = (self.of(unit, at, a)?, self.of(unit, at, b)?);
                sums(&a, &b, sign, &expr.ty)
            }
            ExprKind::Conditional(_, a, b) => {
                let mut all = self.of(unit, at, a)?;
                all.extend(self.of(unit, at, b)?);
                Some(all)
            }
            ExprKind::Comma(_, b) => self.of(unit, at, b),
            ExprKind::Assign(place, value) => {
                (place.ty == value.ty).then(|| self.of(unit, at, value)).flatten()
            }
            ExprKind::Call(Callee::Direct(function), args) => {
                let declared = &unit.functions[function.index()];
                match declared.body.is_some() {
                    true => self.given.get(function)?.clone(),
                    false => (declared.name.starts_with("__VERIFIER_nondet_") && args.is_empty())
                        .then(|| BTreeSet::from([Origin::Outside(expr.span, 0)])),
                }
            }
            _ => None,
        }
    }
}

/// All sums, or differences, of two values: one of them has to be a constant.
fn sums(a: &BTreeSet<Origin>, b: &BTreeSet<Origin>, sign: i128, ty: &Type) -> Origins {
    let (lo, hi) = bounds(ty)?;
    let mut all = BTreeSet::new();
    for a in a {
        for b in b {
            let sum = match (a, b) {
                (Origin::Constant(a), Origin::Constant(b)) => Origin::Constant(a + sign * b),
                (Origin::Outside(call, offset), Origin::Constant(b)) => {
                    Origin::Outside(*call, offset + sign * b)
                }
                (Origin::Constant(a), Origin::Outside(call, offset)) if sign == 1 => {
                    Origin::Outside(*call, offset + a)
                }
                _ => return None,
            };
            let fits = match sum {
                Origin::Constant(value) => (lo..=hi).contains(&value),
                Origin::Outside(_, offset) => offset.abs() <= 1 << 16,
            };
            if !fits {
                return None;
            }
            all.insert(sum);
        }
    }
    Some(all)
}

struct Look<'u> {
    unit: &'u Unit,
    at: FunctionId,
    found: Sources,
    grew: bool,
}

impl<'u> Look<'u> {
    /// What variables hold at first; those whose address is taken are not known, nor are those that come to life without a value.
    fn start(&mut self) {
        let unit = self.unit;
        for (number, object) in unit.objects.iter().enumerate() {
            let target = Target::Object(ObjectId(number as u32));
            let first = match object.init.as_slice() {
                [] => Some(0),
                [part] => super::choices::constant(&part.value),
                _ => None,
            };
            let is_plain =
                bounds(&object.ty).is_some() && !object.is_extern && !object.thread_local;
            let known = first.filter(|_| is_plain);
            self.found.held.insert(target, known.map(|v| BTreeSet::from([Origin::Constant(v)])));
        }
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            self.found.given.insert(at, Some(BTreeSet::new()));
            for (number, local) in function.locals.iter().enumerate() {
                let known = bounds(&local.ty).is_some();
                let target = Target::Local(at, LocalId(number as u32));
                self.found.held.insert(target, known.then(BTreeSet::new));
            }
        }
        let mut lost = BTreeSet::new();
        let addressed = |lost: &mut BTreeSet<Target>, at: FunctionId, expr: &Expr| {
            each_expr(expr, &mut |inner| {
                if let ExprKind::Address(place) = &inner.kind {
                    lost.extend(root(at, place));
                }
                // A function that is called by its address, or started as a thread, gets arguments that are not seen here.
                if let ExprKind::Function(function) = &inner.kind {
                    let params = unit.functions[function.index()].params;
                    lost.extend((0..params).map(|n| Target::Local(*function, LocalId(n as u32))));
                }
            });
        };
        for part in unit.objects.iter().flat_map(|object| &object.init) {
            addressed(&mut lost, FunctionId(0), &part.value);
        }
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            for statement in function.body.iter().flatten() {
                each_part(statement, false, &mut |expr, _| addressed(&mut lost, at, expr));
            }
            if function.name == "main" {
                lost.extend((0..function.params).map(|n| Target::Local(at, LocalId(n as u32))));
            }
        }
        // What has no value yet may be anything, if somebody reads it.
        let early = read_early(unit, true);
        lost.extend(early.into_iter().filter(|target| matches!(target, Target::Local(..))));
        for target in lost {
            self.found.held.insert(target, None);
        }
    }

    fn add(&mut self, target: Target, ty: &Type, value: &Expr) {
        let same = strip(ty) == strip(&value.ty);
        let more = if same { self.found.of(self.unit, self.at, value) } else { None };
        let known = self.found.held.entry(target).or_default();
        self.grew |= extend(known, more);
    }

    fn block(&mut self, block: &'u [Stmt]) {
        let unit = self.unit;
        let at = self.at;
        each_statement(block, &mut |statement| match &statement.kind {
            StmtKind::Declare(local, Some(parts)) => {
                let ty = &unit.functions[at.index()].locals[local.index()].ty;
                for part in parts {
                    self.add(Target::Local(at, *local), ty, &part.value);
                }
            }
            StmtKind::Return(Some(value)) => {
                let more = self.found.of(unit, at, value);
                let known = self.found.given.entry(at).or_default();
                self.grew |= extend(known, more);
            }
            _ => {}
        });
        for statement in block {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| self.expr(expr));
            });
        }
    }

    fn expr(&mut self, expr: &'u Expr) {
        match &expr.kind {
            ExprKind::Assign(place, value) => {
                if let Some(target) = variable(self.at, place) {
                    self.add(target, &place.ty, value);
                }
            }
            ExprKind::AssignWith { place, op, value, at, .. } => {
                let Some(target) = variable(self.at, place) else { return };
                let sign = match op {
                    Arithmetic::Add => Some(1),
                    Arithmetic::Sub => Some(-1),
                    _ => None,
                };
                let before = self.found.held.get(&target).cloned().flatten();
                let by = self.found.of(self.unit, self.at, value);
                let same = strip(at) == strip(&place.ty);
                let more = match (sign.filter(|_| same), before, by) {
                    (Some(sign), Some(a), Some(b)) => sums(&a, &b, sign, at),
                    _ => None,
                };
                let known = self.found.held.entry(target).or_default();
                self.grew |= extend(known, more);
            }
            ExprKind::Call(Callee::Direct(function), args) => {
                let declared = &self.unit.functions[function.index()];
                if declared.body.is_none() {
                    return;
                }
                for (number, arg) in args.iter().enumerate().take(declared.params) {
                    let ty = &declared.locals[number].ty;
                    self.add(Target::Local(*function, LocalId(number as u32)), ty, arg);
                }
            }
            // Values of statements inside of expressions, and declarations there, are not followed.
            ExprKind::Statement(block, _) => {
                let at = self.at;
                each_statement(block, &mut |statement| match &statement.kind {
                    StmtKind::Declare(local, _) => {
                        let known = self.found.held.entry(Target::Local(at, *local)).or_default();
                        self.grew |= extend(known, None);
                    }
                    StmtKind::Return(Some(_)) => {
                        let known = self.found.given.entry(at).or_default();
                        self.grew |= extend(known, None);
                    }
                    _ => {}
                });
            }
            _ => {}
        }
    }
}

/// Adds what more is known of a variable; says whether that is new.
fn extend(known: &mut Origins, more: Origins) -> bool {
    let Some(all) = known else { return false };
    let before = all.len();
    match more {
        Some(more) => all.extend(more),
        None => {
            *known = None;
            return true;
        }
    }
    let after = all.len();
    if after > MOST {
        *known = None;
    }
    after > before
}
