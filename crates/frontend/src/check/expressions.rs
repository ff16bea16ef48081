//! # Expressions
//! Types flow in both directions. Most expressions know their type; `*`, `0`, `1` and choices
//! among these take the type that is *wanted* at their place. Where nothing is wanted (the two
//! sides of `==`, the branches of `?:`), the first operand that knows its type decides for the
//! others.
//!
//! Every function returns nothing after it has reported a problem. Whoever gets nothing reports
//! nothing more, but still looks at the other operands.

use num_bigint::BigInt;
use selvedge_program::{Expr, ExprKind, Span, Type, Value};

use super::fold::{self, NotConstant, fold};
use super::items::Items;
use super::machine::holds;
use super::scope::{Mode, Scope};
use super::types::{compatible, join};
use crate::Diagnostic;
use crate::syntax::{self, ExprKind as Syntax};

/// Checks expressions and places in a scope.
pub(super) struct Typer<'c, 'a> {
    /// The declarations at the top of the file.
    pub items: &'c Items<'a>,
    /// The mistakes so far.
    pub problems: &'c mut Vec<Diagnostic>,
    /// The declarations around the expression.
    pub scope: &'c mut Scope<'a>,
}

impl<'a> Typer<'_, 'a> {
    /// An expression of whatever type it has.
    pub fn infer(&mut self, expr: &'a syntax::Expr) -> Option<Expr> {
        self.guided(expr, None)
    }

    /// An expression of the wanted type.
    pub fn expect(&mut self, expr: &'a syntax::Expr, want: &Type) -> Option<Expr> {
        self.expect_because(expr, want, None)
    }

    /// An expression of the wanted type, with the place that the wish comes from.
    fn expect_because(
        &mut self,
        expr: &'a syntax::Expr,
        want: &Type,
        because: Option<Span>,
    ) -> Option<Expr> {
        let found = self.guided(expr, Some(want))?;
        if compatible(&found.ty, want) {
            return Some(found);
        }
        if want.is_machine() && found.ty.is_integer() && matches!(found.kind, ExprKind::Const(_)) {
            return self.constant_as(found, want);
        }
        let mut problem = self.mismatch(found.span, want, &found.ty);
        if let Some(hint) = literal_instead(&expr.kind, want) {
            problem.hint = Some(hint.to_owned());
        }
        if let Some(span) = because {
            problem = problem.related(span, format!("this is {}", self.items.a_value(want)));
        }
        self.problems.push(problem);
        None
    }

    /// Checks an expression that must be a truth value.
    pub fn condition(&mut self, expr: &'a syntax::Expr) -> Option<Expr> {
        self.expect(expr, &Type::Bool)
    }

    /// A value that is about to be stored: of the type, and in range as far as it is constant.
    /// `declared` is the place that the type comes from.
    pub fn stored(&mut self, expr: &'a syntax::Expr, want: &Type, declared: Span) -> Option<Expr> {
        let value = self.expect_because(expr, want, Some(declared))?;
        if let Type::Range { lo, hi } = want
            && let Some((span, outside)) = fold::constant_outside(&value, lo, hi)
        {
            self.problems.push(
                Diagnostic::error(span, format!("{outside} is outside of `int[{lo}..{hi}]`"))
                    .related(declared, format!("holds integers from {lo} to {hi}"))
                    .hint(wider_range(&outside, lo, hi)),
            );
            return None;
        }
        Some(value)
    }

    /// A constant, with its type. `what` says what is being computed.
    pub fn constant(
        &mut self,
        expr: &'a syntax::Expr,
        want: Option<&Type>,
        what: &str,
    ) -> Option<(Type, Value)> {
        let mode = std::mem::replace(&mut self.scope.mode, Mode::Constant);
        let typed = match want {
            Some(want) => self.expect(expr, want),
            None => self.infer(expr),
        };
        self.scope.mode = mode;
        let typed = typed?;
        match fold(&typed, None) {
            Ok(value) => Some((typed.ty, Value::from_big(value))),
            Err(reason) => {
                let problem = not_constant(reason, what);
                self.problems.push(problem);
                None
            }
        }
    }

    /// An expression; the wanted type is only a guide for what has no type of its own.
    fn guided(&mut self, expr: &'a syntax::Expr, want: Option<&Type>) -> Option<Expr> {
        let span = expr.span;
        let typed = |kind, ty| Some(Expr { kind, ty, span });
        let number = |value: Value, ty| typed(ExprKind::Const(value), ty);
        match &expr.kind {
            Syntax::Bool(b) => number((*b).into(), Type::Bool),
            Syntax::Int(n) if want == Some(&Type::Bool) && is_bit(n) => {
                number((*n != BigInt::ZERO).into(), Type::Bool)
            }
            Syntax::Int(n) => number(Value::from_big(n.clone()), Type::Int),
            Syntax::NoThread => number(Value::Small(0), Type::ThreadId),
            Syntax::Place(place) if self.is_no_thread(place, want) => {
                number(Value::Small(0), Type::ThreadId)
            }
            Syntax::Place(place) => {
                let value = self.read(place, span);
                match want {
                    Some(Type::Int | Type::Range { .. }) if value.is_none() => {
                        self.declare_instead(&place.name, "int[0..9]");
                    }
                    Some(Type::Enum(id)) if value.is_none() => {
                        self.list_instead(&place.name, *id);
                    }
                    _ => {}
                }
                value
            }
            Syntax::Primed(place) => self.primed(place, span),
            Syntax::Any => self.any(span, want.unwrap_or(&Type::Bool)),
            Syntax::Fair => {
                self.choice_allowed(span)?;
                self.fair_allowed(span)?;
                typed(ExprKind::Fair, Type::Bool)
            }
            Syntax::Braces(list) => {
                self.choice_allowed(span)?;
                if list.is_empty() {
                    self.problems.push(Diagnostic::error(span, "there is nothing to choose from"));
                    return None;
                }
                let (list, ty) = self.alike(list.iter().collect(), want, &Type::Bool)?;
                typed(ExprKind::OneOf(list), ty)
            }
            Syntax::Between(lo, hi) => self.between(lo, hi, want, span),
            Syntax::Schoose(positive, negative) => {
                self.choice_allowed(span)?;
                let (positive, negative) = (self.condition(positive), self.condition(negative));
                let kind = ExprKind::Schoose(Box::new(positive?), Box::new(negative?));
                typed(kind, Type::Bool)
            }
            Syntax::Unary(op, operand) => self.unary(*op, operand, want, span),
            Syntax::Binary(op, left, right) => self.binary(*op, [left, right], want, span),
            Syntax::Convert(ty, operand) => self.convert(ty, operand, span),
            Syntax::Call(name, _) => self.result_of(name, span),
            Syntax::IfThenElse(cond, then, otherwise) => {
                let cond = self.condition(cond);
                let branches = self.alike(vec![then, otherwise], want, &Type::Bool);
                let (branches, ty) = branches?;
                let [then, otherwise] = pair(branches);
                typed(ExprKind::IfThenElse(Box::new(cond?), then, otherwise), ty)
            }
            Syntax::Quantified { quantifier, binder, others_only, body } => {
                self.quantified(*quantifier, binder, *others_only, body, span)
            }
            Syntax::LocalOf(thread, name) => self.local_of(thread, name, span),
            Syntax::At(thread, label) => self.at(thread.as_ref(), label, span),
        }
    }

    /// Expressions that all have one type: the wanted one, or that of the first that knows its
    /// own. Where none does, `*` has the type `otherwise`, and `0` and `1` are numbers.
    pub fn alike(
        &mut self,
        exprs: Vec<&'a syntax::Expr>,
        want: Option<&Type>,
        otherwise: &Type,
    ) -> Option<(Vec<Expr>, Type)> {
        let machine = if want.is_none() { self.machine_of(&exprs, None) } else { None };
        let want = machine.as_ref().or(want);
        let leader =
            if want.is_none() { exprs.iter().position(|e| !takes_any_type(e)) } else { None };
        let mut led = leader.map(|position| self.infer(exprs[position]));
        let because = led.iter().flatten().map(|led| led.span).next();
        let ty = match (want, &led) {
            (Some(want), _) => Some(want.clone()),
            (None, Some(led)) => led.as_ref().map(|e| e.ty.clone()),
            (None, None) if exprs.iter().any(|e| mentions_any(e)) => Some(otherwise.clone()),
            (None, None) => Some(Type::Int),
        };
        let mut typed = Vec::with_capacity(exprs.len());
        for (position, expr) in exprs.iter().enumerate() {
            typed.push(match &ty {
                _ if Some(position) == leader => led.take().flatten(),
                Some(ty) => self.expect_because(expr, ty, because),
                None => self.infer(expr),
            });
        }
        let typed: Vec<Expr> = typed.into_iter().collect::<Option<_>>()?;
        let ty = typed.iter().map(|e| e.ty.clone()).reduce(|a, b| join(&a, &b))?;
        Some((typed, ty))
    }

    /// `*`
    fn any(&mut self, span: Span, ty: &Type) -> Option<Expr> {
        self.choice_allowed(span)?;
        let problem = match ty {
            Type::Int => Diagnostic::error(span, "`*` cannot choose among all integers")
                .hint("say among which, as in `{0 .. 9}`, or give the variable a range, as in `int[0..9]`"),
            Type::ThreadId => Diagnostic::error(span, "`*` cannot choose a thread")
                .hint("thread ids come from `async`; `none` is no thread"),
            _ => return Some(Expr { kind: ExprKind::Any, ty: ty.clone(), span }),
        };
        self.problems.push(problem);
        None
    }

    /// `{lo .. hi}`
    fn between(
        &mut self,
        lo: &'a syntax::Expr,
        hi: &'a syntax::Expr,
        want: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        self.choice_allowed(span)?;
        let ends = self.machine_of(&[lo, hi], want).unwrap_or(Type::Int);
        let (lo, hi) = (self.expect(lo, &ends), self.expect(hi, &ends));
        let (lo, hi) = lo.zip(hi)?;
        let ty = match (fold(&lo, None), fold(&hi, None)) {
            (Ok(lo), Ok(hi)) if lo > hi => {
                self.problems.push(
                    Diagnostic::error(span, format!("there is no integer from {lo} to {hi}"))
                        .hint("the least value comes first, the greatest second"),
                );
                return None;
            }
            (Ok(lo), Ok(hi)) if ends == Type::Int => Type::Range { lo, hi },
            _ => ends,
        };
        Some(Expr { kind: ExprKind::Between(Box::new(lo), Box::new(hi)), ty, span })
    }

    fn choice_allowed(&mut self, span: Span) -> Option<()> {
        if !matches!(self.scope.mode, Mode::Predicate(_)) {
            return Some(());
        }
        self.problems.push(
            Diagnostic::error(span, "a predicate cannot choose")
                .hint("in every state a predicate is either true or false; say which"),
        );
        None
    }

    /// A fair choice comes out both ways; where one of them can never be seen, it would rule out
    /// every run that makes it for ever.
    fn fair_allowed(&mut self, span: Span) -> Option<()> {
        let why = match self.scope.mode {
            Mode::Body => return Some(()),
            Mode::Required(word) => format!("`{word}` lets it come out one way only"),
            Mode::Constrain => "`constrain` lets it come out one way only".to_owned(),
            Mode::Constant | Mode::Arguments(_) | Mode::Predicate(_) => {
                "it is made by a statement that a thread executes".to_owned()
            }
        };
        let error = Diagnostic::error(span, "a fair choice cannot be made here");
        self.problems
            .push(error.hint(format!("{why}; write `*`, or use it in a test or an assignment")));
        None
    }

    /// A truth value that a statement requires.
    pub fn required(&mut self, expr: &'a syntax::Expr, word: &'static str) -> Option<Expr> {
        let mode = std::mem::replace(&mut self.scope.mode, Mode::Required(word));
        let required = self.condition(expr);
        self.scope.mode = mode;
        required
    }

    /// One type was wanted and another one found.
    fn mismatch(&self, span: Span, want: &Type, found: &Type) -> Diagnostic {
        let message = format!(
            "expected {}, but this is {}",
            self.items.a_value(want),
            self.items.a_value(found)
        );
        let mut problem = Diagnostic::error(span, message);
        problem.hint = match (want, found) {
            (Type::Enum(id), _) => Some(self.items.all_values(*id)),
            (Type::Bool, found) if found.is_integer() => Some(
                "compare it, as in `n != 0`; only `0` and `1` count as truth values".to_owned(),
            ),
            (want, Type::Bool) if want.is_integer() => {
                Some("`b ? 1 : 0` makes a number of a truth value".to_owned())
            }
            (want, found) if want.is_machine() && found.is_integer() => {
                let name = want.integer_name().unwrap_or_default();
                let wraps = if holds(want, found) { "" } else { ", and wraps around" };
                Some(format!("`{name}(…)` makes one of it{wraps}"))
            }
            (want, Type::Enum(id)) if want.is_integer() => {
                let decl = &self.items.enums[id.index()];
                let last = decl.enumerators.last().map_or("A", |name| name.text.as_str());
                Some(format!(
                    "the values of `{}` are no numbers: assign the one that is meant, as in `x := {last};`",
                    decl.name.text
                ))
            }
            (want, found) if want.is_integer() && found.is_machine() => {
                Some("`int(…)` makes an integer without bounds of it".to_owned())
            }
            (Type::ThreadId, _) => {
                Some("thread ids come from `t := async f();`; `none` is no thread".to_owned())
            }
            (_, Type::ThreadId) => {
                Some("thread ids can be copied, compared with `==` and `!=`, and joined".to_owned())
            }
            _ => None,
        };
        problem
    }
}

