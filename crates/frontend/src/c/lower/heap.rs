//! # Objects that come and go
//! `malloc` and `free`, and local variables of functions that may be active more than once: one of a pool of so many. Where none is
//! free, a run cannot be followed.

use std::collections::BTreeSet;
use std::sync::Arc;

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, GlobalId, Place, Span, StmtKind, Type, Value, VarRef};

use super::arithmetic::{binary, choose, convert, int, negate};
use super::faults::Fault;
use super::function::Fun;
use super::memory::{Leaf, Pool, Stored, place};
use super::points::{MAKERS, Target};
use super::visit::{each_expr, each_part};
use super::{Lower, SEE_HEAP};
use crate::c::typed::{self as c, Callee, ExprKind, FunctionId, StmtKind as CStmt};
use crate::c::types::Type as CType;

impl<'u> Lower<'u> {
    /// The variables of the objects that a call makes.
    pub(super) fn store_heap(&mut self, site: Span) -> Option<Stored> {
        let Some((ty, Room { bytes, is_constant })) = self.heap_shape(site) else {
            let reason = "an object of which it is not known what it holds";
            self.refused.insert(site, reason.to_owned());
            return None;
        };
        let name = match &ty {
            CType::Record(id) => self.shapes.types.record(*id).name.clone(),
            _ => String::new(),
        };
        let name = if name.is_empty() { "heap".to_owned() } else { name };
        let mut stored =
            self.store_in(&name, &ty, Some(bytes), Some((self.options.heap, None)), true, site)?;
        if !is_constant {
            let bits = if self.shapes.types.pointer_size() == 8 { 64 } else { 32 };
            let element = Box::new(Type::Machine { bits, signed: false });
            let sizes = Type::Array { element, length: self.options.heap };
            stored.sizes =
                Some(self.global(&format!("{name}.size"), sizes, &Value::Small(0), site));
        }
        Some(stored)
    }

    /// What the objects of a call are, and how much room they take; nothing if that is not known.
    pub(super) fn heap_shape(&mut self, site: Span) -> Option<(CType, Room)> {
        let unit = self.unit;
        let mut uses = Uses { site, types: Vec::new(), is_made: false, size: None, at: None };
        for (number, function) in unit.functions.iter().enumerate() {
            uses.at = Some(FunctionId(number as u32));
            for statement in function.body.iter().flatten() {
                uses.statement(self, statement);
            }
        }
        let (ty, bytes) = uses.is_made.then(|| self.heap_type(&uses.types, uses.size)).flatten()?;
        Some((ty, Room { bytes, is_constant: uses.size.is_some() }))
    }

    /// What an object of so many bytes is, by the types of the pointers that point to it: the largest that fits, as often as it fits. Where it is not known how
    /// many bytes it has, there is room for some elements.
    fn heap_type(&self, types: &[CType], size: Option<u64>) -> Option<(CType, u64)> {
        let layout = self.shapes.types;
        let sized = types.iter().filter_map(|ty| Some((layout.size(ty)?, ty)));
        let mut sized: Vec<(u64, &CType)> =
            sized.filter(|(bytes, _)| (1..=size.unwrap_or(u64::MAX)).contains(bytes)).collect();
        sized.sort_by_key(|(bytes, _)| *bytes);
        let (bytes, ty) = sized.pop()?;
        if let Some((start, each)) = layout.open_end(ty) {
            return Some((ty.clone(), size.unwrap_or(start + ELEMENTS * each)));
        }
        let more = size.map_or(ELEMENTS, |size| size / bytes);
        match more {
            1 => Some((ty.clone(), size.unwrap_or(bytes))),
            more => {
                let array = CType::Array(std::sync::Arc::new(ty.clone()), Some(more));
                Some((array, size.unwrap_or(more * bytes)))
            }
        }
    }
}

/// How much room an object of the heap takes.
pub(super) struct Room {
    /// How many bytes.
    pub(super) bytes: u64,
    /// Whether each object that the call makes has as many.
    pub(super) is_constant: bool,
}

