//! # Expressions
//!
//! **Idea.** Operators are read with a stack of what waits for its right operand, so precedence
//! costs no recursion: only parentheses, `schoose[…]` and `? … :` do. A chain of one associative
//! operator waits as a list and becomes a balanced tree in the end. Each tree carries its height;
//! the depth at which it stands and its height together never exceed the limit on nesting.

use selvedge_program::{BinaryOp, Span, UnaryOp};

use super::lexer::Kind;
use super::parser::{DEEPEST, Parsed, Parser};
use super::statements::call_inside;
use crate::Diagnostic;
use crate::syntax::{Expr, ExprKind, Name, PlaceExpr};

/// An expression and the height of its tree.
struct Tree {
    expr: Expr,
    height: u32,
}

/// An operator that waits for its right operand.
enum Waiting {
    /// `a & b & c &`
    Chain { op: BinaryOp, level: u8, operands: Vec<Tree> },
    /// `c ? a :`
    IfThenElse { cond: Tree, then: Tree },
}

impl Waiting {
    fn level(&self) -> u8 {
        match self {
            Waiting::Chain { level, .. } => *level,
            Waiting::IfThenElse { .. } => 0,
        }
    }
}

/// The levels of the operators: a higher one binds tighter. `? :` is level 0. All levels read
/// from left to right, but for `=>` and `? :`.
fn operator(kind: Kind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Kind::Implies => (BinaryOp::Implies, 1),
        Kind::Or => (BinaryOp::Or, 2),
        Kind::Xor => (BinaryOp::Ne, 3),
        Kind::And => (BinaryOp::And, 4),
        Kind::Equal => (BinaryOp::Eq, 5),
        Kind::NotEqual => (BinaryOp::Ne, 5),
        _ => return None,
    })
}

/// Whether a token continues an expression.
pub(super) fn is_operator(kind: Kind) -> bool {
    operator(kind).is_some() || kind == Kind::Question
}

