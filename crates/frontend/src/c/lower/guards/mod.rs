//! # What protects objects
//!
//! **Question.** Which objects are never accessed by two threads at once, one of them writing, whatever the schedule? They need no look, and if there are no
//! others, there is no data race.
//!
//! **Idea.** The text says who accesses an object and what is certain there (`must`): that a mutex with a name is held, a read-write lock, an atomic section, that the access is an atomic
//! operation itself; or that another thread has not been started yet, or has been joined (`lives`). An object is *quiet* if of each two accesses by different threads, one of them a write, the text shows that they are not made at once, or if
//! it is a local variable whose address never leaves its thread.
//!
//! **Claim.** Two threads do not stand before accesses with a guard in common: a mutex has one owner, nobody acts while another is in an atomic section, and two atomic operations
//! are no race. Nor do they if one of the two threads was started once, and the other one is where it is not started yet, or has ended; or if one has ended wherever the other one is started. For a read-write lock, readers may meet readers only. A lock with a name is one object: a variable and a number of bytes into it, whichever way the text goes there
//! (`locks`). A function starts with what all its callers hold, and a call takes away what any function that may be called can release.
//!
//! **Needs.** A lock is no guard if somebody may free it who does not hold it, or make it anew, while there are several threads: an unlock where it is not certainly held, an
//! initialisation, a copy over it.
//!
//! **Nothing else** is accessed if every pointer that is followed leads to objects that `points` knows, and every function is known or has a body: then [`Protection::is_certain`] says that
//! quiet objects are all there is.

mod accesses;
mod lives;
mod locks;

use std::collections::{BTreeMap, BTreeSet};

use super::foreseen::is_mentioned;
use super::must::follow;
use super::points::{Points, Target};
use super::single;
use super::visit::{each_call, each_expr, each_part, each_statement};
use crate::c::typed::*;
use locks::Lock;

/// The protection of the accesses of all threads.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// Objects that no two threads access at once.
    pub(super) quiet: BTreeSet<Target>,
    /// Whether no object but these is accessed after the first thread was started.
    pub(super) is_certain: bool,
}

/// A guard that keeps other threads away from an object while it is held.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Guard {
    /// An atomic section, or an atomic operation.
    Atomic,
    /// A mutex, or a read-write lock for writing.
    Lock(Lock),
    /// A read-write lock for reading.
    Shared(Lock),
    /// No thread with this first function has been started yet.
    Unborn(FunctionId),
    /// The only thread with this first function has ended.
    Ended(FunctionId),
}

type Held = BTreeSet<Guard>;

/// An access, as far as others may meet it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Use {
    /// By which thread: the number of its first function.
    by: usize,
    writes: bool,
    /// The locks and lives of threads that are certain at the access.
    guards: Held,
}

/// An object with more different accesses than this is not quiet.
const MOST_USES: usize = 500;

/// The effect of a function on locks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    /// Locks that it may release, by their objects; `None` if it may be any.
    releases: Option<BTreeSet<ObjectId>>,
    ends_section: bool,
    /// The facts that certainly hold at its end.
    gains: Held,
}

/// Finds out how objects are protected.
pub(super) fn protection<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Protection {
    let effects =
        vec![Effect { releases: Some(BTreeSet::new()), ..Effect::default() }; unit.functions.len()];
    let lives = lives::Lives::new(unit, points);
    let mut look = Look {
        unit,
        points,
        lives,
        at: FunctionId(0),
        effects,
        entry: BTreeMap::new(),
        returned: None,
        called: Vec::new(),
        root: None,
        uses: BTreeMap::new(),
        last: BTreeSet::new(),
        broken: BTreeSet::new(),
        all_broken: false,
        is_wild: false,
    };
    look.find_effects();
    look.find_entries();
    look.find_uses();
    let Look { uses, lives, is_wild, broken, all_broken, .. } = look;
    let all = uses.len();
    let escaped = points.escaped();
    let holds = |guard: &Guard| match guard {
        Guard::Atomic => true,
        Guard::Lock((object, _)) | Guard::Shared((object, _)) => {
            !all_broken && !broken.contains(object)
        }
        Guard::Unborn(_) | Guard::Ended(_) => false,
    };
    let is_apart = |a: &Use, b: &Use| {
        a.by == b.by
            || !(a.writes || b.writes)
            || a.guards.intersection(&b.guards).any(holds)
            || lives.are_apart(a, b)
    };
    let is_quiet = |(target, found): &(Target, BTreeSet<Use>)| {
        let stays = match target {
            Target::Local(..) => !escaped.contains(target),
            // Each thread has one of its own, and nobody has its address.
            Target::Object(object) => {
                unit.objects[object.index()].thread_local && !points.is_pointed_to(*target)
            }
            _ => false,
        };
        let meet = || found.iter().all(|a| found.range(a..).all(|b| is_apart(a, b)));
        stays || found.len() <= MOST_USES && meet()
    };
    let quiet: BTreeSet<Target> =
        uses.into_iter().filter(is_quiet).map(|(target, _)| target).collect();
    let is_certain = !is_wild && quiet.len() == all;
    Protection { quiet, is_certain }
}

struct Look<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    lives: lives::Lives,
    at: FunctionId,
    effects: Vec<Effect>,
    /// The locks that all callers of a function hold; functions that are never called are not listed.
    entry: BTreeMap<FunctionId, Held>,
    /// The locks that are held at all ends of the function.
    returned: Option<Held>,
    /// Functions that are called, and what is held there.
    called: Vec<(FunctionId, Held)>,
    /// The thread whose accesses are collected, if they are.
    root: Option<usize>,
    uses: BTreeMap<Target, BTreeSet<Use>>,
    /// Functions that threads call at their ends.
    last: BTreeSet<FunctionId>,
    /// Objects with locks that may be freed or made anew by who does not hold them.
    broken: BTreeSet<ObjectId>,
    /// Whether that may be any lock.
    all_broken: bool,
    /// Whether there may be accesses to unknown objects.
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
        self.entry.extend(main.map(|main| (main, self.lives.at_first())));
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
            let is_apart = !is_mentioned(unit, main) && !jumps(early);
            let rest = if is_apart { &body[early.len()..] } else { body };
            let mut held = self.lives.at_first();
            self.at = main;
            if is_apart {
                self.returned = None;
                follow(self, early, held);
                held = self.returned.take().unwrap_or_default();
                self.called.clear();
            }
            self.root = Some(0);
            follow(self, rest, held);
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
}

/// Whether statements have labels, or jump to some.
fn jumps(block: &[Stmt]) -> bool {
    let mut found = false;
    let mut see = |statement: &Stmt| {
        found |= matches!(statement.kind, StmtKind::Label(_) | StmtKind::Goto(_))
    };
    each_statement(block, &mut see);
    for statement in block {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                if let ExprKind::Statement(block, _) = &expr.kind {
                    each_statement(block, &mut see);
                }
            });
        });
    }
    found
}
