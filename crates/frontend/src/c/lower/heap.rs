//! # Objects that come and go
//! `malloc` and `free`, and local variables of functions that may be active more than once: one of a pool of so many. Where none is
//! free, a run cannot be followed.

use std::collections::BTreeSet;

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, Place, Span, StmtKind, Type, VarRef};

use super::Lower;
use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use super::memory::{Pool, Stored, place};
use super::points::{MAKERS, Target};
use super::visit::{each_expr, each_part};
use crate::c::typed::{self as c, Callee, ExprKind, FunctionId, StmtKind as CStmt};
use crate::c::types::Type as CType;

impl<'u> Lower<'u> {
    /// The variables of the objects that a call makes.
    pub(super) fn store_heap(&mut self, site: Span) -> Option<Stored> {
        let unit = self.unit;
        let mut uses = Uses { site, types: Vec::new(), size: None, at: None };
        let mut found = None;
        for (number, function) in unit.functions.iter().enumerate() {
            uses.at = Some(FunctionId(number as u32));
            for statement in function.body.iter().flatten() {
                uses.statement(self, statement);
            }
        }
        if let Some(size) = uses.size {
            found = self.heap_type(&uses.types, size);
        }
        let Some(ty) = found else {
            let reason = match uses.size {
                None => "an object whose size is not known before it is made",
                Some(_) => "an object of which it is not known what it holds",
            };
            self.refused.insert(site, reason.to_owned());
            return None;
        };
        let name = match &ty {
            CType::Record(id) => self.shapes.types.record(*id).name.clone(),
            _ => String::new(),
        };
        let name = if name.is_empty() { "heap".to_owned() } else { name };
        self.store_new(&name, &ty, Some(self.options.heap), site)
    }

    /// What an object of so many bytes is, by the types of the pointers that point to it: the largest that fits, as often as it fits.
    fn heap_type(&self, types: &[CType], size: u64) -> Option<CType> {
        let sized = types.iter().filter_map(|ty| Some((self.shapes.types.size(ty)?, ty)));
        let mut sized: Vec<(u64, &CType)> =
            sized.filter(|(bytes, _)| (1..=size).contains(bytes)).collect();
        sized.sort_by_key(|(bytes, _)| *bytes);
        let (bytes, ty) = sized.pop()?;
        match size / bytes {
            1 => Some(ty.clone()),
            more => Some(CType::Array(std::rc::Rc::new(ty.clone()), Some(more))),
        }
    }
}

/// Looks for what is done with the objects of a call.
struct Uses {
    site: Span,
    types: Vec<CType>,
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
                    let known = |number: usize| match &unconverted(args.get(number)?).kind {
                        ExprKind::Int(value) => u64::try_from(*value).ok(),
                        _ => None,
                    };
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

fn unconverted(expr: &c::Expr) -> &c::Expr {
    match &expr.kind {
        ExprKind::Convert(inner) => unconverted(inner),
        _ => expr,
    }
}

impl<'u> Fun<'_, 'u> {
    /// Takes the first object of a pool that is free; its number is in a new variable.
    pub(super) fn make_object(&mut self, stored: &Stored, span: Span) -> Place {
        let Some(pool) = stored.pool else { return self.temp(&Type::Bool, span) };
        let ty = number_type(pool);
        let found = self.temp(&ty, span);
        let is_used = |number: u32| read(mark(pool, int(number, &Type::Int), span));
        let first = (0..pool.objects).rev().fold(int(pool.objects, &ty), |rest, number| {
            choose(is_used(number), rest, int(number, &ty))
        });
        // One step: who looks takes it.
        let any_free = (0..pool.objects).fold(truth(false), |any, number| {
            binary(BinaryOp::Or, any, negate(is_used(number)), span)
        });
        let to = found.clone();
        let take = self.collect(|fun| {
            fun.branch(
                any_free,
                span,
                |fun| {
                    let mark = mark(pool, first.clone(), span);
                    let (targets, values) = (vec![to.clone(), mark], vec![first, truth(true)]);
                    fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
                },
                |fun| fun.assign(to.clone(), int(pool.objects, &ty), span),
            );
        });
        self.emit(StmtKind::Atomic(take), span);
        let full = binary(BinaryOp::Eq, read(found.clone()), int(pool.objects, &ty), span);
        let reason = format!("more than {} objects at once (see `--heap`)", pool.objects);
        self.branch(full, span, |fun| fun.limit(span, reason), |_| {});
        found
    }

