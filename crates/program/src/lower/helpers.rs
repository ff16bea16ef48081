//! # Who could end a wait
//!
//! **Question.** A thread waits until a counter changes: for a message, for room, for a call, for a semaphore. Which of the others could still
//! change it as it needs it?
//!
//! **Idea.** From the frames of another thread, every edge that the flow graph leads to may be taken later. An edge that stores `c + 1` can only
//! make `c` larger, one that stores a number makes it that number. Whether that would do is what the statement says that waits: it is tried with
//! the counter changed so, and all else as it is. Counters are changed by the statements made for them only ([`crate::Program::waited_for`]), so
//! that `c` in `c + 1` is the counter itself.
//!
//! **Claim.** If no edge is found, the thread can never end the wait, by whatever steps. The other way round nothing is promised: an edge that
//! the graph leads to may never be taken.

use std::collections::BTreeSet;

use selvedge_core::machine::{Frame, Shared};
use selvedge_core::{
    Area, Binary, Control, EdgeId, Expr, Instruction, Loc, Place, Source, Target, Temp, Value,
};
use selvedge_model::{SharedId, SymbolId};

use super::Lowering;
use super::deeds::variable_at;
use crate::GlobalId;
use crate::sync::WaitKind;

/// The most that is added to a counter in one step: more than a channel holds.
const MOST_ADDED: i64 = 128;

/// The direction in which a store changes a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Up,
    Down,
    To(i64),
    Anyhow,
}

impl Lowering {
    /// Whether a thread with these frames, the top first, may later change a counter as a thread with that frame on top needs it.
    pub(super) fn may_end_wait_of(
        &self,
        shared: SharedId,
        top: SymbolId,
        others: &[SymbolId],
    ) -> bool {
        let Some(frame) = self.frame(top) else { return false };
        let shared = self.shared_state(shared);
        let mut awaited = BTreeSet::new();
        for (frame, edge) in self.first_edges(&frame) {
            let Ok(touched) = self.machine.touched(&shared, &frame, edge) else { return true };
            awaited.extend(touched.reads.iter().filter(|&slot| self.wait_kind(slot).is_some()));
        }
        let starts = others.iter().filter_map(|&other| self.frame(other)).map(|other| other.loc);
        let later = self.later(starts.collect());
        let stores: Vec<_> = later.iter().flat_map(|&loc| self.stores_at(loc)).collect();
        awaited.into_iter().any(|slot| {
            let mut changes = stores.iter().filter(|(place, _)| place.slots().contains(&slot));
            changes.any(|&(_, change)| self.would_do(&shared, &frame, slot, change))
        })
    }

    /// The edges that a thread looks at first: those where it stands and, if they do nothing but begin an atomic section, those inside.
    pub(super) fn first_edges(&self, frame: &Frame) -> Vec<(Frame, EdgeId)> {
        let code = &self.machine.code;
        let mut first = Vec::new();
        let mut seen = BTreeSet::from([frame.loc]);
        let mut open = vec![frame.loc];
        while let Some(loc) = open.pop() {
            for &id in &code.location(loc).edges {
                let edge = code.edge(id);
                first.push((Frame { loc, ..frame.clone() }, id));
                let does_nothing = edge.code.is_empty() && edge.control == Control::Goto;
                if does_nothing && code.location(edge.to).atomic && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        first
    }

    /// The kind of waiting that a shared slot counts for, if it does.
    pub(super) fn wait_kind(&self, slot: usize) -> Option<WaitKind> {
        let (number, _) = variable_at(&self.program.globals, slot)?;
        let id = GlobalId(u32::try_from(number).ok()?);
        self.program.waited_for.get(&id).copied()
    }

    /// All places that threads which stand at some may get to, and those whom they start.
    fn later(&self, mut open: Vec<Loc>) -> BTreeSet<Loc> {
        let code = &self.machine.code;
        let mut seen: BTreeSet<Loc> = open.iter().copied().collect();
        while let Some(loc) = open.pop() {
            for &edge in &code.location(loc).edges {
                let edge = code.edge(edge);
                let mut next = Vec::new();
                if edge.control != Control::Return {
                    next.push(edge.to);
                }
                for instruction in &edge.code {
                    match instruction {
                        Instruction::Frame { proc, .. } => next.push(code.proc(*proc).entry),
                        Instruction::Fork { at, .. } => next.push(*at),
                        _ => {}
                    }
                }
                open.extend(next.into_iter().filter(|&loc| seen.insert(loc)));
            }
        }
        seen
    }

    /// The shared slots that edges at a place store to, and how each store changes them.
    fn stores_at(&self, loc: Loc) -> Vec<(&Place, Change)> {
        let code = &self.machine.code;
        let edges = code.location(loc).edges.iter().map(|&edge| &code.edge(edge).code);
        let mut stores = Vec::new();
        for code in edges {
            for instruction in code {
                let Instruction::Store { to, value, .. } = instruction else { continue };
                let place = match to {
                    Target::Place(place) => Some(place),
                    Target::Located(temp) => located(code, *temp),
                };
                let change = match value {
                    Source::Value(value) => change(code, value),
                    Source::Any | Source::Result(..) => Change::Anyhow,
                };
                let shared = place.filter(|place| place.area == Area::Shared);
                stores.extend(shared.map(|place| (place, change)));
            }
        }
        stores
    }

    /// Whether a thread that waits could go on after a counter was changed so.
    fn would_do(&self, shared: &Shared, frame: &Frame, slot: usize, change: Change) -> bool {
        let value = shared.memory.get(&self.machine.shared, slot);
        let Some(now) = value.small() else { return true };
        let values = match change {
            Change::Up => now + 1..=now.saturating_add(MOST_ADDED),
            Change::Down => 0..=now - 1,
            Change::To(number) => number..=number,
            Change::Anyhow => return true,
        };
        let kind = &self.machine.code.shared[slot].kind;
        let goes_on = |number: i64| {
            let value = Value::Small(number);
            let mut changed = shared.clone();
            changed.memory.set(&self.machine.shared, slot, &value);
            self.machine.moves(&changed, frame).is_ok_and(|moves| !moves.is_empty())
        };
        values.into_iter().filter(|&n| kind.holds(&Value::Small(n))).any(goes_on)
    }
}

/// The place that an instruction found before.
fn located(code: &[Instruction], temp: Temp) -> Option<&Place> {
    code.iter().find_map(|instruction| match instruction {
        Instruction::Locate(found, place) if *found == temp => Some(place),
        _ => None,
    })
}

/// The change from the value before to the value that is stored.
fn change(code: &[Instruction], value: &Expr) -> Change {
    let computed = |temp: Temp| {
        code.iter().find_map(|instruction| match instruction {
            Instruction::Let(found, value) if *found == temp => Some(value),
            _ => None,
        })
    };
    match value {
        Expr::Int(number) => number.small().map_or(Change::Anyhow, Change::To),
        Expr::Temp(temp) => computed(*temp).map_or(Change::Anyhow, |value| change(code, value)),
        Expr::Binary(sign, of, by, _) if matches!(**of, Expr::Load(_) | Expr::Temp(_)) => {
            match (sign, &**by) {
                (Binary::Add, Expr::Int(by)) if by.small().is_some_and(|by| by > 0) => Change::Up,
                (Binary::Sub, Expr::Int(by)) if by.small().is_some_and(|by| by > 0) => Change::Down,
                _ => Change::Anyhow,
            }
        }
        _ => Change::Anyhow,
    }
}
