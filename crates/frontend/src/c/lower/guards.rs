//! # What protects objects
//!
//! **Question.** Which objects are never accessed by two threads at once, one of them writing, whatever the schedule? They need no look, and if there are no
//! others, there is no data race.
//!
//! **Idea.** The text says who accesses an object and what is certainly held there (`must`): a mutex with a name, a read-write lock, an atomic section, or that the access is an atomic
//! operation itself. An object is *quiet* if only one thread gets to it, if nobody writes it while there is more than one thread, or if one guard is held wherever it is
//! accessed, or if it is a local variable whose address never leaves its thread.
//!
//! **Claim.** Two threads do not stand before accesses with a guard in common: a mutex has one owner, nobody acts while another is in an atomic section, and two atomic operations
//! are no race. For a read-write lock, readers may meet readers only. A lock with a name is one object: one variable, one member, one element with a
//! constant index. A function starts with what all its callers hold, and a call takes away what any function that may be called can release.
//!
//! **Nothing else** is accessed if every pointer that is followed leads to objects that `points` knows, and every function is known or has a body: then [`Protection::is_certain`] says that
//! quiet objects are all there is.

use std::collections::{BTreeMap, BTreeSet};

use super::foreseen::{is_mentioned, never_returns};
use super::library::does_nothing_hidden;
use super::must::{Event, Facts, follow};
use super::points::{Points, Target, direct_address};
use super::single;
use super::visit::{each_call, each_expr, each_part, each_statement};
use crate::c::typed::*;
use crate::c::types::{Opaque, Type as CType};

/// What is known of the accesses of all threads.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// Objects that no two threads access at once.
    pub(super) quiet: BTreeSet<Target>,
    /// Whether no object but these is accessed after the first thread was started.
    pub(super) is_certain: bool,
}

/// A lock that the text names: an object, and members and elements in it.
type Lock = (ObjectId, Vec<u64>);

/// A guard that keeps other threads away from an object while it is held.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Guard {
    /// An atomic section, or an atomic operation.
    Atomic,
    /// A mutex, or a read-write lock for writing.
    Lock(Lock),
    /// A read-write lock for reading.
    Shared(Lock),
}

type Held = BTreeSet<Guard>;

/// How an object is accessed.
#[derive(Debug, Default)]
struct Use {
    /// By which threads: the numbers of their first functions.
    by: BTreeSet<usize>,
    is_written: bool,
    /// What is held at every access.
    guards: Option<Held>,
}

/// What a function may do to locks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    /// Locks that it may release, by their objects; `None` if it may be any.
    releases: Option<BTreeSet<ObjectId>>,
    ends_section: bool,
    /// What it certainly holds at its end.
    gains: Held,
}

/// Finds out how objects are protected.
pub(super) fn protection<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Protection {
    let effects =
        vec![Effect { releases: Some(BTreeSet::new()), ..Effect::default() }; unit.functions.len()];
    let mut look = Look {
        unit,
        points,
        at: FunctionId(0),
        effects,
        entry: BTreeMap::new(),
        returned: None,
        called: Vec::new(),
        root: None,
        uses: BTreeMap::new(),
        last: BTreeSet::new(),
        is_wild: false,
    };
    look.find_effects();
    look.find_entries();
    look.find_uses();
    let Look { uses, is_wild, .. } = look;
    let all = uses.len();
    let escaped = points.escaped();
    let is_quiet = |(target, found): &(Target, Use)| {
        let guarded = found.guards.as_ref().is_some_and(|guards| !guards.is_empty());
        let stays = matches!(target, Target::Local(..)) && !escaped.contains(target);
        found.by.len() <= 1 || !found.is_written || guarded || stays
    };
    let quiet: BTreeSet<Target> =
        uses.into_iter().filter(is_quiet).map(|(target, _)| target).collect();
    let is_certain = !is_wild && quiet.len() == all;
    Protection { quiet, is_certain }
}

