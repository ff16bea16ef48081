//! # Objects as variables
//! Room for an object, or for a pool of them: one variable for each scalar, with an address, and with the values that initialisers give.

use std::sync::Arc;

use num_bigint::BigInt;
use selvedge_program::telling::{Manner, Told};
use selvedge_program::{Span, Type, Value, VarRef};

use super::memory::{Leaf, Shapes, Stored, add_global, variable_type};
use super::points::Target;
use super::{Lower, arithmetic, function_address, memory};
use crate::c::typed::*;
use crate::c::types::Type as CType;

/// The number of bytes between objects.
const GAP: u64 = 0x1_0000;

impl<'u> Lower<'u> {
    /// Room for something, with an address that nothing else has.
    pub(super) fn address(&mut self, size: u64) -> u64 {
        let base = self.next_address;
        self.next_address = base.saturating_add(self.apart(size, 1));
        base
    }

    /// The distance from one object to the next: far enough that a little beyond the end of one lies in no other.
    fn apart(&self, size: u64, objects: u64) -> u64 {
        /// Addresses above this are given with less between them, so that 32 bits are enough.
        const MOST: u64 = 0x6000_0000;
        let gap = match self.next_address.saturating_add(objects.saturating_mul(size + GAP)) {
            0..MOST => GAP,
            _ => 1,
        };
        size.saturating_add(gap).next_multiple_of(16)
    }

    /// The variables of what a pointer points to; nothing if it is a function or cannot be stored.
    pub(super) fn stored(&mut self, target: Target) -> Option<Arc<Stored>> {
        if let Some(stored) = self.stored.get(&target) {
            return Some(stored.clone());
        }
        let stored = match target {
            Target::Object(id) => self.store_object(id)?,
            Target::Local(function, local) => {
                let function_name = &self.unit.functions[function.index()].name;
                let declared = &self.unit.functions[function.index()].locals[local.index()];
                let is_compared = self.stale.compared.contains(&target);
                let is_kept =
                    is_compared || self.options.memory && self.points.outlives(target, function);
                let pool = match self.single.contains(&function) {
                    false => Some(self.options.heap),
                    // A mark says whether it is there; another place shows who points to the old one.
                    true if (is_compared || self.options.memory) && function_name != "main" => {
                        Some(if is_kept { 2 } else { 1 })
                    }
                    true => None,
                };
                let mut stored =
                    self.store_new(&declared.name, &declared.ty, pool, declared.span)?;
                if is_kept {
                    self.note_freed(&mut stored, &declared.name, is_compared, declared.span);
                }
                stored
            }
            Target::Heap(site) => {
                let mut stored = self.store_heap(site)?;
                let is_compared = self.stale.compared.contains(&target);
                if is_compared || self.options.memory && self.points.freed.contains(&target) {
                    self.note_freed(&mut stored, "heap", is_compared, site);
                }
                stored
            }
            Target::Function(_) | Target::Choice(_) => return None,
        };
        if let (Target::Local(..), Some(telling)) = (target, &mut self.program.telling) {
            let globals = stored.leaves.iter().filter_map(|(_, var)| match var {
                VarRef::Global(global) => Some(*global),
                VarRef::Local(_) => None,
            });
            telling.on_stack.extend(globals);
        }
        if !self.quiet.contains(&target) {
            let globals = stored.leaves.iter().filter_map(|(_, var)| match var {
                VarRef::Global(global) => Some(*global),
                VarRef::Local(_) => None,
            });
            self.watched.extend(globals);
        }
        let stored = Arc::new(stored);
        self.stored.insert(target, stored.clone());
        Some(stored)
    }

    /// Keeps in mind which objects of a pool were given back, and whether somebody sees where the next one is made.
    fn note_freed(&mut self, stored: &mut Stored, name: &str, any: bool, span: Span) {
        let Some(pool) = &mut stored.pool else { return };
        let marks = Type::Array { element: Box::new(Type::Bool), length: pool.objects };
        let freed = self.global(&format!("{name}.freed"), marks, &Value::FALSE, span);
        self.tell(Told::Shared(freed), Manner::Hidden);
        pool.freed = Some(freed);
        pool.any = any;
    }

