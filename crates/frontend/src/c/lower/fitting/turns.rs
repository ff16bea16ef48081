//! # How often something happens
//! An upper bound of how often each function is called, over all threads and all runs: `main` once, a thread once for each time it is started, a called function as often as its callers call it. A loop that
//! counts to a constant multiplies; any other one, recursion and jumps back have no bound.

use std::collections::BTreeMap;

use crate::c::lower::bulk;
use crate::c::lower::choices::constant;
use crate::c::lower::foreseen::all_hold;
use crate::c::lower::points::{Points, Target};
use crate::c::lower::visit::{
    each_block, each_call, each_expr, each_part, each_statement, jumps_back,
};
use crate::c::typed::*;

/// A number of times; none if there is no bound.
pub(super) type Times = Option<u64>;

/// The product of two numbers of times.
pub(super) fn times(a: Times, b: Times) -> Times {
    if a == Some(0) || b == Some(0) { Some(0) } else { a?.checked_mul(b?) }
}

/// How often functions are called, and how many turns loops have.
pub(super) struct Turns {
    calls: BTreeMap<FunctionId, Times>,
    loops: BTreeMap<*const Stmt, u64>,
}

impl Turns {
    pub(super) fn new<'u>(unit: &'u Unit, points: &mut Points<'u>) -> Self {
        let mut loops = BTreeMap::new();
        for function in &unit.functions {
            let body = function.body.as_deref().unwrap_or_default();
            bulk::each_loop(body, &mut |before, statement| {
                if let Some((counter, turns)) = bulk::counts(before, statement)
                    && is_left_alone(function, statement, counter)
                    && let Ok(turns) = u64::try_from(turns)
                {
                    // The condition is tested once more than there are turns.
                    loops.insert(std::ptr::from_ref(statement), turns + 1);
                }
            });
        }
        let mut turns = Turns { calls: BTreeMap::new(), loops };
        let mut sites: BTreeMap<FunctionId, Vec<(FunctionId, Times)>> = BTreeMap::new();
        for (number, function) in unit.functions.iter().enumerate() {
            let at = FunctionId(number as u32);
            let Some(body) = &function.body else { continue };
            let whole = if jumps_back(body) { None } else { Some(1) };
            let mut found = Vec::new();
            turns.each_site(body, whole, &mut |callee, args, often| {
                found.extend(called(unit, points, at, callee, args, often));
            });
            for (callee, often) in found {
                sites.entry(callee).or_default().push((at, often));
            }
        }
        // Starting from nothing, as many passes as there are functions see through all calls that are not recursive.
        let main = unit.functions.iter().position(|f| f.name == "main");
        let main = main.map(|number| FunctionId(number as u32));
        let mut changed = true;
        for pass in 0..=unit.functions.len() + 1 {
            changed = false;
            let before = turns.calls.clone();
            let functions = sites.keys().copied().chain(main);
            for function in functions {
                let mut sum = Some(u64::from(Some(function) == main));
                for (caller, often) in sites.get(&function).into_iter().flatten() {
                    let of_caller = before.get(caller).copied().unwrap_or(Some(0));
                    sum = sum.zip(times(of_caller, *often)).and_then(|(a, b)| a.checked_add(b));
                }
                let known = turns.calls.insert(function, sum);
                changed |= known != Some(sum);
            }
            if !changed || pass > unit.functions.len() {
                break;
            }
        }
        if changed {
            // Some function calls itself, so nothing is known of how often.
            turns.calls.values_mut().for_each(|times| *times = None);
        }
        turns
    }

    /// How often a function is called.
    pub(super) fn of(&self, function: FunctionId) -> Times {
        self.calls.get(&function).copied().flatten()
    }

    /// How often the inside of a loop happens each time the loop is entered.
    pub(super) fn of_loop(&self, statement: &Stmt) -> Times {
        match &statement.kind {
            // `do { … } while (0)`, as macros have it.
            StmtKind::DoWhile(_, cond) if constant(cond) == Some(0) => Some(1),
            _ => self.loops.get(&std::ptr::from_ref(statement)).copied(),
        }
    }

    /// Tells every call in statements, and how often it happens each time these do.
    fn each_site<'u>(
        &self,
        block: &'u [Stmt],
        often: Times,
        see: &mut dyn FnMut(&'u Callee, &'u [Expr], Times),
    ) {
        for statement in block {
            let is_loop = matches!(
                statement.kind,
                StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For { .. }
            );
            let often = if is_loop { times(often, self.of_loop(statement)) } else { often };
            each_block(statement, &mut |inner| self.each_site(inner, often, see));
            each_own(statement, &mut |expr| {
                each_call(expr, false, &mut |callee, args, again| {
                    see(callee, args, if again { None } else { often });
                });
            });
        }
    }
}

