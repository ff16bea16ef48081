//! # Which copies are read
//!
//! **Question.** `start_thread goto L` gives the new thread a copy of the locals. A local that is
//! open stands for one value, the same in both threads; two open copies would be chosen apart.
//! Which locals have to be chosen before they are copied?
//!
//! **Idea.** Those that both threads may read before they write them: the locals that are *live*
//! both where the old thread goes on and where the new one begins. The usual backward analysis
//! finds them. All others stay open in both, since one of the two copies is never looked at.
//!
//! **Needs.** Nothing: a local that is live by mistake is only chosen earlier.

use super::locks::written;
use super::{Command, Edge, Flow};
use crate::{AtomicOp, Expr, ExprKind, LocalId, Place, VarRef};
use std::collections::BTreeSet;

type Locals = BTreeSet<LocalId>;

/// Fills in what both threads read, for the procedure whose locations begin with `first`.
pub(super) fn mark_copies(flow: &mut Flow, first: usize) {
    let own = |edge: &&Edge| edge.from.index() >= first;
    let starts = |edge: &Edge| matches!(edge.command, Command::StartThread { .. });
    if !flow.edges.iter().rev().take_while(own).any(starts) {
        return;
    }
    let live = live(flow, first);
    let own = |edge: &&mut Edge| edge.from.index() >= first;
    for edge in flow.edges.iter_mut().rev().take_while(own) {
        if let Command::StartThread { at, read_by_both } = &mut edge.command {
            let [old, new] = [edge.to, *at].map(|loc| &live[loc.index() - first]);
            *read_by_both = old.intersection(new).copied().collect();
        }
    }
}

/// The locals that are live at each location of the procedure.
fn live(flow: &Flow, first: usize) -> Vec<Locals> {
    let own: Vec<&Edge> = flow.edges.iter().filter(|e| e.from.index() >= first).collect();
    let mut into: Vec<Vec<&Edge>> = vec![Vec::new(); flow.locations.len() - first];
    for edge in &own {
        for to in targets(edge) {
            into[to - first].push(edge);
        }
    }
    let mut live = vec![Locals::new(); into.len()];
    let mut work = own;
    while let Some(edge) = work.pop() {
        let mut before = Locals::new();
        for to in targets(edge) {
            before.extend(&live[to - first]);
        }
        for place in written(&edge.command) {
            if let (VarRef::Local(local), true) = (place.var, place.indices.is_empty()) {
                before.remove(&local);
            }
        }
        if let Command::StartThread { at, .. } = &edge.command {
            before.extend(&live[at.index() - first]);
        }
        read(&edge.command, &mut before);
        let here = &mut live[edge.from.index() - first];
        let known = here.len();
        here.extend(before);
        if here.len() > known {
            work.extend(&into[edge.from.index() - first]);
        }
    }
    live
}

/// The locations that an edge leads to, for this thread or another one.
fn targets(edge: &Edge) -> Vec<usize> {
    match &edge.command {
        Command::Return(_) => Vec::new(),
        Command::StartThread { at, .. } => vec![edge.to.index(), at.index()],
        _ => vec![edge.to.index()],
    }
}

/// Adds the locals that a command reads.
fn read(command: &Command, reads: &mut Locals) {
    match command {
        Command::Skip | Command::AtomicBegin | Command::AtomicEnd | Command::StartThread { .. } => {
        }
        Command::Test { cond: e, .. }
        | Command::Assume(e)
        | Command::Assert(e)
        | Command::Join(e) => in_expr(e, reads),
        Command::Assign { targets, values, constrain } => {
            values.iter().chain(constrain).for_each(|e| in_expr(e, reads));
            targets.iter().for_each(|place| in_indices(place, reads));
        }
        Command::Havoc(places) | Command::Receive { places, .. } => {
            places.iter().for_each(|place| in_indices(place, reads));
        }
        Command::Acquire(place) | Command::Release(place) => in_place(place, reads),
        Command::Attempt { dest, op } => {
            dest.iter().for_each(|place| in_indices(place, reads));
            in_operation(op, reads);
        }
        Command::TestAttempt { op, .. } => in_operation(op, reads),
        Command::Call { args, .. } | Command::Return(args) => {
            args.iter().for_each(|e| in_expr(e, reads));
        }
        Command::Async { dest, args, .. } => {
            dest.iter().for_each(|place| in_indices(place, reads));
            args.iter().for_each(|e| in_expr(e, reads));
        }
    }
}

fn in_operation(op: &AtomicOp, reads: &mut Locals) {
    in_place(op.place(), reads);
    match op {
        AtomicOp::TryLock(_) => {}
        AtomicOp::CompareAndSwap { expected, new, .. } => {
            in_expr(expected, reads);
            in_expr(new, reads);
        }
        AtomicOp::FetchAndAdd { amount, .. } => in_expr(amount, reads),
    }
}

fn in_place(place: &Place, reads: &mut Locals) {
    if let VarRef::Local(local) = place.var {
        reads.insert(local);
    }
    in_indices(place, reads);
}

fn in_indices(place: &Place, reads: &mut Locals) {
    place.indices.iter().for_each(|index| in_expr(index, reads));
}

fn in_expr(expr: &Expr, reads: &mut Locals) {
    match &expr.kind {
        ExprKind::Read(place) | ExprKind::Primed(place) => in_place(place, reads),
        ExprKind::Unary(_, a) => in_expr(a, reads),
        ExprKind::Binary(_, a, b) | ExprKind::Between(a, b) | ExprKind::Schoose(a, b) => {
            in_expr(a, reads);
            in_expr(b, reads);
        }
        ExprKind::IfThenElse(a, b, c) => {
            in_expr(a, reads);
            in_expr(b, reads);
            in_expr(c, reads);
        }
        ExprKind::OneOf(list) => list.iter().for_each(|e| in_expr(e, reads)),
        ExprKind::Const(_)
        | ExprKind::Any
        | ExprKind::Instance
        | ExprKind::Quantified { .. }
        | ExprKind::LocalOf { .. }
        | ExprKind::At { .. } => {}
    }
}
