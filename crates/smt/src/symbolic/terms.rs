//! # Formulas as a domain
//! A value is a term, a slot is one of several under conditions, a free choice is a fresh variable. What goes
//! wrong in an expression goes wrong only if it is evaluated: the condition under which that happens is carried
//! along.

use num_bigint::BigInt;
use selvedge_core::{
    Area, Binary, Domain, Effect, Failure, Kind, Limits, Place, Site, Unary, Value,
};

use super::State;
use crate::layout::{Layout, in_kind, sort};
use crate::term::{Arith, Sort, Term, Var};

/// Why a command cannot be written as a formula.
pub(super) type Why = String;

const THREADS: &str =
    "threads are started or joined here: declare them, as in `thread worker * any`";

/// One execution of an edge.
pub(super) struct Terms<'a> {
    layout: &'a Layout<'a>,
    state: State,
    /// The values when a snapshot was made.
    before: Option<(Vec<Term>, Vec<Term>)>,
    /// The conditions under which this is reached, one inside of the other.
    when: Vec<Term>,
    /// The ways to go wrong, each with its guard.
    wrongs: Vec<(Vec<Term>, String)>,
    /// Conditions that must be false for the step to go right.
    avoided: Vec<Term>,
}

impl<'a> Terms<'a> {
    pub fn new(layout: &'a Layout<'a>, state: State) -> Self {
        Terms {
            layout,
            state,
            before: None,
            when: Vec::new(),
            wrongs: Vec::new(),
            avoided: Vec::new(),
        }
    }

    /// The state after the edge, and the ways to go wrong.
    pub fn finish(mut self) -> (State, Vec<(Vec<Term>, String)>) {
        // What was chosen restricts what goes wrong, too; choices that came later do no harm.
        self.state.guard.extend(self.avoided.into_iter().map(Term::negated));
        (self.state, self.wrongs)
    }

    fn now(&self) -> Term {
        self.when.last().cloned().unwrap_or(Term::TRUE)
    }

    fn fresh(&mut self, sort: Sort) -> Term {
        let var = Var::Fresh(self.state.fresh.len(), sort);
        self.state.fresh.push(var);
        Term::Var(var)
    }

    fn slot(&self, area: Area, slot: usize, old: bool) -> Term {
        let (globals, locals) = match &self.before {
            Some((globals, locals)) if old => (globals, locals),
            _ => (&self.state.globals, &self.state.locals),
        };
        match area {
            Area::Shared => globals[slot].clone(),
            _ => locals[slot].clone(),
        }
    }
}

/// An operation on two terms; `None` for one that formulas over integers do not have.
pub(crate) fn binary(op: Binary, left: Term, right: Term) -> Option<Term> {
    Some(match op {
        Binary::Eq => Term::eq(left, right),
        Binary::Lt => Term::lt(left, right),
        Binary::Le => Term::le(left, right),
        Binary::Gt => Term::lt(right, left),
        Binary::Ge => Term::le(right, left),
        Binary::Add => Term::arith(Arith::Add, left, right),
        Binary::Sub => Term::arith(Arith::Sub, left, right),
        Binary::Mul => Term::arith(Arith::Mul, left, right),
        Binary::Div => Term::arith(Arith::Div, left, right),
        Binary::Mod => Term::arith(Arith::Mod, left, right),
        Binary::BitAnd
        | Binary::BitOr
        | Binary::BitXor
        | Binary::ShiftLeft
        | Binary::ShiftRight => return None,
    })
}

/// An operation on one term; `None` for one that is not about values.
pub(crate) fn unary(op: Unary, a: Term) -> Option<Term> {
    match op {
        Unary::Not => Some(a.negated()),
        Unary::Neg => Some(Term::arith(Arith::Sub, Term::int(0), a)),
        Unary::Wrap { bits, signed } => {
            let modulus = BigInt::from(1) << bits;
            let rest = |a| Term::arith(Arith::Mod, a, Term::Int(modulus.clone()));
            if !signed {
                return Some(rest(a));
            }
            // Moved up by one half, so that what is negative comes first.
            let half = Term::Int(&modulus >> 1);
            let moved = rest(Term::arith(Arith::Add, a, half.clone()));
            Some(Term::arith(Arith::Sub, moved, half))
        }
        Unary::Ended => None,
    }
}

