//! # Calls inside of expressions
//! `x := f(y) + 1;` is `t := f(y); x := t + 1;`: the calls of a statement are made first, from left to right, and what they return is kept in
//! variables that have no name in the text. Then the statement is executed, in one step, as ever.
//!
//! A loop makes the calls of its condition each time: `while f(x) { … }` is `while true { t := f(x); if !t { break; } … }`.
//!
//! A call that is not always made (behind `&&`, in a branch of `?:`) is refused, and so is one in a statement that waits, where it would be
//! made once and its condition never looked at again.

use selvedge_program::{
    BinaryOp, Cond, Expr, ExprKind, Place, Span, Stmt, StmtKind, Type, Value, VarRef,
};

use super::expressions::Typer;
use super::statements::{Body, Sequence};
use super::{counted, walk};
use crate::Diagnostic;
use crate::syntax::{
    self, Effect, EffectKind, ExprKind as Syntax, Init, Name, PlaceExpr, StmtKind as Written,
};

impl<'a> Body<'_, 'a> {
    /// Makes the calls inside of the expressions of a statement. Those of a loop are made in it.
    pub fn make_calls(&mut self, stmt: &'a syntax::Stmt, sequence: &mut Sequence) {
        match &stmt.kind {
            Written::Assign { targets, values, .. } => {
                self.calls_in_places(targets, sequence);
                self.calls_in(values, sequence);
            }
            Written::Effect { targets, effect } => {
                self.calls_in_places(targets, sequence);
                self.calls_in_effect(effect, sequence);
            }
            Written::Local(decl) => match &decl.init {
                Some(Init::Expr(expr)) => self.calls_in([expr], sequence),
                Some(Init::Effect(effect)) => self.calls_in_effect(effect, sequence),
                None => {}
            },
            Written::Together { variables, effect, .. } => {
                for decl in variables {
                    if let Some(Init::Expr(expr)) = &decl.init {
                        self.calls_in([expr], sequence);
                    }
                }
                effect.iter().for_each(|effect| self.calls_in_effect(effect, sequence));
            }
            Written::Assert(expr, _) | Written::Join(expr) => self.calls_in([expr], sequence),
            Written::Return(values) => self.calls_in(values, sequence),
            Written::If { cond, .. } => self.calls_in_cond(cond, sequence),
            _ => {}
        }
    }

    /// A loop with calls in its condition; nothing if it has none.
    pub fn loop_with_calls(&mut self, stmt: &'a syntax::Stmt) -> Option<StmtKind> {
        let Written::While { cond, body } = &stmt.kind else { return None };
        if !has_calls(cond) {
            return None;
        }
        let mut inside = Sequence::default();
        self.loops += 1;
        self.calls_in_cond(cond, &mut inside);
        if let Some(cond) = self.cond(cond) {
            let leave = Stmt { labels: Vec::new(), kind: StmtKind::Break, span: stmt.span };
            let kind = StmtKind::If { cond, then: Vec::new(), otherwise: vec![leave] };
            inside.push(kind, stmt.span);
        }
        self.inside(body, &mut inside);
        self.loops -= 1;
        let (kind, ty) = (ExprKind::Const(Value::TRUE), Type::Bool);
        let always = Cond::Expr(Expr { kind, ty, span: stmt.span });
        Some(StmtKind::While { cond: always, body: inside.finish() })
    }

    fn calls_in(
        &mut self,
        exprs: impl IntoIterator<Item = &'a syntax::Expr>,
        sequence: &mut Sequence,
    ) {
        for expr in exprs {
            self.calls_in_expr(expr, None, sequence);
        }
    }

    fn calls_in_places(&mut self, places: &'a [PlaceExpr], sequence: &mut Sequence) {
        places.iter().for_each(|place| self.calls_in(place.all_indices(), sequence));
    }

    /// The calls in the operands of an effect, which itself stays what it is.
    fn calls_in_effect(&mut self, effect: &'a Effect, sequence: &mut Sequence) {
        match &effect.kind {
            EffectKind::Call(_, args) | EffectKind::Async(_, args) => self.calls_in(args, sequence),
            EffectKind::TryLock(place) => self.calls_in(&place.indices, sequence),
            EffectKind::CompareAndSwap(place, expected, new) => {
                self.calls_in(&place.indices, sequence);
                self.calls_in([&**expected, &**new], sequence);
            }
            EffectKind::FetchAndAdd(place, amount) => {
                self.calls_in(&place.indices, sequence);
                self.calls_in(amount.as_deref(), sequence);
            }
        }
    }

    fn calls_in_cond(&mut self, cond: &'a syntax::Cond, sequence: &mut Sequence) {
        match cond {
            syntax::Cond::Expr(expr) => {
                let before = self.typer.problems.len();
                self.calls_in([expr], sequence);
                self.declare_condition(expr, before);
            }
            // A call as the whole condition of a Boolean program is refused where it is checked.
            syntax::Cond::Effect { effect, .. } => self.calls_in_effect(effect, sequence),
        }
    }

    /// Where a condition is the call of an unknown procedure: the one that is declared gives a truth value.
    fn declare_condition(&mut self, mut expr: &syntax::Expr, before: usize) {
        while let Syntax::Unary(_, inner) = &expr.kind {
            expr = inner;
        }
        let Syntax::Call(name, _) = &expr.kind else { return };
        let problems = self.typer.problems.get_mut(before..).unwrap_or_default();
        if let Some(problem) = problems.iter_mut().find(|p| p.label.span == name.span)
            && let Some(hint) = &mut problem.hint
        {
            let (number, truth) = (format!("`int {}(", name.text), format!("`bool {}(", name.text));
            *hint = hint.replacen(&number, &truth, 1);
        }
    }

    /// Makes the calls in an expression; `behind` is what decides whether it is computed at all.
    fn calls_in_expr(
        &mut self,
        expr: &'a syntax::Expr,
        behind: Option<&'static str>,
        sequence: &mut Sequence,
    ) {
        let mut all = |list: &[&'a syntax::Expr], behind| {
            list.iter().for_each(|inner| self.calls_in_expr(inner, behind, sequence));
        };
        match &expr.kind {
            Syntax::Bool(_)
            | Syntax::Int(_)
            | Syntax::NoThread
            | Syntax::Any
            | Syntax::Fair
            | Syntax::LocalOf(..)
            | Syntax::At(..)
            | Syntax::Primed(_) => {}
            Syntax::Place(place) => all(&place.indices.iter().collect::<Vec<_>>(), behind),
            Syntax::Braces(list) => {
                all(&list.iter().collect::<Vec<_>>(), Some("a choice among several"));
            }
            Syntax::Unary(_, inner) | Syntax::Convert(_, inner) => all(&[inner], behind),
            Syntax::Between(lo, hi) => all(&[lo, hi], behind),
            Syntax::Schoose(positive, negative) => {
                all(&[positive], behind);
                all(&[negative], Some("`schoose`"));
            }
            Syntax::Binary(op, left, right) => {
                all(&[left], behind);
                let decides = match op {
                    BinaryOp::And => Some("`&&`"),
                    BinaryOp::Or => Some("`||`"),
                    BinaryOp::Implies => Some("`==>`"),
                    _ => None,
                };
                all(&[right], decides.or(behind));
            }
            Syntax::IfThenElse(cond, then, otherwise) => {
                all(&[cond], behind);
                all(&[then, otherwise], Some("`? :`"));
            }
            Syntax::Quantified { body, .. } => all(&[body], Some("a quantifier")),
            Syntax::Call(name, args) => {
                all(&args.iter().collect::<Vec<_>>(), behind);
                match behind {
                    Some(behind) => self.may_not_be_made(name, behind, expr.span),
                    None => self.make_call(name, args, expr.span, sequence),
                }
            }
        }
    }

    fn may_not_be_made(&mut self, name: &Name, behind: &str, span: Span) {
        let text = &name.text;
        let message = format!("whether this call is made depends on {behind}");
        let hint = match behind {
            "a quantifier" => format!("write a loop that calls `{text}` for each index"),
            _ => format!(
                "calls are made before the rest is computed: write `if … {{ t := {text}(…); }}`, then use `t`"
            ),
        };
        self.typer.problems.push(Diagnostic::error(span, message).hint(hint));
        self.typer.scope.wrong_results.insert(span);
    }

    /// Calls a procedure and keeps its one result. A place that is written once and read and written (`a[f(x)]++`) is found once.
    fn make_call(
        &mut self,
        name: &'a Name,
        args: &'a [syntax::Expr],
        span: Span,
        sequence: &mut Sequence,
    ) {
        if self.typer.scope.results.contains_key(&span) {
            return;
        }
        let (Some(proc), args) = self.call_for(name, args, span, &[Type::Int]) else {
            self.typer.scope.wrong_results.insert(span);
            return;
        };
        self.sites.calls.push((proc, span));
        let called = self.typer.items.proc(proc);
        let [ty] = called.result_types.as_slice() else {
            let has = counted(called.result_types.len(), "result", "results");
            let message = format!("`{}` has {has}, but one is needed here", name.text);
            let text = &name.text;
            let hint = match called.result_types.len() {
                0 => format!(
                    "a call is a statement of its own: `{text}(…);`; `tid t := async {text}(…);` starts a thread, which `join t;` waits for"
                ),
                _ => format!("give its results to variables first: `x, y := {text}(…);`"),
            };
            let problem = Diagnostic::error(span, message)
                .related(called.name.span, "declared here")
                .hint(hint);
            self.typer.problems.push(problem);
            self.typer.scope.wrong_results.insert(span);
            return;
        };
        let (Some(ty), Some(args)) = (ty.clone(), args) else {
            self.typer.scope.wrong_results.insert(span);
            return;
        };
        let id = self.typer.scope.add_result(name, span, ty.clone());
        let place = Place { var: VarRef::Local(id), indices: Vec::new(), ty, span: name.span };
        sequence.push(StmtKind::Call { proc, args, results: vec![place] }, span);
    }
}

