//! Random expressions of a wanted type.

use num_bigint::BigInt;

use super::Maker;
use super::constants::{constant, in_order};
use crate::{
    BinaryOp, Expr, ExprKind, GlobalId, LabelId, LocalId, Place, ProcId, Quantifier, Span, Type,
    UnaryOp, Value, VarRef,
};

pub(super) fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

pub(super) fn boxed(e: Expr) -> Box<Expr> {
    Box::new(e)
}

/// Whether values of one type can stand where the other is wanted.
fn fits(have: &Type, want: &Type) -> bool {
    let plain = |ty: &Type| ty.is_integer() && !ty.is_machine();
    have == want || (plain(have) && plain(want))
}

impl Maker<'_> {
    /// The variables of a procedure, its own and shared, whose scalars pass a test.
    pub(super) fn variables(&self, proc: ProcId, test: impl Fn(&Type) -> bool) -> Vec<VarRef> {
        let globals = self.program.globals.iter().enumerate();
        let globals = globals.map(|(id, v)| (VarRef::Global(GlobalId(id as u32)), v));
        let locals = self.program.procs[proc.index()].locals.iter().enumerate();
        let locals = locals.map(|(id, v)| (VarRef::Local(LocalId(id as u32)), v));
        globals.chain(locals).filter(|(_, v)| test(v.ty.scalar())).map(|(var, _)| var).collect()
    }

    /// A variable as a place; with random indices if it is an array.
    pub(super) fn place(&mut self, proc: ProcId, var: VarRef, depth: usize) -> Place {
        let mut ty = self.program.variable(proc, var).ty.clone();
        let mut indices = Vec::new();
        while let Type::Array { element, length } = ty {
            let range = Type::Range { lo: BigInt::from(0), hi: BigInt::from(length - 1) };
            indices.push(if let Some(index) = self.machine_index(proc, length) {
                index
            } else if self.shape.chosen_indices && self.dice.one_in(2) {
                self.chosen_within(&range)
            } else if depth > 0 && self.dice.one_in(3) {
                self.number_within(proc, &range, depth - 1)
            } else {
                expr(ExprKind::Const(self.value(&range)), Type::Int)
            });
            ty = *element;
        }
        Place { var, indices, ty, span: Span::default() }
    }

    /// A choice from a range.
    fn chosen_within(&mut self, range: &Type) -> Expr {
        let [mut low, mut high] =
            [(); 2].map(|()| boxed(expr(ExprKind::Const(self.value(range)), Type::Int)));
        if self.dice.one_in(2) {
            return expr(ExprKind::OneOf(vec![*low, *high]), Type::Int);
        }
        in_order(&mut low, &mut high);
        expr(ExprKind::Between(low, high), Type::Int)
    }

    /// A number for a place that wants a certain range: as far as it is constant, it is in it.
    fn number_within(&mut self, proc: ProcId, range: &Type, depth: usize) -> Expr {
        let mut number = self.number(proc, depth);
        self.keep_within(&mut number, range);
        number
    }

    /// Replaces constants outside of a range, also among those that are chosen from.
    fn keep_within(&mut self, number: &mut Expr, range: &Type) {
        let Type::Range { lo, hi } = range else { return };
        let outside = constant(number).is_some_and(|n| n < *lo || n > *hi);
        match &mut number.kind {
            ExprKind::OneOf(list) => list.iter_mut().for_each(|e| self.keep_within(e, range)),
            ExprKind::Between(low, high) => {
                self.keep_within(low, range);
                self.keep_within(high, range);
                in_order(low, high);
            }
            kind if outside => *kind = ExprKind::Const(self.value(range)),
            _ => {}
        }
    }

    /// A place that a value of the type can be assigned to, or read from.
    pub(super) fn place_of(&mut self, proc: ProcId, want: &Type, depth: usize) -> Option<Place> {
        let variables = self.variables(proc, |have| fits(have, want));
        let var = *self.dice.pick(&variables)?;
        Some(self.place(proc, var, depth))
    }

    /// A value to assign to a place of a type: here a bare `*` is possible, too.
    pub(super) fn assigned(&mut self, proc: ProcId, ty: &Type) -> Expr {
        let finite = !matches!(ty, Type::Int | Type::ThreadId | Type::Machine { .. });
        if finite && self.dice.one_in(5) {
            return expr(ExprKind::Any, ty.clone());
        }
        match ty {
            Type::Range { .. } => self.number_within(proc, ty, self.shape.depth),
            _ => self.expr(proc, ty, self.shape.depth),
        }
    }

    /// An expression of a type.
    pub(super) fn expr(&mut self, proc: ProcId, ty: &Type, depth: usize) -> Expr {
        match ty {
            Type::Bool => self.truth(proc, depth, true),
            _ => self.definite(proc, ty, depth),
        }
    }

    /// An expression whose type can be told from itself: no bare `*`.
    fn definite(&mut self, proc: ProcId, ty: &Type, depth: usize) -> Expr {
        match ty {
            Type::Bool => self.truth(proc, depth, false),
            Type::Int | Type::Range { .. } => self.number(proc, depth),
            Type::Machine { .. } => self.machine_number(proc, ty, depth),
            _ => self.leaf(proc, ty),
        }
    }

    /// A variable or a constant.
    pub(super) fn leaf(&mut self, proc: ProcId, ty: &Type) -> Expr {
        if !self.dice.one_in(3)
            && let Some(place) = self.place_of(proc, ty, 0)
        {
            let ty = place.ty.clone();
            return expr(ExprKind::Read(place), ty);
        }
        expr(ExprKind::Const(self.value(ty)), ty.clone())
    }

    /// A truth value; with a bare `*` in it only where it is known to be one.
    pub(super) fn truth(&mut self, proc: ProcId, depth: usize, any: bool) -> Expr {
        if depth == 0 || self.dice.one_in(4) {
            return self.leaf(proc, &Type::Bool);
        }
        let depth = depth - 1;
        let kind = match self.dice.below(12) {
            0 | 1 => ExprKind::Unary(UnaryOp::Not, boxed(self.truth(proc, depth, true))),
            2 if any => ExprKind::Any,
            3 => {
                let cond = self.truth(proc, depth, true);
                let [then, otherwise] = [(); 2].map(|()| boxed(self.truth(proc, depth, any)));
                ExprKind::IfThenElse(boxed(cond), then, otherwise)
            }
            4 if self.shape.boolean_programs => {
                let [p, n] = [(); 2].map(|()| boxed(self.truth(proc, depth, true)));
                ExprKind::Schoose(p, n)
            }
            5 => {
                let count = 2 + self.dice.up_to(1);
                ExprKind::OneOf((0..count).map(|_| self.truth(proc, depth, any)).collect())
            }
            6 | 7 if self.shape.numbers => self.comparison(proc, depth),
            8 => self.equation(proc, depth),
            n => {
                let ops = [BinaryOp::And, BinaryOp::Or, BinaryOp::Implies];
                let [left, right] = [(); 2].map(|()| boxed(self.truth(proc, depth, true)));
                ExprKind::Binary(ops[n % ops.len()], left, right)
            }
        };
        expr(kind, Type::Bool)
    }

    /// Equal or not, for values of any type.
    fn equation(&mut self, proc: ProcId, depth: usize) -> ExprKind {
        let ty = match self.dice.below(4) {
            0 if self.shape.dynamic_threads => Type::ThreadId,
            _ => self.scalar_type(),
        };
        let op = if self.dice.one_in(2) { BinaryOp::Eq } else { BinaryOp::Ne };
        let left = self.definite(proc, &ty, depth);
        let right = self.definite(proc, &ty, depth);
        ExprKind::Binary(op, boxed(left), boxed(right))
    }

    fn comparison(&mut self, proc: ProcId, depth: usize) -> ExprKind {
        let ops = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge, BinaryOp::Eq];
        let op = ops[self.dice.below(ops.len())];
        if self.shape.machine && self.dice.one_in(2) {
            let ty = self.machine_type();
            let [left, right] = [(); 2].map(|()| boxed(self.machine_number(proc, &ty, depth)));
            return ExprKind::Binary(op, left, right);
        }
        let [left, right] = [(); 2].map(|()| boxed(self.number(proc, depth)));
        ExprKind::Binary(op, left, right)
    }

    pub(super) fn number(&mut self, proc: ProcId, depth: usize) -> Expr {
        if depth == 0 || self.dice.one_in(4) {
            return self.leaf(proc, &Type::Int);
        }
        let depth = depth - 1;
        if self.shape.machine && self.dice.one_in(4) {
            let ty = self.machine_type();
            return self.converted(proc, &ty, &Type::Int, depth);
        }
        let kind = match self.dice.below(10) {
            0 => ExprKind::Unary(UnaryOp::Neg, boxed(self.number(proc, depth))),
            1 => ExprKind::IfThenElse(
                boxed(self.truth(proc, depth, true)),
                boxed(self.number(proc, depth)),
                boxed(self.number(proc, depth)),
            ),
            2 => {
                let count = 2 + self.dice.up_to(1);
                ExprKind::OneOf((0..count).map(|_| self.number(proc, depth)).collect())
            }
            3 => {
                let [mut lo, mut hi] = [(); 2].map(|()| boxed(self.number(proc, depth)));
                in_order(&mut lo, &mut hi);
                ExprKind::Between(lo, hi)
            }
            n => {
                let ops =
                    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Mod];
                let [left, mut right] = [(); 2].map(|()| boxed(self.number(proc, depth)));
                if let ExprKind::Const(zero @ Value::Small(0)) = &mut right.kind {
                    *zero = Value::Small(1);
                }
                ExprKind::Binary(ops[n % ops.len()], left, right)
            }
        };
        expr(kind, Type::Int)
    }

    /// What a predicate says.
    pub(super) fn predicate_expr(&mut self, proc: ProcId) -> Expr {
        let left = self.about_threads(proc, &mut 0);
        if self.dice.one_in(2) {
            return left;
        }
        let right = self.about_threads(proc, &mut 0);
        let op = if self.dice.one_in(2) { BinaryOp::Or } else { BinaryOp::Implies };
        expr(ExprKind::Binary(op, boxed(left), boxed(right)), Type::Bool)
    }

    /// Something true or false inside of so many quantifiers.
    fn about_threads(&mut self, proc: ProcId, binders: &mut u32) -> Expr {
        if *binders < 2 && self.dice.one_in(2) {
            let quantifier = match self.dice.below(3) {
                0 => Quantifier::Forall,
                1 => Quantifier::Exists,
                _ => Quantifier::Count,
            };
            let binder = format!("i{binders}");
            let others_only = self.dice.one_in(2);
            *binders += 1;
            let body = boxed(self.about_bound(proc, *binders));
            *binders -= 1;
            let quantified = ExprKind::Quantified { quantifier, binder, others_only, body };
            if quantifier != Quantifier::Count {
                return expr(quantified, Type::Bool);
            }
            let two = expr(ExprKind::Const(2.into()), Type::Int);
            let count = expr(quantified, Type::Int);
            return expr(ExprKind::Binary(BinaryOp::Ge, boxed(count), boxed(two)), Type::Bool);
        }
        self.about_bound(proc, *binders)
    }

    /// Something about the innermost bound thread, or about the thread itself.
    fn about_bound(&mut self, proc: ProcId, binders: u32) -> Expr {
        let labels = self.program.procs[proc.index()].labels.len();
        let depth = (binders > 0).then(|| self.dice.below(binders as usize) as u32);
        if labels > 0 && self.dice.one_in(2) {
            let label = LabelId(self.dice.below(labels) as u32);
            return expr(ExprKind::At { depth, label }, Type::Bool);
        }
        let locals = self.scalar_locals(proc);
        if let (Some(depth), Some((local, ty))) = (depth, self.dice.pick(&locals).cloned()) {
            let left = expr(ExprKind::LocalOf { depth, local }, ty.clone());
            let value = expr(ExprKind::Const(self.value(&ty)), ty);
            return expr(ExprKind::Binary(BinaryOp::Eq, boxed(left), boxed(value)), Type::Bool);
        }
        // Shared variables and constants: a local without prefix may mean another thread.
        let globals = self.variables(proc, |ty| *ty == Type::Bool);
        let globals: Vec<_> =
            globals.into_iter().filter(|v| matches!(v, VarRef::Global(_))).collect();
        match self.dice.pick(&globals) {
            Some(&var) => {
                let place = self.place(proc, var, 0);
                expr(ExprKind::Read(place), Type::Bool)
            }
            None => expr(ExprKind::Const(self.value(&Type::Bool)), Type::Bool),
        }
    }
}
