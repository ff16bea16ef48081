//! # Read-write locks, barriers and semaphores
//! Each is a few counters that are tested and changed in one step.

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, Place, Span, StmtKind, Type};

use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use super::points::direct_address;
use super::starting::lives;
use super::synchronisation::{EAGAIN, EBUSY, EINVAL, ETIMEDOUT};
use crate::c::typed as c;
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// Read-write locks, barriers and semaphores.
    pub(super) fn counting(
        &mut self,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        let first = args.first();
        match name {
            "pthread_rwlock_init" | "pthread_rwlock_destroy" => {
                // What was never made holds anything, unless it lives as long as the program.
                let stays = direct_address(first?).is_some_and(lives);
                if name.ends_with("destroy") || stays {
                    self.check_unlocked(first?, span);
                }
                self.set_parts(first?, &[0, 0], span);
                zero()
            }
            "pthread_rwlock_rdlock" => {
                self.parts(first?, 2, span, &mut |fun, p| {
                    fun.section(span, |fun| {
                        fun.emit(StmtKind::Assume(negate(read(p[1].clone()))), span);
                        fun.add(&p[0], 1, span);
                    });
                });
                zero()
            }
            "pthread_rwlock_wrlock" => {
                self.parts(first?, 2, span, &mut |fun, p| {
                    fun.section(span, |fun| {
                        fun.emit(StmtKind::Assume(fun.is_free(p, span)), span);
                        fun.assign(p[1].clone(), truth(true), span);
                    });
                });
                zero()
            }
            "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_timedrdlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_clockrdlock"
            | "pthread_rwlock_clockwrlock" => {
                let busy = if name.contains("try") { EBUSY } else { ETIMEDOUT };
                let writes = name.ends_with("wrlock");
                let taken = self.temp(&Type::Bool, span);
                self.parts(first?, 2, span, &mut |fun, p| {
                    let free =
                        if writes { fun.is_free(p, span) } else { negate(read(p[1].clone())) };
                    fun.section(span, |fun| {
                        fun.assign(taken.clone(), free, span);
                        fun.branch(
                            read(taken.clone()),
                            span,
                            |fun| match writes {
                                true => fun.assign(p[1].clone(), truth(true), span),
                                false => fun.add(&p[0], 1, span),
                            },
                            |_| {},
                        );
                    });
                });
                Some(
                    result
                        .iter()
                        .map(|ty| choose(read(taken.clone()), int(0, ty), int(busy, ty)))
                        .collect(),
                )
            }
            "pthread_rwlock_unlock" => {
                self.parts(first?, 2, span, &mut |fun, p| {
                    // Who writes is alone: if somebody does, it is this thread.
                    let writes = read(p[1].clone());
                    let readers = read(p[0].clone());
                    let fewer = binary(BinaryOp::Sub, readers.clone(), int(1, &readers.ty), span);
                    let held = binary(BinaryOp::Gt, readers.clone(), int(0, &readers.ty), span);
                    let held = binary(BinaryOp::Or, writes.clone(), held, span);
                    fun.section(span, |fun| {
                        let reason = "a read-write lock is unlocked that nobody holds";
                        fun.misuse(held, reason, span);
                        let values = vec![choose(writes, readers, fewer), truth(false)];
                        fun.emit(
                            StmtKind::Assign { targets: p.to_vec(), values, constrain: None },
                            span,
                        );
                    });
                });
                zero()
            }
            "sem_init" => {
                let values = self.scalars(&[args.get(2)?]);
                let value = values.into_iter().next()?;
                self.parts(first?, 1, span, &mut |fun, p| {
                    let value = convert(value.clone(), &p[0].ty);
                    fun.assign(p[0].clone(), value, span);
                });
                zero()
            }
            "sem_wait" => {
                self.parts(first?, 1, span, &mut |fun, p| {
                    let count = read(p[0].clone());
                    let some = binary(BinaryOp::Gt, count.clone(), int(0, &count.ty), span);
                    fun.section(span, |fun| {
                        fun.emit(StmtKind::Assume(some), span);
                        fun.add(&p[0], -1, span);
                    });
                });
                zero()
            }
            "sem_trywait" | "sem_timedwait" | "sem_clockwait" => {
                let taken = self.temp(&Type::Bool, span);
                self.parts(first?, 1, span, &mut |fun, p| {
                    let count = read(p[0].clone());
                    let some = binary(BinaryOp::Gt, count.clone(), int(0, &count.ty), span);
                    fun.section(span, |fun| {
                        fun.assign(taken.clone(), some, span);
                        fun.branch(
                            read(taken.clone()),
                            span,
                            |fun| fun.add(&p[0], -1, span),
                            |_| {},
                        );
                    });
                });
                let error = if name == "sem_trywait" { EAGAIN } else { ETIMEDOUT };
                self.branch(read(taken.clone()), span, |_| {}, |fun| fun.set_errno(error, span));
                Some(
                    result
                        .iter()
                        .map(|ty| choose(read(taken.clone()), int(0, ty), int(-1, ty)))
                        .collect(),
                )
            }
            "sem_post" => {
                self.parts(first?, 1, span, &mut |fun, p| fun.add(&p[0], 1, span));
                zero()
            }
            "sem_getvalue" => {
                let to = self.pointed(args.get(1)?);
                let int_type = CType::Int { bits: 32, signed: true, rank: 2 };
                let mut count = None;
                self.parts(first?, 1, span, &mut |fun, p| {
                    count = Some(fun.keep(read(p[0].clone()), span))
                });
                self.store(&to, &int_type, &count?, span);
                zero()
            }
            "pthread_barrier_init" => {
                let parties = self.scalar(args.get(2)?);
                let parties = self.settled(parties, span);
                let some = negate(binary(BinaryOp::Eq, parties.clone(), int(0, &parties.ty), span));
                let some = self.keep(some, span);
                let barrier = first?;
                let make = self.collect(|fun| {
                    fun.parts(barrier, 3, span, &mut |fun, p| {
                        let parties = convert(parties.clone(), &p[2].ty);
                        let values = vec![int(0, &p[0].ty), int(0, &p[1].ty), parties];
                        fun.emit(
                            StmtKind::Assign { targets: p.to_vec(), values, constrain: None },
                            span,
                        );
                    });
                });
                self.branch(some.clone(), span, |fun| fun.append(make), |_| {});
                let says = |ty: &Type| choose(some.clone(), int(0, ty), int(EINVAL, ty));
                Some(result.iter().map(|ty| says(ty)).collect())
            }
            "pthread_barrier_destroy" => {
                // Whoever passed may still be on its way out.
                self.parts(first?, 3, span, &mut |fun, p| {
                    let [arrived, leaving, _] = p else { return };
                    let reason = "a barrier that is taken away while a thread waits at it";
                    fun.check_nobody(arrived, reason, span);
                    fun.await_nobody(leaving, span);
                });
                zero()
            }
            "pthread_barrier_wait" => {
                let last = self.temp(&Type::Bool, span);
                self.parts(first?, 3, span, &mut |fun, p| fun.arrive(p, &last, span));
                Some(
                    result
                        .iter()
                        .map(|ty| choose(read(last.clone()), int(-1, ty), int(0, ty)))
                        .collect(),
                )
            }
            _ => None,
        }
    }

    /// Whether a read-write lock that is made anew or taken away is free, as it has to be.
    pub(super) fn check_unlocked(&mut self, lock: &'u c::Expr, span: Span) {
        self.parts(lock, 2, span, &mut |fun, p| {
            let free = fun.is_free(p, span);
            let free = fun.keep(free, span);
            let reason =
                "a read-write lock that is made anew or taken away while a thread holds it";
            fun.branch(free, span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
        });
    }

    /// Arrives at a barrier, when all of the last time have left, and goes on when enough have arrived.
    pub(super) fn arrive(&mut self, p: &[Place], last: &Place, span: Span) {
        let [arrived, leaving, parties] = p else { return };
        let count = &arrived.ty;
        let there = binary(BinaryOp::Add, read(arrived.clone()), int(1, count), span);
        let is_last = binary(BinaryOp::Ge, there.clone(), read(parties.clone()), span);
        self.section(span, |fun| {
            let all_left = binary(BinaryOp::Eq, read(leaving.clone()), int(0, count), span);
            fun.emit(StmtKind::Assume(all_left), span);
            let targets = vec![arrived.clone(), leaving.clone(), last.clone()];
            let values = vec![
                choose(is_last.clone(), int(0, count), there),
                choose(is_last.clone(), read(parties.clone()), int(0, count)),
                is_last,
            ];
            fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
        });
        self.section(span, |fun| {
            let free = binary(BinaryOp::Gt, read(leaving.clone()), int(0, count), span);
            fun.emit(StmtKind::Assume(free), span);
            fun.add(leaving, -1, span);
        });
    }

    pub(super) fn is_free(&self, p: &[Place], span: Span) -> Expr {
        let readers = read(p[0].clone());
        let none = binary(BinaryOp::Eq, readers.clone(), int(0, &readers.ty), span);
        binary(BinaryOp::And, negate(read(p[1].clone())), none, span)
    }
}
