//! # Two rounds at once
//! From its keyframe to the end of the stem a thread does each step in two rounds: now, and again
//! K2 rounds later. It is the same step: what it computes from shared variables, for its locals
//! and for its way through the text, has to be the same in both. What it writes is written to both.
//!
//! ```text
//! assume y[k] == y[again];
//! x[k] := y[k] + 1;
//! x[again] := x[k];
//! ```
//!
//! Outside of these rounds `again` is `k`, and nothing is asked or done twice.

use super::super::body::{Body, silent};
use super::super::shared::Moment;
use super::{Written, element_of, elements};
use crate::explicit::temporary;
use crate::make::{self, assign, equal, read, stmt};
use crate::visit::{self, StepParts};
use crate::{AtomicOp, Block, Cond, Expr, ExprKind, Place, Span, Stmt, StmtKind, Type, VarRef};

impl Body<'_> {
    /// Whether a thread may act in two rounds at once.
    pub fn repeats(&self) -> bool {
        self.around.shared.lasso.as_ref().is_some_and(|lasso| lasso.again().is_some())
    }

    /// Requires that expressions over shared variables have the same values now and again.
    pub fn agree<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>, span: Span) -> Block {
        let mut out = Vec::new();
        if self.repeats() {
            for e in exprs {
                self.agree_on(e, silent(span), &mut out);
            }
        }
        out
    }

    fn agree_on(&self, e: &Expr, mark: Span, out: &mut Block) {
        let shared = self.around.shared;
        let reads_shared = visit::any_part(e, &|part| match &part.kind {
            ExprKind::Read(place) | ExprKind::Primed(place) => shared.is_shared(place),
            _ => false,
        });
        if !reads_shared {
            return;
        }
        // What is chosen is chosen once; where there is a choice, nothing can go wrong, and the
        // operands can be looked at one by one.
        let chooses = visit::any_part(e, &|part| {
            visit::is_choice(&part.kind) || matches!(part.kind, ExprKind::Primed(_))
        });
        if chooses {
            visit::operands(e).into_iter().for_each(|operand| self.agree_on(operand, mark, out));
            if let ExprKind::Read(place) = &e.kind {
                self.agree_on_all_of(place, mark, out);
            }
            return;
        }
        let (now, again) = (shared.expr_in(e, Moment::Now), shared.expr_in(e, Moment::Again));
        out.push(stmt(StmtKind::Assume(equal(now, again)), mark));
    }

    /// That a shared array is the same now and again: which element is read is known only when the step is made, as in
    /// `x := * constrain a['x]`.
    fn agree_on_all_of(&self, place: &Place, mark: Span, out: &mut Block) {
        let shared = self.around.shared;
        let VarRef::Global(id) = place.var else { return };
        let (ty, copied) = (&shared.globals[id.index()].ty, shared.is_copied(id));
        let ty = match ty {
            Type::Array { element, .. } if copied => element,
            ty => ty,
        };
        for element in elements(ty).iter().filter(|_| shared.is_shared(place)) {
            let element = element_of(place.var, ty, element);
            let [now, again] =
                [Moment::Now, Moment::Again].map(|moment| read(shared.place_in(&element, moment)));
            out.push(stmt(StmtKind::Assume(equal(now, again)), mark));
        }
    }

    /// Requires that a lock is the same one, and held or not, now and again.
    pub fn agree_on_lock(&self, lock: &Place, span: Span) -> Block {
        let mut out = self.agree(&lock.indices, span);
        let shared = self.around.shared;
        if self.repeats() && shared.is_shared(lock) {
            let [now, again] = [Moment::Now, Moment::Again]
                .map(|moment| shared.is_free(shared.place_in(lock, moment)));
            out.push(stmt(StmtKind::Assume(equal(now, again)), silent(span)));
        }
        out
    }

    /// Requires that the thread holds a lock again that it frees.
    pub fn mine_again(&self, lock: &Place, span: Span) -> Option<Stmt> {
        let shared = self.around.shared;
        let again = shared.place_in(lock, Moment::Again);
        let mine = make::not(shared.is_not_mine(again));
        (shared.owners && self.repeats()).then(|| stmt(StmtKind::Assume(mine), silent(span)))
    }

    /// Requires that a test comes out the same now and again.
    pub fn agree_on_test(&self, cond: &Cond, span: Span) -> Block {
        match cond {
            Cond::Expr(cond) => self.agree([cond], span),
            Cond::Attempt { op, .. } => self.agree_on_operation(op, span),
        }
    }

    pub fn agree_on_operation(&self, op: &AtomicOp, span: Span) -> Block {
        let mut out = self.agree(&op.place().indices, span);
        match op {
            AtomicOp::TryLock(lock) => out = self.agree_on_lock(lock, span),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let same = equal(read(place.clone()), expected.clone());
                out.extend(self.agree([&same, new], span));
            }
            AtomicOp::FetchAndAdd { place, amount } => {
                out.extend(self.agree([&read(place.clone()), amount], span));
            }
        }
        out
    }

    /// Requires that a condition holds, now and again.
    pub fn both(&self, cond: &Expr, span: Span) -> Block {
        let shared = self.around.shared;
        let mut out = vec![stmt(StmtKind::Assume(shared.expr(cond)), span)];
        if self.repeats() {
            let again = shared.expr_in(cond, Moment::Again);
            if visit::any_part(
                cond,
                &|part| matches!(&part.kind, ExprKind::Read(place) if shared.is_shared(place)),
            ) {
                out.insert(0, stmt(StmtKind::Assume(again), silent(span)));
            }
        }
        out
    }

    /// Keeps the indices of places that a step changes: what comes before it, and the places.
    pub fn fixed_places(&mut self, places: &[Place], span: Span) -> (Block, Vec<Place>) {
        let mut before = Vec::new();
        let mut fixed = places.to_vec();
        if !self.repeats() {
            return (before, fixed);
        }
        for place in &mut fixed {
            if !self.around.shared.is_shared(place) {
                continue;
            }
            for index in &mut place.indices {
                let changes = visit::any_part(index, &|part| match &part.kind {
                    ExprKind::Read(read) => places.iter().any(|p| p.var == read.var),
                    _ => false,
                });
                if changes {
                    let kept = temporary(&mut self.locals, "index", &index.ty);
                    let value = self.around.shared.expr(index);
                    before.push(assign(vec![(kept.clone(), value)], silent(span)));
                    *index = read(kept);
                }
            }
        }
        (before, fixed)
    }

    /// What follows on a step that writes places: they are written again, and who waits for them is
    /// looked after.
    pub fn wrote(&self, places: &[Place], written: &Written, span: Span) -> Block {
        let shared = self.around.shared;
        let mut out = Vec::new();
        let Some(lasso) = &shared.lasso else { return out };
        if self.repeats() {
            for place in places.iter().filter(|place| shared.is_shared(place)) {
                let mut again = shared.place_in(place, Moment::Now);
                let now = read(again.clone());
                if let (Some(first), Some(round)) = (again.indices.first_mut(), lasso.again()) {
                    *first = read(round);
                }
                out.push(assign(vec![(again, now)], silent(span)));
            }
        }
        if !self.is_inside(span) {
            out.extend(lasso.after_write(shared, written, silent(span)));
        }
        out
    }
}

impl Written {
    /// The writes of a statement, without those of statements inside of it.
    pub fn of(kind: &StmtKind) -> Self {
        let global = |place: &&Place| match place.var {
            VarRef::Global(id) => Some(id),
            VarRef::Local(_) => None,
        };
        Written {
            globals: StepParts::of(kind).written.iter().filter_map(global).collect(),
            takes: !matches!(kind, StmtKind::Release(_)),
            frees: !matches!(kind, StmtKind::Acquire(_) | StmtKind::Attempt { .. }),
        }
    }
}