    /// New variables for an object, or for a pool of objects.
    pub(super) fn store_new(
        &mut self,
        name: &str,
        ty: &CType,
        pool: Option<u32>,
        span: Span,
    ) -> Option<Stored> {
        self.store_in(name, ty, None, pool.map(|objects| (objects, None)), false, span)
    }

    /// The scalars of an object of its size or a larger one; the reason if it has none.
    pub(super) fn leaves_in(&self, ty: &CType, bytes: Option<u64>) -> Result<Vec<Leaf>, String> {
        let trailing = bytes.map_or(0, |bytes| self.shapes.types.trailing(ty, bytes));
        let shapes = Shapes { floats: self.options.races, trailing, ..self.shapes };
        shapes.leaves(ty)
    }

    /// New variables for an object, of its size or a larger one, or for so many, with the marks of those that are there.
    pub(super) fn store_in(
        &mut self,
        name: &str,
        ty: &CType,
        bytes: Option<u64>,
        pool: Option<(u32, Option<selvedge_program::GlobalId>)>,
        on_heap: bool,
        span: Span,
    ) -> Option<Stored> {
        let mut leaves = match self.leaves_in(ty, bytes) {
            Ok(leaves) => leaves,
            Err(reason) => {
                self.refused.insert(span, reason);
                return None;
            }
        };
        let size = bytes.or(self.shapes.types.size(ty)).unwrap_or(1).max(1);
        let pool = pool.map(|(objects, marks)| {
            let stride = self.apart(size, u64::from(objects));
            for leaf in &mut leaves {
                leaf.dimensions.insert(0, memory::Dimension { length: objects, stride });
            }
            let used = marks.unwrap_or_else(|| {
                let marks = Type::Array { element: Box::new(Type::Bool), length: objects };
                self.global(&format!("{name}.used"), marks, &Value::FALSE, span)
            });
            memory::Pool { objects, stride, used, freed: None, any: false }
        });
        let whole = pool.map_or(size, |pool| u64::from(pool.objects) * pool.stride);
        let base = self.address(whole);
        let leaves = leaves.into_iter().map(|leaf| {
            let first = match leaf.ty {
                Type::Lock | Type::ThreadId => Value::Small(0),
                _ => Value::Open,
            };
            let name = format!("{name}{}", leaf.name);
            let global = self.global(&name, variable_type(&leaf), &first, span);
            self.program.globals[global.index()].looks = self.looks(span, &leaf);
            (leaf, VarRef::Global(global))
        });
        let leaves = leaves.collect();
        let stored = Stored { base, size, leaves, pool, sizes: None };
        let told = self.tell_stored(name, ty, &stored);
        if let (Some(pool), true) = (pool, on_heap) {
            self.tell(Told::Shared(pool.used), Manner::Heap(told));
        }
        Some(stored)
    }

    pub(super) fn global(
        &mut self,
        name: &str,
        ty: Type,
        first: &Value,
        span: Span,
    ) -> selvedge_program::GlobalId {
        let taken = |name: &str| self.program.globals.iter().any(|g| g.name == name);
        let mut unique = name.to_owned();
        let mut number = 2;
        while taken(&unique) {
            unique = format!("{name}'{number}");
            number += 1;
        }
        add_global(&mut self.program, unique, ty, first, span)
    }

    pub(super) fn store_object(&mut self, id: ObjectId) -> Option<Stored> {
        let unit = self.unit;
        let object = &unit.objects[id.index()];
        if object.thread_local && object.is_extern {
            let reason = format!("`{}`, of which each thread has one of its own", object.name);
            self.refused.insert(object.span, reason);
            return None;
        }
        if object.is_extern {
            self.assumptions.insert(format!(
                "`{}` is defined elsewhere: it holds any value at first, and nobody else changes it",
                object.name
            ));
        }
        let stored = match object.thread_local {
            true => self.store_for_threads(id)?,
            false => self.store_new(&object.name, &object.ty, None, object.span)?,
        };
        // Addresses in initialisers may be those of the object itself.
        self.stored.insert(Target::Object(id), Arc::new(stored.clone()));
        for (_, var) in &stored.leaves {
            if let VarRef::Global(global) = var
                && !object.is_extern
            {
                self.program.globals[global.index()].init.fill(Value::Small(0));
            }
        }
        for part in &object.init {
            if let Err(reason) = self.initialise(&stored, part) {
                self.stored.remove(&Target::Object(id));
                self.refused.insert(object.span, reason);
                return None;
            }
        }
        if object.thread_local {
            self.repeat_for_threads(&stored);
        }
        Some(stored)
    }

