//! # The copy of a body
//! The statements of a function with other numbers for its variables and labels, where a parameter that is an address is the variable of that address, and a
//! `return` leaves a value and jumps to the end.

use std::collections::BTreeMap;

use super::which::stable;
use crate::c::typed::*;

/// A body that is copied to another function.
pub(super) struct Copy<'a> {
    /// The number of its first local in the other function.
    pub(super) first: u32,
    /// The number of its first label.
    pub(super) labels: u32,
    /// Parameters that are the addresses of these variables.
    pub(super) places: BTreeMap<LocalId, &'a Expr>,
    /// The variable for the result.
    pub(super) result: Option<LocalId>,
    /// The label after the copy.
    pub(super) end: LabelId,
    /// Whether there is a jump to that label.
    pub(super) jumps: bool,
}

impl Copy<'_> {
    /// The whole body: a `return` that is its last statement needs no jump.
    pub(super) fn body(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        for (number, statement) in body.iter().enumerate() {
            let is_last = number + 1 == body.len();
            self.statement(statement, is_last, &mut made);
        }
        made
    }

    fn block(&mut self, block: &[Stmt]) -> Vec<Stmt> {
        let mut made = Vec::new();
        block.iter().for_each(|statement| self.statement(statement, false, &mut made));
        made
    }

    fn statement(&mut self, statement: &Stmt, is_last: bool, made: &mut Vec<Stmt>) {
        let span = statement.span;
        let kind = match &statement.kind {
            StmtKind::Expr(expr) => StmtKind::Expr(self.expr(expr)),
            StmtKind::Declare(local, parts) => {
                let part = |p: &Part| Part { offset: p.offset, value: self.expr(&p.value) };
                let parts = parts.as_ref().map(|parts| parts.iter().map(part).collect());
                StmtKind::Declare(self.local(*local), parts)
            }
            StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            StmtKind::If(cond, a, b) => {
                let cond = self.expr(cond);
                StmtKind::If(cond, self.block(a), self.block(b))
            }
            StmtKind::While(cond, body) => StmtKind::While(self.expr(cond), self.block(body)),
            StmtKind::DoWhile(body, cond) => StmtKind::DoWhile(self.block(body), self.expr(cond)),
            StmtKind::For { cond, step, body } => StmtKind::For {
                cond: cond.as_ref().map(|e| self.expr(e)),
                step: step.as_ref().map(|e| self.expr(e)),
                body: self.block(body),
            },
            StmtKind::Switch(value, body) => StmtKind::Switch(self.expr(value), self.block(body)),
            StmtKind::Label(label) => StmtKind::Label(LabelId(self.labels + label.0)),
            StmtKind::Goto(label) => StmtKind::Goto(LabelId(self.labels + label.0)),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let value = self.expr(value);
                    let kind = match self.result {
                        Some(result) => {
                            let (kind, ty) = (LvalueKind::Local(result), value.ty.clone());
                            let place = Box::new(Lvalue { kind, ty: ty.clone(), span });
                            let kind = ExprKind::Assign(place, Box::new(value));
                            StmtKind::Expr(Expr { kind, ty, span })
                        }
                        None => StmtKind::Expr(value),
                    };
                    made.push(Stmt { kind, span });
                }
                if is_last {
                    return;
                }
                self.jumps = true;
                StmtKind::Goto(self.end)
            }
            other => other.clone(),
        };
        made.push(Stmt { kind, span });
    }

    fn local(&self, local: LocalId) -> LocalId {
        LocalId(self.first + local.0)
    }

    fn boxed(&self, expr: &Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&self, expr: &Expr) -> Expr {
        if let ExprKind::Load(place) = &expr.kind
            && let LvalueKind::Local(local) = place.kind
            && let Some(address) = self.places.get(&local)
        {
            return Expr { ty: expr.ty.clone(), span: expr.span, kind: address.kind.clone() };
        }
        let kind = match &expr.kind {
            ExprKind::Load(place) => ExprKind::Load(self.place(place)),
            ExprKind::Address(place) => ExprKind::Address(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, self.boxed(a)),
            ExprKind::Not(a) => ExprKind::Not(self.boxed(a)),
            ExprKind::Arithmetic(op, a, b) => {
                ExprKind::Arithmetic(*op, self.boxed(a), self.boxed(b))
            }
            ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, self.boxed(a), self.boxed(b)),
            ExprKind::Offset(a, b) => ExprKind::Offset(self.boxed(a), self.boxed(b)),
            ExprKind::Difference(a, b, n) => ExprKind::Difference(self.boxed(a), self.boxed(b), *n),
            ExprKind::And(a, b) => ExprKind::And(self.boxed(a), self.boxed(b)),
            ExprKind::Or(a, b) => ExprKind::Or(self.boxed(a), self.boxed(b)),
            ExprKind::Conditional(a, b, c) => {
                ExprKind::Conditional(self.boxed(a), self.boxed(b), self.boxed(c))
            }
            ExprKind::Elvis(a, b) => ExprKind::Elvis(self.boxed(a), self.boxed(b)),
            ExprKind::Comma(a, b) => ExprKind::Comma(self.boxed(a), self.boxed(b)),
            ExprKind::Assign(place, value) => {
                ExprKind::Assign(self.place(place), self.boxed(value))
            }
            ExprKind::AssignWith { place, op, value, at, postfix } => ExprKind::AssignWith {
                place: self.place(place),
                op: *op,
                value: self.boxed(value),
                at: at.clone(),
                postfix: *postfix,
            },
            ExprKind::Call(callee, args) => {
                let callee = match callee {
                    Callee::Pointer(pointer) => Callee::Pointer(self.boxed(pointer)),
                    other => other.clone(),
                };
                ExprKind::Call(callee, args.iter().map(|arg| self.expr(arg)).collect())
            }
            ExprKind::Convert(a) => ExprKind::Convert(self.boxed(a)),
            // There are none of these in a body that is copied.
            ExprKind::Statement(..)
            | ExprKind::Unsupported(_)
            | ExprKind::Int(_)
            | ExprKind::Floating(_)
            | ExprKind::Function(_) => expr.kind.clone(),
        };
        Expr { kind, ty: expr.ty.clone(), span: expr.span }
    }

    fn place(&self, place: &Lvalue) -> Box<Lvalue> {
        if let LvalueKind::Deref(pointer) = &place.kind {
            let mut inner = &**pointer;
            while let ExprKind::Convert(deeper) = &inner.kind {
                inner = deeper;
            }
            if let ExprKind::Load(read) = &inner.kind
                && let LvalueKind::Local(local) = read.kind
                && let Some(target) = self.places.get(&local).and_then(|arg| stable(arg))
                && target.ty == place.ty
            {
                return Box::new(Lvalue { span: place.span, ..target.clone() });
            }
        }
        let kind = match &place.kind {
            LvalueKind::Local(local) => LvalueKind::Local(self.local(*local)),
            LvalueKind::Object(object) => LvalueKind::Object(*object),
            LvalueKind::Deref(pointer) => LvalueKind::Deref(self.boxed(pointer)),
            LvalueKind::Member(inner, record, member) => {
                LvalueKind::Member(self.place(inner), *record, *member)
            }
            LvalueKind::Element(inner, index) => {
                LvalueKind::Element(self.place(inner), self.boxed(index))
            }
            LvalueKind::Temporary(value) => LvalueKind::Temporary(self.boxed(value)),
        };
        Box::new(Lvalue { kind, ty: place.ty.clone(), span: place.span })
    }
}