impl Parser<'_> {
    /// Parses an expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.tree().map(|tree| tree.expr)
    }

    fn tree(&mut self) -> Parsed<Tree> {
        self.enter()?;
        let tree = self.operators();
        self.leave();
        tree
    }

    fn operators(&mut self) -> Parsed<Tree> {
        let mut waiting: Vec<Waiting> = Vec::new();
        loop {
            let operand = self.operand()?;
            let next = self.kind();
            if let Some((op, level)) = operator(next) {
                self.take();
                self.wait(&mut waiting, op, level, operand)?;
            } else if next == Kind::Question {
                let question = self.take().span;
                // What stands in an open `c ? a :` is its last part: this reads to the right.
                let cond = self.combine(&mut waiting, operand, 1)?;
                let then = self.tree()?;
                if self.kind() != Kind::Colon {
                    let d = self.expected("`:`").hint("a choice is written `c ? a : b`");
                    return Err(self.fail(d.related(question, "the `?` that it belongs to")));
                }
                self.take();
                waiting.push(Waiting::IfThenElse { cond, then });
            } else {
                return self.combine(&mut waiting, operand, 0);
            }
        }
    }

    /// Puts an operator with its left operand on the stack.
    fn wait(
        &mut self,
        waiting: &mut Vec<Waiting>,
        op: BinaryOp,
        level: u8,
        operand: Tree,
    ) -> Parsed<()> {
        let mut operand = self.combine(waiting, operand, level + 1)?;
        match waiting.last_mut() {
            Some(Waiting::Chain { op: last, level: same, operands })
                if *last == op && *same == level && op != BinaryOp::Implies =>
            {
                operands.push(operand);
                return Ok(());
            }
            Some(last) if last.level() == level && op != BinaryOp::Implies => {
                operand = self.combine(waiting, operand, level)?;
            }
            _ => {}
        }
        waiting.push(Waiting::Chain { op, level, operands: vec![operand] });
        Ok(())
    }

    /// Gives everything on the stack that binds at least as tight as `level` its right operand.
    fn combine(&mut self, waiting: &mut Vec<Waiting>, mut right: Tree, level: u8) -> Parsed<Tree> {
        while let Some(last) = waiting.pop_if(|last| last.level() >= level) {
            right = match last {
                Waiting::Chain { op, mut operands, .. } => {
                    operands.push(right);
                    balanced(op, operands)
                }
                Waiting::IfThenElse { cond, then } => Tree {
                    height: 1 + cond.height.max(then.height).max(right.height),
                    expr: Expr {
                        span: cond.expr.span.to(right.expr.span),
                        kind: ExprKind::IfThenElse(
                            Box::new(cond.expr),
                            Box::new(then.expr),
                            Box::new(right.expr),
                        ),
                    },
                },
            };
            self.check_depth(right.height)?;
        }
        Ok(right)
    }

    /// `!` any number of times, and what it stands before.
    fn operand(&mut self) -> Parsed<Tree> {
        let mut signs: Vec<Span> = Vec::new();
        while self.kind() == Kind::Not {
            self.check_depth(u32::try_from(signs.len()).unwrap_or(DEEPEST) + 1)?;
            signs.push(self.take().span);
        }
        let mut tree = self.primary()?;
        for sign in signs.into_iter().rev() {
            let span = sign.to(tree.expr.span);
            let kind = ExprKind::Unary(UnaryOp::Not, Box::new(tree.expr));
            tree = Tree { expr: Expr { kind, span }, height: tree.height + 1 };
        }
        self.check_depth(tree.height)?;
        Ok(tree)
    }

    fn primary(&mut self) -> Parsed<Tree> {
        match self.kind() {
            Kind::LeftParen => self.parenthesised(),
            Kind::Schoose => self.schoose(),
            _ => self.atom().map(|expr| Tree { expr, height: 0 }),
        }
    }

    fn parenthesised(&mut self) -> Parsed<Tree> {
        let open = self.take().span;
        let mut tree = self.tree()?;
        self.close_paren(open)?;
        tree.expr.span = open.to(self.last_span());
        Ok(tree)
    }

    /// Takes the `)` that belongs to a `(`.
    pub(super) fn close_paren(&mut self, open: Span) -> Parsed<()> {
        if self.accept(Kind::RightParen) {
            return Ok(());
        }
        Err(self.fail(self.expected("`)`").related(open, "this `(` is not closed")))
    }

    /// `schoose[p, n]`
    fn schoose(&mut self) -> Parsed<Tree> {
        let start = self.take().span;
        self.expect(Kind::LeftBracket, "[")?;
        let positive = self.tree()?;
        self.expect(Kind::Comma, ",")?;
        let negative = self.tree()?;
        self.expect(Kind::RightBracket, "]")?;
        let height = 1 + positive.height.max(negative.height);
        let kind = ExprKind::Schoose(Box::new(positive.expr), Box::new(negative.expr));
        Ok(Tree { expr: Expr { kind, span: start.to(self.last_span()) }, height })
    }

    /// A constant, a choice, or a variable.
    fn atom(&mut self) -> Parsed<Expr> {
        let token = self.token();
        let kind = match token.kind {
            Kind::True => ExprKind::Bool(true),
            Kind::False => ExprKind::Bool(false),
            Kind::Star => ExprKind::Any,
            Kind::Choose => return self.choose(),
            Kind::Number => match self.text(token.span) {
                "0" => ExprKind::Bool(false),
                "1" => ExprKind::Bool(true),
                number => {
                    let d =
                        Diagnostic::error(token.span, format!("`{number}` is not a truth value"));
                    self.fail(d.hint("the only constants are 0 and 1"));
                    ExprKind::Any
                }
            },
            Kind::Name => return self.variable(),
            Kind::Prime => {
                self.take();
                let name = self.name("the name of a variable")?;
                let span = token.span.to(name.span);
                return Ok(Expr { kind: ExprKind::Primed(place(name)), span });
            }
            _ => return Err(self.fail(self.expected("an expression"))),
        };
        self.take();
        Ok(Expr { kind, span: token.span })
    }

    fn choose(&mut self) -> Parsed<Expr> {
        let span = self.take().span;
        if matches!(self.kind(), Kind::LeftParen | Kind::LeftBracket) {
            let d = Diagnostic::error(self.span(), "`choose` takes no operands");
            return Err(self.fail(d.hint("write `schoose[p, n]`: true if p, false if n")));
        }
        Ok(Expr { kind: ExprKind::Any, span })
    }

    /// `x` or `x'`
    fn variable(&mut self) -> Parsed<Expr> {
        if self.kind_after(1) == Kind::LeftParen {
            return Err(self.fail(call_inside(self.span())));
        }
        let name = self.name("the name of a variable")?;
        let span = name.span;
        if self.kind() == Kind::Prime && self.span().start == span.end {
            let span = span.to(self.take().span);
            return Ok(Expr { kind: ExprKind::Primed(place(name)), span });
        }
        Ok(Expr { kind: ExprKind::Place(place(name)), span })
    }
}

fn place(name: Name) -> PlaceExpr {
    let span = name.span;
    PlaceExpr { name, indices: Vec::new(), members: Vec::new(), span }
}

/// A chain of operands of one associative operator, as a tree of least height. (`=>` has two.)
fn balanced(op: BinaryOp, operands: Vec<Tree>) -> Tree {
    let mut row = operands;
    while row.len() > 1 {
        let mut above = Vec::with_capacity(row.len().div_ceil(2));
        let mut rest = row.into_iter();
        while let Some(left) = rest.next() {
            above.push(match rest.next() {
                Some(right) => Tree {
                    height: 1 + left.height.max(right.height),
                    expr: Expr {
                        span: left.expr.span.to(right.expr.span),
                        kind: ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
                    },
                },
                None => left,
            });
        }
        row = above;
    }
    match row.pop() {
        Some(tree) => tree,
        None => Tree { expr: Expr { kind: ExprKind::Any, span: Span::default() }, height: 0 },
    }
}
