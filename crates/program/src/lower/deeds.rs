//! # What statements of a run did
//! Names and values of what each statement of an action read and wrote, and what a thread that cannot act looks at. Programs whose
//! statements are told in other words (see [`crate::telling`]) say nothing: their variables are not those of the text.

use selvedge_core::machine::{self, Frame, Shared};
use selvedge_core::{Area, Kind};
use selvedge_model::{Action, Awaited, Cell, Datum, Deed, SharedId, SymbolId, Touched, Word};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::EdgeId;
use crate::{Type, Value, Variable};

impl Lowering {
    /// What the statements of an action did from a head.
    pub(super) fn deeds_of(&self, shared: SharedId, top: SymbolId, action: &Action) -> Vec<Deed> {
        if self.program.telling.is_some() {
            return Vec::new();
        }
        // The end of a thread concerns no variable.
        let Some(frame) = self.frame(top) else { return vec![Deed::default()] };
        let path = self.executed(action.origin).path;
        let before = self.shared_state(shared);
        let last = self.shared_state(action.shared);
        let frames: Option<Vec<Frame>> = match action.word {
            Word::Pop => Some(Vec::new()),
            Word::Rewrite(top) => self.frame(top).map(|top| vec![top]),
            Word::Push { top, under } => {
                self.frame(under).zip(self.frame(top)).map(|(u, t)| vec![u, t])
            }
        };
        let is_end = |shared: &Shared, at: &[Frame]| {
            *shared == last && (last.wrong.is_some() || frames.as_deref() == Some(at))
        };
        let Some(done) = self.machine.retrace(&before, &frame, &path, &is_end) else {
            return Vec::new();
        };
        let mut rest = done.as_slice();
        let mut deeds = Vec::new();
        for length in self.statement_lengths(&path) {
            let (mine, others) = rest.split_at(length.min(rest.len()));
            rest = others;
            deeds.push(self.one_deed(mine));
        }
        deeds
    }

    /// What the edges of one statement did, as one.
    fn one_deed(&self, edges: &[machine::Deed]) -> Deed {
        let level = edges.first().map_or(0, |first| first.before.1.len().saturating_sub(1));
        let mut deed = Deed { level, ..Deed::default() };
        for edge in edges {
            let each = self.each_touched(edge);
            let is_new = |read: &Touched| {
                !deed.reads.iter().chain(&deed.writes).any(|known| known.cell == read.cell)
            };
            let reads: Vec<Touched> = each.reads.into_iter().filter(is_new).collect();
            deed.reads.extend(reads);
            for write in each.writes {
                match deed.writes.iter_mut().find(|known| known.cell == write.cell) {
                    Some(known) => known.value = write.value,
                    None => deed.writes.push(write),
                }
            }
        }
        deed
    }

    /// Names the cells that one edge read and wrote, with their values.
    fn each_touched(&self, edge: &machine::Deed) -> Deed {
        let touched = &edge.touched;
        let ((before, frames), (after, left)) = (&edge.before, &edge.after);
        let shared = |slot: usize| {
            let of = |shared: &Shared| shared.memory.get(&self.machine.shared, slot);
            self.touched(Cell::Shared(slot), &self.program.globals, slot, of(before), of(after))
        };
        let level = frames.len().saturating_sub(1);
        let own = |slot: usize| {
            let of = |frames: &[Frame]| {
                let frame = frames.get(level)?;
                Some(frame.memory.get(self.machine.layout_at(frame.loc)?, slot))
            };
            let proc = self.flow.location(frames.get(level)?.loc).proc;
            let before = of(frames)?;
            // What is forgotten after the step has no value then, and one that is only read keeps its own.
            let after = of(left).filter(|value| *value != Value::Open);
            let after = after.unwrap_or_else(|| before.clone());
            let locals = &self.program.procs[proc.index()].locals;
            self.touched(Cell::Own { frame: level, slot }, locals, slot, before, after)
        };
        let is_chosen = |read: &Touched| read.before == Datum::Any;
        let mut reads: Vec<Touched> = touched.reads.iter().filter_map(shared).collect();
        reads.extend(touched.own_reads.iter().filter_map(own));
        for read in &mut reads {
            // Reading chooses a value where there was none; otherwise it was the one before.
            if !is_chosen(read) {
                read.value = read.before.clone();
            }
        }
        let mut writes: Vec<Touched> = touched.writes.iter().filter_map(shared).collect();
        writes.extend(touched.own_writes.iter().filter_map(own));
        Deed { level, reads, writes }
    }