    /// Gives an object back; it holds nothing any more.
    pub(super) fn free_object(&mut self, stored: &Stored, object: &Expr, span: Span) {
        let Some(pool) = stored.pool else { return };
        let mut targets = vec![mark(pool, object.clone(), span)];
        let mut values = vec![truth(false)];
        for (leaf, var) in &stored.leaves {
            if leaf.dimensions.len() == 1 && !matches!(leaf.ty, Type::Lock | Type::ThreadId) {
                targets.push(place(*var, vec![object.clone()], &leaf.ty, span));
                values.push(Fun::any(&leaf.ty, span));
            }
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    /// `malloc`, or `calloc`: the address of a new object.
    pub(super) fn allocate(&mut self, site: Span, zero: bool, span: Span) -> Expr {
        let pointer = self.pointer_type();
        let Some(stored) = self.lower.stored(Target::Heap(site)) else {
            let reason = self.lower.why_refused(Target::Heap(site));
            self.limit(span, reason);
            return int(0, &pointer);
        };
        self.lower.assumptions.insert(
            "memory that is asked for is always given, at the first address that is free"
                .to_owned(),
        );
        let object = self.make_object(&stored, span);
        let object = read(object);
        if zero {
            for (leaf, var) in &stored.leaves {
                self.clear(leaf, *var, &object, span);
            }
        }
        let stride = int(stored.pool.map_or(0, |pool| pool.stride), &pointer);
        let by = binary(BinaryOp::Mul, convert(object, &pointer), stride, span);
        let address = binary(BinaryOp::Add, int(stored.base, &pointer), by, span);
        self.keep(address, span)
    }

    fn clear(&mut self, leaf: &super::memory::Leaf, var: VarRef, object: &Expr, span: Span) {
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
        if matches!(leaf.ty, Type::Lock) {
            return;
        }
        let targets = all.into_iter().map(|indices| place(var, indices, &leaf.ty, span));
        let targets: Vec<Place> = targets.collect();
        let values = targets.iter().map(|_| Fun::nothing(&leaf.ty)).collect();
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    /// `free`: of nothing but what was made, and once.
    pub(super) fn release_memory(&mut self, arg: &'u c::Expr, span: Span) {
        let targets = self.lower.points.expr(Some(self.id), arg);
        let address = self.scalar(arg);
        let address = self.settled(address, span);
        let address = self.simple(address, span);
        let null = binary(BinaryOp::Eq, address.clone(), int(0, &address.ty), span);
        self.branch(null, span, |_| {}, |fun| fun.free_one_of(&address, targets, span));
    }

    fn free_one_of(&mut self, address: &Expr, mut targets: BTreeSet<Target>, span: Span) {
        let Some(target) = targets.pop_first() else { return self.invalid(span) };
        let stored = match target {
            Target::Heap(_) => self.lower.stored(target),
            _ => None,
        };
        let Some((stored, pool)) = stored.and_then(|stored| Some((stored.clone(), stored.pool?)))
        else {
            return self.free_one_of(address, targets, span);
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
                fun.require(used, span);
                fun.look_before_free(stored.base, pool, &object, span);
                fun.free_object(&stored, &object, span);
            },
            |fun| fun.free_one_of(address, targets, span),
        );
    }
}

/// The mark of an object.
pub(super) fn mark(pool: Pool, object: Expr, span: Span) -> Place {
    place(VarRef::Global(pool.used), vec![object], &Type::Bool, span)
}

/// The type of numbers of objects, with one for none.
fn number_type(pool: Pool) -> Type {
    selvedge_program::make::range(0, pool.objects)
}
