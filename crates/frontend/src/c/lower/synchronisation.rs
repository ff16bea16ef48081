//! # Threads, and what they wait for
//! `pthread_*`, `sem_*`, and what `threads.h` calls the same things.

use selvedge_program::make::{read, truth};
use selvedge_program::{AtomicOp, BinaryOp, Expr, Place, Span, StmtKind, Type};

use super::Role;
use super::access::{Access, strip};
use super::arithmetic::{binary, choose, convert, int, negate};
use super::function::Fun;
use super::points::{Target, direct_address, root_local};
use super::visit::{each_expr, each_part};
use crate::c::typed::{self as c, FunctionId};
use crate::c::types::{Opaque, Type as CType};

/// Errors that functions give.
const EBUSY: i32 = 16;

impl<'u> Fun<'_, 'u> {
    /// What a function does to threads; nothing if it is not known.
    pub(super) fn synchronisation(
        &mut self,
        expr: &'u c::Expr,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
    ) -> Option<Vec<Expr>> {
        let span = expr.span;
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        // What `threads.h` says where a mutex is taken, and for a mutex that may be taken more than once.
        let (thrd_busy, mtx_recursive) = (1, 1);
        if name == "mtx_trylock" {
            return self.trylock(args.first()?, result, thrd_busy, span);
        }
        if name == "mtx_init" {
            let kind = self.scalar(args.get(1)?);
            let is_plain = super::arithmetic::known(&kind)
                .is_some_and(|kind| kind == 0.into() || kind == 2.into());
            if !is_plain {
                self.limit(span, format!("a mutex of another kind than `mtx_plain` (`mtx_recursive` is {mtx_recursive})"));
            }
        }
        let name = match name {
            "mtx_lock" => "pthread_mutex_lock",
            "mtx_unlock" => "pthread_mutex_unlock",
            "mtx_destroy" => "pthread_mutex_destroy",
            "cnd_init" => "pthread_cond_init",
            "cnd_wait" => "pthread_cond_wait",
            "cnd_signal" => "pthread_cond_signal",
            "cnd_broadcast" => "pthread_cond_broadcast",
            "cnd_destroy" => "pthread_cond_destroy",
            "thrd_join" => "pthread_join",
            "thrd_exit" => "pthread_exit",
            "thrd_equal" => "pthread_equal",
            "call_once" => "pthread_once",
            other => other,
        };
        match name {
            "pthread_create" => {
                self.create(Some(args.first()?), args.get(2)?, args.get(3)?, span);
                zero()
            }
            "thrd_create" => {
                self.create(Some(args.first()?), args.get(1)?, args.get(2)?, span);
                zero()
            }
            "pthread_join" if self.is_bulk(args.first()?) => {
                args.iter().for_each(|arg| self.effect(arg));
                self.bulk_join(span);
                zero()
            }
            "pthread_join" => {
                let thread = self.scalar(args.first()?);
                if args.get(1).is_some_and(|to| !self.is_ignored(to) && !is_null(to)) {
                    self.limit(span, "the value that a thread gives when it ends".to_owned());
                }
                let thread = self.settled(thread, span);
                self.emit(StmtKind::Join(thread), span);
                zero()
            }
            "pthread_exit" => {
                args.iter().for_each(|arg| self.effect(arg));
                self.exit_thread(span);
                zero()
            }
            "pthread_equal" => {
                let values = self.scalars(&[args.first()?, args.get(1)?]);
                let [a, b] = <[Expr; 2]>::try_from(values).ok()?;
                let same = binary(BinaryOp::Eq, a, b, span);
                Some(result.iter().map(|ty| convert(same.clone(), ty)).collect())
            }
            "pthread_mutex_init"
            | "mtx_init"
            | "pthread_mutex_destroy"
            | "pthread_spin_init"
            | "pthread_spin_destroy"
            | "pthread_cond_destroy"
            | "pthread_rwlock_destroy"
            | "pthread_barrier_destroy"
            | "sem_destroy"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_mutexattr_setpshared"
            | "pthread_rwlockattr_init"
            | "pthread_rwlockattr_destroy"
            | "pthread_barrierattr_init" => zero(),
            "pthread_mutexattr_settype" => {
                let kind = self.scalar(args.get(1)?);
                let is_plain = super::arithmetic::known(&kind)
                    .is_some_and(|kind| kind == 0.into() || kind == 3.into());
                if !is_plain {
                    self.limit(span, "a mutex that is recursive or checks for errors".to_owned());
                }
                zero()
            }
            "pthread_mutex_lock"
            | "pthread_spin_lock"
            | "pthread_mutex_timedlock"
            | "pthread_mutex_clocklock" => {
                if name.ends_with("timedlock") || name.ends_with("clocklock") {
                    return self.trylock(args.first()?, result, 110, span);
                }
                let (access, c) = (self.pointed(args.first()?), opaque(args.first()?));
                self.at_place(&access, &c, 0, span, &mut |fun, at| {
                    fun.emit(StmtKind::Acquire(at.place), span)
                });
                zero()
            }
            "pthread_mutex_unlock" | "pthread_spin_unlock" => {
                let (access, c) = (self.pointed(args.first()?), opaque(args.first()?));
                self.at_place(&access, &c, 0, span, &mut |fun, at| {
                    fun.emit(StmtKind::Release(at.place), span)
                });
                zero()
            }
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                self.trylock(args.first()?, result, EBUSY, span)
            }
            "pthread_cond_init" => {
                if self.lower.options.counts_sleepers {
                    self.set_parts(args.first()?, &[0, 0], span);
                }
                zero()
            }
            "pthread_cond_wait" | "pthread_cond_timedwait" => {
                let timed = name == "pthread_cond_timedwait";
                self.wait(args.first()?, args.get(1)?, timed, span);
                if !timed {
                    return zero();
                }
                let in_time = self.either(span);
                let in_time = self.settled(in_time, span);
                Some(
                    result
                        .iter()
                        .map(|ty| choose(in_time.clone(), int(0, ty), int(110, ty)))
                        .collect(),
                )
            }
            "pthread_cond_signal" => {
                self.signal(args.first()?, false, span);
                zero()
            }
            "pthread_cond_broadcast" => {
                self.signal(args.first()?, true, span);
                zero()
            }
            "pthread_once" => {
                self.once(expr, args.first()?, args.get(1)?, span);
                zero()
            }
            _ => self.counting(name, args, result, span),
        }
    }

    /// Read-write locks, barriers and semaphores.
    fn counting(
        &mut self,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        let first = args.first();
        match name {
            "pthread_rwlock_init" => {
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
            "pthread_rwlock_tryrdlock" | "pthread_rwlock_trywrlock" => {
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
                        .map(|ty| choose(read(taken.clone()), int(0, ty), int(EBUSY, ty)))
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
                        fun.require(held, span);
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
            "sem_trywait" | "sem_timedwait" => {
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
                let parties = self.scalars(&[args.get(2)?]).into_iter().next()?;
                self.parts(first?, 3, span, &mut |fun, p| {
                    let values = vec![
                        int(0, &p[0].ty),
                        int(0, &p[1].ty),
                        convert(parties.clone(), &p[2].ty),
                    ];
                    fun.emit(
                        StmtKind::Assign { targets: p.to_vec(), values, constrain: None },
                        span,
                    );
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

    /// Arrives at a barrier, when all of the last time have left, and goes on when enough have arrived.
    fn arrive(&mut self, p: &[Place], last: &Place, span: Span) {
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

    fn is_free(&self, p: &[Place], span: Span) -> Expr {
        let readers = read(p[0].clone());
        let none = binary(BinaryOp::Eq, readers.clone(), int(0, &readers.ty), span);
        binary(BinaryOp::And, negate(read(p[1].clone())), none, span)
    }

    /// Adds to a counter, in one step.
    fn add(&mut self, place: &Place, amount: i32, span: Span) {
        let value = read(place.clone());
        let op = if amount < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let value = binary(op, value, int(amount.unsigned_abs(), &place.ty), span);
        self.assign(place.clone(), value, span);
    }

    /// Statements that are one step.
    pub(super) fn section(&mut self, span: Span, make: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.atomic, true);
        let body = self.collect(make);
        self.atomic = before;
        match before {
            true => self.append(body),
            false => self.emit(StmtKind::Atomic(body), span),
        }
    }

    /// Does something with the parts of something opaque that an argument points to.
    fn parts(
        &mut self,
        arg: &'u c::Expr,
        count: usize,
        span: Span,
        act: &mut dyn FnMut(&mut Self, &[Place]),
    ) {
        let access = self.pointed(arg);
        let c = opaque(arg);
        self.parts_of(&access, &c, count, span, &mut Vec::new(), act);
    }

    fn parts_of(
        &mut self,
        access: &Access,
        c: &CType,
        count: usize,
        span: Span,
        found: &mut Vec<Place>,
        act: &mut dyn FnMut(&mut Self, &[Place]),
    ) {
        if found.len() == count {
            return act(self, &found.clone());
        }
        // The first part says which object it is; the others are beside it.
        if let Some(first) = found.first().cloned()
            && let Some(next) = self.sibling(&first, found.len())
        {
            found.push(next);
            self.parts_of(access, c, count, span, found, act);
            found.pop();
            return;
        }
        self.at_place(access, c, found.len(), span, &mut |fun, at| {
            found.push(at.place);
            fun.parts_of(access, c, count, span, found, act);
            found.pop();
        });
    }

    /// Another part of the same object: the variables of the parts follow each other.
    fn sibling(&self, first: &Place, part: usize) -> Option<Place> {
        use selvedge_program::{GlobalId, LocalId, VarRef};
        let part = u32::try_from(part).ok()?;
        let (var, ty) = match first.var {
            VarRef::Global(GlobalId(id)) => {
                let id = GlobalId(id + part);
                (
                    VarRef::Global(id),
                    self.lower.program.globals.get(id.index())?.ty.scalar().clone(),
                )
            }
            VarRef::Local(LocalId(id)) => {
                let id = LocalId(id + part);
                (VarRef::Local(id), self.local_type(id)?.scalar().clone())
            }
        };
        Some(Place { var, ty, ..first.clone() })
    }

    fn set_parts(&mut self, arg: &'u c::Expr, values: &[i32], span: Span) {
        self.parts(arg, values.len(), span, &mut |fun, places| {
            let number = |(place, value): (&Place, &i32)| match place.ty {
                Type::Bool => truth(*value != 0),
                _ => int(*value, &place.ty),
            };
            let given = places.iter().zip(values).map(number).collect();
            fun.emit(
                StmtKind::Assign { targets: places.to_vec(), values: given, constrain: None },
                span,
            );
        });
    }

    fn trylock(
        &mut self,
        arg: &'u c::Expr,
        result: Option<&Type>,
        busy: i32,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let (access, c) = (self.pointed(arg), opaque(arg));
        let taken = self.temp(&Type::Bool, span);
        self.at_place(&access, &c, 0, span, &mut |fun, at| {
            let (dest, op) = (Some(taken.clone()), AtomicOp::TryLock(at.place));
            fun.emit(StmtKind::Attempt { dest, op }, span);
        });
        Some(
            result
                .iter()
                .map(|ty| choose(read(taken.clone()), int(0, ty), int(busy, ty)))
                .collect(),
        )
    }

    /// Starts a thread; its id goes where the argument points to, if somebody wants it.
    pub(super) fn create(
        &mut self,
        to: Option<&'u c::Expr>,
        function: &'u c::Expr,
        arg: &'u c::Expr,
        span: Span,
    ) {
        let targets = self.lower.points.expr(Some(self.id), function);
        let functions: Vec<FunctionId> = (targets.into_iter())
            .filter_map(|target| match target {
                Target::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        let access = to.map(|to| self.pointed(to));
        let values = self.scalars(&[function, arg]);
        let mut values = values.into_iter();
        let (Some(address), Some(arg)) = (values.next(), values.next()) else { return };
        let address = self.simple(address, span);
        let arg = self.settled(arg, span);
        self.start_one_of(&address, &functions, access.as_ref(), &arg, span);
    }

    fn start_one_of(
        &mut self,
        address: &Expr,
        functions: &[FunctionId],
        to: Option<&Access>,
        arg: &Expr,
        span: Span,
    ) {
        let Some((&first, rest)) = functions.split_first() else { return self.invalid(span) };
        let here = int(super::function_address(first), &address.ty);
        let cond = binary(BinaryOp::Eq, address.clone(), here, span);
        self.branch(
            cond,
            span,
            |fun| fun.start(first, to, arg, span),
            |fun| fun.start_one_of(address, rest, to, arg, span),
        );
    }

    fn start(&mut self, function: FunctionId, to: Option<&Access>, arg: &Expr, span: Span) {
        if self.lower.unit.functions[function.index()].body.is_none() {
            return self.limit(span, "a thread whose function is defined elsewhere".to_owned());
        }
        let proc = self.lower.proc(function, Role::Thread);
        let procedure = &self.lower.program.procs[proc.index()];
        let args: Vec<Expr> = match procedure.params {
            0 => Vec::new(),
            1 => vec![super::access::adapt(arg.clone(), &procedure.locals[0].ty.clone())],
            _ => {
                return self
                    .limit(span, "a thread whose function has several parameters".to_owned());
            }
        };
        let thread = CType::Opaque(Opaque::Thread);
        let Some(to) = to else {
            return self.emit(StmtKind::Async { dest: None, proc, args }, span);
        };
        self.at_place(to, &thread, 0, span, &mut |fun, at| {
            let dest = Some(at.place);
            fun.emit(StmtKind::Async { dest, proc, args: args.clone() }, span);
        });
    }

    /// Whether an argument is the address of a local variable that nobody reads.
    fn is_ignored(&self, to: &'u c::Expr) -> bool {
        let Some(local) = direct_address(to).and_then(root_local) else { return false };
        let body = self.lower.unit.functions[self.id.index()].body.as_deref().unwrap_or_default();
        let mut is_read = self.lower.points.addressed.contains(&(self.id, local));
        for statement in body {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| {
                    if let c::ExprKind::Load(lvalue) = &expr.kind {
                        is_read |= root_local(lvalue) == Some(local);
                    }
                });
            });
        }
        !is_read
    }

    fn wait(&mut self, condition: &'u c::Expr, mutex: &'u c::Expr, timed: bool, span: Span) {
        self.lower.waits = true;
        let (lock, c) = (self.pointed(mutex), opaque(mutex));
        if !self.lower.options.counts_sleepers || timed {
            self.at_place(&lock, &c, 0, span, &mut |fun, at| {
                fun.emit(StmtKind::Release(at.place.clone()), span);
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

    fn signal(&mut self, condition: &'u c::Expr, all: bool, span: Span) {
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

    fn once(&mut self, expr: &'u c::Expr, flag: &'u c::Expr, function: &'u c::Expr, span: Span) {
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
                [function] => drop(fun.call_with(expr, *function, Vec::new())),
                _ => fun.limit(span, "a function to be called once that is not known".to_owned()),
            }
            fun.parts(flag, 1, span, &mut |fun, p| {
                fun.assign(p[0].clone(), int(2, &p[0].ty), span)
            });
        });
        self.branch(read(first), span, |fun| fun.append(body), |_| {});
    }
}

/// Whether an argument is null, as it is written.
fn is_null(arg: &c::Expr) -> bool {
    match &arg.kind {
        c::ExprKind::Int(0) => true,
        c::ExprKind::Convert(inner) => is_null(inner),
        _ => false,
    }
}

/// The opaque type that an argument points to.
fn opaque(arg: &c::Expr) -> CType {
    match &arg.ty {
        CType::Pointer(pointee) if matches!(strip(pointee), CType::Opaque(_)) => {
            strip(pointee).clone()
        }
        _ => match &arg.kind {
            c::ExprKind::Convert(inner) => opaque(inner),
            _ => CType::Opaque(Opaque::Mutex),
        },
    }
}
