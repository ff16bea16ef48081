//! # The numbers of threads
//!
//! **Question.** `thread node[i] * 3` has a parameter of type `int`, and what follows programs by the
//! bits of their variables needs to know an end. Which values can it have?
//!
//! **Idea.** A procedure that nobody calls or starts is entered by the threads of the beginning
//! only, and their arguments are known. A parameter that no statement writes keeps them. So its
//! type is the range of them. A shared variable that counts threads has a range for another reason: there are
//! not more threads than there are.
//!
//! **Claim.** The program is the same but for the types of such variables: no value that is stored
//! or read in any run lies outside.

use num_bigint::BigInt;

use super::FirstThreads;
use crate::flow::Flow;
use crate::visit::{self, StepParts};
use crate::walk;
use crate::{
    Block, ExprKind, GlobalId, LocalId, ProcId, Program, StmtKind, Type, VarRef, Variable, compile,
};

impl FirstThreads {
    /// The program in which parameters of threads have ranges; `None` if there is nothing to change.
    pub(super) fn narrowed(&self, program: &Program, flow: &Flow, starts: bool) -> Option<Program> {
        let all = (!starts && self.any_number.is_empty()).then_some(self.first.len());
        let mut narrowed = all.and_then(|threads| counters_up_to(program, threads));
        for proc in entered_by_threads_only(program) {
            for (param, ty) in self.ranges(program, flow, proc) {
                let program = narrowed.get_or_insert_with(|| program.clone());
                let procedure = &mut program.procs[proc.index()];
                procedure.locals[param.index()].ty = ty.clone();
                retype(&mut procedure.body, VarRef::Local(param), &ty);
            }
        }
        narrowed
    }

    /// The parameters of a procedure that no statement writes, with the values that threads give.
    fn ranges(&self, program: &Program, flow: &Flow, proc: ProcId) -> Vec<(LocalId, Type)> {
        let procedure = &program.procs[proc.index()];
        let firsts = compile::first_slots(&procedure.locals);
        let params = procedure.locals[..procedure.params].iter();
        let integers = (0..).map(LocalId).zip(params).filter(|(_, param)| param.ty == Type::Int);
        let kept = integers.filter(|(param, _)| !is_written(&procedure.body, *param));
        let range = |param: LocalId| self.range(flow, proc, param, firsts[param.index()]);
        kept.filter_map(|(param, _)| Some((param, range(param)?))).collect()
    }

    /// The values of a parameter where threads start. A value that is never read may be anything.
    fn range(&self, flow: &Flow, proc: ProcId, param: LocalId, slot: usize) -> Option<Type> {
        let zero = || Type::Range { lo: BigInt::ZERO, hi: BigInt::ZERO };
        if !flow.live[flow.entries[proc.index()].index()].has(param) {
            return Some(zero());
        }
        let first = self.first.iter().map(|(_, proc, values)| (proc, values));
        let all = first.chain(self.any_number.iter().map(|(_, proc, values)| (proc, values)));
        let values = all.filter(|(of, _)| **of == proc).map(|(_, values)| values[slot].to_big());
        let values: Vec<BigInt> = values.collect::<Option<_>>()?;
        let ends = values.iter().min().zip(values.iter().max());
        Some(ends.map_or_else(zero, |(lo, hi)| Type::Range { lo: lo.clone(), hi: hi.clone() }))
    }
}

/// The procedures of threads that are not called or started by statements.
fn entered_by_threads_only(program: &Program) -> Vec<ProcId> {
    let mut entered = vec![false; program.procs.len()];
    program.threads.iter().for_each(|thread| entered[thread.proc.index()] = true);
    for proc in &program.procs {
        walk::each(&proc.body, &mut |s| {
            if let StmtKind::Call { proc, .. } | StmtKind::Async { proc, .. } = s.kind {
                entered[proc.index()] = false;
            }
        });
    }
    (0..).map(ProcId).zip(entered).filter(|(_, entered)| *entered).map(|(proc, _)| proc).collect()
}

fn is_written(body: &Block, local: LocalId) -> bool {
    walk::any(body, &|s| {
        StepParts::of(&s.kind).written.iter().any(|place| place.var == VarRef::Local(local))
    })
}

/// The program in which shared variables that count threads have ranges, if there are so many threads in all and none
/// is started; `None` if there is nothing to change.
pub(crate) fn counters_up_to(program: &Program, threads: usize) -> Option<Program> {
    let counts = |v: &Variable| v.counts_threads && *v.ty.scalar() == Type::Int;
    let globals = (0..).map(GlobalId).zip(&program.globals);
    let counters: Vec<GlobalId> = globals.filter(|(_, v)| counts(v)).map(|(id, _)| id).collect();
    if counters.is_empty() {
        return None;
    }
    let mut program = program.clone();
    let range = Type::Range { lo: BigInt::ZERO, hi: threads.into() };
    for counter in counters {
        *scalar_mut(&mut program.globals[counter.index()].ty) = range.clone();
        for proc in &mut program.procs {
            retype(&mut proc.body, VarRef::Global(counter), &range);
        }
    }
    Some(program)
}

fn scalar_mut(ty: &mut Type) -> &mut Type {
    match ty {
        Type::Array { element, .. } => scalar_mut(element),
        scalar => scalar,
    }
}

/// Gives a variable its type wherever it is read or written.
fn retype(body: &mut Block, var: VarRef, ty: &Type) {
    for statement in body {
        for place in visit::places_mut(&mut statement.kind) {
            if place.var == var {
                place.ty = ty.clone();
            }
        }
        for e in visit::every_expr_mut(&mut statement.kind) {
            visit::change(e, &mut |part| {
                if let ExprKind::Read(place) | ExprKind::Primed(place) = &mut part.kind
                    && place.var == var
                {
                    place.ty = ty.clone();
                    part.ty = ty.clone();
                }
            });
        }
        for inner in walk::inside_mut(statement) {
            retype(inner, var, ty);
        }
    }
}
