//! # Shared variables that are not shared
//!
//! **Question.** `choice = *; if (choice) …` inside of one atomic section leaves a value behind that nobody reads again; a counter that one thread alone uses need not be
//! seen by others. Both tell states apart. Which shared variables could be local?
//!
//! **Idea.** Make them local, and see: a variable whose local copy is never read after a place where others may act could have been local all along.
//!
//! **Claim.** A shared scalar becomes a local variable of each procedure that mentions it, with the same runs but for its value in between, if all these procedures are run by threads
//! and never called, and one of these holds:
//! - its copy is live at no location at which others may act: whoever reads it has set it in the same step;
//! - one procedure mentions it, and one thread runs that, once: it begins with the first value of the variable;
//! - beside that procedure, which sets it before it reads it, the first thread only sets it, and before it starts anybody: what it sets is never read.
//!
//! **Needs.** A program in which no thread starts at a label, and no predicate.

use std::collections::{BTreeMap, BTreeSet};

use crate::flow::{self, Command, Flow, Loc};
use crate::make::{assign, constant, variable};
use crate::telling::{Manner, Piece, Told};
use crate::{
    AtomicOp, Block, Cond, Count, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Program, Stmt,
    StmtKind, Type, Value, VarRef, Variable, slots, visit, walk,
};

/// The program with local variables in the place of shared ones that could be local.
#[must_use]
pub fn own(program: Program) -> Program {
    let candidates = candidates(&program);
    if candidates.is_empty() || !program.predicates.is_empty() {
        return program;
    }
    let mut tried = program.clone();
    let locals = make_local(&mut tried, &candidates);
    let Ok(flow) = flow::build(&tried) else { return program };
    let look =
        Look { program: &tried, flow: &flow, locals: &locals, once: run_once(&tried, &flow) };
    let fits = |(global, procs): &(&GlobalId, &BTreeSet<ProcId>)| look.fits(**global, procs);
    let chosen: Candidates =
        candidates.iter().filter(fits).map(|(global, procs)| (*global, procs.clone())).collect();
    if chosen.is_empty() {
        return program;
    }
    let mut made = program;
    let locals = make_local(&mut made, &chosen);
    for (&(proc, global), &local) in &locals {
        let declared = made.globals[global.index()].clone();
        if chosen[&global].len() == 1 && declared.init.first() != Some(&Value::Open) {
            let first = declared.init.first().cloned().unwrap_or(Value::Open);
            let to = variable(VarRef::Local(local), &declared.ty);
            let set = assign(vec![(to, constant(first, &declared.ty))], declared.span);
            made.procs[proc.index()].body.insert(0, set);
        }
        if let Some(telling) = &mut made.telling {
            let told = telling.variables.get(&Told::Shared(global)).cloned();
            let pieces = vec![Piece::Text(declared.name.clone())];
            let manner = told.unwrap_or(Manner::Written { pieces, is_address: false });
            telling.variables.insert(Told::Local(proc, local), manner);
        }
    }
    if let Some(telling) = &mut made.telling {
        for &global in chosen.keys() {
            telling.variables.insert(Told::Shared(global), Manner::Hidden);
        }
    }
    made
}

/// Shared variables, with the procedures that mention them.
type Candidates = BTreeMap<GlobalId, BTreeSet<ProcId>>;

/// The scalars that are mentioned only in procedures which threads run and which are never called.
fn candidates(program: &Program) -> Candidates {
    let (mut called, mut run, mut at_labels) = (BTreeSet::new(), BTreeSet::new(), false);
    run.extend(program.threads.iter().map(|thread| thread.proc));
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s: &Stmt| match &s.kind {
            StmtKind::Call { proc, .. } => drop(called.insert(*proc)),
            StmtKind::Async { proc, .. } => drop(run.insert(*proc)),
            StmtKind::StartThread(_) => at_labels = true,
            _ => {}
        });
    }
    if at_labels {
        return Candidates::new();
    }
    // Operations in one step are about shared variables.
    let mut attempted = BTreeSet::new();
    let mut attempt = |op: &AtomicOp| {
        if let VarRef::Global(global) = op.place().var {
            attempted.insert(global);
        }
    };
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s: &Stmt| match &s.kind {
            StmtKind::Attempt { op, .. }
            | StmtKind::If { cond: Cond::Attempt { op, .. }, .. }
            | StmtKind::While { cond: Cond::Attempt { op, .. }, .. } => attempt(op),
            _ => {}
        });
    }
    let mut mentioned = Candidates::new();
    let mut copy = program.clone();
    for (number, proc) in copy.procs.iter_mut().enumerate() {
        each_place(&mut proc.body, &mut |place| {
            if let VarRef::Global(global) = place.var {
                mentioned.entry(global).or_default().insert(ProcId(number as u32));
            }
        });
    }
    let is_scalar = |global: &GlobalId| {
        let declared = &program.globals[global.index()];
        let plain = matches!(declared.ty, Type::Bool | Type::Machine { .. } | Type::Range { .. });
        plain && !declared.counts_threads
    };
    mentioned.retain(|global, procs| {
        is_scalar(global)
            && !attempted.contains(global)
            && procs.iter().all(|proc| run.contains(proc) && !called.contains(proc))
    });
    mentioned
}

