//! # Places
//! What is known of a location of a program: its edges, its procedure, which locals have values that matter.

use selvedge_bdd::Var;
use selvedge_core::{Control, EdgeId, Loc, ProcId};

use super::space::{Local, Scalar, Space};

impl Space<'_> {
    /// The edges that leave a place.
    #[must_use]
    pub fn edges_at(&self, loc: Loc) -> &[EdgeId] {
        self.lowering.code().locations.get(loc.index()).map_or(&[], |location| &location.edges)
    }

    /// Whether a place is inside of an atomic section.
    #[must_use]
    pub fn is_atomic(&self, loc: Loc) -> bool {
        self.lowering.code().locations.get(loc.index()).is_some_and(|location| location.atomic)
    }

    /// The procedure of a place; none at the end.
    #[must_use]
    pub fn proc_at(&self, loc: Loc) -> Option<ProcId> {
        self.lowering.code().locations.get(loc.index()).map(|location| location.proc)
    }

    /// The procedure whose results are received at a place.
    #[must_use]
    pub fn received_at(&self, loc: Loc) -> Option<ProcId> {
        let flow = self.lowering.code();
        self.edges_at(loc).iter().find_map(|&edge| match flow.edge(edge).control {
            Control::Receive(from) => Some(from),
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
        let all = 0..self.lowering.code().proc(proc).frame.len();
        let dead = all.filter(|slot| !live.contains(slot));
        dead.flat_map(|slot| self.scalar(Scalar::Local(proc, slot, Local::Now))).collect()
    }
}
