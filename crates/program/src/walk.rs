//! # Walks over statements
//! Questions about a block and everything inside it.

use rustc_hash::FxHashSet;

use crate::{Block, LabelId, ProcId, Program, Stmt, StmtKind};

/// The blocks directly inside a statement.
fn inside(statement: &Stmt) -> Vec<&Block> {
    match &statement.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => vec![body],
        StmtKind::Choose(blocks) => blocks.iter().collect(),
        _ => Vec::new(),
    }
}

/// The blocks inside of a statement, to be changed.
pub(crate) fn inside_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
        StmtKind::While { body, .. } | StmtKind::Atomic(body) => vec![body],
        StmtKind::Choose(blocks) => blocks.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Shows every statement of a block, those inside others too.
pub(crate) fn each<'p>(block: &'p [Stmt], visit: &mut dyn FnMut(&'p Stmt)) {
    for statement in block {
        visit(statement);
        for inner in inside(statement) {
            each(inner, visit);
        }
    }
}

/// Whether something is true of a statement of the block.
pub(crate) fn any(block: &[Stmt], test: &dyn Fn(&Stmt) -> bool) -> bool {
    let mut found = false;
    each(block, &mut |s| found |= test(s));
    found
}

/// Whether something is true of a statement that belongs to this loop and not to one inside it.
pub(crate) fn any_of_loop(block: &[Stmt], test: &dyn Fn(&StmtKind) -> bool) -> bool {
    block.iter().any(|s| {
        let is_loop = matches!(s.kind, StmtKind::While { .. });
        test(&s.kind) || (!is_loop && inside(s).into_iter().any(|b| any_of_loop(b, test)))
    })
}

/// The labels in a block.
pub(crate) fn labels(block: &[Stmt]) -> FxHashSet<LabelId> {
    let mut all = FxHashSet::default();
    each(block, &mut |s| all.extend(s.labels.iter().copied()));
    all
}

fn calls(block: &[Stmt]) -> Vec<ProcId> {
    let mut all = Vec::new();
    each(block, &mut |s| {
        if let StmtKind::Call { proc, .. } = s.kind {
            all.push(proc);
        }
    });
    all
}

/// For each procedure: whether it may be called from inside an atomic block.
pub(crate) fn called_in_atomic(program: &Program) -> Vec<bool> {
    let mut todo = Vec::new();
    for proc in &program.procs {
        each(&proc.body, &mut |s| {
            if let StmtKind::Atomic(body) = &s.kind {
                todo.extend(calls(body));
            }
        });
    }
    called_from(program, todo)
}

/// For each procedure: whether it is one of these, or called from one of these.
pub(crate) fn called_from(program: &Program, mut todo: Vec<ProcId>) -> Vec<bool> {
    let mut called = vec![false; program.procs.len()];
    while let Some(proc) = todo.pop() {
        if !std::mem::replace(&mut called[proc.index()], true) {
            todo.extend(calls(&program.procs[proc.index()].body));
        }
    }
    called
}
