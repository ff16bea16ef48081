//! # The order of variables
//!
//! **Question.** Which scalars should stand near to each other in the order?
//!
//! **Idea.** Those that one command speaks of. The heuristic FORCE (Aloul, Markov, Sakallah 2003):
//! every command pulls its scalars to their common centre, again and again, until the total
//! length of the commands shrinks no more.
//!
//! That is for locals. Shared variables come after them, the first one last: they have many copies,
//! and steps, calls and switches keep most of these as they are, at the bottom of the diagrams. Only
//! those that are assumed to be equal stand together: a program that was made from a concurrent one
//! has copies of its variables for each round, and guesses about them.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::machine::Becomes;
use selvedge_core::{Binary, Expr, Instruction, ProcId, Slot};
use selvedge_core::{Control, EdgeId};
use selvedge_model::Budget;
use selvedge_program::Lowering;

use super::Result;

/// How often the commands pull.
const MOST_PULLS: usize = 60;

/// All scalars of a program in the order in which their bits should stand. Shared ones come with
/// the procedure 0.
pub fn order(lowering: &Lowering, budget: &Budget) -> Result<Vec<(ProcId, Slot)>> {
    let scalars = all(lowering);
    let position: FxHashMap<_, _> = scalars.iter().enumerate().map(|(i, &s)| (s, i)).collect();
    let groups = groups(lowering, budget)?;
    let families = families(lowering)?;
    let groups: Vec<Vec<usize>> = groups
        .iter()
        .map(|group| group.iter().filter_map(|s| position.get(s).copied()).collect())
        .collect();
    let mut best = force(scalars.len(), &groups);
    best.sort_by_key(|&index| match scalars[index].1 {
        Slot::Global(slot) => (true, std::cmp::Reverse((families[slot], slot))),
        _ => (false, std::cmp::Reverse((0, 0))),
    });
    Ok(best.into_iter().map(|index| scalars[index]).collect())
}

fn all(lowering: &Lowering) -> Vec<(ProcId, Slot)> {
    let mut scalars: Vec<(ProcId, Slot)> = Vec::new();
    let none = ProcId(0);
    scalars.extend((0..lowering.code().shared.len()).map(|slot| (none, Slot::Global(slot))));
    for (index, declared) in lowering.program().procs.iter().enumerate() {
        let proc = ProcId(index as u32);
        let locals = lowering.code().proc(proc).frame.len();
        scalars.extend((0..locals).map(|slot| (proc, Slot::Local(slot))));
        scalars.extend((0..declared.results.len()).map(|slot| (proc, Slot::Result(slot))));
    }
    scalars
}

/// The scalars that each command speaks of.
fn groups(lowering: &Lowering, budget: &Budget) -> Result<Vec<Vec<(ProcId, Slot)>>> {
    let flow = lowering.code();
    let mut groups = FxHashSet::default();
    for (index, edge) in flow.edges.iter().enumerate() {
        budget.check()?;
        let proc = flow.location(edge.from).proc;
        let other = match edge.control {
            Control::Call(proc) => proc,
            Control::Receive(from) => from,
            _ => proc,
        };
        let mut group = Vec::new();
        for case in lowering.relation(EdgeId(index as u32), 1)? {
            let slots = case.reads.iter().chain(&case.writes).map(|(slot, _)| *slot);
            group.extend(slots.map(|slot| match slot {
                Slot::Global(_) => (ProcId(0), slot),
                Slot::Local(_) => (proc, slot),
                Slot::Result(_) => (other, slot),
            }));
            if let Becomes::Call(_) = case.effect {
                let params = lowering.code().proc(other).params;
                group.extend((0..params).map(|slot| (other, Slot::Local(slot))));
            }
        }
        group.sort_unstable();
        group.dedup();
        groups.insert(group);
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    Ok(groups)
}

/// For each slot of the shared variables, the first one of those that it is assumed to be equal to.
fn families(lowering: &Lowering) -> Result<Vec<usize>> {
    fn first(families: &[usize], mut slot: usize) -> usize {
        while families[slot] != slot {
            slot = families[slot];
        }
        slot
    }
    let mut families: Vec<usize> = (0..lowering.code().shared.len()).collect();
    for (index, edge) in lowering.code().edges.iter().enumerate() {
        // One edge is an assumption, two are a test.
        let is_test = lowering.code().location(edge.from).edges.len() > 1;
        let [Instruction::Assume(Expr::Binary(Binary::Eq, left, right, _))] = &edge.code[..] else {
            continue;
        };
        let (Expr::Load(_), Expr::Load(_), false) = (&**left, &**right, is_test) else { continue };
        let cases = lowering.relation(EdgeId(index as u32), 1)?;
        let mut slots: Vec<Slot> =
            cases.iter().flat_map(|case| case.reads.iter().map(|(slot, _)| *slot)).collect();
        slots.sort_unstable();
        slots.dedup();
        if let [Slot::Global(a), Slot::Global(b)] = slots[..] {
            let (a, b) = (first(&families, a), first(&families, b));
            families[a.max(b)] = a.min(b);
        }
    }
    Ok((0..families.len()).map(|slot| first(&families, slot)).collect())
}

/// The items in an order in which groups are short.
fn force(items: usize, groups: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    let mut best = (span(&order, groups), order.clone());
    for _ in 0..MOST_PULLS {
        let place = places(&order);
        let mut pulls = vec![(0.0, 0u32); items];
        for group in groups {
            let centre = group.iter().map(|&i| place[i] as f64).sum::<f64>() / group.len() as f64;
            for &item in group {
                pulls[item].0 += centre;
                pulls[item].1 += 1;
            }
        }
        let target = |item: usize| match pulls[item] {
            (_, 0) => place[item] as f64,
            (sum, count) => sum / f64::from(count),
        };
        order.sort_by(|&a, &b| target(a).total_cmp(&target(b)));
        let length = span(&order, groups);
        if length >= best.0 {
            break;
        }
        best = (length, order.clone());
    }
    best.1
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &item)| places[item] = place);
    places
}

fn span(order: &[usize], groups: &[Vec<usize>]) -> usize {
    let place = places(order);
    let length = |group: &Vec<usize>| {
        let places = || group.iter().map(|&item| place[item]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    groups.iter().map(length).sum()
}
