//! Expressions: operators by precedence.

use num_bigint::Sign;
use selvedge_program::{BinaryOp, Level, Span, UnaryOp};

use super::Parser;
use super::lexer::Token;
use super::wanted::Wanted;
use crate::cursor::Parsed;
use crate::syntax::{Cond, Effect, EffectKind, Expr, ExprKind, Name};

/// The height that the tree of an expression may have.
const TALLEST: u32 = 500;

/// The operator that a token stands for, and how tightly that binds.
fn operator(token: Token) -> Option<(BinaryOp, Level)> {
    let op = match token {
        Token::Implies => BinaryOp::Implies,
        Token::Or | Token::OrWord => BinaryOp::Or,
        Token::And | Token::AndWord => BinaryOp::And,
        // `=` and `:=` are mistakes, but clear ones.
        Token::EqualEqual | Token::Equal | Token::Assign => BinaryOp::Eq,
        Token::NotEqual => BinaryOp::Ne,
        Token::Less => BinaryOp::Lt,
        Token::AtMost => BinaryOp::Le,
        Token::Greater => BinaryOp::Gt,
        Token::AtLeast => BinaryOp::Ge,
        Token::Plus => BinaryOp::Add,
        Token::Minus => BinaryOp::Sub,
        Token::Star => BinaryOp::Mul,
        Token::Slash => BinaryOp::Div,
        Token::Percent => BinaryOp::Mod,
        Token::BitAnd => BinaryOp::BitAnd,
        Token::BitOr => BinaryOp::BitOr,
        Token::BitXor => BinaryOp::BitXor,
        Token::ShiftLeft => BinaryOp::ShiftLeft,
        Token::ShiftRight => BinaryOp::ShiftRight,
        _ => return None,
    };
    Some((op, op.operator().level))
}

/// An operand with the height of its tree.
type Operand = (Expr, u32);

/// Operands of one operator that are not combined yet; one more is to come.
struct Chain {
    operator: (BinaryOp, Level),
    operands: Vec<Operand>,
}

/// Operands and operators that were read so far.
#[derive(Default)]
struct Sequence {
    /// What waits for its last operand: each chain binds tighter than the one below (`==>`, which
    /// groups to the right: as tightly).
    waiting: Vec<Chain>,
    /// The last operand.
    last: Option<Operand>,
    /// Whether the next operand is that of an operator that cannot be here.
    drop_next: bool,
    /// Whether there was a complaint about an operator.
    complained: bool,
}

