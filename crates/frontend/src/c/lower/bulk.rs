//! # Very many threads
//!
//! **Question.** `for (i = 0; i < 10000; i++) pthread_create(&t[i], 0, f, 0);` starts 10,000 threads. Nobody looks at 10,000.
//!
//! **Idea.** A thread that never runs does nothing. So the loop starts *any number* of threads, and which of them is which is forgotten. Where they are
//! joined, a run goes on at once for a proof; it ends there where a violation is looked for.
//!
//! **Claim.** Every run of the program is one with any number of threads, if joins do not wait: so what is proved is proved. A run that goes wrong
//! before these threads are joined, with no more threads than the loop starts, is one of the program: those that it does not mention
//! have not run yet.
//!
//! **Needs.** A loop that does nothing else, with a counter that nobody else sees, threads that all get the same argument, and an array that has room for them and is used for nothing but to join them.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::{Span, StmtKind as Kind};

use super::Limit;
use super::function::Fun;
use super::points::direct_address;
use super::visit::{each_block, each_expr, each_part, flattened};
use crate::c::typed::*;
use crate::c::types::Type;

/// Loops with fewer turns than this are followed as they are.
const MANY: i128 = 6;

/// A variable that holds threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Holder {
    Object(ObjectId),
    Local(FunctionId, LocalId),
}

/// Loops that start very many threads.
#[derive(Debug, Default)]
pub(super) struct Bulk {
    /// By the place of the loop: the variable that counts, and how far.
    loops: BTreeMap<Span, (LocalId, i128)>,
    /// Loops that join them.
    joins: BTreeMap<Span, (LocalId, i128)>,
    /// The variables that hold the threads.
    holders: BTreeSet<Holder>,
    /// Those that hold no thread that is started elsewhere.
    only: BTreeSet<Holder>,
}

impl Bulk {
    /// Finds all loops that start very many threads, which are used for nothing but to join them.
    pub(super) fn new(unit: &Unit) -> Self {
        let mut found: Vec<(Span, LocalId, i128, Holder)> = Vec::new();
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            each_loop(function.body.as_deref().unwrap_or_default(), &mut |before, statement| {
                found.extend(start_loop(unit, at, before, statement));
            });
        }
        let mut bulk = Bulk::default();
        for &(span, counter, turns, holder) in &found {
            let Some(starts) = only_joined(unit, holder) else { continue };
            bulk.loops.insert(span, (counter, turns));
            bulk.holders.insert(holder);
            let loops = found.iter().filter(|(.., other)| *other == holder).count();
            if starts == loops {
                bulk.only.insert(holder);
            }
        }
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            each_loop(function.body.as_deref().unwrap_or_default(), &mut |before, statement| {
                if let Some((counter, turns)) =
                    join_loop(unit, at, before, statement, &bulk.holders)
                {
                    bulk.joins.insert(statement.span, (counter, turns));
                }
            });
        }
        bulk
    }

    /// Whether a variable holds very many threads and nothing else: nobody reads or writes it then.
    pub(super) fn holds(&self, function: FunctionId, local: LocalId) -> bool {
        self.only.contains(&Holder::Local(function, local))
    }

    /// How many threads all of the loops start, each of them once.
    pub(super) fn all(&self) -> u32 {
        let turns = self.loops.values().map(|(_, turns)| u32::try_from(*turns).unwrap_or(u32::MAX));
        turns.fold(0, u32::saturating_add)
    }

    /// The fewest threads that one of the loops starts.
    pub(super) fn fewest(&self) -> Option<u32> {
        let turns = self.loops.values().map(|(_, turns)| u32::try_from(*turns).unwrap_or(u32::MAX));
        turns.min()
    }
}

impl<'u> Fun<'_, 'u> {
    /// Makes a loop that starts very many threads, or joins them; says whether it is one.
    pub(super) fn bulk_loop(&mut self, statement: &'u Stmt, body: &'u [Stmt]) -> bool {
        let span = statement.span;
        if let Some(&(counter, turns)) = self.lower.bulk.loops.get(&span) {
            let Some((_, _, function, arg)) = only_create(self.lower.unit, body) else {
                return false;
            };
            let reason = "very many threads are started, for which any number stands".to_owned();
            self.lower.approximations.insert(Limit { span, reason });
            let again = self.label("loop");
            self.put(again);
            let start = self.collect(|fun| {
                fun.create(None, function, arg, span);
                fun.goto(again, span);
            });
            self.emit(Kind::Choose(vec![start, Vec::new()]), span);
            self.count_to(counter, turns, span);
            return true;
        }
        let Some(&(counter, turns)) = self.lower.bulk.joins.get(&span) else { return false };
        self.bulk_join(span);
        self.count_to(counter, turns, span);
        true
    }

    /// Sets the variable that a loop counts with to what it is at the end.
    fn count_to(&mut self, counter: LocalId, turns: i128, span: Span) {
        let Some(home) = self.homes.get(&counter).cloned() else { return };
        if let [(leaf, var)] = home.stored.leaves.as_slice() {
            let indices = home.object.into_iter().collect();
            let to = super::memory::place(*var, indices, &leaf.ty, span);
            self.assign(to, super::arithmetic::int(turns, &leaf.ty), span);
        }
    }

    /// Whether a thread is one of very many.
    pub(super) fn is_bulk(&self, thread: &Expr) -> bool {
        loaded(self.id, thread).is_some_and(|holder| self.lower.bulk.holders.contains(&holder))
    }

    /// Joins one or all of very many threads.
    pub(super) fn bulk_join(&mut self, span: Span) {
        if self.lower.options.ends_at_limits {
            self.stop(span);
        }
    }
}

