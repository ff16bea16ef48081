//! # Where threads wait for each other
//!
//! **Question.** Nobody can act any more. Is that a mistake, or how a model says that something does not happen?
//!
//! **Idea.** The text tells. Who stands at `acquire`, at `join`, or at a statement about a semaphore, a condition or a barrier waits for
//! something that another thread has to do. Who stands at another `assume` may never have been meant to go on.
//!
//! **Claim.** A location is one of these if a step from it has such a command, or begins an atomic section in which there is one, in the
//! section itself or in what it calls: a thread that is stuck in a section stands in front of it.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::{Command, Flow, Loc};
use crate::sync::WaitKind;
use crate::visit::any_part;
use crate::{Expr, ExprKind, GlobalId, Program, StmtKind, VarRef, walk};

impl Program {
    /// Whether threads wait for each other somewhere, by more than `assume`.
    #[must_use]
    pub fn has_waits(&self) -> bool {
        let waits = |kind: &StmtKind| match kind {
            StmtKind::Acquire(_) | StmtKind::Join(_) => true,
            StmtKind::Assume(e) => reads(e, &self.waited_for),
            _ => false,
        };
        self.procs.iter().any(|proc| walk::any(&proc.body, &|stmt| waits(&stmt.kind)))
    }

    /// Whether some statement waits for nothing but a condition: `assume e;`.
    #[must_use]
    pub fn has_assumptions(&self) -> bool {
        let is_one = |kind: &StmtKind| match kind {
            StmtKind::Assume(e) => !reads(e, &self.waited_for),
            _ => false,
        };
        self.procs.iter().any(|proc| walk::any(&proc.body, &|stmt| is_one(&stmt.kind)))
    }
}

/// Whether an expression reads one of these counters.
fn reads(e: &Expr, counters: &BTreeMap<GlobalId, WaitKind>) -> bool {
    let is_one = |e: &Expr| match &e.kind {
        ExprKind::Read(place) => {
            matches!(place.var, VarRef::Global(id) if counters.contains_key(&id))
        }
        _ => false,
    };
    !counters.is_empty() && any_part(e, &is_one)
}

/// The locations at which a thread may wait for another one.
pub(crate) fn waiting(flow: &Flow, waited_for: &BTreeMap<GlobalId, WaitKind>) -> Vec<Loc> {
    let waits = |command: &Command| match command {
        Command::Acquire(_) | Command::Join(_) => true,
        Command::Assume(e) => reads(e, waited_for),
        _ => false,
    };
    let all = (0..flow.locations.len()).map(|index| Loc(index as u32));
    all.filter(|&loc| !flow.location(loc).atomic && waits_at(flow, loc, &waits)).collect()
}

/// The locations at which a thread can do nothing but take a lock that the location names, or wait for the end of a thread.
pub(crate) fn held(flow: &Flow) -> Vec<Loc> {
    let is_held = |command: &Command| match command {
        Command::Acquire(place) => !place.indices.iter().any(Expr::reads_shared),
        Command::Join(thread) => !thread.reads_shared(),
        _ => false,
    };
    let all = (0..flow.locations.len()).map(|index| Loc(index as u32));
    let is_one = |&loc: &Loc| {
        let edges = &flow.location(loc).edges;
        !flow.location(loc).atomic
            && !edges.is_empty()
            && edges.iter().all(|&edge| is_held(&flow.edge(edge).command))
    };
    all.filter(is_one).collect()
}

/// Whether a step from a location, or the atomic section that it begins, has a command that waits.
fn waits_at(flow: &Flow, loc: Loc, waits: &dyn Fn(&Command) -> bool) -> bool {
    // Locations that are still to be looked at; and whether they are in a procedure that the section calls.
    let mut open = vec![(loc, false)];
    let mut seen: FxHashSet<(Loc, bool)> = open.iter().copied().collect();
    while let Some((at, is_called)) = open.pop() {
        for &edge in &flow.location(at).edges {
            let edge = flow.edge(edge);
            if waits(&edge.command) {
                return true;
            }
            let mut next = Vec::new();
            match &edge.command {
                Command::Return(_) => continue,
                Command::Call { proc, .. } if is_called || flow.location(at).atomic => {
                    next.extend(flow.entries.get(proc.index()).map(|&entry| (entry, true)));
                }
                _ => {}
            }
            if is_called || flow.location(edge.to).atomic {
                next.push((edge.to, is_called));
            }
            open.extend(next.into_iter().filter(|to| seen.insert(*to)));
        }
    }
    false
}
