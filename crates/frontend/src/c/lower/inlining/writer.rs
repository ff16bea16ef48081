//! # A function with bodies in the places of calls
//! Finds the calls that can be written out, statement by statement, and writes them: arguments that are evaluated go into new variables first, the copy of the
//! body follows, and what was the value of the call is the variable that it leaves its result in. It knows all along whether it is inside of an atomic section.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_program::Span;

use super::copy::Copy;
use super::which::{each_expr_in, is_stable, root, size, stable, uses};
use super::{BEGIN, END, is_section};
use crate::c::lower::visit::{each_call, each_part, each_statement};
use crate::c::typed::*;
use crate::c::types::Type;

/// No function grows beyond this many statements.
const MOST: usize = 2000;

/// Rewrites one function.
pub(super) struct Writer<'a> {
    pub(super) unit: &'a Unit,
    pub(super) at: FunctionId,
    pub(super) fits: &'a BTreeSet<FunctionId>,
    pub(super) function: Function,
    pub(super) begin: FunctionId,
    pub(super) end: FunctionId,
    /// The labels that somebody jumps to: whether they are inside of a section is not looked at.
    pub(super) targets: BTreeSet<LabelId>,
    /// Whether the statement that is looked at is inside of an atomic section; nothing if that is not known.
    pub(super) section: Option<bool>,
    pub(super) size: usize,
    pub(super) changed: bool,
}

/// A call that is to be written out.
struct InlinedCall<'a> {
    function: FunctionId,
    args: &'a [Expr],
    ty: &'a Type,
    span: Span,
}

