//! # Locks that the text names
//!
//! **Question.** Which lock does a call take or free?
//!
//! **Idea.** A lock is named by the variable that it is in and by how many bytes into it: `&s.lock`, `(pthread_mutex_t *)&s` and another member of a union are the same one. A pointer names a
//! lock if it can point to one variable only, which is a lock. Any other lock that is freed may be each one of the objects that the pointer may point to.

use std::collections::BTreeSet;

use super::{Effect, Guard, Held, Look};
use crate::c::lower::access::strip;
use crate::c::lower::choices::constant;
use crate::c::lower::points::{Target, direct_address};
use crate::c::lower::visit::each_call;
use crate::c::typed::*;
use crate::c::types::{Opaque, Type as CType};

/// A lock that the text names: a variable, and how many bytes into it.
pub(super) type Lock = (ObjectId, u64);

impl<'u> Look<'_, 'u> {
    /// The lock that an argument names.
    fn lock(&mut self, arg: &'u Expr) -> Option<Lock> {
        let unit = self.unit;
        let lock = match direct_address(arg) {
            Some(lvalue) => self.named(lvalue)?,
            None => {
                let targets = self.points.expr(Some(self.at), arg);
                match targets.into_iter().collect::<Vec<_>>().as_slice() {
                    [Target::Object(object)]
                        if matches!(unit.objects[object.index()].ty, CType::Opaque(_)) =>
                    {
                        (*object, 0)
                    }
                    _ => return None,
                }
            }
        };
        (!unit.objects[lock.0.index()].thread_local).then_some(lock)
    }

    /// The variable that an lvalue is a part of, and where, if no pointer is followed and all indices are constants.
    fn named(&self, lvalue: &Lvalue) -> Option<Lock> {
        let types = &self.unit.types;
        Some(match &lvalue.kind {
            LvalueKind::Object(object) => (*object, 0),
            LvalueKind::Member(inner, record, field) => {
                let (object, at) = self.named(inner)?;
                (object, at + types.record(*record).fields.get(*field)?.offset)
            }
            LvalueKind::Element(inner, index) => {
                let (object, at) = self.named(inner)?;
                let index = u64::try_from(constant(index)?).ok()?;
                (object, at.checked_add(index.checked_mul(types.size(&lvalue.ty)?)?)?)
            }
            LvalueKind::Local(_) | LvalueKind::Deref(_) | LvalueKind::Temporary(_) => return None,
        })
    }

    /// The objects that an argument may be a part of.
    pub(super) fn objects(&mut self, arg: &'u Expr) -> BTreeSet<Target> {
        match direct_address(arg) {
            Some(lvalue) => self.points.places(Some(self.at), lvalue),
            None => self.points.expr(Some(self.at), arg),
        }
    }

    /// The variables whose locks a call may free; nothing if it may be any.
    fn released(&mut self, arg: &'u Expr) -> Option<BTreeSet<ObjectId>> {
        let targets = self.objects(arg);
        let is_known = |target: &Target| {
            matches!(target, Target::Object(_) | Target::Local(..) | Target::Heap(_))
        };
        if targets.is_empty() || !targets.iter().all(is_known) {
            return None;
        }
        let object = |target| match target {
            Target::Object(object) => Some(object),
            _ => None,
        };
        Some(targets.into_iter().filter_map(object).collect())
    }

    /// Adds what a call may release.
    pub(super) fn may_release(
        &mut self,
        callee: &'u Callee,
        args: &'u [Expr],
        effect: &mut Effect,
    ) {
        let (functions, names) = self.callees(callee, args);
        for function in functions {
            let other = &self.effects[function.index()];
            effect.ends_section |= other.ends_section;
            match (&mut effect.releases, &other.releases) {
                (Some(all), Some(more)) => all.extend(more),
                (all, _) => *all = None,
            }
        }
        for name in names {
            effect.ends_section |= name == "__VERIFIER_atomic_end";
            if !releases(name) {
                continue;
            }
            match (args.first().and_then(|arg| self.released(arg)), &mut effect.releases) {
                (Some(objects), Some(all)) => all.extend(objects),
                (_, all) => *all = None,
            }
        }
    }

    /// Takes away what a call releases, whatever it is called.
    pub(super) fn release(&mut self, arg: &'u Expr, held: &mut Held) {
        if let Some(lock) = direct_address(arg).and_then(|lvalue| self.named(lvalue)) {
            held.remove(&Guard::Lock(lock));
            held.remove(&Guard::Shared(lock));
            return;
        }
        let released = self.released(arg);
        held.retain(|guard| match guard {
            Guard::Atomic | Guard::Unborn(_) | Guard::Ended(_) => true,
            Guard::Lock((object, _)) | Guard::Shared((object, _)) => {
                released.as_ref().is_some_and(|released| !released.contains(object))
            }
        });
    }

    /// Checks that a thread certainly holds a lock that it frees; a lock that others may free protects nothing.
    pub(super) fn check_release(&mut self, name: &str, arg: &'u Expr, held: &Held) {
        // `main` takes locks away when nobody is left to use them; if somebody is, that is undefined.
        if name.ends_with("_destroy") && self.root == Some(0) {
            return;
        }
        let is_held = (name.ends_with("unlock") || waits(name))
            && self.lock(arg).is_some_and(|lock| {
                held.contains(&Guard::Lock(lock)) || held.contains(&Guard::Shared(lock))
            });
        if !is_held {
            match self.released(arg) {
                Some(objects) => self.broken.extend(objects),
                None => self.all_broken = true,
            }
        }
    }

    /// Notes that something is written over objects: locks in them are not what they were.
    pub(super) fn breaks(&mut self, targets: &BTreeSet<Target>) {
        for target in targets {
            if let Target::Object(object) = target {
                self.broken.insert(*object);
            }
        }
    }

    /// Notes that an lvalue is written: locks are broken that are in it, or may be, if it is not certainly another part of the object.
    pub(super) fn overwrites(&mut self, lvalue: &Lvalue, targets: &BTreeSet<Target>) {
        let unit = self.unit;
        let is_broken = |target: &&Target| match target {
            Target::Object(object) => {
                let ty = &unit.objects[object.index()].ty;
                contains_lock(unit, ty)
                    && (contains_lock(unit, &lvalue.ty) || !is_apart(unit, lvalue, ty))
            }
            _ => false,
        };
        self.breaks(&targets.iter().filter(is_broken).copied().collect());
    }

    /// The lock that is held after a call that takes one.
    pub(super) fn taken(&mut self, name: &str, args: &'u [Expr]) -> Option<Guard> {
        let lock = self.lock(args.first()?)?;
        Some(if name.contains("rdlock") { Guard::Shared(lock) } else { Guard::Lock(lock) })
    }

    /// The lock that is held where a condition has an outcome: the one that it tried to take.
    pub(super) fn taken_if(&mut self, cond: &'u Expr, outcome: bool) -> Held {
        let mut found = Held::new();
        let mut work = vec![(cond, outcome)];
        while let Some((cond, outcome)) = work.pop() {
            match &cond.kind {
                ExprKind::Not(inner) => work.push((inner, !outcome)),
                ExprKind::Compare(op @ (Compare::Eq | Compare::Ne), a, b)
                    if constant(b) == Some(0) =>
                {
                    work.push((a, outcome != (*op == Compare::Eq)));
                }
                // A call in the second condition may undo what was known after the first.
                ExprKind::And(a, b) if outcome => {
                    work.push((b, true));
                    if !has_call(b) {
                        work.push((a, true));
                    }
                }
                ExprKind::Or(a, b) if !outcome => {
                    work.push((b, false));
                    if !has_call(b) {
                        work.push((a, false));
                    }
                }
                ExprKind::Call(Callee::Direct(function), args) if !outcome => {
                    let declared = &self.unit.functions[function.index()];
                    if declared.body.is_none() && tries(&declared.name) {
                        found.extend(self.taken(&declared.name, args));
                    }
                }
                _ => {}
            }
        }
        found
    }
}

