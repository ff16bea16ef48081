//! # Recursion that has no end
//!
//! **Question.** Does every way through a procedure call the procedure again, or start it as another thread?
//!
//! **Idea.** A procedure may come to an end if some way to it passes only calls and starts of procedures that may: the least set for which that is so. Who would have
//! such a way if all of them did, and has none, waits for a call that waits for a call, or starts a thread that starts a thread.
//!
//! **Claim.** What is named here goes on for ever, whatever the values are, unless it waits for ever. Conditions are not looked at: much that has no end is not named, and
//! loops without an end are none of these.

use selvedge_model::{Patience, calls_itself, strong_parts};

use super::build::graph_within;
use super::{Command, Flow, Loc, procs};
use crate::{Program, Span, StmtKind, walk};

/// A call or a start that leads to itself on every way to the end of its procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Again {
    /// The place in the text.
    pub span: Span,
    /// Whether it starts a thread.
    pub starts: bool,
}

/// Calls and starts that lead to themselves on every way, perhaps through other procedures: one of each such procedure. Nothing where patience ends.
#[must_use]
pub fn without_end(program: &Program, patience: &Patience) -> Vec<Again> {
    let count = program.procs.len();
    if !calls_itself(count, &[], &calls(program)) {
        return Vec::new();
    }
    // A program whose atomic sections do not fit together is refused when it is run.
    let Ok(flow) = graph_within(program, patience) else { return Vec::new() };
    if flow.entries.len() < count {
        return Vec::new();
    }
    let Ways { ends, stuck } = Ways::through(&flow, count, false);
    let could_end = Ways::through(&flow, count, true).ends;
    let is_waiting = |proc: usize| !ends[proc] && could_end[proc];
    let waits: Vec<_> = stuck.into_iter().filter(|wait| is_waiting(wait.from)).collect();
    let mut next = vec![Vec::new(); count];
    for wait in &waits {
        next[wait.from].push(wait.to);
    }
    let parts = strong_parts(&next);
    let mut first = vec![None; count];
    for Wait { from, to, again } in waits {
        let before: &mut Option<Again> = &mut first[from];
        let is_earlier = before.is_none_or(|before| again.span.start < before.span.start);
        if parts[from] == parts[to] && is_earlier {
            *before = Some(again);
        }
    }
    procs(program).filter_map(|(id, _)| first[id.index()]).collect()
}

/// The calls and starts of a program: from which procedure, of which one.
fn calls(program: &Program) -> Vec<(usize, usize)> {
    let mut calls = Vec::new();
    for (id, procedure) in procs(program) {
        walk::each(&procedure.body, &mut |stmt| match &stmt.kind {
            StmtKind::Call { proc, .. } | StmtKind::Async { proc, .. } => {
                calls.push((id.index(), proc.index()));
            }
            _ => {}
        });
    }
    calls
}

/// A call or a start, in one procedure, of another one that has no end.
#[derive(Clone, Copy)]
struct Wait {
    from: usize,
    to: usize,
    again: Again,
}

/// Where ways through procedures lead.
struct Ways {
    /// Whether some way gets to the end, by procedure.
    ends: Vec<bool>,
    /// The calls and starts that some way gets to and that have no end.
    stuck: Vec<Wait>,
}

impl Ways {
    /// Follows all ways, each location once; those that wait for a call go on when some way through the callee has got to its end, or, if
    /// `all_end`, at once.
    fn through(flow: &Flow, count: usize, all_end: bool) -> Ways {
        let mut ends = vec![false; count];
        let mut waiting: Vec<Vec<(Wait, Loc)>> = vec![Vec::new(); count];
        let mut seen = vec![false; flow.locations.len()];
        let mut next: Vec<Loc> = flow.entries.clone();
        while let Some(loc) = next.pop() {
            if std::mem::replace(&mut seen[loc.index()], true) {
                continue;
            }
            let from = flow.location(loc).proc.index();
            for &edge in &flow.location(loc).edges {
                let edge = flow.edge(edge);
                match &edge.command {
                    Command::Return(_) => {
                        ends[from] = true;
                        next.extend(waiting[from].drain(..).map(|(_, after)| after));
                    }
                    Command::Call { proc, .. } | Command::Async { proc, .. }
                        if !all_end && !ends[proc.index()] =>
                    {
                        let starts = matches!(edge.command, Command::Async { .. });
                        let again = Again { span: edge.span, starts };
                        let wait = Wait { from, to: proc.index(), again };
                        waiting[proc.index()].push((wait, edge.to));
                    }
                    _ => next.push(edge.to),
                }
            }
        }
        let stuck = waiting.into_iter().flatten().map(|(wait, _)| wait).collect();
        Ways { ends, stuck }
    }
}
