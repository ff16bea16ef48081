//! # Live locals
//!
//! **Question.** Which local variables can still be read from a location on?
//!
//! **Idea.** A value that is never read again makes no difference, but it makes states different.
//! Lowering forgets it: the variable becomes open. Backward over the edges: a variable is live
//! before an edge if the edge reads it, or if it is live after and the edge does not set it.
//!
//! **Claim.** Forgetting dead values changes no test and no assertion, so nothing but the number
//! of states.
//!
//! Variables of a procedure that a predicate speaks of are always live: predicates may ask for
//! them anywhere.

use super::{Command, Flow, Loc};
use crate::{AtomicOp, Expr, ExprKind, LocalId, Place, Program, Type, VarRef};

/// For each location, whether each local variable of its procedure is live.
pub(super) fn live_locals(program: &Program, flow: &Flow) -> Vec<Box<[bool]>> {
    let mut live: Vec<Box<[bool]>> = flow
        .locations
        .iter()
        .map(|location| {
            let watched = program.predicates.iter().any(|p| p.scope == Some(location.proc));
            vec![watched; program.procs[location.proc.index()].locals.len()].into()
        })
        .collect();
    let mut into: Vec<Vec<Loc>> = vec![Vec::new(); flow.locations.len()];
    for edge in &flow.edges {
        into[edge.to.index()].push(edge.from);
        if let Command::StartThread { at: start, .. } = edge.command {
            into[start.index()].push(edge.from);
        }
    }
    let mut work: Vec<Loc> = (0..flow.locations.len() as u32).map(Loc).collect();
    while let Some(loc) = work.pop() {
        let before = live_before(program, flow, loc, &live);
        if live[loc.index()] != before {
            live[loc.index()] = before;
            work.extend(&into[loc.index()]);
        }
    }
    live
}

/// Notes, where a thread is started with a copy of the locals, which of them both threads may read:
/// an open value stands for one value, the same in both, so it has to be chosen before it is
/// copied.
pub(super) fn mark_copies(flow: &mut Flow) {
    for edge in &mut flow.edges {
        if let Command::StartThread { at, read_by_both } = &mut edge.command {
            let both = flow.live[edge.to.index()].iter().zip(&flow.live[at.index()]);
            let both = both.enumerate().filter(|(_, (old, new))| **old && **new);
            *read_by_both = both.map(|(local, _)| LocalId(local as u32)).collect();
        }
    }
}

fn live_before(program: &Program, flow: &Flow, loc: Loc, live: &[Box<[bool]>]) -> Box<[bool]> {
    let mut before = live[loc.index()].clone();
    for &id in &flow.location(loc).edges {
        let edge = flow.edge(id);
        if !matches!(edge.command, Command::Return(_)) {
            let set = set_locals(program, flow, loc, &edge.command);
            for (local, after) in live[edge.to.index()].iter().enumerate() {
                before[local] |= after & !set.contains(&LocalId(local as u32));
            }
        }
        if let Command::StartThread { at: start, .. } = edge.command {
            let copied = live[start.index()].iter();
            before.iter_mut().zip(copied).for_each(|(before, after)| *before |= after);
        }
        read_by(&edge.command, &mut |local| before[local.index()] = true);
    }
    before
}

/// The local variables that a command certainly sets as a whole.
fn set_locals(program: &Program, flow: &Flow, loc: Loc, command: &Command) -> Vec<LocalId> {
    let places: Vec<&Place> = match command {
        Command::Assign { targets: places, .. }
        | Command::Havoc(places)
        | Command::Receive { places, .. } => places.iter().collect(),
        Command::Attempt { dest, .. } | Command::Async { dest, .. } => dest.iter().collect(),
        _ => Vec::new(),
    };
    let proc = &program.procs[flow.location(loc).proc.index()];
    let whole = |place: &&Place| match place.var {
        VarRef::Local(id) if !matches!(proc.locals[id.index()].ty, Type::Array { .. }) => Some(id),
        _ => None,
    };
    places.iter().filter_map(whole).collect()
}

/// Tells the local variables that a command reads.
fn read_by(command: &Command, see: &mut impl FnMut(LocalId)) {
    let mut exprs: Vec<&Expr> = Vec::new();
    match command {
        Command::Skip | Command::AtomicBegin | Command::AtomicEnd | Command::StartThread { .. } => {
        }
        Command::Test { cond: expr, .. }
        | Command::Assume(expr)
        | Command::Assert(expr)
        | Command::Join(expr) => exprs.push(expr),
        Command::Assign { targets, values, constrain } => {
            exprs.extend(targets.iter().flat_map(|place| &place.indices));
            exprs.extend(values);
            exprs.extend(constrain);
        }
        Command::Havoc(places) | Command::Receive { places, .. } => {
            exprs.extend(places.iter().flat_map(|place| &place.indices));
        }
        Command::Acquire(place) | Command::Release(place) => read_place(place, see),
        Command::Attempt { dest, op } => {
            exprs.extend(dest.iter().flat_map(|place| &place.indices));
            read_op(op, see);
        }
        Command::TestAttempt { op, .. } => read_op(op, see),
        Command::Call { args, .. } | Command::Return(args) => exprs.extend(args),
        Command::Async { dest, args, .. } => {
            exprs.extend(dest.iter().flat_map(|place| &place.indices));
            exprs.extend(args);
        }
    }
    exprs.into_iter().for_each(|expr| read_expr(expr, see));
}

fn read_op(op: &AtomicOp, see: &mut impl FnMut(LocalId)) {
    read_place(op.place(), see);
    match op {
        AtomicOp::TryLock(_) => {}
        AtomicOp::CompareAndSwap { expected, new, .. } => {
            read_expr(expected, see);
            read_expr(new, see);
        }
        AtomicOp::FetchAndAdd { amount, .. } => read_expr(amount, see),
    }
}

fn read_place(place: &Place, see: &mut impl FnMut(LocalId)) {
    if let VarRef::Local(local) = place.var {
        see(local);
    }
    place.indices.iter().for_each(|index| read_expr(index, see));
}

fn read_expr(expr: &Expr, see: &mut impl FnMut(LocalId)) {
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Any
        | ExprKind::Fair
        | ExprKind::Instance
        | ExprKind::At { .. } => {}
        ExprKind::Read(place) | ExprKind::Primed(place) => read_place(place, see),
        ExprKind::LocalOf { local, .. } => see(*local),
        ExprKind::Unary(_, operand) | ExprKind::Quantified { body: operand, .. } => {
            read_expr(operand, see);
        }
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            read_expr(a, see);
            read_expr(b, see);
        }
        ExprKind::IfThenElse(a, b, c) => [a, b, c].into_iter().for_each(|e| read_expr(e, see)),
        ExprKind::OneOf(options) => options.iter().for_each(|e| read_expr(e, see)),
    }
}
