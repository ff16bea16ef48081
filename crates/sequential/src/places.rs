//! # Where a thread can be
//! At a location of its procedure; or at its end. A thread that ends is mostly the same as one that
//! is about to: only if it ends inside of an atomic section, the end itself must be a place.

use selvedge_core::{Control, EdgeId, Loc};
use selvedge_program::ProcId;

use crate::space::{Local, Scalar, Space};
use selvedge_bdd::Var;

/// The end of a thread: no location, nothing to do.
pub const END: Loc = Loc(u32::MAX);

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

    /// The place of each location in a walk through the program that sees what comes before first,
    /// and a procedure before those that call it: a call goes on over a whole summary, not over one
    /// piece of it after the other.
    #[must_use]
    pub fn ranks(&self) -> Vec<u32> {
        let flow = self.lowering.code();
        let mut ranks = vec![0; flow.locations.len()];
        let mut next = 0;
        let mut seen = vec![false; flow.locations.len()];
        let leads_to = |loc: usize| -> Vec<usize> {
            let edges = flow.locations[loc].edges.iter().map(|&edge| flow.edge(edge));
            let stays = edges.filter(|edge| !(edge.control == Control::Return));
            stays.map(|edge| edge.to.index()).collect()
        };
        for proc in self.callees_first() {
            let walk = last_to_first([flow.procs[proc].entry.index()], leads_to, &mut seen);
            for loc in walk.into_iter().rev() {
                ranks[loc] = next;
                next += 1;
            }
        }
        ranks
    }

    /// All procedures, those that are called before those that call them, as far as there is no
    /// recursion.
    fn callees_first(&self) -> Vec<usize> {
        let flow = self.lowering.code();
        let count = flow.procs.len();
        let mut calls = vec![Vec::new(); count];
        for edge in &flow.edges {
            if let Control::Call(proc) = edge.control {
                calls[flow.location(edge.from).proc.index()].push(proc.index());
            }
        }
        last_to_first(0..count, |proc| calls[proc].clone(), &mut vec![false; count])
    }
}

/// All nodes of a graph that can be reached from some and were not seen before, depth first: a node
/// comes after those that it leads to, but for cycles.
fn last_to_first(
    starts: impl IntoIterator<Item = usize>,
    leads_to: impl Fn(usize) -> Vec<usize>,
    seen: &mut [bool],
) -> Vec<usize> {
    let mut order = Vec::new();
    for start in starts {
        let mut path = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(node) = enter.take()
                && !std::mem::replace(&mut seen[node], true)
            {
                path.push((node, leads_to(node).into_iter()));
            }
            let Some((_, next)) = path.last_mut() else { break };
            enter = next.next();
            if enter.is_none() {
                order.extend(path.pop().map(|(node, _)| node));
            }
        }
    }
    order
}
