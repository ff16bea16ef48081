//! Expressions: operators by precedence.

use selvedge_program::{BinaryOp, UnaryOp};

use super::Parser;
use super::lexer::Token;
use crate::cursor::Parsed;
use crate::syntax::{Cond, Effect, EffectKind, Expr, ExprKind, Name};

/// The height that the tree of an expression may have.
const TALLEST: u32 = 500;

/// How tightly operators with two operands bind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Level {
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Operand,
}

impl Level {
    /// The level of the right operand of an operator that groups to the left.
    fn tighter(self) -> Level {
        match self {
            Level::Implies => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Operand => Level::Operand,
        }
    }
}

/// The operator that a token stands for.
fn operator(token: Token) -> Option<(BinaryOp, Level)> {
    Some(match token {
        Token::Implies => (BinaryOp::Implies, Level::Implies),
        Token::Or | Token::OrWord => (BinaryOp::Or, Level::Or),
        Token::Xor => (BinaryOp::Ne, Level::Or),
        Token::And | Token::AndWord => (BinaryOp::And, Level::And),
        // `=` and `:=` are mistakes, but clear ones.
        Token::EqualEqual | Token::Equal | Token::Assign => (BinaryOp::Eq, Level::Compare),
        Token::NotEqual => (BinaryOp::Ne, Level::Compare),
        Token::Less => (BinaryOp::Lt, Level::Compare),
        Token::AtMost => (BinaryOp::Le, Level::Compare),
        Token::Greater => (BinaryOp::Gt, Level::Compare),
        Token::AtLeast => (BinaryOp::Ge, Level::Compare),
        Token::Plus => (BinaryOp::Add, Level::Sum),
        Token::Minus => (BinaryOp::Sub, Level::Sum),
        Token::Star => (BinaryOp::Mul, Level::Product),
        Token::Slash => (BinaryOp::Div, Level::Product),
        Token::Percent => (BinaryOp::Mod, Level::Product),
        _ => return None,
    })
}

/// Whether `(a op b) op c` and `a op (b op c)` are the same. `^` is `!=` on truth values, where it
/// is associative.
fn is_associative((op, level): (BinaryOp, Level)) -> bool {
    matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Add | BinaryOp::Mul)
        || (op, level) == (BinaryOp::Ne, Level::Or)
}

/// Operands of one operator that are not combined yet, with the heights of their trees.
struct Chain {
    operator: Option<(BinaryOp, Level)>,
    operands: Vec<(Expr, u32)>,
}

