//! # Starting threads
//! `pthread_create` and `thrd_create`: which function a thread starts with, and where its number is kept.

use selvedge_program::{BinaryOp, Expr, Span, StmtKind};

use super::Role;
use super::access::Access;
use super::arithmetic::{binary, int};
use super::faults::Fault;
use super::function::Fun;
use super::points::{Points, Target, direct_address, root_local};
use super::races::Touch;
use super::synchronisation::is_null;
use crate::c::typed::{self as c, FunctionId, Unit};
use crate::c::types::{Opaque, Type as CType};

impl<'u> Fun<'_, 'u> {
    /// Starts a thread; its id goes where the argument points to, if somebody wants it.
    pub(super) fn create(
        &mut self,
        to: Option<&'u c::Expr>,
        function: &'u c::Expr,
        arg: &'u c::Expr,
        span: Span,
    ) {
        let targets = self.lower.points.expr(Some(self.id), function);
        let functions: Vec<FunctionId> = (targets.into_iter())
            .filter_map(|target| match target {
                Target::Function(function) => Some(function),
                _ => None,
            })
            .collect();
        let access = to.map(|to| self.pointed(to));
        let values = self.scalars(&[function, arg]);
        let mut values = values.into_iter();
        let (Some(address), Some(arg)) = (values.next(), values.next()) else { return };
        let address = self.simple(address, span);
        let arg = self.settled(arg, span);
        self.start_one_of(&address, &functions, access.as_ref(), &arg, span);
    }

    pub(super) fn start_one_of(
        &mut self,
        address: &Expr,
        functions: &[FunctionId],
        to: Option<&Access>,
        arg: &Expr,
        span: Span,
    ) {
        let Some((&first, rest)) = functions.split_first() else {
            return self.invalid(Fault::NoFunction, span);
        };
        let here = int(super::function_address(first), &address.ty);
        let cond = binary(BinaryOp::Eq, address.clone(), here, span);
        self.branch(
            cond,
            span,
            |fun| fun.start(first, to, arg, span),
            |fun| fun.start_one_of(address, rest, to, arg, span),
        );
    }

    pub(super) fn start(
        &mut self,
        function: FunctionId,
        to: Option<&Access>,
        arg: &Expr,
        span: Span,
    ) {
        if self.lower.unit.functions[function.index()].body.is_none() {
            return self.limit(span, "a thread whose function is defined elsewhere".to_owned());
        }
        let proc = self.lower.proc(function, Role::Thread);
        let procedure = &self.lower.program.procs[proc.index()];
        let args: Vec<Expr> = match procedure.params - super::threads::extra(self.lower) {
            0 => Vec::new(),
            1 => vec![super::access::adapt(arg.clone(), &procedure.locals[0].ty.clone())],
            _ => {
                return self
                    .limit(span, "a thread whose function has several parameters".to_owned());
            }
        };
        if self.lower.numbers.is_some() {
            return self.start_numbered(proc, args, to, span);
        }
        let thread = CType::Opaque(Opaque::Thread);
        let Some(to) = to else {
            return self.emit(StmtKind::Async { dest: None, proc, args }, span);
        };
        self.at_place(to, &thread, 0, span, &mut |fun, at| {
            let dest = Some(at.place.clone());
            let start = StmtKind::Async { dest, proc, args: args.clone() };
            fun.touch(&at, Touch::WRITE, span, |fun| fun.emit(start, span));
        });
    }
}

/// Whether what a thread gives goes nowhere, or to a local variable that nobody reads.
pub(super) fn is_ignored(unit: &Unit, points: &Points, at: FunctionId, to: &c::Expr) -> bool {
    let Some(local) = direct_address(to).and_then(root_local) else { return is_null(to) };
    let body = unit.functions[at.index()].body.as_deref().unwrap_or_default();
    let mut is_read = points.addressed.contains(&(at, local));
    for statement in body {
        super::each_expr_of(statement, &mut |expr| {
            if let c::ExprKind::Load(lvalue) = &expr.kind {
                is_read |= root_local(lvalue) == Some(local);
            }
        });
    }
    !is_read
}

/// Whether something with a name lives as long as the program.
pub(super) fn lives(lvalue: &c::Lvalue) -> bool {
    match &lvalue.kind {
        c::LvalueKind::Object(_) => true,
        c::LvalueKind::Member(inner, ..) | c::LvalueKind::Element(inner, _) => lives(inner),
        _ => false,
    }
}
