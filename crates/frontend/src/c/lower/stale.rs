//! # Addresses that are used again
//!
//! **Question.** `a = (uintptr_t) p; free(p); q = malloc(8);`: is `a` the address of `q`? Here each call that makes objects has addresses of its own; a real `malloc` gives
//! memory again to whoever asks, and so does the stack.
//!
//! **Idea.** Two addresses are compared. If they lie in different pools, and one of them is that of an object that is gone, other runs may have them equal: what
//! the comparison says cannot be followed. In one pool, an object is made at any place that is free, at one that was used before or at a new one, so that both answers are among the runs.
//!
//! **Claim.** Let a real run have an address that belongs to objects of two pools, one after the other. Not both objects are there at once. So the run of the program with the same steps
//! has a mark that says that one of them is gone, and a comparison of the two addresses gets to the limit. `realloc` takes the new object before the old one is gone, so two of its own
//! pool count as those of different ones.
//!
//! **Needs.** Addresses in pointers, or in integers that a conversion made. In which order objects lie, and what else can be computed of addresses, is that of one layout.

use std::collections::BTreeSet;

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span};

use super::access::strip;
use super::arithmetic::{binary, convert, int, negate};
use super::atomics::unconverted_type;
use super::foreseen::ids;
use super::function::Fun;
use super::heap::mark;
use super::memory::Stored;
use super::points::{Points, Target, direct_address};
use super::visit::{each_expr, each_part};
use crate::c::typed::{Arithmetic, Callee, Expr as CExpr, ExprKind, FunctionId, Lvalue, Unit};
use crate::c::types::{Field, RecordType, Type as CType};

type Set = BTreeSet<Target>;

/// What is known of addresses that are compared.
#[derive(Default)]
pub(super) struct Stale {
    /// Objects whose addresses integers may hold.
    numbers: Set,
    /// Whether integers may hold any address, since a union has an integer beside a pointer.
    any_number: bool,
    /// Objects of calls of `realloc` that may be given what they made before.
    moved: Set,
    /// Objects that may be gone when their addresses are compared with others.
    pub(super) compared: Set,
}

/// Two kinds of objects of which one may be gone when the other has its address.
type Rivals = BTreeSet<(Target, Target)>;

impl Stale {
    /// Looks for comparisons of addresses.
    pub(super) fn new<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Self {
        let any_number = unit.types.records.iter().any(mixes);
        let mut stale = Stale { any_number, ..Stale::default() };
        each(unit, &mut |at, expr| match &expr.kind {
            ExprKind::Convert(inner)
                if matches!(inner.ty, CType::Pointer(_))
                    && matches!(expr.ty, CType::Int { .. } | CType::Pointer(_)) =>
            {
                if matches!(expr.ty, CType::Int { .. }) {
                    stale.numbers.extend(points.expr(Some(at), inner));
                } else if is_seen_as_number(&inner.ty, &expr.ty) {
                    let places = points.expr(Some(at), inner);
                    stale.numbers.extend(places.into_iter().flat_map(|place| points.held(place)));
                }
            }
            ExprKind::Call(callee, args) if name_of(unit, callee) == "realloc" => {
                let new = Target::Heap(expr.span);
                if args.first().is_some_and(|old| points.expr(Some(at), old).contains(&new)) {
                    stale.moved.insert(new);
                }
            }
            _ => {}
        });
        let mut compared = Set::new();
        each(unit, &mut |at, expr| {
            let pair = match &expr.kind {
                ExprKind::Compare(_, a, b) | ExprKind::Difference(a, b, _) => {
                    Some((stale.held_by(points, at, a), stale.held_by(points, at, b)))
                }
                ExprKind::Arithmetic(op, a, b) if takes_apart(*op) => {
                    Some((stale.held_by(points, at, a), stale.held_by(points, at, b)))
                }
                ExprKind::AssignWith { place, op, value, .. } if takes_apart(*op) => {
                    let held = stale.held_in(points, at, place);
                    Some((held, stale.held_by(points, at, value)))
                }
                ExprKind::Call(callee, args) => {
                    stale.swapped(points, at, name_of(unit, callee), args)
                }
                _ => None,
            };
            let Some((a, b)) = pair else { return };
            let may_meet = |x: &&Target, others: &Set| {
                may_go(unit, points, **x) && others.iter().any(|y| are_alike(**x, *y))
            };
            compared.extend(a.iter().filter(|x| may_meet(x, &b)));
            compared.extend(b.iter().filter(|x| may_meet(x, &a)));
        });
        Stale { compared, ..stale }
    }

