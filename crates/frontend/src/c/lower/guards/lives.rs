//! # When threads live
//!
//! **Question.** Which threads cannot be there where another one makes an access: those that are started later, and those that have been joined?
//!
//! **Idea.** A thread that is started once, by one call in `main` outside of every loop, is not there before that call; nor is it after it was joined by the id that this call, and nothing else, stored in a variable.
//!
//! **Claim.** An access of a thread is made between its start and its end. If all starts of another one are where it has ended, the two are never there at once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Guard, Held, Use};
use crate::c::lower::foreseen::{is_mentioned, variable};
use crate::c::lower::points::{Points, Target, direct_address};
use crate::c::lower::single;
use crate::c::lower::visit::{each_expr, each_part};
use crate::c::typed::*;

/// Facts about the lives of threads.
#[derive(Debug)]
pub(super) struct Lives {
    /// First functions of threads, in the order of their numbers.
    started: Vec<FunctionId>,
    /// Those that are started once.
    once: BTreeSet<FunctionId>,
    /// Variables that hold the id of one thread, which is started once, and its first function.
    ids: BTreeMap<Target, FunctionId>,
    /// The threads that have ended wherever a function is started.
    ended_before: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
}

/// The argument that says which function a thread starts with.
pub(super) fn function_of<'u>(name: &str, args: &'u [Expr]) -> Option<&'u Expr> {
    match name {
        "pthread_create" => args.get(2),
        "thrd_create" => args.get(1),
        _ => None,
    }
}

impl Lives {
    pub(super) fn new<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Self {
        let alone = single::single(unit, points);
        let started: Vec<FunctionId> = points.started.iter().copied().collect();
        let once = started.iter().copied().filter(|f| alone.contains(f)).collect();
        let mut lives =
            Lives { started, once, ids: BTreeMap::new(), ended_before: BTreeMap::new() };
        lives.find_ids(unit, points);
        lives
    }

    /// Finds the variables that hold ids.
    fn find_ids<'u>(&mut self, unit: &'u Unit, points: &mut Points<'u>) {
        // A detached thread is not waited for, whatever joins it.
        let detaches = |name: &str| {
            matches!(name, "pthread_detach" | "thrd_detach" | "pthread_attr_setdetachstate")
        };
        let mut functions = unit.functions.iter().enumerate();
        if functions.any(|(n, f)| detaches(&f.name) && is_mentioned(unit, FunctionId(n as u32))) {
            return;
        }
        // How often something else than a read happens to each variable.
        let mut changes: BTreeMap<Target, usize> = BTreeMap::new();
        let mut found: Vec<(Target, FunctionId)> = Vec::new();
        for part in unit.objects.iter().flat_map(|object| &object.init) {
            each_expr(&part.value, &mut |expr| {
                if let ExprKind::Address(place) = &expr.kind
                    && let Some(root) = crate::c::lower::foreseen::root(FunctionId(0), place)
                {
                    *changes.entry(root).or_default() += 1;
                }
            });
        }
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            for statement in function.body.iter().flatten() {
                each_part(statement, false, &mut |expr, _| {
                    each_expr(expr, &mut |expr| {
                        if let ExprKind::Address(place)
                        | ExprKind::Assign(place, _)
                        | ExprKind::AssignWith { place, .. } = &expr.kind
                            && let Some(root) = crate::c::lower::foreseen::root(at, place)
                        {
                            *changes.entry(root).or_default() += 1;
                        }
                        found.extend(stored_id(unit, points, at, expr));
                    });
                });
            }
        }
        for (id, function) in found {
            if changes.get(&id) == Some(&1) && self.once.contains(&function) {
                self.ids.insert(id, function);
            }
        }
    }

    /// The facts at the start of `main`.
    pub(super) fn at_first(&self) -> Held {
        self.once.iter().copied().map(Guard::Unborn).collect()
    }

    /// The first function of the thread that has ended after a call.
    pub(super) fn joined(&self, at: FunctionId, name: &str, args: &[Expr]) -> Option<FunctionId> {
        let is_join = matches!(name, "pthread_join" | "thrd_join");
        let mut id = args.first().filter(|_| is_join)?;
        while let ExprKind::Convert(inner) = &id.kind {
            id = inner;
        }
        let ExprKind::Load(place) = &id.kind else { return None };
        self.ids.get(&variable(at, place)?).copied()
    }

    /// Threads are started where something is certain.
    pub(super) fn starts(&mut self, functions: &[FunctionId], held: &Held) {
        let ended = held.iter().filter_map(|guard| match guard {
            Guard::Ended(function) => Some(*function),
            _ => None,
        });
        let ended: BTreeSet<FunctionId> = ended.collect();
        for function in functions {
            match self.ended_before.get_mut(function) {
                Some(known) => known.retain(|function| ended.contains(function)),
                None => drop(self.ended_before.insert(*function, ended.clone())),
            }
        }
    }

    /// Whether two accesses are never made at once, since one of the threads is not there.
    pub(super) fn are_apart(&self, a: &Use, b: &Use) -> bool {
        let one_way = |a: &Use, b: &Use| {
            let Some(other) = self.first_function(b.by) else { return false };
            let here =
                a.guards.contains(&Guard::Unborn(other)) || a.guards.contains(&Guard::Ended(other));
            let before = self.first_function(a.by).is_some_and(|function| {
                self.ended_before.get(&function).is_some_and(|ended| ended.contains(&other))
            });
            here || before
        };
        one_way(a, b) || one_way(b, a)
    }

    /// The first function of a thread by its number: 0 is `main`, and each other one has two numbers.
    fn first_function(&self, number: usize) -> Option<FunctionId> {
        self.started.get(number.checked_sub(1)? / 2).copied()
    }
}

/// The variable in which a call that starts a thread stores its id, and the function that it starts with.
fn stored_id<'u>(
    unit: &'u Unit,
    points: &mut Points<'u>,
    at: FunctionId,
    expr: &'u Expr,
) -> Option<(Target, FunctionId)> {
    let ExprKind::Call(Callee::Direct(callee), args) = &expr.kind else { return None };
    let declared = &unit.functions[callee.index()];
    let function = function_of(&declared.name, args).filter(|_| declared.body.is_none())?;
    let id = variable(at, direct_address(args.first()?)?)?;
    let functions: Vec<Target> = points.expr(Some(at), function).into_iter().collect();
    match functions[..] {
        [Target::Function(function)] => Some((id, function)),
        _ => None,
    }
}