/// Tells every `for`, with the statement before it.
pub(super) fn each_loop<'u>(block: &'u [Stmt], see: &mut dyn FnMut(&'u Stmt, &'u Stmt)) {
    for (number, statement) in block.iter().enumerate() {
        if let (StmtKind::For { .. }, Some(before)) = (&statement.kind, number.checked_sub(1)) {
            see(&block[before], statement);
        }
        each_block(statement, &mut |inner| each_loop(inner, see));
    }
}

/// The variable that a loop counts with, from 0 in steps of 1, and how far.
pub(super) fn counts(before: &Stmt, statement: &Stmt) -> Option<(LocalId, i128)> {
    let StmtKind::For { cond: Some(cond), step: Some(step), .. } = &statement.kind else {
        return None;
    };
    let ExprKind::Compare(Compare::Lt, left, right) = &cond.kind else { return None };
    let counter = plain_local(left)?;
    let turns = match &unconverted(right).kind {
        ExprKind::Int(turns) => *turns,
        _ => return None,
    };
    let is_zero = |value: &Expr| matches!(unconverted(value).kind, ExprKind::Int(0));
    let is_counter =
        |place: &Lvalue| matches!(place.kind, LvalueKind::Local(local) if local == counter);
    let starts = match &before.kind {
        StmtKind::Declare(local, Some(parts)) => {
            *local == counter && matches!(parts.as_slice(), [part] if is_zero(&part.value))
        }
        StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) => {
            is_counter(place) && is_zero(value)
        }
        _ => false,
    };
    let steps = match &step.kind {
        ExprKind::AssignWith { place, op: Arithmetic::Add, value, .. } => {
            is_counter(place) && matches!(unconverted(value).kind, ExprKind::Int(1))
        }
        _ => false,
    };
    (starts && steps && turns > 0).then_some((counter, turns))
}

/// A loop that joins very many threads, one after the other, and does nothing else.
fn join_loop(
    unit: &Unit,
    at: FunctionId,
    before: &Stmt,
    statement: &Stmt,
    holders: &BTreeSet<Holder>,
) -> Option<(LocalId, i128)> {
    let (counter, turns) = counts(before, statement)?;
    let StmtKind::For { body, .. } = &statement.kind else { return None };
    let [only] = flattened(body)[..] else { return None };
    let StmtKind::Expr(expr) = &only.kind else { return None };
    let [thread, _] = called(unit, expr, "pthread_join")? else { return None };
    let ExprKind::Load(lvalue) = &unconverted(thread).kind else { return None };
    let LvalueKind::Element(array, index) = &lvalue.kind else { return None };
    let is_one = plain_local(index) == Some(counter) && holders.contains(&holder(at, array)?);
    let is_plain = has_room(array, turns) && !is_shown(unit, at, counter);
    (is_one && is_plain).then_some((counter, turns))
}

/// Whether an array has so many elements.
fn has_room(array: &Lvalue, turns: i128) -> bool {
    matches!(&array.ty, Type::Array(_, Some(length)) if turns <= i128::from(*length))
}

/// Whether somebody may see a variable while it counts: its address is taken.
fn is_shown(unit: &Unit, at: FunctionId, counter: LocalId) -> bool {
    let mut found = false;
    for statement in unit.functions[at.index()].body.iter().flatten() {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |inner| {
                if let ExprKind::Address(place) = &inner.kind {
                    found |= super::points::root_local(place) == Some(counter);
                }
            });
        });
    }
    found
}

/// The arguments of a body that starts a thread and does nothing else: where its id goes, attributes, function, argument.
fn only_create<'u>(
    unit: &Unit,
    body: &'u [Stmt],
) -> Option<(&'u Lvalue, &'u Expr, &'u Expr, &'u Expr)> {
    let [only] = flattened(body)[..] else { return None };
    let StmtKind::Expr(expr) = &only.kind else { return None };
    let args = called(unit, expr, "pthread_create")?;
    let [to, attributes, function, arg] = args else { return None };
    Some((direct_address(to)?, attributes, function, arg))
}

