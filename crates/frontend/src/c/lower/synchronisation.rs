//! # Threads, and what they wait for
//! `pthread_*`, `sem_*`, and what `threads.h` calls the same things.

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, Place, Span, StmtKind, Type};

use super::access::{Access, adapt, strip};
use super::arithmetic::{binary, choose, convert, int};
use super::function::Fun;
use crate::c::typed as c;
use crate::c::types::{Opaque, Type as CType};

/// Error numbers that functions return.
pub(super) const EBUSY: i32 = 16;
pub(super) const EAGAIN: i32 = 11;
pub(super) const EINVAL: i32 = 22;
pub(super) const ETIMEDOUT: i32 = 110;
/// `thrd_timedout` of `threads.h`.
pub(super) const THRD_TIMEDOUT: i32 = 4;

impl<'u> Fun<'_, 'u> {
    /// Lowers a function on threads; `None` if the name is not known.
    pub(super) fn synchronisation(
        &mut self,
        expr: &'u c::Expr,
        name: &str,
        args: &'u [c::Expr],
        result: Option<&Type>,
    ) -> Option<Vec<Expr>> {
        let span = expr.span;
        let zero = || Some(result.iter().map(|ty| Fun::nothing(ty)).collect::<Vec<_>>());
        if let Some(values) = self.mutex(name, args, result, span) {
            return Some(values);
        }
        // `threads.h` has another number for a time that is over.
        let timed_out = if name == "cnd_timedwait" { THRD_TIMEDOUT } else { ETIMEDOUT };
        let name = match name {
            "cnd_init" => "pthread_cond_init",
            "cnd_wait" => "pthread_cond_wait",
            "cnd_signal" => "pthread_cond_signal",
            "cnd_broadcast" => "pthread_cond_broadcast",
            "cnd_destroy" => "pthread_cond_destroy",
            "thrd_join" => "pthread_join",
            "thrd_exit" => "pthread_exit",
            "thrd_detach" => "pthread_detach",
            "thrd_equal" => "pthread_equal",
            "thrd_current" => "pthread_self",
            "tss_create" => "pthread_key_create",
            "tss_delete" => "pthread_key_delete",
            "tss_get" => "pthread_getspecific",
            "tss_set" => "pthread_setspecific",
            "cnd_timedwait" | "pthread_cond_clockwait" => "pthread_cond_timedwait",
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
            "pthread_join" if self.lower.numbers.is_some() => {
                self.join_numbered(args.first()?, args.get(1), span);
                zero()
            }
            "pthread_join" => {
                let thread = self.scalar(args.first()?);
                let thread = self.settled(thread, span);
                self.emit(StmtKind::Join(thread), span);
                zero()
            }
            "pthread_detach" => {
                self.detach_numbered(args.first()?, span);
                zero()
            }
            "pthread_exit" => {
                let value = match args.first() {
                    Some(arg) if self.lower.numbers.is_some() && !self.is_vague(arg) => {
                        let value = self.scalar(arg);
                        Some(self.local_value(value, span))
                    }
                    other => {
                        other.into_iter().for_each(|arg| self.effect(arg));
                        None
                    }
                };
                self.keep_result(value, span);
                self.exit_thread(span);
                zero()
            }
            "pthread_self" => {
                let itself = self.itself(span);
                Some(result.iter().map(|ty| adapt(itself.clone(), ty)).collect())
            }
            "pthread_equal" => {
                let values = self.scalars(&[args.first()?, args.get(1)?]);
                let [a, b] = <[Expr; 2]>::try_from(values).ok()?;
                let same = binary(BinaryOp::Eq, a, b, span);
                Some(result.iter().map(|ty| convert(same.clone(), ty)).collect())
            }
            "pthread_cond_destroy" => {
                self.take_condition_away(args.first()?, span);
                zero()
            }
            "sem_destroy"
            | "pthread_rwlockattr_init"
            | "pthread_rwlockattr_destroy"
            | "pthread_barrierattr_init" => zero(),
            "pthread_cond_init" => {
                if self.lower.options.counts_sleepers {
                    self.set_parts(args.first()?, &[0, 0], span);
                }
                zero()
            }
            "pthread_cond_wait" | "pthread_cond_timedwait" => {
                let timed = name == "pthread_cond_timedwait";
                self.check_usual(args.get(1)?, span);
                self.wait(args.first()?, args.get(1)?, timed, span);
                if !timed {
                    return zero();
                }
                let in_time = self.either(span);
                let in_time = self.settled(in_time, span);
                Some(
                    result
                        .iter()
                        .map(|ty| choose(in_time.clone(), int(0, ty), int(timed_out, ty)))
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
                self.once(args.first()?, args.get(1)?, span);
                zero()
            }
            _ => match self.keys(name, args, result, span) {
                Some(values) => Some(values),
                None => self.counting(name, args, result, span),
            },
        }
    }

    /// Adds to a counter, in one step.
    pub(super) fn add(&mut self, place: &Place, amount: i32, span: Span) {
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
    pub(super) fn parts(
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

    pub(super) fn parts_of(
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

    pub(super) fn set_parts(&mut self, arg: &'u c::Expr, values: &[i32], span: Span) {
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
}

/// Whether an argument is null, as it is written.
pub(super) fn is_null(arg: &c::Expr) -> bool {
    match &arg.kind {
        c::ExprKind::Int(0) => true,
        c::ExprKind::Convert(inner) => is_null(inner),
        _ => false,
    }
}

/// The opaque type that an argument points to.
pub(super) fn opaque(arg: &c::Expr) -> CType {
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