impl<'a> Typer<'_, 'a> {
    /// The result of a call inside of an expression.
    pub fn result_of(&mut self, name: &Name, span: Span) -> Option<Expr> {
        if let Some(&id) = self.scope.results.get(&span) {
            let ty = self.scope.local(id).ty.clone()?;
            let var = VarRef::Local(id);
            let place = Place { var, indices: Vec::new(), ty: ty.clone(), span };
            return Some(Expr { kind: ExprKind::Read(place), ty, span });
        }
        if !self.scope.wrong_results.contains(&span) {
            let hint = format!("give its result to a variable first: `t := {}(…);`", name.text);
            self.problems.push(Diagnostic::error(span, "a call cannot stand here").hint(hint));
        }
        None
    }
}

/// Whether a condition has calls in it.
fn has_calls(cond: &syntax::Cond) -> bool {
    let mut found = false;
    let mut look = |expr: &syntax::Expr| {
        walk::expressions(expr, &mut |inner| found |= matches!(inner.kind, Syntax::Call(..)));
    };
    match cond {
        syntax::Cond::Expr(expr) => look(expr),
        syntax::Cond::Effect { effect, .. } => match &effect.kind {
            EffectKind::Call(_, args) | EffectKind::Async(_, args) => args.iter().for_each(look),
            EffectKind::TryLock(place) => place.indices.iter().for_each(look),
            EffectKind::CompareAndSwap(place, expected, new) => {
                place.indices.iter().for_each(&mut look);
                look(expected);
                look(new);
            }
            EffectKind::FetchAndAdd(place, amount) => {
                place.indices.iter().for_each(&mut look);
                amount.iter().for_each(|amount| look(amount));
            }
        },
    }
    found
}
