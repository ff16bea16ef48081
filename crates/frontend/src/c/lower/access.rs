//! # Reading and writing
//! What an lvalue is: something with a name, or what a pointer points to. Every read and every write of what others see is a step of
//! its own; inside of an atomic section a read stays in its expression.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Place, Span, StmtKind, Type, VarRef};

use super::arithmetic::{binary, convert, int, negate};
use super::function::{Fun, Home};
use super::memory::{Leaf, Stored, place};
use super::points::Target;
use super::races::Touch;
use super::{Cell, arithmetic};
use crate::c::typed::{Lvalue, LvalueKind};
use crate::c::types::Type as CType;

/// What can be read and written.
#[derive(Clone)]
pub(super) enum Access {
    /// Something with a name.
    Named {
        stored: Rc<Stored>,
        /// The members on the way.
        way: Vec<usize>,
        /// One for each array on the way.
        indices: Vec<Expr>,
        /// How many bytes from one element to the next, for each of them.
        strides: Vec<u64>,
        /// How many bytes from the start of the object, without the indices.
        offset: u64,
    },
    /// What a pointer points to.
    Pointed {
        /// The address: a constant, or a value of local variables.
        address: Expr,
        /// The objects that it may point to.
        targets: BTreeSet<Target>,
    },
    /// A value that nobody holds: its scalars, by the way to them.
    Value(Vec<ValueCell>, Vec<usize>),
    /// What cannot be stored, and why.
    Nowhere(String),
}

/// A scalar of a value that nobody holds: the members on the way to it, the indices, and what it is.
pub(super) type ValueCell = (Vec<usize>, Vec<u32>, Expr);

/// A scalar that a pointer may point to.
struct Found {
    base: u64,
    leaf: Leaf,
    var: VarRef,
    /// The marks of the objects that are there.
    used: Option<selvedge_program::GlobalId>,
    /// How many bytes each of them has, and how many there are from one to the next.
    sizes: Option<(selvedge_program::GlobalId, u64)>,
}

