//! Objects that others may see: what is stored there, whatever the order.

use std::collections::BTreeSet;

use super::Look;
use super::range::{Range, hull, is_inside};
use crate::c::lower::access::strip;
use crate::c::lower::choices::constant;
use crate::c::lower::foreseen::bounds;
use crate::c::lower::points::Target;
use crate::c::typed::*;
use crate::c::types::Type;

/// How wide scalars are that are no integers: they are told apart from these, and from each other.
const POINTER: u32 = 1;
const OTHER: u32 = 2;

/// The widths that integers have.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// The width of a scalar.
fn width(ty: &Type) -> Option<u32> {
    match strip(ty) {
        Type::Bool => Some(8),
        Type::Int { bits, .. } => Some(*bits),
        Type::Pointer(_) => Some(POINTER),
        Type::Floating(_) => Some(OTHER),
        _ => None,
    }
}

impl<'u> Look<'_, 'u> {
    /// Records what objects hold at the start.
    pub(super) fn start(&mut self) {
        for (number, object) in self.unit.objects.iter().enumerate() {
            let target = Target::Object(ObjectId(number as u32));
            let mut widths = BTreeSet::new();
            if object.is_extern || !self.widths(&object.ty, &mut widths) {
                self.open.insert(target);
            }
            for bits in widths {
                self.cells.insert((target, bits), (0, 0));
            }
            for part in &object.init {
                let all = bounds(&part.value.ty);
                match (width(&part.value.ty), constant(&part.value)) {
                    (Some(bits), Some(value)) if all.is_some() => {
                        let known = self.cells.entry((target, bits)).or_insert((value, value));
                        *known = hull(*known, (value, value));
                    }
                    (Some(POINTER | OTHER), _) => {}
                    _ => drop(self.open.insert(target)),
                }
            }
        }
    }

    /// The widths of the integers in a type; not if some of them share their places.
    fn widths(&self, ty: &Type, found: &mut BTreeSet<u32>) -> bool {
        match strip(ty) {
            Type::Array(inner, _) => self.widths(inner, found),
            Type::Record(id) => {
                let record = self.unit.types.record(*id);
                let plain = |field: &crate::c::types::Field| field.bits.is_none();
                let all = record.fields.iter().all(|field| self.widths(&field.ty, found));
                all && !record.is_union && record.fields.iter().all(plain)
            }
            other => {
                found.extend(width(other));
                true
            }
        }
    }

    /// The type with which something was declared.
    fn declared(&self, target: Target) -> Option<&'u Type> {
        match target {
            Target::Object(object) => Some(&self.unit.objects[object.index()].ty),
            Target::Local(function, local) => {
                Some(&self.unit.functions[function.index()].locals[local.index()].ty)
            }
            _ => None,
        }
    }

    /// Gives up on an object: from now on it may hold anything.
    pub(super) fn opens(&mut self, target: Target) {
        let is_object = matches!(target, Target::Object(_) | Target::Local(..) | Target::Heap(_));
        self.grew |= is_object && self.open.insert(target);
    }

    /// The objects that an lvalue may be a part of; none if that is not known.
    fn objects(&mut self, at: FunctionId, lvalue: &'u Lvalue) -> Option<BTreeSet<Target>> {
        let targets = self.points.places(Some(at), lvalue);
        let is_object =
            |t: &Target| matches!(t, Target::Object(_) | Target::Local(..) | Target::Heap(_));
        if !targets.iter().any(is_object) || targets.iter().any(|t| matches!(t, Target::Choice(_)))
        {
            return None;
        }
        let targets: BTreeSet<Target> = targets.into_iter().filter(is_object).collect();
        self.see_cast(lvalue, &targets);
        Some(targets)
    }

    /// Opens objects that are read as something else than they were made for.
    fn see_cast(&mut self, lvalue: &Lvalue, targets: &BTreeSet<Target>) {
        let mut inner = lvalue;
        while let LvalueKind::Member(next, ..) | LvalueKind::Element(next, _) = &inner.kind {
            inner = next;
        }
        if !matches!(inner.kind, LvalueKind::Deref(_)) {
            return;
        }
        let mut pointee = BTreeSet::new();
        let is_plain = self.widths(&inner.ty, &mut pointee);
        for &target in targets {
            let Some(declared) = self.declared(target) else { continue };
            let mut made = BTreeSet::new();
            let fits = match strip(&inner.ty) {
                Type::Record(_) => is_made_of(declared, &inner.ty),
                _ => {
                    self.widths(declared, &mut made);
                    made.len() == 1 && pointee.is_subset(&made)
                }
            };
            if matches!(strip(&inner.ty), Type::Record(_)) || pointee.is_empty() {
                if !fits || !is_plain {
                    self.opens(target);
                }
                continue;
            }
            let known = self.derefs.entry(target).or_default();
            known.extend(&pointee);
            if known.len() > 1 || !fits || !is_plain {
                self.opens(target);
            }
        }
    }

    /// Whether an lvalue is a member of a union, or of some bits: it may be read as something else.
    fn is_shared_place(&self, lvalue: &Lvalue) -> bool {
        match &lvalue.kind {
            LvalueKind::Member(inner, record, field) => {
                let record = self.unit.types.record(*record);
                let is_bits = record.fields.get(*field).is_none_or(|field| field.bits.is_some());
                record.is_union || is_bits || self.is_shared_place(inner)
            }
            LvalueKind::Element(inner, _) => self.is_shared_place(inner),
            _ => false,
        }
    }

    /// The range of an object that other code may see.
    pub(super) fn held(&mut self, at: FunctionId, lvalue: &'u Lvalue) -> Option<Range> {
        let all = bounds(&lvalue.ty)?;
        let bits = width(&lvalue.ty)?;
        let is_shared = self.is_shared_place(lvalue);
        let Some(objects) = self.objects(at, lvalue).filter(|_| !is_shared) else {
            return Some(all);
        };
        let mut found: Option<Range> = None;
        for target in objects {
            if matches!(target, Target::Heap(_)) || self.open.contains(&target) {
                return Some(all);
            }
            let Some(&stored) = self.cells.get(&(target, bits)) else { return Some(all) };
            let stored = match target {
                Target::Object(object) => self.with_changes(object, stored),
                _ => stored,
            };
            found = Some(found.map_or(stored, |found| hull(found, stored)));
        }
        // What was written with another sign.
        Some(found.filter(|&found| is_inside(found, all)).unwrap_or(all))
    }

    /// The range of a variable, including step-by-step changes beside what is stored there.
    pub(super) fn with_changes(&self, object: ObjectId, stored: Range) -> Range {
        let changes = self.changes.get(&object).into_iter().flat_map(|changes| changes.values());
        changes.fold(stored, |(lo, hi), (less, more)| {
            (lo.saturating_add(*less), hi.saturating_add(*more))
        })
    }

    /// Stores an integer in an object that others may see.
    pub(super) fn put(&mut self, at: FunctionId, lvalue: &'u Lvalue, value: Option<Range>) {
        let is_shared = self.is_shared_place(lvalue);
        let targets = self.points.places(Some(at), lvalue);
        let Some(objects) = self.objects(at, lvalue) else {
            // It is not known what is written.
            self.is_wild |= !is_temporary(lvalue);
            return;
        };
        if is_shared {
            targets.into_iter().for_each(|target| self.opens(target));
            return;
        }
        let (Some(bits), Some(all)) = (width(&lvalue.ty), bounds(&lvalue.ty)) else { return };
        for target in objects {
            self.put_in(target, bits, value.unwrap_or(all), all);
        }
    }

    /// Stores an integer in an object.
    pub(super) fn put_in(&mut self, target: Target, bits: u32, value: Range, all: Range) {
        if matches!(target, Target::Heap(_)) || self.open.contains(&target) {
            return;
        }
        let known = self.cells.get(&(target, bits)).copied();
        let grown = self.grown(known, value, all);
        self.cells.insert((target, bits), grown);
    }

    /// Stores what a local variable is declared with.
    pub(super) fn declares(&mut self, target: Target, zero: bool) {
        let Some(declared) = self.declared(target) else { return };
        let mut widths = BTreeSet::new();
        if !zero || !self.widths(declared, &mut widths) {
            return self.opens(target);
        }
        for bits in widths {
            self.put_in(target, bits, (0, 0), (0, 0));
        }
    }

    /// Stores a part of an initialiser.
    pub(super) fn put_part(&mut self, target: Target, ty: &Type, value: Option<Range>) {
        match (width(ty), bounds(ty)) {
            (Some(bits), Some(all)) => self.put_in(target, bits, value.unwrap_or(all), all),
            (Some(_), None) => {}
            _ => self.opens(target),
        }
    }

    /// Records the copy of a record.
    pub(super) fn copies(&mut self, at: FunctionId, to: &'u Lvalue, from: &'u Expr) {
        let ExprKind::Load(source) = &from.kind else { return self.opens_all(at, to) };
        let (Some(into), Some(out_of)) = (self.objects(at, to), self.objects(at, source)) else {
            return self.opens_all(at, to);
        };
        for target in into {
            for &source in &out_of {
                if matches!(source, Target::Heap(_)) || self.open.contains(&source) {
                    self.opens(target);
                    continue;
                }
                for bits in WIDTHS {
                    if let Some(&held) = self.cells.get(&(source, bits)) {
                        let held = match source {
                            Target::Object(object) => self.with_changes(object, held),
                            _ => held,
                        };
                        let most = 1_i128 << bits;
                        self.put_in(target, bits, held, (-most, most));
                    }
                }
            }
        }
    }

    /// Opens all objects that an lvalue may be a part of.
    pub(super) fn opens_all(&mut self, at: FunctionId, lvalue: &'u Lvalue) {
        let targets = self.points.places(Some(at), lvalue);
        self.is_wild |= targets.iter().any(|target| matches!(target, Target::Choice(_)));
        targets.into_iter().for_each(|target| self.opens(target));
    }
}

/// Whether an lvalue is a part of a value that is in no object.
fn is_temporary(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Temporary(_) => true,
        LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => is_temporary(inner),
        _ => false,
    }
}

/// Whether an object is a record of this type, or an array of such ones. A record inside of another one is not told from what lies beside it.
fn is_made_of(declared: &Type, record: &Type) -> bool {
    match strip(declared) {
        Type::Array(inner, _) => is_made_of(inner, record),
        declared => declared == strip(record),
    }
}
