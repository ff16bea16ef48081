//! # Expressions
//! The value of an expression: statements for what happens on the way, and what is left, a value of local variables. Operands
//! are evaluated from left to right.

use std::collections::BTreeSet;

use selvedge_program::make::{read, truth};
use selvedge_program::{
    BinaryOp, Expr, ExprKind as Kind, LocalId, Place, Span, Stmt, StmtKind, Type, UnaryOp, VarRef,
};

use super::access::{Access, adapt, reads_shared, strip};
use super::arithmetic::{binary, choose, convert, divide, int, is_true, known_truth, negate};
use super::function::Fun;
use super::function_address;
use super::points::direct_address;
use super::stale::takes_apart;
use crate::c::typed::{self as c, Arithmetic, Compare, ExprKind, Unary};
use crate::c::types::Type as CType;

/// What is assumed where the order of objects in memory matters.
const ONE_LAYOUT: &str = "objects lie in memory in one of the orders that are possible";

impl<'u> Fun<'_, 'u> {
    /// The type of a scalar in the program.
    pub(super) fn type_of(&mut self, ty: &CType, span: Span) -> Type {
        match self.lower.shapes.scalar(ty) {
            Ok(ty) => ty,
            Err(reason) => {
                self.limit(span, reason);
                Type::Bool
            }
        }
    }

    /// Evaluates for what happens on the way.
    pub(super) fn effect(&mut self, expr: &'u c::Expr) {
        match &expr.kind {
            ExprKind::Convert(inner) if expr.ty == CType::Void => self.effect(inner),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Statement(block, value) => {
                self.statements(block);
                value.iter().for_each(|value| self.effect(value));
            }
            ExprKind::Conditional(cond, a, b) => {
                let cond = self.test(cond);
                self.branch(cond, expr.span, |fun| fun.effect(a), |fun| fun.effect(b));
            }
            ExprKind::Call(callee, args) => drop(self.call(expr, callee, args)),
            _ if matches!(expr.ty, CType::Record(_)) => {
                let values = self.record(expr);
                self.discard(values, expr.span);
            }
            ExprKind::Unsupported(what) => self.limit(expr.span, what.clone()),
            _ if expr.ty == CType::Void => {}
            _ if matches!(expr.ty, CType::Floating(_)) => self.inexact(expr),
            ExprKind::Assign(place, value) => {
                drop(self.assign_scalar(place, value, false, expr.span))
            }
            ExprKind::AssignWith { place, op, value, at, .. } => {
                drop(self.assign_with(place, *op, value, at, false, expr.span));
            }
            _ => {
                let value = self.scalar(expr);
                self.discard([value], expr.span);
            }
        }
    }

    /// Leaves values alone that nobody wants; an index on the way to one may be outside of its array all the same.
    pub(super) fn discard(&mut self, values: impl IntoIterator<Item = Expr>, span: Span) {
        for value in values {
            if has_index(&value) {
                self.keep(value, span);
            }
        }
    }

    /// Several values, from left to right. What one of them does after another was read does not change what was read.
    pub(super) fn scalars(&mut self, exprs: &[&'u c::Expr]) -> Vec<Expr> {
        let mut values: Vec<Expr> = Vec::new();
        let mut has_steps = false;
        for expr in exprs {
            let mut value = None;
            let more = self.collect(|fun| value = Some(fun.scalar(expr)));
            if !more.is_empty() {
                if std::mem::replace(&mut has_steps, true) {
                    self.lower.assumptions.insert(
                        "operands and arguments are evaluated from left to right".to_owned(),
                    );
                }
                self.keep_before(&mut values, &more, expr.span);
            }
            self.append(more);
            values.extend(value);
        }
        values
    }

    /// Keeps values that some steps may change which come after them: what others see, and local variables that the steps write.
    pub(super) fn keep_before(&mut self, values: &mut [Expr], steps: &[Stmt], span: Span) {
        let mut written = BTreeSet::new();
        written_by(steps, &mut written);
        for value in values {
            if reads_shared(value) || reads_one_of(value, &written) {
                *value = self.keep(value.clone(), span);
            }
        }
    }

    fn pair(&mut self, a: &'u c::Expr, b: &'u c::Expr) -> (Expr, Expr) {
        let mut values = self.scalars(&[a, b]).into_iter();
        let missing = || Fun::nothing(&Type::Bool);
        (values.next().unwrap_or_else(missing), values.next().unwrap_or_else(missing))
    }

    /// Whether a scalar is not 0.
    pub(super) fn test(&mut self, expr: &'u c::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Not(inner) => negate(self.test(inner)),
            ExprKind::And(a, b) => self.both(a, b, true, span),
            ExprKind::Or(a, b) => self.both(a, b, false, span),
            ExprKind::Compare(op, a, b) => self.compare(*op, a, b, span),
            ExprKind::Convert(inner)
                if is_integer(&inner.ty) && self.keeps_zero(&inner.ty, &expr.ty) =>
            {
                self.test(inner)
            }
            _ if self.is_vague(expr) => {
                self.effect(expr);
                self.either(span)
            }
            _ if matches!(strip(&expr.ty), CType::Floating(_)) => {
                self.limit(span, "a test of a number with a fraction".to_owned());
                truth(false)
            }
            _ => is_true(self.scalar(expr)),
        }
    }

    /// Whether a conversion makes 0 of nothing but 0.
    fn keeps_zero(&self, from: &CType, to: &CType) -> bool {
        let size = |ty: &CType| self.lower.shapes.types.size(ty);
        *to == CType::Bool || size(to) >= size(from)
    }

    /// `a && b`, or `a || b`: the second only where it matters.
    fn both(&mut self, a: &'u c::Expr, b: &'u c::Expr, and: bool, span: Span) -> Expr {
        let op = if and { BinaryOp::And } else { BinaryOp::Or };
        let a = self.test(a);
        if let Some(known) = known_truth(&a) {
            return if known == and { self.test(b) } else { truth(known) };
        }
        let mut value = truth(false);
        let more = self.collect(|fun| value = fun.test(b));
        if more.is_empty() {
            return binary(op, a, value, span);
        }
        let result = self.temp(&Type::Bool, span);
        let to = result.clone();
        let second = move |fun: &mut Self| {
            fun.append(more);
            fun.assign(to, value, span);
        };
        let to = result.clone();
        let first = move |fun: &mut Self| fun.assign(to, truth(!and), span);
        match and {
            true => self.branch(a, span, second, first),
            false => self.branch(a, span, first, second),
        }
        read(result)
    }

    fn compare(&mut self, op: Compare, a: &'u c::Expr, b: &'u c::Expr, span: Span) -> Expr {
        if self.is_vague(a) || self.is_vague(b) {
            self.effect(a);
            self.effect(b);
            return self.either(span);
        }
        if matches!(strip(&a.ty), CType::Floating(_)) {
            self.limit(span, "a comparison of numbers with fractions".to_owned());
            return truth(false);
        }
        let rivals = self.rivals(a, b);
        let is_order = !matches!(op, Compare::Eq | Compare::Ne);
        if is_order && self.are_of_several(a, b) {
            self.lower.assumptions.insert(ONE_LAYOUT.to_owned());
        }
        let pair = self.pair(a, b);
        let (a, b) = self.compared(pair, &rivals, span);
        let b = if a.ty == Type::ThreadId { b } else { adapt(b, &a.ty) };
        let op = match op {
            Compare::Lt => BinaryOp::Lt,
            Compare::Le => BinaryOp::Le,
            Compare::Gt => BinaryOp::Gt,
            Compare::Ge => BinaryOp::Ge,
            Compare::Eq => BinaryOp::Eq,
            Compare::Ne => BinaryOp::Ne,
        };
        // Truth values are ordered as numbers are.
        if a.ty == Type::Bool && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let byte = Type::Machine { bits: 8, signed: false };
            return binary(op, convert(a, &byte), convert(b, &byte), span);
        }
        binary(op, a, b, span)
    }

    /// The value of a scalar.
    pub(super) fn scalar(&mut self, expr: &'u c::Expr) -> Expr {
        let span = expr.span;
        if let CType::Floating(_) = strip(&expr.ty) {
            self.inexact(expr);
            return Fun::nothing(&Type::Bool);
        }
        match &expr.kind {
            ExprKind::Int(value) => match self.type_of(&expr.ty, span) {
                Type::Bool => truth(*value != 0),
                ty => Expr { span, ..int(*value, &ty) },
            },
            ExprKind::Floating(_) => Fun::nothing(&Type::Bool),
            ExprKind::Load(lvalue) => {
                let access = self.access(lvalue);
                self.load(&access, &lvalue.ty, span)
            }
            ExprKind::Address(lvalue) => {
                let access = self.access(lvalue);
                self.address_of(access, span)
            }
            ExprKind::Function(function) => int(function_address(*function), &self.pointer_type()),
            ExprKind::Unary(op, inner) => {
                if self.lower.options.overflow && self.is_vague(inner) {
                    self.limit(span, "arithmetic with a value from outside".to_owned());
                }
                let value = self.scalar(inner);
                let (op, ty) = match op {
                    Unary::Minus => (UnaryOp::Neg, value.ty.clone()),
                    Unary::Complement => (UnaryOp::BitNot, value.ty.clone()),
                };
                if op == UnaryOp::Neg {
                    self.check_overflow(Arithmetic::Sub, &int(0, &ty), &value, span);
                }
                match super::arithmetic::known(&value).and_then(|n| op.apply(&ty, &n).ok()) {
                    Some(known) => int(known, &ty),
                    None => Expr { kind: Kind::Unary(op, Box::new(value)), ty, span },
                }
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                let ty = self.type_of(&expr.ty, span);
                convert(self.test(expr), &ty)
            }
            ExprKind::Arithmetic(op, a, b) if self.is_vague(expr) => {
                self.effect(a);
                self.effect(b);
                let divides = matches!(op, Arithmetic::Div | Arithmetic::Rem) && self.is_vague(b);
                if divides && self.lower.options.is_everything() || self.lower.options.overflow {
                    let fits = self.either(span);
                    self.branch(fits, span, |_| {}, |fun| fun.doubtful(span));
                }
                let ty = self.type_of(&expr.ty, span);
                Fun::nothing(&ty)
            }
            ExprKind::Arithmetic(op, a, b) => {
                let rivals = match takes_apart(*op) {
                    true => self.rivals(a, b),
                    false => BTreeSet::new(),
                };
                let pair = self.pair(a, b);
                let (a, b) = self.compared(pair, &rivals, span);
                self.arithmetic(*op, a, b, span)
            }
            ExprKind::Offset(_, by) if self.is_vague(by) => {
                self.limit(span, "an address that depends on a value from outside".to_owned());
                int(0, &self.pointer_type())
            }
            ExprKind::Offset(pointer, by) => {
                let (pointer, by) = self.pair(pointer, by);
                let by = convert(by, &pointer.ty);
                binary(BinaryOp::Add, pointer, by, span)
            }
            ExprKind::Difference(a, b, size) => {
                let ty = self.type_of(&expr.ty, span);
                let rivals = self.rivals(a, b);
                let pair = self.pair(a, b);
                let (a, b) = self.compared(pair, &rivals, span);
                let bytes = convert(binary(BinaryOp::Sub, a, b, span), &ty);
                let size = int(*size, &ty);
                divide(bytes, size, false, span)
            }
            ExprKind::Conditional(cond, a, b) => self.conditional(expr, cond, a, b),
            ExprKind::Elvis(a, b) => {
                let ty = self.type_of(&expr.ty, span);
                let first = self.scalar(a);
                let first = self.simple(first, span);
                let result = self.temp(&ty, span);
                let (then, otherwise) = (result.clone(), result.clone());
                let value = adapt(first.clone(), &ty);
                let take = |fun: &mut Self| fun.assign(then, value, span);
                let other = |fun: &mut Self| {
                    let value = fun.scalar(b);
                    let value = adapt(value, &ty);
                    fun.assign(otherwise, value, span);
                };
                self.branch(is_true(first), span, take, other);
                read(result)
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.scalar(b)
            }
            ExprKind::Assign(place, value) => self.assign_scalar(place, value, true, span),
            ExprKind::AssignWith { place, op, value, at, postfix } => {
                self.assign_with(place, *op, value, at, *postfix, span)
            }
            ExprKind::Call(callee, args) => {
                let ty = self.type_of(&expr.ty, span);
                let values = self.call(expr, callee, args);
                values.into_iter().next().unwrap_or_else(|| Fun::nothing(&ty))
            }
            ExprKind::Convert(inner) => self.converted(expr, inner),
            ExprKind::Statement(block, value) => {
                self.statements(block);
                let ty = self.type_of(&expr.ty, span);
                match value {
                    Some(value) => {
                        let value = self.scalar(value);
                        adapt(value, &ty)
                    }
                    None => Fun::nothing(&ty),
                }
            }
            ExprKind::Unsupported(what) => {
                self.limit(span, what.clone());
                let ty = self.lower.shapes.scalar(&expr.ty).unwrap_or(Type::Bool);
                Fun::nothing(&ty)
            }
        }
    }

    /// Follows the effects of an expression whose value is not known.
    fn inexact(&mut self, expr: &'u c::Expr) {
        let nothing = Fun::nothing(&Type::Bool);
        match &expr.kind {
            ExprKind::Load(lvalue) => {
                let access = self.access(lvalue);
                self.load(&access, &lvalue.ty, expr.span);
            }
            ExprKind::Assign(place, value) => {
                let access = self.access(place);
                self.effect(value);
                self.store(&access, &place.ty, &nothing, expr.span);
            }
            ExprKind::AssignWith { place, value, .. } => {
                let access = self.access(place);
                self.effect(value);
                self.load(&access, &place.ty, expr.span);
                self.store(&access, &place.ty, &nothing, expr.span);
            }
            ExprKind::Call(callee, args) => drop(self.call(expr, callee, args)),
            ExprKind::Convert(inner) | ExprKind::Unary(_, inner) => self.effect(inner),
            ExprKind::Conditional(cond, a, b) => {
                let cond = self.test(cond);
                self.branch(cond, expr.span, |fun| fun.effect(a), |fun| fun.effect(b));
            }
            ExprKind::Statement(block, value) => {
                self.statements(block);
                value.iter().for_each(|value| self.effect(value));
            }
            ExprKind::Elvis(..) => {
                self.limit(expr.span, "`?:` of numbers with fractions".to_owned())
            }
            ExprKind::Arithmetic(_, a, b) | ExprKind::Comma(a, b) => {
                self.effect(a);
                self.effect(b);
            }
            ExprKind::Unsupported(what) => self.limit(expr.span, what.clone()),
            _ => {}
        }
    }

    fn converted(&mut self, expr: &'u c::Expr, inner: &'u c::Expr) -> Expr {
        let span = expr.span;
        let ty = self.type_of(&expr.ty, span);
        match (strip(&inner.ty), &ty) {
            (CType::Floating(_), _) => {
                self.limit(span, "a number with a fraction that becomes an integer".to_owned());
                return Fun::nothing(&ty);
            }
            // `(T *) 0`, and integers that are addresses of nothing.
            (_, Type::ThreadId) => {
                let value = self.scalar(inner);
                if value.ty == Type::ThreadId {
                    return value;
                }
                if super::arithmetic::known(&value).is_none() {
                    self.limit(span, "an integer that becomes a thread".to_owned());
                }
                return int(0, &Type::ThreadId);
            }
            _ => {}
        }
        if ty == Type::Bool {
            return self.test(inner);
        }
        if matches!(expr.ty, CType::Pointer(_)) && self.is_vague(inner) {
            self.limit(span, "an address that is a value from outside".to_owned());
        }
        let value = self.scalar(inner);
        if value.ty == Type::ThreadId {
            self.limit(span, "a thread that becomes an integer".to_owned());
            return Fun::nothing(&ty);
        }
        convert(value, &ty)
    }

    fn conditional(
        &mut self,
        expr: &'u c::Expr,
        cond: &'u c::Expr,
        a: &'u c::Expr,
        b: &'u c::Expr,
    ) -> Expr {
        let span = expr.span;
        let ty = self.type_of(&expr.ty, span);
        let cond = self.test(cond);
        match known_truth(&cond) {
            Some(true) => return adapt(self.scalar(a), &ty),
            Some(false) => return adapt(self.scalar(b), &ty),
            None => {}
        }
        let (mut x, mut y) = (None, None);
        let then = self.collect(|fun| x = Some(fun.scalar(a)));
        let otherwise = self.collect(|fun| y = Some(fun.scalar(b)));
        let value = |v: Option<Expr>| v.map_or_else(|| Fun::nothing(&ty), |v| adapt(v, &ty));
        let (x, y) = (value(x), value(y));
        if then.is_empty() && otherwise.is_empty() {
            return choose(cond, x, y);
        }
        let result = self.temp(&ty, span);
        let (one, other) = (result.clone(), result.clone());
        self.branch(
            cond,
            span,
            |fun| {
                fun.append(then);
                fun.assign(one, x, span);
            },
            |fun| {
                fun.append(otherwise);
                fun.assign(other, y, span);
            },
        );
        read(result)
    }

    /// The access to what an argument of a library function points to.
    pub(super) fn pointed(&mut self, arg: &'u c::Expr) -> Access {
        if let Some(lvalue) = direct_address(arg) {
            let is_array = matches!(lvalue.ty, CType::Array(..));
            if !is_array {
                return self.access(lvalue);
            }
        }
        let targets = self.lower.points.expr(Some(self.id), arg);
        let address = self.scalar(arg);
        let address = self.local_value(address, arg.span);
        Access::Pointed { address, targets }
    }

    /// Whether a value is one that is chosen or read anew each time.
    pub(super) fn settled(&mut self, value: Expr, span: Span) -> Expr {
        if reads_shared(&value) { self.keep(value, span) } else { value }
    }
}