/// How many elements there is room for where the size of an object is not known before it is made.
const ELEMENTS: u64 = 16;

/// Looks for what is done with the objects of a call.
struct Uses {
    site: Span,
    types: Vec<CType>,
    is_made: bool,
    size: Option<u64>,
    at: Option<FunctionId>,
}

impl Uses {
    fn statement<'u>(&mut self, lower: &mut Lower<'u>, statement: &'u c::Stmt) {
        if let CStmt::Declare(_, Some(parts)) = &statement.kind {
            for part in parts {
                self.expr(lower, &part.value);
            }
        }
        each_part(statement, false, &mut |expr, _| self.expr(lower, expr));
    }

    fn expr<'u>(&mut self, lower: &mut Lower<'u>, expr: &'u c::Expr) {
        each_expr(expr, &mut |expr| match &expr.kind {
            ExprKind::Convert(inner) => {
                if let CType::Pointer(target) = &expr.ty {
                    let points = lower.points.expr(self.at, inner);
                    let known = matches!(**target, CType::Void | CType::Function(_));
                    let is_char = matches!(**target, CType::Int { bits: 8, .. });
                    if points.contains(&Target::Heap(self.site)) && !known {
                        // Bytes are what everything is made of: the last resort.
                        match is_char && !self.types.is_empty() {
                            true => {}
                            false => self.types.push((**target).clone()),
                        }
                    }
                }
            }
            ExprKind::Call(callee, args) if expr.span == self.site => {
                let name = match callee {
                    Callee::Direct(function) => {
                        lower.unit.functions[function.index()].name.as_str()
                    }
                    Callee::Builtin(name) => name,
                    Callee::Pointer(_) => "",
                };
                if MAKERS.contains(&name) {
                    self.is_made = true;
                    let known = |number: usize| u64::try_from(constant(args.get(number)?)?).ok();
                    self.size = match name {
                        "calloc" => {
                            known(0).zip(known(1)).and_then(|(n, each)| n.checked_mul(each))
                        }
                        "realloc" | "aligned_alloc" => known(1),
                        _ => known(0),
                    };
                }
            }
            _ => {}
        });
    }
}

/// The value of a constant, as far as sizes are computed.
fn constant(expr: &c::Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Convert(inner) => constant(inner).filter(|value| *value >= 0),
        ExprKind::Arithmetic(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                c::Arithmetic::Add => a.checked_add(b),
                c::Arithmetic::Sub => a.checked_sub(b).filter(|value| *value >= 0),
                c::Arithmetic::Mul => a.checked_mul(b),
                _ => None,
            }
        }
        _ => None,
    }
}