struct Look<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    at: FunctionId,
    effects: Vec<Effect>,
    /// What all callers of a function hold; those that nobody calls are not there.
    entry: BTreeMap<FunctionId, Held>,
    /// What is held at all ends of the function.
    returned: Option<Held>,
    /// Functions that are called, and what is held there.
    called: Vec<(FunctionId, Held)>,
    /// The thread whose accesses are collected, if they are.
    root: Option<usize>,
    uses: BTreeMap<Target, Use>,
    /// Functions that threads call at their ends.
    last: BTreeSet<FunctionId>,
    /// Whether something may be accessed that nobody knows of.
    is_wild: bool,
}

impl<'u> Look<'_, 'u> {
    fn body(&self, function: FunctionId) -> &'u [Stmt] {
        let unit = self.unit;
        unit.functions[function.index()].body.as_deref().unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.unit.functions.len()).map(|number| FunctionId(number as u32))
    }

    /// What functions may release, by all that they call; then what they certainly hold at their ends.
    fn find_effects(&mut self) {
        loop {
            let mut changed = false;
            for function in self.all() {
                self.at = function;
                let mut effect = self.effects[function.index()].clone();
                let before = effect.clone();
                for statement in self.body(function) {
                    each_part(statement, false, &mut |expr, _| {
                        each_call(expr, false, &mut |callee, args, _| {
                            self.may_release(callee, args, &mut effect);
                        });
                    });
                }
                changed |= effect != before;
                self.effects[function.index()] = effect;
            }
            if !changed {
                break;
            }
        }
        // Starting from nothing, each time is right; three times see through three layers.
        for _ in 0..3 {
            for function in self.all() {
                self.at = function;
                self.returned = None;
                follow(self, self.body(function), Held::new());
                self.effects[function.index()].gains = self.returned.take().unwrap_or_default();
            }
        }
        self.called.clear();
    }

    /// What functions start with: first what is only known to be reached, then less and less until all callers agree.
    fn find_entries(&mut self) {
        let main = self.all().find(|f| self.unit.functions[f.index()].name == "main");
        self.find_last();
        let started = self.points.started.iter().copied();
        let roots: Vec<FunctionId> = started.chain(main).chain(self.last.iter().copied()).collect();
        self.entry = roots.iter().map(|&root| (root, Held::new())).collect();
        loop {
            let before = self.entry.clone();
            for (function, held) in before.clone() {
                self.walk(function, held);
                for (callee, held) in std::mem::take(&mut self.called) {
                    match self.entry.get_mut(&callee) {
                        Some(known) => known.retain(|guard| held.contains(guard)),
                        None => drop(self.entry.insert(callee, held)),
                    }
                }
            }
            if self.entry == before {
                return;
            }
        }
    }

    /// Finds the functions that are called at the ends of threads, and of the program.
    fn find_last(&mut self) {
        for function in self.all() {
            self.at = function;
            let mut calls = Vec::new();
            for statement in self.body(function) {
                each_part(statement, false, &mut |expr, _| {
                    each_call(expr, false, &mut |callee, args, _| calls.push((callee, args)));
                });
            }
            for (callee, args) in calls {
                let (_, names) = self.callees(callee, args);
                let is_for_the_end = |name: &&str| {
                    ["pthread_key_create", "tss_create", "atexit", "at_quick_exit"].contains(name)
                };
                if names.iter().any(is_for_the_end) {
                    let given: Vec<_> = args.iter().flat_map(|arg| self.functions(arg)).collect();
                    self.last.extend(given);
                }
            }
        }
    }

    /// Follows a function from what it starts with.
    fn walk(&mut self, function: FunctionId, held: Held) {
        self.at = function;
        follow(self, self.body(function), self.started_with(function, held));
    }

    fn started_with(&self, function: FunctionId, mut held: Held) -> Held {
        if self.unit.functions[function.index()].name.starts_with("__VERIFIER_atomic_") {
            held.insert(Guard::Atomic);
        }
        held
    }

    /// Collects the accesses of all threads.
    fn find_uses(&mut self) {
        let unit = self.unit;
        let alone = single::single(unit, self.points);
        let started: Vec<FunctionId> = self.points.started.iter().copied().collect();
        let main = self.all().find(|f| unit.functions[f.index()].name == "main");
        if let Some(main) = main {
            // The first statements of `main`, before it starts a thread, are before all others.
            let body = self.body(main);
            let first = body.iter().position(|statement| self.may_start(statement, main));
            let early = &body[..first.unwrap_or(body.len())];
            let mut comes_back = is_mentioned(unit, main);
            each_statement(early, &mut |statement| {
                comes_back |= matches!(statement.kind, StmtKind::Label(_));
            });
            let rest = if comes_back { body } else { &body[early.len()..] };
            self.root = Some(0);
            self.at = main;
            follow(self, rest, Held::new());
            self.strange(rest);
            self.reach();
        }
        for (number, &function) in started.iter().enumerate() {
            // Twice, where there may be two of them.
            let copies = if alone.contains(&function) { 1 } else { 2 };
            for copy in 0..copies {
                self.root = Some(1 + number * 2 + copy);
                self.called = vec![(function, Held::new())];
                self.reach();
            }
        }
        // What is called at the ends of threads is called by several of them, and holds nothing then.
        for function in std::mem::take(&mut self.last) {
            for copy in 0..2 {
                self.root = Some(1 + started.len() * 2 + copy);
                self.called = vec![(function, Held::new())];
                self.reach();
            }
        }
    }

    /// Follows all functions that are called from what was followed, each once.
    fn reach(&mut self) {
        let mut seen = BTreeSet::new();
        while let Some((function, _)) = self.called.pop() {
            if seen.insert(function) {
                let held = self.entry.get(&function).cloned().unwrap_or_default();
                self.walk(function, held);
                self.strange(self.body(function));
            }
        }
    }

    /// Looks for what may access anything.
    fn strange(&mut self, body: &'u [Stmt]) {
        let mut found = false;
        each_statement(body, &mut |statement| {
            found |= matches!(statement.kind, StmtKind::Asm { is_barrier: false });
        });
        for statement in body {
            each_part(statement, false, &mut |expr, _| {
                each_expr(expr, &mut |expr| match &expr.kind {
                    ExprKind::Unsupported(_) => found = true,
                    ExprKind::Statement(block, _) => each_statement(block, &mut |statement| {
                        found |= matches!(statement.kind, StmtKind::Asm { is_barrier: false });
                    }),
                    _ => {}
                });
            });
        }
        self.is_wild |= found;
    }

    /// The functions with bodies that a call may call, and the name of one of a library.
    fn callees(&mut self, callee: &'u Callee, args: &'u [Expr]) -> (Vec<FunctionId>, Vec<&'u str>) {
        let unit = self.unit;
        let functions = match callee {
            Callee::Builtin(name) => return (Vec::new(), vec![name]),
            Callee::Direct(function) => vec![*function],
            Callee::Pointer(pointer) => self.functions(pointer),
        };
        let (mut found, mut names) = (Vec::new(), Vec::new());
        for function in functions {
            let declared = &unit.functions[function.index()];
            match declared.body.is_some() {
                true => found.push(function),
                false => names.push(declared.name.as_str()),
            }
        }
        if names.iter().any(|name| name.ends_with("_once"))
            && let Some(arg) = args.get(1)
        {
            found.extend(self.functions(arg));
        }
        (found, names)
    }

    fn functions(&mut self, pointer: &'u Expr) -> Vec<FunctionId> {
        let function = |target| match target {
            Target::Function(function) => Some(function),
            _ => None,
        };
        let targets = self.points.expr(Some(self.at), pointer);
        targets.into_iter().filter_map(function).collect()
    }

    /// Whether a statement of `main` may start a thread, in itself or in what it calls.
    fn may_start(&mut self, statement: &'u Stmt, main: FunctionId) -> bool {
        let mut work = vec![(main, std::slice::from_ref(statement))];
        let mut seen = BTreeSet::new();
        while let Some((at, block)) = work.pop() {
            self.at = at;
            let mut starts = false;
            let mut calls = Vec::new();
            for statement in block {
                each_part(statement, false, &mut |expr, _| {
                    each_call(expr, false, &mut |callee, args, _| calls.push((callee, args)));
                });
            }
            for (callee, args) in calls {
                let (functions, names) = self.callees(callee, args);
                starts |=
                    names.iter().any(|name| matches!(*name, "pthread_create" | "thrd_create"));
                for function in functions {
                    if seen.insert(function) {
                        work.push((function, self.body(function)));
                    }
                }
            }
            if starts {
                return true;
            }
        }
        false
    }

    /// The lock that an argument names.
    fn lock(&mut self, arg: &'u Expr) -> Option<Lock> {
        let unit = self.unit;
        let lock = match direct_address(arg) {
            Some(lvalue) => way_to(lvalue)?,
            None => {
                let targets = self.points.expr(Some(self.at), arg);
                match targets.into_iter().collect::<Vec<_>>().as_slice() {
                    [Target::Object(object)]
                        if matches!(unit.objects[object.index()].ty, CType::Opaque(_)) =>
                    {
                        (*object, Vec::new())
                    }
                    _ => return None,
                }
            }
        };
        (!unit.objects[lock.0.index()].thread_local).then_some(lock)
    }

    /// The objects that an argument may be a part of.
    fn objects(&mut self, arg: &'u Expr) -> BTreeSet<Target> {
        match direct_address(arg) {
            Some(lvalue) => self.points.places(Some(self.at), lvalue),
            None => self.points.expr(Some(self.at), arg),
        }
    }

    /// Adds what a call may release.
    fn may_release(&mut self, callee: &'u Callee, args: &'u [Expr], effect: &mut Effect) {
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
            let objects = args.first().map(|arg| self.objects(arg)).unwrap_or_default();
            if objects.is_empty() {
                effect.releases = None;
            }
            for target in objects {
                if let (Target::Object(object), Some(all)) = (target, &mut effect.releases) {
                    all.insert(object);
                }
            }
        }
    }

    /// An object is accessed.
    fn touch(&mut self, targets: BTreeSet<Target>, writes: bool, is_atomic: bool, held: &Held) {
        let Some(root) = self.root else { return };
        let mut guards: Held =
            held.iter().filter(|g| !matches!(g, Guard::Shared(_))).cloned().collect();
        if is_atomic {
            guards.insert(Guard::Atomic);
        }
        if !writes {
            let shared = held.iter().filter_map(|guard| match guard {
                Guard::Shared(lock) => Some(Guard::Lock(lock.clone())),
                _ => None,
            });
            guards.extend(shared);
        }
        for target in targets {
            if !self.is_object(target) {
                continue;
            }
            let found = self.uses.entry(target).or_default();
            found.by.insert(root);
            found.is_written |= writes;
            match &mut found.guards {
                Some(known) => known.retain(|guard| guards.contains(guard)),
                None => found.guards = Some(guards.clone()),
            }
        }
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
        // Locks are there to be accessed at once; numbers of threads and keys are not.
        let is_lock = match lvalue.ty {
            CType::Opaque(opaque) => !matches!(opaque, Opaque::Thread | Opaque::Key),
            _ => false,
        };
        if is_lock || self.root.is_none() {
            return;
        }
        let targets = self.points.places(Some(self.at), lvalue);
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

    fn library(&mut self, name: &str, args: &'u [Expr], held: &Held) {
        if self.root.is_none() {
            return;
        }
        self.is_wild |= !does_nothing_hidden(name);
        let is_atomic = name.starts_with("__atomic") || name.starts_with("__sync");
        let is_family = |prefix: &&str| name.starts_with(*prefix);
        let waits =
            ["pthread_", "mtx_", "cnd_", "sem_"].iter().any(is_family) && name != "pthread_create";
        let only_reads = name.ends_with("printf") || name.ends_with("puts") || name == "perror";
        for (number, arg) in args.iter().enumerate() {
            let is_mutex = number == 1 && (name.starts_with("pthread_cond_") || is_family(&"cnd_"));
            if waits && (number == 0 || is_mutex) {
                continue;
            }
            // Whatever the library is given to look at, it may write.
            let targets = self.objects(arg);
            self.touch(targets, !only_reads, is_atomic && number == 0, held);
        }
    }
}

