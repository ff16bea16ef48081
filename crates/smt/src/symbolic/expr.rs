//! Expressions over terms. What goes wrong in an expression goes wrong only if it is evaluated: the
//! condition under which that happens is carried along.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Expr, ExprKind, Place, Type, UnaryOp, Value, VarRef};

use super::command::Run;
use crate::layout::{SlotInfo, sort};
use crate::term::{Arith, Sort, Term, Var};

/// Why a command cannot be written as a formula.
pub(super) type Why = String;

impl Run<'_> {
    /// The value of an expression that is evaluated if `when` holds.
    pub fn eval(&mut self, expr: &Expr, when: &Term) -> Result<Term, Why> {
        match &expr.kind {
            ExprKind::Const(Value::Open) | ExprKind::Any | ExprKind::Fair => {
                Ok(self.choose(&expr.ty))
            }
            ExprKind::Const(value) => Ok(constant(value, &expr.ty)),
            ExprKind::Read(place) => self.read(place, when),
            ExprKind::Primed(place) => {
                let slots = self.slots(place, when)?;
                Ok(self.select(place, &slots, true))
            }
            ExprKind::Unary(UnaryOp::Not, a) => Ok(self.eval(a, when)?.negated()),
            ExprKind::Unary(UnaryOp::Neg, a) => {
                Ok(Term::arith(Arith::Sub, Term::int(0), self.eval(a, when)?))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, when),
            ExprKind::IfThenElse(c, a, b) => {
                let c = self.eval(c, when)?;
                let a = self.eval(a, &Term::all([when.clone(), c.clone()]))?;
                let b = self.eval(b, &Term::all([when.clone(), c.clone().negated()]))?;
                Ok(Term::ite(c, a, b))
            }
            ExprKind::OneOf(options) => {
                if options.is_empty() {
                    return Err("there is nothing to choose from".to_owned());
                }
                let pick = self.fresh(Sort::Int);
                let last = options.len() - 1;
                let mut value = None;
                for (index, option) in options.iter().enumerate().rev() {
                    let this = Term::eq(pick.clone(), Term::int(index));
                    let option = self.eval(option, &Term::all([when.clone(), this.clone()]))?;
                    value = Some(match value {
                        None => option,
                        Some(rest) => Term::ite(this, option, rest),
                    });
                }
                let lo = Term::le(Term::int(0), pick.clone());
                self.assume(Term::all([lo, Term::le(pick, Term::int(last))]));
                value.ok_or_else(|| "there is nothing to choose from".to_owned())
            }
            ExprKind::Between(low, high) => {
                let (low, high) = (self.eval(low, when)?, self.eval(high, when)?);
                self.wrong(
                    when,
                    Term::lt(high.clone(), low.clone()),
                    "there is no integer to choose",
                );
                let pick = self.fresh(Sort::Int);
                let within = Term::all([
                    Term::le(low.clone(), pick.clone()),
                    Term::le(pick.clone(), high.clone()),
                ]);
                self.assume(Term::any([Term::lt(high, low), within]));
                Ok(pick)
            }
            ExprKind::Schoose(positive, negative) => {
                let positive = self.eval(positive, when)?;
                let not = Term::all([when.clone(), positive.clone().negated()]);
                let negative = self.eval(negative, &not)?;
                let any = self.fresh(Sort::Bool);
                Ok(Term::ite(positive, Term::TRUE, Term::all([negative.negated(), any])))
            }
            ExprKind::Instance
            | ExprKind::Quantified { .. }
            | ExprKind::LocalOf { .. }
            | ExprKind::At { .. } => {
                Err("this expression has a meaning only in declarations".to_owned())
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, when: &Term) -> Result<Term, Why> {
        let left = self.eval(a, when)?;
        let when = &match op {
            BinaryOp::And | BinaryOp::Implies => Term::all([when.clone(), left.clone()]),
            BinaryOp::Or => Term::all([when.clone(), left.clone().negated()]),
            _ => when.clone(),
        };
        let right = self.eval(b, when)?;
        if let BinaryOp::Div | BinaryOp::Mod = op {
            self.wrong(when, Term::eq(right.clone(), Term::int(0)), "division by zero");
        }
        Ok(operation(op, left, right))
    }

    pub fn read(&mut self, place: &Place, when: &Term) -> Result<Term, Why> {
        let slots = self.slots(place, when)?;
        Ok(self.select(place, &slots, false))
    }

    /// The slots that a place may be, each with the condition under which it is; an index out of range
    /// goes wrong.
    pub fn slots(&mut self, place: &Place, when: &Term) -> Result<Vec<(Term, usize)>, Why> {
        let (first, ty) = self.layout.first_slot(self.proc, place.var);
        let mut ty = ty.clone();
        let mut slots = vec![(Term::TRUE, first)];
        for index in &place.indices {
            let Type::Array { element, length } = ty else { break };
            let index = self.eval(index, when)?;
            let outside = Term::any([
                Term::lt(index.clone(), Term::int(0)),
                Term::le(Term::int(length), index.clone()),
            ]);
            self.wrong(when, outside, "an index is out of range");
            let mut next = Vec::new();
            for (cond, slot) in &slots {
                for n in 0..length {
                    let here = Term::eq(index.clone(), Term::int(n));
                    let cond = Term::all([cond.clone(), here]);
                    if cond != Term::FALSE {
                        next.push((cond, slot + n as usize * element.slots()));
                    }
                }
            }
            slots = next;
            ty = *element;
        }
        Ok(slots)
    }

    /// The value at a place whose slots are known.
    pub fn select(&self, place: &Place, slots: &[(Term, usize)], primed: bool) -> Term {
        let value = |slot: usize| self.value(place.var, slot, primed);
        let mut all = slots.iter().rev();
        let Some((_, last)) = all.next() else {
            // The index is a constant out of range: the step goes wrong.
            return default(&place.ty);
        };
        all.fold(value(*last), |rest, (cond, slot)| Term::ite(cond.clone(), value(*slot), rest))
    }

    /// Any value of a type.
    pub fn choose(&mut self, ty: &Type) -> Term {
        let value = self.fresh(sort(ty));
        let slot = SlotInfo { name: String::new(), variable: 0, ty: ty.clone() };
        self.assume(self.layout.in_type(&slot, value.clone()));
        value
    }

    fn value(&self, var: VarRef, slot: usize, primed: bool) -> Term {
        let (globals, locals) = match &self.before {
            Some((globals, locals)) if !primed => (globals, locals),
            _ => (&self.state.globals, &self.state.locals),
        };
        match var {
            VarRef::Global(_) => globals[slot].clone(),
            VarRef::Local(_) => locals[slot].clone(),
        }
    }

    fn fresh(&mut self, sort: Sort) -> Term {
        let var = Var::Fresh(self.state.fresh.len(), sort);
        self.state.fresh.push(var);
        Term::Var(var)
    }
}

/// An operation on two terms.
pub(crate) fn operation(op: BinaryOp, left: Term, right: Term) -> Term {
    match op {
        BinaryOp::And => Term::all([left, right]),
        BinaryOp::Or => Term::any([left, right]),
        BinaryOp::Implies => Term::any([left.negated(), right]),
        BinaryOp::Eq => Term::eq(left, right),
        BinaryOp::Ne => Term::eq(left, right).negated(),
        BinaryOp::Lt => Term::lt(left, right),
        BinaryOp::Le => Term::le(left, right),
        BinaryOp::Gt => Term::lt(right, left),
        BinaryOp::Ge => Term::le(right, left),
        BinaryOp::Add => Term::arith(Arith::Add, left, right),
        BinaryOp::Sub => Term::arith(Arith::Sub, left, right),
        BinaryOp::Mul => Term::arith(Arith::Mul, left, right),
        BinaryOp::Div => Term::arith(Arith::Div, left, right),
        BinaryOp::Mod => Term::arith(Arith::Mod, left, right),
    }
}

/// A constant of a type.
pub(crate) fn constant(value: &Value, ty: &Type) -> Term {
    match sort(ty.scalar()) {
        Sort::Bool => Term::Bool(value.is_true()),
        Sort::Int => Term::Int(value.to_big().unwrap_or(BigInt::ZERO)),
    }
}

fn default(ty: &Type) -> Term {
    constant(&Value::FALSE, ty)
}
