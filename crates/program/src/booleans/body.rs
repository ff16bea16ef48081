//! Statements over bits.

use super::cases::{Cases, and, if_then_else};
use super::layout::Layout;
use crate::attempt;
use crate::make::{self, assign, read, stmt};
use crate::print::NotBoolean;
use crate::{
    AtomicOp, BinaryOp, Block, Cond, Expr, ExprKind, Place, ProcId, Program, Span, Stmt, StmtKind,
    Type, Variable,
};

/// The body of a procedure while it is encoded.
pub(super) struct Body<'a> {
    pub block: Block,
    pub locals: Vec<Variable>,
    cases: Cases<'a>,
}

impl<'a> Body<'a> {
    pub fn encode(
        program: &'a Program,
        layout: &'a Layout,
        proc: ProcId,
    ) -> Result<Self, NotBoolean> {
        let cases = Cases { program, layout, proc };
        let mut body = Body { block: Vec::new(), locals: layout.locals(proc), cases };
        body.block = body.statements(&program.procs[proc.index()].body)?;
        Ok(body)
    }

    fn statements(&mut self, block: &Block) -> Result<Block, NotBoolean> {
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

    fn statement(&mut self, s: &Stmt) -> Result<Block, NotBoolean> {
        let span = s.span;
        let one = |kind| vec![stmt(kind, span)];
        Ok(match &s.kind {
            StmtKind::Assign { targets, values, constrain } => {
                let mut changes = Changes::default();
                for (place, value) in targets.iter().zip(values) {
                    self.set(place, value, &mut changes)?;
                }
                if let Some(constrain) = constrain {
                    changes.constrain.push(self.cases.truth(constrain)?);
                }
                vec![changes.statement(span)]
            }
            StmtKind::Havoc(places) => {
                let mut changes = Changes::default();
                for place in places {
                    self.set(place, &make::any(&place.ty), &mut changes)?;
                }
                vec![changes.statement(span)]
            }
            StmtKind::Assume(e) => one(StmtKind::Assume(self.cases.truth(e)?)),
            StmtKind::Assert(e) => one(StmtKind::Assert(self.cases.truth(e)?)),
            StmtKind::If { cond, then, otherwise } => {
                let (then, otherwise) = (self.statements(then)?, self.statements(otherwise)?);
                let (mut before, cond) = self.condition(cond, span)?;
                before.push(stmt(StmtKind::If { cond, then, otherwise }, span));
                before
            }
            StmtKind::While { cond, body } => {
                let mut body = self.statements(body)?;
                let (before, cond) = self.condition(cond, span)?;
                if before.is_empty() {
                    return Ok(one(StmtKind::While { cond, body }));
                }
                let end = vec![stmt(StmtKind::Break, span)];
                let test = stmt(StmtKind::If { cond, then: Vec::new(), otherwise: end }, span);
                body.splice(0..0, before.into_iter().chain([test]));
                vec![make::forever(body, span)]
            }
            StmtKind::Choose(blocks) => {
                let blocks = blocks.iter().map(|b| self.statements(b)).collect::<Result<_, _>>()?;
                one(StmtKind::Choose(blocks))
            }
            StmtKind::Atomic(body) => one(StmtKind::Atomic(self.statements(body)?)),
            StmtKind::Return(values) => {
                let types = &self.cases.program.procs[self.cases.proc.index()].results;
                one(StmtKind::Return(self.values(values, types.iter())?))
            }
            StmtKind::Acquire(lock) => match self.plain(lock) {
                Some(lock) => one(StmtKind::Acquire(lock)),
                None => {
                    let free = make::not(self.cases.truth(&read(lock.clone()))?);
                    let take = self.store(lock, true, span)?;
                    one(StmtKind::Atomic(vec![stmt(StmtKind::Assume(free), span), take]))
                }
            },
            StmtKind::Release(lock) => match self.plain(lock) {
                Some(lock) => one(StmtKind::Release(lock)),
                None => {
                    let held = self.cases.truth(&read(lock.clone()))?;
                    let free = self.store(lock, false, span)?;
                    one(StmtKind::Atomic(vec![stmt(StmtKind::Assert(held), span), free]))
                }
            },
            StmtKind::Attempt { dest, op } => {
                let plain = dest.as_ref().is_none_or(|d| self.plain(d).is_some());
                match self.plain_operation(op)?.filter(|_| plain) {
                    Some(op) => {
                        let dest = dest.as_ref().and_then(|d| self.plain(d));
                        one(StmtKind::Attempt { dest, op })
                    }
                    None => vec![self.operation(dest.as_ref(), op, span)?],
                }
            }
            StmtKind::Call { proc, args, results } => {
                let callee = &self.cases.program.procs[proc.index()];
                let params = callee.locals[..callee.params].iter().map(|p| &p.ty);
                let args = self.values(args, params)?;
                let mut places = Vec::new();
                for (place, ty) in results.iter().zip(&callee.results) {
                    places.extend(self.received(place, ty, span)?);
                }
                one(StmtKind::Call { proc: *proc, args, results: places })
            }
            StmtKind::Async { dest: None, proc, args } => {
                let callee = &self.cases.program.procs[proc.index()];
                let params = callee.locals[..callee.params].iter().map(|p| &p.ty);
                one(StmtKind::Async { dest: None, proc: *proc, args: self.values(args, params)? })
            }
            StmtKind::Async { .. } | StmtKind::Join(_) => {
                return Err(NotBoolean { what: "a thread id has no bits".to_owned(), span });
            }
            other => one(other.clone()),
        })
    }

    fn values<'t>(
        &self,
        values: &[Expr],
        types: impl Iterator<Item = &'t Type>,
    ) -> Result<Vec<Expr>, NotBoolean> {
        let mut bits = Vec::new();
        for (value, ty) in values.iter().zip(types) {
            bits.extend(self.cases.encode(value, ty)?);
        }
        Ok(bits)
    }

