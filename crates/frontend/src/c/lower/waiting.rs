//! # Conditions, and what happens once
//! `pthread_cond_*` and `pthread_once`, with what `threads.h` calls the same things.

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Place, Span, StmtKind, Type};

use super::arithmetic::{binary, choose, int, negate};
use super::function::Fun;
use super::points::Target;
use super::synchronisation::opaque;
use crate::c::typed::{self as c, FunctionId};

impl<'u> Fun<'_, 'u> {
    pub(super) fn wait(
        &mut self,
        condition: &'u c::Expr,
        mutex: &'u c::Expr,
        timed: bool,
        span: Span,
    ) {
        self.lower.waits = true;
        let (lock, c) = (self.pointed(mutex), opaque(mutex));
        if !self.lower.options.counts_sleepers || timed {
            if let Some(telling) = self.lower.program.telling.as_mut().filter(|_| !timed) {
                telling.wakes.insert(span);
            }
            self.at_place(&lock, &c, 0, span, &mut |fun, at| {
                fun.release(&at.place, span);
                fun.emit(StmtKind::Acquire(at.place), span);
            });
            return;
        }
        let sleep = |fun: &mut Self, p: &[Place], lock: &Place| {
            let condition =
                selvedge_program::sync::Condition { sleeping: p[0].clone(), called: p[1].clone() };
            for kind in condition.wait(lock.clone(), span) {
                fun.emit(kind, span);
            }
        };
        let access = self.pointed(condition);
        let kind = opaque(condition);
        self.at_place(&lock, &c, 0, span, &mut |fun, at| {
            fun.parts_of(&access, &kind, 2, span, &mut Vec::new(), &mut |fun, p| {
                sleep(fun, p, &at.place)
            });
        });
    }

    pub(super) fn signal(&mut self, condition: &'u c::Expr, all: bool, span: Span) {
        if !self.lower.options.counts_sleepers {
            return;
        }
        self.parts(condition, 2, span, &mut |fun, p| {
            let condition =
                selvedge_program::sync::Condition { sleeping: p[0].clone(), called: p[1].clone() };
            let kind = if all { condition.notify_all(span) } else { condition.notify(span) };
            fun.emit(kind, span);
        });
    }

    pub(super) fn once(&mut self, flag: &'u c::Expr, function: &'u c::Expr, span: Span) {
        let targets = self.lower.points.expr(Some(self.id), function);
        let first = self.temp(&Type::Bool, span);
        self.parts(flag, 1, span, &mut |fun, p| {
            let state = read(p[0].clone());
            let fresh = binary(BinaryOp::Eq, state.clone(), int(0, &state.ty), span);
            let running = binary(BinaryOp::Eq, state.clone(), int(1, &state.ty), span);
            fun.section(span, |fun| {
                fun.emit(StmtKind::Assume(negate(running)), span);
                let targets = vec![first.clone(), p[0].clone()];
                let next = choose(fresh.clone(), int(1, &state.ty), state.clone());
                fun.emit(
                    StmtKind::Assign { targets, values: vec![fresh, next], constrain: None },
                    span,
                );
            });
        });
        let functions: Vec<FunctionId> = (targets.into_iter())
            .filter_map(|target| match target {
                Target::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        let body = self.collect(|fun| {
            match functions.as_slice() {
                [function] => drop(fun.call_with(*function, Vec::new(), span)),
                _ => fun.limit(span, "a function to be called once that is not known".to_owned()),
            }
            fun.parts(flag, 1, span, &mut |fun, p| {
                fun.assign(p[0].clone(), int(2, &p[0].ty), span)
            });
        });
        self.branch(read(first), span, |fun| fun.append(body), |_| {});
    }
}
