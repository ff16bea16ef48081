//! # Every way to go wrong as an assertion
//!
//! **Question.** A statement may go wrong in its midst: an index outside of an array, a value
//! outside of a range, a division by zero, a choice from nothing. A transform that has to do
//! something about going wrong, or that has no numbers, needs to see it in the text.
//!
//! **Idea.** Beside each statement that may go wrong, as far as types tell, stands an assertion
//! that it does not, in one step with it:
//!
//! ```text
//! a[i] := a[i] / n;      atomic { assert i < 3 && n != 0; a[i] := a[i] / n; }
//! ```
//!
//! Choices in such a statement are made before, and kept in variables, so that what is asserted is
//! what happens. A test goes to a variable first. Arguments of a call are computed before the call.
//!
//! **Claim.** The result goes wrong exactly where the program does, in as many contexts; the only
//! statements that go wrong are assertions, releases and joins. Steps that are added use
//! nothing but locals.
//!
//! **Otherwise.** [`NotExplicit`]: a `constrain` that may itself go wrong; and, unless there is one
//! thread only, results of calls that may not fit where they go, since nothing can happen between a
//! return and the use of its results.

mod interval;
mod pure;

use crate::make::{self, assign, read, stmt};
use crate::{
    AtomicOp, BinaryOp, Block, Cond, Expr, LocalId, Place, ProcId, Program, Span, Stmt, StmtKind,
    Type, VarRef, Variable,
};
pub(crate) use interval::interval;
use pure::Pure;

/// How the new statements are marked, and what may be assumed.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// The span of an assertion that was added to a statement, and of the block round both.
    pub check: fn(Span) -> Span,
    /// The span of other new statements.
    pub silent: fn(Span) -> Span,
    /// Whether no other thread can act between a return and the use of its results.
    pub alone: bool,
    /// Whether choices in the midst of expressions with numbers are made before, even if nothing
    /// can go wrong: whoever enumerates values must not choose once for each.
    pub choices_first: bool,
    /// Whether assertions are needed at all: not if the program is explicit already.
    pub checks: bool,
}

/// Why a way to go wrong cannot be made explicit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NotExplicit {
    pub message: String,
    pub span: Span,
}

/// The program in which every way to go wrong is explicit.
pub(crate) fn explicit(program: &Program, options: Options) -> Result<Program, NotExplicit> {
    let mut result = program.clone();
    for (id, proc) in result.procs.iter_mut().enumerate() {
        let id = ProcId(id as u32);
        let locals = std::mem::take(&mut proc.locals);
        let mut maker = Maker { program, options, proc: id, locals };
        proc.body = maker.block(&program.procs[id.index()].body)?;
        proc.locals = maker.locals;
    }
    Ok(result)
}

struct Maker<'p> {
    program: &'p Program,
    options: Options,
    proc: ProcId,
    locals: Vec<Variable>,
}

