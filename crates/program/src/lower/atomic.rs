//! # Atomic sections as one action
//! From a head, every edge is executed; where that leads into an atomic section, execution goes
//! on until the section is left, through calls and loops. What blocks inside never happened.
//! Configurations that were seen before are not followed again, so a loop over finitely many
//! values ends.

use rustc_hash::FxHashSet;
use selvedge_model::Fault;

use super::Lowering;
use super::execute::{Control, Outcome, Started};
use super::intern::{Frame, Shared};
use crate::flow::EdgeId;

/// More configurations than this inside of one atomic section are not followed.
const MOST_CONFIGURATIONS: usize = 1 << 18;

/// What a thread can do at a head: the outcome, and the edges that lead there.
pub(super) struct Move {
    pub outcome: Outcome,
    pub path: Vec<EdgeId>,
}

/// A configuration inside of an atomic section.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Inside {
    shared: Shared,
    /// The frames of the thread from the one that entered the section; the top is last.
    frames: Vec<Frame>,
    spawn: Option<Started>,
}

impl Lowering {
    /// Everything that a thread can do at a head.
    pub(super) fn moves(&self, shared: &Shared, frame: &Frame) -> Result<Vec<Move>, Fault> {
        let mut moves = Vec::new();
        let mut work = Vec::new();
        for &edge in &self.flow.location(frame.loc).edges {
            let mut outcomes = Vec::new();
            self.outcomes(shared, frame, edge, &mut outcomes)?;
            for outcome in outcomes {
                let enters = outcome.location().is_some_and(|loc| self.goes_on(&outcome, loc));
                match outcome.control {
                    Control::Goto(top) if enters => {
                        let frames = vec![top];
                        let inside =
                            Inside { shared: outcome.shared, frames, spawn: outcome.spawn };
                        work.push((inside, vec![edge]));
                    }
                    _ => moves.push(Move { outcome, path: vec![edge] }),
                }
            }
        }
        if !work.is_empty() {
            self.follow(work, &mut moves)?;
        }
        Ok(moves)
    }

    fn goes_on(&self, outcome: &Outcome, loc: crate::flow::Loc) -> bool {
        outcome.shared.wrong.is_none() && self.flow.location(loc).atomic
    }

    fn follow(
        &self,
        mut work: Vec<(Inside, Vec<EdgeId>)>,
        moves: &mut Vec<Move>,
    ) -> Result<(), Fault> {
        let mut seen = FxHashSet::default();
        while let Some((inside, path)) = work.pop() {
            if !seen.insert(inside.clone()) {
                continue;
            }
            let Some((top, below)) = inside.frames.split_last() else { continue };
            if seen.len() > MOST_CONFIGURATIONS {
                return Err(self.fault(
                    self.flow.location(top.loc).span,
                    "this atomic section does not seem to end: more than 250,000 configurations \
                     were met inside of it",
                ));
            }
            for &edge in &self.flow.location(top.loc).edges {
                let mut outcomes = Vec::new();
                self.outcomes(&inside.shared, top, edge, &mut outcomes)?;
                for mut outcome in outcomes {
                    match (&inside.spawn, &outcome.spawn) {
                        (Some(_), Some(_)) => {
                            return Err(self.fault(
                                self.flow.edge(edge).span,
                                "an atomic section may start only one thread",
                            ));
                        }
                        (Some(_), None) => outcome.spawn.clone_from(&inside.spawn),
                        _ => {}
                    }
                    let mut path = path.clone();
                    path.push(edge);
                    self.advance(below, outcome, path, &mut work, moves);
                }
            }
        }
        Ok(())
    }

    /// Follows one outcome inside of a section: further inside, or out of it.
    fn advance(
        &self,
        below: &[Frame],
        outcome: Outcome,
        path: Vec<EdgeId>,
        work: &mut Vec<(Inside, Vec<EdgeId>)>,
        moves: &mut Vec<Move>,
    ) {
        let mut frames = below.to_vec();
        let wrong = outcome.shared.wrong.is_some();
        match outcome.control.clone() {
            Control::Goto(top) => frames.push(top),
            Control::Call { callee, caller } => frames.extend([caller, callee]),
            Control::Return => {}
        }
        let left = match frames.as_slice() {
            _ if wrong => true,
            [] => true,
            [only] => !self.flow.location(only.loc).atomic,
            _ => false,
        };
        if left {
            let control = match (frames.first(), wrong) {
                (Some(bottom), _) => Control::Goto(bottom.clone()),
                (None, _) => Control::Return,
            };
            moves.push(Move { outcome: Outcome { control, ..outcome }, path });
        } else {
            work.push((Inside { shared: outcome.shared, frames, spawn: outcome.spawn }, path));
        }
    }
}
