//! # What statements of a run did
//! Names and values of what each statement of an action read and wrote, and what a thread that cannot act looks at. In programs whose
//! statements are told in other words (see [`crate::telling`]), variables that nobody wrote have no names: values pass through them.

use selvedge_core::machine::{self, Frame, Shared};
use selvedge_core::{Area, Expr, Instruction, Kind, Place, Slot, Source, Target, Temp};
use selvedge_model::{Action, Awaited, Cell, Datum, Deed, SharedId, SymbolId, Touched, Word};

use super::Lowering;
use super::intern::Symbol;
use crate::flow::EdgeId;
use crate::program::element_of;
use crate::sync::WaitKind;
use crate::telling::Told;
use crate::{GlobalId, LocalId, Type, Value, Variable};

impl Lowering {
    /// What the statements of an action read and wrote, from a head.
    pub(super) fn deeds_of(&self, shared: SharedId, top: SymbolId, action: &Action) -> Vec<Deed> {
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
        let lengths = match &self.program.telling {
            Some(telling) => self.told_lengths(telling, &path),
            None => self.statement_lengths(&path),
        };
        for length in lengths {
            let (mine, others) = rest.split_at(length.min(rest.len()));
            rest = others;
            deeds.push(self.one_deed(mine));
        }
        deeds
    }

