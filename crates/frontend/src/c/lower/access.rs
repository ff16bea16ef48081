//! # Reading and writing
//! What an lvalue is: something with a name, or what a pointer points to. Every read and every write of what others see is a step of
//! its own; inside of an atomic section a read stays in its expression.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Place, Span, StmtKind, Type, VarRef};

use super::arithmetic::{binary, convert, int};
use super::faults::Fault;
use super::function::{Fun, Home};
use super::memory::{Leaf, Stored, place};
use super::points::Target;
use super::races::Touch;
use super::{Cell, arithmetic};
use crate::c::typed::{Lvalue, LvalueKind};
use crate::c::types::Type as CType;

/// Something that can be read and written.
#[derive(Clone)]
pub(super) enum Access {
    /// An object with a name.
    Named {
        stored: Arc<Stored>,
        /// The members on the way.
        way: Vec<usize>,
        /// One for each array on the way.
        indices: Vec<Expr>,
        /// The distance in bytes from one element to the next, for each index.
        strides: Vec<u64>,
        /// The distance in bytes from the start of the object, without the indices.
        offset: u64,
    },
    /// The object that a pointer points to.
    Pointed {
        /// The address: a constant, or a value of local variables.
        address: Expr,
        /// The objects that it may point to.
        targets: BTreeSet<Target>,
    },
    /// A value that is in no object: its scalars, by the way to them.
    Value(Vec<ValueCell>, Vec<usize>),
    /// Something that cannot be stored, for this reason.
    Nowhere(String),
}

/// A scalar of a value that is in no object: the members on the way to it, the indices, and the expression.
pub(super) type ValueCell = (Vec<usize>, Vec<u32>, Expr);

/// A scalar that a pointer may point to.
pub(super) struct PointedScalar {
    pub(super) base: u64,
    pub(super) leaf: Leaf,
    pub(super) var: VarRef,
    /// The marks of the objects that are there.
    pub(super) used: Option<selvedge_program::GlobalId>,
    /// How many bytes each of them has, and how many there are from one to the next.
    pub(super) sizes: Option<(selvedge_program::GlobalId, u64)>,
}

/// The place of a scalar, and its address where accesses are watched.
#[derive(Clone)]
pub(super) struct At {
    pub(super) place: Place,
    pub(super) address: Option<Expr>,
}