fn is_integer(ty: &CType) -> bool {
    matches!(strip(ty), CType::Int { .. } | CType::Bool | CType::Pointer(_))
}

/// Whether an element of an array is read.
fn has_index(value: &Expr) -> bool {
    match &value.kind {
        Kind::Read(place) => !place.indices.is_empty(),
        Kind::Unary(_, a) => has_index(a),
        Kind::Binary(_, a, b) => has_index(a) || has_index(b),
        Kind::IfThenElse(a, b, c) => has_index(a) || has_index(b) || has_index(c),
        _ => false,
    }
}

/// The local variables that steps write.
fn written_by(steps: &[Stmt], written: &mut BTreeSet<LocalId>) {
    let see = |places: &[Place], written: &mut BTreeSet<LocalId>| {
        written.extend(places.iter().filter_map(|place| match place.var {
            VarRef::Local(local) => Some(local),
            VarRef::Global(_) => None,
        }));
    };
    for step in steps {
        match &step.kind {
            StmtKind::Assign { targets: places, .. }
            | StmtKind::Havoc(places)
            | StmtKind::Call { results: places, .. } => see(places, written),
            StmtKind::Attempt { dest, .. } | StmtKind::Async { dest, .. } => {
                see(dest.as_slice(), written);
            }
            StmtKind::If { then, otherwise, .. } => {
                written_by(then, written);
                written_by(otherwise, written);
            }
            StmtKind::While { body, .. } | StmtKind::Atomic(body) => written_by(body, written),
            StmtKind::Choose(blocks) => blocks.iter().for_each(|block| written_by(block, written)),
            _ => {}
        }
    }
}

/// Whether a value is read of one of these local variables.
fn reads_one_of(value: &Expr, locals: &BTreeSet<LocalId>) -> bool {
    match &value.kind {
        Kind::Read(place) => {
            matches!(&place.var, VarRef::Local(local) if locals.contains(local))
                || place.indices.iter().any(|index| reads_one_of(index, locals))
        }
        Kind::Unary(_, a) => reads_one_of(a, locals),
        Kind::Binary(_, a, b) => reads_one_of(a, locals) || reads_one_of(b, locals),
        Kind::IfThenElse(a, b, c) => [a, b, c].into_iter().any(|e| reads_one_of(e, locals)),
        _ => false,
    }
}
