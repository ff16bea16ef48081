//! Pieces of programs: names, expressions, statements without a place in a source.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use selvedge_program::{
    BinaryOp, Expr, ExprKind, LabelId, Place, Span, Stmt, StmtKind, Type, VarRef,
};

/// The names that are taken.
pub(super) struct Names(BTreeSet<String>);

impl Default for Names {
    /// Words that nothing may be called.
    fn default() -> Self {
        let words = "and any assert assume async at atomic acquire bool boolean break call cas \
            const constrain continue decl do either else elsif end enum exists false \
            fetch_and_add fi for forall goto havoc if in init int join local lock mutex none not \
            od or predicate proc release return schoose self shared skip then thread tid top true \
            trylock unlock var void wait while";
        Names(words.split_whitespace().map(str::to_owned).collect())
    }
}

impl Names {
    /// A name like the wanted one that can be written in a program and is not taken.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert_str(0, "s_");
        }
        let base = name.clone();
        let mut number = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

pub(super) fn range(least: usize, greatest: usize) -> Type {
    Type::Range { lo: BigInt::from(least), hi: BigInt::from(greatest) }
}

pub(super) fn expr(kind: ExprKind, ty: &Type) -> Expr {
    Expr { kind, ty: ty.clone(), span: Span::default() }
}

pub(super) fn truth(value: bool) -> Expr {
    expr(ExprKind::Const(value.into()), &Type::Bool)
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), &Type::Bool)
}

/// Whether a variable has this value.
pub(super) fn equals(var: VarRef, value: Expr) -> Expr {
    let read = expr(ExprKind::Read(place(var, &value.ty)), &value.ty);
    binary(BinaryOp::Eq, read, value)
}

pub(super) fn place(var: VarRef, ty: &Type) -> Place {
    Place { var, indices: Vec::new(), ty: ty.clone(), span: Span::default() }
}

pub(super) fn step(kind: StmtKind) -> Stmt {
    Stmt { labels: Vec::new(), kind, span: Span::default() }
}

pub(super) fn goto(label: LabelId) -> Stmt {
    step(StmtKind::Goto(vec![label]))
}
