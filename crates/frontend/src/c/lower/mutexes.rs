//! # Mutexes
//! What locks them, and who may. A normal mutex is a lock of the program. One that is recursive or checks for errors knows its owner as well, in programs that
//! have such mutexes: who holds it already locks it once more, or is told so. How many of these a thread holds is counted: who ends with one keeps it for ever.
//!
//! **Undefined** is to make a mutex anew or to take it away while somebody holds it: such a run cannot be followed.

use selvedge_program::make::{read, truth};
use selvedge_program::{AtomicOp, BinaryOp, Cond, Expr, Place, Span, StmtKind, Type};

use super::Limit;
use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use super::synchronisation::{EBUSY, ETIMEDOUT, THRD_TIMEDOUT, is_null, opaque};
use super::threads::NUMBER;
use crate::c::typed as c;
use crate::c::types::{Opaque, Type as CType};

/// Errors of functions that refuse: the caller is not the owner, and the mutex is held by this thread.
const EPERM: i32 = 1;
const EDEADLK: i32 = 35;

/// The kind of a mutex that its owner may lock again.
const RECURSIVE: i32 = 1;

impl<'u> Fun<'_, 'u> {
    /// Lowers a function on a mutex or a spin lock; `None` if the name is not known.
    pub(super) fn mutex(
        &mut self,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        let first = args.first();
        match name {
            "pthread_mutex_lock" | "pthread_spin_lock" | "mtx_lock" => {
                self.lock(first?, result, span)
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                self.trylock(first?, result, EBUSY, span)
            }
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => {
                self.trylock(first?, result, ETIMEDOUT, span)
            }
            // What `threads.h` says where a mutex is taken, and where the time is over.
            "mtx_trylock" => self.trylock(first?, result, 1, span),
            "mtx_timedlock" => self.trylock(first?, result, THRD_TIMEDOUT, span),
            "pthread_mutex_unlock" | "pthread_spin_unlock" | "mtx_unlock" => {
                self.unlock(first?, result, span)
            }
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" => {
                let kind = match name {
                    "pthread_mutex_init" if self.lower.shapes.knows_owners => {
                        self.kind_of_attribute(args.get(1)?, span)
                    }
                    "mtx_init" => {
                        let kind = self.scalar(args.get(1)?);
                        let kind = convert(self.local_value(kind, span), &NUMBER);
                        binary(BinaryOp::BitAnd, kind, int(RECURSIVE, &NUMBER), span)
                    }
                    _ => int(0, &NUMBER),
                };
                self.renew(first?, Some(kind), span);
                zero()
            }
            "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" => {
                self.renew(first?, None, span);
                zero()
            }
            "pthread_mutexattr_settype" => {
                let kind = self.scalar(args.get(1)?);
                let kind = convert(self.local_value(kind, span), &NUMBER);
                self.set_attribute(first?, &kind, span);
                zero()
            }
            "pthread_mutexattr_init" => {
                self.set_attribute(first?, &int(0, &NUMBER), span);
                zero()
            }
            "pthread_mutexattr_destroy"
            | "pthread_mutexattr_setpshared"
            | "pthread_mutexattr_setprotocol" => zero(),
            _ => None,
        }
    }

    fn set_attribute(&mut self, attribute: &'u c::Expr, kind: &Expr, span: Span) {
        if self.lower.shapes.knows_owners {
            self.parts(attribute, 1, span, &mut |fun, p| {
                fun.assign(p[0].clone(), kind.clone(), span);
            });
        }
    }

    fn kind_of_attribute(&mut self, attribute: &'u c::Expr, span: Span) -> Expr {
        let kind = self.temp(&NUMBER, span);
        let none = |fun: &mut Self| fun.assign(kind.clone(), int(0, &NUMBER), span);
        if is_null(attribute) {
            none(self);
            return read(kind);
        }
        self.parts(attribute, 1, span, &mut |fun, p| {
            fun.assign(kind.clone(), read(p[0].clone()), span);
        });
        read(kind)
    }

    /// Makes a mutex anew, with its kind, or takes it away.
    fn renew(&mut self, mutex: &'u c::Expr, kind: Option<Expr>, span: Span) {
        let count = self.parts_of_lock(mutex);
        self.parts(mutex, count, span, &mut |fun, p| {
            fun.check_free(&p[0], span);
            if let ([_, k, owner, depth], Some(kind)) = (p, &kind) {
                let targets = vec![k.clone(), owner.clone(), depth.clone()];
                let values = vec![kind.clone(), int(0, &NUMBER), int(0, &depth.ty)];
                fun.emit(StmtKind::Assign { targets, values, constrain: None }, span);
            }
        });
    }

    /// Whether a mutex that is made anew or taken away is free, as it has to be.
    pub(super) fn check_free(&mut self, lock: &Place, span: Span) {
        let free = self.temp(&Type::Bool, span);
        self.section(span, |fun| {
            let then = fun.collect(|fun| {
                fun.emit(StmtKind::Release(lock.clone()), span);
                fun.assign(free.clone(), truth(true), span);
            });
            let otherwise = fun.collect(|fun| fun.assign(free.clone(), truth(false), span));
            let cond = Cond::Attempt { op: AtomicOp::TryLock(lock.clone()), negated: false };
            fun.emit(StmtKind::If { cond, then, otherwise }, span);
        });
        let reason = "a mutex that is made anew or taken away while a thread holds it";
        self.branch(read(free), span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
    }

    /// How many parts a mutex has; those of a spin lock know no owner.
    fn parts_of_lock(&self, mutex: &c::Expr) -> usize {
        match opaque(mutex) {
            CType::Opaque(Opaque::Mutex) if self.lower.shapes.knows_owners => 4,
            _ => 1,
        }
    }

    /// Whether a mutex knows its owner, and whether this thread is that.
    fn ownership(&mut self, p: &[Place], span: Span) -> (Expr, Expr) {
        let kind = self.keep(read(p[1].clone()), span);
        let usual =
            [0, 3].map(|usual| binary(BinaryOp::Eq, kind.clone(), int(usual, &NUMBER), span));
        let [normal, adaptive] = usual;
        let special = negate(binary(BinaryOp::Or, normal, adaptive, span));
        let special = self.keep(special, span);
        let owner = self.keep(read(p[2].clone()), span);
        let own = binary(BinaryOp::Eq, owner, self.own_name(span), span);
        let own = binary(BinaryOp::And, special.clone(), own, span);
        (special, self.keep(own, span))
    }

    fn own_name(&self, span: Span) -> Expr {
        binary(BinaryOp::Add, self.own_number(), int(1, &NUMBER), span)
    }

    fn is_recursive(&mut self, p: &[Place], span: Span) -> Expr {
        let kind = self.keep(read(p[1].clone()), span);
        binary(BinaryOp::Eq, kind, int(RECURSIVE, &NUMBER), span)
    }

    /// Notes that this thread holds a mutex, in the same step as it takes it.
    fn own(&mut self, p: &[Place], span: Span) {
        let mut targets = vec![p[2].clone(), p[3].clone()];
        let mut values = vec![self.own_name(span), int(1, &p[3].ty)];
        if let Some(held) = self.held(span) {
            values.push(binary(BinaryOp::Add, read(held.clone()), int(1, &held.ty), span));
            targets.push(held);
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    /// Notes that nobody holds a mutex, in the same step as it is given back.
    fn disown(&mut self, p: &[Place], span: Span) {
        let mut targets = vec![p[2].clone(), p[3].clone()];
        let mut values = vec![int(0, &NUMBER), int(0, &p[3].ty)];
        if let Some(held) = self.held(span) {
            values.push(binary(BinaryOp::Sub, read(held.clone()), int(1, &held.ty), span));
            targets.push(held);
        }
        self.emit(StmtKind::Assign { targets, values, constrain: None }, span);
    }

    fn say(&mut self, said: Option<&Place>, value: i32, span: Span) {
        if let Some(said) = said {
            self.assign(said.clone(), int(value, &said.ty), span);
        }
    }

    fn lock(&mut self, mutex: &'u c::Expr, result: Option<&Type>, span: Span) -> Option<Vec<Expr>> {
        let count = self.parts_of_lock(mutex);
        if count == 1 {
            self.parts(mutex, 1, span, &mut |fun, p| {
                fun.emit(StmtKind::Acquire(p[0].clone()), span);
            });
            return Some(result.iter().map(|ty| Fun::nothing(ty)).collect());
        }
        let said = result.map(|ty| self.temp(ty, span));
        self.parts(mutex, count, span, &mut |fun, p| {
            let (special, own) = fun.ownership(p, span);
            let again = fun.collect(|fun| {
                let recursive = fun.is_recursive(p, span);
                fun.branch(
                    recursive,
                    span,
                    |fun| {
                        fun.add(&p[3], 1, span);
                        fun.say(said.as_ref(), 0, span);
                    },
                    |fun| fun.say(said.as_ref(), EDEADLK, span),
                );
            });
            let first = fun.collect(|fun| {
                fun.section(span, |fun| {
                    fun.emit(StmtKind::Acquire(p[0].clone()), span);
                    fun.own(p, span);
                });
                fun.say(said.as_ref(), 0, span);
            });
            let normal = fun.collect(|fun| {
                fun.emit(StmtKind::Acquire(p[0].clone()), span);
                fun.say(said.as_ref(), 0, span);
            });
            fun.branch(
                special,
                span,
                |fun| fun.branch(own, span, |fun| fun.append(again), |fun| fun.append(first)),
                |fun| fun.append(normal),
            );
        });
        Some(said.into_iter().map(read).collect())
    }

    fn trylock(
        &mut self,
        mutex: &'u c::Expr,
        result: Option<&Type>,
        busy: i32,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let count = self.parts_of_lock(mutex);
        let taken = self.temp(&Type::Bool, span);
        // Who waits for what it holds itself is told so at once.
        let deadlock = (count > 1 && busy == ETIMEDOUT).then(|| self.temp(&Type::Bool, span));
        if let Some(deadlock) = &deadlock {
            self.assign(deadlock.clone(), truth(false), span);
        }
        self.parts(mutex, count, span, &mut |fun, p| {
            let attempt = |fun: &mut Self| {
                let (dest, op) = (Some(taken.clone()), AtomicOp::TryLock(p[0].clone()));
                fun.emit(StmtKind::Attempt { dest, op }, span);
            };
            if p.len() == 1 {
                return attempt(fun);
            }
            let (special, own) = fun.ownership(p, span);
            let again = fun.collect(|fun| {
                let recursive = fun.is_recursive(p, span);
                fun.assign(taken.clone(), recursive, span);
                let refuse = |fun: &mut Self| {
                    if let Some(deadlock) = &deadlock {
                        fun.assign(deadlock.clone(), truth(true), span);
                    }
                };
                fun.branch(read(taken.clone()), span, |fun| fun.add(&p[3], 1, span), refuse);
            });
            let first = fun.collect(|fun| {
                fun.section(span, |fun| {
                    attempt(fun);
                    fun.branch(read(taken.clone()), span, |fun| fun.own(p, span), |_| {});
                });
            });
            let normal = fun.collect(attempt);
            fun.branch(
                special,
                span,
                |fun| fun.branch(own, span, |fun| fun.append(again), |fun| fun.append(first)),
                |fun| fun.append(normal),
            );
        });
        let says = |ty: &&Type| {
            let refused = match &deadlock {
                Some(deadlock) => choose(read(deadlock.clone()), int(EDEADLK, ty), int(busy, ty)),
                None => int(busy, ty),
            };
            choose(read(taken.clone()), int(0, ty), refused)
        };
        Some(result.iter().map(says).collect())
    }

    fn unlock(
        &mut self,
        mutex: &'u c::Expr,
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let count = self.parts_of_lock(mutex);
        if count == 1 {
            self.parts(mutex, 1, span, &mut |fun, p| fun.release(&p[0], span));
            return Some(result.iter().map(|ty| Fun::nothing(ty)).collect());
        }
        let said = result.map(|ty| self.temp(ty, span));
        self.parts(mutex, count, span, &mut |fun, p| {
            let (special, own) = fun.ownership(p, span);
            let give_back = fun.collect(|fun| {
                let depth = fun.keep(read(p[3].clone()), span);
                let last = binary(BinaryOp::Eq, depth.clone(), int(1, &depth.ty), span);
                fun.branch(
                    last,
                    span,
                    |fun| {
                        fun.section(span, |fun| {
                            fun.disown(p, span);
                            fun.release(&p[0], span);
                        });
                    },
                    |fun| fun.add(&p[3], -1, span),
                );
                fun.say(said.as_ref(), 0, span);
            });
            let refuse = fun.collect(|fun| fun.say(said.as_ref(), EPERM, span));
            let normal = fun.collect(|fun| {
                fun.release(&p[0], span);
                fun.say(said.as_ref(), 0, span);
            });
            fun.branch(
                special,
                span,
                |fun| fun.branch(own, span, |fun| fun.append(give_back), |fun| fun.append(refuse)),
                |fun| fun.append(normal),
            );
        });
        Some(said.into_iter().map(read).collect())
    }

    /// Frees a lock. Who does not hold it does what is undefined, and that is no matter of a single property. The place of that is the name of the function:
    /// what is wrong with the pointer to the mutex is wrong at the call.
    pub(super) fn release(&mut self, lock: &Place, span: Span) {
        if self.lower.options.is_everything() {
            return self.emit(StmtKind::Release(lock.clone()), span);
        }
        let span = Span { end: span.end.min(span.start + 6), ..span };
        let reason = "a mutex that is unlocked by a thread that does not hold it".to_owned();
        let limit = Limit { span, reason };
        if !self.lower.limits.contains(&limit) {
            self.lower.limits.push(limit);
        }
        if self.lower.options.ends_at_limits {
            // Who frees what is free gets no further.
            let free = self.temp(&Type::Bool, span);
            self.section(span, |fun| {
                let (dest, op) = (Some(free.clone()), AtomicOp::TryLock(lock.clone()));
                fun.emit(StmtKind::Attempt { dest, op }, span);
                fun.emit(StmtKind::Release(lock.clone()), span);
            });
            return self.branch(read(free), span, |fun| fun.stop(span), |_| {});
        }
        self.emit(StmtKind::Release(lock.clone()), span);
    }

    /// Whether a mutex that a thread waits with knows nothing of its owner: others are not followed.
    pub(super) fn check_usual(&mut self, mutex: &'u c::Expr, span: Span) {
        if self.parts_of_lock(mutex) == 1 {
            return;
        }
        self.parts(mutex, 4, span, &mut |fun, p| {
            let (special, _) = fun.ownership(p, span);
            let reason = "a condition variable with a mutex that is recursive or checks for errors";
            fun.branch(special, span, |fun| fun.limit(span, reason.to_owned()), |_| {});
        });
    }
}