impl<'u> Fun<'_, 'u> {
    /// Finds what an lvalue is.
    pub(super) fn access(&mut self, lvalue: &'u Lvalue) -> Access {
        match &lvalue.kind {
            LvalueKind::Local(local) => match self.homes.get(local).cloned() {
                Some(Home { stored, object }) => Access::Named {
                    strides: stored.pool.iter().map(|pool| pool.stride).collect(),
                    stored,
                    way: Vec::new(),
                    indices: object.into_iter().collect(),
                    offset: 0,
                },
                None => Access::Nowhere(self.lower.why_refused(Target::Local(self.id, *local))),
            },
            LvalueKind::Object(object) => match self.lower.stored(Target::Object(*object)) {
                // Of those that each thread has, the own one.
                Some(stored) => Access::Named {
                    strides: stored.pool.iter().map(|pool| pool.stride).collect(),
                    way: Vec::new(),
                    indices: stored.pool.iter().map(|_| self.own_number()).collect(),
                    stored,
                    offset: 0,
                },
                None => Access::Nowhere(self.lower.why_refused(Target::Object(*object))),
            },
            LvalueKind::Deref(pointer) => {
                if let Some(inner) = super::points::direct_address(pointer)
                    && inner.ty == lvalue.ty
                {
                    return self.access(inner);
                }
                let targets = self.lower.points.expr(Some(self.id), pointer);
                let address = self.scalar(pointer);
                let address = self.local_value(address, lvalue.span);
                Access::Pointed { address, targets }
            }
            LvalueKind::Member(inner, record, field) => {
                let offset = self.lower.shapes.types.record(*record).fields.get(*field);
                let offset = offset.map_or(0, |field| field.offset);
                match self.access(inner) {
                    Access::Named { stored, mut way, indices, strides, offset: before } => {
                        way.push(*field);
                        let offset = before + offset;
                        Access::Named { stored, way, indices, strides, offset }
                    }
                    Access::Pointed { address, targets } => {
                        let address = moved(address, offset);
                        Access::Pointed { address, targets }
                    }
                    Access::Value(cells, mut way) => {
                        way.push(*field);
                        Access::Value(cells, way)
                    }
                    nowhere @ Access::Nowhere(_) => nowhere,
                }
            }
            LvalueKind::Element(inner, index) => {
                let stride = self.lower.shapes.types.size(&lvalue.ty).unwrap_or(1);
                let base = self.access(inner);
                let index = match self.is_vague(index) {
                    true => self.any_index(inner, index, lvalue.span),
                    false => self.scalar(index),
                };
                match base {
                    Access::Named { stored, way, mut indices, mut strides, offset } => {
                        indices.push(index);
                        strides.push(stride);
                        Access::Named { stored, way, indices, strides, offset }
                    }
                    Access::Pointed { address, targets } => {
                        let index = convert(index, &address.ty);
                        let stride = int(stride, &address.ty);
                        let by = binary(BinaryOp::Mul, index, stride, lvalue.span);
                        let address = binary(BinaryOp::Add, address, by, lvalue.span);
                        let address = self.local_value(address, lvalue.span);
                        Access::Pointed { address, targets }
                    }
                    Access::Value(cells, way) => {
                        self.element_of_value(cells, way, index, lvalue.span)
                    }
                    nowhere @ Access::Nowhere(_) => nowhere,
                }
            }
            LvalueKind::Temporary(value) => {
                let values = self.record(value);
                let leaves = self.lower.shapes.leaves(&value.ty).unwrap_or_default();
                let ways = |cell: &Cell| {
                    // Members of a union are one scalar with several ways to it.
                    let leaf = leaves.iter().find(|leaf| leaf.ways[0] == cell.way);
                    leaf.map_or_else(|| vec![cell.way.clone()], |leaf| leaf.ways.clone())
                };
                let cells = self.lower.cells(&value.ty).into_iter().zip(values);
                let cells = cells.flat_map(|(cell, value)| {
                    let ways = ways(&cell).into_iter();
                    ways.map(move |way| (way, cell.indices.clone(), value.clone()))
                });
                Access::Value(cells.collect(), Vec::new())
            }
        }
    }

    /// An element of an array inside of a value that nobody holds, `f().a[i]`.
    fn element_of_value(
        &mut self,
        cells: Vec<ValueCell>,
        way: Vec<usize>,
        index: Expr,
        span: Span,
    ) -> Access {
        let index = convert(index, &self.pointer_type());
        let index = self.simple(index, span);
        let inside: Vec<ValueCell> = (cells.into_iter())
            .filter(|(at, indices, _)| at.starts_with(&way) && !indices.is_empty())
            .collect();
        let length = inside.iter().map(|(_, indices, _)| indices[0] + 1).max().unwrap_or(0);
        let inside_of = binary(BinaryOp::Lt, index.clone(), int(length, &index.ty), span);
        self.require(inside_of, Fault::Index, span);
        let mut elements: BTreeMap<(Vec<usize>, Vec<u32>), Expr> = BTreeMap::new();
        for (at, indices, value) in inside {
            let this = binary(BinaryOp::Eq, index.clone(), int(indices[0], &index.ty), span);
            let key = (at, indices[1..].to_vec());
            let value = match elements.remove(&key) {
                Some(others) => arithmetic::choose(this, value, others),
                None => value,
            };
            elements.insert(key, value);
        }
        let elements = elements.into_iter().map(|((at, rest), value)| (at, rest, value));
        Access::Value(elements.collect(), way)
    }

    /// Any index of an array, for one of which nothing is known.
    fn any_index(
        &mut self,
        array: &'u Lvalue,
        index: &'u crate::c::typed::Expr,
        span: Span,
    ) -> Expr {
        self.effect(index);
        let length = match strip(&array.ty) {
            CType::Array(_, Some(length)) => u32::try_from(*length).unwrap_or(u32::MAX),
            _ => 0,
        };
        if self.lower.options.memory || !(1..=1 << 10).contains(&length) {
            self.limit(span, "an index that depends on a value from outside".to_owned());
        }
        let ty = selvedge_program::make::range(0, length.saturating_sub(1));
        let temp = self.temp(&ty, span);
        self.emit(StmtKind::Havoc(vec![temp.clone()]), span);
        read(temp)
    }

    /// A value that does not depend on what others do.
    pub(super) fn local_value(&mut self, value: Expr, span: Span) -> Expr {
        if reads_shared(&value) { self.keep(value, span) } else { value }
    }

    /// The address of what is accessed.
    pub(super) fn address_of(&mut self, access: Access, span: Span) -> Expr {
        let ty = self.pointer_type();
        match access {
            Access::Named { stored, indices, strides, offset, .. } => {
                let mut address = int(stored.base.saturating_add(offset), &ty);
                for (index, stride) in indices.into_iter().zip(strides) {
                    let by = binary(BinaryOp::Mul, convert(index, &ty), int(stride, &ty), span);
                    address = binary(BinaryOp::Add, address, by, span);
                }
                address
            }
            Access::Pointed { address, .. } => address,
            Access::Nowhere(reason) => {
                self.limit(span, reason);
                int(0, &ty)
            }
            Access::Value(..) => {
                self.limit(span, "the address of a value that nobody holds".to_owned());
                int(0, &ty)
            }
        }
    }

    pub(super) fn pointer_type(&self) -> Type {
        let bits = if self.lower.shapes.types.pointer_size() == 8 { 64 } else { 32 };
        Type::Machine { bits, signed: false }
    }

    /// The value of a scalar.
    pub(super) fn load(&mut self, access: &Access, c: &CType, span: Span) -> Expr {
        let ty = match self.lower.shapes.scalar(c) {
            Ok(ty) => ty,
            Err(reason) => {
                self.limit(span, reason);
                return Fun::nothing(&Type::Bool);
            }
        };
        if matches!(strip(c), CType::Floating(_)) && !self.is_seen(access) {
            return Fun::nothing(&Type::Bool);
        }
        if let Access::Value(cells, way) = access {
            let cell = cells.iter().find(|(w, indices, _)| w == way && indices.is_empty());
            let Some((_, _, value)) = cell else {
                self.limit(span, "a part of a value that nobody holds".to_owned());
                return Fun::nothing(&ty);
            };
            return adapt(value.clone(), &ty);
        }
        if let Access::Named { stored, way, indices, .. } = access {
            let mut way = way.clone();
            if matches!(strip(c), CType::Opaque(_)) {
                way.push(0);
            }
            if let Some((leaf, var)) = stored.leaf(&way)
                && leaf.dimensions.len() == indices.len()
                && (matches!(var, VarRef::Local(_)) || self.atomic && !self.lower.options.races)
            {
                let indices = self.within(leaf, indices, span);
                let value = read(place(*var, indices, &leaf.ty, span));
                return adapt(value, &ty);
            }
        }
        let temp = self.temp(&ty, span);
        let (to, wanted) = (temp.clone(), ty.clone());
        let touch = Touch { writes: false, atomic: matches!(c, CType::Atomic(_)) };
        self.at_place(access, c, 0, span, &mut |fun, at| {
            let value = adapt(read(at.place.clone()), &wanted);
            fun.touch(&at, touch, span, |fun| fun.assign(to.clone(), value, span));
        });
        read(temp)
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, access: &Access, c: &CType, value: &Expr, span: Span) {
        if matches!(strip(c), CType::Floating(_)) && !self.is_seen(access) {
            return;
        }
        let touch = Touch { writes: true, atomic: matches!(c, CType::Atomic(_)) };
        let access = &self.without_texts(access);
        self.at_place(access, c, 0, span, &mut |fun, at| {
            let value = adapt(value.clone(), &at.place.ty);
            fun.touch(&at, touch, span, |fun| fun.assign(at.place.clone(), value, span));
        });
    }

    /// The same access without the texts of the program, which may not be written.
    fn without_texts(&self, access: &Access) -> Access {
        let unit = self.lower.unit;
        let is_text = |target: &Target| match target {
            Target::Object(object) => unit.objects[object.index()].is_string,
            _ => false,
        };
        match access.clone() {
            Access::Pointed { address, mut targets } => {
                targets.retain(|target| !is_text(target));
                Access::Pointed { address, targets }
            }
            other => other,
        }
    }

    /// Whether accesses of a number with a fraction are looked at.
    fn is_seen(&self, access: &Access) -> bool {
        let is_local = |var: &VarRef| matches!(var, VarRef::Local(_));
        self.lower.options.races
            && match access {
                Access::Named { stored, .. } => {
                    !stored.leaves.is_empty() && !stored.leaves.iter().any(|(_, var)| is_local(var))
                }
                Access::Pointed { .. } => true,
                Access::Value(..) | Access::Nowhere(_) => false,
            }
    }

    /// Reads a scalar and writes it in one step; the value before.
    pub(super) fn exchange(
        &mut self,
        access: &Access,
        c: &CType,
        span: Span,
        new: &mut dyn FnMut(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let Ok(ty) = self.lower.shapes.scalar(c) else {
            self.limit(span, "an atomic operation on this type".to_owned());
            return Fun::nothing(&Type::Bool);
        };
        let old = self.temp(&ty, span);
        self.at_place(access, c, 0, span, &mut |fun, at| {
            let before = adapt(read(at.place.clone()), &ty);
            let after = adapt(new(fun, before.clone()), &at.place.ty);
            let (targets, values) = (vec![old.clone(), at.place.clone()], vec![before, after]);
            let touch = Touch { writes: true, atomic: true };
            fun.touch(&at, touch, span, |fun| {
                fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
            });
        });
        read(old)
    }

    /// A scalar of something that consists of several.
    pub(super) fn cell(&self, access: &Access, cell: &Cell) -> Access {
        match access {
            Access::Named { stored, way, indices, strides, offset } => {
                let way = way.iter().chain(&cell.way).copied().collect();
                let size = selvedge_program::Type::Int;
                let more = cell.indices.iter().map(|&index| int(index, &size));
                let indices = indices.iter().cloned().chain(more).collect();
                // The indices of the cell are in its offset.
                let (strides, offset) = (strides.clone(), offset + cell.offset);
                Access::Named { stored: stored.clone(), way, indices, strides, offset }
            }
            Access::Pointed { address, targets } => Access::Pointed {
                address: moved(address.clone(), cell.offset),
                targets: targets.clone(),
            },
            Access::Value(cells, way) => {
                let way = way.iter().chain(&cell.way).copied().collect::<Vec<_>>();
                let same = |(w, indices, _): &&ValueCell| *w == way && *indices == cell.indices;
                let value = cells.iter().find(same).map(|(_, _, value)| value.clone());
                match value {
                    Some(value) => Access::Value(vec![(Vec::new(), Vec::new(), value)], Vec::new()),
                    None => Access::Nowhere("a part of a value that nobody holds".to_owned()),
                }
            }
            nowhere @ Access::Nowhere(_) => nowhere.clone(),
        }
    }

    /// Reads a scalar of something opaque, or of a record, by the type of the cell.
    pub(super) fn load_cell(&mut self, access: &Access, cell: &Cell, span: Span) -> Expr {
        match self.cell(access, cell) {
            Access::Named { stored, way, indices, .. } if matches!(cell.c, CType::Opaque(_)) => {
                match stored.leaf(&way) {
                    Some((leaf, var)) => {
                        let value = read(place(*var, indices, &leaf.ty, span));
                        self.local_value(value, span)
                    }
                    None => Fun::nothing(&cell.ty),
                }
            }
            access => self.load(&access, &cell.c, span),
        }
    }

    /// Writes a scalar of something opaque, or of a record.
    pub(super) fn store_cell(&mut self, access: &Access, cell: &Cell, value: &Expr, span: Span) {
        match self.cell(access, cell) {
            Access::Named { stored, way, indices, .. } if matches!(cell.c, CType::Opaque(_)) => {
                if let Some((leaf, var)) = stored.leaf(&way) {
                    let to = place(*var, indices, &leaf.ty, span);
                    self.assign(to, value.clone(), span);
                }
            }
            access => self.store(&access, &cell.c, value, span),
        }
    }
}

