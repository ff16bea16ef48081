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
        if !self.lower.options.counts_sleepers {
            if let Some(telling) = self.lower.program.telling.as_mut().filter(|_| !timed) {
                telling.wakes.insert(span);
            }
            self.at_place(&lock, &c, 0, span, &mut |fun, at| {
                fun.release(&at.place, span);
                fun.emit(StmtKind::Acquire(at.place), span);
            });
            return;
        }
        // Whose time is over and who is called at once is left open.
        let by_itself = timed.then(|| self.either(span));
        let sleep = |fun: &mut Self, p: &[Place], lock: &Place| {
            let condition =
                selvedge_program::sync::Condition { sleeping: p[0].clone(), called: p[1].clone() };
            let steps = match &by_itself {
                Some(by_itself) => condition.wait_in_time(lock.clone(), by_itself.clone(), span),
                None => condition.wait(lock.clone(), span),
            };
            for kind in steps {
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

    /// Takes a condition variable away, when all who were called have left.
    pub(super) fn take_condition_away(&mut self, condition: &'u c::Expr, span: Span) {
        if !self.lower.options.counts_sleepers {
            return;
        }
        self.parts(condition, 2, span, &mut |fun, p| {
            let [sleeping, called] = p else { return };
            fun.check_nobody(
                sleeping,
                "a condition variable that is taken away while a thread waits for it",
                span,
            );
            fun.await_nobody(called, span);
        });
    }

    /// Waits until a counter is 0.
    pub(super) fn await_nobody(&mut self, counter: &Place, span: Span) {
        let count = read(counter.clone());
        let nobody = binary(BinaryOp::Eq, count.clone(), int(0, &count.ty), span);
        self.emit(StmtKind::Assume(nobody), span);
    }

    /// Whether a counter of those who wait is 0, as it has to be; otherwise a run cannot be followed.
    pub(super) fn check_nobody(&mut self, counter: &Place, reason: &str, span: Span) {
        let count = self.keep(read(counter.clone()), span);
        let nobody = binary(BinaryOp::Eq, count.clone(), int(0, &count.ty), span);
        self.branch(nobody, span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
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
