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
//! What `trylock` said is remembered with the local variable that it said it to: where a test shows that the variable is true, the lock is
//! held.
//!
//! An element of an array of locks is the same lock as before if its indices are built from
//! constants and from variables of the procedure that were not written since.

use super::{Command, Flow, Loc};
use crate::{
    AtomicOp, BinaryOp, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Program, Span, UnaryOp,
    VarRef,
};
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
    /// The indices as text.
    indices: String,
    /// The local variables in them.
    locals: BTreeSet<LocalId>,
}

/// The locks that are known to be held at a location.
#[derive(Clone, PartialEq, Eq, Default)]
struct Facts {
    /// Those that are certainly held.
    held: BTreeSet<LockName>,
    /// Those that are held if a local variable is true: what `trylock` said.
    told: BTreeSet<(LocalId, LockName)>,
}

/// The locks that are certainly held at each location of a procedure; `None` where it is not
/// known yet.
struct Held<'a> {
    touched: &'a [BTreeSet<GlobalId>],
    at: Vec<Option<Facts>>,
    proc: ProcId,
}

impl<'a> Held<'a> {
    fn of(flow: &Flow, proc: ProcId, touched: &'a [BTreeSet<GlobalId>]) -> Self {
        let mut held = Held { touched, at: vec![None; flow.locations.len()], proc };
        let mut work = vec![(flow.entries[proc.index()], Facts::default())];
        while let Some((loc, incoming)) = work.pop() {
            let merged = match &held.at[loc.index()] {
                Some(known) => Facts {
                    held: known.held.intersection(&incoming.held).cloned().collect(),
                    told: known.told.intersection(&incoming.told).cloned().collect(),
                },
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

    fn leave(&self, flow: &Flow, loc: Loc, before: &Facts, work: &mut Vec<(Loc, Facts)>) {
        for &id in &flow.location(loc).edges {
            let edge = flow.edge(id);
            let mut after = before.clone();
            for place in written(&edge.command) {
                if let VarRef::Local(local) = place.var {
                    after.held.retain(|name| !name.locals.contains(&local));
                    after.told.retain(|(by, name)| *by != local && !name.locals.contains(&local));
                }
            }
            match &edge.command {
                Command::Acquire(place)
                | Command::TestAttempt { op: AtomicOp::TryLock(place), succeeds: true, .. } => {
                    after.held.extend(name(place));
                }
                Command::Attempt { dest: Some(dest), op: AtomicOp::TryLock(place) } => {
                    if let (VarRef::Local(local), true) = (dest.var, dest.indices.is_empty())
                        && let Some(name) = name(place)
                        && !name.locals.contains(&local)
                    {
                        after.told.insert((local, name));
                    }
                }
                Command::Test { cond, holds } => {
                    let shown = |(local, _): &&(LocalId, LockName)| {
                        // The test cannot go this way if the variable is false.
                        value_without(cond, *local).is_some_and(|value| value != i64::from(*holds))
                    };
                    let more: Vec<LockName> =
                        after.told.iter().filter(shown).map(|(_, name)| name.clone()).collect();
                    after.held.extend(more);
                }
                Command::Release(place) => {
                    let lock = place.var;
                    name(place).map(|name| after.held.remove(&name));
                    // It may release any lock of its array.
                    after.told.retain(|(_, name)| VarRef::Global(name.lock) != lock);
                }
                Command::Call { proc, .. } => {
                    let touched = &self.touched[proc.index()];
                    after.held.retain(|name| !touched.contains(&name.lock));
                    after.told.retain(|(_, name)| !touched.contains(&name.lock));
                }
                Command::StartThread { at, .. } => work.push((*at, Facts::default())),
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
            // A location without facts is never reached.
            let Some(facts) = &self.at[edge.from.index()] else { return false };
            !name(place).is_some_and(|name| facts.held.contains(&name))
        };
        own.into_iter().find(is_doubtful).map(|edge| edge.span)
    }
}

/// The value of an expression where a local variable is false, if that says it.
fn value_without(expr: &Expr, local: LocalId) -> Option<i64> {
    let value = |e: &Expr| value_without(e, local);
    match &expr.kind {
        ExprKind::Const(value) => value.small(),
        ExprKind::Read(place) => {
            (place.var == VarRef::Local(local) && place.indices.is_empty()).then_some(0)
        }
        ExprKind::Unary(UnaryOp::Not, a) => value(a).map(|a| i64::from(a == 0)),
        ExprKind::Binary(BinaryOp::Eq, a, b) => Some(i64::from(value(a)? == value(b)?)),
        ExprKind::Binary(BinaryOp::Ne, a, b) => Some(i64::from(value(a)? != value(b)?)),
        ExprKind::Binary(BinaryOp::And, a, b) => match (value(a), value(b)) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(_), Some(_)) => Some(1),
            _ => None,
        },
        ExprKind::IfThenElse(c, a, b) => match value(c)? {
            0 => value(b),
            _ => value(a),
        },
        _ => None,
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
