//! # Operators
//! Which operands they take, and what they give.

use selvedge_program::{BinaryOp, Expr, ExprKind, Span, Type, UnaryOp};

use super::expressions::{Typer, pair};
use crate::Diagnostic;
use crate::syntax;

impl<'a> Typer<'_, 'a> {
    /// `!` and `-`.
    pub fn unary(&mut self, op: UnaryOp, operand: &'a syntax::Expr, span: Span) -> Option<Expr> {
        let ty = match op {
            UnaryOp::Not => Type::Bool,
            UnaryOp::Neg => Type::Int,
        };
        let operand = self.expect(operand, &ty)?;
        Some(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span })
    }

    /// All operators with two operands.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a syntax::Expr,
        right: &'a syntax::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (operands, ty) = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                (self.both(left, right, &Type::Bool)?, Type::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                (self.both(left, right, &Type::Int)?, Type::Int)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                (pair(self.alike(vec![left, right], None, &Type::Bool)?.0), Type::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                (self.ordered(op, left, right)?, Type::Bool)
            }
        };
        let [left, right] = operands;
        Some(Expr { kind: ExprKind::Binary(op, left, right), ty, span })
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
        let (operands, ty) = self.alike(vec![left, right], None, &Type::Int)?;
        if ty.is_integer() {
            return Some(pair(operands));
        }
        let sign = match op {
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            _ => ">=",
        };
        let mut problem = Diagnostic::error(
            left.span.to(right.span),
            format!("`{sign}` compares integers, but this is {}", self.items.a_value(&ty)),
        );
        problem.hint = match ty {
            Type::Bool => Some("`a ==> b` says that if `a` holds then so does `b`".to_owned()),
            _ => Some("`==` and `!=` compare values of any type".to_owned()),
        };
        self.problems.push(problem);
        None
    }
}
