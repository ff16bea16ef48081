//! # Who holds a lock
//!
//! **Question.** Releasing a lock that one does not hold goes wrong, so somebody has to know who
//! holds it. If the shared state knew, threads of one template would no longer be
//! interchangeable. Can it be seen from the text instead?
//!
//! **Idea.** A release is *evident* if on every way to it, within its procedure, the same lock was
//! taken and not given back. If all releases of a program are evident, none of them goes wrong, and
//! held or free is all that needs to be known.
//!
//! An element of an array of locks is the same lock as before if its indices are built from
//! constants and from variables of the procedure that were not written since.

use super::{Command, Flow, Loc};
use crate::{AtomicOp, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Program, Span, VarRef};
use std::collections::BTreeSet;

/// The first release of the program that is not evident.
pub(crate) fn doubtful_release(program: &Program, flow: &Flow) -> Option<Span> {
    let has_release = |edge: &super::Edge| matches!(edge.command, Command::Release(_));
    if !flow.edges.iter().any(has_release) {
        return None;
    }
    let touched = touched_locks(program, flow);
    super::procs(program).find_map(|(id, _)| Held::of(flow, id, &touched).first_doubtful(flow))
}

/// The lock variables that each procedure, or one that it calls, operates on.
fn touched_locks(program: &Program, flow: &Flow) -> Vec<BTreeSet<GlobalId>> {
    let mut touched = vec![BTreeSet::new(); program.procs.len()];
    let mut calls = Vec::new();
    for edge in &flow.edges {
        let proc = flow.location(edge.from).proc;
        match &edge.command {
            Command::Acquire(place) | Command::Release(place) => touch(&mut touched, proc, place),
            Command::Attempt { op: AtomicOp::TryLock(place), .. }
            | Command::TestAttempt { op: AtomicOp::TryLock(place), .. } => {
                touch(&mut touched, proc, place);
            }
            Command::Call { proc: callee, .. } => calls.push((proc, *callee)),
            _ => {}
        }
    }
    loop {
        let mut grown = false;
        for &(caller, callee) in &calls {
            let more: Vec<_> = touched[callee.index()].iter().copied().collect();
            let before = touched[caller.index()].len();
            touched[caller.index()].extend(more);
            grown |= touched[caller.index()].len() > before;
        }
        if !grown {
            return touched;
        }
    }
}

fn touch(touched: &mut [BTreeSet<GlobalId>], proc: ProcId, place: &Place) {
    if let VarRef::Global(lock) = place.var {
        touched[proc.index()].insert(lock);
    }
}

/// A lock as the text names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LockName {
    lock: GlobalId,
    /// The indices, spelled out.
    indices: String,
    /// The local variables in them.
    locals: BTreeSet<LocalId>,
}

/// The locks that are certainly held at each location of a procedure; `None` where it is not
/// known yet.
struct Held<'a> {
    touched: &'a [BTreeSet<GlobalId>],
    at: Vec<Option<BTreeSet<LockName>>>,
    proc: ProcId,
}

impl<'a> Held<'a> {
    fn of(flow: &Flow, proc: ProcId, touched: &'a [BTreeSet<GlobalId>]) -> Self {
        let mut held = Held { touched, at: vec![None; flow.locations.len()], proc };
        let mut work = vec![(flow.entries[proc.index()], BTreeSet::new())];
        while let Some((loc, incoming)) = work.pop() {
            let merged = match &held.at[loc.index()] {
                Some(known) => known.intersection(&incoming).cloned().collect(),
                None => incoming,
            };
            if held.at[loc.index()].as_ref() == Some(&merged) {
                continue;
            }
            held.at[loc.index()] = Some(merged.clone());
            held.leave(flow, loc, &merged, &mut work);
        }
        held
    }

    fn leave(
        &self,
        flow: &Flow,
        loc: Loc,
        before: &BTreeSet<LockName>,
        work: &mut Vec<(Loc, BTreeSet<LockName>)>,
    ) {
        for &id in &flow.location(loc).edges {
            let edge = flow.edge(id);
            let mut after = before.clone();
            for place in written(&edge.command) {
                if let VarRef::Local(local) = place.var {
                    after.retain(|name| !name.locals.contains(&local));
                }
            }
            match &edge.command {
                Command::Acquire(place)
                | Command::TestAttempt { op: AtomicOp::TryLock(place), succeeds: true } => {
                    after.extend(name(place));
                }
                Command::Release(place) => {
                    name(place).map(|name| after.remove(&name));
                }
                Command::Call { proc, .. } => {
                    after.retain(|name| !self.touched[proc.index()].contains(&name.lock));
                }
                Command::StartThread { at, .. } => work.push((*at, BTreeSet::new())),
                Command::Return(_) => continue,
                _ => {}
            }
            work.push((edge.to, after));
        }
    }

    fn first_doubtful(&self, flow: &Flow) -> Option<Span> {
        let own = flow.edges.iter().filter(|e| flow.location(e.from).proc == self.proc);
        let is_doubtful = |edge: &&super::Edge| {
            let Command::Release(place) = &edge.command else { return false };
            // What is not known there is never reached.
            let Some(held) = &self.at[edge.from.index()] else { return false };
            !name(place).is_some_and(|name| held.contains(&name))
        };
        own.into_iter().find(is_doubtful).map(|edge| edge.span)
    }
}

/// The name of a lock, if its indices are as simple as names must be.
fn name(place: &Place) -> Option<LockName> {
    let VarRef::Global(lock) = place.var else { return None };
    let mut name = LockName { lock, indices: String::new(), locals: BTreeSet::new() };
    place.indices.iter().all(|index| spell(index, &mut name)).then_some(name)
}

fn spell(expr: &Expr, name: &mut LockName) -> bool {
    match &expr.kind {
        ExprKind::Const(value) => {
            name.indices += &format!("{value};");
            true
        }
        ExprKind::Read(Place { var: VarRef::Local(local), indices, .. }) => {
            name.indices += &format!("l{};", local.0);
            name.locals.insert(*local);
            indices.is_empty()
        }
        ExprKind::Binary(op, left, right) => {
            name.indices += &format!("{op:?};");
            spell(left, name) && spell(right, name)
        }
        _ => false,
    }
}

/// The places that a command writes.
fn written(command: &Command) -> Vec<&Place> {
    match command {
        Command::Assign { targets: places, .. }
        | Command::Havoc(places)
        | Command::Receive { places, .. } => places.iter().collect(),
        Command::Async { dest, .. } => dest.iter().collect(),
        Command::Attempt { dest, op } => dest.iter().chain([op.place()]).collect(),
        Command::TestAttempt { op, .. } => vec![op.place()],
        _ => Vec::new(),
    }
}
