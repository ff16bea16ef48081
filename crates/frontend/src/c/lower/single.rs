//! # Functions that are active once
//! A local variable whose address is taken needs a place that others can find. Where there is never more than one activation of
//! its function, that place is one variable; otherwise it is one of a pool.
//!
//! **Claim.** A function that is not recursive, and that only `main` can reach, or only one thread that is started once, is never active twice at
//! once. A thread is started once if one call starts it, in `main` itself, outside of every loop.

use std::collections::{BTreeMap, BTreeSet};

use super::foreseen::is_mentioned;
use super::points::{Points, Target};
use super::visit::{each_call, each_part, jumps_back, reached};
use crate::c::typed::*;

/// The functions of which there is never more than one activation.
pub(super) fn single<'u>(unit: &'u Unit, points: &mut Points<'u>) -> BTreeSet<FunctionId> {
    let mut graph =
        Graph { points, calls: BTreeMap::new(), starts: BTreeMap::new(), at: FunctionId(0), unit };
    for (number, function) in unit.functions.iter().enumerate() {
        graph.at = FunctionId(number as u32);
        if let Some(body) = &function.body {
            graph.block(body, jumps_back(body));
        }
    }
    let Graph { calls, starts, .. } = graph;
    let main = unit.functions.iter().position(|f| f.name == "main");
    let main = main.map(|number| FunctionId(number as u32));
    let mut roots: Vec<(FunctionId, bool)> = main.map(|main| (main, true)).into_iter().collect();
    // Somebody may call `main` again.
    let main_is_once = main.is_some_and(|main| !is_mentioned(unit, main));
    for (&function, sites) in &starts {
        let once = main_is_once && matches!(sites.as_slice(), [(at, false)] if Some(*at) == main);
        roots.push((function, once));
    }
    // How often each function may be active: once for each root that reaches it, or more.
    let mut active: BTreeMap<FunctionId, u32> = BTreeMap::new();
    for (root, once) in roots {
        let below = reached(&calls, root);
        for function in below.into_iter().filter(|&f| f != root).chain([root]) {
            *active.entry(function).or_default() += if once { 1 } else { 2 };
        }
    }
    let recursive = |f: FunctionId| reached(&calls, f).contains(&f);
    active.into_iter().filter(|&(f, times)| times == 1 && !recursive(f)).map(|(f, _)| f).collect()
}

struct Graph<'p, 'u> {
    unit: &'u Unit,
    points: &'p mut Points<'u>,
    calls: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// Where each function is started, and whether that may happen more than once.
    starts: BTreeMap<FunctionId, Vec<(FunctionId, bool)>>,
    at: FunctionId,
}

impl<'u> Graph<'_, 'u> {
    fn block(&mut self, block: &'u [Stmt], repeats: bool) {
        for stmt in block {
            each_part(stmt, repeats, &mut |e, repeats| self.expr(e, repeats));
        }
    }

    fn expr(&mut self, expr: &'u Expr, repeats: bool) {
        each_call(expr, repeats, &mut |callee, args, repeats| self.call(callee, args, repeats));
    }

    fn call(&mut self, callee: &'u Callee, args: &'u [Expr], repeats: bool) {
        let at = self.at;
        let called: Vec<FunctionId> = match callee {
            Callee::Direct(function) => vec![*function],
            Callee::Pointer(pointer) => functions(self.points.expr(Some(at), pointer)),
            Callee::Builtin(_) => Vec::new(),
        };
        for function in called {
            let name = self.unit.functions[function.index()].name.as_str();
            let passed = match name {
                "pthread_create" => args.get(2),
                "thrd_create" | "pthread_once" | "call_once" => args.get(1),
                // Called at the ends of threads, which may be several.
                "pthread_key_create" | "tss_create" => args.get(1),
                _ => None,
            };
            let Some(passed) = passed else {
                self.calls.entry(at).or_default().insert(function);
                continue;
            };
            for target in functions(self.points.expr(Some(at), passed)) {
                if name.ends_with("once") {
                    self.calls.entry(at).or_default().insert(target);
                } else {
                    let repeats = repeats || name.contains("key") || name.contains("tss");
                    self.starts.entry(target).or_default().push((at, repeats));
                }
            }
        }
    }
}

fn functions(targets: BTreeSet<Target>) -> Vec<FunctionId> {
    let function = |target| match target {
        Target::Function(function) => Some(function),
        _ => None,
    };
    targets.into_iter().filter_map(function).collect()
}