/// One term if a condition holds, otherwise another; of truth values, what `and` and `or` are.
pub(crate) fn merge(cond: Term, a: Term, b: Term) -> Term {
    match (a, b) {
        (a, Term::Bool(false)) => Term::all([cond, a]),
        (Term::Bool(true), b) => Term::any([cond, b]),
        (a, Term::Bool(true)) => Term::any([cond.negated(), a]),
        (Term::Bool(false), b) => Term::all([cond.negated(), b]),
        (a, b) => Term::ite(cond, a, b),
    }
}

/// A constant of a kind.
pub(crate) fn constant(value: &Value, kind: &Kind) -> Term {
    match sort(kind) {
        Sort::Bool => Term::Bool(value.is_true()),
        Sort::Int => Term::Int(value.to_big().unwrap_or(BigInt::ZERO)),
    }
}

impl Domain for Terms<'_> {
    type Value = Term;
    type Address = (Area, Vec<(Term, usize)>);
    type Halt = Why;

    fn bool(&mut self, b: bool) -> Term {
        Term::Bool(b)
    }

    fn int(&mut self, n: &Value) -> Term {
        Term::Int(n.to_big().unwrap_or(BigInt::ZERO))
    }

    fn me(&mut self) -> Term {
        Term::int(1)
    }

    fn unary(&mut self, op: Unary, a: Term) -> Result<Term, Why> {
        unary(op, a).ok_or_else(|| THREADS.to_owned())
    }

    fn binary(&mut self, op: Binary, a: Term, b: Term, _: Site) -> Result<Term, Why> {
        binary(op, a, b).ok_or_else(|| {
            let sign = match op {
                Binary::BitAnd => "&",
                Binary::BitOr => "|",
                Binary::BitXor => "^",
                Binary::ShiftLeft => "<<",
                _ => ">>",
            };
            format!("`{sign}` works on bits, and formulas are about whole numbers")
        })
    }

    fn within(&mut self, value: &Term, limits: Limits<'_>) -> Term {
        let at_least = |lo: &BigInt| Term::le(Term::Int(lo.clone()), value.clone());
        match limits {
            Limits::NotNegative => at_least(&BigInt::ZERO),
            Limits::Positions(length) => {
                Term::all([at_least(&BigInt::ZERO), Term::lt(value.clone(), Term::int(length))])
            }
            Limits::Range(range) => {
                let at_most = Term::le(value.clone(), Term::Int(range.hi.clone()));
                Term::all([at_least(&range.lo), at_most])
            }
        }
    }

    fn truth(&self, value: &Term) -> Option<bool> {
        match value {
            Term::Bool(b) => Some(*b),
            _ => None,
        }
    }

    fn position(&self, value: &Term) -> Option<usize> {
        match value {
            Term::Int(n) => usize::try_from(n).ok(),
            _ => None,
        }
    }

    fn enter(&mut self, cond: &Term, holds: bool) {
        let cond = if holds { cond.clone() } else { cond.clone().negated() };
        self.when.push(Term::all([self.now(), cond]));
    }

    fn leave(&mut self) {
        self.when.pop();
    }

    fn merge(&mut self, cond: Term, a: Term, b: Term) -> Term {
        merge(cond, a, b)
    }

    fn choose(&mut self, kind: &Kind, _: Option<&str>, _: Site) -> Result<Term, Why> {
        let value = self.fresh(sort(kind));
        self.state.guard.push(in_kind(kind, value.clone()));
        Ok(value)
    }

    fn between(&mut self, lo: Term, hi: Term, _: Site) -> Result<Term, Why> {
        let pick = self.fresh(Sort::Int);
        let within =
            Term::all([Term::le(lo.clone(), pick.clone()), Term::le(pick.clone(), hi.clone())]);
        // Where there is no such number, the step goes wrong.
        self.state.guard.push(Term::any([Term::lt(hi, lo), within]));
        Ok(pick)
    }

    fn fair(&mut self, _: Site) -> Result<Term, Why> {
        Ok(self.fresh(Sort::Bool))
    }

    fn address(&mut self, area: Area, slot: usize) -> Self::Address {
        (area, vec![(Term::TRUE, slot)])
    }

    fn element(
        &mut self,
        (area, base): Self::Address,
        index: &Term,
        length: u32,
        stride: usize,
    ) -> Self::Address {
        let mut slots = Vec::new();
        for (cond, slot) in &base {
            for n in 0..length {
                let here = Term::eq(index.clone(), Term::int(n));
                let cond = Term::all([cond.clone(), here]);
                if cond != Term::FALSE {
                    slots.push((cond, slot + n as usize * stride));
                }
            }
        }
        (area, slots)
    }

    fn load(
        &mut self,
        (area, slots): &Self::Address,
        place: &Place,
        old: bool,
    ) -> Result<Term, Why> {
        let mut all = slots.iter().rev();
        let Some((_, last)) = all.next() else {
            // The index is a constant out of range: the step goes wrong.
            return Ok(constant(&Value::FALSE, &place.kind));
        };
        let last = self.slot(*area, *last, old);
        Ok(all.fold(last, |rest, (cond, slot)| {
            Term::ite(cond.clone(), self.slot(*area, *slot, old), rest)
        }))
    }

    fn store(
        &mut self,
        (area, slots): &Self::Address,
        place: &Place,
        value: Option<Term>,
    ) -> Result<(), Why> {
        let value = match value {
            Some(value) => value,
            None => self.choose(&place.kind, None, place.site)?,
        };
        let now = self.now();
        let values = match area {
            Area::Shared => &mut self.state.globals,
            Area::Frame => &mut self.state.locals,
            // The results of a thread are not read by anyone.
            Area::New | Area::Results => return Ok(()),
        };
        for (cond, slot) in slots {
            let here = Term::all([now.clone(), cond.clone()]);
            values[*slot] = Term::ite(here, value.clone(), values[*slot].clone());
        }
        Ok(())
    }

    fn result(&mut self, _: usize, _: &Kind, _: &Place) -> Result<Option<Term>, Why> {
        Err("a procedure is called here".to_owned())
    }

    fn assume(&mut self, cond: Term) -> Result<(), Why> {
        self.state.guard.push(cond);
        Ok(())
    }

    fn require(&mut self, cond: Term, why: impl FnOnce() -> Failure<Term>) -> Result<(), Why> {
        let bad = Term::all([self.now(), cond.negated()]);
        if bad != Term::FALSE {
            let mut guard = self.state.guard.clone();
            guard.push(bad.clone());
            self.wrongs.push((guard, why().kind().to_owned()));
            self.avoided.push(bad);
        }
        Ok(())
    }

    fn effect(&mut self, effect: Effect<'_, Self::Address>) -> Result<(), Why> {
        match effect {
            Effect::Snapshot => {
                self.before = Some((self.state.globals.clone(), self.state.locals.clone()));
                Ok(())
            }
            Effect::Return => Ok(()),
            Effect::Frame { proc, for_thread: false } => {
                let name = &self.layout.program.procs[proc.index()].name;
                Err(format!("`{name}` is called here: write its body in its place"))
            }
            Effect::Take | Effect::Call => Err("a procedure is called here".to_owned()),
            Effect::Frame { .. } | Effect::Start(_) | Effect::Fork { .. } => {
                Err(THREADS.to_owned())
            }
        }
    }
}