/// The place of a scalar, and its address where somebody watches it.
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
        self.require(binary(BinaryOp::Lt, index.clone(), int(length, &index.ty), span), span);
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

    /// Does something at the place of a scalar: once where it has a name, once for each object where it is pointed to.
    pub(super) fn at_place(
        &mut self,
        access: &Access,
        c: &CType,
        part: usize,
        span: Span,
        act: &mut dyn FnMut(&mut Self, At),
    ) {
        match access {
            Access::Named { stored, way, indices, .. } => {
                let mut way = way.clone();
                if matches!(strip(c), CType::Opaque(_)) {
                    way.push(part);
                }
                match stored.leaf(&way) {
                    Some((leaf, var)) if leaf.dimensions.len() == indices.len() => {
                        let place = place(*var, indices.clone(), &leaf.ty, span);
                        let address = match self.is_watched(&place) {
                            true => Some(self.address_of(access.clone(), span)),
                            false => None,
                        };
                        act(self, At { place, address });
                    }
                    _ => self.limit(
                        span,
                        "a part of an object that is read as something else".to_owned(),
                    ),
                }
            }
            Access::Pointed { address, targets } => {
                let address = moved(address.clone(), part as u64);
                let mut found = Vec::new();
                let mut inside = selvedge_program::make::truth(false);
                let mut all_stored = !targets.is_empty();
                for &target in targets {
                    let Some(stored) = self.lower.stored(target) else {
                        all_stored = false;
                        continue;
                    };
                    inside = binary(BinaryOp::Or, inside, is_inside(&address, &stored, span), span);
                    for (leaf, var) in &stored.leaves {
                        let fits = self.lower.shapes.interchangeable(&leaf.c, strip(c));
                        let is_part = !matches!(leaf.c, CType::Opaque(_))
                            || leaf.ways.iter().any(|way| way.last() == Some(&part));
                        if fits && is_part {
                            let used = stored
                                .pool
                                .filter(|_| self.lower.options.memory)
                                .map(|pool| pool.used);
                            found.push(Found {
                                base: stored.base,
                                leaf: leaf.clone(),
                                var: *var,
                                used,
                                sizes: stored.sizes.zip(stored.pool.map(|pool| pool.stride)),
                            });
                        }
                    }
                }
                // What is certain is found without a look at the others.
                let certain = found.iter().position(|found| {
                    let (cond, _) = find(&address, found.base, &found.leaf, span);
                    arithmetic::known_truth(&cond) == Some(true)
                });
                if let Some(certain) = certain {
                    found = vec![found.swap_remove(certain)];
                }
                let address = self.simple(address, span);
                // Where it is not known what else there is, whatever is not null may be something.
                let unknown = match arithmetic::known_truth(&inside) {
                    Some(false) if !all_stored => {
                        negate(binary(BinaryOp::Eq, address.clone(), int(0, &address.ty), span))
                    }
                    _ => inside,
                };
                self.one_of(&address, found, &unknown, span, act);
            }
            Access::Nowhere(reason) => self.limit(span, reason.clone()),
            Access::Value(..) => self.limit(span, "a value that nobody holds".to_owned()),
        }
    }

    fn one_of(
        &mut self,
        address: &Expr,
        mut found: Vec<Found>,
        unknown: &Expr,
        span: Span,
        act: &mut dyn FnMut(&mut Self, At),
    ) {
        if found.is_empty() {
            // Inside of an object, but at no scalar of this type; or something of which nothing is known.
            let reason =
                "a pointer to something that is read as another type, or of which nothing is known";
            return self.branch(
                unknown.clone(),
                span,
                |fun| fun.limit(span, reason.to_owned()),
                |fun| fun.invalid(span),
            );
        }
        let Found { base, leaf, var, used, sizes } = found.remove(0);
        let (cond, indices) = find(address, base, &leaf, span);
        let mark = used.zip(indices.first().cloned());
        let bytes = self.lower.shapes.types.size(&leaf.c).unwrap_or(1);
        let bound = sizes.zip(indices.first().cloned());
        let then =
            At { place: place(var, indices, &leaf.ty, span), address: Some(address.clone()) };
        let before = self.atomic;
        let act_there = |fun: &mut Self| {
            // What was given back is not there any more.
            if let Some((used, object)) = mark {
                let mark = place(VarRef::Global(used), vec![object], &Type::Bool, span);
                let there = fun.keep(read(mark), span);
                fun.require(there, span);
            }
            // What is beyond the size that was asked for is not there.
            if let Some(((sizes, stride), object)) = bound {
                let ty = &address.ty;
                let size =
                    fun.keep(read(place(VarRef::Global(sizes), vec![object], ty, span)), span);
                let from = binary(BinaryOp::Sub, address.clone(), int(base, ty), span);
                let from = binary(BinaryOp::Mod, from, int(stride, ty), span);
                let end = binary(BinaryOp::Add, from, int(bytes, ty), span);
                fun.require(binary(BinaryOp::Le, end, size, span), span);
            }
            act(fun, then);
        };
        match arithmetic::known_truth(&cond) {
            Some(true) => act_there(self),
            Some(false) => self.one_of(address, found, unknown, span, act),
            None => {
                let then = self.collect(act_there);
                let otherwise = self.collect(|fun| fun.one_of(address, found, unknown, span, act));
                let cond = selvedge_program::Cond::Expr(cond);
                self.emit(StmtKind::If { cond, then, otherwise }, span);
            }
        }
        self.atomic = before;
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
                let value = read(place(*var, indices.clone(), &leaf.ty, span));
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
        self.at_place(access, c, 0, span, &mut |fun, at| {
            let value = adapt(value.clone(), &at.place.ty);
            fun.touch(&at, touch, span, |fun| fun.assign(at.place.clone(), value, span));
        });
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

/// An address so many bytes further.
pub(super) fn moved(address: Expr, by: u64) -> Expr {
    let (by, span) = (int(by, &address.ty), address.span);
    binary(BinaryOp::Add, address, by, span)
}

/// What is so many bytes further than something that is pointed to.
pub(super) fn shifted(access: Access, by: u64) -> Access {
    match access {
        Access::Pointed { address, targets } => {
            Access::Pointed { address: moved(address, by), targets }
        }
        other => other,
    }
}

/// Whether an address is inside of an object, or of one of a pool.
fn is_inside(address: &Expr, stored: &Stored, span: Span) -> Expr {
    let ty = &address.ty;
    let from = binary(BinaryOp::Sub, address.clone(), int(stored.base, ty), span);
    let size = int(stored.size, ty);
    match stored.pool {
        None => binary(BinaryOp::Lt, from, size, span),
        Some(pool) => {
            let all = int(u64::from(pool.objects) * pool.stride, ty);
            let within = binary(BinaryOp::Lt, from.clone(), all, span);
            let rest = binary(BinaryOp::Mod, from, int(pool.stride, ty), span);
            binary(BinaryOp::And, within, binary(BinaryOp::Lt, rest, size, span), span)
        }
    }
}

/// Whether an address is that of an element of a leaf, and which.
fn find(address: &Expr, base: u64, leaf: &Leaf, span: Span) -> (Expr, Vec<Expr>) {
    let ty = &address.ty;
    let first = int(base + leaf.offset, ty);
    if leaf.dimensions.is_empty() {
        return (binary(BinaryOp::Eq, address.clone(), first, span), Vec::new());
    }
    // Wraps around below the first one: then it is too large.
    let mut rest = binary(BinaryOp::Sub, address.clone(), first, span);
    let mut cond = selvedge_program::make::truth(true);
    let mut indices = Vec::new();
    for dimension in &leaf.dimensions {
        let stride = int(dimension.stride, ty);
        let end = int(u64::from(dimension.length) * dimension.stride, ty);
        let within = binary(BinaryOp::Lt, rest.clone(), end, span);
        cond = binary(BinaryOp::And, cond, within, span);
        indices.push(binary(BinaryOp::Div, rest.clone(), stride.clone(), span));
        rest = binary(BinaryOp::Mod, rest, stride, span);
    }
    let exact = binary(BinaryOp::Eq, rest, int(0, ty), span);
    (binary(BinaryOp::And, cond, exact, span), indices)
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
        // What is chosen is chosen once.
        _ => true,
    }
}
