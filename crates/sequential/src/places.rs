//! # Where a thread can be
//! At a location of its procedure; or at its end. A thread that ends is mostly the same as one that
//! is about to: only if it ends inside of an atomic section, the end itself must be a place.

use selvedge_core::{Control, Loc};
use selvedge_evidence::relations::Space;

/// The end of a thread: no location, nothing to do.
pub const END: Loc = Loc(u32::MAX);

/// The place of each location in a walk through the program that sees what comes before first,
/// and a procedure before those that call it: a call goes on over a whole summary, not over one
/// piece of it after the other.
#[must_use]
pub fn ranks(space: &Space<'_>) -> Vec<u32> {
    let flow = space.lowering.code();
    let mut ranks = vec![0; flow.locations.len()];
    let mut next = 0;
    let mut seen = vec![false; flow.locations.len()];
    let leads_to = |loc: usize| -> Vec<usize> {
        let edges = flow.locations[loc].edges.iter().map(|&edge| flow.edge(edge));
        let stays = edges.filter(|edge| !(edge.control == Control::Return));
        stays.map(|edge| edge.to.index()).collect()
    };
    for proc in callees_first(space) {
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
fn callees_first(space: &Space<'_>) -> Vec<usize> {
    let flow = space.lowering.code();
    let count = flow.procs.len();
    let mut calls = vec![Vec::new(); count];
    for edge in &flow.edges {
        if let Control::Call(proc) = edge.control {
            calls[flow.location(edge.from).proc.index()].push(proc.index());
        }
    }
    last_to_first(0..count, |proc| calls[proc].clone(), &mut vec![false; count])
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