impl<'u> Facts<'u> for Look<'_, 'u> {
    type Fact = Guard;

    fn loses(&mut self, event: Event<'u>, held: &mut Held) {
        let Event::Called(callee, args) = event else { return };
        let (functions, names) = self.callees(callee, args);
        for function in functions {
            let effect = &self.effects[function.index()];
            held.retain(|guard| match (guard, &effect.releases) {
                (Guard::Atomic, _) => !effect.ends_section,
                (Guard::Lock(_) | Guard::Shared(_), None) => false,
                (Guard::Lock((object, _)) | Guard::Shared((object, _)), Some(released)) => {
                    !released.contains(object)
                }
            });
        }
        for name in names {
            if name == "__VERIFIER_atomic_end" {
                held.remove(&Guard::Atomic);
            }
            if !releases(name) {
                continue;
            }
            let named = args.first().and_then(direct_address).and_then(way_to);
            if let Some(lock) = named {
                held.remove(&Guard::Lock(lock.clone()));
                held.remove(&Guard::Shared(lock));
                continue;
            }
            let objects = args.first().map(|arg| self.objects(arg)).unwrap_or_default();
            held.retain(|guard| match guard {
                Guard::Atomic => true,
                Guard::Lock((object, _)) | Guard::Shared((object, _)) => {
                    !objects.is_empty() && !objects.contains(&Target::Object(*object))
                }
            });
        }
    }

