//! # Where a thread can be
//! At a location of its procedure; or at its end. A thread that ends is mostly the same as one that
//! is about to: only if it ends inside of an atomic section, the end itself must be a place.

use selvedge_program::ProcId;
use selvedge_program::flow::{Command, EdgeId, Loc};

use crate::space::{Local, Scalar, Space};
use selvedge_bdd::Var;

/// The end of a thread: no location, nothing to do.
pub const END: Loc = Loc(u32::MAX);

impl Space<'_> {
    /// The edges that leave a place.
    #[must_use]
    pub fn edges_at(&self, loc: Loc) -> &[EdgeId] {
        self.lowering.flow().locations.get(loc.index()).map_or(&[], |location| &location.edges)
    }

    /// Whether a place is inside of an atomic section.
    #[must_use]
    pub fn is_atomic(&self, loc: Loc) -> bool {
        self.lowering.flow().locations.get(loc.index()).is_some_and(|location| location.atomic)
    }

    /// The procedure of a place; none at the end.
    #[must_use]
    pub fn proc_at(&self, loc: Loc) -> Option<ProcId> {
        self.lowering.flow().locations.get(loc.index()).map(|location| location.proc)
    }

    /// The procedure whose results are received at a place.
    #[must_use]
    pub fn received_at(&self, loc: Loc) -> Option<ProcId> {
        let flow = self.lowering.flow();
        self.edges_at(loc).iter().find_map(|&edge| match flow.edge(edge).command {
            Command::Receive { from, .. } => Some(from),
            _ => None,
        })
    }

    /// The locals that may still be read at a place.
    #[must_use]
    pub fn live_at(&self, loc: Loc) -> Vec<Scalar> {
        let Some(proc) = self.proc_at(loc) else { return Vec::new() };
        let slots = self.lowering.live_slots(loc).into_iter();
        slots.map(|slot| Scalar::Local(proc, slot, Local::Now)).collect()
    }

    /// The variables of locals that are never read from a place on.
    #[must_use]
    pub fn dead_at(&self, loc: Loc) -> Vec<Var> {
        let Some(proc) = self.proc_at(loc) else { return Vec::new() };
        let live = self.lowering.live_slots(loc);
        let all = 0..self.lowering.local_types(proc).len();
        let dead = all.filter(|slot| !live.contains(slot));
        dead.flat_map(|slot| self.scalar(Scalar::Local(proc, slot, Local::Now))).collect()
    }

    /// The place of each location in a walk through its procedure that sees what comes before
    /// first.
    #[must_use]
    pub fn ranks(&self) -> Vec<u32> {
        let flow = self.lowering.flow();
        let mut order = Vec::new();
        let mut seen = vec![false; flow.locations.len()];
        for &entry in &flow.entries {
            // Depth first; a location is done when all its edges are.
            let mut path = vec![(entry, 0)];
            seen[entry.index()] = true;
            while let Some((loc, next)) = path.last_mut() {
                match flow.location(*loc).edges.get(*next) {
                    Some(&edge) => {
                        *next += 1;
                        let to = flow.edge(edge).to;
                        let leaves = matches!(flow.edge(edge).command, Command::Return(_));
                        if !leaves && !std::mem::replace(&mut seen[to.index()], true) {
                            path.push((to, 0));
                        }
                    }
                    None => {
                        order.push(*loc);
                        path.pop();
                    }
                }
            }
        }
        let mut ranks = vec![0; flow.locations.len()];
        for (rank, loc) in order.into_iter().rev().enumerate() {
            ranks[loc.index()] = rank as u32;
        }
        ranks
    }
}
