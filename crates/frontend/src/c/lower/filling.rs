//! # Memory that is filled with anything
//!
//! **Question.** `char *p = malloc(n); for (i = 0; i < n; i++) p[i] = __VERIFIER_nondet_char();` writes bytes into something that is a structure to all others. What does that do?
//!
//! **Claim.** Nothing: memory that was made at this moment holds anything, and nobody else knows where it is. So the loop can be left out, if it does nothing but give every byte any value.
//!
//! **Needs.** Variables for the address, the size and the position that nobody else can change; as many bytes as were asked for; one after the other from the first.

use super::foreseen::{bounds, ids, variable};
use super::points::Target;
use super::visit::{each_expr, each_part, flattened};
use crate::c::typed::*;
use crate::c::types::Type;

/// The unit without such loops; nothing if there are none.
pub(super) fn left_out(unit: &Unit) -> Option<Unit> {
    let mut made: Option<Unit> = None;
    for (at, function) in ids(unit) {
        let Some(body) = &function.body else { continue };
        let Some(found) = find(unit, at, body) else { continue };
        let mut without = body.clone();
        without.remove(found + 1);
        let made = made.get_or_insert_with(|| unit.clone());
        made.functions[at.index()].body = Some(without);
    }
    made
}

/// The number of the statement that asks for memory which the next one fills.
fn find(unit: &Unit, at: FunctionId, body: &[Stmt]) -> Option<usize> {
    (0..body.len().checked_sub(1)?).find(|&number| {
        let asked = asks(unit, at, &body[number]);
        asked.is_some_and(|(pointer, size)| {
            let own = |local| !is_addressed(body, local);
            own(pointer) && own(size) && fills(unit, at, &body[number + 1], pointer, size, body)
        })
    })
}

/// Whether the address of a variable is taken.
fn is_addressed(body: &[Stmt], local: LocalId) -> bool {
    let mut found = false;
    for statement in body {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                if let ExprKind::Address(place) = &expr.kind {
                    found |= super::points::root_local(place) == Some(local);
                }
            });
        });
    }
    found
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

/// The variable that a value is read from, behind conversions to types that have all its values.
fn plain(at: FunctionId, expr: &Expr) -> Option<LocalId> {
    match &expr.kind {
        ExprKind::Load(place) => match variable(at, place)? {
            Target::Local(_, local) => Some(local),
            _ => None,
        },
        ExprKind::Convert(inner) => {
            let (from, to) = bounds(&inner.ty).zip(bounds(&expr.ty))?;
            (to.0 <= from.0 && from.1 <= to.1).then(|| plain(at, inner)).flatten()
        }
        _ => None,
    }
}

fn library<'u>(unit: &'u Unit, expr: &'u Expr) -> Option<(&'u str, &'u [Expr])> {
    let ExprKind::Call(Callee::Direct(function), args) = &expr.kind else { return None };
    let function = &unit.functions[function.index()];
    function.body.is_none().then_some((function.name.as_str(), args.as_slice()))
}

/// The variables of `p = malloc(n)`.
fn asks(unit: &Unit, at: FunctionId, statement: &Stmt) -> Option<(LocalId, LocalId)> {
    let (pointer, value) = match &statement.kind {
        StmtKind::Declare(local, Some(parts)) => match parts.as_slice() {
            [part] => (*local, &part.value),
            _ => return None,
        },
        StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) => {
            match variable(at, place)? {
                Target::Local(_, local) => (local, &**value),
                _ => return None,
            }
        }
        _ => return None,
    };
    let (name, args) = library(unit, unconverted(value))?;
    let [size] = args else { return None };
    (name == "malloc").then(|| plain(at, size)).flatten().map(|size| (pointer, size))
}

/// Whether a statement gives every byte any value: `for (i = 0; i < n; i++) p[i] = __VERIFIER_nondet_char();`
fn fills(
    unit: &Unit,
    at: FunctionId,
    statement: &Stmt,
    pointer: LocalId,
    size: LocalId,
    all: &[Stmt],
) -> bool {
    let StmtKind::Block(block) = &statement.kind else { return false };
    let [first, turns] = block.as_slice() else { return false };
    let StmtKind::Declare(index, Some(parts)) = &first.kind else { return false };
    let StmtKind::For { cond: Some(cond), step: Some(step), body } = &turns.kind else {
        return false;
    };
    let from_zero = matches!(parts.as_slice(), [part]
        if matches!(unconverted(&part.value).kind, ExprKind::Int(0)));
    let ExprKind::Compare(Compare::Lt, low, high) = &cond.kind else { return false };
    let up_to = plain(at, low) == Some(*index) && plain(at, high) == Some(size);
    let one_by_one = matches!(&step.kind,
        ExprKind::AssignWith { place, op: Arithmetic::Add, value, .. }
            if variable(at, place) == Some(Target::Local(at, *index))
                && matches!(unconverted(value).kind, ExprKind::Int(1)));
    let [only] = flattened(body)[..] else { return false };
    let StmtKind::Expr(Expr { kind: ExprKind::Assign(place, value), .. }) = &only.kind else {
        return false;
    };
    let is_byte = matches!(place.ty, Type::Int { bits: 8, .. });
    let any = library(unit, unconverted(value)).is_some_and(|(name, args)| {
        let bytes = ["__VERIFIER_nondet_char", "__VERIFIER_nondet_uchar"];
        args.is_empty() && bytes.contains(&name)
    });
    let LvalueKind::Deref(address) = &place.kind else { return false };
    let ExprKind::Offset(base, offset) = &address.kind else { return false };
    let reads = |expr: &Expr, wanted| match &unconverted(expr).kind {
        ExprKind::Load(place) => variable(at, place) == Some(Target::Local(at, wanted)),
        _ => false,
    };
    // Times 1, which is the size of what it points to.
    let position = match &offset.kind {
        ExprKind::Arithmetic(Arithmetic::Mul, a, b) => {
            match (&unconverted(a).kind, &unconverted(b).kind) {
                (ExprKind::Int(1), _) => b,
                (_, ExprKind::Int(1)) => a,
                _ => return false,
            }
        }
        _ => offset,
    };
    from_zero
        && up_to
        && one_by_one
        && is_byte
        && any
        && reads(base, pointer)
        && reads(position, *index)
        && !is_addressed(all, *index)
}