impl Parser<'_> {
    /// An expression without effects.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let mark = self.effects.len();
        let expr = self.open_expr();
        self.refuse_effects(mark);
        expr
    }

    /// A sum without effects; in front of a `=` that is none of the expression's.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        let mark = self.effects.len();
        let expr = self.binary(Level::Sum);
        self.refuse_effects(mark);
        expr
    }

    /// An expression, or an effect as the whole of it (then the expression means nothing).
    pub(super) fn expr_or_effect(&mut self) -> Parsed<(Expr, Option<Effect>)> {
        let mark = self.effects.len();
        let expr = self.open_expr();
        let whole = matches!(&expr, Ok(Expr { kind: ExprKind::Any, .. }));
        let effect = if whole { self.effects.drain(mark..).next() } else { None };
        self.refuse_effects(mark);
        Ok((expr?, effect))
    }

    /// What `if` and `while` test: an expression, or an effect, negated or not.
    pub(super) fn cond(&mut self) -> Parsed<Cond> {
        let mark = self.effects.len();
        let result = self.open_expr();
        if let Ok(expr) = &result {
            let mut negated = false;
            let mut inner = expr;
            while let ExprKind::Unary(UnaryOp::Not, operand) = &inner.kind {
                inner = operand;
                negated = !negated;
            }
            if matches!(inner.kind, ExprKind::Any) {
                if let Some(effect) = self.effects.drain(mark..).next() {
                    return Ok(Cond::Effect { effect, negated });
                }
            }
        }
        self.refuse_effects(mark);
        Ok(Cond::Expr(result?))
    }

    /// Reports the effects that were met since a mark: nobody wanted them.
    fn refuse_effects(&mut self, mark: usize) {
        for Effect { kind, span } in self.effects.split_off(mark) {
            let (message, hint) = match kind {
                EffectKind::Call(name, _) => (
                    "a call cannot be part of an expression".to_owned(),
                    format!("a call is a statement of its own: `t := {}(…);`", name.text),
                ),
                other => {
                    let word = match other {
                        EffectKind::TryLock(_) => "trylock",
                        EffectKind::CompareAndSwap(..) => "cas",
                        EffectKind::FetchAndAdd(..) => "fetch_and_add",
                        _ => "async",
                    };
                    (
                        format!("`{word}` cannot be part of an expression"),
                        format!("give its result to a variable first: `t := {word} …;`"),
                    )
                }
            };
            self.mistake(span, message, hint);
        }
    }

    /// An expression that may contain effects.
    pub(super) fn open_expr(&mut self) -> Parsed<Expr> {
        self.tokens.enter()?;
        let mut expr = self.binary(Level::Implies);
        if self.peek() == Token::Question {
            if let Ok(cond) = expr {
                expr = self.if_then_else(cond);
            }
        }
        self.tokens.leave();
        expr
    }

    /// `? a : b` after the condition.
    fn if_then_else(&mut self, cond: Expr) -> Parsed<Expr> {
        let mut tallest = self.height;
        self.tokens.bump();
        let then = self.open_expr()?;
        tallest = tallest.max(self.height);
        self.expect(Token::Colon, "`:`")?;
        let otherwise = self.open_expr()?;
        self.grow(tallest.max(self.height))?;
        let span = cond.span.to(otherwise.span);
        let parts = (Box::new(cond), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind: ExprKind::IfThenElse(parts.0, parts.1, parts.2), span })
    }

    /// Operands with operators between them that bind at least this tightly.
    fn binary(&mut self, loosest: Level) -> Parsed<Expr> {
        let first = self.unary()?;
        let mut chain = Chain { operator: None, operands: vec![(first, self.height)] };
        let mut complained = false;
        while let Some((op, level)) = operator(self.peek()) {
            if level < loosest {
                break;
            }
            let chained = level == Level::Compare
                && chain.operator.is_some_and(|(_, last)| last == Level::Compare);
            if !complained {
                complained = self.check_operator(chained);
            }
            self.tokens.bump();
            let right = match level {
                Level::Implies => self.implied()?,
                _ => self.binary(level.tighter())?,
            };
            if !chained {
                self.extend(&mut chain, (op, level), right)?;
            }
        }
        self.combine_chain(chain)
    }

    /// The right side of `==>`, which groups to the right.
    fn implied(&mut self) -> Parsed<Expr> {
        self.tokens.enter()?;
        let right = self.binary(Level::Implies);
        self.tokens.leave();
        right
    }

    /// Reports what is wrong with the operator that is the current token, if anything is.
    fn check_operator(&mut self, chained: bool) -> bool {
        let span = self.tokens.span();
        match self.peek() {
            Token::Equal => self.mistake(span, "`=` does not compare", "write == to compare"),
            Token::Assign => {
                let hint = "write == to compare; an assignment is a statement of its own";
                self.mistake(span, "`:=` cannot be part of an expression", hint);
            }
            _ if chained => {
                let hint = "write `a < b && b < c`, or parentheses";
                self.mistake(span, "comparisons cannot be chained", hint);
            }
            _ => return false,
        }
        true
    }

    /// Adds an operand that was parsed just now.
    fn extend(
        &mut self,
        chain: &mut Chain,
        operator: (BinaryOp, Level),
        right: Expr,
    ) -> Parsed<()> {
        let height = self.height;
        if chain.operator != Some(operator) || !is_associative(operator) {
            let so_far = Chain {
                operator: chain.operator.replace(operator),
                operands: std::mem::take(&mut chain.operands),
            };
            let left = self.combine_chain(so_far)?;
            chain.operands.push((left, self.height));
        }
        chain.operands.push((right, height));
        Ok(())
    }

    /// One expression from all operands, as a tree that is balanced: neighbours are paired until
    /// one is left.
    fn combine_chain(&mut self, chain: Chain) -> Parsed<Expr> {
        let Chain { operator, mut operands } = chain;
        if let Some((op, _)) = operator {
            while operands.len() > 1 {
                let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
                let mut rest = operands.into_iter();
                while let Some((left, left_height)) = rest.next() {
                    let Some((right, right_height)) = rest.next() else {
                        pairs.push((left, left_height));
                        break;
                    };
                    self.grow(left_height.max(right_height))?;
                    pairs.push((self.pair(op, left, right), self.height));
                }
                operands = pairs;
            }
        }
        match operands.pop() {
            Some((expr, height)) => {
                self.height = height;
                Ok(expr)
            }
            None => Err(self.expected("an expression")),
        }
    }

    /// `left op right`; in predicates, `pc == L` is `at L`.
    fn pair(&self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        if self.in_predicate && matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            if let (Some(thread), Some(label)) = (program_counter(&left), whole_name(&right)) {
                let at = ExprKind::At(thread.cloned(), label.clone());
                let kind = match op {
                    BinaryOp::Eq => at,
                    _ => ExprKind::Unary(UnaryOp::Not, Box::new(Expr { kind: at, span })),
                };
                return Expr { kind, span };
            }
        }
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    /// Notes the height of a tree above one of the given height, if it is not too much.
    pub(super) fn grow(&mut self, below: u32) -> Parsed<()> {
        self.height = below + 1;
        if self.height > TALLEST { Err(self.tokens.too_deep()) } else { Ok(()) }
    }

    /// `!e`, `-e`, or an operand.
    fn unary(&mut self) -> Parsed<Expr> {
        let op = match self.peek() {
            Token::Not | Token::NotWord => UnaryOp::Not,
            Token::Minus => UnaryOp::Neg,
            _ => return self.operand(),
        };
        self.tokens.enter()?;
        let start = self.tokens.bump();
        let literal = self.peek() == Token::Number;
        let operand = self.unary();
        self.tokens.leave();
        let operand = operand?;
        let span = start.to(operand.span);
        if let (UnaryOp::Neg, true, ExprKind::Int(n)) = (op, literal, &operand.kind) {
            return Ok(Expr { kind: ExprKind::Int(-n), span });
        }
        self.grow(self.height)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }
}

/// Whose program counter an expression names: `pc` or `i.pc`.
fn program_counter(expr: &Expr) -> Option<Option<&Name>> {
    match &expr.kind {
        ExprKind::LocalOf(thread, name) if name.text == "pc" => Some(Some(thread)),
        _ => whole_name(expr).filter(|name| name.text == "pc").map(|_| None),
    }
}

/// The name that is all of an expression.
fn whole_name(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Place(place) if place.indices.is_empty() => Some(&place.name),
        _ => None,
    }
}
