//! Calls: what the functions of a program are given and give back, and what those of the library may do.

use super::Walk;
use crate::c::lower::access::strip;
use crate::c::lower::fitting::range::{Range, hull, is_inside};
use crate::c::lower::foreseen::{Start, bounds};
use crate::c::lower::library::{does_nothing_hidden, ends_runs, may_write, only_looks};
use crate::c::lower::points::Target;
use crate::c::typed::*;
use crate::c::types::Type;

impl<'u> Walk<'_, '_, 'u> {
    pub(super) fn call(
        &mut self,
        expr: &'u Expr,
        callee: &'u Callee,
        args: &'u [Expr],
    ) -> Option<Range> {
        let unit = self.look.unit;
        let all = bounds(&expr.ty);
        if let Some(cond) = Start::of(unit, self.at, true).assumption(expr) {
            self.value(cond);
            self.assume(cond, true);
            return all;
        }
        let values: Vec<_> = args.iter().map(|arg| self.value(arg)).collect();
        if let Callee::Pointer(pointer) = callee {
            self.value(pointer);
        }
        if self.here.is_none() {
            return all;
        }
        let functions = match callee {
            Callee::Builtin(name) => return self.library(name, expr, args),
            Callee::Direct(function) => vec![*function],
            Callee::Pointer(pointer) => self.functions(pointer),
        };
        self.look.is_wild |= functions.is_empty();
        let before = self.here.take();
        let mut result = None;
        for function in functions {
            let declared = &unit.functions[function.index()];
            self.here = before.clone();
            let given = match declared.body.is_none() {
                true => self.library(&declared.name, expr, args),
                false => self.enter(function, &values, all),
            };
            if self.here.take().is_some() {
                let given = given.or(all);
                result = Some(match (result, given) {
                    (Some(Some(a)), Some(b)) => Some(hull(a, b)),
                    (_, given) => given,
                });
            }
        }
        self.here = before.filter(|_| result.is_some());
        result.flatten().or(all)
    }

    fn functions(&mut self, pointer: &'u Expr) -> Vec<FunctionId> {
        let targets = self.look.points.expr(Some(self.at), pointer);
        let function = |target| match target {
            Target::Function(function) => Some(function),
            _ => None,
        };
        targets.into_iter().filter_map(function).collect()
    }

    /// Enters a function with a body; if it is not known to return, the path ends.
    fn enter(
        &mut self,
        function: FunctionId,
        values: &[Option<Range>],
        all: Option<Range>,
    ) -> Option<Range> {
        self.look.grew |= self.look.reached.insert(function);
        let declared = &self.look.unit.functions[function.index()];
        for (number, local) in declared.locals[..declared.params].iter().enumerate() {
            let Some(all) = bounds(&local.ty) else { continue };
            let value = values.get(number).copied().flatten().filter(|&v| is_inside(v, all));
            let key = (function, LocalId(number as u32));
            let known = self.look.params.get(&key).copied();
            let grown = self.look.grown(known, value.unwrap_or(all), all);
            self.look.params.insert(key, grown);
        }
        match self.look.results.get(&function) {
            Some(result) => result.or(all),
            None => {
                self.here = None;
                None
            }
        }
    }

    /// Calls a function of a library: what it is given to write may hold anything afterwards.
    fn library(&mut self, name: &str, expr: &'u Expr, args: &'u [Expr]) -> Option<Range> {
        if ends_runs(name) {
            self.here = None;
            return None;
        }
        self.look.is_wild |= !does_nothing_hidden(name)
            || may_write(self.look.unit, self.look.points, self.at, name, args);
        for (number, arg) in args.iter().enumerate() {
            let targets = self.look.points.expr(Some(self.at), arg);
            for &target in &targets {
                if let Target::Function(function) = target {
                    self.look.grew |= self.look.reached.insert(function);
                    self.gives_anything(function);
                }
            }
            let is_passed_on = matches!((name, number), ("pthread_create", 3) | ("thrd_create", 2));
            if !only_looks(name) && !is_passed_on && !is_opaque(arg) {
                targets.into_iter().for_each(|target| self.look.opens(target));
            }
        }
        // The absolute value of the least number does not fit; whatever is computed elsewhere is not followed.
        self.look.overflows |= matches!(name, "abs" | "labs" | "llabs" | "imaxabs");
        bounds(&expr.ty)
    }

    /// A function is called with any arguments.
    fn gives_anything(&mut self, function: FunctionId) {
        let declared = &self.look.unit.functions[function.index()];
        for (number, local) in declared.locals[..declared.params].iter().enumerate() {
            if let Some(all) = bounds(&local.ty) {
                let known = self.look.params.insert((function, LocalId(number as u32)), all);
                self.look.grew |= known != Some(all);
            }
        }
    }
}

/// Whether an argument points to something of the library that a program does not look into.
fn is_opaque(arg: &Expr) -> bool {
    match (&arg.kind, strip(&arg.ty)) {
        (_, Type::Pointer(to)) if matches!(strip(to), Type::Opaque(_)) => true,
        (ExprKind::Convert(inner), _) => is_opaque(inner),
        _ => false,
    }
}
