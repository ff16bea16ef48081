//! # Local places
//!
//! **Question.** Where does a thread stand whose next step concerns nobody else?
//!
//! **Idea.** The footprint of every edge that leaves the place touches the frame alone, and its code names nothing else. Of every circle of such places
//! one is left out, so that a step with all that [rides along](selvedge_model::Fused) has an end.

use selvedge_core::{
    Area, Code, Control, EdgeId, Expr, Instruction, Loc, Place, Source, Target, footprints,
};
use selvedge_model::Local;

use super::Lowering;
use crate::flow::place;

impl Lowering {
    /// The places at which a thread is concerned with itself alone, none of them on a circle of others.
    #[must_use]
    pub fn local(&self) -> Local {
        let code = self.code();
        let mut local = local_locations(code);
        open_circles(code, &mut local);
        let places = local.iter().zip(0..).filter(|(is_local, _)| **is_local);
        Local { places: places.map(|(_, loc)| place(Loc(loc))).collect(), ..Local::default() }
    }
}

/// For each location, whether all edges that leave it are local.
fn local_locations(code: &Code) -> Vec<bool> {
    let footprints = footprints(code);
    let is_atomic = |loc: Loc| code.location(loc).atomic;
    let is_local = |&id: &EdgeId| {
        let edge = code.edge(id);
        // What follows within an atomic section belongs to the same step.
        let goes_into_section = match edge.control {
            Control::Goto => is_atomic(edge.to),
            Control::Call(proc) => is_atomic(edge.to) || is_atomic(code.proc(proc).entry),
            Control::Receive(_) => true,
            Control::Return => false,
        };
        footprints[id.index()].is_local() && !names_others(&edge.code) && !goes_into_section
    };
    let locations = code.locations.iter();
    locations
        .map(|at| !at.atomic && !at.edges.is_empty() && at.edges.iter().all(is_local))
        .collect()
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
    for instruction in code {
        let mut see = |place: &Place| names |= matches!(place.area, Area::Shared | Area::Results);
        match instruction {
            Instruction::Assume(value)
            | Instruction::Check(value, _)
            | Instruction::Let(_, value) => each_place(value, &mut see),
            Instruction::Locate(_, place) => each_place_of(place, &mut see),
            Instruction::Store { to, value, when } => {
                if let Target::Place(place) = to {
                    each_place_of(place, &mut see);
                }
                if let Source::Value(value) = value {
                    each_place(value, &mut see);
                }
                when.iter().for_each(|when| each_place(when, &mut see));
            }
            // Whom these concern is a matter of footprints.
            _ => {}
        }
    }
    names
}

fn each_place_of(place: &Place, see: &mut dyn FnMut(&Place)) {
    see(place);
    place.indices.iter().for_each(|index| each_place(&index.value, see));
}

fn each_place(value: &Expr, see: &mut dyn FnMut(&Place)) {
    match value {
        Expr::Load(place) | Expr::Old(place) => each_place_of(place, see),
        Expr::Unary(_, value) => each_place(value, see),
        Expr::Binary(_, left, right, _) | Expr::Between(left, right, _) => {
            each_place(left, see);
            each_place(right, see);
        }
        Expr::If(parts) => parts.iter().for_each(|part| each_place(part, see)),
        Expr::OneOf(values, _) => values.iter().for_each(|value| each_place(value, see)),
        Expr::Bool(_) | Expr::Int(_) | Expr::Temp(_) | Expr::Me | Expr::Any(..) | Expr::Fair(_) => {
        }
    }
}
