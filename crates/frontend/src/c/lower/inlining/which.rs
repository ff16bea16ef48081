//! # Which functions are written out
//! **Question.** Is a function small and simple enough, and does it do nothing with the addresses that it gets but read and write what they point to?
//!
//! **Claim.** A function that [`is_simple`] uses each parameter as [`Uses`] says, and has no jump whose copy would mean something else.

use std::collections::BTreeSet;

use super::{BEGIN, END};
use crate::c::lower::visit::{each_expr, each_part, each_statement};
use crate::c::typed::*;
use crate::c::types::Type;

/// Bodies with more statements than this are left where they are.
const LARGEST: usize = 60;

/// The number of statements.
pub(super) fn size(block: &[Stmt]) -> usize {
    let mut count = 0;
    each_statement(block, &mut |_| count += 1);
    count
}

/// The labels that are jumped to.
pub(super) fn targets(body: &[Stmt]) -> BTreeSet<LabelId> {
    let mut found = BTreeSet::new();
    let mut see = |s: &Stmt| {
        if let StmtKind::Goto(label) = s.kind {
            found.insert(label);
        }
    };
    each_statement(body, &mut see);
    each_expr_in(body, &mut |expr| {
        if let ExprKind::Statement(block, _) = &expr.kind {
            each_statement(block, &mut see);
        }
    });
    found
}

/// Tells every expression of a function.
pub(super) fn each_expr_in<'u>(body: &'u [Stmt], see: &mut dyn FnMut(&'u Expr)) {
    for statement in body {
        each_part(statement, false, &mut |expr, _| each_expr(expr, see));
    }
}

/// Whether the body of a function can stand somewhere else.
pub(super) fn is_simple(unit: &Unit, at: FunctionId) -> bool {
    let function = &unit.functions[at.index()];
    let Some(body) = &function.body else { return false };
    let is_small = size(body) <= LARGEST && !function.variadic && function.name != "main";
    let mut plain = true;
    each_statement(body, &mut |s| plain &= !matches!(s.kind, StmtKind::Asm { .. }));
    each_expr_in(body, &mut |expr| match &expr.kind {
        ExprKind::Statement(..) | ExprKind::Unsupported(_) => plain = false,
        ExprKind::Call(Callee::Direct(called), _) => {
            let called = &unit.functions[called.index()];
            let name = called.name.as_str();
            let starts = ["pthread_", "thrd_", "__VERIFIER_nondet_", "call_once"];
            let locks = ["pthread_mutex_", "pthread_spin_", "pthread_rwlock_", "pthread_cond_"];
            plain &= called.body.is_some()
                || locks.iter().any(|family| name.starts_with(family))
                || !starts.iter().any(|family| name.starts_with(family))
                    && !crate::c::lower::points::MAKERS.contains(&name)
                    && !crate::c::lower::library::OUTSIDE.contains(&name)
                    && name != BEGIN
                    && name != END;
        }
        ExprKind::Call(Callee::Builtin(name), _) => {
            plain &= !crate::c::lower::points::MAKERS.contains(&name.as_str());
        }
        _ => {}
    });
    is_small && plain
}

/// The address of a variable or of a member of one: always the same while the variable lives.
pub(super) fn stable(expr: &Expr) -> Option<&Lvalue> {
    match &expr.kind {
        ExprKind::Convert(inner) if matches!(expr.ty, Type::Pointer(_)) => stable(inner),
        ExprKind::Address(lvalue) => is_stable(lvalue).then_some(&**lvalue),
        _ => None,
    }
}

pub(super) fn is_stable(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Local(_) | LvalueKind::Object(_) => {
            !matches!(lvalue.ty, Type::Array(..) | Type::Function(_))
        }
        LvalueKind::Member(inner, ..) => {
            is_stable(inner) && !matches!(lvalue.ty, Type::Array(..) | Type::Function(_))
        }
        LvalueKind::Deref(_) | LvalueKind::Element(..) | LvalueKind::Temporary(_) => false,
    }
}

/// How a function uses a parameter.
pub(super) struct Uses {
    /// Whether it is assigned, or its address is taken.
    pub(super) changes: bool,
    /// Whether it is read for anything but what it points to, and to hand it on.
    pub(super) keeps: bool,
}

pub(super) fn uses(body: &[Stmt], param: LocalId) -> Uses {
    let mut found = Uses { changes: false, keeps: false };
    let is_param = |lvalue: &Lvalue| matches!(lvalue.kind, LvalueKind::Local(l) if l == param);
    let reads = |expr: &Expr| {
        let mut inner = expr;
        while let ExprKind::Convert(deeper) = &inner.kind {
            inner = deeper;
        }
        matches!(&inner.kind, ExprKind::Load(place) if is_param(place))
    };
    // Every way to read it that keeps it to itself is counted off from all.
    let (mut all, mut plain) = (0_usize, 0_usize);
    each_expr_in(body, &mut |expr| {
        let mut deref = |mut lvalue: &Lvalue| loop {
            match &lvalue.kind {
                LvalueKind::Deref(pointer) => {
                    plain += usize::from(reads(pointer));
                    return;
                }
                LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => lvalue = inner,
                _ => return,
            }
        };
        match &expr.kind {
            ExprKind::Load(place) => {
                all += usize::from(is_param(place));
                deref(place);
            }
            ExprKind::Address(place) => {
                found.changes |= root(place) == Some(param);
                deref(place);
            }
            ExprKind::Assign(place, _) | ExprKind::AssignWith { place, .. } => {
                found.changes |= root(place) == Some(param);
                deref(place);
            }
            ExprKind::Call(_, args) => {
                plain += args.iter().filter(|arg| reads(arg)).count();
            }
            _ => {}
        }
    });
    found.keeps = all != plain;
    found
}

pub(super) fn root(lvalue: &Lvalue) -> Option<LocalId> {
    crate::c::lower::points::root_local(lvalue)
}
