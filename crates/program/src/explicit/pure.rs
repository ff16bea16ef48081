//! # What a statement needs
//! Expressions of one statement: when they are defined, and the same without choices.

use num_bigint::BigInt;

use super::{Maker, all, interval};
use crate::make::{self, assign, binary, branch, equal, expr, not, number, read};
use crate::{AtomicOp, BinaryOp, Block, Expr, ExprKind, Place, Span, Type, Value, VarRef, visit};

/// Collects the needs of one statement.
pub(super) struct Pure<'a, 'p> {
    maker: &'a mut Maker<'p>,
    /// The span of what is done before.
    silent: Span,
    /// How many locals there were: if nothing is to be checked, the new ones are not needed.
    locals: usize,
    /// Choices that are made before.
    before: Block,
    /// Conditions under which the statement does not go wrong, each if those before it hold.
    needs: Vec<Expr>,
    /// Conditions under which the present expression is evaluated at all.
    path: Vec<Expr>,
    /// Whether anything but truth values and scalars was met.
    numbers: bool,
    /// Whether an operand may be evaluated twice when the statement is transformed.
    repeated: bool,
}

impl<'a, 'p> Pure<'a, 'p> {
    pub fn new(maker: &'a mut Maker<'p>, span: Span) -> Self {
        let locals = maker.locals.len();
        let silent = (maker.options.silent)(span);
        Pure {
            maker,
            silent,
            locals,
            before: Vec::new(),
            needs: Vec::new(),
            path: Vec::new(),
            numbers: false,
            repeated: false,
        }
    }

    /// The statements and the condition that come before the statement; `None` if it can stay as it is.
    pub fn finish(self) -> Option<(Block, Option<Expr>)> {
        let choices_first = self.maker.options.choices_first && self.numbers || self.repeated;
        let ok = all(self.needs).filter(|_| self.maker.options.checks);
        if ok.is_none() && (self.before.is_empty() || !choices_first) {
            self.maker.locals.truncate(self.locals);
            return None;
        }
        Some((self.before, ok))
    }

    /// Whether the evaluation of an expression may go wrong.
    pub fn may_fail(&self, e: &Expr) -> bool {
        visit::any_part(e, &|part| match &part.kind {
            ExprKind::Read(place) | ExprKind::Primed(place) => !self.outside(place).is_empty(),
            ExprKind::Binary(op, _, b) => needed(*op, b).is_some(),
            ExprKind::Between(a, b) => may_be_empty(a, b),
            _ => false,
        })
    }

    /// An expression, evaluated for sure.
    pub fn defined(&mut self, e: &Expr) -> Expr {
        let (e, ok) = self.pure(e);
        self.needs.extend(ok);
        e
    }

    /// A value that is stored where a type is. A plain `*` is left to the store.
    pub fn stored(&mut self, e: &Expr, ty: &Type) -> Expr {
        if matches!(e.kind, ExprKind::Any | ExprKind::Const(Value::Open)) && e.ty == *ty {
            return e.clone();
        }
        self.numbers |= *ty != Type::Bool;
        let e = self.defined(e);
        self.fits(&e, ty);
        e
    }

    /// A value that is assigned. A choice from a range that fits a variable is left to the
    /// assignment, too.
    pub fn assigned(&mut self, e: &Expr, place: &Place) -> Expr {
        match &e.kind {
            ExprKind::Between(a, b)
                if place.indices.is_empty()
                    && !may_be_empty(a, b)
                    && in_range(e, &place.ty).is_none() =>
            {
                self.numbers = true;
                let (a, b) = (self.defined(a), self.defined(b));
                expr(ExprKind::Between(Box::new(a), Box::new(b)), e.ty.clone(), e.span)
            }
            _ => self.stored(e, &place.ty),
        }
    }

    /// The value has to fit.
    pub fn fits(&mut self, e: &Expr, ty: &Type) {
        let fits = in_range(e, ty);
        self.needs.extend(fits);
    }

    /// A place that is read or written for sure. Whoever transforms the statement may look at it
    /// twice, so an index that is chosen is chosen before.
    pub fn place(&mut self, place: &Place) -> Place {
        let chooses = |e: &Expr| visit::any_part(e, &|part| visit::is_choice(&part.kind));
        self.repeated |= place.indices.iter().any(chooses);
        let (place, ok) = self.pure_place(place);
        self.needs.extend(ok);
        place
    }

