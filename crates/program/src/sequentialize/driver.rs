//! # The one thread of the result
//! Sets the copies of later rounds to the guesses, runs the threads one after the other, confirms
//! the guesses, and says whether a thread has failed. [Lal, Reps 2008, Fig. 1, first and third
//! column.]

use std::collections::{BTreeMap, VecDeque};

use selvedge_model::ThreadInfo;

use super::body::{Body, Surroundings, Version};
use super::marks::{self, Mark};
use super::shared::Shared;
use crate::flow::Flow;
use crate::make::{self, assign, equal, read, stmt};
use crate::{
    Block, Count, Expr, ExprKind, GlobalId, ProcId, Procedure, Program, Span, StmtKind, ThreadDecl,
    Type, Value, visit, walk,
};

/// A thread of the original: what it runs, with constants for arguments.
pub(super) struct Run {
    proc: ProcId,
    args: Vec<Expr>,
}

/// The threads of a program, in their order.
pub(super) fn threads(program: &Program, infos: &[ThreadInfo]) -> Vec<Run> {
    let mut seen = vec![0i64; program.threads.len()];
    let run = |info: &ThreadInfo| {
        let decl = &program.threads[info.template.index()];
        let instance = seen[info.template.index()];
        seen[info.template.index()] += 1;
        let args = decl.args.iter().map(|arg| {
            let mut arg = arg.clone();
            visit::change(&mut arg, &mut |e| {
                if matches!(e.kind, ExprKind::Instance) {
                    e.kind = ExprKind::Const(Value::Small(instance));
                }
            });
            arg
        });
        Run { proc: decl.proc, args: args.collect() }
    };
    infos.iter().map(run).collect()
}

/// The whole result, with marks for spans.
pub(super) fn drive(
    program: &Program,
    flow: &Flow,
    mut shared: Shared,
    threads: &[Run],
) -> Program {
    let inside = inside_sections(program, flow);
    let versions = versions(program, &inside, threads);
    let ids: BTreeMap<(ProcId, Version), ProcId> =
        versions.iter().copied().zip((0..).map(ProcId)).collect();
    let find = |proc, version| ids.get(&(proc, version)).copied().unwrap_or(proc);
    let names: Vec<String> = versions
        .iter()
        .map(|&(proc, version)| {
            let name = &program.procs[proc.index()].name;
            match version {
                Version::Open => name.clone(),
                Version::Atomic => shared.names.fresh(&format!("{name}_atomic")),
            }
        })
        .collect();
    let main = shared.names.fresh("main");
    let around = Surroundings { shared: &shared, inside: &inside, procs: &find };
    let mut procs: Vec<Procedure> = versions
        .iter()
        .zip(names)
        .map(|(&(proc, version), name)| {
            Body::transform(&around, version, name, &program.procs[proc.index()])
        })
        .collect();
    let thread = ThreadDecl {
        name: main.clone(),
        count: Count::Fixed(1),
        proc: ProcId(procs.len() as u32),
        args: Vec::new(),
        span: Span::default(),
    };
    procs.push(Procedure {
        name: main,
        params: 0,
        locals: Vec::new(),
        results: Vec::new(),
        labels: Vec::new(),
        body: main_body(&shared, threads, &find),
        span: nowhere(),
    });
    Program {
        enums: program.enums.clone(),
        globals: shared.globals,
        procs,
        threads: vec![thread],
        predicates: Vec::new(),
    }
}

/// The mark of what stands for nothing in the original.
fn nowhere() -> Span {
    Mark::Silent(marks::NOWHERE).span()
}

