//! # Local places
//!
//! **Question.** Where does a thread stand whose next step concerns nobody else?
//!
//! **Idea.** The footprint of every edge that leaves the place touches the frame alone, and its code names nothing else. Of every circle of such places
//! one is left out, so that a step with all that [rides along](selvedge_model::Fused) has an end.

use std::collections::BTreeSet;

use selvedge_core::{Area, Code, Control, Edge, EdgeId, Instruction, Loc, Place, footprints};
use selvedge_model::{Local, Movers, PlaceId};

use super::Lowering;
use super::movers::movers;
use crate::flow::place;

impl Lowering {
    /// The places at which a thread is concerned with itself alone, none of them on a circle of others.
    #[must_use]
    pub fn local(&self) -> Local {
        let code = self.code();
        let local = local_locations(code);
        let first = self.entries.iter().chain(self.any_number.iter().map(|(_, frame)| frame));
        let mut movers = movers(code, &self.flow, first.map(|frame| frame.loc), &local);
        let places = local.iter().zip(0..).filter(|(is_local, _)| **is_local);
        let mut places: BTreeSet<PlaceId> = places.map(|(_, loc)| place(Loc(loc))).collect();
        let Movers { inside, releases, commits, .. } = &mut movers;
        let mut sets = [&mut places, inside, releases, commits];
        let rides = |loc| sets.iter().any(|set| set.contains(&place(Loc(loc))));
        let mut riding: Vec<bool> = (0..).map(rides).take(local.len()).collect();
        open_circles(code, &mut riding);
        for set in &mut sets {
            set.retain(|place| riding[place.0 as usize]);
        }
        Local { places, movers, ..Local::default() }
    }
}

/// For each location, whether all edges that leave it are local.
fn local_locations(code: &Code) -> Vec<bool> {
    let footprints = footprints(code);
    let is_local = |&id: &EdgeId| {
        let edge = code.edge(id);
        footprints[id.index()].is_local()
            && !names_others(&edge.code)
            && !goes_into_section(code, edge)
    };
    let locations = code.locations.iter();
    locations
        .map(|at| !at.atomic && !at.edges.is_empty() && at.edges.iter().all(is_local))
        .collect()
}

/// Whether an edge leads into an atomic section: what follows there belongs to the same step.
pub(super) fn goes_into_section(code: &Code, edge: &Edge) -> bool {
    let is_atomic = |loc: Loc| code.location(loc).atomic;
    match edge.control {
        Control::Goto => is_atomic(edge.to),
        Control::Call(proc) => is_atomic(edge.to) || is_atomic(code.proc(proc).entry),
        Control::Receive(_) => true,
        Control::Return => false,
    }
}

/// Takes one location out of every circle of local ones: where a walk comes back to. A call goes on after it; the
/// procedure that it calls has circles of its own, and calls within calls end a fused step anyway.
fn open_circles(code: &Code, local: &mut [bool]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; local.len()];
    let next = |loc: Loc, at: usize| -> Option<Option<Loc>> {
        let edge = code.edge(*code.location(loc).edges.get(at)?);
        Some((edge.control != Control::Return).then_some(edge.to))
    };
    for root in (0..).map(Loc).take(local.len()) {
        if !local[root.index()] || marks[root.index()] != Mark::New {
            continue;
        }
        marks[root.index()] = Mark::Open;
        let mut path = vec![(root, 0)];
        while let Some((loc, at)) = path.last_mut() {
            let (from, edge) = (*loc, *at);
            *at += 1;
            match next(from, edge) {
                None => {
                    marks[from.index()] = Mark::Done;
                    path.pop();
                }
                Some(Some(to)) if local[to.index()] => match marks[to.index()] {
                    Mark::New => {
                        marks[to.index()] = Mark::Open;
                        path.push((to, 0));
                    }
                    Mark::Open => local[to.index()] = false,
                    Mark::Done => {}
                },
                Some(_) => {}
            }
        }
    }
}

/// Whether code names a shared slot, or a result on its way, be it where it is never evaluated: what can be seen from the text
/// alone needs no argument.
fn names_others(code: &[Instruction]) -> bool {
    let mut names = false;
    let mut see = |place: &Place| names |= matches!(place.area, Area::Shared | Area::Results);
    code.iter().for_each(|instruction| instruction.each_place(&mut see));
    names
}