/// An expression has no constant value, where one is needed for `what`.
pub(super) fn not_constant(reason: NotConstant, what: &str) -> Diagnostic {
    match reason {
        NotConstant::Depends(span) => {
            Diagnostic::error(span, format!("{what} must be constant")).label("this is a choice")
        }
        NotConstant::GoesWrong(span, why) => {
            let (message, label) = why.message();
            Diagnostic::error(span, message).label(label)
        }
        NotConstant::TooLarge(span) => Diagnostic::error(span, "this constant is too large")
            .label(format!("this has more than {} bits", fold::BITS)),
    }
}

/// Two expressions, in boxes.
pub(super) fn pair(list: Vec<Expr>) -> [Box<Expr>; 2] {
    let mut list = list.into_iter().map(Box::new);
    [(); 2].map(|()| list.next().expect("the callers check two expressions"))
}

/// The advice about a number that is outside of a range.
pub(super) fn wider_range(outside: &BigInt, lo: &BigInt, hi: &BigInt) -> String {
    let (lo, hi) = (lo.min(outside), hi.max(outside));
    format!("if {outside} is meant, declare the range `[{lo}..{hi}]`")
}

/// What to write instead of a number where a truth value is wanted, and instead of a truth value where a number is.
fn literal_instead(written: &Syntax, want: &Type) -> Option<&'static str> {
    match written {
        Syntax::Int(_) if *want == Type::Bool => Some("truth values are `true` and `false`"),
        Syntax::Bool(true) if want.is_integer() => Some("write `1`, or declare a `bool`"),
        Syntax::Bool(false) if want.is_integer() => Some("write `0`, or declare a `bool`"),
        _ => None,
    }
}

/// Whether a number may be written for a truth value.
fn is_bit(n: &BigInt) -> bool {
    *n == BigInt::ZERO || *n == BigInt::from(1)
}

/// Whether the type of an expression depends on what is wanted.
pub(super) fn takes_any_type(expr: &syntax::Expr) -> bool {
    match &expr.kind {
        Syntax::Any => true,
        Syntax::Int(n) => is_bit(n),
        Syntax::Braces(list) => list.iter().all(takes_any_type),
        Syntax::IfThenElse(_, a, b) => takes_any_type(a) && takes_any_type(b),
        _ => false,
    }
}

/// Whether `*` is among the values of an expression that takes any type.
fn mentions_any(expr: &syntax::Expr) -> bool {
    match &expr.kind {
        Syntax::Any => true,
        Syntax::Braces(list) => list.iter().any(mentions_any),
        Syntax::IfThenElse(_, a, b) => mentions_any(a) || mentions_any(b),
        _ => false,
    }
}
