//! # Around `main`
//!
//! **Question.** Somebody calls `main`, with a number of arguments; and when it returns, functions are called that `atexit` was given. Neither stands in the text.
//!
//! **Idea.** Both are written into it. The number of arguments is a value from outside that is not negative, as if `main` began with asking for it, so that all that is known of such values is known of it. A return of `main` is a call
//! of `exit`, where that has a body: the one of `library.c`, which is read with texts that call `atexit`.
//!
//! **Needs.** A `main` that nobody in the text calls.

use selvedge_program::Span;

use super::foreseen::is_mentioned;
use super::inlining::named;
use super::visit::{each_expr, each_part};
use crate::c::typed::*;
use crate::c::types::Type;

/// The unit with what happens before and after `main` written into it; nothing if there is nothing to be said.
pub(super) fn around_main(unit: &Unit) -> Option<Unit> {
    let has_body = |name: &str, f: &Function| f.name == name && f.body.is_some();
    let position = |name: &str| unit.functions.iter().position(|f| has_body(name, f));
    let main = FunctionId(position("main")? as u32);
    if is_mentioned(unit, main) {
        return None;
    }
    let exit = position("exit").map(|exit| FunctionId(exit as u32)).filter(|_| runs_at_exit(unit));
    let count = counted(unit, main);
    if exit.is_none() && count.is_none() {
        return None;
    }
    let mut made = unit.clone();
    if let Some(exit) = exit {
        let function = &mut made.functions[main.index()];
        let end = Span { start: function.span.end, end: function.span.end };
        let body = function.body.as_mut()?;
        leave_by(exit, body);
        body.push(Stmt { kind: StmtKind::Expr(call_of(exit, zero(end), end)), span: end });
    }
    if let Some(count) = count {
        ask(&mut made, main, count);
    }
    Some(made)
}

/// Whether functions are called when the program ends: `atexit` is the one of `library.c`.
pub(super) fn runs_at_exit(unit: &Unit) -> bool {
    unit.functions.iter().any(|f| f.name == "atexit" && f.body.is_some())
}

/// The parameter of `main` that counts its arguments, if it is an `int` that somebody looks at.
fn counted(unit: &Unit, main: FunctionId) -> Option<LocalId> {
    let function = &unit.functions[main.index()];
    let first = function.locals.first().filter(|_| function.params > 0)?;
    if !matches!(first.ty, Type::Int { bits: 32, signed: true, .. }) {
        return None;
    }
    let mut looks = false;
    for statement in function.body.iter().flatten() {
        each_part(statement, false, &mut |expr, _| {
            each_expr(expr, &mut |inner| {
                let place = match &inner.kind {
                    ExprKind::Load(place) | ExprKind::Address(place) => place,
                    ExprKind::Assign(place, _) | ExprKind::AssignWith { place, .. } => place,
                    _ => return,
                };
                looks |= matches!(place.kind, LvalueKind::Local(LocalId(0)));
            });
        });
    }
    looks.then_some(LocalId(0))
}

/// Lets `main` begin with asking for the number of its arguments.
fn ask(unit: &mut Unit, main: FunctionId, count: LocalId) {
    let outside = named(unit, "__VERIFIER_nondet_int");
    let assume = named(unit, "__VERIFIER_assume");
    let locals = &unit.functions[main.index()].locals;
    let Some(Local { ty, span, .. }) = locals.get(count.index()).cloned() else { return };
    unit.functions[outside.index()].result = ty.clone();
    let function = &mut unit.functions[main.index()];
    let expr = |kind: ExprKind| Expr { kind, ty: ty.clone(), span };
    let place = || Lvalue { kind: LvalueKind::Local(count), ty: ty.clone(), span };
    let value = expr(ExprKind::Call(Callee::Direct(outside), Vec::new()));
    let given = expr(ExprKind::Assign(Box::new(place()), Box::new(value)));
    let read = expr(ExprKind::Load(Box::new(place())));
    let zero = expr(ExprKind::Int(0));
    let holds = expr(ExprKind::Compare(Compare::Ge, Box::new(read), Box::new(zero)));
    let assumed = ExprKind::Call(Callee::Direct(assume), vec![holds]);
    let assumed = Expr { kind: assumed, ty: Type::Void, span };
    let statements = [given, assumed].map(|e| Stmt { kind: StmtKind::Expr(e), span });
    if let Some(body) = &mut function.body {
        body.splice(0..0, statements);
    }
}

/// Makes a call of `exit` of every return.
fn leave_by(exit: FunctionId, block: &mut [Stmt]) {
    for statement in block {
        let span = statement.span;
        match &mut statement.kind {
            StmtKind::Return(value) => {
                let value = value.take().unwrap_or_else(|| zero(span));
                let leave = Stmt { kind: StmtKind::Expr(call_of(exit, value, span)), span };
                let end = Stmt { kind: StmtKind::Return(Some(zero(span))), span };
                statement.kind = StmtKind::Block(vec![leave, end]);
            }
            StmtKind::Block(inner)
            | StmtKind::While(_, inner)
            | StmtKind::DoWhile(inner, _)
            | StmtKind::Switch(_, inner)
            | StmtKind::For { body: inner, .. } => leave_by(exit, inner),
            StmtKind::If(_, a, b) => {
                leave_by(exit, a);
                leave_by(exit, b);
            }
            _ => {}
        }
    }
}

fn call_of(exit: FunctionId, status: Expr, span: Span) -> Expr {
    Expr { kind: ExprKind::Call(Callee::Direct(exit), vec![status]), ty: Type::Void, span }
}

fn zero(span: Span) -> Expr {
    Expr { kind: ExprKind::Int(0), ty: Type::Int { bits: 32, signed: true, rank: 2 }, span }
}