    /// A place that is one Boolean, whatever the values are.
    fn plain(&self, place: &Place) -> Option<Place> {
        let scalar = place.indices.is_empty() && matches!(place.ty, Type::Bool | Type::Lock);
        let bits = || self.cases.layout.element(self.cases.proc, place.var, 0);
        if scalar { bits().pop() } else { None }
    }

    /// An operation on a plain Boolean with plain operands.
    fn plain_operation(&self, op: &AtomicOp) -> Result<Option<AtomicOp>, NotBoolean> {
        let Some(place) = self.plain(op.place()) else { return Ok(None) };
        Ok(Some(match op {
            AtomicOp::TryLock(_) => AtomicOp::TryLock(place),
            AtomicOp::CompareAndSwap { expected, new, .. } => AtomicOp::CompareAndSwap {
                place,
                expected: self.cases.truth(expected)?,
                new: self.cases.truth(new)?,
            },
            AtomicOp::FetchAndAdd { .. } => return Ok(None),
        }))
    }

    /// An operation as an assignment.
    fn operation(
        &self,
        dest: Option<&Place>,
        op: &AtomicOp,
        span: Span,
    ) -> Result<Stmt, NotBoolean> {
        let place = op.place().clone();
        let free = make::not(read(place.clone()));
        let meaning = attempt::Meaning::of(op, &place, (free, make::truth(true)));
        let (new, result) = (meaning.written(), meaning.result());
        let mut changes = Changes::default();
        self.set(&place, &new, &mut changes)?;
        if let Some(dest) = dest {
            self.set(dest, &result, &mut changes)?;
        }
        Ok(changes.statement(span))
    }

    fn condition(&mut self, cond: &Cond, span: Span) -> Result<(Block, Cond), NotBoolean> {
        match cond {
            Cond::Expr(e) => Ok((Vec::new(), Cond::Expr(self.cases.truth(e)?))),
            Cond::Attempt { op, negated } => {
                if let Some(op) = self.plain_operation(op)? {
                    return Ok((Vec::new(), Cond::Attempt { op, negated: *negated }));
                }
                // The variable is not one of the program: it is written without its help.
                let place = op.place().clone();
                let free = make::not(read(place.clone()));
                let meaning = attempt::Meaning::of(op, &place, (free, make::truth(true)));
                let mut changes = Changes::default();
                self.set(&place, &meaning.written(), &mut changes)?;
                let holds = self.temporary();
                changes.sets.push((holds.clone(), self.cases.truth(&meaning.result())?));
                let test = if *negated { make::not(read(holds)) } else { read(holds) };
                Ok((vec![changes.statement(span)], Cond::Expr(test)))
            }
        }
    }