fn has_call(expr: &Expr) -> bool {
    let mut found = false;
    each_call(expr, false, &mut |_, _, _| found = true);
    found
}

/// Whether a function of a library takes a lock, and waits until it can.
pub(super) fn takes(name: &str) -> bool {
    matches!(
        name,
        "pthread_mutex_lock"
            | "pthread_spin_lock"
            | "mtx_lock"
            | "pthread_rwlock_wrlock"
            | "pthread_rwlock_rdlock"
    )
}

/// Whether a function of a library takes a lock if it says 0.
fn tries(name: &str) -> bool {
    takes(name)
        || matches!(
            name,
            "pthread_mutex_trylock"
                | "pthread_mutex_timedlock"
                | "pthread_mutex_clocklock"
                | "pthread_spin_trylock"
                | "mtx_trylock"
                | "mtx_timedlock"
                | "pthread_rwlock_trywrlock"
                | "pthread_rwlock_tryrdlock"
                | "pthread_rwlock_timedwrlock"
                | "pthread_rwlock_timedrdlock"
                | "pthread_rwlock_clockwrlock"
                | "pthread_rwlock_clockrdlock"
        )
}

/// Whether a function of a library may make a lock free, whatever it was.
pub(super) fn releases(name: &str) -> bool {
    let is_lock = ["pthread_mutex_", "pthread_spin_", "pthread_rwlock_", "mtx_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    is_lock && ["unlock", "_init", "_destroy"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a function of a library is there to be called by several threads with the same lock, condition, semaphore or barrier.
pub(super) fn is_of_locks(name: &str) -> bool {
    let families = [
        "pthread_mutex_",
        "pthread_spin_",
        "pthread_rwlock_",
        "pthread_cond_",
        "pthread_barrier_",
        "pthread_once",
        "call_once",
        "mtx_",
        "cnd_",
        "sem_",
    ];
    families.iter().any(|family| name.starts_with(family))
}

/// Whether a type is that of something that threads may use at once; numbers of threads, keys and attributes are not.
pub(super) fn is_lock(ty: &CType) -> bool {
    let others = [Opaque::Thread, Opaque::Key, Opaque::MutexAttribute];
    matches!(ty, CType::Opaque(opaque) if !others.contains(opaque))
}

/// Whether an argument is the address of something that threads may use at once.
pub(super) fn points_to_lock(arg: &Expr) -> bool {
    match (&arg.ty, &arg.kind) {
        (CType::Pointer(pointee), _) if is_lock(strip(pointee)) => true,
        (_, ExprKind::Convert(inner)) => points_to_lock(inner),
        _ => false,
    }
}

/// Whether a function of a library gives a lock away while it waits for a condition.
pub(super) fn waits(name: &str) -> bool {
    ["pthread_cond_", "cnd_"].iter().any(|family| name.starts_with(family))
        && name.ends_with("wait")
}

/// Whether an lvalue without locks is a part of an object that shares no bytes with a lock in it: it is found by its name or as a member of a record that the object has, and not in a union with a
/// lock. A plain pointer may lead to the bytes of a lock.
fn is_apart(unit: &Unit, lvalue: &Lvalue, object: &CType) -> bool {
    match &lvalue.kind {
        LvalueKind::Object(_) | LvalueKind::Local(_) | LvalueKind::Temporary(_) => true,
        LvalueKind::Member(inner, record, _) => {
            let shares =
                unit.types.record(*record).is_union && contains_lock(unit, &CType::Record(*record));
            !shares && is_apart(unit, inner, object)
        }
        LvalueKind::Element(inner, _) => is_apart(unit, inner, object),
        LvalueKind::Deref(_) => {
            matches!(lvalue.ty, CType::Record(_)) && has_part(unit, object, &lvalue.ty)
        }
    }
}

/// Whether a type is another one, or has it as a part.
fn has_part(unit: &Unit, ty: &CType, part: &CType) -> bool {
    ty == part
        || match ty {
            CType::Array(inner, _) | CType::Atomic(inner) => has_part(unit, inner, part),
            CType::Record(record) => {
                unit.types.record(*record).fields.iter().any(|f| has_part(unit, &f.ty, part))
            }
            _ => false,
        }
}

/// Whether a value of a type has locks in it.
pub(super) fn contains_lock(unit: &Unit, ty: &CType) -> bool {
    match ty {
        CType::Array(inner, _) | CType::Atomic(inner) => contains_lock(unit, inner),
        CType::Record(record) => {
            unit.types.record(*record).fields.iter().any(|field| contains_lock(unit, &field.ty))
        }
        _ => is_lock(ty),
    }
}
