//! # Accesses, and what is held there
//! What a statement reads and writes, by name, through pointers and in functions of libraries, and which guards it has there; what calls do to guards.

use std::collections::BTreeSet;

use super::lives;
use super::locks::{self, is_lock, points_to_lock, releases, waits};
use super::{Guard, Held, Look, Use};
use crate::c::lower::foreseen::never_returns;
use crate::c::lower::library::{does_nothing_hidden, may_write};
use crate::c::lower::must::{Event, Facts};
use crate::c::lower::points::{Target, direct_address};
use crate::c::typed::*;
use crate::c::types::Type as CType;

impl<'u> Look<'_, 'u> {
    /// Records an access to objects.
    fn touch(&mut self, targets: BTreeSet<Target>, writes: bool, is_atomic: bool, held: &Held) {
        let Some(root) = self.root else { return };
        let mut guards: Held =
            held.iter().filter(|g| !matches!(g, Guard::Shared(_))).cloned().collect();
        if is_atomic {
            guards.insert(Guard::Atomic);
        }
        if !writes {
            let shared = held.iter().filter_map(|guard| match guard {
                Guard::Shared(lock) => Some(Guard::Lock(*lock)),
                _ => None,
            });
            guards.extend(shared);
        }
        for target in targets {
            if !self.is_object(target) {
                continue;
            }
            let access = Use { by: root, writes, guards: guards.clone() };
            self.uses.entry(target).or_default().insert(access);
        }
    }

    /// The first functions of threads that a call may start.
    fn started_by(&mut self, names: &[&str], args: &'u [Expr]) -> Vec<FunctionId> {
        let starts = |name: &&str| lives::function_of(name, args);
        let given: Vec<&Expr> = names.iter().filter_map(starts).collect();
        given.into_iter().flat_map(|function| self.functions(function)).collect()
    }

    /// Whether something can be accessed by more than its name in one function, and can be written.
    fn is_object(&self, target: Target) -> bool {
        match target {
            Target::Object(object) => !self.unit.objects[object.index()].is_string,
            Target::Local(function, local) => self.points.addressed.contains(&(function, local)),
            Target::Heap(_) => true,
            Target::Function(_) | Target::Choice(_) => false,
        }
    }

    fn place(&mut self, lvalue: &'u Lvalue, writes: bool, held: &Held) {
        if self.root.is_none() {
            return;
        }
        let targets = self.points.places(Some(self.at), lvalue);
        if writes {
            self.overwrites(lvalue, &targets);
        }
        if is_lock(&lvalue.ty) {
            return;
        }
        let is_object = |target: &Target| {
            matches!(target, Target::Object(_) | Target::Local(..) | Target::Heap(_))
        };
        // What a pointer that is no address points to, is not known.
        let is_known = is_temporary(lvalue)
            || targets.iter().any(is_object)
                && !targets.iter().any(|target| matches!(target, Target::Choice(_)));
        self.is_wild |= !is_known;
        self.touch(targets, writes, matches!(lvalue.ty, CType::Atomic(_)), held);
    }

    /// A function of a library is called.
    fn library(&mut self, name: &str, args: &'u [Expr], held: &Held) {
        if self.root.is_none() {
            return;
        }
        self.is_wild |= !does_nothing_hidden(name);
        let freed = match waits(name) {
            true => args.get(1),
            false => args.first().filter(|_| releases(name)),
        };
        if let Some(arg) = freed {
            self.check_release(name, arg, held);
        }
        if let Some(function) = lives::function_of(name, args) {
            self.is_wild |= self.functions(function).is_empty();
        }
        let is_atomic = name.starts_with("__atomic") || name.starts_with("__sync");
        let writes_back = may_write(self.unit, self.points, self.at, name, args);
        self.is_wild |= writes_back;
        let only_reads = !writes_back
            && matches!(
                name,
                "printf"
                    | "fprintf"
                    | "vprintf"
                    | "vfprintf"
                    | "puts"
                    | "fputs"
                    | "perror"
                    | "__builtin_printf"
                    | "__builtin_puts"
            );
        for (number, arg) in args.iter().enumerate() {
            if points_to_lock(arg) && locks::is_of_locks(name) {
                continue;
            }
            // A library function may write to whatever it is given to look at.
            let targets = self.objects(arg);
            match direct_address(arg) {
                _ if number > 0 => {}
                Some(lvalue) if is_atomic => self.overwrites(lvalue, &targets),
                _ if is_atomic || ["mem", "str", "bzero"].iter().any(|w| name.contains(w)) => {
                    self.breaks(&targets);
                }
                _ => {}
            }
            self.touch(targets, !only_reads, is_atomic && number == 0, held);
        }
    }
}