    /// Gives a part of an object its first value.
    pub(super) fn initialise(&mut self, stored: &Stored, part: &Part) -> Result<(), String> {
        if matches!(part.value.ty, CType::Opaque(_) | CType::Floating(_)) {
            return Ok(());
        }
        let Some(value) = self.constant(&part.value) else {
            return Err("an initialiser that is no constant".to_owned());
        };
        for (leaf, var) in &stored.leaves {
            let Some(slot) = slot_at(leaf, part.offset) else { continue };
            if let VarRef::Global(global) = var {
                // The kind of a mutex is beside it.
                if leaf.ty == Type::Lock && self.shapes.knows_owners {
                    let kind = &mut self.program.globals[global.index() + 1].init[slot];
                    *kind = Value::from_big(value.clone());
                }
                let value = match leaf.ty {
                    Type::Bool => (value != BigInt::ZERO).into(),
                    Type::Lock | Type::ThreadId => Value::Small(0),
                    _ => Value::from_big(
                        arithmetic::known(&arithmetic::int(value.clone(), &leaf.ty))
                            .unwrap_or_default(),
                    ),
                };
                if let Some(init) = self.program.globals[global.index()].init.get_mut(slot) {
                    *init = value;
                }
            }
        }
        Ok(())
    }

    /// Why something has no place, by where it is declared or made.
    pub(super) fn why_refused(&self, target: Target) -> String {
        let span = match target {
            Target::Object(id) => self.unit.objects[id.index()].span,
            Target::Local(function, local) => {
                self.unit.functions[function.index()].locals[local.index()].span
            }
            Target::Heap(span) | Target::Choice(span) => span,
            Target::Function(_) => Span::default(),
        };
        self.refused
            .get(&span)
            .cloned()
            .unwrap_or_else(|| "an object that cannot be stored".to_owned())
    }

    /// The value of a constant, with addresses as numbers.
    pub(super) fn constant(&mut self, expr: &Expr) -> Option<BigInt> {
        Some(match &expr.kind {
            ExprKind::Int(value) => BigInt::from(*value),
            ExprKind::Function(function) => BigInt::from(function_address(*function)),
            ExprKind::Address(lvalue) => self.constant_address(lvalue)?,
            ExprKind::Convert(inner) => {
                let value = self.constant(inner)?;
                match self.shapes.scalar(&expr.ty).ok()? {
                    Type::Bool => BigInt::from(u8::from(value != BigInt::ZERO)),
                    Type::ThreadId => value,
                    ty => arithmetic::known(&arithmetic::int(value, &ty))?,
                }
            }
            ExprKind::Offset(pointer, by) => self.constant(pointer)? + self.constant(by)?,
            _ => return None,
        })
    }

    pub(super) fn constant_address(&mut self, lvalue: &Lvalue) -> Option<BigInt> {
        Some(match &lvalue.kind {
            LvalueKind::Object(id) => BigInt::from(self.stored(Target::Object(*id))?.base),
            LvalueKind::Member(inner, record, field) => {
                let offset = self.shapes.types.record(*record).fields.get(*field)?.offset;
                self.constant_address(inner)? + offset
            }
            LvalueKind::Element(inner, index) => {
                let size = self.shapes.types.size(&lvalue.ty)?;
                self.constant_address(inner)? + self.constant(index)? * size
            }
            LvalueKind::Deref(pointer) => self.constant(pointer)?,
            _ => return None,
        })
    }
}

/// Which element of a leaf is at an offset of its object.
pub(super) fn slot_at(leaf: &memory::Leaf, offset: u64) -> Option<usize> {
    let mut rest = offset.checked_sub(leaf.offset)?;
    let mut slot = 0;
    for dimension in &leaf.dimensions {
        let index = rest.checked_div(dimension.stride)?;
        if index >= u64::from(dimension.length) {
            return None;
        }
        rest -= index * dimension.stride;
        slot = slot * dimension.length as usize + usize::try_from(index).ok()?;
    }
    (rest == 0).then_some(slot)
}