impl Maker<'_> {
    fn temporary(&mut self, name: &str, ty: &Type) -> Place {
        temporary(&mut self.locals, name, ty)
    }

    fn block(&mut self, block: &Block) -> Result<Block, NotExplicit> {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            let mut group = self.statement(statement)?;
            if let Some(first) = group.first_mut() {
                first.labels.clone_from(&statement.labels);
            }
            out.extend(group);
        }
        Ok(out)
    }

    /// The statement with what is inside of it, before its own step is looked at.
    fn inner(&mut self, statement: &Stmt) -> Result<StmtKind, NotExplicit> {
        Ok(match &statement.kind {
            StmtKind::If { cond, then, otherwise } => StmtKind::If {
                cond: cond.clone(),
                then: self.block(then)?,
                otherwise: self.block(otherwise)?,
            },
            StmtKind::While { cond, body } => {
                StmtKind::While { cond: cond.clone(), body: self.block(body)? }
            }
            StmtKind::Choose(blocks) => {
                let blocks = blocks.iter().map(|b| self.block(b)).collect::<Result<_, _>>()?;
                StmtKind::Choose(blocks)
            }
            StmtKind::Atomic(body) => StmtKind::Atomic(self.block(body)?),
            other => other.clone(),
        })
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Block, NotExplicit> {
        let span = statement.span;
        let kind = self.inner(statement)?;
        let kept = stmt(kind.clone(), span);
        Ok(match kind {
            StmtKind::Assign { targets, values, constrain } => {
                let mut pure = Pure::new(self, span);
                let places: Vec<Place> = targets.iter().map(|t| pure.place(t)).collect();
                let pairs = values.iter().zip(&targets);
                let values: Vec<Expr> = pairs.map(|(v, t)| pure.assigned(v, t)).collect();
                if let Some(constrain) = &constrain
                    && pure.may_fail(constrain)
                {
                    return Err(NotExplicit {
                        message: "a condition after `constrain` that may itself go wrong"
                            .to_owned(),
                        span: constrain.span,
                    });
                }
                let kind = StmtKind::Assign { targets: places, values, constrain };
                let checks = pure.finish();
                self.with_checks(checks, kept, stmt(kind, span))
            }
            StmtKind::Havoc(places) => {
                let mut pure = Pure::new(self, span);
                let places = places.iter().map(|p| pure.place(p)).collect();
                let checks = pure.finish();
                self.with_checks(checks, kept, stmt(StmtKind::Havoc(places), span))
            }
            StmtKind::Assume(e) => self.of_expr(&e, kept, StmtKind::Assume),
            StmtKind::Assert(e) => self.of_expr(&e, kept, StmtKind::Assert),
            StmtKind::Acquire(lock) => self.of_place(&lock, kept, StmtKind::Acquire),
            StmtKind::Release(lock) => self.of_place(&lock, kept, StmtKind::Release),
            StmtKind::Attempt { dest, op } => {
                let mut pure = Pure::new(self, span);
                let place = dest.as_ref().map(|d| pure.place(d));
                let op = pure.operation(&op);
                if let (Some(dest), AtomicOp::FetchAndAdd { place, .. }) = (&dest, &op) {
                    pure.fits(&read(place.clone()), &dest.ty);
                }
                let checks = pure.finish();
                self.with_checks(checks, kept, stmt(StmtKind::Attempt { dest: place, op }, span))
            }
            StmtKind::Return(values) => {
                let results = self.program.procs[self.proc.index()].results.clone();
                let mut pure = Pure::new(self, span);
                let pairs = values.iter().zip(&results);
                let values = pairs.map(|(v, ty)| pure.stored(v, ty)).collect();
                let checks = pure.finish();
                self.with_checks(checks, kept, stmt(StmtKind::Return(values), span))
            }
            StmtKind::If { cond, then, otherwise } => match self.condition(&cond, span) {
                None => vec![kept],
                Some((mut before, cond, at)) => {
                    before.push(stmt(StmtKind::If { cond, then, otherwise }, at));
                    before
                }
            },
            StmtKind::While { cond, mut body } => match self.condition(&cond, span) {
                None => vec![kept],
                Some((before, cond, at)) => {
                    let end = vec![stmt(StmtKind::Break, (self.options.silent)(span))];
                    let test = StmtKind::If { cond, then: Vec::new(), otherwise: end };
                    body.splice(0..0, before.into_iter().chain([stmt(test, at)]));
                    vec![make::forever(body, (self.options.silent)(span))]
                }
            },
            StmtKind::Call { proc, args, results } => self.call(proc, &args, &results, span)?,
            StmtKind::Async { dest, proc, args } => match self.arguments(proc, &args, span) {
                None => vec![kept],
                Some((mut before, args)) => {
                    before.push(stmt(StmtKind::Async { dest, proc, args }, span));
                    before
                }
            },
            _ => vec![kept],
        })
    }

    fn of_expr(&mut self, e: &Expr, kept: Stmt, kind: fn(Expr) -> StmtKind) -> Block {
        let span = kept.span;
        let mut pure = Pure::new(self, span);
        let e = pure.defined(e);
        let checks = pure.finish();
        self.with_checks(checks, kept, stmt(kind(e), span))
    }

    fn of_place(&mut self, place: &Place, kept: Stmt, kind: fn(Place) -> StmtKind) -> Block {
        let span = kept.span;
        let mut pure = Pure::new(self, span);
        let place = pure.place(place);
        let checks = pure.finish();
        self.with_checks(checks, kept, stmt(kind(place), span))
    }

    /// The statements before a statement: choices, then the assertion that nothing goes wrong.
    fn checks(&self, (mut before, ok): (Block, Option<Expr>), span: Span) -> Block {
        before.extend(ok.map(|ok| stmt(StmtKind::Assert(ok), (self.options.check)(span))));
        before
    }

    /// The statement as it was if there is nothing to check, otherwise the changed one in one step
    /// with its checks.
    fn with_checks(
        &self,
        checks: Option<(Block, Option<Expr>)>,
        kept: Stmt,
        changed: Stmt,
    ) -> Block {
        let Some(checks) = checks else { return vec![kept] };
        let span = changed.span;
        let mut body = self.checks(checks, span);
        body.push(changed);
        self.together(body, (self.options.check)(span))
    }

    /// Statements that are one step. In a program that is explicit already there is one thread, and
    /// nobody to come in between.
    fn together(&self, body: Block, span: Span) -> Block {
        if self.options.checks { vec![stmt(StmtKind::Atomic(body), span)] } else { body }
    }

    /// A condition that may go wrong: what is done before the test, the test of a variable, and its span. An operation is the
    /// step itself: what is shared is as it was before the step only until then.
    fn condition(&mut self, cond: &Cond, span: Span) -> Option<(Block, Cond, Span)> {
        let mut pure = Pure::new(self, span);
        let (last, negated) = match cond {
            Cond::Expr(e) => (Ok(pure.defined(e)), false),
            Cond::Attempt { op, negated } => (Err(pure.operation(op)), *negated),
        };
        let checks = pure.finish()?;
        let holds = self.temporary("holds", &Type::Bool);
        let silent = (self.options.silent)(span);
        let mut body = self.checks(checks, span);
        let (last, at) = match last {
            Ok(e) => (assign(vec![(holds.clone(), e)], silent), span),
            Err(op) => (stmt(StmtKind::Attempt { dest: Some(holds.clone()), op }, span), silent),
        };
        body.push(last);
        let test = if negated { make::not(read(holds)) } else { read(holds) };
        Some((self.together(body, (self.options.check)(span)), Cond::Expr(test), at))
    }

    /// Arguments that may go wrong are computed before the call.
    fn arguments(&mut self, proc: ProcId, args: &[Expr], span: Span) -> Option<(Block, Vec<Expr>)> {
        let callee = &self.program.procs[proc.index()];
        let types: Vec<Type> =
            callee.locals[..callee.params].iter().map(|p| p.ty.clone()).collect();
        let mut pure = Pure::new(self, span);
        let values: Vec<Expr> = args.iter().zip(&types).map(|(a, ty)| pure.stored(a, ty)).collect();
        let mut body = pure.finish().map(|checks| self.checks(checks, span))?;
        let places: Vec<Place> = types.iter().map(|ty| self.temporary("argument", ty)).collect();
        let pairs = places.iter().cloned().zip(values).collect();
        body.push(assign(pairs, (self.options.silent)(span)));
        let before = self.together(body, (self.options.check)(span));
        Some((before, places.into_iter().map(read).collect()))
    }

    fn call(
        &mut self,
        proc: ProcId,
        args: &[Expr],
        results: &[Place],
        span: Span,
    ) -> Result<Block, NotExplicit> {
        let mut out = Vec::new();
        let args = match self.arguments(proc, args, span) {
            None => args.to_vec(),
            Some((before, args)) => {
                out.extend(before);
                args
            }
        };
        let types = self.program.procs[proc.index()].results.clone();
        let is_plain = |(place, ty): (&Place, &Type)| {
            matches!(place.var, VarRef::Local(_)) && place.indices.is_empty() && place.ty == *ty
        };
        let mut may_fail = false;
        for (place, ty) in results.iter().zip(&types) {
            let mut pure = Pure::new(self, span);
            pure.place(place);
            pure.fits(&make::any(ty), &place.ty);
            may_fail |= pure.finish().is_some_and(|(_, ok)| ok.is_some());
        }
        if !self.options.alone && may_fail {
            return Err(NotExplicit {
                message: "a result that may not fit where it goes, or goes to an element of an \
                          array that may not be there: let it go to a local variable first"
                    .to_owned(),
                span,
            });
        }
        if !self.options.alone || results.iter().zip(&types).all(is_plain) {
            let kind = StmtKind::Call { proc, args, results: results.to_vec() };
            out.push(stmt(kind, span));
            return Ok(out);
        }
        let silent = (self.options.silent)(span);
        let received: Vec<Place> = types.iter().map(|ty| self.temporary("result", ty)).collect();
        out.push(stmt(StmtKind::Call { proc, args, results: received.clone() }, span));
        // One after the other: an index may depend on a result.
        let mut body = Vec::new();
        for (place, result) in results.iter().zip(received) {
            let mut pure = Pure::new(self, span);
            let place = pure.place(place);
            let result = pure.stored(&read(result), &place.ty);
            if let Some(checks) = pure.finish() {
                body.extend(self.checks(checks, span));
            }
            body.push(assign(vec![(place, result)], silent));
        }
        out.extend(self.together(body, silent));
        Ok(out)
    }
}

/// Adds a local variable.
pub(crate) fn temporary(locals: &mut Vec<Variable>, wanted: &str, ty: &Type) -> Place {
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let name = names.find(|n| locals.iter().all(|l| l.name != *n)).unwrap_or_default();
    let id = LocalId(locals.len() as u32);
    let span = Span::default();
    locals.push(Variable {
        name,
        ty: ty.clone(),
        init: Vec::new(),
        counts_threads: false,
        looks: None,
        span,
    });
    make::variable(VarRef::Local(id), ty)
}

/// All of these hold; `None` if there is nothing to hold.
pub(crate) fn all(conditions: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    conditions.into_iter().reduce(|a, b| make::binary(BinaryOp::And, a, b))
}
