//! # What a pointer points to, in a run
//! The address is compared with the scalars of the right size in all objects that it may point to (`points`); what is found is read or written as if it had been named.

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span, StmtKind, Type, VarRef};

use super::access::{Access, At, PointedScalar, moved, strip};
use super::arithmetic;
use super::arithmetic::{binary, convert, int, negate};
use super::faults::Fault;
use super::function::Fun;
use super::memory::{Leaf, Stored, place};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
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
                        let indices = self.within(leaf, indices, span);
                        let place = place(*var, indices, &leaf.ty, span);
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
                            found.push(PointedScalar {
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

    /// Indices of a named array. Where memory is not asked about, a run ends where one of them is outside; otherwise that is a violation by itself.
    pub(super) fn within(&mut self, leaf: &Leaf, indices: &[Expr], span: Span) -> Vec<Expr> {
        if self.lower.options.memory {
            return indices.to_vec();
        }
        let ty = self.pointer_type();
        let lengths = leaf.dimensions.iter().map(|dimension| dimension.length);
        let mut all = Vec::new();
        for (index, length) in indices.iter().zip(lengths) {
            let index = self.local_value(index.clone(), span);
            let inside = binary(BinaryOp::Lt, convert(index.clone(), &ty), int(length, &ty), span);
            if arithmetic::known_truth(&inside) != Some(true) {
                self.require(inside, Fault::Index, span);
            }
            all.push(index);
        }
        all
    }

    pub(super) fn one_of(
        &mut self,
        address: &Expr,
        mut found: Vec<PointedScalar>,
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
                |fun| {
                    let null = binary(BinaryOp::Eq, address.clone(), int(0, &address.ty), span);
                    fun.branch(
                        null,
                        span,
                        |fun| fun.invalid(Fault::Null, span),
                        |fun| fun.invalid(Fault::Outside, span),
                    );
                },
            );
        }
        let PointedScalar { base, leaf, var, used, sizes } = found.remove(0);
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
                fun.require(there, Fault::Gone, span);
            }
            // What is beyond the size that was asked for is not there.
            if let Some(((sizes, stride), object)) = bound {
                let ty = &address.ty;
                let size =
                    fun.keep(read(place(VarRef::Global(sizes), vec![object], ty, span)), span);
                let from = binary(BinaryOp::Sub, address.clone(), int(base, ty), span);
                let from = binary(BinaryOp::Mod, from, int(stride, ty), span);
                let end = binary(BinaryOp::Add, from, int(bytes, ty), span);
                fun.require(binary(BinaryOp::Le, end, size, span), Fault::Outside, span);
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
}

/// Whether an address is inside of an object, or of one of a pool.
pub(super) fn is_inside(address: &Expr, stored: &Stored, span: Span) -> Expr {
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
pub(super) fn find(address: &Expr, base: u64, leaf: &Leaf, span: Span) -> (Expr, Vec<Expr>) {
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