    fn temporary(&mut self) -> Place {
        crate::explicit::temporary(&mut self.locals, "holds", &Type::Bool)
    }

    fn store(&self, place: &Place, value: bool, span: Span) -> Result<Stmt, NotBoolean> {
        let mut changes = Changes::default();
        self.set(place, &make::truth(value), &mut changes)?;
        Ok(changes.statement(span))
    }

    /// Sets the bits of a place, whichever element it is.
    fn set(&self, place: &Place, value: &Expr, changes: &mut Changes) -> Result<(), NotBoolean> {
        if let ExprKind::Between(low, high) = &value.kind {
            return self.set_between(place, low, high, changes);
        }
        let bits = self.cases.encode(value, &place.ty)?;
        for (slot, cond) in self.cases.slots(place)? {
            let element = self.cases.layout.element(self.cases.proc, place.var, slot);
            for (bit, value) in element.into_iter().zip(&bits) {
                changes.set(bit, &cond, value.clone());
            }
        }
        Ok(())
    }

    /// `x := {low .. high}`: any bits, of which only those in between are kept.
    fn set_between(
        &self,
        place: &Place,
        low: &Expr,
        high: &Expr,
        changes: &mut Changes,
    ) -> Result<(), NotBoolean> {
        if !place.indices.is_empty() {
            let what = "a choice from a range that goes to an element of an array".to_owned();
            return Err(NotBoolean { what, span: place.span });
        }
        let after = Expr { kind: ExprKind::Primed(place.clone()), ..read(place.clone()) };
        let within =
            [(BinaryOp::Le, low.clone(), after.clone()), (BinaryOp::Le, after, high.clone())];
        for (op, a, b) in within {
            changes.constrain.push(self.cases.truth(&make::binary(op, a, b))?);
        }
        self.set(place, &make::any(&place.ty), changes)
    }

    /// Where the bits of a result go.
    fn received(&self, place: &Place, ty: &Type, span: Span) -> Result<Vec<Place>, NotBoolean> {
        let slots = self.cases.slots(place)?;
        match &slots[..] {
            [(slot, _)] if place.ty == *ty => {
                Ok(self.cases.layout.element(self.cases.proc, place.var, *slot))
            }
            _ => Err(NotBoolean {
                what: "a result that goes to a variable of another type, or to an element of an \
                       array that is not known: let it go to a local variable first"
                    .to_owned(),
                span,
            }),
        }
    }
}

/// The effect of an assignment on bits.
#[derive(Default)]
struct Changes {
    sets: Vec<(Place, Expr)>,
    constrain: Vec<Expr>,
}

impl Changes {
    /// Sets a bit if a condition holds; a later change overrides an earlier one.
    fn set(&mut self, bit: Place, cond: &Expr, value: Expr) {
        match self.sets.iter_mut().find(|(place, _)| place.var == bit.var) {
            Some((_, before)) => {
                *before = if_then_else(cond.clone(), value, before.clone());
            }
            None => {
                let value = if_then_else(cond.clone(), value, read(bit.clone()));
                self.sets.push((bit, value));
            }
        }
    }

    fn statement(self, span: Span) -> Stmt {
        if self.sets.is_empty() {
            return stmt(StmtKind::Skip, span);
        }
        let constrain = self.constrain.into_iter().reduce(and);
        let constrain =
            constrain.filter(|c| !matches!(&c.kind, ExprKind::Const(value) if value.is_true()));
        let mut made = assign(self.sets, span);
        if let StmtKind::Assign { constrain: slot, .. } = &mut made.kind {
            *slot = constrain;
        }
        made
    }
}