    pub fn operation(&mut self, op: &AtomicOp) -> AtomicOp {
        self.repeated = true;
        match op {
            AtomicOp::TryLock(lock) => AtomicOp::TryLock(self.place(lock)),
            AtomicOp::CompareAndSwap { place, expected, new } => {
                let (place, expected) = (self.place(place), self.defined(expected));
                let new = self.defined(new);
                if let Some(fits) = in_range(&new, &place.ty) {
                    let succeeds = equal(read(place.clone()), expected.clone());
                    self.needs.push(binary(BinaryOp::Implies, succeeds, fits));
                }
                AtomicOp::CompareAndSwap { place, expected, new }
            }
            AtomicOp::FetchAndAdd { place, amount } => {
                let (place, amount) = (self.place(place), self.defined(amount));
                let sum = binary(BinaryOp::Add, read(place.clone()), amount.clone());
                self.fits(&sum, &place.ty);
                AtomicOp::FetchAndAdd { place, amount }
            }
        }
    }

    /// The lengths of the dimensions whose index may be outside, with the position of the index.
    fn outside(&self, place: &Place) -> Vec<(usize, u32)> {
        let mut ty = match place.var {
            VarRef::Global(id) => &self.maker.program.globals[id.index()].ty,
            VarRef::Local(id) => &self.maker.locals[id.index()].ty,
        };
        let mut found = Vec::new();
        for (position, index) in place.indices.iter().enumerate() {
            let Type::Array { element, length } = ty else { break };
            let last = BigInt::from(*length) - 1;
            let inside = interval(index).is_some_and(|(lo, hi)| lo >= BigInt::ZERO && hi <= last);
            if !inside {
                found.push((position, *length));
            }
            ty = element;
        }
        found
    }

    fn pure_place(&mut self, place: &Place) -> (Place, Option<Expr>) {
        self.numbers |= !place.indices.is_empty() || !matches!(place.ty, Type::Bool | Type::Lock);
        let outside = self.outside(place);
        let mut needs = Vec::new();
        let indices = place.indices.iter().map(|index| {
            let (index, ok) = self.pure(index);
            needs.extend(ok);
            index
        });
        let indices: Vec<Expr> = indices.collect();
        for (position, length) in outside {
            let range = make::range(0, BigInt::from(length) - 1);
            needs.extend(in_range(&indices[position], &range));
        }
        (Place { indices, ..place.clone() }, all(needs))
    }