    /// The objects whose addresses an expression may hold, as one that can be compared.
    fn held_by<'u>(&self, points: &mut Points<'u>, at: FunctionId, expr: &'u CExpr) -> Set {
        self.in_type(points.expr(Some(at), expr), &expr.ty)
    }

    /// The objects whose addresses may be in a place, in a type that can be compared.
    fn held_in<'u>(&self, points: &mut Points<'u>, at: FunctionId, place: &'u Lvalue) -> Set {
        let places = points.places(Some(at), place);
        self.in_type(places.into_iter().flat_map(|place| points.held(place)).collect(), &place.ty)
    }

    /// Objects whose addresses a type may hold.
    fn in_type(&self, held: Set, ty: &CType) -> Set {
        match strip(ty) {
            CType::Pointer(_) => held,
            CType::Int { .. } if self.any_number => held,
            CType::Int { .. } => held.intersection(&self.numbers).copied().collect(),
            _ => Set::new(),
        }
    }

    /// What a compare-and-swap compares: what is there, and what is to be there.
    fn swapped<'u>(
        &self,
        points: &mut Points<'u>,
        at: FunctionId,
        name: &str,
        args: &'u [CExpr],
    ) -> Option<(Set, Set)> {
        let (object, wanted) = (args.first()?, args.get(1)?);
        let wanted = match name {
            "__atomic_compare_exchange" | "__atomic_compare_exchange_n" => {
                held_at(points, at, wanted)
            }
            "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap" => {
                points.expr(Some(at), wanted)
            }
            _ => return None,
        };
        let CType::Pointer(ty) = unconverted_type(object) else { return None };
        let there = held_at(points, at, object);
        Some((self.in_type(there, &ty), self.in_type(wanted, &ty)))
    }

    fn rivals(&self, a: &Set, b: &Set) -> Rivals {
        let mut rivals = Rivals::new();
        for &x in a {
            for &y in b {
                let may_be_gone = self.compared.contains(&x) || self.compared.contains(&y);
                let are_apart = x != y || self.moved.contains(&x);
                if may_be_gone && are_apart && are_alike(x, y) {
                    rivals.insert((x, y));
                }
            }
        }
        rivals
    }
}

/// Whether an operation shows whether two addresses are the same.
pub(super) fn takes_apart(op: Arithmetic) -> bool {
    matches!(op, Arithmetic::Sub | Arithmetic::BitXor)
}

/// Tells all expressions of a unit, and the functions that they are in.
fn each<'u>(unit: &'u Unit, see: &mut dyn FnMut(FunctionId, &'u CExpr)) {
    for (at, function) in ids(unit) {
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| see(at, expr));
            });
        }
    }
}

fn name_of<'u>(unit: &'u Unit, callee: &'u Callee) -> &'u str {
    match callee {
        Callee::Builtin(name) => name,
        Callee::Direct(function) => &unit.functions[function.index()].name,
        Callee::Pointer(_) => "",
    }
}

/// What the objects hold that an argument points to.
fn held_at<'u>(points: &mut Points<'u>, at: FunctionId, arg: &'u CExpr) -> Set {
    let is_whole = |ty: &CType| !matches!(ty, CType::Array(..));
    let places = match direct_address(arg).filter(|lvalue| is_whole(&lvalue.ty)) {
        Some(lvalue) => points.places(Some(at), lvalue),
        None => points.expr(Some(at), arg),
    };
    places.into_iter().flat_map(|place| points.held(place)).collect()
}

/// Whether a pointer to integers that have room for an address becomes one to something else, or the other way round.
fn is_seen_as_number(from: &CType, to: &CType) -> bool {
    let is_number = |ty: &CType| matches!(strip(ty), CType::Int { bits: 32.., .. });
    match (from, to) {
        (CType::Pointer(from), CType::Pointer(to)) => is_number(from) != is_number(to),
        _ => false,
    }
}

/// Whether a record is a union with an integer and something else at one place.
fn mixes(record: &RecordType) -> bool {
    let is_number = |field: &Field| matches!(strip(&field.ty), CType::Int { bits: 32.., .. });
    let is_other = |field: &Field| {
        matches!(strip(&field.ty), CType::Pointer(_) | CType::Record(_) | CType::Array(..))
    };
    record.is_union && record.fields.iter().any(is_number) && record.fields.iter().any(is_other)
}

/// Whether an object may be gone while its address is still kept.
fn may_go(unit: &Unit, points: &Points<'_>, target: Target) -> bool {
    match target {
        Target::Heap(_) => points.freed.contains(&target),
        Target::Local(function, _) => {
            unit.functions[function.index()].name != "main" && points.outlives(target, function)
        }
        _ => false,
    }
}

/// Whether two objects may have had the same place in memory: both on the heap, or both on the stack.
fn are_alike(a: Target, b: Target) -> bool {
    matches!((a, b), (Target::Heap(_), Target::Heap(_)) | (Target::Local(..), Target::Local(..)))
}