impl<'a> Writer<'a> {
    pub(super) fn block(&mut self, block: &'a [Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        for statement in block {
            self.statement(statement, &mut made);
        }
        made
    }

    /// A block inside of a statement: what it does to sections is known only if it does nothing.
    fn inner(&mut self, block: &'a [Stmt]) -> Vec<Stmt> {
        let before = self.section;
        let made = self.block(block);
        if self.section != before {
            self.section = None;
        }
        made
    }

    fn statement(&mut self, statement: &'a Stmt, made: &mut Vec<Stmt>) {
        let span = statement.span;
        let put = |kind: StmtKind| Stmt { kind, span };
        let kind = match &statement.kind {
            StmtKind::Expr(expr) => {
                self.mark(expr);
                let plain = match &expr.kind {
                    ExprKind::Assign(place, value) if is_stable(place) => self.value(value, made),
                    ExprKind::Call(..) | ExprKind::Convert(_) => self.value(expr, made),
                    _ => None,
                };
                match (plain, &expr.kind) {
                    (Some(value), ExprKind::Assign(place, _)) => {
                        let kind = ExprKind::Assign(place.clone(), Box::new(value));
                        StmtKind::Expr(Expr { kind, ..expr.clone() })
                    }
                    (Some(_), _) => return,
                    (None, _) => statement.kind.clone(),
                }
            }
            StmtKind::Declare(local, Some(parts)) => match parts.as_slice() {
                [part] => match self.value(&part.value, made) {
                    Some(value) => {
                        let parts = vec![Part { offset: part.offset, value }];
                        StmtKind::Declare(*local, Some(parts))
                    }
                    None => statement.kind.clone(),
                },
                _ => statement.kind.clone(),
            },
            StmtKind::Return(Some(value)) => match self.value(value, made) {
                Some(value) => StmtKind::Return(Some(value)),
                None => statement.kind.clone(),
            },
            StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            StmtKind::If(cond, a, b) => {
                let cond = self.value(cond, made).unwrap_or_else(|| cond.clone());
                let before = self.section;
                let a = self.inner(a);
                let after = std::mem::replace(&mut self.section, before);
                let b = self.inner(b);
                if self.section != after {
                    self.section = None;
                }
                StmtKind::If(cond, a, b)
            }
            StmtKind::While(cond, body) => {
                // The test is made at the beginning of each turn.
                let mut first = Vec::new();
                self.in_loop(body);
                match self.value(cond, &mut first) {
                    Some(value) => {
                        let (at, ty) = (cond.span, value.ty.clone());
                        let leave = vec![Stmt { kind: StmtKind::Break, span: at }];
                        first.push(put(StmtKind::If(value, Vec::new(), leave)));
                        first.extend(self.inner(body));
                        let always = Expr { kind: ExprKind::Int(1), ty: whole(&ty), span: at };
                        StmtKind::While(always, first)
                    }
                    None => StmtKind::While(cond.clone(), self.inner(body)),
                }
            }
            StmtKind::DoWhile(body, cond) => {
                self.in_loop(body);
                let mut inner = self.inner(body);
                let mut continues = false;
                each_statement(body, &mut |s| continues |= matches!(s.kind, StmtKind::Continue));
                let tested = match continues {
                    true => None,
                    false => self.value(cond, &mut inner),
                };
                StmtKind::DoWhile(inner, tested.unwrap_or_else(|| cond.clone()))
            }
            StmtKind::For { cond, step, body } => {
                self.in_loop(body);
                let body = self.inner(body);
                StmtKind::For { cond: cond.clone(), step: step.clone(), body }
            }
            StmtKind::Switch(value, body) => {
                let value = self.value(value, made).unwrap_or_else(|| value.clone());
                if self.has_marks(body) {
                    // Cases are jumped to.
                    self.section = None;
                }
                StmtKind::Switch(value, self.inner(body))
            }
            StmtKind::Label(label) => {
                if self.targets.contains(label) && !is_section(&self.function.name) {
                    self.section = None;
                }
                statement.kind.clone()
            }
            other => other.clone(),
        };
        made.push(put(kind));
    }

    /// Notes that a section begins or ends.
    fn mark(&mut self, expr: &Expr) {
        each_call(expr, false, &mut |callee, _, _| {
            let Callee::Direct(function) = callee else { return };
            match self.unit.functions[function.index()].name.as_str() {
                BEGIN => self.section = self.section.map(|_| true),
                END => {
                    let own = is_section(&self.function.name);
                    self.section = self.section.map(|_| own);
                }
                _ => {}
            }
        });
    }

    /// A loop whose turns do not end where they began, as far as sections go, has none that are known.
    fn in_loop(&mut self, body: &'a [Stmt]) {
        let before = self.section;
        for statement in body {
            self.marks(statement);
        }
        if self.section != before {
            self.section = None;
        }
    }

    /// Whether a section begins or ends in a block.
    fn has_marks(&self, block: &[Stmt]) -> bool {
        let mut found = false;
        each_expr_in(block, &mut |expr| {
            if let ExprKind::Call(Callee::Direct(function), _) = &expr.kind {
                let name = self.unit.functions[function.index()].name.as_str();
                found |= name == BEGIN || name == END;
            }
        });
        found
    }

    fn marks(&mut self, statement: &'a Stmt) {
        let mut all = Vec::new();
        each_part(statement, false, &mut |expr, _| all.push(expr));
        all.into_iter().for_each(|expr| self.mark(expr));
    }

    /// The value with its call written out before it, if there is such a call.
    fn value(&mut self, value: &'a Expr, made: &mut Vec<Stmt>) -> Option<Expr> {
        let call = self.call_in(value)?;
        let result = self.write(&call, made);
        self.changed = true;
        let mut changed = value.clone();
        let inner = innermost(&mut changed)?;
        inner.kind = match result {
            Some(local) => ExprKind::Load(Box::new(Lvalue {
                kind: LvalueKind::Local(local),
                ty: call.ty.clone(),
                span: call.span,
            })),
            None => ExprKind::Int(0),
        };
        Some(changed)
    }

    /// The call whose value is all that is not constant in a value, if it is to be written out.
    fn call_in(&self, value: &'a Expr) -> Option<InlinedCall<'a>> {
        let is_constant = |e: &Expr| crate::c::lower::choices::constant(e).is_some();
        let mut expr = value;
        let (function, args) = loop {
            expr = match &expr.kind {
                ExprKind::Convert(inner) | ExprKind::Not(inner) | ExprKind::Unary(_, inner) => {
                    inner
                }
                ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) if is_constant(b) => a,
                ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) if is_constant(a) => b,
                ExprKind::Call(Callee::Direct(function), args) => break (*function, args),
                _ => return None,
            };
        };
        let callee = &self.unit.functions[function.index()];
        let body = callee.body.as_ref()?;
        let helps = args.iter().enumerate().any(|(number, arg)| {
            let uses = uses(body, LocalId(number as u32));
            stable(arg).is_some_and(|place| root(place).is_some()) && !uses.changes && !uses.keeps
        });
        // Two sections must not end each other.
        let section = is_section(&callee.name);
        let stands = match self.section {
            Some(_) => true,
            None => !section,
        };
        let fits = self.fits.contains(&function)
            && function != self.at
            && callee.params == args.len()
            && self.size + size(body) <= MOST
            && !matches!(callee.result, Type::Record(_));
        (helps && fits && stands).then(|| InlinedCall {
            function,
            args,
            ty: &expr.ty,
            span: expr.span,
        })
    }

    /// Writes a call out; the variable that holds its value, if it has one.
    fn write(&mut self, call: &InlinedCall<'a>, made: &mut Vec<Stmt>) -> Option<LocalId> {
        let callee = &self.unit.functions[call.function.index()];
        let body = callee.body.as_deref().unwrap_or_default();
        let span = call.span;
        self.size += size(body);
        let first = self.function.locals.len() as u32;
        let labels = self.function.labels.len() as u32;
        self.function.locals.extend(callee.locals.iter().cloned());
        self.function.labels.extend(callee.labels.iter().cloned());
        let end = LabelId(self.function.labels.len() as u32);
        self.function.labels.push(format!("after_{}", callee.name));
        let result = (callee.result != Type::Void).then(|| {
            let (name, ty) = (callee.name.clone(), callee.result.clone());
            self.function.locals.push(Local { name, ty, span });
            LocalId(self.function.locals.len() as u32 - 1)
        });
        let mut copy = Copy { first, labels, places: BTreeMap::new(), result, end, jumps: false };
        let mut block = Vec::new();
        for (number, arg) in call.args.iter().enumerate() {
            let param = LocalId(number as u32);
            match stable(arg) {
                Some(_) if !uses(body, param).changes => drop(copy.places.insert(param, arg)),
                _ => {
                    let parts = vec![Part { offset: 0, value: arg.clone() }];
                    let kind = StmtKind::Declare(LocalId(first + param.0), Some(parts));
                    block.push(Stmt { kind, span });
                }
            }
        }
        if let Some(result) = result {
            block.push(Stmt { kind: StmtKind::Declare(result, None), span });
        }
        let is_section = is_section(&callee.name) && self.section == Some(false);
        let mark = |function: FunctionId| {
            let kind = ExprKind::Call(Callee::Direct(function), Vec::new());
            Stmt { kind: StmtKind::Expr(Expr { kind, ty: Type::Void, span }), span }
        };
        block.extend(is_section.then(|| mark(self.begin)));
        block.extend(copy.body(body));
        if copy.jumps {
            block.push(Stmt { kind: StmtKind::Label(end), span });
        }
        block.extend(is_section.then(|| mark(self.end)));
        made.push(Stmt { kind: StmtKind::Block(block), span });
        result
    }
}

/// The type of a truth value, where a test has this type.
fn whole(ty: &Type) -> Type {
    match ty {
        Type::Int { .. } | Type::Bool => ty.clone(),
        _ => Type::Int { bits: 32, signed: true, rank: 2 },
    }
}

/// The call in a value, on the way that [`Writer::call_in`] goes.
fn innermost(value: &mut Expr) -> Option<&mut Expr> {
    if matches!(value.kind, ExprKind::Call(..)) {
        return Some(value);
    }
    match &mut value.kind {
        ExprKind::Convert(inner) | ExprKind::Not(inner) | ExprKind::Unary(_, inner) => {
            innermost(inner)
        }
        ExprKind::Compare(_, a, b) | ExprKind::Arithmetic(_, a, b) => {
            match crate::c::lower::choices::constant(b).is_some() {
                true => innermost(a),
                false => innermost(b),
            }
        }
        _ => None,
    }
}