/// Tells the expressions of a statement, without those of the statements inside of it.
fn each_own<'u>(statement: &'u Stmt, see: &mut dyn FnMut(&'u Expr)) {
    match &statement.kind {
        StmtKind::Expr(e) | StmtKind::Return(Some(e)) => see(e),
        StmtKind::Declare(_, parts) => parts.iter().flatten().for_each(|part| see(&part.value)),
        StmtKind::If(cond, ..)
        | StmtKind::Switch(cond, _)
        | StmtKind::While(cond, _)
        | StmtKind::DoWhile(_, cond) => see(cond),
        StmtKind::For { cond, step, .. } => cond.iter().chain(step).for_each(see),
        _ => {}
    }
}

/// Whether nothing but the step of a loop changes what it counts with, nobody has its address, and nobody jumps into the loop.
fn is_left_alone(function: &Function, statement: &Stmt, counter: LocalId) -> bool {
    let is_counter = |lvalue: &Lvalue| matches!(lvalue.kind, LvalueKind::Local(l) if l == counter);
    let mut alone = true;
    for part in function.body.iter().flatten() {
        each_part(part, false, &mut |expr, _| {
            each_expr(expr, &mut |expr| {
                alone &= !matches!(&expr.kind, ExprKind::Address(lvalue) if is_counter(lvalue));
            });
        });
    }
    let StmtKind::For { cond: Some(cond), body, .. } = &statement.kind else { return false };
    each_statement(function.body.as_deref().unwrap_or_default(), &mut |inner| {
        alone &= !matches!(inner.kind, StmtKind::Goto(_));
    });
    each_statement(body, &mut |inner| {
        alone &= !matches!(inner.kind, StmtKind::Case(..) | StmtKind::Default);
    });
    let ExprKind::Compare(_, counted, end) = &cond.kind else { return false };
    // All types on the way hold the last number.
    alone &= constant(end).is_some_and(|end| all_hold(counted, end));
    let mut see = |expr: &Expr| {
        each_expr(expr, &mut |expr| {
            alone &= match &expr.kind {
                ExprKind::Assign(place, _) | ExprKind::AssignWith { place, .. } => {
                    !is_counter(place)
                }
                _ => true,
            };
        });
    };
    see(cond);
    body.iter().for_each(|part| each_part(part, false, &mut |expr, _| see(expr)));
    alone
}

/// Whom a call calls or starts, and how often.
fn called<'u>(
    unit: &'u Unit,
    points: &mut Points<'u>,
    at: FunctionId,
    callee: &'u Callee,
    args: &'u [Expr],
    often: Times,
) -> Vec<(FunctionId, Times)> {
    let function = |target: Target| match target {
        Target::Function(function) => Some(function),
        _ => None,
    };
    let (direct, builtin) = match callee {
        Callee::Direct(function) => (vec![*function], None),
        Callee::Pointer(pointer) => {
            (points.expr(Some(at), pointer).into_iter().filter_map(function).collect(), None)
        }
        Callee::Builtin(name) => (Vec::new(), Some(name.as_str())),
    };
    let declared = direct.iter().map(|function| &unit.functions[function.index()]);
    let without_body = declared.filter(|f| f.body.is_none()).map(|f| f.name.as_str());
    let libraries: Vec<&str> = without_body.chain(builtin).collect();
    let mut found: Vec<(FunctionId, Times)> = direct.into_iter().map(|f| (f, often)).collect();
    for name in libraries {
        // Whom the library is given, it may call as often as it likes, unless it starts a thread.
        let often = if matches!(name, "pthread_create" | "thrd_create") { often } else { None };
        for arg in args {
            let given = points.expr(Some(at), arg).into_iter().filter_map(function);
            found.extend(given.map(|function| (function, often)));
        }
    }
    found
}
