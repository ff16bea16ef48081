//! # Calls
//! A call of a function with a body, by its name or by a pointer: arguments from left to right, then the call, then what is left of its result. Functions of
//! libraries are in [`super::library`].

use selvedge_program::make::read;
use selvedge_program::{BinaryOp, Expr, Span, StmtKind, Type};

use super::access::adapt;
use super::arithmetic::{binary, int};
use super::faults::Fault;
use super::function::Fun;
use super::{Role, function_address};
use crate::c::typed::{self as c, Callee, ExprKind, FunctionId};
use crate::c::types::Type as CType;

impl<'u> Fun<'_, 'u> {
    /// A call: the scalars of its result.
    pub(super) fn call(
        &mut self,
        expr: &'u c::Expr,
        callee: &'u Callee,
        args: &'u [c::Expr],
    ) -> Vec<Expr> {
        match callee {
            Callee::Builtin(name) => self.library(expr, name, args),
            Callee::Direct(function) => self.call_direct(expr, *function, args),
            Callee::Pointer(pointer) => {
                if let ExprKind::Function(function) = &pointer.kind {
                    return self.call_direct(expr, *function, args);
                }
                self.call_pointer(expr, pointer, args)
            }
        }
    }

    pub(super) fn call_direct(
        &mut self,
        expr: &'u c::Expr,
        function: FunctionId,
        args: &'u [c::Expr],
    ) -> Vec<Expr> {
        let unit = self.lower.unit;
        let declared = &unit.functions[function.index()];
        if declared.body.is_none() {
            return self.library(expr, &declared.name, args);
        }
        let values = self.arguments(function, args);
        self.call_with(function, values, expr.span)
    }

    /// The scalars of all arguments that a function has parameters for.
    pub(super) fn arguments(&mut self, function: FunctionId, args: &'u [c::Expr]) -> Vec<Expr> {
        let params = self.lower.unit.functions[function.index()].params;
        let mut values: Vec<Expr> = Vec::new();
        let mut has_steps = false;
        for (number, arg) in args.iter().enumerate() {
            let mut scalars = Vec::new();
            let more = self.collect(|fun| match arg.ty {
                CType::Record(_) => scalars = fun.record(arg),
                CType::Floating(_) => drop(fun.scalar(arg)),
                _ if fun.is_vague(arg) => {
                    fun.effect(arg);
                    let ty = fun.type_of(&arg.ty, arg.span);
                    scalars = vec![Fun::nothing(&ty)];
                }
                _ => scalars = vec![fun.scalar(arg)],
            });
            if !more.is_empty() {
                if std::mem::replace(&mut has_steps, true) {
                    self.lower.assumptions.insert(
                        "operands and arguments are evaluated from left to right".to_owned(),
                    );
                }
                self.keep_before(&mut values, &more, arg.span);
            }
            self.append(more);
            match number < params {
                true => values.extend(scalars),
                false => self.discard(scalars, arg.span),
            }
        }
        values
    }

    /// Calls a function with values for all its parameters.
    pub(super) fn call_with(
        &mut self,
        function: FunctionId,
        mut values: Vec<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        let unit = self.lower.unit;
        let declared = &unit.functions[function.index()];
        let is_atomic = declared.name.starts_with("__VERIFIER_atomic_");
        self.is_first = false;
        let role = if self.atomic || is_atomic { Role::Atomic } else { Role::Call };
        let proc = self.lower.proc(function, role);
        let procedure = &self.lower.program.procs[proc.index()];
        let params: Vec<Type> =
            procedure.locals[..procedure.params].iter().map(|l| l.ty.clone()).collect();
        let results = procedure.results.clone();
        let given = params.len() - super::threads::extra(self.lower);
        if given > values.len() {
            self.limit(span, format!("a call of `{}` with too few arguments", declared.name));
            values = params.iter().map(Fun::nothing).collect();
        }
        if given < params.len() {
            values.truncate(given);
            values.push(self.own_number());
        }
        let values = values.into_iter().zip(&params).map(|(value, ty)| adapt(value, ty)).collect();
        let places: Vec<_> = results.iter().map(|ty| self.temp(ty, span)).collect();
        let call = StmtKind::Call { proc, args: values, results: places.clone() };
        match is_atomic && !self.atomic {
            true => {
                let body = self.collect(|fun| fun.emit(call, span));
                self.emit(StmtKind::Atomic(body), span);
            }
            false => self.emit(call, span),
        }
        let mut places = places;
        if self.lower.exits.contains(&function)
            && let Some(ended) = places.pop()
        {
            self.branch(read(ended), span, |fun| fun.exit_thread(span), |_| {});
        }
        places.into_iter().map(read).collect()
    }

    pub(super) fn call_pointer(
        &mut self,
        expr: &'u c::Expr,
        pointer: &'u c::Expr,
        args: &'u [c::Expr],
    ) -> Vec<Expr> {
        let span = expr.span;
        let targets = self.lower.points.expr(Some(self.id), pointer);
        let address = self.scalar(pointer);
        let address = self.simple(address, span);
        let unit = self.lower.unit;
        let functions = targets.into_iter().filter_map(|target| match target {
            super::points::Target::Function(function) => Some(function),
            _ => None,
        });
        let fits = |f: &FunctionId| {
            let declared = &unit.functions[f.index()];
            declared.params <= args.len() || declared.body.is_none()
        };
        let functions: Vec<FunctionId> = functions.filter(fits).collect();
        let cells = self.lower.cell_types(&expr.ty);
        let places: Vec<_> = cells.iter().map(|ty| self.temp(ty, span)).collect();
        self.call_one_of(expr, &address, &functions, args, &places);
        places.into_iter().map(read).collect()
    }

    pub(super) fn call_one_of(
        &mut self,
        expr: &'u c::Expr,
        address: &Expr,
        functions: &[FunctionId],
        args: &'u [c::Expr],
        places: &[selvedge_program::Place],
    ) {
        let span = expr.span;
        let Some((&first, rest)) = functions.split_first() else {
            return self.invalid(Fault::NoFunction, span);
        };
        let here = int(function_address(first), &address.ty);
        let cond = binary(BinaryOp::Eq, address.clone(), here, span);
        self.branch(
            cond,
            span,
            |fun| {
                let declared = &fun.lower.unit.functions[first.index()];
                let is_known = super::library::is_known(&declared.name, &fun.lower.options);
                if declared.body.is_none() && !is_known {
                    return fun.limit(
                        span,
                        "a function of a library that is called by its address".to_owned(),
                    );
                }
                let values = fun.call_direct(expr, first, args);
                for (place, value) in places.iter().zip(values) {
                    let value = adapt(value, &place.ty);
                    fun.assign(place.clone(), value, span);
                }
            },
            |fun| fun.call_one_of(expr, address, rest, args, places),
        );
    }
}