impl Parser<'_> {
    /// Parses an expression without effects.
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

    /// An expression, or an effect as the whole of it (then the expression means nothing, unless it is a call).
    pub(super) fn expr_or_effect(&mut self) -> Parsed<(Expr, Option<Effect>)> {
        let mark = self.effects.len();
        let expr = self.open_expr();
        let whole = matches!(&expr, Ok(Expr { kind: ExprKind::Any, .. }));
        let effect = if whole { self.effects.drain(mark..).next() } else { None };
        self.refuse_effects(mark);
        let expr = expr?;
        let call = match &expr.kind {
            ExprKind::Call(name, args) => {
                let kind = EffectKind::Call(name.clone(), args.clone());
                Some(Effect { kind, span: expr.span })
            }
            _ => None,
        };
        Ok((expr, call.or(effect)))
    }

    /// Parses the condition of `if` and `while`: an expression, or an effect, negated or not.
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
            if matches!(inner.kind, ExprKind::Any)
                && let Some(effect) = self.effects.drain(mark..).next()
            {
                return Ok(Cond::Effect { effect, negated });
            }
        }
        self.refuse_effects(mark);
        Ok(Cond::Expr(result?))
    }

    /// Reports the effects that were met since a mark: they are not allowed here.
    fn refuse_effects(&mut self, mark: usize) {
        for effect in self.effects.split_off(mark) {
            self.refuse_effect(&effect);
        }
    }

    /// Reports an effect that stands where only an expression can.
    pub(super) fn refuse_effect(&mut self, effect: &Effect) {
        let word = match &effect.kind {
            EffectKind::Call(name, _) => {
                let hint = format!("a call is a statement of its own: `t := {}(…);`", name.text);
                return self.mistake(effect.span, "a call cannot be part of an expression", hint);
            }
            EffectKind::Async(..) => "async",
            EffectKind::TryLock(_) => "trylock",
            EffectKind::CompareAndSwap(..) => "cas",
            EffectKind::FetchAndAdd(..) => "fetch_and_add",
        };
        let message = format!("`{word}` cannot be part of an expression");
        let written = self.tokens.text(effect.span);
        let hint = match self.is_decided(effect.span) {
            true => format!(
                "what stands before it decides whether it is done: write `if c {{ t := {written}; … }}`, then test `t`"
            ),
            false => format!("give its result to a variable first: `t := {written};`"),
        };
        self.mistake(effect.span, message, hint);
    }

    /// Whether what stands before a part of an expression decides whether it is computed.
    fn is_decided(&self, part: Span) -> bool {
        let before = (0..self.tokens.position_of(part)).rev().map(|at| self.tokens.token_of(at));
        let mut before = before.skip_while(|t| matches!(t, Token::Not | Token::NotWord));
        matches!(
            before.next(),
            Some(
                Token::And
                    | Token::AndWord
                    | Token::Or
                    | Token::OrWord
                    | Token::Implies
                    | Token::Question
            )
        )
    }

    /// An expression that may contain effects.
    pub(super) fn open_expr(&mut self) -> Parsed<Expr> {
        self.tokens.enter()?;
        let mut expr = self.binary(Level::Implies);
        if self.peek() == Token::Question
            && let Ok(cond) = expr
        {
            expr = self.if_then_else(cond);
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
        if !self.eat(Token::Colon) {
            let hint = "`c ? a : b` needs both; `if c { … }` is a statement";
            return Err(self.expected_or(Wanted::Colon, hint));
        }
        let otherwise = self.open_expr()?;
        self.grow(tallest.max(self.height))?;
        let span = cond.span.to(otherwise.span);
        let parts = (Box::new(cond), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind: ExprKind::IfThenElse(parts.0, parts.1, parts.2), span })
    }

    /// Operands with operators between them that bind at least this tightly. This function is on
    /// the stack once for each level of nesting, so the work is done elsewhere.
    fn binary(&mut self, loosest: Level) -> Parsed<Expr> {
        let mut sequence = Sequence::default();
        loop {
            self.next_operand(&mut sequence)?;
            if !self.next_operator(&mut sequence, loosest)? {
                return self.finish(sequence);
            }
        }
    }

    fn next_operand(&mut self, sequence: &mut Sequence) -> Parsed<()> {
        let operand = self.unary()?;
        self.no_membership(&operand)?;
        if !sequence.drop_next {
            sequence.last = Some((operand, self.height));
        }
        sequence.drop_next = false;
        Ok(())
    }

    /// Moves past an operator, if there is one; what binds tighter is complete then.
    fn next_operator(&mut self, sequence: &mut Sequence, loosest: Level) -> Parsed<bool> {
        let Some((op, level)) = operator(self.peek()).filter(|&(_, level)| level >= loosest) else {
            return Ok(false);
        };
        let Sequence { waiting, last, drop_next, complained } = sequence;
        while let Some(chain) = waiting.pop_if(|chain| chain.operator.1 > level) {
            *last = Some(self.combine_chain(chain, last.take())?);
        }
        let same_level = waiting.last().is_some_and(|chain| chain.operator.1 == level);
        *drop_next = same_level && level == Level::Compare;
        *complained = *complained || self.check_operator(*drop_next);
        if !*drop_next {
            let mut operands: Vec<Operand> = last.take().into_iter().collect();
            if same_level
                && level != Level::Implies
                && let Some(mut chain) = waiting.pop()
            {
                if chain.operator.0 == op && op.operator().is_associative {
                    chain.operands.append(&mut operands);
                    operands = chain.operands;
                } else {
                    operands = vec![self.combine_chain(chain, operands.pop())?];
                }
            }
            waiting.push(Chain { operator: (op, level), operands });
        }
        self.tokens.bump();
        Ok(true)
    }

    fn finish(&mut self, sequence: Sequence) -> Parsed<Expr> {
        let Sequence { mut waiting, mut last, .. } = sequence;
        while let Some(chain) = waiting.pop() {
            last = Some(self.combine_chain(chain, last)?);
        }
        let (expr, height) = last.ok_or_else(|| self.expected(Wanted::Expression))?;
        self.height = height;
        Ok(expr)
    }

    /// Reports what is wrong with the operator that is the current token, if anything is.
    fn check_operator(&mut self, chained: bool) -> bool {
        let span = self.tokens.span();
        match self.peek() {
            Token::Equal | Token::Assign if self.assigned_inside().is_some() => {
                let hint = self.assigned_inside().unwrap_or_default();
                self.mistake(span, "an assignment has no value", hint);
            }
            Token::Equal if self.tokens.peek_at(1) == Token::Less => {
                let both = span.to(self.tokens.span_at(1));
                self.replaceable(both, "`=<` does not compare", "write <= to compare", "<=");
                self.tokens.bump();
            }
            Token::Equal => {
                self.replaceable(span, "`=` does not compare", "write == to compare", "==");
            }
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

    /// What to write instead of `(x = x + 1) < 3` and `if (x := receive(c))`, where `=` clearly assigns; none if it may compare.
    fn assigned_inside(&self) -> Option<String> {
        let text = |ahead| self.tokens.text(self.tokens.span_at(ahead));
        let name = self.tokens.text(self.tokens.previous());
        let steps = text(1) == name && matches!(self.tokens.peek_at(2), Token::Plus | Token::Minus);
        let is_effect = matches!(
            self.tokens.peek_at(1),
            Token::TryLock | Token::Cas | Token::FetchAndAdd | Token::Async
        ) || text(1) == "receive";
        let calls = self.peek() == Token::Assign && self.tokens.peek_at(2) == Token::OpenParen;
        let value = self.written_from(1);
        (steps || is_effect && calls)
            .then(|| format!("it is a statement of its own, before this one: `{name} := {value};`"))
    }

    /// One expression from all operands, as a tree that is balanced: neighbours are paired until
    /// one is left.
    fn combine_chain(&mut self, chain: Chain, last: Option<Operand>) -> Parsed<Operand> {
        let Chain { operator: (op, _), mut operands } = chain;
        operands.extend(last);
        while operands.len() > 1 {
            let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
            let mut rest = operands.into_iter();
            while let Some(left) = rest.next() {
                pairs.push(match rest.next() {
                    Some(right) => {
                        self.grow(left.1.max(right.1))?;
                        (self.pair(op, left.0, right.0), self.height)
                    }
                    None => left,
                });
            }
            operands = pairs;
        }
        operands.pop().ok_or_else(|| self.expected(Wanted::Expression))
    }

    /// `left op right`; in predicates, `pc == L` is `at L`.
    fn pair(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = left.span.to(right.span);
        self.doubt_number(op, &left, &right);
        if self.in_predicate
            && matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            && let (Some(thread), Some(label)) = (program_counter(&left), whole_name(&right))
        {
            let at = ExprKind::At(thread.cloned(), label.clone());
            let kind = match op {
                BinaryOp::Eq => at,
                _ => ExprKind::Unary(UnaryOp::Not, Box::new(Expr { kind: at, span })),
            };
            return Expr { kind, span };
        }
        Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }

    /// Warns of `x == 0 || 1`, where the number is a truth value of its own.
    fn doubt_number(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        if let (BinaryOp::And | BinaryOp::Or, ExprKind::Int(_)) = (op, &right.kind)
            && let ExprKind::Binary(compare @ (BinaryOp::Eq | BinaryOp::Ne), of, with) = &left.kind
            && !matches!(with.kind, ExprKind::Bool(_))
        {
            let text = |span| self.tokens.text(span);
            let (of, number) = (text(of.span), text(right.span));
            let (sign, joint) = (compare.operator().sign, op.operator().sign);
            let message = format!("`{number}` is a truth value here, and not compared with `{of}`");
            let hint = format!("write `{} {joint} {of} {sign} {number}`", text(left.span));
            self.doubt(right.span, message, hint);
        }
    }

    /// Notes the height of a tree above one of the given height, if it is not too much.
    pub(super) fn grow(&mut self, below: u32) -> Parsed<()> {
        self.height = below + 1;
        if self.height > TALLEST { Err(self.tokens.too_deep()) } else { Ok(()) }
    }

    /// `!e`, `-e`, `~e`, or an operand.
    pub(super) fn unary(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Token::Not | Token::NotWord => self.prefixed(UnaryOp::Not),
            Token::Minus => self.prefixed(UnaryOp::Neg),
            Token::BitNot => self.prefixed(UnaryOp::BitNot),
            _ => self.operand(),
        }
    }

    fn prefixed(&mut self, op: UnaryOp) -> Parsed<Expr> {
        self.tokens.enter()?;
        let start = self.tokens.bump();
        let literal = self.peek() == Token::Number;
        let operand = self.unary();
        self.tokens.leave();
        let operand = operand?;
        let span = start.to(operand.span);
        // `-3` is one number. `-0` stays as it is: it must not come back as `0`.
        if let (UnaryOp::Neg, true, ExprKind::Int(n)) = (op, literal, &operand.kind)
            && n.sign() == Sign::Plus
        {
            return Ok(Expr { kind: ExprKind::Int(-n), span });
        }
        self.grow(self.height)?;
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span })
    }
}

/// The thread whose program counter an expression names: `pc` or `i.pc`.
fn program_counter(expr: &Expr) -> Option<Option<&Name>> {
    match &expr.kind {
        ExprKind::LocalOf(thread, name) if name.text == "pc" => Some(Some(thread)),
        _ => whole_name(expr).filter(|name| name.text == "pc").map(|_| None),
    }
}

/// The name that is all of an expression.
fn whole_name(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Place(place) if place.indices.is_empty() && place.members.is_empty() => {
            Some(&place.name)
        }
        _ => None,
    }
}