/// Makes local variables of shared ones; the new ones by procedure and variable.
fn make_local(program: &mut Program, chosen: &Candidates) -> BTreeMap<(ProcId, GlobalId), LocalId> {
    let mut locals = BTreeMap::new();
    for (&global, procs) in chosen {
        let Variable { name, ty, looks, span, .. } = program.globals[global.index()].clone();
        for &proc in procs {
            let all = &mut program.procs[proc.index()].locals;
            locals.insert((proc, global), LocalId(all.len() as u32));
            let (name, ty, looks) = (name.clone(), ty.clone(), looks.clone());
            all.push(Variable { name, ty, init: Vec::new(), counts_threads: false, looks, span });
        }
    }
    for (number, proc) in program.procs.iter_mut().enumerate() {
        let at = ProcId(number as u32);
        each_place(&mut proc.body, &mut |place| {
            if let VarRef::Global(global) = place.var
                && let Some(&local) = locals.get(&(at, global))
            {
                place.var = VarRef::Local(local);
            }
        });
    }
    locals
}

/// Shows every place that statements mention, to be changed.
fn each_place(block: &mut Block, see: &mut dyn FnMut(&mut Place)) {
    for statement in block {
        for place in visit::places_mut(&mut statement.kind) {
            see(place);
        }
        for e in visit::every_expr_mut(&mut statement.kind) {
            visit::change(e, &mut |part: &mut Expr| {
                if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind {
                    see(place);
                }
            });
        }
        for inner in walk::inside_mut(statement) {
            each_place(inner, see);
        }
    }
}

/// The procedures that one thread runs, once.
fn run_once(program: &Program, flow: &Flow) -> BTreeSet<ProcId> {
    let mut times: BTreeMap<ProcId, u32> = BTreeMap::new();
    for thread in &program.threads {
        *times.entry(thread.proc).or_default() += match thread.count {
            Count::Fixed(count) => count,
            Count::Any => 2,
        };
    }
    for (proc, is_once) in slots::started(program, flow) {
        *times.entry(proc).or_default() += if is_once { 1 } else { 2 };
    }
    times.into_iter().filter(|(_, times)| *times == 1).map(|(proc, _)| proc).collect()
}

/// The program in which all candidates are local.
struct Look<'p> {
    program: &'p Program,
    flow: &'p Flow,
    locals: &'p BTreeMap<(ProcId, GlobalId), LocalId>,
    once: BTreeSet<ProcId>,
}

impl Look<'_> {
    /// Whether a variable could be local.
    fn fits(&self, global: GlobalId, procs: &BTreeSet<ProcId>) -> bool {
        if procs.iter().all(|&proc| self.stays_in_steps(proc, global)) {
            return true;
        }
        let all: Vec<ProcId> = procs.iter().copied().collect();
        match all[..] {
            [only] => self.once.contains(&only),
            [a, b] => self.is_set_before(a, b, global) || self.is_set_before(b, a, global),
            _ => false,
        }
    }

    /// Whether the variable is never read in a later step than the one that sets it.
    fn stays_in_steps(&self, proc: ProcId, global: GlobalId) -> bool {
        let local = self.locals[&(proc, global)];
        let here = self.flow.locations.iter().zip(&self.flow.live);
        let mut seen = here.filter(|(at, _)| at.proc == proc && !at.atomic);
        self.flow.live.len() == self.flow.locations.len() && seen.all(|(_, live)| !live.has(local))
    }

    /// Whether the first thread does no more than to set a variable before it starts anybody, and another one sets it before it reads it.
    fn is_set_before(&self, first: ProcId, other: ProcId, global: GlobalId) -> bool {
        let is_first = self.program.threads.len() == 1 && self.program.threads[0].proc == first;
        if !is_first || !self.once.contains(&first) || !self.once.contains(&other) {
            return false;
        }
        let live_at = |proc: ProcId| {
            let entry = self.flow.entries[proc.index()];
            let local = self.locals[&(proc, global)];
            self.flow.live.get(entry.index()).is_none_or(|live| live.has(local))
        };
        let local = self.locals[&(first, global)];
        // It is never read: it is live at no location.
        let here = self.flow.locations.iter().zip(&self.flow.live);
        let read = here.filter(|(at, _)| at.proc == first).any(|(_, live)| live.has(local));
        !live_at(other) && !read && !self.sets_after_start(first, local)
    }

    /// Whether a procedure sets a variable where it may have started a thread.
    fn sets_after_start(&self, proc: ProcId, local: LocalId) -> bool {
        let mut seen: BTreeSet<Loc> = BTreeSet::new();
        let mut work: Vec<Loc> = Vec::new();
        let own = |loc: Loc| self.flow.location(loc).proc == proc;
        for edge in self.flow.edges.iter().filter(|edge| own(edge.from)) {
            // A procedure that is called may start threads as well.
            if matches!(edge.command, Command::Async { .. } | Command::Call { .. }) {
                work.push(edge.to);
            }
        }
        while let Some(loc) = work.pop() {
            if !seen.insert(loc) {
                continue;
            }
            for &id in &self.flow.location(loc).edges {
                let edge = self.flow.edge(id);
                if !matches!(edge.command, Command::Return(_)) {
                    work.push(edge.to);
                }
                let places = match &edge.command {
                    Command::Assign { targets: places, .. }
                    | Command::Havoc(places)
                    | Command::Receive { places, .. } => places.as_slice(),
                    Command::Attempt { dest, .. } => dest.as_slice(),
                    Command::Async { dest, .. } => dest.as_slice(),
                    _ => &[],
                };
                if places.iter().any(|place| place.var == VarRef::Local(local)) {
                    return true;
                }
            }
        }
        false
    }
}
