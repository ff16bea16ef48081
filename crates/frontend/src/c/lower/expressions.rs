//! # Expressions
//! The value of an expression: statements for what happens on the way, and what is left, a value of local variables. Operands
//! are evaluated from left to right.

use selvedge_program::make::{read, truth};
use selvedge_program::{BinaryOp, Expr, ExprKind as Kind, Span, StmtKind, Type, UnaryOp};

use super::access::{Access, adapt, reads_shared, strip};
use super::arithmetic::{binary, choose, convert, divide, int, is_true, known_truth, negate};
use super::function::Fun;
use super::points::direct_address;
use super::{Role, function_address};
use crate::c::typed::{self as c, Arithmetic, Callee, Compare, ExprKind, FunctionId, Unary};
use crate::c::types::Type as CType;

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
            _ if matches!(expr.ty, CType::Record(_)) => drop(self.record(expr)),
            ExprKind::Unsupported(what) => self.limit(expr.span, what.clone()),
            _ if expr.ty == CType::Void => {}
            _ if matches!(expr.ty, CType::Floating(_)) => self.inexact(expr),
            ExprKind::Assign(place, value) => {
                drop(self.assign_scalar(place, value, false, expr.span))
            }
            ExprKind::AssignWith { place, op, value, at, .. } => {
                drop(self.assign_with(place, *op, value, at, false, expr.span));
            }
            _ => drop(self.scalar(expr)),
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
                for earlier in &mut values {
                    *earlier = self.local_value(earlier.clone(), expr.span);
                }
            }
            self.append(more);
            values.extend(value);
        }
        values
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

    /// Whether nothing is known of a value, and what is proved is to hold for all.
    pub(super) fn is_vague(&mut self, expr: &'u c::Expr) -> bool {
        if self.lower.options.ends_at_limits || !matches!(strip(&expr.ty), CType::Int { .. }) {
            return false;
        }
        let held = self.lower.points.expr(Some(self.id), expr);
        self.any_vague(held)
    }

    fn any_vague(&self, held: std::collections::BTreeSet<super::points::Target>) -> bool {
        held.into_iter().any(|target| match target {
            super::points::Target::Choice(call) => self.lower.choices.is_vague(call),
            _ => false,
        })
    }

    /// Whether nothing is known of what a variable holds.
    pub(super) fn holds_vague(&mut self, place: &'u c::Lvalue) -> bool {
        if self.lower.options.ends_at_limits || !matches!(strip(&place.ty), CType::Int { .. }) {
            return false;
        }
        let targets = self.lower.points.places(Some(self.id), place);
        let held = targets.into_iter().flat_map(|target| self.lower.points.held(target)).collect();
        self.any_vague(held)
    }

    /// Whether an operation computes with values of which nothing is known, or on objects that hold them.
    pub(super) fn touches_vague(&mut self, args: &'u [c::Expr]) -> bool {
        if self.lower.options.ends_at_limits {
            return false;
        }
        let mut held = std::collections::BTreeSet::new();
        for arg in args {
            for target in self.lower.points.expr(Some(self.id), arg) {
                held.extend(self.lower.points.held(target));
                held.insert(target);
            }
        }
        self.any_vague(held)
    }

    /// True or false.
    pub(super) fn either(&mut self, span: Span) -> Expr {
        let temp = self.temp(&Type::Bool, span);
        self.emit(StmtKind::Havoc(vec![temp.clone()]), span);
        read(temp)
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
        let (a, b) = self.pair(a, b);
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
                let (a, b) = self.pair(a, b);
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
                let (a, b) = self.pair(a, b);
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

    /// Follows what happens in an expression whose value nobody knows.
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

    /// An operation on two values of one type.
    pub(super) fn arithmetic(&mut self, op: Arithmetic, a: Expr, b: Expr, span: Span) -> Expr {
        let is_shift = matches!(op, Arithmetic::ShiftLeft | Arithmetic::ShiftRight);
        let (a, b) = match is_shift {
            true => {
                let (a, b) = (self.local_value(a, span), self.local_value(b, span));
                self.check_shift(&a, &b, span);
                (a, b)
            }
            false => {
                let b = adapt(b, &a.ty);
                (a, b)
            }
        };
        self.check_overflow(op, &a, &b, span);
        let op = match op {
            Arithmetic::Div | Arithmetic::Rem => {
                let zero = binary(BinaryOp::Eq, b.clone(), int(0, &b.ty), span);
                if known_truth(&zero) != Some(false) {
                    let b_known = self.local_value(b.clone(), span);
                    let zero = binary(BinaryOp::Ne, b_known.clone(), int(0, &b.ty), span);
                    self.branch(zero, span, |_| {}, |fun| fun.undefined(span));
                    return divide(a, b_known, op == Arithmetic::Rem, span);
                }
                return divide(a, b, op == Arithmetic::Rem, span);
            }
            Arithmetic::Mul => BinaryOp::Mul,
            Arithmetic::Add => BinaryOp::Add,
            Arithmetic::Sub => BinaryOp::Sub,
            Arithmetic::ShiftLeft => BinaryOp::ShiftLeft,
            Arithmetic::ShiftRight => BinaryOp::ShiftRight,
            Arithmetic::BitAnd => BinaryOp::BitAnd,
            Arithmetic::BitXor => BinaryOp::BitXor,
            Arithmetic::BitOr => BinaryOp::BitOr,
        };
        binary(op, a, b, span)
    }

    /// A shift by fewer bits than there are: others are undefined, and what machines do differs.
    fn check_shift(&mut self, a: &Expr, b: &Expr, span: Span) {
        let Type::Machine { bits, .. } = a.ty else { return };
        let by = convert(b.clone(), &Type::Int);
        let not_negative = binary(BinaryOp::Le, int(0, &Type::Int), by.clone(), span);
        let not_too_far = binary(BinaryOp::Lt, by, int(bits, &Type::Int), span);
        let fits = binary(BinaryOp::And, not_negative, not_too_far, span);
        if self.lower.options.overflow {
            return self.require_to_fit(fits, span);
        }
        let reason = "a shift by a negative number, or by as many bits as there are or more";
        self.branch(fits, span, |_| {}, |fun| fun.limit(span, reason.to_owned()));
    }

    /// Goes wrong unless a result fits into its type.
    fn require_to_fit(&mut self, fits: Expr, span: Span) {
        if known_truth(&fits) != Some(true) {
            let reason = "the result does not fit into its type";
            self.lower.program.reasons.insert(span, reason.to_owned());
            self.emit(StmtKind::Assert(fits), span);
        }
    }

    /// Whether a result fits into its signed type, if that is asked for.
    pub(super) fn check_overflow(&mut self, op: Arithmetic, a: &Expr, b: &Expr, span: Span) {
        let Type::Machine { signed: true, .. } = a.ty else { return };
        let wide = match op {
            Arithmetic::Add => BinaryOp::Add,
            Arithmetic::Sub => BinaryOp::Sub,
            Arithmetic::Mul => BinaryOp::Mul,
            Arithmetic::Div | Arithmetic::Rem => BinaryOp::Div,
            Arithmetic::ShiftLeft => BinaryOp::ShiftLeft,
            _ => return,
        };
        if !self.lower.options.overflow {
            return;
        }
        let Some((lo, hi)) = a.ty.bounds() else { return };
        let Type::Machine { bits, .. } = a.ty else { return };
        let unsigned = Type::Machine { bits, signed: false };
        let (bit_pattern, by) = (convert(a.clone(), &unsigned), b.clone());
        let int_of = |e: &Expr| convert(e.clone(), &Type::Int);
        let (a, b) = (int_of(a), int_of(b));
        let fits = match wide {
            BinaryOp::Div => {
                // Only the least number divided by -1 does not fit.
                let least = binary(BinaryOp::Eq, a, int(lo, &Type::Int), span);
                let minus_one = binary(BinaryOp::Eq, b, int(-1, &Type::Int), span);
                negate(binary(BinaryOp::And, least, minus_one, span))
            }
            BinaryOp::ShiftLeft => {
                // No bit gets lost, and none becomes the sign; the bits of a negative number are more than all of these.
                let most = binary(BinaryOp::ShiftRight, int(hi, &unsigned), by, span);
                binary(BinaryOp::Le, bit_pattern, most, span)
            }
            _ => {
                let value = binary(wide, a, b, span);
                let low = binary(BinaryOp::Le, int(lo, &Type::Int), value.clone(), span);
                let high = binary(BinaryOp::Le, value, int(hi, &Type::Int), span);
                binary(BinaryOp::And, low, high, span)
            }
        };
        self.require_to_fit(fits, span);
    }

    /// The scalars of a record.
    pub(super) fn record(&mut self, expr: &'u c::Expr) -> Vec<Expr> {
        let span = expr.span;
        let cells = self.lower.cells(&expr.ty);
        match &expr.kind {
            ExprKind::Load(lvalue) => {
                let access = self.access(lvalue);
                self.load_all(&access, &expr.ty, span)
            }
            ExprKind::Call(callee, args) => self.call(expr, callee, args),
            ExprKind::Assign(place, value) => {
                let values = self.record(value);
                let access = self.access(place);
                let (access, values) = self.apart(access, values, span);
                self.store_all(&access, &expr.ty, &values, span);
                values
            }
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.record(b)
            }
            ExprKind::Convert(inner) => self.record(inner),
            ExprKind::Statement(block, value) => {
                self.statements(block);
                match value {
                    Some(value) => self.record(value),
                    None => cells.iter().map(|cell| Fun::nothing(&cell.ty)).collect(),
                }
            }
            ExprKind::Conditional(cond, a, b) => {
                let cond = self.test(cond);
                let places: Vec<_> = cells.iter().map(|cell| self.temp(&cell.ty, span)).collect();
                let give = |fun: &mut Self, which: &'u c::Expr| {
                    let values = fun.record(which);
                    for (place, value) in places.iter().zip(values) {
                        fun.assign(place.clone(), value, span);
                    }
                };
                self.branch(cond, span, |fun| give(fun, a), |fun| give(fun, b));
                places.into_iter().map(read).collect()
            }
            _ => {
                self.limit(span, "a value of a structure made in this way".to_owned());
                cells.iter().map(|cell| Fun::nothing(&cell.ty)).collect()
            }
        }
    }

    /// What is accessed and the values for it, if writing some of the scalars changes neither where the others are nor what they get:
    /// `a[0] = a[a[0].next]`.
    fn apart(&mut self, access: Access, values: Vec<Expr>, span: Span) -> (Access, Vec<Expr>) {
        if values.len() < 2 {
            return (access, values);
        }
        let has_index = |value: &Expr| matches!(&value.kind, Kind::Read(place) if place.indices.iter().any(|i| super::arithmetic::known(i).is_none()));
        let values = match values.iter().any(has_index) {
            true => values.into_iter().map(|value| self.simple(value, span)).collect(),
            false => values,
        };
        let access = match access {
            Access::Named { stored, way, indices, strides, offset } => {
                let indices = indices.into_iter().map(|index| self.simple(index, span)).collect();
                Access::Named { stored, way, indices, strides, offset }
            }
            Access::Pointed { address, targets } => {
                Access::Pointed { address: self.simple(address, span), targets }
            }
            other => other,
        };
        (access, values)
    }

    /// Reads all scalars of something.
    pub(super) fn load_all(&mut self, access: &Access, ty: &CType, span: Span) -> Vec<Expr> {
        self.copy_floats(ty, span);
        let cells = self.lower.cells(ty);
        cells.iter().map(|cell| self.load_cell(access, cell, span)).collect()
    }

    /// Copies of numbers with fractions inside of structures are not looked at.
    fn copy_floats(&mut self, ty: &CType, span: Span) {
        if !self.lower.options.races {
            return;
        }
        let with = super::memory::Shapes { floats: true, ..self.lower.shapes };
        let has_floats = |leaf: &super::memory::Leaf| matches!(leaf.c, CType::Floating(_));
        if with.leaves(ty).unwrap_or_default().iter().any(has_floats) {
            self.limit(
                span,
                "a copy of a structure with numbers with fractions, of which races are looked for"
                    .to_owned(),
            );
        }
    }

    /// Writes all scalars of something.
    pub(super) fn store_all(&mut self, access: &Access, ty: &CType, values: &[Expr], span: Span) {
        for (cell, value) in self.lower.cells(ty).iter().zip(values) {
            self.store_cell(access, cell, value, span);
        }
    }

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

    fn call_direct(
        &mut self,
        expr: &'u c::Expr,
        function: FunctionId,
        args: &'u [c::Expr],
    ) -> Vec<Expr> {
        let unit = self.lower.unit;
        let declared = &unit.functions[function.index()];
        if declared.body.is_none() || self.is_known(&declared.name) {
            return self.library(expr, &declared.name, args);
        }
        let values = self.arguments(function, args);
        self.call_with(function, values, expr.span)
    }

    /// The scalars of all arguments that a function has parameters for.
    fn arguments(&mut self, function: FunctionId, args: &'u [c::Expr]) -> Vec<Expr> {
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
                for earlier in &mut values {
                    *earlier = self.local_value(earlier.clone(), arg.span);
                }
            }
            self.append(more);
            if number < params {
                values.extend(scalars);
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

    fn call_pointer(
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

    fn call_one_of(
        &mut self,
        expr: &'u c::Expr,
        address: &Expr,
        functions: &[FunctionId],
        args: &'u [c::Expr],
        places: &[selvedge_program::Place],
    ) {
        let span = expr.span;
        let Some((&first, rest)) = functions.split_first() else { return self.invalid(span) };
        let here = int(function_address(first), &address.ty);
        let cond = binary(BinaryOp::Eq, address.clone(), here, span);
        self.branch(
            cond,
            span,
            |fun| {
                if fun.lower.unit.functions[first.index()].body.is_none() {
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

    /// What an argument of the library points to.
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
