//! Programs made by hand.

use crate::{
    BinaryOp, Block, Cond, Count, Expr, ExprKind, GlobalId, LabelId, LocalId, Place, ProcId,
    Procedure, Program, Span, Stmt, StmtKind, ThreadDecl, Type, UnaryOp, Value, VarRef, Variable,
};

pub(super) const NOWHERE: Span = Span { start: 0, end: 0 };

pub(super) fn variable(name: &str, ty: Type, init: Value) -> Variable {
    Variable {
        name: name.to_owned(),
        ty,
        init: vec![init],
        counts_threads: false,
        looks: None,
        span: Span::new(3, 4),
    }
}

/// Shared: the Booleans `x` (open) and `y` (true), the lock `m`.
pub(super) fn program(procs: Vec<Procedure>, threads: Vec<ThreadDecl>) -> Program {
    let globals = vec![
        variable("x", Type::Bool, Value::Open),
        variable("y", Type::Bool, Value::TRUE),
        variable("m", Type::Lock, Value::FALSE),
    ];
    Program { globals, procs, threads, ..Program::default() }
}

/// A procedure with a local `l`, which is a parameter or not, and labels `A` and `B`.
pub(super) fn procedure(name: &str, params: usize, results: usize, body: Block) -> Procedure {
    Procedure {
        name: name.to_owned(),
        params,
        locals: vec![variable("l", Type::Bool, Value::Open)],
        results: vec![Type::Bool; results],
        labels: vec!["A".to_owned(), "B".to_owned()],
        body,
        span: NOWHERE,
    }
}

pub(super) fn thread(proc: u32, count: Count, args: Vec<Expr>) -> ThreadDecl {
    ThreadDecl { name: "t".to_owned(), count, proc: ProcId(proc), args, span: NOWHERE }
}

pub(super) fn main_with(body: Block) -> Program {
    let threads = vec![thread(0, Count::Fixed(1), Vec::new())];
    program(vec![procedure("main", 0, 0, body)], threads)
}

pub(super) fn place(var: VarRef) -> Place {
    Place { var, indices: Vec::new(), ty: Type::Bool, span: NOWHERE }
}

pub(super) const X: VarRef = VarRef::Global(GlobalId(0));
pub(super) const Y: VarRef = VarRef::Global(GlobalId(1));
pub(super) const M: VarRef = VarRef::Global(GlobalId(2));
pub(super) const L: VarRef = VarRef::Local(LocalId(0));
pub(super) const A: LabelId = LabelId(0);
pub(super) const B: LabelId = LabelId(1);

pub(super) fn expr(kind: ExprKind) -> Expr {
    Expr { kind, ty: Type::Bool, span: NOWHERE }
}

pub(super) fn read(var: VarRef) -> Expr {
    expr(ExprKind::Read(place(var)))
}

pub(super) fn not(e: Expr) -> Expr {
    expr(ExprKind::Unary(UnaryOp::Not, Box::new(e)))
}

pub(super) fn binary(a: Expr, op: BinaryOp, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

pub(super) fn any() -> Expr {
    expr(ExprKind::Any)
}

pub(super) fn bit(value: bool) -> Expr {
    expr(ExprKind::Const(Value::from(value)))
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    at(Vec::new(), kind)
}

pub(super) fn at(labels: Vec<LabelId>, kind: StmtKind) -> Stmt {
    Stmt { labels, kind, span: NOWHERE }
}

pub(super) fn set(var: VarRef, value: Expr) -> Stmt {
    let (targets, values) = (vec![place(var)], vec![value]);
    stmt(StmtKind::Assign { targets, values, constrain: None })
}

pub(super) fn branch(cond: Cond, then: Block, otherwise: Block) -> Stmt {
    stmt(StmtKind::If { cond, then, otherwise })
}

pub(super) fn repeat(cond: Cond, body: Block) -> Stmt {
    stmt(StmtKind::While { cond, body })
}

pub(super) fn call(proc: u32, args: Vec<Expr>, results: Vec<Place>) -> Stmt {
    stmt(StmtKind::Call { proc: ProcId(proc), args, results })
}