/// The arguments of a call of a function by name.
fn called<'u>(unit: &Unit, expr: &'u Expr, name: &str) -> Option<&'u [Expr]> {
    match &expr.kind {
        ExprKind::Convert(inner) => called(unit, inner, name),
        ExprKind::Call(Callee::Direct(function), args) => {
            let function = &unit.functions[function.index()];
            (function.name == name && function.body.is_none()).then_some(args)
        }
        _ => None,
    }
}

/// A loop that counts to a large number, and starts a thread in each turn.
fn start_loop(
    unit: &Unit,
    at: FunctionId,
    before: &Stmt,
    statement: &Stmt,
) -> Option<(Span, LocalId, i128, Holder)> {
    let (counter, turns) = counts(before, statement).filter(|(_, turns)| *turns >= MANY)?;
    let StmtKind::For { body, .. } = &statement.kind else { return None };
    let (to, _, function, arg) = only_create(unit, body)?;
    let LvalueKind::Element(array, index) = &to.kind else { return None };
    if plain_local(unconverted(index)) != Some(counter)
        || !has_room(array, turns)
        || is_shown(unit, at, counter)
    {
        return None;
    }
    let mut depends = false;
    for expr in [function, arg] {
        each_expr(expr, &mut |inner| {
            let mentions = |lvalue: &Lvalue| super::points::root_local(lvalue) == Some(counter);
            depends |= match &inner.kind {
                ExprKind::Load(lvalue) | ExprKind::Address(lvalue) => mentions(lvalue),
                ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::AssignWith { .. } => true,
                _ => false,
            };
        });
    }
    let holder = holder(at, array)?;
    (!depends).then_some((statement.span, counter, turns, holder))
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

fn plain_local(expr: &Expr) -> Option<LocalId> {
    match &unconverted(expr).kind {
        ExprKind::Load(lvalue) => match lvalue.kind {
            LvalueKind::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    }
}

/// The variable that an lvalue is, or is an element of.
fn holder(at: FunctionId, lvalue: &Lvalue) -> Option<Holder> {
    match &lvalue.kind {
        LvalueKind::Object(object) => Some(Holder::Object(*object)),
        LvalueKind::Local(local) => Some(Holder::Local(at, *local)),
        LvalueKind::Element(inner, _) => holder(at, inner),
        _ => None,
    }
}

/// The variable that a thread is read from.
fn loaded(at: FunctionId, thread: &Expr) -> Option<Holder> {
    match &unconverted(thread).kind {
        ExprKind::Load(lvalue) => holder(at, lvalue),
        _ => None,
    }
}

/// How many calls start threads that a variable holds, if it is mentioned only where threads are started or joined.
fn only_joined(unit: &Unit, wanted: Holder) -> Option<usize> {
    // An object that points to it.
    for part in unit.objects.iter().flat_map(|object| &object.init) {
        let mut is_known = false;
        each_expr(&part.value, &mut |inner| {
            if let ExprKind::Address(place) = &inner.kind {
                is_known |= holder(FunctionId(0), place) == Some(wanted);
            }
        });
        if is_known {
            return None;
        }
    }
    let (mut all, mut allowed, mut starts) = (0_usize, 0_usize, 0_usize);
    for (number, function) in unit.functions.iter().enumerate() {
        let at = FunctionId(number as u32);
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |inner| {
                    let mentioned = match &inner.kind {
                        ExprKind::Load(lvalue) | ExprKind::Address(lvalue) => Some(lvalue),
                        ExprKind::Assign(lvalue, _)
                        | ExprKind::AssignWith { place: lvalue, .. } => Some(lvalue),
                        _ => None,
                    };
                    all += usize::from(
                        mentioned.and_then(|lvalue| holder(at, lvalue)) == Some(wanted),
                    );
                    if let Some(args) = called(unit, inner, "pthread_create")
                        && !matches!(inner.kind, ExprKind::Convert(_))
                    {
                        let to = args
                            .first()
                            .and_then(direct_address)
                            .and_then(|lvalue| holder(at, lvalue));
                        allowed += usize::from(to == Some(wanted));
                        starts += usize::from(to == Some(wanted));
                    }
                    if let Some(args) = called(unit, inner, "pthread_join")
                        && !matches!(inner.kind, ExprKind::Convert(_))
                    {
                        let from = args.first().and_then(|thread| loaded(at, thread));
                        allowed += usize::from(from == Some(wanted));
                    }
                });
            });
        }
    }
    (all == allowed).then_some(starts)
}
