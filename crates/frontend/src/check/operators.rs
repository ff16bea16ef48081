//! # Operators
//! Which operands they take, and what they give.

use selvedge_program::{BinaryOp, Expr, ExprKind, Span, Takes, Type, UnaryOp};

use super::expressions::{Typer, pair, takes_any_type};
use crate::Diagnostic;
use crate::syntax;

impl<'a> Typer<'_, 'a> {
    /// `!`, `-` and `~`.
    pub fn unary(
        &mut self,
        op: UnaryOp,
        operand: &'a syntax::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let ty = match op {
            UnaryOp::Not => Type::Bool,
            UnaryOp::BitNot => self.with_bits("~", &[operand], want)?,
            UnaryOp::Neg | UnaryOp::Convert => {
                self.machine_of(&[operand], want).unwrap_or(Type::Int)
            }
        };
        let operand = self.expect(operand, &ty)?;
        Some(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span })
    }

    /// All operators with two operands.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        [left, right]: [&'a syntax::Expr; 2],
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let bits = self.machine_of(&[left, right], want);
        if let (Some(truths), None) = (op.of_truths(), bits) {
            return self.between_truths(op, truths, [left, right], span);
        }
        if let Some(decided) = op.decided_by().filter(|_| !self.scope.numbers_bound.is_empty()) {
            return self.one_decides(op, decided, [left, right], span);
        }
        let (operands, ty) = match op.operator().takes {
            Takes::Truths => (self.both(left, right, &Type::Bool)?, Type::Bool),
            Takes::Numbers => {
                let ty = self.machine_of(&[left, right], want).unwrap_or(Type::Int);
                let before = self.problems.len();
                let found = self.both(left, right, &ty);
                if found.is_none() {
                    self.explain_truths(op, [left, right], before);
                }
                (found?, ty)
            }
            Takes::Bits => {
                let before = self.problems.len();
                let ty = self.with_bits(op.operator().sign, &[left, right], want)?;
                let found = self.both(left, right, &ty);
                if found.is_none() {
                    self.explain_order(op, [left, right], before);
                }
                (found?, ty)
            }
            Takes::BitsAndNumber => {
                let ty = self.with_bits(op.operator().sign, &[left], want);
                let (left, right) = match &ty {
                    Some(ty) => (self.expect(left, ty), self.any_integer(right)),
                    None => (None, self.any_integer(right)),
                };
                ([Box::new(left?), Box::new(right?)], ty?)
            }
            Takes::Alike => {
                if self.compared_arrays(op, left, right, span) {
                    return None;
                }
                let before = self.problems.len();
                let found = self.alike(vec![left, right], None, &Type::Bool);
                if found.is_none() {
                    self.explain_negated(op, [left, right], before);
                }
                if let (None, Some(ty)) = (&found, self.machine_of(&[left, right], None)) {
                    self.explain_compared(&ty, [left, right], before);
                }
                (pair(found?.0), Type::Bool)
            }
            Takes::Ordered => match self.machine_of(&[left, right], None) {
                Some(ty) => {
                    let before = self.problems.len();
                    let found = self.both(left, right, &ty);
                    if found.is_none() {
                        self.explain_compared(&ty, [left, right], before);
                    }
                    (found?, Type::Bool)
                }
                None => (self.ordered(op, left, right)?, Type::Bool),
            },
        };
        let [left, right] = operands;
        Some(Expr { kind: ExprKind::Binary(op, left, right), ty, span })
    }

    /// `&`, `|` and `^` where no operand is a machine integer: they are other signs for `&&`, `||` and `!=`.
    fn between_truths(
        &mut self,
        op: BinaryOp,
        truths: BinaryOp,
        [left, right]: [&'a syntax::Expr; 2],
        span: Span,
    ) -> Option<Expr> {
        let before = self.problems.len();
        let found = self.both(left, right, &Type::Bool);
        if found.is_none() && before < self.problems.len() {
            let sign = op.operator().sign;
            let usual = || {
                format!(
                    "`{sign}` is for truth values, and for the bits of machine integers: a conversion makes one of a \
                     number, as in `u8(n)`"
                )
            };
            let problem = self.problems.remove(before);
            let problem = problem.hint(bits_compared(op, left, right).unwrap_or_else(usual));
            self.problems.insert(before, problem);
        }
        let [left, right] = found?;
        Some(Expr { kind: ExprKind::Binary(truths, left, right), ty: Type::Bool, span })
    }

    /// Says of `!x == 0` that the comparison is what is negated.
    fn explain_negated(&mut self, op: BinaryOp, [left, right]: [&syntax::Expr; 2], before: usize) {
        let syntax::ExprKind::Unary(UnaryOp::Not, negated) = &left.kind else { return };
        let Some(problem) = self.problems.get_mut(before) else { return };
        let is_bare = negated.span.end == left.span.end;
        if problem.label.span == negated.span
            && is_bare
            && let (Some(of), Some(with)) = (negated.brief(), right.brief())
        {
            let sign = op.operator().sign;
            problem.hint = Some(format!("`!` is done first: write `!({of} {sign} {with})`"));
        }
    }

    /// Says of a number that is compared with a machine integer, and does not fit it, how the two can be compared.
    fn explain_compared(&mut self, ty: &Type, operands: [&syntax::Expr; 2], problem: usize) {
        let name = ty.integer_name().unwrap_or_default();
        let Some((lo, hi)) = ty.bounds() else { return };
        let Some(found) = self.problems.get_mut(problem) else { return };
        let is_number = |e: &&syntax::Expr| matches!(e.kind, syntax::ExprKind::Int(_));
        if operands.iter().filter(|e| is_number(e)).any(|e| e.span == found.label.span) {
            found.hint = Some(format!(
                "a `{name}` goes from {lo} to {hi}, so this comparison always has the same result; `int(…)` makes a \
                 number without bounds of a `{name}`"
            ));
        }
    }

    /// Says of a sum of truth values what there is for them: of `b++`, `b + 1` and `a + b`.
    fn explain_truths(&mut self, op: BinaryOp, [left, right]: [&syntax::Expr; 2], before: usize) {
        let told = "expected an integer, but this is a truth value";
        let found = self.problems.get(before..).unwrap_or_default();
        let is_truth =
            |e: &syntax::Expr| found.iter().any(|p| p.label.span == e.span && p.message == told);
        let is_one = matches!(&right.kind, syntax::ExprKind::Int(n) if *n == 1.into());
        let name = match &left.kind {
            syntax::ExprKind::Place(place) if place.indices.is_empty() => Some(&place.name.text),
            _ => None,
        };
        let hint = match (is_truth(left), is_truth(right), name, op) {
            (true, true, ..) => {
                "between truth values stand `&&`, `||` and `!=`; `b ? 1 : 0` makes a number of one"
                    .to_owned()
            }
            (true, _, Some(name), BinaryOp::Add | BinaryOp::Sub) if is_one => {
                format!("`{name} := !{name};` negates it; `{name} ? 1 : 0` makes a number of it")
            }
            _ => return,
        };
        self.problems.truncate(before + 1);
        if let Some(problem) = self.problems.get_mut(before) {
            problem.hint = Some(hint);
        }
    }

    /// Reports `a == b` of two arrays.
    fn compared_arrays(
        &mut self,
        op: BinaryOp,
        left: &syntax::Expr,
        right: &syntax::Expr,
        span: Span,
    ) -> bool {
        let (syntax::ExprKind::Place(a), syntax::ExprKind::Place(b)) = (&left.kind, &right.kind)
        else {
            return false;
        };
        if !self.is_array(left) || !self.is_array(right) {
            return false;
        }
        let (a, b) = (&a.name.text, &b.name.text);
        let hint = match op {
            BinaryOp::Ne => format!("write `exists i: {a}[i] != {b}[i]`"),
            _ => format!("write `forall i: {a}[i] == {b}[i]`"),
        };
        let message = "arrays are compared element by element";
        self.problems.push(Diagnostic::error(span, message).hint(hint));
        true
    }

    /// Says of a mistake that comparing comes before an operator on bits, if an operand is a comparison.
    fn explain_order(&mut self, op: BinaryOp, operands: [&syntax::Expr; 2], problem: usize) {
        let compares = operands.into_iter().find_map(|operand| match &operand.kind {
            syntax::ExprKind::Binary(inner, ..) => {
                let takes = inner.operator().takes;
                matches!(takes, Takes::Alike | Takes::Ordered).then(|| inner.operator().sign)
            }
            _ => None,
        });
        if let (Some(compare), true) = (compares, problem < self.problems.len()) {
            let sign = op.operator().sign;
            let explained = self.problems.remove(problem).hint(format!(
                "`{compare}` comes before `{sign}`: write `(a {sign} b) {compare} c` to compare bits"
            ));
            self.problems.insert(problem, explained);
        }
    }

    /// The machine type of operands whose bits are looked at; reports if they have none.
    fn with_bits(
        &mut self,
        sign: &str,
        operands: &[&'a syntax::Expr],
        want: Option<&Type>,
    ) -> Option<Type> {
        if let Some(ty) = self.machine_of(operands, want) {
            return Some(ty);
        }
        let typed: Vec<Option<Expr>> = operands.iter().map(|e| self.infer(e)).collect();
        let wrong = typed.into_iter().collect::<Option<Vec<Expr>>>()?.into_iter().next()?;
        let is = self.items.a_value(&wrong.ty);
        let hint = match (&wrong.ty, sign) {
            (Type::Bool, "~") => "for truth values, write `!`",
            _ => "a conversion makes a machine integer of a number, as in `u8(n)`",
        };
        let message = format!("`{sign}` works on the bits of machine integers, but this is {is}");
        self.problems.push(Diagnostic::error(wrong.span, message).hint(hint));
        None
    }

    fn both(
        &mut self,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        want: &Type,
    ) -> Option<[Box<Expr>; 2]> {
        let (left, right) = (self.expect(left, want), self.expect(right, want));
        Some([Box::new(left?), Box::new(right?)])
    }

    /// The operands of `<` and its kin. They are integers; a `*` among them takes the range of the
    /// other.
    fn ordered(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
    ) -> Option<[Box<Expr>; 2]> {
        let (left, right) = match (takes_any_type(left), takes_any_type(right)) {
            (true, _) => {
                let right = self.integer_like(right, None);
                (self.integer_like(left, right.as_ref()), right)
            }
            (false, _) => {
                let left = self.infer(left);
                let right = self.integer_like(right, left.as_ref());
                (left, right)
            }
        };
        let (left, right) = left.zip(right)?;
        let Some(wrong) = [&left, &right].into_iter().find(|e| !e.ty.is_integer()) else {
            return Some([Box::new(left), Box::new(right)]);
        };
        let sign = op.operator().sign;
        let is = self.items.a_value(&wrong.ty);
        let hint = match wrong.ty {
            Type::Bool => "for truth values there is `a ==> b`: if `a` holds then so does `b`",
            _ => "`==` and `!=` compare values of any type",
        };
        self.problems.push(
            Diagnostic::error(wrong.span, format!("`{sign}` compares integers, but this is {is}"))
                .hint(hint),
        );
        None
    }

    /// An operand of `<`. What has no type of its own takes that of the other operand, if it is
    /// an integer.
    fn integer_like(&mut self, expr: &'a syntax::Expr, other: Option<&Expr>) -> Option<Expr> {
        if !takes_any_type(expr) {
            return self.infer(expr);
        }
        let other = other.map(|e| &e.ty).filter(|ty| ty.is_integer());
        self.expect(expr, other.unwrap_or(&Type::Int))
    }
}

/// What to write instead of `x & 1 == 0`, which other languages compute as it is meant, or not.
fn bits_compared(op: BinaryOp, left: &syntax::Expr, right: &syntax::Expr) -> Option<String> {
    let syntax::ExprKind::Binary(compare @ (BinaryOp::Eq | BinaryOp::Ne), mask, with) = &right.kind
    else {
        return None;
    };
    let (of, mask, with) = (left.brief()?, mask.brief()?, with.brief()?);
    let (bits, sign) = (op.operator().sign, compare.operator().sign);
    let masked = format!("`(u8({of}) {bits} {mask}) {sign} {with}`");
    let is_last = op == BinaryOp::BitAnd && mask == "1";
    Some(match is_last {
        true => format!("write `{of} % 2 {sign} {with}`, or {masked} for a machine integer"),
        false => format!("write {masked}: bits are those of machine integers"),
    })
}