/// A type without `_Atomic`.
pub(super) fn strip(c: &CType) -> &CType {
    match c {
        CType::Atomic(inner) => strip(inner),
        other => other,
    }
}

/// A value in the type that is wanted; what only one type holds stays as it is.
pub(super) fn adapt(value: Expr, ty: &Type) -> Expr {
    match (&value.ty, ty) {
        (Type::Lock | Type::ThreadId, _) | (_, Type::Lock | Type::ThreadId) => value,
        _ => convert(value, ty),
    }
}

/// An address moved by a number of bytes.
pub(super) fn moved(address: Expr, by: u64) -> Expr {
    let (by, span) = (int(by, &address.ty), address.span);
    binary(BinaryOp::Add, address, by, span)
}

/// An access moved by a number of bytes, if it is through a pointer.
pub(super) fn shifted(access: Access, by: u64) -> Access {
    match access {
        Access::Pointed { address, targets } => {
            Access::Pointed { address: moved(address, by), targets }
        }
        other => other,
    }
}

/// Whether a value depends on what others may change.
pub(super) fn reads_shared(value: &Expr) -> bool {
    use selvedge_program::ExprKind as E;
    match &value.kind {
        E::Const(v) => *v == selvedge_program::Value::Open,
        E::Read(place) => {
            matches!(place.var, VarRef::Global(_)) || place.indices.iter().any(reads_shared)
        }
        E::Unary(_, a) => reads_shared(a),
        E::Binary(_, a, b) => reads_shared(a) || reads_shared(b),
        E::IfThenElse(a, b, c) => reads_shared(a) || reads_shared(b) || reads_shared(c),
        // A choice is made only once.
        _ => true,
    }
}