/// For each number, whether the step lies inside of an atomic section: in a block by the text, in
/// other sections by the flow.
fn inside_sections(program: &Program, flow: &Flow) -> Vec<bool> {
    let mut inside = Vec::new();
    let mut mark = |span: Span| {
        let n = Mark::of(span).number() as usize;
        if inside.len() <= n {
            inside.resize(n + 1, false);
        }
        inside[n] = true;
    };
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            if let (StmtKind::Atomic(body), Mark::Step(_)) = (&s.kind, Mark::of(s.span)) {
                walk::each(body, &mut |inner| mark(inner.span));
            }
        });
    }
    let steps = flow.edges.iter().filter(|e| matches!(Mark::of(e.span), Mark::Step(_)));
    steps.filter(|e| flow.location(e.from).atomic).for_each(|e| mark(e.span));
    inside
}

/// The procedures that the threads need, and in which versions.
fn versions(program: &Program, inside: &[bool], threads: &[Run]) -> Vec<(ProcId, Version)> {
    let mut found: Vec<(ProcId, Version)> = Vec::new();
    let mut work: VecDeque<(ProcId, Version)> =
        threads.iter().map(|run| (run.proc, Version::Open)).collect();
    while let Some((proc, version)) = work.pop_front() {
        if found.contains(&(proc, version)) {
            continue;
        }
        found.push((proc, version));
        walk::each(&program.procs[proc.index()].body, &mut |s| {
            if let StmtKind::Call { proc, .. } = s.kind {
                let number = Mark::of(s.span).number() as usize;
                let section = inside.get(number).is_some_and(|i| *i);
                let version = if section { Version::Atomic } else { version };
                work.push_back((proc, version));
            }
        });
    }
    found.sort_unstable();
    found
}

fn main_body(shared: &Shared, threads: &[Run], find: &dyn Fn(ProcId, Version) -> ProcId) -> Block {
    let mut body = Vec::new();
    for (id, guess) in guesses(shared) {
        each_element(shared, guess, &mut |round, element| {
            let copy = shared.element(id, round + 1, element);
            let guessed = read(shared.element(guess, round, element));
            body.push(assign(vec![(copy, guessed)], nowhere()));
        });
    }
    for (number, run) in threads.iter().enumerate() {
        if let Some(me) = shared.me() {
            body.push(assign(vec![(me, make::number(number + 1))], nowhere()));
        }
        let proc = find(run.proc, Version::Open);
        let call = StmtKind::Call { proc, args: run.args.clone(), results: Vec::new() };
        body.push(stmt(call, Mark::Thread(number as u32).span()));
        let round = shared.round().map(|round| (round, make::number(0)));
        let mut reset: Vec<_> = round.into_iter().collect();
        reset.push((shared.stopped(), make::truth(false)));
        body.push(assign(reset, nowhere()));
    }
    for (id, guess) in guesses(shared) {
        each_element(shared, guess, &mut |round, element| {
            let ends = read(shared.element(id, round, element));
            let guessed = read(shared.element(guess, round, element));
            body.push(stmt(StmtKind::Assume(equal(ends, guessed)), nowhere()));
        });
    }
    let nothing_failed = make::not(read(shared.failed()));
    body.push(stmt(StmtKind::Assert(nothing_failed), nowhere()));
    body
}

fn guesses(shared: &Shared) -> Vec<(GlobalId, GlobalId)> {
    let each = shared.guesses.iter().enumerate();
    each.filter_map(|(id, guess)| Some((GlobalId(id as u32), (*guess)?))).collect()
}

/// Tells the round and the indices of each element of a guess.
fn each_element(shared: &Shared, guess: GlobalId, tell: &mut dyn FnMut(u32, &[u32])) {
    fn each(ty: &Type, indices: &mut Vec<u32>, tell: &mut dyn FnMut(u32, &[u32])) {
        let Type::Array { element, length } = ty else {
            if let Some((round, element)) = indices.split_first() {
                tell(*round, element);
            }
            return;
        };
        for index in 0..*length {
            indices.push(index);
            each(element, indices, tell);
            indices.pop();
        }
    }
    each(&shared.globals[guess.index()].ty, &mut Vec::new(), tell);
}
