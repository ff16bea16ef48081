//! # Recursion that has no end
//!
//! **Question.** Does every way through a procedure call the procedure again, or start it as another thread?
//!
//! **Idea.** A procedure may come to an end if some way to it passes only calls and starts of procedures that may: the least set for which that is so. Who would have
//! such a way if all of them did, and has none, waits for a call that waits for a call, or starts a thread that starts a thread.
//!
//! **Claim.** What is named here goes on for ever, whatever the values are, unless it waits for ever. Conditions are not looked at: much that has no end is not named, and
//! loops without an end are none of these.

use super::{Command, Flow, procs};
use crate::{ProcId, Program, Span};

/// A call or a start that leads to itself on every way to the end of its procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Again {
    /// The place in the text.
    pub span: Span,
    /// Whether it starts a thread.
    pub starts: bool,
}

/// Calls and starts that lead to themselves on every way, perhaps through other procedures: one of each such procedure.
#[must_use]
pub fn without_end(program: &Program, flow: &Flow) -> Vec<Again> {
    let mut returns = vec![false; program.procs.len()];
    loop {
        let more: Vec<ProcId> = procs(program)
            .map(|(id, _)| id)
            .filter(|id| {
                !returns[id.index()] && ends(flow, *id, &|callee| returns[callee.index()]).is_ok()
            })
            .collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|id| returns[id.index()] = true);
    }
    // What each waits for: calls and starts that have no end, on ways that get there.
    let waits: Vec<Vec<(ProcId, Again)>> = procs(program)
        .map(|(id, _)| match returns[id.index()] || ends(flow, id, &|_| true).is_err() {
            true => Vec::new(),
            false => ends(flow, id, &|callee| returns[callee.index()]).err().unwrap_or_default(),
        })
        .collect();
    let comes_back = |from: ProcId, to: ProcId| {
        let (mut seen, mut next) = (vec![false; waits.len()], vec![from]);
        while let Some(id) = next.pop() {
            if id == to {
                return true;
            }
            if !std::mem::replace(&mut seen[id.index()], true) {
                next.extend(waits[id.index()].iter().map(|&(callee, _)| callee));
            }
        }
        false
    };
    let calls = procs(program).filter_map(|(id, _)| {
        let of_it = waits[id.index()].iter();
        of_it
            .filter(|&&(callee, _)| comes_back(callee, id))
            .map(|&(_, again)| again)
            .min_by_key(|again| again.span.start)
    });
    calls.collect()
}

/// Whether some way through a procedure gets to its end, where those calls and starts have one that `comes_back` says; if not, those it gets to that have none.
fn ends(
    flow: &Flow,
    proc: ProcId,
    comes_back: &dyn Fn(ProcId) -> bool,
) -> Result<(), Vec<(ProcId, Again)>> {
    let (mut seen, mut stuck) = (vec![false; flow.locations.len()], Vec::new());
    let mut next: Vec<_> = flow.entries.get(proc.index()).copied().into_iter().collect();
    while let Some(loc) = next.pop() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        for &edge in &flow.location(loc).edges {
            let edge = flow.edge(edge);
            match &edge.command {
                Command::Return(_) => return Ok(()),
                Command::Call { proc, .. } | Command::Async { proc, .. } if !comes_back(*proc) => {
                    let starts = matches!(edge.command, Command::Async { .. });
                    stuck.push((*proc, Again { span: edge.span, starts }));
                }
                _ => next.push(edge.to),
            }
        }
    }
    Err(stuck)
}