    fn gains(&mut self, event: Event<'u>, held: &mut Held) {
        let Event::Called(callee, args) = event else { return };
        match callee {
            Callee::Direct(function) if !self.body(*function).is_empty() => {
                held.extend(self.effects[function.index()].gains.iter().cloned());
            }
            Callee::Direct(function) => {
                let guard = match self.unit.functions[function.index()].name.as_str() {
                    "__VERIFIER_atomic_begin" => Some(Guard::Atomic),
                    "pthread_mutex_lock"
                    | "pthread_spin_lock"
                    | "mtx_lock"
                    | "pthread_rwlock_wrlock" => {
                        args.first().and_then(|arg| self.lock(arg)).map(Guard::Lock)
                    }
                    "pthread_rwlock_rdlock" => {
                        args.first().and_then(|arg| self.lock(arg)).map(Guard::Shared)
                    }
                    _ => None,
                };
                held.extend(guard);
            }
            Callee::Pointer(_) | Callee::Builtin(_) => {}
        }
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

/// Whether a function of a library may make a lock free, whatever it was.
fn releases(name: &str) -> bool {
    let is_lock = ["pthread_mutex_", "pthread_spin_", "pthread_rwlock_", "mtx_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    is_lock && ["unlock", "_init", "_destroy"].iter().any(|ending| name.ends_with(ending))
}

/// The object, members and elements that an lvalue names, if no pointer is followed and all indices are constants.
fn way_to(lvalue: &Lvalue) -> Option<Lock> {
    Some(match &lvalue.kind {
        LvalueKind::Object(object) => (*object, Vec::new()),
        LvalueKind::Member(inner, _, field) => {
            let (object, mut way) = way_to(inner)?;
            way.push(*field as u64);
            (object, way)
        }
        LvalueKind::Element(inner, index) => {
            let (object, mut way) = way_to(inner)?;
            way.push(u64::try_from(super::choices::constant(index)?).ok()?);
            (object, way)
        }
        LvalueKind::Local(_) | LvalueKind::Deref(_) | LvalueKind::Temporary(_) => return None,
    })
}

/// Whether an lvalue is a part of a value that nobody holds.
fn is_temporary(lvalue: &Lvalue) -> bool {
    match &lvalue.kind {
        LvalueKind::Temporary(_) => true,
        LvalueKind::Member(inner, ..) | LvalueKind::Element(inner, _) => is_temporary(inner),
        _ => false,
    }
}
