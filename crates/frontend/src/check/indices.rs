//! # Quantifiers over the indices of arrays
//! `forall i: a[i] != c` says something of each element. The name is that of an index if it stands for one somewhere: the
//! length of the array tells which numbers it has. What is said is written once for each of them, as one expression, so
//! nothing behind the checker knows quantifiers over arrays.

use num_bigint::BigInt;
use selvedge_program::{BinaryOp, Expr, ExprKind, Quantifier, Span, Type, Value};

use super::expressions::Typer;
use super::fold::fold;
use super::walk;
use crate::Diagnostic;
use crate::syntax::{self, ExprKind as Syntax, Name, PlaceExpr};

/// The most copies of a body that may be written, nested quantifiers counted together.
const MOST_COPIES: i64 = 4096;

/// An array with the name as an index: where that stands, and how long it is there.
type Lengths = Vec<(Span, u32)>;

impl<'a> Typer<'_, 'a> {
    /// The lengths of the arrays that a name is an index of; nothing if it is none.
    pub fn lengths_of(&self, binder: &Name, body: &'a syntax::Expr) -> Option<Lengths> {
        let mut lengths = Vec::new();
        let mut is_index = false;
        walk::expressions(body, &mut |e| {
            let (Syntax::Place(place) | Syntax::Primed(place)) = &e.kind else { return };
            let at = place.indices.iter().position(|index| is_whole_name(index, binder));
            let Some(at) = at else { return };
            is_index = true;
            if let Some(Some(found)) = self.variable(&place.name) {
                lengths.extend(found.ty.lengths().nth(at).map(|length| (e.span, length)));
            }
        });
        is_index.then_some(lengths)
    }

    /// Expands a quantifier over all, some or the number of indices.
    pub fn over_indices(
        &mut self,
        quantifier: Quantifier,
        (binder, others_only): (&'a Name, bool),
        body: &'a syntax::Expr,
        lengths: &Lengths,
        span: Span,
    ) -> Option<Expr> {
        if others_only {
            let hint = "`!= self` is for threads: leave it out";
            let message = "an index is no thread";
            self.problems.push(Diagnostic::error(binder.span, message).hint(hint));
            return None;
        }
        let length = match lengths.first() {
            Some(&(first, length)) => {
                if let Some(&(other, _)) = lengths.iter().find(|(_, other)| *other != length) {
                    let message =
                        format!("`{}` is an index of arrays of different lengths", binder.text);
                    let hint = "use a name for each of them";
                    self.problems.push(
                        Diagnostic::error(other, message).related(first, "another one").hint(hint),
                    );
                    return None;
                }
                i64::from(length)
            }
            // The array is unknown, or none; looking at the body once says so.
            None => 1,
        };
        let copies = self.scope.copies.saturating_mul(length);
        if copies > MOST_COPIES {
            let message = format!("this would be written {copies} times");
            let hint = format!("at most {MOST_COPIES} are; write a loop");
            self.problems.push(Diagnostic::error(span, message).hint(hint));
            return None;
        }
        let before = std::mem::replace(&mut self.scope.copies, copies);
        let said = self.each(binder, body, length);
        self.scope.copies = before;
        Some(combine(quantifier, said?, span))
    }

    /// `&&`, `||` and `==>` in what is said of an index. Where the left side is a constant that decides, the right side is left out, so that
    /// `i == 0 || a[i - 1] <= a[i]` speaks of no element -1.
    pub fn one_decides(
        &mut self,
        op: BinaryOp,
        decides: bool,
        [left, right]: [&'a syntax::Expr; 2],
        span: Span,
    ) -> Option<Expr> {
        let left = self.expect(left, &Type::Bool);
        let known = left.as_ref().and_then(|left| fold(left, None).ok());
        let is_decided = known.is_some_and(|known| (known != BigInt::ZERO) == decides);
        let before = self.scope.left_out;
        self.scope.left_out |= is_decided;
        let right = self.expect(right, &Type::Bool);
        self.scope.left_out = before;
        let (left, right) = (Box::new(left?), Box::new(right?));
        let kind = match is_decided {
            true => ExprKind::Const(Value::Small(i64::from(op != BinaryOp::And))),
            false => ExprKind::Binary(op, left, right),
        };
        Some(Expr { kind, ty: Type::Bool, span })
    }

    /// Says of an index that is outside of an array for which number that is so.
    pub fn outside_of(&self, length: u32) -> String {
        let last = length - 1;
        match self.scope.numbers_bound.last() {
            Some((name, number)) => format!(
                "indices go from 0 to {last}, and `{0}` is {number} here: say for which it holds, as in \
                 `{0} != {number} ==> …`",
                name.text
            ),
            None => format!("indices go from 0 to {last}"),
        }
    }

    /// The body, once for each index.
    fn each(&mut self, binder: &'a Name, body: &'a syntax::Expr, length: i64) -> Option<Vec<Expr>> {
        let mut said = Vec::new();
        for number in 0..length {
            self.scope.numbers_bound.push((binder, number));
            let one = self.condition(body);
            self.scope.numbers_bound.pop();
            said.push(one?);
        }
        Some(said)
    }
}

/// One expression of all, as a tree that is balanced.
fn combine(quantifier: Quantifier, said: Vec<Expr>, span: Span) -> Expr {
    let (op, ty) = match quantifier {
        Quantifier::Forall => (BinaryOp::And, Type::Bool),
        Quantifier::Exists => (BinaryOp::Or, Type::Bool),
        Quantifier::Count => (BinaryOp::Add, Type::Int),
    };
    let number = |n| Expr { kind: ExprKind::Const(Value::Small(n)), ty: Type::Int, span };
    let mut level: Vec<Expr> = match quantifier {
        Quantifier::Count => said
            .into_iter()
            .map(|e| {
                let kind =
                    ExprKind::IfThenElse(Box::new(e), Box::new(number(1)), Box::new(number(0)));
                Expr { kind, ty: Type::Int, span }
            })
            .collect(),
        _ => said,
    };
    while level.len() > 1 {
        let mut rest = level.into_iter();
        let mut next = Vec::new();
        while let Some(left) = rest.next() {
            next.push(match rest.next() {
                Some(right) => {
                    let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                    Expr { kind, ty: ty.clone(), span }
                }
                None => left,
            });
        }
        level = next;
    }
    level.pop().unwrap_or_else(|| number(0))
}

/// Whether an index is nothing but a name.
fn is_whole_name(index: &syntax::Expr, name: &Name) -> bool {
    match &index.kind {
        Syntax::Place(PlaceExpr { name: index, indices, .. }) => {
            indices.is_empty() && index.text == name.text
        }
        _ => false,
    }
}