impl<'u> Fun<'_, 'u> {
    /// Takes the first object of a pool that is free; its number is in a new variable.
    pub(super) fn make_object(&mut self, stored: &Stored, span: Span) -> Place {
        let Some(pool) = stored.pool else { return self.temp(&Type::Bool, span) };
        let ty = number_type(pool);
        let found = self.temp(&ty, span);
        let is_used = |number: u32| read(mark(pool, int(number, &Type::Int), span));
        let none = int(pool.objects, &ty);
        let (mut first, mut second) = (none.clone(), none.clone());
        for number in (0..pool.objects).rev() {
            second = choose(is_used(number), second, first.clone());
            first = choose(is_used(number), first, int(number, &ty));
        }
        // One step: who looks takes it.
        let to = found.clone();
        let take = |fun: &mut Self, number: Expr| {
            let is_there = negate(binary(BinaryOp::Eq, number.clone(), none.clone(), span));
            fun.branch(
                is_there,
                span,
                |fun| {
                    let mark = mark(pool, number.clone(), span);
                    let (targets, values) = (vec![to.clone(), mark], vec![number, truth(true)]);
                    fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
                },
                |fun| fun.assign(to.clone(), none.clone(), span),
            );
        };
        let taking = self.collect(|fun| {
            let Some(freed) = pool.freed else { return take(fun, first) };
            if pool.any {
                return fun.take_any(pool, freed, &to, first, span);
            }
            // Stale pointers to the object before are noticed where another one is taken.
            let number = fun.keep(first, span);
            let other = fun.collect(|fun| take(fun, second));
            let same = fun.collect(|fun| take(fun, number.clone()));
            let is_there = negate(binary(BinaryOp::Eq, number.clone(), none.clone(), span));
            let was = read(place(VarRef::Global(freed), vec![number], &Type::Bool, span));
            let either = StmtKind::Choose(vec![same.clone(), other]);
            let reuse = fun.collect(|fun| {
                fun.branch(was, span, |fun| fun.emit(either, span), |fun| fun.append(same));
            });
            fun.branch(
                is_there,
                span,
                |fun| fun.append(reuse),
                |fun| fun.assign(to.clone(), none.clone(), span),
            );
        });
        self.emit(StmtKind::Atomic(taking), span);
        let full = binary(BinaryOp::Eq, read(found.clone()), int(pool.objects, &ty), span);
        let reason = format!("more than {} objects at once {SEE_HEAP}", pool.objects);
        self.branch(full, span, |fun| fun.limit(span, reason), |_| {});
        found
    }

    /// Takes any object of a pool that is free: one of those that were given back, or a new one, of which one is like another. The first that is free is given.
    fn take_any(&mut self, pool: Pool, freed: GlobalId, to: &Place, first: Expr, span: Span) {
        let none = int(pool.objects, &to.ty);
        let was_freed =
            |number: Expr| read(place(VarRef::Global(freed), vec![number], &Type::Bool, span));
        let is_used = |number: Expr| read(mark(pool, number, span));
        let mut new = none.clone();
        for number in (0..pool.objects).rev() {
            let number = int(number, &to.ty);
            let is_new = negate(binary(
                BinaryOp::Or,
                is_used(number.clone()),
                was_freed(number.clone()),
                span,
            ));
            new = choose(is_new, number, new);
        }
        let new = self.keep(new, span);
        let is_there = negate(binary(BinaryOp::Eq, first, none.clone(), span));
        self.branch(
            is_there,
            span,
            |fun| {
                fun.emit(StmtKind::Havoc(vec![to.clone()]), span);
                let is_one = negate(binary(BinaryOp::Eq, read(to.clone()), none.clone(), span));
                fun.emit(StmtKind::Assume(is_one), span);
                fun.emit(StmtKind::Assume(negate(is_used(read(to.clone())))), span);
                let is_new = binary(BinaryOp::Eq, read(to.clone()), new, span);
                let fits = binary(BinaryOp::Or, was_freed(read(to.clone())), is_new, span);
                fun.emit(StmtKind::Assume(fits), span);
                fun.assign(mark(pool, read(to.clone()), span), truth(true), span);
            },
            |fun| fun.assign(to.clone(), none.clone(), span),
        );
    }

    /// Gives an object back; it holds nothing any more.
    pub(super) fn free_object(&mut self, stored: &Stored, object: &Expr, span: Span) {
        let Some(pool) = stored.pool else { return };
        for (leaf, var) in stored.leaves.iter().filter(|(leaf, _)| leaf.ty == Type::Lock) {
            for lock in self.elements(leaf, *var, object, span) {
                self.check_free(&lock, span);
            }
        }
        let mut targets = vec![mark(pool, object.clone(), span)];
        let mut values = vec![truth(false)];
        if let Some(freed) = pool.freed {
            targets.push(place(VarRef::Global(freed), vec![object.clone()], &Type::Bool, span));
            values.push(truth(true));
        }
        for (leaf, var) in &stored.leaves {
            if !matches!(leaf.ty, Type::Lock | Type::ThreadId) {
                let held = self.elements(leaf, *var, object, span);
                values.extend(held.iter().map(|_| Fun::any(&leaf.ty, span)));
                targets.extend(held);
            }
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    /// `malloc`, or `calloc`: the address of a new object.
    pub(super) fn allocate(
        &mut self,
        site: Span,
        zero: bool,
        size: Option<&Expr>,
        span: Span,
    ) -> Expr {
        let pointer = self.pointer_type();
        match self.new_object(site, zero, size, span) {
            Some((stored, object)) => self.object_address(&stored, object, span),
            None => int(0, &pointer),
        }
    }

    /// Takes an object of the pool of a call; nothing if it cannot be followed what the call makes.
    pub(super) fn new_object(
        &mut self,
        site: Span,
        zero: bool,
        size: Option<&Expr>,
        span: Span,
    ) -> Option<(Arc<Stored>, Expr)> {
        let pointer = self.pointer_type();
        let Some(stored) = self.lower.stored(Target::Heap(site)) else {
            let reason = self.lower.why_refused(Target::Heap(site));
            self.limit(span, reason);
            return None;
        };
        let assumed = match stored.pool.is_some_and(|pool| pool.any) {
            true => "memory that is asked for is always given",
            false => "memory that is asked for is always given, at the first address that is free",
        };
        self.lower.assumptions.insert(assumed.to_owned());
        if stored.sizes.is_some() {
            self.check_size(&stored, size, span);
        }
        let object = self.make_object(&stored, span);
        let object = read(object);
        if let (Some(sizes), Some(size)) = (stored.sizes, size) {
            let to = place(VarRef::Global(sizes), vec![object.clone()], &pointer, span);
            self.assign(to, size.clone(), span);
        }
        if zero {
            if let Some(telling) = &mut self.lower.program.telling {
                telling.cleared.insert(span);
            }
            for (leaf, var) in &stored.leaves {
                self.clear(leaf, *var, &object, span);
            }
        }
        Some((stored, object))
    }

    /// The address of an object of a pool.
    pub(super) fn object_address(&mut self, stored: &Stored, object: Expr, span: Span) -> Expr {
        let pointer = self.pointer_type();
        let stride = int(stored.pool.map_or(0, |pool| pool.stride), &pointer);
        let by = binary(BinaryOp::Mul, convert(object, &pointer), stride, span);
        let address = binary(BinaryOp::Add, int(stored.base, &pointer), by, span);
        self.keep(address, span)
    }

    /// Checks that there is room for a number of bytes.
    fn check_size(&mut self, stored: &Stored, size: Option<&Expr>, span: Span) {
        let Some(size) = size else {
            return self.limit(span, "an object whose size is a value from outside".to_owned());
        };
        let fits = binary(BinaryOp::Le, size.clone(), int(stored.size, &size.ty), span);
        let reason =
            format!("an object of more than {} bytes, whose size is not constant", stored.size);
        self.branch(fits, span, |_| {}, |fun| fun.limit(span, reason));
    }

    /// Copies all that two objects have in common.
    fn move_object(&mut self, from: (&Stored, &Expr), address: &Expr, span: Span) {
        let (old, object) = from;
        let Some((new, pool)) = self.lower.stored(Target::Heap(span)).and_then(|new| {
            let pool = new.pool?;
            Some((new, pool))
        }) else {
            return;
        };
        let ty = &address.ty;
        let by = binary(BinaryOp::Sub, address.clone(), int(new.base, ty), span);
        let number = binary(BinaryOp::Div, by, int(pool.stride, ty), span);
        let number = self.simple(number, span);
        let size = old.sizes.map(|sizes| {
            let size = place(VarRef::Global(sizes), vec![object.clone()], ty, span);
            self.keep(read(size), span)
        });
        for (leaf, var) in &old.leaves {
            let same =
                |(other, _): &&(Leaf, VarRef)| other.name == leaf.name && other.ty == leaf.ty;
            let Some((other, to)) = new.leaves.iter().find(same).filter(|_| leaf.ty != Type::Lock)
            else {
                let reason = "an object that is moved by `realloc` and holds something else there";
                return self.limit(span, reason.to_owned());
            };
            let from = self.elements(leaf, *var, object, span);
            let to = self.elements(other, *to, &number, span);
            let stride = leaf.dimensions.last().map_or(0, |dimension| dimension.stride);
            for (index, (from, to)) in (0u64..).zip(from.into_iter().zip(to)) {
                // What is beyond the size that was asked for holds nothing.
                let offset = int(leaf.offset + index * stride, ty);
                let is_there = match &size {
                    Some(size) => binary(BinaryOp::Lt, offset, size.clone(), span),
                    None => truth(true),
                };
                self.branch(is_there, span, |fun| fun.assign(to, read(from), span), |_| {});
            }
        }
    }

    fn clear(&mut self, leaf: &Leaf, var: VarRef, object: &Expr, span: Span) {
        if matches!(leaf.ty, Type::Lock) {
            return;
        }
        let targets = self.elements(leaf, var, object, span);
        let values = targets.iter().map(|_| Fun::nothing(&leaf.ty)).collect();
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    /// The places of all scalars of a leaf that one object has.
    fn elements(&self, leaf: &Leaf, var: VarRef, object: &Expr, span: Span) -> Vec<Place> {
        let mut all = vec![vec![object.clone()]];
        for dimension in &leaf.dimensions[1..] {
            let longer = |indices: &Vec<Expr>| {
                let indices = indices.clone();
                (0..dimension.length).map(move |n| {
                    indices.iter().cloned().chain([int(n, &Type::Int)]).collect::<Vec<_>>()
                })
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().map(|indices| place(var, indices, &leaf.ty, span)).collect()
    }

    /// `free`: of nothing but what was made, and once.
    pub(super) fn release_memory(&mut self, arg: &'u c::Expr, span: Span) {
        let targets = self.lower.points.expr(Some(self.id), arg);
        let address = self.scalar(arg);
        let address = self.settled(address, span);
        let address = self.simple(address, span);
        let null = binary(BinaryOp::Eq, address.clone(), int(0, &address.ty), span);
        self.branch(null, span, |_| {}, |fun| fun.free_one_of(&address, targets, None, span));
    }

    /// Frees what is at an address, after all that it holds is copied to another one, if there is one.
    pub(super) fn free_one_of(
        &mut self,
        address: &Expr,
        mut targets: BTreeSet<Target>,
        moved: Option<&Expr>,
        span: Span,
    ) {
        let Some(target) = targets.pop_first() else {
            return self.invalid(Fault::NotMade, span);
        };
        let stored = match target {
            // An object on the stack is not freed.
            Target::Heap(site) if !self.lower.points.on_stack.contains(&site) => {
                self.lower.stored(target)
            }
            _ => None,
        };
        let Some((stored, pool)) = stored.and_then(|stored| Some((stored.clone(), stored.pool?)))
        else {
            return self.free_one_of(address, targets, moved, span);
        };
        let ty = &address.ty;
        let rest = binary(BinaryOp::Sub, address.clone(), int(stored.base, ty), span);
        let stride = int(pool.stride, ty);
        let end = int(u64::from(pool.objects) * pool.stride, ty);
        let within = binary(BinaryOp::Lt, rest.clone(), end, span);
        let exact = binary(BinaryOp::Mod, rest.clone(), stride.clone(), span);
        let exact = binary(BinaryOp::Eq, exact, int(0, ty), span);
        let object = binary(BinaryOp::Div, rest, stride, span);
        self.branch(
            binary(BinaryOp::And, within, exact, span),
            span,
            |fun| {
                let object = fun.simple(object, span);
                let used = read(mark(pool, object.clone(), span));
                let used = fun.local_value(used, span);
                fun.require(used, Fault::FreedBefore, span);
                fun.look_before_free(stored.base, pool, &object, span);
                if let Some(to) = moved {
                    fun.move_object((&stored, &object), to, span);
                }
                fun.free_object(&stored, &object, span);
            },
            |fun| fun.free_one_of(address, targets, moved, span),
        );
    }
}

/// The mark of an object.
pub(super) fn mark(pool: Pool, object: Expr, span: Span) -> Place {
    place(VarRef::Global(pool.used), vec![object], &Type::Bool, span)
}

/// The type of numbers of objects, with one for none.
pub(super) fn number_type(pool: Pool) -> Type {
    selvedge_program::make::range(0, pool.objects)
}
