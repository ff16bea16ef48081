//! # A move, edge by edge
//!
//! **Question.** A move is a way through edges with what comes of it. Which values did each of its edges read and write?
//!
//! **Idea.** The way is walked again, with every combination of choices, until one ends where the move ended.
//!
//! **Otherwise.** Long ways, and those with many choices, are not told.

use super::run::{Next, Purpose, Spare};
use super::{Frame, Machine, Shared, Wrong};
use crate::{Area, EdgeId, Footprint, Memory, Slot, Value};

/// Longer ways are not walked again.
const MOST_EDGES: usize = 256;

/// Nor are more outcomes of edges looked at.
const MOST_OUTCOMES: usize = 1 << 12;

/// What one edge of a way did.
#[derive(Clone, Debug)]
pub struct Deed {
    /// The edge.
    pub edge: EdgeId,
    /// The slots that it read and wrote.
    pub touched: Footprint,
    /// The slots that it read, one after the other: a condition is read up to the part that decides it.
    pub reads: Vec<(Area, usize)>,
    /// The slots that were open when they were read, and the values that were chosen for them. The same edge may store others afterwards.
    pub chosen: Vec<(Slot, Value)>,
    /// The state before it, and the frames of the thread from the one that began, the topmost last.
    pub before: (Shared, Vec<Frame>),
    /// The state and these frames after it.
    pub after: (Shared, Vec<Frame>),
    /// The memory of the topmost frame when it was done: with the values that were chosen, and those that are forgotten after it.
    pub own: Memory,
}

impl Machine {
    /// What the edges of a way do, one by one, where it ends as it is to end.
    #[must_use]
    pub fn retrace(
        &self,
        shared: &Shared,
        frame: &Frame,
        path: &[EdgeId],
        is_end: &dyn Fn(&Shared, &[Frame]) -> bool,
    ) -> Option<Vec<Deed>> {
        if path.len() > MOST_EDGES {
            return None;
        }
        let mut walk = Walk { machine: self, path, is_end, looked: 0, spare: None };
        let mut deeds = Vec::new();
        walk.on((shared.clone(), vec![frame.clone()]), &mut deeds).then_some(deeds)
    }
}

struct Walk<'w> {
    machine: &'w Machine,
    path: &'w [EdgeId],
    is_end: &'w dyn Fn(&Shared, &[Frame]) -> bool,
    looked: usize,
    spare: Spare,
}

impl Walk<'_> {
    /// Takes the next edge; says whether the end was found.
    fn on(&mut self, at: (Shared, Vec<Frame>), deeds: &mut Vec<Deed>) -> bool {
        let Some(&edge) = self.path.get(deeds.len()) else {
            return !deeds.is_empty() && (self.is_end)(&at.0, &at.1);
        };
        let Some(top) = at.1.last() else { return false };
        if self.machine.code.edge(edge).from != top.loc {
            return false;
        }
        let mut found = Vec::new();
        let (machine, to) = (self.machine, self.machine.code.edge(edge).to);
        let ran =
            machine.runs(&at.0, top, edge, &mut self.spare, Purpose::Deeds, |mut run, wrong| {
                let touched = run.touched.take().unwrap_or_default();
                let reads = std::mem::take(&mut run.reads);
                let chosen = std::mem::take(&mut run.settled);
                let own = run.locals.clone();
                let outcome = match wrong {
                    Some(reason) => run.wrong(top, Wrong { edge, reason }),
                    None => run.outcome(top, to),
                };
                found.push((outcome, touched, reads, chosen, own));
            });
        if ran.is_err() {
            return false;
        }
        for (outcome, touched, reads, chosen, own) in found {
            self.looked += 1;
            if self.looked > MOST_OUTCOMES {
                return false;
            }
            let mut frames = at.1.clone();
            frames.pop();
            match outcome.next {
                Next::Goto(frame) => frames.push(frame),
                Next::Call(call) => frames.extend([call.caller, call.callee]),
                Next::Return => {}
            }
            let after = (outcome.shared, frames);
            let (before, touched) = (at.clone(), *touched);
            deeds.push(Deed { edge, touched, reads, chosen, before, after: after.clone(), own });
            if self.on(after, deeds) {
                return true;
            }
            deeds.pop();
        }
        false
    }
}