impl<'u> Facts<'u> for Look<'_, 'u> {
    type Fact = Guard;

    fn loses(&mut self, event: Event<'u>, held: &mut Held) {
        let Event::Called(callee, args) = event else { return };
        let (functions, names) = self.callees(callee, args);
        let started = self.started_by(&names, args);
        held.retain(|guard| !matches!(guard, Guard::Unborn(f) if started.contains(f)));
        for function in functions {
            let effect = &self.effects[function.index()];
            held.retain(|guard| match (guard, &effect.releases) {
                (Guard::Atomic, _) => !effect.ends_section,
                (Guard::Lock(_) | Guard::Shared(_), None) => false,
                (Guard::Lock((object, _)) | Guard::Shared((object, _)), Some(released)) => {
                    !released.contains(object)
                }
                // Only `main` starts threads that are started once.
                (Guard::Unborn(_) | Guard::Ended(_), _) => true,
            });
        }
        for name in names {
            if name == "__VERIFIER_atomic_end" {
                held.remove(&Guard::Atomic);
            }
            if let (true, Some(arg)) = (releases(name), args.first()) {
                self.release(arg, held);
            }
        }
    }

    fn gains(&mut self, event: Event<'u>, held: &mut Held) {
        let Event::Called(Callee::Direct(function), args) = event else { return };
        let declared = &self.unit.functions[function.index()];
        if declared.body.is_some() {
            held.extend(self.effects[function.index()].gains.iter().cloned());
            return;
        }
        if declared.name == "__VERIFIER_atomic_begin" {
            held.insert(Guard::Atomic);
        }
        held.extend(self.lives.joined(self.at, &declared.name, args).map(Guard::Ended));
        if locks::takes(&declared.name) {
            held.extend(self.taken(&declared.name, args));
        }
    }

    fn learns(&mut self, cond: &'u Expr, outcome: bool, held: &mut Held) {
        held.extend(self.taken_if(cond, outcome));
    }

    fn meets(&mut self, event: Event<'u>, held: &Held) {
        match event {
            Event::Read(place) => self.place(place, false, held),
            Event::Written(place) | Event::Changed(place) => self.place(place, true, held),
            Event::Born(local) | Event::Made(local) => {
                self.touch(BTreeSet::from([Target::Local(self.at, local)]), true, false, held);
            }
            Event::Called(callee, args) => {
                let (functions, names) = self.callees(callee, args);
                self.is_wild |= functions.is_empty() && names.is_empty();
                let started = self.started_by(&names, args);
                self.lives.starts(&started, held);
                self.called.extend(functions.into_iter().map(|function| (function, held.clone())));
                names.into_iter().for_each(|name| self.library(name, args, held));
            }
            Event::Returned => match &mut self.returned {
                Some(known) => known.retain(|guard| held.contains(guard)),
                None => self.returned = Some(held.clone()),
            },
            Event::Addressed(_) | Event::Whole(_) => {}
        }
    }

    fn ends(&self, callee: &'u Callee) -> bool {
        never_returns(self.unit, callee)
    }
}

/// Whether an lvalue is a part of a value that is in no object.
fn is_temporary(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Temporary(_) => true,
        LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => is_temporary(inner),
        _ => false,
    }
}