impl<'u> Fun<'_, 'u> {
    /// The kinds of objects that two expressions may compare although one of them is gone.
    pub(super) fn rivals(&mut self, a: &'u CExpr, b: &'u CExpr) -> Rivals {
        let lower = &mut *self.lower;
        let x = lower.stale.held_by(&mut lower.points, self.id, a);
        let y = lower.stale.held_by(&mut lower.points, self.id, b);
        lower.stale.rivals(&x, &y)
    }

    /// The kinds of objects that an operation may see in a place and in its operand although one of them is gone.
    pub(super) fn assigned_rivals(&mut self, place: &'u Lvalue, value: &'u CExpr) -> Rivals {
        let lower = &mut *self.lower;
        let x = lower.stale.held_in(&mut lower.points, self.id, place);
        let y = lower.stale.held_by(&mut lower.points, self.id, value);
        lower.stale.rivals(&x, &y)
    }

    /// The kinds of objects that a compare-and-swap may compare although one of them is gone.
    pub(super) fn swapped_rivals(&mut self, name: &str, args: &'u [CExpr]) -> Rivals {
        let lower = &mut *self.lower;
        match lower.stale.swapped(&mut lower.points, self.id, name, args) {
            Some((there, wanted)) => lower.stale.rivals(&there, &wanted),
            None => Rivals::new(),
        }
    }

    /// Whether two values may be the addresses of different objects.
    pub(super) fn are_of_several(&mut self, a: &'u CExpr, b: &'u CExpr) -> bool {
        let lower = &mut *self.lower;
        let x = lower.stale.held_by(&mut lower.points, self.id, a);
        let y = lower.stale.held_by(&mut lower.points, self.id, b);
        let is_object = |target: &&Target| {
            matches!(target, Target::Object(_) | Target::Local(..) | Target::Heap(_))
        };
        let others = |x: &Target| y.iter().filter(is_object).any(|y| y != x);
        x.iter().filter(is_object).any(others)
    }

    /// Two values as they are now, after a check that neither is the address of an object that is gone where the other may have it by now.
    pub(super) fn compared(
        &mut self,
        pair: (Expr, Expr),
        rivals: &Rivals,
        span: Span,
    ) -> (Expr, Expr) {
        if rivals.is_empty() {
            return pair;
        }
        let (a, b) = (self.simple(pair.0, span), self.simple(pair.1, span));
        self.check_rivals(&a, &b, rivals, span);
        (a, b)
    }

    /// Gets to a limit if one of two addresses is that of an object that is gone, and the other one lies in another pool.
    pub(super) fn check_rivals(&mut self, a: &Expr, b: &Expr, rivals: &Rivals, span: Span) {
        for &(x, y) in rivals {
            let (Some(one), Some(other)) = (self.lower.stored(x), self.lower.stored(y)) else {
                continue;
            };
            let ty = self.pointer_type();
            let (a, b) = (convert(a.clone(), &ty), convert(b.clone(), &ty));
            let mut meet =
                binary(BinaryOp::And, within(&a, &one, span), within(&b, &other, span), span);
            if x == y {
                let (a, b) = (number(&a, &one, span), number(&b, &other, span));
                meet = binary(BinaryOp::And, meet, binary(BinaryOp::Ne, a, b, span), span);
            }
            self.branch(
                meet,
                span,
                |fun| {
                    fun.check_there(&a, &one, span);
                    fun.check_there(&b, &other, span);
                },
                |_| {},
            );
        }
    }

    /// Gets to a limit if the object at an address is gone.
    fn check_there(&mut self, address: &Expr, stored: &Stored, span: Span) {
        let Some(pool) = stored.pool else { return };
        let object = self.simple(number(address, stored, span), span);
        let used = self.local_value(read(mark(pool, object, span)), span);
        let reason = "a comparison with the address of an object that is gone, where another one may be by now";
        self.branch(negate(used), span, |fun| fun.limit(span, reason.to_owned()), |_| {});
    }
}

/// Whether an address lies in an object, or in one of a pool.
fn within(address: &Expr, stored: &Stored, span: Span) -> Expr {
    let ty = &address.ty;
    let rest = binary(BinaryOp::Sub, address.clone(), int(stored.base, ty), span);
    let size = stored.pool.map_or(stored.size, |pool| u64::from(pool.objects) * pool.stride);
    binary(BinaryOp::Lt, rest, int(size, ty), span)
}

/// Which object of a pool an address lies in.
fn number(address: &Expr, stored: &Stored, span: Span) -> Expr {
    let ty = &address.ty;
    let rest = binary(BinaryOp::Sub, address.clone(), int(stored.base, ty), span);
    let stride = stored.pool.map_or(stored.size, |pool| pool.stride).max(1);
    binary(BinaryOp::Div, rest, int(stride, ty), span)
}
