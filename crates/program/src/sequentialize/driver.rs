//! # The one thread of the result
//! Sets the copies of later rounds to the guesses, runs the threads one after the other, confirms
//! the guesses, and says whether a thread has failed. [Lal, Reps 2008, Fig. 1, first and third
//! column.]

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use selvedge_model::ThreadInfo;

use super::body::{Body, Surroundings, Version};
use super::lasso::{Lasso, elements};
use super::marks::{self, Mark};
use super::shared::Shared;
use crate::flow::{Flow, Loc};
use crate::make::{self, assign, equal, read, stmt};
use crate::{
    Block, Count, Expr, ExprKind, GlobalId, ProcId, Procedure, Program, Span, StmtKind, ThreadDecl,
    Type, Value, visit, walk,
};

/// A thread of the original: what it runs, with constants for arguments.
pub(super) struct Run {
    pub proc: ProcId,
    args: Vec<Expr>,
}

/// The threads of a program, in their order.
pub(super) fn threads(program: &Program, infos: &[ThreadInfo]) -> Vec<Run> {
    let mut seen = vec![0i64; program.threads.len()];
    let run = |info: &ThreadInfo| {
        let decl = &program.threads[info.template.index()];
        let instance = seen[info.template.index()];
        seen[info.template.index()] += 1;
        let params = &program.procs[decl.proc.index()].locals;
        let args = decl.args.iter().zip(params).map(|(arg, param)| {
            let mut arg = arg.clone();
            // A value that is never read is narrowed to one: see `lower/narrow.rs`.
            if let Type::Range { lo, hi } = &param.ty
                && lo == hi
            {
                arg.kind = ExprKind::Const(Value::from_big(lo.clone()));
                return arg;
            }
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
    inside: &[bool],
) -> Program {
    let versions = versions(program, inside, threads);
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
    let (starts, sites) = (starts(flow), Cell::new(0));
    let around = Surroundings {
        shared: &shared,
        inside,
        procs: &find,
        flow,
        starts: &starts,
        sites: &sites,
    };
    let mut procs: Vec<Procedure> = versions
        .iter()
        .zip(names)
        .map(|(&(proc, version), name)| {
            Body::transform(&around, (proc, version), name, &program.procs[proc.index()])
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
        reasons: Default::default(),
        texts: Default::default(),
        waited_for: Default::default(),
        telling: None,
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

/// Where each statement starts that is a step.
fn starts(flow: &Flow) -> FxHashMap<u32, Loc> {
    let mut starts = FxHashMap::default();
    for edge in &flow.edges {
        if let Mark::Step(number) = Mark::of(edge.span) {
            starts.entry(number).or_insert(edge.from);
        }
    }
    starts
}

/// For each number, whether the step lies inside of an atomic section: in a block by the text, in
/// other sections by the flow.
pub(super) fn inside_sections(program: &Program, flow: &Flow) -> Vec<bool> {
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
        body.extend(
            shared.lasso.as_ref().and_then(|lasso| lasso.choose_keyframe(shared, nowhere())),
        );
        let proc = find(run.proc, Version::Open);
        let call = StmtKind::Call { proc, args: run.args.clone(), results: Vec::new() };
        body.push(stmt(call, Mark::Thread(number as u32).span()));
        if let Some(lasso) = &shared.lasso {
            body.push(stmt(StmtKind::Assume(lasso.is_through(shared)), nowhere()));
        }
        let round = shared.round().map(|round| (round, make::number(0)));
        let mut reset: Vec<_> = round.into_iter().collect();
        reset.push((shared.stopped(), make::truth(false)));
        reset.extend(shared.lasso.iter().flat_map(|lasso| lasso.forget_thread(shared)));
        body.push(assign(reset, nowhere()));
    }
    for (id, guess) in guesses(shared) {
        each_element(shared, guess, &mut |round, element| {
            let ends = read(shared.element(id, round, element));
            let guessed = read(shared.element(guess, round, element));
            body.push(stmt(StmtKind::Assume(equal(ends, guessed)), nowhere()));
        });
    }
    body.extend(shared.lasso.iter().flat_map(|lasso| closes(shared, lasso)));
    let claim = match (shared.failed(), &shared.lasso) {
        (Some(failed), _) => make::not(read(failed)),
        (None, lasso) => lasso.as_ref().map_or(make::truth(true), |l| l.nobody_acts(shared)),
    };
    body.push(stmt(StmtKind::Assert(claim), nowhere()));
    body
}

/// That the period ends as it began, and that who waits does so.
fn closes(shared: &Shared, lasso: &Lasso) -> Block {
    let mut out = Vec::new();
    let (begins, ends) = (lasso.bounds.stem_rounds() - 1, shared.rounds - 1);
    for (id, guess) in guesses(shared) {
        each_element(shared, guess, &mut |round, element| {
            if round == begins {
                let ends = read(shared.element(id, ends, element));
                let began = read(shared.element(guess, begins, element));
                out.push(stmt(StmtKind::Assume(equal(ends, began)), nowhere()));
            }
        });
    }
    out.extend(lasso.at_start(shared, nowhere()));
    out
}

fn guesses(shared: &Shared) -> Vec<(GlobalId, GlobalId)> {
    let each = shared.guesses.iter().enumerate();
    each.filter_map(|(id, guess)| Some((GlobalId(id as u32), (*guess)?))).collect()
}

/// Tells the round and the indices of each element of a guess.
fn each_element(shared: &Shared, guess: GlobalId, tell: &mut dyn FnMut(u32, &[u32])) {
    for indices in elements(&shared.globals[guess.index()].ty) {
        if let Some((round, element)) = indices.split_first() {
            tell(*round, element);
        }
    }
}