    /// The expression without choices, and what must hold for it to be defined.
    fn pure(&mut self, e: &Expr) -> (Expr, Option<Expr>) {
        let again = |kind| expr(kind, e.ty.clone(), e.span);
        self.numbers |= e.ty != Type::Bool;
        match &e.kind {
            ExprKind::Any | ExprKind::Const(Value::Open) => (self.choice(&e.ty), None),
            ExprKind::Fair => (self.chosen(e.clone()), None),
            ExprKind::Read(place) => {
                let (place, ok) = self.pure_place(place);
                (again(ExprKind::Read(place)), ok)
            }
            ExprKind::Unary(op, a) => {
                let (a, ok) = self.pure(a);
                (again(ExprKind::Unary(*op, Box::new(a))), ok)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, first) = self.pure(a);
                let (b, second) = match op {
                    BinaryOp::And | BinaryOp::Implies => self.if_it_comes_to(&a, &first, b),
                    BinaryOp::Or => self.if_it_comes_to(&not(a.clone()), &first, b),
                    _ => self.pure(b),
                };
                let own = needed(*op, &b);
                let ok = all([first, second, own].into_iter().flatten());
                (again(ExprKind::Binary(*op, Box::new(a), Box::new(b))), ok)
            }
            ExprKind::IfThenElse(c, a, b) => {
                let (c, first) = self.pure(c);
                let (a, second) = self.if_it_comes_to(&c, &first, a);
                let (b, third) = self.if_it_comes_to(&not(c.clone()), &first, b);
                let ok = all([first, second, third].into_iter().flatten());
                (again(ExprKind::IfThenElse(Box::new(c), Box::new(a), Box::new(b))), ok)
            }
            ExprKind::OneOf(list) => self.one_of(list, &e.ty),
            ExprKind::Between(a, b) => self.between(a, b, e),
            ExprKind::Schoose(yes, no) => {
                let (yes, first) = self.pure(yes);
                let (no, second) = self.if_it_comes_to(&not(yes.clone()), &first, no);
                let free = self.choice(&Type::Bool);
                let other = binary(BinaryOp::And, not(no), free);
                (binary(BinaryOp::Or, yes, other), all([first, second].into_iter().flatten()))
            }
            _ => (e.clone(), None),
        }
    }

    /// An operand that is evaluated only if a condition (which has needs of its own) holds.
    fn if_it_comes_to(&mut self, c: &Expr, needs: &Option<Expr>, e: &Expr) -> (Expr, Option<Expr>) {
        let depth = self.path.len();
        self.path.extend(needs.clone());
        self.path.push(c.clone());
        let (e, ok) = self.pure(e);
        self.path.truncate(depth);
        (e, ok.map(|ok| binary(BinaryOp::Implies, c.clone(), ok)))
    }

    /// A choice that is made before.
    fn choice(&mut self, ty: &Type) -> Expr {
        self.chosen(make::any(ty))
    }

    fn chosen(&mut self, choice: Expr) -> Expr {
        let place = self.maker.temporary("choice", &choice.ty);
        self.before.push(assign(vec![(place.clone(), choice)], self.silent));
        read(place)
    }

    fn one_of(&mut self, list: &[Expr], ty: &Type) -> (Expr, Option<Expr>) {
        let [rest @ .., last] = list else {
            return (make::some_value(ty), Some(make::truth(true)));
        };
        let which = self.choice(&make::range(0, rest.len()));
        let mut needs = Vec::new();
        let mut options = Vec::new();
        for (number_of, option) in rest.iter().enumerate() {
            let picked = equal(which.clone(), number(number_of));
            let (option, ok) = self.if_it_comes_to(&picked, &None, option);
            needs.extend(ok);
            options.push((picked, option));
        }
        let (last, ok) = self.if_it_comes_to(&equal(which, number(rest.len())), &None, last);
        needs.extend(ok);
        let chosen = options.into_iter().rev().fold(last, |otherwise, (picked, option)| Expr {
            ty: ty.clone(),
            ..make::if_then_else(picked, option, otherwise)
        });
        (chosen, all(needs))
    }

    fn between(&mut self, a: &Expr, b: &Expr, e: &Expr) -> (Expr, Option<Expr>) {
        let (ty, chosen) = match (interval(a), interval(b)) {
            _ if e.ty.is_machine() => (e.ty.clone(), e.ty.clone()),
            (Some((lo, _)), Some((_, hi))) if lo <= hi => (make::range(lo, hi), Type::Int),
            _ => (Type::Int, Type::Int),
        };
        let empty = may_be_empty(a, b);
        let (a, first) = self.pure(a);
        let (b, second) = self.pure(b);
        let own = empty.then(|| binary(BinaryOp::Le, a.clone(), b.clone()));
        let ok = all([first, second, own].into_iter().flatten());
        let place = self.maker.temporary("choice", &ty);
        let kind = ExprKind::Between(Box::new(a), Box::new(b));
        let choose = assign(vec![(place.clone(), expr(kind, chosen, e.span))], self.silent);
        let made = all(self.path.iter().cloned().chain(ok.clone()));
        self.before.push(match made {
            None => choose,
            Some(made) => branch(made, vec![choose], Vec::new(), self.silent),
        });
        (read(place), ok)
    }
}

/// The condition on the right operand of an operator, as far as it is not evident.
fn needed(op: BinaryOp, right: &Expr) -> Option<Expr> {
    let compares = op.operator().needs?;
    let zero = BigInt::ZERO;
    let holds = |n: &BigInt| compares.apply(&Type::Bool, n, &zero).is_ok_and(|t| t != zero);
    // A comparison with 0 that holds at both ends, and at 0 if that is between them, holds throughout.
    let evident = interval(right).is_some_and(|(lo, hi)| {
        holds(&lo) && holds(&hi) && (lo > zero || hi < zero || holds(&zero))
    });
    (!evident).then(|| binary(compares, right.clone(), number(0)))
}

fn may_be_empty(a: &Expr, b: &Expr) -> bool {
    interval(a).zip(interval(b)).is_none_or(|((_, greatest), (least, _))| greatest > least)
}

/// The condition that a value is in the range of a type, as far as it is not evident.
fn in_range(e: &Expr, ty: &Type) -> Option<Expr> {
    let Type::Range { lo, hi } = ty else { return None };
    let (below, above) = match interval(e) {
        Some((least, greatest)) => (least < *lo, greatest > *hi),
        None => (true, true),
    };
    let least = below.then(|| binary(BinaryOp::Ge, e.clone(), number(lo.clone())));
    let greatest = above.then(|| binary(BinaryOp::Le, e.clone(), number(hi.clone())));
    all([least, greatest].into_iter().flatten())
}
