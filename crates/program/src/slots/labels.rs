//! # Threads that start in the midst of a procedure
//! `start_thread goto l` starts a thread at a label, with a copy of the locals. A procedure that begins there, with the
//! locals that are still read for parameters, makes a plain start of it.

use crate::flow::{self, Command, Flow, FlowError};
use crate::make;
use crate::names::Names;
use crate::sequentialize::marks::Mark;
use crate::{
    Block, ExprKind, LabelId, LocalId, ProcId, Procedure, Program, Span, StmtKind, VarRef, visit,
    walk,
};

/// A procedure from a label on.
struct Part {
    /// The procedure that it is a part of.
    of: ProcId,
    label: LabelId,
    /// Its id among the procedures of the result.
    id: ProcId,
    /// The locals that are handed over.
    params: Vec<LocalId>,
}

/// The program in which threads start with procedures only. Spans are marks.
pub(super) fn as_procedures(program: &Program) -> Result<Program, FlowError> {
    let flow = flow::build(program)?;
    let parts = parts(program, &flow)?;
    let mut result = program.clone();
    let mut names = Names::of(program);
    for part in &parts {
        let whole = &program.procs[part.of.index()];
        result.procs.push(from_label(whole, part, &mut names));
    }
    let whole = (0..program.procs.len() as u32).map(ProcId);
    let of: Vec<ProcId> = whole.chain(parts.iter().map(|part| part.of)).collect();
    for (proc, of) in result.procs.iter_mut().zip(of) {
        start_parts(&mut proc.body, program, of, &parts);
    }
    for part in &parts {
        let whole = &program.procs[part.of.index()];
        let new = new_ids(whole, &part.params);
        rename(&mut result.procs[part.id.index()].body, &new);
    }
    Ok(result)
}

/// The parts of procedures at which threads are started.
fn parts(program: &Program, flow: &Flow) -> Result<Vec<Part>, FlowError> {
    let mut parts: Vec<Part> = Vec::new();
    for (of, proc) in flow::procs(program) {
        let mut starts = Vec::new();
        walk::each(&proc.body, &mut |s| {
            if let StmtKind::StartThread(label) = s.kind {
                starts.push((label, s.span));
            }
        });
        for (label, span) in starts {
            if parts.iter().any(|part| (part.of, part.label) == (of, label)) {
                continue;
            }
            let params = read_from(flow, proc, span);
            if let Some(array) = params.iter().find(|p| proc.locals[p.index()].ty.slots() != 1) {
                let name = &proc.locals[array.index()].name;
                let message = format!(
                    "the thread that is started here has a copy of the array `{name}`; only variables that \
                     are not arrays can be handed over where a fixed set of threads is needed: use contexts"
                );
                return Err(FlowError { message, span });
            }
            let id = ProcId((program.procs.len() + parts.len()) as u32);
            parts.push(Part { of, label, id, params });
        }
    }
    Ok(parts)
}

/// The locals that are still read by the thread that a statement starts.
fn read_from(flow: &Flow, proc: &Procedure, span: Span) -> Vec<LocalId> {
    let statement = Mark::of(span);
    let start = flow.edges.iter().find_map(|edge| match edge.command {
        Command::StartThread { at, .. } if Mark::of(edge.span) == statement => Some(at),
        _ => None,
    });
    let Some(at) = start else { return Vec::new() };
    let live = &flow.live[at.index()];
    (0..proc.locals.len() as u32).map(LocalId).filter(|&local| live.has(local)).collect()
}

/// The procedure from a label on, with its variables as they were.
fn from_label(whole: &Procedure, part: &Part, names: &mut Names) -> Procedure {
    let mut proc = whole.clone();
    let silent = Mark::Silent(Mark::of(whole.span).number()).span();
    proc.name = names.fresh(&format!("{}_{}", whole.name, whole.labels[part.label.index()]));
    proc.body.insert(0, make::stmt(StmtKind::Goto(vec![part.label]), silent));
    proc.params = part.params.len();
    let new = new_ids(whole, &part.params);
    let mut order: Vec<usize> = (0..whole.locals.len()).collect();
    order.sort_by_key(|&old| new[old]);
    proc.locals = order.into_iter().map(|old| whole.locals[old].clone()).collect();
    proc
}

/// For each local of a procedure its id where some of them are the parameters.
fn new_ids(whole: &Procedure, params: &[LocalId]) -> Vec<LocalId> {
    let mut new = vec![None; whole.locals.len()];
    for (id, param) in params.iter().enumerate() {
        new[param.index()] = Some(LocalId(id as u32));
    }
    let mut next = params.len() as u32..;
    new.into_iter()
        .map(|id| id.or_else(|| next.next().map(LocalId)).unwrap_or(LocalId(0)))
        .collect()
}

/// Lets statements start parts where they started threads at labels.
fn start_parts(block: &mut Block, program: &Program, of: ProcId, parts: &[Part]) {
    for stmt in block {
        if let StmtKind::StartThread(label) = stmt.kind
            && let Some(part) = parts.iter().find(|part| (part.of, part.label) == (of, label))
        {
            let locals = &program.procs[of.index()].locals;
            let read = |id: &LocalId| {
                make::read(make::variable(VarRef::Local(*id), &locals[id.index()].ty))
            };
            let args = part.params.iter().map(read).collect();
            stmt.kind = StmtKind::Async { dest: None, proc: part.id, args };
        }
        for inner in walk::inside_mut(stmt) {
            start_parts(inner, program, of, parts);
        }
    }
}

/// Gives locals their new ids.
fn rename(block: &mut Block, new: &[LocalId]) {
    let rename_var = |var: &mut VarRef| {
        if let VarRef::Local(id) = var {
            *id = new[id.index()];
        }
    };
    for stmt in block {
        for place in visit::places_mut(&mut stmt.kind) {
            rename_var(&mut place.var);
        }
        for e in visit::every_expr_mut(&mut stmt.kind) {
            visit::change(e, &mut |part| {
                if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind {
                    rename_var(&mut place.var);
                }
            });
        }
        for inner in walk::inside_mut(stmt) {
            rename(inner, new);
        }
    }
}