    /// A slot with its name and its values; nothing if there is no such slot.
    fn touched(
        &self,
        cell: Cell,
        variables: &[Variable],
        slot: usize,
        before: Value,
        after: Value,
    ) -> Option<Touched> {
        let (name, ty) = name_of(variables, slot)?;
        let datum = |value: &Value| self.program.datum(ty, value);
        Some(Touched { cell, name, before: datum(&before), value: datum(&after) })
    }

    /// What a thread looks at where it cannot act: the shared variables that the statements there read.
    pub(super) fn awaited_at(&self, shared: SharedId, top: SymbolId) -> Vec<Awaited> {
        let (None, Some(frame)) = (&self.program.telling, self.frame(top)) else {
            return Vec::new();
        };
        let shared = self.shared_state(shared);
        let mut awaited = Vec::new();
        for &edge in &self.flow.location(frame.loc).edges {
            let Ok(touched) = self.machine.touched(&shared, &frame, edge) else { continue };
            let seen = touched.reads.iter().map(|slot| (Area::Shared, slot));
            let own = touched.own_reads.iter().map(|slot| (Area::Frame, slot));
            for (area, slot) in seen.chain(own) {
                awaited.extend(self.awaited_in(&shared, &frame, edge, area, slot));
            }
        }
        awaited.dedup();
        awaited
    }

    fn awaited_in(
        &self,
        shared: &Shared,
        frame: &Frame,
        edge: EdgeId,
        area: Area,
        slot: usize,
    ) -> Option<Awaited> {
        let joins = matches!(self.flow.edge(edge).command, crate::flow::Command::Join(_));
        let proc = self.flow.location(frame.loc).proc;
        let (kind, value) = match area {
            Area::Shared => (
                &self.machine.code.shared.get(slot)?.kind,
                shared.memory.get(&self.machine.shared, slot),
            ),
            _ => (
                &self.machine.code.proc(proc).frame.get(slot)?.kind,
                frame.memory.get(self.machine.layout_at(frame.loc)?, slot),
            ),
        };
        if joins && *kind == Kind::Thread {
            let id = u32::try_from(value.small()?).ok()?;
            return (id > 0).then_some(Awaited::Thread(id));
        }
        let (name, _) = name_of(&self.program.globals, slot).filter(|_| area == Area::Shared)?;
        Some(Awaited::Variable(name))
    }

    /// The shared variables that are locks.
    pub(super) fn lock_names(&self) -> Vec<String> {
        let is_lock = |variable: &&Variable| *variable.ty.scalar() == Type::Lock;
        self.program.globals.iter().filter(is_lock).map(|lock| lock.name.clone()).collect()
    }

    /// The number of the thread whose stack this symbol is at the bottom of.
    pub(super) fn number_at(&self, bottom: SymbolId) -> Option<u32> {
        match self.symbol(bottom) {
            Symbol::Bottom { id, .. } if id > 0 => Some(id),
            _ => None,
        }
    }
}

/// The name of a slot, `a[2][0]` for an element, and the type of what it holds.
fn name_of(variables: &[Variable], slot: usize) -> Option<(String, &Type)> {
    let mut rest = slot;
    let variable = variables.iter().find(|variable| {
        let slots = variable.ty.slots();
        let is_it = rest < slots;
        rest -= if is_it { 0 } else { slots };
        is_it
    })?;
    let mut indices = Vec::new();
    let mut ty = &variable.ty;
    while let Type::Array { element, .. } = ty {
        let slots = element.slots().max(1);
        indices.push(rest / slots);
        rest %= slots;
        ty = element;
    }
    Some((variable.element_name(&indices), ty))
}
