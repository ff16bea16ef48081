//! # Arrays whose length is not constant
//!
//! **Question.** `int a[n];` makes room for as many elements as `n` says when a run gets there. When does that room go away?
//!
//! **Idea.** It is an object of a pool, as one of `malloc` is, with a size of its own. A variable of the function says which one; it goes away where the function returns, and where
//! its declaration is reached again, since the block that declares it was left before that. So a function has one at a time for each declaration.
//!
//! **Claim.** Where memory is asked about, who still points to an array that is gone is noticed, as after `free`; between the end of its block and its next declaration it would not be, so that
//! a block is not followed that declares such an array whose address may be kept when the block ends.

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span};

use super::arithmetic::{binary, int, negate};
use super::function::Fun;
use super::heap::number_type;
use super::points::Target;
use super::visit::{each_expr, each_part};
use crate::c::typed::{self as c, Callee, ExprKind, VARYING};

/// The call that makes room for an array whose length is not constant, if a first value is that.
pub(super) fn varying_site(value: &c::Expr) -> Option<Span> {
    match &value.kind {
        ExprKind::Convert(inner) => varying_site(inner),
        ExprKind::Call(Callee::Builtin(name), _) if name == VARYING => Some(value.span),
        _ => None,
    }
}

impl<'u> Fun<'_, 'u> {
    /// Gives each array whose length is not constant a variable that says which object it is: none at first.
    pub(super) fn find_varying(&mut self, function: &'u c::Function) {
        let mut sites = Vec::new();
        for statement in function.body.iter().flatten() {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |inner| {
                    if let ExprKind::Call(..) = &inner.kind {
                        sites.extend(varying_site(inner));
                    }
                });
            });
        }
        for site in sites {
            let stored = self.lower.stored(Target::Heap(site));
            let Some(pool) = stored.and_then(|stored| stored.pool) else { continue };
            let ty = number_type(pool);
            let number = self.temp(&ty, site);
            self.assign(number.clone(), int(pool.objects, &ty), site);
            self.varying.insert(site, number);
        }
    }

    /// Makes room for such an array; what it was before is gone.
    pub(super) fn made_varying(&mut self, expr: &'u c::Expr, args: &'u [c::Expr]) -> Expr {
        let span = expr.span;
        let size = self.wanted_size(args, span);
        self.free_varying(span, span);
        let made = self.new_object(span, false, size.as_ref(), span);
        match (made, self.varying.get(&span).cloned()) {
            (Some((stored, object)), Some(number)) => {
                self.assign(number, object.clone(), span);
                self.object_address(&stored, object, span)
            }
            _ => int(0, &self.pointer_type()),
        }
    }

    /// Gives back all that there is where the function returns.
    pub(super) fn free_all_varying(&mut self, span: Span) {
        let sites: Vec<Span> = self.varying.keys().copied().collect();
        for site in sites {
            self.free_varying(site, span);
        }
    }

    /// Gives back the object of a declaration, if there is one.
    fn free_varying(&mut self, site: Span, span: Span) {
        let Some(number) = self.varying.get(&site).cloned() else { return };
        let Some(stored) = self.lower.stored(Target::Heap(site)) else { return };
        let Some(pool) = stored.pool else { return };
        let none = int(pool.objects, &number_type(pool));
        let is_there = negate(binary(BinaryOp::Eq, read(number.clone()), none.clone(), span));
        self.branch(
            is_there,
            span,
            |fun| {
                fun.free_object(&stored, &read(number.clone()), span);
                fun.assign(number, none, span);
            },
            |_| {},
        );
    }
}