    /// The reads and writes of several edges of one statement, together.
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
            deed.order.extend(each.order);
            for write in each.writes {
                match deed.writes.iter_mut().find(|known| known.cell == write.cell) {
                    Some(known) => {
                        known.value = write.value;
                        known.from.extend(write.from);
                        known.is_settled &= write.is_settled;
                    }
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
        // What an edge chose when it read an open slot; it may have stored another value there since.
        let chosen = |slot: Slot| {
            let found = edge.chosen.iter().find(|(chosen, _)| *chosen == slot);
            found.map(|(_, value)| value.clone())
        };
        let shared = |slot: usize, read: Option<Value>| {
            let of = |shared: &Shared| shared.memory.get(&self.machine.shared, slot);
            let told = |number| Told::Shared(GlobalId(number));
            let (cell, variables) = (Cell::Shared(slot), &self.program.globals);
            let after = read.unwrap_or_else(|| of(after));
            self.touched(cell, (variables, &told), slot, of(before), after)
        };
        let level = frames.len().saturating_sub(1);
        let own = |slot: usize, read: Option<Value>| {
            let of = |frames: &[Frame]| {
                let frame = frames.get(level)?;
                Some(frame.memory.get(self.machine.layout_at(frame.loc)?, slot))
            };
            let proc = self.flow.location(frames.get(level)?.loc).proc;
            let before = of(frames)?;
            // What is forgotten after the step has no value then, but it had one until then.
            let kept = read.or_else(|| of(left).filter(|value| *value != Value::Open));
            let layout = self.machine.layout_at(frames.get(level)?.loc)?;
            let after = kept.unwrap_or_else(|| edge.own.get(layout, slot));
            let locals = &self.program.procs[proc.index()].locals;
            let told = |number| Told::Local(proc, LocalId(number));
            self.touched(Cell::Own { frame: level, slot }, (locals, &told), slot, before, after)
        };
        let is_chosen = |read: &Touched| read.before == Datum::Any;
        let shared_read = |slot| shared(slot, chosen(Slot::Global(slot)));
        let own_read = |slot| own(slot, chosen(Slot::Local(slot)));
        let mut reads: Vec<Touched> = touched.reads.iter().filter_map(shared_read).collect();
        reads.extend(touched.own_reads.iter().filter_map(own_read));
        for read in &mut reads {
            // Reading chooses a value where there was none; otherwise it was the one before.
            if !is_chosen(read) {
                read.value = read.before.clone();
            }
        }
        let cell = |area, slot| match area {
            Area::Shared => Some(Cell::Shared(slot)),
            Area::Frame => Some(Cell::Own { frame: level, slot }),
            Area::New | Area::Results => None,
        };
        let order = edge.reads.iter().filter_map(|&(area, slot)| cell(area, slot)).collect();
        let mut writes: Vec<Touched> =
            touched.writes.iter().filter_map(|slot| shared(slot, None)).collect();
        writes.extend(touched.own_writes.iter().filter_map(|slot| own(slot, None)));
        let code = &self.machine.code.edge(edge.edge).code;
        for write in &mut writes {
            let (area, slot) = match write.cell {
                Cell::Shared(slot) => (Area::Shared, slot),
                Cell::Own { slot, .. } => (Area::Frame, slot),
            };
            let sources = sources(code, area, slot);
            write.is_settled = sources.is_none();
            let is_source = |(area, slot): &(Area, usize)| {
                let mut places = sources.iter().flatten();
                places.any(|place| place.area == *area && place.slots().contains(slot))
            };
            let read = edge.reads.iter().filter(|at| is_source(at));
            write.from = read.filter_map(|&(area, slot)| cell(area, slot)).collect();
        }
        Deed { level, reads, order, writes }
    }

    /// A slot with its name and its values; nothing if there is no such slot.
    fn touched(
        &self,
        cell: Cell,
        (variables, told): (&[Variable], &dyn Fn(u32) -> Told),
        slot: usize,
        before: Value,
        after: Value,
    ) -> Option<Touched> {
        let Named { name, ty, is_address } = self.named_slot(variables, told, slot)?;
        let datum = |value: &Value| match &self.program.telling {
            Some(telling) if is_address => telling.address(value),
            _ => self.program.datum(ty, value),
        };
        let (before, value) = (datum(&before), datum(&after));
        Some(Touched { cell, name, before, value, from: Vec::new(), is_settled: false })
    }

    /// What a thread looks at where it cannot act: the shared variables that the statements there read.
    pub(super) fn awaited_at(&self, shared: SharedId, top: SymbolId) -> Vec<Awaited> {
        let Some(frame) = self.frame(top) else { return Vec::new() };
        let shared = self.shared_state(shared);
        let mut awaited = Vec::new();
        for (frame, edge) in self.first_edges(&frame) {
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
        if area != Area::Shared {
            return None;
        }
        let told = |number| Told::Shared(GlobalId(number));
        let named = self.named_slot(&self.program.globals, &told, slot)?;
        if named.name.is_empty() {
            return None;
        }
        let Some(counted) = self.wait_kind(slot) else {
            return Some(match named.ty {
                Type::Lock => Awaited::Lock(named.name),
                _ => Awaited::Variable(named.name),
            });
        };
        let name = counted_by(&named.name);
        // Who comes to a condition or a barrier cannot go on while others may leave it, who is there while none may.
        let others_leave = value.small() != Some(0);
        Some(match counted {
            WaitKind::Semaphore => Awaited::Semaphore(name),
            WaitKind::Channel => Awaited::Channel(name),
            WaitKind::Condition | WaitKind::Barrier if others_leave => Awaited::Leaving(name),
            WaitKind::Condition => Awaited::Condition(name),
            WaitKind::Barrier => Awaited::Barrier(name),
        })
    }

    /// A slot of some variables, as it is told.
    fn named_slot<'v>(
        &self,
        variables: &'v [Variable],
        told: &dyn Fn(u32) -> Told,
        slot: usize,
    ) -> Option<Named<'v>> {
        let (number, inside) = variable_at(variables, slot)?;
        let variable = &variables[number];
        let ty = variable.ty.scalar();
        let Some(telling) = &self.program.telling else {
            let name = element_name(self.written_name(variable), variable, inside);
            return Some(Named { name, ty, is_address: false });
        };
        let variable = (told(u32::try_from(number).ok()?), &*variable.name, &variable.ty);
        let (name, is_address) = telling.scalar(variable, inside).unwrap_or_default();
        Some(Named { name, ty, is_address })
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

/// A scalar with its name: empty if it is not told.
struct Named<'v> {
    name: String,
    ty: &'v Type,
    is_address: bool,
}

/// What a counter belongs to, as it was declared: `c` for `c.length`, `c[1]` for `c$called[1]`.
fn counted_by(counter: &str) -> String {
    let name = counter.strip_suffix(".length").unwrap_or(counter);
    ["$called", "$leaving"].iter().fold(name.to_owned(), |name, made| name.replacen(made, "", 1))
}

/// The places whose values go into a slot, if the code may store to it.
fn sources(code: &[Instruction], area: Area, slot: usize) -> Option<Vec<&Place>> {
    let mut sources = None;
    for instruction in code {
        let Instruction::Store { to, value, .. } = instruction else { continue };
        let to = match to {
            Target::Place(place) => Some(place),
            Target::Located(temp) => located(code, *temp),
        };
        if to.is_some_and(|to| to.area == area && to.slots().contains(&slot)) {
            let sources = sources.get_or_insert_with(Vec::new);
            if let Source::Value(value) = value {
                add_sources(code, value, sources);
            }
        }
    }
    sources
}

/// The place that an instruction finds for those after it.
fn located(code: &[Instruction], temp: Temp) -> Option<&Place> {
    code.iter().find_map(|instruction| match instruction {
        Instruction::Locate(found, place) if *found == temp => Some(place),
        _ => None,
    })
}

/// Adds the places whose values an expression has in it: no indices and no conditions.
fn add_sources<'c>(code: &'c [Instruction], expr: &'c Expr, sources: &mut Vec<&'c Place>) {
    match expr {
        Expr::Load(place) | Expr::Old(place) => sources.push(place),
        Expr::Temp(temp) => {
            sources.extend(located(code, *temp));
            for instruction in code {
                match instruction {
                    Instruction::Let(found, value) if found == temp => {
                        add_sources(code, value, sources);
                    }
                    _ => {}
                }
            }
        }
        Expr::Unary(_, a) => add_sources(code, a, sources),
        Expr::Binary(_, a, b, _) | Expr::Between(a, b, _) => {
            add_sources(code, a, sources);
            add_sources(code, b, sources);
        }
        Expr::If(parts) => {
            let [_, then, otherwise] = &**parts;
            add_sources(code, then, sources);
            add_sources(code, otherwise, sources);
        }
        Expr::OneOf(options, _) => {
            options.iter().for_each(|option| add_sources(code, option, sources));
        }
        Expr::Bool(_) | Expr::Int(_) | Expr::Me | Expr::Any(..) | Expr::Fair(_) => {}
    }
}

/// The variable that has a slot, and which of its own slots that is.
pub(super) fn variable_at(variables: &[Variable], slot: usize) -> Option<(usize, usize)> {
    let mut rest = slot;
    let number = variables.iter().position(|variable| {
        let slots = variable.ty.slots();
        let is_it = rest < slots;
        rest -= if is_it { 0 } else { slots };
        is_it
    })?;
    Some((number, rest))
}

/// The name of a slot of a variable: `a[2][0]` for an element.
fn element_name(name: &str, variable: &Variable, slot: usize) -> String {
    let (mut indices, mut ty, mut rest) = (Vec::new(), &variable.ty, slot);
    while let Type::Array { element, .. } = ty {
        let slots = element.slots().max(1);
        indices.push(rest / slots);
        rest %= slots;
        ty = element;
    }
    element_of(name, &indices)
}
