//! Which kinds of statements a program has: a comparison is worth what it covers.

use std::collections::BTreeSet;

use selvedge_program::{AtomicOp, Block, Cond, Program, StmtKind};

/// All kinds.
pub const ALL: [&str; 30] = [
    "skip",
    "assign",
    "parallel assign",
    "constrain",
    "havoc",
    "assume",
    "assert",
    "if",
    "while",
    "either",
    "goto",
    "goto several",
    "break",
    "continue",
    "return",
    "return results",
    "atomic",
    "atomic_begin",
    "atomic_end",
    "acquire",
    "release",
    "trylock",
    "cas",
    "fetch_and_add",
    "call",
    "call with results",
    "async",
    "start_thread",
    "join",
    "end_thread",
];

/// The kinds of statements in a program.
pub fn of(program: &Program) -> BTreeSet<&'static str> {
    let mut kinds = BTreeSet::new();
    program.procs.iter().for_each(|proc| block(&proc.body, &mut kinds));
    kinds
}

fn block(stmts: &Block, kinds: &mut BTreeSet<&'static str>) {
    for stmt in stmts {
        let kind = match &stmt.kind {
            StmtKind::Skip => "skip",
            StmtKind::Assign { constrain: Some(_), .. } => "constrain",
            StmtKind::Assign { targets, .. } if targets.len() > 1 => "parallel assign",
            StmtKind::Assign { .. } => "assign",
            StmtKind::Havoc(_) => "havoc",
            StmtKind::Assume(_) => "assume",
            StmtKind::Assert(_) => "assert",
            StmtKind::If { cond, then, otherwise } => {
                test(cond, kinds);
                block(then, kinds);
                block(otherwise, kinds);
                "if"
            }
            StmtKind::While { cond, body } => {
                test(cond, kinds);
                block(body, kinds);
                "while"
            }
            StmtKind::Choose(blocks) => {
                blocks.iter().for_each(|b| block(b, kinds));
                "either"
            }
            StmtKind::Goto(labels) if labels.len() > 1 => "goto several",
            StmtKind::Goto(_) => "goto",
            StmtKind::Break => "break",
            StmtKind::Continue => "continue",
            StmtKind::Return(values) if values.is_empty() => "return",
            StmtKind::Return(_) => "return results",
            StmtKind::Atomic(body) => {
                block(body, kinds);
                "atomic"
            }
            StmtKind::AtomicBegin => "atomic_begin",
            StmtKind::AtomicEnd => "atomic_end",
            StmtKind::Acquire(_) => "acquire",
            StmtKind::Release(_) => "release",
            StmtKind::Attempt { op, .. } => operation(op),
            StmtKind::Call { results, .. } if !results.is_empty() => "call with results",
            StmtKind::Call { .. } => "call",
            StmtKind::Async { .. } => "async",
            StmtKind::StartThread(_) => "start_thread",
            StmtKind::Join(_) => "join",
            StmtKind::EndThread => "end_thread",
        };
        kinds.insert(kind);
    }
}

fn test(cond: &Cond, kinds: &mut BTreeSet<&'static str>) {
    if let Cond::Attempt { op, .. } = cond {
        kinds.insert(operation(op));
    }
}

fn operation(op: &AtomicOp) -> &'static str {
    match op {
        AtomicOp::TryLock(_) => "trylock",
        AtomicOp::CompareAndSwap { .. } => "cas",
        AtomicOp::FetchAndAdd { .. } => "fetch_and_add",
    }
}
